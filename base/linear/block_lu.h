// LU of a block-sparse matrix with a symmetric pattern, pivoting inside the diagonal blocks only; or, where the matrix is symmetric and
// positive definite, Cholesky's factor for half the work.
#ifndef TS_BASE_BLOCK_LU_H
#define TS_BASE_BLOCK_LU_H

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest block.
enum { TS_BLOCK_LU_MAX = 6 };

/// What is known of the numbers.
typedef enum ts_block_lu_kind {
    TS_BLOCK_LU_ANY,
    TS_BLOCK_LU_DEFINITE  // symmetric and positive definite; entries left of the diagonal block are in the pattern and not read
} ts_block_lu_kind;

/// The analysis, and room for one factor. Memory belongs to the arena it came from.
typedef struct ts_block_lu ts_block_lu;

/// Orders the unknowns (minimum degree) and finds the fill of a matrix of `count` block rows with size[i] (1 to
/// TS_BLOCK_LU_MAX) rows each, whose row i has blocks in columns column[start[i]] to column[start[i + 1] - 1],
/// ascending, the diagonal included. The pattern must be symmetric. NULL when memory is short or the factor would hold
/// more than `most` numbers. The pattern is read only here.
ts_block_lu* ts_block_lu_analyse(ts_arena* arena, ts_block_lu_kind kind, int count, const int* size, const int* start,
                                 const int* column, size_t most);

/// Factorises; value[at[e]] begins entry e of the pattern given to the analysis, row-major. Returns 1, or 0 when a
/// diagonal block has become singular or not finite, or the matrix is not as definite as was said.
int ts_block_lu_factor(ts_block_lu* lu, const int* start, const int* column, const size_t* at, const double* value);

/// Solves in place; x holds the block rows one after another.
void ts_block_lu_solve(const ts_block_lu* lu, double* x);

/// Multiply-adds of one factorisation.
double ts_block_lu_work(const ts_block_lu* lu);

/// Numbers in the factor, each used once in a solve.
size_t ts_block_lu_numbers(const ts_block_lu* lu);

#ifdef __cplusplus
}
#endif
#endif
