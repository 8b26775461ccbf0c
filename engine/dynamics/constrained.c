// Accelerations under bilateral constraints.
//
// Problem: M a = f + J^T lambda, J a = c, with rows of J that may depend on each other (a loop in the plane described in space, a foot on
// four points). Rule: whitened by M = L^T L, y = L a is what is nearest to y0 = L^-T f among those with Y y = c, Y = J L^-1. The
// rows of Y are made orthogonal one by one, each time the one of which most is left, by Gram-Schmidt done twice: Y^T P = Q R. Then
// y = y0 + Q s with R^T s = P (c - Y y0), and R lambda = s. Rows of which nothing is left follow from those taken. A second pass
// with the residual of the first takes rounding out.
// Source: Gauss's principle of least constraint; Golub and Van Loan, "Matrix computations", 5.4 (column pivoting).
// Guaranteed: Y a row either is met to rounding or depends on rows that are. Cost: rows^2 nv.
// Known failure: rows that depend on each other to a share between 1e-10 and rounding count as dependent.
#include "engine/dynamics/constrained.h"

#include <math.h>
#include <string.h>

// 1: share of a row's own length below which what others leave of it is rounding.
static const double dependent = 1e-10;

static double dot(const double* a, const double* b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Rows made orthogonal.
typedef struct basis {
    size_t n;      // numbers of a row
    int count;     // rows there are
    int rank;      // rows taken
    double* Q;     // (count x n): what is left of every row; of those taken, the unit vector
    double* R;     // (count x count): R[j * count + i] of row i along the j-th taken
    double* size;  // (count) length of each row as it was
    int* order;    // (count) rows, those taken first
} basis;

// Takes out of row i what lies along the unit vector of the j-th row taken.
static void take_out(basis* b, int i, int j) {
    const double* q = b->Q + (size_t)b->order[j] * b->n;
    double* row = b->Q + (size_t)i * b->n;
    double along = dot(row, q, b->n);
    for (size_t k = 0; k < b->n; ++k) row[k] -= along * q[k];
    b->R[j * b->count + i] += along;
}

static void orthogonalise(basis* b) {
    for (int i = 0; i < b->count; ++i) {
        b->order[i] = i;
        b->size[i] = sqrt(dot(b->Q + (size_t)i * b->n, b->Q + (size_t)i * b->n, b->n));
    }
    for (b->rank = 0; b->rank < b->count; ++b->rank) {
        int best = -1;
        double most = dependent;
        for (int k = b->rank; k < b->count; ++k) {
            const double* row = b->Q + (size_t)b->order[k] * b->n;
            double left = sqrt(dot(row, row, b->n)) / b->size[b->order[k]];
            if (left > most) {
                most = left;
                best = k;
            }
        }
        if (best < 0) return;
        int row = b->order[best];
        b->order[best] = b->order[b->rank];
        b->order[b->rank] = row;
        for (int j = 0; j < b->rank; ++j) take_out(b, row, j);
        double* q = b->Q + (size_t)row * b->n;
        double left = sqrt(dot(q, q, b->n));
        for (size_t k = 0; k < b->n; ++k) q[k] /= left;
        b->R[b->rank * b->count + row] = left;
        for (int k = b->rank + 1; k < b->count; ++k) take_out(b, b->order[k], b->rank);
    }
}

// Adds to y and the multipliers what the rows still miss.
static void meet(const basis* b, double* missing, double* y, double* multiplier) {
    // R^T s = missing, s in the place of missing.
    for (int k = 0; k < b->rank; ++k) {
        int row = b->order[k];
        double s = missing[row];
        for (int j = 0; j < k; ++j) s -= b->R[j * b->count + row] * missing[b->order[j]];
        missing[row] = s / b->R[k * b->count + row];
        const double* q = b->Q + (size_t)row * b->n;
        for (size_t i = 0; i < b->n; ++i) y[i] += missing[row] * q[i];
    }
    // R lambda = s.
    for (int k = b->rank - 1; k >= 0; --k) {
        double s = missing[b->order[k]];
        for (int j = k + 1; j < b->rank; ++j) s -= b->R[k * b->count + b->order[j]] * missing[b->order[j]];
        missing[b->order[k]] = s / b->R[k * b->count + b->order[k]];
    }
    for (int k = 0; k < b->rank; ++k) multiplier[b->order[k]] += missing[b->order[k]];
}

// What rows miss at the acceleration a; returns the most.
static double find_missing(const ts_constraint_rows* rows, size_t n, const double* a, double* out_missing) {
    double most = 0.0;
    for (int i = 0; i < rows->count; ++i) {
        out_missing[i] = rows->target[i] - dot(rows->J + (size_t)i * n, a, n);
        most = fmax(most, fabs(out_missing[i]));
    }
    return most;
}

static int open_basis(ts_arena* arena, size_t n, int count, basis* out_basis) {
    size_t rows = (size_t)count;
    basis b = {.n = n,
               .count = count,
               .Q = TS_ARENA_ARRAY(arena, double, rows* n),
               .R = (double*)ts_arena_alloc_zeroed(arena, rows * rows, sizeof(double)),
               .size = TS_ARENA_ARRAY(arena, double, rows),
               .order = TS_ARENA_ARRAY(arena, int, rows)};
    *out_basis = b;
    return b.Q && b.R && b.size && b.order;
}

int ts_constrained_acceleration(const ts_model* model, const ts_tree_factors* factors, const double* force,
                                const ts_constraint_rows* rows, ts_arena* scratch, double* out_acceleration,
                                double* out_multiplier, ts_constrained_report* out_report) {
    enum { PASSES = 2 };
    size_t n = (size_t)model->nv;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    basis b;
    double *y = TS_ARENA_ARRAY(scratch, double, n + 1), *missing = TS_ARENA_ARRAY(scratch, double, rows->count + 1);
    if (!y || !missing || !open_basis(scratch, n, rows->count, &b)) {
        ts_arena_scope_end(scratch, scope);
        return 0;
    }
    memcpy(b.Q, rows->J, (size_t)rows->count * n * sizeof(double));
    for (int i = 0; i < rows->count; ++i) ts_tree_factors_whiten(model, factors, b.Q + (size_t)i * n);
    orthogonalise(&b);
    memcpy(y, force, n * sizeof(double));
    ts_tree_factors_whiten(model, factors, y);
    memset(out_multiplier, 0, (size_t)rows->count * sizeof(double));
    for (int pass = 0; pass <= PASSES; ++pass) {
        memcpy(out_acceleration, y, n * sizeof(double));
        ts_tree_factors_unwhiten(model, factors, out_acceleration);
        out_report->residual = find_missing(rows, n, out_acceleration, missing);
        if (pass < PASSES) meet(&b, missing, y, out_multiplier);
    }
    out_report->rank = b.rank;
    ts_arena_scope_end(scratch, scope);
    return 1;
}
