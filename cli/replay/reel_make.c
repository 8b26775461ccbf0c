// Motions of runs that are made now, and of runs that were recorded.
#include "cli/replay/replay_page_internal.h"

#include "scenes/run.h"

#include <math.h>

// What the observer of a run needs.
typedef struct taker {
    ts_reel* reel;
    double begin;  // s
    double length;
    const ts_reel_wish* wish;
} taker;

static int take(void* user, ts_sim* sim) {
    taker* t = (taker*)user;
    if (!ts_reel_add(t->reel, sim, 0)) return 1;
    const ts_reel_wish* wish = t->wish;
    return wish->watch && wish->watch(wish->user, t->length > 0.0 ? (sim->time - t->begin) / t->length : 1.0);
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for the frames of a page");
}

ts_code ts_reel_of_run(const ts_loaded_scene* scene, ts_sim* sim, double duration, const ts_reel_wish* wish,
                       ts_reel* out_reel, ts_status* out_status) {
    ts_reel_begin(out_reel, sim, wish->name, wish->rate);
    taker t = {out_reel, sim->time, duration, wish};
    ts_code code = ts_run_scene(scene, sim, duration, take, &t, out_status);
    if (out_reel->failed) return no_memory(out_status);
    // A step that failed has left the state before it.
    if (code != TS_ERROR_INTERRUPTED && !ts_reel_add(out_reel, sim, 1)) return no_memory(out_status);
    return code;
}

ts_code ts_reel_of_recording(ts_recording* recording, ts_sim* sim, const ts_reel_wish* wish, ts_reel* out_reel,
                             ts_status* out_status) {
    const ts_recording_about* about = ts_recording_about_of(recording);
    for (long long row = 0; row < about->count; ++row) {
        int last = row + 1 == about->count;
        // Rows between frames need not be read.
        if (row > 0 && !last && about->time[row] < out_reel->due - 1e-6 * out_reel->spacing) continue;
        ts_code code = ts_recording_take(recording, row, sim, out_status);
        if (code) return code;
        if (row == 0) ts_reel_begin(out_reel, sim, wish->name, wish->rate);
        if (!ts_reel_add(out_reel, sim, last)) return no_memory(out_status);
        if (wish->watch && wish->watch(wish->user, (double)(row + 1) / (double)about->count))
            return ts_status_set(out_status, TS_ERROR_INTERRUPTED, NULL, 0, "stopped at t = %g s", sim->time);
    }
    return ts_status_ok(out_status);
}
