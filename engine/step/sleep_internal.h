// Sleep: what is kept of bodies that are left alone because nothing moves them. See sleep.c (falling asleep) and wake.c.
#ifndef TS_ENGINE_STEP_SLEEP_INTERNAL_H
#define TS_ENGINE_STEP_SLEEP_INTERNAL_H

#include "base/array.h"
#include "contact/solver.h"
#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

TS_ARRAY_DECLARE(ts_sleeping_contact_array, ts_contact);
TS_ARRAY_DECLARE(ts_sleeping_rare_array, ts_contact_rare);
TS_ARRAY_DECLARE(ts_sleeping_verdict_array, ts_contact_verdict);

/// How quiet a kinematic tree is.
typedef struct ts_tree_rest {
    double quiet;  // s: for how long
    ts_sleep_state state;
    int island;  // of a sleeper: the first tree of its island
} ts_tree_rest;

/// What a simulation keeps of sleep.
typedef struct ts_bed {
    ts_arena fixed;      // owns the arrays whose size the model decides
    ts_tree_rest* tree;  // (tree_count)
    double* reach;       // (nv) m: what lies farthest from the axis of a turn; 1: of a shift
    double* place;       // (nq) where a tree was when it became quiet; of a sleeper where it lies
    double* sensor;      // (sensor_size) of those on sleepers, what happened in the step in which they fell asleep
    int* barred;         // (tree_count) ts_sleep_reason why it never sleeps, or TS_SLEEP_NONE; from the model

    // what comes from outside, as the last step had it
    int knows_inputs;  // nonzero: the following is that
    double* ctrl;
    int* equality;
    double* mocap;
    double* force;
    ts_force* wrench;
    ts_options options;  // without what cuts time into steps
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];

    // of the present step
    unsigned char* moved;  // (body_count) nonzero: moved from outside since the last one, with all that hangs on it
    int any_moved;
    int woken;   // trees, so far
    int failed;  // nonzero: memory was short

    // scratch of falling asleep
    int* root;       // (tree_count) union-find: the first tree of its island, in the end
    int* holds;      // (tree_count) of a root: a tree of its island that keeps it awake, or -1; how many trees it has
    double* change;  // (nv)
    double* way;     // (body_count)
    unsigned char* driven;  // (tree_count) a surface that runs touches it

    // of sleepers alone, sorted as in ts_sim
    ts_sleeping_contact_array contact;
    ts_sleeping_rare_array rare;        // of those contacts, or empty
    ts_sleeping_verdict_array verdict;  // likewise of all
    ts_pair_memory_array pair;
    ts_manifold_kept_array kept;  // one of each pair
    ts_pair_search_array search;  // likewise, where pairs search
    ts_row_memory_array row;
    ts_row_more_array more;  // of these
} ts_bed;

/// A step begins: sees what has changed from outside, and wakes whom it concerns. In substeps before the first only. Returns 0 when memory
/// is short.
int ts_sleep_begin(ts_sim* sim);

/// Wakes sleepers that contacts of the step have with what is awake or was moved. Returns how many trees woke: then contacts are to be found anew.
int ts_sleep_touched(ts_sim* sim);

/// Whether two bodies have nothing to ask of the broad phase: none is awake or moved.
int ts_sleep_keeps_apart(const ts_sim* sim, int body_a, int body_b);

/// Whether all trees sleep, their boxes are known, and nothing was moved.
int ts_sleep_is_total(const ts_sim* sim);

/// Poses and boxes of all sleepers are known.
void ts_sleep_lie(ts_sim* sim);

/// The step is over: lets islands that were quiet for long enough fall asleep, and notes why the others are awake. TS_ERROR_MEMORY.
ts_code ts_sleep_end(ts_sim* sim);

/// How many contacts of the step were solved: they come first.
static inline int ts_sleep_solved(const ts_sim* sim) { return sim->contact_count - sim->asleep_contacts; }

/// Shows contacts of sleepers behind the others, or takes them away again.
void ts_sleep_show(ts_sim* sim);
void ts_sleep_hide(ts_sim* sim);

/// The verdict of contact i, which is of sleepers: from the step in which they fell asleep.
const ts_contact_verdict* ts_sleep_verdict(const ts_sim* sim, int i);

/// Shows what a sensor of sleepers had shown.
void ts_sleep_hold_sensor(ts_sim* sim, const ts_sensor* sensor);

/// Everyone is awake, and quiet since now.
void ts_sleep_forget(ts_sim* sim);

/// Wakes everybody.
void ts_sleep_wake_all(ts_sim* sim, ts_sleep_reason cause);

/// Wakes the island of a tree.
void ts_sleep_wake_tree(ts_sim* sim, int tree, ts_sleep_reason cause, int other);

/// Takes back what the bed keeps of trees that are awake, or lays there what is of sleepers.
void ts_sleep_give_back(ts_sim* sim);
int ts_sleep_lay_down(ts_sim* sim);

/// Makes the bed, once. Returns 0 when memory is short.
int ts_sleep_make_bed(ts_sim* sim);

/// Bytes of the bed; frees it.
size_t ts_sleep_memory(const ts_sim* sim);
void ts_sleep_free(ts_sim* sim);

/// A part of a snapshot: its size, 0 without a bed; writes it; takes it over, which makes the bed where there is none. Returns 0 when memory is short.
size_t ts_sleep_saved_size(const ts_sim* sim);
void ts_sleep_save(const ts_sim* sim, unsigned char* out_data);
int ts_sleep_restore(ts_sim* sim, const unsigned char* data, size_t size);

/// Whether such a part is one of this model.
int ts_sleep_is_saved(const ts_sim* sim, const unsigned char* data, size_t size);

/// Goes on with a hash of the state.
uint64_t ts_sleep_hash(const ts_sim* sim, uint64_t hash);

/// "sleep: 12 bodies..." refused in `what`: TS_ERROR_UNSUPPORTED where something sleeps.
ts_code ts_sleep_refuse(const ts_sim* sim, const char* what, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
