// `touchstone study`: one scene under every combination of settings, against more exact runs of itself.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/report/replay_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"
#include "cli/study/study_internal.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct study_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_study study;
    ts_ranks ranks;
    ts_text command;
    char part[4200];  // where this rank keeps its runs; "" without --out
} study_job;

// Parts of this and earlier starts: every file "part-*" of the folder.
static ts_code take_up(study_job* job, ts_status* status) {
    DIR* folder = opendir(job->args->out);
    ts_code code = TS_OK;
    for (struct dirent* entry; folder && code == TS_OK && (entry = readdir(folder)) != NULL;) {
        char path[4600];
        ts_text text = {0};
        if (strncmp(entry->d_name, "part-", 5) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", job->args->out, entry->d_name);
        code = ts_text_read_file(path, (size_t)1 << 31, &text, status);
        if (code == TS_OK) code = ts_study_unpack(&job->study, ts_text_get(&text), status);
        ts_text_free(&text);
    }
    if (folder) closedir(folder);
    return code;
}

static int prepare(study_job* job, ts_status* status) {
    const ts_args* args = job->args;
    int created = 0;
    int exit_code = ts_setup_load(args, args->subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    if (ts_setup_strict(args, &job->report, args->subject, status)) return TS_EXIT_FAILED;
    job->study.args = args;
    job->study.scene = &job->scene;
    job->study.duration = isnan(args->time) ? job->scene.duration : args->time;
    ts_replay_command("study", args, &job->command);
    job->study.command = ts_text_get(&job->command);
    ts_code code = ts_study_plan(&job->study, status);
    if (code) return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED;
    if (!args->out) return TS_EXIT_DONE;
    if (job->ranks.rank == 0 && ts_setup_directory(args->out, &created, status)) return TS_EXIT_FAILED;
    snprintf(job->part, sizeof job->part, "%s/part-%d", args->out, job->ranks.rank);
    return take_up(job, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

// What all ranks have done, for rank 0.
static ts_code gather(study_job* job, ts_status* status) {
    if (job->ranks.count == 1) return TS_OK;
    ts_text own = {0};
    int count = job->ranks.count;
    ts_text* all = (ts_text*)calloc((size_t)count, sizeof *all);
    int exit_code = all ? TS_EXIT_DONE : TS_EXIT_FAILED;
    if (!all) ts_status_set(status, TS_ERROR_MEMORY, NULL, 0, "out of memory while gathering the runs");
    exit_code = ts_ranks_agree(&job->ranks, exit_code, status);
    if (exit_code) {
        free(all);
        return status->code;
    }
    for (int i = 0; i < job->study.run_count && job->ranks.rank > 0; ++i)
        if (job->study.run[i].done) ts_study_pack(&job->study, i, &own);
    ts_ranks_gather(&job->ranks, &own, all);
    ts_code code = TS_OK;
    for (int i = 0; i < count && code == TS_OK && job->ranks.rank == 0; ++i)
        if (all[i].length > 0) code = ts_study_unpack(&job->study, ts_text_get(&all[i]), status);
    for (int i = 0; i < count; ++i) ts_text_free(&all[i]);
    free(all);
    ts_text_free(&own);
    return code;
}

static ts_code write_files(const ts_study* study, const char* directory, ts_status* status) {
    ts_page_files files = {.directory = directory};
    ts_text text = {0};
    ts_study_csv(study, &text);
    ts_page_files_write(&files, "study.csv", &text);
    ts_study_json(study, &text);
    ts_page_files_write(&files, "study.json", &text);
    ts_study_html(study, &files, &text);
    ts_page_files_write(&files, "study.html", &text);
    *status = files.status;
    return status->code;
}

static int conclude(study_job* job) {
    const ts_args* args = job->args;
    ts_status status;
    ts_text text = {0};
    int done = 0;
    ts_status_ok(&status);
    for (int i = 0; i < job->study.run_count; ++i) done += job->study.run[i].done;
    ts_study_measure(&job->study);
    if (args->out && write_files(&job->study, args->out, &status))
        return ts_console_error("study", args->json, TS_EXIT_FAILED, &status);
    int exit_code = job->study.interrupted ? ts_signals_exit_code() : TS_EXIT_DONE;
    if (job->study.interrupted)
        ts_console_note(args->out ? "stopped after %d of %d runs; the same command goes on from there"
                                  : "stopped after %d of %d runs",
                        done, job->study.run_count);
    if (args->json) {
        ts_study_json(&job->study, &text);
    } else {
        ts_study_text(&job->study, &text);
        if (args->out)
            ts_text_add(&text, "\npage: %s/study.html\n", args->out);
        else
            ts_text_add(&text, "\nAdd --out DIR for a page with plots, and to go on after an interruption.\n");
    }
    return ts_console_print(&text, exit_code);
}

static int threads_of(const ts_args* args) {
    if (args->threads > 0) return args->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static int run(study_job* job, ts_status* status) {
    int own = prepare(job, status);
    int exit_code = ts_ranks_agree(&job->ranks, own, status);
    if (own || exit_code) return exit_code;
    if (job->ranks.rank == 0) ts_setup_note_report(job->args->subject, &job->report);
    ts_signals_begin();
    ts_code code =
        ts_study_make(&job->study, &job->ranks, threads_of(job->args), job->part[0] ? job->part : NULL, status);
    ts_ranks_meet(&job->ranks);
    exit_code = ts_ranks_agree(&job->ranks, code ? TS_EXIT_FAILED : TS_EXIT_DONE, status);
    if (exit_code) return exit_code;
    return gather(job, status) ? TS_EXIT_FAILED : TS_EXIT_DONE;
}

int ts_cmd_study(const ts_args* args) {
    study_job job;
    ts_status status;
    memset(&job, 0, sizeof job);
    ts_status_ok(&status);
    job.args = args;
    job.ranks = ts_ranks_here();
    int exit_code = run(&job, &status);
    if (job.ranks.rank == 0)
        exit_code = exit_code ? ts_console_error("study", args->json, exit_code, &status) : conclude(&job);
    exit_code = ts_ranks_share(&job.ranks, exit_code);
    ts_study_free(&job.study);
    ts_loaded_scene_free(&job.scene);
    ts_import_report_free(&job.report);
    ts_text_free(&job.command);
    return exit_code;
}
