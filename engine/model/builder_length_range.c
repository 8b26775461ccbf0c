// The lengths that an actuator's transmission can have.
//
// Problem: a muscle's own length follows from that of its transmission by the range of the latter, which joints' limits, loops and
// bones that tendons go around decide together. Rule: pull at it with the force that accelerates the joints by 20 (rad or m)/s^2, slow everything
// down with a time constant of a second, wait until it stands: once to either end. Contacts, weight, springs, dampers and friction are left out.
// Source: MuJoCo's documentation, section Length range, with its default numbers. Limits are hard here: the ends are beyond MuJoCo's by
// nothing and within them by what its limits give way (1e-3 of a radian or so).
// Known failure: what has no end is refused, and the file must say it (lengthrange).
#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/model/builder_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// s, (rad or m)/s^2, 1: MuJoCo's compiler/lengthrange: step, time to settle, time over which it must stand, and by which share of the range.
static const double range_step = 0.01, settle_time = 10.0, watch_time = 2.0, slow_time = 1.0, pull_acceleration = 20.0;
static const double still = 0.05;

// Steps after which, and share by which, a length that has not changed has come to its end.
enum { LOOK = 50 };
static const double rest_change = 1e-9;

// A copy of a model's array, or NULL; of an empty array something.
static void* copy_of(const void* array, int count, size_t size) {
    void* copy = malloc((size_t)count * size + 1);
    if (copy && count > 0) memcpy(copy, array, (size_t)count * size);
    return copy;
}

// The model with nothing in it that pulls or touches; its arrays are copies. Returns 0 when memory is short.
static int make_still(const ts_model* model, ts_model* out) {
    *out = *model;
    ts_joint* joint = (ts_joint*)copy_of(model->joint, model->joint_count, sizeof *joint);
    ts_dof* dof = (ts_dof*)copy_of(model->dof, model->nv, sizeof *dof);
    ts_geom* geom = (ts_geom*)copy_of(model->geom, model->geom_count, sizeof *geom);
    ts_tendon* tendon = (ts_tendon*)copy_of(model->tendon, model->tendon_count, sizeof *tendon);
    ts_actuator* actuator = (ts_actuator*)copy_of(model->actuator, model->actuator_count, sizeof *actuator);
    out->joint = joint;
    out->dof = dof;
    out->geom = geom;
    out->tendon = tendon;
    out->actuator = actuator;
    if (!joint || !dof || !geom || !tendon || !actuator) return 0;
    for (int i = 0; i < model->joint_count; ++i) {
        joint[i].spring = joint[i].damping = joint[i].friction = 0.0;
        joint[i].curve.is_there = 0;
    }
    for (int i = 0; i < model->nv; ++i) dof[i].damping = dof[i].friction = 0.0;
    for (int i = 0; i < model->geom_count; ++i) geom[i].category = geom[i].mask = 0;
    for (int i = 0; i < model->tendon_count; ++i) {
        tendon[i].spring = tendon[i].damping = tendon[i].friction = 0.0;
        tendon[i].curve.is_there = 0;
    }
    for (int i = 0; i < model->actuator_count; ++i) actuator[i].active = 0;
    out->pair_count = 0;
    out->initial_keyframe = -1;
    out->options = ts_options_default();
    out->options.gravity = ts_vec3_zero();
    out->options.time_step = range_step;
    memcpy(out->options.integrator, "euler", sizeof "euler");
    return 1;
}

static void free_still(const ts_model* still_model) {
    free((void*)still_model->joint);
    free((void*)still_model->dof);
    free((void*)still_model->geom);
    free((void*)still_model->tendon);
    free((void*)still_model->actuator);
}

// The force on all joints that pulls at actuator i to one side, for the last dynamics.
static void pull(ts_sim* sim, int i, double side) {
    const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
    double* row = ts_sim_storage_of(sim)->new_velocity;
    double squared = 0.0;
    memset(row, 0, (size_t)sim->model->nv * sizeof *row);
    ts_lever_pull(lever, 1.0, 0, row);
    for (int t = 0; t < sim->model->tree_count; ++t) {
        ts_dynamics_whiten(sim, t, 1, row + sim->model->tree[t].dof_first);
        ts_dynamics_unwhiten(sim, t, row + sim->model->tree[t].dof_first);
    }
    for (int d = 0; d < sim->model->nv; ++d) squared += row[d] * row[d];
    memset(sim->force_applied, 0, (size_t)sim->model->nv * sizeof(double));
    ts_lever_pull(lever, side * pull_acceleration / fmax(1e-15, sqrt(squared)), 0, sim->force_applied);
}

// The length at one end, and between which lengths it was seen while it should stand.
static ts_code find_end(ts_sim* sim, int i, double side, double out_seen[2], ts_status* out_status) {
    double h = sim->options.time_step, slowing = exp(-h / slow_time);
    ts_code code = TS_OK;
    ts_sim_reset(sim);
    memcpy(sim->qpos, sim->model->qpos_rest, (size_t)sim->model->nq * sizeof(double));
    out_seen[0] = HUGE_VAL;
    out_seen[1] = -HUGE_VAL;
    double before = HUGE_VAL;
    for (int n = 0; !code && sim->time < settle_time; ++n) {
        for (int d = 0; d < sim->model->nv; ++d) sim->qvel[d] *= slowing;
        code = ts_sim_forward(sim, out_status);
        if (code) break;
        double length = sim->actuator_length[i];
        if (sim->time > settle_time - watch_time) {
            out_seen[0] = fmin(out_seen[0], length);
            out_seen[1] = fmax(out_seen[1], length);
        }
        if (n % LOOK == 0) {
            if (fabs(length - before) <= rest_change * (1.0 + fabs(length))) {
                out_seen[0] = out_seen[1] = length;
                break;
            }
            before = length;
        }
        pull(sim, i, side);
        code = ts_sim_step(sim, out_status);
    }
    return code;
}

static ts_code find_both(ts_sim* sim, int i, double* out_range, ts_status* out_status) {
    double low[2], high[2];
    ts_code code = find_end(sim, i, -1.0, low, out_status);
    if (!code) code = find_end(sim, i, 1.0, high, out_status);
    if (code) return code;
    double range = high[1] - low[0], slack = still * fmax(range, 0.0);
    if (!(range > 0.0) || low[1] - low[0] > slack || high[1] - high[0] > slack)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "the length that it pulls at has no two ends: say its lengthrange");
    out_range[0] = low[0];
    out_range[1] = high[1];
    return TS_OK;
}

ts_code ts_builder_find_length_range(const ts_model* model, int actuator, double* io_range, ts_status* out_status) {
    ts_model still_model;
    ts_sim* sim = NULL;
    if (io_range[0] < io_range[1]) return TS_OK;
    ts_code code = make_still(model, &still_model)
                       ? ts_sim_create(&still_model, 1, &sim, out_status)
                       : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    if (!code) code = find_both(sim, actuator, io_range, out_status);
    ts_sim_free(sim);
    free_still(&still_model);
    return code;
}
