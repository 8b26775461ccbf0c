// Makes servos of torque motors: each joint is drawn to where a keyframe has it.
//
// Rule: torque = kp (q* - q) - kd q', kp such that the motor's whole torque answers to an error of `give`, kd = kp `settle`. q* is from the
// keyframe that the run started from, else "home", else the first, else the pose that the model is described in. As on
// a machine the torque is found once a step and held: where kd h is more than twice what turns, it shakes. A model's own position servos,
// whose force is that at the end of a step, know no such bound; they get q* as their control.
#include "scenes/controllers/controller.h"

#include <math.h>

enum { GIVE, SETTLE };

// N m or N, of the joint at most; infinite where nothing says it.
static double most_torque(const ts_model* model, const ts_actuator* motor) {
    double gear = fabs(motor->gear[0]), most = HUGE_VAL;
    const ts_joint* joint = &model->joint[motor->target];
    if (motor->control.limited)
        most = fmin(-motor->control.range[0], motor->control.range[1]) * fabs(motor->gain[0]) * gear;
    if (motor->force.limited) most = fmin(most, fmin(-motor->force.range[0], motor->force.range[1]) * gear);
    if (joint->actuation.limited) most = fmin(most, fmin(-joint->actuation.range[0], joint->actuation.range[1]));
    return most;
}

static int pulls_a_joint(const ts_model* model, const ts_actuator* actuator) {
    if (actuator->transmission != ts_transmission_find("joint")) return 0;
    ts_joint_type type = model->joint[actuator->target].type;
    return type == TS_JOINT_HINGE || type == TS_JOINT_SLIDE;
}

static int is_motor(const ts_actuator* a) {
    return a->bias[0] == 0.0 && a->bias[1] == 0.0 && a->bias[2] == 0.0 && a->gain[0] != 0.0 && a->gear[0] != 0.0;
}

static const char* fault(const ts_model* model) {
    if (model->actuator_count == 0) return "it has no actuators";
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        if (!pulls_a_joint(model, a)) return "an actuator pulls at something else than a hinge or a slide";
        if (a->activation != TS_ACTIVATION_NONE) return "an actuator has an activation";
        if (is_motor(a) && !(most_torque(model, a) < HUGE_VAL))
            return "a motor's torque has no limits to take gains from";
    }
    return NULL;
}

static void act(ts_sim* sim, const double* value) {
    const ts_model* model = sim->model;
    int home = ts_model_find_keyframe(model, "home");
    int key = sim->start_keyframe >= 0 ? sim->start_keyframe : home >= 0 ? home : model->keyframe_count > 0 ? 0 : -1;
    const double* wanted = key >= 0 ? model->keyframe[key].qpos : model->qpos_rest;
    for (int i = 0; i < model->actuator_count; ++i) {
        const ts_actuator* a = &model->actuator[i];
        const ts_joint* joint = &model->joint[a->target];
        double kp = most_torque(model, a) / value[GIVE];
        double error = wanted[joint->qpos_first] - sim->qpos[joint->qpos_first], rate = sim->qvel[joint->dof_first];
        sim->ctrl[i] = is_motor(a) ? kp * (error - value[SETTLE] * rate) / (a->gain[0] * a->gear[0])
                                   : wanted[joint->qpos_first] * a->gear[0];
    }
}

static const ts_controller_setting settings[] = {
    {"give", "error that a motor's whole torque answers to, rad or m", 0.02, 1e-6, 1e3},
    {"settle", "damping over stiffness, s", 0.01, 0.0, 10.0},
};

const ts_controller ts_controller_servo = {.name = "servo",
                                           .summary = "torque motors become position servos that hold a keyframe",
                                           .setting = settings,
                                           .setting_count = (int)(sizeof settings / sizeof settings[0]),
                                           .fault = fault,
                                           .act = act};
