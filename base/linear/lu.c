// LU with partial pivoting, by rows.
//
// Problem: A x = b for a full unsymmetric A of up to a few hundred rows, row-major.
// Rule: Gaussian elimination with the largest entry of each column as pivot (Golub & Van Loan, 3.4): a front with
// nothing beside it (base/linear/front.c).
// Guaranteed: backward stable as partial pivoting is; one fixed order of sums, so the same input gives the same bits.
// Known to fail: a matrix that is singular to rounding passes with a tiny pivot; callers regularise or check residuals.
#include <stddef.h>

#include "base/assert.h"
#include "base/linear/dense.h"
#include "base/linear/dense_internal.h"
#include "base/linear/front_internal.h"
#include "base/linear/panel.h"

// The front writes the pivots. NOLINTNEXTLINE(readability-non-const-parameter)
int ts_lu_factor(double* A, int n, int ld, int* pivot) {
    // Without rows beside it the wide panel is empty, but still a pointer that may be moved by nothing.
    const ts_front all = {n, 0, A, ld, A, 0, pivot};
    TS_ASSERT(ld % TS_PANEL_LANES == 0);
    return ts_front_eliminate(&all, A);
}

// Four sums at a time are not worth beginning for less than four numbers.
static inline double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    if (n >= 4) return ts_dense_dot(a, b, n);
    for (int k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

void ts_lu_solve(const double* LU, int n, int ld, const int* pivot, double* b) {
    for (int k = 0; k < n; ++k) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
    for (int i = 1; i < n; ++i) b[i] -= dot(LU + (size_t)i * (size_t)ld, b, i);
    for (int i = n - 1; i >= 0; --i) {
        const double* row = LU + (size_t)i * (size_t)ld;
        b[i] = (b[i] - dot(row + i + 1, b + i + 1, n - i - 1)) / row[i];
    }
}
