// Problem: the charts of a window on a machine that has none. Rule: the simulations go on as the window's do (runs.h), their steps are noted in the
// same strip and their solves in the same curves, and the same drawing writes them. Guaranteed: states are those of a run that nobody looks at. Known
// to fail: a strip keeps the last TS_STRIP_SAMPLES steps.
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/session/convergence_internal.h"
#include "viewer/session/runs_internal.h"
#include "viewer/session/shadow_internal.h"

// What a chart is made of.
typedef struct charts {
    const ts_view_request* request;
    ts_runs runs;
    ts_strip* strip;
    ts_shadow shadow;
} charts;

static ts_code open_charts(charts* c, ts_status* out_status) {
    const ts_view_request* request = c->request;
    c->strip = calloc(1, sizeof *c->strip);
    if (!c->strip) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for charts");
    // Nobody goes back: the least history is enough.
    ts_code code = ts_runs_add(&c->runs, request->sim, 0, 0, out_status);
    if (!code) c->runs.run[0].history.recording = request->scene->recording;
    for (int i = 0; i < request->companion_count && !code; ++i) {
        code = ts_runs_add(&c->runs, request->companion[i].sim, 0, 0, out_status);
        if (code || !request->companion_scene) continue;
        ts_run* run = &c->runs.run[1 + i];
        run->scene = request->companion_scene[i];
        run->history.recording = run->scene->recording;
    }
    return code ? code : ts_runs_trace(&c->runs, 1, out_status);
}

static ts_code step_to_time(charts* c, ts_status* out_status) {
    const ts_view_request* request = c->request;
    const ts_grab nothing = {.kind = TS_GRAB_NONE};
    const ts_grab_load no_load = {0};
    ts_code code = TS_OK;
    while (!code && request->sim->time + 0.5 * request->sim->options.time_step <= request->time) {
        if (request->stop && request->stop(request->user))
            return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", request->sim->time);
        code = ts_runs_step(&c->runs, request->scene, &nothing, &no_load, out_status);
        if (!code) ts_strip_add(c->strip, ts_strip_measure(request->sim, request->scene->focus, ""));
    }
    return code;
}

static ts_code look(charts* c, ts_status* out_status) {
    ts_shadow_begin(&c->shadow);
    for (int i = 0; i < c->runs.count; ++i) {
        const ts_run* run = &c->runs.run[i];
        char name[sizeof c->shadow.look[0].name];
        ts_runs_name(run, name, sizeof name);
        ts_code code = ts_shadow_add(&c->shadow, run->sim, run->sim, name, run->fault, out_status);
        if (code) return code;
    }
    ts_shadow_choose(&c->shadow, 0);
    return TS_OK;
}

static ts_code write_charts(const charts* c, const char* path, ts_status* out_status) {
    const char* ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".csv") == 0) return ts_strip_write_csv(c->strip, path, out_status);
    const ts_charted all = {c->strip, c->request->sim->step_count, ts_theme_of(c->request->dark), &c->shadow};
    return ts_chart_write_svg(&all, c->request->width, path, out_status);
}

ts_code ts_viewer_check_charts(const char* path, ts_status* out_status) {
    const char* ending = strrchr(path, '.');
    if (ending && (strcmp(ending, ".svg") == 0 || strcmp(ending, ".csv") == 0)) return ts_status_ok(out_status);
    return ts_status_set(out_status, TS_ERROR_VALUE, path, 0, "charts are written as .svg or .csv");
}

ts_code ts_viewer_charts(const ts_view_request* request, const char* path, ts_status* out_status) {
    charts c;
    memset(&c, 0, sizeof c);
    c.request = request;
    ts_code code = ts_viewer_check_charts(path, out_status);
    if (!code && 1 + request->companion_count > TS_RUNS)
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d simulations side by side are the most",
                             (int)TS_RUNS);
    if (!code) code = open_charts(&c, out_status);
    if (!code) code = step_to_time(&c, out_status);
    if (!code && !c.strip->count)
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "charts are of steps, and none is made until t = %g s: --time says when", request->time);
    if (!code) code = look(&c, out_status);
    if (!code) code = write_charts(&c, path, out_status);
    ts_runs_free(&c.runs);
    ts_shadow_free(&c.shadow);
    free(c.strip);
    return code ? code : ts_status_ok(out_status);
}
