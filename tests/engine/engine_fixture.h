// What the engine's tests share: small models made with the builder, and a simulation around them.
#ifndef TS_TESTS_ENGINE_FIXTURE_H
#define TS_TESTS_ENGINE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "engine/model/builder.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim.h"
#include "engine/step/step.h"

/// A model with the simulation of it.
typedef struct fixture {
    ts_model* model;
    ts_sim* sim;
} fixture;

/// Finishes the builder and starts a simulation.
static inline fixture fixture_start(ts_builder* builder, int workers) {
    fixture f = {NULL, NULL};
    ts_status status;
    ts_code code = ts_builder_finish(builder, &f.model, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    code = ts_sim_create(f.model, workers, &f.sim, &status);
    cr_assert(code == TS_OK, "%s", status.message);
    return f;
}

static inline void fixture_end(fixture* f) {
    ts_sim_free(f->sim);
    ts_model_free(f->model);
}

/// Steps and insists that every step works.
static inline void fixture_run(fixture* f, int steps) {
    ts_status status;
    for (int i = 0; i < steps; ++i) {
        ts_code code = ts_sim_step(f->sim, &status);
        cr_assert(code == TS_OK, "step %d: %s", i, status.message);
    }
}

/// A body that is `drop` above where it rests, 0.1 m high: in 16 substeps it rises again by e^2 of that, to what one substep of gravity is.
static inline void fixture_expect_bounce(fixture* f, double drop, double e) {
    f->sim->options.substeps = 16;
    f->sim->options.contact_margin = 0.1;  // more than the way of a step
    double h = f->sim->options.time_step / 16, highest = 0.0;
    int hit = 0;
    for (int i = 0; i < 60; ++i) {
        fixture_run(f, 1);
        hit = hit || f->sim->qvel[2] > 0.0;
        if (hit) highest = fmax(highest, f->sim->qpos[2] - 0.1);
        if (hit && f->sim->qvel[2] < -0.2) break;
    }
    cr_expect_float_eq(highest, e * e * drop, 2.0 * h * sqrt(2.0 * 9.81 * drop), "%g", highest);
}

/// Adds a body at `position` with a free joint; mass from its geoms unless set in `def`.
static inline int fixture_free_body(ts_builder* builder, ts_vec3 position, double mass, ts_mat3 inertia) {
    ts_body_def body = ts_body_def_default();
    body.pose.position = position;
    if (mass > 0.0) {
        body.mass = mass;
        body.inertia = inertia;
    }
    int index = ts_builder_add_body(builder, &body);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = index;
    joint.type = TS_JOINT_FREE;
    cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
    return index;
}

/// Adds a geom at `position` in the body frame.
static inline int fixture_geom(ts_builder* builder, int body, ts_shape shape, ts_vec3 position, double friction) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = shape;
    geom.pose.position = position;
    geom.surface.friction = friction;
    int index = ts_builder_add_geom(builder, &geom);
    cr_assert(index >= 0);
    return index;
}

/// The plane z = 0 on the world, turned about z by `turn` rad.
static inline void fixture_floor(ts_builder* builder, double friction, double turn) {
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    geom.pose.rotation = ts_quat_from_axis_angle(ts_vec3_axis(2), turn);
    geom.surface.friction = friction;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
}

/// Principal inertia of a solid box.
static inline ts_mat3 fixture_box_inertia(double mass, ts_vec3 half) {
    double x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
    return ts_mat3_diagonal(ts_vec3_make(mass / 3.0 * (y + z), mass / 3.0 * (x + z), mass / 3.0 * (x + y)));
}

static inline ts_vec3 fixture_random_vec3(ts_rng* rng, double scale) {
    double x = ts_rng_uniform_in(rng, -scale, scale), y = ts_rng_uniform_in(rng, -scale, scale);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, -scale, scale));
}

static inline ts_quat fixture_random_turn(ts_rng* rng) {
    return ts_quat_from_rotation_vector(fixture_random_vec3(rng, 1.7));
}

static inline ts_mat3 fixture_random_inertia(ts_rng* rng) {
    ts_vec3 half = ts_vec3_add(ts_vec3_abs(fixture_random_vec3(rng, 0.3)), ts_vec3_make(0.05, 0.05, 0.05));
    ts_mat3 turn = ts_quat_to_mat3(fixture_random_turn(rng));
    return ts_mat3_rotate_tensor(turn, fixture_box_inertia(2.0, half));
}

static inline void fixture_joint(ts_builder* builder, ts_rng* rng, int body, ts_joint_type type) {
    ts_joint_def joint = ts_joint_def_default();
    joint.body = body;
    joint.type = type;
    if (!ts_joint_traits_of(type)->floats) {
        joint.anchor = fixture_random_vec3(rng, 0.3);
        joint.axis = ts_vec3_unit_or(fixture_random_vec3(rng, 1.0), ts_vec3_axis(2));
        joint.reference = ts_rng_uniform_in(rng, -0.4, 0.4);
    }
    joint.armature = ts_rng_uniform_in(rng, 0.0, 0.1);
    cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
}

static inline int fixture_random_body(ts_builder* builder, ts_rng* rng, int parent) {
    ts_body_def body = ts_body_def_default();
    body.parent = parent;
    body.pose.position = fixture_random_vec3(rng, 1.0);
    body.pose.rotation = fixture_random_turn(rng);
    body.mass = ts_rng_uniform_in(rng, 0.5, 3.0);
    body.centre = fixture_random_vec3(rng, 0.3);
    body.inertia = fixture_random_inertia(rng);
    return ts_builder_add_body(builder, &body);
}

/// Random coordinates of a joint: numbers below `reach`, any turn.
static inline void fixture_random_coordinates(ts_joint_type type, ts_rng* rng, double reach, double* out_q) {
    const ts_joint_traits* traits = ts_joint_traits_of(type);
    for (int i = 0; i < traits->numbers; ++i) out_q[i] = ts_rng_uniform_in(rng, -reach, reach);
    if (traits->quaternion) ts_quat_store(fixture_random_turn(rng), out_q + traits->numbers);
}

/// Branched trees with several joints on one body and a welded child, a chain of all joint types there are, and a free
/// body whose centre of mass is off its origin. State far from the world's origin and random.
static inline fixture fixture_menagerie(uint64_t seed) {
    static const struct {
        int parent;
        int joints;
        ts_joint_type type[3];
    } plan[] = {
        {0, 1, {TS_JOINT_FREE, 0, 0}},
        {1, 1, {TS_JOINT_HINGE, 0, 0}},
        {1, 2, {TS_JOINT_SLIDE, TS_JOINT_HINGE, 0}},
        {3, 1, {TS_JOINT_BALL, 0, 0}},
        {2, 0, {0, 0, 0}},
        {5, 1, {TS_JOINT_HINGE, 0, 0}},
        {0, 0, {0, 0, 0}},
        {7, 3, {TS_JOINT_HINGE, TS_JOINT_BALL, TS_JOINT_SLIDE}},
        {8, 1, {TS_JOINT_SLIDE, 0, 0}},
        {0, 1, {TS_JOINT_FREE, 0, 0}},
    };
    ts_rng rng = ts_rng_make(seed, 0);
    ts_builder* builder = ts_builder_create("menagerie");
    for (int i = 0; i < (int)(sizeof plan / sizeof plan[0]); ++i) {
        int body = fixture_random_body(builder, &rng, plan[i].parent);
        for (int j = 0; j < plan[i].joints; ++j) fixture_joint(builder, &rng, body, plan[i].type[j]);
    }
    for (int t = 0, body = 0; t < TS_JOINT_TYPE_COUNT; ++t) {
        body = fixture_random_body(builder, &rng, ts_joint_table[t]->floats ? 0 : body);
        fixture_joint(builder, &rng, body, (ts_joint_type)t);
    }
    fixture f = fixture_start(builder, 1);
    for (int d = 0; d < f.model->nv; ++d) f.sim->qvel[d] = ts_rng_uniform_in(&rng, -1.5, 1.5);
    for (int j = 0; j < f.model->joint_count; ++j) {
        const ts_joint* joint = &f.model->joint[j];
        double* q = f.sim->qpos + joint->qpos_first;
        fixture_random_coordinates(joint->type, &rng, 1.2, q);
        if (!ts_joint_traits_of(joint->type)->floats) continue;
        ts_vec3_store(ts_vec3_add(ts_vec3_make(20.0, -30.0, 10.0), ts_vec3_load(q)), q);
    }
    return f;
}

#endif
