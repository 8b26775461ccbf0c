// Simulations of one world that go on in lockstep: those somebody brought, and those that parted from another one on the way.
#ifndef TS_VIEWER_SESSION_RUNS_INTERNAL_H
#define TS_VIEWER_SESSION_RUNS_INTERNAL_H

#include "viewer/session/grab_internal.h"
#include "viewer/session/strip_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most simulations beside each other.
enum { TS_RUNS = TS_STRIPS };

/// One of them.
typedef struct ts_run {
    ts_sim* sim;
    int owned;                     // nonzero: the sim is its own
    const ts_loaded_scene* scene;  // that its steps come from, a recording of its own (borrowed); NULL: that of all
    ts_history history;
    ts_strip* strip;         // owned
    struct ts_trace* trace;  // owned: how the last step's solve converged; NULL: nobody asked
    int parent;              // the run it parted from, -1: none
    int with_parent;         // nonzero: at this moment it has not parted yet, and is where its parent is
    double since;            // s: when it parted
    int advanced;            // nonzero: it made a step in the last ts_runs_step
    char title[96];          // its name; "": the solver's, and what was changed
    char note[64];           // what was changed in it since it parted; "" for nothing
    char fault[160];         // why it stopped; "": it goes on
} ts_run;

/// All of them. Zero-initialised is empty; free with ts_runs_free.
typedef struct ts_runs {
    ts_run run[TS_RUNS];
    int count;
    int chosen;  // the one that is changed, charted and followed
    int traced;  // nonzero: they note how their solves converge
} ts_runs;

/// Adds a simulation, which it owns if `owned` is nonzero (also on errors). `bytes` is what its history may keep.
ts_code ts_runs_add(ts_runs* runs, ts_sim* sim, int owned, unsigned long bytes, ts_status* out_status);

/// Adds one that parts from the chosen one now, with its solver, settings and options, and chooses it. The state is taken over when it makes
/// its first step. TS_ERROR_VALUE when there are TS_RUNS of them, or a recording is shown.
ts_code ts_runs_part(ts_runs* runs, unsigned long bytes, ts_status* out_status);

/// Takes the chosen one away, unless it is the only one; those that parted from it stand alone.
ts_code ts_runs_remove(ts_runs* runs, ts_status* out_status);

/// One step of the chosen simulation, and as many of the others as take them to the same time; all feel the grab. Another one that
/// fails stops and says why in `fault`; when the chosen one fails, its error comes back.
ts_code ts_runs_step(ts_runs* runs, const ts_loaded_scene* scene, const ts_grab* grab, const ts_grab_load* load,
                     ts_status* out_status);

/// Takes the chosen one to that step, the others to that time.
ts_code ts_runs_seek(ts_runs* runs, const ts_loaded_scene* scene, long long step, ts_status* out_status);

/// The steps of the chosen one that ts_runs_seek reaches.
void ts_runs_range(const ts_runs* runs, long long* out_first, long long* out_last);

/// Back to the beginning, all of them, from where each runs by itself.
void ts_runs_reset(ts_runs* runs);

/// The chosen simulation.
ts_sim* ts_runs_sim(const ts_runs* runs);

/// What run i looks like now: its own simulation, or that of the one it has not parted from yet.
const ts_run* ts_runs_seen(const ts_runs* runs, int i);

/// Something of the chosen one was changed: what was known of its future is so no more, and one that has not parted yet parts here.
void ts_runs_changed(ts_runs* runs);

/// Makes run i one with a state of its own, if it has not parted yet. What follows from the state is not computed.
ts_code ts_runs_settle(ts_runs* runs, int i, ts_status* out_status);

/// Makes run i go on from the state that the first one has. Contacts and warm starts come with it.
ts_code ts_runs_follow(ts_runs* runs, int i, ts_status* out_status);

/// From now on all of them note how the solves of their steps converge (sim->trace), or, with `on` zero, no more. TS_ERROR_MEMORY.
ts_code ts_runs_trace(ts_runs* runs, int on, ts_status* out_status);

/// Its name: the solver's, and what was changed.
void ts_runs_name(const ts_run* run, char* out_name, size_t size);

/// Notes a change of "NAME=VALUE" in the chosen one's name when it has parted from another one.
void ts_runs_note(ts_runs* runs, const char* change);

/// Gives a simulation solver, settings, options, integrator and control of another one of the same model.
ts_code ts_runs_take_settings(const ts_sim* from, ts_sim* to, ts_status* out_status);

/// Releases everything.
void ts_runs_free(ts_runs* runs);

#ifdef __cplusplus
}
#endif
#endif
