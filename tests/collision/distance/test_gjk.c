// GJK by its certificates: a plane and a pair of points, recomputed from scratch, prove any separated answer.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/gjk/gjk.h"

// -sigma_D(n) from supports: what the plane with normal n certifies.
static double plane_value(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(pose, sb), sa));
}

static ts_shape core_of(ts_shape shape) {
    if (shape.kind == TS_SHAPE_CAPSULE || shape.kind == TS_SHAPE_SPHERE) shape.radius = 1e-300;
    return shape;
}

// Returns 1 when the pair was separated.
static int check_certificates(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_gjk_cache* cache) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_gjk_result r;
    ts_gjk_distance(&(ts_shape_pair){a, b, *pose}, &settings, cache, &r);
    cr_assert_neq(r.status, TS_PROXIMITY_LIMIT);
    cr_assert_neq(r.status, TS_PROXIMITY_INVALID_INPUT);
    cr_assert_leq(r.found.lower, r.found.upper);
    cr_assert(r.rank >= 1 && r.rank <= 4);
    cr_assert_float_eq(ts_vec3_norm(r.found.normal), 1.0, 1e-14);
    double plane = plane_value(a, b, pose, r.found.normal);
    cr_assert_float_eq(plane, r.found.lower, 1e-13 * r.scale, "%s-%s: plane %.17g, lower %.17g, upper %.17g",
                       ts_shape_kind_name(a->kind), ts_shape_kind_name(b->kind), plane, r.found.lower, r.found.upper);
    if (r.status != TS_PROXIMITY_SEPARATED) return 0;
    ts_shape ca = core_of(*a), cb = core_of(*b);
    cr_assert_leq(outside(&ca, r.found.point_a), 1e-11 * r.scale);
    double out = outside(&cb, ts_transform_point_inverse(pose, r.found.point_b));
    cr_assert_leq(out, 1e-11 * r.scale, "%s-%s: %g beyond the surface", ts_shape_kind_name(a->kind),
                  ts_shape_kind_name(b->kind), out);
    cr_assert_float_eq(ts_vec3_distance(r.found.point_a, r.found.point_b), r.found.upper, 1e-11 * r.scale);
    // Linear convergence on curved pairs ends where rounding stops the decrease.
    cr_assert_leq(r.found.upper - r.found.lower, 1e-7 * r.found.upper + 1e-13 * r.scale, "%s-%s: [%.17g, %.17g]",
                  ts_shape_kind_name(a->kind), ts_shape_kind_name(b->kind), r.found.lower, r.found.upper);
    return 1;
}

Test(gjk, certificates_hold_for_random_pairs_of_all_kinds) {
    ts_rng rng = ts_rng_make(51, 0);
    ts_hull* hull = random_hull(&rng, 60, ts_vec3_make(0.5, 0.7, 0.9));
    for (int ka = TS_SHAPE_SPHERE; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = TS_SHAPE_SPHERE; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            int separated = 0;
            for (int trial = 0; trial < 1000; ++trial) {
                ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                ts_shape b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                ts_transform pose = random_pose(&rng, 2.0);
                separated += check_certificates(&a, &b, &pose, 0);
            }
            cr_expect_gt(separated, 100);
        }
    ts_hull_free(hull);
}

Test(gjk, scale_and_aspect_do_not_matter) {
    ts_rng rng = ts_rng_make(52, 0);
    for (int trial = 0; trial < 3000; ++trial) {
        double scale = trial % 3 == 0 ? 1e-6 : (trial % 3 == 1 ? 1.0 : 1e6);
        ts_vec3 ha = ts_vec3_scale(scale, ts_vec3_make(ts_rng_uniform_in(&rng, 0.1, 1.0), 1e-6, 1.0));
        ts_vec3 hb = ts_vec3_scale(scale, ts_vec3_make(1e-5, ts_rng_uniform_in(&rng, 0.1, 1.0), 10.0));
        ts_shape a = ts_shape_box(ha), b = ts_shape_box(hb);
        ts_transform pose = random_pose(&rng, 3.0 * scale);
        check_certificates(&a, &b, &pose, 0);
    }
}

Test(gjk, a_cache_changes_cost_but_not_the_answer) {
    ts_rng rng = ts_rng_make(53, 0);
    ts_hull* hull = random_hull(&rng, 300, ts_vec3_make(0.5, 0.7, 0.9));
    ts_shape a = ts_shape_hull(hull), b = a;
    ts_gjk_settings settings = ts_gjk_settings_default();
    long cold_iterations = 0, warm_iterations = 0;
    for (int trial = 0; trial < 200; ++trial) {
        ts_transform pose = random_pose(&rng, 1.5);
        pose.p = ts_vec3_add(pose.p, ts_vec3_make(2.0, 0.0, 0.0));
        ts_gjk_cache cache = ts_gjk_cache_none();
        ts_gjk_result cold, warm;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, &cache, &cold);
        pose.p.x += 1e-4;
        ts_gjk_cache none = ts_gjk_cache_none();
        ts_gjk_result fresh;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, &none, &fresh);
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, &cache, &warm);
        cr_assert_float_eq(warm.found.upper, fresh.found.upper, 1e-12);
        cold_iterations += fresh.iterations;
        warm_iterations += warm.iterations;
        // Nonsense in the cache costs iterations only.
        ts_gjk_cache stale = ts_gjk_cache_none();
        stale.normal = ts_vec3_make((double)NAN, 1.0, 0.0);
        stale.hint_a = 1 << 20;
        stale.hint_b = -7;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, &stale, &warm);
        cr_assert_float_eq(warm.found.upper, fresh.found.upper, 1e-12);
    }
    cr_expect_lt(warm_iterations, cold_iterations);
    ts_hull_free(hull);
}

Test(gjk, gives_up_only_beyond_the_distance_asked_for) {
    ts_rng rng = ts_rng_make(54, 0);
    int early = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_CYLINDER, 1.0, 0);
        ts_transform pose = random_pose(&rng, 2.0);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result full, short_one;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &full);
        settings.give_up_distance = 0.1;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &short_one);
        cr_assert_leq(short_one.found.lower, full.found.upper + 1e-14);
        if (short_one.status == TS_PROXIMITY_SEPARATED_EARLY) {
            cr_assert_gt(full.found.upper, 0.1);
            ++early;
        } else if (full.status == TS_PROXIMITY_SEPARATED) {
            cr_assert_leq(full.found.lower, 0.1 + 1e-12);
        }
    }
    cr_expect_gt(early, 200);
}

Test(gjk, touching_is_found_without_trouble) {
    // Faces, edges and corners exactly in contact.
    ts_shape cube = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    ts_gjk_settings settings = ts_gjk_settings_default();
    const ts_vec3 shift[4] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0.3, -0.2}};
    for (int k = 0; k < 4; ++k) {
        ts_transform pose = at(shift[k].x, shift[k].y, shift[k].z);
        ts_gjk_result r;
        ts_gjk_distance(&(ts_shape_pair){&cube, &cube, pose}, &settings, 0, &r);
        cr_expect_eq(r.status, TS_PROXIMITY_TOUCHING);
        cr_expect_leq(r.found.upper, 1e-15);
        cr_expect_leq(r.iterations, 8);
    }
}
