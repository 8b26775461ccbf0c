// NCP: a hybrid that sees when it stalls.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule: a few sweeps of exact one-contact solves (ncp_nsgs.c). The fall of the residual over the last sweeps tells how
// many more would be needed; while that is cheaper than a linear system, sweep on. Else Newton on the natural map with
// proximal steps (natural_newton.c), which closes the rest in a handful of linear systems whatever the mass ratios. If
// Newton stalls or its matrix would be too large, sweeps again from the best point, then Newton once more with a larger
// proximal weight; then what was reached is reported.
// Source: hybrids of this kind: Acary, Bremond and Huber 2018 (NSN-AC after NSGS). The switch is ours.
// Guaranteed: the answer is admissible and finite; converged means the law's residual, recomputed. Between the stages the
// better point is kept.
// Known to fail: where friction is so strong that no solution exists, or none that the local search can find.
#include "contact/solvers/ncp.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "contact/solvers/natural_newton_internal.h"
#include "contact/solvers/ncp_nsgs.h"

static const ts_setting setting[] = {
    {"tolerance", "own residual in force units that counts as converged", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_settings, shared.tolerance), 0.0, DBL_MAX},
    {"stall", "relative change per sweep under which the sweeps have stalled", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_settings, shared.stall), 0.0, 1.0},
    {"iteration_limit", "most sweeps and linear systems", TS_SETTING_INT,
     offsetof(ts_ncp_settings, shared.iteration_limit), 0.0, 1e9},
    {"natural", "largest natural map that counts as converged, beside the tolerance", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_settings, natural), 0.0, DBL_MAX},
    {"first_sweeps", "Gauss-Seidel sweeps before it is judged whether they will do", TS_SETTING_INT,
     offsetof(ts_ncp_settings, first_sweeps), 1.0, 1e6},
    {"proximal", "first weight of Newton's proximal term, relative to a contact's stiffness", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_settings, proximal), 1e-14, 1.0},
};

// Rounds of sweeps and Newton before the answer is given as it is.
enum { ROUNDS = 3, LATER_SWEEPS = 100 };

ts_ncp_settings ts_ncp_settings_default(void) {
    ts_ncp_settings settings = {
        .shared = ts_solver_settings_default(), .natural = 1e-9, .first_sweeps = 4, .proximal = 1e-3};
    settings.shared.iteration_limit = 2000;
    return settings;
}

static void settings_default(void* out_settings) { *(ts_ncp_settings*)out_settings = ts_ncp_settings_default(); }

static unsigned long scratch_bytes(const ts_contact_problem* problem, const void* settings) {
    ts_ncp_nsgs_settings nsgs = ts_ncp_nsgs_settings_default();
    (void)settings;
    return ts_natural_scratch_bytes(problem) + ts_ncp_nsgs_solver.scratch_bytes(problem, &nsgs) +
           ((unsigned long)problem->row_count + 16) * sizeof(double);
}

// One solve in progress.
typedef struct hybrid {
    const ts_contact_problem* problem;
    const ts_ncp_settings* settings;
    ts_arena* scratch;
    double* impulse;
    ts_solve_report report;  // of `impulse`
} hybrid;

static double residual_of(const hybrid* h) {
    return ts_law_residual_in_force_units(h->report.own, h->problem->time_step);
}

static int is_over(const hybrid* h) {
    return h->report.status == TS_SOLVE_CONVERGED || h->report.iterations >= h->settings->shared.iteration_limit;
}

static int smaller(int a, int b) { return a < b ? a : b; }

// At most `count` sweeps from the present impulse.
static void sweep(hybrid* h, int count) {
    ts_ncp_nsgs_settings settings = ts_ncp_nsgs_settings_default();
    settings.shared = h->settings->shared;
    settings.shared.iteration_limit = smaller(count, h->settings->shared.iteration_limit - h->report.iterations);
    int before = h->report.iterations;
    h->report = ts_ncp_nsgs_solver.solve(h->problem, &settings, h->scratch, h->impulse);
    h->report.iterations += before;
    if (h->report.status != TS_SOLVE_CONVERGED) return;
    // A small product of impulse and velocity can hide a large error in one of them; the natural map cannot.
    ts_residual residual;
    ts_residual_evaluate(h->problem, h->impulse, h->scratch, NULL, &residual);
    if (!(residual.natural <= h->settings->natural)) h->report.status = TS_SOLVE_ITERATION_LIMIT;
}

// How many more sweeps the last ones promise to need; large when they promise nothing.
static double sweeps_to_go(const hybrid* h, double before, int sweeps) {
    double now = residual_of(h);
    if (!(now < 0.9 * before) || sweeps < 1) return HUGE_VAL;
    double rate = log(now / before) / sweeps;
    return log(h->settings->shared.tolerance / now) / rate;
}

// Newton from the present impulse; keeps the better of before and after. Returns 0 when it could not be run.
static int newton(hybrid* h, double proximal) {
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    double* start = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    ts_natural_report report = {.status = TS_SOLVE_FAILED};
    if (start) {
        memcpy(start, h->impulse, (size_t)h->problem->row_count * sizeof(double));
        ts_natural_settings settings = {h->settings->shared.tolerance,
                                        h->settings->natural,
                                        h->settings->shared.iteration_limit - h->report.iterations,
                                        h->settings->shared.iteration_limit,
                                        proximal,
                                        5};
        report = ts_natural_newton(h->problem, &settings, h->scratch, h->impulse);
        h->report.iterations += report.newtons + report.sweeps;
        double now = ts_law_residual_in_force_units(report.own, h->problem->time_step);
        if (report.status == TS_SOLVE_CONVERGED || (report.status != TS_SOLVE_FAILED && now < residual_of(h))) {
            h->report.status = report.status;
            h->report.own = report.own;
        } else {
            memcpy(h->impulse, start, (size_t)h->problem->row_count * sizeof(double));
        }
    }
    ts_arena_scope_end(h->scratch, scope);
    return report.status != TS_SOLVE_FAILED;
}

// The cheap part: sweeps for as long as they promise to end soon.
static void begin(hybrid* h) {
    int first = h->settings->first_sweeps;
    // A linear system of an island costs about as much as this many sweeps over it.
    double worth = 8.0 + 0.25 * h->problem->block_count;
    sweep(h, first);
    while (!is_over(h) && h->report.status != TS_SOLVE_FAILED) {
        double before = residual_of(h);
        sweep(h, first);
        if (is_over(h) || sweeps_to_go(h, before, first) > worth) return;
    }
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    hybrid h = {problem, (const ts_ncp_settings*)settings, scratch, impulse, {TS_SOLVE_FAILED, 0, {0.0, 0.0, 0.0}}};
    begin(&h);
    double proximal = h.settings->proximal;
    for (int round = 0; round < ROUNDS && !is_over(&h) && h.report.status != TS_SOLVE_FAILED; ++round) {
        if (!newton(&h, proximal)) {
            sweep(&h, h.settings->shared.iteration_limit);
            break;
        }
        if (is_over(&h)) break;
        double before = residual_of(&h);
        sweep(&h, LATER_SWEEPS);
        // Sweeps that go well are left to go on.
        while (!is_over(&h) && residual_of(&h) < 0.5 * before) {
            before = residual_of(&h);
            sweep(&h, LATER_SWEEPS);
        }
        proximal = fmin(10.0 * proximal, 1.0);
    }
    return h.report;
}

const ts_solver ts_ncp_solver = {
    .name = "ncp",
    .law = TS_LAW_NCP,
    .summary = "the one to use: sweeps on the exact law, Newton when they stall",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_ncp_settings),
    .settings_default = settings_default,
    .setting = setting,
    .setting_count = sizeof(setting) / sizeof(setting[0]),
    .scratch_bytes = scratch_bytes,
    .solve = solve,
};
