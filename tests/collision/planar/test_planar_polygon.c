// Building planar polygons: hulls are convex, hold their points, do not depend on order; supports are farthest.
#include "tests/collision/planar/planar_fixture.h"

#include "collision/planar/planar_support_internal.h"

#include <string.h>

static long double exact_turn(const ts_planar_polygon* p, int i) {
    int a = i, b = (i + 1) % p->count, c = (i + 2) % p->count;
    long double abx = (long double)p->x[b] - p->x[a], aby = (long double)p->y[b] - p->y[a];
    long double bcx = (long double)p->x[c] - p->x[b], bcy = (long double)p->y[c] - p->y[b];
    return abx * bcy - aby * bcx;
}

Test(planar_polygon, hulls_are_strictly_convex_and_hold_their_points) {
    ts_rng rng = ts_rng_make(1, 2);
    for (int k = 0; k < 30000; ++k) {
        ts_planar_vec points[64];
        int count = random_points(&rng, (planar_family)(k % FAMILY_COUNT), points);
        double far = k % 3 == 0 ? 1e6 : 0.0;
        for (int i = 0; i < count; ++i) points[i].x += far;
        ts_planar_polygon* p = built(points, count, 0.0);
        for (int i = 0; i < p->count && p->count > 2; ++i) cr_assert(exact_turn(p, i) > 0.0L);
        exact_polygon hull = exactly(p, ts_planar_pose_identity());
        for (int i = 0; i < count; ++i)
            cr_assert(exact_point_distance(&hull, points[i].x, points[i].y) <= 32.0 * DBL_EPSILON * (far + p->reach));
        for (int i = 0; i < p->count; ++i) {
            cr_assert(hypot(p->x[i], p->y[i]) <= p->reach);
            if (p->count < 3) continue;
            int next = (i + 1) % p->count;
            long double ex = (long double)p->x[next] - p->x[i], ey = (long double)p->y[next] - p->y[i];
            long double length = sqrtl(ex * ex + ey * ey);
            cr_assert(fabsl(p->normal_x[i] - ey / length) <= 4.0 * DBL_EPSILON);
            cr_assert(fabsl(p->normal_y[i] + ex / length) <= 4.0 * DBL_EPSILON);
            if (p->inner > 0.0) cr_assert((p->x[i] * ey - p->y[i] * ex) / length >= p->inner);
        }
        ts_planar_polygon_free(p);
    }
}

Test(planar_polygon, the_order_of_the_points_does_not_matter) {
    ts_rng rng = ts_rng_make(3, 4);
    for (int k = 0; k < 3000; ++k) {
        ts_planar_vec points[64];
        int count = random_points(&rng, (planar_family)(k % FAMILY_COUNT), points);
        ts_planar_polygon* p = built(points, count, 0.0);
        for (int i = count - 1; i > 0; --i) {
            int j = (int)(ts_rng_bits(&rng) % (unsigned)(i + 1));
            ts_planar_vec swap = points[i];
            points[i] = points[j];
            points[j] = swap;
        }
        ts_planar_polygon* q = built(points, count, 0.0);
        cr_assert_eq(p->count, q->count);
        cr_assert_eq(memcmp(p->x, q->x, (size_t)p->count * sizeof(double)), 0);
        cr_assert_eq(memcmp(p->y, q->y, (size_t)p->count * sizeof(double)), 0);
        ts_planar_polygon_free(p);
        ts_planar_polygon_free(q);
    }
}

Test(planar_polygon, duplicates_and_collinear_points_are_dropped) {
    ts_planar_vec square[] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}, {0, 0}, {1, 1}};
    ts_planar_polygon* p = built(square, 10, 0.0);
    cr_assert_eq(p->count, 4);
    cr_assert(p->low.x == 0.0 && p->low.y == 0.0 && p->high.x == 2.0 && p->high.y == 2.0);
    ts_planar_polygon_free(p);
    ts_planar_vec line[] = {{3, 3}, {1, 1}, {2, 2}, {1, 1}};
    p = built(line, 4, 0.5);
    cr_assert_eq(p->count, 2);
    cr_assert(p->low.x == 1.0 && p->low.y == 1.0 && p->high.x == 3.0 && p->high.y == 3.0);
    ts_planar_polygon_free(p);
    ts_planar_vec same[] = {{7, 8}, {7, 8}, {7, 8}};
    p = built(same, 3, 2.0);
    cr_assert_eq(p->count, 1);
    cr_assert_eq(ts_planar_polygon_vertex(p, 0).x, 7.0);
    ts_planar_polygon_free(p);
}

Test(planar_polygon, bad_input_is_refused_with_the_reason) {
    ts_planar_vec good[3] = {{0, 0}, {1, 0}, {0, 1}}, bad[3] = {{0, 0}, {1, (double)NAN}, {0, 1}};
    ts_planar_vec huge[3] = {{0, 0}, {1e31, 0}, {0, 1}};
    ts_planar_polygon* p = (ts_planar_polygon*)good;
    ts_status status;
    cr_assert_eq(ts_planar_polygon_build(good, 0, 0.0, &p, &status), TS_ERROR_VALUE);
    cr_assert_null(p);
    cr_assert(strstr(status.message, "at least one point"));
    cr_assert_eq(ts_planar_polygon_build(bad, 3, 0.0, &p, &status), TS_ERROR_VALUE);
    cr_assert(strstr(status.message, "point 1"));
    cr_assert_eq(ts_planar_polygon_build(huge, 3, 0.0, &p, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_planar_polygon_build(good, 3, -1.0, &p, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_planar_polygon_build(good, 3, (double)NAN, &p, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(-1.0, 1.0), 0.0, &p, &status), TS_ERROR_VALUE);
    cr_assert_eq(ts_planar_polygon_build(bad, 3, 0.0, &p, NULL), TS_ERROR_VALUE);
    ts_planar_polygon_free(NULL);
}

// By climbing from a hint, or without one from the best seed, or by looking at all.
static int support(const ts_planar_polygon* p, ts_planar_vec d, int hint) {
    if (hint >= 0) return planar_climb(p, d.x, d.y, hint);
    return p->coarse_stride ? planar_climb_from_seed(p, d.x, d.y) : planar_scan(p->x, p->y, p->count, d.x, d.y);
}

Test(planar_polygon, supports_are_farthest_however_they_are_found) {
    ts_rng rng = ts_rng_make(5, 6);
    static ts_planar_vec points[2000];
    for (int k = 0; k < 400; ++k) {
        int count = k % 2 ? 2000 : 40;
        double flat = k % 5 == 0 ? 1e-6 : 1.0;
        for (int i = 0; i < count; ++i) {
            ts_planar_vec u = random_pose(&rng, 0.0).rotation;
            points[i] = ts_planar_vec_make(u.x, flat * u.y);
        }
        ts_planar_polygon* p = built(points, count, 0.0);
        for (int m = 0; m < 50; ++m) {
            ts_planar_vec d = random_pose(&rng, 0.0).rotation;
            if (m % 7 == 0) d = ts_planar_vec_make(p->normal_x[m % p->count], p->normal_y[m % p->count]);
            long double most = -(long double)INFINITY;
            for (int i = 0; i < p->count; ++i) {
                long double value = (long double)d.x * p->x[i] + (long double)d.y * p->y[i];
                if (value > most) most = value;
            }
            for (int hint = -1; hint < p->count; hint += 1 + p->count / 3) {
                int i = support(p, d, hint);
                long double value = (long double)d.x * p->x[i] + (long double)d.y * p->y[i];
                cr_assert(most - value <= 16.0 * DBL_EPSILON * p->reach, "%d: %.3Lg short", hint, most - value);
            }
        }
        ts_planar_polygon_free(p);
    }
}

Test(planar_polygon, bounds_hold_the_polygon_and_are_tight) {
    ts_rng rng = ts_rng_make(7, 8);
    for (int k = 0; k < 5000; ++k) {
        ts_planar_vec points[64];
        double radius = k % 2 ? 0.25 : 0.0;
        ts_planar_polygon* p = built(points, random_points(&rng, (planar_family)(k % FAMILY_COUNT), points), radius);
        ts_planar_pose pose = random_pose(&rng, 10.0);
        exact_polygon exact = exactly(p, pose);
        long double low_x = 1e9L, high_x = -1e9L, low_y = 1e9L, high_y = -1e9L;
        for (int i = 0; i < exact.count; ++i) {
            low_x = fminl(low_x, exact.v[i].x - radius);
            high_x = fmaxl(high_x, exact.v[i].x + radius);
            low_y = fminl(low_y, exact.v[i].y - radius);
            high_y = fmaxl(high_y, exact.v[i].y + radius);
        }
        ts_planar_vec low, high;
        ts_planar_polygon_bounds(p, pose, &low, &high);
        cr_assert(low.x <= low_x && low.y <= low_y && high.x >= high_x && high.y >= high_y);
        cr_assert(low_x - low.x < 1e-13L && high.x - high_x < 1e-13L && low_y - low.y < 1e-13L);
        ts_planar_polygon_free(p);
    }
}
