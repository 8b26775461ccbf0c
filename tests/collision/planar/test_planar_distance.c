// Planar distance, overlap and depth against brute force in long double, and against what must hold whatever the answer.
#include "tests/collision/planar/planar_fixture.h"

static const char* const family_name[FAMILY_COUNT] = {"round", "cloud", "grid", "sliver", "box", "short edge", "thin"};

// What one pair must satisfy. `reference` is the exact signed distance, `scale` the size of the numbers that went in.
static void check_pair(const ts_planar_polygon* a, ts_planar_pose pose_a, const ts_planar_polygon* b,
                       ts_planar_pose pose_b, const char* what) {
    exact_polygon p = exactly(a, pose_a), q = exactly(b, pose_b);
    double scale = a->reach + b->reach + fabs(pose_a.position.x - pose_b.position.x) +
                   fabs(pose_a.position.y - pose_b.position.y) + fabs(a->centre.x) + fabs(a->centre.y) +
                   fabs(b->centre.x) + fabs(b->centre.y);
    double world = scale + fabs(pose_a.position.x) + fabs(pose_a.position.y);
    double tolerance = 16.0 * DBL_EPSILON * scale;
    long double reference = exact_distance(&p, &q) - a->radius - b->radius;
    for (int rule = 0; rule < TS_PLANAR_SUPPORT_RULES; ++rule) {
        ts_planar_options options = ts_planar_options_default();
        options.support = (ts_planar_support_rule)rule;
        ts_planar_result r;
        ts_planar_distance(a, pose_a, b, pose_b, &options, NULL, &r);
        cr_assert(fabsl(r.distance - reference) <= tolerance, "%s: %.17g for %.17Lg, off by %.3Lg of the scale", what,
                  r.distance, reference, fabsl(r.distance - reference) / scale);
        cr_assert(r.lower <= r.upper && r.upper <= reference + tolerance && r.lower <= reference + tolerance);
        cr_assert(reference <= r.upper + tolerance);
        cr_assert(r.upper - r.lower <= tolerance, "%s: bounds %.17g %.17g", what, r.lower, r.upper);
        cr_assert(fabs(ts_planar_vec_norm(r.normal) - 1.0) <= 1e-14);
        // The separating line along the normal, recomputed from all vertices, certifies the lower bound.
        exact_point origin = {0.0L, 0.0L};
        long double line = least_along(&q, origin, r.normal.x, r.normal.y) +
                           least_along(&p, origin, -(long double)r.normal.x, -(long double)r.normal.y) - a->radius -
                           b->radius;
        cr_assert(line >= r.lower - 16.0 * DBL_EPSILON * world, "%s: line %.17Lg, lower %.17g", what, line, r.lower);
        // Witnesses lie on the shapes and are `distance` apart.
        cr_assert(exact_point_distance(&p, r.point_a.x, r.point_a.y) <= a->radius + 16.0 * DBL_EPSILON * world);
        cr_assert(exact_point_distance(&q, r.point_b.x, r.point_b.y) <= b->radius + 16.0 * DBL_EPSILON * world);
        ts_planar_vec gap = ts_planar_vec_sub(r.point_b, r.point_a);
        cr_assert(fabs(ts_planar_vec_dot(gap, r.normal) - r.distance) <= 16.0 * DBL_EPSILON * world);
        ts_planar_verdict verdict = ts_planar_overlap(a, pose_a, b, pose_b, 0.0, options.support, NULL);
        if (reference > tolerance) cr_assert_eq(verdict, TS_PLANAR_APART, "%s: %.17Lg called overlap", what, reference);
        if (reference < -tolerance) cr_assert_eq(verdict, TS_PLANAR_OVERLAP, "%s: %.17Lg apart", what, reference);
        if (reference > tolerance) cr_assert_eq(r.status, TS_PLANAR_SEPARATED);
        if (reference < -tolerance) cr_assert_eq(r.status, TS_PLANAR_PENETRATING);
    }
}

static void check_family(planar_family family, int cases, double radius) {
    ts_rng rng = ts_rng_make(20260101, (uint64_t)family);
    for (int k = 0; k < cases; ++k) {
        ts_planar_vec points[64];
        int count = random_points(&rng, family, points);
        ts_planar_polygon* a = built(points, count, radius);
        planar_family second = k % 4 ? family : (planar_family)(ts_rng_bits(&rng) % FAMILY_COUNT);
        count = random_points(&rng, second, points);
        ts_planar_polygon* b = built(points, count, 0.5 * radius);
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 4.0);
        check_pair(a, pose_a, b, pose_b, family_name[family]);
        // The same pair moved to within a hair of touching, from both sides.
        ts_planar_result r;
        ts_planar_distance(a, pose_a, b, pose_b, NULL, NULL, &r);
        static const double gap[] = {0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3};
        double rest = gap[k % 11] - r.distance;
        pose_b.position = ts_planar_vec_add_scaled(pose_b.position, rest, r.normal);
        check_pair(a, pose_a, b, pose_b, "near touching");
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}

Test(planar_distance, round) { check_family(FAMILY_ROUND, 20000, 0.0); }
Test(planar_distance, cloud) { check_family(FAMILY_CLOUD, 20000, 0.0); }
Test(planar_distance, grid_turned) { check_family(FAMILY_GRID, 20000, 0.0); }
Test(planar_distance, sliver) { check_family(FAMILY_SLIVER, 20000, 0.0); }
Test(planar_distance, box) { check_family(FAMILY_BOX, 20000, 0.0); }
Test(planar_distance, short_edge) { check_family(FAMILY_SHORT_EDGE, 20000, 0.0); }
Test(planar_distance, thin) { check_family(FAMILY_THIN, 20000, 0.0); }
Test(planar_distance, rounded) {
    for (int family = 0; family < FAMILY_COUNT; ++family) check_family((planar_family)family, 2000, 0.3);
}

// Two nearly flat roofs, ridge to ridge: the normals that certify two vertices lie in a cone as narrow as the roofs are
// flat, so a direction taken from a tiny gap may miss it.
Test(planar_distance, flat_roofs) {
    ts_rng rng = ts_rng_make(99, 0);
    for (int k = 0; k < 40000; ++k) {
        double high = 1.0, gap = 1.0, beside = 1.0;
        for (int i = 2 + (int)(ts_rng_bits(&rng) % 11); i > 0; --i) high *= 0.1;
        for (int i = 3 + (int)(ts_rng_bits(&rng) % 13); i > 0; --i) gap *= 0.1;
        for (int i = (int)(ts_rng_bits(&rng) % 16); i > 0; --i) beside *= 0.1;
        ts_planar_vec house[5] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 0.0}, {0.0, high}, {-1.0, 0.0}};
        ts_planar_polygon* a = built(house, 5, 0.0);
        for (int i = 0; i < 5; ++i) house[i].y = -house[i].y;
        ts_planar_polygon* b = built(house, 5, 0.0);
        ts_planar_pose pose = random_pose(&rng, 1.0), lift = ts_planar_pose_identity();
        lift.position = ts_planar_vec_make(ts_rng_uniform_in(&rng, -beside, beside), 2.0 * high + gap);
        check_pair(a, pose, b, ts_planar_pose_compose(pose, lift), "flat roofs");
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}
