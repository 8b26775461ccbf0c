// Accelerations of bodies and forces between them, of a step that is solved and not yet taken over.
//
// Problem: a force sensor shows what holds a body to its parent, wherever it comes from. Rule: accelerations outwards as in the
// recursive Newton-Euler algorithm, with qacc = (v+ - v) / h; then, inwards, what a body and all that hangs on it need beyond what acts
// on them from outside: f_b = I a + v x* I v - external_b + sum over children f_c (Featherstone 2008, section 5.3).
// External are: applied wrenches, contacts, connections and welds (each source of rows says where its impulses act, by the same
// function that fills its rows), spatial tendons and sites that are pulled at. What takes a body's weight away (gravcomp) is not: it stands
// for motors that hold it, as in MuJoCo. What acts along a joint (its motor, spring, limit,
// friction) is between the body and its parent and so part of f.
// Guaranteed: S . f of a joint's axis is all that acts along it, less armature's share, to rounding, under every solver.
#include "engine/sensor/sensor_motion_internal.h"

#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

int ts_sensor_motion_create(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (model->step_sensor_count == 0) return 1;
    ts_sensor_motion* motion = (ts_sensor_motion*)ts_arena_alloc_zeroed(&storage->fixed, 1, sizeof(ts_sensor_motion));
    if (!motion) return 0;
    motion->acceleration = TS_ARENA_ARRAY(&storage->fixed, ts_motion, model->body_count);
    motion->force = TS_ARENA_ARRAY(&storage->fixed, ts_force, model->body_count);
    motion->pull = TS_ARENA_ARRAY(&storage->fixed, double, model->tendon_count);
    storage->sensor_motion = motion;
    return !storage->fixed.failed;
}

static ts_sensor_motion* motion_of(const ts_sim* sim) { return ts_sim_storage_of(sim)->sensor_motion; }

void ts_sensor_motion_begin(ts_sim* sim) { motion_of(sim)->has_accelerations = motion_of(sim)->has_forces = 0; }

ts_vec3 ts_sensor_origin(const ts_sim* sim, int body) {
    int tree = sim->model->body[body].tree;
    return tree < 0 ? ts_vec3_zero() : ts_kinematics_origin(sim->model, &sim->kinematics, tree);
}

ts_vec3 ts_sensor_turning(const ts_sim* sim, int body) {
    return sim->model->body[body].tree < 0 ? ts_vec3_zero() : sim->kinematics.body_velocity[body].angular;
}

const ts_sensor_motion* ts_sensor_accelerations(ts_sim* sim) {
    const ts_model* model = sim->model;
    const double* new_velocity = ts_sim_storage_of(sim)->new_velocity;
    ts_sensor_motion* motion = motion_of(sim);
    if (motion->has_accelerations) return motion;
    motion->has_accelerations = 1;
    double rate = 1.0 / sim->options.time_step;
    for (int b = 0; b < model->body_count; ++b) {
        const ts_body* body = &model->body[b];
        ts_motion a = {ts_vec3_zero(), ts_vec3_neg(sim->options.gravity)};
        if (body->tree >= 0) {
            a = ts_motion_add(a, ts_kinematics_bias(model, &sim->kinematics, b));
            for (int d = body->dof_last; d >= 0; d = model->dof[d].parent)
                a = ts_motion_add_scaled(a, rate * (new_velocity[d] - sim->qvel[d]),
                                         ts_kinematics_axis(sim->model, &sim->kinematics, d));
        }
        motion->acceleration[b] = a;
    }
    return motion;
}

ts_vec3 ts_sensor_point_acceleration(ts_sim* sim, int body, ts_vec3 point) {
    ts_motion a = ts_sensor_accelerations(sim)->acceleration[body];
    ts_vec3 arm = ts_vec3_sub(point, ts_sensor_origin(sim, body));
    ts_vec3 passing = ts_motion_at(a, arm);
    if (sim->model->body[body].tree < 0) return passing;
    ts_motion v = sim->kinematics.body_velocity[body];
    return ts_vec3_add(passing, ts_vec3_cross(v.angular, ts_motion_at(v, arm)));
}

// --- what acts on bodies from outside; taken away from what they need ---

static void take_away(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench) {
    ts_force* f = &motion_of(sim)->force[body];
    ts_vec3 arm = ts_vec3_sub(point, ts_sensor_origin(sim, body));
    f->force = ts_vec3_sub(f->force, wrench.force);
    f->couple = ts_vec3_sub(f->couple, ts_vec3_add(wrench.couple, ts_vec3_cross(arm, wrench.force)));
}

// A force of rows, or of what is measured along a way: `user` is the factor.
static void take_away_scaled(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench, void* user) {
    double factor = *(const double*)user;
    ts_force scaled = {ts_vec3_scale(factor, wrench.couple), ts_vec3_scale(factor, wrench.force)};
    take_away(sim, body, point, scaled);
}

static void take_away_applied(const ts_sim* sim) {
    for (int b = 0; b < sim->model->body_count; ++b)
        take_away(sim, b, sim->kinematics.body_centre[b], sim->wrench_applied[b]);
}

// Surfaces that stick pull both bodies of a contact together, besides what its rows do.
static void take_away_adhesion(const ts_sim* sim) {
    for (int c = 0; sim->contact_rare && c < sim->contact_count; ++c) {
        const ts_contact* contact = &sim->contact[c];
        double adhesion = sim->contact_rare[c].adhesion;
        if (adhesion == 0.0) continue;
        ts_vec3 pull = ts_vec3_scale(adhesion, ts_mat3_column(&contact->frame, 2));
        take_away(sim, contact->body_a, contact->position, (ts_force){ts_vec3_zero(), pull});
        take_away(sim, contact->body_b, contact->position, (ts_force){ts_vec3_zero(), ts_vec3_neg(pull)});
    }
}

// Rows say where they act: on bodies, or along tendons. Servos are told by the forces of their actuators.
static void take_away_rows(ts_sim* sim) {
    double rate = 1.0 / sim->options.time_step;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        double force[TS_BLOCK_ROWS_MAX];
        for (int r = 0; r < block->rows; ++r) force[r] = rate * sim->impulse[block->row + r];
        ts_row_listener listener = {force, take_away, motion_of(sim)->pull};
        ts_row_jacobian J = {.sim = sim, .listener = &listener};
        ts_row_source_at(sim->row_block[b].source)->jacobian(sim, b, &J);
    }
}

const ts_force* ts_sensor_row_forces(ts_sim* sim, int b, int r) {
    ts_sensor_motion* motion = motion_of(sim);
    double force[TS_BLOCK_ROWS_MAX] = {0.0};
    ts_row_listener listener = {force, take_away, motion->pull};
    ts_row_jacobian J = {.sim = sim, .listener = &listener};
    force[r] = 1.0;
    motion->has_forces = 0;
    memset(motion->force, 0, (size_t)sim->model->body_count * sizeof *motion->force);
    ts_row_source_at(sim->row_block[b].source)->jacobian(sim, b, &J);
    return motion->force;
}

static void count_wrenches(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench, void* user) {
    (void)sim, (void)body, (void)point, (void)wrench;
    ++*(int*)user;
}

// What a transmission does to bodies, other than along a joint or a tendon.
static void take_away_actuator(ts_sim* sim, int i, double force) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    const ts_transmission* transmission = ts_transmission_at(actuator->transmission);
    ts_lever told = *ts_actuation_drive(sim, i)->lever;
    int wrenches = 0;
    if (transmission->target == TS_TARGET_BODY) {
        // Adhesion is shared by all contacts, which have two sides.
        told.count = 0;  // it would divide moments that are not there
        told.listener = count_wrenches;
        told.user = &wrenches;
        transmission->measure(sim, actuator, &told);
        if (wrenches > 2) force *= 2.0 / wrenches;
    }
    told.listener = take_away_scaled;
    told.user = &force;
    transmission->measure(sim, actuator, &told);
}

static void take_away_tendons_and_sites(ts_sim* sim) {
    const ts_model* model = sim->model;
    double* pull = motion_of(sim)->pull;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* actuator = &model->actuator[i];
        const ts_transmission* transmission = ts_transmission_at(actuator->transmission);
        double force = sim->actuator_force[i];
        if (transmission->target == TS_TARGET_TENDON)
            pull[actuator->target] += actuator->gear[0] * force;
        else if (transmission->target != TS_TARGET_JOINT && force != 0.0)
            take_away_actuator(sim, i, force);
    }
    for (int t = 0; t < model->tendon_count; ++t) {
        double force = pull[t] + ts_actuation_tendon_force(sim, t);
        ts_lever told = ts_sim_storage_of(sim)->tendon_lever[t];
        told.listener = take_away_scaled;
        told.user = &force;
        if (force != 0.0) ts_tendon_measure(sim, &model->tendon[t], &told);
    }
}

// --- forces between bodies ---

// What a body needs to move as it does.
static ts_force needed(const ts_sim* sim, int b, ts_motion acceleration) {
    ts_inertia inertia = ts_kinematics_inertia(sim->model, &sim->kinematics, b);
    ts_force force = ts_inertia_mul(&inertia, acceleration);
    if (sim->model->body[b].tree < 0) return force;
    ts_motion velocity = sim->kinematics.body_velocity[b];
    return ts_force_add(force, ts_motion_cross_force(velocity, ts_inertia_mul(&inertia, velocity)));
}

const ts_sensor_motion* ts_sensor_forces(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sensor_motion* motion = motion_of(sim);
    ts_sensor_accelerations(sim);
    if (motion->has_forces) return motion;
    motion->has_forces = 1;
    memset(motion->pull, 0, (size_t)model->tendon_count * sizeof(double));
    for (int b = 0; b < model->body_count; ++b) motion->force[b] = needed(sim, b, motion->acceleration[b]);
    take_away_applied(sim);
    take_away_adhesion(sim);
    take_away_rows(sim);
    take_away_tendons_and_sites(sim);
    for (int b = model->body_count - 1; b > 0; --b) {
        int parent = model->body[b].parent;
        ts_force f = motion->force[b];
        ts_vec3 shift = ts_vec3_sub(ts_sensor_origin(sim, b), ts_sensor_origin(sim, parent));
        f.couple = ts_vec3_add(f.couple, ts_vec3_cross(shift, f.force));
        motion->force[parent] = ts_force_add(motion->force[parent], f);
    }
    return motion;
}
