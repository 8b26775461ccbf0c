// Semi-smooth Newton on the natural map, kept on course by proximal steps.
//
// Problem: the exact law as one equation, F(x) = x - P(x - w(x)) = 0: x the impulse, u = G x + g, w = u with de Saxce's
// shift mu |u_T| on the normal, P the projection on the admissible set, block by block.
// Scaling: every block is divided by the root of its stiffness, x = lambda / s, u_scaled = s u, s = 1 / sqrt(|G_bb + R_b|),
// so that all blocks have unit stiffness, P is taken with step 1, and masses that differ by 1e6 count alike.
// Rule, outer: x_k+1 solves F for G + eps I, g - eps x_k: the proximal point method. For eps > 0 the Jacobian is far
// better behaved on hyperstatic contacts, where G is singular and the bare residual has minima that are no solutions
// (three contacts in a row that cannot all be closed). eps shrinks thirtyfold after every success, by less where
// that has just failed.
// Rule, inner: Newton with P's and the shift's derivative, J = I - DP (I - S (G + eps I)), halving of the step until |F|
// falls. Blocks at which DP = 0 (open contacts, saturated limits) are eliminated: their step is -F. The rest is
// contact/operator/linear.c's. Where steps of the first proximal problem have to be cut to a quarter, eps is too small for a start
// that far away, and is raised at once. When the line search fails, a few Gauss-Seidel sweeps on the proximal problem
// change the active set, and eps grows.
// Rule, end: |F| after a proximal step is eps times how far x went, most of it of single contacts; sweeps close to the
// tolerance take that away for a fraction of one linear system. Where they do not reach it, x is put back: they leave
// errors spread over many contacts, at which Newton's next steps would be short.
// Source: semi-smooth Newton: Alart and Curnier 1991; Qi and Sun 1993. Natural map: Facchinei and Pang 2003, ch. 1.5.
// Proximal point: Rockafellar 1976. Their combination with sweeps follows our own trials on recorded problems.
// Guaranteed: the returned impulse is admissible, finite, and the best seen in |F|; converged means the law's residual.
// Known to fail: with friction strong enough that several or no solutions exist it may stall, and says so; islands whose
// factor would not fit into TS_LINEAR_LARGEST_FACTOR numbers are refused.
#include "contact/solvers/newton/natural_newton_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/coulomb_internal.h"
#include "contact/rescaled_problem_internal.h"

// Ranges, as those of the settings in ncp.c: random heaps and known answers of `touchstone bench ncp-stages`; all within
// them solves as many problems for as many systems, to a tenth.
enum {
    MAX = TS_BLOCK_ROWS_MAX,
    HALVINGS = 8,      // of a step
    LEAPS = 1,         // to 3; without any half as many systems more
    INNER_LIMIT = 40,  // Newton steps in one proximal step. From 20; 10 leave one more unsolved
    PATIENCE = 24,     // proximal steps without progress before it is called a stall. 12 to 50
    CUTS = 2,          // halvings of a step that show a first proximal weight to be too small. 1 to 3
    CRAWL = 3,         // halvings of a step that gets nowhere, and as many such steps that are enough. 2 to 5
    POLISH_SWEEPS = 8  // 4 to 16
};

// 1: of the proximal weight after a step that was solved, unless that failed before. 0.003 to 0.03; 0.1 takes a tenth more.
static const double deepest_fall = 0.03;
// 1: of the first proximal weight where it is too small (3 and 30 leave one known answer in a thousand), and where that ends (0.001 to 0.1).
static const double raise_by = 10.0;
static const double raise_limit = 0.01;
// Of |F|: a proximal problem as good as solved when no more is to be had soon. 0 to 0.2.
static const double well_down = 0.2;
// Times the tolerance: from where sweeps may get there (1 to 1e4); of |F|: a sweep that leaves more is the last (0.5 to 0.9).
static const double polish_reach = 1e2;
static const double polish_rate = 0.7;
// Of the largest entry of F, left by a linear system: a Newton step gains fewer. 1e-12 to 1e-6.
static const double step_digits = 1e-9;

struct ts_natural {
    ts_rescaled_problem s;
    const ts_natural_settings* settings;
    ts_block_moving moving;  // of the settings
    ts_arena* scratch;
    double* x;       // scaled impulse
    double* centre;  // of the proximal term
    double* best;    // x with the smallest |F| of the problem itself
    double* trial;
    double* u;
    double* d;
    double eps;
    double best_norm;
    ts_linear* system;
    ts_yardstick yardstick;
    ts_natural_report report;
};

// u of the proximal problem with weight eps (0: of the problem itself).
static void velocity(const ts_natural* q, const double* x, double eps, double* u) {
    ts_linear_matrix_apply(&q->s.A, x, u);
    for (int i = 0; i < q->s.rows; ++i) u[i] += q->s.g[i] + eps * (x[i] - q->centre[i]);
}

// y = x - w(u) of block b; returns |u_T| of a cone where the law shifts it.
static inline double shifted_point(const ts_natural* q, const ts_block* block, const double* x, const double* u,
                                   double* out_y) {
    for (int r = 0; r < block->rows; ++r) out_y[r] = x[r] - u[r];
    return q->moving == TS_MOVING_ALL ? ts_block_set_add_shift(block, u, -1.0, out_y) : 0.0;
}

// P(y) of block b, whose rows that do not move are those of x (rows of the block).
static inline void project(const ts_natural* q, int b, const double* x, const double* y, double* out) {
    if (q->moving == TS_MOVING_ALL)
        ts_block_set_project(&q->s.block[b], y, out);
    else
        ts_block_set_project_moving(&q->s.block[b], q->moving, x, y, out);
}

// `sum` and |F|^2 of block b at x with velocity u.
static inline double add_residual(const ts_natural* q, int b, const double* x, const double* u, double sum) {
    const ts_block* block = &q->s.problem->block[b];
    double y[MAX] = {0.0}, p[MAX];
    if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) return sum;
    x += block->row;
    shifted_point(q, block, x, u + block->row, y);
    project(q, b, x, y, p);
    for (int r = 0; r < block->rows; ++r) sum += (x[r] - p[r]) * (x[r] - p[r]);
    return sum;
}

static double residual(const ts_natural* q, const double* x, const double* u) {
    double sum = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) sum = add_residual(q, b, x, u, sum);
    return sum;
}

// Everything Newton needs of block b: J = I - DP (I - S (G + eps I)) in the form of contact/operator/linear_internal.h, with -F as
// the right-hand side; -F is also the step where DP = 0.
static void linearise(ts_natural* q, int b) {
    const ts_block* block = &q->s.problem->block[b];
    int rows = block->rows;
    double *C = q->system->C + q->system->square[b], *E = q->system->E + q->system->square[b];
    const double *x = q->x + block->row, *u = q->u + block->row;
    double y[MAX] = {0.0}, p[MAX];
    double slip = shifted_point(q, block, x, u, y);
    project(q, b, x, y, p);
    for (int r = 0; r < rows; ++r) q->d[block->row + r] = p[r] - x[r];
    q->system->active[b] = 0;
    if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) return;
    q->system->active[b] = ts_block_set_derivative_moving(&q->s.block[b], q->moving, x, y, E);
    if (!q->system->active[b]) return;
    for (int i = 0; i < rows; ++i)
        for (int c = 0; c < rows; ++c) C[i * rows + c] = (i == c ? 1.0 : 0.0) - E[i * rows + c];
    // Times S, whose row 2 is that of the identity plus the shift's derivative by the tangential rows of u.
    for (int c = 0; c < rows && slip > 0.0; ++c)
        for (int i = 0; i < rows && c != 2; ++i) E[i * rows + c] += E[i * rows + 2] * (block->mu * u[c] / slip);
    for (int i = 0; i < rows * rows; ++i) C[i] += q->eps * E[i];
}

static int has_steps_left(const ts_natural* q) {
    const ts_natural_settings* settings = q->settings;
    return q->report.newtons < settings->newton_limit &&
           !(settings->work_limit > 0.0 && q->report.work >= settings->work_limit);
}

// Newton's step into q->d. Returns 0 when the linear system could not be solved.
static int newton_step(ts_natural* q) {
    double largest = 0.0;
    for (int b = 0; b < q->s.blocks; ++b) linearise(q, b);
    for (int i = 0; i < q->s.rows; ++i)
        if (fabs(q->d[i]) > largest) largest = fabs(q->d[i]);
    q->report.newtons += 1;
    if (q->settings->work_limit > 0.0) {
        ts_linear_cost cost = ts_linear_cost_of(q->system);
        q->report.work += cost.change + cost.fill;
    }
    return ts_linear_change(q->system) && ts_linear_solve(q->system, NULL, step_digits * largest, q->d);
}

// Newton on the proximal problem until |F| <= target. Returns 1 when it got there or at least well down, else 0. Where no
// part of the step makes |F| smaller, the point sits at a kink of F that descent cannot pass; then the whole step is
// taken all the same, LEAPS times, and undone if nothing comes of it.
static int solve_proximal(ts_natural* q, double start, double target) {
    double now = start;
    int leaps = 0, crawls = 0;
    for (int k = 0; k < INNER_LIMIT && has_steps_left(q); ++k) {
        velocity(q, q->x, q->eps, q->u);
        now = sqrt(residual(q, q->x, q->u));
        if (now <= target) return 1;
        if (!newton_step(q)) break;
        double step = 1.0;
        int t = 0;
        for (; t < HALVINGS; ++t, step *= 0.5) {
            for (int i = 0; i < q->s.rows; ++i) q->trial[i] = q->x[i] + step * q->d[i];
            velocity(q, q->trial, q->eps, q->u);
            if (sqrt(residual(q, q->trial, q->u)) < (1.0 - 1e-3 * step) * now) break;
        }
        if (q->report.proximals == 0 && t >= CUTS && q->eps < raise_limit) {
            q->eps *= raise_by;
            continue;
        }
        crawls = t >= CRAWL ? crawls + 1 : 0;
        if (crawls == CRAWL && now <= well_down * start) return 1;
        if (t == HALVINGS) {
            if (++leaps > LEAPS) break;
            for (int i = 0; i < q->s.rows; ++i) q->trial[i] = q->x[i] + q->d[i];
        }
        memcpy(q->x, q->trial, (size_t)q->s.rows * sizeof(double));
        if (q->moving == TS_MOVING_ALL) ts_rescaled_problem_trace(&q->s, &q->yardstick, q->report.newtons, q->x);
    }
    if (leaps > 0 && now > start) {
        memcpy(q->x, q->centre, (size_t)q->s.rows * sizeof(double));
        return 0;
    }
    return now <= 0.5 * start;
}

// One block solved against the others, on the proximal problem: its new x.
static void solve_block(ts_natural* q, int b, double* out) {
    const ts_block* block = &q->s.problem->block[b];
    int rows = block->rows;
    const double* x = q->x + block->row;
    double u[MAX], y[MAX] = {0.0}, D[MAX * MAX];
    ts_rescaled_problem_read(&q->s, b, q->x, u, D);
    for (int r = 0; r < rows; ++r) u[r] += q->s.g[block->row + r] + q->eps * (x[r] - q->centre[block->row + r]);
    if (block->set == TS_SET_CONE && rows == 3 && D[8] > 0.0 && q->moving == TS_MOVING_ALL) {
        double e = q->eps, d01 = 0.5 * (D[1] + D[3]), d02 = 0.5 * (D[2] + D[6]), d12 = 0.5 * (D[5] + D[7]);
        ts_vec3 bias = ts_vec3_make(u[0] - ((D[0] + e) * x[0] + d01 * x[1] + d02 * x[2]),
                                    u[1] - (d01 * x[0] + (D[4] + e) * x[1] + d12 * x[2]),
                                    u[2] - (d02 * x[0] + d12 * x[1] + (D[8] + e) * x[2]));
        ts_vec3_store(ts_coulomb_solve(D[0] + e, d01, D[4] + e, d02, d12, D[8] + e, bias, block->mu), out);
        return;
    }
    // Unit stiffness makes the natural map's own step safe for everything else.
    shifted_point(q, block, x, u, y);
    for (int r = 0; r < rows; ++r) y[r] = x[r] + (y[r] - x[r]) / (1.0 + q->eps);
    project(q, b, x, y, out);
}

static void sweep(ts_natural* q) {
    ts_rescaled_problem_load(&q->s, q->x);
    for (int b = 0; b < q->s.blocks; ++b) {
        const ts_block* block = &q->s.problem->block[b];
        double* x = q->x + block->row;
        double now[MAX], change[MAX];
        if (!(ts_rescaled_problem_unit(&q->s, b) > 0.0)) continue;
        solve_block(q, b, now);
        for (int r = 0; r < block->rows; ++r) {
            change[r] = now[r] - x[r];
            x[r] = now[r];
        }
        ts_rescaled_problem_change(&q->s, b, change);
    }
    q->report.sweeps += 1;
}

// |F| of the problem itself at x; keeps the best x.
static double look(ts_natural* q) {
    velocity(q, q->x, 0.0, q->u);
    double norm = sqrt(residual(q, q->x, q->u));
    if (norm < q->best_norm) {
        q->best_norm = norm;
        memcpy(q->best, q->x, (size_t)q->s.rows * sizeof(double));
    }
    return norm;
}

// The natural map of some rows at an impulse whose x, admissible, is in `trial`: a share, as ts_residual_natural.
static double error_of_trial(ts_natural* q, const double* impulse) {
    ts_residual_scale* scale = &q->yardstick.scale;
    double worst = 0.0;
    ts_rescaled_problem_velocity(&q->s, q->trial, q->u);
    for (int b = 0; b < q->s.blocks; ++b)
        worst = ts_worse(worst, ts_rescaled_problem_unit(&q->s, b) * sqrt(add_residual(q, b, q->trial, q->u, 0.0)));
    ts_residual_scale_impulse(scale, ts_largest(impulse, q->s.rows));
    return ts_share(worst, fmax(scale->impulse, scale->velocity * scale->step));
}

// Judges x: the impulse that belongs to it, and in the report its excess.
static void judge(ts_natural* q, const double* x, double* out_impulse) {
    if (q->moving == TS_MOVING_ALL) {
        q->report.excess = ts_rescaled_problem_judge(&q->s, &q->yardstick, x, q->trial, q->u, out_impulse);
        return;
    }
    for (int b = 0; b < q->s.blocks; ++b)
        project(q, b, x + q->s.block[b].row, x + q->s.block[b].row, q->trial + q->s.block[b].row);
    ts_rescaled_problem_leave(&q->s, q->trial, out_impulse);
    q->report.excess = ts_share(error_of_trial(q, out_impulse), q->yardstick.goal.tolerance);
}

static int take_memory(ts_natural* q) {
    double** vector[] = {&q->x, &q->centre, &q->best, &q->trial, &q->u, &q->d};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = (double*)ts_arena_alloc_zeroed(q->scratch, (size_t)q->s.rows, sizeof(double));
        if (!*vector[i]) return 0;
    }
    q->system = ts_linear_make(&q->s.A, TS_LINEAR_BLOCKS, q->scratch);
    return q->system != NULL;
}

// After a proximal step that Newton could not solve: change the active set, and lean harder on the proximal term.
static void recover(ts_natural* q, int failures) {
    q->eps *= failures > 1 ? 10.0 : 30.0;
    if (q->eps > 1.0) q->eps = 1.0;
    for (int k = 0; k < q->settings->sweeps; ++k) sweep(q);
}

static int is_converged(const ts_natural* q) { return q->report.excess <= 1.0; }

// Sweeps from x, the best so far and just judged, if they may get to the tolerance; else x stays. `now` is |F| there.
static void polish(ts_natural* q, double now, double* impulse) {
    double far = q->report.excess, goal = polish_rate * now / far, eps = q->eps;
    if (!(far > 1.0 && far < polish_reach)) return;
    memcpy(q->centre, q->x, (size_t)q->s.rows * sizeof(double));
    q->eps = 0.0;
    for (int k = 0; k < POLISH_SWEEPS && now > goal; ++k) {
        double before = now;
        sweep(q);
        now = look(q);
        // The first may do no more than move errors about.
        if (k > 0 && !(now < polish_rate * before)) break;
    }
    q->eps = eps;
    judge(q, q->best, impulse);
    if (is_converged(q)) q->report.status = TS_SOLVE_CONVERGED;
    memcpy(q->x, q->centre, (size_t)q->s.rows * sizeof(double));
}

static void iterate(ts_natural* q, double* impulse) {
    int failures = 0, since_best = 0;
    double now = look(q), fall = deepest_fall;
    // A start whose squares overflow is none.
    if (!isfinite(now)) {
        memset(q->x, 0, (size_t)q->s.rows * sizeof(double));
        now = look(q);
    }
    judge(q, q->x, impulse);
    q->report.status = TS_SOLVE_ITERATION_LIMIT;
    if (is_converged(q)) q->report.status = TS_SOLVE_CONVERGED;
    while (q->report.status == TS_SOLVE_ITERATION_LIMIT && q->report.proximals < q->settings->proximal_limit &&
           has_steps_left(q)) {
        double before = now, best_before = q->best_norm;
        memcpy(q->centre, q->x, (size_t)q->s.rows * sizeof(double));
        // Less than rounding is not to be had, and trying costs as many systems as all that went before.
        int solved = solve_proximal(q, now, fmax(0.02 * now, ts_rescaled_problem_rounding(&q->s, q->x)));
        q->report.proximals += 1;
        now = look(q);
        if (q->best_norm < best_before) {
            judge(q, q->best, impulse);
            if (is_converged(q))
                q->report.status = TS_SOLVE_CONVERGED;
            else if (solved && now <= q->best_norm)
                polish(q, now, impulse);
        }
        since_best = q->best_norm < 0.9 * best_before ? 0 : since_best + 1;
        if (q->report.status == TS_SOLVE_CONVERGED) break;
        if (since_best > PATIENCE || q->best_norm <= ts_rescaled_problem_rounding(&q->s, q->best)) {
            q->report.status = TS_SOLVE_STALLED;
        } else if (solved) {
            failures = 0;
            // Internal forces that nothing moves are known to rounding over eps only: where one step gains three digits, a
            // smaller eps would only let them drift over kinks. Where a solved step gains nothing, eps is what holds it.
            if (now > 1e-3 * before) q->eps = fmax(fall * q->eps, 1e-12);
            fall = fmax(0.5 * fall, deepest_fall);
        } else {
            // The last fall was too deep, and would be again.
            fall = fmin(fmax(3.0 * fall, 0.1), 0.5);
            recover(q, ++failures);
            now = look(q);
        }
    }
}

ts_natural* ts_natural_make(const ts_contact_problem* problem, ts_arena* arena) {
    ts_natural* q = (ts_natural*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    if (!q) return NULL;
    q->scratch = arena;
    q->yardstick = ts_yardstick_make(problem, TS_LAW_NCP, (ts_goal){0.0, 0.0});
    int made = ts_rescaled_problem_make(problem, TS_UNITS_STIFFNESS, TS_MATRIX_EITHER, arena, &q->s);
    return made && take_memory(q) ? q : NULL;
}

ts_natural_report ts_natural_solve(ts_natural* q, const ts_natural_settings* settings, double* impulse) {
    q->settings = settings;
    q->moving = settings->moving;
    q->yardstick.goal = settings->goal;
    q->eps = settings->proximal;
    q->best_norm = HUGE_VAL;
    q->report = (ts_natural_report){.status = TS_SOLVE_FAILED, .excess = HUGE_VAL};
    ts_rescaled_problem_enter(&q->s, impulse, q->x);
    memset(q->best, 0, (size_t)q->s.rows * sizeof(double));
    iterate(q, impulse);
    return q->report;
}

double ts_natural_error(ts_natural* q, ts_block_moving moving, const double* impulse) {
    q->moving = moving;
    ts_rescaled_problem_enter(&q->s, impulse, q->trial);
    return error_of_trial(q, impulse);
}

ts_natural_report ts_natural_newton(const ts_contact_problem* problem, const ts_natural_settings* settings,
                                    ts_arena* scratch, double* impulse) {
    ts_natural_report report = {.status = TS_SOLVE_FAILED, .excess = HUGE_VAL};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_natural* natural = ts_natural_make(problem, scratch);
    if (natural) report = ts_natural_solve(natural, settings, impulse);
    ts_arena_scope_end(scratch, scope);
    return report;
}
