// `touchstone diff`: where two recordings of one model part, and by how much. Exit codes are those of diff: 0 the same, 1 different, 2 trouble.
#include "cli/commands/commands.h"

#include "cli/console.h"
#include "cli/divergence_internal.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "cli/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

typedef struct diff_job {
    const ts_args* args;
    ts_recording* recording[2];
    ts_import_report report;
    ts_loaded_scene scene;
    ts_sim* sim[2];
    ts_divergence divergence;
    ts_progress progress;
} diff_job;

static int watch(void* user, double done) {
    ts_progress_update(&((diff_job*)user)->progress, done);
    return ts_signals_caught();
}

static ts_code open_both(diff_job* job, ts_status* status) {
    const char* path[2] = {job->args->subject, job->args->second};
    for (int k = 0; k < 2; ++k) {
        ts_code code = ts_recording_open(path[k], &job->recording[k], status);
        if (code) return code;
    }
    if (ts_setup_load_recorded(job->args, job->recording[0], &job->report, &job->scene, status)) return status->code;
    for (int k = 0; k < 2; ++k) {
        ts_code code = ts_sim_create(job->scene.model, 1, &job->sim[k], status);
        if (!code) code = ts_recording_configure(job->recording[k], job->sim[k], status);
        if (code) return code;
    }
    return TS_OK;
}

static int differs(const ts_divergence* d) { return d->first >= 0 || d->only_in[0] > 0 || d->only_in[1] > 0; }

static void add_difference(ts_json* json, const char* key, const ts_difference* d) {
    ts_json_key(json, key);
    if (d->step < 0) {
        ts_json_string(json, NULL);
        return;
    }
    ts_json_object(json);
    ts_json_add_integer(json, "step", d->step);
    ts_json_add_number(json, "time", d->time);
    ts_json_add_string(json, "what", d->what);
    ts_json_add_number(json, "difference", d->by);
    ts_json_object_end(json);
}

static void add_json(const diff_job* job, ts_text* text) {
    const ts_divergence* d = &job->divergence;
    ts_json json = ts_json_begin(text);
    ts_json_object(&json);
    ts_json_add_bool(&json, "same", !differs(d));
    for (int k = 0; k < 2; ++k) {
        const ts_recording_about* about = ts_recording_about_of(job->recording[k]);
        ts_json_add_object(&json, k ? "b" : "a");
        ts_json_add_string(&json, "file", about->path);
        ts_json_add_string(&json, "scene", about->scene);
        ts_json_add_string(&json, "solver", about->solver);
        ts_json_add_number(&json, "time_step", about->time_step);
        ts_json_add_bool(&json, "finished", about->finished);
        ts_json_add_integer(&json, "moments", about->count);
        ts_json_add_integer(&json, "alone", d->only_in[k]);
        ts_json_object_end(&json);
    }
    ts_json_add_integer(&json, "compared", d->moments);
    ts_json_add_number(&json, "from", d->from);
    ts_json_add_number(&json, "until", d->until);
    ts_json_add_string(&json, "first",
                       d->first < 0 ? NULL : ts_divergence_name((ts_divergence_quantity)d->first, NULL));
    ts_json_add_array(&json, "quantities");
    for (int q = 0; q < TS_DIVERGENCE_COUNT; ++q) {
        const char* unit;
        ts_json_object(&json);
        ts_json_add_string(&json, "quantity", ts_divergence_name((ts_divergence_quantity)q, &unit));
        ts_json_add_string(&json, "unit", unit);
        add_difference(&json, "first", &d->line[q].first);
        add_difference(&json, "most", &d->line[q].most);
        ts_json_object_end(&json);
    }
    ts_json_array_end(&json);
    ts_json_object_end(&json);
    ts_text_add(text, "\n");
}

// How the recordings differ before anything moved.
static void add_settings(const diff_job* job, ts_text* text) {
    const ts_recording_about *a = ts_recording_about_of(job->recording[0]),
                             *b = ts_recording_about_of(job->recording[1]);
    ts_text_add(text, "A  %s: %s, %s, step %g s, %lld moments%s\n", a->path, a->scene, a->solver, a->time_step,
                a->count, a->finished ? "" : ", not finished");
    ts_text_add(text, "B  %s: %s, %s, step %g s, %lld moments%s\n\n", b->path, b->scene, b->solver, b->time_step,
                b->count, b->finished ? "" : ", not finished");
}

static void add_words(const diff_job* job, ts_text* text) {
    const ts_divergence* d = &job->divergence;
    add_settings(job, text);
    if (d->moments == 0) {
        ts_text_add(text, "They have no moment in common.\n");
        return;
    }
    if (d->first < 0) {
        ts_text_add(text, "The same %s from t = %g s to t = %g s (%lld moments).\n",
                    job->args->tolerance > 0.0 ? "within the tolerance" : "bit by bit", d->from, d->until, d->moments);
    } else {
        const char* unit;
        const ts_difference* first = &d->line[d->first].first;
        const char* name = ts_divergence_name((ts_divergence_quantity)d->first, &unit);
        ts_text_add(text, "They part in step %lld, t = %.9g s: %s of %s", first->step, first->time, name, first->what);
        if (strcmp(unit, "1") != 0) ts_text_add(text, ", by %.3g %s", first->by, unit);
        ts_text_add(text, "\n\n%-18s %10s %12s  %-14s %12s  %-14s %s\n", "quantity", "first step", "time [s]", "by",
                    "most at [s]", "by", "of");
        for (int q = 0; q < TS_DIVERGENCE_COUNT; ++q) {
            const ts_divergence_line* line = &d->line[q];
            name = ts_divergence_name((ts_divergence_quantity)q, &unit);
            if (line->first.step < 0)
                ts_text_add(text, "%-18s %10s\n", name, "same");
            else
                ts_text_add(text, "%-18s %10lld %12.6g  %-14.3g %12.6g  %-14.3g %s\n", name, line->first.step,
                            line->first.time, line->first.by, line->most.time, line->most.by, line->most.what);
        }
    }
    for (int k = 0; k < 2; ++k)
        if (d->only_in[k] > 0) ts_text_add(text, "\n%lld moments are only in %c.\n", d->only_in[k], k ? 'B' : 'A');
    if (d->first >= 0)
        ts_text_add(text, "\nThis shows both, with a mark there:\n  touchstone view %s %s --html both.html\n",
                    job->args->subject, job->args->second);
}

int ts_cmd_diff(const ts_args* args) {
    diff_job job;
    memset(&job, 0, sizeof job);
    job.args = args;
    ts_status status;
    int exit_code = TROUBLE;
    ts_signals_begin();
    ts_code code = args->second ? open_both(&job, &status)
                                : ts_status_set(&status, TS_ERROR_VALUE, NULL, 0, "'diff' needs two recordings");
    job.progress = ts_progress_begin("comparing");
    if (!code)
        code = ts_divergence_find(job.recording, job.sim, isnan(args->tolerance) ? 0.0 : args->tolerance, watch, &job,
                                  &job.divergence, &status);
    ts_progress_end(&job.progress);
    if (code) {
        exit_code = ts_signals_caught() ? ts_signals_exit_code() : TROUBLE;
        exit_code = ts_console_error("diff", args->json, exit_code, &status);
    } else {
        ts_text text = {0};
        exit_code = differs(&job.divergence) ? DIFFERENT : SAME;
        if (args->json)
            add_json(&job, &text);
        else
            add_words(&job, &text);
        if (ts_console_print(&text, exit_code) != exit_code) exit_code = TROUBLE;
    }
    for (int k = 0; k < 2; ++k) {
        ts_recording_close(job.recording[k]);
        ts_sim_free(job.sim[k]);
    }
    ts_loaded_scene_free(&job.scene);
    ts_import_report_free(&job.report);
    return exit_code;
}
