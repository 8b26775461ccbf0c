// ncp-canal: an augmented Lagrangian whose subproblems are convex, each solved by Newton.
//
// Problem: the exact law, lambda_N >= 0, u_N >= 0, lambda_N u_N = 0, and friction in the disc of radius mu lambda_N that resists
// slip as much as it can. With the radii held it is the minimum of the bodies' energy over half-lines and discs (Tresca's friction).
// Rule, outer: the augmented Lagrangian of that minimum in the velocities, with multipliers lambda and penalty beta, is least where
//     M (v - v_f) = J^T P_C(lambda_k - beta u(v)),        C: half-lines, and discs of radius mu lambda_k,N;
// then lambda_k+1 is what P_C gives, and the radii follow it. In impulses this is a proximal step with eps = 1 / beta:
//     x = P_C(y),  y = lambda_k - (G x + g) / eps.
// eps shrinks while the error falls, and grows where it does not: then radii that swing are damped.
// Rule, inner: the cost 1/2 x^T G x + eps (y . P(y) - |P(y)|^2 / 2) is convex with gradient G (x - P(y)); Newton's step is
// (1 + DP G / eps) d = P(y) - x, taken to where the cost along it is least (its slope is monotone: Newton within a bracket), or whole
// where that halves |P(y) - x|.
// Scaling: blocks are divided by the root of their stiffness, so that one eps is right for all (rescaled_problem.c).
// Source: Lee, Lee, Park, Yun and Lee, "Variations of augmented Lagrangian for robotic multi-contact simulation", 2025 (the cascade
// of multipliers, convex surrogate and Newton); Rockafellar 1976; Alart and Curnier 1991. Surrogate, scaling and eps are ours.
// Guaranteed: every subproblem has one answer and Newton reaches it; what is returned is admissible and the best seen; converged
// means the law's residual.
// Known to fail: no proof that the radii settle where friction couples strongly into normals; matrices that do not fit are refused.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/rescaled_problem_internal.h"
#include "contact/solvers/newton/bracket_internal.h"
#include "contact/solver.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    INNER = 25,        // Newton steps in one subproblem
    HALVINGS = 4,      // of a step, where the radii follow
    EVALUATIONS = 40,  // of the slope in one line search
    PATIENCE = 40      // subproblems without progress before it is called a stall
};

// Of the way that the multipliers went: a subproblem as good as solved.
static const double well_solved = 0.05;
// Of the slope at the start of a line search, at its end.
static const double slope_left = 1e-8;
// Of the largest entry of P(y) - x, left by a linear system.
static const double step_digits = 1e-10;
// Of |P(y) - x|: a whole step that leaves less needs no line search.
static const double good_step = 0.5;
static const double largest_eps = 10.0;
// Of the error before a subproblem: more after it calls for a larger eps; a little more may be rounding.
static const double worse = 2.0;

typedef struct canal_settings {
    ts_solver_settings shared;  // an iteration is one linear system
    double penalty;             // beta of the first subproblem, times a contact's stiffness
    double penalty_step;        // factor by which beta grows and shrinks
    double penalty_limit;       // most, times a contact's stiffness
} canal_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(canal_settings, penalty, 1e-2, 1e12, "of the first subproblem, times a contact's stiffness"),
    TS_SETTING_REAL(canal_settings, penalty_step, 1.0, 1e6, "factor by which the penalty grows and shrinks"),
    TS_SETTING_REAL(canal_settings, penalty_limit, 1e-2, 1e12, "largest penalty, times a contact's stiffness"),
};

static const canal_settings defaults = {
    .shared = {1e-8, 1e-12, 500, 0.0}, .penalty = 1e3, .penalty_step = 3.0, .penalty_limit = 1e8};

typedef enum outcome { SOLVED, GIVEN_UP, BROKEN } outcome;

typedef struct canal {
    ts_rescaled_problem s;  // in units of stiffness
    const canal_settings* settings;
    ts_linear* system;
    ts_yardstick yardstick;
    double eps;
    int held;         // nonzero: radii of discs are those of the multipliers; else those of the normals at x
    double* x;        // (rows)
    double* Ax;       // (rows)
    double* centre;   // (rows) the multipliers lambda_k, admissible
    double* P;        // (rows) P_C(y) at x
    double* d;        // (rows) Newton's step
    double* Ad;       // (rows)
    double* u;        // (rows)
    double* trial;    // (rows)
    double* impulse;  // (rows) a candidate in the problem's units
    ts_solve_report report;
} canal;

// P of one block: normals first, friction in a disc, whose radius is held or follows. D gets its derivative where it is not NULL.
// Returns 0 where that is all zero.
static int project(const canal* q, int b, const double* y, double* out, double* D) {
    const ts_block* block = &q->s.block[b];
    int rows = block->rows;
    if (block->set != TS_SET_CONE) {
        ts_block_set_project(block, y, out);
        return D && ts_block_set_derivative(block, y, D);
    }
    double disc[MAX], normal = y[2] > 0.0 ? y[2] : 0.0;
    disc[2] = q->held ? q->centre[block->row + 2] : normal;
    ts_block_set_project_moving(block, TS_MOVING_DISC, disc, y, out);
    out[2] = normal;
    if (!D) return 0;
    int moves = ts_block_set_derivative_moving(block, TS_MOVING_DISC, disc, y, D);
    if (!moves) memset(D, 0, (size_t)(rows * rows) * sizeof(double));
    D[2 * rows + 2] = y[2] > 0.0 ? 1.0 : 0.0;
    double length = ts_block_set_tangent_length(y, rows);
    // Where friction is at its bound it goes with the normal.
    for (int r = 0; r < rows && !q->held && normal > 0.0 && length > block->mu * normal; ++r)
        if (r != 2) D[r * rows + 2] = block->mu * y[r] / length;
    return moves || y[2] > 0.0;
}

// y of one block at x + step d.
static void point(const canal* q, int b, double step, double* y) {
    const ts_block* block = &q->s.block[b];
    for (int r = 0; r < block->rows; ++r) {
        int i = block->row + r;
        y[r] = q->centre[i] - (q->Ax[i] + (step != 0.0 ? step * q->Ad[i] : 0.0) + q->s.g[i]) / q->eps;
    }
}

// |P(y) - x - step d|; P is left in `out`.
static double mismatch(const canal* q, double step, double* out) {
    double sum = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        double y[MAX] = {0.0};
        if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) {
            memset(out + block->row, 0, (size_t)block->rows * sizeof(double));
            continue;
        }
        point(q, b, step, y);
        project(q, b, y, out + block->row, NULL);
        for (int i = block->row; i < block->row + block->rows; ++i) {
            double gap = out[i] - q->x[i] - (step != 0.0 ? step * q->d[i] : 0.0);
            sum += gap * gap;
        }
    }
    return sqrt(sum);
}

// Newton's step into d. Returns 0 when the linear system could not be solved.
static int newton_step(canal* q) {
    double largest = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        int rows = block->rows;
        double y[MAX] = {0.0}, p[MAX];
        double *C = q->system->C + q->system->square[b], *E = q->system->E + q->system->square[b];
        for (int r = block->row; r < block->row + rows; ++r) {
            q->d[r] = q->P[r] - q->x[r];
            largest = fmax(largest, fabs(q->d[r]));
        }
        q->system->active[b] = 0;
        if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) continue;
        point(q, b, 0.0, y);
        q->system->active[b] = project(q, b, y, p, E);
        for (int i = 0; i < rows * rows && q->system->active[b]; ++i) {
            C[i] = i % (rows + 1) == 0 ? 1.0 : 0.0;
            E[i] /= q->eps;
        }
    }
    q->report.iterations += 1;
    return ts_linear_change(q->system) && ts_linear_solve(q->system, NULL, step_digits * largest, q->d);
}

// The slope of the cost at x + step d, and how fast it grows.
static double slope_at(const canal* q, double first, double second, double step, double* out_curvature) {
    double slope = first + step * second, curvature = second;
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        int rows = block->rows;
        const double* Ad = q->Ad + block->row;
        double y[MAX] = {0.0}, p[MAX], D[MAX * MAX];
        if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) continue;
        point(q, b, step, y);
        int active = project(q, b, y, p, D);
        for (int r = 0; r < rows; ++r) {
            slope -= p[r] * Ad[r];
            for (int c = 0; c < rows && active; ++c) curvature += Ad[r] * D[r * rows + c] * Ad[c] / q->eps;
        }
    }
    *out_curvature = curvature;
    return slope;
}

// The step along d to where the cost is least; 0 when it does not fall.
static double line_search(const canal* q) {
    double first = ts_dot(q->x, q->Ad, q->s.rows), second = ts_dot(q->d, q->Ad, q->s.rows), curvature;
    ts_bracket bracket = {0.0, HUGE_VAL};
    double step = 1.0, start = slope_at(q, first, second, 0.0, &curvature);
    if (!(start < 0.0)) return 0.0;
    for (int k = 0; k < EVALUATIONS; ++k) {
        double slope = slope_at(q, first, second, step, &curvature);
        if (isnan(slope)) return 0.0;
        if (fabs(slope) <= -slope_left * start) break;
        double next = ts_bracket_next(&bracket, step, slope, curvature);
        if (next == step) break;
        step = next;
    }
    return step;
}

// How far along d, 0 when nothing gets better: with radii that are held to where the cost is least, else the first halving of the step
// that gains what it can be expected to.
static double choose_step(canal* q, double now, double noise) {
    if (mismatch(q, 1.0, q->trial) <= fmax(good_step * now, noise)) return 1.0;
    if (q->held) return line_search(q);
    double step = 0.5;
    for (int k = 0; k < HALVINGS; ++k, step *= 0.5)
        if (mismatch(q, step, q->trial) <= (1.0 - 0.5 * step) * now) return step;
    return 0.0;
}

// The subproblem, from x = lambda_k, with radii held or not. Returns SOLVED, GIVEN_UP where Newton gets nowhere, BROKEN where a linear
// system does.
static outcome solve_with(canal* q, int held) {
    int n = q->s.rows;
    outcome came = GIVEN_UP;
    q->held = held;
    memcpy(q->x, q->centre, (size_t)n * sizeof(double));
    for (int k = 0;; ++k) {
        ts_linear_matrix_apply(&q->s.A, q->x, q->Ax);
        double now = mismatch(q, 0.0, q->P), way = 0.0;
        for (int i = 0; i < n; ++i) way += (q->P[i] - q->centre[i]) * (q->P[i] - q->centre[i]);
        // y has the rounding of u over eps, x has not.
        double noise = ts_rescaled_problem_rounding(&q->s, q->x) / q->eps;
        if (k > 0 && now <= fmax(well_solved * sqrt(way), noise)) came = SOLVED;
        if (came == SOLVED || k == INNER || q->report.iterations == q->settings->shared.iteration_limit) return came;
        if (!newton_step(q)) return BROKEN;
        ts_linear_matrix_apply(&q->s.A, q->d, q->Ad);
        double step = choose_step(q, now, noise);
        if (step == 0.0) return came;
        for (int i = 0; i < n; ++i) q->x[i] += step * q->d[i];
        ts_rescaled_problem_trace(&q->s, &q->yardstick, q->report.iterations, q->x);
    }
}

// The new multipliers are x made admissible, normals first; P(y) is the same but for rounding, which y has over eps, and what Newton
// left. Returns how far they went, relative to the largest.
static double update(canal* q, const double* x) {
    double way = 0.0, largest = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        double next[MAX];
        memcpy(next, x + block->row, (size_t)block->rows * sizeof(double));
        ts_block_set_admit(block, TS_FRICTION_DISC, next);
        if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) memset(next, 0, sizeof next);
        for (int r = 0; r < block->rows; ++r) {
            way = fmax(way, fabs(next[r] - q->centre[block->row + r]));
            largest = fmax(largest, fabs(next[r]));
            q->centre[block->row + r] = next[r];
        }
    }
    return ts_share(way, largest);
}

static void iterate(canal* q, double best, double* impulse) {
    const ts_solver_settings* settings = &q->settings->shared;
    size_t bytes = (size_t)q->s.rows * sizeof(double);
    double before = best, least_eps = 1.0 / q->settings->penalty_limit;
    int idle = 0;
    q->eps = fmax(least_eps, 1.0 / q->settings->penalty);
    while (q->report.iterations < settings->iteration_limit) {
        q->report.status = TS_SOLVE_FAILED;
        outcome came = solve_with(q, 0);
        int held = came == GIVEN_UP;
        if (held) came = solve_with(q, 1);
        if (came == BROKEN) {
            // Rounding, where the penalty leaves it too few digits.
            q->eps *= q->settings->penalty_step;
            if (!(q->eps < largest_eps)) return;
            continue;
        }
        double moved = update(q, came == SOLVED ? q->x : q->P);
        double excess = ts_rescaled_problem_judge(&q->s, &q->yardstick, q->centre, q->trial, q->u, q->impulse);
        if (isnan(excess)) return;
        idle = excess < 0.9 * best ? 0 : idle + 1;
        if (excess < best) {
            best = excess;
            memcpy(impulse, q->impulse, bytes);
        }
        q->report.status = TS_SOLVE_CONVERGED;
        if (excess <= 1.0) return;
        q->report.status = TS_SOLVE_STALLED;
        if (moved <= settings->stall || idle >= PATIENCE) return;
        if (excess > worse * before || held)
            q->eps = fmin(largest_eps, q->eps * q->settings->penalty_step);
        else
            q->eps = fmax(least_eps, q->eps / q->settings->penalty_step);
        before = excess;
    }
    q->report.status = TS_SOLVE_ITERATION_LIMIT;
}

static int prepare(canal* q, const ts_contact_problem* problem, ts_arena* scratch) {
    double** vector[] = {&q->x, &q->Ax, &q->centre, &q->P, &q->d, &q->Ad, &q->u, &q->trial, &q->impulse};
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS)) return 0;
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i)
        if (!(*vector[i] = (double*)ts_arena_alloc_zeroed(scratch, (size_t)problem->row_count, sizeof(double))))
            return 0;
    if (!ts_rescaled_problem_make(problem, TS_UNITS_STIFFNESS, TS_MATRIX_NUMBERS, scratch, &q->s)) return 0;
    q->system = ts_linear_make(&q->s.A, TS_LINEAR_BLOCKS, scratch);
    return q->system != NULL;
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    canal q = {.settings = (const canal_settings*)settings, .report = ts_solve_not_begun};
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double excess = HUGE_VAL;
    int ready = prepare(&q, problem, scratch);
    if (ready) {
        q.yardstick = ts_yardstick_make(problem, TS_LAW_NCP, ts_solver_goal(&q.settings->shared));
        memcpy(q.impulse, impulse, bytes);
        ts_solver_start(problem, TS_LAW_NCP, q.impulse, q.u);
        excess = ts_yardstick_excess(&q.yardstick, q.impulse, q.u);
    }
    if (!ready || !isfinite(excess)) {
        memset(impulse, 0, bytes);
    } else {
        memcpy(impulse, q.impulse, bytes);
        ts_rescaled_problem_enter(&q.s, q.impulse, q.centre);
        q.report.status = TS_SOLVE_CONVERGED;
        if (!(excess <= 1.0)) iterate(&q, excess, impulse);
    }
    ts_arena_scope_end(scratch, scope);
    return q.report;
}

const ts_solver ts_ncp_canal_solver = {
    .name = "ncp-canal",
    .law = TS_LAW_NCP,
    .summary = "augmented Lagrangian of the exact law, its convex subproblems solved by Newton",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
};
