// `touchstone bench`: names, refusals, and that what it writes can be read.
#include "tests/cli/cli_fixture.h"

TestSuite(bench, .init = make_folder, .fini = remove_folder, .timeout = 240);

Test(bench, lists_benchmarks_without_a_name) {
    outcome result = run("bench");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "gjk-ellipsoids"));
    cr_expect(has(&result.out, "step"));
    cr_expect(has(&result.out, "Compared with:"));
    cr_expect_eq(result.err.length, 0u);
    outcome_free(&result);
    result = run("bench --json -");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out, "assert len(d['benchmarks']) > 1\n"
                                      "assert all(b['name'] and b['summary'] for b in d['benchmarks'])\n"));
    outcome_free(&result);
}

Test(bench, refuses_what_it_does_not_know) {
    expect_refusal("bench gjk-elipsoids", 2, "did you mean 'gjk-ellipsoids'?");
    expect_refusal("bench qqqqqqqqqq", 2, "there is no benchmark");
    expect_refusal("bench step --quik", 2, "did you mean --quick?");
    expect_refusal("bench step --seed -1", 2, "--seed");
    expect_refusal("bench step --seed x", 2, "--seed");
    expect_refusal("bench step --json", 2, "needs a value");
    expect_refusal("bench step more", 2, "takes one");
}

// A typing mistake must not look like a measurement: what chooses nothing is refused, with the names there are.
Test(bench, only_chooses_parts_or_says_which_there_are) {
    expect_refusal("bench planar --only zzz --quick", 2, "there are: planar-4, planar-8,");
    expect_refusal("bench support --only zzz --quick", 2, "there are: hull-12, hull-32,");
    expect_refusal("bench manifold --only zzz --quick", 2, "there are: box on box,");
    expect_refusal("bench qp --only zzz --quick", 2, "there are: hull-8,");
    unsetenv("TOUCHSTONE_DATA");  // problems of a folder come first, and there are many
    expect_refusal("bench solvers --only zzz --quick", 2, "there are: sliding-cube,");
    outcome result = run("bench planar --only planar-12 --quick");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "Polygons of 12 vertices"));
    cr_expect(!has(&result.out, "Polygons of 8 vertices"));
    outcome_free(&result);
}

Test(bench, a_folder_that_cannot_be_made_is_found_before_measuring) {
    write_text("in-the-way", "a file\n");
    expect_refusal("bench gjk-primitives --quick --svg in-the-way", 1, "in-the-way");
    expect_refusal("bench gjk-primitives --quick --svg in-the-way/place", 1, "in-the-way: cannot make");
}

// Numbers, names and figures all arrive; rows are as long as the head; peers and machine are named.
static const char* const whole = "assert d['benchmark'] == 'gjk-ellipsoids' and d['seed'] == 7 and d['quick'] is True\n"
                                 "assert d['finished'] is True and d['compiler'] and d['machine']['cores'] >= 1\n"
                                 "assert {p['name'] for p in d['peers']} >= {'coal', 'fcl', 'libccd', 'bullet'}\n"
                                 "assert len(d['tables']) >= 2 and len(d['figures']) >= 2\n"
                                 "for t in d['tables']:\n"
                                 "    assert t['rows'] and all(len(r) == len(t['columns']) for r in t['rows'])\n"
                                 "for f in d['figures']:\n"
                                 "    assert f['curves'] and all(len(c['x']) == len(c['y']) for c in f['curves'])\n"
                                 "head = [c['name'] for c in d['tables'][0]['columns']]\n"
                                 "rows = [dict(zip(head, r)) for r in d['tables'][0]['rows']]\n"
                                 "ours = [r for r in rows if r['solver'] == 'touchstone']\n"
                                 "assert ours and all(r['wrong'] == 0 for r in ours)\n"
                                 "assert all(r['10 %'] <= r['median'] <= r['90 %'] for r in ours)\n"
                                 "assert all(r['query p50'] <= r['query p99'] <= r['query max'] for r in ours)\n";

// Hours of measuring are not to end in a path that cannot be written.
Test(bench, looks_where_it_writes_before_it_measures) {
    expect_refusal("bench gjk-ellipsoids --quick --json nowhere/out.json", 1, "cannot write");
}

Test(bench, writes_json_and_figures_that_can_be_read) {
    outcome result = run("bench gjk-ellipsoids --quick --seed 7 --json out.json --svg pictures");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "seed 7"));
    cr_expect(has(&result.out, "touchstone"));
    cr_expect_eq(result.err.length, 0u, "quiet in a pipe: %s", ts_text_get(&result.err));
    outcome_free(&result);
    ts_text json = read_text("out.json");
    cr_expect(json_holds(&json, whole));
    ts_text_free(&json);
    ts_text svg = read_text("pictures/ellipsoids-distance-iterations.svg");
    cr_expect_eq(strncmp(ts_text_get(&svg), "<svg xmlns=", 11), 0);
    cr_expect(has(&svg, "prefers-color-scheme:dark"));
    cr_expect(has(&svg, "vanilla"));
    ts_text_free(&svg);
    char command[256];
    snprintf(command, sizeof command,
             "python3 -c \"import glob, xml.dom.minidom as m; [m.parse(f) for f in glob.glob('%s/pictures/*.svg')]\"",
             folder);
    if (system("python3 -c pass >/dev/null 2>&1") == 0) cr_expect_eq(system(command), 0, "a figure is not XML");
}

// A box that is thrown: gradients and differences find the answer from every start, in far fewer iterations than 50.
Test(bench, gradients_find_a_throw) {
    outcome result = run("bench gradients --quick --only throw --json -");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "rows = d['tables'][0]['rows']\n"
                         "assert [r[1] for r in rows] == ['first order', 'differences', '0th order'], rows\n"
                         "assert all(r[2] == '3 of 3' for r in rows[:2]) and all(r[4] < 10 for r in rows[:2]), rows\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

Test(bench, json_on_standard_output_comes_alone) {
    outcome result = run("bench gjk-ellipsoids --quick --seed 7 --json -");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out, whole));
    outcome_free(&result);
}

Test(bench, the_same_seed_asks_the_same_questions) {
    outcome a = run("bench gjk-ellipsoids --quick --seed 3 --only ellipsoids-distance --json -");
    outcome b = run("bench gjk-ellipsoids --quick --seed 3 --only ellipsoids-distance --json a.json");
    outcome c = run("bench gjk-ellipsoids --quick --seed 4 --only ellipsoids-distance --json b.json");
    cr_expect(a.code == 0 && b.code == 0 && c.code == 0);
    ts_text both = {0};
    ts_text fb = read_text("a.json");
    ts_text fc = read_text("b.json");
    ts_text_add(&both, "[%s, %s, %s]", ts_text_get(&a.out), ts_text_get(&fb), ts_text_get(&fc));
    cr_expect(json_holds(&both, "counts = [[r[:6] for r in run['tables'][0]['rows']] for run in d]\n"
                                "assert counts[0] == counts[1] and counts[0] != counts[2]\n"));
    ts_text_free(&both);
    ts_text_free(&fb);
    ts_text_free(&fc);
    outcome_free(&a);
    outcome_free(&b);
    outcome_free(&c);
}

Test(bench, ctrl_c_leaves_nothing_behind) {
    const char* const arguments[] = {TS_TEST_CLI, "bench", "gjk-meshes", "--json", "out.json", NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "exit code %d", result.code);
    cr_expect_not(exists("out.json"));
    cr_expect(has(&result.err, "stopped"));
    outcome_free(&result);
}

// Where there is no folder of robots ours stand in; every solver is asked the same, and the recommended one answers all of it.
Test(bench, robots_contact_problems_cold_and_warm) {
    unsetenv("TOUCHSTONE_DATA");
    outcome result = run("bench robot-contacts --quick --only quadruped --json -");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out,
                   "t = d['tables'][0]\n"
                   "heads = [c['name'] for c in t['columns']]\n"
                   "ncp = [r for r in t['rows'] if r[heads.index('solver')] == 'ncp']\n"
                   "assert [r[0] for r in ncp] == ['quadruped', 'quadruped, locked'], ncp\n"
                   "assert all(r[heads.index('solved')] == 1 and r[heads.index('cold')] > 0 for r in ncp), ncp\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Both solvers meet the closed form, or the exit code says so; in it feet carry m g / (1 + epsilon m / 4), and R makes the forces unique.
Test(bench, a_robot_on_soft_contacts) {
    unsetenv("TOUCHSTONE_DATA");
    outcome result = run("bench robot-compliance --json -");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "for r in d['tables'][0]['rows']:\n"
                                      "    epsilon, load, admm, pgs = r[0], r[1], r[7], r[8]\n"
                                      "    assert abs(load - 24.525 / (1 + epsilon * 2.5 / 4)) < 1e-3, r\n"
                                      "    assert admm < 1e-9 and (pgs < 1e-4) == (epsilon > 0), r\n"
                                      "assert len(d['tables'][0]['rows']) == 5\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}
