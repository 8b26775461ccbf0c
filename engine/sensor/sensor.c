// Measuring.
//
// Two moments. What a state shows (positions, velocities, forces of actuators as they stand) is measured when somebody asks, of the
// state as it is then. What happens in a step (accelerations, forces of contacts and of constraints) is measured in it, when it is
// solved and before positions move, and stands until the next one: an acceleration is (v+ - v) / h at the positions and the velocities
// that the step began with, a force its impulse over h, under every solver and integrator. So forces and accelerations balance
// to rounding, and a reading after a step tells the new state and the mean acceleration that led there, as instruments do.
// MuJoCo shows accelerations at an instant, of forces without what an implicit integrator adds to them, together with the state that
// the step began with; where no force depends on the velocity at the end of the step, and the integrator is its Euler, both are the same.
#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/sensor/sensor_kind_internal.h"
#include "engine/sensor/sensor_motion_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/sleep_internal.h"

// What its cutoff does to a sensor's numbers.
static void cut_off(const ts_sensor* sensor, ts_sensor_values values, double* io_x) {
    if (!(sensor->cutoff > 0.0) || values == TS_SENSOR_EXACT) return;
    double low = values == TS_SENSOR_POSITIVE ? -HUGE_VAL : -sensor->cutoff;
    for (int i = 0; i < sensor->size; ++i) io_x[i] = ts_clamp(io_x[i], low, sensor->cutoff);
}

// Whether what a sensor is on sleeps. What happened to it in the step in which it fell asleep still does.
static int is_asleep(const ts_sim* sim, const ts_sensor* sensor) {
    const ts_sensor_object* object = &sensor->object[0];
    if (object->body >= 0) return ts_sim_body_sleeps(sim, object->body);
    if (object->type == TS_SENSOR_JOINT) return ts_sim_body_sleeps(sim, sim->model->joint[object->index].body);
    return 0;
}

int ts_sensor_is_held(const ts_sim* sim, int i) {
    const ts_sensor* sensor = &sim->model->sensor[i];
    return ts_sensor_kind_at(sensor->kind)->time == TS_SENSOR_OF_STEP && is_asleep(sim, sensor);
}

static void measure(ts_sim* sim, ts_sensor_time time) {
    for (int i = 0; i < sim->model->sensor_count; ++i) {
        const ts_sensor* sensor = &sim->model->sensor[i];
        const ts_sensor_kind* kind = ts_sensor_kind_at(sensor->kind);
        if (kind->time != time) continue;
        if (time == TS_SENSOR_OF_STEP && ts_sim_storage_of(sim)->asleep_count > 0 && is_asleep(sim, sensor)) {
            ts_sleep_hold_sensor(sim, sensor);
            continue;
        }
        kind->measure(sim, sensor, sim->sensor + sensor->first);
        cut_off(sensor, kind->values, sim->sensor + sensor->first);
    }
}

void ts_sensor_measure_step(ts_sim* sim) {
    ts_sensor_motion_begin(sim);
    measure(sim, TS_SENSOR_OF_STEP);
}

void ts_sim_measure(ts_sim* sim) {
    if (sim->model->sensor_count == 0) return;
    ts_sim_update_kinematics(sim);
    measure(sim, TS_SENSOR_OF_STATE);
}

ts_transform ts_sensor_frame(const ts_sim* sim, const ts_sensor_object* object) {
    ts_transform local = ts_transform_from_pose(object->pose);
    return ts_transform_mul(&sim->kinematics.body_pose[object->body], &local);
}
