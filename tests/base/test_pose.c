// base/pose.h: the group laws, the agreement of ts_pose and ts_transform, and accuracy far from the origin.
#include <criterion/criterion.h>

#include "tests/base/sample.h"

static double pose_gap(ts_pose a, ts_pose b) {
    double same = fabs(a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x + a.rotation.y * b.rotation.y +
                       a.rotation.z * b.rotation.z);
    return fmax(sample_vec3_gap(a.position, b.position), fabs(same - 1.0));
}

static double transform_gap(ts_transform a, ts_transform b) {
    return fmax(sample_vec3_gap(a.p, b.p), sample_mat3_gap(a.R, b.R));
}

Test(pose, group_laws) {
    ts_rng rng = ts_rng_make(31, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_pose a = sample_pose(&rng, 3.0), b = sample_pose(&rng, 3.0), c = sample_pose(&rng, 3.0);
        cr_assert_leq(pose_gap(ts_pose_mul(ts_pose_mul(a, b), c), ts_pose_mul(a, ts_pose_mul(b, c))), 2e-14);
        cr_assert_leq(pose_gap(ts_pose_mul(a, ts_pose_inverse(a)), ts_pose_identity()), 1e-14);
        cr_assert_leq(pose_gap(ts_pose_mul(ts_pose_inverse(a), a), ts_pose_identity()), 1e-14);
        cr_assert_leq(pose_gap(ts_pose_mul(a, ts_pose_identity()), a), 1e-15);
        ts_vec3 x = sample_vec3(&rng, 2.0);
        ts_vec3 stepwise = ts_pose_apply(a, ts_pose_apply(b, x));
        cr_assert_leq(sample_vec3_gap(ts_pose_apply(ts_pose_mul(a, b), x), stepwise), 2e-14);
        cr_assert_leq(sample_vec3_gap(ts_pose_apply(ts_pose_inverse(a), ts_pose_apply(a, x)), x), 2e-14);
    }
}

Test(pose, transform_agrees_with_pose) {
    ts_rng rng = ts_rng_make(32, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_pose a = sample_pose(&rng, 3.0), b = sample_pose(&rng, 3.0);
        ts_transform ta = ts_transform_from_pose(a), tb = ts_transform_from_pose(b);
        ts_vec3 x = sample_vec3(&rng, 2.0);
        cr_assert_leq(sample_vec3_gap(ts_transform_point(&ta, x), ts_pose_apply(a, x)), 1e-14);
        cr_assert_leq(sample_vec3_gap(ts_transform_point_inverse(&ta, x), ts_pose_apply(ts_pose_inverse(a), x)), 1e-14);
        cr_assert_leq(sample_vec3_gap(ts_transform_direction(&ta, x), ts_quat_rotate(a.rotation, x)), 1e-14);
        ts_vec3 back = ts_transform_direction_inverse(&ta, ts_transform_direction(&ta, x));
        cr_assert_leq(sample_vec3_gap(back, x), 1e-14);
        cr_assert_leq(transform_gap(ts_transform_mul(&ta, &tb), ts_transform_from_pose(ts_pose_mul(a, b))), 1e-14);
        ts_transform relative = ts_transform_from_pose(ts_pose_mul(ts_pose_inverse(a), b));
        cr_assert_leq(transform_gap(ts_transform_relative(&ta, &tb), relative), 2e-14);
        cr_assert_leq(pose_gap(ts_pose_from_transform(&ta), a), 2e-15);
    }
    ts_transform one = ts_transform_identity();
    cr_assert_eq(transform_gap(one, ts_transform_from_pose(ts_pose_identity())), 0.0);
}

Test(pose, relative_stays_accurate_far_away) {
    // Both frames a million metres out, a metre apart: what is computed must not carry the million's rounding, while the
    // route over the inverse does. Offsets are multiples of 2^-20, so the positions themselves are exact.
    ts_rng rng = ts_rng_make(33, 0);
    for (int trial = 0; trial < 100; ++trial) {
        ts_pose a = sample_pose(&rng, 0.0), b = sample_pose(&rng, 0.0);
        ts_vec3 offset = sample_vec3(&rng, 1.0);
        offset = ts_vec3_make(ldexp(round(ldexp(offset.x, 20)), -20), ldexp(round(ldexp(offset.y, 20)), -20),
                              ldexp(round(ldexp(offset.z, 20)), -20));
        ts_vec3 far_away = ts_vec3_make(1e6, -2e6, 3e6);
        a.position = ts_vec3_zero();
        b.position = offset;
        ts_transform ta = ts_transform_from_pose(a), tb = ts_transform_from_pose(b);
        ts_transform near = ts_transform_relative(&ta, &tb);
        ta.p = ts_vec3_add(ta.p, far_away);
        tb.p = ts_vec3_add(tb.p, far_away);
        cr_assert_eq(transform_gap(ts_transform_relative(&ta, &tb), near), 0.0);
    }
}
