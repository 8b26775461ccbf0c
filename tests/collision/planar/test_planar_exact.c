// What must hold exactly: whole-number verdicts, symmetry, all processors alike, caches that cannot do harm.
#include "tests/collision/planar/planar_fixture.h"

#include "collision/planar/planar_query_internal.h"

#include <string.h>

typedef long long whole;

// Overlap of whole-number polygons by separating axes in whole numbers; touching is overlap. Thin ones need their ends.
static int whole_overlap(whole p[][2], int np, whole q[][2], int nq) {
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < np; ++i) {
            int next = (i + 1) % np;
            whole ex = p[next][0] - p[i][0], ey = p[next][1] - p[i][1];
            whole axis[3][2] = {{ey, -ex}, {ex, ey}, {-ex, -ey}};
            for (int a = 0; a < (np <= 2 && nq <= 2 ? 3 : 1); ++a) {
                whole least = 1 << 30, most = -(1 << 30);
                for (int j = 0; j < nq; ++j) {
                    whole v = axis[a][0] * q[j][0] + axis[a][1] * q[j][1];
                    if (v < least) least = v;
                }
                for (int j = 0; j < np; ++j) {
                    whole v = axis[a][0] * p[j][0] + axis[a][1] * p[j][1];
                    if (v > most) most = v;
                }
                if (least > most) return 0;
            }
        }
        whole(*swap)[2] = p;
        p = q;
        q = swap;
        int count = np;
        np = nq;
        nq = count;
    }
    return np > 1 || nq > 1 || (p[0][0] == q[0][0] && p[0][1] == q[0][1]);
}

static void place_whole(const ts_planar_polygon* polygon, const ts_planar_vec* turn, whole x, whole y, whole out[][2]) {
    for (int i = 0; i < polygon->count; ++i) {
        ts_planar_vec v = ts_planar_polygon_vertex(polygon, i);
        ts_planar_vec t = ts_planar_vec_turn(*turn, v);
        out[i][0] = (whole)t.x + x;
        out[i][1] = (whole)t.y + y;
    }
}

static const ts_planar_vec quarter[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

static void check_whole_numbers(int thin) {
    ts_rng rng = ts_rng_make(11, (uint64_t)thin);
    int touching = 0;
    for (int k = 0; k < 150000; ++k) {
        ts_planar_vec points[64];
        int count = random_points(&rng, FAMILY_GRID, points);
        ts_planar_polygon* a = built(points, thin ? 1 + count % 3 : count, 0.0);
        count = random_points(&rng, FAMILY_GRID, points);
        ts_planar_polygon* b = built(points, thin && k % 2 ? 1 + count % 3 : count, 0.0);
        whole p[64][2], q[64][2];
        whole x = (whole)(ts_rng_bits(&rng) % 21) - 10, y = (whole)(ts_rng_bits(&rng) % 21) - 10;
        ts_planar_pose pose_a = {{0, 0}, quarter[k % 4]}, pose_b = {{(double)x, (double)y}, quarter[k / 4 % 4]};
        place_whole(a, &pose_a.rotation, 0, 0, p);
        place_whole(b, &pose_b.rotation, x, y, q);
        int right = whole_overlap(p, a->count, q, b->count);
        for (int rule = 0; rule < TS_PLANAR_SUPPORT_RULES; ++rule) {
            ts_planar_options options = {(ts_planar_support_rule)rule, (ts_planar_depth)(k & 1), 0.0};
            int got = ts_planar_overlap(a, pose_a, b, pose_b, 0.0, options.support, NULL);
            cr_assert_eq(got, right, "case %d rule %d: %d for %d (%d and %d vertices)", k, rule, got, right, a->count,
                         b->count);
            ts_planar_result r;
            ts_planar_distance(a, pose_a, b, pose_b, &options, NULL, &r);
            cr_assert_eq(r.status == TS_PLANAR_SEPARATED, !right, "case %d rule %d: %s", k, rule,
                         ts_planar_status_name(r.status));
            touching += r.status == TS_PLANAR_TOUCHING;
        }
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
    cr_assert(touching > 1000, "the family touches: %d", touching);
}

Test(planar_exact, whole_numbers_are_decided_exactly) { check_whole_numbers(0); }
Test(planar_exact, whole_numbers_of_points_and_segments) { check_whole_numbers(1); }

static int same_bits(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

// The vector kernels and the scalar twins give the same bits.
Test(planar_exact, every_processor_gives_the_same_bits) {
    ts_rng rng = ts_rng_make(13, 0);
    for (int k = 0; k < 60000; ++k) {
        ts_planar_polygon* a = random_polygon(&rng, (planar_family)(k % FAMILY_COUNT));
        ts_planar_polygon* b = random_polygon(&rng, (planar_family)(k / 7 % FAMILY_COUNT));
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 3.0);
        planar_query query;
        cr_assert(planar_query_make(a, &pose_a, b, &pose_b, &query));
        query.cache = NULL;
        query.limit = k % 3 ? 0.0 : 0.5;
        query.limit_squared = query.limit * query.limit;
        planar_simplex want, got;
        ts_planar_result walk_want, walk_got;
        memset(&want, 0, sizeof want);
        memset(&got, 0, sizeof got);
        memset(&walk_want, 0, sizeof walk_want);
        memset(&walk_got, 0, sizeof walk_got);
#if defined(__x86_64__)
        const planar_kernels *twin = &planar_kernels_scalar, *wide = &planar_kernels_sse2;
        for (; wide; wide = wide == planar_kernels_here() ? NULL : planar_kernels_here()) {
            twin->overlap(&query, &want);
            wide->overlap(&query, &got);
            cr_assert_eq(want.rank, got.rank);
            cr_assert(same_bits(want.wx, got.wx, sizeof(double) * (size_t)want.rank));
            cr_assert(want.ending == got.ending && want.support_calls == got.support_calls && want.dw == got.dw);
            query.limit_squared = (double)INFINITY;
            twin->distance(&query, &want);
            wide->distance(&query, &got);
            cr_assert(same_bits(want.wy, got.wy, sizeof(double) * (size_t)want.rank));
            cr_assert(want.ending == got.ending && want.rank == got.rank && want.dw == got.dw && want.dx == got.dx);
            query.limit_squared = query.limit * query.limit;
            if (a->count == 1 || b->count == 1) continue;
            cr_assert_eq(twin->walk_overlap(a, &pose_a, b, &pose_b), wide->walk_overlap(a, &pose_a, b, &pose_b));
            planar_walk_end end = twin->walk_distance(a, &pose_a, b, &pose_b, TS_PLANAR_DEPTH_NONE, &walk_want);
            cr_assert_eq(end, wide->walk_distance(a, &pose_a, b, &pose_b, TS_PLANAR_DEPTH_NONE, &walk_got));
            if (end != PLANAR_WALK_UNSURE) cr_assert(same_bits(&walk_want, &walk_got, sizeof walk_want));
        }
#endif
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}

Test(planar_exact, the_same_question_has_the_same_bits) {
    ts_rng rng = ts_rng_make(17, 0);
    for (int k = 0; k < 5000; ++k) {
        ts_planar_polygon* a = random_polygon(&rng, (planar_family)(k % FAMILY_COUNT));
        ts_planar_polygon* b = random_polygon(&rng, (planar_family)(k / 7 % FAMILY_COUNT));
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 3.0);
        ts_planar_result r, s;
        memset(&r, 0, sizeof r);
        memset(&s, 0, sizeof s);
        ts_planar_distance(a, pose_a, b, pose_b, NULL, NULL, &r);
        ts_planar_distance(a, pose_a, b, pose_b, NULL, NULL, &s);
        cr_assert(same_bits(&r, &s, sizeof r));
        // Doubling every length doubles every length of the answer, bit for bit.
        ts_planar_vec points[64];
        for (int i = 0; i < a->count; ++i) points[i] = ts_planar_vec_scale(2.0, ts_planar_polygon_vertex(a, i));
        ts_planar_polygon* a2 = built(points, a->count, 0.0);
        for (int i = 0; i < b->count; ++i) points[i] = ts_planar_vec_scale(2.0, ts_planar_polygon_vertex(b, i));
        ts_planar_polygon* b2 = built(points, b->count, 0.0);
        if (a2->count == a->count && b2->count == b->count && a2->centre.x == 2.0 * a->centre.x &&
            b2->centre.x == 2.0 * b->centre.x && a2->centre.y == 2.0 * a->centre.y &&
            b2->centre.y == 2.0 * b->centre.y) {
            pose_a.position = ts_planar_vec_scale(2.0, pose_a.position);
            pose_b.position = ts_planar_vec_scale(2.0, pose_b.position);
            ts_planar_distance(a2, pose_a, b2, pose_b, NULL, NULL, &s);
            cr_assert_eq(s.distance, 2.0 * r.distance);
            cr_assert_eq(s.normal.x, r.normal.x);
            cr_assert_eq(s.status, r.status);
        }
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
        ts_planar_polygon_free(a2);
        ts_planar_polygon_free(b2);
    }
}

Test(planar_exact, swapping_and_moving_both_changes_nothing_but_rounding) {
    ts_rng rng = ts_rng_make(19, 0);
    for (int k = 0; k < 20000; ++k) {
        ts_planar_polygon* a = random_polygon(&rng, (planar_family)(k % FAMILY_COUNT));
        ts_planar_polygon* b = random_polygon(&rng, (planar_family)(k / 7 % FAMILY_COUNT));
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 3.0), by = random_pose(&rng, 2.0);
        ts_planar_result r, s;
        ts_planar_distance(a, pose_a, b, pose_b, NULL, NULL, &r);
        ts_planar_distance(b, pose_b, a, pose_a, NULL, NULL, &s);
        cr_assert(fabs(r.distance - s.distance) <= 1e-14);
        if (r.distance > 1e-3) {
            cr_assert(fabs(r.normal.x + s.normal.x) + fabs(r.normal.y + s.normal.y) <= 1e-11);
        }
        ts_planar_distance(a, ts_planar_pose_compose(by, pose_a), b, ts_planar_pose_compose(by, pose_b), NULL, NULL,
                           &s);
        cr_assert(fabs(r.distance - s.distance) <= 1e-14);
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}

static double junk(ts_rng* rng) {
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 1e-320, 1e300, (double)INFINITY, (double)NAN, 1e-150};
    return values[ts_rng_bits(rng) % (sizeof values / sizeof values[0])];
}

Test(planar_exact, caches_cost_time_at_most) {
    ts_rng rng = ts_rng_make(23, 0);
    ts_planar_cache kept = {{0.0, 0.0}, 0, {0, 0, 0}, {0, 0, 0}}, verdict_kept = kept;
    for (int k = 0; k < 100000; ++k) {
        ts_planar_polygon* a = random_polygon(&rng, (planar_family)(k % FAMILY_COUNT));
        ts_planar_polygon* b = random_polygon(&rng, (planar_family)(k / 7 % FAMILY_COUNT));
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 3.0);
        ts_planar_options options = {(ts_planar_support_rule)(k % TS_PLANAR_SUPPORT_RULES), TS_PLANAR_DEPTH_EXACT, 0.0};
        ts_planar_result cold, warm;
        ts_planar_distance(a, pose_a, b, pose_b, &options, NULL, &cold);
        ts_planar_cache junky = {{junk(&rng), junk(&rng)}, (int)(ts_rng_bits(&rng) % 9) - 3, {0}, {0}};
        for (int i = 0; i < 3; ++i) {
            junky.simplex_a[i] = (int)(ts_rng_bits(&rng) % 60) - 20;
            junky.simplex_b[i] = (int)(ts_rng_bits(&rng) % 60) - 20;
        }
        ts_planar_cache* caches[2] = {&kept, &junky};  // of another pair, and of none
        for (int i = 0; i < 2; ++i) {
            ts_planar_distance(a, pose_a, b, pose_b, &options, caches[i], &warm);
            cr_assert(fabs(cold.distance - warm.distance) <= 2e-15 * 16, "%.17g %.17g", cold.distance, warm.distance);
            cr_assert(warm.upper - warm.lower <= 1e-13);
            // The same pair again: the simplex is right at once.
            ts_planar_distance(a, pose_a, b, pose_b, &options, caches[i], &warm);
            cr_assert(fabs(cold.distance - warm.distance) <= 2e-15 * 16);
            cr_assert(warm.support_calls <= 2 || warm.distance < 1e-9, "%d", warm.support_calls);
            ts_planar_cache* other = i ? &junky : &verdict_kept;
            ts_planar_verdict verdict = ts_planar_overlap(a, pose_a, b, pose_b, 0.0, options.support, other);
            if (fabs(cold.distance) > 1e-13)
                cr_assert_eq(verdict, cold.distance < 0.0 ? TS_PLANAR_OVERLAP : TS_PLANAR_APART);
        }
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}

Test(planar_exact, bad_poses_are_refused_and_rough_ones_put_right) {
    ts_planar_polygon *a, *b;
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(1.0, 1.0), 0.0, &a, NULL), TS_OK);
    cr_assert_eq(ts_planar_polygon_box(ts_planar_vec_make(1.0, 2.0), 0.0, &b, NULL), TS_OK);
    ts_planar_pose good = ts_planar_pose_make(5.0, 0.0, 1.0, 0.0), origin = ts_planar_pose_identity();
    double nan = (double)NAN, inf = (double)INFINITY;
    ts_planar_pose bad[] = {{{nan, 0}, {1, 0}}, {{0, inf}, {1, 0}},  {{0, 0}, {nan, 0}}, {{0, 0}, {0, 0}},
                            {{0, 0}, {2, 0}},   {{0, 1e31}, {1, 0}}, {{0, 0}, {inf, 0}}};
    for (int i = 0; i < 7; ++i)
        for (int rule = 0; rule < TS_PLANAR_SUPPORT_RULES; ++rule) {
            ts_planar_options options = {(ts_planar_support_rule)rule, TS_PLANAR_DEPTH_EXACT, 0.0};
            ts_planar_result r;
            ts_planar_distance(a, bad[i], b, good, &options, NULL, &r);
            cr_assert_eq(r.status, TS_PLANAR_INVALID_INPUT);
            ts_planar_distance(a, good, b, bad[i], &options, NULL, &r);
            cr_assert_eq(r.status, TS_PLANAR_INVALID_INPUT);
            cr_assert_eq(ts_planar_overlap(a, bad[i], b, good, 0.0, options.support, NULL), TS_PLANAR_UNKNOWN);
            cr_assert_eq(ts_planar_overlap(a, good, b, bad[i], 0.5, options.support, NULL), TS_PLANAR_UNKNOWN);
        }
    cr_assert_eq(ts_planar_overlap(a, origin, b, good, nan, TS_PLANAR_SUPPORT_AUTO, NULL), TS_PLANAR_UNKNOWN);
    ts_planar_pose rough = good;
    rough.rotation.x = 1.004;
    ts_planar_result r;
    ts_planar_distance(a, origin, b, rough, NULL, NULL, &r);
    cr_assert_float_eq(r.distance, 3.0, 1e-15);
    ts_planar_polygon_free(a);
    ts_planar_polygon_free(b);
}

Test(planar_exact, margins_agree_with_the_distance) {
    ts_rng rng = ts_rng_make(29, 0);
    for (int k = 0; k < 60000; ++k) {
        ts_planar_vec points[64];
        double radius = k % 3 ? 0.2 : 0.0;
        ts_planar_polygon* a = built(points, random_points(&rng, (planar_family)(k % FAMILY_COUNT), points), radius);
        ts_planar_polygon* b = random_polygon(&rng, (planar_family)(k / 7 % FAMILY_COUNT));
        ts_planar_pose pose_a = random_pose(&rng, 1.0), pose_b = random_pose(&rng, 3.0);
        ts_planar_result r;
        ts_planar_distance(a, pose_a, b, pose_b, NULL, NULL, &r);
        static const double off[] = {1e-9, -1e-9, 0.1, -0.1, 1e-13, -1e-13};
        double margin = r.distance + off[k % 6];
        ts_planar_cache cache = {{0.0, 0.0}, 0, {0, 0, 0}, {0, 0, 0}};
        for (int rule = 0; rule <= TS_PLANAR_SUPPORT_RULES; ++rule) {
            ts_planar_verdict verdict = ts_planar_overlap(a, pose_a, b, pose_b, margin,
                                                          (ts_planar_support_rule)(rule % TS_PLANAR_SUPPORT_RULES),
                                                          rule == TS_PLANAR_SUPPORT_RULES ? &cache : NULL);
            // A margin cannot shrink the cores.
            int overlap = margin >= -radius ? margin >= r.distance : r.distance <= -radius;
            cr_assert_eq(verdict, overlap ? TS_PLANAR_OVERLAP : TS_PLANAR_APART, "%d %d: %.17g at margin %.17g", k,
                         rule, r.distance, margin);
        }
        ts_planar_options options = {(ts_planar_support_rule)(k % TS_PLANAR_SUPPORT_RULES), TS_PLANAR_DEPTH_EXACT, 0.3};
        ts_planar_result early;
        ts_planar_distance(a, pose_a, b, pose_b, &options, NULL, &early);
        cr_assert(early.lower <= r.distance + 1e-14 && early.upper >= r.distance - 1e-14);
        if (early.status == TS_PLANAR_SEPARATED_EARLY) cr_assert(early.lower >= 0.3 - 1e-14);
        if (r.distance < 0.299) cr_assert(fabs(early.distance - r.distance) <= 1e-14);
        ts_planar_polygon_free(a);
        ts_planar_polygon_free(b);
    }
}
