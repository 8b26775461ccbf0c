// What the thread (worker.c) and the things it is asked to do (worker_asks.c) share.
#ifndef TS_VIEWER_SESSION_WORKER_PARTS_INTERNAL_H
#define TS_VIEWER_SESSION_WORKER_PARTS_INTERNAL_H

#include "viewer/session/recall_internal.h"
#include "viewer/session/worker_internal.h"

#include "base/array.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

TS_ARRAY_DECLARE(ask_array, ts_ask);

struct ts_worker {
    // of the stepping thread
    ts_world* world;
    ts_playback playback;
    ts_runs runs;
    ts_grab grab;
    ts_grab_load load;
    ts_recall recall;
    ts_arena arena;
    double last;  // s, of the last turn; < 0: none yet
    double rate, rate_since, rate_from;
    char message[200];
    int message_number;
    int worlds;   // so far
    int stale;    // the newest shadow is not of the present state
    int watched;  // body that charts show, or -1
    ask_array taken;

    // of both, under the lock
    pthread_mutex_t lock;
    pthread_cond_t wake;
    ask_array asked;
    ts_shadow shadow[3];
    int shown, newest, spare;
    int fresh;   // newest was not shown yet
    int wanted;  // shown is the newest: another one is welcome
    int quit;
    double step_since;  // s, of the clock: when the step that is being made began; < 0: none is

    int threaded;
    pthread_t thread;
};

/// Tells whoever watches.
void ts_worker_say(ts_worker* w, const char* text);

/// Tells what went wrong.
void ts_worker_say_status(ts_worker* w, const ts_status* status);

/// Gives a world back; the last holder frees it. NULL is ignored.
void ts_worker_let_go(ts_worker* w, ts_world* world);

/// Does everything that was asked for until now, in the order asked.
void ts_worker_obey(ts_worker* w);

/// Opens the runs of a world: its own simulation, and beside it those that were brought.
ts_code ts_worker_open_runs(ts_worker* w, const ts_world* world, const ts_worker_start* start, ts_status* out_status);

/// The simulation that is changed, charted and followed.
static inline ts_sim* ts_worker_sim(ts_worker* w) { return ts_runs_sim(&w->runs); }

#ifdef __cplusplus
}
#endif
#endif
