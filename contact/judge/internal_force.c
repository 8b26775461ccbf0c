// The internal part of an answer.
//
// Problem: the part of lambda in the null space of G, (I - G^+ G) lambda. Rule: an orthonormal basis Q of the columns of
// S = (G + G^T) / 2 by Gram and Schmidt with column pivoting, until no remaining column is longer than rounding of the
// first; then lambda - Q Q^T lambda. S is symmetric, so its column space is orthogonal to its null space.
// Source: Golub and Van Loan, Matrix Computations, ch. 5 (modified Gram-Schmidt, pivoting, orthogonalising twice).
// Guaranteed: Q is orthonormal to rounding; what is returned moves nothing by more than rounding times |G| |lambda|.
// Known to fail: where the rank itself is uncertain, as in recorded matrices with 1e-3 of noise, it finds full rank and
// so no internal force.
#include "contact/judge/internal_force.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"

static void take_out(const double* q, int n, double* x) {
    double share = ts_dot(q, x, n);
    for (int i = 0; i < n; ++i) x[i] -= share * q[i];
}

// The longest of vectors [first, n).
static int longest(const double* S, int first, int n, double* out_norm) {
    int best = first;
    double most = -1.0;
    for (int k = first; k < n; ++k) {
        double squared = ts_dot(S + (size_t)k * (size_t)n, S + (size_t)k * (size_t)n, n);
        if (squared > most) {
            most = squared;
            best = k;
        }
    }
    *out_norm = sqrt(most > 0.0 ? most : 0.0);
    return best;
}

// Turns the rows of the symmetric S into an orthonormal basis of their span; returns its size.
static int orthonormalise(double* S, int n) {
    double first = 0.0;
    for (int k = 0; k < n; ++k) {
        double* row = S + (size_t)k * (size_t)n;
        double norm;
        int pivot = longest(S, k, n, &norm);
        if (k == 0) first = norm;
        if (!(norm > 64.0 * DBL_EPSILON * n * first)) return k;
        double* other = S + (size_t)pivot * (size_t)n;
        for (int i = 0; i < n && pivot != k; ++i) {
            double kept = row[i];
            row[i] = other[i];
            other[i] = kept;
        }
        // Once more against the basis so far: a short remainder is mostly rounding along it.
        for (int j = 0; j < k; ++j) take_out(S + (size_t)j * (size_t)n, n, row);
        norm = sqrt(ts_dot(row, row, n));
        if (!(norm > 0.0)) return k;
        for (int i = 0; i < n; ++i) row[i] /= norm;
        for (int j = k + 1; j < n; ++j) take_out(row, n, S + (size_t)j * (size_t)n);
    }
    return n;
}

static int all_finite(const double* x, size_t n) {
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

int ts_internal_basis(const ts_contact_problem* problem, ts_arena* arena, double** out_basis) {
    int n = problem->row_count;
    size_t numbers = (size_t)n * (size_t)n;
    *out_basis = NULL;
    if (n > TS_INTERNAL_FORCE_ROWS_MAX || !(problem->delassus->ops->abilities & TS_DELASSUS_APPLY)) return -1;
    double* S = TS_ARENA_ARRAY(arena, double, numbers);
    double* unit = (double*)ts_arena_alloc_zeroed(arena, (size_t)n, sizeof(double));
    if (!S || !unit) return -1;
    for (int k = 0; k < n; ++k) {
        unit[k] = 1.0;
        problem->delassus->ops->apply(problem->delassus, unit, S + (size_t)k * (size_t)n);
        unit[k] = 0.0;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            double* upper = &S[(size_t)j * (size_t)n + (size_t)i];
            double* lower = &S[(size_t)i * (size_t)n + (size_t)j];
            *upper = *lower = 0.5 * (*upper + *lower);
        }
    if (!all_finite(S, numbers)) return -1;
    *out_basis = S;
    return orthonormalise(S, n);
}

double ts_internal_part(const double* basis, int rank, int n, const double* impulse, double* out_internal) {
    memcpy(out_internal, impulse, (size_t)n * sizeof(double));
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < rank; ++k) take_out(basis + (size_t)k * (size_t)n, n, out_internal);
    return sqrt(ts_dot(out_internal, out_internal, n));
}

double ts_internal_force(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch,
                         double* out_internal) {
    int n = problem->row_count;
    double norm = (double)NAN, *basis;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int rank = ts_internal_basis(problem, scratch, &basis);
    double* rest = out_internal ? out_internal : TS_ARENA_ARRAY(scratch, double, n);
    if (rank >= 0 && rest && all_finite(impulse, (size_t)n)) norm = ts_internal_part(basis, rank, n, impulse, rest);
    ts_arena_scope_end(scratch, scope);
    return norm;
}
