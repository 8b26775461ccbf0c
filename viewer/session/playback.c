// Problem: show a simulation at the pace of the wall clock, and let people go back to the step where something happened.
// Rule: simulated time owed grows with the wall clock and is paid in whole steps; going back replays one step from a saved
// state, which a deterministic engine repeats to the bit. Guaranteed: what is shown after going back is what was shown
// before. Known to fail: solver or options changed in between are not part of a saved state, so a replayed step uses the
// present ones.
#include "viewer/session/playback_internal.h"

#include "engine/step/step.h"
#include "scenes/run.h"

#include <stdlib.h>
#include <string.h>

int ts_playback_due(ts_playback* playback, double elapsed, double time_step) {
    if (playback->paused) {
        int steps = playback->single_steps;
        playback->single_steps = 0;
        playback->owed = 0.0;
        return steps;
    }
    playback->single_steps = 0;
    if (!(time_step > 0.0) || !(elapsed > 0.0)) return 0;
    playback->owed = fmin(playback->owed + elapsed * playback->speed, 0.1 * fmax(playback->speed, 1.0));
    int steps = (int)(playback->owed / time_step);
    playback->owed -= (double)steps * time_step;
    return steps;
}

void ts_playback_change_speed(ts_playback* playback, int up) {
    double speed = up > 0 ? 2.0 * playback->speed : 0.5 * playback->speed;
    playback->speed = fmin(64.0, fmax(1.0 / 64.0, speed));
}

ts_code ts_history_open(ts_history* history, const ts_sim* sim, unsigned long bytes, ts_status* out_status) {
    memset(history, 0, sizeof *history);
    ts_snapshot probe;
    memset(&probe, 0, sizeof probe);
    ts_code code = ts_sim_snapshot(sim, &probe, out_status);
    if (code) return code;
    // Contacts add to a state as they appear; a guess of twice the first state's size leaves room for them.
    unsigned long fits = bytes / (2ul * (probe.size > 0 ? probe.size : 1ul));
    ts_snapshot_free(&probe);
    history->capacity = fits > 4000ul ? 4000 : (fits < 2ul ? 2 : (int)fits);
    history->entry = calloc((size_t)history->capacity, sizeof *history->entry);
    history->step = calloc((size_t)history->capacity, sizeof *history->step);
    history->push = calloc((size_t)history->capacity, sizeof *history->push);
    history->edited = calloc((size_t)history->capacity, sizeof *history->edited);
    if (!history->entry || !history->step || !history->push || !history->edited) {
        ts_history_free(history);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory to remember past states");
    }
    return ts_status_ok(out_status);
}

static ts_code control_and_step(const ts_loaded_scene* scene, ts_sim* sim, ts_push push, ts_status* out_status) {
    sim->times = TS_STEP_TIMES_STAGES;  // for charts
    if (push.body < 0) return ts_scene_step(scene, sim, out_status);
    ts_controller_act(&scene->control, sim);
    ts_force* wrench = &sim->wrench_applied[push.body];
    ts_force before = *wrench;
    wrench->force = ts_vec3_add(before.force, push.wrench.force);
    wrench->couple = ts_vec3_add(before.couple, push.wrench.couple);
    ts_code code = ts_sim_step(sim, out_status);
    *wrench = before;
    return code;
}

static int slot_of(const ts_history* history, int k) { return (history->first + k) % history->capacity; }

void ts_history_branch(ts_history* history, const ts_sim* sim) {
    while (history->count && history->step[slot_of(history, history->count - 1)] >= sim->step_count) --history->count;
}

void ts_history_edit(ts_history* history, const ts_sim* sim) {
    ts_history_branch(history, sim);
    history->edit = 1;
}

ts_code ts_history_step(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, ts_push push,
                        ts_status* out_status) {
    if (history->recording) return ts_scene_step(scene, sim, out_status);
    ts_history_branch(history, sim);
    if (history->capacity) {
        if (history->count == history->capacity) {
            history->first = (history->first + 1) % history->capacity;
            --history->count;
        }
        int slot = slot_of(history, history->count);
        ts_code code = ts_sim_snapshot(sim, &history->entry[slot], out_status);
        if (code) return code;
        history->step[slot] = sim->step_count;
        history->push[slot] = push;
        history->edited[slot] = history->edit;
        ++history->count;
    }
    ts_code code = control_and_step(scene, sim, push, out_status);
    if (code && history->count) --history->count;
    if (!code) history->edit = 0;
    return code;
}

void ts_history_range(const ts_history* history, const ts_sim* sim, long long* out_first, long long* out_last) {
    *out_first = *out_last = sim->step_count;
    if (history->recording) {
        const ts_recording_about* about = ts_recording_about_of(history->recording);
        *out_first = about->step[0];
        *out_last = about->step[about->count - 1];
        return;
    }
    if (!history->count) return;
    *out_first = history->step[history->first];
    *out_last = history->step[slot_of(history, history->count - 1)] + 1;
    if (*out_last < sim->step_count) *out_last = sim->step_count;
}

ts_code ts_history_seek(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, long long step,
                        ts_status* out_status) {
    if (history->recording) {
        long long row = ts_recording_after(history->recording, step - 1);
        return ts_recording_take(
            history->recording, row < 0 ? ts_recording_nearest(history->recording, (double)NAN) : row, sim, out_status);
    }
    if (!history->count) return ts_status_ok(out_status);
    long long lowest = history->step[history->first];
    int at = (int)(step < lowest ? 0 : (step - lowest > history->count ? history->count : step - lowest));
    history->edit = 0;
    // A state that a step led to gets its contacts from that step; any other one has only what its pose says.
    if (at == 0 || (at < history->count && history->edited[slot_of(history, at)])) {
        ts_code code = ts_sim_restore(sim, &history->entry[slot_of(history, at)], out_status);
        history->edit = at > 0;
        return code ? code : ts_sim_forward(sim, out_status);
    }
    return ts_history_again(history, scene, sim, lowest + at, out_status);
}

ts_code ts_history_again(const ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, long long step,
                         ts_status* out_status) {
    if (!ts_history_has(history, step))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "step %lld is not remembered", step);
    if (history->recording)
        return ts_recording_take(history->recording, ts_recording_after(history->recording, step - 1), sim, out_status);
    int slot = slot_of(history, (int)(step - 1 - history->step[history->first]));
    ts_code code = ts_sim_restore(sim, &history->entry[slot], out_status);
    return code ? code : control_and_step(scene, sim, history->push[slot], out_status);
}

int ts_history_has(const ts_history* history, long long step) {
    if (history->recording) return ts_recording_after(history->recording, step - 1) >= 0;
    if (!history->count) return 0;
    long long lowest = history->step[history->first];
    return step > lowest && step <= lowest + history->count;
}

void ts_history_clear(ts_history* history) { history->first = history->count = history->edit = 0; }

void ts_history_free(ts_history* history) {
    if (history->entry)
        for (int i = 0; i < history->capacity; ++i) ts_snapshot_free(&history->entry[i]);
    free(history->entry);
    free(history->step);
    free(history->push);
    free(history->edited);
    memset(history, 0, sizeof *history);
}
