// Welds: two bodies that are held together move as the one that they are, and stay so while they spin and are shaken.
#include "tests/engine/engine_fixture.h"

// Two boxes side by side, apart and turned, held together by their frames.
static ts_builder* pair_of_boxes(void) {
    ts_builder* builder = ts_builder_create("weld");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->tolerance = 1e-12;
    int a = fixture_free_body(builder, ts_vec3_zero(), 2.0, ts_mat3_diagonal(ts_vec3_make(0.03, 0.02, 0.04)));
    int b =
        fixture_free_body(builder, ts_vec3_make(1.0, 0.0, 0.0), 2.0, ts_mat3_diagonal(ts_vec3_make(0.03, 0.02, 0.04)));
    ts_equality_def weld = ts_equality_def_default();
    weld.kind = "weld";
    weld.body[0] = a;
    weld.body[1] = b;
    weld.frame[0].position = ts_vec3_make(0.3, 0.1, 0.0);
    cr_assert(ts_builder_add_equality(builder, &weld) >= 0);
    return builder;
}

// A push at one of two equal masses, off the middle: both get half of it, and the whole turns with its own moment,
// I = 2 (0.04 + 2 / 4).
Test(weld, two_bodies_are_one) {
    fixture f = fixture_start(pair_of_boxes(), 1);
    f.sim->qvel[1] = 1.0;
    fixture_run(&f, 1);
    double spin = 2.0 * 1.0 * -0.5 / (2.0 * (0.04 + 2.0 * 0.25));
    cr_assert_float_eq(f.sim->qvel[5], spin, 1e-5);
    cr_assert_float_eq(f.sim->qvel[11], spin, 1e-5);
    cr_assert_float_eq(f.sim->qvel[1], 0.5 - 0.5 * spin, 1e-5);
    cr_assert_float_eq(f.sim->qvel[7], 0.5 + 0.5 * spin, 1e-5);
    fixture_end(&f);
}

Test(weld, stays_closed_in_any_motion) {
    fixture f = fixture_start(pair_of_boxes(), 1);
    for (int d = 0; d < 12; ++d) f.sim->qvel[d] = d % 6 < 3 ? sin(1.0 + 2.0 * d) : 1.0 + 0.5 * (d % 3);
    double worst = 0.0, turned = 0.0;
    for (int n = 0; n < 2000; ++n) {
        fixture_run(&f, 1);
        const double* q = f.sim->qpos;
        ts_quat a = ts_quat_load(q + 3), b = ts_quat_load(q + 10);
        ts_vec3 arm = ts_vec3_sub(ts_vec3_load(q + 7), ts_vec3_load(q));
        ts_vec3 off = ts_vec3_sub(arm, ts_quat_rotate(a, ts_vec3_axis(0)));
        ts_quat between = ts_quat_mul(ts_quat_conjugate(a), b);
        worst = fmax(worst, ts_vec3_norm(off) + fabs(between.x) + fabs(between.y) + fabs(between.z));
        turned = fmax(turned, 1.0 - fabs(a.w));
    }
    cr_assert(turned > 0.5, "it must have spun");
    cr_assert_lt(worst, 5e-5, "%g", worst);
    fixture_end(&f);
}

// What holds two boxes out from a wall is the same in every step, forces and couples alike: sweeps that go on from all six impulses have nothing to do.
Test(weld, goes_on_from_all_its_impulses) {
    ts_builder* builder = pair_of_boxes();
    ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 1.0, -9.81);
    ts_equality_def wall = ts_equality_def_default();
    wall.kind = "weld";
    wall.body[0] = 1;
    wall.frame[1].position = ts_vec3_make(-0.5, 0.0, 0.0);
    wall.frame[0].position = ts_vec3_make(-0.5, 0.0, 0.0);
    cr_assert(ts_builder_add_equality(builder, &wall) >= 0);
    fixture f = fixture_start(builder, 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "solver", "ncp-pgs", &status), TS_OK);
    cr_assert_eq(ts_sim_set(f.sim, "tolerance", "1e-8", &status), TS_OK);
    fixture_run(&f, 1);
    int cold = f.sim->info.solve.iterations;
    fixture_run(&f, 30);
    int warm = f.sim->info.solve.iterations;
    cr_assert_gt(cold, 8);
    cr_assert_leq(warm, 2, "%d sweeps, and %d without a start", warm, cold);
    fixture_end(&f);
}
