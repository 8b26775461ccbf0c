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

Test(explain, refuses_what_it_cannot_explain) {
    expect_refusal("explain", 2, "needs SCENE");
    expect_refusal("explain no-such-scene", 2, "no-such-scene");
    expect_refusal("explain stack-10 --solver bogus", 2, "bogus");
    write_text("still.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>");
    expect_refusal("explain still.xml", 2, "nothing moves");
}
