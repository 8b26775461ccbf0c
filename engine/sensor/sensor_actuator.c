// Sensors of actuators: length of the transmission and its rate in the present state, and the force as it has acted in the last step
// (or stands, after ts_sim_forward).
#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/sensor/sensor_kind_internal.h"

static void measure_length(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double rate;
    out_values[0] = ts_actuation_length(sim, sensor->object[0].index, &rate);
}

static void measure_rate(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    ts_actuation_length(sim, sensor->object[0].index, &out_values[0]);
}

static void measure_force(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = sim->actuator_force[sensor->object[0].index];
}

static int slope_length(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    const ts_actuator* a = &sim->model->actuator[sensor->object[0].index];
    ts_transmission_target target = ts_transmission_at(a->transmission)->target;
    double rate;
    (void)scratch;
    // Moments of others are not the slopes of a length.
    int is_joint = target == TS_TARGET_JOINT && ts_joint_type_nv(sim->model->joint[a->target].type) == 1;
    if (!is_joint && target != TS_TARGET_TENDON) return 0;
    (void)ts_actuation_length(sim, sensor->object[0].index, &rate);
    ts_lever_pull(ts_actuation_drive(sim, sensor->object[0].index)->lever, 1.0, 0, by->q);
    return 1;
}

static int slope_force(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    (void)scratch;
    return ts_sensor_actuator_slope(sim, sensor->object[0].index, 1.0, by);
}

#define OF_ACTUATOR .object = {TS_SENSOR_IS(ACTUATOR)}

const ts_sensor_kind ts_sensor_actuatorpos = {.name = "actuatorpos",
                                              .summary = "length of a transmission, rad or m",
                                              .size = 1,
                                              OF_ACTUATOR,
                                              .measure = measure_length,
                                              .slope = slope_length};

const ts_sensor_kind ts_sensor_actuatorvel = {
    .name = "actuatorvel", .summary = "rate of that length", .size = 1, OF_ACTUATOR, .measure = measure_rate};

const ts_sensor_kind ts_sensor_actuatorfrc = {.name = "actuatorfrc",
                                              .summary = "force of an actuator, N m or N",
                                              .size = 1,
                                              OF_ACTUATOR,
                                              .measure = measure_force,
                                              .step_slope = slope_force,
                                              .stands = 1};
