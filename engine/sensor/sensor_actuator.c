// Sensors of actuators: length of the transmission and its rate in the present state, and the force as it has acted in the last step
// (or stands, after ts_sim_forward).
#include "engine/actuation/actuation_internal.h"
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

#define OF_ACTUATOR .object = {TS_SENSOR_IS(ACTUATOR)}

const ts_sensor_kind ts_sensor_actuatorpos = {.name = "actuatorpos",
                                              .summary = "length of a transmission, rad or m",
                                              .size = 1,
                                              OF_ACTUATOR,
                                              .measure = measure_length};

const ts_sensor_kind ts_sensor_actuatorvel = {
    .name = "actuatorvel", .summary = "rate of that length", .size = 1, OF_ACTUATOR, .measure = measure_rate};

const ts_sensor_kind ts_sensor_actuatorfrc = {.name = "actuatorfrc",
                                              .summary = "force of an actuator, N m or N",
                                              .size = 1,
                                              OF_ACTUATOR,
                                              .measure = measure_force};
