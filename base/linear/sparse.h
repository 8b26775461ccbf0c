// Block-sparse symmetric-pattern matrices: rows of 3x3 blocks in compressed storage. Built once per problem from an
// arena, multiplied often.
#ifndef TS_BASE_SPARSE_H
#define TS_BASE_SPARSE_H

#include "base/arena.h"
#include "base/mat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A matrix of 3x3 blocks in row-compressed form. Memory belongs to the arena it was built from.
typedef struct ts_block_sparse {
    int rows;         // block rows
    int columns;      // block columns
    int block_count;  // stored blocks
    int* row_start;   // (rows + 1): blocks of row i are [row_start[i], row_start[i+1])
    int* column;      // (block_count): ascending within a row
    double* block;    // (9 block_count): row-major 3x3
} ts_block_sparse;

/// One block to store.
typedef struct ts_block_entry {
    int row;
    int column;
    ts_mat3 value;
} ts_block_entry;

/// Builds from entries in any order; entries at the same place are added. Returns 0 when memory is short or an index is
/// out of range, else 1.
int ts_block_sparse_build(ts_arena* arena, int rows, int columns, const ts_block_entry* entries, int count,
                          ts_block_sparse* out_matrix);

/// y = A x; x has 3 columns values, y 3 rows values.
void ts_block_sparse_apply(const ts_block_sparse* A, const double* x, double* out_y);

/// The block at (row, column), or NULL when it is not stored.
const double* ts_block_sparse_find(const ts_block_sparse* A, int row, int column);

/// Writes the whole matrix as dense row-major (3 rows x 3 columns).
void ts_block_sparse_to_dense(const ts_block_sparse* A, double* out_dense);

#ifdef __cplusplus
}
#endif
#endif
