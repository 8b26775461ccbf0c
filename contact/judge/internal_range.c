// How far an entry of an answer can be moved by internal forces.
//
// Problem: max and min of lambda_r over lambda = lambda* + null(G), lambda in K, where K is the product of the blocks' sets: of a sliding contact
// the ray opposite to its slip, of an opening one zero.
// Rule: alternating directions on the affine set and K, the objective in the step to the affine one; over-relaxed.
// Source: Boyd et al., Distributed optimization and statistical learning via ADMM, 2011, ch. 5.
// Guaranteed: what is called an end is admissible to `rest`. Known to fail: converges linearly, slowly where K touches the affine set at a
// shallow angle; `rest` says what is left.
#include "contact/judge/internal_force.h"

#include <math.h>
#include <string.h>

#include "base/scalar.h"

// 1: speeds under this part of the largest change of velocity are rest.
static const double moving = 1e-6;
// 1: ends are this near, in parts of the largest impulse; an entry beyond `endless` times that has no end.
static const double enough = 1e-10, endless = 1e6;
enum { ROUNDS = 20000, LOOK = 16 };

typedef struct search {
    const ts_contact_problem* problem;
    const double* basis;
    const double* impulse;  // an admissible point
    const double* u;        // its velocities
    int rank;
    int n;
    int row;
    double speed;  // m/s: slower is at rest
    double *x, *y, *z, *w;
} search;

// The part of x that moves nothing.
static void keep_internal(const search* s, double* x) {
    for (int k = 0; k < s->rank; ++k) {
        const double* q = s->basis + (size_t)k * (size_t)s->n;
        double share = ts_dot(q, x, s->n);
        for (int i = 0; i < s->n; ++i) x[i] -= share * q[i];
    }
}

// Nearest point of a block's set to x, for the motion that is.
static void project(const search* s, const ts_block* block, const double* x, double* out) {
    const double* u = s->u + block->row;
    double slip = 0.0, along = 0.0, square = 1.0 + block->mu * block->mu;
    if (block->set != TS_SET_CONE) {
        // What moves keeps what it has: its bound.
        if (fabs(u[0]) > s->speed)
            memcpy(out, s->impulse + block->row, (size_t)block->rows * sizeof *out);
        else
            ts_block_set_project(block, x, out);
        return;
    }
    if (u[2] > s->speed) {
        memset(out, 0, (size_t)block->rows * sizeof *out);
        return;
    }
    for (int i = 0; i < block->rows; ++i) slip += i == 2 ? 0.0 : u[i] * u[i];
    slip = sqrt(slip);
    if (!(slip > s->speed)) {
        ts_block_set_project(block, x, out);
        return;
    }
    for (int i = 0; i < block->rows; ++i) along += x[i] * (i == 2 ? 1.0 : -block->mu * u[i] / slip);
    along = fmax(0.0, along / square);
    for (int i = 0; i < block->rows; ++i) out[i] = along * (i == 2 ? 1.0 : -block->mu * u[i] / slip);
}

// The largest (sign 1) or smallest (-1) value of the row, times the sign.
static double find_end(search* s, double sign, double scale, double* out_rest) {
    int n = s->n;
    memcpy(s->z, s->impulse, (size_t)n * sizeof *s->z);
    memset(s->w, 0, (size_t)n * sizeof *s->w);
    double pull = 0.1 * scale, rest = HUGE_VAL;
    for (int round = 0; round < ROUNDS; ++round) {
        double apart = 0.0, moved = 0.0;
        for (int i = 0; i < n; ++i) s->x[i] = s->z[i] - s->w[i] - s->impulse[i];
        s->x[s->row] += sign * pull;
        keep_internal(s, s->x);
        for (int i = 0; i < n; ++i) {
            s->x[i] += s->impulse[i];
            s->y[i] = 1.6 * s->x[i] - 0.6 * s->z[i] + s->w[i];
        }
        for (int b = 0; b < s->problem->block_count; ++b) {
            const ts_block* block = &s->problem->block[b];
            double out[TS_BLOCK_ROWS_MAX];
            project(s, block, s->y + block->row, out);
            for (int i = 0; i < block->rows; ++i) {
                moved = fmax(moved, fabs(out[i] - s->z[block->row + i]));
                s->z[block->row + i] = out[i];
            }
        }
        for (int i = 0; i < n; ++i) {
            s->w[i] = s->y[i] - s->z[i];
            apart = fmax(apart, fabs(s->x[i] - s->z[i]));
        }
        rest = fmax(apart, moved);
        if (fabs(s->z[s->row]) > endless * scale || !(rest < HUGE_VAL)) break;
        if (round >= LOOK && rest <= enough * scale) break;
        // What grows steadily has no end: bigger strides.
        if (round % 1000 == 999 && sign * (s->z[s->row] - s->impulse[s->row]) > 20.0 * pull) pull *= 10.0;
    }
    *out_rest = fmax(*out_rest, rest);
    return sign * s->z[s->row];
}

ts_internal_range ts_internal_range_of(const ts_contact_problem* problem, const double* basis, int rank,
                                       const double* impulse, int row, ts_arena* scratch) {
    ts_internal_range range = {(double)NAN, (double)NAN, 0.0};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int n = problem->row_count;
    search s = {.problem = problem, .basis = basis, .impulse = impulse, .rank = rank, .n = n, .row = row};
    double* memory = TS_ARENA_ARRAY(scratch, double, 5 * (size_t)n);
    if (memory && rank >= 0) {
        double *u = memory, scale = 0.0, fastest = 0.0;
        s.x = u + n;
        s.y = s.x + n;
        s.z = s.y + n;
        s.w = s.z + n;
        ts_contact_problem_velocity(problem, impulse, u);
        for (int i = 0; i < n; ++i) {
            scale = fmax(scale, fabs(impulse[i]));
            fastest = fmax(fastest, fabs(problem->g[i]));
        }
        s.u = u;
        s.speed = moving * fastest;
        range.low = range.high = impulse[row];
        if (scale > 0.0 && rank < n) {
            range.high = find_end(&s, 1.0, scale, &range.rest);
            range.low = -find_end(&s, -1.0, scale, &range.rest);
            if (fabs(range.high) > endless * scale) range.high = HUGE_VAL;
            if (fabs(range.low) > endless * scale) range.low = -HUGE_VAL;
            if (isinf(range.high) || isinf(range.low)) range.rest = 0.0;
        }
    }
    ts_arena_scope_end(scratch, scope);
    return range;
}
