// Instruments at a site, in its axes: gyroscope, velocimeter, accelerometer, magnetometer. An accelerometer shows acceleration against
// free fall: nothing while it falls, g upwards while it rests.
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sensor/sensor_slope_internal.h"

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

// R^T x, x and R of the site; x changes by `change` (3 x nv; NULL: not) by position and by `rate` by velocity.
static int slope_in_site(ts_sim* sim, const ts_sensor_point* p, const ts_transform* site, ts_vec3 x,
                         const double* change, const double* rate, const ts_sensor_slope* by) {
    int nv = sim->model->nv;
    for (int d = 0; d < nv; ++d) {
        ts_vec3 moved = change ? ts_sensor_column(change, nv, d) : ts_vec3_zero();
        moved = ts_vec3_sub(moved, ts_vec3_cross(ts_sensor_column(p->J_w, nv, d), x));
        ts_sensor_set_column(by->q, nv, d, ts_mat3_mul_vec_transposed(&site->R, moved));
        if (!rate) continue;
        ts_sensor_set_column(by->v, nv, d, ts_mat3_mul_vec_transposed(&site->R, ts_sensor_column(rate, nv, d)));
    }
    return 1;
}

static int slope_turning(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    int body = sensor->object[0].body;
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_sensor_point p;
    return ts_sensor_point_find(sim, body, site.p, scratch, &p) &&
           slope_in_site(sim, &p, &site, ts_sensor_turning(sim, body), p.w_by_q, p.J_w, by);
}

static int slope_velocity(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    int body = sensor->object[0].body;
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_vec3 velocity = ts_kinematics_point_velocity(sim->model, &sim->kinematics, body, site.p);
    ts_sensor_point p;
    return ts_sensor_point_find(sim, body, site.p, scratch, &p) &&
           slope_in_site(sim, &p, &site, velocity, p.by_q, p.J, by);
}

static int slope_flux(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    ts_transform site = ts_sensor_frame(sim, &sensor->object[0]);
    ts_sensor_point p;
    return ts_sensor_point_find(sim, sensor->object[0].body, site.p, scratch, &p) &&
           slope_in_site(sim, &p, &site, sim->options.magnetic, NULL, NULL, by);
}

static int slope_acceleration(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    return ts_sensor_acceleration_slope(sim, sensor, TS_SENSOR_OF_INSTRUMENT, scratch, by);
}

#define OF_SITE .object = {TS_SENSOR_IS(SITE)}

const ts_sensor_kind ts_sensor_gyro = {.name = "gyro",
                                       .summary = "angular velocity in a site's axes, rad/s",
                                       .size = 3,
                                       OF_SITE,
                                       .measure = measure_turning,
                                       .slope = slope_turning};

const ts_sensor_kind ts_sensor_velocimeter = {.name = "velocimeter",
                                              .summary = "velocity in a site's axes, m/s",
                                              .size = 3,
                                              OF_SITE,
                                              .measure = measure_velocity,
                                              .slope = slope_velocity};

const ts_sensor_kind ts_sensor_accelerometer = {.name = "accelerometer",
                                                .summary = "acceleration against free fall in a site's axes, m/s^2",
                                                .size = 3,
                                                .time = TS_SENSOR_OF_STEP,
                                                OF_SITE,
                                                .measure = measure_acceleration,
                                                .step_slope = slope_acceleration};

const ts_sensor_kind ts_sensor_magnetometer = {.name = "magnetometer",
                                               .summary = "magnetic flux in a site's axes",
                                               .size = 3,
                                               OF_SITE,
                                               .measure = measure_flux,
                                               .slope = slope_flux};
