// Solving to a relative tolerance.
//
// Problem: a recorded problem says neither its time step nor its units; masses may be grams or tons. "1e-8" can then only
// mean: relative to the problem. But solvers stop on absolute residuals, the largest of three numbers of different units.
// Rule: with v = rms of g and r = mean of 1 / stiffness, impulses are counted in units of r v and velocities in units of v,
// each rounded to a power of two; the laws are cones and half-lines and do not mind. The three parts are then of one size,
// and the first attempt stops at first_part times the tolerance. What a residual promises about the natural map depends on the
// problem (a product of impulse and velocity hides the root of itself), so the answer is judged as given, and solved on
// with a tolerance next_part times as large, up to ATTEMPTS times.
// Source: the error function: Acary, Bremond and Huber 2018, on which the recorded problems' own solvers stop.
// Guaranteed: "converged" means that the recomputed errors are within the tolerance. Same input, same bits.
// Known to fail: where rounding in G lambda is larger than the tolerance; the status is then that of the solver, or a stall.
#include "contact/judge/relative.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "contact/block_set_internal.h"
#include "contact/operator/delassus_block.h"

enum { ATTEMPTS = 5 };

static const double first_part = 0.3;
static const double next_part = 0.03;
// Numbers in the largest matrix that is listed (2 GiB).
#define MOST ((size_t)1 << 28)
// Free velocities under this are rest, m/s, as in residual.c.
static const double rest_speed = 1e-9;

// --- judging -----------------------------------------------------------------------------------------------------------

static double two_norm_of(const ts_contact_problem* problem, const double* impulse, const double* u) {
    double sum = 0.0, size = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double *l = impulse + block->row, *v = u + block->row;
        double y[TS_BLOCK_ROWS_MAX] = {0.0}, p[TS_BLOCK_ROWS_MAX] = {0.0};
        for (int r = 0; r < block->rows; ++r) y[r] = l[r] - v[r];
        ts_block_set_add_shift(block, v, -1.0, y);
        ts_block_set_project(block, y, p);
        for (int r = 0; r < block->rows; ++r) sum += (l[r] - p[r]) * (l[r] - p[r]);
    }
    for (int i = 0; i < problem->row_count; ++i) size += problem->g[i] * problem->g[i];
    return size > 0.0 ? sqrt(sum) / sqrt(size) : sqrt(sum);
}

ts_relative_error ts_relative_error_of(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                       const double* u, const ts_residual* residual) {
    ts_relative_error error = {residual->natural, two_norm_of(problem, impulse, u), 0.0};
    ts_law_residual own = ts_residual_of_law(problem, law, impulse, u);
    double velocity = rest_speed, size = 0.0, steps = 0.0;
    int moved = 0;
    for (int i = 0; i < problem->row_count; ++i) {
        velocity = fmax(velocity, fabs(problem->g[i]));
        size = fmax(size, fabs(impulse[i]));
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        int rows = problem->block[b].rows;
        double largest = 0.0;
        for (int r = 0; r < rows; ++r)
            largest = fmax(largest, D[r * rows + r] + (problem->R ? problem->R[problem->block[b].row + r] : 0.0));
        if (!(largest > 0.0)) continue;
        steps += 1.0 / largest;
        ++moved;
    }
    size = fmax(size, moved > 0 ? velocity * steps / moved : velocity);
    error.own = own.primal / size;
    if (!(own.dual / velocity <= error.own)) error.own = own.dual / velocity;
    if (!(own.complementarity / (size * velocity) <= error.own)) error.own = own.complementarity / (size * velocity);
    return error;
}

int ts_relative_is_reached(const ts_relative_error* error, ts_contact_law law, double tolerance) {
    if (law == TS_LAW_NCP) return error->natural <= tolerance && error->two_norm <= tolerance;
    return error->own <= tolerance;
}

// --- units of its own ----------------------------------------------------------------------------------------------------

// The power of two nearest to x; 1 for what has no size.
static double power_of_two(double x) {
    if (!(x > 0.0) || !isfinite(x)) return 1.0;
    double exponent = nearbyint(log2(x));
    return ldexp(1.0, (int)fmin(fmax(exponent, -400.0), 400.0));
}

static void choose_units(const ts_contact_problem* problem, ts_relative_problem* out) {
    double largest = 0.0, squares = 0.0, steps = 0.0;
    int moved = 0;
    for (int i = 0; i < problem->row_count; ++i) largest = fmax(largest, fabs(problem->g[i]));
    for (int i = 0; i < problem->row_count && largest > 0.0; ++i)
        squares += (problem->g[i] / largest) * (problem->g[i] / largest);
    for (int b = 0; b < problem->block_count; ++b) {
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        int rows = problem->block[b].rows;
        double stiffest = 0.0;
        for (int r = 0; r < rows; ++r) stiffest = fmax(stiffest, D[r * rows + r]);
        if (!(stiffest > 0.0)) continue;
        steps += 1.0 / stiffest;
        ++moved;
    }
    out->velocity_unit = power_of_two(problem->row_count > 0 ? largest * sqrt(squares / problem->row_count) : 1.0);
    out->impulse_unit = power_of_two(moved > 0 ? out->velocity_unit * steps / moved : 1.0);
}

// Blocks, g and R in the new units. Returns 0 when memory is short.
static int scale_vectors(const ts_contact_problem* problem, ts_arena* arena, ts_relative_problem* out) {
    int n = problem->row_count, blocks = problem->block_count;
    double stiffness = out->impulse_unit / out->velocity_unit;
    ts_block* block = TS_ARENA_ARRAY(arena, ts_block, blocks);
    double* g = TS_ARENA_ARRAY(arena, double, n);
    double* R = problem->R ? TS_ARENA_ARRAY(arena, double, n) : NULL;
    if (!block || !g || (problem->R && !R)) return 0;
    for (int b = 0; b < blocks; ++b)
        block[b] = ts_block_set_in_units(&problem->block[b], out->impulse_unit, out->impulse_unit);
    for (int i = 0; i < n; ++i) {
        g[i] = problem->g[i] / out->velocity_unit;
        if (R) R[i] = problem->R[i] * stiffness;
    }
    out->problem = *problem;
    out->problem.block = block;
    out->problem.g = g;
    out->problem.R = R;
    out->problem.time_step = 1.0;
    return 1;
}

static size_t numbers_in(const ts_contact_problem* problem, const ts_delassus_blocks* G) {
    size_t numbers = 0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int e = G->start[b]; e < G->start[b + 1]; ++e)
            numbers += (size_t)problem->block[b].rows * (size_t)problem->block[G->column[e]].rows;
    return numbers;
}

ts_code ts_relative_make(const ts_contact_problem* problem, ts_arena* arena, ts_relative_problem* out) {
    ts_delassus* G = problem->delassus;
    ts_delassus_blocks blocks;
    memset(out, 0, sizeof *out);
    out->given = problem;
    if (!(G->ops->abilities & TS_DELASSUS_BLOCKS)) return TS_ERROR_UNSUPPORTED;
    if (!G->ops->blocks(G, arena, MOST, &blocks)) return arena->failed ? TS_ERROR_MEMORY : TS_ERROR_UNSUPPORTED;
    choose_units(problem, out);
    if (!scale_vectors(problem, arena, out)) return TS_ERROR_MEMORY;
    size_t numbers = numbers_in(problem, &blocks);
    double stiffness = out->impulse_unit / out->velocity_unit;
    double* value = TS_ARENA_ARRAY(arena, double, numbers);
    if (!value) return TS_ERROR_MEMORY;
    for (size_t k = 0; k < numbers; ++k) value[k] = blocks.value[k] * stiffness;
    blocks.value = value;
    out->problem.delassus = ts_delassus_block_sparse(arena, problem->block_count, G->block_row, &blocks);
    return out->problem.delassus ? TS_OK : TS_ERROR_MEMORY;
}

// --- solving -----------------------------------------------------------------------------------------------------------

// What belongs to the solver's own law, where it softens what the problem leaves rigid. `u` becomes that law's.
static void judge_softened(const ts_solver* solver, const ts_contact_problem* given, const void* settings,
                           ts_arena* scratch, const double* impulse, double* u, ts_relative_report* report) {
    ts_contact_problem softened = *given;
    double* R = TS_ARENA_ARRAY(scratch, double, given->row_count);
    report->error.own = HUGE_VAL;
    if (!R) return;
    solver->compliance(given, settings, R);
    for (int i = 0; i < given->row_count; ++i) u[i] += (R[i] - (given->R ? given->R[i] : 0.0)) * impulse[i];
    softened.R = R;
    report->own = ts_residual_of_law(&softened, solver->law, impulse, u);
    report->error.own = ts_relative_error_of(&softened, solver->law, impulse, u, &report->residual).own;
}

// The impulse in the given units, and everything about it.
static void judge(const ts_solver* solver, const ts_relative_problem* p, const void* settings, ts_arena* scratch,
                  const double* x, double* out_impulse, ts_relative_report* report) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int n = p->given->row_count;
    double* u = TS_ARENA_ARRAY(scratch, double, n);
    for (int i = 0; i < n; ++i) out_impulse[i] = x[i] * p->impulse_unit;
    if (u) {
        ts_residual_evaluate(p->given, out_impulse, scratch, u, &report->residual);
        report->own = ts_residual_of_law(p->given, solver->law, out_impulse, u);
        report->error = ts_relative_error_of(p->given, solver->law, out_impulse, u, &report->residual);
        if (solver->compliance) judge_softened(solver, p->given, settings, scratch, out_impulse, u, report);
    } else {
        report->error.natural = report->error.two_norm = report->error.own = HUGE_VAL;
    }
    ts_arena_scope_end(scratch, scope);
}

ts_relative_report ts_relative_solve(const ts_solver* solver, const ts_relative_problem* p, const void* settings,
                                     double tolerance, ts_task_pool* pool, ts_arena* scratch, double* out_impulse) {
    ts_relative_report report;
    memset(&report, 0, sizeof report);
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* x = (double*)ts_arena_alloc_zeroed(scratch, (size_t)p->problem.row_count, sizeof(double));
    unsigned char once[TS_SOLVER_SETTINGS_BYTES];
    memcpy(once, settings, solver->settings_bytes);
    report.status = TS_SOLVE_FAILED;
    double wanted = first_part * tolerance;
    while (x && report.attempts < ATTEMPTS) {
        ts_solver_set(solver, once, "tolerance", wanted, NULL);
        if (ts_solver_setting_find(solver, "natural")) ts_solver_set(solver, once, "natural", wanted, NULL);
        double start = ts_clock_seconds();
        ts_solve_report one = ts_island_solve(solver, &p->problem, once, pool, scratch, x, &report.islands);
        report.seconds += ts_clock_seconds() - start;
        report.status = one.status;
        report.iterations += one.iterations;
        if (one.stage > report.stage) report.stage = one.stage;
        ++report.attempts;
        judge(solver, p, once, scratch, x, out_impulse, &report);
        if (ts_relative_is_reached(&report.error, solver->law, tolerance)) {
            report.status = TS_SOLVE_CONVERGED;
            break;
        }
        if (one.status != TS_SOLVE_CONVERGED) break;
        report.status = TS_SOLVE_STALLED;
        wanted *= next_part;
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}
