// The polish alone: whatever normal it is given, nothing gets worse, and near an answer it finds all digits of it.
#include "tests/collision/collision_fixture.h"

#include "collision/polish.h"
#include "collision/proximity.h"
#include "collision/support.h"

static double gap_along(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(pose, sb), sa));
}

static ts_polish_state start_from(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_polish_state s = {gap_along(a, b, pose, n), (double)INFINITY, n, ts_support_core(a, n, -1).point,
                         ts_vec3_zero()};
    ts_vec3 in_b = ts_transform_direction_inverse(pose, ts_vec3_neg(n));
    s.point_b = ts_transform_point(pose, ts_support_core(b, in_b, -1).point);
    return s;
}

static const int KINDS[6] = {TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID, TS_SHAPE_CYLINDER,
                             TS_SHAPE_CONE,    TS_SHAPE_BOX,       TS_SHAPE_HULL};

Test(polish, nothing_gets_worse_from_any_normal) {
    ts_rng rng = ts_rng_make(1101, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    for (int trial = 0; trial < 20000; ++trial) {
        ts_shape a = random_shape(&rng, (ts_shape_kind)KINDS[trial % 6], 1.0, hull);
        ts_shape b = random_shape(&rng, (ts_shape_kind)KINDS[trial / 6 % 6], 1.0, hull);
        ts_transform pose = random_pose(&rng, trial % 2 ? 0.5 : 2.0);
        ts_polish_state given = start_from(&a, &b, &pose, random_unit(&rng)), s = given;
        ts_polish_normal(&a, &b, &pose, &s);
        cr_assert_geq(s.lower, given.lower - 1e-13);
        cr_assert_leq(s.upper, given.upper);
        cr_assert_leq(s.lower, s.upper);
        cr_assert_float_eq(ts_vec3_norm(s.normal), 1.0, 1e-13);
        cr_assert_float_eq(gap_along(&a, &b, &pose, s.normal), s.lower, 1e-13, "trial %d", trial);
    }
    ts_hull_free(hull);
}

// Two ellipsoids placed so that they touch at a chosen pair of points, then moved apart: the answer is known without any
// search, and a start that is off by some degrees must reach it.
Test(polish, an_ellipsoid_pair_is_solved_to_the_last_digits_from_degrees_away) {
    ts_rng rng = ts_rng_make(1102, 0);
    for (int trial = 0; trial < 5000; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0), b = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0);
        ts_transform pose = random_pose(&rng, 0.0);
        ts_vec3 n = random_unit(&rng);
        ts_vec3 sa = ts_support_core(&a, n, -1).point;
        ts_vec3 sb = ts_support_core(&b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point;
        double distance = trial % 3 ? 1e-3 : 0.3;
        pose.p = ts_vec3_add_scaled(ts_vec3_sub(sa, ts_transform_direction(&pose, sb)), distance, n);
        ts_vec3 off = ts_vec3_unit_or(ts_vec3_add_scaled(n, 0.05, random_unit(&rng)), n);
        ts_polish_state s = start_from(&a, &b, &pose, off);
        s.upper = ts_vec3_distance(s.point_a, s.point_b);
        cr_assert_eq(ts_polish_normal(&a, &b, &pose, &s), TS_POLISH_EXACT, "trial %d", trial);
        cr_assert_float_eq(s.lower, distance, 1e-14);
        cr_assert_float_eq(s.upper, distance, 1e-12);
        cr_assert_leq(ts_vec3_distance(s.normal, n), 1e-7);
    }
}

// A claim of EXACT about cores apart closes the bounds, and both points belong to their shapes.
Test(polish, exact_means_exact) {
    ts_rng rng = ts_rng_make(1103, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    int exact = 0, apart = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        ts_shape a = random_shape(&rng, (ts_shape_kind)KINDS[1 + trial % 5], 1.0, hull);
        ts_shape b = random_shape(&rng, (ts_shape_kind)KINDS[1 + trial / 5 % 5], 1.0, hull);
        ts_transform pose = random_pose(&rng, 2.0), same = ts_transform_identity();
        ts_proximity p;
        ts_proximity_query(&a, &same, &b, &pose, 0, 0, &p);
        if (!(p.distance > 1e-3)) continue;
        ++apart;
        ts_vec3 off = ts_vec3_unit_or(ts_vec3_add_scaled(p.normal, 0.02, random_unit(&rng)), p.normal);
        ts_polish_state s = start_from(&a, &b, &pose, off);
        if (ts_polish_normal(&a, &b, &pose, &s) != TS_POLISH_EXACT) continue;
        ++exact;
        cr_assert_leq(outside(&a, s.point_a), 1e-8, "trial %d", trial);
        cr_assert_leq(outside(&b, ts_transform_point_inverse(&pose, s.point_b)), 1e-8, "trial %d", trial);
        cr_assert_leq(s.lower, p.upper + 1e-13);
        cr_assert_geq(s.upper, p.lower - 1e-13);
    }
    cr_expect_gt(apart, 5000);
    cr_expect_gt(exact, apart / 2, "%d of %d", exact, apart);
    ts_hull_free(hull);
}
