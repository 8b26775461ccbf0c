// Boxes in columns, and heaps of what has few shapes: worlds whose steps in substeps are piles.
#ifndef TS_TESTS_ENGINE_PILE_FIXTURE_H
#define TS_TESTS_ENGINE_PILE_FIXTURE_H

#include "tests/engine/engine_fixture.h"

// Of a step.
enum { PARTS = 4 };

// Boxes that lie flat on a floor, in columns that lean on nothing; the axes of their bodies point anywhere. `centre`: of mass, from the boxes' own,
// in world axes.
static inline ts_builder* boxes_about(int columns, int high, double friction, double restitution, ts_vec3 centre) {
    const ts_quat tilt = ts_quat_normalize(ts_quat_make(0.3, -0.5, 0.7, 0.4));
    ts_builder* builder = ts_builder_create("boxes");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1.0 / 60.0;
    options->substeps = PARTS;
    options->iterations = 10;
    memcpy(options->solver, "ncp-pgs", sizeof "ncp-pgs");
    fixture_floor(builder, friction, restitution);
    for (int c = 0; c < columns; ++c)
        for (int k = 0; k < high; ++k) {
            ts_body_def def = ts_body_def_default();
            def.pose.position = ts_vec3_make(0.6 * c + 0.01 * k, 0.0, 0.1 + 0.2 * k);
            def.pose.rotation = tilt;
            def.mass = 2.0;
            def.centre = ts_quat_rotate(ts_quat_conjugate(tilt), centre);
            def.inertia = ts_mat3_diagonal(ts_vec3_make(0.03, 0.04, 0.05));
            ts_joint_def joint = ts_joint_def_default();
            ts_geom_def geom = ts_geom_def_default();
            geom.body = joint.body = ts_builder_add_body(builder, &def);
            joint.type = TS_JOINT_FREE;
            cr_assert_geq(ts_builder_add_joint(builder, &joint), 0);
            geom.pose.rotation = ts_quat_conjugate(tilt);
            geom.shape = ts_shape_box(ts_vec3_make(0.2, 0.15, 0.1));
            geom.surface.friction = friction;
            geom.surface.restitution = restitution;
            cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
        }
    return builder;
}

static inline ts_builder* boxes(int columns, int high, double friction, double restitution) {
    return boxes_about(columns, high, friction, restitution, ts_vec3_zero());
}

// Boxes thrown at each other and stacked, so that there are pairs, islands, contacts that come and go.
static inline ts_builder* heap(void) {
    ts_builder* builder = boxes(6, 4, 0.5, 0.2);
    for (int i = 0; i < 30; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(0.1 * i, 0.02 * (i % 5), 1.0 + 0.1 * (i % 7)), -1.0,
                                     ts_mat3_zero());
        ts_shape shape[] = {ts_shape_sphere(0.07), ts_shape_box(ts_vec3_make(0.08, 0.06, 0.05)),
                            ts_shape_capsule(0.04, 0.05)};
        fixture_geom(builder, body, shape[i % 3], ts_vec3_zero(), 0.5);
    }
    return builder;
}

#endif
