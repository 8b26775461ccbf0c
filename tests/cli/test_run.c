// `touchstone run`: what it prints and records, alarms, interruptions, runs that blow up, runs that go on from a recording.
#include "tests/cli/cli_fixture.h"

TestSuite(run, .init = make_folder, .fini = remove_folder, .timeout = 240);

// The cube slides v0^2 / (2 mu g) - h v0 / 2 and stops; see the closed form of the scene.
Test(run, prints_what_happened) {
    outcome result = run("run sliding-cube --json");
    cr_expect_eq(result.code, 0);
    cr_expect_eq(result.err.length, 0u, "a pipe sees: %s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['finished'] is True and d['error'] is None\n"
                                      "assert d['steps'] == 300 and abs(d['time'] - 0.3) < 1e-9\n"
                                      "assert sum(d['solves'].values()) == 300\n"
                                      "assert d['steps_not_converged'] == 300 - d['solves']['converged']\n"
                                      "assert abs(d['energy_start'] - d['energy_end'] - 0.5) < 1e-6\n"
                                      "assert d['contacts_max'] == 4 and d['recording'] is None"));
    outcome_free(&result);
    result = run("run sliding-cube");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "300 steps"));
    cr_expect(has(&result.out, "0.126921"), "the stopping distance: %s", ts_text_get(&result.out));
    outcome_free(&result);
}

// The stages that found answers, on a line of their own; none where nothing touches.
Test(run, names_stages_where_there_were_any) {
    write_text("air.xml",
               "<mujoco><worldbody><body pos='0 0 9'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    outcome touches = run("run sliding-cube --solver ncp"), falls = run("run air.xml --time 0.01 --solver ncp");
    cr_expect_eq(touches.code + falls.code, 0);
    cr_expect(has(&touches.out, "\n  stages       300 "), "%s", ts_text_get(&touches.out));
    cr_expect_not(has(&falls.out, "stages"), "%s", ts_text_get(&falls.out));
    cr_expect(has(&falls.out, "at most\n"), "no empty line instead: %s", ts_text_get(&falls.out));
    outcome_free(&touches);
    outcome_free(&falls);
}

// A batch holds what a run of one gives, and its members have nothing to do with each other or with the threads.
Test(run, of_many_at_once) {
    write_text("small.xml", small_model);
    outcome few = run("run small.xml --time 0.1 --batch 3 --spread 0.2 --json");
    outcome more = run("run small.xml --time 0.1 --batch 5 --spread 0.2 --threads 2 --json");
    outcome still = run("run small.xml --time 0.1 --batch 2 --json");
    cr_expect_eq(few.code + more.code + still.code, 0);
    cr_expect(json_holds(&more.out, "each = d['simulations']\n"
                                    "assert d['failed'] == 0 and d['steps'] == sum(s['steps'] for s in each)\n"
                                    "assert len(each) == 5 and len({s['hash'] for s in each}) == 5\n"
                                    "assert all(abs(s['time'] - 0.1) < 1e-9 for s in each)"));
    cr_expect(json_holds(&still.out, "each = d['simulations']\nassert each[0] == each[1]"));
    // The first three of five are those of three.
    const char* list = strstr(ts_text_get(&few.out), "\"simulations\"");
    const char* other = strstr(ts_text_get(&more.out), "\"simulations\"");
    cr_assert(list && other);
    const char* end = strstr(list, "\n  ]");
    cr_assert_not_null(end);
    cr_expect_eq(strncmp(list, other, (size_t)(end - list)), 0);
    outcome_free(&few);
    outcome_free(&more);
    outcome_free(&still);
    expect_refusal("run small.xml --spread 0.1", 2, "needs --batch");
    expect_refusal("run small.xml --batch 2 --out a.csv", 2, "without --batch");
    expect_refusal("run small.xml --batch 0", 2, "--batch");
}

Test(run, takes_a_file_and_settings) {
    write_text("small.xml", small_model);
    outcome result = run("run small.xml --time 0.1 --dt 0.01 --solver ccp-pgs --threads 2 --set gravity='0 0 -1' "
                         "--set solver.iteration_limit=77 --out run.csv --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "assert d['steps'] == 10 and d['time_step'] == 0.01 and d['solver'] == 'ccp-pgs'\n"
                         "assert d['recording'] == 'run.csv' and d['recorded_rows'] == 11"));
    outcome_free(&result);
    ts_text csv = read_text("run.csv");
    int lines = 0;
    for (const char* c = ts_text_get(&csv); *c; ++c) lines += *c == '\n';
    cr_expect_eq(lines, 12);
    cr_expect(strstr(ts_text_get(&csv), ",ball.px,") != NULL);
    ts_text_free(&csv);
}

Test(run, takes_ratios_for_numbers) {
    write_text("small.xml", small_model);
    outcome result = run("run small.xml --time 2/10 --dt 1/60 --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['steps'] == 12 and d['time_step'] == 1 / 60"));
    outcome_free(&result);
    static const char* const wrong[] = {"1/", "/60", "1/0", "0/0", "1/2/3", "1 /2", "1/ 2", "1/inf", "1/-0", "1/0x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "run small.xml --dt '%s'", wrong[i]);
        expect_refusal(arguments, 2, "--dt takes a number");
    }
}

Test(run, names_what_was_left_out_where_the_rest_makes_no_sense) {
    write_text("ring.xml",
               "<mujoco>\n<worldbody>\n<geom type=\"plane\" size=\"1 1 1\"/>\n<body name=\"ring\">\n<freejoint/>\n"
               "<geom type=\"sdf\" mesh=\"torus\"/>\n</body>\n</worldbody>\n</mujoco>\n");
    expect_refusal("run ring.xml", 1, "has mass and inertia along it (geom type sdf of line 6 was left out)");
    write_text("lone.xml", "<mujoco><worldbody><body name=\"ring\"><freejoint/></body></worldbody></mujoco>\n");
    outcome result = run("run lone.xml");
    cr_expect_eq(result.code, 1);
    cr_expect_null(strstr(ts_text_get(&result.err), "left out"));
    outcome_free(&result);
}

Test(run, a_run_of_no_time_is_a_run) {
    outcome result = run("run sliding-cube --time 0 --out run.csv --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out, "assert d['steps'] == 0 and d['recorded_rows'] == 1"));
    outcome_free(&result);
}

Test(run, steps_that_do_not_converge_are_said) {
    outcome result = run("run sliding-cube --set iterations=1 --set tolerance=1e-14 --set warm_start=0");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "did not converge"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// 1e9 turns in a step are beyond every rule.
Test(run, turns_too_fast_for_the_step_are_said) {
    write_text(
        "fast.xml",
        "<mujoco><option timestep=\"1\"/><custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom>"
        "<worldbody><body><freejoint/><geom type=\"box\" size=\".1 .25 .3\"/></body></worldbody>"
        "<keyframe><key qvel=\"0 0 0 1e9 2e9 -1e9\"/></keyframe></mujoco>");
    outcome result = run("run fast.xml --time 1");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "too fast for the step"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// A ball at 1e307 m/s leaves the finite numbers after seventeen steps of a second.
Test(run, a_run_that_blows_up_fails_and_closes_its_recording) {
    write_text("boom.xml",
               "<mujoco><custom><numeric name=\"touchstone.initial_keyframe\" data=\"0\"/></custom><worldbody>"
               "<body pos=\"0 0 1\"><freejoint/><geom type=\"sphere\" size=\"0.1\"/></body></worldbody>"
               "<keyframe><key qvel=\"1e307 0 0 0 0 0\"/></keyframe></mujoco>\n");
    outcome result = run("run boom.xml --time 100 --dt 1 --out run.csv --json");
    cr_expect_eq(result.code, 1, "%s", ts_text_get(&result.out));
    cr_expect(has(&result.err, "touchstone: "));
    cr_expect(json_holds(&result.out, "assert d['finished'] is False and d['error']['exit_code'] == 1"));
    outcome_free(&result);
    ts_text csv = read_text("run.csv");
    cr_expect(csv.length > 0 && csv.data[csv.length - 1] == '\n');
    ts_text_free(&csv);
}

Test(run, ctrl_c_ends_a_run_with_a_readable_csv) {
    const char* const arguments[] = {TS_TEST_CLI, "run",     "sliding-cube", "--time", "1e7",
                                     "--out",     "run.csv", "--json",       NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130, "%d: %s", result.code, ts_text_get(&result.err));
    cr_expect(
        json_holds(&result.out, "assert d['finished'] is False and d['steps'] > 0 and d['error']['exit_code'] == 130"));
    ts_text csv = read_text("run.csv");
    cr_assert(csv.length > 0);
    cr_expect_eq(csv.data[csv.length - 1], '\n');
    // Every row has as many commas as the header, and the last row is the last step.
    size_t commas = 0;
    size_t wanted = 0;
    long long rows = -1;
    for (size_t i = 0; i < csv.length; ++i) {
        commas += csv.data[i] == ',';
        if (csv.data[i] != '\n') continue;
        if (rows < 0) wanted = commas;
        cr_assert_eq(commas, wanted);
        commas = 0;
        rows++;
    }
    char check[96];
    snprintf(check, sizeof check, "assert d['recorded_rows'] == %lld == d['steps'] + 1", rows);
    cr_expect(json_holds(&result.out, check));
    ts_text_free(&csv);
    outcome_free(&result);
}

Test(run, sigterm_ends_a_run_too) {
    const char* const arguments[] = {TS_TEST_CLI, "run", "sliding-cube", "--time", "1e7", NULL};
    outcome result = interrupt(arguments, SIGTERM);
    cr_expect_eq(result.code, 143);
    cr_expect(has(&result.out, "did not reach its end"));
    outcome_free(&result);
}

#ifdef TS_HAVE_HDF5
Test(run, ctrl_c_ends_a_run_with_a_readable_hdf5) {
    const char* const arguments[] = {TS_TEST_CLI, "run", "sliding-cube", "--time", "1e7", "--out", "run.h5", NULL};
    outcome result = interrupt(arguments, SIGINT);
    cr_expect_eq(result.code, 130);
    outcome_free(&result);
    const char* python = "/usr/bin/python3";
    char command[512];
    snprintf(command, sizeof command, "%s -c 'import h5py' >/dev/null 2>&1", python);
    if (system(command) != 0) cr_skip("no python3 with h5py here");
    snprintf(command, sizeof command,
             "cd %s && %s -c \"import h5py; f = h5py.File('run.h5', 'r'); t = f['/state/time'][:]; "
             "assert len(t) > 10 and (t[1:] > t[:-1]).all() and f.attrs['finished'] == 0 "
             "and len(f['/bodies/position']) == len(t)\"",
             folder, python);
    cr_expect_eq(system(command), 0);
}
#endif

// A box that spins freely gains energy under an explicit gyroscopic term, and that is said; what keeps energy, and what is
// thrown about by contacts, is no alarm.
Test(run, energy_without_a_cause_is_an_alarm) {
    write_text("spin.xml", "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body><freejoint/>"
                           "<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.02 0.03'/></body></worldbody>"
                           "<keyframe><key name='home' qvel='0 0 0 1 20 1'/></keyframe></mujoco>");
    outcome result = run("run spin.xml --time 5 --set integrator=euler");
    cr_expect(has(&result.out, "Alarm: energy rose by"), "%s", ts_text_get(&result.out));
    cr_expect(has(&result.out, "in the integration of motion"));
    outcome_free(&result);
    static const char* const healthy[] = {"run spin.xml --time 5 --json", "run fast-cube --time 0.2 --json",
                                          "run stack-10 --time 0.3 --json", "run double-pendulum --time 2 --json"};
    for (size_t i = 0; i < sizeof healthy / sizeof healthy[0]; ++i) {
        result = run(healthy[i]);
        cr_expect(json_holds(&result.out, "assert d['energy_alarm'] is False, d\n"), "%s", healthy[i]);
        outcome_free(&result);
    }
}

// A spring too stiff for the step drives a ball apart: in some forty steps its numbers are none any more.
static const char blow_up[] =
    "<mujoco model=\"blow\"><option timestep=\"0.01\" integrator=\"Euler\"/><worldbody>\n"
    "<geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\"/>\n"
    "<body name=\"ball\" pos=\"0 0 0.1\">\n"
    "<joint type=\"slide\" axis=\"1 0 0\" stiffness=\"1e12\" ref=\"-1e-3\"/>\n"
    "<joint type=\"slide\" axis=\"0 0 1\"/>\n"
    "<geom name=\"skin\" type=\"sphere\" size=\"0.1\" mass=\"1\"/></body></worldbody></mujoco>\n";

// Who, when, at which contact, and how to see the last good state; the recording ends there and can be gone on from.
Test(run, what_blows_up_is_named_and_its_last_good_state_kept) {
    write_text("blow.xml", blow_up);
    outcome result = run("run blow.xml --time 2 --out blow.h5 --json");
    cr_expect_eq(result.code, 1);
    if (has(&result.err, "TS_HDF5")) cr_skip("no HDF5 in this build");
    cr_expect(has(&result.err, "body \"ball\"") && has(&result.err, "t = 0.") && has(&result.err, "'floor'") &&
                  has(&result.err, "'skin'"),
              "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert not d['finished'] and 0.1 < d['time'] < 1, d['time']\n"
                                      "assert d['recorded_rows'] == d['steps'] + 1\n"
                                      "assert d['last_good_state'] == 'touchstone view blow.xml --solver ncp --from "
                                      "blow.h5', d['last_good_state']\n"
                                      "assert '\"ball\"' in d['error']['message']\n"));
    ts_text first = result.err;
    result.err = (ts_text){0};
    outcome_free(&result);
    // From the last good state it blows up in the very next step, with the same words.
    result = run("run blow.xml --from blow.h5 --time 1 --json");
    cr_expect_eq(result.code, 1);
    cr_expect_str_eq(ts_text_get(&result.err), ts_text_get(&first));
    cr_expect(json_holds(&result.out, "assert d['steps'] == 0 and d['time'] == d['time_start'] > 0.1, d\n"
                                      "assert '--from blow.h5 --time 0.' in d['last_good_state'], d\n"));
    outcome_free(&result);
    result = run("run blow.xml --from blow.h5@0.05 --time 0.05 --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['steps'] == 5 and abs(d['time'] - 0.1) < 1e-9\n"));
    outcome_free(&result);
    result = run("view blow.xml --from blow.h5 --png last.png --size 64x48 --json");
    if (result.code == 0) cr_expect(json_holds(&result.out, "assert d['time'] > 0.1, d\n"));
    outcome_free(&result);
    result = run("run blow.xml --time 2 --certificate worst:why.json --out blow.csv --json");
    cr_expect(exists("why.json"), "the worst step before it is certified all the same");
    cr_expect(json_holds(&result.out, "assert d['last_good_state'].startswith('touchstone view blow.xml --solver ncp "
                                      "--time 0.'), d['last_good_state']\n"));
    outcome_free(&result);
    ts_text_free(&first);
}

// The last row of a recording from its column 20 on: behind wall-clock times.
static const char* bodies_at_the_end(ts_text* csv) {
    csv->data[csv->length - 1] = '\0';
    const char* at = strrchr(csv->data, '\n');
    for (int i = 0; i < 20 && at; ++i) at = strchr(at + 1, ',');
    cr_assert_not_null(at);
    return at;
}

// A run in two parts has the bits of one.
Test(run, a_run_goes_on_from_its_recording) {
    outcome result = run("run stack-10 --time 0.1 --out a.h5 --json");
    if (result.code && has(&result.err, "TS_HDF5")) cr_skip("no HDF5 in this build");
    outcome_free(&result);
    outcome whole = run("run stack-10 --time 0.2 --out whole.csv --json");
    result = run("run stack-10 --from a.h5 --time 0.1 --certificate 150:why.json --out rest.csv --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    ts_text all = read_text("whole.csv"), rest = read_text("rest.csv");
    const char *last_of_all = bodies_at_the_end(&all), *last_of_rest = bodies_at_the_end(&rest);
    cr_expect_str_eq(last_of_rest, last_of_all);
    cr_expect(json_holds(&result.out, "assert d['from'] == 'a.h5' and abs(d['time_start'] - 0.1) < 1e-9\n"));
    cr_expect(exists("why.json"));
    ts_text_free(&all);
    ts_text_free(&rest);
    outcome_free(&whole);
    outcome_free(&result);
    expect_refusal("run stack-10 --from a.h5 --key none", 2, "contradicts");
    expect_refusal("run stack-10 --from a.h5@7", 2, "from t = 0 s to t = 0.1 s");
    expect_refusal("run sliding-cube --from a.h5", 2, "model");
    expect_refusal("run stack-10 --from rest.csv", 1, "HDF5");
    expect_refusal("run stack-10 --from a.h5 --out ./a.h5", 2, "recording to start from");
    expect_refusal("run stack-10 --from a.h5 --certificate 50:old.json", 2, "from step 101 to");
}
