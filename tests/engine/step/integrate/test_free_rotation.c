// Free rotation: what the midpoint rule with the Cayley map keeps, and how near it is to the truth.
#include "tests/engine/engine_fixture.h"

#include "engine/step/integrate/free_rotation_internal.h"

static double energy_of(const ts_mat3* inertia, ts_vec3 w) { return 0.5 * ts_vec3_dot(w, ts_mat3_mul_vec(inertia, w)); }

static double relative_distance(ts_vec3 a, ts_vec3 b) { return ts_vec3_distance(a, b) / ts_vec3_norm(b); }

// The proof in free_rotation.c, in numbers: whatever the body, the spin and the step, also where it had to be halved.
Test(free_rotation, a_step_keeps_energy_and_momentum) {
    ts_rng rng = ts_rng_make(4, 0);
    int solved = 0;
    for (int i = 0; i < 2000; ++i) {
        ts_mat3 inertia = fixture_random_inertia(&rng);
        ts_vec3 w = fixture_random_vec3(&rng, pow(10.0, ts_rng_uniform_in(&rng, -3.0, 3.0))), next;
        ts_quat turn;
        if (!ts_free_rotation_step(&inertia, w, ts_vec3_zero(), 2e-3, &next, &turn)) continue;
        ++solved;
        cr_assert_float_eq(energy_of(&inertia, next) / energy_of(&inertia, w), 1.0, 1e-13);
        ts_vec3 momentum = ts_quat_rotate(turn, ts_mat3_mul_vec(&inertia, next));
        cr_assert_lt(relative_distance(momentum, ts_mat3_mul_vec(&inertia, w)), 1e-13);
    }
    cr_assert_eq(solved, 2000);
}

// The equation itself, in long double: I (w+ - w) / h + w_m x I w_m = couple.
Test(free_rotation, a_step_solves_the_midpoint_equation) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int i = 0; i < 500; ++i) {
        ts_mat3 inertia = fixture_random_inertia(&rng);
        ts_vec3 w = fixture_random_vec3(&rng, 100.0), couple = fixture_random_vec3(&rng, 30.0), next;
        ts_quat turn;
        double h = 1e-3;
        cr_assert(ts_free_rotation_step(&inertia, w, couple, h, &next, &turn));
        long double middle[3] = {((long double)w.x + next.x) / 2, ((long double)w.y + next.y) / 2,
                                 ((long double)w.z + next.z) / 2};
        long double change[3] = {(long double)next.x - w.x, (long double)next.y - w.y, (long double)next.z - w.z};
        long double momentum[3], rate[3];
        for (int r = 0; r < 3; ++r) {
            const double* row = inertia.m[r];
            momentum[r] = row[0] * middle[0] + row[1] * middle[1] + row[2] * middle[2];
            rate[r] = (row[0] * change[0] + row[1] * change[1] + row[2] * change[2]) / (long double)h;
        }
        for (int r = 0; r < 3; ++r) {
            int s = (r + 1) % 3, t = (r + 2) % 3;
            long double rest =
                rate[r] + middle[s] * momentum[t] - middle[t] * momentum[s] - (long double)ts_vec3_get(couple, r);
            cr_assert_lt(fabs((double)rest), 1e-9, "%g", (double)rest);
        }
    }
}

// Beyond reason the energy is still bounded, and the caller hears of it.
Test(free_rotation, a_hopeless_spin_is_said_to_be_one) {
    ts_mat3 inertia = ts_mat3_diagonal(ts_vec3_make(1.0, 2.0, 2.9));
    ts_vec3 w = ts_vec3_make(1e9, 2e9, -1e9), next;
    ts_quat turn;
    cr_assert_not(ts_free_rotation_step(&inertia, w, ts_vec3_zero(), 1.0, &next, &turn));
    cr_assert_lt(energy_of(&inertia, next), 1.001 * energy_of(&inertia, w));
}

static fixture spinning(ts_vec3 moments, ts_vec3 centre, ts_vec3 w, double h) {
    ts_builder* builder = ts_builder_create("spin");
    ts_builder_options(builder)->time_step = h;
    ts_builder_options(builder)->gravity = ts_vec3_zero();
    ts_body_def def = ts_body_def_default();
    def.mass = 2.0;
    def.centre = centre;
    def.inertia = ts_mat3_diagonal(moments);
    int body = ts_builder_add_body(builder, &def);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = body;
    joint.type = TS_JOINT_FREE;
    ts_builder_add_joint(builder, &joint);
    // The centre of mass stands.
    ts_builder_set_free_velocity(builder, body, ts_vec3_neg(ts_vec3_cross(w, centre)), w);
    return fixture_start(builder, 1);
}

static ts_vec3 momentum_of(const fixture* f) {
    ts_vec3 m = ts_mat3_mul_vec(&f->model->body[1].inertia, ts_vec3_load(f->sim->qvel + 3));
    return ts_quat_rotate(ts_quat_load(f->sim->qpos + 3), m);
}

// 20 rad/s for 100 s: energy, angular momentum and the centre of mass stay, on and off the body's origin.
Test(free_rotation, a_hundred_seconds_at_20_rad_per_s) {
    static const double moments[2][3] = {{0.1, 0.2, 0.3}, {0.1, 0.1, 0.001}};
    for (int k = 0; k < 4; ++k) {
        ts_vec3 centre = k < 2 ? ts_vec3_zero() : ts_vec3_make(0.3, -0.1, 0.2);
        ts_vec3 w = ts_vec3_scale(20.0 / sqrt(1.0 + 1.0 + 1e-4), ts_vec3_make(0.01, 1.0, 1.0));
        fixture f = spinning(ts_vec3_load(moments[k % 2]), centre, w, 1e-3);
        ts_vec3 momentum = momentum_of(&f), place = f.sim->kinematics.body_centre[1];
        double energy = ts_sim_energy(f.sim).kinetic, worst_energy = 0.0, worst_momentum = 0.0;
        for (int i = 0; i < 100; ++i) {
            fixture_run(&f, 1000);
            worst_energy = fmax(worst_energy, fabs(ts_sim_energy(f.sim).kinetic / energy - 1.0));
            worst_momentum = fmax(worst_momentum, relative_distance(momentum_of(&f), momentum));
        }
        cr_assert_lt(worst_energy, 1e-11, "case %d: %g", k, worst_energy);
        cr_assert_lt(worst_momentum, 1e-11, "case %d: %g", k, worst_momentum);
        cr_assert_lt(ts_vec3_distance(f.sim->kinematics.body_centre[1], place), 1e-9);
        cr_assert_eq(f.sim->info.unsolved_rotations, 0);
        fixture_end(&f);
    }
}
