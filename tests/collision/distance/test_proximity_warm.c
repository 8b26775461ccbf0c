// Answers that start from what a pair remembers: they agree with answers from nothing, hold their certificates whatever
// the memory says, and depend on nothing but their arguments.
#include "tests/collision/collision_fixture.h"

#include "tests/collision/distance/epa_fixture.h"
#include "collision/distance/proximity_internal.h"

#include <string.h>

static const ts_gjk_cache nothing;  // all zero: nothing known

// The gap of the full shapes along a unit direction from A to B, from support points: no more than the distance.
static double gap_along(const ts_shape* a, const ts_transform* pa, const ts_shape* b, const ts_transform* pb,
                        ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, ts_transform_direction_inverse(pa, n), -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pb, ts_vec3_neg(n)), -1).point;
    ts_vec3 apart = ts_vec3_sub(ts_transform_point(pb, sb), ts_transform_point(pa, sa));
    return ts_vec3_dot(n, apart) - a->radius - b->radius;
}

typedef struct moving_pair {
    ts_shape a, b;
    ts_transform pa, pb;
} moving_pair;

static moving_pair random_pair(ts_rng* rng, const ts_hull* hull, int trial) {
    moving_pair q;
    int kind_a = TS_SHAPE_CAPSULE + trial % 5, kind_b = TS_SHAPE_SPHERE + trial / 5 % 6;
    q.a = random_shape(rng, (ts_shape_kind)kind_a, 1.0, hull);
    q.b = random_shape(rng, (ts_shape_kind)kind_b, 1.0, hull);
    q.pa = random_pose(rng, 1.0);
    q.pb = random_pose(rng, 1.0);
    // Every other pair in contact, shallow or deep.
    static const double gap[6] = {1e-2, 1e-3, 1e-5, -1e-4, -1e-2, -1e-1};
    for (int k = 0; k < 2; ++k) {
        ts_proximity p;
        ts_proximity_query(&q.a, &q.pa, &q.b, &q.pb, 0, 0, &p);
        q.pb.p = ts_vec3_add_scaled(q.pb.p, gap[trial / 30 % 6] - p.distance, p.found.normal);
    }
    return q;
}

static void move(ts_rng* rng, moving_pair* q, double step) {
    q->pb.p = ts_vec3_add_scaled(q->pb.p, step, random_unit(rng));
    q->pb.R = ts_mat3_mul(ts_quat_to_mat3(ts_quat_from_axis_angle(random_unit(rng), step)), q->pb.R);
}

static void check(ts_rng* rng, const moving_pair* q, ts_gjk_cache* cache, double tolerance, int trial) {
    const char *na = ts_shape_kind_name(q->a.kind), *nb = ts_shape_kind_name(q->b.kind);
    ts_proximity warm, cold;
    ts_proximity_query(&q->a, &q->pa, &q->b, &q->pb, 0, cache, &warm);
    ts_proximity_query(&q->a, &q->pa, &q->b, &q->pb, 0, 0, &cold);
    cr_assert(warm.status != TS_PROXIMITY_LIMIT && warm.status != TS_PROXIMITY_INVALID_INPUT);
    cr_assert(isfinite(warm.found.lower) && isfinite(warm.found.upper) && warm.found.lower <= warm.found.upper);
    cr_assert(warm.distance >= warm.found.lower && warm.distance <= warm.found.upper);
    cr_assert_float_eq(ts_vec3_norm(warm.found.normal), 1.0, 1e-13);
    cr_assert_float_eq(warm.distance, cold.distance, tolerance, "trial %d %s-%s: %.15g, from nothing %.15g", trial, na,
                       nb, warm.distance, cold.distance);
    // Two certificates of one number overlap, and no direction shows a gap above the upper bound.
    cr_assert(warm.found.lower <= cold.found.upper + 1e-12 && cold.found.lower <= warm.found.upper + 1e-12,
              "trial %d %s-%s", trial, na, nb);
    cr_assert_float_eq(gap_along(&q->a, &q->pa, &q->b, &q->pb, warm.found.normal), warm.found.lower, 1e-12);
    for (int k = 0; k < 20; ++k) {
        ts_vec3 n = random_unit(rng);
        if (k % 2) n = ts_vec3_unit_or(ts_vec3_add_scaled(warm.found.normal, 0.05, n), n);
        cr_assert_leq(gap_along(&q->a, &q->pa, &q->b, &q->pb, n), warm.found.upper + 1e-12, "trial %d %s-%s", trial, na,
                      nb);
    }
}

Test(proximity_warm, moving_pairs_agree_with_a_start_from_nothing) {
    ts_rng rng = ts_rng_make(301, 0);
    ts_hull* hull = random_hull(&rng, 40, ts_vec3_make(0.9, 0.7, 0.5));
    for (int trial = 0; trial < 1800; ++trial) {
        moving_pair q = random_pair(&rng, hull, trial);
        ts_gjk_cache cache = nothing;
        double step = trial % 3 == 0 ? 1e-2 : (trial % 3 == 1 ? 1e-4 : 1e-7);
        for (int k = 0; k < 6; ++k) {
            check(&rng, &q, &cache, 1e-9, trial);
            move(&rng, &q, step);
        }
    }
    ts_hull_free(hull);
}

// A memory of anything: another pair's normal, the opposite one, of any length, and hints out of range.
Test(proximity_warm, any_memory_gives_a_right_answer) {
    ts_rng rng = ts_rng_make(302, 0);
    ts_hull* hull = random_hull(&rng, 40, ts_vec3_make(0.9, 0.7, 0.5));
    for (int trial = 0; trial < 1800; ++trial) {
        moving_pair q = random_pair(&rng, hull, trial);
        ts_gjk_cache cache = nothing;
        cache.normal = random_unit(&rng);
        if (trial % 4 == 0) cache.normal = ts_vec3_axis(trial % 3);
        cache.hint_a = trial % 7 == 0 ? 1000 : 1;
        // Corners of a face that is none, or of vertices that are none.
        cache.distance = trial % 2 ? -0.1 : 0.1;
        cache.rank = trial % 5;
        for (int k = 0; k < 4; ++k) {
            cache.simplex_a[k] = (int)ts_rng_uniform_in(&rng, trial % 11 ? 0.0 : -9.0, trial % 13 ? 8.0 : 99.0);
            cache.simplex_b[k] = (int)ts_rng_uniform_in(&rng, 0.0, trial % 17 ? 8.0 : 99.0);
        }
        // A local maximum that the memory points to may stand within what the certificate leaves open: 1e-4 of the depth.
        check(&rng, &q, &cache, 3e-5, trial);
        check(&rng, &q, &cache, 3e-5, trial);
    }
    ts_hull_free(hull);
}

Test(proximity_warm, same_memory_same_bits) {
    ts_rng rng = ts_rng_make(303, 0);
    ts_hull* hull = random_hull(&rng, 40, ts_vec3_make(0.9, 0.7, 0.5));
    for (int trial = 0; trial < 600; ++trial) {
        moving_pair q = random_pair(&rng, hull, trial);
        ts_gjk_cache cache = nothing, copy;
        ts_proximity first, second;
        ts_proximity_query(&q.a, &q.pa, &q.b, &q.pb, 0, &cache, &first);
        move(&rng, &q, 1e-3);
        copy = cache;
        ts_proximity_query(&q.a, &q.pa, &q.b, &q.pb, 0, &cache, &first);
        ts_proximity_query(&q.a, &q.pa, &q.b, &q.pb, 0, &copy, &second);
        cr_assert_eq(memcmp(&first.distance, &second.distance, sizeof(double)), 0);
        cr_assert_eq(memcmp(&first.found.normal, &second.found.normal, sizeof(ts_vec3)), 0);
        cr_assert_eq(memcmp(&first.found.point_a, &second.found.point_a, sizeof(ts_vec3)), 0);
        cr_assert_eq(memcmp(&cache.normal, &copy.normal, sizeof(ts_vec3)), 0);
        cr_assert(cache.hint_a == copy.hint_a && cache.hint_b == copy.hint_b);
    }
    ts_hull_free(hull);
}

// EPA around a normal either proves the depth or says that it did not, also for boxes that do not overlap at all.
Test(proximity_warm, epa_around_a_normal_proves_or_declines) {
    ts_rng rng = ts_rng_make(304, 0);
    const ts_epa_settings asked = {1e-12, 0.0, 0, NULL};
    int proved = 0, declined = 0, apart = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0);
        ts_transform pose = random_pose(&rng, 1.2);
        if (trial % 4 == 0) pose.R = ts_mat3_identity();
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &gjk);
        // Near the right normal, where a face of A - B is to be found, or anywhere.
        ts_epa_result near, plain;
        double scale = 0.0;
        ts_vec3 n = gjk.found.normal;
        if (gjk.status == TS_PROXIMITY_PENETRATING) {
            epa_penetration(&(ts_shape_pair){&a, &b, pose}, &gjk, ts_vec3_zero(), &plain);
            n = plain.found.normal;
        }
        n = ts_vec3_unit_or(ts_vec3_add_scaled(n, trial % 3 ? 2e-3 : 1.0, random_unit(&rng)), n);
        int yes = ts_epa_penetration_near(&(ts_shape_pair){&a, &b, pose}, n, 0, &asked, &scale, &near);
        if (gjk.status == TS_PROXIMITY_SEPARATED) {
            cr_assert_not(yes, "trial %d: an overlap of boxes %g apart", trial, gjk.found.lower);
            ++apart;
        } else if (gjk.status == TS_PROXIMITY_PENETRATING && yes) {
            cr_assert_float_eq(-near.found.lower, -plain.found.lower, 1e-12, "trial %d", trial);
            cr_assert_float_eq(-near.found.upper, -plain.found.lower, 1e-11, "trial %d", trial);
            ++proved;
        } else if (gjk.status == TS_PROXIMITY_PENETRATING && trial % 3) {
            ++declined;
        }
    }
    // From near the right normal it hardly ever declines, or there would be no point in it.
    cr_expect(proved > 1500 && apart > 300 && declined < proved / 20, "%d proved, %d declined, %d apart", proved,
              declined, apart);
}

// The same behind the face it ended with, moved a little or far, and behind corners of anything.
Test(proximity_warm, epa_behind_a_face_proves_or_declines) {
    ts_rng rng = ts_rng_make(305, 0);
    const ts_epa_settings asked = {1e-12, 0.0, 0, NULL};
    ts_hull* hull = random_hull(&rng, 12, ts_vec3_make(0.9, 0.7, 0.5));
    int proved = 0, declined = 0, apart = 0, steps = 0, refused = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        ts_shape a = trial % 2 ? ts_shape_hull(hull) : random_shape(&rng, TS_SHAPE_BOX, 1.0, 0),
                 b = ts_shape_hull(hull);
        ts_transform pose = random_pose(&rng, 0.7);
        ts_gjk_settings settings = ts_gjk_settings_default();
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &gjk);
        if (gjk.status != TS_PROXIMITY_PENETRATING) continue;
        ts_epa_result from, plain;
        epa_penetration(&(ts_shape_pair){&a, &b, pose}, &gjk, ts_vec3_zero(), &plain);
        cr_assert_eq(plain.nearest.count, 3);
        ts_epa_corners corners = plain.nearest;
        ts_vec3 normal = plain.found.normal;
        int near = trial % 3 > 0, garbage = trial % 12 == 0;
        for (int k = 0; k < 3 && garbage; ++k) corners.b[k] = (int)ts_rng_uniform_in(&rng, -2.0, 20.0);
        double way = near ? 1e-3 : 1.0;
        pose.p = ts_vec3_add_scaled(pose.p, way, random_unit(&rng));
        pose.R = ts_mat3_mul(ts_quat_to_mat3(ts_quat_from_axis_angle(random_unit(&rng), way)), pose.R);
        double scale = 0.0;
        int yes = ts_epa_penetration_from(&(ts_shape_pair){&a, &b, pose}, normal, &corners, &asked, &scale, &from);
        int missing = 0;
        for (int k = 0; k < 3; ++k) missing |= corners.b[k] < 0 || corners.b[k] >= hull->vertex_count;
        if (missing) {
            cr_assert_not(yes, "trial %d: no such vertex", trial);
            ++refused;
            continue;
        }
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &settings, 0, &gjk);
        if (gjk.status == TS_PROXIMITY_SEPARATED) {
            cr_assert_not(yes, "trial %d: an overlap of hulls %g apart", trial, gjk.found.lower);
            ++apart;
        } else if (gjk.status == TS_PROXIMITY_PENETRATING) {
            epa_penetration(&(ts_shape_pair){&a, &b, pose}, &gjk, ts_vec3_zero(), &plain);
            proved += yes;
            declined += near && !garbage && !yes;
            if (!yes) continue;
            steps += near ? from.iterations : 0;
            cr_assert_float_eq(-from.found.lower, -plain.found.lower, 1e-12, "trial %d", trial);
            cr_assert_float_eq(-from.found.upper, -plain.found.lower, 1e-11, "trial %d", trial);
        }
    }
    cr_expect(proved > 1000 && apart > 100 && refused > 20 && declined < proved / 20,
              "%d proved, %d declined, %d apart, %d refused, %d steps", proved, declined, apart, refused, steps);
    ts_hull_free(hull);
}
