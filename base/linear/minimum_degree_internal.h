// An elimination order for sparse factorisations.
#ifndef TS_BASE_MINIMUM_DEGREE_INTERNAL_H
#define TS_BASE_MINIMUM_DEGREE_INTERNAL_H

#include "base/arena.h"

/// Orders `count` nodes of weight[i] >= 1 (rows) each, joined as row i of a symmetric pattern says: column[start[i]] to
/// column[start[i + 1] - 1], the diagonal allowed. out_node[p] is the node to eliminate as number p. Scratch is given
/// back. Returns 0 when memory is short.
int ts_minimum_degree(ts_arena* scratch, int count, const int* weight, const int* start, const int* column,
                      int* out_node);

#endif
