// Problem: the charts of a window on a machine that has none. Rule: the simulations go on as those of a picture do (steps.h), their steps are noted in
// strips and their solves in curves as the window's are, and the same drawing writes them. Guaranteed: states are those of a run that nobody looks at. Known
// to fail: a strip keeps the last TS_STRIP_SAMPLES steps.
#include "viewer/viewer.h"

#include <stdio.h>
#include <string.h>

#include "viewer/session/convergence_internal.h"
#include "viewer/session/runs_internal.h"
#include "viewer/session/shadow_internal.h"
#include "viewer/steps_internal.h"

// What a chart is made of.
typedef struct charts {
    const ts_view_request* request;
    ts_runs runs;
    long long noted[TS_RUNS];  // step that was noted last of each
    ts_status fault[TS_VIEW_LAYERS];
    ts_shadow shadow;
} charts;

ts_code ts_viewer_check_watched(const char* watched, const ts_sim* sim, ts_status* out_status) {
    char word[TS_GAUGE_WORD];
    double value;
    int count = 0;
    for (; ts_gauge_word(watched, count, word); ++count) {
        const char* fault = ts_gauge_read(sim, NULL, word, &value);
        if (fault) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "'%.80s': %s", word, fault);
    }
    if (strlen(watched) >= TS_GAUGE_WORDS || count < 1 || count > TS_GAUGE_MOST)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "one to %d numbers of less than %d letters are watched, and these are %d",
                             (int)TS_GAUGE_MOST, (int)TS_GAUGE_WORD, count);
    return ts_status_ok(out_status);
}

static ts_code open_charts(charts* c, ts_status* out_status) {
    const ts_view_request* request = c->request;
    ts_code code = TS_OK;
    if (request->watched) code = ts_viewer_check_watched(request->watched, request->sim, out_status);
    // Nobody goes back: the least history is enough.
    for (int i = 0; i <= request->companion_count && !code; ++i) {
        ts_sim* sim = i ? request->companion[i - 1].sim : request->sim;
        sim->times = TS_STEP_TIMES_STAGES;
        c->noted[i] = sim->step_count;
        code = ts_runs_add(&c->runs, sim, 0, 0, out_status);
        const char* name = i ? request->companion[i - 1].name : request->name;
        if (!code && name) snprintf(c->runs.run[i].title, sizeof c->runs.run[i].title, "%s", name);
        if (!code && request->watched) ts_strip_watch(c->runs.run[i].strip, request->watched);
    }
    return code ? code : ts_runs_trace(&c->runs, 1, out_status);
}

static int note_step(void* user, int which, ts_sim* sim) {
    charts* c = user;
    ts_strip* strip = c->runs.run[which].strip;
    if (sim->step_count == c->noted[which]) return 0;
    c->noted[which] = sim->step_count;
    ts_strip_add(strip, ts_strip_measure(sim, c->request->scene->focus, strip->watched));
    return 0;
}

static ts_code look(charts* c, ts_status* out_status) {
    ts_shadow_begin(&c->shadow);
    for (int i = 0; i < c->runs.count; ++i) {
        const ts_run* run = &c->runs.run[i];
        char name[sizeof c->shadow.look[0].name];
        ts_runs_name(run, name, sizeof name);
        ts_code code = ts_shadow_add(&c->shadow, run->sim, run->sim, name, c->fault[i].message, out_status);
        if (code) return code;
    }
    ts_shadow_choose(&c->shadow, 0);
    return TS_OK;
}

static ts_code write_charts(const charts* c, const char* path, ts_status* out_status) {
    const char* ending = strrchr(path, '.');
    ts_strips strips = {.count = c->request->watched ? c->runs.count : 1};
    for (int i = 0; i < strips.count; ++i) {
        strips.strip[i] = c->runs.run[i].strip;
        strips.name[i] = c->shadow.look[i].name;
    }
    if (ending && strcmp(ending, ".csv") == 0) return ts_strip_write_csv(&strips, path, out_status);
    const ts_charted all = {strips, c->request->sim->step_count, ts_theme_of(c->request->dark), &c->shadow};
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
    if (!code) code = ts_steps_to_time(request, request->time, note_step, &c, c.fault, out_status);
    if (!code && !c.runs.run[0].strip->count)
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "charts are of steps, and none is made until t = %g s: --time says when", request->time);
    if (!code) code = look(&c, out_status);
    if (!code) code = write_charts(&c, path, out_status);
    ts_runs_free(&c.runs);
    ts_shadow_free(&c.shadow);
    return code ? code : ts_status_ok(out_status);
}
