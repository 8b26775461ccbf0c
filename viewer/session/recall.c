// Problem: what is worth watching is known only once it has happened. Rule: a step can be made again from the state before it (playback.h) or is
// recorded, so its numbers are measured then, in a simulation apart from the one that is shown. Guaranteed: they are those that going back would
// show, to the bit; the runs are left alone. Known to fail: what was forgotten, or led there before solver or options were changed, is
// not what it was, as in going back.
#include "viewer/session/recall_internal.h"

#include <limits.h>
#include <string.h>

void ts_recall_begin(ts_recall* recall) {
    recall->busy = 1;
    recall->run = 0;
    recall->below = LLONG_MAX;
    recall->row = -1;
}

void ts_recall_end(ts_recall* recall) {
    ts_sim_free(recall->sim);
    memset(recall, 0, sizeof *recall);
}

static void next_run(ts_recall* recall) {
    ++recall->run;
    recall->below = LLONG_MAX;
    recall->row = -1;
}

static ts_code get_ready(ts_recall* recall, const ts_run* from, ts_status* out_status) {
    ts_code code = TS_OK;
    if (!recall->sim) code = ts_sim_create(from->sim->model, 1, &recall->sim, out_status);
    return code ? code : ts_runs_take_settings(from->sim, recall->sim, out_status);
}

// Whoever remembers that step: the run, or one that it parted from later.
static const ts_run* who_knows(const ts_runs* runs, int i, long long step) {
    for (; i >= 0; i = runs->run[i].parent)
        if (ts_history_has(&runs->run[i].history, step)) return &runs->run[i];
    return NULL;
}

// The latest sample below those that are done.
static int remember(ts_recall* recall, const ts_runs* runs, const ts_loaded_scene* scene, int body,
                    ts_recalled* out_recalled) {
    const ts_strip* strip = runs->run[recall->run].strip;
    ts_status status;
    if (body < 0 && !strip->watched[0]) return 0;
    for (;;) {
        int at = ts_strip_find(strip, recall->below - 1);
        if (at < 0) return 0;
        long long step = ts_strip_at(strip, at)->step;
        const ts_run* from = who_knows(runs, recall->run, step);
        recall->below = step;
        if (!from || get_ready(recall, from, &status)) continue;
        if (ts_history_again(&from->history, from->scene ? from->scene : scene, recall->sim, step, &status)) continue;
        out_recalled->whole = 0;
        out_recalled->sample.step = step;
        ts_sim_update_kinematics(recall->sim);
        ts_strip_measure_asked(recall->sim, body, strip->watched, out_recalled->sample.value);
        return 1;
    }
}

// The next moment; the first one is of no step.
static int read_on(ts_recall* recall, const ts_run* run, int body, ts_recalled* out_recalled) {
    ts_recording* recording = run->history.recording;
    long long count = ts_recording_about_of(recording)->count;
    ts_status status;
    if (recall->row < 0) recall->row = count > TS_STRIP_SAMPLES ? count - TS_STRIP_SAMPLES : 1;
    if (recall->row >= count || get_ready(recall, run, &status)) return 0;
    if (ts_recording_take(recording, recall->row++, recall->sim, &status)) return 0;
    out_recalled->whole = 1;
    out_recalled->sample = ts_strip_measure(recall->sim, body, run->strip->watched);
    return 1;
}

int ts_recall_next(ts_recall* recall, const ts_runs* runs, const ts_loaded_scene* scene, int body,
                   ts_recalled* out_recalled) {
    for (; recall->busy && recall->run < runs->count; next_run(recall)) {
        const ts_run* run = &runs->run[recall->run];
        out_recalled->run = recall->run;
        if (run->history.recording ? read_on(recall, run, body, out_recalled)
                                   : remember(recall, runs, scene, body, out_recalled))
            return 1;
    }
    ts_recall_end(recall);
    return 0;
}

void ts_recall_note(const ts_recalled* recalled, const ts_runs* runs) {
    ts_strip* strip = runs->run[recalled->run].strip;
    const ts_sample* from = &recalled->sample;
    int at = ts_strip_find(strip, from->step), there = at >= 0 && ts_strip_at(strip, at)->step == from->step;
    if (!there && recalled->whole && at == strip->count - 1) ts_strip_add(strip, *from);
    if (!there) return;
    ts_sample* sample = &strip->sample[(strip->first + at) % TS_STRIP_SAMPLES];
    for (int q = recalled->whole ? 0 : TS_QUANTITY_HEIGHT; q < TS_QUANTITY_COUNT; ++q)
        sample->value[q] = from->value[q];
}
