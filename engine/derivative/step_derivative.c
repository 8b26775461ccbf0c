// The derivative of a step: what its methods have in common.
#include "engine/derivative/step_derivative.h"

#include <string.h>

#include "engine/derivative/step_derivative_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/step.h"

ts_step_derivative_settings ts_step_derivative_default(void) {
    return (ts_step_derivative_settings){TS_STEP_IMPLICIT, 1e-12, 1.0, 10.0, 0};
}

void ts_step_strict_begin(ts_sim* sim, double tolerance, ts_step_strict* out) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_solver_settings shared;
    memcpy(out->solver_settings, sim->solver_settings, sizeof out->solver_settings);
    out->control = sim->control;
    out->ledger = storage->ledger;
    sim->control = NULL;
    storage->ledger = NULL;
    memcpy(&shared, sim->solver_settings, sizeof shared);
    if (tolerance > 0.0 && tolerance < shared.tolerance) shared.tolerance = tolerance;
    memcpy(sim->solver_settings, &shared, sizeof shared);
}

void ts_step_strict_end(ts_sim* sim, const ts_step_strict* strict) {
    memcpy(sim->solver_settings, strict->solver_settings, sizeof strict->solver_settings);
    sim->control = strict->control;
    ts_sim_storage_of(sim)->ledger = strict->ledger;
}

static ts_code check_inputs(const ts_model* model, const ts_step_input* input, int count, int* out_columns,
                            ts_status* out_status) {
    *out_columns = 0;
    for (int n = 0; n < count; ++n) {
        int size = ts_step_input_size(model, input[n].kind);
        if (input[n].first < 0 || input[n].count < 0 || input[n].count > size - input[n].first)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "inputs [%d, %d) of %s: the model has %d",
                                 input[n].first, input[n].first + input[n].count, ts_step_input_name(input[n].kind),
                                 size);
        *out_columns += input[n].count;
    }
    return TS_OK;
}

// Blocks of the step that stands, and the problem whose law they obey.
static ts_code judge_blocks(const ts_step_task* task, ts_contact_problem* own, ts_step_report* report,
                            ts_status* out_status) {
    double* u = NULL;
    if (ts_step_own_problem(task->sim, task->arena, own, &u))
        report->block = ts_step_report_blocks(task->sim, own, u, task->arena);
    if (!report->block)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    report->block_count = own->block_count;
    report->unmet = task->sim->info.unmet;
    ts_step_report_drives(task->sim, report);
    return TS_OK;
}

// Rows up to which impulses are spread out for a second attempt; it takes their cube.
enum { SPREAD_ROWS = 300 };

// Hyperstatic contacts share their load as the solver has left it: one may seem to touch without force, or be about to slip, where others could
// take its part. Solves again for the impulses of least norm. Returns nonzero when that may help.
static int spread_load(const ts_step_task* task, ts_status* out_status) {
    ts_sim* sim = task->sim;
    if (sim->problem.row_count > SPREAD_ROWS || !ts_solver_setting_find(sim->solver, "least_norm")) return 0;
    if (ts_solver_get(sim->solver, sim->solver_settings, "least_norm") >= SPREAD_ROWS) return 0;
    return ts_solver_set(sim->solver, sim->solver_settings, "least_norm", SPREAD_ROWS, NULL) == TS_OK &&
           ts_sim_foresee(sim, out_status) == TS_OK;
}

static ts_code differentiate(const ts_step_task* task, ts_step_derivative* out, ts_status* out_status) {
    ts_contact_problem own;
    ts_code code = task->settings->foreseen ? TS_OK : ts_sim_foresee(task->sim, out_status);
    if (!code) code = judge_blocks(task, &own, &out->report, out_status);
    if (code) return code;
    if (task->settings->method == TS_STEP_DIFFERENCE) {
        code = ts_step_difference_make(task, out, out_status);
    } else {
        code = ts_step_implicit_make(task, &own, out, out_status);
        if (code == TS_ERROR_NUMERIC && spread_load(task, out_status)) {
            memset(&out->report, 0, sizeof out->report);
            code = judge_blocks(task, &own, &out->report, out_status);
            if (!code) code = ts_step_implicit_make(task, &own, out, out_status);
        }
        // Where it stays, the derivative is that to one side, and the report has said so.
        if (code == TS_ERROR_NUMERIC && out->report.verdict == TS_STEP_ONE_SIDED) {
            ts_step_task one_sided = *task;
            one_sided.one_sided = 1;
            code = ts_step_implicit_make(&one_sided, &own, out, out_status);
        }
    }
    ts_step_report_controls(task->sim, task->input, task->input_count, &out->report);
    ts_step_report_push(task->sim, task->settings->nearness, &out->report);
    if (!ts_step_report_margin(task->sim, task->settings->nearness, task->arena, &out->report) && !code)
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the derivative of a step");
    ts_step_report_judge(task->sim, task->settings->nearness, &out->report);
    return code;
}

ts_code ts_step_derivative_make(ts_sim* sim, const ts_step_derivative_settings* settings, const ts_step_input* input,
                                int input_count, ts_arena* arena, ts_step_derivative* out, ts_status* out_status) {
    ts_step_strict strict;
    ts_step_task task = {sim, settings, input, input_count, arena, 0};
    memset(out, 0, sizeof *out);
    out->rows = 2 * sim->model->nv + sim->model->act_count;
    out->method = settings->method;
    out->report.nearest = -1;
    ts_code code = check_inputs(sim->model, input, input_count, &out->columns, out_status);
    if (!code) code = ts_sleep_refuse(sim, "derivatives", out_status);
    if (code) return code;
    ts_step_strict_begin(sim, settings->tolerance, &strict);
    code = differentiate(&task, out, out_status);
    ts_step_strict_end(sim, &strict);
    if (code) {
        out->parts = NULL;
        return code;
    }
    return ts_status_ok(out_status);
}

ts_code ts_step_derivative_matrix(const ts_step_derivative* derivative, ts_arena* scratch, double* out_matrix) {
    return derivative->parts->ops->matrix(derivative, scratch, out_matrix);
}

ts_code ts_step_derivative_forward(const ts_step_derivative* derivative, const double* dx, ts_arena* scratch,
                                   double* out_dy) {
    return derivative->parts->ops->forward(derivative, dx, scratch, out_dy);
}

ts_code ts_step_derivative_reverse(const ts_step_derivative* derivative, const double* y_bar, ts_arena* scratch,
                                   double* out_x_bar) {
    return derivative->parts->ops->reverse(derivative, y_bar, scratch, out_x_bar);
}
