// Force and torque between a body and its parent, at a site of the body and in the site's axes: what the parent does to the body. A site
// of a body that hangs on another one shows its weight as a force upwards.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"

static void measure_force(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_force f = ts_sensor_forces(sim)->force[sensor->object[0].body];
    ts_vec3_store(ts_mat3_mul_vec_transposed(&site.R, f.force), out_values);
}

static void measure_torque(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    int body = sensor->object[0].body;
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_force f = ts_sensor_forces(sim)->force[body];
    ts_vec3 arm = ts_vec3_sub(site.p, ts_sensor_origin(sim, body));
    ts_vec3 couple = ts_vec3_sub(f.couple, ts_vec3_cross(arm, f.force));
    ts_vec3_store(ts_mat3_mul_vec_transposed(&site.R, couple), out_values);
}

static int slope_force(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    return ts_sensor_force_slope(sim, sensor, 0, scratch, by);
}

static int slope_torque(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    return ts_sensor_force_slope(sim, sensor, 1, scratch, by);
}

#define OF_SITE .object = {TS_SENSOR_IS(SITE)}

const ts_sensor_kind ts_sensor_force = {.name = "force",
                                        .summary = "force of the parent on a site's body, in the site's axes, N",
                                        .size = 3,
                                        .time = TS_SENSOR_OF_STEP,
                                        OF_SITE,
                                        .measure = measure_force,
                                        .step_slope = slope_force};

const ts_sensor_kind ts_sensor_torque = {.name = "torque",
                                         .summary = "torque of the parent on a site's body about the site, N m",
                                         .size = 3,
                                         .time = TS_SENSOR_OF_STEP,
                                         OF_SITE,
                                         .measure = measure_torque,
                                         .step_slope = slope_torque};
