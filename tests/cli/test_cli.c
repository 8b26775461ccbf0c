// The program end to end, as a user meets it: every command, every wrong use, outputs, interruptions.
#include "tests/cli/cli_fixture.h"

#include "contact/solver.h"
#include "scenes/experiments/experiment.h"
#include "scenes/scene_table.h"

TestSuite(cli, .init = make_folder, .fini = remove_folder, .timeout = 240);

// A sphere that rolls on a floor; small and quick.
static const char small_model[] = "<mujoco model=\"small\">\n"
                                  "  <option timestep=\"0.002\"/>\n"
                                  "  <worldbody>\n"
                                  "    <geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\"/>\n"
                                  "    <body name=\"ball\" pos=\"0 0 0.1\">\n"
                                  "      <freejoint/>\n"
                                  "      <geom name=\"skin\" type=\"sphere\" size=\"0.1\" mass=\"2\"/>\n"
                                  "    </body>\n"
                                  "  </worldbody>\n"
                                  "</mujoco>\n";

// --- help and version ------------------------------------------------------------------------------------------------

static size_t longest_line(const ts_text* text) {
    size_t longest = 0;
    for (const char* line = ts_text_get(text); *line;) {
        size_t length = strcspn(line, "\n");
        if (length > longest) longest = length;
        line += length + (line[length] == '\n');
    }
    return longest;
}

Test(cli, help_of_the_program_and_of_every_command) {
    static const char* const commands[] = {"list", "run", "compare", "check", "bench", "distance", "solve", "view"};
    outcome program = run("--help");
    cr_expect_eq(program.code, 0);
    cr_expect(has(&program.out, "exit codes"));
    cr_expect_eq(program.err.length, 0u);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        char arguments[64];
        cr_expect(has(&program.out, commands[i]));
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0);
        cr_expect_eq(result.err.length, 0u);
        cr_expect(has(&result.out, "usage: touchstone"));
        cr_expect(has(&result.out, "--json"));
        cr_expect(has(&result.out, "examples:"));
        cr_expect_leq(longest_line(&result.out), 120u, "%s", commands[i]);
        // Help must be had with half a command line, and by the other spelling.
        snprintf(arguments, sizeof arguments, "help %s", commands[i]);
        outcome other = run(arguments);
        cr_expect_eq(other.code, 0);
        cr_expect_str_eq(ts_text_get(&other.out), ts_text_get(&result.out));
        outcome_free(&other);
        outcome_free(&result);
    }
    outcome_free(&program);
}

Test(cli, help_names_every_flag_of_run_and_every_option) {
    outcome result = run("run --help");
    static const char* const flags[] = {"--solver",       "--time",        "--dt",      "--set",    "--out",
                                        "--dump-problem", "--certificate", "--threads", "--strict", "--json"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) cr_expect(has(&result.out, flags[i]), "%s", flags[i]);
    for (int i = 0; i < ts_option_count(); ++i) cr_expect(has(&result.out, ts_option_at(i)->name));
    outcome_free(&result);
}

Test(cli, version) {
    outcome result = run("--version");
    cr_expect_eq(result.code, 0);
    int major = -1;
    cr_expect_eq(sscanf(ts_text_get(&result.out), "touchstone %d.", &major), 1);
    outcome_free(&result);
    result = run("--version --json");
    cr_expect(json_holds(&result.out, "assert d['touchstone'].count('.') == 2"));
    outcome_free(&result);
}

// --- wrong use -------------------------------------------------------------------------------------------------------

Test(cli, wrong_commands_and_flags) {
    expect_refusal("", 2, "what shall be done");
    expect_refusal("runn sliding-cube", 2, "did you mean 'run'");
    expect_refusal("dance", 2, "no command 'dance'");
    expect_refusal("--frobnicate", 2, "--frobnicate");
    expect_refusal("run", 2, "needs SCENE");
    expect_refusal("compare", 2, "needs SCENE");
    expect_refusal("check", 2, "needs FILE");
    expect_refusal("list", 2, "needs scenes|controllers|solvers|integrators|shapes|experiments");
    expect_refusal("list solver", 2, "did you mean 'solvers'");
    expect_refusal("list penguins", 2, "scenes, controllers, solvers, integrators, shapes or experiments");
    expect_refusal("run sliding-cube --tme 1", 2, "did you mean --time");
    expect_refusal("run sliding-cube --colour red", 2, "no flag --colour");
    expect_refusal("run sliding-cube -x", 2, "no flag -x");
    expect_refusal("run sliding-cube stack-10", 2, "what is 'stack-10'");
    expect_refusal("run sliding-cube --json=yes", 2, "takes no value");
    expect_refusal("check sliding-cube --solver ncp-pgs", 2, "no flag --solver");
}

Test(cli, wrong_numbers) {
    expect_refusal("run sliding-cube --time", 2, "--time needs a value");
    expect_refusal("run sliding-cube --time soon", 2, "'soon'");
    expect_refusal("run sliding-cube --time 1s", 2, "'1s'");
    expect_refusal("run sliding-cube --time -1", 2, "out of range");
    expect_refusal("run sliding-cube --time nan", 2, "'nan'");
    expect_refusal("run sliding-cube --time inf", 2, "'inf'");
    expect_refusal("run sliding-cube --time 0x10", 2, "'0x10'");
    expect_refusal("run sliding-cube --time 1e999", 2, "1e999");
    expect_refusal("run sliding-cube --time ''", 2, "--time");
    expect_refusal("run sliding-cube --dt 0", 2, "out of range");
    expect_refusal("run sliding-cube --dt 5", 2, "out of range");
    expect_refusal("run sliding-cube --threads 0", 2, "out of range");
    expect_refusal("run sliding-cube --threads 1.5", 2, "whole number");
    expect_refusal("view sliding-cube --png x.png --size 100", 2, "WIDTHxHEIGHT");
    expect_refusal("view sliding-cube --png x.png --size 0x0", 2, "out of range");
    expect_refusal("view sliding-cube --png x.png --size 99999x1", 2, "out of range");
}

Test(cli, wrong_names) {
    expect_refusal("run slidng-cube", 2, "did you mean 'sliding-cube'");
    expect_refusal("run xyzzy", 2, "no scene or file is called 'xyzzy'");
    expect_refusal("compare slidng-cube", 2, "did you mean 'sliding-cube'");
    expect_refusal("check slidng-cube", 2, "did you mean 'sliding-cube'");
    expect_refusal("run sliding-cube --solver ncp-psg", 2, "did you mean 'ncp-pgs'");
    expect_refusal("run sliding-cube --solver magic", 2, "no solver is called 'magic'; solvers: ");
    for (int i = 0; i < ts_solver_count(); ++i) {
        expect_refusal("run sliding-cube --solver nothing", 2, ts_solver_at(i)->name);
        expect_refusal("compare sliding-cube --solvers ncp-psg", 2, ts_solver_at(i)->name);
    }
    expect_refusal("compare sliding-cube --solvers ncp-pgs,cpc-pgs", 2, "did you mean 'ccp-pgs'");
    expect_refusal("compare sliding-cube --solvers ncp-pgs,ncp-pgs", 2, "twice");
    expect_refusal("compare sliding-cube --solvers ,", 2, "names no solver");
    expect_refusal("compare sliding-cube --set solver=ncp-pgs", 2, "--solvers");
    expect_refusal("view sliding-cube --solver ncp-psg", 2, "did you mean 'ncp-pgs'");
}

Test(cli, wrong_settings) {
    expect_refusal("run sliding-cube --set gravity", 2, "KEY=VALUE");
    expect_refusal("run sliding-cube --set =3", 2, "KEY=VALUE");
    expect_refusal("run sliding-cube --set gravty='0 0 0'", 2, "did you mean 'gravity'");
    expect_refusal("run sliding-cube --set qwertyuiop=1", 2, "qwertyuiop");
    expect_refusal("run sliding-cube --set gravity=down", 2, "gravity");
    expect_refusal("run sliding-cube --set gravity='0 0'", 2, "gravity");
    expect_refusal("run sliding-cube --set time_step=-1", 2, "time_step");
    expect_refusal("run sliding-cube --set solver.tolerence=1", 2, "did you mean 'solver.tolerance'");
    expect_refusal("run sliding-cube --set solver.tolerance=banana", 2, "tolerance");
    expect_refusal("run sliding-cube --set solver.tolerance=-1", 2, "tolerance");
    expect_refusal("compare sliding-cube --set solver.tolerence=1 --out rep", 2, "did you mean 'solver.tolerance'");
    expect_refusal("compare sliding-cube --set solver.tolerance=-1 --out rep", 2, "tolerance");
}

Test(cli, wrong_use_as_json) {
    static const char* const lines[] = {"run slidng-cube --json", "dance --json",     "run sliding-cube --tme 1 --json",
                                        "list penguins --json",   "compare x --json", "run --json"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        outcome result = run(lines[i]);
        cr_expect_eq(result.code, 2, "%s", lines[i]);
        cr_expect(result.err.length > 0);
        cr_expect(json_holds(&result.out, "assert d['error']['exit_code'] == 2 and d['error']['message']"), "%s",
                  lines[i]);
        outcome_free(&result);
    }
}

// --- bad files -------------------------------------------------------------------------------------------------------

Test(cli, bad_files) {
    write_text("broken.xml",
               "<mujoco>\n  <worldbody>\n    <geom type=\"sphere\" size=\"-1\"/>\n  </worldbody>\n</mujoco>\n");
    write_text("cut.xml", "<mujoco>\n  <worldbody>\n");
    write_text("empty.xml", "");
    expect_refusal("run missing.xml", 1, "missing.xml");
    expect_refusal("run broken.xml --out run.csv", 1, "broken.xml:3:");
    expect_refusal("run cut.xml --out run.h5", 1, "cut.xml:");
    expect_refusal("run empty.xml", 1, "empty.xml");
    expect_refusal("run .", 1, "touchstone: ");
    expect_refusal("check broken.xml", 1, "broken.xml:3:");
    expect_refusal("compare broken.xml --out report", 1, "broken.xml:3:");
    cr_expect(!exists("report"));
    outcome result = run("check broken.xml --json");
    cr_expect_eq(result.code, 1);
    cr_expect(json_holds(
        &result.out, "e = d['error']\nassert e['line'] == 3 and 'broken.xml' in e['file'] and e['exit_code'] == 1"));
    outcome_free(&result);
}

Test(cli, strict_refuses_what_is_not_taken_over) {
    write_text("plugin.xml", "<mujoco>\n  <extension>\n    <plugin plugin=\"a.b\"/>\n  </extension>\n</mujoco>\n");
    outcome result = run("check plugin.xml");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(has(&result.out, "plugin"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("check plugin.xml --strict");
    cr_expect_eq(result.code, 1);
    cr_expect(has(&result.err, "--strict"));
    outcome_free(&result);
    expect_refusal("run plugin.xml --strict --out run.csv", 1, "--strict");
    result = run("run plugin.xml --time 0.01");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.err, "touchstone check"), "no hint on stderr: %s", ts_text_get(&result.err));
    outcome_free(&result);
}

Test(cli, outputs_that_cannot_be_written) {
    write_text("file", "x");
    expect_refusal("run sliding-cube --time 1e6 --out nowhere/run.csv", 1, "nowhere/run.csv");
    expect_refusal("run sliding-cube --time 1e6 --out file/run.csv", 1, "file/run.csv");
    expect_refusal("run sliding-cube --time 1e6 --out run.txt", 2, "run.txt");
    expect_refusal("compare sliding-cube --time 1e6 --out file", 1, "file");
    expect_refusal("compare sliding-cube --time 1e6 --out file/deeper", 1, "file");
    expect_refusal("compare sliding-cube --time 1e6 --out /proc/touchstone", 1, "/proc/touchstone");
#ifdef TS_HAVE_HDF5
    expect_refusal("run sliding-cube --time 1e6 --out nowhere/run.h5", 1, "nowhere/run.h5");
#else
    expect_refusal("run sliding-cube --time 1e6 --out run.h5", 1, "TS_HDF5");
#endif
    char command[256];
    snprintf(command, sizeof command, "cd %s && '%s' run sliding-cube --time 0.01 >/dev/full 2>.err; echo $? >.out",
             folder, TS_TEST_CLI);
    outcome result = collect(system(command));
    cr_expect_str_eq(ts_text_get(&result.out), "1\n");
    cr_expect(has(&result.err, "standard output"), "%s", ts_text_get(&result.err));
    outcome_free(&result);
}

// --- list ------------------------------------------------------------------------------------------------------------

Test(cli, list_shows_every_entry) {
    outcome result = run("list scenes");
    cr_expect_eq(result.code, 0);
    for (int i = 0; i < ts_scene_count(); ++i) cr_expect(has(&result.out, ts_scene_at(i)->name));
    outcome_free(&result);
    result = run("list solvers");
    cr_expect_eq(result.code, 0);
    for (int i = 0; i < ts_solver_count(); ++i) cr_expect(has(&result.out, ts_solver_at(i)->name));
    outcome_free(&result);
    result = run("list experiments");
    cr_expect_eq(result.code, 0);
    for (int i = 0; i < ts_experiment_count(); ++i) cr_expect(has(&result.out, ts_experiment_at(i)->name));
    outcome_free(&result);
    result = run("list shapes");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "capsule"));
    outcome_free(&result);
}

Test(cli, list_as_json) {
    outcome result = run("list scenes --json");
    cr_expect(
        json_holds(&result.out, "assert all(s['name'] and s['summary'] and s['duration'] > 0 for s in d['scenes'])"));
    outcome_free(&result);
    result = run("list solvers --json");
    cr_expect(json_holds(
        &result.out,
        "assert all(s['law'] in ('LCP', 'LCP-8', 'LCP-16', 'CCP', 'NCP', 'RaiSim', 'explicit') for s in d['solvers'])\n"
        "assert all(t['low'] <= t['default'] <= t['high'] for s in d['solvers'] for t in s['settings'])"));
    outcome_free(&result);
    result = run("list experiments --json");
    cr_expect(json_holds(&result.out, "assert all(e['source'] and e['scene'] for e in d['experiments'])"));
    outcome_free(&result);
    result = run("list shapes --json");
    cr_expect(json_holds(&result.out, "assert any(s['name'] == 'box' for s in d['shapes'])"));
    outcome_free(&result);
}

// --- run -------------------------------------------------------------------------------------------------------------

// The cube slides v0^2 / (2 mu g) - h v0 / 2 and stops; see the closed form of the scene.
Test(cli, run_prints_what_happened) {
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

// A batch holds what a run of one gives, and its members have nothing to do with each other or with the threads.
Test(cli, run_of_many_at_once) {
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

Test(cli, run_takes_a_file_and_settings) {
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

Test(cli, a_run_of_no_time_is_a_run) {
    outcome result = run("run sliding-cube --time 0 --out run.csv --json");
    cr_expect_eq(result.code, 0);
    cr_expect(json_holds(&result.out, "assert d['steps'] == 0 and d['recorded_rows'] == 1"));
    outcome_free(&result);
}

Test(cli, steps_that_do_not_converge_are_said) {
    outcome result = run("run sliding-cube --set iterations=1 --set tolerance=1e-14 --set warm_start=0");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "did not converge"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// 1e9 turns in a step are beyond every rule.
Test(cli, turns_too_fast_for_the_step_are_said) {
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
Test(cli, a_run_that_blows_up_fails_and_closes_its_recording) {
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

Test(cli, ctrl_c_ends_a_run_with_a_readable_csv) {
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

Test(cli, sigterm_ends_a_run_too) {
    const char* const arguments[] = {TS_TEST_CLI, "run", "sliding-cube", "--time", "1e7", NULL};
    outcome result = interrupt(arguments, SIGTERM);
    cr_expect_eq(result.code, 143);
    cr_expect(has(&result.out, "did not reach its end"));
    outcome_free(&result);
}

#ifdef TS_HAVE_HDF5
Test(cli, ctrl_c_ends_a_run_with_a_readable_hdf5) {
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

// --- check and view --------------------------------------------------------------------------------------------------

Test(cli, check_tells_masses_inertias_and_contacts) {
    write_text("small.xml", small_model);
    outcome result = run("check small.xml");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "total mass 2 kg"));
    cr_expect(has(&result.out, "just touching"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    result = run("check small.xml --json");
    // A solid ball: 2/5 m r^2.
    cr_expect(json_holds(&result.out, "assert d['total_mass'] == 2 and d['body_count'] == 1\n"
                                      "b = d['bodies'][0]\n"
                                      "assert b['name'] == 'ball' and b['plausible']\n"
                                      "assert all(abs(i - 0.4 * 2 * 0.01) < 1e-12 for i in b['principal_moments'])\n"
                                      "assert abs(b['reach'] - 0.1) < 1e-12\n"
                                      "assert len(d['contacts']) == 1 and abs(d['contacts'][0]['gap']) < 1e-9"));
    outcome_free(&result);
}

Test(cli, check_doubts_implausible_inertias) {
    write_text("huge.xml", "<mujoco><worldbody><body name=\"b\"><freejoint/>"
                           "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"5 5 5\"/>"
                           "<geom type=\"sphere\" size=\"0.1\"/></body></worldbody></mujoco>\n");
    outcome result = run("check huge.xml --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['doubtful_inertias'] == 1 and 'too large' in d['bodies'][0]['doubt']"));
    outcome_free(&result);
}

Test(cli, check_knows_every_scene) {
    for (int i = 0; i < ts_scene_count(); ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "check %s --json", ts_scene_at(i)->name);
        outcome result = run(arguments);
        cr_expect_eq(result.code, 0, "%s: %s", ts_scene_at(i)->name, ts_text_get(&result.err));
        cr_expect(json_holds(&result.out, "assert d['doubtful_inertias'] == 0 and d['total_mass'] > 0"), "%s",
                  ts_scene_at(i)->name);
        outcome_free(&result);
    }
}

Test(cli, view_makes_a_picture_or_says_why_not) {
    outcome result = run("view sliding-cube --png cube.png --time 0.05 --size 64x48");
    if (result.code == 0) {
        ts_text png = read_text("cube.png");
        cr_assert(png.length > 24);
        cr_expect_eq(memcmp(png.data, "\x89PNG", 4), 0);
        const unsigned char* size = (const unsigned char*)png.data + 16;
        cr_expect(size[3] == 64 && size[7] == 48, "the picture is %d x %d", size[3], size[7]);
        ts_text_free(&png);
    } else {
        // No viewer in this build, or no OpenGL on this machine.
        cr_expect_eq(result.code, 1);
        cr_expect(has(&result.err, "touchstone: "));
        cr_expect(!exists("cube.png"));
    }
    outcome_free(&result);
    expect_refusal("view sliding-cube --png nowhere/cube.png", 1, "touchstone: ");
}

// The certificate of one step: the sliding cube slides on all four corners, and the exact law holds but the relaxed one
// does not; under the relaxed law it is the other way round.
Test(cli, run_certifies_a_step) {
    outcome result = run("run sliding-cube --time 0.05 --solver ncp --certificate 20:ncp.json --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['certificate'] == 'ncp.json', d\n"
                                      "s = d['last_step']\n"
                                      "assert s['ncp'] and not s['ccp'] and s['contacts'] == 4, s\n"
                                      "assert s['modes'] == {'open': 0, 'stick': 0, 'slide': 4, 'violated': 0}, s\n"
                                      "assert s['step'] == d['steps'], d\n"
                                      "assert sum(d['stages'].values()) == d['steps'], d['stages']\n"
                                      "assert set(d['stages']) <= {'small', 'sweeps', 'newton'}, d['stages']\n"));
    outcome_free(&result);
    ts_text text = read_text("ncp.json");
    cr_expect(json_holds(&text,
                         "assert d['step'] == 20 and d['solver'] == 'ncp' and d['status'] == 'converged', d\n"
                         "assert d['stage'] in ('small', 'sweeps', 'newton'), d\n"
                         "c = d['certificate']\n"
                         "assert len(d['contacts']) == len(c['blocks']) == len(d['rows']) == 4\n"
                         "assert all(r.startswith('contact: geom 0 ') for r in d['rows']), d['rows']\n"
                         "for k in d['contacts']:\n"
                         "    assert {k['body_a'], k['body_b']} == {'world', 'cube'} or 'world' in k.values(), k\n"
                         "    b = c['blocks'][k['block']]\n"
                         "    assert b['block'] == k['block'] and b['mode'] == 'slide' and b['slip'] > 0, b\n"
                         "    assert abs(b['friction_force'] - b['mu'] * b['normal_force']) < 1e-6, b\n"));
    ts_text_free(&text);
    result = run("run sliding-cube --time 0.05 --solver ccp-pgs --certificate 1:ccp.json");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "certificate  ccp.json"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    text = read_text("ccp.json");
    cr_expect(json_holds(&text, "c = d['certificate']\n"
                                "assert c['ccp']['holds'] and not c['ncp']['holds'], c\n"
                                "assert c['modes']['violated'] > 0, c\n"));
    ts_text_free(&text);
}

// The worst step is the one with the largest natural map, which the statistics of the run know, too.
Test(cli, run_certifies_the_worst_step) {
    outcome result = run("run stack-10 --time 0.03 --solver ncp-pgs --set solver.iteration_limit=20 "
                         "--certificate worst:worst.json --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    ts_text text = read_text("worst.json"), both = {0};
    ts_text_add(&both, "[%s, %s]", ts_text_get(&result.out), ts_text_get(&text));
    cr_expect(json_holds(&both, "run, worst = d\n"
                                "a, b = run['residual_natural_max'], worst['certificate']['natural']\n"
                                "assert a > 1e-9 and abs(a - b) <= 1e-6 * a, (a, b)\n"
                                "assert worst['certificate']['modes']['violated'] > 0\n"));
    ts_text_free(&both);
    ts_text_free(&text);
    outcome_free(&result);
}

// A box that spins freely gains energy under an explicit gyroscopic term, and that is said; what keeps energy, and what is
// thrown about by contacts, is no alarm.
Test(cli, energy_without_a_cause_is_an_alarm) {
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
Test(cli, what_blows_up_is_named_and_its_last_good_state_kept) {
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
Test(cli, a_run_goes_on_from_its_recording) {
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

Test(cli, certificates_that_cannot_be_say_why) {
    expect_refusal("run stack-10 --certificate why.json", 2, "worst:why.json");
    expect_refusal("run stack-10 --certificate best:why.json", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate 0:why.json", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate last:", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate last:/nonexistent/a.json", 1, "/nonexistent/a.json");
    expect_refusal("run stack-10 --out a.csv --certificate last:a.csv", 2, "two outputs would go to a.csv");
    expect_refusal("run stack-10 --out a.csv --dump-problem 1:./a.csv", 2, "two outputs would go to ./a.csv");
    write_text("small.xml", small_model);
    expect_refusal("run small.xml --certificate last:./small.xml", 2, "is the model");
    ts_text text = read_text("small.xml");
    cr_expect_str_eq(ts_text_get(&text), small_model);
    ts_text_free(&text);
}
