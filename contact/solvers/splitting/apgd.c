// Accelerated projected gradient descent, matrix-free.
//
// Problem: minimise q(x) = 1/2 x^T (G + R) x + g^T x over a convex set, for all rows or for some with the others fixed.
// Rule: next = P(y - D u(y) / L), D the relative steps; y = next + beta (next - x) with Nesterov's beta; L doubles
// while q lies above its quadratic model, and shrinks a little after each step. When the gradient points against the
// last movement, the momentum is dropped.
// One product per iteration: u is affine, so that u(y) follows from those of the two iterates it is a combination of;
// and the model test d^T (G + R) d <= L d^T D^-1 d from the difference of two velocities that are both known.
// Source: Nesterov 1983; Beck and Teboulle 2009 (backtracking); O'Donoghue and Candes 2015 (restart); Mazhar, Heyn,
// Negrut and Tasora 2015 (contact).
// Guaranteed: for symmetric G >= 0 q falls like 1 / k^2. With equal steps and a start at zero the iterates stay in the
// range of G as long as no set is touched: no internal forces.
// Known to fail: slow when stiffnesses differ by many orders of magnitude. For a G that is not symmetric u is no
// gradient; the fixed points are still the answers, but there is no proof that they are reached.
#include "contact/solvers/splitting/apgd_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/solver.h"
#include "contact/trace.h"

// Under this movement, relative to the impulse, rounding decides the model test.
static const double least_movement = 1e-9;

enum { DOUBLINGS = 60 };

static int is_friction(ts_block_moving part) { return part == TS_MOVING_DISC || part == TS_MOVING_SQUARE; }

static double* estimate(ts_apgd* q) { return &q->L[is_friction(q->part)]; }

void ts_apgd_refresh(ts_apgd* q) { ts_contact_problem_velocity(q->problem, q->x, q->ux); }

// The shape that friction is held in when the normals are given.
static ts_friction_shape shape_of(const ts_apgd* q) {
    return q->yardstick.law == TS_LAW_LCP ? TS_FRICTION_SQUARE : TS_FRICTION_DISC;
}

// out = P(y - share D u) of one block in the present part; rows that do not move come from x.
static void move_block(const ts_apgd* q, ts_block_moving part, int b, double share, const double* x, const double* y,
                       const double* u, double* out) {
    const ts_block* block = &q->problem->block[b];
    double to[TS_BLOCK_ROWS_MAX] = {0.0};
    int row = block->row, rows = block->rows;
    for (int r = 0; r < rows; ++r) to[r] = y[row + r] - share * q->step[row + r] * u[row + r];
    if (q->step[row] > 0.0)
        ts_block_set_project_moving(block, part, x + row, to, out + row);
    else
        ts_block_set_least(block, out + row);
}

static void move(const ts_apgd* q, ts_block_moving part, double share, const double* y, const double* u, double* out) {
    for (int b = 0; b < q->problem->block_count; ++b) move_block(q, part, b, share, q->x, y, u, out);
}

// The largest movement as a velocity.
static double gap_of(const ts_apgd* q, double L, const double* from, const double* to) {
    double gap = 0.0;
    for (int i = 0; i < q->problem->row_count; ++i) {
        if (!(q->step[i] > 0.0)) continue;
        double v = fabs(to[i] - from[i]) * L / q->step[i];
        if (!(v <= gap)) gap = v;
    }
    return gap;
}

double ts_apgd_gap(ts_apgd* q, ts_block_moving part) {
    double L = q->L[is_friction(part)];
    move(q, part, 1.0 / L, q->x, q->ux, q->next);
    return gap_of(q, L, q->x, q->next);
}

void ts_apgd_begin(ts_apgd* q, ts_block_moving part) {
    size_t bytes = (size_t)q->problem->row_count * sizeof(double);
    int moved = 0;
    q->part = part;
    for (int b = 0; is_friction(part) && b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        moved |= ts_block_set_limit_friction(block, shape_of(q), q->x + block->row);
    }
    if (moved) ts_apgd_refresh(q);
    q->theta = 1.0;
    memcpy(q->y, q->x, bytes);
    memcpy(q->uy, q->ux, bytes);
}

// Whether q lies above its model at `next`; when the movement is lost in rounding it does not.
static int is_above_model(const ts_apgd* q, double L) {
    double curvature = 0.0, size = 0.0, all = 0.0;
    for (int i = 0; i < q->problem->row_count; ++i) {
        if (!(q->step[i] > 0.0)) continue;
        double d = q->next[i] - q->y[i], inverse = 1.0 / q->step[i];
        curvature += d * (q->unext[i] - q->uy[i]);
        size += d * d * inverse;
        all += q->y[i] * q->y[i] * inverse;
    }
    return curvature > L * size * (1.0 + 1e-9) && size > least_movement * least_movement * all;
}

double ts_apgd_step(ts_apgd* q) {
    int n = q->problem->row_count;
    q->steps += 1;
    double* L = estimate(q);
    for (int k = 0; k < DOUBLINGS; ++k) {
        move(q, q->part, 1.0 / *L, q->y, q->uy, q->next);
        ts_contact_problem_velocity(q->problem, q->next, q->unext);
        if (!is_above_model(q, *L)) break;
        *L *= 2.0;
    }
    double gap = gap_of(q, *L, q->y, q->next), against = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        against += q->uy[i] * (q->next[i] - q->x[i]);
        sum += 0.0 * q->unext[i];
    }
    if (!isfinite(gap) || sum != 0.0) return (double)NAN;
    double theta = q->theta, squared = theta * theta;
    double following = 0.5 * (theta * sqrt(squared + 4.0) - squared);
    double beta = theta * (1.0 - theta) / (squared + following);
    q->theta = following;
    if (against > 0.0) {
        q->theta = 1.0;
        beta = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        q->y[i] = q->next[i] + beta * (q->next[i] - q->x[i]);
        q->uy[i] = q->unext[i] + beta * (q->unext[i] - q->ux[i]);
    }
    double* swap = q->x;
    q->x = q->next;
    q->next = swap;
    swap = q->ux;
    q->ux = q->unext;
    q->unext = swap;
    *L *= q->shrink;
    ts_trace_note(&q->yardstick, q->steps, q->x);
    return gap;
}

// Steps, and a first L that is right for a single block; coupling will double it as often as it must.
static void choose_steps(ts_apgd* q, int block_steps) {
    double largest = 0.0;
    for (int b = 0; b < q->problem->block_count; ++b) {
        const ts_block* block = &q->problem->block[b];
        double k = ts_contact_problem_stiffness(q->problem, b);
        if (!(k <= largest)) largest = k;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            q->step[r] = k > 0.0 ? (block_steps ? 1.0 / k : 1.0) : 0.0;
            if (isnan(k)) q->step[r] = 1.0;
        }
    }
    q->L[0] = q->L[1] = block_steps || !(largest > 0.0) ? 1.0 : largest;
}

int ts_apgd_init(ts_apgd* q, const ts_yardstick* yardstick, int block_steps, double shrink, ts_arena* arena,
                 double* impulse) {
    const ts_contact_problem* problem = yardstick->problem;
    size_t n = (size_t)problem->row_count;
    memset(q, 0, sizeof(*q));
    q->problem = problem;
    q->yardstick = *yardstick;
    q->shrink = shrink;
    q->best = impulse;
    q->excess = HUGE_VAL;
    double** vector[] = {&q->step, &q->x, &q->ux, &q->y, &q->uy, &q->next, &q->unext};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(arena, n, sizeof(double));
        if (!*vector[i]) return 0;
    }
    choose_steps(q, block_steps);
    memcpy(q->x, impulse, n * sizeof(double));
    ts_solver_start(problem, yardstick->law, q->x, q->ux);
    memset(impulse, 0, n * sizeof(double));
    ts_apgd_begin(q, TS_MOVING_ALL);
    return 1;
}

double ts_apgd_look(ts_apgd* q) {
    double excess = ts_yardstick_excess(&q->yardstick, q->x, q->ux);
    if (excess < q->excess) {
        q->excess = excess;
        memcpy(q->best, q->x, (size_t)q->problem->row_count * sizeof(double));
    }
    return excess;
}
