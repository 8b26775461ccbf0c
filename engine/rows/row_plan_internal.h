// The list of a step's blocks, as assembly reads it. Its arrays live as long as the simulation and grow; the problem points
// into them until the next step.
#ifndef TS_ENGINE_ROW_PLAN_INTERNAL_H
#define TS_ENGINE_ROW_PLAN_INTERNAL_H

#include "engine/rows/row_source_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ts_row_plan {
    const ts_sim* sim;
    ts_row_block* owner;           // (block_count)
    ts_block* block;               // (block_count)
    int* block_row;                // (block_count + 1)
    int* segment_start;            // (block_count + 1)
    ts_delassus_segment* segment;  // (segment_count) without J until assembly places it
    int block_count;
    int row_count;
    int segment_count;
    size_t number_count;  // numbers in all J
    int tree_most;        // most trees that a block moves
    size_t wide_most;     // most numbers in the rows of a block over whole trees
    int keeper;           // ts_row_memory.keeper of the step's solver
    int source;           // whose turn it is
    int source_first;     // its first block
    int memory_at;        // entries of sim->row_memory from here to memory_end may still be met
    int memory_end;
    int drives;      // nonzero: there are blocks of sources that drive
    int failed;      // nonzero: memory was short
    unsigned idle;   // a bit for each source that the model cannot have rows of
    int source_end;  // behind the last source that it can
    int known;       // blocks of the last plan that may still be those of this one: 0 from the first that is another on
    int block_capacity;
    int segment_capacity;
};

/// Finds, for a plan that is zero, which sources there is no need to ask.
void ts_row_plan_open(ts_row_plan* plan, const ts_model* model);

/// Asks all sources that the model can have rows of. Returns NULL when memory is short. The plan belongs to the simulation.
const ts_row_plan* ts_row_plan_make(ts_sim* sim);

/// The first tree that block b moves, or -1.
static inline int ts_row_plan_tree(const ts_row_plan* plan, int b) {
    int s = plan->segment_start[b];
    return s < plan->segment_start[b + 1] ? plan->sim->model->dof[plan->segment[s].column].tree : -1;
}

/// Bytes that the arrays hold.
size_t ts_row_plan_memory(const ts_row_plan* plan);

/// Releases what the arrays hold.
void ts_row_plan_free(ts_row_plan* plan);

#ifdef __cplusplus
}
#endif
#endif
