// NCP-Newton: the natural map's Newton method as a solver of its own.
//
// Problem, rule, source: natural_newton.c. Started from the impulse as given; with a small proximal weight the first
// steps are those of smallest norm from there, so a cold start ends with no internal forces where contacts rest in the
// interior of their cones.
// Guaranteed: what is reported as converged meets the law; quadratic convergence near regular solutions.
// Known to fail: far from a solution on large hyperstatic problems it needs the sweeps in between, and may stall; a
// contact problem whose Jacobian would not fit is refused as failed.
#include "contact/solvers/newton/ncp_newton.h"

#include <float.h>
#include <stddef.h>

#include "contact/solvers/newton/natural_newton_internal.h"

static const ts_setting setting[] = {
    {"tolerance", "own residual in force units that counts as converged", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_newton_settings, shared.tolerance), 0.0, DBL_MAX},
    {"stall", "not used: a stall is many proximal steps without progress", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_newton_settings, shared.stall), 0.0, 1.0},
    {"iteration_limit", "most linear systems", TS_SETTING_INT, offsetof(ts_ncp_newton_settings, shared.iteration_limit),
     0.0, 1e9},
    {"natural", "largest natural map that counts as converged, beside the tolerance", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_newton_settings, natural), 0.0, DBL_MAX},
    {"proximal", "first weight of the proximal term, relative to a contact's stiffness", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_newton_settings, proximal), 1e-14, 1.0},
    {"sweeps", "Gauss-Seidel sweeps after a step that Newton could not make", TS_SETTING_INT,
     offsetof(ts_ncp_newton_settings, sweeps), 0.0, 1000.0},
};

ts_ncp_newton_settings ts_ncp_newton_settings_default(void) {
    ts_ncp_newton_settings settings = {
        .shared = ts_solver_settings_default(), .natural = 1e-10, .proximal = 1e-6, .sweeps = 5};
    settings.shared.iteration_limit = 500;
    return settings;
}

static void settings_default(void* out_settings) {
    *(ts_ncp_newton_settings*)out_settings = ts_ncp_newton_settings_default();
}

static unsigned long scratch_bytes(const ts_contact_problem* problem, const void* settings) {
    (void)settings;
    return ts_natural_scratch_bytes(problem);
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const ts_ncp_newton_settings* s = (const ts_ncp_newton_settings*)settings;
    ts_natural_settings natural = {s->shared.tolerance,       s->natural,  s->shared.iteration_limit,
                                   s->shared.iteration_limit, s->proximal, s->sweeps};
    ts_natural_report report = ts_natural_newton(problem, &natural, scratch, impulse);
    ts_solve_report out = {report.status, report.newtons, report.own};
    return out;
}

const ts_solver ts_ncp_newton_solver = {
    .name = "ncp-newton",
    .law = TS_LAW_NCP,
    .summary = "semi-smooth Newton on the exact law's natural map, with proximal steps",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_ncp_newton_settings),
    .settings_default = settings_default,
    .setting = setting,
    .setting_count = sizeof(setting) / sizeof(setting[0]),
    .scratch_bytes = scratch_bytes,
    .solve = solve,
};
