// The Delassus operator G = J M^-1 J^T as a small table of functions. A solver says which of them it needs; it never
// assumes a matrix that a pile of 10,000 contacts could not hold.
//
// Rows are grouped in blocks (a frictional contact is a block of three rows). The operator carries one current impulse
// in whatever form suits it: `set_impulse` loads it, `add_impulse` changes one block, `velocity` reads one block of
// G lambda.
#ifndef TS_CONTACT_DELASSUS_H
#define TS_CONTACT_DELASSUS_H

#include "base/arena.h"
#include "base/status.h"
#include "contact/block_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an operator can do; a bit set.
typedef enum ts_delassus_ability {
    TS_DELASSUS_ROWS = 1,   // set_impulse, add_impulse, velocity, diagonal
    TS_DELASSUS_APPLY = 2,  // apply, between
    TS_DELASSUS_BLOCKS = 4  // blocks, join, split
} ts_delassus_ability;

typedef struct ts_delassus ts_delassus;

/// Blocks in groups that do not touch each other; see contact/island.h.
typedef struct ts_islands {
    int count;
    const int* start;  // (count + 1): island i owns block[start[i]] to block[start[i + 1] - 1]
    const int* block;  // (block_count), ascending within an island
} ts_islands;

/// An operator's matrix by blocks, only those that are not zero, in compressed rows.
typedef struct ts_delassus_blocks {
    const int* start;     // (block_count + 1): row of blocks b holds entries start[b] to start[b + 1] - 1
    const int* column;    // ascending within a row; the diagonal block is always there
    const size_t* at;     // where an entry's numbers begin in `value`
    const double* value;  // rows x rows of each entry, row-major
} ts_delassus_blocks;

/// Vectors each of which has entries in the rows of one block only.
typedef struct ts_delassus_vectors {
    int count;
    const int* block;     // (count)
    const double* value;  // (count x TS_BLOCK_ROWS_MAX): its block's rows
} ts_delassus_vectors;

/// The functions of an operator. Vectors have row_count entries unless said otherwise.
typedef struct ts_delassus_ops {
    const char* name;
    unsigned abilities;
    /// The current impulse becomes `impulse`.
    void (*set_impulse)(ts_delassus* G, const double* impulse);
    /// The current impulse of block b grows by `delta` (its rows).
    void (*add_impulse)(ts_delassus* G, int b, const double* delta);
    /// Rows of block b of G times the current impulse.
    void (*velocity)(const ts_delassus* G, int b, double* out_velocity);
    /// The diagonal block G_bb, row-major rows x rows; valid as long as G.
    const double* (*diagonal)(const ts_delassus* G, int b);
    /// y = G x; the current impulse is not touched.
    void (*apply)(ts_delassus* G, const double* x, double* out_y);
    /// Every left vector with G times every right one, out (left x right, row-major); scratch is given back. Returns 0 when that is short.
    /// NULL: by `apply`.
    int (*between)(const ts_delassus* G, const ts_delassus_vectors* left, const ts_delassus_vectors* right,
                   ts_arena* scratch, double* out);
    /// The whole matrix by blocks, in memory of the arena. Returns 0 when that is short or when there would be more than
    /// `most` numbers: a body with ten thousand contacts couples them all.
    int (*blocks)(const ts_delassus* G, ts_arena* arena, size_t most, ts_delassus_blocks* out_blocks);
    /// Calls join(context, a, b) for pairs of blocks, enough that blocks which act on each other become connected.
    void (*join)(const ts_delassus* G, ts_arena* scratch, void (*join)(void* context, int a, int b), void* context);
    /// One operator per island, each over its own blocks only and independent of the others, so that several threads may
    /// use one each. Blocks that are in none stay out. They may share constant data with G and live as long as it and the arena. 0 when memory is short.
    int (*split)(ts_delassus* G, ts_arena* arena, const ts_islands* islands, ts_delassus** out_part);
} ts_delassus_ops;

/// An operator. Concrete ones embed this as their first member; memory belongs to the arena they came from.
struct ts_delassus {
    const ts_delassus_ops* ops;
    int row_count;
    int block_count;
    const int* block_row;  // (block_count + 1): rows of block b are [block_row[b], block_row[b+1])
    const double*
        row_sum;  // (block_count) kg^-1: largest sum of |G_bb| along a row, where there are more than three; NULL: not known
    const double*
        bound;  // (block_count) kg^-1: no eigenvalue of G_bb is larger, where there are three rows; NULL: not known
};

/// set_impulse, and all rows of G times that: `velocity` of every block.
void ts_delassus_velocities(ts_delassus* G, const double* impulse, double* out_velocity);

/// A part of a block's Jacobian: columns [column, column + count) of the generalised velocity.
typedef struct ts_delassus_segment {
    int column;
    int count;
    const double* J;  // (rows of the block x count), row-major
    const double* Y;  // (rows of the block x count): (M^-1 J^T)^T, on the same columns
} ts_delassus_segment;

/// The block-sparse velocity form: keeps V = M^-1 J^T lambda (velocity_count entries) and reads rows as J V. Block b
/// owns segments [segment_start[b], segment_start[b+1]); columns of a block's segments must not overlap. Everything is
/// borrowed: block_row, segment_start, segments and the rows they point to must outlive the operator. Fastest when the
/// rows lie in block order, a block's J one behind the other, and where Y == J (coordinates in which M is the identity)
/// is one array. Can do everything. NULL when memory is short.
ts_delassus* ts_delassus_velocity_form(ts_arena* arena, int velocity_count, int block_count, const int* block_row,
                                       const int* segment_start, const ts_delassus_segment* segments);

/// V = M^-1 J^T lambda of the current impulse of a velocity-form operator (velocity_count entries); NULL for others.
const double* ts_delassus_velocity_change(const ts_delassus* G);

#ifdef __cplusplus
}
#endif
#endif
