// The verdict on two ellipsoids against what is known by construction: tangent planes, scaled copies, and the distance.
#include "collision/distance/ellipsoid_pair_internal.h"
#include "collision/distance/proximity.h"
#include "tests/collision/collision_fixture.h"

static ts_pair_verdict ask(const ts_shape* a, const ts_shape* b, const ts_transform* pose, double reach,
                           ts_vec3* normal, double* gap) {
    ts_separation found = {0.0, 0.0, ts_vec3_zero(), ts_vec3_zero(), ts_vec3_zero()};
    ts_pair_verdict verdict = ts_ellipsoid_pair_verdict(&(ts_shape_pair){a, b, *pose}, ts_vec3_zero(), reach, &found);
    *normal = found.normal;
    *gap = found.lower;
    return verdict;
}

static ts_vec3 random_axes(ts_rng* rng, double flat) {
    double v[3];
    for (int i = 0; i < 3; ++i) v[i] = pow(flat, ts_rng_uniform_in(rng, 0.0, 1.0));
    return ts_vec3_make(v[0], v[1], v[2]);
}

// B so that both have the common tangent plane with normal n at one point, then moved by `gap` along n: the signed
// distance is the gap where it is >= 0, and they overlap where it is not.
static ts_transform placed(ts_rng* rng, const ts_shape* a, const ts_shape* b, double gap) {
    ts_transform pose = {random_rotation(rng), ts_vec3_zero()};
    ts_vec3 n = random_unit(rng);
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb =
        ts_transform_point(&pose, ts_support_core(b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point);
    pose.p = ts_vec3_add_scaled(ts_vec3_sub(sa, sb), gap, n);
    return pose;
}

Test(ellipsoid_verdict, knows_pairs_by_their_common_tangent_plane) {
    ts_rng rng = ts_rng_make(331, 0);
    int open = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        static const double gaps[6] = {0.3, 1e-2, 1e-5, -1e-5, -1e-2, -0.05};
        double flat = trial % 3 ? 0.1 : 1e-3, gap = gaps[trial % 6] * (trial % 3 ? 1.0 : 1e-3);
        ts_shape a = ts_shape_ellipsoid(random_axes(&rng, flat)), b = ts_shape_ellipsoid(random_axes(&rng, flat));
        ts_transform pose = placed(&rng, &a, &b, gap);
        ts_vec3 n;
        double lower;
        ts_pair_verdict v = ask(&a, &b, &pose, 0.0, &n, &lower);
        open += v == TS_PAIR_OPEN && fabs(gap) > 1e-4;
        if (v == TS_PAIR_OPEN) continue;
        cr_assert_eq(v, gap > 0.0 ? TS_PAIR_APART : TS_PAIR_OVERLAP, "trial %d: %g", trial, gap);
        cr_assert_float_eq(ts_vec3_norm(n), 1.0, 1e-14);
        // The gap is what the support points say along the normal, and no more than the distance.
        ts_vec3 sa = ts_support_core(&a, n, -1).point;
        ts_vec3 sb = ts_support_core(&b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point;
        double along = ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(&pose, sb), sa));
        cr_assert_float_eq(lower, along, 1e-14);
        if (gap > 0.0) cr_assert(lower > 0.0 && lower <= gap + 1e-14);
        // Not farther apart than they are.
        if (gap > 0.0) cr_assert_neq(ask(&a, &b, &pose, gap * (1.0 + 1e-9), &n, &lower), TS_PAIR_APART);
    }
    cr_expect_leq(open, 1000, "%d of 20000 left open", open);
}

Test(ellipsoid_verdict, extremes_are_left_open_or_right) {
    ts_rng rng = ts_rng_make(332, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        double size = pow(10.0, ts_rng_uniform_in(&rng, -45.0, 45.0)),
               flat = pow(10.0, ts_rng_uniform_in(&rng, -9.0, 0.0));
        ts_shape a = ts_shape_ellipsoid(ts_vec3_scale(size, random_axes(&rng, flat)));
        ts_shape b = ts_shape_ellipsoid(ts_vec3_scale(size, random_axes(&rng, flat)));
        double gap = size * (trial % 2 ? 1e-9 : -1e-9) * flat;
        ts_transform pose = placed(&rng, &a, &b, gap);
        ts_vec3 n;
        double lower;
        ts_pair_verdict v = ask(&a, &b, &pose, 0.0, &n, &lower);
        // What rounding of the position may have closed or opened is not held against it.
        if (fabs(gap) < 1e-14 * (size + ts_vec3_norm(pose.p))) continue;
        cr_assert_neq(v, gap > 0.0 ? TS_PAIR_OVERLAP : TS_PAIR_APART, "trial %d", trial);
    }
    ts_shape ball = ts_shape_ellipsoid(ts_vec3_make(1.0, 1.0, 1.0));
    ts_transform pose = ts_transform_identity();
    ts_vec3 n;
    double lower;
    cr_expect_eq(ask(&ball, &ball, &pose, 0.0, &n, &lower), TS_PAIR_OPEN, "concentric");
    pose.p.x = (double)NAN;
    cr_expect_eq(ask(&ball, &ball, &pose, 0.0, &n, &lower), TS_PAIR_OPEN, "not a number");
    pose.p.x = (double)INFINITY;
    cr_expect_eq(ask(&ball, &ball, &pose, 0.0, &n, &lower), TS_PAIR_OPEN, "infinite");
}

// The query for users: verdicts with margins and balls agree with the distance, whatever the cache says.
Test(ellipsoid_verdict, agrees_with_the_distance) {
    ts_rng rng = ts_rng_make(333, 0);
    for (int trial = 0; trial < 5000; ++trial) {
        ts_shape a = ts_shape_rounded(ts_shape_ellipsoid(random_axes(&rng, 0.05)), trial % 2 ? 0.0 : 0.1);
        ts_shape b = ts_shape_rounded(ts_shape_ellipsoid(random_axes(&rng, 0.05)), trial % 3 ? 0.0 : 0.2);
        ts_transform pa = {random_rotation(&rng), random_vector(&rng, 1.5)};
        ts_transform pb = {random_rotation(&rng), random_vector(&rng, 1.5)};
        ts_proximity_options options = ts_proximity_options_default();
        ts_proximity p, v;
        ts_proximity_query(&a, &pa, &b, &pb, &options, 0, &p);
        options.goal = TS_PROXIMITY_VERDICT;
        options.margin = trial % 5 ? 0.0 : 0.3;
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = trial % 7 ? ts_vec3_zero() : random_unit(&rng);
        ts_proximity_query(&a, &pa, &b, &pb, &options, &cache, &v);
        cr_assert_eq(v.status, p.distance > options.margin ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY);
        cr_assert(v.found.lower <= p.found.upper + 1e-13 && v.found.upper >= p.found.lower - 1e-13);
    }
}
