// `touchstone compare` and `study` under mpirun: the same results as alone, one voice, and an end for all when one is told to stop.
// Registered only where TS_MPI is ON.
#include "tests/cli/cli_fixture.h"

TestSuite(ranks, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Tests may run as root, in containers and on fewer processors than ranks; Open MPI wants to be told. Other launchers take
// the environment for what it is. What MPI libraries leave unfreed is not ours to look for.
static void allow_everything(void) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
}

static outcome run_ranks(int count, const char* arguments) {
    char command[4096];
    allow_everything();
    snprintf(command, sizeof command, "cd %s && '%s' -n %d '%s' %s >.out 2>.err </dev/null", folder, TS_TEST_MPIRUN,
             count, TS_TEST_CLI, arguments);
    return collect(system(command));
}

// Blanks the last column, step_seconds, which is wall-clock time.
static void drop_times(ts_text* csv) {
    char* to = csv->data;
    for (const char* line = csv->data; line && *line;) {
        const char* end = strchr(line, '\n');
        cr_assert_not_null(end);
        const char* comma = end;
        while (comma > line && *comma != ',') --comma;
        memmove(to, line, (size_t)(comma - line));
        to += comma - line;
        *to++ = '\n';
        line = end + 1;
    }
    *to = '\0';
}

Test(ranks, results_are_those_of_one_rank) {
    outcome alone = run("compare sliding-cube-rotated --time 0.1 --out alone --json");
    cr_assert_eq(alone.code, 0, "%s", ts_text_get(&alone.err));
    ts_text expected = read_text("alone/data.csv");
    drop_times(&expected);
    // As many ranks as solvers, fewer, and more.
    for (int count = 2; count <= 5; ++count) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "compare sliding-cube-rotated --time 0.1 --out spread%d --json", count);
        outcome spread = run_ranks(count, arguments);
        cr_assert_eq(spread.code, 0, "%s", ts_text_get(&spread.err));
        char name[64];
        snprintf(name, sizeof name, "spread%d/data.csv", count);
        ts_text csv = read_text(name);
        drop_times(&csv);
        cr_expect_str_eq(ts_text_get(&csv), ts_text_get(&expected), "%d ranks", count);
        ts_text_free(&csv);
        // One JSON object, with the same numbers but for those of the clock.
        char script[512];
        snprintf(script, sizeof script,
                 "a = json.load(open('%s/alone/summary.json'))\n"
                 "def timeless(x):\n"
                 "    x.pop('command')\n"
                 "    for s in x['solvers']: s.pop('wall_seconds'), s.pop('step_microseconds_median')\n"
                 "    return x\n"
                 "assert timeless(a) == timeless(d)",
                 folder);
        cr_expect(json_holds(&spread.out, script));
        outcome_free(&spread);
    }
    ts_text_free(&expected);
    outcome_free(&alone);
}

// A study over ranks has the table of one alone; and one alone goes on from the parts of three.
Test(ranks, studies_are_those_of_one_rank) {
    static const char study[] =
        "study sliding-cube --time 0.1 --vary solver=ncp,ccp-pgs,lcp-pgs --vary dt=1e-3,2e-3 --json";
    char arguments[256];
    snprintf(arguments, sizeof arguments, "%s --out alone", study);
    outcome alone = run(arguments);
    cr_assert_eq(alone.code, 0, "%s", ts_text_get(&alone.err));
    ts_text expected = read_text("alone/study.csv");
    // The last column says whether the run failed, the one before it is of the clock.
    drop_times(&expected);
    drop_times(&expected);
    snprintf(arguments, sizeof arguments, "%s --out spread", study);
    for (int again = 0; again < 2; ++again) {
        if (again) {
            ts_text part = read_text("spread/part-1");
            cr_expect_gt(part.length, 0);
            ts_text_free(&part);
            write_text("spread/part-0", "");
        }
        outcome spread = again ? run(arguments) : run_ranks(3, arguments);
        cr_assert_eq(spread.code, 0, "%s", ts_text_get(&spread.err));
        ts_text csv = read_text("spread/study.csv");
        drop_times(&csv);
        drop_times(&csv);
        cr_expect_str_eq(ts_text_get(&csv), ts_text_get(&expected), "again %d", again);
        ts_text_free(&csv);
        outcome_free(&spread);
    }
    ts_text_free(&expected);
    outcome_free(&alone);
}

static int occurrences(const ts_text* text, const char* piece) {
    int count = 0;
    for (const char* c = strstr(ts_text_get(text), piece); c; c = strstr(c + 1, piece)) count++;
    return count;
}

Test(ranks, one_of_them_says_what_is_wrong) {
    static const struct {
        const char* arguments;
        int code;
        const char* message;
    } cases[] = {{"compare slidng-cube --out report", 2, "did you mean 'sliding-cube'"},
                 {"compare sliding-cube --tme 1 --out report", 2, "did you mean --time"},
                 {"compare missing.xml --out report", 1, "missing.xml"},
                 {"compare sliding-cube --set solver.tolerance=-1 --out report", 2, "tolerance"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        outcome result = run_ranks(3, cases[i].arguments);
        cr_expect_eq(result.code, cases[i].code, "%s: %d", cases[i].arguments, result.code);
        cr_expect_eq(occurrences(&result.err, "touchstone: "), 1, "%s", ts_text_get(&result.err));
        cr_expect(has(&result.err, cases[i].message), "%s", ts_text_get(&result.err));
        cr_expect_eq(result.out.length, 0u);
        cr_expect_eq(file_count(), 0);
        outcome_free(&result);
    }
}

// A file that only one machine lacks ends all of them.
Test(ranks, an_error_of_one_rank_is_one_of_all) {
    write_text("ball.xml", "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 1\"><freejoint/>"
                           "<geom type=\"sphere\" size=\"0.1\"/></body></worldbody></mujoco>\n");
    char script[512];
    snprintf(script, sizeof script, "mkdir .first 2>/dev/null || cd /; exec '%s' \"$@\"\n", TS_TEST_CLI);
    write_text(".start.sh", script);
    allow_everything();
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' -n 2 sh ./.start.sh compare ball.xml --time 0.01 >.out 2>.err",
             folder, TS_TEST_MPIRUN);
    outcome result = collect(system(command));
    cr_expect_eq(result.code, 1, "%s", ts_text_get(&result.err));
    cr_expect_eq(occurrences(&result.err, "touchstone: ball.xml"), 1, "%s", ts_text_get(&result.err));
    cr_expect_eq(result.out.length, 0u);
    outcome_free(&result);
}

// The signal goes to the rank that has nothing to do and waits for the other, which would run for days.
Test(ranks, ctrl_c_of_one_ends_all_with_what_there_is) {
    char script[512];
    snprintf(script, sizeof script,
             "exec '%s' -n 2 sh -c 'echo $$ >.pid${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec \"$0\" \"$@\"' '%s' compare "
             "sliding-cube --solvers ncp-pgs "
             "--time 1e7 --out report --json\n",
             TS_TEST_MPIRUN, TS_TEST_CLI);
    write_text(".start.sh", script);
    allow_everything();
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && { sh ./.start.sh >.out 2>.err & } ; while ! test -s .pid1; do sleep 0.1; done; sleep 4; kill "
             "-INT $(cat .pid1); "
             "wait $!",
             folder);
    outcome result = collect(system(command));
    cr_expect_eq(result.code, 130, "%d: %s", result.code, ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['interrupted'] is True and len(d['solvers']) == 1\n"
                                      "assert d['solvers'][0]['steps'] > 10 and not d['solvers'][0]['finished']"));
    cr_expect(exists("report/report.html"));
    outcome_free(&result);
}
