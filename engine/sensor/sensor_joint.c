// Sensors of joints: positions, velocities, forces of actuators, and what happens at the ends of their ranges.
//
// A limit shows while the joint is beyond it, or its margin before it: how far (negative), and how fast that grows less. Its force is what stops the joint, in
// the step, at either end; a stop that acts before it is passed has a force, too.
#include "engine/actuation/actuation_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_limit_internal.h"

static const ts_joint* joint_of(const ts_sim* sim, const ts_sensor* sensor) {
    return &sim->model->joint[sensor->object[0].index];
}

static const char* number_fault(const ts_model* model, const ts_sensor* sensor) {
    return ts_joint_type_nv(model->joint[sensor->object[0].index].type) == 1 ? NULL
                                                                             : "its joint must be a hinge or a slide";
}

static const char* ball_fault(const ts_model* model, const ts_sensor* sensor) {
    const ts_joint_traits* traits = ts_joint_traits_of(model->joint[sensor->object[0].index].type);
    return traits->quaternion && !traits->floats ? NULL : "its joint must be a ball";
}

static const char* limit_fault(const ts_model* model, const ts_sensor* sensor) {
    return model->joint[sensor->object[0].index].limited ? NULL : "its joint has no limits";
}

static void measure_position(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = sim->qpos[joint_of(sim, sensor)->qpos_first];
}

static void measure_velocity(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = sim->qvel[joint_of(sim, sensor)->dof_first];
}

static void measure_actuation(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = sim->force_actuator[joint_of(sim, sensor)->dof_first];
}

static void measure_ball(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_quat turn = ts_quat_normalize(ts_quat_load(sim->qpos + joint_of(sim, sensor)->qpos_first));
    ts_quat_store(turn, out_values);
}

static void measure_ball_velocity(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    for (int i = 0; i < 3; ++i) out_values[i] = sim->qvel[joint_of(sim, sensor)->dof_first + i];
}

// The end that is passed: how far it is off (< 0) and at which rate that changes. Returns 0 where none is.
static int find_passed(const ts_sim* sim, const ts_joint* joint, double* out_gap, double* out_rate) {
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    int stops = ts_joint_traits_of(joint->type)->stops(joint, sim->qpos + joint->qpos_first, stop);
    for (int k = 0; k < stops; ++k) {
        *out_gap = stop[k].gap - joint->softness.margin;
        if (!(*out_gap < 0.0)) continue;
        *out_rate = 0.0;
        for (int i = 0; i < ts_joint_type_nv(joint->type); ++i)
            *out_rate += stop[k].rate[i] * sim->qvel[joint->dof_first + i];
        return 1;
    }
    return 0;
}

static void measure_limit(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double gap, rate;
    out_values[0] = find_passed(sim, joint_of(sim, sensor), &gap, &rate) ? gap : 0.0;
}

static void measure_limit_rate(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double gap, rate;
    out_values[0] = find_passed(sim, joint_of(sim, sensor), &gap, &rate) ? rate : 0.0;
}

static void measure_limit_force(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = ts_sensor_limit_force(sim, "joint-limit", sensor->object[0].index);
}

static int slope_position(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)scratch;
    by->q[joint_of(sim, sensor)->dof_first] = 1.0;
    return 1;
}

static int slope_velocity(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)scratch;
    by->v[joint_of(sim, sensor)->dof_first] = 1.0;
    return 1;
}

// The child's axes: dq = q (0, w) / 2.
static int slope_ball(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    const ts_joint* joint = joint_of(sim, sensor);
    ts_quat q = ts_quat_normalize(ts_quat_load(sim->qpos + joint->qpos_first));
    (void)scratch;
    for (int k = 0; k < 3; ++k) {
        ts_vec3 axis = ts_vec3_axis(k);
        double change[4];
        ts_quat_store(ts_quat_mul(q, ts_quat_make(0.0, 0.5 * axis.x, 0.5 * axis.y, 0.5 * axis.z)), change);
        for (int r = 0; r < 4; ++r) by->q[r * sim->model->nv + joint->dof_first + k] = change[r];
    }
    return 1;
}

static int slope_ball_velocity(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)scratch;
    for (int k = 0; k < 3; ++k) by->v[k * sim->model->nv + joint_of(sim, sensor)->dof_first + k] = 1.0;
    return 1;
}

// Of a joint of one number; a ball's stop is left to differences.
static int slope_limit_by(ts_sim* sim, const ts_sensor* sensor, double* by) {
    const ts_joint* joint = joint_of(sim, sensor);
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    if (ts_joint_type_nv(joint->type) != 1) return 0;
    int stops = ts_joint_traits_of(joint->type)->stops(joint, sim->qpos + joint->qpos_first, stop);
    for (int k = 0; k < stops; ++k) {
        if (!(stop[k].gap - joint->softness.margin < 0.0)) continue;
        by[joint->dof_first] = stop[k].rate[0];
        return 1;
    }
    return 1;
}

static int slope_limit(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)scratch;
    return slope_limit_by(sim, sensor, by->q);
}

static int slope_limit_rate(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)scratch;
    return slope_limit_by(sim, sensor, by->v);
}

static int slope_limit_force(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    (void)scratch;
    ts_sensor_limit_force_slope(sim, "joint-limit", sensor->object[0].index, by);
    return 1;
}

// Of what pulls by moments that stay, and within the limits that all of it together has.
static int slope_actuation(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    const ts_joint* joint = joint_of(sim, sensor);
    double force = sim->force_actuator[joint->dof_first];
    (void)scratch;
    if (joint->actuation.limited && !(force > joint->actuation.range[0] && force < joint->actuation.range[1])) return 1;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
        for (int k = 0; k < lever->count; ++k)
            if (lever->dof[k] == joint->dof_first && !ts_sensor_actuator_slope(sim, i, lever->moment[k], by)) return 0;
    }
    return 1;
}

#define OF_JOINT .object = {TS_SENSOR_IS(JOINT)}

const ts_sensor_kind ts_sensor_jointpos = {.name = "jointpos",
                                           .summary = "position of a joint, rad or m",
                                           .size = 1,
                                           OF_JOINT,
                                           .fault = number_fault,
                                           .measure = measure_position,
                                           .slope = slope_position};

const ts_sensor_kind ts_sensor_jointvel = {.name = "jointvel",
                                           .summary = "velocity of a joint, rad/s or m/s",
                                           .size = 1,
                                           OF_JOINT,
                                           .fault = number_fault,
                                           .measure = measure_velocity,
                                           .slope = slope_velocity};

const ts_sensor_kind ts_sensor_jointactuatorfrc = {.name = "jointactuatorfrc",
                                                   .summary = "force of all actuators at a joint, N m or N",
                                                   .size = 1,
                                                   OF_JOINT,
                                                   .fault = number_fault,
                                                   .measure = measure_actuation,
                                                   .step_slope = slope_actuation,
                                                   .stands = 1};

const ts_sensor_kind ts_sensor_ballquat = {.name = "ballquat",
                                           .summary = "quaternion of a ball joint",
                                           .size = 4,
                                           .values = TS_SENSOR_EXACT,
                                           OF_JOINT,
                                           .fault = ball_fault,
                                           .measure = measure_ball,
                                           .slope = slope_ball};

const ts_sensor_kind ts_sensor_ballangvel = {.name = "ballangvel",
                                             .summary = "angular velocity of a ball joint in the child's axes, rad/s",
                                             .size = 3,
                                             OF_JOINT,
                                             .fault = ball_fault,
                                             .measure = measure_ball_velocity,
                                             .slope = slope_ball_velocity};

const ts_sensor_kind ts_sensor_jointlimitpos = {.name = "jointlimitpos",
                                                .summary =
                                                    "distance to the passed end of a joint's range (< 0), rad or m",
                                                .size = 1,
                                                OF_JOINT,
                                                .fault = limit_fault,
                                                .measure = measure_limit,
                                                .slope = slope_limit};

const ts_sensor_kind ts_sensor_jointlimitvel = {.name = "jointlimitvel",
                                                .summary = "rate of that distance, rad/s or m/s",
                                                .size = 1,
                                                OF_JOINT,
                                                .fault = limit_fault,
                                                .measure = measure_limit_rate,
                                                .slope = slope_limit_rate};

const ts_sensor_kind ts_sensor_jointlimitfrc = {.name = "jointlimitfrc",
                                                .summary = "force of the ends of a joint's range, N m or N",
                                                .size = 1,
                                                .time = TS_SENSOR_OF_STEP,
                                                OF_JOINT,
                                                .fault = limit_fault,
                                                .measure = measure_limit_force,
                                                .step_slope = slope_limit_force};
