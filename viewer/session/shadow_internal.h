// What one picture needs of a simulation, copied, so that it can be drawn while the simulation goes on.
#ifndef TS_VIEWER_SESSION_SHADOW_INTERNAL_H
#define TS_VIEWER_SESSION_SHADOW_INTERNAL_H

#include "engine/step/certify.h"
#include "viewer/session/runs_internal.h"
#include "viewer/session/world_internal.h"
#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most points of how a solve converged that are kept.
enum { TS_CURVE_POINTS = 96 };

/// How the solve of the last step converged; see ts_trace_curve.
typedef struct ts_solve_curve {
    int count;   // points; 0: nothing was solved, or noted
    int missed;  // iterations that there was no room to note
    double iteration[TS_CURVE_POINTS];
    double unmet[TS_CURVE_POINTS];  // 1: of the worst island
} ts_solve_curve;

/// One simulation of several.
typedef struct ts_look {
    /// Reads like the simulation, but only these are there: model, options, solver and its settings, integrator, time, step_count, state,
    /// applied forces, mocap, which equalities hold, lengths and forces of actuators, sensors, contacts, info, and of kinematics the poses, centres, velocities,
    /// anchors and axes. It cannot be stepped, saved or freed.
    ts_sim sim;
    ts_contact_facts facts;
    int mode_count[TS_MODE_COUNT];
    ts_energy energy;
    ts_solve_curve curve;
    const ts_sleep_state* sleep;  // (tree_count); NULL: nothing sleeps
    size_t memory;                // bytes that the simulation holds
    char name[96];
    char fault[160];  // why it stopped; "": it goes on
} ts_look;

/// A shadow. Zero-initialised is empty; free with ts_shadow_free.
typedef struct ts_shadow {
    ts_look look[TS_RUNS];
    int look_count;
    int chosen;
    // of the chosen one
    ts_sim sim;
    ts_contact_facts facts;
    int mode_count[TS_MODE_COUNT];
    ts_energy energy;
    const ts_sleep_state* sleep;  // (tree_count); NULL: nothing sleeps

    ts_world* world;  // held, once by the shadow
    int paused;
    int grabbed;         // body that is held, or -1
    double speed;        // wanted: simulated seconds per second
    double rate;         // reached over the last half second; 0 while paused
    long long first;     // step that can be gone back to
    long long last;      // and latest one that is known
    int recalling;       // nonzero: numbers of past steps are still being found
    char message[200];   // the last that was said
    int message_number;  // counts them
    ts_arena arena;
} ts_shadow;

/// Forgets what it showed; the world stays whoever's it was.
void ts_shadow_begin(ts_shadow* shadow);

/// Copies one more simulation, which is measured (sensors, energy) on the way. Solver, settings and options are those of `settings`, which
/// may be another one: of a run that has not parted yet. TS_ERROR_MEMORY.
ts_code ts_shadow_add(ts_shadow* shadow, ts_sim* sim, const ts_sim* settings, const char* name, const char* fault,
                      ts_status* out_status);

/// Makes look number `chosen` the one that is shown as the simulation.
void ts_shadow_choose(ts_shadow* shadow, int chosen);

/// Releases the memory, not the world.
void ts_shadow_free(ts_shadow* shadow);

#ifdef __cplusplus
}
#endif
#endif
