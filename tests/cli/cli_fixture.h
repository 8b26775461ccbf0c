// Runs the program as a user does, in a folder of its own for every test, and looks at what it left.
#ifndef TS_TESTS_CLI_FIXTURE_H
#define TS_TESTS_CLI_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/text.h"
#include "tests/folder_fixture.h"

#ifndef TS_TEST_CLI
#define TS_TEST_CLI "touchstone"
#endif

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

// What a run of the program left behind.
typedef struct outcome {
    int code;  // exit code, or 1000 + signal
    ts_text out;
    ts_text err;
} outcome;

static inline outcome collect(int status) {
    outcome result = {0, {0}, {0}};
    char path[96];
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    snprintf(path, sizeof path, "%s/.out", folder);
    cr_assert_eq(ts_text_read_file(path, 1 << 26, &result.out, NULL), TS_OK);
    snprintf(path, sizeof path, "%s/.err", folder);
    cr_assert_eq(ts_text_read_file(path, 1 << 26, &result.err, NULL), TS_OK);
    return result;
}

static inline void outcome_free(outcome* result) {
    ts_text_free(&result->out);
    ts_text_free(&result->err);
}

// Runs "touchstone ARGUMENTS" by a shell, in the test's folder.
static inline outcome run(const char* arguments) {
    char command[4096];
    int length =
        snprintf(command, sizeof command, "cd %s && '%s' %s >.out 2>.err </dev/null", folder, TS_TEST_CLI, arguments);
    cr_assert(length > 0 && (size_t)length < sizeof command);
    return collect(system(command));
}

static inline int has(const ts_text* text, const char* piece) { return strstr(ts_text_get(text), piece) != NULL; }

static inline int exists(const char* name) {
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0;
}

// Files in the test's folder, hidden ones not counted.
static inline int file_count(void) {
    int count = 0;
    DIR* directory = opendir(folder);
    cr_assert_not_null(directory);
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static inline ts_text read_text(const char* name) {
    char path[256];
    ts_text text = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(ts_text_read_file(path, 1 << 28, &text, NULL), TS_OK, "%s cannot be read", name);
    return text;
}

static inline void write_text(const char* name, const char* content) {
    char path[256];
    ts_text text = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ts_text_add(&text, "%s", content);
    cr_assert_eq(ts_text_write_file(&text, path, NULL), TS_OK);
    ts_text_free(&text);
}

// Feeds text to a Python script as `d`, the parsed JSON. Returns nonzero when all its assertions hold, or when there is no
// Python to ask.
static inline int json_holds(const ts_text* text, const char* script) {
    if (system("python3 -c pass >/dev/null 2>&1") != 0) return 1;
    ts_text program = {0};
    ts_text_add(&program, "import json\nd = json.load(open('%s/.json'))\n%s\n", folder, script);
    write_text(".json", ts_text_get(text));
    write_text(".check.py", ts_text_get(&program));
    ts_text_free(&program);
    char command[128];
    snprintf(command, sizeof command, "python3 %s/.check.py 1>&2", folder);
    return system(command) == 0;
}

// Runs Python on report/report.html: `page` is its text without pictures, `d` summary.json, `leaders` the runs that stand for
// the groups, of(tag, attributes, text) all matches of an element. Nonzero when its assertions hold, or without Python.
static inline int page_holds(const char* script) {
    if (system("python3 -c pass >/dev/null 2>&1") != 0) return 1;
    ts_text program = {0};
    ts_text_add(&program,
                "import json, os, re\n"
                "page = re.sub('base64,[^\"]*', '', open('%s/report/report.html', encoding='utf-8').read())\n"
                "d = json.load(open('%s/report/summary.json'))\n"
                "groups = 1 + max(s['finding']['group'] for s in d['solvers'])\n"
                "def leader(g):\n"
                "    own = [s for s in d['solvers'] if s['finding']['group'] == g]\n"
                "    first = [s for s in own if s['finding']['is_reference']]\n"
                "    return (first or sorted(own, key=lambda s: s['steps_not_converged']))[0]\n"
                "leaders = [leader(g) for g in range(groups)]\n"
                "def of(tag, attributes, text):\n"
                "    return re.findall('<%%s%%s[^>]*>(.*?)</%%s>' %% (tag, attributes, tag), text, re.S)\n"
                "def number(cell):\n"
                "    value, unit = cell.split()\n"
                "    scale = {'n': 1e-9, '\\u00b5': 1e-6, 'm': 1e-3, 'k': 1e3, 'M': 1e6}\n"
                "    prefix = unit[0] if unit not in ('m', 'm/s') and len(unit) > 1 else ''\n"
                "    return float(value) * scale.get(prefix, 1.0)\n"
                "%s",
                folder, folder, script);
    write_text(".page.py", ts_text_get(&program));
    ts_text_free(&program);
    char command[128];
    snprintf(command, sizeof command, "python3 %s/.page.py 1>&2", folder);
    return system(command) == 0;
}

// Insists that a run ends with that code, with a message on standard error that contains `piece` and nothing on standard
// output, and that it leaves no files behind.
static inline void expect_refusal(const char* arguments, int code, const char* piece) {
    int before = file_count();
    outcome result = run(arguments);
    cr_expect_eq(result.code, code, "touchstone %s: exit code %d, not %d; stderr: %s", arguments, result.code, code,
                 ts_text_get(&result.err));
    cr_expect(has(&result.err, piece), "touchstone %s: '%s' is not in: %s", arguments, piece, ts_text_get(&result.err));
    cr_expect_eq(strncmp(ts_text_get(&result.err), "touchstone: ", 12), 0, "touchstone %s: %s", arguments,
                 ts_text_get(&result.err));
    cr_expect_eq(result.out.length, 0u, "touchstone %s: stdout: %s", arguments, ts_text_get(&result.out));
    if (code == 2) cr_expect(has(&result.err, "--help"), "touchstone %s: no word about help", arguments);
    cr_expect_eq(file_count(), before, "touchstone %s left files", arguments);
    outcome_free(&result);
}

// Starts a program that would run for days, sends it a signal after a while, and collects what it left.
static inline outcome interrupt(const char* const arguments[], int signal_number) {
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        if (chdir(folder) != 0) _exit(100);
        int out = open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err = open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        dup2(err, 2);
        // Criterion's workers ignore or block some signals; the program shall start like from a shell.
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execv(TS_TEST_CLI, (char* const*)arguments);
        _exit(101);
    }
    struct timespec wait = {2, 0};
    nanosleep(&wait, NULL);
    kill(child, signal_number);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return collect(status);
}

#endif
