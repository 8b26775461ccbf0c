// `touchstone solve` and `run --dump-problem` end to end: tables, JSON, answers that can be checked, exit codes, wrong
// use.
#include "tests/cli/cli_fixture.h"

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
        {"solve x --tol -1", 2, "out of range"},
        {"solve x --tol nan", 2, "takes a number"},
        {"solve x --time-limit 0", 2, "out of range"},
        {"solve x --time-limit soon", 2, "takes a number"},
        {"solve x --tool 1", 2, "did you mean --tol"},
        {"solve x --set solver.proximall=1", 2, "did you mean 'solver.proximal'"},
        {"solve x --set solver.omega=1", 2, "no chosen solver has a setting 'omega'"},
        {"solve x --set solver.tolerance=1", 2, "--tol"},
        {"solve x --set solver.stages=many", 2, "takes a number"},
        {"solve x --set gravity=0", 2, "no simulation"},
        {"solve x --impulses /nonexistent/a.json", 1, "/nonexistent/a.json"},
        {"solve x --impulses /tmp", 1, "directory"},
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
    cr_expect(has(&result.out, "--time-limit"));
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
    cr_expect(json_holds(
        &result.out,
        "assert [e['solver'] for e in d] == ['ncp', 'ncp-newton']\n"
        "for e in d:\n"
        "    assert list(e) == ['file', 'solver', 'status', 'stage', 'iterations', 'time_us', 'residual'], e\n"
        "    assert list(e['residual']) == ['natural', 'two_norm', 'own'], e\n"
        "    assert e['file'] == 'cube.hdf5' and e['status'] == 'converged' and e['time_us'] > 0\n"
        "    assert e['residual']['natural'] <= 1e-8 and isinstance(e['iterations'], int)\n"
        "    assert e['stage'] in (('sweeps', 'newton') if e['solver'] == 'ncp' else (None,)), e\n"));
    outcome_free(&result);
}

// The floor carries the cube: the normals of the answer, first in every triple, sum to its weight times the step;
// friction brakes along -y, the second tangent or the first, with mu times that.
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
                         "assert d[0]['residual'] == {'natural': None, 'two_norm': None, 'own': None}\n"
                         "assert d[0]['time_us'] is None and 'not an HDF5 file' in d[0]['reason'], d[0]\n"
                         "assert 'reason' not in d[2], d[2]\n"));
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

// The solver that could not do what its name says tells why, and that is nobody's business where it can.
Test(solve, what_kept_a_solver_from_it_is_told) {
    dump("run stack-10 --time 0.02 --solver ncp --dump-problem 10:stack.hdf5");
    outcome result = run("solve stack.hdf5 --solvers lcp-lemke,lcp-pgs --set solver.row_limit=20 "
                         "--set solver.iteration_limit=2");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.out, "too large to be pivoted"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("solve stack.hdf5 --solvers lcp-lemke,lcp-pgs --set solver.row_limit=20 "
                 "--set solver.iteration_limit=2 --json");
    cr_expect(json_holds(&result.out, "assert 'row_limit' in d[0]['reason'] and 'reason' not in d[1], d\n"));
    outcome_free(&result);
    result = run("solve stack.hdf5 --solvers lcp-lemke --json");
    cr_expect(json_holds(&result.out, "assert 'reason' not in d[0], d\n"));
    outcome_free(&result);
}

// Sweeps that are asked for more than rounding allows go on for days.
#define ENDLESS "--tol 1e-15 --set solver.iteration_limit=1000000000 --set solver.stall=0 "

Test(solve, a_time_limit_stops_a_solve_and_the_next_goes_on) {
    dump("run stack-10 --time 0.02 --solver ncp --dump-problem 10:stack.hdf5");
    outcome result =
        run("solve stack.hdf5 --solvers lcp-pgs,ncp-pgs " ENDLESS "--time-limit 0.3 --json --impulses answers.json");
    cr_expect_eq(result.code, 1);
    cr_expect(json_holds(&result.out, "assert len(d) == 2\n"
                                      "for e in d:\n"
                                      "    assert e['status'] == 'time_limit' and '0.3 s' in e['reason'], e\n"
                                      "    assert e['iterations'] is None and e['time_us'] is None, e\n"
                                      "    assert set(e['residual'].values()) == {None}, e\n"));
    outcome_free(&result);
    ts_text answers = read_text("answers.json");
    cr_expect(json_holds(&answers, "assert d == []\n"));
    ts_text_free(&answers);
    // One that is quick has all the time it needs, repeats included.
    result = run("solve stack.hdf5 --time-limit 60");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Ctrl-C in the middle of a solve: what was done is there, in every form it was asked for.
Test(solve, interrupted_in_a_solve_keeps_what_was_done) {
    dump("run stack-10 --time 0.02 --solver ncp --dump-problem 10:stack.hdf5");
    static const struct {
        int signal_number;
        int json;
    } cases[] = {{SIGINT, 0}, {SIGTERM, 1}};
    for (int i = 0; i < 2; ++i) {
        const char* const arguments[] = {"touchstone",
                                         "solve",
                                         "stack.hdf5",
                                         "stack.hdf5",
                                         "--solvers",
                                         "mujoco,ncp-pgs",
                                         "--tol",
                                         "1e-15",
                                         "--set",
                                         "solver.iteration_limit=1000000000",
                                         "--set",
                                         "solver.stall=0",
                                         "--impulses",
                                         "answers.json",
                                         cases[i].json ? "--json" : NULL,
                                         NULL};
        outcome result = interrupt(arguments, cases[i].signal_number);
        cr_expect_eq(result.code, 128 + cases[i].signal_number, "%d", result.code);
        cr_expect(has(&result.err, "stopped: 1 of 4 solves were done"), "%s", ts_text_get(&result.err));
        if (cases[i].json)
            cr_expect(json_holds(&result.out, "assert [e['solver'] for e in d] == ['mujoco'], d\n"));
        else
            cr_expect(has(&result.out, "mujoco") && !has(&result.out, "ncp-pgs"), "%s", ts_text_get(&result.out));
        outcome_free(&result);
        ts_text answers = read_text("answers.json");
        cr_expect(json_holds(&answers, "assert [e['solver'] for e in d] == ['mujoco'], d\n"));
        ts_text_free(&answers);
    }
}

// Answers never take the place of a problem, under whatever name it goes.
Test(solve, answers_do_not_replace_a_problem) {
    dump("run sliding-cube --time 0.02 --solver ncp --dump-problem 5:cube.hdf5");
    expect_refusal("solve cube.hdf5 --impulses cube.hdf5", 1, "one of the problems");
    expect_refusal("solve cube.hdf5 --impulses ./cube.hdf5", 1, "one of the problems");
    outcome result = run("solve cube.hdf5 >/dev/null");
    cr_expect_eq(result.code, 0);
    outcome_free(&result);
}

// Directories, pipes nobody writes to, and files cut short are told apart and never waited for.
Test(solve, what_is_no_problem_file_is_refused_by_name) {
    dump("run sliding-cube --time 0.02 --solver ncp --dump-problem 5:cube.hdf5");
    char command[256];
    snprintf(command, sizeof command, "cd %s && mkdir dir && mkfifo pipe && head -c 3000 cube.hdf5 > cut && : > empty",
             folder);
    cr_assert_eq(system(command), 0);
    outcome result = run("solve dir pipe cut empty cube.hdf5");
    cr_expect_eq(result.code, 1);
    static const char* const expected[] = {"dir: cannot read: Is a directory", "pipe: cannot read: this is no regular",
                                           "cut: an HDF5 file that cannot be opened", "empty: the file is empty",
                                           "4 of 5 solves"};
    for (int i = 0; i < 5; ++i) cr_expect(has(&result.err, expected[i]), "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "converged"));
    outcome_free(&result);
}

Test(solve, dumps_that_cannot_be_say_why) {
    outcome result = run("run double-pendulum --time 0.01 --dump-problem 3:a.hdf5");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "step 3 has no contacts"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
    cr_expect_eq(file_count(), 0);
}

// The optional data: every recorded file is solved by the default solver.
Test(solve, recorded_files_are_solved) {
    const char* data = getenv("TOUCHSTONE_DATA");
    if (!data || !data[0]) cr_skip("TOUCHSTONE_DATA is not set");
    outcome result = run("solve $TOUCHSTONE_DATA/contact_problems/*.hdf5 --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert len(d) >= 1\n"
                                      "for e in d: assert e['status'] == 'converged' and "
                                      "e['residual']['natural'] <= 1e-8, e\n"));
    outcome_free(&result);
}

#endif
