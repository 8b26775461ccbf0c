// Sensors of the whole: time and energies. Potential energy counts what cannot move, too, and weight that is
// taken away (gravcomp), as MuJoCo's does.
#include "engine/sensor/sensor_kind_internal.h"

static void measure_time(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    (void)sensor;
    out_values[0] = sim->time;
}

static int slope_time(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    (void)sim, (void)sensor, (void)scratch, (void)by;
    return 1;
}

static void measure_potential(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    const ts_model* model = sim->model;
    (void)sensor;
    out_values[0] = ts_sim_energy(sim).potential;
    for (int b = 1; b < model->body_count; ++b) {
        double share = model->body[b].tree < 0 ? 1.0 : model->body[b].buoyancy;
        double height = ts_vec3_dot(sim->options.gravity, sim->kinematics.body_centre[b]);
        out_values[0] -= share * model->body[b].mass * height;
    }
}

static void measure_kinetic(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    (void)sensor;
    out_values[0] = ts_sim_energy(sim).kinetic;
}

const ts_sensor_kind ts_sensor_clock = {
    .name = "clock", .summary = "time, s", .size = 1, .measure = measure_time, .slope = slope_time};

const ts_sensor_kind ts_sensor_e_potential = {
    .name = "e_potential", .summary = "energy of gravity and springs, J", .size = 1, .measure = measure_potential};

const ts_sensor_kind ts_sensor_e_kinetic = {
    .name = "e_kinetic", .summary = "kinetic energy, J", .size = 1, .measure = measure_kinetic};
