// base/spatial.h: cross products as derivatives of carried vectors, duality of motions and forces, the independence of
// power and energy from the reference point, and inertias against sums over point masses.
#include <criterion/criterion.h>

#include "tests/base/sample.h"

static ts_motion sample_motion(ts_rng* rng) {
    ts_motion m = {sample_vec3(rng, 1.0), sample_vec3(rng, 1.0)};
    return m;
}

static ts_force sample_force(ts_rng* rng) {
    ts_force f = {sample_vec3(rng, 1.0), sample_vec3(rng, 1.0)};
    return f;
}

static double motion_gap(ts_motion a, ts_motion b) {
    return fmax(sample_vec3_gap(a.angular, b.angular), sample_vec3_gap(a.linear, b.linear));
}

static double force_gap(ts_force a, ts_force b) {
    return fmax(sample_vec3_gap(a.couple, b.couple), sample_vec3_gap(a.force, b.force));
}

// A motion given in a frame with axes R and origin p, in the outer frame about its origin.
static ts_motion carry_motion(const ts_mat3* R, ts_vec3 p, ts_motion m) {
    ts_vec3 angular = ts_mat3_mul_vec(R, m.angular);
    ts_motion out = {angular, ts_vec3_add(ts_mat3_mul_vec(R, m.linear), ts_vec3_cross(p, angular))};
    return out;
}

static ts_force carry_force(const ts_mat3* R, ts_vec3 p, ts_force f) {
    ts_vec3 force = ts_mat3_mul_vec(R, f.force);
    ts_force out = {ts_vec3_add(ts_mat3_mul_vec(R, f.couple), ts_vec3_cross(p, force)), force};
    return out;
}

// Where a frame that moves with the constant twist v gets in time t, to second order: enough for central differences.
static void move_frame(ts_motion v, double t, ts_mat3* out_R, ts_vec3* out_p) {
    *out_R = ts_quat_to_mat3(ts_quat_from_rotation_vector(ts_vec3_scale(t, v.angular)));
    *out_p = ts_vec3_add_scaled(ts_vec3_scale(t, v.linear), 0.5 * t * t, ts_vec3_cross(v.angular, v.linear));
}

Test(spatial, cross_is_the_derivative_of_what_is_carried) {
    ts_rng rng = ts_rng_make(41, 0);
    const double t = 1e-5;
    for (int trial = 0; trial < 200; ++trial) {
        ts_motion v = sample_motion(&rng), m = sample_motion(&rng);
        ts_force f = sample_force(&rng);
        ts_mat3 R[2];
        ts_vec3 p[2];
        move_frame(v, t, &R[0], &p[0]);
        move_frame(v, -t, &R[1], &p[1]);
        ts_motion after = carry_motion(&R[0], p[0], m), before = carry_motion(&R[1], p[1], m);
        ts_motion rate = ts_motion_add_scaled(after, -1.0, before);
        rate.angular = ts_vec3_scale(0.5 / t, rate.angular);
        rate.linear = ts_vec3_scale(0.5 / t, rate.linear);
        cr_assert_leq(motion_gap(rate, ts_motion_cross(v, m)), 1e-9);
        ts_force change = ts_force_sub(carry_force(&R[0], p[0], f), carry_force(&R[1], p[1], f));
        change.couple = ts_vec3_scale(0.5 / t, change.couple);
        change.force = ts_vec3_scale(0.5 / t, change.force);
        cr_assert_leq(force_gap(change, ts_motion_cross_force(v, f)), 1e-9);
    }
}

Test(spatial, crosses_are_dual_and_satisfy_jacobi) {
    ts_rng rng = ts_rng_make(42, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_motion a = sample_motion(&rng), b = sample_motion(&rng), c = sample_motion(&rng);
        ts_force f = sample_force(&rng);
        // Power does not change when both are carried along: <a x b, f> + <b, a x* f> = 0.
        double duality =
            ts_motion_dot_force(ts_motion_cross(a, b), f) + ts_motion_dot_force(b, ts_motion_cross_force(a, f));
        cr_assert_float_eq(duality, 0.0, 1e-14);
        cr_assert_leq(motion_gap(ts_motion_cross(a, a), ts_motion_zero()), 1e-15);
        ts_motion cycle = ts_motion_add(
            ts_motion_cross(a, ts_motion_cross(b, c)),
            ts_motion_add(ts_motion_cross(b, ts_motion_cross(c, a)), ts_motion_cross(c, ts_motion_cross(a, b))));
        cr_assert_leq(motion_gap(cycle, ts_motion_zero()), 2e-14);
    }
}

Test(spatial, power_does_not_depend_on_the_point) {
    ts_rng rng = ts_rng_make(43, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_motion m = sample_motion(&rng);
        ts_force f = sample_force(&rng);
        ts_vec3 r = sample_vec3(&rng, 2.0);  // the new point, seen from the old one
        ts_motion m_there = {m.angular, ts_motion_at(m, r)};
        ts_force f_there = {ts_vec3_sub(f.couple, ts_vec3_cross(r, f.force)), f.force};
        cr_assert_float_eq(ts_motion_dot_force(m, f), ts_motion_dot_force(m_there, f_there), 2e-14);
    }
}

Test(spatial, sums_and_zeros) {
    ts_rng rng = ts_rng_make(44, 0);
    ts_motion a = sample_motion(&rng), b = sample_motion(&rng);
    ts_force f = sample_force(&rng), g = sample_force(&rng);
    cr_assert_eq(motion_gap(ts_motion_add(a, ts_motion_zero()), a), 0.0);
    cr_assert_eq(motion_gap(ts_motion_add(a, b), ts_motion_add_scaled(a, 1.0, b)), 0.0);
    cr_assert_leq(motion_gap(ts_motion_add_scaled(ts_motion_add_scaled(a, 2.0, b), -2.0, b), a), 1e-15);
    cr_assert_eq(force_gap(ts_force_add(f, ts_force_zero()), f), 0.0);
    cr_assert_leq(force_gap(ts_force_sub(ts_force_add(f, g), g), f), 1e-15);
    cr_assert_float_eq(ts_motion_dot_force(a, ts_force_add(f, g)),
                       ts_motion_dot_force(a, f) + ts_motion_dot_force(a, g), 1e-14);
}

enum { MASSES = 6 };

Test(spatial, inertia_is_the_sum_over_point_masses) {
    ts_rng rng = ts_rng_make(45, 0);
    for (int trial = 0; trial < 200; ++trial) {
        double mass[MASSES], total = 0.0;
        ts_vec3 at[MASSES], first = ts_vec3_zero();
        for (int k = 0; k < MASSES; ++k) {
            mass[k] = ts_rng_uniform_in(&rng, 0.1, 2.0);
            at[k] = sample_vec3(&rng, 1.0);
            total += mass[k];
            first = ts_vec3_add_scaled(first, mass[k], at[k]);
        }
        ts_vec3 centre = ts_vec3_scale(1.0 / total, first);
        // The inertia about the centre is minus the sum of m [r]x [r]x.
        ts_mat3 about_centre = ts_mat3_zero();
        for (int k = 0; k < MASSES; ++k) {
            ts_mat3 s = ts_mat3_skew(ts_vec3_sub(at[k], centre));
            about_centre = ts_mat3_sub(about_centre, ts_mat3_scale(mass[k], ts_mat3_mul(s, s)));
        }
        ts_inertia whole = ts_inertia_make(total, centre, about_centre);
        // The same body built up mass by mass.
        ts_inertia sum = {0.0, ts_vec3_zero(), ts_mat3_zero()};
        for (int k = 0; k < MASSES; ++k) sum = ts_inertia_add(sum, ts_inertia_make(mass[k], at[k], ts_mat3_zero()));
        cr_assert_float_eq(whole.mass, sum.mass, 1e-14);
        cr_assert_leq(sample_vec3_gap(whole.moment, sum.moment), 1e-14);
        cr_assert_leq(sample_mat3_gap(whole.rotation, sum.rotation), 2e-14);
        // Momentum and kinetic energy, particle by particle.
        ts_motion v = sample_motion(&rng);
        ts_force momentum = ts_force_zero();
        double energy = 0.0;
        for (int k = 0; k < MASSES; ++k) {
            ts_vec3 velocity = ts_motion_at(v, at[k]), p = ts_vec3_scale(mass[k], velocity);
            ts_force one = {ts_vec3_cross(at[k], p), p};
            momentum = ts_force_add(momentum, one);
            energy += 0.5 * mass[k] * ts_vec3_norm_squared(velocity);
        }
        cr_assert_leq(force_gap(ts_inertia_mul(&whole, v), momentum), 4e-14);
        cr_assert_float_eq(0.5 * ts_motion_dot_force(v, ts_inertia_mul(&whole, v)), energy, 4e-14);
    }
}
