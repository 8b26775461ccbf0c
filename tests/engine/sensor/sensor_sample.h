// What the tests of sensors share: a model from text with a simulation, and what a sensor shows.
#ifndef TS_TESTS_SENSOR_SAMPLE_H
#define TS_TESTS_SENSOR_SAMPLE_H

#include "engine/sim.h"
#include "engine/step/step.h"
#include "tests/engine/read/mjcf_sample.h"

#include <math.h>

/// A model with the simulation of it.
typedef struct sensed {
    ts_model* model;
    ts_sim* sim;
} sensed;

/// From the contents of <mujoco>.
static inline sensed sensed_start(const char* contents) {
    static char text[16384];
    ts_status status;
    sensed s = {NULL, NULL};
    int n = snprintf(text, sizeof text, "<mujoco>%s</mujoco>", contents);
    cr_assert(n > 0 && n < (int)sizeof text);
    s.model = mjcf_read(text);
    cr_assert_eq(ts_sim_create(s.model, 1, &s.sim, &status), TS_OK, "%s", status.message);
    return s;
}

static inline void sensed_end(sensed* s) {
    ts_sim_free(s->sim);
    ts_model_free(s->model);
}

static inline void sensed_run(sensed* s, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) cr_assert_eq(ts_sim_step(s->sim, &status), TS_OK, "step %d: %s", i, status.message);
}

/// The numbers of a sensor, measured now.
static inline const double* sensed_now(const sensed* s, const char* name) {
    int i = ts_model_find_sensor(s->model, name);
    cr_assert_geq(i, 0, "no sensor %s", name);
    ts_sim_measure(s->sim);
    return s->sim->sensor + s->model->sensor[i].first;
}

/// Insists on `count` numbers of a sensor.
static inline void sensed_expect(const sensed* s, const char* name, const double* wanted, int count, double tolerance) {
    const double* x = sensed_now(s, name);
    int size = s->model->sensor[ts_model_find_sensor(s->model, name)].size;
    cr_assert_eq(size, count, "%s gives %d numbers", name, size);
    for (int k = 0; k < count; ++k)
        cr_expect(fabs(x[k] - wanted[k]) <= tolerance, "%s[%d] is %.17g, not %.17g", name, k, x[k], wanted[k]);
}

/// Insists on the one number of a sensor.
static inline void sensed_expect_one(const sensed* s, const char* name, double wanted, double tolerance) {
    sensed_expect(s, name, &wanted, 1, tolerance);
}

#endif
