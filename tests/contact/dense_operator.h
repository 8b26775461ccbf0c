// Operators from full matrices and full matrices from operators, for small cases.
#ifndef TS_TESTS_CONTACT_DENSE_OPERATOR_H
#define TS_TESTS_CONTACT_DENSE_OPERATOR_H

#include "base/arena.h"
#include "contact/operator/delassus_block.h"

// Whether block (a, b) of G (row-major, n columns) holds anything but zeros.
static inline int dense_operator_touches(const int* block_row, const double* G, int n, int a, int b) {
    for (int r = block_row[a]; r < block_row[a + 1]; ++r)
        for (int c = block_row[b]; c < block_row[b + 1]; ++c)
            if (G[(size_t)r * (size_t)n + (size_t)c] != 0.0) return 1;
    return 0;
}

// The operator of a full matrix G (row-major, copied), which need not be symmetric. Pairs of blocks without a number but
// zero are not listed.
static inline ts_delassus* dense_operator(ts_arena* arena, int block_count, const int* block_row, const double* G) {
    int n = block_row[block_count], entries = 0;
    size_t pairs = (size_t)block_count * (size_t)block_count, numbers = 0;
    int* row = TS_ARENA_ARRAY(arena, int, block_count + 1);
    int* start = TS_ARENA_ARRAY(arena, int, block_count + 1);
    int* column = TS_ARENA_ARRAY(arena, int, pairs);
    size_t* at = TS_ARENA_ARRAY(arena, size_t, pairs);
    double* value = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)n);
    for (int a = 0; a < block_count; ++a) {
        row[a] = block_row[a];
        start[a] = entries;
        for (int b = 0; b < block_count; ++b) {
            if (a != b && !dense_operator_touches(block_row, G, n, a, b) &&
                !dense_operator_touches(block_row, G, n, b, a))
                continue;
            column[entries] = b;
            at[entries++] = numbers;
            for (int r = block_row[a]; r < block_row[a + 1]; ++r)
                for (int c = block_row[b]; c < block_row[b + 1]; ++c)
                    value[numbers++] = G[(size_t)r * (size_t)n + (size_t)c];
        }
    }
    row[block_count] = n;
    start[block_count] = entries;
    ts_delassus_blocks blocks = {start, column, at, value};
    return ts_delassus_block_sparse(arena, block_count, row, &blocks);
}

// The matrix of an operator that can apply (row_count^2, row-major), column by column.
static inline void dense_operator_matrix(ts_delassus* G, ts_arena* scratch, double* out_G) {
    int n = G->row_count;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* e = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n, sizeof(double));
    double* column = TS_ARENA_ARRAY(scratch, double, n);
    for (int j = 0; j < n; ++j) {
        e[j] = 1.0;
        G->ops->apply(G, e, column);
        e[j] = 0.0;
        for (int i = 0; i < n; ++i) out_G[(size_t)i * (size_t)n + (size_t)j] = column[i];
    }
    ts_arena_scope_end(scratch, scope);
}

#endif
