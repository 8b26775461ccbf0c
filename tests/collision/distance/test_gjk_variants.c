// The accelerated variants of GJK: published iteration counts, one answer for all, and no variant that fails to end.
#include "tests/collision/distance/gjk_pairs.h"

#include <string.h>

enum { DISTANCES = 9, VARIANTS = 7, PAIRS = 240 };

static const ts_gjk_variant variants[VARIANTS] = {
    TS_GJK_VANILLA,       TS_GJK_POLYAK_PAPER,     TS_GJK_POLYAK, TS_GJK_NESTEROV, TS_GJK_NESTEROV_NORMALISED,
    TS_GJK_NESTEROV_COAL, TS_GJK_POLYAK_NORMALISED};

// What a run of the published algorithms gives: gap 1e-8 m^2, start at the centres, no limit on momentum. Measured with
// independent prototypes; negative where that variant does not always end.
static const double distance[DISTANCES] = {-0.1, -0.01, -1e-3, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 1.0};
static const double ellipsoid_count[DISTANCES][VARIANTS] = {
    {4.0, 5.6, 4.0, 4.1, 8.0, -1.0, 5.9},      {5.1, 12.0, 4.8, 6.9, 4.0, -1.0, 5.6},
    {8.8, 10.4, 6.2, 5.4, 6.6, 4.4, 15.8},     {15.2, 12.8, 9.6, 7.5, 15.1, 14.9, 28.5},
    {18.3, 12.1, 12.7, 6.8, 17.0, 13.0, 33.4}, {19.2, 7.9, 13.7, 5.9, 13.7, 9.9, 24.3},
    {16.6, 6.2, 11.9, 5.6, 9.0, 7.5, 13.4},    {9.9, 7.6, 7.5, 7.6, 5.0, 13.5, 5.8},
    {4.7, 14.6, 4.7, 14.6, 13.4, 49.6, 13.5}};
static const double hull_count[DISTANCES][VARIANTS] = {
    {4.0, 4.8, 4.2, 4.2, 4.2, 5.6, 5.1},  {5.8, 5.2, 5.0, 4.8, 4.3, 4.7, 7.1}, {8.3, 6.6, 6.3, 5.7, 6.9, 4.9, 9.6},
    {9.2, 6.9, 6.8, 5.6, 7.7, 5.2, 10.1}, {9.1, 6.8, 6.6, 5.5, 7.6, 5.0, 9.9}, {8.2, 5.5, 5.5, 4.5, 6.3, 4.1, 8.3},
    {6.7, 4.4, 4.5, 3.9, 4.7, 3.7, 6.5},  {4.5, 3.2, 3.2, 3.2, 3.1, 3.3, 3.9}, {1.9, 1.9, 1.9, 1.9, 1.9, 1.9, 2.0}};

static ts_gjk_settings as_published(ts_gjk_variant variant) {
    ts_gjk_settings settings = ts_gjk_settings_default();
    settings.variant = variant;
    settings.start = TS_GJK_START_CENTRES;
    settings.gap_tolerance = 1e-8;
    settings.iteration_limit = 512;
    settings.momentum_limit = 1 << 20;
    return settings;
}

static void check_counts(const char* what, const gjk_pair* pair, const double* expected, double d) {
    for (int v = 0; v < VARIANTS; ++v) {
        if (expected[v] < 0.0) continue;
        ts_gjk_settings settings = as_published(variants[v]);
        double sum = 0.0;
        for (int i = 0; i < PAIRS; ++i) {
            ts_gjk_result r;
            ts_gjk_distance(&(ts_shape_pair){&pair[i].a, &pair[i].b, pair[i].b_in_a}, &settings, 0, &r);
            sum += r.iterations;
            cr_assert_geq(r.support_calls, r.iterations);
            cr_assert_leq(r.support_calls, r.iterations + 4);
        }
        // 15 % is the band; the rest is what the mean of so many pairs may wander.
        cr_expect_float_eq(sum / PAIRS, expected[v], 0.15 * expected[v] + 0.3, "%s, d = %g, %s: %.2f, not %.1f", what,
                           d, ts_gjk_variant_name(variants[v]), sum / PAIRS, expected[v]);
    }
}

Test(gjk_variants, ellipsoids_need_as_many_iterations_as_published) {
    static gjk_pair pair[PAIRS];
    ts_rng rng = ts_rng_make(81, 0);
    for (int k = 0; k < DISTANCES; ++k) {
        for (int i = 0; i < PAIRS; ++i) {
            pair[i].a = gjk_paper_ellipsoid(&rng);
            pair[i].b = gjk_paper_ellipsoid(&rng);
            gjk_pair_place(&rng, &pair[i], 2.0, distance[k]);
        }
        check_counts("ellipsoids", pair, ellipsoid_count[k], distance[k]);
    }
}

// Hulls of 64 to 1000 points on ellipsoids.
enum { HULLS = 12 };

static void make_hulls(ts_rng* rng, ts_hull** hull) {
    for (int i = 0; i < HULLS; ++i) {
        static ts_vec3 points[1000];
        int count = 64 + 936 * i / (HULLS - 1);
        ts_vec3 size = ts_vec3_make(ts_rng_uniform_in(rng, 0.02, 0.25), ts_rng_uniform_in(rng, 0.02, 0.25),
                                    ts_rng_uniform_in(rng, 0.02, 0.25));
        for (int k = 0; k < count; ++k) points[k] = ts_vec3_mul(random_unit(rng), size);
        cr_assert_eq(ts_hull_build(points, count, &hull[i], 0), TS_OK);
    }
}

Test(gjk_variants, polyhedra_need_as_many_iterations_as_published) {
    static gjk_pair pair[PAIRS];
    ts_hull* hull[HULLS];
    ts_rng rng = ts_rng_make(82, 0);
    make_hulls(&rng, hull);
    for (int k = 0; k < DISTANCES; ++k) {
        for (int i = 0; i < PAIRS; ++i) {
            pair[i].a = ts_shape_hull(hull[i % HULLS]);
            pair[i].b = ts_shape_hull(hull[(7 * i + i / HULLS) % HULLS]);
            gjk_pair_place(&rng, &pair[i], 4.0, distance[k]);
        }
        check_counts("polyhedra", pair, hull_count[k], distance[k]);
    }
    for (int i = 0; i < HULLS; ++i) ts_hull_free(hull[i]);
}

// Every variant, with its momentum limited, on every pair of kinds from deep to far: it ends, and says the same.
Test(gjk_variants, all_variants_agree) {
    ts_rng rng = ts_rng_make(83, 0);
    ts_hull* hull = random_hull(&rng, 80, ts_vec3_make(0.5, 0.7, 0.9));
    for (int ka = TS_SHAPE_SPHERE; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = TS_SHAPE_SPHERE; kb < TS_SHAPE_CONVEX_COUNT; ++kb)
            for (int trial = 0; trial < 60; ++trial) {
                gjk_pair p;
                p.a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                p.b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                p.b_in_a = random_pose(&rng, trial % 3 ? 2.0 : 0.3);
                ts_gjk_result vanilla;
                memset(&vanilla, 0, sizeof vanilla);
                for (int v = TS_GJK_VARIANT_COUNT - 1; v >= 0; --v) {
                    ts_gjk_settings settings = ts_gjk_settings_default();
                    // Vanilla first, AUTO last.
                    settings.variant =
                        v == TS_GJK_VARIANT_COUNT - 1 ? TS_GJK_VANILLA : (ts_gjk_variant)(v ? v + 1 : TS_GJK_AUTO);
                    ts_gjk_result r;
                    ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &r);
                    cr_assert_neq(r.status, TS_PROXIMITY_LIMIT, "%s-%s by %s: [%g, %g] after %d",
                                  ts_shape_kind_name(p.a.kind), ts_shape_kind_name(p.b.kind),
                                  ts_gjk_variant_name(settings.variant), r.found.lower, r.found.upper, r.iterations);
                    cr_assert_float_eq(plane_value(&p, r.found.normal), r.found.lower, 1e-13 * r.scale);
                    cr_assert_leq(r.found.lower, r.found.upper);
                    if (r.switched_at >= 0) cr_assert_leq(r.switched_at, 16);
                    if (settings.variant == TS_GJK_VANILLA) {
                        cr_assert_eq(r.switched_at, -1);
                        vanilla = r;
                        continue;
                    }
                    if (vanilla.status == TS_PROXIMITY_SEPARATED && vanilla.found.lower > 1e-9)
                        cr_assert_float_eq(r.found.upper, vanilla.found.upper, 1e-7 * vanilla.found.upper + 1e-13,
                                           "%s-%s by %s: %.17g, not %.17g", ts_shape_kind_name(p.a.kind),
                                           ts_shape_kind_name(p.b.kind), ts_gjk_variant_name(settings.variant),
                                           r.found.upper, vanilla.found.upper);
                    // Bounds of one distance overlap.
                    cr_assert_leq(r.found.lower, vanilla.found.upper + 1e-13,
                                  "%s-%s by %s: %d [%.17g, %.17g], vanilla %d [%.17g, %.17g]",
                                  ts_shape_kind_name(p.a.kind), ts_shape_kind_name(p.b.kind),
                                  ts_gjk_variant_name(settings.variant), (int)r.status, r.found.lower, r.found.upper,
                                  (int)vanilla.status, vanilla.found.lower, vanilla.found.upper);
                    cr_assert_leq(vanilla.found.lower, r.found.upper + 1e-13);
                }
            }
    ts_hull_free(hull);
}

// The switch is one way, and only a support point along x may end the search.
Test(gjk_variants, a_gap_tolerance_holds_where_it_stops) {
    ts_rng rng = ts_rng_make(84, 0);
    for (int trial = 0; trial < 300; ++trial) {
        gjk_pair p;
        p.a = gjk_paper_ellipsoid(&rng);
        p.b = gjk_paper_ellipsoid(&rng);
        gjk_pair_place(&rng, &p, 2.0, 0.02);
        for (int v = 0; v < VARIANTS; ++v) {
            ts_gjk_settings settings = as_published(variants[v]);
            settings.momentum_limit = 16;
            ts_gjk_result r;
            ts_gjk_distance(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, &settings, 0, &r);
            cr_assert_eq(r.status, TS_PROXIMITY_SEPARATED);
            // The gap bounds the square of the error: |x|^2 - d^2 <= gap.
            cr_assert_geq(r.found.upper, 0.02 - 1e-13);
            cr_assert_leq(r.found.upper * r.found.upper - 0.02 * 0.02, 1e-8 + 1e-14);
            cr_assert_float_eq(plane_value(&p, r.found.normal), r.found.lower, 1e-14);
            if (variants[v] == TS_GJK_VANILLA)
                cr_assert_eq(r.switched_at, -1);
            else
                cr_assert(r.switched_at >= 0 && r.switched_at <= r.iterations);
        }
    }
}

Test(gjk_variants, names_are_distinct) {
    for (int v = 0; v < TS_GJK_VARIANT_COUNT; ++v)
        for (int u = 0; u < v; ++u)
            cr_expect_str_neq(ts_gjk_variant_name((ts_gjk_variant)v), ts_gjk_variant_name((ts_gjk_variant)u));
    for (int v = 0; v < TS_GJK_START_COUNT; ++v)
        for (int u = 0; u < v; ++u)
            cr_expect_str_neq(ts_gjk_start_name((ts_gjk_start)v), ts_gjk_start_name((ts_gjk_start)u));
    cr_expect_str_eq(ts_gjk_variant_name(TS_GJK_VARIANT_COUNT), "unknown");
    cr_expect_str_eq(ts_gjk_start_name(TS_GJK_START_COUNT), "unknown");
}
