// LU with partial pivoting, by rows.
//
// Problem: A x = b for a full unsymmetric A of up to a few hundred rows, row-major.
// Rule: Gaussian elimination with the largest entry of each column as pivot (Golub & Van Loan, 3.4), right-looking in
// panels of PANEL columns: the panel is factorised, its rows of U are finished, and the rest of the matrix takes all
// PANEL updates in one pass, four rows of U to a row of A, so that what is loaded is used several times.
// Guaranteed: backward stable as partial pivoting is; one fixed order of sums, so the same input gives the same bits.
// Known to fail: a matrix that is singular to rounding passes with a tiny pivot; callers regularise or check residuals.
#include <math.h>
#include <stddef.h>

#include "base/linear/dense.h"

enum { PANEL = 8 };

static void swap_rows(double* a, double* b, int n) {
    for (int j = 0; j < n; ++j) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

// x -= l0 u0 + l1 u1 + l2 u2 + l3 u3 over n entries.
static void subtract_four(double* x, const double l[4], const double* u0, const double* u1, const double* u2,
                          const double* u3, int n) {
    double a = l[0], b = l[1], c = l[2], d = l[3];
    for (int j = 0; j < n; ++j) x[j] -= (a * u0[j] + b * u1[j]) + (c * u2[j] + d * u3[j]);
}

static void subtract_one(double* x, double l, const double* u, int n) {
    for (int j = 0; j < n; ++j) x[j] -= l * u[j];
}

// Factorises columns first .. first + width - 1; whole rows are swapped, other columns are not updated yet.
static int factor_panel(double* A, int n, int ld, int first, int width, int* pivot) {
    for (int k = first; k < first + width; ++k) {
        int best = k;
        double largest = -1.0;
        for (int i = k; i < n; ++i) {
            double size = fabs(A[(size_t)i * (size_t)ld + (size_t)k]);
            if (size > largest) {
                largest = size;
                best = i;
            }
        }
        if (!(largest > 0.0) || !isfinite(largest)) return 0;
        pivot[k] = best;
        double* top = A + (size_t)k * (size_t)ld;
        if (best != k) swap_rows(top, A + (size_t)best * (size_t)ld, n);
        double inverse = 1.0 / top[k];
        for (int i = k + 1; i < n; ++i) {
            double* row = A + (size_t)i * (size_t)ld;
            row[k] *= inverse;
            subtract_one(row + k + 1, row[k], top + k + 1, first + width - k - 1);
        }
    }
    return 1;
}

int ts_lu_factor(double* A, int n, int ld, int* pivot) {
    for (int first = 0; first < n; first += PANEL) {
        int width = n - first < PANEL ? n - first : PANEL, next = first + width;
        if (!factor_panel(A, n, ld, first, width, pivot)) return 0;
        // Rows of U right of the panel: solve with its unit lower triangle.
        for (int k = first; k < next; ++k)
            for (int i = k + 1; i < next; ++i) {
                double* row = A + (size_t)i * (size_t)ld;
                subtract_one(row + next, row[k], A + (size_t)k * (size_t)ld + next, n - next);
            }
        if (width < PANEL) continue;  // the last panel: nothing below it
        const double* u[PANEL];
        for (int k = 0; k < PANEL; ++k) u[k] = A + (size_t)(first + k) * (size_t)ld + next;
        for (int i = next; i < n; ++i) {
            double* row = A + (size_t)i * (size_t)ld;
            for (int k = 0; k < PANEL; k += 4)
                subtract_four(row + next, row + first + k, u[k], u[k + 1], u[k + 2], u[k + 3], n - next);
        }
    }
    return 1;
}

void ts_lu_solve(const double* LU, int n, int ld, const int* pivot, double* b) {
    for (int k = 0; k < n; ++k) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
    }
    for (int i = 0; i < n; ++i) {
        const double* row = LU + (size_t)i * (size_t)ld;
        double sum = b[i];
        for (int j = 0; j < i; ++j) sum -= row[j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        const double* row = LU + (size_t)i * (size_t)ld;
        double sum = b[i];
        for (int j = i + 1; j < n; ++j) sum -= row[j] * b[j];
        b[i] = sum / row[i];
    }
}
