// The simulation, on a thread of its own. Whoever shows it asks for things through a queue and gets shadows back.
#ifndef TS_VIEWER_SESSION_WORKER_INTERNAL_H
#define TS_VIEWER_SESSION_WORKER_INTERNAL_H

#include "viewer/session/runs_internal.h"
#include "viewer/session/shadow_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What can be asked for.
typedef enum ts_ask_kind {
    TS_ASK_RUN,       // index: 1 run, 0 pause, -1 the other one
    TS_ASK_STEP,      // index: so many steps forward, or back; pauses
    TS_ASK_SEEK,      // index: to that step; pauses
    TS_ASK_SPEED,     // value: simulated seconds per second; 0: index doubles (1) or halves (-1) it
    TS_ASK_RESET,     //
    TS_ASK_RELOAD,    // the scene from where it came; index nonzero keeps the state where it fits
    TS_ASK_LOAD,      // text: another scene, by name or path
    TS_ASK_KEYFRAME,  // index
    TS_ASK_SOLVER,    // text: its name
    TS_ASK_SET,       // text: "NAME=VALUE" as ts_sim_set
    TS_ASK_CONTROL,   // index of an actuator, value
    TS_ASK_POSITION,  // index into qpos, value; while paused or not
    TS_ASK_EQUALITY,  // index of an equality, value: nonzero, it holds
    TS_ASK_CLEAR,     // controls and forces from outside to zero
    TS_ASK_GRAB,      // grab; of kind none lets go
    TS_ASK_WATCH,     // index of the body that charts show, or -1
    TS_ASK_NUMBERS,   // text: numbers that charts show, by words
    TS_ASK_TRACE,     // index nonzero: steps note how their solves converge
    TS_ASK_PART,      // another simulation goes on from here beside the chosen one, and is chosen
    TS_ASK_LEAVE,     // the chosen one is taken away
    TS_ASK_CHOOSE     // index of the simulation that is changed, charted and followed
} ts_ask_kind;

/// One thing asked for.
typedef struct ts_ask {
    ts_ask_kind kind;
    long long index;
    double value;
    ts_grab grab;
    char text[1024];
} ts_ask;

typedef struct ts_worker ts_worker;

/// How a worker starts.
typedef struct ts_worker_start {
    double speed;  // simulated seconds per second
    int paused;
    int threaded;           // zero: nothing happens but in ts_worker_turn, so that what happens is the same every time
    ts_sim* const* beside;  // (count) borrowed: other simulations of the world's model
    const ts_loaded_scene* const* beside_scene;  // (count) recordings that those show (borrowed), or NULL
    const char* const*
        title;  // (1 + count) names of the world's own and of those, NULL for that of the solver; or NULL
    int count;
} ts_worker_start;

/// Takes a world over (its holder) and shows its first shadow.
ts_code ts_worker_create(ts_world* world, const ts_worker_start* start, ts_worker** out_worker, ts_status* out_status);

/// Asks for something; it is done between two steps, in the order asked. Returns 0 when memory is short.
int ts_worker_ask(ts_worker* worker, const ts_ask* ask);

/// Does what is asked for and due at `now`, s; for workers without a thread.
void ts_worker_turn(ts_worker* worker, double now);

/// The newest shadow, which stays as it is until the next call. Never waits for a step.
const ts_shadow* ts_worker_shadow(ts_worker* worker);

/// Nonzero when there is a newer one than ts_worker_shadow gave last.
int ts_worker_has_news(ts_worker* worker);

/// For how long the step that is being made has been made, s; 0: none is.
double ts_worker_step_time(ts_worker* worker);

/// Copies what is known of past steps of a simulation, by its number. The stepping thread waits meanwhile. Returns 0 when there is no such one.
int ts_worker_strip(ts_worker* worker, int run, ts_strip* out_strip);

/// Ends the thread after the step it is in, and frees all; NULL is ignored.
void ts_worker_destroy(ts_worker* worker);

#ifdef __cplusplus
}
#endif
#endif
