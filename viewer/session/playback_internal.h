// How simulated time follows the wall clock, and the way back: pause, single steps, speed, and a memory of past states.
#ifndef TS_VIEWER_SESSION_PLAYBACK_INTERNAL_H
#define TS_VIEWER_SESSION_PLAYBACK_INTERNAL_H

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

/// A wrench from outside during one step; body < 0: none.
typedef struct ts_push {
    int body;
    ts_force wrench;  // world axes, about the body's centre of mass, N and N m; added to what else is applied
} ts_push;

/// States before past steps, the oldest forgotten first. Zero-initialised is empty; free with ts_history_free.
typedef struct ts_history {
    ts_snapshot* entry;  // (capacity) ring
    long long* step;     // (capacity) step count of the state; one more from entry to entry
    ts_push* push;       // (capacity) what came from outside in the step that began there
    int* edited;         // (capacity) nonzero: the state is not where the step before led
    int capacity;
    int first;
    int count;
    int edit;  // nonzero: the state now is not where the last step led
    ts_recording*
        recording;  // borrowed: all of its moments are in reach, and no states are remembered; NULL: it is simulated
} ts_history;

/// Makes room for as many states as fit into `bytes`, at most 4000. Call once. TS_ERROR_MEMORY when memory is short.
ts_code ts_history_open(ts_history* history, const ts_sim* sim, unsigned long bytes, ts_status* out_status);

/// Steps the simulation once, as ts_run_scene does: the scene's controller first. Remembers the state before and forgets what once came
/// after it. After a step that fails the state is the one before.
ts_code ts_history_step(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, ts_push push,
                        ts_status* out_status);

/// The earliest and the latest step that ts_history_seek reaches.
void ts_history_range(const ts_history* history, const ts_sim* sim, long long* out_first, long long* out_last);

/// Goes to the state at that step, or the nearest one in reach, contact forces included: puts the state before back and steps it again,
/// which gives the same bits. What comes after stays remembered until somebody steps from there.
ts_code ts_history_seek(ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, long long step,
                        ts_status* out_status);

/// Nonzero when the step that led there can be made again.
int ts_history_has(const ts_history* history, long long step);

/// Makes the step that led to step number `step` again, in any simulation of the same model and settings. TS_ERROR_VALUE where it is not remembered.
ts_code ts_history_again(const ts_history* history, const ts_loaded_scene* scene, ts_sim* sim, long long step,
                         ts_status* out_status);

/// Forgets what came after the state now: something was changed, and the future will be another.
void ts_history_branch(ts_history* history, const ts_sim* sim);

/// The same, and says that the state itself was changed by hand.
void ts_history_edit(ts_history* history, const ts_sim* sim);

/// Forgets all states, keeping the memory.
void ts_history_clear(ts_history* history);

/// Releases the memory.
void ts_history_free(ts_history* history);

#ifdef __cplusplus
}
#endif
#endif
