// `touchstone view ... --html`: a page that shows a run again, or several side by side: of one scene under several solvers, or recordings.
#include "cli/commands/view_internal.h"

#include "cli/console.h"
#include "cli/controls.h"
#include "cli/divergence_internal.h"
#include "cli/progress.h"
#include "cli/replay/replay_page_internal.h"
#include "cli/report/replay_internal.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct page_job {
    const ts_args* args;
    ts_import_report report;
    ts_loaded_scene scene;
    ts_controls controls;
    ts_reel reel[TS_REPLAY_RUNS];
    int count;  // motions
    int planned;
    int ended;  // motions that go to their end
    ts_progress progress;
    ts_text note;
    double mark;  // s: where two recordings part; NAN: they do not
    ts_text mark_text;
    ts_replay_look look;
} page_job;

static int watch(void* user, double done) {
    page_job* job = (page_job*)user;
    ts_progress_update(&job->progress, ((double)job->count + done) / (double)job->planned);
    return ts_signals_caught();
}

static double rate_of(const ts_args* args, double duration) {
    return isnan(args->rate) ? ts_reel_rate(duration) : args->rate;
}

static int exit_of(ts_code code) { return code == TS_ERROR_VALUE ? TS_EXIT_USAGE : TS_EXIT_FAILED; }

// --- runs ------------------------------------------------------------------------------------------------------------

static ts_code run_one(page_job* job, const char* solver, ts_status* status) {
    const ts_args* args = job->args;
    ts_sim* sim = NULL;
    char recording[4096];
    ts_code code = ts_sim_create(job->scene.model, args->threads > 0 ? args->threads : 1, &sim, status);
    if (!code) code = ts_setup_configure(sim, args, solver, job->planned > 1, status);
    if (!code) ts_controls_follow(&job->controls, sim);
    if (!code) code = ts_setup_from(args, sim, recording, sizeof recording, status);
    if (!code) {
        const char* name = sim->solver->name;
        double duration = isnan(args->time) ? job->scene.duration : args->time;
        snprintf(job->progress.label, sizeof job->progress.label, "%-16.40s", name);
        ts_reel_wish wish = {name, rate_of(args, duration), watch, job};
        code = ts_reel_of_run(&job->scene, sim, duration, &wish, &job->reel[job->count], status);
        // What blows up is a result; the page shows it as far as it got.
        int shown = job->reel[job->count].frames.count > 0 && code != TS_ERROR_INTERRUPTED && code != TS_ERROR_MEMORY;
        job->ended += code == TS_OK;
        if (code && shown) {
            ts_text_add(&job->note, "%s%s: %s", job->note.length ? "; " : "", name, status->message);
            ts_console_note("%s: %s", name, status->message);
            code = TS_OK;
        }
        job->count += shown;
    }
    ts_sim_free(sim);
    return code;
}

static int run_all(page_job* job, ts_status* status) {
    const ts_args* args = job->args;
    ts_solver_choice chosen = {1, {NULL}};
    if (args->solver && ts_setup_solvers(args->solver, &chosen, status)) return TS_EXIT_USAGE;
    if (chosen.count > TS_REPLAY_RUNS) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "a page shows %d runs at most, not %d: --solver names them",
                      (int)TS_REPLAY_RUNS, chosen.count);
        return TS_EXIT_USAGE;
    }
    const char* subject = args->subject ? args->subject : ts_scene_at(0)->name;
    int exit_code = ts_setup_load(args, subject, &job->report, &job->scene, status);
    if (exit_code) return exit_code;
    ts_code code = ts_controls_read(args, job->scene.model, &job->controls, status);
    if (code) return exit_of(code);
    if (ts_setup_writable(args->html, status)) return TS_EXIT_FAILED;
    ts_setup_note_report(subject, &job->report);
    job->planned = chosen.count;
    for (int i = 0; i < chosen.count && !code; ++i)
        code = run_one(job, chosen.solver[i] ? chosen.solver[i]->name : NULL, status);
    if (code) return exit_of(code);
    return job->ended > 0 ? TS_EXIT_DONE : TS_EXIT_FAILED;
}

// --- recordings ------------------------------------------------------------------------------------------------------

static int show_one(page_job* job, const char* path, ts_status* status) {
    ts_recording* recording = NULL;
    ts_sim* sim = NULL;
    char name[256];
    if (ts_recording_open(path, &recording, status)) return TS_EXIT_FAILED;
    int exit_code = job->scene.model ? TS_EXIT_DONE
                                     : ts_setup_load_recorded(job->args, recording, &job->report, &job->scene, status);
    ts_code code = exit_code ? status->code : ts_sim_create(job->scene.model, 1, &sim, status);
    const ts_recording_about* about = ts_recording_about_of(recording);
    const char* solver = about->solver;
    double rate = rate_of(job->args, about->time[about->count - 1] - about->time[0]);
    if (!code) code = ts_recording_configure(recording, sim, status);
    snprintf(name, sizeof name, "%s%s%s", path, solver[0] ? ", " : "", solver);
    snprintf(job->progress.label, sizeof job->progress.label, "%-16.40s", path);
    ts_reel_wish wish = {name, rate, watch, job};
    if (!code) code = ts_reel_of_recording(recording, sim, &wish, &job->reel[job->count], status);
    job->count += !code;
    ts_sim_free(sim);
    ts_recording_close(recording);
    return exit_code ? exit_code : (code ? TS_EXIT_FAILED : TS_EXIT_DONE);
}

// What prevents telling where two recordings part leaves the page without a mark.
static void mark_difference(page_job* job) {
    ts_recording* recording[2] = {NULL, NULL};
    char words[320] = "";
    ts_code code = TS_OK;
    for (int k = 0; k < 2 && !code; ++k) code = ts_recording_open(job->args->file[k], &recording[k], NULL);
    if (!code) job->mark = ts_divergence_mark(recording, job->scene.model, words, sizeof words);
    ts_text_add(isnan(job->mark) ? &job->note : &job->mark_text, "%s", words);
    for (int k = 0; k < 2; ++k) ts_recording_close(recording[k]);
}

static int show_all(page_job* job, ts_status* status) {
    const ts_args* args = job->args;
    if (args->file_count > TS_REPLAY_RUNS) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "a page shows %d recordings at most, not %d",
                      (int)TS_REPLAY_RUNS, args->file_count);
        return TS_EXIT_USAGE;
    }
    job->planned = args->file_count;
    if (ts_setup_writable(args->html, status)) return TS_EXIT_FAILED;
    int exit_code = TS_EXIT_DONE;
    for (int i = 0; i < args->file_count && !exit_code; ++i) exit_code = show_one(job, args->file[i], status);
    job->ended = job->count;
    if (!exit_code && args->file_count == 2) mark_difference(job);
    return exit_code;
}

// --- the page --------------------------------------------------------------------------------------------------------

static ts_code write_page(const page_job* job, ts_text* page, ts_status* status) {
    ts_text command = {0};
    ts_replay_command("view", job->args, &command);
    ts_replay_page replay = {.scene = &job->scene,
                             .reel = job->reel,
                             .count = job->count,
                             .command = ts_text_get(&command),
                             .mark = job->mark,
                             .mark_text = ts_text_get(&job->mark_text),
                             .note = job->note.length ? ts_text_get(&job->note) : NULL,
                             .look = &job->look};
    ts_code code = ts_replay_page_html(&replay, page, status);
    if (!code) code = ts_text_write_file(page, job->args->html, status);
    ts_text_free(&command);
    return code;
}

static int report_done(const page_job* job, size_t bytes, int exit_code) {
    const ts_reel* reel = &job->reel[0];
    double end = 0.0;
    for (int i = 0; i < job->count; ++i)
        end = fmax(end, job->reel[i].frames.data[job->reel[i].frames.count - 1].number[0]);
    ts_text text = {0};
    if (job->args->json) {
        ts_json json = ts_json_begin(&text);
        ts_json_object(&json);
        ts_json_add_string(&json, "scene", job->scene.name);
        ts_json_add_number(&json, "time", end);
        ts_json_add_string(&json, "html", job->args->html);
        ts_json_add_integer(&json, "runs", job->count);
        ts_json_add_integer(&json, "frames", reel->frames.count);
        ts_json_add_integer(&json, "bytes", (long long)bytes);
        ts_json_add_number(&json, "position_error", ts_reel_length_error(reel));
        ts_json_add_number(&json, "angle_error", ts_reel_turn_error());
        ts_json_object_end(&json);
        ts_text_add(&text, "\n");
    } else {
        ts_text_add(&text, "%s until t = %g s, %d run%s, %d frames, %.3g MB: %s\n", job->scene.name, end, job->count,
                    job->count == 1 ? "" : "s", reel->frames.count, 1e-6 * (double)bytes, job->args->html);
        ts_text_add(&text, "places are exact to %.2g m, orientations to %.2g rad\n", ts_reel_length_error(reel),
                    ts_reel_turn_error());
    }
    return ts_console_print(&text, exit_code);
}

static int make(page_job* job, ts_status* status) {
    const ts_args* args = job->args;
    int recorded = 0;
    for (int i = 0; i < args->file_count; ++i) recorded += ts_setup_looks_recorded(args->file[i]);
    const char* output[2] = {NULL, NULL};
    if (ts_view_outputs(args, output) > 1) {
        ts_status_set(status, TS_ERROR_VALUE, NULL, 0, "%s or %s, not both", output[0], output[1]);
        return TS_EXIT_USAGE;
    }
    if (args->watch)
        return ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                             "--watch charts numbers in a window or with --charts, not with --html"),
               TS_EXIT_USAGE;
    if (ts_view_html_look(args, NULL, &job->look, status)) return TS_EXIT_USAGE;
    if (args->file_count > 1 && recorded < args->file_count) {
        for (int i = 0; i < args->file_count; ++i)
            if (!ts_setup_looks_recorded(args->file[i]))
                return ts_status_set(status, TS_ERROR_VALUE, NULL, 0,
                                     "several files are recordings (.h5), which '%s' is not", args->file[i]),
                       TS_EXIT_USAGE;
    }
    if (recorded && ts_setup_only_shown(args, status)) return TS_EXIT_USAGE;
    ts_signals_begin();
    job->progress = ts_progress_begin("");
    int exit_code = recorded ? show_all(job, status) : run_all(job, status);
    ts_progress_end(&job->progress);
    return exit_code;
}

int ts_view_html(const ts_args* args) {
    page_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    job.planned = 1;
    job.mark = (double)NAN;
    ts_status status;
    ts_status_ok(&status);
    int exit_code = make(&job, &status), whole = exit_code == TS_EXIT_DONE;
    ts_text page = {0};
    if (ts_signals_caught())
        exit_code = ts_signals_exit_code();
    else if (whole && write_page(&job, &page, &status))
        exit_code = TS_EXIT_FAILED;
    exit_code = exit_code ? ts_console_error("view", args->json, exit_code, &status)
                          : report_done(&job, page.length, exit_code);
    ts_text_free(&page);
    ts_text_free(&job.note);
    ts_text_free(&job.mark_text);
    for (int i = 0; i < TS_REPLAY_RUNS; ++i) ts_reel_free(&job.reel[i]);
    ts_loaded_scene_free(&job.scene);
    ts_controls_free(&job.controls);
    ts_import_report_free(&job.report);
    return exit_code;
}
