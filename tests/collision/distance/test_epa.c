// Penetration depth of polytopes against the explicit difference body: the hull of all vertex differences, whose nearest
// face plane is the answer.
#include "tests/collision/collision_fixture.h"

#include "tests/collision/distance/epa_fixture.h"

static int vertices_of(const ts_shape* s, ts_vec3* out) {
    int count = 0;
    if (s->kind == TS_SHAPE_HULL)
        for (int i = 0; i < s->hull->vertex_count; ++i) out[count++] = s->hull->vertex[i];
    else if (s->kind == TS_SHAPE_CAPSULE)
        for (int i = 0; i < 2; ++i) out[count++] = ts_vec3_make(0.0, 0.0, i ? s->half.z : -s->half.z);
    else
        for (int i = 0; i < 8; ++i)
            out[count++] = ts_vec3_make(i & 1 ? s->half.x : -s->half.x, i & 2 ? s->half.y : -s->half.y,
                                        i & 4 ? s->half.z : -s->half.z);
    return count;
}

// Depth of the origin in the hull of A - B: negative when outside.
static double brute_depth(const ts_shape* a, const ts_shape* b, const ts_transform* pose) {
    ts_vec3 va[64], vb[64];
    static const int most = 64 * 64;
    ts_vec3* d = (ts_vec3*)malloc((size_t)most * sizeof *d);
    int na = vertices_of(a, va), nb = vertices_of(b, vb), count = 0;
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j) d[count++] = ts_vec3_sub(va[i], ts_transform_point(pose, vb[j]));
    ts_hull* hull = 0;
    ts_status status;
    cr_assert_eq(ts_hull_build(d, count, &hull, &status), TS_OK, "%s", status.message);
    double depth = 1e300;
    for (int f = 0; f < hull->face_count; ++f) depth = hull->face_offset[f] < depth ? hull->face_offset[f] : depth;
    ts_hull_free(hull);
    free(d);
    return depth;
}

static int check_depth(const ts_shape* a, const ts_shape* b, const ts_transform* pose, double tolerance) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_gjk_result gjk;
    ts_gjk_distance(&(ts_shape_pair){a, b, *pose}, &settings, 0, &gjk);
    if (gjk.status == TS_PROXIMITY_SEPARATED) return 0;
    ts_epa_result r;
    epa_penetration(&(ts_shape_pair){a, b, *pose}, &gjk, ts_vec3_zero(), &r);
    double expected = brute_depth(a, b, pose);
    cr_assert_neq(r.status, TS_EPA_LIMIT);
    cr_assert_float_eq(-r.found.lower, expected, tolerance, "%s-%s: %.17g, not %.17g", ts_shape_kind_name(a->kind),
                       ts_shape_kind_name(b->kind), -r.found.lower, expected);
    cr_assert_leq(-r.found.upper, -r.found.lower);
    cr_assert_float_eq(ts_vec3_norm(r.found.normal), 1.0, 1e-13);
    // The normal attains the depth, by its own support points.
    ts_vec3 sa = ts_support_core(a, r.found.normal, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(r.found.normal)), -1).point;
    cr_assert_float_eq(ts_vec3_dot(r.found.normal, ts_vec3_sub(sa, ts_transform_point(pose, sb))), -r.found.lower,
                       tolerance);
    ts_vec3 gap =
        ts_vec3_sub(ts_vec3_sub(r.found.point_a, r.found.point_b), ts_vec3_scale(-r.found.lower, r.found.normal));
    cr_assert_leq(ts_vec3_norm(gap), 1e-14 + tolerance);
    ts_shape ca = *a, cb = *b;
    if (a->kind == TS_SHAPE_CAPSULE) ca.radius = 1e-300;
    if (b->kind == TS_SHAPE_CAPSULE) cb.radius = 1e-300;
    cr_assert_leq(outside(&ca, r.found.point_a), 10.0 * tolerance);
    cr_assert_leq(outside(&cb, ts_transform_point_inverse(pose, r.found.point_b)), 10.0 * tolerance);
    return 1;
}

Test(epa, depth_of_polytopes_matches_the_difference_body) {
    ts_rng rng = ts_rng_make(61, 0);
    ts_hull* small = random_hull(&rng, 12, ts_vec3_make(0.8, 0.7, 0.9));
    ts_hull* large = random_hull(&rng, 40, ts_vec3_make(0.8, 0.7, 0.9));
    const ts_shape_kind kinds[3] = {TS_SHAPE_BOX, TS_SHAPE_HULL, TS_SHAPE_CAPSULE};
    int overlapping = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        ts_shape a = random_shape(&rng, kinds[trial % 2], 1.0, trial % 5 ? small : large);
        ts_shape b = random_shape(&rng, kinds[trial / 2 % 3], 1.0, trial % 7 ? small : large);
        ts_transform pose = random_pose(&rng, 1.0);
        overlapping += check_depth(&a, &b, &pose, 1e-12);
    }
    cr_expect_gt(overlapping, 400);
    ts_hull_free(small);
    ts_hull_free(large);
}

Test(epa, aligned_and_concentric_boxes) {
    ts_rng rng = ts_rng_make(62, 0);
    for (int trial = 0; trial < 300; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0);
        ts_transform pose = at(0.0, 0.0, 0.0);
        if (trial % 2) pose.p.x = ts_rng_uniform_in(&rng, -0.5, 0.5);
        if (trial % 3 == 0) pose.R = turn(trial % 9 / 3, 1.5707963267948966);
        check_depth(&a, &b, &pose, 1e-12);
    }
}

Test(epa, scale_does_not_matter) {
    ts_rng rng = ts_rng_make(63, 0);
    for (int trial = 0; trial < 300; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0);
        ts_transform pose = random_pose(&rng, 0.8);
        double depth[3];
        const double scales[3] = {1.0, 1e-6, 1e6};
        for (int k = 0; k < 3; ++k) {
            ts_shape sa = ts_shape_box(ts_vec3_scale(scales[k], a.half));
            ts_shape sb = ts_shape_box(ts_vec3_scale(scales[k], b.half));
            ts_transform placed = pose;
            placed.p = ts_vec3_scale(scales[k], pose.p);
            ts_gjk_settings settings = ts_gjk_settings_default();
            ts_gjk_result gjk;
            ts_gjk_distance(&(ts_shape_pair){&sa, &sb, placed}, &settings, 0, &gjk);
            depth[k] = -gjk.found.upper / scales[k];
            if (gjk.status == TS_PROXIMITY_SEPARATED) continue;
            ts_epa_result r;
            epa_penetration(&(ts_shape_pair){&sa, &sb, placed}, &gjk, ts_vec3_zero(), &r);
            depth[k] = -r.found.lower / scales[k];
        }
        cr_assert_float_eq(depth[1], depth[0], 1e-12);
        cr_assert_float_eq(depth[2], depth[0], 1e-12);
    }
}

Test(epa, flat_differences_have_zero_depth_and_a_unit_normal) {
    ts_shape segment = ts_shape_capsule(0.1, 1.0), point = ts_shape_sphere(0.1);
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_transform crossing = at(0.0, 0.0, 0.2);
    crossing.R = turn(0, 1.0);
    ts_transform same = at(0.0, 0.0, 0.3);
    const ts_shape* first[4] = {&segment, &segment, &point, &segment};
    const ts_shape* second[4] = {&segment, &segment, &point, &point};
    const ts_transform origin = at(0.0, 0.0, 0.0);
    const ts_transform* pose[4] = {&crossing, &same, &origin, &same};
    for (int k = 0; k < 4; ++k) {
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){first[k], second[k], *pose[k]}, &settings, 0, &gjk);
        cr_assert_eq(gjk.status, TS_PROXIMITY_TOUCHING, "case %d", k);
        ts_epa_result r;
        epa_penetration(&(ts_shape_pair){first[k], second[k], *pose[k]}, &gjk, ts_vec3_make(0.6, 0.0, -0.8), &r);
        cr_expect_eq(r.status, TS_EPA_FLAT, "case %d", k);
        cr_expect_leq(fabs(r.found.lower), 1e-15, "case %d", k);
        cr_expect_float_eq(ts_vec3_norm(r.found.normal), 1.0, 1e-14);
        if (k != 2) cr_expect_leq(fabs(r.found.normal.z), 1e-14, "orthogonal to the segment");
        // Of the two sides the one nearer to last time's normal.
        cr_expect_gt(ts_vec3_dot(r.found.normal, ts_vec3_make(0.6, 0.0, -0.8)), 0.5);
    }
}

Test(epa, smooth_pairs_bracket_the_depth_within_their_tolerance) {
    ts_rng rng = ts_rng_make(64, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0);
        ts_shape b = random_shape(&rng, trial % 2 ? TS_SHAPE_ELLIPSOID : TS_SHAPE_CYLINDER, 1.0, 0);
        ts_transform pose = random_pose(&rng, 0.7);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &gjk);
        if (gjk.status == TS_PROXIMITY_SEPARATED) continue;
        ts_epa_result r;
        epa_penetration(&(ts_shape_pair){&a, &b, pose}, &gjk, ts_vec3_zero(), &r);
        cr_assert_eq(r.status, TS_EPA_CONVERGED, "trial %d: status %d after %d", trial, r.status, r.iterations);
        cr_assert_leq(r.found.upper - r.found.lower, 1.1e-4 * -r.found.lower + 1e-14);
        // No sampled direction does better than the certified lower bound.
        for (int k = 0; k < 200; ++k) {
            ts_vec3 n = random_unit(&rng);
            ts_vec3 sa = ts_support_core(&a, n, -1).point;
            ts_vec3 sb = ts_support_core(&b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point;
            double h = ts_vec3_dot(n, ts_vec3_sub(sa, ts_transform_point(&pose, sb)));
            cr_assert_geq(h, -r.found.upper - 1e-14);
        }
    }
}
