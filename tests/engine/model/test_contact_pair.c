// Contact pairs: who touches, with what surface; and bodies whose weight is taken away in part.
#include "tests/engine/engine_fixture.h"

static int add_ball(ts_builder* builder, int body, unsigned bits) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = ts_shape_sphere(0.1);
    geom.category = geom.mask = bits;
    geom.surface.friction = 0.1;
    return ts_builder_add_geom(builder, &geom);
}

// A ball that no mask lets touch the floor slides on it, slowed by the friction of the pair.
Test(contact_pair, a_pair_speaks_before_masks_and_surfaces) {
    const double mu = 0.3, gravity = 9.81, h = 0.001;
    ts_builder* builder = ts_builder_create("pair");
    ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -gravity);
    ts_builder_options(builder)->time_step = h;
    ts_geom_def plane = ts_geom_def_default();
    plane.shape = ts_shape_plane();
    plane.category = plane.mask = 0;
    int floor = ts_builder_add_geom(builder, &plane);
    int sphere = add_ball(builder, fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), -1.0, ts_mat3_zero()), 0);
    int other = add_ball(builder, fixture_free_body(builder, ts_vec3_make(1.0, 0.0, 0.1), -1.0, ts_mat3_zero()), 2);
    ts_surface surface = ts_surface_default();
    surface.friction = mu;
    cr_assert(ts_builder_add_pair(builder, sphere, floor, &surface));
    surface.friction = 0.0;
    cr_assert(ts_builder_add_pair(builder, floor, sphere, &surface), "a second one counts for nothing");
    cr_assert_not(ts_builder_add_pair(builder, floor, floor, &surface));
    cr_assert_not(ts_builder_add_pair(builder, floor, 7, &surface));
    surface.friction = -1.0;
    cr_assert_not(ts_builder_add_pair(builder, floor, other, &surface));
    fixture f = fixture_start(builder, 1);
    cr_assert_eq(f.model->pair_count, 1);
    cr_assert(ts_model_geoms_can_touch(f.model, sphere, floor) && !ts_model_geoms_can_touch(f.model, other, floor));
    f.sim->qvel[0] = 1.0;
    fixture_run(&f, 20);
    cr_assert_float_eq(f.sim->qvel[0], 1.0 - 20.0 * h * mu * gravity, 1e-6);
    cr_assert_float_eq(f.sim->qpos[2], 0.1, 1e-6);
    // Nobody holds the other one.
    cr_assert_float_eq(f.sim->qvel[6 + 2], -20.0 * h * gravity, 1e-9);
    fixture_end(&f);
}

// Under every integrator a free body falls with what is left of its weight.
Test(buoyancy, of_a_free_body) {
    const double gravity = 9.81, share = 0.7, h = 0.01;
    const char* const name[] = {"midpoint", "euler", "rk4", "implicit", "implicitfast", "discrete"};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; ++i) {
        ts_builder* builder = ts_builder_create("balloon");
        ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -gravity);
        ts_builder_options(builder)->time_step = h;
        ts_body_def body = ts_body_def_default();
        body.mass = 2.0;
        body.centre = ts_vec3_make(0.1, 0.2, -0.05);
        body.inertia = ts_mat3_diagonal(ts_vec3_make(0.3, 0.2, 0.25));
        body.buoyancy = share;
        ts_joint_def joint = ts_joint_def_default();
        joint.type = TS_JOINT_FREE;
        joint.body = ts_builder_add_body(builder, &body);
        ts_builder_add_joint(builder, &joint);
        fixture f = fixture_start(builder, 1);
        ts_status status;
        cr_assert_eq(ts_sim_set_integrator(f.sim, name[i], &status), TS_OK);
        fixture_run(&f, 100);
        cr_assert_float_eq(f.sim->qvel[2], -(1.0 - share) * gravity, 1e-10, "%s", name[i]);
        cr_assert_float_eq(f.sim->qvel[3] + f.sim->qvel[4] + f.sim->qvel[5], 0.0, 1e-10, "%s", name[i]);
        fixture_end(&f);
    }
}
