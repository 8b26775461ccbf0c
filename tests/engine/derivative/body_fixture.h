// Lone bodies whose motion is known in closed form.
#ifndef TS_TESTS_DERIVATIVE_BODY_FIXTURE_H
#define TS_TESTS_DERIVATIVE_BODY_FIXTURE_H

#include "tests/engine/engine_fixture.h"

static inline fixture falling_body(void) {
    ts_builder* builder = ts_builder_create("scene");
    fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 2.0), 2.0, fixture_box_inertia(2.0, ts_vec3_make(0.1, 0.2, 0.3)));
    return fixture_start(builder, 1);
}

// A flat box on the ground, which slides along x at `speed`.
static inline fixture box_on_floor(double speed, double friction) {
    ts_builder* builder = ts_builder_create("scene");
    ts_vec3 half = ts_vec3_make(0.2, 0.2, 0.05);
    fixture_floor(builder, friction, 0.0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.05), 3.0, fixture_box_inertia(3.0, half));
    fixture_geom(builder, body, ts_shape_box(half), ts_vec3_zero(), friction);
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp", NULL), TS_OK);
    f.sim->qvel[0] = speed;
    return f;
}

#endif
