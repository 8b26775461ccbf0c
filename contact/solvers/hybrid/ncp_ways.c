// The ways of `ncp`: each runs one method with the settings of the search and enters what came of it.
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/solvers/hybrid/ncp_internal.h"
#include "contact/solvers/newton/homotopy_internal.h"
#include "contact/solvers/newton/small_newton_internal.h"
#include "contact/solvers/newton/natural_newton_internal.h"
#include "contact/solvers/splitting/admm_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/trace.h"

int ts_ncp_is_over(const ts_ncp_search* s) {
    return s->at.status == TS_SOLVE_CONVERGED || s->spent.iterations >= s->settings->shared.iteration_limit;
}

double ts_ncp_work(const ts_ncp_search* s) {
    return ts_small_newton_takes(s->problem) ? fmin(s->settings->work, s->settings->small_work) : s->settings->work;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int iterations_left(const ts_ncp_search* s) { return s->settings->shared.iteration_limit - s->spent.iterations; }

// At most `least` and `by_rows` divided by the rows: fewer where each one is dear, so that nobody waits hours for an island
// of thousands.
static int worth(const ts_ncp_search* s, int most, int least, double by_rows) {
    return smaller(smaller(most, least + (int)(by_rows / s->problem->row_count)), iterations_left(s));
}

static int systems_worth(const ts_ncp_search* s, int most) {
    return worth(s, most, s->settings->least_systems, s->settings->row_systems);
}

// Judges the present impulse.
static void judge(ts_ncp_search* s) {
    ts_arena_scope scope = ts_arena_scope_begin(s->scratch);
    double* u = TS_ARENA_ARRAY(s->scratch, double, s->problem->row_count);
    s->at.excess = HUGE_VAL;
    if (u) {
        ts_contact_problem_velocity(s->problem, s->at.impulse, u);
        s->at.excess = ts_yardstick_excess(&s->yardstick, s->at.impulse, u);
    }
    ts_arena_scope_end(s->scratch, scope);
}

// A method counts its own iterations; those before it have been spent.
static void count_on(const ts_ncp_search* s) {
    if (s->problem->trace) s->problem->trace->iteration = s->spent.iterations;
}

// The report of another solver for the present impulse.
static void take(ts_ncp_search* s, ts_solve_report report) {
    s->spent.iterations += report.iterations;
    s->at.status = report.status;
    judge(s);
}

// --- few velocities --------------------------------------------------------------------------------------------------

// ts_contact_problem_block_velocity of a block of six columns.
static inline void find_velocity(const ts_contact_problem* p, const ts_velocity_form* form, int b,
                                 const double* impulse, double* u) {
    const double *g = p->g, *R = p->R;
    int row = p->block[b].row;
    double give[3] = {0.0, 0.0, 0.0}, *read = form->known_rows + row;
    ts_velocity_read_six(&form->block[b], form->V, read);
    for (int i = 0; R && i < 3; ++i) give[i] = R[row + i] * impulse[row + i];
    u[row] = read[0] + (g[row] + give[0]);
    u[row + 1] = read[1] + (g[row + 1] + give[1]);
    u[row + 2] = read[2] + (g[row + 2] + give[2]);
}

// ts_block_set_admit of a block of three rows.
static inline void admit(const ts_block* block, double* x) {
    if (block->set == TS_SET_CONE)
        ts_vec3_store(ts_block_set_admit_cone(ts_vec3_load(x), block->mu), x);
    else
        ts_block_set_admit(block, TS_FRICTION_DISC, x);
}

// The excess of the first blocks that are not good, at most `enough` where all are: they get twice as many from time to time, as a start that
// holds nowhere is mostly seen at once.
static double excess_up_to(const ts_ncp_search* s, const ts_velocity_form* form, double enough, const double* impulse,
                           double* u) {
    const ts_contact_problem* p = s->problem;
    double largest = ts_largest(impulse, p->row_count), worst = 0.0;
    for (int first = 0, end, count = 4; first < p->block_count && worst <= enough; first = end, count *= 2) {
        end = smaller(first + count, p->block_count);
        for (int b = first; b < end; ++b) find_velocity(p, form, b, impulse, u);
        worst = ts_worse(worst, ts_yardstick_excess_of(&s->yardstick, first, end, largest, impulse, u));
    }
    return worst;
}

int ts_ncp_sees_start(const ts_contact_problem* problem) {
    const ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    return form && form->known_rows && form->base.bound;
}

void ts_ncp_admit(const ts_contact_problem* problem, const double* impulse, double* out_impulse) {
    memcpy(out_impulse, impulse, (size_t)problem->row_count * sizeof(double));
    for (int b = 0; b < problem->block_count; ++b) admit(&problem->block[b], out_impulse + problem->block[b].row);
}

// Contacts of free bodies that rest are those of the last step, and so is the answer: to see that takes a tenth of what the law linearised does.
// Other rows lie in tiles, where the same is found as quickly.
static int start_holds(ts_ncp_search* s) {
    const ts_contact_problem* p = s->problem;
    ts_velocity_form* form = ts_velocity_form_of(p->delassus);
    if (!ts_ncp_sees_start(p)) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(s->scratch);
    double *x = TS_ARENA_ARRAY(s->scratch, double, p->row_count), excess = HUGE_VAL;
    double* u = TS_ARENA_ARRAY(s->scratch, double, p->row_count);
    if (x && u) {
        ts_ncp_admit(p, s->at.impulse, x);
        ts_velocity_form_set(form, x);
        excess = excess_up_to(s, form, s->start_enough, x, u);
    }
    int holds = excess <= s->start_enough;
    if (holds) {
        ts_velocity_form_have_rows(form);
        memcpy(s->at.impulse, x, (size_t)p->row_count * sizeof(double));
        s->at.excess = excess;
        s->at.status = TS_SOLVE_CONVERGED;
        s->start_held = 1;
    }
    ts_arena_scope_end(s->scratch, scope);
    return holds;
}

int ts_ncp_small(ts_ncp_search* s, int which, int limit) {
    if (s->settings->small_limit > 0) limit = smaller(limit, s->settings->small_limit);
    count_on(s);
    if (which == TS_SMALL_FROM_HERE && start_holds(s)) return 1;
    ts_small_start start = {(ts_small_from)which, s->start_enough};
    ts_small_report report =
        ts_small_newton(&s->yardstick, start, smaller(limit, iterations_left(s)), s->scratch, s->at.impulse);
    s->spent.iterations += report.newtons;
    s->start_held = s->start_held || report.start_excess <= 1.0;
    if (report.status != TS_SOLVE_CONVERGED) return 0;
    s->at.status = report.status;
    s->at.excess = report.excess;
    return 1;
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

static void sweep(ts_ncp_search* s, int count) {
    ts_pgs_settings settings = ts_pgs_default;
    settings.shared = s->settings->shared;
    settings.shared.iteration_limit = smaller(count, iterations_left(s));
    settings.drops = !s->settings->sweeps_are_last;
    count_on(s);
    take(s, ts_ncp_nsgs_solver.solve(s->problem, &settings, s->scratch, s->at.impulse));
}

// How many more sweeps the last ones promise to need; large when they promise nothing.
static double sweeps_to_go(double before, double now, int sweeps) {
    if (!(now < 0.9 * before) || sweeps < 1) return HUGE_VAL;
    return log(fmax(now, 1.0)) / (log(before / now) / sweeps);
}

// Sweeps that cost as much as a linear system and what belongs to it.
static double sweeps_worth(const ts_ncp_search* s) {
    return s->settings->system_sweeps + s->settings->block_sweeps * s->problem->block_count;
}

int ts_ncp_sweeps(ts_ncp_search* s, int which, int limit) {
    int first = s->settings->first_sweeps;
    // Those with momentum, where they follow, cost a third of these, each judged in fours, and a tenth as many go as far.
    double most = ts_ncp_glides(s) ? s->settings->system_sweeps : sweeps_worth(s);
    (void)which;
    if (s->settings->sweeps_are_last) {
        sweep(s, limit);
        return 1;
    }
    sweep(s, first);
    while (!ts_ncp_is_over(s) && s->at.status != TS_SOLVE_FAILED) {
        double before = s->at.excess;
        sweep(s, first);
        if (ts_ncp_is_over(s) || sweeps_to_go(before, s->at.excess, first) > most) break;
    }
    return 1;
}

int ts_ncp_glide(ts_ncp_search* s, int sweeps) {
    int before = s->spent.iterations;
    ts_pgs_settings settings = ts_pgs_default;
    settings.shared = s->settings->shared;
    settings.shared.iteration_limit = smaller(sweeps, iterations_left(s));
    settings.momentum = s->settings->momentum;
    count_on(s);
    take(s, ts_ncp_pgs_solver.solve(s->problem, &settings, s->scratch, s->at.impulse));
    return s->spent.iterations - before;
}

int ts_ncp_momentum(ts_ncp_search* s, int which, int limit) {
    enum { WINDOW = 6 };  // rounds over which their fall is looked at: they swing
    size_t bytes = (size_t)s->problem->row_count * sizeof(double);
    double before[WINDOW], most = sweeps_worth(s);
    double* impulse = TS_ARENA_ARRAY(s->scratch, double, s->problem->row_count);
    (void)which;
    if (!impulse) return 0;
    memcpy(impulse, s->at.impulse, bytes);
    ts_ncp_point best = s->at;
    for (int k = 0, sweeps = 0; !ts_ncp_is_over(s) && s->at.status != TS_SOLVE_FAILED && sweeps < limit; ++k) {
        if (k >= WINDOW && sweeps_to_go(before[k % WINDOW], best.excess, WINDOW * TS_MOMENTUM_ROUND) > most) break;
        before[k % WINDOW] = best.excess;
        sweeps += ts_ncp_glide(s, TS_MOMENTUM_ROUND);
        if (s->at.excess < best.excess) {
            best = s->at;
            memcpy(impulse, best.impulse, bytes);
        }
    }
    s->at = best;
    memcpy(best.impulse, impulse, bytes);
    return 1;
}

int ts_ncp_last_sweeps(ts_ncp_search* s, int which, int limit) {
    (void)which;
    sweep(s, worth(s, limit, s->settings->least_last_sweeps, s->settings->row_last_sweeps));
    return 1;
}

// --- Newton ----------------------------------------------------------------------------------------------------------

static int run_newton(ts_ncp_search* s, double proximal, int limit) {
    ts_natural_settings settings = {.goal = s->yardstick.goal,
                                    .newton_limit = smaller(limit, iterations_left(s)),
                                    .proximal_limit = limit,
                                    .proximal = proximal,
                                    .work_limit = ts_small_newton_takes(s->problem) ? ts_ncp_work(s) : 0.0,
                                    .sweeps = s->settings->recovery_sweeps};
    count_on(s);
    ts_natural_report report = ts_natural_newton(s->problem, &settings, s->scratch, s->at.impulse);
    s->spent.iterations += report.newtons + report.sweeps;
    s->at.status = report.status;
    s->at.excess = report.excess;
    return report.status != TS_SOLVE_FAILED;
}

int ts_ncp_newton(ts_ncp_search* s, int which, int limit) {
    (void)which;
    s->refused = !run_newton(s, s->settings->proximal, limit);
    return !s->refused;
}

int ts_ncp_polish(ts_ncp_search* s, int which, int limit) {
    double left = (ts_ncp_work(s) - s->spent.work) / fmax(s->spent.system_work, 1.0);
    int before = s->spent.iterations, most = systems_worth(s, limit);
    (void)which;
    int ran = run_newton(s, s->settings->polish_proximal, left < most ? (int)left : most);
    s->spent.work += s->spent.system_work * (s->spent.iterations - before);
    return ran;
}

// --- alternating directions ------------------------------------------------------------------------------------------

int ts_ncp_alternate(ts_ncp_search* s, int which, int limit) {
    // Of the primal residual against the dual one. Which gets round a kink cannot be told beforehand.
    static const double balance[] = {0.02, 1.0};
    memset(s->at.impulse, 0, (size_t)s->problem->row_count * sizeof(double));
    ts_admm_settings settings = ts_admm_default;
    settings.shared = s->settings->shared;
    settings.shared.iteration_limit = worth(s, limit, s->settings->least_alternations, s->settings->row_alternations);
    settings.balance = balance[which];
    settings.scaling = TS_ADMM_SCALING_NONE;
    settings.step_rule = TS_ADMM_STEP_SAFE;
    // What jams has residuals larger than rest has, and rest is no new place to begin.
    settings.leaves_start = 1;
    count_on(s);
    take(s, ts_ncp_admm_solver.solve(s->problem, &settings, s->scratch, s->at.impulse));
    return s->at.status != TS_SOLVE_FAILED;
}

// --- paths -----------------------------------------------------------------------------------------------------------

int ts_ncp_path(ts_ncp_search* s, int which, int limit) {
    // How much smoothing is best differs; in this order they solved most.
    static const struct { double smoothing, proximal; } beside[] = {{100.0, 1e-4}, {300.0, 1e-3}, {10.0, 1e-6}};
    const ts_ncp_settings* settings = s->settings;
    double work = ts_ncp_work(s);
    ts_homotopy_settings path = {.smoothing = beside[which].smoothing,
                                 .proximal = beside[which].proximal,
                                 .end = settings->path_end,
                                 .system_limit = systems_worth(s, limit),
                                 .work_limit = fmin(settings->path_share * work, work - s->spent.work),
                                 .nearness = settings->path_nearness,
                                 .bend = settings->path_bend};
    count_on(s);
    ts_homotopy_report report = ts_homotopy_solve(s->problem, &path, s->scratch, s->at.impulse);
    s->spent.iterations += report.systems;
    s->spent.system_work = report.work;
    s->spent.work += report.work * report.systems;
    s->at.status = TS_SOLVE_ITERATION_LIMIT;
    if (report.ran) judge(s);
    return report.ran;
}

int ts_ncp_rest(ts_ncp_search* s, int which, int limit) {
    (void)which;
    (void)limit;
    memset(s->at.impulse, 0, (size_t)s->problem->row_count * sizeof(double));
    s->at.status = TS_SOLVE_ITERATION_LIMIT;
    s->at.excess = HUGE_VAL;
    return 1;
}
