// Signed distances of height fields and compounds: the least over all their parts, each asked for itself.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/convex_parts.h"
#include "collision/distance/proximity.h"

static ts_height_field* hills(ts_rng* rng) {
    double height[12 * 9];
    for (int i = 0; i < 12 * 9; ++i) height[i] = ts_rng_uniform_in(rng, -0.3, 0.3);
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 12, 9, 0.4, 0.5, -1.0, &field, 0), TS_OK);
    return field;
}

static ts_compound* scatter(ts_rng* rng, const ts_hull* hull, int count) {
    ts_compound_child child[64];
    for (int i = 0; i < count; ++i) {
        ts_shape_kind kind = (ts_shape_kind)(TS_SHAPE_SPHERE + i % (TS_SHAPE_CONVEX_COUNT - TS_SHAPE_SPHERE));
        child[i].shape = random_shape(rng, kind, 0.3, hull);
        child[i].placed = random_pose(rng, 2.0);
    }
    ts_compound* compound = 0;
    cr_assert_eq(ts_compound_build(child, count, &compound, 0), TS_OK);
    return compound;
}

// All parts of `s`, and what of both is nearest to `other`, each pair asked from nothing.
static double brute(const ts_shape* s, const ts_transform* placed, const ts_shape* other, const ts_transform* pose) {
    double best = (double)INFINITY;
    for (int i = 0; i < ts_convex_parts_count(s); ++i) {
        ts_convex_part_walk walk;
        cr_assert(ts_convex_parts_get(s, i, &walk));
        ts_transform at_part = ts_transform_mul(placed, &walk.placed);
        double d;
        if (ts_shape_is_convex(other)) {
            ts_proximity p;
            ts_proximity_query(&walk.shape, &at_part, other, pose, 0, 0, &p);
            d = p.distance;
        } else {
            d = brute(other, pose, &walk.shape, &at_part);
        }
        best = d < best ? d : best;
    }
    return best;
}

static void check(const ts_shape* a, const ts_transform* pa, const ts_shape* b, const ts_transform* pb) {
    double expected = brute(b, pb, a, pa);
    for (int swap = 0; swap < 2; ++swap) {
        ts_proximity p, v;
        ts_proximity_options options = ts_proximity_options_default();
        ts_gjk_cache cache = ts_gjk_cache_none();
        for (int again = 0; again < 2; ++again) {
            ts_proximity_query(swap ? b : a, swap ? pb : pa, swap ? a : b, swap ? pa : pb, &options, &cache, &p);
            cr_assert_float_eq(p.distance, expected, 1e-7, "%s-%s: %.17g, not %.17g", ts_shape_kind_name(a->kind),
                               ts_shape_kind_name(b->kind), p.distance, expected);
            cr_assert(p.found.lower <= p.distance && p.distance <= p.found.upper);
            cr_assert(p.found.upper - p.found.lower <= 1e-3 * fabs(p.distance) + 1e-9);
            cr_assert_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-13);
            ts_vec3 rest =
                ts_vec3_add_scaled(ts_vec3_sub(p.found.point_a, p.found.point_b), p.distance, p.found.normal);
            cr_assert_leq(ts_vec3_norm(rest), 1e-12);
        }
        options.goal = TS_PROXIMITY_VERDICT;
        options.margin = 0.05;
        ts_proximity_query(swap ? b : a, swap ? pb : pa, swap ? a : b, swap ? pa : pb, &options, 0, &v);
        if (fabs(expected - 0.05) > 1e-9)
            cr_assert_eq(v.status, expected > 0.05 ? TS_PROXIMITY_SEPARATED_EARLY : TS_PROXIMITY_OVERLAP_EARLY,
                         "%s at %g", ts_proximity_status_name(v.status), expected);
        cr_assert(v.found.lower <= expected + 1e-9 && v.found.upper >= expected - 1e-9);
        // Giving up: a true lower bound and no more.
        options = ts_proximity_options_default();
        options.give_up_distance = 0.2;
        ts_proximity_query(swap ? b : a, swap ? pb : pa, swap ? a : b, swap ? pa : pb, &options, 0, &v);
        if (v.status == TS_PROXIMITY_SEPARATED_EARLY)
            cr_assert(expected > 0.2 - 1e-9 && v.found.lower >= 0.2 - 1e-12 && v.found.lower <= expected + 1e-9);
        else
            cr_assert_float_eq(v.distance, expected, 1e-7);
    }
}

Test(composite_pair, height_field_against_every_convex_kind) {
    ts_rng rng = ts_rng_make(91, 0);
    ts_hull* hull = random_hull(&rng, 20, ts_vec3_make(0.2, 0.3, 0.25));
    ts_height_field* field = hills(&rng);
    ts_shape ground = ts_shape_height_field(field);
    for (int trial = 0; trial < 300; ++trial) {
        ts_shape_kind kind = (ts_shape_kind)(trial % TS_SHAPE_CONVEX_COUNT);
        ts_shape a = random_shape(&rng, kind, 0.3, hull);
        ts_transform pa = random_pose(&rng, 2.5), pb = random_pose(&rng, 1.0);
        check(&a, &pa, &ground, &pb);
    }
    ts_height_field_free(field);
    ts_hull_free(hull);
}

Test(composite_pair, compounds_against_everything) {
    ts_rng rng = ts_rng_make(92, 0);
    ts_hull* hull = random_hull(&rng, 20, ts_vec3_make(0.2, 0.3, 0.25));
    ts_compound *one = scatter(&rng, hull, 24), *two = scatter(&rng, hull, 9);
    ts_height_field* field = hills(&rng);
    ts_shape heap = ts_shape_compound(one), other = ts_shape_compound(two), ground = ts_shape_height_field(field);
    for (int trial = 0; trial < 150; ++trial) {
        ts_shape a = random_shape(&rng, (ts_shape_kind)(trial % TS_SHAPE_CONVEX_COUNT), 0.5, hull);
        ts_transform pa = random_pose(&rng, 4.0), pb = random_pose(&rng, 1.0), pc = random_pose(&rng, 5.0);
        check(&a, &pa, &heap, &pb);
        check(&other, &pc, &heap, &pb);
        if (trial < 20) check(&ground, &pc, &other, &pb);
    }
    ts_compound_free(one);
    ts_compound_free(two);
    ts_height_field_free(field);
    ts_hull_free(hull);
}

Test(composite_pair, a_ball_far_above_the_ground_in_one_go) {
    double height[4] = {0.0, 0.0, 0.0, 0.0};
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 2, 2, 1.0, 1.0, -1.0, &field, 0), TS_OK);
    ts_shape ground = ts_shape_height_field(field), ball = ts_shape_sphere(0.5);
    ts_transform origin = ts_transform_identity(), above = at(0.1, -0.2, 1000.0);
    ts_proximity p;
    ts_proximity_query(&ball, &above, &ground, &origin, 0, 0, &p);
    cr_expect_float_eq(p.distance, 999.5, 1e-9);
    cr_expect_float_eq(p.found.normal.z, -1.0, 1e-9);
    cr_expect_float_eq(p.found.point_b.z, 0.0, 1e-9);
    ts_height_field_free(field);
}
