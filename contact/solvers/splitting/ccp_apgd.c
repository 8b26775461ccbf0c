// CCP-APGD: Nesterov's accelerated projected gradient on the relaxed problem.
//
// Problem: min 1/2 lambda^T (G + R) lambda + g^T lambda over the cones: the convex relaxation of Coulomb's law.
// Rule: apgd.c on all rows. The law's residual is looked at when the projected gradient has come down as far as the
// residual has to, and every LOOK_INTERVAL iterations; the best impulse seen is what is returned.
// Source: Mazhar, Heyn, Negrut and Tasora, "Using Nesterov's method to accelerate multibody dynamics with friction and
// contact", 2015; steps of every block's own stiffness are ours.
// Guaranteed: converges for every symmetric G >= 0 that has a solution; converged means the law's residual.
// Known to fail: slow on stacks of very unequal masses; what slides lifts off, as the relaxation has it.
#include <math.h>

#include "contact/solver.h"
#include "contact/solvers/splitting/apgd_internal.h"

enum { LOOK_INTERVAL = 16 };

// How steps are chosen.
enum {
    STEP_SAFE,  // each block by its own stiffness, L falls slowly
    STEP_PAPER  // as published: one step for all, L falls by a tenth per iteration
};

typedef struct ccp_apgd_settings {
    ts_solver_settings shared;  // an iteration is a gradient step: one product with the operator, now and then two
    int step_rule;              // STEP_SAFE or STEP_PAPER
} ccp_apgd_settings;

static const ts_setting setting[] = {
    TS_SETTING_WHOLE(ccp_apgd_settings, step_rule, 0.0, 1.0, "0 steps by each block's stiffness, 1 as published"),
};

static const ccp_apgd_settings defaults = {.shared = {1e-8, 1e-15, 1000, 0.0}, .step_rule = STEP_SAFE};

// Whether x has stopped moving; `next` holds the iterate before it.
static int has_stalled(const ts_apgd* q, double stall) {
    double largest = 0.0, moved = 0.0;
    for (int i = 0; i < q->problem->row_count; ++i) {
        largest = fmax(largest, fabs(q->x[i]));
        moved = fmax(moved, fabs(q->x[i] - q->next[i]));
    }
    return moved <= stall * largest;
}

static ts_solve_status iterate(ts_apgd* q, const ts_solver_settings* settings) {
    double excess = ts_apgd_look(q), gate = ts_yardstick_gate(&q->yardstick);
    if (!isfinite(excess)) return TS_SOLVE_FAILED;
    if (excess <= 1.0) return TS_SOLVE_CONVERGED;
    int next_look = LOOK_INTERVAL;
    while (q->steps < settings->iteration_limit) {
        double gap = ts_apgd_step(q);
        if (isnan(gap)) return TS_SOLVE_FAILED;
        int last = q->steps >= settings->iteration_limit;
        if (gap > gate && q->steps < next_look && !last) continue;
        next_look = q->steps + LOOK_INTERVAL;
        excess = ts_apgd_look(q);
        if (excess <= 1.0) return TS_SOLVE_CONVERGED;
        if (has_stalled(q, settings->stall)) return TS_SOLVE_STALLED;
        gate = gap / excess;
    }
    return TS_SOLVE_ITERATION_LIMIT;
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const ccp_apgd_settings* s = (const ccp_apgd_settings*)settings;
    ts_solve_report report = ts_solve_not_begun;
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    if ((problem->delassus->ops->abilities & needs) != needs) return report;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int paper = s->step_rule == STEP_PAPER;
    ts_yardstick yardstick = ts_yardstick_make(problem, TS_LAW_CCP, ts_solver_goal(&s->shared));
    ts_apgd q;
    if (ts_apgd_init(&q, &yardstick, !paper, paper ? 0.9 : 0.98, scratch, impulse)) {
        report.status = iterate(&q, &s->shared);
        report.iterations = q.steps;
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

const ts_solver ts_ccp_apgd_solver = {
    .name = "ccp-apgd",
    .law = TS_LAW_CCP,
    .gradients = 1,
    .summary = "Nesterov's projected gradient on the convex relaxation, matrix-free",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
};
