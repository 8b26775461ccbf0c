// The derivative of the staggered iteration: normal impulses at frozen friction, then friction at frozen normal impulses,
// each the derivative of an optimality condition, in turn until they rest. A second way to the same numbers.
#include "tests/contact/derivative/derivative_sample.h"

// Solves the n x n system A x = b by elimination with row pivots; both are used up, b becomes x.
static void eliminate(int n, long double A[9][9], long double* b) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
        for (int j = 0; j < n; ++j) {
            long double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        long double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (int i = k + 1; i < n; ++i) {
            long double f = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
}

// The answer that the staggered derivative is taken at: three contacts.
typedef struct staggered {
    const posed* p;
    const double* lambda;
    const double* u;
    const int* mode;
    const double* du;
    const double* dmu;
} staggered;

static long double entry(const staggered* s, int i, int k) {
    return (long double)s->p->G[9 * i + k] + (i == k ? s->p->R[i] : 0.0L);
}

// Normal impulses: G_NN dlambda_N = -(du + G_NT dlambda_T) over the contacts that carry.
static void normal_pass(const staggered* s, long double* x) {
    int row[3], n = 0;
    for (int c = 0; c < 3; ++c)
        if (s->mode[c] != 0) row[n++] = 3 * c + 2;
    long double A[9][9], b[9];
    for (int i = 0; i < n; ++i) {
        b[i] = -(long double)s->du[row[i]];
        for (int k = 0; k < 9; ++k)
            if (k % 3 != 2) b[i] -= entry(s, row[i], k) * x[k];
        for (int j = 0; j < n; ++j) A[i][j] = entry(s, row[i], row[j]);
    }
    eliminate(n, A, b);
    for (int i = 0; i < n; ++i) x[row[i]] = b[i];
}

// Friction in discs |lambda_T| <= mu lambda_N with multipliers gamma = |u_T| / (mu lambda_N).
static void friction_pass(const staggered* s, long double* x) {
    int row[6], n = 0, slides = 0;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 2 && s->mode[c] != 0; ++r) row[n++] = 3 * c + r;
    long double A[9][9] = {{0}}, b[9];
    for (int i = 0; i < n; ++i) {
        b[i] = -(long double)s->du[row[i]];
        for (int k = 2; k < 9; k += 3) b[i] -= entry(s, row[i], k) * x[k];
        for (int j = 0; j < n; ++j) A[i][j] = entry(s, row[i], row[j]);
    }
    for (int c = 0; c < 3; ++c) {
        if (s->mode[c] != 2) continue;
        const double* l = s->lambda + 3 * c;
        double mu = s->p->block[c].mu;
        for (int i = 0; i < n; ++i) {
            if (row[i] / 3 != c) continue;
            A[i][i] += hypotl(s->u[3 * c], s->u[3 * c + 1]) / ((long double)mu * l[2]);
            A[i][n + slides] = A[n + slides][i] = l[row[i] % 3];
        }
        b[n + slides] = (long double)mu * mu * l[2] * x[3 * c + 2] + (long double)mu * l[2] * l[2] * s->dmu[c];
        ++slides;
    }
    eliminate(n + slides, A, b);
    for (int i = 0; i < n; ++i) x[row[i]] = b[i];
}

Test(derivative_cascade, agrees_with_that_of_the_staggered_iteration) {
    const ts_block block[3] = {fixture_cone(0, 0.6), fixture_cone(3, 0.6), fixture_cone(6, 0.6)};
    int converged = 0, refused = 0, all = 10 * 27;
    for (int k = 0; k < all; ++k) {
        ts_rng rng = ts_rng_make(63, (uint64_t)k);
        const int mode[3] = {k % 3, k / 3 % 3, k / 9 % 3};
        sample s;
        double lambda[ROWS] = {0}, u[ROWS], du[9], dmu[3], dlambda[9];
        make_sample(&s, 3, block, 12, 0.6, mode, 0, &rng, lambda);
        posed p;
        pose(&s, &p);
        ts_arena scratch = {0};
        ts_residual residual;
        ts_residual_evaluate(&p.problem, lambda, &scratch, u, &residual);
        for (int r = 0; r < 9; ++r) du[r] = ts_rng_normal(&rng);
        for (int c = 0; c < 3; ++c) dmu[c] = ts_rng_normal(&rng);
        ts_contact_derivative d;
        cr_assert_eq(ts_contact_derivative_make(&p.problem, TS_LAW_NCP, lambda, &zero, &p.arena, &d, NULL), TS_OK);
        cr_assert_eq(ts_contact_derivative_forward(&d, du, dmu, &scratch, dlambda, NULL), TS_OK);
        const staggered at = {&p, lambda, u, mode, du, dmu};
        long double x[9] = {0}, change = 1.0L, size = 1.0L;
        for (int turn = 0; turn < 400 && change > 1e-17L * size; ++turn) {
            long double before[9];
            memcpy(before, x, sizeof(before));
            normal_pass(&at, x);
            friction_pass(&at, x);
            change = 0.0L;
            size = 1.0L;
            for (int r = 0; r < 9; ++r) {
                change = fmaxl(change, fabsl(x[r] - before[r]));
                size = fmaxl(size, fabsl(x[r]));
            }
        }
        // The library's own is the same iteration: it rests where this one does.
        ts_contact_derivative cascade;
        ts_code code = ts_contact_derivative_cascade(&p.problem, lambda, &zero, &p.arena, &cascade, NULL);
        if (change <= 1e-15L * size) {
            double y[9];
            ++converged;
            cr_expect_eq(code, TS_OK, "problem %d", k);
            if (code == TS_OK) cr_assert_eq(ts_contact_derivative_forward(&cascade, du, dmu, &scratch, y, NULL), TS_OK);
            for (int r = 0; r < 9; ++r)
                cr_expect_float_eq(dlambda[r], (double)x[r], 1e-11 * (double)size, "problem %d row %d: %.15g, %.15Lg",
                                   k, r, dlambda[r], x[r]);
            for (int r = 0; r < 9 && code == TS_OK; ++r)
                cr_expect_float_eq(y[r], (double)x[r], 1e-11 * (double)size, "problem %d row %d: cascade %.15g, %.15Lg",
                                   k, r, y[r], x[r]);
        } else if (change > size * 1e-3L) {
            ++refused;
            cr_expect_eq(code, TS_ERROR_UNSUPPORTED, "problem %d swings", k);
        }
        ts_arena_free(&p.arena);
        ts_arena_free(&scratch);
    }
    cr_log_info("%d of %d converged", converged, all);
    cr_expect_gt(converged, all / 2, "%d of %d", converged, all);
    cr_expect_gt(refused, 0);
}
