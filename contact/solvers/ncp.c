// NCP: a hybrid that sees when it stalls.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule: a few sweeps of exact one-contact solves (ncp_nsgs.c). The fall of the residual over the last sweeps tells how
// many more would be needed; while that is cheaper than a linear system, sweep on. Else Newton on the natural map with
// proximal steps (natural_newton.c), which closes the rest in a handful of linear systems whatever the mass ratios. If
// Newton stalls: alternating directions from rest (admm.c); Newton with a larger proximal weight; an interior point
// method on the convex relaxation (interior.c), which jams need; smooth paths (homotopy.c), which strong friction needs;
// the interior point method on the law itself; many more alternating directions; Newton from other starts; each with
// Newton from where it ends. If its matrix would be too large, sweeps to the limit. What was reached is reported.
// Source: hybrids of this kind: Acary, Bremond and Huber 2018 (NSN-AC after NSGS). The switch is ours.
// Guaranteed: the answer is admissible and finite; converged means the law's residual, recomputed. Between the stages the
// better point is kept.
// Known to fail: where friction is so strong that no solution exists, or none that the local search can find.
#include "contact/solvers/ncp.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "contact/solvers/homotopy_internal.h"
#include "contact/solvers/interior_internal.h"
#include "contact/solvers/natural_newton_internal.h"
#include "contact/solvers/ncp_admm.h"
#include "contact/solvers/ncp_nsgs.h"
#include "contact/solvers/scaled_internal.h"

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
    {"restarts", "Newton's other starts before the answer is given as it is", TS_SETTING_INT,
     offsetof(ts_ncp_settings, restarts), 0.0, 1e6},
    {"proximal", "first weight of Newton's proximal term, relative to a contact's stiffness", TS_SETTING_DOUBLE,
     offsetof(ts_ncp_settings, proximal), 1e-14, 1.0},
};

// Steps of alternating directions; linear systems of the interior point method, of Newton after it, of one restart.
enum {
    FIRST_ALTERNATE_LIMIT = 1000,
    LAST_ALTERNATE_LIMIT = 10000,
    INTERIOR_LIMIT = 60,
    PATH_LIMIT = 2500,
    PATHS = 3,
    NEWTON_LIMIT = 300,
    RESTART_LIMIT = 120,
    RECOVERY_SWEEPS = 5
};

// See systems_worth.
enum { FEWEST_SYSTEMS = 50, ROW_SYSTEMS = 1000000, FEWEST_STEPS = 200, ROW_STEPS = 20000000, ROW_SWEEPS = 300000000 };

// Any number; fixed, so that the same problem meets the same starts.
#define RESTART_SEED UINT64_C(20240611)

// Newton after the interior point method starts close, and with an impulse that should not be dragged back.
#define POLISH_PROXIMAL 1e-6

// Parameter of a path where Newton takes over; the natural map is then a few times that.
#define PATH_END 1e-9

// More than any residual in units of its tolerance.
#define NATURAL_FIRST 1e30

ts_ncp_settings ts_ncp_settings_default(void) {
    ts_ncp_settings settings = {
        .shared = ts_solver_settings_default(), .natural = 1e-10, .first_sweeps = 4, .restarts = 24, .proximal = 1e-3};
    settings.shared.iteration_limit = 100000;
    return settings;
}

static void settings_default(void* out_settings) { *(ts_ncp_settings*)out_settings = ts_ncp_settings_default(); }

static unsigned long scratch_bytes(const ts_contact_problem* problem, const void* settings) {
    ts_ncp_nsgs_settings nsgs = ts_ncp_nsgs_settings_default();
    (void)settings;
    ts_admm_settings admm = ts_ncp_admm_settings_default();
    return ts_natural_scratch_bytes(problem) + ts_homotopy_scratch_bytes(problem) +
           ts_ncp_admm_solver.scratch_bytes(problem, &admm) + ts_ncp_nsgs_solver.scratch_bytes(problem, &nsgs) +
           ((unsigned long)problem->row_count + 16) * sizeof(double);
}

// One solve in progress.
typedef struct hybrid {
    const ts_contact_problem* problem;
    const ts_ncp_settings* settings;
    ts_arena* scratch;
    double* impulse;
    ts_solve_report report;  // of `impulse`
    double natural;          // natural map at `impulse`, see ts_scaled_measure
    double rest;             // ts_scaled_rest_impulse
} hybrid;

static double residual_of(const hybrid* h) {
    return ts_law_residual_in_force_units(h->report.own, h->problem->time_step);
}

// How far `impulse` is from what is asked, for comparisons: the natural map counts first, because it does not depend on
// how large the internal forces are; converged is 1 or less.
static double badness(const hybrid* h) {
    double natural = h->natural / h->settings->natural;
    return natural > 1.0 ? NATURAL_FIRST * natural : fmax(residual_of(h) / h->settings->shared.tolerance, natural);
}

// Nonzero when the natural map is met, though the law's residual in force units may not be: jams with large internal
// forces end here, because rounding alone exceeds an absolute tolerance.
static int is_met(const hybrid* h) { return h->natural <= h->settings->natural; }

static int is_over(const hybrid* h) {
    return h->report.status == TS_SOLVE_CONVERGED || h->report.iterations >= h->settings->shared.iteration_limit;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int iterations_left(const hybrid* h) { return h->settings->shared.iteration_limit - h->report.iterations; }

// The report of another solver for the present impulse.
static void take(hybrid* h, ts_solve_report report) {
    report.iterations += h->report.iterations;
    h->report = report;
    // A small product of impulse and velocity can hide a large error in one of them; the natural map cannot.
    ts_residual residual;
    ts_residual_evaluate(h->problem, h->impulse, h->scratch, NULL, &residual);
    h->natural = ts_scaled_measure(h->problem, h->impulse, residual.natural, h->rest);
    if (h->report.status == TS_SOLVE_CONVERGED && !(h->natural <= h->settings->natural))
        h->report.status = TS_SOLVE_ITERATION_LIMIT;
}

// At most `count` sweeps from the present impulse.
static void sweep(hybrid* h, int count) {
    ts_ncp_nsgs_settings settings = ts_ncp_nsgs_settings_default();
    settings.shared = h->settings->shared;
    settings.shared.iteration_limit = smaller(count, iterations_left(h));
    take(h, ts_ncp_nsgs_solver.solve(h->problem, &settings, h->scratch, h->impulse));
}

// How many more sweeps the last ones promise to need; large when they promise nothing.
static double sweeps_to_go(const hybrid* h, double before, int sweeps) {
    double now = badness(h);
    if (!(now < 0.9 * before) || sweeps < 1) return HUGE_VAL;
    return log(fmax(now, 1.0)) / (log(before / now) / sweeps);
}

// Newton from the present impulse; keeps the better of before and after. Returns 0 when it could not be run.
static int newton(hybrid* h, double proximal, int limit) {
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t bytes = (size_t)h->problem->row_count * sizeof(double);
    double* start = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    ts_natural_report report = {.status = TS_SOLVE_FAILED};
    if (start) {
        hybrid after = *h;
        memcpy(start, h->impulse, bytes);
        ts_natural_settings settings = {.tolerance = h->settings->shared.tolerance,
                                        .natural = h->settings->natural,
                                        .newton_limit = smaller(limit, iterations_left(h)),
                                        .proximal_limit = limit,
                                        .proximal = proximal,
                                        .sweeps = RECOVERY_SWEEPS};
        report = ts_natural_newton(h->problem, &settings, h->scratch, h->impulse);
        h->report.iterations += report.newtons + report.sweeps;
        after.report.own = report.own;
        after.natural = report.natural;
        if (report.status != TS_SOLVE_FAILED && (report.status == TS_SOLVE_CONVERGED || badness(&after) < badness(h))) {
            h->report.status = report.status;
            h->report.own = report.own;
            h->natural = report.natural;
        } else {
            memcpy(h->impulse, start, bytes);
        }
    }
    ts_arena_scope_end(h->scratch, scope);
    return report.status != TS_SOLVE_FAILED;
}

// How many linear systems, or steps of alternating directions, may be spent in one go: fewer where each one is dear, so
// that nobody waits hours for an island of thousands. Newton itself needs no more than some dozens where it works.
static int systems_worth(const hybrid* h, int most) {
    return smaller(most, FEWEST_SYSTEMS + ROW_SYSTEMS / h->problem->row_count);
}

static int steps_worth(const hybrid* h, int most) {
    return smaller(most, FEWEST_STEPS + ROW_STEPS / h->problem->row_count);
}

// The cheap part: sweeps for as long as they promise to end soon.
static void begin(hybrid* h) {
    int first = h->settings->first_sweeps;
    // A linear system of an island costs about as much as this many sweeps over it.
    double worth = 8.0 + 0.25 * h->problem->block_count;
    sweep(h, first);
    while (!is_over(h) && h->report.status != TS_SOLVE_FAILED) {
        double before = badness(h);
        sweep(h, first);
        if (is_over(h) || sweeps_to_go(h, before, first) > worth) return;
    }
}

// How alternating directions choose their penalty. Which choice gets round a kink cannot be told beforehand; one of these
// did in all our trials.
typedef struct flavour {
    double balance;
    ts_admm_scaling scaling;
    ts_admm_step_rule rule;
} flavour;

enum { FLAVOURS = 5 };

static const flavour flavours[FLAVOURS] = {
    {0.02, TS_ADMM_SCALING_NONE, TS_ADMM_STEP_SAFE},  {1.0, TS_ADMM_SCALING_NONE, TS_ADMM_STEP_SAFE},
    {10.0, TS_ADMM_SCALING_BLOCK, TS_ADMM_STEP_SAFE}, {100.0, TS_ADMM_SCALING_NONE, TS_ADMM_STEP_SAFE},
    {1.0, TS_ADMM_SCALING_NONE, TS_ADMM_STEP_PAPER},
};

// A way to look for the answer from somewhere else: leaves what it finds in the impulse, with own residual and natural map
// in `h`, and Newton polishes that. Returns 0 when there is nothing to polish. `which` of its kind, `limit` of its steps.
typedef int (*way)(hybrid* h, int which, int limit);

// Alternating directions from rest. They go round the kinks that hold Newton's descent up.
static int alternate(hybrid* h, int which, int limit) {
    const flavour* how = &flavours[which];
    memset(h->impulse, 0, (size_t)h->problem->row_count * sizeof(double));
    ts_admm_settings settings = ts_ncp_admm_settings_default();
    settings.shared = h->settings->shared;
    settings.shared.iteration_limit = limit;
    settings.natural = h->settings->natural;
    settings.balance = how->balance;
    settings.scaling = how->scaling;
    settings.step_rule = how->rule;
    ts_solve_report report = ts_ncp_admm_solver.solve(h->problem, &settings, h->scratch, h->impulse);
    take(h, report);
    return report.status != TS_SOLVE_FAILED;
}

// The interior point method from its own start.
static int interior(hybrid* h, int relaxed, int limit) {
    ts_interior_settings settings = {0.1 * h->settings->natural, limit, relaxed};
    ts_interior_report report = ts_interior_solve(h->problem, &settings, h->scratch, h->impulse);
    h->report.iterations += report.iterations;
    h->report.own = report.own;
    h->natural = report.natural;
    return report.ran;
}

// A path from a problem whose answer is known. The first one hurries, the others take care not to miss a bend.
static int follow(hybrid* h, int which, int limit) {
    ts_homotopy_settings settings = {PATH_END, limit, (unsigned long)which, which == 0 ? 0.03 : 0.01,
                                     which == 0 ? 0.5 : 0.8};
    ts_homotopy_report report = ts_homotopy_solve(h->problem, &settings, h->scratch, h->impulse);
    h->report.iterations += report.systems;
    h->report.own = report.own;
    h->natural = report.natural;
    return report.ran;
}

// Tries a way unless the answer is there, with Newton from where it ends; keeps the better of before and after.
static void attempt(hybrid* h, way find, int which, int limit) {
    if (is_over(h) || is_met(h)) return;
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t bytes = (size_t)h->problem->row_count * sizeof(double);
    double* before = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    if (before) {
        hybrid start = *h;
        memcpy(before, h->impulse, bytes);
        int found = find(h, which, smaller(limit, iterations_left(h)));
        if (found && !is_over(h)) newton(h, POLISH_PROXIMAL, systems_worth(h, NEWTON_LIMIT));
        if (!found || (h->report.status != TS_SOLVE_CONVERGED && !(badness(h) < badness(&start)))) {
            memcpy(h->impulse, before, bytes);
            start.report.iterations = h->report.iterations;
            *h = start;
        }
    }
    ts_arena_scope_end(h->scratch, scope);
}

// A size for impulses to start from: the largest so far, or what would stop the fastest approach.
static double typical_impulse(const hybrid* h) {
    const ts_contact_problem* problem = h->problem;
    double largest = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        for (int r = 0; r < block->rows; ++r) {
            double own = D[r * block->rows + r];
            if (own > 0.0) largest = fmax(largest, fabs(problem->g[block->row + r]) / own);
            largest = fmax(largest, fabs(h->impulse[block->row + r]));
        }
    }
    return largest;
}

// Newton from somewhere else: the same places in every run. On jammed problems a start with internal forces of the right
// size is found in a few tries where no path from rest leads.
static void restart(hybrid* h) {
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t rows = (size_t)h->problem->row_count;
    double* best = TS_ARENA_ARRAY(h->scratch, double, rows);
    double size = typical_impulse(h);
    for (int k = 0; best && k < h->settings->restarts && !is_over(h) && !is_met(h); ++k) {
        ts_rng rng = ts_rng_make(RESTART_SEED, (uint64_t)k);
        hybrid before = *h;
        memcpy(best, h->impulse, rows * sizeof(double));
        double exponent = ts_rng_uniform_in(&rng, -3.0, 1.0), proximal = ts_rng_uniform_in(&rng, -8.0, -1.0);
        for (size_t i = 0; i < rows; ++i) h->impulse[i] = size * pow(10.0, exponent) * ts_rng_normal(&rng);
        for (int b = 0; b < h->problem->block_count; ++b) {
            const ts_block* block = &h->problem->block[b];
            if (block->set != TS_SET_CONE && block->set != TS_SET_HALF_LINE) continue;
            double* normal = &h->impulse[block->row + (block->set == TS_SET_CONE ? 2 : 0)];
            *normal = fabs(*normal);
        }
        h->natural = HUGE_VAL;  // of a start that is not to be kept
        newton(h, pow(10.0, proximal), systems_worth(h, RESTART_LIMIT));
        if (h->report.status != TS_SOLVE_CONVERGED && !(badness(h) < badness(&before))) {
            memcpy(h->impulse, best, rows * sizeof(double));
            before.report.iterations = h->report.iterations;
            *h = before;
        }
    }
    ts_arena_scope_end(h->scratch, scope);
}

// h.impulse writes through `impulse`.
static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {  // NOLINT(readability-non-const-parameter)
    hybrid h = {problem,  (const ts_ncp_settings*)settings, scratch, impulse, {TS_SOLVE_FAILED, 0, {0.0, 0.0, 0.0}},
                HUGE_VAL, ts_scaled_rest_impulse(problem)};
    begin(&h);
    if (is_over(&h) || h.report.status == TS_SOLVE_FAILED) return h.report;
    if (!newton(&h, h.settings->proximal, NEWTON_LIMIT)) {
        sweep(&h, smaller(h.settings->shared.iteration_limit, 1000 + ROW_SWEEPS / problem->row_count));
        return h.report;
    }
    attempt(&h, alternate, 1, steps_worth(&h, FIRST_ALTERNATE_LIMIT));
    if (!is_over(&h) && !is_met(&h))
        newton(&h, fmin(10.0 * h.settings->proximal, 1.0), systems_worth(&h, NEWTON_LIMIT));
    attempt(&h, interior, 1, INTERIOR_LIMIT);
    for (int path = 0; path < PATHS; ++path) attempt(&h, follow, path, systems_worth(&h, PATH_LIMIT));
    attempt(&h, interior, 0, INTERIOR_LIMIT);
    for (int i = 0; i < FLAVOURS; ++i) attempt(&h, alternate, i, steps_worth(&h, LAST_ALTERNATE_LIMIT));
    if (!is_over(&h) && !is_met(&h)) restart(&h);
    if (h.report.status != TS_SOLVE_CONVERGED && h.report.iterations < h.settings->shared.iteration_limit)
        h.report.status = TS_SOLVE_STALLED;
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
