// The least of many answers.
//
// Problem: of hyperstatic contacts that stick, forces that push contacts against each other and move nothing are left open by the law.
// Rule: of the impulses that give the same velocities, lambda + null(G), and lie in their sets, the one of least norm: the projection of
// zero on the intersection, by Dykstra's alternating projections; where G^+ G lambda itself is admissible that is the first
// step. The answer goes towards it as far as the sets allow, which takes care of what the iteration left.
// Source: contact forces at stick: Le Lidec et al. 2024; projections: Boyle and Dykstra 1986. Guaranteed: admissible, and as
// good by the yardstick as was asked; else the answer stays. Known to fail: close to slip the projections creep, and after
// ROUNDS of them what is left stays in.
#include "contact/least_norm_internal.h"

#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/judge/internal_force.h"

// 1: internal parts this much smaller than the answer are left in it.
static const double worth_taking = 1e-10;
// 1: by the size of the answer, what a point may be outside of its set by rounding.
static const double outside = 1e-14;
// 1: distance of the two sets' points, by the largest entry, at which projections end.
static const double good_enough = 1e-11;
enum { HALVINGS = 50, ROUNDS = 300 };

static int carrying_contacts(const ts_contact_problem* problem, const double* impulse) {
    int count = 0;
    for (int b = 0; b < problem->block_count; ++b)
        count += problem->block[b].set == TS_SET_CONE && impulse[problem->block[b].row + 2] > 0.0;
    return count;
}

// out = x - t n, admissible to the last bit, and whether it was so to rounding before.
static int moved(const ts_contact_problem* problem, const double* x, double t, const double* n, double size,
                 double* out) {
    for (int i = 0; i < problem->row_count; ++i) out[i] = x[i] - t * n[i];
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        double *l = out + block->row, before[TS_BLOCK_ROWS_MAX];
        memcpy(before, l, (size_t)block->rows * sizeof(double));
        ts_block_set_project(block, before, l);
        for (int r = 0; r < block->rows; ++r)
            if (!(fabs(l[r] - before[r]) <= outside * size)) return 0;
    }
    return 1;
}

// Towards the impulse of least norm, into `target`; `kept` is the part of lambda that moves something.
static void dykstra(const ts_contact_problem* problem, const double* basis, int rank, const double* kept, double* work,
                    double* target) {
    int n = problem->row_count;
    double *given = work, *projected = work + n, *correction = work + 2 * n;
    memset(correction, 0, (size_t)n * sizeof(double));
    memcpy(target, kept, (size_t)n * sizeof(double));
    for (int k = 0; k < ROUNDS; ++k) {
        double apart = 0.0, size = 0.0;
        for (int i = 0; i < n; ++i) given[i] = target[i] + correction[i];
        for (int b = 0; b < problem->block_count; ++b)
            ts_block_set_project(&problem->block[b], given + problem->block[b].row, projected + problem->block[b].row);
        for (int i = 0; i < n; ++i) {
            correction[i] = given[i] - projected[i];
            apart = fmax(apart, fabs(target[i] - projected[i]));
            size = fmax(size, fabs(projected[i]));
        }
        if (apart <= good_enough * size) return;
        // Back to where the velocities are right: what of the projection moves nothing, and what has to move something.
        (void)ts_internal_part(basis, rank, n, projected, target);
        for (int i = 0; i < n; ++i) target[i] += kept[i];
    }
}

void ts_least_norm(const ts_yardstick* yardstick, int rows_most, ts_arena* scratch, double* impulse) {
    const ts_contact_problem* problem = yardstick->problem;
    int n = problem->row_count;
    if (n > rows_most || problem->R || carrying_contacts(problem, impulse) < 2) return;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double *basis, *vector = TS_ARENA_ARRAY(scratch, double, 7 * (size_t)n), size = 0.0, low = 0.0, high = 1.0;
    if (!vector) return;
    int rank = ts_internal_basis(problem, scratch, &basis);
    double *internal = vector, *next = vector + n, *u = vector + 2 * n, *kept = vector + 3 * n, *work = vector + 4 * n;
    for (int i = 0; i < n; ++i) size += impulse[i] * impulse[i];
    size = sqrt(size);
    if (rank >= 0 && rank < n && ts_internal_part(basis, rank, n, impulse, internal) > worth_taking * size) {
        for (int i = 0; i < n; ++i) kept[i] = impulse[i] - internal[i];
        if (moved(problem, impulse, 1.0, internal, size, next)) {
            low = 1.0;
        } else {
            dykstra(problem, basis, rank, kept, work, u);
            for (int i = 0; i < n; ++i) internal[i] = impulse[i] - u[i];
        }
        for (int k = 0; k < HALVINGS && low < 1.0; ++k) {
            double middle = 0.5 * (low + high);
            *(moved(problem, impulse, middle, internal, size, next) ? &low : &high) = middle;
        }
        if (low > 0.0 && moved(problem, impulse, low, internal, size, next)) {
            ts_contact_problem_velocity(problem, next, u);
            if (ts_yardstick_excess(yardstick, next, u) <= 1.0) memcpy(impulse, next, (size_t)n * sizeof(double));
        }
    }
    ts_arena_scope_end(scratch, scope);
}
