// Surfaces that stick: what they hold, and how they rub.
#include "tests/engine/engine_fixture.h"

static ts_geom_def sticky(ts_shape shape, int body, double adhesion, double friction) {
    ts_geom_def geom = ts_geom_def_default();
    geom.shape = shape;
    geom.body = body;
    geom.surface.adhesion = adhesion;
    geom.surface.friction = friction;
    return geom;
}

// A ball of 5 N under a ceiling: two surfaces of 3 N hold it, of 2 N not; the net force at the contact is its weight.
Test(adhesion, holds_against_a_pull) {
    for (int strong = 0; strong < 2; ++strong) {
        ts_builder* builder = ts_builder_create("ceiling");
        ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -10.0);
        double adhesion = strong ? 3.0 : 2.0;
        ts_geom_def ceiling = sticky(ts_shape_box(ts_vec3_make(1.0, 1.0, 0.1)), 0, adhesion, 1.0);
        ceiling.pose.position.z = 1.1;
        cr_assert_geq(ts_builder_add_geom(builder, &ceiling), 0);
        int body =
            fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.9), 0.5, ts_mat3_scale(0.002, ts_mat3_identity()));
        ts_geom_def ball = sticky(ts_shape_sphere(0.1), body, adhesion, 1.0);
        cr_assert_geq(ts_builder_add_geom(builder, &ball), 0);
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, 200);
        double fallen = 0.9 - f.sim->qpos[2], h = f.sim->options.time_step;
        if (strong) {
            cr_assert_eq(f.sim->contact_count, 1);
            double net = f.sim->contact[0].impulse.z / h - ts_sim_contact_rare(f.sim, 0)->adhesion;
            cr_expect_float_eq(fallen, 0.0, 2e-5, "%g", fallen);
            cr_expect_float_eq(net, -5.0, 1e-6, "%g", net);
        } else {
            cr_expect_gt(fallen, 0.7);
        }
        fixture_end(&f);
    }
}

// Pulled along a floor, a box of 20 N with four corners of 3 N each rubs with mu (20 + 12) N, under every exact solver.
Test(adhesion, rubs_as_if_pressed_by_more) {
    const char* solvers[] = {"ncp", "ncp-pgs", "ncp-newton", "ncp-admm"};
    for (int s = 0; s < 4; ++s)
        for (int slides = 0; slides < 2; ++slides) {
            ts_builder* builder = ts_builder_create("floor");
            ts_builder_options(builder)->gravity = ts_vec3_make(0.0, 0.0, -10.0);
            ts_geom_def floor = sticky(ts_shape_plane(), 0, 1.0, 0.0);
            cr_assert_geq(ts_builder_add_geom(builder, &floor), 0);
            int body =
                fixture_free_body(builder, ts_vec3_make(0.0, 0.0, 0.1), 2.0, ts_mat3_scale(0.01, ts_mat3_identity()));
            ts_geom_def box = sticky(ts_shape_box(ts_vec3_make(0.2, 0.2, 0.1)), body, 2.0, 0.5);
            cr_assert_geq(ts_builder_add_geom(builder, &box), 0);
            fixture f = fixture_start(builder, 1);
            cr_assert_eq(ts_sim_set_solver(f.sim, solvers[s], NULL), TS_OK);
            f.sim->force_applied[0] = slides ? 18.0 : 15.0;
            fixture_run(&f, 100);
            double wanted = slides ? (18.0 - 16.0) / 2.0 * f.sim->time : 0.0;
            cr_expect_float_eq(f.sim->qvel[0], wanted, 1e-4, "%s: %g, not %g", solvers[s], f.sim->qvel[0], wanted);
            fixture_end(&f);
        }
}

// Surfaces of equal priority add up; of others the higher alone counts.
Test(adhesion, combines) {
    ts_surface a = ts_surface_default(), b = ts_surface_default();
    a.adhesion = 3.0;
    b.adhesion = 4.0;
    cr_expect_eq(ts_surface_combine(&a, &b).adhesion, 7.0);
    a.priority = 1;
    cr_expect_eq(ts_surface_combine(&a, &b).adhesion, 3.0);
    a.adhesion = -1.0;
    cr_expect_not_null(ts_surface_fault(&a));
}
