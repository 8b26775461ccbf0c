// What the viewer's tests share: a scene built in C, without files.
#ifndef TS_TESTS_VIEWER_FIXTURE_H
#define TS_TESTS_VIEWER_FIXTURE_H

#include <criterion/criterion.h>
#include <string.h>

#include "engine/model/builder.h"
#include "engine/step/step.h"
#include "scenes/scene_table.h"

/// A scene with the simulation of it.
typedef struct fixture {
    ts_loaded_scene scene;
    ts_sim* sim;
} fixture;

static inline void fixture_body(ts_builder* builder, ts_shape shape, ts_vec3 position, ts_vec3 velocity,
                                double friction) {
    ts_body_def body = ts_body_def_default();
    body.pose.position = position;
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_FREE;
    cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    ts_geom_def geom = ts_geom_def_default();
    geom.body = index;
    geom.shape = shape;
    geom.surface.friction = friction;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
    cr_assert(ts_builder_set_free_velocity(builder, index, velocity, ts_vec3_zero()));
}

static inline ts_builder* fixture_floor(double friction) {
    ts_builder* builder = ts_builder_create("test");
    ts_geom_def floor = ts_geom_def_default();
    floor.body = 0;
    floor.shape = ts_shape_plane();
    floor.surface.friction = friction;
    cr_assert(ts_builder_add_geom(builder, &floor) >= 0);
    return builder;
}

static inline fixture fixture_start(ts_builder* builder) {
    fixture f;
    memset(&f, 0, sizeof f);
    ts_status status;
    ts_code code = ts_builder_finish(builder, &f.scene.model, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    memcpy(f.scene.name, "test", 5);
    f.scene.focus = f.scene.model->body_count > 1 ? 1 : -1;
    code = ts_sim_create(f.scene.model, 1, &f.sim, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    code = ts_sim_forward(f.sim, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return f;
}

static inline void fixture_run(fixture* f, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) {
        ts_code code = ts_sim_step(f->sim, &status);
        cr_assert(code == TS_OK, "step %d: %s", i, status.message);
    }
}

static inline void fixture_end(fixture* f) {
    ts_sim_free(f->sim);
    ts_loaded_scene_free(&f->scene);
}

#endif
