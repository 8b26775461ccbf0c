// base/vec.h: every operation against its definition written out in long double, identities, and the extremes of double.
#include <criterion/criterion.h>

#include <float.h>

#include "tests/base/sample.h"

static long double exact_dot(ts_vec3 a, ts_vec3 b) {
    return (long double)a.x * (long double)b.x + (long double)a.y * (long double)b.y +
           (long double)a.z * (long double)b.z;
}

Test(vec, arithmetic_matches_components) {
    ts_rng rng = ts_rng_make(1, 1);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_vec3 a = sample_vec3(&rng, 10.0), b = sample_vec3(&rng, 10.0);
        double s = ts_rng_uniform_in(&rng, -3.0, 3.0);
        for (int k = 0; k < 3; ++k) {
            double ak = ts_vec3_get(a, k), bk = ts_vec3_get(b, k);
            cr_assert_eq(ts_vec3_get(ts_vec3_add(a, b), k), ak + bk);
            cr_assert_eq(ts_vec3_get(ts_vec3_sub(a, b), k), ak - bk);
            cr_assert_eq(ts_vec3_get(ts_vec3_neg(a), k), -ak);
            cr_assert_eq(ts_vec3_get(ts_vec3_scale(s, a), k), s * ak);
            cr_assert_eq(ts_vec3_get(ts_vec3_mul(a, b), k), ak * bk);
            cr_assert_eq(ts_vec3_get(ts_vec3_abs(a), k), fabs(ak));
            cr_assert_eq(ts_vec3_get(ts_vec3_min(a, b), k), fmin(ak, bk));
            cr_assert_eq(ts_vec3_get(ts_vec3_max(a, b), k), fmax(ak, bk));
            cr_assert_float_eq(ts_vec3_get(ts_vec3_add_scaled(a, s, b), k), ak + s * bk, 1e-13);
            cr_assert_float_eq(ts_vec3_get(ts_vec3_lerp(a, b, 0.25), k), 0.75 * ak + 0.25 * bk, 1e-13);
        }
        cr_assert_float_eq(ts_vec3_dot(a, b), (double)exact_dot(a, b), 1e-12);
        cr_assert_float_eq(ts_vec3_norm_squared(a), (double)exact_dot(a, a), 1e-12);
        cr_assert_float_eq(ts_vec3_norm(a), (double)sqrtl(exact_dot(a, a)), 1e-13);
        cr_assert_float_eq(ts_vec3_distance(a, b), ts_vec3_norm(ts_vec3_sub(a, b)), 0.0);
        cr_assert_eq(ts_vec3_max_abs(a), fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))));
    }
}

Test(vec, cross_is_perpendicular_and_right_handed) {
    for (int k = 0; k < 3; ++k) {
        ts_vec3 c = ts_vec3_cross(ts_vec3_axis(k), ts_vec3_axis((k + 1) % 3));
        cr_assert_eq(sample_vec3_gap(c, ts_vec3_axis((k + 2) % 3)), 0.0);
    }
    ts_rng rng = ts_rng_make(2, 1);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_vec3 a = sample_vec3(&rng, 2.0), b = sample_vec3(&rng, 2.0), c = ts_vec3_cross(a, b);
        cr_assert_float_eq(ts_vec3_dot(a, c), 0.0, 1e-14);
        cr_assert_float_eq(ts_vec3_dot(b, c), 0.0, 1e-14);
        // Lagrange: |a x b|^2 = |a|^2 |b|^2 - <a, b>^2
        long double expected = exact_dot(a, a) * exact_dot(b, b) - exact_dot(a, b) * exact_dot(a, b);
        cr_assert_float_eq(ts_vec3_norm_squared(c), (double)expected, 1e-13);
    }
}

Test(vec, with_replaces_one_component) {
    ts_vec3 a = ts_vec3_make(1.0, 2.0, 3.0);
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            cr_assert_eq(ts_vec3_get(ts_vec3_with(a, k, 9.0), j), j == k ? 9.0 : (double)(j + 1));
}

Test(vec, load_and_store_are_inverse) {
    double source[5] = {-1.0, 4.0, 5.0, 6.0, -2.0}, target[5] = {7.0, 7.0, 7.0, 7.0, 7.0};
    ts_vec3_store(ts_vec3_load(source + 1), target + 1);
    const double expected[5] = {7.0, 4.0, 5.0, 6.0, 7.0};
    for (int k = 0; k < 5; ++k) cr_assert_eq(target[k], expected[k]);
    cr_assert_eq(ts_vec3_max_abs(ts_vec3_zero()), 0.0);
}

Test(vec, is_finite_looks_at_every_component) {
    cr_assert(ts_vec3_is_finite(ts_vec3_make(1.0, DBL_MAX, -DBL_MIN)));
    for (int k = 0; k < 3; ++k) {
        cr_assert_not(ts_vec3_is_finite(ts_vec3_with(ts_vec3_zero(), k, (double)NAN)));
        cr_assert_not(ts_vec3_is_finite(ts_vec3_with(ts_vec3_zero(), k, -HUGE_VAL)));
    }
}

Test(vec, unit_survives_the_extremes) {
    ts_vec3 fallback = ts_vec3_make(0.0, 0.0, 1.0);
    const double sizes[] = {5e-324, 1e-310, 1e-200, 1e-20, 1.0, 1e20, 1e200, 1e308};
    ts_rng rng = ts_rng_make(3, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        ts_vec3 u = ts_vec3_unit_or(ts_vec3_make(sizes[s], sizes[s], 0.0), fallback);
        cr_assert_float_eq(u.x, sqrt(0.5), 1e-15);
        cr_assert_float_eq(u.y, sqrt(0.5), 1e-15);
        cr_assert_eq(u.z, 0.0);
        if (sizes[s] < 1e-300) continue;
        ts_vec3 v = ts_vec3_unit_or(sample_vec3(&rng, sizes[s]), fallback);
        cr_assert_float_eq(ts_vec3_norm(v), 1.0, 4.0 * DBL_EPSILON);
    }
    cr_assert_eq(sample_vec3_gap(ts_vec3_unit_or(ts_vec3_zero(), fallback), fallback), 0.0);
    for (int k = 0; k < 3; ++k) {
        ts_vec3 infinite = ts_vec3_with(ts_vec3_make(1.0, 2.0, 3.0), k, HUGE_VAL);
        cr_assert_eq(sample_vec3_gap(ts_vec3_unit_or(infinite, fallback), fallback), 0.0);
        ts_vec3 undefined = ts_vec3_with(ts_vec3_make(1.0, 2.0, 3.0), k, (double)NAN);
        cr_assert_eq(sample_vec3_gap(ts_vec3_unit_or(undefined, fallback), fallback), 0.0,
                     "not a number in component %d", k);
    }
}

// Every order of three numbers, equal ones included: the first of the largest and of the least.
Test(vec, the_number_of_the_largest_and_of_the_least_component) {
    for (int code = 0; code < 27; ++code) {
        const double v[3] = {code % 3 - 1.0, code / 3 % 3 - 1.0, code / 9 - 1.0};
        int largest = 0, least = 0;
        for (int i = 1; i < 3; ++i) {
            if (v[i] > v[largest]) largest = i;
            if (v[i] < v[least]) least = i;
        }
        cr_expect_eq(ts_vec3_largest(ts_vec3_load(v)), largest, "(%g, %g, %g)", v[0], v[1], v[2]);
        cr_expect_eq(ts_vec3_least(ts_vec3_load(v)), least, "(%g, %g, %g)", v[0], v[1], v[2]);
    }
}

Test(vec, orthogonal_is_a_unit_at_right_angles_at_every_size) {
    for (int code = 1; code < 125; ++code) {
        ts_vec3 a = ts_vec3_make(code % 5 - 2.0, code / 5 % 5 - 2.0, code / 25 - 2.0);
        for (int power = -300; power <= 300 && ts_vec3_max_abs(a) > 0.0; power += 100) {
            ts_vec3 u = ts_vec3_orthogonal(ts_vec3_scale(ldexp(1.0, power), a));
            cr_expect_float_eq(ts_vec3_norm(u), 1.0, 4e-16);
            cr_expect_leq(fabs(ts_vec3_dot(u, a)), 4e-16 * ts_vec3_norm(a));
        }
    }
}
