// The Delassus operator as a block-sparse matrix: for recorded problems, and whenever G is at hand by blocks.
#ifndef TS_CONTACT_DELASSUS_BLOCK_H
#define TS_CONTACT_DELASSUS_BLOCK_H

#include "contact/operator/delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

/// G by blocks: block_count block rows, block b with rows block_row[b] to block_row[b + 1] - 1. `blocks` is borrowed, as
/// is block_row; both must outlive the operator. Entry (a, b) must be listed whenever (b, a) is, the diagonal always,
/// and the numbers of all entries lie one behind the other in order. G need not be symmetric: products use it as it
/// stands. Can do everything. NULL when memory is short or the pattern is not as said.
ts_delassus* ts_delassus_block_sparse(ts_arena* arena, int block_count, const int* block_row,
                                      const ts_delassus_blocks* blocks);

#ifdef __cplusplus
}
#endif
#endif
