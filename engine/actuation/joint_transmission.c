// Transmissions of a joint.
//
// A number of the joint is measured as it is, times its gear. A rotation (ball) is measured along the axis gear[0..2] by its
// rotation vector, which jumps after half a turn; what floats has no length. The axis stands in the child, or in the parent, which
// only the moment of it tells from each other: a rotation vector is the same in both.
// Known weakness: the moment of a rotation is its axis, which is the derivative of the length only for turns about that axis. So
// it is in MuJoCo.
#include "engine/actuation/transmission_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

static const ts_joint* joint_of(const ts_model* model, const ts_actuator* actuator) {
    return &model->joint[actuator->target];
}

static void mark(const ts_model* model, const ts_actuator* actuator, char* out_marks) {
    const ts_joint* joint = joint_of(model, actuator);
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) out_marks[joint->dof_first + i] = 1;
}

static double measure(const ts_sim* sim, const ts_actuator* actuator, int in_parent, ts_lever* lever) {
    const ts_joint* joint = joint_of(sim->model, actuator);
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    const double* q = sim->qpos + joint->qpos_first;
    double length = 0.0;
    for (int i = 0; i < traits->numbers; ++i) {
        lever->moment[i] = actuator->gear[i];
        length += actuator->gear[i] * q[i];
    }
    if (traits->quaternion) {
        ts_quat turn = ts_quat_normalize(ts_quat_load(q + traits->numbers));
        ts_vec3 axis = ts_vec3_load(actuator->gear + traits->numbers);
        length += ts_vec3_dot(axis, ts_quat_to_rotation_vector(turn));
        if (in_parent) axis = ts_quat_rotate(ts_quat_conjugate(turn), axis);
        ts_vec3_store(axis, lever->moment + traits->numbers);
    }
    return traits->floats ? 0.0 : length;
}

static double measure_in_child(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    return measure(sim, actuator, 0, lever);
}

static double measure_in_parent(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    return measure(sim, actuator, 1, lever);
}

static double turn(const ts_model* model, const ts_actuator* actuator) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint_of(model, actuator)->type);
    return traits->quaternion && !traits->floats ? ts_transmission_full_turn(actuator->gear + traits->numbers) : 0.0;
}

const ts_transmission ts_transmission_joint = {
    .name = "joint", .target = TS_TARGET_JOINT, .mark = mark, .measure = measure_in_child, .turn = turn};

const ts_transmission ts_transmission_jointinparent = {
    .name = "jointinparent", .target = TS_TARGET_JOINT, .mark = mark, .measure = measure_in_parent, .turn = turn};
