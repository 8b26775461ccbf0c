// Sensors of tendons: lengths, rates, forces of actuators, and the ends of their ranges (as those of joints, sensor_joint.c).
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_limit_internal.h"
#include "engine/sim_internal.h"

// The length of a tendon in the present state, and its rate.
static double length_of(const ts_sim* sim, int t, double* out_rate) {
    ts_lever* lever = &ts_sim_storage_of(sim)->tendon_lever[t];
    double length = ts_tendon_measure(sim, &sim->model->tendon[t], lever);
    *out_rate = ts_lever_rate(lever, sim->qvel);
    return length;
}

static void measure_length(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double rate;
    out_values[0] = length_of(sim, sensor->object[0].index, &rate);
}

static void measure_rate(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    length_of(sim, sensor->object[0].index, &out_values[0]);
}

static void measure_actuation(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = 0.0;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_actuator* actuator = &sim->model->actuator[i];
        if (ts_transmission_at(actuator->transmission)->target == TS_TARGET_TENDON &&
            actuator->target == sensor->object[0].index)
            out_values[0] += sim->actuator_force[i];
    }
}

static int slope_actuation(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    (void)scratch;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_actuator* actuator = &sim->model->actuator[i];
        if (ts_transmission_at(actuator->transmission)->target == TS_TARGET_TENDON &&
            actuator->target == sensor->object[0].index && !ts_sensor_actuator_slope(sim, i, 1.0, by))
            return 0;
    }
    return 1;
}

static const char* limit_fault(const ts_model* model, const ts_sensor* sensor) {
    return model->tendon[sensor->object[0].index].limits.limited ? NULL : "its tendon has no limits";
}

// See find_passed of sensor_joint.c.
static int find_passed(const ts_sim* sim, int t, double* out_gap, double* out_rate) {
    const double* range = sim->model->tendon[t].limits.range;
    double rate, length = length_of(sim, t, &rate), margin = sim->model->tendon[t].softness.margin;
    int below = length - range[0] < margin, above = !below && range[1] - length < margin;
    *out_gap = (below ? length - range[0] : range[1] - length) - margin;
    *out_rate = below ? rate : -rate;
    return below || above;
}

static void measure_limit(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double gap, rate;
    out_values[0] = find_passed(sim, sensor->object[0].index, &gap, &rate) ? gap : 0.0;
}

static void measure_limit_rate(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    double gap, rate;
    out_values[0] = find_passed(sim, sensor->object[0].index, &gap, &rate) ? rate : 0.0;
}

static void measure_limit_force(ts_sim* sim, const ts_sensor* sensor, double* out_values) {
    out_values[0] = ts_sensor_limit_force(sim, "tendon-limit", sensor->object[0].index);
}

double ts_sensor_limit_force(const ts_sim* sim, const char* source, int whole) {
    int index = ts_row_source_find(source);
    double impulse = 0.0;
    for (int b = 0; b < sim->problem.block_count; ++b)
        if (sim->row_block[b].source == index && sim->row_block[b].key.whole == (uint64_t)whole)
            impulse += sim->impulse[sim->problem.block[b].row];
    return impulse / sim->options.time_step;
}

void ts_sensor_limit_force_slope(const ts_sim* sim, const char* source, int whole, const ts_sensor_step_slope* by) {
    int index = ts_row_source_find(source);
    for (int b = 0; b < sim->problem.block_count; ++b)
        if (sim->row_block[b].source == index && sim->row_block[b].key.whole == (uint64_t)whole)
            ts_sensor_add_row(sim, sim->problem.block[b].row, by);
}

static int slope_limit_force(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_step_slope* by) {
    (void)scratch;
    ts_sensor_limit_force_slope(sim, "tendon-limit", sensor->object[0].index, by);
    return 1;
}

static int slope_length(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    double rate;
    (void)scratch;
    (void)length_of(sim, sensor->object[0].index, &rate);
    ts_lever_pull(&ts_sim_storage_of(sim)->tendon_lever[sensor->object[0].index], 1.0, 0, by->q);
    return 1;
}

// Of one through space moments turn: that is left to differences.
static int slope_rate(ts_sim* sim, const ts_sensor* sensor, ts_arena* scratch, const ts_sensor_slope* by) {
    const ts_model* model = sim->model;
    if (model->tendon_part[model->tendon[sensor->object[0].index].part_first].kind != TS_TENDON_JOINT) return 0;
    ts_sensor_slope rate = {by->v, NULL};
    return slope_length(sim, sensor, scratch, &rate);
}

#define OF_TENDON .object = {TS_SENSOR_IS(TENDON)}

const ts_sensor_kind ts_sensor_tendonpos = {.name = "tendonpos",
                                            .summary = "length of a tendon, m or rad",
                                            .size = 1,
                                            OF_TENDON,
                                            .measure = measure_length,
                                            .slope = slope_length};

const ts_sensor_kind ts_sensor_tendonvel = {.name = "tendonvel",
                                            .summary = "rate of that length",
                                            .size = 1,
                                            OF_TENDON,
                                            .measure = measure_rate,
                                            .slope = slope_rate};

const ts_sensor_kind ts_sensor_tendonactuatorfrc = {.name = "tendonactuatorfrc",
                                                    .summary = "force of all actuators at a tendon, N or N m",
                                                    .size = 1,
                                                    OF_TENDON,
                                                    .measure = measure_actuation,
                                                    .step_slope = slope_actuation,
                                                    .stands = 1};

const ts_sensor_kind ts_sensor_tendonlimitpos = {.name = "tendonlimitpos",
                                                 .summary =
                                                     "distance to the passed end of a tendon's range (< 0), m or rad",
                                                 .size = 1,
                                                 OF_TENDON,
                                                 .fault = limit_fault,
                                                 .measure = measure_limit};

const ts_sensor_kind ts_sensor_tendonlimitvel = {.name = "tendonlimitvel",
                                                 .summary = "rate of that distance, m/s or rad/s",
                                                 .size = 1,
                                                 OF_TENDON,
                                                 .fault = limit_fault,
                                                 .measure = measure_limit_rate};

const ts_sensor_kind ts_sensor_tendonlimitfrc = {.name = "tendonlimitfrc",
                                                 .summary = "force of the ends of a tendon's range, N or N m",
                                                 .size = 1,
                                                 .time = TS_SENSOR_OF_STEP,
                                                 OF_TENDON,
                                                 .fault = limit_fault,
                                                 .measure = measure_limit_force,
                                                 .step_slope = slope_limit_force};
