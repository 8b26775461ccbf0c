// The linear system of a contact derivative by a cascade.
//
// Problem: A x = b of contact/derivative/derivative.c, its unknowns split in normals (with all that is no friction) and friction. Rule: as the solver
// that takes normals with friction fixed, then friction with normals fixed, in turn, each of its two programs differentiated:
//     normals     G_NN dlambda_N = -(du + G_NT dlambda_T)_N                over those that carry
//     friction    [G_TT + Gamma] dlambda_T = -(du + G_TN dlambda_N)_T      along the discs' borders, gamma = |u_T| / (mu lambda_N)
// until they rest. What friction has along the slip is -mu dlambda_N of the normals before. In unknowns of the first system that is
//     x <- x + M^-1 (b - A x),   M = [B 0; A_FN A_FF],   B what normals do to normals without their share of friction,
// and backward the same polynomial transposed: friction first.
// Source: Le Lidec, Kalevatykh, Laptev, Schmid and Carpentier (2021), who differentiate the quadratic programs of staggered projections.
// Guaranteed: what it returns it has checked against A; forward and backward agree as far as they have come to rest.
// Known failure: rounds grow where the solver swings, for one contact where mu (G_NT . t) / G_NN is beyond 1, and on slopes where friction and normals feed
// each other. Factors of half the size cost a quarter; rounds cost what a solve costs, each.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/derivative/cascade_internal.h"

// Rounds to be patient for, and those without progress that end it: before and after it is at rest.
enum { MOST_ROUNDS = 2000, PATIENCE = 60, LAST_ROUNDS = 12 };

// 1: share of a right-hand side that may be left for a cascade to count as at rest.
static const double at_rest = 1e-11;

// 1: beyond this it swings.
static const double swung = 1e8;

// 1: the same of what is no more than rounding.
static const double enough = 4.0 * DBL_EPSILON;

ts_cascade* ts_cascade_take(int n, int normals, ts_arena* arena) {
    ts_cascade* c = (ts_cascade*)ts_arena_alloc_zeroed(arena, 1, sizeof *c);
    if (!c) return NULL;
    c->n = n;
    c->A = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)n);
    for (int k = 0; k < 2; ++k) {
        int size = c->size[k] = k ? n - normals : normals;
        c->member[k] = TS_ARENA_ARRAY(arena, int, size);
        if (!c->A || !c->member[k] || !ts_linear_orthogonal_make(size, arena, &c->factor[k])) return NULL;
    }
    return c;
}

int ts_cascade_factor(ts_cascade* c, double floor, ts_arena* arena) {
    const int *list = c->member[1], n = c->size[1];
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            c->factor[1].Q[(size_t)j * (size_t)n + (size_t)i] = c->A[(size_t)list[j] * (size_t)c->n + (size_t)list[i]];
    return ts_linear_orthogonal_factor(&c->factor[0], floor, arena) &&
           ts_linear_orthogonal_factor(&c->factor[1], floor, arena);
}

// b - A x, or b - A^T x. Returns its length.
static double find_rest(const ts_cascade* c, int back, const double* b, const double* x, double* out_rest) {
    size_t n = (size_t)c->n;
    memcpy(out_rest, b, n * sizeof(double));
    for (size_t j = 0; j < n; ++j) {
        const double* column = c->A + j * n;
        if (back)
            out_rest[j] -= ts_dot(column, x, c->n);
        else
            for (size_t i = 0; i < n; ++i) out_rest[i] -= column[i] * x[j];
    }
    return sqrt(ts_dot(out_rest, out_rest, c->n));
}

// x of one group such that its own equations hold, the other group fixed. Returns how much of all of them was left before.
static double pass(const ts_cascade* c, int group, int back, const double* b, double* work, double* x) {
    const int *list = c->member[group], size = c->size[group];
    double *rest = work, *part = work + c->n, *step = part + size, *room = step + size;
    double left = find_rest(c, back, b, x, rest);
    for (int k = 0; k < size; ++k) part[k] = rest[list[k]];
    if (back)
        ts_linear_orthogonal_solve_transposed(&c->factor[group], part, room, step);
    else
        ts_linear_orthogonal_solve(&c->factor[group], part, room, step);
    for (int k = 0; k < size; ++k) x[list[k]] += step[k];
    return left;
}

double ts_cascade_solve(const ts_cascade* c, int back, const double* b, double* work, double* out_x, int* out_rounds) {
    double best = HUGE_VAL, whole = sqrt(ts_dot(b, b, c->n));
    int rounds = 0, idle = 0;
    memset(out_x, 0, (size_t)c->n * sizeof(double));
    for (; rounds < MOST_ROUNDS && idle < (best > at_rest * whole ? PATIENCE : LAST_ROUNDS); ++rounds) {
        double left = pass(c, back != 0, back, b, work, out_x);
        if (left <= enough * whole || left > swung * whole) break;
        pass(c, back == 0, back, b, work, out_x);
        idle = left > 0.9 * best ? idle + 1 : 0;
        if (idle == 0) best = left;
    }
    if (out_rounds) *out_rounds = rounds;
    return find_rest(c, back, b, out_x, work);
}

int ts_cascade_rests(ts_cascade* c, ts_arena* scratch, int* out_enough) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double *b = TS_ARENA_ARRAY(scratch, double, c->n), *x = TS_ARENA_ARRAY(scratch, double, c->n);
    double* work = TS_ARENA_ARRAY(scratch, double, 4 * c->n);
    double left = 0.0, whole = 0.0;
    *out_enough = b && x && work;
    if (*out_enough) {
        // Something that bodies can follow, and is no more in the way of one row than of another.
        memset(b, 0, (size_t)c->n * sizeof(double));
        for (int j = 0; j < c->n; ++j)
            for (int i = 0; i < c->n; ++i) b[i] += c->A[(size_t)j * (size_t)c->n + (size_t)i] * sin(1.0 + 1.7 * j);
        whole = sqrt(ts_dot(b, b, c->n));
        left = ts_cascade_solve(c, 0, b, work, x, &c->rounds);
    }
    ts_arena_scope_end(scratch, scope);
    return left <= at_rest * whole;
}
