// What every operator owes that takes vectors of single blocks.
#ifndef TS_TESTS_OPERATOR_BETWEEN_H
#define TS_TESTS_OPERATOR_BETWEEN_H

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "contact/operator/delassus.h"

/// Pairs of vectors in the rows of one block each, several of some blocks and in no order, against `apply` of one of them; of at most 240 rows. `x` (row_count) makes
/// them differ.
static inline void expect_between(ts_delassus* G, const double* x) {
    enum { LEFT = 21, RIGHT = 22, ROWS = 240 };
    static double value[2][RIGHT * TS_BLOCK_ROWS_MAX], found[LEFT * RIGHT];
    double one[ROWS], y[ROWS];
    int block[2][RIGHT];
    ts_arena scratch = {0};
    cr_assert_leq(G->row_count, (int)ROWS);
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < RIGHT; ++k) {
            int b = block[side][k] = (7 * k + 3 * side + k / 5) % G->block_count;
            for (int r = 0; r < TS_BLOCK_ROWS_MAX; ++r) value[side][k * TS_BLOCK_ROWS_MAX + r] = 1e9;
            for (int r = G->block_row[b]; r < G->block_row[b + 1]; ++r)
                value[side][k * TS_BLOCK_ROWS_MAX + r - G->block_row[b]] = sin(1.0 + k + 5 * side + r * x[r]);
        }
    ts_delassus_vectors left = {LEFT, block[0], value[0]}, right = {RIGHT, block[1], value[1]};
    cr_assert(G->ops->between(G, &left, &right, &scratch, found));
    cr_expect_eq(scratch.used, 0u, "scratch is given back");
    for (int k = 0; k < RIGHT; ++k) {
        memset(one, 0, sizeof one);
        int b = block[1][k];
        for (int r = G->block_row[b]; r < G->block_row[b + 1]; ++r)
            one[r] = value[1][k * TS_BLOCK_ROWS_MAX + r - G->block_row[b]];
        G->ops->apply(G, one, y);
        for (int i = 0; i < LEFT; ++i) {
            double sum = 0.0;
            int a = block[0][i];
            for (int r = G->block_row[a]; r < G->block_row[a + 1]; ++r)
                sum += value[0][i * TS_BLOCK_ROWS_MAX + r - G->block_row[a]] * y[r];
            cr_expect_float_eq(found[i * RIGHT + k], sum, 1e-11, "%d with %d: %g, not %g", i, k, found[i * RIGHT + k],
                               sum);
        }
    }
    ts_arena_free(&scratch);
}

#endif
