// `touchstone study` and `touchstone scorecard` end to end: errors and orders against closed forms, going on after an interruption, wrong use.
#include "tests/cli/cli_fixture.h"

TestSuite(study, .init = make_folder, .fini = remove_folder, .timeout = 240);

// mu 0.4, 1 m/s: positions are mu g h t / 2 short until it stops at t* = 0.2548 s, then v h / 2: sampled every 10 ms over 0.5 s, against the
// same with an eighth of the least step.
Test(study, a_sliding_cube_is_of_first_order_with_a_known_error) {
    outcome result = run("study sliding-cube --time 0.5 --vary dt=1e-2,5e-3,1e-3 --vary solver=ncp,ncp-newton --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "assert len(d['runs']) == 8 and sum(r['reference'] for r in d['runs']) == 2\n"
                         "fine = 1e-3 / 8\n"
                         "for r in d['runs']:\n"
                         "    assert r['done'] and not r['failed'] and r['unsolved'] == 0, r\n"
                         "    if r['reference']: continue\n"
                         "    h, stop, mu, g = float(r['dt']), 1 / (0.4 * 9.81), 0.4, 9.81\n"
                         "    want = sum(0.01 * (h - fine) * min(mu * g * 0.01 * k, 1.0) / 2 for k in range(1, 51))\n"
                         "    assert abs(r['error'] - want) < 0.01 * want + h * h, (r, want)\n"
                         "    if r['order'] is not None: assert abs(r['order'] - 1) < 0.15, r\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// At rest v h / 2 are left, at the last instant, too, though a hundred thousand steps do not sum up to it in doubles.
Test(study, last_instants_are_reached) {
    outcome result = run("study sliding-cube --time 15 --vary dt=1e-3,2e-3 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "for r in d['runs']:\n"
                                      "    if r['reference']: continue\n"
                                      "    want = (float(r['dt']) - 1.25e-4) / 2\n"
                                      "    assert abs(r['last_error'] - want) <= 0.01 * want, r\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

Test(study, integrators_show_their_order) {
    outcome result =
        run("study double-pendulum --time 0.5 --vary integrator=rk4,euler --vary dt=8e-3,4e-3,2e-3 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "seen = 0\n"
                                      "for r in d['runs']:\n"
                                      "    if r['reference'] or r['order'] is None: continue\n"
                                      "    seen += 1\n"
                                      "    assert abs(r['order'] - (4 if r['integrator'] == 'rk4' else 1)) < 0.35, r\n"
                                      "assert seen == 4\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Kept runs are not made again: their times, which no two runs share, stay. A line that was cut off is.
Test(study, goes_on_where_it_was) {
    const char* command =
        "study sliding-cube --time 0.1 --vary dt=1e-3,2e-3 --vary solver=ncp,sap --threads 1 --out s --json";
    outcome first = run(command);
    cr_assert_eq(first.code, 0, "%s", ts_text_get(&first.err));
    cr_expect(exists("s/study.html") && exists("s/study.csv") && exists("s/study.json"));
    ts_text part = read_text("s/part-0");
    int lines = 0;
    for (size_t i = 0; i < part.length; ++i) lines += part.data[i] == '\n';
    cr_assert_eq(lines, 6);
    part.data[part.length - 20] = '\0';
    write_text("s/part-0", part.data);
    write_text("first.json", ts_text_get(&first.out));
    outcome second = run(command);
    cr_assert_eq(second.code, 0, "%s", ts_text_get(&second.err));
    ts_text script = {0};
    ts_text_add(&script,
                "e = json.load(open('%s/first.json'))\n"
                "assert [r['error'] for r in d['runs']] == [r['error'] for r in e['runs']]\n"
                "same = sum(a['seconds'] == b['seconds'] for a, b in zip(d['runs'], e['runs']))\n"
                "assert same == 5, same\n",
                folder);
    cr_expect(json_holds(&second.out, ts_text_get(&script)), "%s", ts_text_get(&second.out));
    ts_text_free(&script);
    ts_text_free(&part);
    outcome_free(&first);
    outcome_free(&second);
}

Test(study, an_interrupted_one_keeps_what_it_has) {
    const char* const arguments[] = {TS_TEST_CLI, "study", "sliding-cube", "--time", "1800", "--vary", "dt=1e-3,2e-3",
                                     "--out",     "s",     "--json",       NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "%d", result.code);
    cr_expect(json_holds(&result.out, "assert d['interrupted'] is True\n"));
    cr_expect(has(&result.err, "goes on"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
}

// A profile counts what was run: nothing was, of this one.
Test(study, what_was_not_run_is_no_part_of_a_profile) {
    const char* const arguments[] = {TS_TEST_CLI, "study",          "sliding-cube", "--time",       "1800",
                                     "--vary",    "solver=ncp,sap", "--vary",       "dt=1e-3,2e-3", NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "%d", result.code);
    cr_expect(has(&result.out, "not run") && !has(&result.out, "%"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

#ifndef TS_HAVE_MPI

// Processes that know nothing of each other would all do everything. One of one is fine, and so are commands that know nothing of ranks.
Test(study, refuses_to_be_one_of_several_without_mpi) {
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    expect_refusal("study sliding-cube --vary dt=1e-3,2e-3", 1, "without MPI (TS_MPI=ON), each of 2 processes");
    expect_refusal("compare sliding-cube", 1, "without MPI");
    outcome result = run("run sliding-cube --time 0.01");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    result = run("compare sliding-cube");
    cr_expect(result.code == 1 && result.err.length == 0 && result.out.length == 0, "one speaks for both");
    outcome_free(&result);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    result = run("study sliding-cube --time 0.01 --vary dt=1e-3,2e-3");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
}

#endif

Test(study, refuses_what_cannot_vary) {
    expect_refusal("study sliding-cube", 2, "nothing varies");
    expect_refusal("study sliding-cube --vary dt", 2, "--vary takes KEY=A,B,...");
    expect_refusal("study sliding-cube --vary dt=1e-3,,2e-3", 2, "is no value");
    expect_refusal("study sliding-cube --vary dt=", 2, "is no value");
    expect_refusal("study sliding-cube --vary dt=1e-3,1e-3", 2, "twice");
    expect_refusal("study sliding-cube --vary dt=1e-3 --vary time_step=2e-3", 2, "twice");
    expect_refusal("study sliding-cube --vary dt=fast", 2, "not 'fast'");
    expect_refusal("study sliding-cube --vary dt=-1", 2, "time_step");
    expect_refusal("study sliding-cube --vary solver=ncp,bogus", 2, "bogus");
    expect_refusal("study sliding-cube --vary color=red", 2, "color");
    expect_refusal("study sliding-cube --vary dt=1 --time 0.5", 2, "longest steps");
    expect_refusal("study no-such-scene --vary dt=1e-3", 2, "no-such-scene");
}

Test(study, a_scorecard_has_its_table_and_page) {
    outcome result = run("scorecard --only isotropy --solvers ncp,lcp-pgs --out card");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "| isotropy | 22/22 |"), "%s", ts_text_get(&result.out));
    cr_expect(exists("card/scorecard.html") && exists("card/scorecard.md"));
    ts_text json = read_text("card/scorecard.json");
    cr_expect(json_holds(
        &json, "runs = d['experiments'][0]['runs']\n"
               "assert len(runs) == 22\n"
               "for r in runs:\n"
               "    if r['engine'] == 'ncp': assert all(m['verdict'] == 'pass' for m in r['measured']), r\n"));
    ts_text_free(&json);
    ts_text page = read_text("card/scorecard.html");
    cr_expect(has(&page, "</html>") && has(&page, "id=\"isotropy\"") && page.length < 4u << 20);
    cr_expect_not(has(&page, "http://") || has(&page, "https://"), "nothing from the network");
    ts_text_free(&page);
    outcome_free(&result);
    expect_refusal("scorecard --only isotropy --time-limit 0", 2, "--time-limit");
    expect_refusal("scorecard --solvers bogus", 2, "bogus");
    expect_refusal("scorecard --only no-such-thing", 2, "no experiment");
    expect_refusal("scorecard isotropy", 2, "takes no 'isotropy'");
}

// A run that asks for more of the processor than it may have is broken off, and named in all that is written, with where its time went.
// A box on four feet: one island of four blocks. All steps but the last together were within the limit.
Test(study, a_scorecard_breaks_off_what_takes_too_long) {
    outcome result = run("scorecard --only creep --solvers ncp,lcp-pgs --time-limit 0.001 --out card");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    static const char words[] = "Broken off after 0.001 s of processor time a run (--time-limit): creep: ncp (reached ";
    cr_expect(has(&result.out, words) && has(&result.out, "| creep | 0/1 1b | 0/1 1b |"), "%s",
              ts_text_get(&result.out));
    write_text("out.md", ts_text_get(&result.out));
    ts_text json = read_text("card/scorecard.json"), page = read_text("card/scorecard.html"), script = {0};
    cr_expect(has(&page, words));
    ts_text_add(
        &script,
        "import re\n"
        "assert d['time_limit'] == 0.001 and not d['interrupted'], d\n"
        "texts = [open('%s/' + f).read() for f in ('out.md', 'card/scorecard.md', 'card/scorecard.html')]\n"
        "for r in d['experiments'][0]['runs']:\n"
        "    assert r['error'].startswith('broken off after 0.001 s'), r\n"
        "    assert 0 < r['steps'] < 60000 and r['measured'][0]['verdict'] == 'broken off', r\n"
        "    assert all(r['engine'] + ' (' + r['why'] + ')' in t for t in texts), r\n"
        "    m = re.fullmatch('reached (.*) of 60 s, (.*) ms a step(, [0-9]+ of [0-9]+ steps unsolved)?; the '\n"
        "        'dearest took (.*) s at (.*) s: [0-9]+ (.*), 4 blocks in the largest island, [a-z ]+', r['why'])\n"
        "    reached, mean, most, at = (float(m[i]) for i in (1, 2, 4, 5))\n"
        "    assert abs(reached - 1e-3 * r['steps']) <= 1e-2 * reached, r\n"
        "    total = 1e-3 * mean * r['steps']\n"
        "    assert 0 < at <= 1.01 * reached and 0 < most <= 1.01 * total <= 1.03 * (0.001 + most), r\n"
        "    assert m[6] == {'ncp': 'iterations', 'lcp-pgs': 'sweeps'}[r['engine']], r\n",
        folder);
    cr_expect(json_holds(&json, ts_text_get(&script)), "%s", ts_text_get(&result.out));
    ts_text_free(&script);
    ts_text_free(&json);
    ts_text_free(&page);
    outcome_free(&result);
}
