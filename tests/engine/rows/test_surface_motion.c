// Surfaces that run over their geoms: belts and turntables, against closed forms, under every solver.
#include "contact/solver.h"
#include "tests/engine/engine_fixture.h"

// A box of side 0.2 on a floor whose surface runs.
static fixture box_on_belt(const double motion[6], ts_vec3 at, double friction, int dimension) {
    ts_builder* builder = ts_builder_create("belt");
    ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -10.0);
    ts_geom_def floor = ts_geom_def_default();
    floor.shape = ts_shape_box(ts_vec3_make(20.0, 20.0, 1.0));
    floor.pose.position.z = -1.0;
    floor.surface.friction = 0.0;
    floor.surface.dimension = dimension;
    memcpy(floor.surface.motion, motion, sizeof floor.surface.motion);
    cr_assert_geq(ts_builder_add_geom(builder, &floor), 0);
    at.z = 0.1;
    int body = fixture_free_body(builder, at, 0.0, ts_mat3_identity());
    fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1)), ts_vec3_zero(), friction);
    return fixture_start(builder, 1);
}

// Slips with mu g until it has the belt's speed, then stays with it. Nothing is told to have made energy from nothing. Laws that
// lift what slides throw the box first, softness creeps, and springs swing: of these the end counts.
Test(surface_motion, a_belt_carries_a_box_under_every_solver) {
    const double motion[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int s = 0; s < ts_solver_count(); ++s) {
        const ts_solver* solver = ts_solver_at(s);
        fixture f = box_on_belt(motion, ts_vec3_zero(), 0.5, 3);
        int exact = solver->law == TS_LAW_NCP && !solver->compliance;
        cr_assert_eq(ts_sim_set_solver(f.sim, solver->name, NULL), TS_OK);
        for (int i = 0; i < 600; ++i) {
            fixture_run(&f, 1);
            double wanted = fmin(0.5 * 10.0 * f.sim->time, 1.0);
            if (exact)
                cr_assert_float_eq(f.sim->qvel[0], wanted, 1e-5, "%s at %g s: %g, not %g", solver->name, f.sim->time,
                                   f.sim->qvel[0], wanted);
            if (f.sim->info.solve.status == TS_SOLVE_CONVERGED)
                cr_assert_eq(f.sim->info.held_back, 0, "%s", solver->name);
        }
        cr_expect_float_eq(f.sim->qvel[0], 1.0, exact ? 1e-6 : 0.01, "%s: %g", solver->name, f.sim->qvel[0]);
        fixture_end(&f);
    }
}

// What sticks to a turntable goes where its centre is told to, step by step: r grows by sqrt(1 + (w h)^2) in each.
Test(surface_motion, a_turntable_takes_a_box_round) {
    const double motion[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.5};
    fixture f = box_on_belt(motion, ts_vec3_make(1.0, 0.0, 0.0), 0.9, 3);
    f.sim->qvel[1] = 1.5;  // with the table from the beginning
    f.sim->qvel[5] = 1.5;
    int steps = 500;
    fixture_run(&f, steps);
    double turned = steps * atan(1.5 * f.sim->options.time_step);
    double radius = pow(1.0 + pow(1.5 * f.sim->options.time_step, 2.0), 0.5 * steps);
    cr_expect_float_eq(f.sim->qpos[0], radius * cos(turned), 2e-5, "%g", f.sim->qpos[0]);
    cr_expect_float_eq(f.sim->qpos[1], radius * sin(turned), 2e-5, "%g", f.sim->qpos[1]);
    fixture_end(&f);
}

// A ball in the middle of a turntable: spinning friction of mu_s m g until it turns with the table.
Test(surface_motion, spin_is_taken_along) {
    const double motion[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 3.0};
    ts_builder* builder = ts_builder_create("ball");
    ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -10.0);
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    geom.surface.dimension = 4;
    geom.surface.friction_spin = 0.01;
    memcpy(geom.surface.motion, motion, sizeof motion);
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 0.0, ts_mat3_identity());
    fixture_geom(builder, body, ts_shape_sphere(0.1), ts_vec3_zero(), 1.0);
    fixture f = fixture_start(builder, 1);
    double gained = 0.01 * 10.0 / (0.4 * 0.01);  // rad/s^2: mu_s m g over 2/5 m r^2
    fixture_run(&f, 30);
    cr_expect_float_eq(f.sim->qvel[5], gained * 0.06, 1e-3, "%g", f.sim->qvel[5]);
    fixture_run(&f, 100);
    cr_expect_float_eq(f.sim->qvel[5], 3.0, 1e-6, "%g", f.sim->qvel[5]);
    fixture_end(&f);
}

// Both surfaces count, and a belt gives nothing along the normal.
Test(surface_motion, two_belts_run_against_each_other) {
    const double motion[6] = {1.0, 0.0, 7.0, 0.0, 0.0, 0.0};
    ts_builder* builder = ts_builder_create("both");
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = ts_shape_plane();
    memcpy(geom.surface.motion, motion, sizeof motion);
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    geom.shape = ts_shape_box(ts_vec3_make(0.1, 0.1, 0.1));
    geom.surface.motion[0] = 0.4;
    geom.body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 0.0, ts_mat3_identity());
    cr_assert_geq(ts_builder_add_geom(builder, &geom), 0);
    fixture f = fixture_start(builder, 1);
    fixture_run(&f, 200);
    cr_expect_float_eq(f.sim->qvel[0], 0.6, 1e-6, "%g", f.sim->qvel[0]);
    cr_expect_float_eq(f.sim->qpos[2], 0.1, 2e-5, "%g", f.sim->qpos[2]);
    cr_assert_gt(f.sim->contact_count, 0);
    cr_expect_lt(hypot(f.sim->contact[0].velocity.x, f.sim->contact[0].velocity.y), 1e-6);
    fixture_end(&f);
}
