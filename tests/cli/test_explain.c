// `touchstone explain`: shares against cases with a known answer.
#include "tests/cli/cli_fixture.h"

TestSuite(explain, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Shares of every effect add up to its difference.
#define ADDS_UP                                                                              \
    "for e in d['effects']:\n"                                                               \
    "    size = max(abs(e['run']), abs(e['exact']), 1e-9)\n"                                 \
    "    assert abs(sum(e['shares'].values()) - (e['run'] - e['exact'])) < 1e-9 * size, e\n" \
    "by = {e['name']: e for e in d['effects']}\n"

// 1 m/s, mu 0.4, at 22.5 degrees: on four facets each axis is a slider of its own, v^2 (cos^3 + sin^3) / (2 mu g) along and
// v^2 sin cos (sin - cos) / (2 mu g) aside; the step takes v h / 2 from the way, an eighth of it in the exact run.
Test(explain, a_pyramid_and_a_step_each_have_their_own) {
    outcome result = run("explain isotropy --solver lcp-pgs --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(
            &result.out, ADDS_UP
            "import math\n"
            "c, s, w = math.cos(math.pi / 8), math.sin(math.pi / 8), 1 / (2 * 0.4 * 9.81)\n"
            "side, along = by['sideways']['shares'], by['along']['shares']\n"
            "assert abs(side['law'] - w * s * c * (s - c)) < 1e-5, side\n"
            "assert all(abs(v) < 1e-6 for k, v in side.items() if k != 'law'), side\n"
            "assert abs(along['law'] - w * (c ** 3 + s ** 3 - 1)) < 1e-4, along\n"
            "assert abs(along['step'] + 0.5e-3 * 7 / 8) < 1e-5, along\n"
            "assert all(abs(along[k]) < 1e-9 for k in ('solve', 'stabilisation', 'manifold', 'integrator')), along\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// The relaxation throws a cube of 6 m/s with mu v / (1 + mu^2) upward; nothing else lifts it by more than the step.
Test(explain, the_relaxation_lifts) {
    outcome result = run("explain sliding-lift --solver ccp-admm --time 0.5 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         ADDS_UP "climb = by['highest climb']\n"
                                 "up = 0.5 * 6 / 1.25\n"
                                 "assert abs(climb['run'] - up * up / 19.62) < 3e-3 and climb['exact'] < 1e-9, climb\n"
                                 "assert climb['shares']['law'] > 0.99 * climb['run'], climb\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// What holds on a slope creeps because it is soft.
Test(explain, softness_creeps) {
    outcome result = run("explain creep --solver mujoco --time 0.3 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         ADDS_UP "creep = by['along']\n"
                                 "total = creep['run'] - creep['exact']\n"
                                 "assert total > 1e-4 and creep['shares']['softness'] > 0.9 * total, creep\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Shares of a set of combinations by brute force: over all orders of exchanging one ingredient after the other.
#define SHARES                                                        \
    "import itertools\n"                                              \
    "def shares(names, value):\n"                                     \
    "    total = dict.fromkeys(names, 0.0)\n"                         \
    "    orders = list(itertools.permutations(names))\n"              \
    "    for order in orders:\n"                                      \
    "        done = frozenset()\n"                                    \
    "        for name in order:\n"                                    \
    "            total[name] += value(done) - value(done | {name})\n" \
    "            done |= {name}\n"                                    \
    "    return {k: v / len(orders) for k, v in total.items()}\n"     \
    "def check(name, value, size):\n"                                 \
    "    for c in d['combinations']:\n"                               \
    "        want = value(frozenset(c['exchanged']))\n"               \
    "        assert abs(c[name] - want) < 1e-9 * size, (c, want)\n"   \
    "    want = shares(list(by[name]['shares']), value)\n"            \
    "    for k, v in by[name]['shares'].items():\n"                   \
    "        assert abs(v - want[k]) < 1e-9 * size, (k, v, want)\n"

// One ball on another, two sweeps a step from nothing, from the top down. Forward the lower one's contact is the last to be heard, and it
// stands. Then upward it is pressed by the upper one, and sinks by half of what it would fall. The sweeps are done again in three lines.
Test(explain, the_order_of_sweeps_says_who_is_heard_last) {
    write_text("balls.xml",
               "<mujoco><option timestep='0.001' gravity='0 0 -10'/><worldbody>"
               "<geom type='plane' size='1 1 1' friction='0'/>"
               "<body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='1' friction='0'/></body>"
               "<body pos='0 0 0.3'><freejoint/><geom type='sphere' size='0.1' mass='1' friction='0'/></body>"
               "</worldbody></mujoco>");
    outcome result =
        run("explain balls.xml --solver ncp-pgs --time 0.001 --set warm_start=0 --set solver.iteration_limit=2 "
            "--set baumgarte=0 --set integrator=rk4 --set manifold_points=8 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, ADDS_UP SHARES
                         "def height(exchanged):\n"
                         "    if 'solve' in exchanged: return 0.0\n"
                         "    n = 8 if 'step' in exchanged else 1\n"
                         "    h, z, v = 1e-3 / n, 0.0, [0.0, 0.0]\n"
                         "    for step in range(n):\n"
                         "        v, pressed = [v[0] - 10 * h, v[1] - 10 * h], [0.0, 0.0]\n"
                         "        for k in (1, 0, 0, 1) if 'order' in exchanged else (1, 0, 1, 0):\n"
                         "            speed = v[1] - v[0] if k else v[0]\n"
                         "            add = max(0.0, pressed[k] - speed / (2.0 if k else 1.0)) - pressed[k]\n"
                         "            pressed[k] += add\n"
                         "            v = [v[0] - add, v[1] + add] if k else [v[0] + add, v[1]]\n"
                         "        z += h * v[0]\n"
                         "    return z\n"
                         "assert d['runs'] == 6 and sorted(by['height']['shares']) == ['order', 'solve', 'step'], d\n"
                         "assert abs(height({'order'}) + 5e-6) < 1e-18 and abs(height(())) < 1e-18\n"
                         "check('height', height, 5e-6)\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("explain sliding-cube-rotated --solver ncp-pgs --time 0.02 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, ADDS_UP "assert abs(by['along']['shares']['order']) < 1e-8, by\n"), "%s",
              ts_text_get(&result.out));
    outcome_free(&result);
}

// A rod lies across a cylinder at the height of both radii, whatever the step and however it is solved. Iterations that stop a millimetre
// short see it too high, so it sinks: that is all that differs. On closed forms a tolerance changes nothing.
Test(explain, a_loose_narrow_phase_lets_things_sink) {
    write_text("rod.xml", "<mujoco><option timestep='0.002' gravity='0 0 -10'/><worldbody>"
                          "<geom type='cylinder' size='0.2 0.5' euler='90 0 0'/><body pos='0 0 0.25'><freejoint/>"
                          "<geom type='capsule' size='0.05 0.3' euler='0 90 0' mass='1'/></body></worldbody></mujoco>");
    outcome result = run("explain rod.xml --time 0.1 --set narrow_tolerance=1e-3 --set baumgarte=0 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, ADDS_UP SHARES
                         "height = {frozenset(c['exchanged']): c['height'] for c in d['combinations']}\n"
                         "for s, z in height.items():\n"
                         "    assert abs(z) < 1e-10 if 'narrow phase' in s else -1e-3 < z < -1e-7, (s, z)\n"
                         "check('height', lambda s: height[s], 1e-6)\n"
                         "share = by['height']['shares']['narrow phase']\n"
                         "assert abs(share - by['height']['run']) < 0.01 * abs(share), by['height']\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("explain sliding-cube --time 0.02 --set narrow_tolerance=1e-2 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, ADDS_UP "for e in d['effects']: assert e['shares']['narrow phase'] == 0.0, e\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Two runs that both are not exact: the pyramid and a step, against a cone and a quarter of it. What they share takes no part.
Test(explain, of_two_runs_only_what_differs_is_asked) {
    outcome result = run("explain isotropy --solver lcp-pgs --against solver=ncp-pgs --against dt=0.00025 --against "
                         "baumgarte=0 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(
            &result.out,
            "import math\n"
            "by = {e['name']: e for e in d['effects']}\n"
            "for e in d['effects']:\n"
            "    assert abs(sum(e['shares'].values()) - (e['run'] - e['other'])) < 1e-9 * max(abs(e['run']), 1e-9), e\n"
            "assert d['against'] == ['solver=ncp-pgs', 'dt=0.00025', 'baumgarte=0'] and d['runs'] == 8, d\n"
            "c, s, w = math.cos(math.pi / 8), math.sin(math.pi / 8), 1 / (2 * 0.4 * 9.81)\n"
            "side, along = by['sideways']['shares'], by['along']['shares']\n"
            "assert sorted(side) == ['law', 'stabilisation', 'step'], side\n"
            "assert abs(side['law'] - w * s * c * (s - c)) < 1e-5 and abs(side['step']) < 1e-6, side\n"
            "assert abs(along['law'] - w * (c ** 3 + s ** 3 - 1)) < 1e-4, along\n"
            "assert abs(along['step'] + 0.5e-3 * 3 / 4) < 1e-5 and abs(along['stabilisation']) < 1e-9, along\n"
            "assert d['combinations'][-1]['solver'] == 'ncp-pgs', d['combinations'][-1]\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// One run against another and the other against the one: the same runs are made, and shares only change their sign.
Test(explain, either_of_two_runs_may_be_the_first) {
    outcome there = run("explain sliding-lift --solver ccp-pgs --against solver=ncp --time 0.1 --json");
    outcome back = run("explain sliding-lift --solver ncp --against solver=ccp-pgs --time 0.1 --json");
    cr_assert(there.code == 0 && back.code == 0, "%s%s", ts_text_get(&there.err), ts_text_get(&back.err));
    ts_text both = {0};
    ts_text_add(&both, "[%s,%s]", ts_text_get(&there.out), ts_text_get(&back.out));
    cr_expect(json_holds(&both,
                         "a, b = ({e['name']: e for e in x['effects']} for x in d)\n"
                         "up = 0.5 * 6 / 1.25\n"
                         "for name in ('highest climb', 'height', 'energy'):\n"
                         "    assert a[name]['run'] == b[name]['other'] and a[name]['other'] == b[name]['run'], name\n"
                         "    for k, v in a[name]['shares'].items():\n"
                         "        assert abs(v + b[name]['shares'][k]) < 1e-12, (name, k)\n"
                         "law = a['highest climb']['shares']['law']\n"
                         "assert abs(law - (up * 0.1 - 9.81 * 0.1 ** 2 / 2)) < 3e-3, law\n"
                         "solvers = [sorted(c['solver'] for c in x['combinations']) for x in d]\n"
                         "assert solvers[0] == solvers[1] == ['ccp-admm', 'ccp-pgs', 'ncp', 'ncp-pgs'], solvers\n"),
              "%s", ts_text_get(&both));
    ts_text_free(&both);
    outcome_free(&there);
    outcome_free(&back);
}

// A free fall of T is g T h / 2 too deep by steps that take the speed of their end, and exact by rk4 whatever the step: of steps h and h / 8 the
// integrator owes the mean, the step half of what they differ by.
Test(explain, an_integrator_owes_a_fall_its_error) {
    write_text("fall.xml",
               "<mujoco><option timestep='0.002' gravity='0 0 -10'/><worldbody><body pos='0 0 5'><freejoint/>"
               "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>");
    outcome result = run("explain fall.xml --time 0.2 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         ADDS_UP "deep = lambda h: -10 * 0.2 * h / 2\n"
                                 "share = by['height']['shares']\n"
                                 "assert abs(share['integrator'] - (deep(2e-3) + deep(2.5e-4)) / 2) < 1e-12, share\n"
                                 "assert abs(share['step'] - (deep(2e-3) - deep(2.5e-4)) / 2) < 1e-12, share\n"
                                 "assert all(share[k] == 0 for k in ('solve', 'stabilisation', 'manifold')), share\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A kilogram that cannot turn is pulled aside by gravity and held by friction of compliance R: v' = R (v + g h) / (R + 1), and the way is the sum.
Test(explain, compliance_lets_friction_creep) {
    write_text("held.xml",
               "<mujoco><option timestep='0.001' gravity='1 0 -10'/><worldbody><geom type='plane' size='1 1 1' "
               "friction='1'/><body pos='0 0 0.1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
               "<geom type='sphere' size='0.1' mass='1' friction='1'/></body></worldbody></mujoco>");
    outcome result =
        run("explain held.xml --solver ncp --time 0.02 --set compliance_tangent=0.5 --against compliance_tangent=0 "
            "--set tolerance=1e-12 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "share = {e['name']: e for e in d['effects']}['along']['shares']\n"
                         "h, R, v, x = 1e-3, 0.5, 0.0, 0.0\n"
                         "for step in range(20):\n"
                         "    v = R * (v + h) / (R + 1)\n"
                         "    x += h * v\n"
                         "x *= 10 / 101 ** 0.5\n"
                         "assert list(share) == ['softness'] and abs(share['softness'] - x) < 1e-6 * x, (share, x)\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A cube on one corner of its lower face, without friction: the corner, 2 a^2 from the centre, pushes with m g / (1 + m 2 a^2 / (2 m a^2 / 3)), so
// that the centre falls with 3 g / 4. On four it rests.
Test(explain, one_point_lets_a_cube_tip) {
    write_text("box.xml",
               "<mujoco><option timestep='0.001' gravity='0 0 -10'/><worldbody><geom type='plane' size='1 1 1' "
               "friction='0'/><body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1' "
               "friction='0'/></body></worldbody></mujoco>");
    outcome result = run("explain box.xml --time 0.001 --set manifold_points=1 --against manifold_points=8 --set "
                         "tolerance=1e-12 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out,
                   "share = {e['name']: e for e in d['effects']}['height']['shares']\n"
                   "assert list(share) == ['manifold'] and abs(share['manifold'] + 0.75 * 10 * 1e-6) < 1e-12, share\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A ball that overlaps the floor by d is given b d / h, and flies on with it.
Test(explain, a_push_out_throws) {
    write_text("sunk.xml",
               "<mujoco><option timestep='0.001' gravity='0 0 -10'/><worldbody><geom type='plane' size='1 1 1' "
               "friction='0'/><body pos='0 0 0.099'><freejoint/><geom type='sphere' size='0.1' mass='1' "
               "friction='0'/></body></worldbody></mujoco>");
    outcome result =
        run("explain sunk.xml --time 0.01 --set baumgarte=0.2 --set slop=0 --set push_out_speed=1000 --against "
            "baumgarte=0 --set tolerance=1e-12 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out,
                   "share = {e['name']: e for e in d['effects']}['highest climb']['shares']\n"
                   "h, v, z = 1e-3, 0.2, 0.0\n"
                   "for step in range(10): z, v = z + h * v, v - 10 * h\n"
                   "assert list(share) == ['stabilisation'] and abs(share['stabilisation'] - z) < 1e-9, (share, z)\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

#ifdef TS_HAVE_HDF5

// From the middle of a recorded slide at 22.5 degrees, for T = 50 ms: on four facets each axis is braked by mu g, so -mu g (cos - sin) aside and
// mu g (cos + sin - 1) along are the law's, over (T^2 + T h) / 2 of steps h, on the mean of h and an eighth of it; the rest is the step's.
Test(explain, a_moment_of_a_recording_is_explained) {
    outcome result = run("run isotropy --solver ncp --time 0.1 --out slide.h5");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    result = run("explain isotropy --solver lcp-pgs --from slide.h5@0.05 --time 0.05 --against solver=ncp --against "
                 "dt=0.000125 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "import math\n"
                         "by = {e['name']: e for e in d['effects']}\n"
                         "c, s, a, T, h = math.cos(math.pi / 8), math.sin(math.pi / 8), 0.4 * 9.81, 0.05, 1e-3\n"
                         "way = lambda steps: a * (T * T + T * steps) / 2\n"
                         "both, eighth = (way(h) + way(h / 8)) / 2, way(h) - way(h / 8)\n"
                         "side, along = by['sideways']['shares'], by['along']['shares']\n"
                         "assert abs(side['law'] + both * (c - s)) < 1e-9, (side, both * (c - s))\n"
                         "assert abs(side['step'] + eighth * (c - s) / 2) < 1e-9, side\n"
                         "assert abs(along['law'] + both * (c + s - 1)) < 1e-9, along\n"
                         "assert abs(along['step'] + eighth * (c + s + 1) / 2) < 1e-9, along\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
    expect_refusal("explain stack-10 --from slide.h5", 2, "slide.h5: the snapshot is of another model");
    expect_refusal("explain isotropy --from slide.h5@7", 2, "goes from t = 0 s");
    expect_refusal("explain isotropy --from nowhere.h5", 1, "nowhere.h5");
    result = run("forces isotropy --from slide.h5@0.05 --solvers ncp --json");
    cr_expect(json_holds(&result.out, "assert abs(d['time'] - 0.051) < 1e-9 and len(d['contacts']) == 4, d\n"), "%s",
              ts_text_get(&result.out));
    outcome_free(&result);
}

#endif

Test(explain, refuses_what_it_cannot_explain) {
    expect_refusal("explain isotropy --against gravity=0", 2, "--against gravity=0: what may differ is");
    expect_refusal("explain isotropy --against solver=bogus", 2, "no solver is called 'bogus'");
    expect_refusal("explain isotropy --against dt=x", 2, "not a number");
    expect_refusal("explain isotropy --against dt", 2, "KEY=VALUE");
    expect_refusal("explain isotropy --solver ncp --against solver=ncp", 2, "do not differ");
    expect_refusal("explain", 2, "needs SCENE");
    expect_refusal("explain no-such-scene", 2, "no-such-scene");
    expect_refusal("explain stack-10 --solver bogus", 2, "bogus");
    write_text("still.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>");
    expect_refusal("explain still.xml", 2, "nothing moves");
}
