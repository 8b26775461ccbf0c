// The driver of the projected Gauss-Seidel solvers.
//
// Start: the warm start is projected on the admissible set and kept as it is if its dual cost
// q(lambda) = 1/2 lambda^T (G+R) lambda + g^T lambda is not worse than q(0) = 0. No true solution of any of the three
// laws is changed by this, as lambda . u <= 0 makes q(lambda) <= -1/2 lambda^T (G+R) lambda there. Where it is worse, sweeps that are all there
// is shorten it to the least q on its ray: in piles that are still settling this happens to whole islands in every tenth step, and to begin
// from nothing then undoes what hundreds of sweeps had found (1000 dropped boxes, 10 sweeps: worst overlap 4.5 -> 2.9 mm; pyramid of 465, 1/60 s,
// ten seconds: boxes drift apart, 14 cm lower, where they fell by metres). Where Newton follows (`ncp`) nothing is gained by it.
//
// Order: forward sweeps. Turning round after every sweep repeats the last blocks at once, which undoes nothing and
// gains nothing: on a chain of contacts (consistent ordering) a forward-backward pair converges like one forward sweep.
// It is kept as a setting for its symmetry. Blocks are taken as they come; which order they come in decides how many
// sweeps a stack needs, and the engine gives them from the top down (engine/rows/contact_order.c).
//
// Stopping: only the law's residual with u recomputed for the final impulse counts as convergence. It costs about as
// much as a sweep, so it is looked at when the movement of a sweep (in velocity units) has fallen by as much as the
// residual has to fall, and at least every RESIDUAL_INTERVAL sweeps. That look also refreshes the operator's state, so
// rounding does not pile up. "Iterates have stopped moving" is reported as a stall, never as success: on a stack of
// unequal masses that happens with half the load still missing (docs/contact.md).
#include <stddef.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/solvers/sweeps/pgs_internal.h"
#include "contact/trace.h"

// Sweeps between looks at the residual: under a tenth of the cost of the solve. Where it was far off most looks see just that.
enum { RESIDUAL_INTERVAL = 16, FAR_INTERVAL = 48 };

const ts_setting ts_pgs_setting[TS_PGS_SETTING_COUNT] = {
    TS_SETTING_REAL(ts_pgs_settings, omega, 1e-3, 1.999, "over-relaxation of every step"),
    TS_SETTING_WHOLE(ts_pgs_settings, step_rule, 0.0, 1.0, "0 safe step, 1 the published shortcut (can diverge)"),
    TS_SETTING_WHOLE(ts_pgs_settings, order, 0.0, 2.0,
                     "0 always forward, 1 forward and backward in turn, 2 both in every iteration"),
    TS_SETTING_WHOLE(ts_pgs_settings, local_iterations, 1.0, 100.0, "updates of a block before the sweep moves on"),
    TS_SETTING_WHOLE(ts_pgs_settings, anderson, 0.0, TS_ANDERSON_MEMORY_MAX,
                     "memory of Anderson acceleration, 5 is usual; 0 is off"),
    TS_SETTING_REAL(ts_pgs_settings, momentum, 0.0, 0.99,
                    "largest part of a sweep's movement that the next begins with, 0.9 in large heaps; 0 is off"),
};

const ts_pgs_settings ts_pgs_default = {.shared = {1e-8, 1e-12, 1000, 0.0},
                                        .omega = 1.0,
                                        .step_rule = TS_PGS_STEP_SAFE,
                                        .order = TS_PGS_ORDER_FORWARD,
                                        .local_iterations = 1,
                                        .anderson = 0,
                                        .momentum = 0.0,
                                        .drops = 0};

// Blocks a thread looks at at a time: some ten microseconds of work.
enum { PART = 512, LOOK = 32 };

// 1: excess above which it no longer matters how large it is.
static const double far_off = 100.0;

static int part_count(const ts_contact_problem* problem) { return (problem->block_count + PART - 1) / PART; }

void ts_pgs_update_coordinates(ts_pgs* pgs, int b, ts_pgs_movement* movement) {
    const ts_block* block = &pgs->problem->block[b];
    const double* D = pgs->G->ops->diagonal(pgs->G, b);
    const double* g = pgs->problem->g + block->row;
    const double* R = pgs->problem->R ? pgs->problem->R + block->row : NULL;
    double* lambda = pgs->lambda + block->row;
    double u[TS_BLOCK_ROWS_MAX], delta[TS_BLOCK_ROWS_MAX];
    int rows = block->rows;
    pgs->G->ops->velocity(pgs->G, b, u);
    for (int r = 0; r < rows; ++r) {
        double own = D[r * rows + r] + (R ? R[r] : 0.0);
        delta[r] = 0.0;
        if (!(own > 0.0)) continue;
        double residual_velocity = u[r] + g[r] + (R ? R[r] * lambda[r] : 0.0);
        double moved = ts_block_set_clamp(block, lambda[r] - pgs->omega * residual_velocity / own);
        delta[r] = moved - lambda[r];
        lambda[r] = moved;
        double size = fabs(delta[r]);
        if (size > movement->impulse) movement->impulse = size;
        if (size * own > movement->velocity) movement->velocity = size * own;
        // The rows below see the new impulse (R is diagonal and does not couple them).
        for (int q = r + 1; q < rows; ++q) u[q] += D[q * rows + r] * delta[r];
    }
    pgs->G->ops->add_impulse(pgs->G, b, delta);
}

// A solve as the threads see it.
typedef struct pgs_work {
    ts_pgs* pgs;
    const ts_pgs_method* method;
    ts_pgs_movement movement[TS_SWEEP_PIECES_MAX];
} pgs_work;

static void prepare_cone(const ts_pgs* pgs, const ts_pgs_method* method, const ts_block* source, const double* D,
                         ts_pgs_block* block) {
    const ts_contact_problem* problem = pgs->problem;
    for (int i = 0; i < 3; ++i) {
        block->g[i] = problem->g[source->row + i];
        block->R[i] = problem->R ? problem->R[source->row + i] : 0.0;
    }
    block->D00 = D[0] + block->R[0];
    block->D01 = D[1];
    block->D11 = D[4] + block->R[1];
    block->D02 = D[2];
    block->D12 = D[5];
    block->D22 = D[8] + block->R[2];
    block->mu = source->mu;
    // Without any give in the normal no impulse changes the approach, so none is applied.
    block->kind = block->D22 > 0.0 ? TS_PGS_CONE : TS_PGS_SKIP;
    if (block->kind == TS_PGS_CONE && method->choose_steps)
        method->choose_steps(block, (ts_pgs_step_rule)pgs->settings->step_rule);
}

// Copies what the sweep needs of each block next to each other.
static void prepare_range(void* context, int begin, int end, int worker) {
    const pgs_work* work = (const pgs_work*)context;
    const ts_pgs* pgs = work->pgs;
    const ts_contact_problem* problem = pgs->problem;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        const ts_block* source = &problem->block[b];
        ts_pgs_block* block = &pgs->block[b];
        memset(block, 0, sizeof(*block));
        block->row = source->row;
        block->kind = TS_PGS_COORDINATE;
        if (source->set != TS_SET_CONE) continue;
        const double* D = pgs->G->ops->diagonal(pgs->G, b);
        if (source->rows == 3) {
            prepare_cone(pgs, work->method, source, D, block);
            continue;
        }
        double normal = D[2 * source->rows + 2] + (problem->R ? problem->R[source->row + 2] : 0.0);
        block->kind = normal > 0.0 ? TS_PGS_ROWS : TS_PGS_SKIP;
    }
}

static void for_all(ts_pgs* pgs, const ts_pgs_method* method, ts_task_range range) {
    pgs_work work = {.pgs = pgs, .method = method};
    ts_task_parallel_for(pgs->problem->tasks, pgs->problem->block_count, PART, range, &work);
}

static int all_finite(const double* x, int n) {
    // Zero times anything finite is zero; infinities and NaNs make the sum NaN. Four sums wait for each other less.
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
    for (; i < n; ++i) sum[0] += 0.0 * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

static void project_range(void* context, int begin, int end, int worker) {
    const pgs_work* work = (const pgs_work*)context;
    const ts_pgs* pgs = work->pgs;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        const ts_block* block = &pgs->problem->block[b];
        double* lambda = pgs->lambda + block->row;
        if (pgs->block[b].kind == TS_PGS_SKIP)
            memset(lambda, 0, (size_t)block->rows * sizeof(double));
        else if (pgs->law == TS_LAW_CCP)
            ts_block_set_project(block, lambda, lambda);
        else
            ts_block_set_admit(block, ts_friction_shape_of(ts_contact_law_facets(pgs->law)), lambda);
    }
}

// Pulls lambda to the admissible set, block by block.
static void project(ts_pgs* pgs, const ts_pgs_method* method) { for_all(pgs, method, project_range); }

static void project_start(ts_pgs* pgs, const ts_pgs_method* method) {
    if (!all_finite(pgs->lambda, pgs->problem->row_count))
        memset(pgs->lambda, 0, (size_t)pgs->problem->row_count * sizeof(double));
    project(pgs, method);
}

// u of some blocks, and how far they are from good enough; that they are far off is seen at a few of them.
static void look_range(void* context, int begin, int end, int worker) {
    const pgs_work* work = (const pgs_work*)context;
    const ts_pgs* pgs = work->pgs;
    const ts_contact_problem* problem = pgs->problem;
    (void)worker;
    for (int b = begin; b < end; ++b) ts_contact_problem_block_velocity(problem, b, pgs->lambda, pgs->u);
    double worst = 0.0;
    for (int b = begin; b < end && !(worst > far_off); b += LOOK) {
        int last = b + LOOK < end ? b + LOOK : end;
        double part = ts_yardstick_excess_of(&pgs->yardstick, b, last, pgs->largest, pgs->lambda, pgs->u);
        if (part > worst || isnan(part)) worst = part;
    }
    pgs->part[begin / PART] = worst;
}

static double largest_impulse(const ts_pgs* pgs) {
    double largest = 0.0;
    for (int i = 0; i < pgs->problem->row_count; ++i)
        if (fabs(pgs->lambda[i]) > largest) largest = fabs(pgs->lambda[i]);
    return largest;
}

// Recomputes u from the impulse alone and returns how many times too large the error is.
static double look(ts_pgs* pgs, const ts_pgs_method* method) {
    double worst = 0.0;
    if (pgs->momentum)
        ts_momentum_set(pgs->momentum, pgs->lambda);
    else
        pgs->G->ops->set_impulse(pgs->G, pgs->lambda);
    pgs->largest = largest_impulse(pgs);
    for_all(pgs, method, look_range);
    for (int k = 0; k < part_count(pgs->problem); ++k)
        if (pgs->part[k] > worst || isnan(pgs->part[k])) worst = pgs->part[k];
    return worst;
}

// lambda . g and lambda . (G+R) lambda of the impulse `look` saw last.
typedef struct dual_parts {
    double asked, made;
} dual_parts;

static dual_parts dual_parts_of(const ts_pgs* pgs) {
    const double *lambda = pgs->lambda, *u = pgs->u, *g = pgs->problem->g;
    double asked[2] = {0.0, 0.0}, made[2] = {0.0, 0.0};
    int i = 0, n = pgs->problem->row_count;
    for (; i + 2 <= n; i += 2)
        for (int k = 0; k < 2; ++k) {
            asked[k] += lambda[i + k] * g[i + k];
            made[k] += lambda[i + k] * (u[i + k] - g[i + k]);
        }
    if (i < n) {
        asked[0] += lambda[i] * g[i];
        made[0] += lambda[i] * (u[i] - g[i]);
    }
    return (dual_parts){asked[0] + asked[1], made[0] + made[1]};
}

// Leaves an admissible impulse that is no worse a start than none at all: where it is, it is shortened to the best on its ray, which is
// none where it asks for nothing (or its cost overflows). Returns its excess.
static double begin(ts_pgs* pgs, const ts_pgs_method* method) {
    project_start(pgs, method);
    double excess = look(pgs, method);
    dual_parts dual = dual_parts_of(pgs);
    double part = ts_solver_part(dual.asked, dual.made);
    if (part == 1.0) return excess;
    if (pgs->settings->drops) part = 0.0;
    for (int i = 0; i < pgs->problem->row_count; ++i) pgs->lambda[i] = part > 0.0 ? part * pgs->lambda[i] : 0.0;
    project(pgs, method);
    return look(pgs, method);
}

static int is_finite_state(const ts_pgs* pgs) {
    return all_finite(pgs->lambda, pgs->problem->row_count) && all_finite(pgs->u, pgs->problem->row_count);
}

// What the acceleration weighs a row with: its own stiffness, so that a movement counts with its energy.
static void fill_weights(const ts_pgs* pgs, double* weight) {
    const ts_contact_problem* problem = pgs->problem;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = pgs->G->ops->diagonal(pgs->G, b);
        for (int r = 0; r < block->rows; ++r)
            weight[block->row + r] = D[(block->rows + 1) * r] + (problem->R ? problem->R[block->row + r] : 0.0);
    }
}

static void sweep_piece(void* context, int begin, int end, int piece) {
    pgs_work* work = (pgs_work*)context;
    work->method->sweep(work->pgs, begin, end, &work->movement[piece]);
}

static void sweep_once(ts_pgs* pgs, const ts_pgs_method* method) {
    if (!pgs->order) {
        method->sweep(pgs, 0, pgs->problem->block_count, &pgs->change);
        return;
    }
    pgs_work work = {.pgs = pgs, .method = method};
    ts_sweep_order_run(pgs->order, pgs->problem->tasks, pgs->backward, sweep_piece, &work);
    for (int k = 0; k < TS_SWEEP_PIECES_MAX; ++k) ts_pgs_note(&pgs->change, work.movement[k]);
}

// A sweep, or a pair of them, there and back. Returns how many.
static int sweep(ts_pgs* pgs, const ts_pgs_method* method, int most) {
    sweep_once(pgs, method);
    if (pgs->settings->order == TS_PGS_ORDER_FORWARD) return 1;
    pgs->backward = !pgs->backward;
    // An accelerated map must stay the same map, so there the way back belongs to it.
    if (pgs->settings->order == TS_PGS_ORDER_ALTERNATE && !pgs->anderson) return 1;
    if (most < 2) return 1;
    sweep_once(pgs, method);
    pgs->backward = !pgs->backward;
    return 2;
}

// One step of the iteration: sweeps, from a proposal of the acceleration where it has one. Returns the sweeps taken.
static int step(ts_pgs* pgs, const ts_pgs_method* method, int most) {
    if (pgs->momentum) ts_momentum_push(pgs->momentum, pgs->lambda);
    if (!pgs->anderson) return sweep(pgs, method, most);
    if (ts_anderson_start(pgs->anderson, pgs->lambda)) {
        project(pgs, method);
        pgs->G->ops->set_impulse(pgs->G, pgs->lambda);
    }
    ts_anderson_started(pgs->anderson, pgs->lambda);
    int taken = sweep(pgs, method, most);
    if (!ts_anderson_finish(pgs->anderson, pgs->lambda)) pgs->G->ops->set_impulse(pgs->G, pgs->lambda);
    return taken;
}

static void iterate(ts_pgs* pgs, const ts_pgs_method* method, ts_solve_report* report) {
    const ts_solver_settings* settings = &pgs->settings->shared;
    size_t bytes = (size_t)pgs->problem->row_count * sizeof(double);
    // m/s: movement of a sweep at which the residual is worth a look.
    double gate = ts_yardstick_gate(&pgs->yardstick);
    int next_look = RESIDUAL_INTERVAL;
    while (report->iterations < settings->iteration_limit) {
        pgs->change.velocity = pgs->change.impulse = 0.0;
        report->iterations += step(pgs, method, settings->iteration_limit - report->iterations);
        ts_trace_note(&pgs->yardstick, report->iterations, pgs->lambda);
        int last = report->iterations == settings->iteration_limit;
        if (!(pgs->change.velocity <= gate) && report->iterations < next_look && !last) continue;

        next_look = report->iterations + RESIDUAL_INTERVAL;
        double excess = look(pgs, method);
        if (!is_finite_state(pgs)) {
            memcpy(pgs->lambda, pgs->finite_lambda, bytes);
            (void)look(pgs, method);
            report->status = TS_SOLVE_FAILED;
            return;
        }
        memcpy(pgs->finite_lambda, pgs->lambda, bytes);
        if (excess <= 1.0) {
            report->status = TS_SOLVE_CONVERGED;
            return;
        }
        if (pgs->change.impulse <= settings->stall * pgs->largest) {
            report->status = TS_SOLVE_STALLED;
            return;
        }
        if (excess > far_off) next_look += FAR_INTERVAL - RESIDUAL_INTERVAL;
        // Near the solution the residual is about proportional to the movement.
        gate = pgs->change.velocity / excess;
    }
    report->status = TS_SOLVE_ITERATION_LIMIT;
}

// Takes memory and prepares the sweeps. Returns 0 when memory is short.
static int prepare(ts_pgs* pgs, const ts_pgs_method* method, ts_anderson* anderson, ts_momentum* momentum,
                   ts_arena* scratch) {
    const ts_contact_problem* problem = pgs->problem;
    int memory = pgs->settings->anderson;
    pgs->block = TS_ARENA_ARRAY(scratch, ts_pgs_block, problem->block_count);
    pgs->u = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    pgs->finite_lambda = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    pgs->part = TS_ARENA_ARRAY(scratch, double, part_count(problem));
    if (!pgs->block || !pgs->u || !pgs->finite_lambda || !pgs->part) return 0;
    if (memory > 0) {
        double* weight = TS_ARENA_ARRAY(scratch, double, problem->row_count);
        if (!weight || !ts_anderson_make(anderson, problem->row_count, memory, weight, scratch)) return 0;
        fill_weights(pgs, weight);
        pgs->anderson = anderson;
    } else if (pgs->settings->momentum > 0.0) {
        if (!ts_momentum_make(momentum, pgs->G, pgs->settings->momentum, scratch)) return 0;
        pgs->momentum = momentum;
    }
    for_all(pgs, method, prepare_range);
    return 1;
}

ts_solve_report ts_pgs_solve(const ts_pgs_method* method, const ts_contact_problem* problem,
                             const ts_pgs_settings* settings, ts_arena* scratch, double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    if (!(problem->delassus->ops->abilities & TS_DELASSUS_ROWS)) return report;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    ts_pgs pgs = {.problem = problem,
                  .settings = settings,
                  .G = problem->delassus,
                  .form = ts_velocity_form_of(problem->delassus),
                  .lambda = impulse,
                  .law = method->law,
                  .exact_rows = method->exact_rows,
                  .omega = settings->omega};
    ts_anderson anderson;
    ts_momentum momentum;
    pgs.yardstick = ts_yardstick_make(problem, method->law, ts_solver_goal(&settings->shared));
    pgs.order = pgs.form && method->in_pieces ? pgs.form->order : NULL;
    if (prepare(&pgs, method, &anderson, &momentum, scratch)) {
        double excess = begin(&pgs, method);
        memcpy(pgs.finite_lambda, impulse, (size_t)problem->row_count * sizeof(double));
        if (!is_finite_state(&pgs))
            report.status = TS_SOLVE_FAILED;
        else if (excess <= 1.0)
            report.status = TS_SOLVE_CONVERGED;
        else
            iterate(&pgs, method, &report);
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}
