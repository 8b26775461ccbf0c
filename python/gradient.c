// Derivatives of steps and rollouts for the Python package. What is asked leaves the simulation as it was, to the bit.
#include "engine/derivative/rollout.h"

#include <stdlib.h>
#include <string.h>

#include "engine/step/certify.h"
#include "python/facade_internal.h"

struct ts_python_derivative {
    ts_python_world* world;
    ts_snapshot before;
    ts_arena arena;
    ts_step_derivative of;
    ts_step_derivative_settings settings;
    const ts_step_input* input;
    int input_count;
    char whose[200];  // of the block that was asked about
};

const char* ts_python_input_name(int kind) {
    return kind >= 0 && kind < TS_STEP_INPUT_KINDS ? ts_step_input_name((ts_step_input_kind)kind) : NULL;
}

int ts_python_input_size(const ts_python_world* world, int kind) {
    return ts_step_input_size(world->scene.model, (ts_step_input_kind)kind);
}

const char* ts_python_verdict_name(int verdict) {
    return verdict >= 0 && verdict <= TS_STEP_UNSUPPORTED ? ts_step_verdict_name((ts_step_verdict)verdict) : NULL;
}

static ts_step_derivative_settings settings_of(const ts_python_derivative_settings* given) {
    ts_step_derivative_settings settings = ts_step_derivative_default();
    settings.method = (ts_step_method)given->method;
    settings.tolerance = given->tolerance;
    settings.increment = given->increment;
    settings.nearness = given->nearness;
    return settings;
}

// Ranges of three numbers each as inputs, in memory of the arena; NULL when it is short.
static ts_step_input* inputs_of(const int* range, int count, ts_arena* arena) {
    ts_step_input* input = TS_ARENA_ARRAY(arena, ts_step_input, count > 0 ? count : 1);
    for (int i = 0; input && i < count; ++i)
        input[i] = (ts_step_input){(ts_step_input_kind)range[3 * i], range[3 * i + 1], range[3 * i + 2]};
    return input;
}

ts_python_derivative* ts_python_derivative_make(ts_python_world* world, const ts_python_derivative_settings* given,
                                                const int* range, int count, char* out_error, unsigned long size) {
    ts_status status;
    ts_python_derivative* d = calloc(1, sizeof *d);
    ts_code code = TS_ERROR_MEMORY;
    ts_status_set(&status, code, NULL, 0, "out of memory");
    ts_step_input* input = d ? inputs_of(range, count, &d->arena) : NULL;
    if (input) {
        d->settings = settings_of(given);
        d->input = input;
        d->input_count = count;
        d->world = world;
        code = ts_sim_snapshot(world->sim, &d->before, &status);
        if (!code) code = ts_step_derivative_make(world->sim, &d->settings, input, count, &d->arena, &d->of, &status);
    }
    if (!code) return d;
    ts_status_format(&status, out_error, size);
    ts_python_derivative_close(d);
    return NULL;
}

void ts_python_derivative_close(ts_python_derivative* d) {
    if (!d) return;
    if (d->before.data) ts_sim_restore(d->world->sim, &d->before, NULL);
    ts_snapshot_free(&d->before);
    ts_arena_free(&d->arena);
    free(d);
}

ts_python_derivative_report ts_python_derivative_get_report(const ts_python_derivative* d) {
    const ts_step_report* r = &d->of.report;
    ts_python_derivative_report report = {ts_step_verdict_name(r->verdict),
                                          r->reason,
                                          r->column_changed,
                                          r->column_verdict,
                                          r->mismatch,
                                          r->unmet,
                                          d->of.rows,
                                          d->of.columns,
                                          r->block_count,
                                          r->nearest,
                                          r->unknowns,
                                          r->rank,
                                          r->differenced};
    return report;
}

int ts_python_derivative_block(ts_python_derivative* d, int i, ts_python_block* out_block) {
    const ts_step_report* r = &d->of.report;
    if (i < 0 || i >= r->block_count) return 0;
    const ts_step_block_report* b = &r->block[i];
    ts_certify_describe(d->world->sim, i, d->whose, sizeof d->whose);
    *out_block = (ts_python_block){
        d->whose,    ts_contact_mode_name(b->mode), ts_step_change_name(b->change), b->impulse, b->speed, b->gap,
        b->roundings};
    return 1;
}

int ts_python_derivative_matrix(ts_python_derivative* d, double* out_matrix) {
    return ts_step_derivative_matrix(&d->of, &d->arena, out_matrix) != TS_OK;
}

int ts_python_derivative_sensors(ts_python_derivative* d, const int* sensor, int count, double* out_matrix,
                                 unsigned char* out_verdict, char* out_error, unsigned long size) {
    ts_status status;
    ts_sensor_jacobian J;
    ts_sensor_request request = {d->input, d->input_count, sensor, count};
    if (ts_sensor_jacobian_make(d->world->sim, &d->settings, &request, &d->arena, &J, &status)) {
        ts_status_format(&status, out_error, size);
        return 1;
    }
    memcpy(out_matrix, J.matrix, (size_t)J.rows * (size_t)J.columns * sizeof(double));
    memcpy(out_verdict, J.row_verdict, (size_t)J.rows);
    return 0;
}

int ts_python_derivative_forward(ts_python_derivative* d, const double* dx, double* out_dy) {
    return ts_step_derivative_forward(&d->of, dx, &d->arena, out_dy) != TS_OK;
}

int ts_python_derivative_reverse(ts_python_derivative* d, const double* y_bar, double* out_x_bar) {
    return ts_step_derivative_reverse(&d->of, y_bar, &d->arena, out_x_bar) != TS_OK;
}

// --- rollouts ---

static double ask_python(void* user, ts_sim* sim, int state, ts_rollout_pull* io_pull) {
    const ts_python_rollout* given = (const ts_python_rollout*)user;
    (void)sim;
    if (!io_pull) return given->loss(state, NULL);
    double* pull[5] = {io_pull->qpos, io_pull->qvel, io_pull->act, io_pull->ctrl, io_pull->parameter};
    return given->loss(state, pull);
}

static void take_report(const ts_rollout_report* from, ts_python_rollout* io) {
    memcpy(io->reason, from->reason, sizeof io->reason);
    memcpy(io->count, from->count, sizeof io->count);
    io->roundings = from->roundings;
    io->unmet = from->unmet;
    io->verdict = (int)from->verdict;
    io->step = from->step;
    io->nearest_step = from->nearest_step;
    io->differenced = from->differenced;
}

int ts_python_rollout_run(ts_python_world* world, ts_python_rollout* io, char* out_error, unsigned long size) {
    ts_status status;
    ts_arena arena = {0};
    ts_step_input* input = inputs_of(io->range, io->range_count, &arena);
    ts_code code = input ? TS_OK : ts_status_set(&status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    if (!code) {
        ts_rollout rollout = {.steps = io->steps,
                              .settings = settings_of(&io->settings),
                              .ctrl = io->ctrl,
                              .force = io->force,
                              .parameter = input,
                              .parameter_count = io->range_count,
                              .loss = ask_python,
                              .user = io};
        ts_rollout_gradient gradient = {.qpos = io->by_qpos,
                                        .qvel = io->by_qvel,
                                        .act = io->by_act,
                                        .ctrl = io->by_ctrl,
                                        .force = io->by_force,
                                        .parameter = io->by_parameter};
        if (io->value_only)
            code = ts_rollout_run(world->sim, &rollout, &gradient.loss, &status);
        else
            code = ts_rollout_backward(world->sim, &rollout, &arena, &gradient, &status);
        io->total = gradient.loss;
        if (!io->value_only) take_report(&gradient.report, io);
    }
    ts_arena_free(&arena);
    if (code) ts_status_format(&status, out_error, size);
    return code != TS_OK;
}
