// Newton's linear system against elimination in long double, on matrices with and without contacts that share bodies.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/solvers/newton/newton_groups_internal.h"
#include "contact/solvers/newton/newton_system_internal.h"
#include "contact/solvers/newton/scaled_internal.h"
#include "tests/contact/dense_operator.h"

enum { MOST_ROWS = 600, MOST_BLOCKS = 220, MAX = TS_BLOCK_ROWS_MAX };

// A chain of bodies, a few contacts between neighbours, as a dense matrix that knows nothing of bodies.
typedef struct sample {
    ts_arena arena;
    ts_block block[MOST_BLOCKS];
    int block_row[MOST_BLOCKS + 1];
    double g[MOST_ROWS];
    double R[MOST_ROWS];
    ts_contact_problem problem;
    ts_scaled scaled;
    ts_newton_system system;
} sample;

static double wrench[MOST_ROWS][6];
static int low_body[MOST_BLOCKS];

// Every link of the chain gets `contacts` blocks of `rows` rows; the first and last body are held. Nonzero `softness`
// is R.
static void make(sample* s, ts_rng* rng, int links, int contacts, int rows, double softness, double asymmetry) {
    int n = 0, b = 0;
    memset(s, 0, sizeof(*s));
    for (int link = 0; link < links; ++link)
        for (int k = 0; k < contacts; ++k, ++b) {
            s->block[b].set = rows == 1 ? TS_SET_HALF_LINE : TS_SET_CONE;
            s->block[b].row = s->block_row[b] = n;
            s->block[b].rows = rows;
            s->block[b].mu = rows == 1 ? 0.0 : 0.5;
            low_body[b] = link;
            for (int r = 0; r < rows; ++r, ++n) {
                s->R[n] = softness;
                for (int j = 0; j < 6; ++j) wrench[n][j] = ts_rng_normal(rng);
            }
        }
    s->block_row[b] = n;
    double* G = (double*)ts_arena_alloc_zeroed(&s->arena, (size_t)n * (size_t)n, sizeof(double));
    double mobility[MOST_BLOCKS][6];
    for (int body = 0; body <= links; ++body)
        for (int j = 0; j < 6; ++j)
            mobility[body][j] = body == 0 || body == links ? 0.0 : pow(10.0, ts_rng_uniform_in(rng, -1.0, 1.0));
    for (int p = 0; p < b; ++p)
        for (int q = 0; q < b; ++q)
            for (int i = s->block_row[p]; i < s->block_row[p + 1]; ++i)
                for (int c = s->block_row[q]; c < s->block_row[q + 1]; ++c)
                    for (int side = 0; side < 2; ++side)
                        for (int other = 0; other < 2; ++other) {
                            int body = low_body[p] + side;
                            if (low_body[q] + other != body) continue;
                            double sign = side == other ? 1.0 : -1.0, sum = 0.0;
                            for (int j = 0; j < 6; ++j) sum += wrench[i][j] * mobility[body][j] * wrench[c][j];
                            G[(size_t)i * (size_t)n + (size_t)c] += sign * sum * (i < c ? 1.0 + asymmetry : 1.0);
                        }
    ts_delassus* operator_ = dense_operator(&s->arena, b, s->block_row, G);
    s->problem = (ts_contact_problem){.block_count = b,
                                      .row_count = n,
                                      .block = s->block,
                                      .delassus = operator_,
                                      .g = s->g,
                                      .R = softness > 0.0 ? s->R : NULL,
                                      .time_step = 0.01};
    cr_assert(ts_scaled_make(&s->problem, &s->arena, &s->scaled));
    ts_newton_matrix A = ts_scaled_newton_matrix(&s->scaled);
    cr_assert(ts_newton_system_make(&A, &s->arena, &s->system));
}

// C and E as sliding, sticking and saturated contacts have them, or anything at all; a part of the blocks known.
static void fill(sample* s, ts_rng* rng, double known, double eps, double* d) {
    ts_newton_system* y = &s->system;
    for (int b = 0; b < s->problem.block_count; ++b) {
        int rows = s->block[b].rows;
        double *C = y->C + y->square[b], *E = y->E + y->square[b];
        y->active[b] = ts_rng_uniform(rng) >= known;
        double dice = ts_rng_uniform(rng);
        for (int i = 0; i < rows; ++i)
            for (int c = 0; c < rows; ++c) {
                double one = i == c ? 1.0 : 0.0, v = one;
                if (dice < 0.3 && rows > 2) v = one - (i != 2 && c != 2 ? 0.3 * one : 0.0);  // slides
                if (dice > 0.8) v = one + 0.1 * ts_rng_normal(rng);
                E[i * rows + c] = v;
            }
        for (int i = 0; i < rows * rows; ++i) C[i] = (i % (rows + 1) == 0 ? 1.0 : 0.0) - E[i] + eps * E[i];
    }
    for (int i = 0; i < s->problem.row_count; ++i) d[i] = ts_rng_normal(rng);
}

static long double J[MOST_ROWS][MOST_ROWS + 1];

// The same by dense elimination with row exchanges in long double. Returns the largest entry of the step.
static double solve_slowly(const sample* s, const double* d, double* out) {
    const ts_newton_system* y = &s->system;
    int n = s->problem.row_count;
    memset(J, 0, sizeof(J));
    for (int b = 0; b < s->problem.block_count; ++b) {
        int rows = s->block[b].rows, row = s->block[b].row;
        for (int i = 0; i < rows; ++i) {
            J[row + i][n] = (long double)d[row + i];
            if (!y->active[b]) J[row + i][row + i] = 1.0L;
            for (int c = 0; c < rows && y->active[b]; ++c)
                J[row + i][row + c] += (long double)y->C[y->square[b] + i * rows + c];
        }
        for (int e = s->scaled.G.start[b]; e < s->scaled.G.start[b + 1] && y->active[b]; ++e) {
            const ts_block* other = &s->block[s->scaled.G.column[e]];
            const double* A = s->scaled.value + s->scaled.G.at[e];
            for (int i = 0; i < rows; ++i)
                for (int k = 0; k < rows; ++k)
                    for (int c = 0; c < other->rows; ++c)
                        J[row + i][other->row + c] +=
                            (long double)y->E[y->square[b] + i * rows + k] * (long double)A[k * other->rows + c];
        }
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(J[i][k]) > fabsl(J[best][k])) best = i;
        for (int c = k; c <= n && best != k; ++c) {
            long double x = J[k][c];
            J[k][c] = J[best][c];
            J[best][c] = x;
        }
        for (int i = k + 1; i < n; ++i) {
            if (J[i][k] == 0.0L) continue;
            long double l = J[i][k] / J[k][k];
            for (int c = k; c <= n; ++c) J[i][c] -= l * J[k][c];
        }
    }
    double largest = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        long double sum = J[k][n];
        for (int c = k + 1; c < n; ++c) sum -= J[k][c] * (long double)out[c];
        out[k] = (double)(sum / J[k][k]);
        largest = fmax(largest, fabs(out[k]));
    }
    return largest;
}

static void compare(sample* s, ts_rng* rng, double known, double eps, double tolerance) {
    static double d[MOST_ROWS], exact[MOST_ROWS];
    ts_arena scratch = {0};
    fill(s, rng, known, eps, d);
    double largest = solve_slowly(s, d, exact), error = 0.0;
    cr_assert(ts_newton_system_solve(&s->system, &scratch, d));
    for (int i = 0; i < s->problem.row_count; ++i) error = fmax(error, fabs(d[i] - exact[i]));
    cr_expect_leq(error, tolerance * largest, "%d rows, known %g, eps %g: error %g of %g", s->problem.row_count, known,
                  eps, error, largest);
    ts_arena_free(&scratch);
}

Test(newton_system, agrees_with_long_double_where_contacts_share_bodies) {
    ts_rng rng = ts_rng_make(7, 0);
    static sample s;
    // links, contacts per link, rows
    const int shape[][3] = {{2, 4, 3}, {3, 8, 3},  {12, 4, 3}, {20, 3, 3}, {30, 5, 3},
                            {9, 3, 6}, {14, 3, 4}, {8, 12, 1}, {7, 20, 3}};
    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); ++i)
        for (int soft = 0; soft < 2; ++soft) {
            make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], soft ? 0.3 : 0.0, 0.0);
            cr_expect_not_null(s.system.groups, "%d x %d of %d rows", shape[i][0], shape[i][1], shape[i][2]);
            for (int k = 0; k < 6; ++k) {
                compare(&s, &rng, 0.0, 0.1, 1e-9);
                compare(&s, &rng, 0.3, 1e-2, 1e-9);
                compare(&s, &rng, 0.7, 1e-3, 1e-9);
                compare(&s, &rng, 0.02, 1e-6, 1e-6);
            }
            ts_arena_free(&s.arena);
        }
}

Test(newton_system, agrees_with_long_double_where_they_do_not) {
    ts_rng rng = ts_rng_make(8, 0);
    static sample s;
    const int shape[][3] = {{2, 1, 3}, {10, 1, 3}, {30, 2, 3}, {80, 1, 3}, {60, 1, 6}, {50, 1, 4}, {150, 1, 1}};
    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); ++i)
        for (int soft = 0; soft < 2; ++soft) {
            make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], soft ? 0.3 : 0.0, 0.0);
            cr_expect_null(s.system.groups);
            for (int k = 0; k < 6; ++k) {
                compare(&s, &rng, 0.0, 0.1, 1e-9);
                compare(&s, &rng, 0.3, 1e-2, 1e-9);
                compare(&s, &rng, 0.7, 1e-3, 1e-9);
            }
            ts_arena_free(&s.arena);
        }
}

Test(newton_system, a_matrix_that_does_not_keep_to_groups_is_solved_as_it_stands) {
    ts_rng rng = ts_rng_make(9, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 1e-3);
    cr_expect_null(s.system.groups);
    compare(&s, &rng, 0.2, 0.1, 1e-9);
    ts_arena_free(&s.arena);
}

Test(newton_system, contacts_that_only_look_alike_are_no_group) {
    // Every contact of a link has a body of its own on the far side, all held together by a full matrix: same pattern,
    // full rank.
    ts_rng rng = ts_rng_make(10, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    ts_newton_matrix A = s.system.A;
    for (int b = 0; b < s.problem.block_count; ++b)
        for (int e = A.G->start[b]; e < A.G->start[b + 1]; ++e)
            for (int r = 0; r < 3 && A.G->column[e] == b; ++r) s.scaled.value[A.G->at[e] + 4 * (size_t)r] += 0.2;
    cr_expect_null(ts_newton_groups_make(&A, &s.arena));
    ts_arena_free(&s.arena);
}

Test(newton_system, one_entry_that_no_wrench_explains_undoes_the_groups) {
    ts_rng rng = ts_rng_make(13, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    ts_newton_matrix A = s.system.A;
    int last = A.G->start[1] - 1;  // of block 0 against the next link
    cr_assert_geq(A.G->column[last], 4);
    s.scaled.value[A.G->at[last] + 1] += 1e-6;
    cr_expect_null(ts_newton_groups_make(&A, &s.arena));
    ts_arena_free(&s.arena);
}

Test(newton_system, known_steps_alone_are_left_alone) {
    ts_rng rng = ts_rng_make(11, 0);
    static sample s;
    static double d[MOST_ROWS], before[MOST_ROWS];
    ts_arena scratch = {0};
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    fill(&s, &rng, 2.0, 0.1, d);
    memcpy(before, d, sizeof(d));
    cr_expect(ts_newton_system_solve(&s.system, &scratch, d));
    cr_expect_arr_eq(d, before, (size_t)s.problem.row_count * sizeof(double));
    ts_arena_free(&scratch);
    ts_arena_free(&s.arena);
}

Test(newton_system, singular_systems_are_refused) {
    ts_rng rng = ts_rng_make(12, 0);
    static sample s;
    static double d[MOST_ROWS];
    ts_arena scratch = {0};
    const int shape[][3] = {{3, 2, 3}, {60, 1, 3}, {12, 4, 3}};
    for (size_t i = 0; i < 3; ++i) {
        make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], 0.0, 0.0);
        fill(&s, &rng, 0.0, 0.1, d);
        // A block whose rows say nothing.
        memset(s.system.C + s.system.square[5], 0, 9 * sizeof(double));
        memset(s.system.E + s.system.square[5], 0, 9 * sizeof(double));
        cr_expect_not(ts_newton_system_solve(&s.system, &scratch, d), "shape %zu", i);
        fill(&s, &rng, 0.0, 0.1, d);
        s.system.E[s.system.square[4]] = (double)NAN;
        cr_expect_not(ts_newton_system_solve(&s.system, &scratch, d), "NaN, shape %zu", i);
        ts_arena_free(&s.arena);
    }
    ts_arena_free(&scratch);
}
