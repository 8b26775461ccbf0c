// NCP: a hybrid that sees when it stalls.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule: a few sweeps of exact one-contact solves (ncp_nsgs.c). The fall of the residual over the last sweeps tells how
// many more would be needed; while that is cheaper than a linear system, sweep on. On islands of a thousand blocks and
// more a few steps of alternating directions (admm.c) come next. Else Newton on the natural map with
// proximal steps (natural_newton.c), which closes the rest in a handful of linear systems whatever the mass ratios. If
// Newton stalls: short smooth paths from beside where it did (homotopy.c), two of three problems need but one;
// alternating directions from rest (admm.c); an interior point method on the convex relaxation (interior.c), which jams
// need; a long path; more short ones; more alternating directions; Newton from other starts. Each ends with Newton, and
// where that stalls again, with short paths from there. All that is cut off after a given number of multiplications. If
// the matrix would be too large, sweeps to the limit. What was reached is reported.
// Source: hybrids of this kind: Acary, Bremond and Huber 2018 (NSN-AC after NSGS). The switch is ours.
// Guaranteed: the answer is admissible and finite; converged means the law's residual, recomputed. Between the stages the
// better point is kept.
// Known to fail: where friction is so strong that no solution exists, or none that the local search can find.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/solver.h"
#include "contact/solvers/newton/homotopy_internal.h"
#include "contact/solvers/newton/interior_internal.h"
#include "contact/solvers/newton/natural_newton_internal.h"
#include "contact/solvers/splitting/admm_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/solvers/newton/scaled_internal.h"

// An iteration is a sweep, a linear system or a step of alternating directions.
typedef struct ts_ncp_settings {
    ts_solver_settings shared;
    double natural;    // largest natural map (dimensionless) that counts as converged, beside the tolerance
    int first_sweeps;  // Gauss-Seidel sweeps before it is judged whether they will do
    int restarts;      // other starts of Newton before the answer is given as it is
    double proximal;   // first weight of Newton's proximal term, relative to a contact's stiffness
} ts_ncp_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(ts_ncp_settings, natural, 0.0, DBL_MAX,
                    "largest natural map that counts as converged, beside the tolerance"),
    TS_SETTING_WHOLE(ts_ncp_settings, first_sweeps, 1.0, 1e6,
                     "Gauss-Seidel sweeps before it is judged whether they will do"),
    TS_SETTING_WHOLE(ts_ncp_settings, restarts, 0.0, 1e6, "Newton's other starts before the answer is given as it is"),
    TS_SETTING_REAL(ts_ncp_settings, proximal, 1e-14, 1.0,
                    "first weight of Newton's proximal term, relative to a contact's stiffness"),
};

static const ts_ncp_settings defaults = {
    .shared = {1e-8, 1e-12, 100000}, .natural = 1e-10, .first_sweeps = 4, .restarts = 24, .proximal = 1e-3};

// Steps of alternating directions; linear systems of the interior point method, of Newton after it, of one restart, of a
// path.
enum {
    FIRST_ALTERNATE_LIMIT = 1000,
    LAST_ALTERNATE_LIMIT = 3000,
    INTERIOR_LIMIT = 60,
    PATH_LIMIT = 2000,
    NEIGHBOUR_LIMIT = 500,
    NEWTON_LIMIT = 300,
    RESTART_LIMIT = 120,
    RECOVERY_SWEEPS = 5
};

// Multiplications in the factors of all paths and of Newton after them: some seconds. No path may take more than a part.
#define WORK_LIMIT 1e11
#define WORK_SHARE 0.25

// See systems_worth.
enum { FEWEST_SYSTEMS = 50, ROW_SYSTEMS = 1000000, FEWEST_STEPS = 200, ROW_STEPS = 20000000, ROW_SWEEPS = 300000000 };

// Kinds of short paths; how many are tried from where another way has ended.
enum { NEIGHBOURS = 6, EXPLORED = 2 };

// Blocks of an island that counts as large, and the steps of alternating directions that it gets before Newton.
enum { LARGE_ISLAND = 1000, LARGE_ALTERNATE_LIMIT = 60 };

// Any number; fixed, so that the same problem meets the same starts.
#define RESTART_SEED UINT64_C(20240611)

// Newton after the interior point method starts close, and with an impulse that should not be dragged back.
#define POLISH_PROXIMAL 1e-6

// Parameter of a path where Newton takes over, of the long one and of short ones.
#define PATH_END 1e-9
#define NEIGHBOUR_END 1e-5

// Nearness of points to a path, and its sharpest bend, see homotopy_internal.h: it hurries.
#define PATH_NEARNESS 0.03
#define PATH_BEND 0.5

// More than any residual in units of its tolerance.
#define NATURAL_FIRST 1e30

// One solve in progress.
typedef struct hybrid {
    const ts_contact_problem* problem;
    const ts_ncp_settings* settings;
    ts_arena* scratch;
    double* impulse;
    ts_solve_report report;  // of `impulse`
    double natural;          // natural map at `impulse`, see ts_scaled_measure
    double rest;             // ts_scaled_rest_impulse
    double system_work;      // multiplications in the factor of one linear system, as far as known
    double work;             // of all that came after the first stall
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
    ts_pgs_settings settings = ts_pgs_default;
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
    ts_admm_settings settings = ts_admm_default;
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

// Runs a path and takes where it ends.
static int run_path(hybrid* h, ts_homotopy_settings settings) {
    settings.nearness = PATH_NEARNESS;
    settings.bend = PATH_BEND;
    settings.work_limit = fmin(WORK_SHARE * WORK_LIMIT, WORK_LIMIT - h->work);
    ts_homotopy_report report = ts_homotopy_solve(h->problem, &settings, h->scratch, h->impulse);
    h->report.iterations += report.systems;
    h->system_work = report.work;
    h->work += report.work * report.systems;
    h->report.own = report.own;
    h->natural = report.natural;
    return report.ran;
}

// A path from a problem where nothing touches.
static int follow(hybrid* h, int which, int limit) {
    ts_homotopy_settings settings = {.end = PATH_END, .system_limit = limit, .path = (unsigned long)which};
    return run_path(h, settings);
}

// A path from a problem beside this one, whose answer is the present impulse, smoothed. How much is best differs; in this
// order they solved most.
static int follow_beside(hybrid* h, int which, int limit) {
    static const double smoothing[NEIGHBOURS] = {100.0, 300.0, 10.0, 30.0, 1000.0, 3.0};
    static const double proximal[NEIGHBOURS] = {1e-4, 1e-3, 1e-6, 1e-3, 1e-4, 0.0};
    ts_homotopy_settings settings = {.from = h->impulse,
                                     .smoothing = smoothing[which % NEIGHBOURS],
                                     .proximal = proximal[which % NEIGHBOURS],
                                     .end = NEIGHBOUR_END,
                                     .system_limit = limit,
                                     .path = (unsigned long)(which / NEIGHBOURS)};
    return run_path(h, settings);
}

// Newton from where a way has ended, for as long as its work may last.
static void polish(hybrid* h, int limit) {
    double left = (WORK_LIMIT - h->work) / fmax(h->system_work, 1.0);
    int before = h->report.iterations;
    newton(h, POLISH_PROXIMAL, left < limit ? (int)left : limit);
    h->work += h->system_work * (h->report.iterations - before);
}

// Nonzero when nothing more is to be tried.
static int is_enough(const hybrid* h) { return is_over(h) || is_met(h) || h->work >= WORK_LIMIT; }

// Goes back to `start` and its impulse `before` unless something was found that is better. What it cost stays counted.
static void keep_better(hybrid* h, const hybrid* start, const double* before, int found) {
    if (found && (h->report.status == TS_SOLVE_CONVERGED || badness(h) < badness(start))) return;
    hybrid spent = *h;
    *h = *start;
    memcpy(h->impulse, before, (size_t)h->problem->row_count * sizeof(double));
    h->report.iterations = spent.report.iterations;
    h->system_work = spent.system_work;
    h->work = spent.work;
}

// Tries a way unless the answer is there, with Newton from where it ends; keeps the better of before and after.
static void attempt(hybrid* h, way find, int which, int limit) {
    if (is_enough(h)) return;
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t bytes = (size_t)h->problem->row_count * sizeof(double);
    double* before = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    if (before) {
        hybrid start = *h;
        memcpy(before, h->impulse, bytes);
        int found = find(h, which, smaller(limit, iterations_left(h)));
        if (found && !is_over(h)) polish(h, systems_worth(h, NEWTON_LIMIT));
        keep_better(h, &start, before, found);
    }
    ts_arena_scope_end(h->scratch, scope);
}

// Tries `count` paths from beside the present impulse, from number `first` on.
static void attempt_beside(hybrid* h, int first, int count) {
    for (int i = first; i < first + count; ++i) attempt(h, follow_beside, i, systems_worth(h, NEIGHBOUR_LIMIT));
}

// Tries a way that begins somewhere else, and short paths from where it ends, whether that is better or not.
static void explore(hybrid* h, way find, int which, int limit) {
    if (is_enough(h)) return;
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t bytes = (size_t)h->problem->row_count * sizeof(double);
    double* before = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    if (before) {
        hybrid start = *h;
        memcpy(before, h->impulse, bytes);
        h->natural = HUGE_VAL;  // whatever is found is better
        attempt(h, find, which, limit);
        attempt_beside(h, 0, EXPLORED);
        keep_better(h, &start, before, 1);
    }
    ts_arena_scope_end(h->scratch, scope);
}

// Large islands: a few steps of alternating directions, which cost little more than sweeps there and often do; where they
// do not, Newton goes on from the better point.
static void try_alternating(hybrid* h) {
    if (h->problem->block_count < LARGE_ISLAND) return;
    ts_arena_scope scope = ts_arena_scope_begin(h->scratch);
    size_t bytes = (size_t)h->problem->row_count * sizeof(double);
    double* before = TS_ARENA_ARRAY(h->scratch, double, h->problem->row_count);
    if (before) {
        hybrid start = *h;
        memcpy(before, h->impulse, bytes);
        int found = alternate(h, 1, smaller(LARGE_ALTERNATE_LIMIT, iterations_left(h)));
        keep_better(h, &start, before, found);
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
    for (int k = 0; best && k < h->settings->restarts && !is_enough(h); ++k) {
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
                HUGE_VAL, ts_scaled_rest_impulse(problem),  0.0,     0.0};
    begin(&h);
    if (is_over(&h) || h.report.status == TS_SOLVE_FAILED) return h.report;
    try_alternating(&h);
    if (is_over(&h)) return h.report;
    if (!newton(&h, h.settings->proximal, NEWTON_LIMIT)) {
        sweep(&h, smaller(h.settings->shared.iteration_limit, 1000 + ROW_SWEEPS / problem->row_count));
        return h.report;
    }
    attempt_beside(&h, 0, NEIGHBOURS);
    explore(&h, alternate, 1, steps_worth(&h, FIRST_ALTERNATE_LIMIT));
    explore(&h, interior, 1, INTERIOR_LIMIT);
    explore(&h, follow, 0, systems_worth(&h, PATH_LIMIT));
    attempt_beside(&h, NEIGHBOURS, NEIGHBOURS);
    for (int i = 0; i < FLAVOURS; ++i) explore(&h, alternate, i, steps_worth(&h, LAST_ALTERNATE_LIMIT));
    explore(&h, interior, 0, INTERIOR_LIMIT);
    if (!is_enough(&h)) restart(&h);
    if (h.report.status != TS_SOLVE_CONVERGED && h.report.iterations < h.settings->shared.iteration_limit)
        h.report.status = TS_SOLVE_STALLED;
    return h.report;
}

const ts_solver ts_ncp_solver = {
    .name = "ncp",
    .law = TS_LAW_NCP,
    .summary = "the one to use: sweeps on the exact law, Newton when they stall",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve,
    .defaults = &defaults,
    .settings_bytes = sizeof(defaults),
    .setting = setting,
    .setting_count = sizeof(setting) / sizeof(setting[0]),
};
