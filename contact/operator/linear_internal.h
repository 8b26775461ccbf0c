// The one room for linear systems over the blocks of a contact problem:
//
//     (C + E A) x = r,        A = diag(scale) G diag(scale) + diag(shift)
//
// G is the Delassus operator, C and E are block diagonal and change, and the x of some blocks may be known. With E the
// identity this is (A + S) x = r. Who asks, and what changes:
//
//     alternating directions   S = s 1; s now and then, r every time, and little
//     Newton                   C = 1 - D + eps E, E the projection's derivative D times the law's: everything every time
//     paths                    as Newton, for two r each
//
// How a system is solved is chosen here and nowhere else: densely, by blocks, by groups (contacts of one pair of bodies
// together), through the bodies, or in steps. A caller says what changes (ts_linear_use), changes it (ts_linear_shift,
// or C, E and `active` and then ts_linear_change), solves as often as it likes, and may ask what that costs.
//
// Which blocks are unknown decides the pattern. While that stays the same its analysis is kept, and a change costs the
// numbers alone; through the bodies a Newton's analysis is kept, too, while few blocks become known and none unknown. A new way to solve is one more file behind linear_ways_internal.h and one more case in linear.c.
#ifndef TS_CONTACT_LINEAR_INTERNAL_H
#define TS_CONTACT_LINEAR_INTERNAL_H

#include "base/arena.h"
#include "contact/operator/delassus.h"

/// Numbers in the largest matrix by blocks that is still accepted (128 MiB), and in the largest factor (512 MiB).
enum { TS_LINEAR_LARGEST_MATRIX = 1 << 24, TS_LINEAR_LARGEST_FACTOR = 1 << 26 };

/// A, and its products. `scale` and `shift` are borrowed and stay as they are.
typedef struct ts_linear_matrix {
    ts_delassus* G;
    int rows;
    int blocks;
    const int* row;       // (blocks + 1) first row of a block
    const double* scale;  // (rows); rows with 0 are empty but for their shift
    const double* shift;  // (rows), or NULL for zero
    const int* start;     // (blocks + 1) pattern by blocks, as in ts_delassus_blocks; NULL: products only, no numbers
    const int* column;
    const size_t* at;  // by blocks: where an entry's numbers begin; NULL: A is small, and dense
    int ld;            // of a dense A
    double* value;     // the numbers
    double* work;      // (rows) for products without numbers
} ts_linear_matrix;

/// Lists and scales A; memory from `arena`. Returns 0 when the operator cannot, A would have more than
/// TS_LINEAR_LARGEST_MATRIX numbers, or one that is not finite, or memory is short.
int ts_linear_matrix_make(ts_delassus* G, const double* scale, const double* shift, ts_arena* arena,
                          ts_linear_matrix* out);

/// A without its numbers, for operators in velocity form. Returns 0 for others, or when memory is short.
int ts_linear_matrix_make_products(ts_delassus* G, const double* scale, const double* shift, ts_arena* arena,
                                   ts_linear_matrix* out);

/// Whether a system with A had better go through the bodies, so that its numbers need not be listed: a velocity form
/// with more rows than degrees of freedom, and not small. Scratch is given back.
int ts_linear_prefers_bodies(ts_delassus* G, ts_arena* scratch);

/// out = A x.
void ts_linear_matrix_apply(const ts_linear_matrix* A, const double* x, double* out);

/// The rows of block b of A x. Needs the numbers.
void ts_linear_matrix_rows(const ts_linear_matrix* A, int b, const double* x, double* out);

/// |A| |x|, the absolute values summed: what rounding is relative to. Zero without the numbers.
void ts_linear_matrix_sizes(const ts_linear_matrix* A, const double* x, double* out);

/// The numbers of entry e in row b of the pattern, which must be there; *out_ld apart.
static inline const double* ts_linear_matrix_entry(const ts_linear_matrix* A, int b, int e, int* out_ld) {
    int c = A->column[e];
    *out_ld = A->at ? A->row[c + 1] - A->row[c] : A->ld;
    return A->value + (A->at ? A->at[e] : (size_t)A->row[b] * (size_t)A->ld + (size_t)A->row[c]);
}

/// The same of its diagonal entry.
static inline const double* ts_linear_matrix_diagonal(const ts_linear_matrix* A, int b, int* out_ld) {
    int e = A->start[b];
    while (A->at && A->column[e] != b) ++e;
    if (A->at) return ts_linear_matrix_entry(A, b, e, out_ld);
    *out_ld = A->ld;
    return A->value + (size_t)A->row[b] * (size_t)(A->ld + 1);
}

/// What of a system changes.
typedef enum ts_linear_use {
    TS_LINEAR_SHIFT,  // S = s 1 with one number s; every x near the one before
    TS_LINEAR_BLOCKS  // C, E, and which blocks are unknown
} ts_linear_use;

/// Multiply-adds.
typedef struct ts_linear_cost {
    double change;  // of another S: its factor,
    double solve;   // of another r
    double fill;    // of another S: what is to be factorised; 0 where that is little beside the factor
} ts_linear_cost;

/// A system. Between solves the caller writes C, E and `active`, and nothing else.
typedef struct ts_linear {
    const ts_linear_matrix* A;
    const int*
        square;  // (blocks + 1) C and E of block b, rows x rows, row-major, begin at C + square[b], E + square[b]
    double* C;   // NULL under TS_LINEAR_SHIFT, as are E and active
    double* E;
    int*
        active;  // (blocks) nonzero: x of the block is unknown; at first all are. E of the others is not read, and may be overwritten
    int is_hessian;  // nonzero, before the first change: every C is the identity, every E symmetric, and no eigenvalue of it negative
    struct ts_linear_room* room;
} ts_linear;

/// Takes memory for a system from `arena`, which it goes on using: what others take from it later must be given back
/// before the next change. A is borrowed. NULL when memory is short.
ts_linear* ts_linear_make(const ts_linear_matrix* A, ts_linear_use use, ts_arena* arena);

/// Under TS_LINEAR_SHIFT: S = shift 1, shift > 0. Returns 0 when the system breaks down or its factor would be larger
/// than TS_LINEAR_LARGEST_FACTOR.
int ts_linear_shift(ts_linear* system, double shift);

/// Under TS_LINEAR_BLOCKS: C, E and `active` have changed. Returns 0 when the system is singular or not finite, its factor
/// would be larger than TS_LINEAR_LARGEST_FACTOR, or memory is short.
int ts_linear_change(ts_linear* system);

/// Solves, as last changed. `x` (rows) holds r in the rows of unknown blocks and what is known in the others; on return it
/// holds all of x. Where solving goes in steps they start from `guess` (rows) and end when no residual is larger than
/// `accuracy`; NULL and 0 ask for what rounding allows. Returns 0, with the unknown rows of x undefined, when numbers
/// are not finite or the digits did not suffice.
int ts_linear_solve(ts_linear* system, const double* guess, double accuracy, double* x);

/// What the system costs with the blocks that are unknown now. Infinite where it would be refused.
ts_linear_cost ts_linear_cost_of(ts_linear* system);

#endif
