// Linear systems over contacts against elimination in long double, on matrices with and without contacts that share
// bodies, with some steps known, and with factors and analyses that are used again.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/operator/linear_groups_internal.h"
#include "tests/contact/dense_operator.h"

enum { MOST_ROWS = 600, MOST_BLOCKS = 220, MAX = TS_BLOCK_ROWS_MAX };

// A chain of bodies, a few contacts between neighbours, as a dense matrix that knows nothing of bodies.
typedef struct sample {
    ts_arena arena;
    int blocks, rows;
    int block_row[MOST_BLOCKS + 1];
    double scale[MOST_ROWS], shift[MOST_ROWS];
    ts_linear_matrix A;
    ts_linear* system;
} sample;

static double wrench[MOST_ROWS][6];
static int low_body[MOST_BLOCKS];

static int rows_of(const sample* s, int b) { return s->block_row[b + 1] - s->block_row[b]; }

// Every link of the chain gets `contacts` blocks of `rows` rows; the first and last body are held. Nonzero `softness`
// is A's own diagonal.
static void make(sample* s, ts_rng* rng, int links, int contacts, int rows, double softness, double asymmetry) {
    int n = 0, b = 0;
    memset(s, 0, sizeof(*s));
    for (int link = 0; link < links; ++link)
        for (int k = 0; k < contacts; ++k, ++b) {
            s->block_row[b] = n;
            low_body[b] = link;
            for (int r = 0; r < rows; ++r, ++n) {
                s->shift[n] = softness;
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
    for (int p = 0; p < b; ++p) {
        double stiffness = softness;
        for (int i = s->block_row[p]; i < s->block_row[p + 1]; ++i)
            stiffness = fmax(stiffness, rows * G[(size_t)i * (size_t)n + (size_t)i]);
        for (int i = s->block_row[p]; i < s->block_row[p + 1]; ++i) s->scale[i] = 1.0 / sqrt(stiffness);
    }
    s->blocks = b;
    s->rows = n;
    ts_delassus* operator_ = dense_operator(&s->arena, b, s->block_row, G);
    cr_assert(ts_linear_matrix_make(operator_, s->scale, softness > 0.0 ? s->shift : NULL, &s->arena, &s->A));
    s->system = ts_linear_make(&s->A, TS_LINEAR_BLOCKS, &s->arena);
    cr_assert_not_null(s->system);
}

// C and E as sliding, sticking and saturated contacts have them, or anything at all; a part of the blocks known.
static void fill(sample* s, ts_rng* rng, double known, double eps, double* d) {
    ts_linear* y = s->system;
    for (int b = 0; b < s->blocks; ++b) {
        int rows = rows_of(s, b);
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
    for (int i = 0; i < s->rows; ++i) d[i] = ts_rng_normal(rng);
}

static long double J[MOST_ROWS][MOST_ROWS + 1];

// The same by dense elimination with row exchanges in long double. Returns the largest entry of the step.
static double solve_slowly(const sample* s, const double* d, double* out) {
    const ts_linear* y = s->system;
    int n = s->rows;
    memset(J, 0, sizeof(J));
    for (int b = 0; b < s->blocks; ++b) {
        int rows = rows_of(s, b), row = s->block_row[b];
        for (int i = 0; i < rows; ++i) {
            J[row + i][n] = (long double)d[row + i];
            if (!y->active[b]) J[row + i][row + i] = 1.0L;
            for (int c = 0; c < rows && y->active[b]; ++c)
                J[row + i][row + c] += (long double)y->C[y->square[b] + i * rows + c];
        }
        for (int e = s->A.start[b]; e < s->A.start[b + 1] && y->active[b]; ++e) {
            int other = s->A.column[e], ld;
            const double* A = ts_linear_matrix_entry(&s->A, b, e, &ld);
            for (int i = 0; i < rows; ++i)
                for (int k = 0; k < rows; ++k)
                    for (int c = 0; c < rows_of(s, other); ++c)
                        J[row + i][s->block_row[other] + c] +=
                            (long double)y->E[y->square[b] + i * rows + k] * (long double)A[k * ld + c];
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

static void solve_and_compare(sample* s, double* d, double tolerance, const char* what) {
    static double exact[MOST_ROWS];
    double largest = solve_slowly(s, d, exact), error = 0.0;
    cr_assert(ts_linear_solve(s->system, NULL, 0.0, d));
    for (int i = 0; i < s->rows; ++i) error = fmax(error, fabs(d[i] - exact[i]));
    cr_expect_leq(error, tolerance * largest, "%d rows, %s, %s: error %g of %g", s->rows, s->system->room->way->name,
                  what, error, largest);
}

// A system, another right-hand side for it, and other numbers for the same unknowns.
static void compare(sample* s, ts_rng* rng, double known, double eps, double tolerance) {
    static double d[MOST_ROWS];
    static int active[MOST_BLOCKS];
    fill(s, rng, known, eps, d);
    cr_assert(ts_linear_change(s->system));
    solve_and_compare(s, d, tolerance, "first");
    for (int i = 0; i < s->rows; ++i) d[i] = ts_rng_normal(rng);
    solve_and_compare(s, d, tolerance, "again");
    memcpy(active, s->system->active, (size_t)s->blocks * sizeof(int));
    const void* analysed = s->system->room->analysed;
    fill(s, rng, known, eps, d);
    memcpy(s->system->active, active, (size_t)s->blocks * sizeof(int));
    size_t used = s->arena.used;
    cr_assert(ts_linear_change(s->system));
    cr_expect(s->system->room->analysed == analysed && s->arena.used == used, "analysed again");
    solve_and_compare(s, d, tolerance, "changed");
}

Test(linear, agrees_with_long_double_where_contacts_share_bodies) {
    ts_rng rng = ts_rng_make(7, 0);
    static sample s;
    // links, contacts per link, rows
    const int shape[][3] = {{2, 4, 3}, {3, 8, 3},  {12, 4, 3}, {20, 3, 3}, {30, 5, 3},
                            {9, 3, 6}, {14, 3, 4}, {8, 12, 1}, {7, 20, 3}};
    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); ++i)
        for (int soft = 0; soft < 2; ++soft) {
            make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], soft ? 0.3 : 0.0, 0.0);
            cr_expect_not_null(s.system->room->groups, "%d x %d of %d rows", shape[i][0], shape[i][1], shape[i][2]);
            for (int k = 0; k < 2; ++k) {
                compare(&s, &rng, 0.0, 0.1, 1e-9);
                compare(&s, &rng, 0.3, 1e-2, 1e-9);
                compare(&s, &rng, 0.7, 1e-3, 1e-9);
                compare(&s, &rng, 0.02, 1e-6, 1e-6);
            }
            ts_arena_free(&s.arena);
        }
}

Test(linear, agrees_with_long_double_where_they_do_not) {
    ts_rng rng = ts_rng_make(8, 0);
    static sample s;
    const int shape[][3] = {{2, 1, 3}, {10, 1, 3}, {30, 2, 3}, {80, 1, 3}, {60, 1, 6}, {50, 1, 4}, {150, 1, 1}};
    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); ++i)
        for (int soft = 0; soft < 2; ++soft) {
            make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], soft ? 0.3 : 0.0, 0.0);
            cr_expect_null(s.system->room->groups);
            for (int k = 0; k < 2; ++k) {
                compare(&s, &rng, 0.0, 0.1, 1e-9);
                compare(&s, &rng, 0.3, 1e-2, 1e-9);
                compare(&s, &rng, 0.7, 1e-3, 1e-9);
            }
            ts_arena_free(&s.arena);
        }
}

Test(linear, a_matrix_that_does_not_keep_to_groups_is_solved_as_it_stands) {
    ts_rng rng = ts_rng_make(9, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 1e-3);
    cr_expect_null(s.system->room->groups);
    compare(&s, &rng, 0.2, 0.1, 1e-9);
    ts_arena_free(&s.arena);
}

Test(linear, contacts_that_only_look_alike_are_no_group) {
    // Every contact of a link has a body of its own on the far side, all held together by a full matrix: same pattern,
    // full rank.
    ts_rng rng = ts_rng_make(10, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    for (int b = 0; b < s.blocks; ++b)
        for (int e = s.A.start[b]; e < s.A.start[b + 1]; ++e) {
            int ld;
            double* A = (double*)ts_linear_matrix_entry(&s.A, b, e, &ld);
            for (int r = 0; r < 3 && s.A.column[e] == b; ++r) A[r * (ld + 1)] += 0.2;
        }
    cr_expect_null(ts_linear_groups_make(&s.A, &s.arena));
    ts_arena_free(&s.arena);
}

Test(linear, one_entry_that_no_wrench_explains_undoes_the_groups) {
    ts_rng rng = ts_rng_make(13, 0);
    static sample s;
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    int last = s.A.start[1] - 1, ld;  // of block 0 against the next link
    cr_assert_geq(s.A.column[last], 4);
    ((double*)ts_linear_matrix_entry(&s.A, 0, last, &ld))[1] += 1e-6;
    cr_expect_null(ts_linear_groups_make(&s.A, &s.arena));
    ts_arena_free(&s.arena);
}

Test(linear, known_steps_alone_are_left_alone) {
    ts_rng rng = ts_rng_make(11, 0);
    static sample s;
    static double d[MOST_ROWS], before[MOST_ROWS];
    make(&s, &rng, 12, 4, 3, 0.0, 0.0);
    fill(&s, &rng, 2.0, 0.1, d);
    memcpy(before, d, sizeof(d));
    cr_expect(ts_linear_change(s.system));
    cr_expect(ts_linear_solve(s.system, NULL, 0.0, d));
    cr_expect_eq(memcmp(d, before, (size_t)s.rows * sizeof(double)), 0);
    cr_expect_eq(ts_linear_cost_of(s.system).change, 0.0);
    ts_arena_free(&s.arena);
}

Test(linear, singular_systems_are_refused) {
    ts_rng rng = ts_rng_make(12, 0);
    static sample s;
    static double d[MOST_ROWS];
    const int shape[][3] = {{3, 2, 3}, {60, 1, 3}, {12, 4, 3}};
    for (size_t i = 0; i < 3; ++i) {
        make(&s, &rng, shape[i][0], shape[i][1], shape[i][2], 0.0, 0.0);
        fill(&s, &rng, 0.0, 0.1, d);
        // A block whose rows say nothing.
        memset(s.system->C + s.system->square[5], 0, 9 * sizeof(double));
        memset(s.system->E + s.system->square[5], 0, 9 * sizeof(double));
        cr_expect_not(ts_linear_change(s.system) && ts_linear_solve(s.system, NULL, 0.0, d), "shape %zu", i);
        fill(&s, &rng, 0.0, 0.1, d);
        s.system->E[s.system->square[4]] = (double)NAN;
        cr_expect_not(ts_linear_change(s.system) && ts_linear_solve(s.system, NULL, 0.0, d), "NaN, shape %zu", i);
        // And it is as good as new.
        compare(&s, &rng, 0.1, 0.1, 1e-9);
        ts_arena_free(&s.arena);
    }
}

// The three ways that a matrix over contacts has, and what they say they cost.
Test(linear, the_way_follows_from_the_size) {
    ts_rng rng = ts_rng_make(14, 0);
    static sample s;
    const struct {
        int links, contacts;
        const char* way;
    } cases[] = {{10, 1, "dense"}, {80, 1, "blocks"}, {40, 4, "groups"}};
    for (size_t i = 0; i < 3; ++i) {
        make(&s, &rng, cases[i].links, cases[i].contacts, 3, 0.0, 0.0);
        ts_linear_cost all = ts_linear_cost_of(s.system);
        cr_expect_str_eq(s.system->room->way->name, cases[i].way);
        cr_expect(all.change > all.solve && all.solve > s.rows, "%g to change, %g to solve", all.change, all.solve);
        for (int b = s.blocks / 2; b < s.blocks; ++b) s.system->active[b] = 0;
        ts_linear_cost half = ts_linear_cost_of(s.system);
        cr_expect(half.change < all.change && half.solve < all.solve);
        ts_arena_free(&s.arena);
    }
}

// Products with A as numbers, dense and by blocks, against sums in long double over the operator's own matrix.
Test(linear, products_are_those_of_the_definition) {
    ts_rng rng = ts_rng_make(15, 0);
    static sample s;
    static double x[MOST_ROWS], y[MOST_ROWS], sizes[MOST_ROWS], G[MOST_ROWS * MOST_ROWS];
    const int links[] = {7, 60};
    for (int i = 0; i < 2; ++i) {
        make(&s, &rng, links[i], 3, 3, 0.4, 1e-3);
        cr_expect_eq(s.A.at == NULL, i == 0);
        dense_operator_matrix(s.A.G, &s.arena, G);
        for (int r = 0; r < s.rows; ++r) x[r] = ts_rng_normal(&rng);
        ts_linear_matrix_apply(&s.A, x, y);
        ts_linear_matrix_sizes(&s.A, x, sizes);
        for (int r = 0; r < s.rows; ++r) {
            long double sum = 0.0L, size = 0.0L;
            for (int c = 0; c < s.rows; ++c) {
                long double a = (long double)s.scale[r] * G[r * s.rows + c] * s.scale[c] + (r == c ? s.shift[r] : 0.0);
                sum += a * x[c];
                size += fabsl(a * x[c]);
            }
            cr_expect_float_eq(y[r], (double)sum, 1e-14 * (double)size);
            cr_expect_float_eq(sizes[r], (double)size, 1e-14 * (double)size);
        }
        for (int b = 0; b < s.blocks; ++b) {
            double rows[MAX];
            ts_linear_matrix_rows(&s.A, b, x, rows);
            for (int r = 0; r < 3; ++r) cr_expect_eq(rows[r], y[s.block_row[b] + r]);
        }
        ts_arena_free(&s.arena);
    }
}
