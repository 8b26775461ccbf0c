// What every operator owes that takes columns side by side.
#ifndef TS_TESTS_OPERATOR_COLUMNS_H
#define TS_TESTS_OPERATOR_COLUMNS_H

#include <criterion/criterion.h>
#include <math.h>

#include "contact/operator/delassus.h"

/// Columns side by side, more than vectors have lanes, against one by one; of at most 240 rows. `x` (row_count) makes them differ.
static inline void expect_columns(ts_delassus* G, const double* x) {
    enum { COLUMNS = 22, ROWS = 240 };
    static double X[ROWS * COLUMNS], Y[ROWS * COLUMNS];
    double one[ROWS], y[ROWS];
    ts_arena scratch = {0};
    cr_assert_leq(G->row_count, (int)ROWS);
    for (int i = 0; i < G->row_count; ++i)
        for (int c = 0; c < COLUMNS; ++c) X[i * COLUMNS + c] = sin(1.0 + c + i * x[i]);
    cr_assert(G->ops->apply_columns(G, COLUMNS, X, &scratch, Y));
    cr_expect_eq(scratch.used, 0u, "scratch is given back");
    for (int c = 0; c < COLUMNS; ++c) {
        for (int i = 0; i < G->row_count; ++i) one[i] = X[i * COLUMNS + c];
        G->ops->apply(G, one, y);
        for (int i = 0; i < G->row_count; ++i) cr_expect_float_eq(Y[i * COLUMNS + c], y[i], 1e-11);
    }
    ts_arena_free(&scratch);
}

#endif
