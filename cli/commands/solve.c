// `touchstone solve`: contact problems from files under chosen solvers, every answer judged from scratch.
//
// A file that cannot be read, or a solver that does not get there, is reported like any other result and makes the exit
// code 1; the rest goes on. Every solve has a process of its own (cli/attempt_internal.h), which Ctrl-C and --time-limit stop.
#include "cli/commands/commands.h"

#include "cli/attempt_internal.h"
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "contact/judge/certificate.h"
#include "contact/file/fclib.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double default_tolerance = 1e-8;

typedef struct solve_job {
    const ts_args* args;
    double tolerance;
    ts_solver_choice chosen;
    _Alignas(double) unsigned char settings[TS_SETUP_SOLVERS][TS_SOLVER_SETTINGS_BYTES];
    ts_arena arena;  // of a certificate
    ts_text result;  // JSON, or lines of the table that wait to be printed
    ts_json json;
    ts_text answers;
    ts_json answers_json;
    ts_progress progress;
    int done;  // files and solvers
    int reached;
    int unreadable;
    int mute;  // nonzero once standard output cannot be written to
} solve_job;

// --- what is asked for -----------------------------------------------------------------------------------------------

// No chosen solver has this setting: is it one of another solver, or a slip of the pen?
static ts_code unknown_setting(const solve_job* job, const char* key, ts_status* status) {
    const char* name = key + 7;
    for (int s = 0; s < ts_solver_count(); ++s)
        if (ts_solver_setting_find(ts_solver_at(s), name))
            return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "no chosen solver has a setting '%s' (%s has)", name,
                                 ts_solver_at(s)->name);
    return ts_setup_unknown_key(key, 0, &job->chosen, status);
}

static ts_code apply_pair(solve_job* job, const char* pair, ts_status* status) {
    const char* equals = strchr(pair, '=');
    char key[128];
    double value = 0.0;
    int found = 0;
    if (strncmp(pair, "solver.", 7) != 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                             "'solve' sets only solver.NAME=VALUE: a file has no simulation; what is '%s'?", pair);
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair < 127 ? equals - pair : 127), pair);
    const char* name = key + 7;
    if (strcmp(name, "tolerance") == 0)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "how good an answer must be is told by --tol");
    if (!ts_args_number(equals + 1, &value))
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "--set solver.%s takes a number, not '%s'", name,
                             equals + 1);
    for (int s = 0; s < job->chosen.count; ++s) {
        const ts_solver* solver = job->chosen.solver[s];
        if (!ts_solver_setting_find(solver, name)) continue;
        found = 1;
        ts_code code = ts_solver_set(solver, job->settings[s], name, value, status);
        if (code) return code;
    }
    return found ? TS_OK : unknown_setting(job, key, status);
}

// The answers must not take the place of a question.
static ts_code check_impulses(const ts_args* args, ts_status* status) {
    for (int i = 0; i < args->file_count; ++i)
        if (ts_setup_same_file(args->impulses, args->file[i]))
            return ts_status_set(status, TS_ERROR_FILE, args->impulses, 0,
                                 "this is one of the problems: the answers would replace it");
    return ts_setup_writable(args->impulses, status);
}

static int prepare(solve_job* job, ts_status* status) {
    const ts_args* args = job->args;
    job->tolerance = isnan(args->tolerance) ? default_tolerance : args->tolerance;
    if (ts_setup_solvers(args->solvers ? args->solvers : "ncp", &job->chosen, status)) return TS_EXIT_USAGE;
    for (int s = 0; s < job->chosen.count; ++s) ts_solver_default_settings(job->chosen.solver[s], job->settings[s]);
    for (int i = 0; i < args->pair_count; ++i)
        if (apply_pair(job, args->pair[i], status)) return TS_EXIT_USAGE;
    if (args->impulses && check_impulses(args, status)) return TS_EXIT_FAILED;
    return TS_EXIT_DONE;
}

// --- results ---------------------------------------------------------------------------------------------------------

// JSON spells statuses with underscores, as everywhere.
static void json_status(ts_json* json, const char* status) {
    char text[32];
    snprintf(text, sizeof text, "%s", status);
    for (char* c = text; *c; ++c)
        if (*c == ' ') *c = '_';
    ts_json_add_string(json, "status", text);
}

static void json_head(ts_json* json, const char* file, const char* solver, const char* status) {
    ts_json_object(json);
    ts_json_add_string(json, "file", file);
    ts_json_add_string(json, "solver", solver);
    json_status(json, status);
}

// One object. Without a report there are no numbers.
static void add_object(solve_job* job, const char* file, const ts_solver* solver, const char* status,
                       const ts_relative_report* report, double seconds, const char* reason) {
    double unknown = (double)NAN;
    ts_json* json = &job->json;
    json_head(json, file, solver->name, status);
    ts_json_add_string(json, "stage", report && report->stage > 0 ? ts_solver_stage_name(solver, report->stage) : NULL);
    ts_json_key(json, "iterations");
    if (report)
        ts_json_integer(json, report->iterations);
    else
        ts_json_number(json, unknown);
    ts_json_add_number(json, "time_us", 1e6 * seconds);
    ts_json_add_object(json, "residual");
    ts_json_add_number(json, "natural", report ? report->error.natural : unknown);
    ts_json_add_number(json, "two_norm", report ? report->error.two_norm : unknown);
    ts_json_add_number(json, "own", report ? report->error.own : unknown);
    ts_json_object_end(json);
    if (reason[0]) {
        ts_json_add_string(json, "reason", reason);
    }
    ts_json_object_end(json);
}

// The last part of a path; all of it when that is empty.
static const char* short_name(const char* file) {
    const char* slash = strrchr(file, '/');
    return slash && slash[1] ? slash + 1 : file;
}

// One line of the table.
static void add_line(solve_job* job, const char* file, const ts_solver* solver, const char* status,
                     const ts_relative_report* report, double seconds, const char* reason) {
    ts_console_pad(&job->result, short_name(file), 34);
    ts_text_add(&job->result, " %-16s %-15s", solver->name, status);
    if (report)
        ts_text_add(&job->result, " %-15s %9d %12.2f %9.1e %9.1e %9.1e", ts_solver_stage_name(solver, report->stage),
                    report->iterations, 1e6 * seconds, report->error.natural, report->error.two_norm,
                    report->error.own);
    else
        ts_text_add(&job->result, " %-15s %9s %12s %9s %9s %9s", "-", "-", "-", "-", "-", "-");
    ts_text_add(&job->result, "%s%s\n", reason[0] ? "  " : "", reason);
}

// Lines of the table are printed as they come, so that nothing done is lost.
static void print_lines(solve_job* job) {
    if (job->args->json || job->mute) return;
    ts_progress_end(&job->progress);
    job->mute = ts_console_print(&job->result, TS_EXIT_DONE) != TS_EXIT_DONE;
}

// `report` is NULL when there is no answer.
static void add_result(solve_job* job, const char* file, const ts_solver* solver, const char* status,
                       const ts_relative_report* report, double seconds, const char* reason) {
    if (job->args->json)
        add_object(job, file, solver, status, report, seconds, reason);
    else
        add_line(job, file, solver, status, report, seconds, reason);
    print_lines(job);
    ++job->done;
}

// What the answer is worth contact by contact.
static void add_certificate(solve_job* job, const ts_contact_problem* problem, const double* impulse) {
    ts_contact_certificate certificate;
    ts_islands islands;
    ts_json* json = &job->answers_json;
    ts_json_key(json, "certificate");
    if (ts_islands_find(problem, &job->arena, &islands) ||
        ts_certificate_make(problem, &islands, impulse, ts_certificate_tolerance, TS_CERTIFICATE_FAST, &job->arena,
                            &certificate))
        ts_json_number(json, (double)NAN);  // written as null: memory was short
    else
        ts_certificate_write(&certificate, json);
    ts_arena_reset(&job->arena);
}

// The answer in the file's order: normal, tangent 1, tangent 2.
static void add_answer(solve_job* job, const char* file, const ts_solver* solver, const ts_contact_problem* problem,
                       const ts_relative_report* report, const double* impulse) {
    ts_json* json = &job->answers_json;
    json_head(json, file, solver->name, ts_solve_status_name(report->status));
    ts_json_add_array(json, "impulses");
    for (int b = 0; b < problem->block_count; ++b) {
        const double* l = impulse + problem->block[b].row;
        ts_json_array(json);
        ts_json_number(json, l[2]);
        ts_json_number(json, l[0]);
        ts_json_number(json, l[1]);
        ts_json_array_end(json);
    }
    ts_json_array_end(json);
    add_certificate(job, problem, impulse);
    ts_json_object_end(json);
}

// --- solving ---------------------------------------------------------------------------------------------------------

static int is_over(const solve_job* job) { return ts_signals_caught() || job->mute; }

static void show_progress(void* user) {
    solve_job* job = (solve_job*)user;
    ts_progress_update(&job->progress, (double)job->done / ((double)job->args->file_count * job->chosen.count));
}

static void solve_with(solve_job* job, const char* file, const ts_contact_problem* problem, int which) {
    const ts_args* args = job->args;
    const ts_solver* solver = job->chosen.solver[which];
    ts_attempt attempt = {problem,
                          solver,
                          job->settings[which],
                          job->tolerance,
                          isnan(args->time_limit) ? HUGE_VAL : args->time_limit,
                          args->threads > 0 ? args->threads : 1,
                          show_progress,
                          job};
    ts_attempt_result* result = ts_attempt_run(&attempt);
    if (!result) {
        add_result(job, file, solver, "failed", NULL, (double)NAN, "out of memory");
    } else if (result->end != TS_WATCH_SIGNAL) {
        const ts_relative_report* report = result->answered ? &result->report : NULL;
        job->reached += report && report->status == TS_SOLVE_CONVERGED;
        add_result(job, file, solver, ts_attempt_status(result), report, report ? result->seconds : (double)NAN,
                   result->reason);
        if (args->impulses && report) add_answer(job, file, solver, problem, report, result->impulse);
    }
    ts_attempt_free(result);
    show_progress(job);
}

// A pipe without a writer would be waited for for ever, and HDF5 needs to go back and forth.
static ts_code read_file(const char* file, ts_fclib_problem* out_recorded, ts_status* status) {
    struct stat info;
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return ts_status_set(status, TS_ERROR_FILE, file, 0, "cannot read: this is no regular file");
    return ts_fclib_read(file, out_recorded, status);
}

static void solve_file(solve_job* job, const char* file) {
    ts_fclib_problem recorded;
    ts_status status;
    if (read_file(file, &recorded, &status)) {
        char text[1024];
        ts_status_format(&status, text, sizeof text);
        ts_progress_end(&job->progress);
        ts_console_note("%s", text);
        ++job->unreadable;
        // The table says it once, on standard error.
        for (int s = 0; s < job->chosen.count; ++s)
            add_result(job, file, job->chosen.solver[s], "unreadable", NULL, (double)NAN,
                       job->args->json ? status.message : "");
        return;
    }
    for (int s = 0; s < job->chosen.count && !is_over(job); ++s) solve_with(job, file, &recorded.problem, s);
    ts_fclib_free(&recorded);
}

static void begin_output(solve_job* job) {
    job->json = ts_json_begin(&job->result);
    job->answers_json = ts_json_begin(&job->answers);
    ts_json_array(&job->answers_json);
    if (job->args->json)
        ts_json_array(&job->json);
    else
        ts_text_add(&job->result, "%-34s %-16s %-15s %-15s %9s %12s %9s %9s %9s\n", "file", "solver", "status", "stage",
                    "iterations", "time [us]", "natural", "two-norm", "own");
    print_lines(job);
}

static int end_output(solve_job* job, int exit_code) {
    ts_status status;
    ts_json_array_end(&job->answers_json);
    ts_text_add(&job->answers, "\n");
    if (job->args->impulses && ts_text_write_file(&job->answers, job->args->impulses, &status))
        exit_code = ts_console_error("solve", 0, exit_code ? exit_code : TS_EXIT_FAILED, &status);
    if (job->args->json) {
        ts_json_array_end(&job->json);
        ts_text_add(&job->result, "\n");
    }
    int exit = ts_console_print(&job->result, exit_code);
    if (job->mute && exit == TS_EXIT_DONE) exit = TS_EXIT_FAILED;
    if (job->reached < job->done && !job->args->json)
        ts_console_note("%d of %d solves did not reach %g%s", job->done - job->reached, job->done, job->tolerance,
                        job->unreadable ? " (or had no file to read)" : "");
    if (ts_signals_caught())
        ts_console_note("stopped: %d of %lld solves were done", job->done,
                        (long long)job->args->file_count * job->chosen.count);
    return exit;
}

static void free_job(solve_job* job) {
    ts_arena_free(&job->arena);
    ts_text_free(&job->result);
    ts_text_free(&job->answers);
}

int ts_cmd_solve(const ts_args* args) {
    static const solve_job empty;
    solve_job* job = (solve_job*)malloc(sizeof *job);
    ts_status status;
    if (!job) {
        ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
        return ts_console_error("solve", args->json, TS_EXIT_FAILED, &status);
    }
    *job = empty;
    job->args = args;
    int exit_code = prepare(job, &status);
    if (exit_code) {
        exit_code = ts_console_error("solve", args->json, exit_code, &status);
    } else {
        ts_signals_begin();
        job->progress = ts_progress_begin("solve");
        begin_output(job);
        for (int i = 0; i < args->file_count && !is_over(job); ++i) solve_file(job, args->file[i]);
        ts_progress_end(&job->progress);
        exit_code = job->reached == job->done && job->done > 0 ? TS_EXIT_DONE : TS_EXIT_FAILED;
        if (ts_signals_caught()) exit_code = ts_signals_exit_code();
        exit_code = end_output(job, exit_code);
    }
    free_job(job);
    free(job);
    return exit_code;
}
