// Commands that run in a process of their own: exit codes, crashes and signals come through, and HDF5 files are found wherever they stand.
#include "cli/guard_internal.h"

#include "tests/cli/cli_fixture.h"

TestSuite(guard, .init = make_folder, .fini = remove_folder, .timeout = 60);

static int end(const void* context) { return *(const int*)context; }

static int end_by(const void* context) {
    int number = *(const int*)context;
    signal(number, SIG_DFL);
    raise(number);
    return 0;
}

Test(guard, tells_how_it_ended) {
    int crash = -1, code = 3, number = SIGFPE;
    cr_expect_eq(ts_guard_run(end, &code, &crash), 3);
    cr_expect_eq(crash, 0);
    cr_expect_eq(ts_guard_run(end_by, &number, &crash), 128 + SIGFPE);
    cr_expect_eq(crash, SIGFPE);
    number = SIGSEGV;
    ts_guard_run(end_by, &number, &crash);
    cr_expect_eq(crash, SIGSEGV);
    // Who is killed has not crashed.
    number = SIGKILL;
    cr_expect_eq(ts_guard_run(end_by, &number, &crash), 128 + SIGKILL);
    cr_expect_eq(crash, 0);
}

static int found(const char* word, const char* name) {
    char path[TS_GUARD_NAME], one[] = "run", two[256];
    char* const words[] = {one, two};
    snprintf(two, sizeof two, word, folder);
    int is = ts_guard_finds(2, words, path);
    return name ? is && strcmp(strrchr(path, '/'), name) == 0 : !is;
}

Test(guard, finds_files) {
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char path[256];
    snprintf(path, sizeof path, "%s/behind.bin", folder);
    FILE* file = fopen(path, "wb");
    cr_assert(file && fseek(file, 1024, SEEK_SET) == 0 && fwrite(signature, 1, 8, file) == 8 && fclose(file) == 0);
    write_text("run.h5", signature);
    write_text("log.csv", "step,time");
    cr_expect(found("%s/run.h5", "/run.h5"));
    cr_expect(found("--from=%s/run.h5", "/run.h5"));
    cr_expect(found("%s/run.h5@0.5", "/run.h5"));
    cr_expect(found("%s/behind.bin", "/behind.bin"));
    cr_expect(found("%s/log.csv", NULL) && found("%s", NULL) && found("%s/nothing.h5@1", NULL));
}

// The ranks of `compare` and `study` have no process of their own, and need none: neither has a flag that reads HDF5, and a scene that is such a file is
// known by its first bytes and refused before HDF5 sees it.
Test(guard, needs_none_where_nothing_is_read) {
    write_text("broken.h5", "\x89HDF\r\n\x1a\n nothing that HDF5 could read");
    const char* const refused[] = {"compare broken.h5", "study broken.h5 --vary dt=1e-3,2e-3"};
    for (int i = 0; i < 2; ++i) {
        outcome result = run(refused[i]);
        cr_expect_neq(result.code, 0, "%s", refused[i]);
        cr_expect(strstr(ts_text_get(&result.err), "broken.h5: this is an HDF5 file, not a model"), "%s: %s",
                  refused[i], ts_text_get(&result.err));
        outcome_free(&result);
    }
    const char* const unknown[] = {"compare sliding-cube --from broken.h5", "study sliding-cube --from broken.h5"};
    for (int i = 0; i < 2; ++i) {
        outcome result = run(unknown[i]);
        cr_expect_eq(result.code, 2, "%s: %d", unknown[i], result.code);
        cr_expect(strstr(ts_text_get(&result.err), "no flag --from"), "%s: %s", unknown[i], ts_text_get(&result.err));
        outcome_free(&result);
    }
}

#ifdef TS_HAVE_HDF5

// Ctrl-C and SIGTERM, though sent to the program alone, reach what runs for it, which says how far it came.
Test(guard, hands_signals_on) {
    outcome result = run("run sliding-cube --time 0.1 --out start.h5");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    const int number[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; ++i) {
        const char* const endless[] = {TS_TEST_CLI, "run", "sliding-cube", "--from", "start.h5",
                                       "--time",    "1e6", "--json",       NULL};
        result = interrupt(endless, number[i]);
        cr_expect_eq(result.code, 128 + number[i], "%d: %s", result.code, ts_text_get(&result.err));
        cr_expect(json_holds(&result.out, "assert d['steps'] > 0, d\n"), "%s", ts_text_get(&result.out));
        outcome_free(&result);
    }
}

#endif
