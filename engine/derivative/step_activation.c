// What activations and controls add to the columns of a step.
//
// Problem: the change of a step by the activation or the control of an actuator, and what activations add by the time step. Rule: w+ = w + T r with
// the rate r = u, (u - w) / tau or a muscle's, T = h or that of the exact filter; the force goes by the control, the activation, or early by w+, and
// pulls and stiffens its drive as step_drive.c says.
// Source: the activations of engine/actuation/actuation.c; derived here.
// Guaranteed: as exact as the columns by position, within the range of an activation; at its ends it stays, and so has no slope.
#include <math.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/muscle_internal.h"
#include "engine/derivative/step_parameter_internal.h"

// The actuator that has an activation.
static int actuator_of(const ts_model* model, int act) {
    for (int i = 0; i < model->actuator_count; ++i)
        if (model->actuator[i].act == act) return i;
    return -1;
}

// The one that a column is of.
int ts_step_drive_of(const ts_model* model, ts_step_column c) {
    return c.kind == TS_STEP_BY_CONTROL ? c.index : actuator_of(model, c.index);
}

// Of its rate, by control and activation.
static void find_muscle_slopes(const ts_sim* sim, int i, double out_slope[2]) {
    const ts_actuator* a = &sim->model->actuator[i];
    const double constant[2] = {a->time_constant, a->rest_constant};
    double u = sim->ctrl[i];
    if (a->control.limited) u = fmin(fmax(u, a->control.range[0]), a->control.range[1]);
    ts_muscle_activation_slopes(constant, a->rest_width, u, sim->act[a->act], out_slope);
}

// How the activation of actuator i after the step answers: w+ = w + T r, r = u, (u - w) / tau or a muscle's.
static double next_activation_slope(const ts_sim* sim, int i, ts_step_input_kind kind) {
    const ts_actuator* a = &sim->model->actuator[i];
    double h = sim->options.time_step, tau = fmax(a->time_constant, 1e-15), T = h, T_rate = 1.0;
    double rate = ts_actuation_rate(sim, i), next;
    if (!a->active) return kind == TS_STEP_BY_ACTIVATION;
    if (a->activation == TS_ACTIVATION_FILTER_EXACT) {
        T = -expm1(-h / tau) * tau;
        T_rate = exp(-h / tau);
    }
    next = sim->act[a->act] + T * rate;
    const ts_limits *limits = &a->act_limits, *range = &a->control;
    if (limits->limited && (next < limits->range[0] || next > limits->range[1])) return 0.0;
    int filters = a->activation != TS_ACTIVATION_INTEGRATOR;
    double by[2] = {filters ? 1.0 / tau : 1.0, filters ? -1.0 / tau : 0.0};
    if (a->activation == TS_ACTIVATION_MUSCLE) find_muscle_slopes(sim, i, by);
    if (kind == TS_STEP_BY_ACTIVATION) return 1.0 + T * by[1];
    if (kind == TS_STEP_BY_TIME_STEP) return T_rate * rate;
    if (range->limited && (sim->ctrl[a - sim->model->actuator] < range->range[0] ||
                           sim->ctrl[a - sim->model->actuator] > range->range[1]))
        return 0.0;
    return T * by[0];
}

// How what its force goes by answers: its control, its activation, or early the next one.
static double input_slope(const ts_sim* sim, int i, ts_step_input_kind kind) {
    const ts_actuator* a = &sim->model->actuator[i];
    if (a->act < 0) return kind == TS_STEP_BY_CONTROL && ts_step_control_is_inside(sim, i);
    return a->act_early ? next_activation_slope(sim, i, kind) : kind == TS_STEP_BY_ACTIVATION;
}

void ts_step_add_pull(const ts_sim* sim, int t, int i, ts_step_input_kind kind, const double* next, double* x) {
    const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
    int first = sim->model->tree[t].dof_first;
    double slope = lever->tree == t && sim->model->actuator[i].active ? input_slope(sim, i, kind) : 0.0, after = 0.0;
    if (slope == 0.0) return;
    for (int k = 0; k < lever->count; ++k) after += lever->moment[k] * next[lever->dof[k] - first];
    slope *= sim->options.time_step * ts_step_drive_pull(sim, i, ts_lever_rate(lever, sim->qvel), after);
    for (int k = 0; k < lever->count; ++k) x[lever->dof[k] - first] += slope * lever->moment[k];
}

void ts_step_add_stiffening(const ts_sim* sim, int t, int i, ts_step_input_kind kind, const double* y, double* x) {
    const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
    int first = sim->model->tree[t].dof_first;
    double rate = 0.0;
    if (lever->tree != t || !ts_step_drive_stiffens(sim, i)) return;
    for (int k = 0; k < lever->count; ++k) rate += lever->moment[k] * y[lever->dof[k] - first];
    rate *= sim->options.time_step * ts_step_drive_stiffening(sim, i) * input_slope(sim, i, kind);
    for (int k = 0; k < lever->count; ++k) x[lever->dof[k] - first] += rate * lever->moment[k];
}

// Adds du and activations of actuator i; its impulses are those of its tree.
static void add_activation(const ts_sim* sim, const ts_step_implicit* p, ts_step_column c, int i, double* column) {
    const ts_actuator* a = &p->model->actuator[i];
    column[p->frozen.activation + a->act] += next_activation_slope(sim, i, c.kind);
    if (a->active && p->drive[i].row >= 0)
        column[p->frozen.row + p->drive[i].row] += input_slope(sim, i, c.kind) * p->drive[i].push;
}

void ts_step_add_activations(const ts_step_task* task, const ts_step_implicit* p, ts_step_column c, double* column) {
    int of_time = c.kind == TS_STEP_BY_TIME_STEP;
    if (!of_time && !ts_step_is_of_drive(c.kind)) return;
    for (int i = 0; i < p->model->actuator_count; ++i)
        if (p->model->actuator[i].act >= 0 && (of_time || i == ts_step_drive_of(p->model, c)))
            add_activation(task->sim, p, c, i, column);
}
