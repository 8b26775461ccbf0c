// base/quat.h: rotations against matrices and against Rodrigues' formula in long double; the exponential and the
// logarithm near zero, across the seam at one radian and near half a turn; the shortest rotation near opposite vectors.
#include <criterion/criterion.h>

#include <float.h>

#include "tests/base/sample.h"

static const double pi = 3.14159265358979323846;

static double quat_gap(ts_quat a, ts_quat b) {
    return fmax(fmax(fabs(a.w - b.w), fabs(a.x - b.x)), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

// The gap of two rotations, q and -q being the same one.
static double rotation_gap(ts_quat a, ts_quat b) {
    return fmin(quat_gap(a, b), quat_gap(a, ts_quat_make(-b.w, -b.x, -b.y, -b.z)));
}

// exp of a rotation vector in long double.
static ts_quat exact_exp(ts_vec3 r) {
    long double x = (long double)r.x, y = (long double)r.y, z = (long double)r.z, angle = sqrtl(x * x + y * y + z * z);
    long double s = angle > 0.0L ? sinl(0.5L * angle) / angle : 0.5L;
    return ts_quat_make((double)cosl(0.5L * angle), (double)(s * x), (double)(s * y), (double)(s * z));
}

Test(quat, multiplication_table) {
    ts_quat one = ts_quat_identity();
    ts_quat i = ts_quat_make(0, 1, 0, 0), j = ts_quat_make(0, 0, 1, 0), k = ts_quat_make(0, 0, 0, 1);
    ts_quat minus_one = ts_quat_make(-1, 0, 0, 0);
    cr_assert_eq(quat_gap(ts_quat_mul(i, j), k), 0.0);
    cr_assert_eq(quat_gap(ts_quat_mul(j, k), i), 0.0);
    cr_assert_eq(quat_gap(ts_quat_mul(k, i), j), 0.0);
    cr_assert_eq(quat_gap(ts_quat_mul(i, i), minus_one), 0.0);
    cr_assert_eq(quat_gap(ts_quat_mul(ts_quat_mul(i, j), k), minus_one), 0.0);
    cr_assert_eq(quat_gap(ts_quat_mul(one, j), j), 0.0);
}

Test(quat, algebra_of_random_rotations) {
    ts_rng rng = ts_rng_make(21, 0);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_quat a = sample_quat(&rng), b = sample_quat(&rng), c = sample_quat(&rng);
        cr_assert_leq(quat_gap(ts_quat_mul(ts_quat_mul(a, b), c), ts_quat_mul(a, ts_quat_mul(b, c))), 1e-15);
        cr_assert_leq(quat_gap(ts_quat_mul(a, ts_quat_conjugate(a)), ts_quat_identity()), 8e-16);
        cr_assert_float_eq(ts_quat_norm(ts_quat_mul(a, b)), 1.0, 1e-15);
        // Composition of quaternions is the product of matrices, and rotating is multiplying by the matrix.
        ts_mat3 A = ts_quat_to_mat3(a), B = ts_quat_to_mat3(b);
        cr_assert_leq(sample_mat3_gap(ts_quat_to_mat3(ts_quat_mul(a, b)), ts_mat3_mul(A, B)), 2e-15);
        cr_assert_leq(sample_mat3_gap(ts_mat3_mul_transposed(A, A), ts_mat3_identity()), 2e-15);
        cr_assert_float_eq(ts_mat3_determinant(A), 1.0, 2e-15);
        ts_vec3 v = sample_vec3(&rng, 1.0);
        cr_assert_leq(sample_vec3_gap(ts_quat_rotate(a, v), ts_mat3_mul_vec(&A, v)), 2e-15);
        ts_quat sandwich = ts_quat_mul(ts_quat_mul(a, ts_quat_make(0.0, v.x, v.y, v.z)), ts_quat_conjugate(a));
        cr_assert_leq(sample_vec3_gap(ts_quat_rotate(a, v), ts_vec3_make(sandwich.x, sandwich.y, sandwich.z)), 2e-15);
    }
}

Test(quat, load_store_and_normalize) {
    double memory[6] = {9.0, 0, 0, 0, 0, 9.0};
    ts_quat_store(ts_quat_make(1, 2, 3, 4), memory + 1);
    for (int k = 0; k < 4; ++k) cr_assert_eq(memory[1 + k], k + 1.0);
    cr_assert(memory[0] == 9.0 && memory[5] == 9.0);
    ts_quat q = ts_quat_load(memory + 1);
    cr_assert_float_eq(ts_quat_norm(q), sqrt(30.0), 1e-15);
    cr_assert_leq(
        quat_gap(ts_quat_normalize(q), ts_quat_make(1 / sqrt(30.0), 2 / sqrt(30.0), 3 / sqrt(30.0), 4 / sqrt(30.0))),
        2e-16);
    ts_quat bad[3] = {ts_quat_make(0, 0, 0, 0), ts_quat_make(1, (double)NAN, 0, 0), ts_quat_make(1, 0, HUGE_VAL, 0)};
    for (int k = 0; k < 3; ++k) cr_assert_eq(quat_gap(ts_quat_normalize(bad[k]), ts_quat_identity()), 0.0);
    const double sizes[] = {1e-320, 1e-200, 1e200, 1e300};
    for (int k = 0; k < 4; ++k) {
        ts_quat u = ts_quat_normalize(ts_quat_make(0.0, sizes[k], 0.0, -sizes[k]));
        cr_assert_leq(quat_gap(u, ts_quat_make(0.0, sqrt(0.5), 0.0, -sqrt(0.5))), 2e-16, "size %g", sizes[k]);
    }
}

Test(quat, axis_angle_follows_rodrigues) {
    ts_rng rng = ts_rng_make(22, 0);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_vec3 axis = sample_unit(&rng), v = sample_vec3(&rng, 1.0);
        double angle = ts_rng_uniform_in(&rng, -10.0, 10.0);
        // v cos + (u x v) sin + u <u, v> (1 - cos)
        ts_vec3 expected = ts_vec3_scale(cos(angle), v);
        expected = ts_vec3_add_scaled(expected, sin(angle), ts_vec3_cross(axis, v));
        expected = ts_vec3_add_scaled(expected, ts_vec3_dot(axis, v) * (1.0 - cos(angle)), axis);
        double length = pow(10.0, ts_rng_uniform_in(&rng, -100.0, 100.0));
        ts_quat q = ts_quat_from_axis_angle(ts_vec3_scale(length, axis), angle);
        cr_assert_leq(sample_vec3_gap(ts_quat_rotate(q, v), expected), 4e-15);
    }
    cr_assert_eq(quat_gap(ts_quat_from_axis_angle(ts_vec3_zero(), 1.0), ts_quat_identity()), 0.0);
    // A quarter turn about z takes x to y.
    ts_vec3 y = ts_quat_rotate(ts_quat_from_axis_angle(ts_vec3_axis(2), 0.5 * pi), ts_vec3_axis(0));
    cr_assert_leq(sample_vec3_gap(y, ts_vec3_axis(1)), 4e-16);
}

Test(quat, exponential_matches_long_double) {
    ts_rng rng = ts_rng_make(23, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        // Angles over many decades, and a crowd of them around the seam of the two formulas.
        double angle = trial % 2 ? pow(10.0, ts_rng_uniform_in(&rng, -20.0, 1.5)) : 1.0 + 1e-3 * ts_rng_normal(&rng);
        ts_vec3 r = ts_vec3_scale(angle, sample_unit(&rng));
        ts_quat q = ts_quat_from_rotation_vector(r);
        cr_assert_leq(quat_gap(q, exact_exp(r)), 3e-16 * fmax(1.0, angle), "angle %.17g", angle);
        cr_assert_float_eq(ts_quat_norm(q), 1.0, 4.0 * DBL_EPSILON);
        if (angle < 1e-4) {  // relative accuracy of the small part
            ts_vec3 v = ts_vec3_make(2.0 * q.x, 2.0 * q.y, 2.0 * q.z);
            cr_assert_leq(sample_vec3_gap(v, r), angle * (1e-15 + angle * angle));
        }
    }
    cr_assert_eq(quat_gap(ts_quat_from_rotation_vector(ts_vec3_zero()), ts_quat_identity()), 0.0);
}

Test(quat, logarithm_undoes_the_exponential) {
    ts_rng rng = ts_rng_make(24, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        double angle = trial % 2 ? pow(10.0, ts_rng_uniform_in(&rng, -20.0, 0.0)) : ts_rng_uniform_in(&rng, 0.0, pi);
        if (trial % 5 == 0) angle = pi - pow(10.0, ts_rng_uniform_in(&rng, -12.0, 0.0));
        ts_vec3 r = ts_vec3_scale(angle, sample_unit(&rng));
        ts_quat q = ts_quat_from_rotation_vector(r);
        cr_assert_leq(sample_vec3_gap(ts_quat_to_rotation_vector(q), r), 4e-15 * angle, "angle %.17g", angle);
        ts_quat minus = ts_quat_make(-q.w, -q.x, -q.y, -q.z);
        cr_assert_leq(sample_vec3_gap(ts_quat_to_rotation_vector(minus), r), 4e-15 * angle);
    }
    cr_assert_eq(ts_vec3_max_abs(ts_quat_to_rotation_vector(ts_quat_identity())), 0.0);
    ts_vec3 half = ts_quat_to_rotation_vector(ts_quat_make(0.0, 0.0, 1.0, 0.0));
    cr_assert_leq(sample_vec3_gap(half, ts_vec3_make(0.0, pi, 0.0)), 1e-15);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_quat q = sample_quat(&rng);
        ts_vec3 r = ts_quat_to_rotation_vector(q);
        cr_assert_leq(ts_vec3_norm(r), pi * (1.0 + 4.0 * DBL_EPSILON));
        cr_assert_leq(rotation_gap(ts_quat_from_rotation_vector(r), q), 2e-15);
    }
}

Test(quat, from_matrix_in_all_four_branches) {
    ts_rng rng = ts_rng_make(25, 0);
    for (int trial = 0; trial < 4000; ++trial) {
        ts_quat q = sample_quat(&rng);
        if (trial % 2) {  // near half a turn about an axis: w almost zero
            ts_vec3 axis = trial % 4 == 1 ? sample_unit(&rng) : ts_vec3_axis(trial / 4 % 3);
            q = ts_quat_from_axis_angle(axis, pi - pow(10.0, ts_rng_uniform_in(&rng, -18.0, -1.0)));
        }
        ts_mat3 R = ts_quat_to_mat3(q);
        ts_quat back = ts_quat_from_mat3(&R);
        cr_assert_geq(back.w, 0.0);
        cr_assert_float_eq(ts_quat_norm(back), 1.0, 4.0 * DBL_EPSILON);
        cr_assert_leq(rotation_gap(back, q), 2e-15);
    }
    ts_mat3 one = ts_mat3_identity();
    cr_assert_eq(quat_gap(ts_quat_from_mat3(&one), ts_quat_identity()), 0.0);
    for (int k = 0; k < 3; ++k) {
        ts_mat3 half = ts_mat3_diagonal(ts_vec3_with(ts_vec3_make(-1.0, -1.0, -1.0), k, 1.0));
        ts_vec3 axis = ts_vec3_axis(k);
        cr_assert_eq(rotation_gap(ts_quat_from_mat3(&half), ts_quat_make(0.0, axis.x, axis.y, axis.z)), 0.0);
    }
}

// q must take `from` to `to` and turn by no more than the angle between them.
static void check_between(ts_vec3 from, ts_vec3 to) {
    ts_quat q = ts_quat_between(from, to);
    cr_assert_float_eq(ts_quat_norm(q), 1.0, 4.0 * DBL_EPSILON);
    cr_assert_leq(sample_vec3_gap(ts_quat_rotate(q, from), to), 4e-15);
    double turned = ts_vec3_norm(ts_quat_to_rotation_vector(q));
    double angle = 2.0 * atan2(ts_vec3_distance(from, to), ts_vec3_norm(ts_vec3_add(from, to)));
    cr_assert_float_eq(turned, angle, 1e-7);
    if (angle < 3.0) cr_assert_float_eq(turned, angle, 4e-15);
}

Test(quat, between_is_the_shortest_way) {
    ts_rng rng = ts_rng_make(26, 0);
    for (int trial = 0; trial < 2000; ++trial) check_between(sample_unit(&rng), sample_unit(&rng));
    for (int axis = 0; axis < 3; ++axis)
        for (int other = 0; other < 3; ++other) {
            check_between(ts_vec3_axis(axis), ts_vec3_axis(other));
            check_between(ts_vec3_axis(axis), ts_vec3_neg(ts_vec3_axis(other)));
        }
    for (int trial = 0; trial < 2000; ++trial) {
        // Off the same or the opposite direction by 1e-18 .. 1e-1.
        ts_vec3 from = sample_unit(&rng);
        double off = pow(10.0, ts_rng_uniform_in(&rng, -18.0, -1.0));
        ts_vec3 near = ts_vec3_unit_or(ts_vec3_add_scaled(from, off, sample_unit(&rng)), from);
        check_between(from, near);
        check_between(from, ts_vec3_neg(near));
    }
}

Test(quat, integration_of_constant_spin_is_exact) {
    ts_rng rng = ts_rng_make(27, 0);
    for (int trial = 0; trial < 50; ++trial) {
        ts_quat start = sample_quat(&rng), q = start;
        ts_vec3 omega = sample_vec3(&rng, 5.0);
        const int steps = 1000;
        const double h = 1e-3;
        for (int k = 0; k < steps; ++k) q = ts_quat_integrate(q, omega, h);
        ts_quat expected = ts_quat_mul(start, exact_exp(ts_vec3_scale(h * steps, omega)));
        cr_assert_leq(rotation_gap(q, expected), 1e-13);
        cr_assert_float_eq(ts_quat_norm(q), 1.0, 4.0 * DBL_EPSILON);
    }
}

Test(quat, integration_uses_the_childs_axes) {
    // Turned a quarter about z, the child's x axis is the parent's y axis.
    ts_quat q = ts_quat_from_axis_angle(ts_vec3_axis(2), 0.5 * pi);
    ts_quat next = ts_quat_integrate(q, ts_vec3_make(0.3, 0.0, 0.0), 1.0);
    ts_quat expected = ts_quat_mul(ts_quat_from_axis_angle(ts_vec3_axis(1), 0.3), q);
    cr_assert_leq(quat_gap(next, expected), 1e-15);
}
