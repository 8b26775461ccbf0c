// Joint equalities against closed forms: gears, a polynomial of the fourth degree, a lock.
#include "tests/engine/engine_fixture.h"

static const double inertia[2] = {0.3, 0.05};

// Two hinges about z, without gravity, and q1 - r1 = P(q2 - r2).
static fixture hinges(const double* coefficient, double reference, int second) {
    ts_builder* builder = ts_builder_create("gear");
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_builder_options(builder)->time_step = 0.001;
    ts_builder_options(builder)->tolerance = 1e-12;
    ts_equality_def gear = ts_equality_def_default();
    gear.kind = "joint-equality";
    for (int i = 0; i < 2; ++i) {
        ts_body_def body = ts_body_def_default();
        body.pose.position = ts_vec3_make(i, 0.0, 0.0);
        body.mass = 1.0;
        body.inertia = ts_mat3_scale(inertia[i], ts_mat3_identity());
        ts_joint_def joint = ts_joint_def_default();
        joint.body = ts_builder_add_body(builder, &body);
        joint.reference = i ? -reference : reference;
        gear.joint[i] = ts_builder_add_joint(builder, &joint);
    }
    if (!second) gear.joint[1] = -1;
    memcpy(gear.coefficient, coefficient, sizeof gear.coefficient);
    ts_builder_add_equality(builder, &gear);
    return fixture_start(builder, 1);
}

static double polynomial(const double* c, double x) { return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4]))); }

Test(joint_equality, a_gear_has_the_inertia_of_both) {
    const double ratio = -2.5, torque = 0.7, c[5] = {0.0, ratio, 0.0, 0.0, 0.0};
    fixture f = hinges(c, 0.4, 1);
    f.sim->force_applied[1] = torque;
    fixture_run(&f, 500);
    double expected = 0.5 * torque / (inertia[1] + ratio * ratio * inertia[0]);
    cr_assert_float_eq(f.sim->qvel[1], expected, 1e-5 * expected, "%g against %g", f.sim->qvel[1], expected);
    cr_assert_float_eq(f.sim->qvel[0], ratio * f.sim->qvel[1], 1e-6);
    cr_assert_float_eq(f.sim->qpos[0] - 0.4, ratio * (f.sim->qpos[1] + 0.4), 1e-7);
    // What it takes to turn the first hinge.
    cr_assert_float_eq(f.sim->impulse[0], inertia[0] * ratio * expected / 500.0, 1e-6);
    cr_assert_str_eq(ts_row_source_name(f.sim->row_block[0].source), "joint-equality");
    fixture_end(&f);
}

Test(joint_equality, a_polynomial_is_followed) {
    const double c[5] = {0.1, 0.8, -0.6, 0.3, 0.2};
    fixture f = hinges(c, 0.2, 1);
    // On the curve, with the speed along it.
    f.sim->qpos[1] = -0.2 + 0.3;
    f.sim->qpos[0] = 0.2 + polynomial(c, 0.3);
    double slope = c[1] + 0.3 * (2 * c[2] + 0.3 * (3 * c[3] + 0.3 * 4 * c[4]));
    f.sim->qvel[1] = 1.0;
    f.sim->qvel[0] = slope;
    double energy = ts_sim_energy(f.sim).kinetic;
    for (int i = 0; i < 1000; ++i) {
        fixture_run(&f, 1);
        double off = f.sim->qpos[0] - 0.2 - polynomial(c, f.sim->qpos[1] + 0.2);
        // h^2 P'' v^2 / 2 a step, of which kappa is mended.
        cr_assert_lt(fabs(off), 5e-5, "step %d: %g", i, off);
    }
    cr_assert_gt(f.sim->qpos[1], 0.5, "it must have come far");
    cr_assert_float_eq(ts_sim_energy(f.sim).kinetic, energy, 2e-3 * energy);
    fixture_end(&f);
}

Test(joint_equality, an_error_goes_at_the_speed_of_the_options) {
    const double c[5] = {0.02, 1.0, 0.0, 0.0, 0.0};
    fixture f = hinges(c, 0.0, 1);
    const double speed = 3.0;
    f.sim->options.push_out_turn = speed;
    double off = -0.02;
    for (int i = 0; i < 20; ++i) {
        fixture_run(&f, 1);
        off = fmin(off + speed * f.sim->options.time_step, 0.0);
        cr_assert_float_eq(f.sim->qpos[0] - f.sim->qpos[1] - 0.02, off, 1e-6, "step %d", i);
    }
    fixture_end(&f);
}

Test(joint_equality, without_a_second_joint_it_is_a_lock) {
    const double c[5] = {0.3, 9.0, 9.0, 9.0, 9.0};
    fixture f = hinges(c, 0.1, 0);
    f.sim->qpos[0] = 0.4;
    f.sim->force_applied[0] = 5.0;
    f.sim->force_applied[1] = 1.0;
    fixture_run(&f, 300);
    cr_assert_float_eq(f.sim->qpos[0], 0.4, 1e-6);
    cr_assert_float_eq(f.sim->impulse[0], -5.0 * 0.001, 1e-8);
    cr_assert_float_eq(f.sim->qvel[1], 0.3 / inertia[1], 1e-9);
    fixture_end(&f);
}
