// Dense symmetric factorisations by rows.
//
// Problem: A = L L^T or A = L D L^T for a symmetric A of up to a few hundred rows, row-major, lower triangle only.
// Rule: row by row (Cholesky-Banachiewicz): L_ij = (A_ij - <L_i, L_j> over the first j columns) / L_jj. Rows are
// contiguous, so every inner loop is a dot product that streams through memory. (Golub & Van Loan, 4.2 and 4.1.) Four
// rows are worked on together, which reuses what is loaded and keeps several independent sums going.
// Guaranteed: backward stable for positive definite A (|A - L L^T| <= c n eps |A|); sums are taken in one fixed order
// that depends on n alone, so the same input gives the same bits.
// Known to fail: L D L^T does not pivot; on an indefinite matrix that is not quasi-definite its factors can grow
// without bound. A semi-definite A may pass the pivot test by rounding; callers who expect one add a regularisation
// first.
#include "base/linear/dense.h"

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

typedef enum scaling { UNSCALED, DIVIDED } scaling;

// Columns 0 .. i - 1 of the panel that begins at row i (a multiple of four): x_j = A_j - <x, L_j> over the first j
// columns, and for Cholesky divided by L_jj. Two columns at a time.
static void reduce_panel(double* A, int i, int count, int ld, scaling scale) {
    const double* row[PANEL];
    panel_rows(A, i, count, ld, row);
    for (int j = 0; j < i; j += 2) {
        const double* c0 = row_of(A, j, ld);
        const double* c1 = row_of(A, j + 1, ld);
        double sum[PANEL][2];
        TS_DENSE_KERNEL(ts_dense_tile)(row, c0, c1, j, sum);
        for (int r = 0; r < count; ++r) {
            double* x = row_of(A, i + r, ld);
            double x0 = x[j] - sum[r][0];
            if (scale == DIVIDED) x0 /= c0[j];
            double x1 = x[j + 1] - (sum[r][1] + x0 * c1[j]);
            if (scale == DIVIDED) x1 /= c1[j + 1];
            x[j] = x0;
            x[j + 1] = x1;
        }
    }
}

int ts_cholesky_factor(double* A, int n, int ld) {
    for (int i = 0; i < n; ++i) {
        int first = i - i % PANEL;
        if (i == first) reduce_panel(A, i, panel_count(n, i), ld, DIVIDED);
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

int ts_ldlt_factor(double* A, int n, int ld) {
    for (int i = 0; i < n; ++i) {
        int first = i - i % PANEL;
        // First the row of L D, which needs no division, then L itself.
        if (i == first) reduce_panel(A, i, panel_count(n, i), ld, UNSCALED);
        double* row = row_of(A, i, ld);
        for (int j = first; j < i; ++j) row[j] -= ts_dense_dot(row, row_of(A, j, ld), j);
        double pivot = row[i];
        for (int j = 0; j < i; ++j) {
            double scaled = row[j];
            row[j] = scaled / row_of(A, j, ld)[j];
            pivot -= scaled * row[j];
        }
        if (pivot == 0.0 || !isfinite(pivot)) return 0;
        row[i] = pivot;
    }
    return 1;
}

// b = L^-1 b; L has a unit diagonal when UNSCALED.
static void solve_lower(const double* L, int n, int ld, scaling scale, double* b) {
    for (int i = 0; i < n; i += PANEL) {
        int count = panel_count(n, i);
        const double* row[PANEL];
        double sum[PANEL];
        panel_rows(L, i, count, ld, row);
        TS_DENSE_KERNEL(ts_dense_dots)(row, b, i, sum);
        for (int r = 0; r < count; ++r) {
            double value = b[i + r] - sum[r];
            for (int k = 0; k < r; ++k) value -= row[r][i + k] * b[i + k];
            b[i + r] = scale == DIVIDED ? value / row[r][i + r] : value;
        }
    }
}

// b = L^-T b, by rows of L: once four values are known, their share is taken out of all earlier ones.
static void solve_lower_transposed(const double* L, int n, int ld, scaling scale, double* b) {
    for (int i = (n - 1) / PANEL * PANEL; i >= 0 && n > 0; i -= PANEL) {
        int count = panel_count(n, i);
        const double* row[PANEL];
        double x[PANEL] = {0.0, 0.0, 0.0, 0.0};
        panel_rows(L, i, count, ld, row);
        for (int r = count - 1; r >= 0; --r) {
            double value = b[i + r];
            for (int k = r + 1; k < count; ++k) value -= row[k][i + r] * x[k];
            x[r] = scale == DIVIDED ? value / row[r][i + r] : value;
            b[i + r] = x[r];
        }
        TS_DENSE_KERNEL(ts_dense_subtract)(row, x, i, b);
    }
}

void ts_cholesky_solve(const double* L, int n, int ld, double* b) {
    solve_lower(L, n, ld, DIVIDED, b);
    solve_lower_transposed(L, n, ld, DIVIDED, b);
}

void ts_ldlt_solve(const double* LD, int n, int ld, double* b) {
    solve_lower(LD, n, ld, UNSCALED, b);
    for (int i = 0; i < n; ++i) b[i] /= const_row_of(LD, i, ld)[i];
    solve_lower_transposed(LD, n, ld, UNSCALED, b);
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

int ts_solve_3x3(const ts_mat3* A, ts_vec3 b, ts_vec3* out_x) {
    // L D L^T written out; D is positive exactly when A is positive definite.
    double d0 = A->m[0][0];
    if (!(d0 > 0.0)) return 0;
    double l10 = A->m[1][0] / d0, l20 = A->m[2][0] / d0;
    double d1 = A->m[1][1] - l10 * A->m[1][0];
    if (!(d1 > 0.0)) return 0;
    double u21 = A->m[2][1] - l20 * A->m[1][0];
    double l21 = u21 / d1;
    double d2 = A->m[2][2] - l20 * A->m[2][0] - l21 * u21;
    if (!(d2 > 0.0) || !isfinite(d0 + d1 + d2)) return 0;
    double y1 = b.y - l10 * b.x;
    double y2 = b.z - l20 * b.x - l21 * y1;
    double x2 = y2 / d2;
    double x1 = y1 / d1 - l21 * x2;
    double x0 = b.x / d0 - l10 * x1 - l20 * x2;
    *out_x = ts_vec3_make(x0, x1, x2);
    return 1;
}

int ts_cholesky6_factor(double A[36]) {
    // Constant bounds: the compiler unrolls all of it.
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j) {
            double sum = A[6 * i + j];
            for (int k = 0; k < j; ++k) sum -= A[6 * i + k] * A[6 * j + k];
            A[6 * i + j] = sum / A[6 * j + j];
        }
        double pivot = A[6 * i + i];
        for (int k = 0; k < i; ++k) pivot -= A[6 * i + k] * A[6 * i + k];
        if (!(pivot > 0.0) || !isfinite(pivot)) return 0;
        A[6 * i + i] = sqrt(pivot);
    }
    return 1;
}

void ts_cholesky6_solve(const double L[36], double b[6]) {
    for (int i = 0; i < 6; ++i) {
        double sum = b[i];
        for (int k = 0; k < i; ++k) sum -= L[6 * i + k] * b[k];
        b[i] = sum / L[6 * i + i];
    }
    for (int i = 5; i >= 0; --i) {
        double sum = b[i];
        for (int k = i + 1; k < 6; ++k) sum -= L[6 * k + i] * b[k];
        b[i] = sum / L[6 * i + i];
    }
}
