// The least of many answers.
//
// Problem: of hyperstatic contacts that stick, forces that push contacts against each other and move nothing are left open by the law.
// Of the impulses that give the same velocities, lambda + null(G), and lie in their sets K, the one of least norm is wanted.
// Rule: with an orthonormal basis Q of the span of G it is P_K(Q nu) where Q^T P_K(Q nu) = Q^T lambda: the gradient of a convex
// function of nu, found by Newton with the derivative of the projection, a shift that falls with the gradient, and halved
// steps. Where G^+ G lambda itself is admissible, that is the first point.
// Source: contact forces at stick: Le Lidec et al. 2024; least-norm points of cones: Qi and Sun 1993, Malick 2004.
// Guaranteed: admissible, and as good by the yardstick as was asked; else the answer stays. Known to fail: a pyramid's corners
// lie outside of the cones; such answers stay.
#include "contact/least_norm_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/judge/internal_force.h"

// 1: internal parts this much smaller than the answer are left in it.
static const double worth_taking = 1e-10;
// 1: of the derivative, whose eigenvalues lie between 0 and 1: least and largest shift.
static const double least_shift = 1e-13;
static const double largest_shift = 1e-3;
enum { STEPS = 60, HALVINGS = 30, PATIENCE = 4 };

typedef struct least {
    const ts_contact_problem* problem;
    const double* basis;  // Q, one vector (n) after the other
    int n;
    int rank;
    double* wanted;    // (rank) Q^T lambda
    double* nu;        // (rank)
    double* trial;     // (rank)
    double* gradient;  // (rank) Q^T P_K(Q nu) - wanted, of the point last looked at
    double* step;      // (rank)
    double* y;         // (n) Q nu of that point
    double* point;     // (n) P_K(y)
    double* image;     // (n)
    double* J;         // (rank x rank)
} least;

static int carrying_contacts(const ts_contact_problem* problem, const double* impulse) {
    int count = 0;
    for (int b = 0; b < problem->block_count; ++b)
        count += problem->block[b].set == TS_SET_CONE && impulse[problem->block[b].row + 2] > 0.0;
    return count;
}

static const double* vector_of(const least* q, int k) { return q->basis + (size_t)k * (size_t)q->n; }

static double length(const double* x, int n) { return sqrt(ts_dot(x, x, n)); }

// The convex function at nu, whose gradient is left behind.
static double look(least* q, const double* nu) {
    double value = 0.0;
    memset(q->y, 0, (size_t)q->n * sizeof(double));
    for (int k = 0; k < q->rank; ++k)
        for (int i = 0; i < q->n; ++i) q->y[i] += nu[k] * vector_of(q, k)[i];
    for (int b = 0; b < q->problem->block_count; ++b)
        ts_block_set_project(&q->problem->block[b], q->y + q->problem->block[b].row,
                             q->point + q->problem->block[b].row);
    for (int i = 0; i < q->n; ++i) value += q->point[i] * (q->y[i] - 0.5 * q->point[i]);
    for (int k = 0; k < q->rank; ++k) {
        q->gradient[k] = ts_dot(vector_of(q, k), q->point, q->n) - q->wanted[k];
        value -= q->wanted[k] * nu[k];
    }
    return value;
}

// image = D x, D the derivative of the projection at y.
static void differentiate(const least* q, const double* x, double* image) {
    memset(image, 0, (size_t)q->n * sizeof(double));
    for (int b = 0; b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        double D[TS_BLOCK_ROWS_MAX * TS_BLOCK_ROWS_MAX];
        if (ts_block_set_derivative(block, q->y + block->row, D))
            ts_dense_apply(D, block->rows, block->rows, block->rows, x + block->row, image + block->row);
    }
}

// Newton's step at the point last looked at. Returns 0 when there is none.
static int newton_step(least* q, double shift) {
    for (int k = 0; k < q->rank; ++k) {
        double* row = q->J + (size_t)k * (size_t)q->rank;
        differentiate(q, vector_of(q, k), q->image);
        for (int j = 0; j <= k; ++j) row[j] = ts_dot(vector_of(q, j), q->image, q->n);
        row[k] += shift;
        q->step[k] = -q->gradient[k];
    }
    if (!ts_cholesky_factor(q->J, q->rank, q->rank)) return 0;
    ts_cholesky_solve(q->J, q->rank, q->rank, q->step);
    return 1;
}

// The least point into q->point; how far it is from giving the same velocities is left in the gradient.
static void find(least* q) {
    double size = length(q->wanted, q->rank), best = HUGE_VAL, now;
    int idle = 0;
    memcpy(q->nu, q->wanted, (size_t)q->rank * sizeof(double));
    double value = look(q, q->nu);
    for (int k = 0; k < STEPS && idle < PATIENCE; ++k) {
        now = length(q->gradient, q->rank);
        if (!(now > 2.0 * DBL_EPSILON * size)) return;
        idle = now < 0.5 * best ? 0 : idle + 1;
        best = fmin(best, now);
        double slope = 0.0, part = 1.0, start = value;
        if (!newton_step(q, fmax(least_shift, fmin(largest_shift, now / size)))) return;
        for (int i = 0; i < q->rank; ++i) slope += q->gradient[i] * q->step[i];
        for (int t = 0; t < HALVINGS; ++t, part *= 0.5) {
            for (int i = 0; i < q->rank; ++i) q->trial[i] = q->nu[i] + part * q->step[i];
            value = look(q, q->trial);
            // Close to the end the function no longer sees a difference.
            if (value <= start + 1e-4 * part * slope || length(q->gradient, q->rank) <= 0.5 * now) break;
        }
        memcpy(q->nu, q->trial, (size_t)q->rank * sizeof(double));
    }
}

static int take_memory(least* q, ts_arena* scratch) {
    size_t n = (size_t)q->n, rank = (size_t)q->rank;
    double** of_rank[] = {&q->wanted, &q->nu, &q->trial, &q->gradient, &q->step};
    double** of_rows[] = {&q->y, &q->point, &q->image};
    int enough = 1;
    for (int i = 0; i < 5; ++i) enough = (*of_rank[i] = TS_ARENA_ARRAY(scratch, double, rank)) != NULL && enough;
    for (int i = 0; i < 3; ++i) enough = (*of_rows[i] = TS_ARENA_ARRAY(scratch, double, n)) != NULL && enough;
    q->J = TS_ARENA_ARRAY(scratch, double, rank* rank);
    return enough && q->J != NULL;
}

void ts_least_norm(const ts_yardstick* yardstick, int rows_most, ts_arena* scratch, double* impulse) {
    const ts_contact_problem* problem = yardstick->problem;
    int n = problem->row_count;
    if (n > rows_most || problem->R || carrying_contacts(problem, impulse) < 2) return;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double *basis, size = length(impulse, n);
    least q = {.problem = problem, .n = n, .rank = ts_internal_basis(problem, scratch, &basis)};
    q.basis = basis;
    if (q.rank >= 0 && q.rank < n && take_memory(&q, scratch) &&
        ts_internal_part(basis, q.rank, n, impulse, q.image) > worth_taking * size) {
        for (int k = 0; k < q.rank; ++k) q.wanted[k] = ts_dot(vector_of(&q, k), impulse, n);
        find(&q);
        ts_contact_problem_velocity(problem, q.point, q.y);
        int is_less = length(q.point, n) <= size, is_good = ts_yardstick_excess(yardstick, q.point, q.y) <= 1.0;
        if (is_less && is_good) memcpy(impulse, q.point, (size_t)n * sizeof(double));
    }
    ts_arena_scope_end(scratch, scope);
}
