// `touchstone solve` and `run --dump-problem` end to end: tables, JSON, answers that can be checked, exit codes, wrong use.
#include "cli_fixture.h"

TestSuite(solve, .init = make_folder, .fini = remove_folder, .timeout = 240);

Test(solve, wrong_use_is_named) {
    static const struct {
        const char* arguments;
        int code;
        const char* piece;
    } bad[] = {
        {"solve", 2, "needs FILE"},
        {"solve x --solvers ncq", 2, "did you mean 'ncp'"},
        {"solve x --solvers ,", 2, "names no solver"},
        {"solve x --solvers ncp,ncp", 2, "twice"},
        {"solve x --tol 0", 2, "out of range"},
        {"solve x --tol small", 2, "takes a number"},
        {"solve x --tool 1", 2, "did you mean --tol"},
        {"solve x --set solver.restrats=1", 2, "did you mean 'solver.restarts'"},
        {"solve x --set solver.omega=1", 2, "no chosen solver has a setting 'omega'"},
        {"solve x --set solver.tolerance=1", 2, "--tol"},
        {"solve x --set solver.restarts=many", 2, "takes a number"},
        {"solve x --set gravity=0", 2, "no simulation"},
        {"solve x --impulses /nonexistent/a.json", 1, "/nonexistent/a.json"},
        {"run stack-10 --dump-problem 10", 2, "STEP:FILE"},
        {"run stack-10 --dump-problem 0:a.hdf5", 2, "STEP:FILE"},
        {"run stack-10 --dump-problem 1.5:a.hdf5", 2, "STEP:FILE"},
        {"run stack-10 --dump-problem 1:", 2, "STEP:FILE"},
        {"run stack-10 --dump-problem 1:/nonexistent/a.hdf5", 1, "/nonexistent/a.hdf5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) expect_refusal(bad[i].arguments, bad[i].code, bad[i].piece);
}

Test(solve, help_and_commands_know_it) {
    outcome result = run("solve --help");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "--impulses"));
    cr_expect(has(&result.out, "FILE..."));
    outcome_free(&result);
    result = run("--help");
    cr_expect(has(&result.out, "solve"));
    outcome_free(&result);
}

#ifndef TS_HAVE_HDF5

Test(solve, without_hdf5_says_which_option_is_off) {
    write_text("a.hdf5", "x");
    outcome result = run("solve a.hdf5");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "TS_HDF5"));
    outcome_free(&result);
}

#else

static void dump(const char* arguments) {
    outcome result = run(arguments);
    cr_assert_eq(result.code, 0, "%s: %s", arguments, ts_text_get(&result.err));
    cr_expect(has(&result.out, "problem "));
    outcome_free(&result);
}

Test(solve, a_step_is_dumped_and_solved) {
    dump("run sliding-cube --time 0.02 --solver ncp --dump-problem 5:cube.hdf5");
    cr_assert(exists("cube.hdf5"));
    outcome result = run("solve cube.hdf5");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "converged"));
    cr_expect(has(&result.out, "ncp"));
    cr_expect_eq(result.err.length, 0u);
    outcome_free(&result);
    cr_expect_eq(file_count(), 1);
}

Test(solve, json_has_the_keys_and_no_others) {
    dump("run sliding-cube --time 0.02 --solver ncp --dump-problem 5:cube.hdf5");
    outcome result = run("solve cube.hdf5 --solvers ncp,ncp-newton --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out,
                         "assert [e['solver'] for e in d] == ['ncp', 'ncp-newton']\n"
                         "for e in d:\n"
                         "    assert list(e) == ['file', 'solver', 'status', 'iterations', 'time_us', 'residual'], e\n"
                         "    assert list(e['residual']) == ['ncp', 'natural', 'own'], e\n"
                         "    assert e['file'] == 'cube.hdf5' and e['status'] == 'converged' and e['time_us'] > 0\n"
                         "    assert e['residual']['natural'] <= 1e-8 and isinstance(e['iterations'], int)\n"));
    outcome_free(&result);
}

// The floor carries the cube: the normals of the answer, first in every triple, sum to its weight times the step; friction
// brakes along -y, the second tangent or the first, with mu times that.
Test(solve, answers_are_in_the_order_of_the_file) {
    dump("run sliding-cube --time 0.02 --dt 0.001 --solver ncp --dump-problem 5:cube.hdf5");
    outcome result = run("solve cube.hdf5 --impulses answer.json --tol 1e-10");
    cr_expect_eq(result.code, 0);
    ts_text answer = read_text("answer.json");
    cr_expect(json_holds(
        &answer, "import math\n"
                 "assert len(d) == 1 and list(d[0]) == ['file', 'solver', 'status', 'impulses', 'certificate'], d\n"
                 "r = d[0]['impulses']\n"
                 "assert len(r) == 4 and all(len(c) == 3 for c in r)\n"
                 "n = sum(c[0] for c in r)\n"
                 "assert abs(n - 9.81e-3) < 1e-9, n\n"
                 "t = math.hypot(sum(c[1] for c in r), sum(c[2] for c in r))\n"
                 "mu = t / n\n"
                 "assert abs(mu - 0.4) < 1e-6, mu\n"
                 "c = d[0]['certificate']\n"
                 "assert c['ncp']['holds'] and not c['ccp']['holds'], c\n"
                 "assert c['modes']['slide'] == 4 and len(c['blocks']) == 4, c\n"));
    ts_text_free(&answer);
    outcome_free(&result);
}

// One bad file among good ones is reported like any other result.
Test(solve, bad_files_do_not_stop_the_others) {
    dump("run sliding-cube --time 0.02 --solver ncp --dump-problem 5:b.hdf5");
    write_text("a.hdf5", "this is no HDF5 file");
    outcome result = run("solve *.hdf5 nowhere.hdf5");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.out, "unreadable"));
    cr_expect(has(&result.out, "converged"));
    cr_expect(has(&result.err, "a.hdf5: not an HDF5 file"), "%s", ts_text_get(&result.err));
    cr_expect(has(&result.err, "nowhere.hdf5: cannot read"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
    result = run("solve *.hdf5 --json --solvers ncp,ncp-nsgs");
    cr_expect_eq(result.code, 1);
    cr_expect(json_holds(&result.out,
                         "assert [(e['file'], e['status']) for e in d] == [('a.hdf5', 'unreadable')] * 2 + "
                         "[('b.hdf5', 'converged')] * 2, d\n"
                         "assert d[0]['residual'] == {'ncp': None, 'natural': None, 'own': None}\n"));
    outcome_free(&result);
}

// A solve that does not get there is one line more and exit code 1.
Test(solve, not_reached_is_exit_code_1) {
    dump("run stack-10 --time 0.02 --solver ncp --dump-problem 10:stack.hdf5");
    outcome result =
        run("solve stack.hdf5 --solvers ncp,ncp-pgs --set solver.iteration_limit=3 --set solver.omega=1.1");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.out, "iteration limit"), "%s", ts_text_get(&result.out));
    cr_expect(has(&result.err, "did not reach 1e-08"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
    result = run("solve stack.hdf5 --threads 2");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

Test(solve, dumps_that_cannot_be_say_why) {
    outcome result = run("run double-pendulum --time 0.01 --dump-problem 3:a.hdf5");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "step 3 has no contacts"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
    result = run("run sliding-cube --time 0.01 --dump-problem 30000:a.hdf5");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "the run had only"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect_eq(file_count(), 0);
}

// The optional data: every recorded file is solved by the default solver.
Test(solve, recorded_files_are_solved) {
    const char* data = getenv("TOUCHSTONE_DATA");
    if (!data) cr_skip("TOUCHSTONE_DATA is not set");
    outcome result = run("solve $TOUCHSTONE_DATA/contact_problems/*.hdf5 --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert len(d) >= 1\n"
                                      "for e in d: assert e['status'] == 'converged' and "
                                      "e['residual']['natural'] <= 1e-8, e\n"));
    outcome_free(&result);
}

#endif
