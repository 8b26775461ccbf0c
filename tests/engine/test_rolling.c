// Contacts that resist spinning (condim 4) and rolling (condim 6): textbook motions, on free bodies and on jointed ones.
#include "tests/engine/engine_fixture.h"

static const double gravity = 9.81, radius = 0.1, mass = 0.5;

static void rough_geom(ts_builder* builder, int body, ts_shape shape, int dimension) {
    ts_geom_def geom = ts_geom_def_default();
    geom.body = body;
    geom.shape = shape;
    geom.surface.friction = 0.6;
    geom.surface.friction_spin = 0.004;
    geom.surface.friction_roll = 0.02;
    geom.surface.dimension = dimension;
    cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
}

// A ball touching the floor z = 0: `jointed` hangs it on three slides and a ball joint in place of a free one.
static fixture ball(int dimension, int jointed, ts_vec3 linear, ts_vec3 angular) {
    ts_builder* builder = ts_builder_create("ball");
    ts_options* options = ts_builder_options(builder);
    options->time_step = 1e-3;
    const double inertia = 0.4 * mass * radius * radius;
    const ts_mat3 I = ts_mat3_diagonal(ts_vec3_make(inertia, inertia, inertia));
    ts_vec3 up = ts_vec3_make(0.0, 0.0, radius);
    int body;
    if (!jointed) {
        body = fixture_free_body(builder, up, mass, I);
        ts_builder_set_free_velocity(builder, body, linear, angular);
    } else {
        ts_body_def def = ts_body_def_default();
        def.pose.position = up;
        def.mass = mass;
        def.inertia = I;
        body = ts_builder_add_body(builder, &def);
        for (int k = 0; k < 4; ++k) {
            ts_joint_def joint = ts_joint_def_default();
            joint.body = body;
            joint.type = k < 3 ? TS_JOINT_SLIDE : TS_JOINT_BALL;
            if (k < 3) joint.axis = ts_vec3_axis(k);
            cr_assert(ts_builder_add_joint(builder, &joint) >= 0);
        }
    }
    rough_geom(builder, body, ts_shape_sphere(radius), dimension);
    rough_geom(builder, 0, ts_shape_plane(), dimension);
    fixture f = fixture_start(builder, 1);
    if (jointed) {
        ts_vec3_store(linear, f.sim->qvel);
        ts_vec3_store(angular, f.sim->qvel + 3);
    }
    ts_status status;
    cr_assert_eq(ts_sim_set_solver(f.sim, "ncp-nsgs", &status), TS_OK, "%s", status.message);
    return f;
}

// mu_s m g h / I off the spin in every step, and then rest. With three rows it spins for ever.
Test(rolling, a_spinning_ball_is_stopped_by_torsional_friction) {
    const double fall = 0.004 * mass * gravity * 1e-3 / (0.4 * mass * radius * radius);
    for (int jointed = 0; jointed < 2; ++jointed) {
        fixture f = ball(4, jointed, ts_vec3_zero(), ts_vec3_make(0.0, 0.0, 20.5 * fall));
        for (int step = 1; step <= 25; ++step) {
            fixture_run(&f, 1);
            cr_assert_eq(f.sim->contact_count, 1);
            cr_assert_eq(f.sim->contact[0].surface.dimension, 4);
            double expected = fmax(0.0, 20.5 - step) * fall;
            cr_assert_float_eq(f.sim->qvel[5], expected, 1e-9, "step %d: %.12g, not %.12g", step, f.sim->qvel[5],
                               expected);
            if (step < 20)
                cr_assert_float_eq(f.sim->contact_rare[0].angular_impulse.z *
                                       (f.sim->contact[0].body_b == 0 ? -1.0 : 1.0),
                                   -0.004 * mass * gravity * 1e-3, 1e-9);
        }
        fixture_end(&f);
        f = ball(3, jointed, ts_vec3_zero(), ts_vec3_make(0.0, 0.0, 20.5 * fall));
        fixture_run(&f, 25);
        cr_assert_float_eq(f.sim->qvel[5], 20.5 * fall, 1e-12);
        fixture_end(&f);
    }
}

// The one round cone lets some slip go with the roll: v = (r + kappa) omega, see tests/contact/test_sets.c for kappa and the
// loss per step; nearly mu_r m g h / (I + m r^2).
Test(rolling, a_rolling_ball_is_stopped_by_rolling_resistance) {
    const double m = mass, r = radius, I = 0.4 * m * r * r, mu = 0.6, s = 0.02 / mu, h = 1e-3;
    const double b = m * r * r - m * s * s + I, kappa = (-b + sqrt(b * b + 4 * m * r * m * r * s * s)) / (2 * m * r);
    const double fall = mu * m * gravity * h * (s * s - r * kappa) / (I * sqrt(kappa * kappa + s * s));
    for (int jointed = 0; jointed < 2; ++jointed) {
        double omega = 10.5 * fall;
        fixture f = ball(6, jointed, ts_vec3_make((r + kappa) * omega, 0.0, 0.0), ts_vec3_make(0.0, omega, 0.0));
        for (int step = 1; step <= 14; ++step) {
            fixture_run(&f, 1);
            double expected = fmax(0.0, 10.5 - step) * fall;
            cr_assert_eq(f.sim->info.solve.status, TS_SOLVE_CONVERGED);
            cr_assert_float_eq(f.sim->qvel[0], (r + kappa) * expected, 1e-8, "step %d: %.12g, not %.12g", step,
                               f.sim->qvel[0], (r + kappa) * expected);
        }
        cr_assert_float_eq(f.sim->qpos[2], jointed ? 0.0 : r, 1e-9);
        fixture_end(&f);
    }
}

// The last impulse is remembered, spin and roll included, and a snapshot goes on with the same bits.
Test(rolling, warm_starts_and_snapshots_know_spin_and_roll) {
    fixture f = ball(6, 0, ts_vec3_make(0.3, 0.1, 0.0), ts_vec3_make(1.0, 3.0, 0.5));
    fixture_run(&f, 20);
    const ts_row_memory* memory = &f.sim->row_memory.data[0];
    cr_assert_eq(memory->more_count, 2);
    cr_assert_gt(ts_vec3_norm(ts_vec3_load(f.sim->row_more.data[memory->more + 1].number)), 1e-6);
    ts_snapshot snapshot = {0};
    ts_status status;
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    fixture_run(&f, 20);
    uint64_t hash = ts_sim_hash(f.sim);
    cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
    fixture_run(&f, 20);
    cr_assert_eq(ts_sim_hash(f.sim), hash);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

// What has no coefficient is left out, and mu = 0 leaves nothing to measure spin and roll by.
Test(rolling, rows_without_friction_are_left_out) {
    const double coefficient[4][3] = {{0.6, 0.004, 0.0}, {0.6, 0.0, 0.0}, {0.0, 0.004, 0.02}, {0.6, 0.0, 0.02}};
    const int expected[4] = {4, 3, 3, 6};
    for (int k = 0; k < 4; ++k) {
        ts_builder* builder = ts_builder_create("ball");
        int body = fixture_free_body(builder, ts_vec3_make(0.0, 0.0, radius), -1.0, ts_mat3_zero());
        for (int side = 0; side < 2; ++side) {
            ts_geom_def geom = ts_geom_def_default();
            geom.body = side ? body : 0;
            geom.shape = side ? ts_shape_sphere(radius) : ts_shape_plane();
            geom.surface.friction = coefficient[k][0];
            geom.surface.friction_spin = coefficient[k][1];
            geom.surface.friction_roll = coefficient[k][2];
            geom.surface.dimension = side ? 6 : 1;
            cr_assert(ts_builder_add_geom(builder, &geom) >= 0);
        }
        fixture f = fixture_start(builder, 1);
        fixture_run(&f, 3);
        cr_assert_eq(f.sim->contact[0].surface.dimension, expected[k], "%d: %d", k,
                     f.sim->contact[0].surface.dimension);
        for (int i = 0; i < f.sim->model->nv; ++i) cr_assert(isfinite(f.sim->qvel[i]));
        // The row of zeros must not spoil the warm start.
        ts_status status;
        cr_assert_eq(ts_sim_forward(f.sim, &status), TS_OK);
        for (int r = 0; r < f.sim->problem.row_count; ++r) cr_assert(isfinite(f.sim->impulse[r]));
        fixture_end(&f);
    }
}
