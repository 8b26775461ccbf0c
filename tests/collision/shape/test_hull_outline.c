// Bounds of turned hulls from their outline, against every vertex in long double.
#include "tests/collision/collision_fixture.h"

// The axis-aligned box around the vertices of a hull in a pose.
static void true_bounds(const ts_hull* hull, const ts_transform* pose, long double low[3], long double high[3]) {
    for (int k = 0; k < 3; ++k) {
        ts_vec3 row = ts_mat3_row(&pose->R, k);
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int i = 0; i < hull->vertex_count; ++i) {
            long double x = wide_dot(wide(row), wide(hull->vertex[i])) + (long double)ts_vec3_get(pose->p, k);
            low[k] = fminl(low[k], x);
            high[k] = fmaxl(high[k], x);
        }
    }
}

static ts_hull* drawn_hull(ts_rng* rng, int count, ts_vec3 scale, ts_vec3 offset) {
    ts_vec3 points[400];
    for (int i = 0; i < count; ++i) {
        ts_vec3 p = ts_vec3_make(ts_rng_normal(rng), ts_rng_normal(rng), ts_rng_normal(rng));
        points[i] = ts_vec3_add(offset, ts_vec3_mul(scale, ts_vec3_scale(1.0 / ts_vec3_norm(p), p)));
    }
    ts_hull* hull = NULL;
    cr_assert_eq(ts_hull_build(points, count, &hull, NULL), TS_OK);
    return hull;
}

Test(hull_outline, holds_every_vertex_in_every_pose) {
    ts_rng rng = ts_rng_make(91, 0);
    for (int trial = 0; trial < 300; ++trial) {
        ts_vec3 scale = ts_vec3_make(1.0, trial % 3 ? 0.3 : 1e-3, trial % 2 ? 1.0 : 20.0);
        ts_hull* hull =
            drawn_hull(&rng, 4 + trial, scale, trial % 5 ? ts_vec3_zero() : ts_vec3_make(300.0, -20.0, 7.0));
        for (int turn = 0; turn < 20; ++turn) {
            ts_transform pose = random_pose(&rng, 2.0), box = ts_transform_mul(&pose, &hull->box);
            long double low[3], high[3];
            ts_vec3 min, max;
            ts_hull_bounds(hull, &box, &min, &max);
            true_bounds(hull, &pose, low, high);
            // Rounding of the pose itself, which a box cannot answer for.
            long double room = 1e-15L * (long double)(ts_vec3_norm(hull->centre) + 20.0);
            for (int k = 0; k < 3; ++k) {
                cr_assert((long double)ts_vec3_get(min, k) <= low[k] + room, "%d: low by %Lg", trial,
                          (long double)ts_vec3_get(min, k) - low[k]);
                cr_assert((long double)ts_vec3_get(max, k) >= high[k] - room, "%d: high by %Lg", trial,
                          high[k] - (long double)ts_vec3_get(max, k));
            }
        }
        ts_hull_free(hull);
    }
}

// The closed form of the bound for a ball: the length of (1, sqrt 2 - 1, sqrt 3 - sqrt 2), and no less than 1. The hull
// lies in a ball, and as much more as its box is not a cube about the middle of that is allowed.
Test(hull_outline, is_tight_around_round_hulls) {
    ts_rng rng = ts_rng_make(92, 0);
    ts_hull* hull = drawn_hull(&rng, 400, ts_vec3_make(1.0, 1.0, 1.0), ts_vec3_zero());
    double worst =
        sqrt(1.0 + (sqrt(2.0) - 1.0) * (sqrt(2.0) - 1.0) + (sqrt(3.0) - sqrt(2.0)) * (sqrt(3.0) - sqrt(2.0)));
    ts_vec3 half = hull->box_half;
    double sum = 0.0, most = fmax(half.x, fmax(half.y, half.z)), least = fmin(half.x, fmin(half.y, half.z));
    worst *= (1.0 + ts_vec3_norm(hull->box.p)) * most / least;
    cr_assert_lt(worst, 1.2);
    for (int turn = 0; turn < 1000; ++turn) {
        ts_transform pose = random_pose(&rng, 0.0), box = ts_transform_mul(&pose, &hull->box);
        ts_vec3 min, max;
        ts_hull_bounds(hull, &box, &min, &max);
        for (int k = 0; k < 3; ++k) {
            cr_assert_leq(ts_vec3_get(max, k) - ts_vec3_get(box.p, k), worst + 1e-12);
            sum += 0.5 * (ts_vec3_get(max, k) - ts_vec3_get(min, k)) / 3000.0;
        }
    }
    cr_expect(sum > 1.0 && sum < 1.1, "mean %g", sum);
    ts_hull_free(hull);
}

// Towards faces, edges and corners of the box, each counted in its half extents.
Test(hull_outline, is_exact_along_its_own_directions) {
    ts_rng rng = ts_rng_make(93, 0);
    ts_hull* hull = drawn_hull(&rng, 60, ts_vec3_make(1.0, 0.4, 0.7), ts_vec3_make(0.1, 0.2, 0.3));
    ts_vec3 half = hull->box_half;
    for (int n = 0; n < 27; ++n) {
        if (n == 13) continue;
        ts_vec3 d = ts_vec3_make((n % 3 - 1) / half.x, (n / 3 % 3 - 1) / half.y, (n / 9 - 1) / half.z);
        ts_vec3 row = ts_mat3_mul_vec(&hull->box.R, ts_vec3_scale(1.0 / ts_vec3_norm(d), d));
        ts_vec3 side = ts_vec3_unit_or(ts_vec3_cross(row, ts_vec3_make(0.3, 0.5, 0.7)), ts_vec3_axis(0));
        ts_transform pose = {ts_mat3_from_rows(row, side, ts_vec3_cross(row, side)), ts_vec3_zero()};
        ts_transform box = ts_transform_mul(&pose, &hull->box);
        long double low[3], high[3];
        ts_vec3 min, max;
        ts_hull_bounds(hull, &box, &min, &max);
        true_bounds(hull, &pose, low, high);
        cr_expect_float_eq(min.x, (double)low[0], 1e-13);
        cr_expect_float_eq(max.x, (double)high[0], 1e-13);
    }
    ts_hull_free(hull);
}
