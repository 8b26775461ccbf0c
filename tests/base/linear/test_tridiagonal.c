// The tridiagonal form: against the matrix itself, for shifts of every size; degenerate rows; what it refuses.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/linear/tridiagonal.h"

enum { MOST = 61, LD = 64 };

typedef struct system {
    double A[MOST][LD];
    double work[MOST * LD];
    double weight[MOST], diagonal[MOST], off[MOST], pivot[MOST], lower[MOST];
    ts_tridiagonal t;
} matrix;

// Symmetric; the upper triangle of the working copy holds NaN, which nobody may read.
static void reduce(matrix* m, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < LD; ++j) m->work[i * LD + j] = j <= i ? m->A[i][j] : (double)NAN;
    m->t = (ts_tridiagonal){n, LD, m->work, m->weight, m->diagonal, m->off, m->pivot, m->lower};
    ts_tridiagonal_reduce(&m->t);
}

static void make(matrix* m, ts_rng* rng, int n, int rank) {
    static double B[MOST][MOST];
    memset(m, 0, sizeof(*m));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < rank; ++k) B[i][k] = ts_rng_normal(rng);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < rank; ++k) m->A[i][j] += B[i][k] * B[j][k];
}

static void check_solves(matrix* m, ts_rng* rng, int n) {
    const double shift[4] = {10.0, 1e-3, 1e4, 1.0};
    reduce(m, n);
    for (int k = 0; k < 4; ++k) {
        double b[MOST], x[MOST];
        for (int i = 0; i < n; ++i) x[i] = b[i] = ts_rng_normal(rng);
        cr_assert(ts_tridiagonal_shift(&m->t, shift[k]), "%d rows, shift %g", n, shift[k]);
        ts_tridiagonal_solve(&m->t, x);
        for (int i = 0; i < n; ++i) {
            long double sum = (long double)shift[k] * (long double)x[i] - (long double)b[i], size = 1.0L;
            for (int j = 0; j < n; ++j) {
                long double part = (long double)m->A[i][j] * (long double)x[j];
                sum += part;
                size += fabsl(part);
            }
            cr_expect_leq((double)fabsl(sum), 1e-13 * (double)size, "%d rows, shift %g, row %d: %Lg", n, shift[k], i,
                          sum);
        }
    }
}

Test(tridiagonal, solves_for_every_shift) {
    static matrix m;
    ts_rng rng = ts_rng_make(81, 0);
    for (int n = 0; n <= MOST; n += n < 8 ? 1 : 9) {
        make(&m, &rng, n, n);
        check_solves(&m, &rng, n);
        make(&m, &rng, n, n / 2);
        check_solves(&m, &rng, n);
    }
}

// Rows with nothing to reflect, and numbers whose squares overflow or vanish.
Test(tridiagonal, rows_of_zeros_and_sizes) {
    static matrix m;
    ts_rng rng = ts_rng_make(82, 0);
    memset(&m, 0, sizeof(m));
    for (int i = 0; i < 10; ++i) m.A[i][i] = 1 + i % 3;
    m.A[4][3] = m.A[3][4] = 0.5;
    m.A[9][2] = m.A[2][9] = -0.25;
    check_solves(&m, &rng, 10);
    const double size[2] = {1e200, 1e-200};
    for (int k = 0; k < 2; ++k) {
        double x[7], b[7];
        make(&m, &rng, 7, 7);
        for (int i = 0; i < 7; ++i)
            for (int j = 0; j < 7; ++j) m.A[i][j] *= size[k];
        reduce(&m, 7);
        cr_assert(ts_tridiagonal_shift(&m.t, size[k]));
        for (int i = 0; i < 7; ++i) x[i] = b[i] = size[k] * (i - 3);
        ts_tridiagonal_solve(&m.t, x);
        for (int i = 0; i < 7; ++i) {
            double sum = x[i];
            for (int j = 0; j < 7; ++j) sum += m.A[i][j] / size[k] * x[j];
            cr_expect_float_eq(sum, i - 3, 1e-12);
        }
    }
}

// Eigenvalues 3, 1 and -1: positive from a shift of 1 on.
Test(tridiagonal, says_when_it_is_not_positive) {
    static matrix m;
    const double A[3][3] = {{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};
    memset(&m, 0, sizeof(m));
    for (int i = 0; i < 3; ++i) memcpy(m.A[i], A[i], sizeof(A[i]));
    reduce(&m, 3);
    cr_expect_not(ts_tridiagonal_shift(&m.t, 0.0));
    cr_expect_not(ts_tridiagonal_shift(&m.t, 0.99));
    cr_expect(ts_tridiagonal_shift(&m.t, 1.01));
    cr_expect_not(ts_tridiagonal_shift(&m.t, (double)NAN));
    m.A[1][0] = (double)NAN;
    reduce(&m, 3);
    cr_expect_not(ts_tridiagonal_shift(&m.t, 5.0));
}
