// Staggered projections: normals with friction fixed, then friction with normals fixed, in turn.
//
// Problem: the exact law (ncp-staggered, friction in a disc) or the LCP (lcp-staggered, friction in a square). Rule:
//     lambda_N = argmin over lambda_N >= 0 of the cost q with lambda_T fixed; joints, limits and motors go with the normals
//     lambda_T = argmin over |lambda_T| <= mu lambda_N of q with lambda_N fixed
// each to a part of the residual that the whole still has or may keep: by Newton on its natural map, one factor a step
// (natural_newton.c), or by accelerated projected gradients (apgd.c), matrix-free, and so where there is no factor. Safe
// rule: lambda_T moves by theta only, halved whenever a few rounds one after another have not brought the residual down and swing.
// Source: Kaufman, Sueda, James and Pai 2008; as solver of a differentiable simulator: Le Lidec et al. 2021.
// Guaranteed: each projection is a convex problem; converged means the law's residual; the best impulse seen is returned.
// With gradients and one step for all, impulses stay in the range of G as long as no set is touched: no internal forces.
// Known to fail: for one contact sliding along t a round multiplies the error of lambda_N by -mu (G_TN . t) / G_NN; beyond
// 1 the published rule cycles. The safe one damps that, but has no proof either; where such factors are above +1 (dominoes that lean on
// each other) no part of a step helps. Rounds that bring the law no nearer end as stalled, with the best that was seen.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/least_norm_internal.h"
#include "contact/solver.h"
#include "contact/solvers/newton/natural_newton_internal.h"
#include "contact/solvers/splitting/apgd_internal.h"
#include "contact/trace.h"

// How a projection is solved.
enum { PROJECT_GRADIENT, PROJECT_FACTOR };

// 1: weight of Newton's first proximal term, relative to a contact's stiffness; 1e-8 to 1e-3 make no difference.
static const double proximal = 1e-6;

// Gauss-Seidel sweeps after a proximal step that Newton could not solve.
enum { RECOVERY_SWEEPS = 5 };

// Least part of a friction step.
static const double least_theta = 1.0 / 64.0;
// What two rounds must bring not to count as a cycle.
static const double progress = 0.99;

// So many rounds one after another without that are a cycle: a slow stretch alone is not.
enum { PATIENCE = 4 };

// The end of rounds without end, under the safe rule: so many one after another that have not brought the law a tenth nearer than it ever
// was. Fewer near the goal, where it is rounding that goes on; far off, what drifts away may come to another solution: Painleve's rod takes
// seventy rounds to stop. Where only rounding is left, few that did not even improve on the round before: there a projection walks along
// forces that move nothing until a contact opens, and ends further off than it began. On the ten boxes of experiment `stack` fewer are better
// in time and in what stays unmet.
enum { ENOUGH = 100, ENOUGH_NEAR = 40, ENOUGH_ROUNDING = 5 };
// Excess up to which it is likely rounding.
static const double near = 100.0;
// 1: share of the problem under which it is.
static const double rounding_share = 1e5 * DBL_EPSILON;
// Of what is asked of the whole: no projection needs to be better.
static const double least_part = 0.3;
static const double better = 0.9;

// How much of a friction step is taken.
enum {
    STEP_SAFE,  // half as much whenever a few rounds brought nothing
    STEP_PAPER  // always all of it: cycles where normal and friction are strongly coupled
};

typedef struct staggered_settings {
    ts_solver_settings shared;  // an iteration is a linear system, or a gradient step: one product, now and then two
    int projection;             // PROJECT_GRADIENT or PROJECT_FACTOR
    double inner;               // each projection is solved to this part of the residual of the whole
    int inner_limit;            // most iterations in one projection
    int step_rule;              // STEP_SAFE or STEP_PAPER
    int least_norm;             // rows up to which internal forces are taken out, contact/least_norm_internal.h
    int block_steps;            // 1: every block's step by its own stiffness; 0: one for all, no internal forces
} staggered_settings;

static const ts_setting setting[] = {
    TS_SETTING_WHOLE(staggered_settings, projection, 0.0, 1.0,
                     "0 projections by gradients, matrix-free, 1 by Newton with a factor"),
    TS_SETTING_REAL(staggered_settings, inner, 1e-6, 1.0, "part of the residual to which each projection is solved"),
    TS_SETTING_WHOLE(staggered_settings, inner_limit, 1.0, 1e9, "most iterations in one projection"),
    TS_SETTING_WHOLE(staggered_settings, step_rule, 0.0, 1.0, "0 friction damped when it cycles, 1 as published"),
    TS_SETTING_WHOLE(staggered_settings, least_norm, 0.0, 1000.0,
                     "rows up to which forces that move nothing are taken out of the answer; 0: never"),
    TS_SETTING_WHOLE(staggered_settings, block_steps, 0.0, 1.0,
                     "gradients: 0 one step for all, 1 each block's by its stiffness"),
};

static const staggered_settings defaults = {.shared = {1e-8, 1e-15, 5000, 0.0},
                                            .projection = PROJECT_FACTOR,
                                            .inner = 0.1,
                                            .inner_limit = 1000,
                                            .step_rule = STEP_SAFE,
                                            .least_norm = 0,
                                            .block_steps = 0};

typedef struct staggered {
    ts_apgd q;
    const staggered_settings* settings;
    ts_block_moving friction;
    ts_natural* newton;  // NULL: by gradients
    double* before;      // x before the round
    double* u_before;    // its velocity
    double* start;       // x before the round
    double* change;      // what the last round made of it
} staggered;

// The gap that rounding leaves in any case.
static double rounding_gap(const ts_apgd* q, ts_block_moving part) {
    double largest = 0.0, L = q->L[part == TS_MOVING_DISC || part == TS_MOVING_SQUARE];
    for (int i = 0; i < q->problem->row_count; ++i)
        if (q->step[i] > 0.0) largest = fmax(largest, fabs(q->x[i]) * L / q->step[i]);
    return 2.0 * DBL_EPSILON * largest;
}

static int iterations_left(const staggered* s) {
    int left = s->settings->shared.iteration_limit - s->q.steps;
    return left < s->settings->inner_limit ? left : s->settings->inner_limit;
}

// One projection by gradients, down to a gap. Returns 0 when numbers are not finite.
static int descend(staggered* s, ts_block_moving part, double target) {
    int most = s->q.steps + iterations_left(s);
    double floor_gap = rounding_gap(&s->q, part), gap = ts_apgd_gap(&s->q, part);
    target = fmax(target, floor_gap);
    while (gap > target && s->q.steps < most) gap = ts_apgd_step(&s->q);
    return !isnan(gap);
}

// One projection by Newton, down to a share of the problem. Returns 0 when numbers are not finite.
static int solve_part(staggered* s, ts_block_moving part, double target) {
    ts_natural_settings settings = {.goal = {target, 0.0},
                                    .newton_limit = iterations_left(s),
                                    .proximal_limit = iterations_left(s),
                                    .proximal = proximal,
                                    .sweeps = RECOVERY_SWEEPS,
                                    .moving = part};
    ts_natural_report report = ts_natural_solve(s->newton, &settings, s->q.x);
    // A projection that has nothing to do counts as well: rounds without end are to meet the limit.
    s->q.steps += report.newtons > 0 ? report.newtons : iterations_left(s) > 0;
    ts_apgd_refresh(&s->q);
    if (report.newtons > 0) ts_trace_note(&s->q.yardstick, s->q.steps, s->q.x);
    return report.status != TS_SOLVE_FAILED && isfinite(report.excess);
}

static int project(staggered* s, ts_block_moving part, double target) {
    ts_apgd_begin(&s->q, part);
    return s->newton ? solve_part(s, part, target) : descend(s, part, target);
}

// What a part of the whole still misses: a share of the problem, or by gradients a velocity.
static double part_gap(staggered* s, ts_block_moving part) {
    return s->newton ? ts_natural_error(s->newton, part, s->q.x) : ts_apgd_gap(&s->q, part);
}

// The larger of both: normals for the present friction, friction for the present normals.
static double whole_gap(staggered* s) { return fmax(part_gap(s, TS_MOVING_NORMAL), part_gap(s, s->friction)); }

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
    if (!project(s, TS_MOVING_NORMAL, target)) return (double)NAN;
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

// Whether a round moved against the one before: it swings. Far from the goal, what drifts is only slowed down by smaller steps.
static int has_turned(staggered* s) {
    double along = 0.0;
    for (int i = 0; i < s->q.problem->row_count; ++i) {
        double change = s->q.x[i] - s->start[i];
        along += change * s->change[i];
        s->change[i] = change;
        s->start[i] = s->q.x[i];
    }
    return along < 0.0;
}

// Whether only rounding is left of the best that was seen.
static int is_rounding(const staggered* s) { return s->q.excess * s->q.yardstick.goal.tolerance < rounding_share; }

// Rounds that brought nothing, one after another.
typedef struct drought {
    double least;   // excess that was seen
    double last;    // excess
    int fruitless;  // no tenth nearer than ever
    int slow;       // nor than after the round before
} drought;

// After a round. Returns 1 when it is the end.
static int is_enough(const staggered* s, double excess, drought* d) {
    d->fruitless = excess < better * d->least ? 0 : d->fruitless + 1;
    d->slow = excess < better * d->last ? 0 : d->slow + 1;
    d->last = excess;
    if (d->fruitless == 0) d->least = excess;
    if (s->settings->step_rule != STEP_SAFE) return 0;
    if (is_rounding(s) && d->slow >= ENOUGH_ROUNDING) return 1;
    return d->fruitless >= (d->least < near ? ENOUGH_NEAR : ENOUGH);
}

// What is asked of a projection: a part of what the whole misses by the projections' own measure. The law's excess there tells how far
// down the goal is.
static double part_target(const staggered* s, double gap, double excess) {
    return fmax(s->settings->inner, fmin(0.5, least_part / excess)) * gap;
}

static ts_solve_status iterate(staggered* s, ts_arena* scratch) {
    const ts_solver_settings* settings = &s->settings->shared;
    double excess = ts_apgd_look(&s->q);
    if (!isfinite(excess)) return TS_SOLVE_FAILED;
    if (excess <= 1.0) return TS_SOLVE_CONVERGED;
    const ts_contact_problem* problem = s->q.problem;
    if (s->settings->projection == PROJECT_FACTOR && (problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS))
        s->newton = ts_natural_make(problem, scratch);
    memset(s->change, 0, (size_t)problem->row_count * sizeof(double));
    memcpy(s->start, s->q.x, (size_t)problem->row_count * sizeof(double));
    double gap = whole_gap(s), last = HUGE_VAL, last_but_one = HUGE_VAL, theta = 1.0;
    drought rounds = {excess, excess, 0, 0};
    int idle = 0, swings = 0;
    while (s->q.steps < settings->iteration_limit) {
        double moved = stagger(s, part_target(s, gap, excess), theta);
        if (isnan(moved)) return TS_SOLVE_FAILED;
        excess = ts_apgd_look(&s->q);
        if (!isfinite(excess)) return TS_SOLVE_FAILED;
        if (excess <= 1.0) return TS_SOLVE_CONVERGED;
        if (moved <= settings->stall && s->q.steps < settings->iteration_limit) return TS_SOLVE_STALLED;
        if (is_enough(s, excess, &rounds)) return TS_SOLVE_STALLED;
        last_but_one = last;
        last = gap;
        gap = whole_gap(s);
        swings += has_turned(s);
        idle = gap > progress * last_but_one ? idle + 1 : 0;
        if (idle == 0) swings = 0;
        if (idle >= PATIENCE && (swings > 0 || rounds.least < near) && s->settings->step_rule == STEP_SAFE) {
            theta = fmax(least_theta, 0.5 * theta);
            idle = swings = 0;
        }
    }
    return TS_SOLVE_ITERATION_LIMIT;
}

static ts_solve_report solve(ts_contact_law law, const ts_contact_problem* problem, const staggered_settings* settings,
                             ts_arena* scratch, double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    staggered s = {.settings = settings, .friction = law == TS_LAW_NCP ? TS_MOVING_DISC : TS_MOVING_SQUARE};
    ts_yardstick yardstick;
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    if ((problem->delassus->ops->abilities & needs) != needs) return report;
    ts_goal goal = ts_solver_goal(&settings->shared);
    yardstick = ts_yardstick_make(problem, law, ts_least_norm_goal(goal, problem->row_count, settings->least_norm));
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    s.before = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    s.u_before = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    s.start = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    s.change = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double shrink = settings->step_rule == STEP_PAPER ? 0.9 : 0.98;
    if (s.before && s.u_before && s.start && s.change &&
        ts_apgd_init(&s.q, &yardstick, settings->block_steps, shrink, scratch, impulse)) {
        report.status = iterate(&s, scratch);
        report.iterations = s.q.steps;
    }
    yardstick.goal = goal;
    if (report.status == TS_SOLVE_CONVERGED) ts_least_norm(&yardstick, settings->least_norm, scratch, impulse);
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
    .summary = "staggered projections on the exact law, normals and friction in turn",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve_exact,
    TS_SOLVER_SETTINGS(defaults, setting),
};

const ts_solver ts_lcp_staggered_solver = {
    .name = "lcp-staggered",
    .law = TS_LAW_LCP,
    .summary = "staggered projections on the boxed LCP, normals and friction in turn",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve_pyramid,
    TS_SOLVER_SETTINGS(defaults, setting),
};
