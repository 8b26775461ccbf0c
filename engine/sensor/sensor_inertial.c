// Instruments at a site, in its axes: gyroscope, velocimeter, accelerometer, magnetometer. An accelerometer shows acceleration against
// free fall: nothing while it falls, g upwards while it rests.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"

static void store_in_site(const ts_transform* site, ts_vec3 in_world, double* out_values) {
    ts_vec3_store(ts_mat3_mul_vec_transposed(&site->R, in_world), out_values);
}

static void measure_turning(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    store_in_site(&site, ts_sensor_turning(sim, sensor->object[0].body), out_values);
}

static void measure_velocity(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    store_in_site(&site, ts_kinematics_point_velocity(sim->model, &sim->kinematics, sensor->object[0].body, site.p),
                  out_values);
}

static void measure_acceleration(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    store_in_site(&site, ts_sensor_point_acceleration(sim, sensor->object[0].body, site.p), out_values);
}

static void measure_flux(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    store_in_site(&site, sim->options.magnetic, out_values);
}

#define OF_SITE .object = {TS_SENSOR_IS(SITE)}

const ts_sensor_kind ts_sensor_gyro = {.name = "gyro",
                                       .summary = "angular velocity in a site's axes, rad/s",
                                       .size = 3,
                                       OF_SITE,
                                       .measure = measure_turning};

const ts_sensor_kind ts_sensor_velocimeter = {.name = "velocimeter",
                                              .summary = "velocity in a site's axes, m/s",
                                              .size = 3,
                                              OF_SITE,
                                              .measure = measure_velocity};

const ts_sensor_kind ts_sensor_accelerometer = {.name = "accelerometer",
                                                .summary = "acceleration against free fall in a site's axes, m/s^2",
                                                .size = 3,
                                                .time = TS_SENSOR_OF_STEP,
                                                OF_SITE,
                                                .measure = measure_acceleration};

const ts_sensor_kind ts_sensor_magnetometer = {
    .name = "magnetometer", .summary = "magnetic flux in a site's axes", .size = 3, OF_SITE, .measure = measure_flux};
