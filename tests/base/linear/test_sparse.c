// base/linear/sparse.h against dense matrices put together entry by entry: any order, duplicates, empty rows, odd shapes.
#include <criterion/criterion.h>

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/linear/sparse.h"
#include "tests/base/sample.h"

enum { MOST = 30 };

typedef struct fixture {
    int rows, columns, count;
    ts_block_entry entry[600];
    double dense[9 * MOST * MOST];
    int stored[MOST * MOST];
} fixture;

static fixture f;

static void make_fixture(ts_rng* rng, int rows, int columns, int count) {
    memset(&f, 0, sizeof f);
    f.rows = rows;
    f.columns = columns;
    f.count = count;
    for (int k = 0; k < count; ++k) {
        ts_block_entry* e = &f.entry[k];
        e->row = (int)(ts_rng_bits(rng) % (uint64_t)rows);
        e->column = (int)(ts_rng_bits(rng) % (uint64_t)columns);
        if (e->row % 5 == 3) e->row = 0;  // leaves whole rows empty
        e->value = sample_mat3(rng, 1.0);
        f.stored[e->row * columns + e->column] = 1;
        for (int c = 0; c < 9; ++c)
            f.dense[(3 * e->row + c / 3) * 3 * columns + 3 * e->column + c % 3] += e->value.m[c / 3][c % 3];
    }
}

static const int shapes[][3] = {{1, 1, 0},  {1, 1, 1},    {1, 1, 20},  {4, 4, 6},   {5, 9, 30},
                                {9, 5, 30}, {30, 1, 100}, {1, 30, 50}, {30, 30, 0}, {30, 30, 600}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

Test(sparse, holds_the_sums_in_order) {
    ts_rng rng = ts_rng_make(91, 0);
    ts_arena arena = {0};
    static double dense[9 * MOST * MOST];
    for (int s = 0; s < SHAPES; ++s) {
        make_fixture(&rng, shapes[s][0], shapes[s][1], shapes[s][2]);
        ts_block_sparse A;
        cr_assert(ts_block_sparse_build(&arena, f.rows, f.columns, f.entry, f.count, &A));
        cr_assert(A.rows == f.rows && A.columns == f.columns);
        int distinct = 0;
        for (int k = 0; k < f.rows * f.columns; ++k) distinct += f.stored[k];
        cr_assert_eq(A.block_count, distinct);
        cr_assert_eq(A.row_start[0], 0);
        cr_assert_eq(A.row_start[A.rows], distinct);
        for (int i = 0; i < A.rows; ++i)
            for (int k = A.row_start[i]; k + 1 < A.row_start[i + 1]; ++k) cr_assert_lt(A.column[k], A.column[k + 1]);
        for (int i = 0; i < f.rows; ++i)
            for (int j = 0; j < f.columns; ++j) {
                const double* block = ts_block_sparse_find(&A, i, j);
                cr_assert_eq(block != NULL, f.stored[i * f.columns + j]);
                for (int c = 0; block && c < 9; ++c)  // sums in the order of the entries: the same bits
                    cr_assert_eq(block[c], f.dense[(3 * i + c / 3) * 3 * f.columns + 3 * j + c % 3]);
            }
        memset(dense, 0x77, sizeof dense);
        ts_block_sparse_to_dense(&A, dense);
        for (int k = 0; k < 9 * f.rows * f.columns; ++k) cr_assert_eq(dense[k], f.dense[k]);
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
}

Test(sparse, apply_matches_dense) {
    ts_rng rng = ts_rng_make(92, 0);
    ts_arena arena = {0};
    for (int s = 0; s < SHAPES; ++s) {
        make_fixture(&rng, shapes[s][0], shapes[s][1], shapes[s][2]);
        ts_block_sparse A;
        cr_assert(ts_block_sparse_build(&arena, f.rows, f.columns, f.entry, f.count, &A));
        double x[3 * MOST], y[3 * MOST + 1];
        for (int j = 0; j < 3 * f.columns; ++j) x[j] = ts_rng_normal(&rng);
        memset(y, 0x77, sizeof y);
        y[3 * f.rows] = 5.0;
        ts_block_sparse_apply(&A, x, y);
        for (int i = 0; i < 3 * f.rows; ++i) {
            long double sum = 0.0L, size = 0.0L;
            for (int j = 0; j < 3 * f.columns; ++j) {
                long double term = (long double)f.dense[i * 3 * f.columns + j] * (long double)x[j];
                sum += term;
                size += fabsl(term);
            }
            cr_assert_float_eq(y[i], (double)sum, 100.0 * DBL_EPSILON * (double)size);
        }
        cr_assert_eq(y[3 * f.rows], 5.0);
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
}

Test(sparse, build_gives_its_scratch_back) {
    ts_rng rng = ts_rng_make(93, 0);
    make_fixture(&rng, 20, 20, 300);
    ts_arena arena = {0};
    ts_block_sparse A;
    cr_assert(ts_block_sparse_build(&arena, f.rows, f.columns, f.entry, f.count, &A));
    size_t kept = 21 * sizeof(int) + 300 * sizeof(int) + 300 * 9 * sizeof(double);
    cr_assert_leq(arena.used, kept + 3 * 64);
    // What comes next in the arena must not overlap the matrix.
    double before = A.block[9 * (A.block_count - 1)];
    memset(ts_arena_alloc(&arena, 10000), 0xff, 10000);
    cr_assert_eq(A.block[9 * (A.block_count - 1)], before);
    cr_assert_eq(A.row_start[20], A.block_count);
    ts_arena_free(&arena);
}

Test(sparse, bad_indices_are_refused) {
    ts_arena arena = {0};
    ts_block_sparse keep = {7, 7, 7, NULL, NULL, NULL}, A = keep;
    const int bad[][2] = {{-1, 0}, {0, -1}, {3, 0}, {0, 2}, {INT32_MAX, 0}, {INT32_MIN, INT32_MIN}};
    for (int k = 0; k < 6; ++k) {
        ts_block_entry entries[2] = {{0, 0, ts_mat3_identity()}, {bad[k][0], bad[k][1], ts_mat3_identity()}};
        cr_assert_eq(ts_block_sparse_build(&arena, 3, 2, entries, 2, &A), 0);
        cr_assert_eq(memcmp(&A, &keep, sizeof A), 0);
        cr_assert_eq(arena.used, 0);
    }
    ts_arena_free(&arena);
}

Test(sparse, an_empty_matrix_is_a_matrix) {
    ts_arena arena = {0};
    ts_block_sparse A;
    cr_assert(ts_block_sparse_build(&arena, 0, 0, NULL, 0, &A));
    cr_assert(A.rows == 0 && A.block_count == 0 && A.row_start[0] == 0);
    double nothing = 3.0;
    ts_block_sparse_apply(&A, &nothing, &nothing);
    ts_block_sparse_to_dense(&A, &nothing);
    cr_assert_eq(nothing, 3.0);
    ts_arena_free(&arena);
}
