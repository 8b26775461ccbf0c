// Staggered projections: normals with friction fixed, then friction with normals fixed, in turn.
//
// Problem: the exact law (ncp-staggered, friction in a disc) or the LCP (lcp-staggered, friction in a square). Rule:
//     lambda_N = argmin over lambda_N >= 0 of the cost q with lambda_T fixed; joints, limits and motors go with the normals
//     lambda_T = argmin over |lambda_T| <= mu lambda_N of q with lambda_N fixed
// each by accelerated projected gradients (apgd.c), matrix-free, to a part of the residual that the whole still has. Safe
// rule: lambda_T moves by theta only, halved whenever a few rounds one after another have not brought the residual down.
// Source: Kaufman, Sueda, James and Pai 2008; as solver of a differentiable simulator: Le Lidec et al. 2021.
// Guaranteed: each projection is a convex problem; converged means the law's residual; the best impulse seen is returned.
// With one step for all, impulses stay in the range of G as long as no set is touched: no internal forces.
// Known to fail: for one contact sliding along t a round multiplies the error of lambda_N by -mu (G_TN . t) / G_NN; beyond
// 1 the published rule cycles. The safe one damps that, but has no proof either.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/solver.h"
#include "contact/solvers/splitting/apgd_internal.h"

// Least part of a friction step.
static const double least_theta = 1.0 / 64.0;
// What two rounds must bring not to count as a cycle.
static const double progress = 0.99;

// So many rounds one after another without that are a cycle: a slow stretch alone is not.
enum { PATIENCE = 4 };

// How much of a friction step is taken.
enum {
    STEP_SAFE,  // half as much whenever a few rounds brought nothing
    STEP_PAPER  // always all of it: cycles where normal and friction are strongly coupled
};

typedef struct staggered_settings {
    ts_solver_settings shared;  // an iteration is a gradient step: one product with the operator, now and then two
    double inner;               // each projection is solved to this part of the residual of the whole
    int inner_limit;            // most gradient steps in one projection
    int step_rule;              // STEP_SAFE or STEP_PAPER
    int block_steps;            // 1: every block's step by its own stiffness; 0: one for all, no internal forces
} staggered_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(staggered_settings, inner, 1e-6, 1.0, "part of the residual to which each projection is solved"),
    TS_SETTING_WHOLE(staggered_settings, inner_limit, 1.0, 1e9, "most gradient steps in one projection"),
    TS_SETTING_WHOLE(staggered_settings, step_rule, 0.0, 1.0, "0 friction damped when it cycles, 1 as published"),
    TS_SETTING_WHOLE(staggered_settings, block_steps, 0.0, 1.0, "0 one step for all, 1 each block's by its stiffness"),
};

static const staggered_settings defaults = {
    .shared = {1e-8, 1e-15, 5000, 0.0}, .inner = 0.1, .inner_limit = 1000, .step_rule = STEP_SAFE, .block_steps = 0};

typedef struct staggered {
    ts_apgd q;
    const staggered_settings* settings;
    ts_apgd_part friction;
    double* before;    // x before the round
    double* u_before;  // its velocity
} staggered;

// The gap that rounding leaves in any case.
static double rounding_gap(const ts_apgd* q, ts_apgd_part part) {
    double largest = 0.0, L = q->L[part == TS_APGD_DISC || part == TS_APGD_SQUARE];
    for (int i = 0; i < q->problem->row_count; ++i)
        if (q->step[i] > 0.0) largest = fmax(largest, fabs(q->x[i]) * L / q->step[i]);
    return 2.0 * DBL_EPSILON * largest;
}

// One projection down to a gap. Returns 0 when numbers are not finite.
static int project(staggered* s, ts_apgd_part part, double target) {
    ts_apgd_begin(&s->q, part);
    int start = s->q.steps;
    double floor_gap = rounding_gap(&s->q, part), gap = ts_apgd_gap(&s->q, part);
    target = fmax(target, floor_gap);
    while (gap > target && s->q.steps - start < s->settings->inner_limit &&
           s->q.steps < s->settings->shared.iteration_limit)
        gap = ts_apgd_step(&s->q);
    return !isnan(gap);
}

// The largest gap of the whole: normals for the present friction, friction for the present normals.
static double whole_gap(staggered* s) {
    return fmax(ts_apgd_gap(&s->q, TS_APGD_NORMAL), ts_apgd_gap(&s->q, s->friction));
}

// Takes only a part of the friction step. The disc is convex: what the new normals allow of the old friction is already
// in `before`.
static void damp(staggered* s, double theta) {
    ts_apgd* q = &s->q;
    for (int i = 0; i < q->problem->row_count; ++i) {
        q->x[i] = s->before[i] + theta * (q->x[i] - s->before[i]);
        q->ux[i] = s->u_before[i] + theta * (q->ux[i] - s->u_before[i]);
    }
}

static void remember(staggered* s) {
    size_t bytes = (size_t)s->q.problem->row_count * sizeof(double);
    memcpy(s->before, s->q.x, bytes);
    memcpy(s->u_before, s->q.ux, bytes);
}

// One round. Returns the largest relative change of an impulse, NaN when numbers are not finite.
static double stagger(staggered* s, double target, double theta) {
    ts_apgd* q = &s->q;
    double moved = 0.0, largest = 0.0;
    remember(s);
    if (!project(s, TS_APGD_NORMAL, target)) return (double)NAN;
    for (int i = 0; i < q->problem->row_count; ++i) moved = fmax(moved, fabs(q->x[i] - s->before[i]));
    ts_apgd_begin(q, s->friction);
    remember(s);
    if (!project(s, s->friction, target)) return (double)NAN;
    if (theta < 1.0) {
        damp(s, theta);
        ts_apgd_refresh(q);
    }
    for (int i = 0; i < q->problem->row_count; ++i) {
        moved = fmax(moved, fabs(q->x[i] - s->before[i]));
        largest = fmax(largest, fabs(q->x[i]));
    }
    if (largest > 0.0) return moved / largest;
    return moved > 0.0 ? 1.0 : 0.0;
}

static ts_solve_status iterate(staggered* s) {
    const ts_solver_settings* settings = &s->settings->shared;
    double excess = ts_apgd_look(&s->q);
    if (!isfinite(excess)) return TS_SOLVE_FAILED;
    if (excess <= 1.0) return TS_SOLVE_CONVERGED;
    double gap = whole_gap(s), last = HUGE_VAL, last_but_one = HUGE_VAL, theta = 1.0;
    int idle = 0;
    while (s->q.steps < settings->iteration_limit) {
        double moved = stagger(s, s->settings->inner * gap, theta);
        if (isnan(moved)) return TS_SOLVE_FAILED;
        excess = ts_apgd_look(&s->q);
        if (!isfinite(excess)) return TS_SOLVE_FAILED;
        if (excess <= 1.0) return TS_SOLVE_CONVERGED;
        if (moved <= settings->stall) return TS_SOLVE_STALLED;
        last_but_one = last;
        last = gap;
        gap = whole_gap(s);
        idle = gap > progress * last_but_one ? idle + 1 : 0;
        if (idle >= PATIENCE && s->settings->step_rule == STEP_SAFE) {
            theta = fmax(least_theta, 0.5 * theta);
            idle = 0;
        }
    }
    return TS_SOLVE_ITERATION_LIMIT;
}

static ts_solve_report solve(ts_contact_law law, const ts_contact_problem* problem, const staggered_settings* settings,
                             ts_arena* scratch, double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    staggered s = {.settings = settings, .friction = law == TS_LAW_NCP ? TS_APGD_DISC : TS_APGD_SQUARE};
    ts_yardstick yardstick;
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    if ((problem->delassus->ops->abilities & needs) != needs) return report;
    yardstick = ts_yardstick_make(problem, law, ts_solver_goal(&settings->shared));
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    s.before = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    s.u_before = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double shrink = settings->step_rule == STEP_PAPER ? 0.9 : 0.98;
    if (s.before && s.u_before && ts_apgd_init(&s.q, &yardstick, settings->block_steps, shrink, scratch, impulse)) {
        report.status = iterate(&s);
        report.iterations = s.q.steps;
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

static ts_solve_report solve_exact(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                   double* impulse) {
    return solve(TS_LAW_NCP, problem, (const staggered_settings*)settings, scratch, impulse);
}

static ts_solve_report solve_pyramid(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                     double* impulse) {
    return solve(TS_LAW_LCP, problem, (const staggered_settings*)settings, scratch, impulse);
}

const ts_solver ts_ncp_staggered_solver = {
    .name = "ncp-staggered",
    .law = TS_LAW_NCP,
    .summary = "staggered projections on the exact law, matrix-free",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve_exact,
    TS_SOLVER_SETTINGS(defaults, setting),
};

const ts_solver ts_lcp_staggered_solver = {
    .name = "lcp-staggered",
    .law = TS_LAW_LCP,
    .summary = "staggered projections on the boxed LCP, matrix-free",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve_pyramid,
    TS_SOLVER_SETTINGS(defaults, setting),
};
