// Verdicts: whether shapes, balls included, come within a margin. Held against the distance, which carries its own proof.
#include "tests/collision/distance/gjk_pairs.h"

static int says_near(ts_proximity_status s) { return s == TS_PROXIMITY_OVERLAP_EARLY || s == TS_PROXIMITY_PENETRATING; }

// Checks one verdict and its bounds against what the distance query proves.
static void check(const gjk_pair* p, double margin, const ts_gjk_settings* settings, ts_gjk_cache* cache) {
    const char *na = ts_shape_kind_name(p->a.kind), *nb = ts_shape_kind_name(p->b.kind);
    ts_gjk_settings exact = ts_gjk_settings_default();
    exact.variant = TS_GJK_VANILLA;
    ts_gjk_result truth, r;
    ts_gjk_distance(&(ts_shape_pair){&p->a, &p->b, p->b_in_a}, &exact, 0, &truth);
    ts_gjk_overlap(&(ts_shape_pair){&p->a, &p->b, p->b_in_a}, margin, settings, cache, &r);
    double balls = p->a.radius + p->b.radius, rounding = 1e-12 * (truth.scale + balls);
    cr_assert(r.status != TS_PROXIMITY_LIMIT && r.status != TS_PROXIMITY_INVALID_INPUT &&
                  r.status != TS_PROXIMITY_SEPARATED,
              "%s-%s: status %d", na, nb, (int)r.status);
    if (r.status == TS_PROXIMITY_SEPARATED_EARLY)
        cr_assert_gt(truth.found.upper - balls, margin - rounding, "%s-%s: not beyond %g", na, nb, margin);
    else if (says_near(r.status))
        cr_assert_leq(truth.found.lower - balls, margin + rounding, "%s-%s: not within %g", na, nb, margin);
    else
        cr_assert(truth.found.lower - balls <= margin + 1e-9 * truth.scale &&
                  truth.found.upper - balls >= margin - 1e-9 * truth.scale);
    // The bounds are of the signed distance of the shapes: below what is proven above, and the other way round.
    cr_assert_leq(r.found.lower, r.found.upper);
    cr_assert_leq(r.found.lower, truth.found.upper - balls + rounding);
    if (truth.found.lower > 0.0) cr_assert_geq(r.found.upper, truth.found.lower - balls - rounding);
    cr_assert_float_eq(ts_vec3_norm(r.found.normal), 1.0, 1e-14);
    cr_assert_float_eq(plane_value(p, r.found.normal) - balls, r.found.lower, rounding, "%s-%s", na, nb);
    if (r.status == TS_PROXIMITY_SEPARATED_EARLY) cr_assert_gt(r.found.lower, margin - rounding);
}

Test(gjk_overlap, verdicts_agree_with_distances_for_all_kinds_variants_and_starts) {
    ts_rng rng = ts_rng_make(101, 0);
    ts_hull* hull = random_hull(&rng, 300, ts_vec3_make(0.5, 0.7, 0.9));
    static const double margins[4] = {0.0, 0.1, 0.7, -0.05};
    for (int ka = TS_SHAPE_SPHERE; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = TS_SHAPE_SPHERE; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            ts_gjk_cache cache = ts_gjk_cache_none();
            for (int trial = 0; trial < 400; ++trial) {
                gjk_pair p;
                p.a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                p.b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                if (trial % 5 == 0) p.a.radius += 0.2;
                p.b_in_a = random_pose(&rng, trial % 2 ? 2.0 : 0.7);
                ts_gjk_settings settings = ts_gjk_settings_default();
                settings.variant = (ts_gjk_variant)(trial % TS_GJK_VARIANT_COUNT);
                settings.start = (ts_gjk_start)(trial / 7 % TS_GJK_START_COUNT);
                // A margin below minus the balls asks about depth, which no verdict knows.
                double margin = margins[trial % 4];
                if (margin < 0.0 && !(p.a.radius + p.b.radius > -margin)) margin = 0.0;
                check(&p, margin, &settings, trial % 3 ? &cache : 0);
            }
        }
    ts_hull_free(hull);
}

Test(gjk_overlap, a_hair_on_either_side_is_told_apart) {
    ts_rng rng = ts_rng_make(102, 0);
    // One of them so fine that a search of its own serves it.
    ts_hull* hulls[2] = {random_hull(&rng, 120, ts_vec3_make(0.2, 0.3, 0.25)),
                         random_hull(&rng, 2400, ts_vec3_make(0.2, 0.3, 0.25))};
    static const double gap[6] = {1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3};
    ts_gjk_settings settings = ts_gjk_settings_default();
    for (int trial = 0; trial < 600; ++trial) {
        gjk_pair p;
        const ts_hull* hull = hulls[trial / 18 % 2];
        int sort = trial / 6 % 3;
        p.a =
            sort == 0 ? ts_shape_hull(hull) : random_shape(&rng, sort == 1 ? TS_SHAPE_BOX : TS_SHAPE_ELLIPSOID, 0.3, 0);
        p.b = trial % 2 ? ts_shape_hull(hull) : p.a;
        double d = gap[trial % 6];
        gjk_pair_place(&rng, &p, 3.0, d);
        ts_gjk_result r;
        ts_gjk_overlap(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, 0.0, &settings, 0, &r);
        cr_assert_eq(r.status, d > 0.0 ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_PENETRATING, "%s-%s at %g: %d",
                     ts_shape_kind_name(p.a.kind), ts_shape_kind_name(p.b.kind), d, (int)r.status);
        // The same hair beyond a margin and beyond balls.
        if (d < 0.0) continue;
        ts_gjk_overlap(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, 0.5 * d, &settings, 0, &r);
        cr_assert_eq(r.status, TS_PROXIMITY_SEPARATED_EARLY);
        ts_gjk_overlap(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, 1.5 * d, &settings, 0, &r);
        cr_assert_eq(r.status, TS_PROXIMITY_OVERLAP_EARLY);
        p.a.radius = 0.5 * d;
        p.b.radius = 0.25 * d;
        ts_gjk_overlap(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, 0.0, &settings, 0, &r);
        cr_assert_eq(r.status, TS_PROXIMITY_SEPARATED_EARLY);
        ts_gjk_overlap(&(ts_shape_pair){&p.a, &p.b, p.b_in_a}, 0.5 * d, &settings, 0, &r);
        cr_assert_eq(r.status, TS_PROXIMITY_OVERLAP_EARLY);
    }
    for (int i = 0; i < 2; ++i) ts_hull_free(hulls[i]);
}

// The gap of the papers bounds |x|^2 - d^2, so it may end a search near touching before anything is proven: then the verdict
// says undecided, never a guess. A plane is found wherever d^2 is more than half of the gap.
Test(gjk_overlap, a_gap_ends_right_or_undecided) {
    ts_rng rng = ts_rng_make(103, 0);
    static const double apart[8] = {-1e-2, -1e-3, -1e-4, -1e-5, 1e-5, 5e-5, 1e-4, 1e-3};
    static const double gap = 1e-8;
    int undecided[8] = {0};
    for (int trial = 0; trial < 800; ++trial) {
        double d = apart[trial % 8];
        gjk_pair p;
        p.a = gjk_paper_ellipsoid(&rng);
        p.b = gjk_paper_ellipsoid(&rng);
        gjk_pair_place(&rng, &p, 2.0, d);
        ts_shape_pair asked = {&p.a, &p.b, p.b_in_a};
        for (int v = 0; v < TS_GJK_VARIANT_COUNT; ++v) {
            ts_gjk_settings settings = ts_gjk_settings_default();
            settings.variant = (ts_gjk_variant)v;
            ts_gjk_result exact, r;
            ts_gjk_overlap(&asked, 0.0, &settings, 0, &exact);
            settings.gap_tolerance = gap;
            ts_gjk_overlap(&asked, 0.0, &settings, 0, &r);
            cr_assert_neq(exact.status, TS_PROXIMITY_LIMIT);
            if (v == TS_GJK_VANILLA) cr_assert_leq(r.iterations, exact.iterations);
            cr_assert_leq(r.found.lower, d + 1e-13);
            if (r.status == TS_PROXIMITY_LIMIT) {
                ++undecided[trial % 8];
                cr_assert_lt(r.iterations, settings.iteration_limit);
                cr_assert(r.found.lower <= 0.0 && 0.0 < r.found.upper);
                cr_assert_leq(r.found.upper * r.found.upper, gap + (d > 0.0 ? d * d : 0.0));
            } else {
                cr_assert_eq(says_near(r.status), d < 0.0, "%s at %g: %d", ts_gjk_variant_name((ts_gjk_variant)v), d,
                             (int)r.status);
                cr_assert_eq(r.status == TS_PROXIMITY_SEPARATED_EARLY, d > 0.0);
            }
        }
    }
    cr_expect(undecided[2] > 0 && undecided[3] > 0 && undecided[4] > 0);
    cr_expect(undecided[0] == 0 && undecided[6] == 0 && undecided[7] == 0);
}

// Cubes one in the other: the first segment of the simplex passes the origin within 1e-12 m, where any gap is met. That is
// no contact.
Test(gjk_overlap, a_gap_calls_no_deep_overlap_touching) {
    ts_shape cube = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    ts_gjk_settings settings = ts_gjk_settings_default();
    for (int with_gap = 0; with_gap < 2; ++with_gap) {
        settings.gap_tolerance = with_gap ? 1e-8 : 0.0;
        ts_gjk_result r;
        ts_gjk_overlap(&(ts_shape_pair){&cube, &cube, at(1.3e-12, 2.9e-12, 0.7e-12)}, 0.0, &settings, 0, &r);
        cr_expect_eq(r.status, with_gap ? TS_PROXIMITY_LIMIT : TS_PROXIMITY_PENETRATING, "%d", (int)r.status);
    }
}

Test(gjk_overlap, exact_contact_is_touching) {
    ts_shape cube = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    ts_gjk_settings settings = ts_gjk_settings_default();
    const ts_vec3 shift[4] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0.3, -0.2}};
    for (int k = 0; k < 4; ++k) {
        ts_transform pose = at(shift[k].x, shift[k].y, shift[k].z);
        ts_gjk_result r;
        ts_gjk_overlap(&(ts_shape_pair){&cube, &cube, pose}, 0.0, &settings, 0, &r);
        cr_expect_eq(r.status, TS_PROXIMITY_TOUCHING, "%d: status %d", k, (int)r.status);
        cr_expect_leq(r.found.upper, 1e-15);
    }
}

Test(gjk_overlap, nonsense_is_refused) {
    ts_shape cube = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    ts_gjk_settings settings = ts_gjk_settings_default();
    ts_transform pose = at((double)NAN, 0.0, 0.0);
    ts_gjk_result r;
    ts_gjk_overlap(&(ts_shape_pair){&cube, &cube, pose}, 0.0, &settings, 0, &r);
    cr_expect_eq(r.status, TS_PROXIMITY_INVALID_INPUT);
    ts_gjk_distance(&(ts_shape_pair){&cube, &cube, pose}, &settings, 0, &r);
    cr_expect_eq(r.status, TS_PROXIMITY_INVALID_INPUT);
}

// Remembered directions so short or long that their squares are nothing, or no numbers, prove nothing.
Test(gjk_overlap, lengths_of_a_damaged_cache_prove_nothing) {
    ts_rng rng = ts_rng_make(153, 2);
    static const double lengths[6] = {1e-320, 1e-200, 1e-155, 1e-126, 1e155, 1e300};
    for (int trial = 0; trial < 6000; ++trial) {
        gjk_pair p;
        p.a = ts_shape_box(ts_vec3_make(1.0, 0.5, 0.7));
        p.b = ts_shape_box(ts_vec3_make(0.4, 0.9, 0.3));
        p.b_in_a = (ts_transform){random_rotation(&rng), random_vector(&rng, 2.5)};
        ts_gjk_settings settings = ts_gjk_settings_default();
        settings.start = (ts_gjk_start)(trial % TS_GJK_START_COUNT);
        ts_gjk_cache cache = ts_gjk_cache_none();
        double length = lengths[trial / 8 % 6];
        cache.normal = ts_vec3_scale(length, random_unit(&rng));
        cache.point_a = ts_vec3_scale(length, random_unit(&rng));
        cache.distance = trial % 3 ? 1.0 : -1.0;
        check(&p, 0.0, &settings, &cache);
    }
}
