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
// A joint's own limit of what actuators pull is that of the actuator if only one pulls there.
// Known weakness: where several pull at a limited joint, the limit holds for the forces when the step begins.
#include "engine/actuation/actuation_internal.h"

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

enum { NOBODY = -1, SEVERAL = -2 };

// 1: by which part of its largest limit a force may be beyond one: rounding.
static const double limit_rounding = 1e-9;

const char* ts_activation_name(ts_activation activation) {
    static const char* const name[TS_ACTIVATION_COUNT] = {"none", "integrator", "filter", "filterexact"};
    return name[activation];
}

const ts_drive* ts_actuation_drive(const ts_sim* sim, int i) { return &ts_sim_storage_of(sim)->drive[i]; }

// --- what follows from the model alone ---

// The dofs that an actuator may move, and their chains; `marks` is scratch (nv). Returns 0 when memory is short.
static int find_dofs(ts_sim* sim, const ts_actuator* actuator, char* marks, ts_drive* out_drive) {
    const ts_model* model = sim->model;
    ts_arena* arena = &ts_sim_storage_of(sim)->fixed;
    memset(marks, 0, (size_t)model->nv);
    ts_transmission_at(actuator->transmission)->mark(model, actuator, marks);
    int count = 0;
    for (int d = 0; d < model->nv; ++d) count += marks[d];
    out_drive->dof = TS_ARENA_ARRAY(arena, int, count);
    out_drive->chain = TS_ARENA_ARRAY(arena, int, count);
    out_drive->moment = (double*)ts_arena_alloc_zeroed(arena, (size_t)count, sizeof(double));
    if (arena->failed) return 0;
    out_drive->tree = -1;
    out_drive->is_chain = 1;
    for (int d = 0; d < model->nv; ++d) {
        if (!marks[d]) continue;
        int tree = model->dof[d].tree, n = out_drive->count++;
        out_drive->dof[n] = d;
        out_drive->tree = n == 0 || out_drive->tree == tree ? tree : -1;
        // The last one that d hangs on ends a chain no more.
        int above = model->dof[d].parent, ends = out_drive->chain_count;
        while (above >= 0 && !marks[above]) above = model->dof[above].parent;
        while (ends > 0 && out_drive->chain[ends - 1] != above) --ends;
        if (ends == 0) ends = ++out_drive->chain_count;
        out_drive->chain[ends - 1] = d;
    }
    if (out_drive->tree < 0 || ts_sim_storage_of(sim)->tree_kind[out_drive->tree] != TS_TREE_GENERAL ||
        out_drive->chain_count != 1)
        out_drive->is_chain = 0;
    return 1;
}

static int is_limited_joint(const ts_joint* joint) {
    return joint->actuation.limited && ts_joint_type_nv(joint->type) == 1;
}

static void find_pullers(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int j = 0; j < sim->model->joint_count; ++j) storage->joint_puller[j] = NOBODY;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_actuator* actuator = &sim->model->actuator[i];
        const ts_drive* drive = &storage->drive[i];
        int constant = ts_transmission_at(actuator->transmission)->target == TS_TARGET_JOINT;
        for (int k = 0; k < drive->count; ++k) {
            int* puller = &storage->joint_puller[sim->model->dof[drive->dof[k]].joint];
            *puller = *puller == NOBODY && constant ? i : SEVERAL;
        }
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

// Those of each tree, in order.
static void list_by_tree(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int listed = 0;
    for (int t = 0; t <= sim->model->tree_count; ++t) {
        storage->tree_drive_first[t] = listed;
        for (int i = 0; t < sim->model->tree_count && i < sim->model->actuator_count; ++i)
            if (storage->drive[i].tree == t) storage->tree_drive[listed++] = i;
    }
}

int ts_actuation_create(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_arena* arena = &storage->fixed;
    size_t count = (size_t)model->actuator_count;
    storage->tree_drive_first =
        (int*)ts_arena_alloc_zeroed(arena, count ? (size_t)model->tree_count + 1 : 0, sizeof(int));
    if (count == 0) return !arena->failed;
    storage->drive = (ts_drive*)ts_arena_alloc_zeroed(arena, count, sizeof(ts_drive));
    storage->tree_drive = TS_ARENA_ARRAY(arena, int, count);
    storage->joint_puller = TS_ARENA_ARRAY(arena, int, model->joint_count);
    char* marks = TS_ARENA_ARRAY(arena, char, model->nv);
    if (arena->failed) return 0;
    for (int i = 0; i < model->actuator_count; ++i)
        if (!find_dofs(sim, &model->actuator[i], marks, &storage->drive[i])) return 0;
    find_pullers(sim);
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* actuator = &model->actuator[i];
        const ts_transmission* transmission = ts_transmission_at(actuator->transmission);
        find_limits(sim, actuator, i, &storage->drive[i]);
        storage->drive[i].turn = transmission->turn ? transmission->turn(model, actuator) : 0.0;
    }
    list_by_tree(sim);
    return 1;
}

// --- forces ---

static double clamped(const ts_limits* limits, double x) {
    return limits->limited ? ts_clamp(x, limits->range[0], limits->range[1]) : x;
}

double ts_actuation_next(const ts_sim* sim, int i) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double u = clamped(&actuator->control, sim->ctrl[i]), w = sim->act[actuator->act];
    double h = sim->options.time_step, rate = h / fmax(actuator->time_constant, 1e-15);
    if (!actuator->active) return w;
    switch (actuator->activation) {
    case TS_ACTIVATION_INTEGRATOR: w += h * u; break;
    case TS_ACTIVATION_FILTER: w += rate * (u - w); break;
    case TS_ACTIVATION_FILTER_EXACT: w -= expm1(-rate) * (u - w); break;
    case TS_ACTIVATION_NONE:
    case TS_ACTIVATION_COUNT: break;
    }
    return clamped(&actuator->act_limits, w);
}

// u of the law. Where lengths jump back after a turn, a position that is asked for means the nearest that looks the same.
static double input_of(const ts_sim* sim, int i, double length) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    double turn = ts_sim_storage_of(sim)->drive[i].turn, u;
    if (actuator->act < 0)
        u = clamped(&actuator->control, sim->ctrl[i]);
    else
        u = actuator->act_early ? ts_actuation_next(sim, i) : sim->act[actuator->act];
    int follows = turn > 0.0 && actuator->bias[1] != 0.0 && actuator->gain[0] == -actuator->bias[1];
    return follows ? u - turn * nearbyint((u - length) / turn) : u;
}

// How the force of this actuator enters the step, with slopes k and d that are not negative.
static ts_drive_mode choose_mode(const ts_sim* sim, const ts_actuator* actuator, const ts_drive* drive, double force) {
    ts_servo_time time = sim->integrator->servos;
    if (time == TS_SERVO_NOW || !(drive->ahead > 0.0)) return TS_DRIVE_PLAIN;
    if (time == TS_SERVO_END) {
        int inside = force >= drive->low && force <= drive->high;
        return drive->is_chain && inside && !drive->overran ? TS_DRIVE_AHEAD : TS_DRIVE_ROW;
    }
    const double* range = actuator->force.range;
    int inside = !actuator->force.limited || (force > range[0] && force < range[1]);
    return drive->is_chain && inside ? TS_DRIVE_AHEAD : TS_DRIVE_PLAIN;
}

// Measures an actuator; returns the force that acts in the step beside what is taken ahead.
static double measure(ts_sim* sim, int i) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    ts_drive* drive = &ts_sim_storage_of(sim)->drive[i];
    double rate = 0.0, h = sim->options.time_step;
    for (int k = 0; k < drive->count; ++k) drive->moment[k] = 0.0;
    double length =
        ts_transmission_at(actuator->transmission)->measure(sim, actuator, drive->count, drive->dof, drive->moment);
    for (int k = 0; k < drive->count; ++k) rate += drive->moment[k] * sim->qvel[drive->dof[k]];
    sim->actuator_length[i] = length;
    sim->actuator_velocity[i] = rate;
    sim->actuator_force[i] = drive->ahead = 0.0;
    drive->mode = TS_DRIVE_PLAIN;
    if (!actuator->active) return 0.0;
    const double *gain = actuator->gain, *bias = actuator->bias;
    double u = input_of(sim, i, length);
    double force = (gain[0] + gain[1] * length + gain[2] * rate) * u + (bias[0] + bias[1] * length + bias[2] * rate);
    double stiffness = sim->integrator->springs_ahead ? fmax(-(gain[1] * u + bias[1]), 0.0) : 0.0;
    double damping = fmax(-(gain[2] * u + bias[2]), 0.0);
    drive->ahead = damping + h * stiffness;
    drive->intercept = force + damping * rate;
    drive->mode = choose_mode(sim, actuator, drive, force);
    sim->actuator_force[i] = clamped(&actuator->force, force);
    if (drive->mode == TS_DRIVE_ROW) return 0.0;
    if (drive->mode == TS_DRIVE_AHEAD) return force - h * stiffness * rate;
    return ts_clamp(force, drive->low, drive->high);
}

void ts_actuation_begin(ts_sim* sim) {
    ts_drive* drive = ts_sim_storage_of(sim)->drive;
    for (int i = 0; i < sim->model->actuator_count; ++i) drive[i].overran = 0;
}

// Whether an actuator's force is found once in a step: it pulls at several trees, or at a body whose velocity the integrator
// finds itself from what is applied.
static int is_held(const ts_sim* sim, const ts_drive* drive) {
    return drive->tree < 0 || (sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[drive->tree]);
}

void ts_actuation_across(ts_sim* sim, double* applied) {
    const ts_drive* drive = ts_sim_storage_of(sim)->drive;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        if (!is_held(sim, &drive[i])) continue;
        double force = measure(sim, i);
        for (int k = 0; k < drive[i].count; ++k) applied[drive[i].dof[k]] += drive[i].moment[k] * force;
    }
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
            const ts_drive* drive = &storage->drive[storage->tree_drive[n]];
            for (int k = 0; k < drive->count; ++k)
                if (drive->dof[k] == d) pull += drive->moment[k] * sim->actuator_force[storage->tree_drive[n]];
        }
        force[d - first] -= excess(sim, joint, pull);
    }
}

void ts_actuation_tree(ts_sim* sim, int tree, double* M, double* force) {
    if (sim->model->actuator_count == 0) return;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int begin = storage->tree_drive_first[tree], end = storage->tree_drive_first[tree + 1];
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    for (int at = begin; at < end; ++at) {
        int i = storage->tree_drive[at];
        const ts_drive* drive = &storage->drive[i];
        if (is_held(sim, drive)) continue;
        double pull = measure(sim, i), ahead = sim->options.time_step * drive->ahead;
        for (int k = 0; k < drive->count; ++k) force[drive->dof[k] - first] += drive->moment[k] * pull;
        if (drive->mode != TS_DRIVE_AHEAD || !M) continue;
        for (int k = 0; k < drive->count; ++k)
            for (int l = 0; l < drive->count; ++l)
                M[(drive->dof[k] - first) * n + drive->dof[l] - first] += ahead * drive->moment[k] * drive->moment[l];
    }
    if (end > begin) limit_joints(sim, tree, force);
}

void ts_actuation_total(ts_sim* sim) {
    const ts_model* model = sim->model;
    if (model->actuator_count == 0) return;
    memset(sim->force_actuator, 0, (size_t)model->nv * sizeof(double));
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_drive* drive = ts_actuation_drive(sim, i);
        for (int k = 0; k < drive->count; ++k)
            sim->force_actuator[drive->dof[k]] += drive->moment[k] * sim->actuator_force[i];
    }
    for (int j = 0; j < model->joint_count; ++j) {
        const ts_joint* joint = &model->joint[j];
        if (!is_limited_joint(joint)) continue;
        double* pull = &sim->force_actuator[joint->dof_first];
        *pull = ts_clamp(*pull, joint->actuation.range[0], joint->actuation.range[1]);
    }
}

int ts_actuation_overran(ts_sim* sim, const double* velocity) {
    int any = 0;
    if (sim->integrator->servos != TS_SERVO_END || sim->model->actuator_count == 0) return 0;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        ts_drive* drive = &ts_sim_storage_of(sim)->drive[i];
        if (drive->mode != TS_DRIVE_AHEAD) continue;
        double rate = 0.0;
        for (int k = 0; k < drive->count; ++k) rate += drive->moment[k] * velocity[drive->dof[k]];
        double force = drive->intercept - drive->ahead * rate;
        double slack = limit_rounding * fmax(fabs(drive->low), fabs(drive->high));
        sim->actuator_force[i] = force;
        drive->overran = force < drive->low - slack || force > drive->high + slack;
        any |= drive->overran;
    }
    if (!any) ts_actuation_total(sim);
    return any;
}
