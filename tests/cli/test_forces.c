// `touchstone forces`: admissible intervals against statics.
#include "tests/cli/cli_fixture.h"

TestSuite(forces, .init = make_folder, .fini = remove_folder, .timeout = 240);

// A cube on four corners, pulled by F at the height of its centre, 0.1 m above the contacts' plane less their radius: the two in front carry
// W/2 + F a / b together, those behind W/2 - F a / b, a the height and b the distance of the pairs; one pattern of internal normal forces
// (+ - on one side, - + on the other) is free until somebody carries nothing. Tangential forces in the plane move no normal.
Test(forces, a_dragged_cube_has_its_intervals) {
    outcome result = run("forces dragged-cube --time 0.15 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "assert d['unknowns'] == 12 and d['internal_dimensions'] == 6\n"
                         "W, F, a, b = 9.81, 4 * 9.81 * 0.149, 0.104, 0.2\n"
                         "front, back = W / 2 + F * a / b, W / 2 - F * a / b\n"
                         "low = sorted(c['least'] for c in d['contacts'])\n"
                         "high = sorted(c['most'] for c in d['contacts'])\n"
                         "for is_, want in zip(low, [0, 0, front / 2 - back / 2] + [front / 2 - back / 2]): assert "
                         "abs(is_ - want) < 1e-5, (low, want)\n"
                         "for is_, want in zip(high, [back, back, front / 2 + back / 2] + [front / 2 + back / 2]): "
                         "assert abs(is_ - want) < 1e-5, (high, want)\n"
                         "for c in d['contacts']:\n"
                         "    assert c['mode'] == 'stick' and c['rest'] < 1e-6 and not c['endless'], c\n"
                         "    for solver, force in c['picked'].items():\n"
                         "        if solver in ('mujoco', 'sap', 'comfree', 'anchor'): continue  # soft ones carry "
                         "another load at first\n"
                         "        assert c['least'] - 1e-4 <= force <= c['most'] + 1e-4, (solver, c)\n"
                         "at_end = sum(min(c['picked']['lcp-lemke'] - c['least'], c['most'] - "
                         "c['picked']['lcp-lemke']) < 1e-5 for c in d['contacts'])\n"
                         "assert at_end == 4, 'pivoting ends at a vertex'\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// What pushes contacts against each other: as many patterns as it says, square to each other, each without a force and without a torque on the cube.
Test(forces, the_null_space_moves_nothing) {
    outcome result = run("forces dragged-cube --time 0.15 --solvers ncp --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(
            &result.out,
            "space = d['null_space']\n"
            "assert len(space) == 6 and all(len(v) == 12 for v in space), space\n"
            "dot = lambda a, b: sum(x * y for x, y in zip(a, b))\n"
            "cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]\n"
            "for i, v in enumerate(space):\n"
            "    for k, w in enumerate(space): assert abs(dot(v, w) - (i == k)) < 1e-12, (i, k)\n"
            "    force, torque = [0.0] * 3, [0.0] * 3\n"
            "    for c in d['contacts']:\n"
            "        f = [sum(v[c['first'] + a] * c['axes'][a][x] for a in range(3)) for x in range(3)]\n"
            "        force = [p + q for p, q in zip(force, f)]\n"
            "        torque = [p + q for p, q in zip(torque, cross(c['position'], f))]\n"
            "    assert max(map(abs, force + torque)) < 1e-9, (force, torque)\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Sliding, friction has no freedom left, and normals have that of four feet.
Test(forces, a_sliding_cube_keeps_only_its_normals) {
    outcome result = run("forces sliding-cube --time 0.1 --solvers ncp --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "low, high = [c['least'] for c in d['contacts']], [c['most'] for c in d['contacts']]\n"
                         "F, a, b, W = 0.4 * 9.81, 0.104, 0.2, 9.81\n"
                         "front, back = W / 2 + F * a / b, W / 2 - F * a / b\n"
                         "assert abs(min(low)) < 1e-5 and abs(max(high) - front / 2 - back / 2) < 1e-4, (low, high)\n"
                         "assert abs(sorted(high)[0] - back) < 1e-4, high\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A ball on the floor between two walls that it touches and that cannot move: they may press on it as hard as they like, and by their friction
// lift it off the floor, or press it there.
Test(forces, a_ball_between_walls_has_no_upper_end) {
    write_text("jam.xml",
               "<mujoco><option timestep='0.001'/><default><geom friction='1'/></default><worldbody>"
               "<geom type='plane' size='1 1 1' pos='0 0 -0.1'/><geom type='box' size='0.1 1 1' pos='-0.2 0 0'/>"
               "<geom type='box' size='0.1 1 1' pos='0.2 0 0'/><body><freejoint/><geom type='sphere' size='0.1' "
               "mass='1'/></body>"
               "</worldbody></mujoco>");
    outcome result = run("forces jam.xml --time 0.01 --solvers ncp --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out,
                   "assert len(d['contacts']) == 3\n"
                   "for c in d['contacts']: assert c['endless'] and c['most'] is None and abs(c['least']) < 1e-5, c\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A cube of 1 kg on its four corners. Without friction one pattern of normals is free, and the normal is all there is of a contact; in two parts of a step, of
// which a pile makes nothing but pairs, forces are those of the last part: either way W together, each from nothing to W/2.
Test(forces, four_corners_carry_the_weight) {
    static const char model[] =
        "<mujoco><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='5 5 .1' condim='%d'/>"
        "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' condim='%d'/></body>"
        "</worldbody></mujoco>";
    static const struct {
        int condim, unknowns, internal;
        const char* how;
    } cases[] = {{1, 4, 1, "ncp"},
                 {3, 12, 6, "ncp"},
                 {3, 12, 6, "ncp --set substeps=2"},
                 {3, 12, 6, "ncp-pgs --set substeps=2 --set iterations=1000"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512], arguments[256], check[512];
        snprintf(text, sizeof text, model, cases[i].condim, cases[i].condim);
        write_text("cube.xml", text);
        snprintf(arguments, sizeof arguments, "forces cube.xml --time 0.3 --solvers ncp,ncp-pgs --json --solver %s",
                 cases[i].how);
        snprintf(check, sizeof check,
                 "W = 9.81\n"
                 "assert d['unknowns'] == %d and d['internal_dimensions'] == %d and len(d['contacts']) == 4, d\n"
                 "for c in d['contacts']:\n"
                 "    assert abs(c['least']) < 1e-5 and abs(c['most'] - W / 2) < 1e-5, c\n"
                 "    assert all(-1e-4 < f < W / 2 + 1e-4 for f in c['picked'].values()), c\n"
                 "for k in ('ncp', 'ncp-pgs'): assert abs(sum(c['picked'][k] for c in d['contacts']) - W) < 1e-4, k\n",
                 cases[i].unknowns, cases[i].internal);
        outcome result = run(arguments);
        cr_assert_eq(result.code, 0, "%s: %s", cases[i].how, ts_text_get(&result.err));
        cr_expect(json_holds(&result.out, check), "%d, %s: %s", cases[i].condim, cases[i].how,
                  ts_text_get(&result.out));
        outcome_free(&result);
    }
}

// Ten boxes of 100 kg whose own sweeps end long before they are an answer: looked at as ncp solves the step, each corner at the floor carries from
// nothing to half of all.
Test(forces, an_unsolved_step_is_solved_first) {
    outcome result = run("forces columns:1 --time 1/60 --solvers ncp,ncp-pgs --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "assert d['own_unmet'] > 1e-5 and d['solved_anew'] and len(d['contacts']) == 40, d\n"
                         "floor = [c for c in d['contacts'] if 'floor' in c['name']]\n"
                         "assert len(floor) == 4 and abs(sum(c['picked']['ncp'] for c in floor) - 9810) < 1e-2, floor\n"
                         "for c in d['contacts']: assert c['rest'] < 1e-3 and abs(c['least']) < 1e-3, c\n"
                         "for c in floor: assert abs(c['most'] - 4905) < 1e-2, c\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("forces columns:1 --time 1/60 --solvers ncp");
    cr_expect(has(&result.out, "as ncp solves it"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// What may take minutes hears Ctrl-C.
Test(forces, can_be_stopped) {
    static const char* const arguments[] = {TS_TEST_CLI, "forces", "pile-boxes:20", "--set", "accuracy=exact",
                                            "--time",    "0.5",    "--solvers",     "ncp",   NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "%d: %s", result.code, ts_text_get(&result.out));
    outcome_free(&result);
}

Test(forces, refuses_what_has_no_contacts) {
    write_text("asleep.xml", "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>"
                             "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
    expect_refusal("forces asleep.xml --set sleep=0.2 --time 1", 1, "all that touches sleeps");
    expect_refusal("forces double-pendulum --time 0.01", 1, "nothing touches");
    expect_refusal("forces no-such-scene", 2, "no-such-scene");
    expect_refusal("forces stack-10 --solvers bogus", 2, "bogus");
}
