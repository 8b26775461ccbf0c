// The alternating direction method of multipliers, for the relaxed law (ccp-admm) and the exact one (ncp-admm).
//
// Problem: min 1/2 x^T (G + R) x + g^T x with x = y, y admissible: the relaxed law. The exact law is the same with
// de Saxce's shift mu |u_T| added to the normal rows of g, taken from the multiplier, which is the shifted velocity.
// Rule, with z the multiplier (m/s), s the shift (zero for the relaxed law), rho the penalty, eta a proximal weight:
//     (G + R + (eta + rho) I) x' = z + rho y + eta x - g - s
//     y' = P(a x' + (1 - a) y - z / rho),   z' = z - rho (a x' + (1 - a) y - y')
// rho starts at sqrt(L m) kappa^p, L the largest eigenvalue by power iteration, kappa the condition number assumed and
// m = L / kappa, and moves when the primal residual |x - y| and the dual one |rho (y' - y) + eta (x' - x)| are far
// apart: each relative to the vectors it is the difference of, because they differ in units. The primal one counts for
// less (`balance`): on recorded problems equal weights leave rho ten times too large for the last digits.
// From step to step rho is carried over, and the multiplier is not: made afresh from the velocity of the warm start, as a
// projection step of length 1 / rho would leave it, it is nearer than the last one wherever anything slides (docs/papers.md).
// The linear system is solved by a factor or, through the bodies, in steps to a part of the dual residual
// (contact/operator/linear_internal.h).
// The accelerated solvers go on from where Anderson's combination of the last (y, z) leads to, in the norm rho |y|^2 + |z|^2 / rho, in which
// the relaxed law's iteration is no expansion; what moves more from there is taken back (anderson.c), leaves no trace and tells rho nothing. Another rho begins anew.
// Stopping: the law's residual at y, with u recomputed. The two residuals above leave out that the shift moves, and
// only decide when it is worth a look.
// Source: Boyd et al. 2011; Le Lidec, Jallet, Montaut, Laptev, Schmid and Carpentier 2024 (contact; spectral rho);
// Carpentier, Le Lidec and Montaut 2024 (exact law).
// Guaranteed: the relaxed law converges for symmetric G >= 0 once rho rests, also for singular G, and whatever the masses;
// what is reported as converged meets the law. What is returned is admissible. From a cold start and with all contacts
// inside their cones it has no internal forces.
// Known to fail: no proof for the exact law: it solves strongly coupled contacts on which sweeps and staggering cycle, but
// can cycle itself, and where the law has several solutions it tends to the one that sticks. Slow when kappa is far from
// what was assumed. FAILED is when the matrix, listed by blocks unless a velocity form is solved through its bodies, or its
// factor would be too large. The relaxation itself lets what slides lift off.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "base/scalar.h"
#include "contact/least_norm_internal.h"
#include "contact/rescaled_problem_internal.h"
#include "contact/solvers/splitting/admm_internal.h"
#include "contact/solvers/splitting/anderson_internal.h"
#include "contact/trace.h"

enum {
    LOOK_INTERVAL = 16,
    POWER_ITERATIONS = 20,
    FEW =
        10,  // iterations that say nothing about a better rho; 8 to 12, by stack-10, unequal-cubes, incline, sliding-cube
    GIVE_UP = 20,  // iterations with a rho that was carried over; without that one step in thousands of stack-10 cycles
    PAUSE = 1      // iterations between the first two changes of rho, under the safe rule
};

// Pauses grow by this factor, so that rho comes to rest.
static const double pause_growth = 1.2;
// The published proximal weight, kg^-1.
static const double paper_eta = 1e-6;
// Residual that the linear system may keep, relative to the dual residual of the iteration before.
static const double inexact = 0.01;
// Bounds of rho relative to L.
static const double rho_range = 1e12;

static const ts_setting setting[] = {
    TS_SETTING_REAL(ts_admm_settings, over_relaxation, 1.0, 1.9, "of the step before the projection"),
    TS_SETTING_REAL(ts_admm_settings, rho_power, -0.5, 0.5, "rho starts at sqrt(L m) kappa^power"),
    TS_SETTING_REAL(ts_admm_settings, rho_step, 0.0, 1.0, "rho changes by factors up to kappa^step"),
    TS_SETTING_REAL(ts_admm_settings, balance, 1e-6, 1e6,
                    "weight of the relative primal residual against the dual one, under the safe rule"),
    TS_SETTING_REAL(ts_admm_settings, rho_ratio, 1.0, 1e6, "residuals this far apart change rho"),
    TS_SETTING_REAL(ts_admm_settings, condition, 1.0, 1e16, "condition number assumed: kappa, under the safe rule"),
    TS_SETTING_REAL(ts_admm_settings, eta, 0.0, 1.0, "proximal weight relative to the largest eigenvalue"),
    TS_SETTING_WHOLE(ts_admm_settings, freeze, 0.0, 1e9, "rho rests after so many iterations"),
    TS_SETTING_WHOLE(ts_admm_settings, step_rule, 0.0, 1.0, "0 relative residuals and pauses, 1 as published"),
    TS_SETTING_WHOLE(ts_admm_settings, scaling, 0.0, 1.0, "0 the problem's units, 1 every block by its stiffness"),
    TS_SETTING_WHOLE(ts_admm_settings, anderson, 0.0, TS_ANDERSON_MEMORY_MAX,
                     "memory of Anderson acceleration, 5 is usual; 0 is off"),
    TS_SETTING_WHOLE(ts_admm_settings, least_norm, 0.0, 1000.0,
                     "rows up to which forces that move nothing are taken out of the answer; 0: never"),
};

// Iterations after which rho rests. The relaxed law's proof asks for an end; under the exact law pauses that grow are rest enough: on
// experiment `funnel` rho frozen at 300 leaves 134 steps of 2500 unsolved, and 2 without. Recorded problems: all solved either way.
enum { FREEZE_RELAXED = 300, FREEZE_EXACT = 5000 };

// All but the memory of Anderson and the end of changes.
#define DEFAULTS                                                                                                       \
    .shared = {1e-8, 1e-15, 5000, 0.0}, .over_relaxation = 1.0, .rho_power = 0.4, .rho_step = 0.1, .balance = 0.02,    \
    .rho_ratio = 3.0, .condition = 1e6, .eta = 1e-10, .step_rule = TS_ADMM_STEP_SAFE, .scaling = TS_ADMM_SCALING_NONE, \
    .least_norm = 0

const ts_admm_settings ts_admm_default = {DEFAULTS, .freeze = FREEZE_RELAXED, .anderson = 0};

static const ts_admm_settings exact = {DEFAULTS, .freeze = FREEZE_EXACT, .anderson = 0};

// Memory: 5 to 10.
static const ts_admm_settings accelerated = {DEFAULTS, .freeze = FREEZE_RELAXED, .anderson = 10};

// A solve in progress, in the units of `s`.
typedef struct admm {
    ts_rescaled_problem s;
    ts_linear* system;
    const ts_admm_settings* settings;
    ts_contact_law law;
    double* x;
    double* y;
    double* z;
    double* right;   // right-hand side, then x'
    double* lambda;  // y in the problem's units
    double* u;       // its velocity
    double L;        // largest eigenvalue of the system
    double kappa;    // condition number assumed
    double rho;
    double eta;
    double spectral;         // rho of the eigenvalues alone
    double first;            // rho that it began with
    int is_recalled;         // nonzero: that one was carried over
    int before;              // iterations before it began again
    double primal;           // the residuals of the last iteration
    double dual;             // (at first the size of g)
    double primal_relative;  //
    double dual_relative;    //
    double measure;          // the larger of both
    ts_yardstick yardstick;
    double moved;           // largest relative change of y and of z
    ts_anderson* anderson;  // NULL: no acceleration
    int is_refused;         // nonzero: the last iteration was one that is taken back
    double* pair;           // (2 rows) y, and z behind it
    double* weight;         // (2 rows) rho and 1 / rho: the norm in which the relaxed law's iteration is no expansion
} admm;

static void set_penalty(admm* q, double rho) { q->rho = fmin(q->L * rho_range, fmax(q->L / rho_range, rho)); }

// The largest eigenvalue, by power iteration from a fixed vector without symmetry. Overwrites x and `right`.
static double power_iteration(admm* q) {
    int n = q->s.rows;
    double length = 0.0, L = 0.0;
    for (int i = 0; i < n; ++i) {
        q->x[i] = 1.0 + 0.618 * (double)(i * 7 % 11) - 0.382 * (double)(i % 3);
        length += q->x[i] * q->x[i];
    }
    for (int k = 0; k < POWER_ITERATIONS && length > 0.0; ++k) {
        double scale = 1.0 / sqrt(length);
        for (int i = 0; i < n; ++i) q->x[i] *= scale;
        ts_linear_matrix_apply(&q->s.A, q->x, q->right);
        length = 0.0;
        for (int i = 0; i < n; ++i) length += q->right[i] * q->right[i];
        double next = sqrt(length);
        if (fabs(next - L) <= 1e-2 * next) return next;
        L = next;
        memcpy(q->x, q->right, (size_t)n * sizeof(double));
    }
    return L;
}

// The excess of y: u recomputed with the problem's own operator.
static double judge(admm* q) {
    ts_rescaled_problem_leave(&q->s, q->y, q->lambda);
    ts_contact_problem_velocity(q->s.problem, q->lambda, q->u);
    return ts_yardstick_excess(&q->yardstick, q->lambda, q->u);
}

// The start, its y and its velocity. Returns its excess.
static double choose_start(admm* q, const double* impulse) {
    memcpy(q->lambda, impulse, (size_t)q->s.rows * sizeof(double));
    ts_solver_start(q->s.problem, q->law, q->lambda, q->u);
    ts_rescaled_problem_enter(&q->s, q->lambda, q->y);
    return ts_yardstick_excess(&q->yardstick, q->lambda, q->u);
}

// The penalty that was carried over; of several their geometric mean, of shares of L: a logarithm has no unit.
static void recall(admm* q) {
    const double* memory = q->s.problem->memory;
    double sum = 0.0;
    int count = 0;
    for (int b = 0; memory && b < q->s.blocks; ++b) {
        double s = ts_rescaled_problem_unit(&q->s, b);
        if (!(s > 0.0 && memory[b] > 0.0)) continue;
        sum += log(s * s * memory[b] / q->L);
        ++count;
    }
    q->spectral = q->rho;
    q->is_recalled = count > 0 && isfinite(sum);
    if (q->is_recalled) set_penalty(q, q->L * exp(sum / count));
    q->first = q->rho;
}

// Where it ended; where few iterations were enough, where it began.
static void remember(const admm* q, int iterations) {
    double* memory = q->s.problem->memory;
    double rho = iterations - q->before <= FEW ? q->first : q->rho;
    for (int b = 0; memory && b < q->s.blocks; ++b) {
        double s = ts_rescaled_problem_unit(&q->s, b);
        memory[b] = s > 0.0 ? rho / (s * s) : 0.0;
    }
}

// x = y, and the multiplier that a projection step of length 1 / rho from y would leave: exact at a solution. The first linear
// system is then as far from solved as that multiplier is from the velocity of y; on a good start it has to be solved as
// well as is asked of the end.
static void start_multiplier(admm* q) {
    q->dual = ts_yardstick_gate(&q->yardstick);
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        double to[TS_BLOCK_ROWS_MAX], on[TS_BLOCK_ROWS_MAX], s = ts_rescaled_problem_unit(&q->s, b);
        double* w = q->u + block->row;
        for (int r = 0; r < block->rows; ++r) w[r] *= s;
        if (q->law == TS_LAW_NCP) ts_block_set_add_shift(block, w, 1.0, w);
        for (int r = 0; r < block->rows; ++r) {
            to[r] = q->y[block->row + r] - w[r] / q->rho;
            on[r] = 0.0;
        }
        if (s > 0.0) ts_block_set_project(&q->s.block[b], to, on);
        for (int r = 0; r < block->rows; ++r) {
            q->x[block->row + r] = q->y[block->row + r];
            q->z[block->row + r] = s > 0.0 ? q->rho * (on[r] - to[r]) : 0.0;
            if (s > 0.0) q->dual = fmax(q->dual, fabs(q->z[block->row + r] - w[r]));
        }
    }
}

// One block after x' is known; collects the residuals.
static void finish_block(admm* q, int b, double* change_y, double* change_z) {
    const ts_block* block = &q->s.problem->block[b];
    double to[TS_BLOCK_ROWS_MAX], on[TS_BLOCK_ROWS_MAX], a = q->settings->over_relaxation,
                                                         s = ts_rescaled_problem_unit(&q->s, b);
    double *x = q->x + block->row, *y = q->y + block->row, *z = q->z + block->row;
    const double* next = q->right + block->row;
    if (!(s > 0.0)) return;
    for (int r = 0; r < block->rows; ++r) to[r] = a * next[r] + (1.0 - a) * y[r] - z[r] / q->rho;
    ts_block_set_project(&q->s.block[b], to, on);
    for (int r = 0; r < block->rows; ++r) {
        double primal = fabs(next[r] - on[r]), after = q->rho * (on[r] - to[r]);
        double dual = fabs(q->rho * (on[r] - y[r]) + q->eta * (next[r] - x[r]));
        q->primal = fmax(q->primal, primal);
        q->dual = fmax(q->dual, dual);
        *change_y = fmax(*change_y, fabs(on[r] - y[r]));
        *change_z = fmax(*change_z, fabs(after - z[r]));
        x[r] = next[r];
        y[r] = on[r];
        z[r] = after;
    }
}

// Returns 0 when numbers are not finite.
static int iterate_once(admm* q) {
    double change_y = 0.0, change_z = 0.0;
    for (int i = 0; i < q->s.rows; ++i) q->right[i] = q->z[i] + q->rho * q->y[i] + q->eta * q->x[i] - q->s.g[i];
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        if (q->law == TS_LAW_NCP) ts_block_set_add_shift(block, q->z + block->row, -1.0, q->right + block->row);
    }
    if (!ts_linear_solve(q->system, q->x, inexact * q->dual, q->right)) return 0;
    q->primal = q->dual = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) finish_block(q, b, &change_y, &change_z);
    double size_x = fmax(ts_largest(q->x, q->s.rows), ts_largest(q->y, q->s.rows));
    double size_z = fmax(ts_largest(q->z, q->s.rows), ts_largest(q->s.g, q->s.rows));
    q->primal_relative = size_x > 0.0 ? q->primal / size_x : 0.0;
    q->dual_relative = size_z > 0.0 ? q->dual / size_z : 0.0;
    q->moved = fmax(size_x > 0.0 ? change_y / size_x : 0.0, size_z > 0.0 ? change_z / size_z : 0.0);
    q->measure = fmax(q->primal_relative, q->dual_relative);
    return isfinite(q->primal) && isfinite(q->dual);
}

// A penalty that was carried over and did not lead there soon belongs to another problem: from the best impulse so far with the
// spectral one. Returns 0 when the system breaks down.
static int begin_again(admm* q, const double* best, int iterations) {
    q->is_recalled = 0;
    q->before = iterations;
    q->first = q->rho = q->spectral;
    (void)choose_start(q, best);
    start_multiplier(q);
    return ts_linear_shift(q->system, q->eta + q->rho);
}

// The map has another penalty from now on.
static void begin_acceleration(admm* q) {
    if (!q->anderson) return;
    for (int i = 0; i < q->s.rows; ++i) {
        q->weight[i] = q->rho;
        q->weight[q->s.rows + i] = 1.0 / q->rho;
    }
    ts_anderson_forget(q->anderson);
}

static void pack(const admm* q) {
    size_t bytes = (size_t)q->s.rows * sizeof(double);
    memcpy(q->pair, q->y, bytes);
    memcpy(q->pair + q->s.rows, q->z, bytes);
}

static void unpack(const admm* q) {
    size_t bytes = (size_t)q->s.rows * sizeof(double);
    memcpy(q->y, q->pair, bytes);
    memcpy(q->z, q->pair + q->s.rows, bytes);
}

// An iteration from where the last ones lead to. Returns 0 when numbers are not finite.
static int iterate_ahead(admm* q) {
    if (!q->anderson) return iterate_once(q);
    pack(q);
    if (ts_anderson_start(q->anderson, q->pair)) unpack(q);
    ts_anderson_started(q->anderson, q->pair);
    if (!iterate_once(q)) return 0;
    pack(q);
    q->is_refused = !ts_anderson_finish(q->anderson, q->pair);
    if (q->is_refused) {
        unpack(q);
        memcpy(q->x, q->y, (size_t)q->s.rows * sizeof(double));
    }
    return 1;
}

// Balances the residuals. Returns 1 when rho changed and 0 when not.
static int adapt(admm* q) {
    const ts_admm_settings* settings = q->settings;
    double most = pow(q->kappa, settings->rho_step), before = q->rho, ratio;
    if (settings->step_rule == TS_ADMM_STEP_PAPER) {
        if (q->primal > settings->rho_ratio * q->dual)
            q->rho *= most;
        else if (q->dual > settings->rho_ratio * q->primal)
            q->rho /= most;
    } else {
        ratio = settings->balance * q->primal_relative / q->dual_relative;
        if (ratio > settings->rho_ratio || ratio * settings->rho_ratio < 1.0)
            q->rho *= fmin(most, fmax(1.0 / most, sqrt(ratio)));
    }
    set_penalty(q, q->rho);
    return q->rho != before;
}

// From a start whose excess is `best`.
static ts_solve_status iterate(admm* q, double best, double* impulse, ts_solve_report* report) {
    const ts_solver_settings* settings = &q->settings->shared;
    size_t bytes = (size_t)q->s.rows * sizeof(double);
    // Relative, as what is compared with it.
    double gate = ts_yardstick_gate(&q->yardstick) / q->yardstick.scale.velocity;
    if (q->settings->leaves_start) best = HUGE_VAL;
    const double first_pause = q->settings->step_rule == TS_ADMM_STEP_PAPER ? 0.0 : (double)PAUSE;
    double pause = first_pause;
    int next_look = LOOK_INTERVAL, changed = 0;
    while (report->iterations < settings->iteration_limit) {
        if (!iterate_ahead(q)) return TS_SOLVE_FAILED;
        int k = ++report->iterations;
        if (q->s.problem->trace) {
            ts_rescaled_problem_leave(&q->s, q->y, q->lambda);
            ts_trace_note(&q->yardstick, k, q->lambda);
        }
        int still = q->moved <= settings->stall;
        if (q->measure <= gate || k >= next_look || k == settings->iteration_limit || still) {
            next_look = k + LOOK_INTERVAL;
            double excess = judge(q);
            if (excess < best) {
                best = excess;
                memcpy(impulse, q->lambda, bytes);
            }
            if (excess <= 1.0) return TS_SOLVE_CONVERGED;
            if (still) return TS_SOLVE_STALLED;
            if (isfinite(excess)) gate = q->measure / excess;
        }
        if (q->is_recalled && k >= GIVE_UP) {
            if (!begin_again(q, impulse, k)) return TS_SOLVE_FAILED;
            begin_acceleration(q);
            changed = k;
            pause = first_pause;
            continue;
        }
        if (q->is_refused || k - changed < pause || k >= q->settings->freeze || !adapt(q)) continue;
        if (!ts_linear_shift(q->system, q->eta + q->rho)) return TS_SOLVE_FAILED;
        begin_acceleration(q);
        changed = k;
        if (pause > 0.0) pause *= pause_growth;
    }
    return TS_SOLVE_ITERATION_LIMIT;
}

static double least_compliance(const ts_contact_problem* problem) {
    double least = problem->R && problem->row_count > 0 ? problem->R[0] : 0.0;
    for (int i = 1; i < problem->row_count && problem->R; ++i) least = fmin(least, problem->R[i]);
    return least;
}

static int prepare(admm* q, const ts_contact_problem* problem, ts_arena* scratch) {
    ts_problem_units units = q->settings->scaling == TS_ADMM_SCALING_NONE ? TS_UNITS_GIVEN : TS_UNITS_STIFFNESS;
    int bodies = ts_linear_prefers_bodies(problem->delassus, scratch);
    ts_matrix_need need = bodies ? TS_MATRIX_PRODUCTS : TS_MATRIX_NUMBERS;
    if (!ts_rescaled_problem_make(problem, units, need, scratch, &q->s)) return 0;
    double** vector[] = {&q->x, &q->y, &q->z, &q->right, &q->lambda, &q->u};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = TS_ARENA_ARRAY(scratch, double, q->s.rows);
        if (!*vector[i]) return 0;
    }
    if (q->settings->anderson > 0) {
        q->pair = TS_ARENA_ARRAY(scratch, double, 2 * q->s.rows);
        q->weight = TS_ARENA_ARRAY(scratch, double, 2 * q->s.rows);
        q->anderson = TS_ARENA_ARRAY(scratch, ts_anderson, 1);
        if (!q->pair || !q->weight || !q->anderson ||
            !ts_anderson_make(q->anderson, 2 * q->s.rows, q->settings->anderson, q->weight, scratch))
            return 0;
    }
    q->L = power_iteration(q);
    if (!isfinite(q->L)) return 0;
    if (!(q->L > 0.0)) q->L = 1.0;
    int paper = q->settings->step_rule == TS_ADMM_STEP_PAPER;
    q->eta = paper ? paper_eta : q->settings->eta * q->L;
    q->kappa = paper ? fmax(1.0, q->L / (paper_eta + least_compliance(problem))) : q->settings->condition;
    q->rho = q->L * pow(q->kappa, q->settings->rho_power - 0.5);
    return 1;
}

static ts_solve_report solve(ts_contact_law law, const ts_contact_problem* problem, const ts_admm_settings* settings,
                             ts_arena* scratch, double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    admm q = {.settings = settings, .law = law};
    unsigned needs = TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int ready = (problem->delassus->ops->abilities & needs) == needs && prepare(&q, problem, scratch);
    double excess = HUGE_VAL;
    if (ready) {
        q.yardstick = ts_yardstick_make(problem, law, ts_solver_goal(&settings->shared));
        excess = choose_start(&q, impulse);
    }
    if (!ready || !isfinite(excess)) {
        memset(impulse, 0, bytes);
    } else {
        memcpy(impulse, q.lambda, bytes);
        report.status = TS_SOLVE_CONVERGED;
        if (!(excess <= 1.0)) {
            report.status = TS_SOLVE_FAILED;
            recall(&q);
            start_multiplier(&q);
            begin_acceleration(&q);
            q.system = ts_linear_make(&q.s.A, TS_LINEAR_SHIFT, scratch);
            if (q.system && ts_linear_shift(q.system, q.eta + q.rho))
                report.status = iterate(&q, excess, impulse, &report);
            if (report.status != TS_SOLVE_FAILED) remember(&q, report.iterations);
        }
    }
    if (report.status == TS_SOLVE_CONVERGED) ts_least_norm(&q.yardstick, settings->least_norm, scratch, impulse);
    ts_arena_scope_end(scratch, scope);
    return report;
}

static ts_solve_report solve_relaxed(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                     double* impulse) {
    return solve(TS_LAW_CCP, problem, (const ts_admm_settings*)settings, scratch, impulse);
}

static ts_solve_report solve_exact(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                                   double* impulse) {
    return solve(TS_LAW_NCP, problem, (const ts_admm_settings*)settings, scratch, impulse);
}

static const char remembers[] = "the penalty rho, kg^-1";

const ts_solver ts_ccp_admm_solver = {
    .name = "ccp-admm",
    .law = TS_LAW_CCP,
    .summary = "alternating directions on the convex relaxation, with a factor of G",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve_relaxed,
    .remembers = remembers,
    TS_SOLVER_SETTINGS(ts_admm_default, setting),
};

const ts_solver ts_ncp_admm_solver = {
    .name = "ncp-admm",
    .law = TS_LAW_NCP,
    .summary = "alternating directions on the exact law, with a factor of G",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve_exact,
    .remembers = remembers,
    TS_SOLVER_SETTINGS(exact, setting),
};

const ts_solver ts_ccp_admm_anderson_solver = {
    .name = "ccp-admm-anderson",
    .law = TS_LAW_CCP,
    .summary = "the same as ccp-admm with safeguarded Anderson acceleration",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve_relaxed,
    .remembers = remembers,
    TS_SOLVER_SETTINGS(accelerated, setting),
};

const ts_solver ts_ncp_admm_anderson_solver = {
    .name = "ncp-admm-anderson",
    .law = TS_LAW_NCP,
    .summary = "the same as ncp-admm with safeguarded Anderson acceleration",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve_exact,
    .remembers = remembers,
    TS_SOLVER_SETTINGS(accelerated, setting),
};
