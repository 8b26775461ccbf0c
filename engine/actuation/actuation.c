// Forces of actuators, and how they enter a step.
//
// Problem: a servo pulls harder the farther and the faster it is off. Taken as it is when the step begins, it bounds the step by the
// stiffness that it has. Rule: under an integrator that says so (TS_SERVO_END) the force is that at the end of the step,
//
//     f = clamp(f0 - k h (m v+) - d (m v+ - m v)),   k = -df/dl, d = -df/dl', m = dl/dq, limits included,
//
// which is stable for any k, d >= 0. Away from its limits f is linear in v+, and the part h (d + h k) m m^T stands in the mass matrix like
// that of a joint's damper and spring (engine/dynamics/dynamics.c), at no cost beyond. At or beyond a limit when the step
// begins, or where m is not along one chain of degrees of freedom and would fill the factor, it is a row of the contact problem
// (engine/rows/servo.c), a box whose bounds are the limits. Whoever was taken to be inside and is not when the solution is
// there becomes a row, and dynamics, rows and solution are found again: so the limits hold exactly, always.
// With TS_SERVO_RATE derivatives are taken ahead only where the force is inside its limits and m is along a chain; MuJoCo's meaning.
// Slopes of the wrong sign (k or d < 0) are never taken ahead.
// Springs and dampers of tendons are taken likewise.
// A joint's own limit of what actuators pull is that of the actuator if only one pulls there.
// Known weakness: where several pull at a limited joint, the limit holds for the forces when the step begins.
#include "engine/actuation/actuation_internal.h"

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/actuation/muscle_internal.h"
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

enum { NOBODY = -1, SEVERAL = -2 };

// 1: by which part of its largest limit a force may be beyond one: rounding.
static const double limit_rounding = 1e-9;

const char* ts_activation_name(ts_activation activation) {
    static const char* const name[TS_ACTIVATION_COUNT] = {"none", "integrator", "filter", "filterexact", "muscle"};
    return name[activation];
}

int ts_actuation_drive_count(const ts_model* model) { return model->actuator_count + model->tendon_count; }

const ts_drive* ts_actuation_drive(const ts_sim* sim, int i) { return &ts_sim_storage_of(sim)->drive[i]; }

// --- what follows from the model alone ---

// The levers of all drives; `marks` is scratch (nv). Returns 0 when memory is short.
static int find_levers(ts_sim* sim, char* marks) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    size_t count = (size_t)ts_actuation_drive_count(model);
    ts_lever* lever = (ts_lever*)ts_arena_alloc_zeroed(&storage->fixed, count, sizeof *lever);
    if (!lever || !marks) return 0;
    storage->tendon_lever = lever + model->actuator_count;
    for (int i = 0; i < (int)count; ++i) {
        memset(marks, 0, (size_t)model->nv);
        if (i < model->actuator_count)
            ts_transmission_at(model->actuator[i].transmission)->mark(model, &model->actuator[i], marks);
        else
            ts_tendon_mark(model, &model->tendon[i - model->actuator_count], marks);
        storage->drive[i].lever = &lever[i];
        if (!ts_lever_create(sim, marks, &lever[i])) return 0;
    }
    return 1;
}

static int is_limited_joint(const ts_joint* joint) {
    return joint->actuation.limited && ts_joint_type_nv(joint->type) == 1;
}

// The coordinate that the length of an actuator is the gear times, or -1.
static int find_number(const ts_model* model, const ts_actuator* actuator) {
    if (ts_transmission_at(actuator->transmission)->target != TS_TARGET_JOINT) return -1;
    const ts_joint* joint = &model->joint[actuator->target];
    return ts_joint_type_nv(joint->type) == 1 ? joint->qpos_first : -1;
}

// Whether its force is its control's alone, wherever it is.
static int is_motor(const ts_actuator* a, const ts_drive* drive) {
    double slopes = fabs(a->gain[1]) + fabs(a->gain[2]) + fabs(a->bias[0]) + fabs(a->bias[1]) + fabs(a->bias[2]);
    return drive->number >= 0 && a->act < 0 && slopes == 0.0 && !a->gain_is_muscle && !a->bias_is_muscle && a->active;
}

static void find_pullers(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int j = 0; j < sim->model->joint_count; ++j) storage->joint_puller[j] = NOBODY;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_actuator* actuator = &sim->model->actuator[i];
        const ts_lever* lever = storage->drive[i].lever;
        int constant = ts_transmission_at(actuator->transmission)->target == TS_TARGET_JOINT;
        for (int k = 0; k < lever->count; ++k) {
            int* puller = &storage->joint_puller[sim->model->dof[lever->dof[k]].joint];
            *puller = *puller == NOBODY && constant ? i : SEVERAL;
        }
    }
    for (int j = 0; j < sim->model->joint_count; ++j) {
        if (!is_limited_joint(&sim->model->joint[j])) continue;
        storage->joints_limit = 1;
        storage->joints_share_limits |= storage->joint_puller[j] == SEVERAL;
    }
}

static void find_limits(const ts_sim* sim, const ts_actuator* actuator, int i, ts_drive* out_drive) {
    out_drive->low = actuator->force.limited ? actuator->force.range[0] : -HUGE_VAL;
    out_drive->high = actuator->force.limited ? actuator->force.range[1] : HUGE_VAL;
    if (ts_transmission_at(actuator->transmission)->target != TS_TARGET_JOINT) return;
    const ts_joint* joint = &sim->model->joint[actuator->target];
    double gear = actuator->gear[0];
    if (!is_limited_joint(joint) || ts_sim_storage_of(sim)->joint_puller[actuator->target] != i || gear == 0.0) return;
    double a = joint->actuation.range[0] / gear, b = joint->actuation.range[1] / gear;
    out_drive->low = fmax(out_drive->low, fmin(a, b));
    out_drive->high = fmax(out_drive->low, fmin(out_drive->high, fmax(a, b)));
}

// Those of each tree, tendons before the actuators that pull at them.
static void list_by_tree(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int listed = 0, count = ts_actuation_drive_count(sim->model);
    for (int t = 0; t <= sim->model->tree_count; ++t) {
        storage->tree_drive_first[t] = listed;
        for (int i = count - 1; t < sim->model->tree_count && i >= 0; --i)
            if (storage->drive[i].lever->tree == t) storage->tree_drive[listed++] = i;
    }
}

int ts_actuation_create(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_arena* arena = &storage->fixed;
    size_t count = (size_t)ts_actuation_drive_count(model);
    if (count == 0) return 1;
    storage->tree_drive_first = (int*)ts_arena_alloc_zeroed(arena, (size_t)model->tree_count + 1, sizeof(int));
    storage->drive = (ts_drive*)ts_arena_alloc_zeroed(arena, count, sizeof(ts_drive));
    storage->tree_drive = TS_ARENA_ARRAY(arena, int, count);
    storage->joint_puller = TS_ARENA_ARRAY(arena, int, model->joint_count);
    storage->joint_excess = (double*)ts_arena_alloc_zeroed(arena, (size_t)model->nv, sizeof(double));
    char* marks = TS_ARENA_ARRAY(arena, char, model->nv);
    if (arena->failed || !find_levers(sim, marks)) return 0;
    find_pullers(sim);
    storage->all_are_motors = 1;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* actuator = &model->actuator[i];
        const ts_transmission* transmission = ts_transmission_at(actuator->transmission);
        find_limits(sim, actuator, i, &storage->drive[i]);
        storage->drive[i].number = find_number(model, actuator);
        storage->drive[i].is_motor = is_motor(actuator, &storage->drive[i]);
        storage->all_are_motors &= storage->drive[i].is_motor;
        storage->drive[i].turn = transmission->turn ? transmission->turn(model, actuator) : 0.0;
    }
    for (int i = model->actuator_count; i < (int)count; ++i) {
        storage->drive[i].low = -HUGE_VAL;
        storage->drive[i].high = HUGE_VAL;
    }
    list_by_tree(sim);
    storage->act_rate = (double*)ts_arena_alloc_zeroed(arena, (size_t)model->act_count, sizeof(double));
    storage->trees_are_joined = model->act_count > 0;
    for (size_t i = 0; i < count; ++i) {
        int tree = storage->drive[i].lever->tree;
        storage->trees_are_joined |= tree < 0;
        storage->some_are_held |= tree < 0 || storage->tree_is_lone[tree];
    }
    return !arena->failed;
}

// --- forces ---

static double clamped(const ts_limits* limits, double x) {
    return limits->limited ? ts_clamp(x, limits->range[0], limits->range[1]) : x;
}

double ts_actuation_rate(const ts_sim* sim, int i) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double u = clamped(&actuator->control, sim->ctrl[i]), w = sim->act[actuator->act];
    if (!actuator->active) return 0.0;
    switch (actuator->activation) {
    case TS_ACTIVATION_INTEGRATOR: return u;
    case TS_ACTIVATION_FILTER:
    case TS_ACTIVATION_FILTER_EXACT: return (u - w) / fmax(actuator->time_constant, 1e-15);
    case TS_ACTIVATION_MUSCLE: {
        const double constant[2] = {actuator->time_constant, actuator->rest_constant};
        return ts_muscle_activation_rate(constant, actuator->rest_width, u, w);
    }
    case TS_ACTIVATION_NONE:
    case TS_ACTIVATION_COUNT: break;
    }
    return 0.0;
}

double ts_actuation_next(const ts_sim* sim, int i, double rate) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double w = sim->act[actuator->act], time = sim->options.time_step;
    if (!actuator->active) return w;
    if (actuator->activation == TS_ACTIVATION_FILTER_EXACT) {
        double constant = fmax(actuator->time_constant, 1e-15);
        time = -expm1(-time / constant) * constant;
    }
    return clamped(&actuator->act_limits, w + time * rate);
}

// u of the law. Where lengths jump back after a turn, a position that is asked for means the nearest that looks the same.
static double input_of(const ts_sim* sim, int i, double length) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double turn = ts_sim_storage_of(sim)->drive[i].turn, u;
    if (actuator->act < 0)
        u = clamped(&actuator->control, sim->ctrl[i]);
    else
        u = actuator->act_early ? ts_actuation_next(sim, i, ts_actuation_rate(sim, i)) : sim->act[actuator->act];
    int follows = turn > 0.0 && actuator->bias[1] != 0.0 && actuator->gain[0] == -actuator->bias[1];
    return follows ? u - turn * nearbyint((u - length) / turn) : u;
}

// How the force of a drive enters the step. `limits` are its own; NULL: it has none.
static ts_drive_mode choose_mode(const ts_sim* sim, const ts_drive* drive, const ts_limits* limits, double force) {
    ts_servo_time time = sim->integrator->servos;
    if (time == TS_SERVO_NOW || !(drive->ahead > 0.0)) return TS_DRIVE_PLAIN;
    if (time == TS_SERVO_END) {
        int inside = force >= drive->low && force <= drive->high;
        return drive->lever->is_chain && inside && !drive->overran ? TS_DRIVE_AHEAD : TS_DRIVE_ROW;
    }
    int inside = !limits || !limits->limited || (force > limits->range[0] && force < limits->range[1]);
    return drive->lever->is_chain && inside ? TS_DRIVE_AHEAD : TS_DRIVE_PLAIN;
}

// A force law[0] with slopes law[1] by length and law[2] by rate, as the integrator takes it; returns what acts in the step beside
// what is taken ahead.
static double enter(const ts_sim* sim, ts_drive* drive, const ts_limits* limits, const double law[3], double rate) {
    double h = sim->options.time_step, force = law[0];
    if (law[1] == 0.0 && law[2] == 0.0) {
        // A motor: nothing to be taken ahead.
        drive->ahead = 0.0;
        drive->intercept = force;
        drive->mode = TS_DRIVE_PLAIN;
        return ts_clamp(force, drive->low, drive->high);
    }
    double stiffness = sim->integrator->springs_ahead ? fmax(-law[1], 0.0) : 0.0, damping = fmax(-law[2], 0.0);
    drive->ahead = damping + h * stiffness;
    drive->intercept = force + damping * rate;
    drive->mode = choose_mode(sim, drive, limits, force);
    if (drive->mode == TS_DRIVE_ROW) return 0.0;
    if (drive->mode == TS_DRIVE_AHEAD) return force - h * stiffness * rate;
    return ts_clamp(force, drive->low, drive->high);
}

// Gain and bias at this length and rate, with their slopes by both.
static void find_law(const ts_actuator* a, double length, double rate, double* out_gain, double* out_bias) {
    const double gain[3] = {a->gain[0] + a->gain[1] * length + a->gain[2] * rate, a->gain[1], a->gain[2]};
    const double bias[3] = {a->bias[0] + a->bias[1] * length + a->bias[2] * rate, a->bias[1], a->bias[2]};
    memcpy(out_gain, gain, sizeof gain);
    memcpy(out_bias, bias, sizeof bias);
    if (a->gain_is_muscle) ts_muscle_pull(&a->pull, a->length_range, length, rate, out_gain);
    if (a->bias_is_muscle) ts_muscle_stretch(&a->stretch, a->length_range, length, out_bias);
}

void ts_actuation_law(const ts_sim* sim, int i, double out_law[3], double out_gain[3]) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double u = input_of(sim, i, sim->actuator_length[i]), bias[3];
    find_law(actuator, sim->actuator_length[i], sim->actuator_velocity[i], out_gain, bias);
    for (int k = 0; k < 3; ++k) out_law[k] = out_gain[k] * u + bias[k];
}

void ts_actuation_law_bend(const ts_sim* sim, int i, double out_bend[3]) {
    const ts_actuator* a = &sim->model->actuator[i];
    double length = sim->actuator_length[i], rate = sim->actuator_velocity[i], u = input_of(sim, i, length);
    out_bend[0] = out_bend[1] = out_bend[2] = 0.0;
    if (a->gain_is_muscle) ts_muscle_pull_bend(&a->pull, a->length_range, length, rate, out_bend);
    for (int k = 0; k < 3; ++k) out_bend[k] *= u;
    if (a->bias_is_muscle) out_bend[0] += ts_muscle_stretch_bend(&a->stretch, a->length_range, length);
}

// The length of an actuator's transmission and what it changes with.
static double measure_lever(const ts_sim* sim, const ts_actuator* actuator, const ts_drive* drive) {
    ts_lever* lever = drive->lever;
    if (drive->number >= 0) {
        lever->moment[0] = actuator->gear[0];
        return actuator->gear[0] * sim->qpos[drive->number];
    }
    for (int k = 0; k < lever->count; ++k) lever->moment[k] = 0.0;
    return ts_transmission_at(actuator->transmission)->measure(sim, actuator, lever);
}

static inline double measure_motor(ts_sim* sim, int i, ts_drive* drive) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double gear = actuator->gear[0], force = actuator->gain[0] * clamped(&actuator->control, sim->ctrl[i]);
    drive->lever->moment[0] = gear;
    sim->actuator_length[i] = gear * sim->qpos[drive->number];
    sim->actuator_velocity[i] = gear * sim->qvel[drive->lever->dof[0]];
    sim->actuator_force[i] = clamped(&actuator->force, force);
    drive->mode = TS_DRIVE_PLAIN;
    drive->ahead = 0.0;
    drive->intercept = force;
    return ts_clamp(force, drive->low, drive->high);
}

static double measure_actuator(ts_sim* sim, int i, ts_drive* drive) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    sim->actuator_length[i] = measure_lever(sim, actuator, drive);
    double rate = sim->actuator_velocity[i] = ts_lever_rate(drive->lever, sim->qvel);
    sim->actuator_force[i] = 0.0;
    drive->mode = TS_DRIVE_PLAIN;
    if (!actuator->active) return 0.0;
    double law[3], gain[3];
    ts_actuation_law(sim, i, law, gain);
    sim->actuator_force[i] = clamped(&actuator->force, law[0]);
    return enter(sim, drive, &actuator->force, law, rate);
}

double ts_actuation_length(const ts_sim* sim, int i, double* out_rate) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    const ts_transmission* transmission = ts_transmission_at(actuator->transmission);
    const ts_drive* drive = ts_actuation_drive(sim, i);
    ts_lever* lever = drive->lever;
    double length;
    if (transmission->target == TS_TARGET_TENDON) {
        // The transmission itself would take the tendon as the step has measured it.
        for (int k = 0; k < lever->count; ++k) lever->moment[k] = 0.0;
        length = actuator->gear[0] * ts_tendon_measure(sim, &sim->model->tendon[actuator->target], lever);
        for (int k = 0; k < lever->count; ++k) lever->moment[k] *= actuator->gear[0];
    } else {
        length = measure_lever(sim, actuator, drive);
    }
    *out_rate = ts_lever_rate(lever, sim->qvel);
    return length;
}

static double measure_tendon(ts_sim* sim, int t, ts_drive* drive) {
    const ts_tendon* tendon = &sim->model->tendon[t];
    double length = ts_tendon_measure(sim, tendon, drive->lever), stretch = ts_tendon_stretch(tendon, length);
    double rate = ts_lever_rate(drive->lever, sim->qvel);
    sim->tendon_length[t] = length;
    sim->tendon_velocity[t] = rate;
    drive->mode = TS_DRIVE_PLAIN;
    if (tendon->spring == 0.0 && tendon->damping == 0.0 && !tendon->curve.is_there) return 0.0;
    double law[3] = {-tendon->spring * stretch - tendon->damping * rate, stretch != 0.0 ? -tendon->spring : 0.0,
                     -tendon->damping};
    if (tendon->curve.is_there) {
        double stiffness, damping;
        law[0] += ts_curve_force(&tendon->curve, stretch, rate, &stiffness, &damping);
        law[1] -= stiffness;
        law[2] -= damping;
    }
    return enter(sim, drive, NULL, law, rate);
}

double ts_actuation_tendon_force(const ts_sim* sim, int t) {
    const ts_drive* drive = ts_actuation_drive(sim, sim->model->actuator_count + t);
    const ts_tendon* tendon = &sim->model->tendon[t];
    if (tendon->spring == 0.0 && tendon->damping == 0.0 && !tendon->curve.is_there) return 0.0;
    if (drive->mode == TS_DRIVE_ROW) return 0.0;
    if (drive->mode == TS_DRIVE_AHEAD)
        return drive->intercept - drive->ahead * ts_lever_rate(drive->lever, ts_sim_storage_of(sim)->new_velocity);
    double stretch = ts_tendon_stretch(tendon, sim->tendon_length[t]), rate = sim->tendon_velocity[t], slope[2];
    double force = -tendon->spring * stretch - tendon->damping * rate;
    return tendon->curve.is_there ? force + ts_curve_force(&tendon->curve, stretch, rate, &slope[0], &slope[1]) : force;
}

// Measures a drive; returns the force that acts in the step beside what is taken ahead.
static double measure(ts_sim* sim, int i) {
    ts_drive* drive = &ts_sim_storage_of(sim)->drive[i];
    int tendon = i - sim->model->actuator_count;
    drive->beside = drive->is_motor ? measure_motor(sim, i, drive)
                    : tendon >= 0   ? measure_tendon(sim, tendon, drive)
                                    : measure_actuator(sim, i, drive);
    return drive->beside;
}

void ts_actuation_begin(ts_sim* sim) {
    ts_drive* drive = ts_sim_storage_of(sim)->drive;
    // What a motor does is known since the step began.
    if (ts_sim_storage_of(sim)->all_are_motors) return;
    for (int i = 0; i < ts_actuation_drive_count(sim->model); ++i) drive[i].overran = 0;
}

// Whether an actuator's force is found once in a step: it pulls at several trees, or at a body whose velocity the integrator
// finds itself from what is applied.
static int is_held(const ts_sim* sim, int tree) {
    return tree < 0 || (sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[tree]);
}

void ts_actuation_across(ts_sim* sim, double* applied) {
    const ts_drive* drive = ts_sim_storage_of(sim)->drive;
    if (!ts_sim_storage_of(sim)->some_are_held) return;
    // Tendons before the actuators that pull at them.
    for (int i = ts_actuation_drive_count(sim->model) - 1; i >= 0; --i)
        if (is_held(sim, drive[i].lever->tree)) ts_lever_pull(drive[i].lever, measure(sim, i), 0, applied);
}

// By how much what several actuators pull at a limited joint is beyond its limit.
static double excess(const ts_sim* sim, const ts_joint* joint, double pull) {
    const double* range = joint->actuation.range;
    int several = ts_sim_storage_of(sim)->joint_puller[joint - sim->model->joint] == SEVERAL;
    return several && is_limited_joint(joint) ? pull - ts_clamp(pull, range[0], range[1]) : 0.0;
}

// Takes from `force` what is beyond the limits of joints at which several pull.
static void limit_joints(const ts_sim* sim, int tree, double* force) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[tree].dof_first, last = first + sim->model->tree[tree].dof_count;
    for (int d = first; d < last; ++d) {
        const ts_joint* joint = &sim->model->joint[sim->model->dof[d].joint];
        if (!is_limited_joint(joint) || storage->joint_puller[sim->model->dof[d].joint] != SEVERAL) continue;
        double pull = 0.0;
        for (int n = storage->tree_drive_first[tree]; n < storage->tree_drive_first[tree + 1]; ++n) {
            int i = storage->tree_drive[n];
            const ts_lever* lever = storage->drive[i].lever;
            for (int k = 0; i < sim->model->actuator_count && k < lever->count; ++k)
                if (lever->dof[k] == d) pull += lever->moment[k] * sim->actuator_force[i];
        }
        storage->joint_excess[d] = excess(sim, joint, pull);
        force[d - first] -= storage->joint_excess[d];
    }
}

void ts_actuation_tree(ts_sim* sim, int tree, double* M, double* force) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->drive || is_held(sim, tree)) return;
    int begin = storage->tree_drive_first[tree], end = storage->tree_drive_first[tree + 1];
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    for (int at = begin; at < end; ++at) {
        ts_drive* drive = &storage->drive[storage->tree_drive[at]];
        const ts_lever* lever = drive->lever;
        if (drive->is_motor) {
            drive->beside = measure_motor(sim, storage->tree_drive[at], drive);
            force[lever->dof[0] - first] += drive->beside * lever->moment[0];
            continue;
        }
        ts_lever_pull(lever, measure(sim, storage->tree_drive[at]), first, force);
        if (drive->mode != TS_DRIVE_AHEAD || !M) continue;
        for (int k = 0; k < lever->count; ++k)
            ts_lever_pull(lever, sim->options.time_step * drive->ahead * lever->moment[k], first,
                          M + (lever->dof[k] - first) * n);
    }
    if (end > begin && storage->joints_share_limits) limit_joints(sim, tree, force);
}

void ts_actuation_total(ts_sim* sim) {
    const ts_model* model = sim->model;
    if (model->actuator_count == 0) return;
    const ts_drive* drive = ts_sim_storage_of(sim)->drive;
    double* force = sim->force_actuator;
    memset(force, 0, (size_t)model->nv * sizeof(double));
    for (int i = 0; i < model->actuator_count; ++i) ts_lever_pull(drive[i].lever, sim->actuator_force[i], 0, force);
    for (int j = 0; ts_sim_storage_of(sim)->joints_limit && j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        if (!is_limited_joint(joint)) continue;
        double* pull = &force[joint->dof_first];
        *pull = ts_clamp(*pull, joint->actuation.range[0], joint->actuation.range[1]);
    }
}

int ts_actuation_overran(ts_sim* sim, const double* velocity) {
    int any = 0;
    if (sim->integrator->servos != TS_SERVO_END || sim->model->actuator_count == 0) return 0;
    // Their forces are known since the step began.
    if (ts_sim_storage_of(sim)->all_are_motors) return 0;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        ts_drive* drive = &ts_sim_storage_of(sim)->drive[i];
        // A sleeper's was within its limits when it was last asked.
        int tree = drive->lever->count > 0 ? sim->model->dof[drive->lever->dof[0]].tree : -1;
        if (drive->mode != TS_DRIVE_AHEAD || ts_sim_tree_sleeps(sim, tree)) continue;
        double force = drive->intercept - drive->ahead * ts_lever_rate(drive->lever, velocity);
        double slack = limit_rounding * fmax(fabs(drive->low), fabs(drive->high));
        sim->actuator_force[i] = force;
        drive->overran = force < drive->low - slack || force > drive->high + slack;
        any |= drive->overran;
    }
    if (!any) ts_actuation_total(sim);
    return any;
}
