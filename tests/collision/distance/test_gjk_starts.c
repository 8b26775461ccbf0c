// Warm starts of GJK: they change what it costs, never the answer, whatever the cache holds.
#include "tests/collision/distance/gjk_pairs.h"

#include <string.h>

static const double NOT_A_NUMBER = (double)NAN;

static gjk_pair random_pair(ts_rng* rng, const ts_hull* hull, int trial) {
    gjk_pair p;
    int count = TS_SHAPE_CONVEX_COUNT - TS_SHAPE_SPHERE;
    p.a = random_shape(rng, (ts_shape_kind)(TS_SHAPE_SPHERE + trial % count), 1.0, hull);
    p.b = random_shape(rng, (ts_shape_kind)(TS_SHAPE_SPHERE + trial / count % count), 1.0, hull);
    p.b_in_a = random_pose(rng, trial % 2 ? 2.0 : 0.5);
    return p;
}

// Checks an answer against one from nothing.
static void check_same(const gjk_pair* p, const ts_gjk_result* r, const ts_gjk_result* cold, const char* what) {
    const char *na = ts_shape_kind_name(p->a.kind), *nb = ts_shape_kind_name(p->b.kind);
    cr_assert(r->status != TS_PROXIMITY_LIMIT && r->status != TS_PROXIMITY_INVALID_INPUT, "%s %s-%s", what, na, nb);
    cr_assert(isfinite(r->found.lower) && isfinite(r->found.upper) && r->found.lower <= r->found.upper, "%s %s-%s",
              what, na, nb);
    cr_assert_float_eq(ts_vec3_norm(r->found.normal), 1.0, 1e-14, "%s %s-%s: |n| = %.17g, status %d, [%g, %g]", what,
                       na, nb, ts_vec3_norm(r->found.normal), (int)r->status, r->found.lower, r->found.upper);
    cr_assert_float_eq(plane_value(p, r->found.normal), r->found.lower, 1e-13 * r->scale, "%s %s-%s", what, na, nb);
    cr_assert_leq(r->found.lower, cold->found.upper + 1e-13);
    cr_assert_leq(cold->found.lower, r->found.upper + 1e-13);
    if (cold->status == TS_PROXIMITY_SEPARATED && cold->found.lower > 1e-9)
        cr_assert_float_eq(r->found.upper, cold->found.upper, 1e-7 * cold->found.upper + 1e-13,
                           "%s %s-%s: %.17g, not %.17g", what, na, nb, r->found.upper, cold->found.upper);
}

Test(gjk_starts, moving_pairs_get_the_same_answer_from_every_start) {
    ts_rng rng = ts_rng_make(91, 0);
    ts_hull* hull = random_hull(&rng, 200, ts_vec3_make(0.5, 0.7, 0.9));
    for (int trial = 0; trial < 1600; ++trial) {
        gjk_pair p = random_pair(&rng, hull, trial);
        ts_gjk_cache cache[TS_GJK_START_COUNT];
        memset(cache, 0, sizeof cache);
        for (int step = 0; step < 4; ++step) {
            ts_gjk_settings settings = ts_gjk_settings_default();
            ts_gjk_result cold, r;
            ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &cold);
            for (int s = 0; s < TS_GJK_START_COUNT; ++s) {
                settings.start = (ts_gjk_start)s;
                ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache[s], &r);
                check_same(&p, &r, &cold, ts_gjk_start_name((ts_gjk_start)s));
            }
            p.b_in_a.p = ts_vec3_add(p.b_in_a.p, random_vector(&rng, 1e-2));
            ts_mat3 turned = turn(step % 3, 0.02);
            p.b_in_a.R = ts_mat3_mul(p.b_in_a.R, turned);
        }
    }
    ts_hull_free(hull);
}

static double damaged(ts_rng* rng) {
    switch (ts_rng_bits(rng) % 8) {
    case 0: return NOT_A_NUMBER;
    case 1: return (double)INFINITY;
    case 2: return -(double)INFINITY;
    case 3: return 0.0;
    case 4: return 1e300;
    case 5: return -1e-300;
    default: return ts_rng_uniform_in(rng, -1.0, 1.0);
    }
}

static int damaged_index(ts_rng* rng) {
    switch (ts_rng_bits(rng) % 5) {
    case 0: return -7;
    case 1: return 1 << 30;
    case 2: return (-2147483647 - 1);
    case 3: return 2147483647;
    default: return (int)(ts_rng_bits(rng) % 400);
    }
}

Test(gjk_starts, a_damaged_cache_costs_time_only) {
    ts_rng rng = ts_rng_make(92, 0);
    ts_hull* hull = random_hull(&rng, 300, ts_vec3_make(0.5, 0.7, 0.9));
    for (int trial = 0; trial < 6000; ++trial) {
        gjk_pair p = random_pair(&rng, hull, trial);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result cold, r;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &cold);
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = ts_vec3_make(damaged(&rng), damaged(&rng), damaged(&rng));
        cache.distance = damaged(&rng);
        cache.point_a = ts_vec3_make(damaged(&rng), damaged(&rng), damaged(&rng));
        cache.point_b = ts_vec3_make(damaged(&rng), damaged(&rng), damaged(&rng));
        cache.hint_a = damaged_index(&rng);
        cache.hint_b = damaged_index(&rng);
        cache.rank = trial % 7;
        for (int i = 0; i < 4; ++i) {
            cache.simplex_a[i] = damaged_index(&rng) % 5;
            cache.simplex_b[i] = damaged_index(&rng);
            if (trial % 3 == 0) cache.simplex_b[i] = (int)(ts_rng_bits(&rng) % 3);
        }
        settings.start = (ts_gjk_start)(trial % TS_GJK_START_COUNT);
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &r);
        check_same(&p, &r, &cold, ts_gjk_start_name(settings.start));
    }
    ts_hull_free(hull);
}

// Approach, overlap and parting again: what the sign of the published starts costs, and that the corrected ones do not.
Test(gjk_starts, turning_the_direction_round_after_an_overlap_saves_iterations) {
    ts_rng rng = ts_rng_make(93, 0);
    ts_hull* hull = random_hull(&rng, 250, ts_vec3_make(0.1, 0.14, 0.18));
    long iterations[TS_GJK_START_COUNT] = {0};
    for (int trial = 0; trial < 60; ++trial) {
        gjk_pair p;
        p.a = p.b = ts_shape_hull(hull);
        gjk_pair_place(&rng, &p, 2.0, 2e-3);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result first;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &first);
        for (int s = 0; s < TS_GJK_START_COUNT; ++s) {
            // As a query that knows the depth would leave it: 1 mm deep along the normal.
            ts_gjk_cache cache = ts_gjk_cache_none();
            cache.normal = first.found.normal;
            cache.distance = -1e-3;
            cache.point_a = ts_vec3_add_scaled(first.found.point_a, 1.5e-3, first.found.normal);
            cache.point_b = ts_transform_point_inverse(
                &p.b_in_a, ts_vec3_add_scaled(first.found.point_b, -1.5e-3, first.found.normal));
            settings.start = (ts_gjk_start)s;
            settings.variant = TS_GJK_VANILLA;
            ts_gjk_result r;
            ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &r);
            cr_assert_float_eq(r.found.upper, 2e-3, 1e-12);
            iterations[s] += r.iterations;
        }
    }
    cr_expect_lt(1.2 * (double)iterations[TS_GJK_START_PREVIOUS], (double)iterations[TS_GJK_START_PREVIOUS_PAPER]);
    cr_expect_lt(1.2 * (double)iterations[TS_GJK_START_WITNESSES], (double)iterations[TS_GJK_START_WITNESSES_PAPER]);
    cr_expect_lt(iterations[TS_GJK_START_PREVIOUS], iterations[TS_GJK_START_CENTRES]);
    cr_expect_leq(iterations[TS_GJK_START_CENTRES], iterations[TS_GJK_START_NONE]);
    ts_hull_free(hull);
}

// At an unchanged pose the remembered simplex is the answer already.
Test(gjk_starts, a_remembered_simplex_ends_at_once) {
    ts_rng rng = ts_rng_make(94, 0);
    ts_hull* hull = random_hull(&rng, 250, ts_vec3_make(0.1, 0.14, 0.18));
    for (int trial = 0; trial < 200; ++trial) {
        gjk_pair p;
        p.a = trial % 2 ? ts_shape_hull(hull) : ts_shape_box(ts_vec3_make(0.1, 0.2, 0.3));
        p.b = ts_shape_hull(hull);
        gjk_pair_place(&rng, &p, 2.0, trial % 3 ? 1e-3 : 0.1);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_cache cache = ts_gjk_cache_none();
        ts_gjk_result first, again;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &first);
        settings.start = TS_GJK_START_SIMPLEX;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &again);
        cr_assert_eq(again.iterations, 0);
        cr_assert_leq(again.support_calls, 2);
        cr_assert_float_eq(again.found.upper, first.found.upper, 1e-15);
    }
    ts_hull_free(hull);
}

Test(gjk_starts, same_inputs_same_cache_same_bits) {
    ts_rng rng = ts_rng_make(95, 0);
    ts_hull* hull = random_hull(&rng, 400, ts_vec3_make(0.5, 0.7, 0.9));
    for (int trial = 0; trial < 1000; ++trial) {
        gjk_pair p = random_pair(&rng, hull, trial);
        ts_gjk_settings settings = ts_gjk_settings_default();
        settings.start = (ts_gjk_start)(trial % TS_GJK_START_COUNT);
        ts_gjk_cache cache = ts_gjk_cache_none();
        ts_gjk_result one, two;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &one);
        ts_gjk_cache copy = cache;
        p.b_in_a.p.x += 1e-3;
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &cache, &one);
        ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, &copy, &two);
        cr_assert_eq(memcmp(&one.found.lower, &two.found.lower, sizeof(double)), 0);
        cr_assert_eq(memcmp(&one.found.upper, &two.found.upper, sizeof(double)), 0);
        cr_assert_eq(memcmp(&one.found.normal, &two.found.normal, sizeof(ts_vec3)), 0);
        cr_assert_eq(memcmp(&one.found.point_b, &two.found.point_b, sizeof(ts_vec3)), 0);
        cr_assert_eq(one.iterations, two.iterations);
    }
    ts_hull_free(hull);
}
