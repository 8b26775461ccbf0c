// base/linear/dense.h: factors multiplied out in long double against the matrix they came from, up to 300 rows and condition
// numbers of 1e14; solutions by their residual; refusal of what is not positive definite; the vector
// kernels against their scalar twins. The upper triangle holds NaN throughout: nobody may read it, and nobody may write it.
#include <criterion/criterion.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/dense_internal.h"
#include "tests/base/sample.h"

enum { LARGEST = 300, PADDING = 3 };

static double A[LARGEST * (LARGEST + PADDING)], L[LARGEST * (LARGEST + PADDING)], full[LARGEST * LARGEST];

static double get(const double* M, int ld, int i, int j) { return M[(size_t)i * (size_t)ld + (size_t)j]; }

// A symmetric positive definite matrix: Q diag Q with a random Householder reflection Q = I - 2 u u^T and eigenvalues
// spread evenly in logarithm from 1 down to 1 / condition; then rows and columns are scaled by random powers of two up
// to 2^scale_range. Lower triangle with leading dimension ld; NaN elsewhere.
static void make_definite(ts_rng* rng, int n, int ld, double condition, int scale_range, double* out) {
    static double u[LARGEST], d[LARGEST], w[LARGEST], scale[LARGEST];
    double norm = 0.0, shift = 0.0;
    for (int i = 0; i < n; ++i) {
        u[i] = ts_rng_normal(rng);
        norm += u[i] * u[i];
        d[i] = pow(condition, -(n > 1 ? (double)i / (n - 1) : 0.0));
        scale[i] =
            ldexp(1.0, scale_range ? (int)(ts_rng_bits(rng) % (uint64_t)(2 * scale_range + 1)) - scale_range : 0);
    }
    for (int i = 0; i < n; ++i) {
        u[i] /= sqrt(norm);
        w[i] = d[i] * u[i];
        shift += u[i] * w[i];
    }
    for (int k = 0; k < n * ld; ++k) out[k] = (double)NAN;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double a = (i == j ? d[i] : 0.0) - 2.0 * u[i] * w[j] - 2.0 * w[i] * u[j] + 4.0 * shift * u[i] * u[j];
            out[(size_t)i * (size_t)ld + (size_t)j] = scale[i] * a * scale[j];
        }
}

// Nothing above the diagonal or in the padding has been written.
static void check_upper_untouched(const double* M, int n, int ld) {
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < ld; ++j) cr_assert(isnan(get(M, ld, i, j)), "(%d, %d) was written", i, j);
}

// |A - L L^T| entry by entry, relative to sqrt(A_ii A_jj), which bounds every partial sum of a positive definite matrix.
static double reconstruction_error(const double* original, const double* factor, int n, int ld) {
    double worst = 0.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            long double sum = 0.0L;
            for (int k = 0; k <= j; ++k) sum += (long double)get(factor, ld, i, k) * (long double)get(factor, ld, j, k);
            double size = sqrt(fabs(get(original, ld, i, i))) * sqrt(fabs(get(original, ld, j, j)));
            double error = (double)fabsl(sum - (long double)get(original, ld, i, j)) / size;
            if (!(error <= worst)) worst = error;
        }
    return worst;
}

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 30, 33, 64, 67, 128, 131, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

Test(dense, cholesky_reconstructs) {
    ts_rng rng = ts_rng_make(81, 0);
    for (int s = 0; s < SIZES; ++s)
        for (int kind = 0; kind < 4; ++kind) {
            int n = sizes[s], ld = n + (kind % 2 ? PADDING : 0);
            make_definite(&rng, n, ld, kind < 2 ? 10.0 : 1e12, kind == 3 ? 60 : 0, A);
            memcpy(L, A, sizeof A);
            cr_assert_eq(ts_cholesky_factor(L, n, ld), 1, "n = %d, kind %d", n, kind);
            check_upper_untouched(L, n, ld);
            // Higham, Accuracy and Stability, theorem 10.3: (n + 1) eps / (1 - (n + 1) eps).
            cr_assert_leq(reconstruction_error(A, L, n, ld), (n + 1) * DBL_EPSILON, "n = %d, kind %d", n, kind);
            for (int i = 0; i < n; ++i) cr_assert_gt(get(L, ld, i, i), 0.0);
        }
}

// The residual |b - A x| relative to |A| |x| + |b|, rows summed in long double over the symmetric matrix in A.
static double residual(int n, int ld, const double* x, const double* b) {
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        long double sum = (long double)b[i], size = fabsl((long double)b[i]);
        for (int j = 0; j < n; ++j) {
            long double term = (long double)(j <= i ? get(A, ld, i, j) : get(A, ld, j, i)) * (long double)x[j];
            sum -= term;
            size += fabsl(term);
        }
        double error = size > 0.0L ? (double)(fabsl(sum) / size) : 0.0;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

Test(dense, solutions_have_a_tiny_residual) {
    ts_rng rng = ts_rng_make(83, 0);
    static double x[LARGEST], b[LARGEST];
    for (int s = 0; s < SIZES; ++s)
        for (int kind = 0; kind < 4; ++kind) {
            int n = sizes[s], ld = n + (kind % 2 ? PADDING : 0);
            make_definite(&rng, n, ld, kind < 2 ? 10.0 : 1e12, 0, A);
            for (int i = 0; i < n; ++i) b[i] = ts_rng_normal(&rng);
            memcpy(L, A, sizeof A);
            memcpy(x, b, sizeof b);
            cr_assert(ts_cholesky_factor(L, n, ld));
            ts_cholesky_solve(L, n, ld, x);
            // Theorem 10.4: backward error at most 3 n eps |L||L^T|; rows weigh differently, hence the factor n.
            cr_assert_leq(residual(n, ld, x, b), 3.0 * n * n * DBL_EPSILON);
        }
}

Test(dense, well_conditioned_solutions_are_accurate) {
    ts_rng rng = ts_rng_make(84, 0);
    static double x[LARGEST], truth[LARGEST];
    for (int s = 0; s < SIZES; ++s) {
        int n = sizes[s];
        make_definite(&rng, n, n, 4.0, 0, A);
        for (int i = 0; i < n; ++i) truth[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        for (int i = 0; i < n; ++i) {
            long double sum = 0.0L;
            for (int j = 0; j < n; ++j)
                sum += (long double)(j <= i ? get(A, n, i, j) : get(A, n, j, i)) * (long double)truth[j];
            x[i] = (double)sum;
        }
        cr_assert(ts_cholesky_factor(A, n, n));
        ts_cholesky_solve(A, n, n, x);
        for (int i = 0; i < n; ++i) cr_assert_float_eq(x[i], truth[i], 4e-15 * sqrt((double)n));
    }
}

Test(dense, what_is_not_positive_definite_is_refused) {
    ts_rng rng = ts_rng_make(86, 0);
    for (int s = 0; s < SIZES; ++s) {
        int n = sizes[s];
        for (int bad = 0; bad < 6; ++bad) {
            make_definite(&rng, n, n, 10.0, 0, A);
            int at = (int)(ts_rng_bits(&rng) % (uint64_t)n) * (n + 1);
            if (bad == 0) A[at] = -1.0;
            if (bad == 1) A[at] = 0.0;
            if (bad == 2) A[at] = (double)NAN;
            if (bad == 3) A[at] = HUGE_VAL;
            if (bad == 4) A[(n - 1) * n] = n > 1 ? (double)NAN : -1.0;
            if (bad == 5) A[(n - 1) * n] = n > 1 ? 100.0 : -1.0;  // a 2x2 minor is negative
            memcpy(L, A, sizeof A);
            cr_assert_eq(ts_cholesky_factor(L, n, n), 0, "n = %d, case %d", n, bad);
            check_upper_untouched(L, n, n);
        }
    }
    double singular[4] = {1.0, 0.0, 1.0, 1.0};
    cr_assert_eq(ts_cholesky_factor(singular, 2, 2), 0);
}

Test(dense, empty_systems_are_fine) {
    double nothing = 7.0;
    cr_assert_eq(ts_cholesky_factor(&nothing, 0, 1), 1);
    ts_cholesky_solve(&nothing, 0, 1, &nothing);
    ts_dense_apply(&nothing, 0, 0, 1, &nothing, &nothing);
    cr_assert_eq(nothing, 7.0);
}

Test(dense, apply_matches_long_double_sums) {
    ts_rng rng = ts_rng_make(87, 0);
    static double x[LARGEST], y[LARGEST + 1];
    for (int trial = 0; trial < 60; ++trial) {
        int rows = (int)(ts_rng_bits(&rng) % 40), columns = (int)(ts_rng_bits(&rng) % 40), ld = columns + trial % 4;
        for (int k = 0; k < rows * ld; ++k) full[k] = ts_rng_normal(&rng);
        for (int j = 0; j < columns; ++j) x[j] = ts_rng_normal(&rng);
        y[rows] = 99.0;
        ts_dense_apply(full, rows, columns, ld, x, y);
        for (int i = 0; i < rows; ++i) {
            long double sum = 0.0L, size = 0.0L;
            for (int j = 0; j < columns; ++j) {
                sum += (long double)get(full, ld, i, j) * (long double)x[j];
                size += fabsl((long double)get(full, ld, i, j) * (long double)x[j]);
            }
            cr_assert_float_eq(y[i], (double)sum, columns * DBL_EPSILON * (double)size);
        }
        cr_assert_eq(y[rows], 99.0);
    }
}

Test(dense, same_input_same_bits) {
    ts_rng rng = ts_rng_make(90, 0);
    make_definite(&rng, 100, 100, 1e6, 0, A);
    memcpy(L, A, sizeof A);
    cr_assert(ts_cholesky_factor(A, 100, 100));
    // The same matrix behind another leading dimension: the order of sums must not depend on the layout.
    for (int i = 99; i >= 0; --i) memmove(L + i * 103, L + i * 100, 100 * sizeof *L);
    cr_assert(ts_cholesky_factor(L, 100, 103));
    for (int i = 0; i < 100; ++i)
        for (int j = 0; j <= i; ++j) cr_assert_eq(get(A, 100, i, j), get(L, 103, i, j));
}

// Both versions of every kernel on rows that begin at any alignment; also against long double.
Test(dense, vector_kernels_give_the_bits_of_their_scalar_twins) {
    ts_rng rng = ts_rng_make(95, 0);
    static double memory[6][70], y[2][64];
    for (int trial = 0; trial < 2000; ++trial) {
        int n = 2 * (int)(ts_rng_bits(&rng) % 31);
        for (int r = 0; r < 6; ++r)
            for (int k = 0; k < 70; ++k) memory[r][k] = ts_rng_normal(&rng) * ldexp(1.0, trial % 40);
        const double* row[4];
        for (int r = 0; r < 4; ++r) row[r] = memory[r] + (trial >> r) % 2;
        const double *c0 = memory[4] + trial % 3, *c1 = memory[5] + trial % 5;
        double tile[2][4][2], dots[2][4], x[4] = {c0[0], c0[1], c1[0], c1[1]};
        for (int k = 0; k < 64; ++k) y[0][k] = y[1][k] = ts_rng_normal(&rng);
        ts_dense_tile_scalar(row, c0, c1, n, tile[0]);
        ts_dense_dots_scalar(row, c0, n, dots[0]);
        ts_dense_subtract_scalar(row, x, n, y[0]);
        TS_DENSE_KERNEL(ts_dense_tile)(row, c0, c1, n, tile[1]);
        TS_DENSE_KERNEL(ts_dense_dots)(row, c0, n, dots[1]);
        TS_DENSE_KERNEL(ts_dense_subtract)(row, x, n, y[1]);
        cr_assert_eq(memcmp(tile[0], tile[1], sizeof tile[0]), 0);
        cr_assert_eq(memcmp(dots[0], dots[1], sizeof dots[0]), 0);
        cr_assert_eq(memcmp(y[0], y[1], sizeof y[0]), 0);
        for (int r = 0; r < 4; ++r) {
            long double sum[2] = {0.0L, 0.0L}, size[2] = {0.0L, 0.0L};
            for (int k = 0; k < n; ++k) {
                sum[0] += (long double)row[r][k] * (long double)c0[k];
                sum[1] += (long double)row[r][k] * (long double)c1[k];
                size[0] += fabsl((long double)row[r][k] * (long double)c0[k]);
                size[1] += fabsl((long double)row[r][k] * (long double)c1[k]);
            }
            for (int c = 0; c < 2; ++c)
                cr_assert_float_eq(tile[0][r][c], (double)sum[c], n * DBL_EPSILON * (double)size[c]);
            cr_assert_eq(dots[0][r], tile[0][r][0]);
        }
    }
}

// Lines of every length up to 40 and strides of their numbers, against long double.
Test(dense, lines_are_added_to_lines) {
    enum { MOST = 40, COUNT = 5, STRIDE = 3 };
    ts_rng rng = ts_rng_make(97, 0);
    for (int n = 1; n <= MOST; ++n) {
        double value[COUNT * STRIDE], line[COUNT * (MOST + 2)], x[MOST + 1], start[MOST];
        for (int k = 0; k < COUNT * STRIDE; ++k) value[k] = ts_rng_normal(&rng);
        for (int k = 0; k < COUNT * (n + 2); ++k) line[k] = ts_rng_normal(&rng);
        for (int j = 0; j < n; ++j) x[j] = start[j] = ts_rng_normal(&rng);
        x[n] = 7.0;
        ts_lines_add(n, COUNT, -1.0, value, STRIDE, line, n + 2, x);
        cr_assert_eq(x[n], 7.0);
        for (int j = 0; j < n; ++j) {
            long double sum = start[j];
            for (int r = 0; r < COUNT; ++r) sum -= (long double)value[r * STRIDE] * line[r * (n + 2) + j];
            cr_assert_float_eq(x[j], (double)sum, 1e-14);
        }
    }
}

// Reflections of columns, forth and back, against products in long double.
Test(dense, reflections_of_columns) {
    enum { ROWS = 7, COUNT = 5, MOST = 37 };
    ts_rng rng = ts_rng_make(98, 0);
    for (int n = 1; n <= MOST; ++n)
        for (int back = 0; back < 2; ++back) {
            double v[ROWS * COUNT], tau[COUNT], X[ROWS * MOST];
            long double Y[ROWS * MOST];
            for (int k = 0; k < ROWS * COUNT; ++k) v[k] = 0.3 * ts_rng_normal(&rng);
            for (int k = 0; k < COUNT; ++k) tau[k] = ts_rng_normal(&rng);
            for (int k = 0; k < ROWS * n; ++k) Y[k] = X[k] = ts_rng_normal(&rng);
            ts_lines_reflect(n, ROWS, COUNT, back, v, tau, X);
            for (int i = 0; i < COUNT; ++i) {
                int k = back ? COUNT - 1 - i : i;
                for (int j = 0; j < n; ++j) {
                    long double share = Y[k * n + j];
                    for (int r = k + 1; r < ROWS; ++r) share += v[k * ROWS + r] * Y[r * n + j];
                    Y[k * n + j] -= tau[k] * share;
                    for (int r = k + 1; r < ROWS; ++r) Y[r * n + j] -= tau[k] * share * v[k * ROWS + r];
                }
            }
            for (int k = 0; k < ROWS * n; ++k) cr_assert_float_eq(X[k], (double)Y[k], 1e-12);
        }
}

// Memory of exactly the stated size: what lies beyond is for the address sanitizer to watch.
Test(dense, nothing_outside_the_matrix_is_touched) {
    ts_rng rng = ts_rng_make(96, 0);
    for (int n = 1; n <= 20; ++n)
        for (int ld = n; ld < n + 3; ++ld) {
            size_t count = (size_t)(n - 1) * (size_t)ld + (size_t)n;
            double* M = (double*)malloc(count * sizeof *M);
            double* b = (double*)malloc((size_t)n * sizeof *b);
            make_definite(&rng, n, ld, 10.0, 0, A);
            for (int i = 0; i < n; ++i) b[i] = ts_rng_normal(&rng);
            memcpy(M, A, count * sizeof *M);
            cr_assert(ts_cholesky_factor(M, n, ld));
            ts_cholesky_solve(M, n, ld, b);
            for (size_t k = 0; k < count; ++k) M[k] = 1.0;
            double* y = (double*)malloc((size_t)n * sizeof *y);
            ts_dense_apply(M, n, n, ld, b, y);
            cr_assert(isfinite(y[n - 1]));
            free(M);
            free(b);
            free(y);
        }
}
