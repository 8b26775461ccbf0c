// The order in which a sweep visits the blocks of a large island, cut into pieces that several threads can take.
#ifndef TS_CONTACT_SWEEP_ORDER_INTERNAL_H
#define TS_CONTACT_SWEEP_ORDER_INTERNAL_H

#include "base/task.h"
#include "contact/operator/delassus_velocity_internal.h"

enum {
    TS_SWEEP_PHASES = 3,        // slabs, seams, hubs
    TS_SWEEP_PIECES_MAX = 32,   // of all phases together
    TS_SWEEP_BLOCKS_MIN = 1024  // smaller islands are swept as they come: waiting for each other would eat the gain
};

/// A permutation of the blocks. Pieces of one phase touch no common column, so they may run in any order and at once; a
/// phase begins when the one before it is over. All of it follows from the problem alone, never from the threads.
typedef struct ts_sweep_order {
    const int* block;                    // (block_count) block at each place of the sweep
    int start[TS_SWEEP_PIECES_MAX + 1];  // piece k is the places [start[k], start[k + 1])
    int phase[TS_SWEEP_PHASES + 1];      // phase p is the pieces [phase[p], phase[p + 1])
    int nodes;                           // groups of neighbouring columns that are used together
    const int* node_of;                  // (velocity_count) ascending
} ts_sweep_order;

/// Cuts the blocks of a velocity form. Memory from `arena`. Leaves *out_order NULL where there is nothing to cut: few
/// blocks, or all of them around one body. Returns 0 when memory is short.
int ts_sweep_order_make(const ts_velocity_form* form, ts_arena* arena, const ts_sweep_order** out_order);

/// The same operator with blocks and columns renumbered in the order of the sweep and its rows copied one behind the
/// other. It keeps `order`, whose places are now its blocks, and uses `tasks` (NULL: the caller alone) in its products.
/// NULL when memory is short.
ts_delassus* ts_velocity_form_reorder(const ts_velocity_form* form, const ts_sweep_order* order, ts_task_pool* tasks,
                                      ts_arena* arena);

/// A piece of work over the places [begin, end) of a sweep.
typedef void (*ts_sweep_work)(void* context, int begin, int end, int piece);

/// Runs all pieces, phase by phase, from the last to the first when `backward` is nonzero.
void ts_sweep_order_run(const ts_sweep_order* order, ts_task_pool* tasks, int backward, ts_sweep_work work,
                        void* context);

#endif
