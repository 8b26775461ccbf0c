// A ball of 0.1 m and 2 kg without friction or weight that overlaps both sides of a groove, each `angle` from the vertical: its push-outs can be done only by
// rising 1 / sin(angle) times as fast as they ask.
#ifndef TS_TESTS_ENGINE_GROOVE_FIXTURE_H
#define TS_TESTS_ENGINE_GROOVE_FIXTURE_H

#include "base/scalar.h"
#include "tests/engine/engine_fixture.h"

static inline fixture ball_in_a_groove(double step, double angle, double overlap, const char* solver) {
    static const double radius = 0.1, mass = 2.0;
    ts_builder* builder = ts_builder_create("groove");
    ts_builder_options(builder)->time_step = step;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    for (int side = -1; side <= 1; side += 2) {
        ts_geom_def plane = ts_geom_def_default();
        ts_vec3 normal = ts_vec3_make(side * cos(angle), 0.0, sin(angle));
        plane.shape = ts_shape_plane();
        plane.pose.rotation = ts_quat_from_axis_angle(ts_vec3_axis(1), side * (0.5 * TS_PI - angle));
        plane.pose.position = ts_vec3_scale(overlap - radius, normal);
        plane.surface.friction = 0.0;
        cr_assert(ts_builder_add_geom(builder, &plane) >= 0);
    }
    int ball = fixture_free_body(builder, ts_vec3_zero(), mass, ts_mat3_scale(0.01, ts_mat3_identity()));
    fixture_geom(builder, ball, ts_shape_sphere(radius), ts_vec3_zero(), 0.0);
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set_solver(f.sim, solver, &status), TS_OK, "%s", status.message);
    return f;
}

#endif
