// The velocity form of the Delassus operator, open to the sweeps of contact/solvers/: a call through a table for every
// block costs as much as the arithmetic of a contact between free bodies. Everyone else uses contact/operator/delassus.h; what
// is inline here is exactly what those functions do, so both ways give the same bits.
#ifndef TS_CONTACT_DELASSUS_VELOCITY_INTERNAL_H
#define TS_CONTACT_DELASSUS_VELOCITY_INTERNAL_H

#include "base/task.h"
#include "contact/operator/delassus.h"
#include "contact/operator/six_simd_internal.h"

/// Which code reads and changes a block.
typedef enum ts_velocity_kernel {
    TS_VELOCITY_PAIR,  // 3 rows, two segments of 6 columns: contact between two free bodies
    TS_VELOCITY_ONE,   // 3 rows, one segment of 6 columns: free body on something fixed
    TS_VELOCITY_ANY    // everything else, also no segments at all
} ts_velocity_kernel;

/// Where a block's numbers are.
typedef struct ts_velocity_block {
    const double* J;  // first segment's J; for TS_VELOCITY_PAIR the second's follows
    const double* Y;  // likewise
    int column[2];    // first column of the first two segments
    int rows;
    int kernel;
} ts_velocity_block;

/// The operator.
typedef struct ts_velocity_form {
    ts_delassus base;
    int velocity_count;
    double* V;      // (velocity_count) M^-1 J^T lambda
    double* known;  // (row_count) whose V that is, where a solver has said so; NULL: it cannot
    int is_known;
    double*
        known_rows;  // (row_count) G times that impulse, where are_rows_known; NULL: nobody can say so, as not all blocks have six columns
    int are_rows_known;
    int is_summed;  // nonzero: V is summed row by row, as ts_velocity_form_tell has it; no block has a kernel of six columns
    int is_six;                // nonzero: all blocks have one
    double* V_apply;           // (velocity_count) the same for the x of `apply`
    ts_velocity_block* block;  // (block_count)
    const ts_delassus_segment* segment;
    const int* segment_start;            // (block_count + 1)
    double* diagonal;                    // blocks G_bb one after another
    size_t* diagonal_start;              // (block_count)
    const struct ts_sweep_order* order;  // pieces of a sweep over its blocks; NULL: one, in order
    ts_task_pool* tasks;                 // NULL: the caller alone
} ts_velocity_form;

/// The velocity form behind an operator, or NULL when it is another kind.
ts_velocity_form* ts_velocity_form_of(ts_delassus* G);

/// Cuts the form into one operator per island, in arena memory: `split` of ts_delassus_ops. Returns 0 when memory runs out.
int ts_velocity_form_split(ts_delassus* G, ts_arena* arena, const ts_islands* islands, ts_delassus** out_part);

/// The blocks of G that are not zero: `blocks` of ts_delassus_ops.
int ts_velocity_form_blocks(const ts_delassus* G, ts_arena* arena, size_t most, ts_delassus_blocks* out);

/// Tells of blocks that act on each other: `join` of ts_delassus_ops.
void ts_velocity_form_join(const ts_delassus* G, ts_arena* scratch, void (*join)(void* context, int a, int b),
                           void* context);

/// Says that `V` (velocity_count) is M^-1 J^T `impulse` (row_count), summed row by row in order: the next set_impulse, where it is of the same
/// numbers, does not find it again. The kernels of six columns sum otherwise: where there are any, nothing is remembered, so that the bits are
/// the same whoever has solved.
void ts_velocity_form_tell(ts_velocity_form* form, const double* impulse, const double* V);

/// set_impulse, and the next one, where it is of the same numbers, does not find V again.
void ts_velocity_form_set(ts_velocity_form* form, const double* impulse);

/// Says that known_rows holds G times the impulse of the last ts_velocity_form_set, all of it read as ts_velocity_read_six does.
static inline void ts_velocity_form_have_rows(ts_velocity_form* form) { form->are_rows_known = 1; }

/// The x of the last `apply` is the next impulse: set_impulse, where it is of the same numbers, does not find V again.
void ts_velocity_form_keep(ts_velocity_form* form, const double* x);

/// The rows of a block with kernel PAIR or ONE times V.
static inline void ts_velocity_read_six(const ts_velocity_block* block, const double* V, double* out_velocity) {
    if (block->kernel == TS_VELOCITY_PAIR)
        TS_SIX(read_pair)(block->J, V + block->column[0], V + block->column[1], out_velocity);
    else
        TS_SIX(read)(block->J, V + block->column[0], out_velocity);
}

/// V += Y^T d of a block with kernel PAIR or ONE.
static inline void ts_velocity_change_six(const ts_velocity_block* block, double d0, double d1, double d2, double* V) {
    TS_SIX(change)(block->Y, d0, d1, d2, V + block->column[0]);
    if (block->kernel == TS_VELOCITY_PAIR) TS_SIX(change)(block->Y + 18, d0, d1, d2, V + block->column[1]);
}

#endif
