// Solving a problem for its own sake.
//
// Problem: a recorded problem comes without a history, and those who recorded it ask for another error than the natural map.
// Rule: solve, judge, and solve on with a tolerance next_part times as large while one of the errors asked for is too large,
// up to ATTEMPTS times.
// Source: the error function: Acary, Bremond and Huber 2018, on which the recorded problems' own solvers stop.
// Guaranteed: "converged" means that the recomputed errors are within the tolerance. Same input, same bits.
// Known to fail: where rounding in G lambda is larger than the tolerance; the status is then that of the solver, or a stall. The
// two-norm error has units (a step of 1 kg): in other units it is another error.
#include "contact/judge/relative.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "contact/block_set_internal.h"

enum { ATTEMPTS = 5 };

static const double next_part = 0.03;

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
    ts_relative_error error = {residual->natural, two_norm_of(problem, impulse, u),
                               ts_yardstick_unmet(problem, law, NULL, impulse, u)};
    return error;
}

int ts_relative_is_reached(const ts_relative_error* error, ts_contact_law law, double tolerance) {
    if (law == TS_LAW_NCP) return error->natural <= tolerance && error->two_norm <= tolerance;
    return error->own <= tolerance;
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

// Everything about an answer.
static void judge(const ts_solver* solver, const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                  const double* impulse, ts_relative_report* report) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* u = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (u) {
        ts_residual_evaluate(problem, impulse, scratch, u, &report->residual);
        report->own = ts_residual_of_law(problem, solver->law, impulse, u);
        report->error = ts_relative_error_of(problem, solver->law, impulse, u, &report->residual);
        if (solver->compliance) judge_softened(solver, problem, settings, scratch, impulse, u, report);
    } else {
        report->error.natural = report->error.two_norm = report->error.own = HUGE_VAL;
    }
    ts_arena_scope_end(scratch, scope);
}

ts_relative_report ts_relative_solve(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                     double tolerance, ts_task_pool* pool, ts_arena* scratch, double* out_impulse) {
    ts_relative_report report;
    memset(&report, 0, sizeof report);
    unsigned char once[TS_SOLVER_SETTINGS_BYTES];
    memcpy(once, settings, solver->settings_bytes);
    memset(out_impulse, 0, (size_t)problem->row_count * sizeof(double));
    report.status = TS_SOLVE_FAILED;
    double wanted = tolerance;
    while (report.attempts < ATTEMPTS) {
        ts_solver_set(solver, once, "tolerance", wanted, NULL);
        double start = ts_clock_seconds();
        ts_solve_report one = ts_island_solve(solver, problem, NULL, once, pool, scratch, out_impulse, &report.islands);
        report.seconds += ts_clock_seconds() - start;
        report.status = one.status;
        report.iterations += one.iterations;
        if (one.stage > report.stage) report.stage = one.stage;
        ++report.attempts;
        judge(solver, problem, once, scratch, out_impulse, &report);
        if (ts_relative_is_reached(&report.error, solver->law, tolerance)) {
            report.status = TS_SOLVE_CONVERGED;
            break;
        }
        if (one.status != TS_SOLVE_CONVERGED) break;
        report.status = TS_SOLVE_STALLED;
        wanted *= next_part;
    }
    return report;
}
