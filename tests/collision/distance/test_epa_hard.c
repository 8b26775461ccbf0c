// EPA where others break: thin, tiny, huge, aligned, concentric and exactly touching polytopes, against separating axes in
// extended precision and the explicit difference body; curved pairs in hard families, where no cap may be reached and
// every answer must hold against sampled directions.
#include "tests/collision/collision_fixture.h"

#include "tests/collision/distance/epa_fixture.h"
#include "collision/distance/proximity_internal.h"

static long double wide_gap(ts_vec3 a, ts_vec3 b, const ts_transform* pose, const long double n[3]) {
    const long double ha[3] = {a.x, a.y, a.z}, hb[3] = {b.x, b.y, b.z}, t[3] = {pose->p.x, pose->p.y, pose->p.z};
    long double gap = fabsl(n[0] * t[0] + n[1] * t[1] + n[2] * t[2]);
    for (int k = 0; k < 3; ++k) {
        long double along = 0.0L;
        for (int r = 0; r < 3; ++r) along += n[r] * (long double)pose->R.m[r][k];
        gap -= ha[k] * fabsl(n[k]) + hb[k] * fabsl(along);
    }
    return gap;
}

// Depth of two boxes by all axes; negative when they are apart.
static long double depth_by_axes(ts_vec3 a, ts_vec3 b, const ts_transform* pose) {
    long double best = -1e300L;
    for (int kind = 0; kind < 15; ++kind) {
        long double n[3] = {0.0L, 0.0L, 0.0L}, length = 0.0L;
        int i = (kind - 6) / 3, j = (kind - 6) % 3;
        for (int r = 0; r < 3; ++r) {
            if (kind < 3) n[r] = r == kind;
            if (kind >= 3 && kind < 6) n[r] = (long double)pose->R.m[r][kind - 3];
        }
        if (kind >= 6) {
            n[(i + 1) % 3] = -(long double)pose->R.m[(i + 2) % 3][j];
            n[(i + 2) % 3] = (long double)pose->R.m[(i + 1) % 3][j];
        }
        for (int r = 0; r < 3; ++r) length += n[r] * n[r];
        length = sqrtl(length);
        if (length < 1e-15L) continue;
        for (int r = 0; r < 3; ++r) n[r] /= length;
        long double gap = wide_gap(a, b, pose, n);
        best = gap > best ? gap : best;
    }
    return -best;
}

static ts_vec3 random_half(ts_rng* rng) {
    double x = ts_rng_uniform_in(rng, 0.1, 1.0), y = ts_rng_uniform_in(rng, 0.1, 1.0);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, 0.1, 1.0));
}

static double gap_along(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(pose, sb), sa));
}

// EPA's answer for cores that GJK does not separate: bounds, normal and witnesses against each other. Returns 0 if apart.
static int run(const ts_shape* a, const ts_shape* b, const ts_transform* pose, double size, ts_epa_result* r) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_gjk_result gjk;
    ts_gjk_distance(&(ts_shape_pair){a, b, *pose}, &settings, 0, &gjk);
    if (gjk.found.lower > 0.0) return 0;
    epa_penetration(&(ts_shape_pair){a, b, *pose}, &gjk, ts_vec3_zero(), r);
    const char *na = ts_shape_kind_name(a->kind), *nb = ts_shape_kind_name(b->kind);
    cr_assert(isfinite(r->found.upper) && isfinite(r->found.lower), "%s-%s", na, nb);
    cr_assert_leq(-r->found.upper, -r->found.lower);
    cr_assert_float_eq(ts_vec3_norm(r->found.normal), 1.0, 1e-13);
    cr_assert_float_eq(-gap_along(a, b, pose, r->found.normal), -r->found.lower, 1e-14 * size, "%s-%s", na, nb);
    ts_vec3 miss =
        ts_vec3_sub(ts_vec3_sub(r->found.point_a, r->found.point_b), ts_vec3_scale(-r->found.lower, r->found.normal));
    cr_assert_leq(ts_vec3_norm(miss), 1e-14 * size);
    return 1;
}

// The families of boxes; `thin` makes aspect ratios of a million.
static void run_boxes(uint64_t seed, double scale, int thin, int concentric, int trials) {
    ts_rng rng = ts_rng_make(seed, 0);
    int overlapping = 0;
    for (int trial = 0; trial < trials; ++trial) {
        ts_vec3 ha = random_half(&rng), hb = random_half(&rng);
        if (thin) {
            ha.x *= 1e-6;
            if (trial % 2) hb.y *= 1e-6;
        }
        ha = ts_vec3_scale(scale, ha);
        hb = ts_vec3_scale(scale, hb);
        ts_transform pose = random_pose(&rng, 0.7 * scale);
        if (concentric) pose = at(0.0, 0.0, 0.0);
        ts_shape a = ts_shape_box(ha), b = ts_shape_box(hb);
        double size = ts_vec3_norm(ha) + ts_vec3_norm(hb) + ts_vec3_norm(pose.p);
        ts_epa_result r;
        if (!run(&a, &b, &pose, size, &r)) continue;
        ++overlapping;
        long double depth = depth_by_axes(ha, hb, &pose);
        cr_assert_neq(r.status, TS_EPA_LIMIT);
        cr_assert_neq(r.status, TS_EPA_FULL);
        cr_assert_leq(fabsl(-r.found.lower - depth), 1e-14L * size, "trial %d (status %d): %.17g, not %.17Lg", trial,
                      (int)r.status, -r.found.lower, depth);
        cr_assert_leq(-r.found.upper, depth + 1e-14L * size);
        // Witnesses belong to the boxes also where several faces of the difference lie in one plane.
        cr_assert_leq(outside(&a, r.found.point_a), 1e-11 * size, "trial %d", trial);
        cr_assert_leq(outside(&b, ts_transform_point_inverse(&pose, r.found.point_b)), 1e-11 * size, "trial %d", trial);
    }
    cr_expect_gt(overlapping, trials / 3);
}

Test(epa_hard, boxes_at_scale_one) { run_boxes(901, 1.0, 0, 0, 27000); }
Test(epa_hard, boxes_of_micrometres) { run_boxes(902, 1e-6, 0, 0, 27000); }
Test(epa_hard, boxes_of_thousands_of_kilometres) { run_boxes(903, 1e6, 0, 0, 27000); }
Test(epa_hard, boxes_of_aspect_a_million) { run_boxes(904, 1.0, 1, 0, 25000); }
Test(epa_hard, boxes_aligned_and_concentric) { run_boxes(905, 1.0, 0, 1, 30000); }

Test(epa_hard, hulls_against_the_explicit_difference_body) {
    ts_rng rng = ts_rng_make(906, 0);
    for (int trial = 0; trial < 60; ++trial) {
        ts_hull* ha = random_hull(&rng, 8 + trial % 25, ts_vec3_make(0.8, 0.5, 0.9));
        ts_hull* hb = random_hull(&rng, 6 + trial % 31, ts_vec3_make(0.3, 0.7, 0.9));
        ts_shape a = ts_shape_hull(ha), b = ts_shape_hull(hb);
        for (int k = 0; k < 4; ++k) {
            ts_transform pose = random_pose(&rng, 0.5);
            ts_epa_result r;
            if (!run(&a, &b, &pose, 3.0, &r)) continue;
            ts_vec3* d = (ts_vec3*)malloc((size_t)(ha->vertex_count * hb->vertex_count) * sizeof *d);
            int count = 0;
            for (int i = 0; i < ha->vertex_count; ++i)
                for (int j = 0; j < hb->vertex_count; ++j)
                    d[count++] = ts_vec3_sub(ha->vertex[i], ts_transform_point(&pose, hb->vertex[j]));
            ts_hull* body = 0;
            cr_assert_eq(ts_hull_build(d, count, &body, 0), TS_OK);
            double depth = 1e300;
            for (int f = 0; f < body->face_count; ++f)
                depth = body->face_offset[f] < depth ? body->face_offset[f] : depth;
            cr_assert_eq(r.status, TS_EPA_CONVERGED);
            cr_assert_float_eq(-r.found.lower, depth, 1e-12, "%.17g, not %.17g", -r.found.lower, depth);
            cr_assert_leq(-r.found.upper, depth + 1e-12);
            ts_hull_free(body);
            free(d);
        }
        ts_hull_free(ha);
        ts_hull_free(hb);
    }
}

// Cubes that touch exactly give GJK a flat simplex. The family at which coal returns the largest number there is with a
// witness that is not a number, and at which Bullet is off by the whole depth.
Test(epa_hard, stacked_cubes_touching_exactly_as_break_coal_and_bullet) {
    ts_shape a = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    int flat_starts = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        double p[3];
        for (int r = 0; r < 3; ++r) p[r] = 0.0625 * (double)((trial / (3 + r) * 7 + r) % 17 - 8);
        p[trial % 3] = trial % 2 ? 1.0 : -1.0;
        ts_transform pose = at(p[0], p[1], p[2]);
        for (int variant = TS_GJK_AUTO; variant < TS_GJK_VARIANT_COUNT; ++variant) {
            ts_gjk_settings settings = ts_gjk_settings_default();
            settings.variant = (ts_gjk_variant)variant;
            ts_gjk_result gjk;
            ts_gjk_distance(&(ts_shape_pair){&a, &a, pose}, &settings, 0, &gjk);
            flat_starts += gjk.rank < 4;
            ts_epa_result r;
            epa_penetration(&(ts_shape_pair){&a, &a, pose}, &gjk, ts_vec3_zero(), &r);
            cr_assert_leq(fabs(r.found.lower), 1e-15, "trial %d, %s: %g", trial,
                          ts_gjk_variant_name((ts_gjk_variant)variant), -r.found.lower);
            cr_assert_leq(fabs(r.found.upper), 1e-15);
            cr_assert(ts_vec3_is_finite(r.found.point_a) && ts_vec3_is_finite(r.found.point_b) &&
                      ts_vec3_is_finite(r.found.normal));
            // A touching pair has a separating normal; whatever face is named, it must be one.
            cr_assert_geq(gap_along(&a, &a, &pose, r.found.normal), -1e-15);
        }
    }
    cr_expect_gt(flat_starts, 1000);
}

// Smooth shapes that touch exactly: the family at which Jolt reports depths up to half a metre from a flat simplex.
Test(epa_hard, ellipsoids_touching_exactly_as_break_jolt) {
    ts_rng rng = ts_rng_make(907, 0);
    for (int trial = 0; trial < 3000; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 0.5, 0), b = random_shape(&rng, TS_SHAPE_ELLIPSOID, 0.5, 0);
        ts_transform pose = random_pose(&rng, 0.0);
        ts_vec3 n = random_unit(&rng);
        ts_vec3 sa = ts_support_core(&a, n, -1).point;
        ts_vec3 sb = ts_support_core(&b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point;
        pose.p = ts_vec3_sub(sa, ts_transform_direction(&pose, sb));
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &gjk);
        ts_epa_result r;
        epa_penetration(&(ts_shape_pair){&a, &b, pose}, &gjk, ts_vec3_zero(), &r);
        cr_assert_leq(fabs(r.found.lower), 1e-11, "trial %d (status %d): %g", trial, (int)r.status, -r.found.lower);
        cr_assert_leq(-r.found.upper, 1e-15);
    }
}

static ts_shape hard_shape(ts_rng* rng, int kind, const ts_hull* hull) {
    ts_shape s = random_shape(rng, (ts_shape_kind)kind, 1.0, hull);
    double squeeze = ts_rng_uniform_in(rng, 0.0, 1.0);
    double factor = squeeze < 0.25 ? 1e-3 : (squeeze < 0.4 ? 1e-1 : 1.0);
    s.half.z *= factor;
    if (kind == TS_SHAPE_ELLIPSOID || kind == TS_SHAPE_BOX) s.half.y *= squeeze > 0.8 ? 1e-2 : 1.0;
    return s;
}

Test(epa_hard, no_cap_is_reached_in_a_hundred_thousand_hard_pairs) {
    ts_rng rng = ts_rng_make(908, 0);
    ts_hull* hull = random_hull(&rng, 200, ts_vec3_make(0.5, 0.7, 0.9));
    const int kinds[6] = {TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID, TS_SHAPE_CYLINDER,
                          TS_SHAPE_CONE,    TS_SHAPE_BOX,       TS_SHAPE_HULL};
    int overlapping = 0, rescued = 0;
    for (int trial = 0; overlapping < 100000; ++trial) {
        ts_shape a = hard_shape(&rng, kinds[trial % 6], hull), b = hard_shape(&rng, kinds[trial / 6 % 6], hull);
        ts_transform pose = random_pose(&rng, trial % 3 ? 0.3 : 1.0);
        if (trial % 7 == 0) pose.R = turn(trial % 3, 1.5707963267948966);
        if (trial % 11 == 0) pose.p = ts_vec3_zero();
        ts_epa_result r;
        if (!run(&a, &b, &pose, 4.0, &r)) continue;
        ++overlapping;
        rescued += r.rescued;
        cr_assert(r.status == TS_EPA_CONVERGED || r.status == TS_EPA_FLAT, "trial %d, %s-%s: status %d after %d", trial,
                  ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), (int)r.status, r.iterations);
        // No direction may do better than the lower bound.
        for (int k = 0; k < 5; ++k) cr_assert_leq(gap_along(&a, &b, &pose, random_unit(&rng)), r.found.upper + 1e-13);
    }
    cr_expect_eq(rescued, 0);
    ts_hull_free(hull);
}
