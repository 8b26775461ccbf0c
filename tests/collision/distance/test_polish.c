// The polish alone: whatever normal it is given, nothing gets worse, and near an answer it finds all digits of it.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/penetration/polish_internal.h"
#include "collision/distance/proximity.h"
#include "collision/shape/support.h"

#include <float.h>

static double gap_along(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(pose, sb), sa));
}

static ts_separation start_from(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_separation s = {gap_along(a, b, pose, n), (double)INFINITY, n, ts_support_core(a, n, -1).point, ts_vec3_zero()};
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
        ts_separation given = start_from(&a, &b, &pose, random_unit(&rng)), s = given;
        ts_polish_normal(&(ts_shape_pair){&a, &b, pose}, &s);
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
        ts_separation s = start_from(&a, &b, &pose, off);
        s.upper = ts_vec3_distance(s.point_a, s.point_b);
        cr_assert_eq(ts_polish_normal(&(ts_shape_pair){&a, &b, pose}, &s), TS_POLISH_EXACT, "trial %d", trial);
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
        ts_vec3 off = ts_vec3_unit_or(ts_vec3_add_scaled(p.found.normal, 0.02, random_unit(&rng)), p.found.normal);
        ts_separation s = start_from(&a, &b, &pose, off);
        if (ts_polish_normal(&(ts_shape_pair){&a, &b, pose}, &s) != TS_POLISH_EXACT) continue;
        ++exact;
        cr_assert_leq(outside(&a, s.point_a), 1e-8, "trial %d", trial);
        cr_assert_leq(outside(&b, ts_transform_point_inverse(&pose, s.point_b)), 1e-8, "trial %d", trial);
        cr_assert_leq(s.lower, p.found.upper + 1e-13);
        cr_assert_geq(s.upper, p.found.lower - 1e-13);
    }
    cr_expect_gt(apart, 5000);
    cr_expect_gt(exact, apart / 2, "%d of %d", exact, apart);
    ts_hull_free(hull);
}

// The gap along n is a lower bound of the distance whatever n is, so no upper bound may be less.
static void expect_above(const ts_proximity* p, double gap, const char* what) {
    cr_expect_geq(p->found.upper, gap - 1e-15, "%s: upper bound %.17g below a gap of %.17g", what, p->found.upper, gap);
    cr_expect_leq(p->found.lower, p->found.upper);
    cr_expect_float_eq(ts_vec3_norm(p->found.normal), 1.0, 1e-13, "%s", what);
}

// A plate 0.3 um thick and 4 cm wide beside the rim of a large cone: beyond its sharp rim a point is off the planes of its
// faces by next to nothing, and yet outside.
Test(polish, beyond_the_rim_of_a_plate_is_outside) {
    static const ts_vec3 corner[16] = {{1.5293048872147109e-07, 0.00046456248672646026, 0.0025343103850435883},
                                       {2.2736779511338278e-08, -0.0089128635972260273, 0.0071389906041499475},
                                       {7.8145081104613484e-08, 0.0062950073650403704, -0.011552816250327058},
                                       {-4.1062248091144742e-08, -0.005293901488399224, 0.016278467726716497},
                                       {1.2445259933512794e-08, -0.0095920655440034277, -1.2148360033326323e-05},
                                       {-1.5201410044481209e-07, -0.0014936330795864792, 0.0014781656357049752},
                                       {1.4352794289286591e-07, -0.0035287316903820187, 0.00025890235746281546},
                                       {-1.1114459657642842e-07, 0.0066606800054204631, -0.00092371098456212573},
                                       {-3.3575363752858144e-08, 0.008416630490984265, 0.0089102900708329692},
                                       {-4.8296545642915903e-08, 0.008938739022855904, 0.0040741382970679637},
                                       {-9.2889540708036103e-08, 0.0060292518368803118, -0.010179420474970825},
                                       {1.1104368838333564e-07, 0.0045115390618893792, -0.010531049974823075},
                                       {5.0291796559460225e-08, -6.3348532721162502e-05, -0.019441601133613193},
                                       {-2.3155448852008242e-08, 2.0255606388540965e-05, -0.020332311957234939},
                                       {1.3408108595767629e-07, -0.00069910396422234581, -0.010064493795213712},
                                       {-1.2593541103281335e-07, 0.0036724226358372963, -0.0089199398194310386}};
    ts_status status;
    ts_hull* plate = NULL;
    cr_assert_eq(ts_hull_build(corner, 16, &plate, &status), TS_OK, "%s", status.message);
    ts_shape cone = ts_shape_cone(4.8528746178818647, 2.2679622460360065), thing = ts_shape_hull(plate);
    const double tilt = 6.4746619308796434e-08, cosine = 0.99999999999999789;
    ts_transform at = {
        ts_mat3_from_rows(ts_vec3_axis(0), ts_vec3_make(0.0, cosine, -tilt), ts_vec3_make(0.0, tilt, cosine)),
        ts_vec3_zero()};
    ts_transform there = {at.R, ts_vec3_make(-4.3586621966853016, -2.1420649235805849, -2.2768726768330523)};
    ts_vec3 better = ts_vec3_unit_or(ts_vec3_make(-0.83136990388161658, -0.40697139, -0.37841556), ts_vec3_zero());
    ts_proximity_options options = ts_proximity_options_default();
    for (int k = 0; k < 400; ++k) {
        // Farther and farther by hundredths of a nanometre, always begun at the normal that once went wrong.
        ts_transform pose = there;
        pose.p = ts_vec3_add_scaled(pose.p, 1e-11 * k, better);
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = ts_vec3_make(-0.897151, -0.439173, -0.0474101);
        ts_proximity p;
        ts_proximity_query(&cone, &at, &thing, &pose, &options, &cache, &p);
        ts_transform back = ts_transform_inverse(&at), between = ts_transform_mul(&back, &pose);
        if (p.distance > 0.0) expect_above(&p, gap_along(&cone, &thing, &between, better), "plate");
    }
    ts_hull_free(plate);
}

// Faces are joined where their corners are within a tolerance of one plane. That plane touches the outermost corner; near
// another one the polytope ends below it.
Test(polish, a_joined_face_ends_below_its_plane) {
    const double drop = 5e-9;
    ts_vec3 corner[8];
    for (int k = 0; k < 8; ++k) corner[k] = ts_vec3_make(k & 1 ? 1.0 : 0.0, k & 2 ? 1.0 : 0.0, k & 4 ? 1.0 : 0.0);
    corner[7].z -= drop;
    ts_status status;
    ts_hull* cube = NULL;
    cr_assert_eq(ts_hull_build(corner, 8, &cube, &status), TS_OK, "%s", status.message);
    cr_assert_eq(cube->face_count, 6, "not joined: %d faces", cube->face_count);
    // The apex of a large cone, upside down, over the half of the lid that slopes to the low corner.
    ts_shape cone = ts_shape_cone(1.0, 10.0), thing = ts_shape_hull(cube);
    ts_transform at = ts_transform_identity(), pose = at;
    at.R = ts_mat3_diagonal(ts_vec3_make(1.0, -1.0, -1.0));
    for (int k = 1; k <= 60; ++k) {
        double x = 0.55 + 0.4 * k / 60.0, gap = 1e-10 * k;
        at.p = ts_vec3_make(x, 0.9, 11.0 + gap);
        ts_proximity_options options = ts_proximity_options_default();
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = ts_vec3_axis(2);
        ts_proximity p;
        ts_proximity_query(&cone, &at, &thing, &pose, &options, &cache, &p);
        // Above the triangle through the low corner: z = 1 - drop (x + y - 1), all but level.
        double distance = gap + drop * (x + 0.9 - 1.0);
        cr_expect_geq(p.found.upper, distance - 1e-14, "upper bound %.3g, distance %.3g", p.found.upper, distance);
        cr_expect_leq(p.found.lower, distance + 1e-14, "lower bound %.3g, distance %.3g", p.found.lower, distance);
    }
    ts_hull_free(cube);
}

// A start along an axis but for 1e-160 of it: faces so thin that the square of their normal underflows have none.
Test(polish, a_start_next_to_an_axis_keeps_normals_unit) {
    ts_shape cone = ts_shape_rounded(ts_shape_cone(0.24576903652340168, 2.2680346096971526e-05), 7.09905886520151e-4);
    ts_shape ball = ts_shape_sphere(0.13155176824172202);
    ts_transform at = ts_transform_identity(), turned = at;
    turned.R =
        ts_mat3_from_rows(ts_vec3_make(-DBL_EPSILON, 0.0, -1.0), ts_vec3_axis(1), ts_vec3_make(1.0, 0.0, -DBL_EPSILON));
    for (int k = 0; k <= 320; ++k) {
        for (int side = 0; side < 8; ++side) {
            double small = (side & 1 ? -1.0 : 1.0) * pow(10.0, -k);
            ts_gjk_cache cache = ts_gjk_cache_none();
            cache.normal = ts_vec3_with(ts_vec3_make(0.0, 0.0, side & 2 ? -1.0 : 1.0), side & 4 ? 1 : 0, small);
            ts_proximity_options options = ts_proximity_options_default();
            options.method = TS_PROXIMITY_GJK;
            ts_proximity p;
            ts_proximity_query(&cone, &at, &ball, &turned, &options, &cache, &p);
            cr_expect_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-13, "1e-%d: |n| = %.17g", k,
                               ts_vec3_norm(p.found.normal));
            cr_expect_leq(p.distance, -0.1315);
        }
    }
}
