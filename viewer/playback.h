// How simulated time follows the wall clock, and the way back: pause, single steps, speed, and a memory of past states.
#ifndef TS_VIEWER_PLAYBACK_H
#define TS_VIEWER_PLAYBACK_H

#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Pacing. Zero-initialised plus a speed is a running start.
typedef struct ts_playback {
    int paused;
    double speed;      // simulated seconds per second
    double owed;       // s of simulated time that has not been stepped yet
    int single_steps;  // steps asked for while paused
} ts_playback;

/// How many steps are due after `elapsed` wall-clock seconds. At most a tenth of a second is ever owed: a simulation that
/// cannot keep up becomes slower, not less and less responsive.
int ts_playback_due(ts_playback* playback, double elapsed, double time_step);

/// Doubles (up > 0) or halves the speed, between 1/64 and 64.
void ts_playback_change_speed(ts_playback* playback, int up);

/// States before past steps, the oldest forgotten first. Zero-initialised is empty; free with ts_history_free.
typedef struct ts_history {
    ts_snapshot* entry;  // (capacity) ring
    long long* step;     // (capacity) step count of the state
    int capacity;
    int first;
    int count;
} ts_history;

/// Makes room for as many states as fit into `bytes`, at most 4000. Call once. TS_ERROR_MEMORY when memory is short.
ts_code ts_history_open(ts_history* history, const ts_sim* sim, unsigned long bytes, ts_status* out_status);

/// Steps the simulation once, as ts_run_scene does: the scene's controller first. Remembers the state before.
ts_code ts_history_step(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, ts_status* out_status);

/// Goes back by one step, contact forces included: puts the state before the step before the last one back and steps it
/// again, which gives the same bits. Returns TS_OK and changes nothing when nothing is remembered.
ts_code ts_history_back(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, ts_status* out_status);

/// Forgets all states, keeping the memory.
void ts_history_clear(ts_history* history);

/// Releases the memory.
void ts_history_free(ts_history* history);

#ifdef __cplusplus
}
#endif
#endif
