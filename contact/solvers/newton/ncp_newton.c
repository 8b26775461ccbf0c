// NCP-Newton: the natural map's Newton method as a solver of its own.
//
// Problem, rule, source: natural_newton.c. Started from the impulse as given; with a small proximal weight the first
// steps are those of smallest norm from there, so a cold start ends with no internal forces where contacts rest in the
// interior of their cones.
// Guaranteed: what is reported as converged meets the law; quadratic convergence near regular solutions.
// Known to fail: far from a solution on large hyperstatic problems it needs the sweeps in between, and may stall; a
// contact problem whose Jacobian would not fit is refused as failed.
#include <float.h>

#include "contact/least_norm_internal.h"
#include "contact/solvers/newton/natural_newton_internal.h"

typedef struct ncp_newton_settings {
    ts_solver_settings shared;  // an iteration is one linear system; a stall is many proximal steps without progress
    double proximal;            // first weight of the proximal term, relative to a contact's stiffness
    int sweeps;                 // Gauss-Seidel sweeps after a step that Newton could not make
    int least_norm;             // rows up to which internal forces are taken out, contact/least_norm_internal.h
} ncp_newton_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(ncp_newton_settings, proximal, 1e-14, 1.0,
                    "first weight of the proximal term, relative to a contact's stiffness"),
    TS_SETTING_WHOLE(ncp_newton_settings, sweeps, 0.0, 1000.0,
                     "Gauss-Seidel sweeps after a step that Newton could not make"),
    TS_SETTING_WHOLE(ncp_newton_settings, least_norm, 0.0, 1000.0,
                     "rows up to which forces that move nothing are taken out of the answer; 0: never"),
};

static const ncp_newton_settings defaults = {
    .shared = {1e-8, 1e-12, 500, 0.0}, .proximal = 1e-6, .sweeps = 5, .least_norm = 0};

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const ncp_newton_settings* s = (const ncp_newton_settings*)settings;
    ts_goal goal = ts_solver_goal(&s->shared);
    ts_natural_settings natural = {.goal = ts_least_norm_goal(goal, problem->row_count, s->least_norm),
                                   .newton_limit = s->shared.iteration_limit,
                                   .proximal_limit = s->shared.iteration_limit,
                                   .proximal = s->proximal,
                                   .sweeps = s->sweeps};
    ts_natural_report report = ts_natural_newton(problem, &natural, scratch, impulse);
    ts_solve_report out = {.status = report.status, .iterations = report.newtons};
    if (report.status == TS_SOLVE_CONVERGED) {
        ts_yardstick yardstick = ts_yardstick_make(problem, TS_LAW_NCP, goal);
        ts_least_norm(&yardstick, s->least_norm, scratch, impulse);
    }
    return out;
}

const ts_solver ts_ncp_newton_solver = {
    .name = "ncp-newton",
    .law = TS_LAW_NCP,
    .summary = "semi-smooth Newton on the exact law's natural map, with proximal steps",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
};
