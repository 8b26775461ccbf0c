// Tridiagonal form of a symmetric matrix, for many shifts.
//
// Problem: (A + shift 1) x = b for many shifts and right-hand sides; a Cholesky factor serves one shift only.
// Rule: A = Q T Q^T by Householder reflections H = 1 - w v v^T, from the last row up, so that every v is a row of the
// lower triangle. Then (A + s 1)^-1 = Q (T + s 1)^-1 Q^T with T + s 1 = L D L^T, two short recurrences.
// Source: Householder 1958; Golub and Van Loan, 8.3.
// Guaranteed: backward stable; sums in one fixed order, so the same input gives the same bits.
// Known to fail: needs the whole matrix, dense; a solve costs twice that of a Cholesky factor.
#include "base/linear/tridiagonal.h"

#include <math.h>
#include <stddef.h>

#include "base/linear/dense_internal.h"

static double* row_of(const ts_tridiagonal* t, int i) { return t->A + (size_t)i * (size_t)t->ld; }

// p = A v over the first n rows and columns, from the lower triangle.
static void multiply_symmetric(const ts_tridiagonal* t, const double* v, int n, double* p) {
    for (int i = 0; i < n; ++i) {
        const double* row = row_of(t, i);
        double own = v[i];
        p[i] = ts_dense_dot(row, v, i) + row[i] * own;
        for (int j = 0; j < i; ++j) p[j] += row[j] * own;
    }
}

void ts_tridiagonal_reduce(ts_tridiagonal* t) {
    for (int i = t->n - 1; i >= 0; --i) {
        double* v = row_of(t, i);
        double largest = 0.0;
        t->diagonal[i] = v[i];
        t->off[i] = i > 0 ? v[i - 1] : 0.0;
        t->weight[i] = 0.0;
        for (int j = 0; j < i - 1; ++j) largest = fmax(largest, fabs(v[j]));
        if (!(largest > 0.0)) continue;
        // Scaled, so that squares neither overflow nor vanish.
        largest = fmax(largest, fabs(v[i - 1]));
        for (int j = 0; j < i; ++j) v[j] /= largest;
        double length = sqrt(ts_dense_dot(v, v, i)), along = v[i - 1] > 0.0 ? -length : length;
        t->off[i] = along * largest;
        v[i - 1] -= along;
        double w = 2.0 / ts_dense_dot(v, v, i);
        t->weight[i] = w;
        double* p = t->pivot;
        multiply_symmetric(t, v, i, p);
        double half = 0.5 * w * w * ts_dense_dot(p, v, i);
        for (int j = 0; j < i; ++j) p[j] = w * p[j] - half * v[j];
        for (int r = 0; r < i; ++r) {
            double* row = row_of(t, r);
            double vr = v[r], pr = p[r];
            for (int c = 0; c <= r; ++c) row[c] -= vr * p[c] + pr * v[c];
        }
    }
}

int ts_tridiagonal_shift(ts_tridiagonal* t, double shift) {
    for (int i = 0; i < t->n; ++i) {
        t->lower[i] = i > 0 ? t->off[i] / t->pivot[i - 1] : 0.0;
        t->pivot[i] = t->diagonal[i] + shift - t->lower[i] * t->off[i];
        if (!(t->pivot[i] > 0.0) || !isfinite(t->pivot[i])) return 0;
    }
    return 1;
}

static void reflect(const ts_tridiagonal* t, int i, double* x) {
    const double* v = row_of(t, i);
    if (!(t->weight[i] > 0.0)) return;
    double along = t->weight[i] * ts_dense_dot(v, x, i);
    for (int j = 0; j < i; ++j) x[j] -= along * v[j];
}

void ts_tridiagonal_solve(const ts_tridiagonal* t, double* b) {
    int n = t->n;
    for (int i = n - 1; i > 1; --i) reflect(t, i, b);
    for (int i = 1; i < n; ++i) b[i] -= t->lower[i] * b[i - 1];
    for (int i = n - 1; i >= 0; --i) b[i] = b[i] / t->pivot[i] - (i + 1 < n ? t->lower[i + 1] * b[i + 1] : 0.0);
    for (int i = 2; i < n; ++i) reflect(t, i, b);
}
