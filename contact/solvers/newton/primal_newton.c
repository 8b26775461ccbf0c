// Newton's method on softened contacts, with an exact line search.
//
// Problem: min over velocities v of 1/2 |v - v_f|_M^2 + 1/2 sum |P_K(y)|_R^2, y = -R^-1 (J v - c*), where P_K is the
// projection on the admissible set in the metric of R > 0 and lambda = P_K(y). Its minimiser is the one motion of the
// relaxed law (CCP) with compliance R.
// Coordinates: a contact problem knows G, g and R but neither M nor J. Every velocity that matters is v_f + M^-1 J^T x
// for some x, an impulse that need not be admissible, and then |v - v_f|_M^2 = x . G x and J v - c* = G x + g. So the
// cost is a function of x that needs products with G only: any operator will do, and where G is singular different x
// with the same motion have the same cost. Rows are divided by the root of R: R becomes 1, and a cone of slope mu one
// of slope mu sqrt(R_T / R_N).
// Rule: with D the derivative of P_K at y = -(G x + g), Newton's step in velocities,
// (I + J^T D J) dv = J^T (lambda - x), is dv = J^T dx for (I + D G) dx = lambda - x: blocks at which D = 0 (open
// contacts, saturated limits) are known at once, the rest is contact/operator/linear.c's.
// Along dx the cost is convex with a slope that costs O(rows): its zero is found by Newton steps inside a bracket. A
// full step that halves the smallest |lambda - x| so far is taken without a search; it happens a finite number of
// times, so the guarantee of the search stays, and it is what ends the iteration where the cost no longer sees a
// difference, or where a recorded G is not quite symmetric.
// In large islands, where the first step has left it far away, it goes on from where sweeps with momentum on the same softened problem lead to.
// Source: Todorov, "A convex, smooth and invertible contact model for trajectory optimization", 2011; MuJoCo's
// documentation, chapter Computation; Castro, Permenter and Han, "An unconstrained convex formulation of compliant
// contact", 2022. The coordinates are ours.
// Guaranteed: for symmetric G >= 0 the cost falls strictly and the iteration converges from any start, quadratically at
// the end; the answer is unique. What is returned is the best impulse seen, and converged means its own law's residual.
// Known to fail: the law itself: everything that is held creeps at u = -R lambda, and what slides lifts off. R far
// under rounding of G makes lambda = R^-1 u lose digits. Matrices that do not fit are refused.
#include "contact/solvers/newton/primal_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "contact/block_set_internal.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/rescaled_problem_internal.h"
#include "contact/solvers/newton/bracket_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/trace.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    EVALUATIONS = 50,  // of the slope in one line search
    PATIENCE = 3,      // iterations without progress before it is called a stall
    MANY = 20,         // blocks from which on sweeps are worth their while,
    SWEEPS = 50        // so many; 25 and 100 take a tenth longer on heaps that settle
};

// 1: a tolerance that leaves rounding alone.
static const double digits_to_spare = 1e-9;
// 1: of the problem, what a start leaves unmet that is surely better than nothing.
static const double near_answer = 0.1;
// Of the excess: where lambda has not gained so much, x may be better, as lambda loses digits where R is far under G.
static const double much_better = 0.1;
// Of |lambda - x|: a first system that leaves more has far to go; what stands keeps a hundredth.
static const double far_to_go = 0.03;
// As of ts_pgs_settings.
static const double momentum = 0.9;

// The slope at the end of a line search, relative to that at its start.
static const double slope_relative = 1e-8;
// Of the largest entry of lambda - x, left by a linear system: a Newton step gains fewer digits.
static const double step_digits = 1e-9;

typedef struct primal {
    ts_rescaled_problem s;  // in units of compliance: R is 1, and A is G alone
    const ts_contact_problem* softened;
    const ts_solver_settings* settings;
    ts_arena* scratch;
    int rows;
    int blocks;
    double* x;       // (rows) scaled impulse, admissible or not
    double* Gx;      // (rows)
    double* lambda;  // (rows) scaled P_K(y)
    double* d;       // (rows) Newton's step
    double* Gd;      // (rows)
    double* trial;   // (rows)
    double* u;       // (rows)
    double* answer;  // (rows) a candidate in the problem's units
    ts_linear* system;
    ts_yardstick yardstick;
    double best;       // excess of the impulse to be returned
    double best_step;  // smallest |lambda - x| so far
    double best_cost;  // smallest cost so far
    ts_solve_report report;
} primal;

// lambda = P_K(-(Gx + step Gd + g)) for all blocks.
static void project_all(const primal* q, const double* Gx, const double* Gd, double step, double* out) {
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        double y[MAX] = {0.0};
        for (int r = 0; r < block->rows; ++r) {
            int i = block->row + r;
            y[r] = -(Gx[i] + (Gd ? step * Gd[i] : 0.0) + q->s.g[i]);
        }
        ts_block_set_project(&q->s.block[b], y, out + block->row);
    }
}

// The primal cost at x, given G x and lambda.
static double cost_of(const primal* q, const double* x, const double* Gx, const double* lambda) {
    double sum = ts_dot(x, Gx, q->rows);
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        for (int i = block->row; i < block->row + block->rows; ++i) {
            // Half of |P|^2 is the conjugate of the cone's; of an interval it is Huber's function.
            double y = -(Gx[i] + q->s.g[i]), l = lambda[i];
            sum += block->set == TS_SET_BOX ? l * (2.0 * y - l) : l * l;
        }
    }
    return 0.5 * sum;
}

// The same; leaves lambda in `out_lambda`.
static double cost(const primal* q, const double* x, const double* Gx, double* out_lambda) {
    project_all(q, Gx, NULL, 0.0, out_lambda);
    return cost_of(q, x, Gx, out_lambda);
}

// |lambda - x|.
static double gap_of(const primal* q) {
    double sum = 0.0;
    for (int i = 0; i < q->rows; ++i) sum += (q->lambda[i] - q->x[i]) * (q->lambda[i] - q->x[i]);
    return sqrt(sum);
}

// The slope of the cost at x + step d, and its own slope.
static double slope_at(const primal* q, double first, double second, double step, double* out_curvature) {
    double slope = first + step * second, curvature = second;
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        int rows = block->rows;
        const double* Gd = q->Gd + block->row;
        double y[MAX] = {0.0}, l[MAX], D[MAX * MAX];
        for (int r = 0; r < rows; ++r) y[r] = -(q->Gx[block->row + r] + step * Gd[r] + q->s.g[block->row + r]);
        ts_block_set_project(&q->s.block[b], y, l);
        int active = ts_block_set_derivative(&q->s.block[b], y, D);
        for (int r = 0; r < rows; ++r) {
            slope -= l[r] * Gd[r];
            for (int c = 0; c < rows && active; ++c) curvature += Gd[r] * D[r * rows + c] * Gd[c];
        }
    }
    *out_curvature = curvature;
    return slope;
}

// The step along d to where the cost is least, or 0 when it does not fall.
static double line_search(const primal* q) {
    double first = 0.5 * (ts_dot(q->d, q->Gx, q->rows) + ts_dot(q->x, q->Gd, q->rows)),
           second = ts_dot(q->d, q->Gd, q->rows);
    double curvature, start = slope_at(q, first, second, 0.0, &curvature);
    if (!(start < 0.0)) return 0.0;
    ts_bracket bracket = {0.0, HUGE_VAL};
    double step = 1.0;
    for (int k = 1; k < EVALUATIONS; ++k) {
        double slope = slope_at(q, first, second, step, &curvature);
        if (isnan(slope)) return 0.0;
        if (fabs(slope) <= -slope_relative * start) return step;
        double next = ts_bracket_next(&bracket, step, slope, curvature);
        if (next == step) break;
        step = next;
    }
    return bracket.low > 0.0 ? bracket.low : step;
}

// Newton's step into q->d. Returns 0 when the linear system could not be solved.
static int newton_step(primal* q) {
    double largest = 0.0;
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->s.block[b];
        int rows = block->rows;
        double y[MAX] = {0.0};
        for (int r = 0; r < rows; ++r) y[r] = -(q->Gx[block->row + r] + q->s.g[block->row + r]);
        q->system->active[b] = ts_block_set_derivative(&q->s.block[b], y, q->system->E + q->system->square[b]);
        for (int r = block->row; r < block->row + rows; ++r) {
            q->d[r] = q->lambda[r] - q->x[r];
            if (fabs(q->d[r]) > largest) largest = fabs(q->d[r]);
        }
    }
    return ts_linear_change(q->system) && ts_linear_solve(q->system, NULL, step_digits * largest, q->d);
}

// Judges an admissible scaled impulse and keeps it when it is the best so far.
static void look(primal* q, const double* x, double* impulse) {
    ts_linear_matrix_apply(&q->s.A, x, q->u);
    for (int i = 0; i < q->rows; ++i) q->u[i] = (q->u[i] + q->s.g[i] + x[i]) / q->s.A.scale[i];
    ts_rescaled_problem_leave(&q->s, x, q->answer);
    double excess = ts_yardstick_excess(&q->yardstick, q->answer, q->u);
    if (!(excess < q->best)) return;
    q->best = excess;
    memcpy(impulse, q->answer, (size_t)q->rows * sizeof(double));
}

// The same of x, as it is.
static void look_at_x(primal* q, double* impulse) {
    for (int b = 0; b < q->blocks; ++b)
        ts_block_set_project(&q->s.block[b], q->x + q->s.block[b].row, q->trial + q->s.block[b].row);
    look(q, q->trial, impulse);
}

// |P_K(-(G x + G d + g)) - x - d|; that projection is left in `trial`.
static double mismatch(primal* q) {
    double sum = 0.0;
    project_all(q, q->Gx, q->Gd, 1.0, q->trial);
    for (int i = 0; i < q->rows; ++i) {
        double gap = q->trial[i] - q->x[i] - q->d[i];
        sum += gap * gap;
    }
    return sqrt(sum);
}

// Chooses the start: the given impulse, or nothing at all when that costs less or the given one is not finite. Returns
// 0 when not even nothing has a finite cost. `unmet`: what the given one is known to leave of the problem, or infinite. `product`: G times it, or NULL.
static int choose_start(primal* q, const double* impulse, const double* product, double unmet) {
    int n = q->rows, finite = 1;
    for (int i = 0; i < n; ++i) finite = finite && isfinite(impulse[i]);
    if (finite) {
        ts_rescaled_problem_enter(&q->s, impulse, q->u);
        for (int b = 0; b < q->blocks; ++b)
            ts_block_set_project(&q->s.block[b], q->u + q->s.block[b].row, q->x + q->s.block[b].row);
        for (int i = 0; i < n && product; ++i) q->Gx[i] = q->s.A.scale[i] * product[i];
        if (!product) ts_linear_matrix_apply(&q->s.A, q->x, q->Gx);
        q->best_cost = cost(q, q->x, q->Gx, q->lambda);
        // What is nearly the answer need not be compared with nothing.
        if (isfinite(q->best_cost) && unmet < near_answer) return 1;
    }
    memset(q->trial, 0, (size_t)n * sizeof(double));
    double nothing = cost(q, q->trial, q->trial, q->u);
    if (finite && q->best_cost < nothing) return 1;
    memset(q->x, 0, (size_t)n * sizeof(double));
    memset(q->Gx, 0, (size_t)n * sizeof(double));
    memcpy(q->lambda, q->u, (size_t)n * sizeof(double));
    q->best_cost = nothing;
    return isfinite(nothing);
}

// Moves x along d, and G x and lambda with it. Returns 0 when no step makes anything better.
static int move(primal* q, double now) {
    double full = mismatch(q), step = 1.0;
    if (!(full <= 0.5 * q->best_step)) {
        step = line_search(q);
        if (step == 0.0 && full < now) step = 1.0;
    }
    if (!(step > 0.0)) return 0;
    double moved = 0.0, largest = 0.0;
    for (int i = 0; i < q->rows; ++i) {
        q->x[i] += step * q->d[i];
        q->Gx[i] += step * q->Gd[i];
        moved = fmax(moved, fabs(step * q->d[i]));
        largest = fmax(largest, fabs(q->x[i]));
    }
    if (step == 1.0)
        memcpy(q->lambda, q->trial, (size_t)q->rows * sizeof(double));
    else
        project_all(q, q->Gx, NULL, 0.0, q->lambda);
    return moved > q->settings->stall * largest;
}

// Goes on from where sweeps with momentum lead to from `impulse`. What contacts are open or slide changes with every whole step where Newton has
// far to go; from there it takes three or four systems in place of ten.
static void sweep(primal* q, const double* impulse) {
    ts_pgs_settings settings = ts_pgs_default;
    settings.shared = *q->settings;
    settings.shared.iteration_limit = SWEEPS;
    settings.momentum = momentum;
    // Gone before the next system: those take memory from the top of the arena and give it back to there.
    ts_arena_scope scope = ts_arena_scope_begin(q->scratch);
    double* swept = TS_ARENA_ARRAY(q->scratch, double, q->rows);
    if (swept) {
        memcpy(swept, impulse, (size_t)q->rows * sizeof(double));
        (void)ts_ccp_pgs_solver.solve(q->softened, &settings, q->scratch, swept);
        q->best_step = HUGE_VAL;
        (void)choose_start(q, swept, NULL, HUGE_VAL);
    }
    ts_arena_scope_end(q->scratch, scope);
}

static int spares_digits(const ts_solver_settings* settings) {
    return settings->tolerance >= digits_to_spare && !(settings->force > 0.0);
}

// Newton until its end; in large islands with sweeps after the first system, as an iteration of their own, where that has left much.
static void iterate(primal* q, double* impulse) {
    int idle = 0, moving = 1, limit = q->settings->iteration_limit;
    double start = 0.0;
    for (;; ++q->report.iterations) {
        // G x goes along with x until that is of no use, or not where digits are asked for: lambda, over R, shows what rounding makes of it.
        if (q->report.iterations > 0 && (idle > 0 || !spares_digits(q->settings))) {
            ts_linear_matrix_apply(&q->s.A, q->x, q->Gx);
            project_all(q, q->Gx, NULL, 0.0, q->lambda);
        }
        double now = gap_of(q), value = cost_of(q, q->x, q->Gx, q->lambda), before = q->best;
        // The start has been judged.
        if (q->report.iterations > 0 || !isfinite(q->best)) {
            look(q, q->lambda, impulse);
            if (q->report.iterations > 0) ts_trace_note(&q->yardstick, q->report.iterations, q->answer);
            if (q->best > 1.0 && !(q->best < much_better * before)) look_at_x(q, impulse);
        }
        // A cost is known to about this much only.
        double rounding = 4.0 * DBL_EPSILON * fabs(q->best_cost);
        int progress = q->best < 0.9 * before || now < 0.9 * q->best_step || value < q->best_cost - rounding;
        idle = progress ? 0 : idle + 1;
        q->best_step = fmin(q->best_step, now);
        q->best_cost = fmin(q->best_cost, value);
        q->report.status = TS_SOLVE_CONVERGED;
        if (q->best <= 1.0) return;
        q->report.status = TS_SOLVE_STALLED;
        if (idle >= PATIENCE || (idle > 0 && !moving)) return;
        q->report.status = TS_SOLVE_ITERATION_LIMIT;
        if (q->report.iterations >= limit) return;
        if (q->report.iterations == 0) start = now;
        if (q->report.iterations == 1 && q->blocks >= MANY && now > far_to_go * start) {
            sweep(q, impulse);
            continue;
        }
        q->report.status = isfinite(q->best) ? TS_SOLVE_STALLED : TS_SOLVE_FAILED;
        if (!newton_step(q)) return;
        ts_linear_matrix_apply(&q->s.A, q->d, q->Gd);
        moving = move(q, now);
    }
}

// Takes memory. Returns 0 when the matrix does not fit or something is not finite.
static int prepare(primal* q) {
    ts_arena* scratch = q->scratch;
    double** vector[] = {&q->x, &q->Gx, &q->lambda, &q->d, &q->Gd, &q->trial, &q->u, &q->answer};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i)
        if (!(*vector[i] = TS_ARENA_ARRAY(scratch, double, q->rows))) return 0;
    ts_matrix_need need =
        ts_linear_prefers_bodies(q->softened->delassus, scratch) ? TS_MATRIX_PRODUCTS : TS_MATRIX_NUMBERS;
    if (!ts_rescaled_problem_make(q->softened, TS_UNITS_COMPLIANCE, need, scratch, &q->s)) return 0;
    q->system = ts_linear_make(&q->s.A, TS_LINEAR_BLOCKS, scratch);
    if (!q->system) return 0;
    q->system->is_hessian = 1;
    for (int b = 0; b < q->blocks; ++b) {
        int rows = q->s.block[b].rows;
        double* C = q->system->C + q->system->square[b];
        memset(C, 0, (size_t)(rows * rows) * sizeof(double));
        for (int r = 0; r < rows; ++r) C[r * (rows + 1)] = 1.0;
    }
    return 1;
}

// Judges the start, which is mostly the answer already where things stand: a third of the time that the start of Newton takes. `impulse` becomes
// admissible; none where it is worse than that. Returns whether G times it is in out_product.
static int judge_start(primal* q, double* impulse, double* out_product) {
    ts_arena* scratch = q->scratch;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double *given = TS_ARENA_ARRAY(scratch, double, q->rows), *u = TS_ARENA_ARRAY(scratch, double, q->rows);
    int judged = 0;
    if (given && u) {
        memcpy(given, impulse, (size_t)q->rows * sizeof(double));
        ts_solver_start(q->softened, TS_LAW_CCP, given, u);
        double excess = ts_yardstick_excess(&q->yardstick, given, u);
        if (isfinite(excess)) {
            q->best = excess;
            memcpy(impulse, given, (size_t)q->rows * sizeof(double));
            const double *g = q->softened->g, *R = q->softened->R;
            for (int i = 0; i < q->rows; ++i) out_product[i] = u[i] - (g[i] + R[i] * given[i]);
            judged = 1;
        }
        ts_velocity_form* form = ts_velocity_form_of(q->softened->delassus);
        if (form && excess <= 1.0) ts_velocity_form_keep(form, impulse);
    }
    ts_arena_scope_end(scratch, scope);
    return judged;
}

ts_solve_report ts_primal_solve(const ts_contact_problem* problem, ts_primal_compliance compliance,
                                const void* settings, ts_arena* scratch, double* impulse) {
    ts_contact_problem softened = *problem;
    primal q = {.softened = &softened,
                .settings = (const ts_solver_settings*)settings,
                .scratch = scratch,
                .report = ts_solve_not_begun};
    q.rows = problem->row_count;
    q.blocks = problem->block_count;
    q.best = q.best_step = HUGE_VAL;
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_BLOCKS)) return q.report;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double* product = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (R) compliance(problem, settings, R);
    softened.R = R;
    q.yardstick = ts_yardstick_make(&softened, TS_LAW_CCP, ts_solver_goal(q.settings));
    // What is left of g is rounding of G x where digits are asked for.
    if (!(R && product && judge_start(&q, impulse, product)) || !spares_digits(q.settings)) product = NULL;
    if (q.best <= 1.0) {
        q.report.status = TS_SOLVE_CONVERGED;
        ts_arena_scope_end(scratch, scope);
        return q.report;
    }
    int started = R && prepare(&q) && choose_start(&q, impulse, product, q.best * q.settings->tolerance);
    for (int i = 0; i < q.rows; ++i)
        if (!isfinite(impulse[i])) impulse[i] = 0.0;
    if (started) iterate(&q, impulse);
    ts_arena_scope_end(scratch, scope);
    return q.report;
}

void ts_primal_block_compliance(const ts_contact_problem* problem, int b, ts_primal_softness softness,
                                const double* row_default, double* out_R) {
    const ts_block* block = &problem->block[b];
    const double* own = problem->R ? problem->R + block->row : NULL;
    if (block->set != TS_SET_CONE) {
        for (int r = 0; r < block->rows; ++r) {
            double R = own && own[r] > 0.0 ? own[r] : row_default[r];
            R = fmax(R, softness.least);
            out_R[r] = R > 0.0 ? R : 1.0;
        }
        return;
    }
    double normal = own && own[2] > 0.0 ? own[2] : softness.normal, tangent = 0.0;
    normal = normal > softness.least ? normal : softness.least;
    if (!(normal > 0.0)) normal = 1.0;
    for (int r = 0; r < block->rows && own; ++r)
        if (r != 2 && own[r] > tangent) tangent = own[r];
    if (!(tangent > 0.0)) tangent = softness.tangent * normal;
    for (int r = 0; r < block->rows; ++r) out_R[r] = r == 2 ? normal : tangent;
}
