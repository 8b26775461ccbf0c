// Transmissions of a slider and a crank: a rod of given length joins a site (the crank pin) with a slider on the z axis of another site.
//
// With v from the slider's site to the pin and a the axis, the slider is at l = a.v - sqrt((a.v)^2 + r^2 - v.v) along it, the nearer of the
// two places where the rod reaches the axis; where it does not reach it, at the foot a.v. Times the gear that is the length; by the pin dl =
// (v / s + (1 - a.v / s) a).dv, s the root, and by the axis (1 - a.v / s) v.da. So it is in MuJoCo.
#include "engine/actuation/transmission_internal.h"

#include <math.h>

static const char* fault(const ts_model* model, const ts_actuator* actuator) {
    (void)model;
    if (actuator->reference < 0) return "a crank needs a slider";
    return actuator->rod > 0.0 && isfinite(actuator->rod) ? NULL : "its rod needs a length";
}

static void mark(const ts_model* model, const ts_actuator* actuator, char* out_marks) {
    ts_lever_mark_body(model, model->site[actuator->target].body, out_marks);
    ts_lever_mark_body(model, model->site[actuator->reference].body, out_marks);
}

static ts_transform pose_of(const ts_sim* sim, int site) {
    ts_transform local = ts_transform_from_pose(sim->model->site[site].pose);
    return ts_transform_mul(&sim->kinematics.body_pose[sim->model->site[site].body], &local);
}

static double measure(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    const ts_site* site = sim->model->site;
    ts_transform pin = pose_of(sim, actuator->target), slider = pose_of(sim, actuator->reference);
    ts_vec3 axis = ts_mat3_column(&slider.R, 2), v = ts_vec3_sub(pin.p, slider.p);
    double along = ts_vec3_dot(axis, v), gear = actuator->gear[0], length = along;
    double square = along * along + actuator->rod * actuator->rod - ts_vec3_dot(v, v);
    ts_vec3 by_pin = axis, by_axis = v;
    if (square > 0.0) {
        double root = sqrt(square), part = 1.0 - along / root;
        length = along - root;
        by_pin = ts_vec3_add_scaled(ts_vec3_scale(1.0 / root, v), part, axis);
        by_axis = ts_vec3_scale(part, v);
    }
    by_pin = ts_vec3_scale(gear, by_pin);
    ts_force at_pin = {.couple = ts_vec3_zero(), .force = by_pin};
    // The axis turns with its site: da = omega x a.
    ts_force at_slider = {.couple = ts_vec3_scale(gear, ts_vec3_cross(axis, by_axis)), .force = ts_vec3_neg(by_pin)};
    ts_lever_add_wrench(sim, site[actuator->target].body, pin.p, at_pin, lever);
    ts_lever_add_wrench(sim, site[actuator->reference].body, slider.p, at_slider, lever);
    return gear * length;
}

const ts_transmission ts_transmission_cranksite = {
    .name = "cranksite", .target = TS_TARGET_SITE, .fault = fault, .mark = mark, .measure = measure};
