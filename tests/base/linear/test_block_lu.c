// Block-sparse LU against products in long double, on random patterns with blocks of every size.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "base/rng.h"

enum { BLOCKS = 60, ROWS = 6 * BLOCKS };

typedef struct sample {
    int count, rows;
    int size[BLOCKS], row[BLOCKS], start[BLOCKS + 1], column[BLOCKS * BLOCKS];
    size_t at[BLOCKS * BLOCKS];
    double value[36 * BLOCKS * BLOCKS];
    double A[ROWS * ROWS];
} sample;

// Every block touches itself and a few others; the numbers are not symmetric, the diagonal outweighs the rest a little.
static void make_sample(sample* s, ts_rng* rng, int count, double density) {
    static int touch[BLOCKS][BLOCKS];
    memset(s, 0, sizeof(*s));
    s->count = count;
    for (int i = 0; i < count; ++i) {
        s->size[i] = 1 + (int)(6.0 * ts_rng_uniform(rng));
        s->row[i] = s->rows;
        s->rows += s->size[i];
        touch[i][i] = 1;
        for (int j = 0; j < i; ++j) touch[i][j] = touch[j][i] = ts_rng_uniform(rng) < density;
    }
    int entries = 0;
    size_t numbers = 0;
    for (int i = 0; i < count; ++i) {
        s->start[i] = entries;
        for (int j = 0; j < count; ++j) {
            if (!touch[i][j]) continue;
            s->column[entries] = j;
            s->at[entries++] = numbers;
            for (int r = 0; r < s->size[i]; ++r)
                for (int c = 0; c < s->size[j]; ++c) {
                    double v = ts_rng_normal(rng) + (i == j && r == c ? 30.0 : 0.0);
                    s->value[numbers++] = v;
                    s->A[(s->row[i] + r) * ROWS + s->row[j] + c] = v;
                }
        }
    }
    s->start[count] = entries;
}

// What was multiplied by the matrix comes back, twice: a factor may be made more than once.
static void expect_solves(ts_block_lu* lu, const sample* s, ts_rng* rng, double tolerance) {
    for (int again = 0; again < 2; ++again) {
        double x[ROWS], b[ROWS];
        for (int i = 0; i < s->rows; ++i) x[i] = ts_rng_normal(rng);
        for (int i = 0; i < s->rows; ++i) {
            long double sum = 0.0L;
            for (int j = 0; j < s->rows; ++j) sum += (long double)s->A[i * ROWS + j] * (long double)x[j];
            b[i] = (double)sum;
        }
        cr_assert(ts_block_lu_factor(lu, s->start, s->column, s->at, s->value));
        ts_block_lu_solve(lu, b);
        for (int i = 0; i < s->rows; ++i)
            cr_assert_float_eq(b[i], x[i], tolerance, "%d blocks, row %d: %g, not %g", s->count, i, b[i], x[i]);
    }
}

Test(block_lu, solves_what_was_multiplied) {
    ts_rng rng = ts_rng_make(17, 0);
    static sample s;
    for (int k = 0; k < 60; ++k) {
        make_sample(&s, &rng, 1 + k, k % 3 == 0 ? 1.0 : 3.0 / (1 + k));
        ts_arena arena = {0};
        ts_block_lu* lu =
            ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, s.count, s.size, s.start, s.column, (size_t)ROWS * ROWS);
        cr_assert_not_null(lu);
        expect_solves(lu, &s, &rng, 1e-8);
        ts_arena_free(&arena);
    }
}

// Symmetric, and positive definite for the weight of its diagonal. What lies left of the diagonal is not to be read.
static void make_definite(sample* s) {
    for (int i = 0; i < s->count; ++i)
        for (int e = s->start[i]; e < s->start[i + 1]; ++e) {
            int j = s->column[e];
            for (int r = 0; r < s->size[i]; ++r)
                for (int c = 0; c < s->size[j]; ++c) {
                    double* v = &s->value[s->at[e] + (size_t)(r * s->size[j] + c)];
                    if (j > i || (j == i && c >= r)) {
                        s->A[(s->row[i] + r) * ROWS + s->row[j] + c] = s->A[(s->row[j] + c) * ROWS + s->row[i] + r] =
                            *v += i == j && r == c ? 30.0 : 0.0;
                    } else {
                        *v = j == i ? s->A[(s->row[j] + c) * ROWS + s->row[i] + r] : (double)NAN;
                    }
                }
        }
}

Test(block_lu, solves_what_was_multiplied_by_a_definite_matrix) {
    ts_rng rng = ts_rng_make(18, 0);
    static sample s;
    for (int k = 0; k < 60; ++k) {
        make_sample(&s, &rng, 1 + k, k % 3 == 0 ? 1.0 : 3.0 / (1 + k));
        make_definite(&s);
        ts_arena arena = {0};
        ts_block_lu* lu =
            ts_block_lu_analyse(&arena, TS_BLOCK_LU_DEFINITE, s.count, s.size, s.start, s.column, (size_t)ROWS * ROWS);
        ts_block_lu* any =
            ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, s.count, s.size, s.start, s.column, (size_t)ROWS * ROWS);
        cr_assert(lu && any);
        cr_expect_float_eq(ts_block_lu_work(lu), 0.5 * ts_block_lu_work(any), 1e-6);
        expect_solves(lu, &s, &rng, 1e-12);
        // With one diagonal entry turned over it is not definite any more.
        s.value[s.at[s.start[0]]] = -s.value[s.at[s.start[0]]];
        if (s.column[s.start[0]] == 0) cr_expect(!ts_block_lu_factor(lu, s.start, s.column, s.at, s.value));
        ts_arena_free(&arena);
    }
}

// A tridiagonal chain has no fill in a minimum-degree order: two off-diagonal blocks to a step at most.
Test(block_lu, a_chain_has_no_fill) {
    enum { N = 500 };
    static int size[N], start[N + 1], column[3 * N];
    int entries = 0;
    for (int i = 0; i < N; ++i) {
        size[i] = 3;
        start[i] = entries;
        for (int j = i - 1; j <= i + 1; ++j)
            if (j >= 0 && j < N) column[entries++] = j;
    }
    start[N] = entries;
    ts_arena arena = {0};
    ts_block_lu* lu = ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, N, size, start, column, (size_t)9 * (3 * N));
    cr_assert_not_null(lu, "the factor is larger than the matrix");
    // Dense pieces of a dozen rows hold some zeros; without fill it would be 63 N.
    cr_expect_leq(ts_block_lu_work(lu), 4.5 * 63.0 * N);
    cr_expect_null(ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, N, size, start, column, 9 * N), "a limit was not kept");
    ts_arena_free(&arena);
}

Test(block_lu, a_singular_block_and_numbers_that_are_not_finite_are_refused) {
    // Two nodes that do not touch: nothing can save a singular block.
    const int size[2] = {2, 1}, start[3] = {0, 1, 2}, column[2] = {0, 1};
    const size_t at[2] = {0, 4};
    double value[5] = {1.0, 2.0, 2.0, 4.0, 1.0};
    ts_arena arena = {0};
    ts_block_lu* lu = ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, 2, size, start, column, 100);
    cr_assert_not_null(lu);
    cr_expect(!ts_block_lu_factor(lu, start, column, at, value));
    value[3] = 5.0;
    cr_expect(ts_block_lu_factor(lu, start, column, at, value));
    value[4] = (double)NAN;
    cr_expect(!ts_block_lu_factor(lu, start, column, at, value));
    ts_arena_free(&arena);
}

// Chains, combs and grids of thousands of blocks: the order must keep the factor small, and memory with it.
static void grid_pattern(int width, int height, int* size, int* start, int* column) {
    int entries = 0, n = width * height;
    for (int i = 0; i < n; ++i) {
        int x = i % width, y = i / width;
        size[i] = 3;
        start[i] = entries;
        if (y > 0) column[entries++] = i - width;
        if (x > 0) column[entries++] = i - 1;
        column[entries++] = i;
        if (x + 1 < width) column[entries++] = i + 1;
        if (y + 1 < height) column[entries++] = i + width;
    }
    start[n] = entries;
}

Test(block_lu, a_grid_of_ten_thousand_blocks_is_ordered_well) {
    enum { SIDE = 100, N = SIDE * SIDE };
    static int size[N], start[N + 1], column[5 * N];
    static size_t at[5 * N];
    static double value[9 * 5 * N], x[3 * N], b[3 * N];
    grid_pattern(SIDE, SIDE, size, start, column);
    ts_rng rng = ts_rng_make(5, 0);
    for (int e = 0; e < start[N]; ++e) {
        at[e] = 9 * (size_t)e;
        for (int k = 0; k < 9; ++k) value[9 * e + k] = ts_rng_normal(&rng);
    }
    for (int i = 0; i < 3 * N; ++i) x[i] = ts_rng_normal(&rng);
    for (int i = 0; i < N; ++i)
        for (int e = start[i]; e < start[i + 1]; ++e)
            for (int r = 0; r < 3; ++r) {
                if (column[e] == i) value[9 * e + 4 * r] += 20.0;
                for (int c = 0; c < 3; ++c) b[3 * i + r] += value[9 * e + 3 * r + c] * x[3 * column[e] + c];
            }
    ts_arena arena = {0};
    // A band of SIDE blocks would fill 2 SIDE N of them; minimum degree stays far below.
    ts_block_lu* lu = ts_block_lu_analyse(&arena, TS_BLOCK_LU_ANY, N, size, start, column, (size_t)9 * 50 * N);
    cr_assert_not_null(lu);
    cr_assert(ts_block_lu_factor(lu, start, column, at, value));
    ts_block_lu_solve(lu, b);
    double worst = 0.0;
    for (int i = 0; i < 3 * N; ++i) worst = fmax(worst, fabs(b[i] - x[i]));
    cr_expect_lt(worst, 1e-10);
    cr_expect_lt(arena.peak, (size_t)200 << 20, "%zu bytes", arena.peak);
    ts_arena_free(&arena);
}
