// The block-sparse operator beside the full matrix in long double: mixed block sizes, numbers that are not symmetric,
// blocks that do not touch, islands, and a matrix that no memory would hold densely.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/operator/delassus_block.h"
#include "contact/island.h"
#include "contact/solver.h"
#include "tests/contact/operator_between.h"

enum { BLOCKS = 40, ROWS_MAX = 6 * BLOCKS };

typedef struct sample {
    int block_row[BLOCKS + 1];
    int start[BLOCKS + 1];
    int column[BLOCKS * BLOCKS];
    size_t at[BLOCKS * BLOCKS];
    double value[ROWS_MAX * ROWS_MAX];
    double dense[ROWS_MAX * ROWS_MAX];
    ts_delassus_blocks blocks;
} sample;

static sample s;

// Two groups of blocks that do not touch, even and odd; within a group about a third of the pairs do. Not
// symmetric.
static void make_sample(uint64_t seed) {
    static const int size[] = {3, 1, 3, 6, 2, 3, 4, 5};
    ts_rng rng = ts_rng_make(seed, 1);
    memset(&s, 0, sizeof s);
    for (int b = 0; b < BLOCKS; ++b) s.block_row[b + 1] = s.block_row[b] + size[b % 8];
    char touch[BLOCKS][BLOCKS] = {{0}};
    for (int a = 0; a < BLOCKS; ++a)
        for (int b = 0; b <= a; ++b)
            touch[a][b] = touch[b][a] = (char)(a == b || ((a - b) % 2 == 0 && ts_rng_uniform(&rng) < 0.33));
    int n = s.block_row[BLOCKS], entries = 0;
    size_t numbers = 0;
    for (int a = 0; a < BLOCKS; ++a) {
        s.start[a] = entries;
        for (int b = 0; b < BLOCKS; ++b) {
            if (!touch[a][b]) continue;
            s.column[entries] = b;
            s.at[entries++] = numbers;
            for (int r = s.block_row[a]; r < s.block_row[a + 1]; ++r)
                for (int c = s.block_row[b]; c < s.block_row[b + 1]; ++c) {
                    double x = ts_rng_normal(&rng);
                    s.value[numbers++] = s.dense[r * n + c] = x;
                }
        }
    }
    s.start[BLOCKS] = entries;
    s.blocks = (ts_delassus_blocks){s.start, s.column, s.at, s.value};
}

static void multiply(const double* x, double* y) {
    int n = s.block_row[BLOCKS];
    for (int i = 0; i < n; ++i) {
        long double sum = 0.0L;
        for (int j = 0; j < n; ++j) sum += (long double)s.dense[i * n + j] * x[j];
        y[i] = (double)sum;
    }
}

static void expect_vector(const double* actual, const double* expected, int n, double tolerance, const char* what) {
    for (int i = 0; i < n; ++i)
        cr_expect_float_eq(actual[i], expected[i], tolerance, "%s, row %d: %.15g, not %.15g", what, i, actual[i],
                           expected[i]);
}

Test(delassus_block, products_and_pairs) {
    ts_arena arena = {0};
    ts_rng rng = ts_rng_make(3, 3);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        double x[ROWS_MAX], y[ROWS_MAX], expected[ROWS_MAX];
        make_sample(seed);
        int n = s.block_row[BLOCKS];
        ts_delassus* G = ts_delassus_block_sparse(&arena, BLOCKS, s.block_row, &s.blocks);
        cr_assert_not_null(G);
        for (int i = 0; i < n; ++i) x[i] = ts_rng_normal(&rng);
        multiply(x, expected);
        expect_between(G, x);
        G->ops->apply(G, x, y);
        expect_vector(y, expected, n, 1e-11, "apply");
        // Half at once, half block by block.
        double half[ROWS_MAX];
        for (int i = 0; i < n; ++i) half[i] = 0.25 * x[i];
        G->ops->set_impulse(G, half);
        for (int i = 0; i < n; ++i) half[i] = 0.75 * x[i];
        for (int b = BLOCKS - 1; b >= 0; --b) G->ops->add_impulse(G, b, half + s.block_row[b]);
        for (int b = 0; b < BLOCKS; ++b) G->ops->velocity(G, b, y + s.block_row[b]);
        expect_vector(y, expected, n, 1e-11, "columns");
        for (int b = 0; b < BLOCKS; ++b) {
            int first = s.block_row[b], rows = s.block_row[b + 1] - first;
            const double* D = G->ops->diagonal(G, b);
            for (int i = 0; i < rows * rows; ++i)
                cr_expect_eq(D[i], s.dense[(first + i / rows) * n + first + i % rows]);
        }
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
}

// Even and odd blocks are islands: each part works alone, with the numbers of the whole.
Test(delassus_block, splits_into_islands) {
    ts_arena arena = {0};
    make_sample(7);
    int n = s.block_row[BLOCKS];
    double g[ROWS_MAX] = {0.0};
    ts_block block[BLOCKS];
    for (int b = 0; b < BLOCKS; ++b)
        block[b] = (ts_block){TS_SET_FREE, s.block_row[b], s.block_row[b + 1] - s.block_row[b], 0.0, 0.0, 0.0};
    ts_delassus* G = ts_delassus_block_sparse(&arena, BLOCKS, s.block_row, &s.blocks);
    ts_contact_problem problem = {
        .block_count = BLOCKS, .row_count = n, .block = block, .delassus = G, .g = g, .time_step = 1.0};
    ts_islands islands;
    cr_assert_eq(ts_islands_find(&problem, &arena, &islands), TS_OK);
    cr_assert_eq(islands.count, 2);
    ts_delassus* part[2];
    cr_assert(G->ops->split(G, &arena, &islands, part));
    double x[ROWS_MAX], expected[ROWS_MAX], local[ROWS_MAX], y[ROWS_MAX];
    ts_rng rng = ts_rng_make(6, 6);
    for (int i = 0; i < n; ++i) x[i] = ts_rng_normal(&rng);
    multiply(x, expected);
    for (int i = 0; i < 2; ++i) {
        const int* list = islands.block + islands.start[i];
        int count = islands.start[i + 1] - islands.start[i], rows = 0;
        cr_assert_eq(part[i]->block_count, count);
        for (int k = 0; k < count; ++k)
            for (int r = s.block_row[list[k]]; r < s.block_row[list[k] + 1]; ++r) local[rows++] = x[r];
        cr_assert_eq(part[i]->row_count, rows);
        part[i]->ops->set_impulse(part[i], local);
        rows = 0;
        for (int k = 0; k < count; ++k) {
            part[i]->ops->velocity(part[i], k, y);
            for (int r = 0; r < block[list[k]].rows; ++r, ++rows)
                cr_expect_float_eq(y[r], expected[block[list[k]].row + r], 1e-11, "island %d block %d", i, k);
        }
        // The list of a part is compact, as solvers that copy it expect.
        ts_delassus_blocks blocks;
        cr_assert(part[i]->ops->blocks(part[i], &arena, SIZE_MAX, &blocks));
        size_t numbers = 0;
        for (int k = 0; k < count; ++k)
            for (int e = blocks.start[k]; e < blocks.start[k + 1]; ++e) {
                cr_expect_eq(blocks.at[e], numbers);
                numbers += (size_t)(block[list[k]].rows * block[list[blocks.column[e]]].rows);
            }
    }
    ts_arena_free(&arena);
}

// A listed pair that holds zeros only joins nothing, and its entry goes when the islands part.
Test(delassus_block, zeros_do_not_join) {
    ts_arena arena = {0};
    static const int row[] = {0, 3, 6}, start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    static const size_t at[] = {0, 9, 18, 27};
    static const double value[36] = {2, 0, 0, 0, 2, 0, 0, 0, 2, [27] = 3, 0, 0, 0, 3, 0, 0, 0, 3};
    ts_delassus_blocks blocks = {start, column, at, value};
    ts_block block[2] = {{TS_SET_CONE, 0, 3, 0.5, 0.0, 0.0}, {TS_SET_CONE, 3, 3, 0.5, 0.0, 0.0}};
    const double g[6] = {0, 0, -1, 0, 0, -1};
    ts_contact_problem problem = {.block_count = 2,
                                  .row_count = 6,
                                  .block = block,
                                  .delassus = ts_delassus_block_sparse(&arena, 2, row, &blocks),
                                  .g = g,
                                  .time_step = 1.0};
    double impulse[6] = {0.0};
    ts_arena scratch = {0};
    ts_island_report report;
    const ts_solver* solver = ts_solver_find("ncp");
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    ts_solve_report solved = ts_island_solve(solver, &problem, NULL, settings, NULL, &scratch, impulse, &report);
    cr_expect_eq(report.islands, 2);
    cr_expect_eq(solved.status, TS_SOLVE_CONVERGED);
    cr_expect_float_eq(impulse[2], 0.5, 1e-12);
    cr_expect_float_eq(impulse[5], 1.0 / 3.0, 1e-12);
    ts_arena_free(&scratch);
    ts_arena_free(&arena);
}

// Patterns that the operator cannot use are refused rather than read.
Test(delassus_block, bad_patterns_are_refused) {
    ts_arena arena = {0};
    static const int row[] = {0, 1, 2};
    static const size_t at[] = {0, 1, 2, 3};
    static const double value[] = {1, 1, 1, 1};
    static const struct {
        int start[3];
        int column[4];
    } bad[] = {
        {{0, 2, 3}, {0, 1, 1}},     // (1, 0) is missing
        {{0, 1, 3}, {0, 0, 1}},     // (0, 1) is missing
        {{0, 1, 1}, {0}},           // no diagonal
        {{0, 2, 4}, {1, 0, 0, 1}},  // not ascending
        {{0, 2, 4}, {0, 2, 0, 1}},  // out of range
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        ts_delassus_blocks blocks = {bad[i].start, bad[i].column, at, value};
        cr_expect_null(ts_delassus_block_sparse(&arena, 2, row, &blocks), "case %zu", i);
    }
    ts_arena_free(&arena);
}

// A chain of 20,000 contacts: 60,000 rows would be 29 GB densely.
Test(delassus_block, memory_grows_with_the_entries) {
    enum { CHAIN = 20000 };
    ts_arena arena = {0};
    int* row = TS_ARENA_ARRAY(&arena, int, CHAIN + 1);
    int* start = TS_ARENA_ARRAY(&arena, int, CHAIN + 1);
    int* column = TS_ARENA_ARRAY(&arena, int, 3 * CHAIN);
    size_t* at = TS_ARENA_ARRAY(&arena, size_t, 3 * CHAIN);
    double* value = (double*)ts_arena_alloc_zeroed(&arena, 27 * CHAIN, sizeof(double));
    double* x = TS_ARENA_ARRAY(&arena, double, 3 * CHAIN);
    double* y = TS_ARENA_ARRAY(&arena, double, 3 * CHAIN);
    int entries = 0;
    for (int b = 0; b <= CHAIN; ++b) {
        row[b] = 3 * b;
        start[b] = entries;
        for (int c = b - 1; b < CHAIN && c <= b + 1; ++c) {
            if (c < 0 || c >= CHAIN) continue;
            column[entries] = c;
            at[entries] = 9 * (size_t)entries;
            for (int r = 0; r < 3; ++r) value[at[entries] + (size_t)(4 * r)] = b == c ? 2.0 : -1.0;
            ++entries;
        }
    }
    for (int i = 0; i < 3 * CHAIN; ++i) x[i] = 1.0;
    ts_delassus_blocks blocks = {start, column, at, value};
    size_t before = arena.used;
    ts_delassus* G = ts_delassus_block_sparse(&arena, CHAIN, row, &blocks);
    cr_assert_not_null(G);
    cr_expect_lt(arena.used - before, (size_t)(64 * 3 * CHAIN));
    G->ops->apply(G, x, y);
    for (int b = 0; b < CHAIN; ++b) cr_expect_eq(y[3 * b + 1], b == 0 || b == CHAIN - 1 ? 1.0 : 0.0);
    ts_arena_free(&arena);
}
