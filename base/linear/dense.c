// Cholesky's factor by rows.
//
// Problem: A = L L^T for a symmetric A of up to a few hundred rows, row-major, lower triangle only.
// Rule: row by row (Cholesky-Banachiewicz): L_ij = (A_ij - <L_i, L_j> over the first j columns) / L_jj. Rows are
// contiguous, so every inner loop is a dot product that streams through memory. (Golub & Van Loan, 4.2.) Four
// rows are worked on together, which reuses what is loaded and keeps several independent sums going.
// Guaranteed: backward stable for positive definite A (|A - L L^T| <= c n eps |A|); sums are taken in one fixed order
// that depends on n alone, so the same input gives the same bits.
// Known to fail: a semi-definite A may pass the pivot test by rounding; callers who expect one add a regularisation
// first.
#include "base/linear/dense.h"

#include <math.h>
#include <stddef.h>

#include "base/linear/dense_internal.h"

enum { PANEL = 4 };  // rows that are worked on together; the kernels are written for four

static double* row_of(double* A, int i, int ld) { return A + (size_t)i * (size_t)ld; }

static const double* const_row_of(const double* A, int i, int ld) { return A + (size_t)i * (size_t)ld; }

// Rows i .. i + count - 1 of A; where fewer than four are left the last one stands in for those that are missing.
static void panel_rows(const double* A, int i, int count, int ld, const double* out_row[PANEL]) {
    for (int r = 0; r < PANEL; ++r) out_row[r] = const_row_of(A, i + (r < count ? r : count - 1), ld);
}

static int panel_count(int n, int i) { return n - i < PANEL ? n - i : PANEL; }

// Columns 0 .. i - 1 of the panel that begins at row i (a multiple of four): x_j = (A_j - <x, L_j> over the first
// j columns) / L_jj. Two columns at a time.
static void reduce_panel(double* A, int i, int count, int ld) {
    const double* row[PANEL];
    panel_rows(A, i, count, ld, row);
    for (int j = 0; j < i; j += 2) {
        const double* c0 = row_of(A, j, ld);
        const double* c1 = row_of(A, j + 1, ld);
        double sum[PANEL][2];
        TS_DENSE_KERNEL(ts_dense_tile)(row, c0, c1, j, sum);
        for (int r = 0; r < count; ++r) {
            double* x = row_of(A, i + r, ld);
            double x0 = (x[j] - sum[r][0]) / c0[j];
            x[j] = x0;
            x[j + 1] = (x[j + 1] - (sum[r][1] + x0 * c1[j])) / c1[j + 1];
        }
    }
}

int ts_cholesky_factor(double* A, int n, int ld) {
    for (int i = 0; i < n; ++i) {
        int first = i - i % PANEL;
        if (i == first) reduce_panel(A, i, panel_count(n, i), ld);
        double* row = row_of(A, i, ld);
        for (int j = first; j < i; ++j) {
            const double* other = row_of(A, j, ld);
            row[j] = (row[j] - ts_dense_dot(row, other, j)) / other[j];
        }
        double pivot = row[i] - ts_dense_dot(row, row, i);
        if (!(pivot > 0.0) || !isfinite(pivot)) return 0;
        row[i] = sqrt(pivot);
    }
    return 1;
}

// b = L^-1 b.
static void solve_lower(const double* L, int n, int ld, double* b) {
    for (int i = 0; i < n; i += PANEL) {
        int count = panel_count(n, i);
        const double* row[PANEL];
        double sum[PANEL];
        panel_rows(L, i, count, ld, row);
        TS_DENSE_KERNEL(ts_dense_dots)(row, b, i, sum);
        for (int r = 0; r < count; ++r) {
            double value = b[i + r] - sum[r];
            for (int k = 0; k < r; ++k) value -= row[r][i + k] * b[i + k];
            b[i + r] = value / row[r][i + r];
        }
    }
}

// b = L^-T b, by rows of L: once four values are known, their share is taken out of all earlier ones.
static void solve_lower_transposed(const double* L, int n, int ld, double* b) {
    for (int i = (n - 1) / PANEL * PANEL; i >= 0 && n > 0; i -= PANEL) {
        int count = panel_count(n, i);
        const double* row[PANEL];
        double x[PANEL] = {0.0, 0.0, 0.0, 0.0};
        panel_rows(L, i, count, ld, row);
        for (int r = count - 1; r >= 0; --r) {
            double value = b[i + r];
            for (int k = r + 1; k < count; ++k) value -= row[k][i + r] * x[k];
            x[r] = value / row[r][i + r];
            b[i + r] = x[r];
        }
        TS_DENSE_KERNEL(ts_dense_subtract)(row, x, i, b);
    }
}

void ts_cholesky_solve(const double* L, int n, int ld, double* b) {
    solve_lower(L, n, ld, b);
    solve_lower_transposed(L, n, ld, b);
}

void ts_dense_apply(const double* A, int rows, int columns, int ld, const double* x, double* out_y) {
    int even = columns - columns % 2;
    for (int i = 0; i < rows; i += PANEL) {
        int count = panel_count(rows, i);
        const double* row[PANEL];
        double sum[PANEL];
        panel_rows(A, i, count, ld, row);
        TS_DENSE_KERNEL(ts_dense_dots)(row, x, even, sum);
        for (int r = 0; r < count; ++r) out_y[i + r] = even < columns ? sum[r] + row[r][even] * x[even] : sum[r];
    }
}
