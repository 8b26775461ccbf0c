// The program end to end, as a user meets it: help, wrong use, broken files, lists.
#include "tests/cli/cli_fixture.h"

#include "contact/solver.h"
#include "scenes/experiments/experiment.h"
#include "scenes/scene_table.h"

TestSuite(cli, .init = make_folder, .fini = remove_folder, .timeout = 240);

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
    expect_refusal("run pyramid", 2, "'pyramid' takes a whole number from 1 to 1000, such as 'pyramid:10'");
    expect_refusal("run pyramid:0", 2, "not 'pyramid:0'");
    expect_refusal("run columns:", 2, "'columns' takes a whole number");
    expect_refusal("run pyramd:10", 2, "did you mean 'pyramid'");
    expect_refusal("compare slidng-cube", 2, "did you mean 'sliding-cube'");
    expect_refusal("check slidng-cube", 2, "did you mean 'sliding-cube'");
    expect_refusal("run sliding-cube --solver ncp-psg", 2, "did you mean 'ncp-pgs'");
    // A letter too many behind a beginning is less than two others, and parts of names are names.
    expect_refusal("run sliding-cube --solver lcpp", 2, "did you mean 'lcp-pgs'");
    expect_refusal("run sliding-cube --solver ncpp", 2, "did you mean 'ncp'");
    expect_refusal("run sliding-cube --solver lemke", 2, "did you mean 'lcp-lemke'");
    expect_refusal("run cube", 2, "did you mean 'sliding-cube'");
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
    cr_expect(json_holds(&result.out,
                         "assert all(s['name'] and s['summary'] and s['duration'] > 0 for s in d['scenes'])\n"
                         "assert any(s['name'] == 'pyramid:N' and s['largest'] == 1000 for s in d['scenes'])"));
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

// --- view -----------------------------------------------------------------------------------------------------------

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
