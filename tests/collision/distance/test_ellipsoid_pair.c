// Ellipsoid pairs against what shares nothing with them: sampled directions, the secular equation of a point and an
// ellipsoid in extended precision, spheres, and certificates recomputed from supports.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/ellipsoid_pair_internal.h"
#include "collision/shape/support.h"

static int ask(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 previous,
               double give_up_distance, ts_proximity* out) {
    double scale;
    ts_proximity_reset(out);
    return ts_ellipsoid_pair_query(&(ts_shape_pair){a, b, *pose}, previous, give_up_distance, out, &scale);
}

static double gap_along(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    return ts_vec3_dot(n, ts_vec3_sub(ts_transform_point(pose, sb), sa));
}

static ts_shape random_ellipsoid(ts_rng* rng) {
    double x = ts_rng_uniform_in(rng, 0.02, 0.5), y = ts_rng_uniform_in(rng, 0.02, 0.5);
    return ts_shape_ellipsoid(ts_vec3_make(x, y, ts_rng_uniform_in(rng, 0.02, 0.5)));
}

// Bounds in order, a unit normal that attains the lower one, and points of the shapes that differ by what the bounds say.
static void check_certificate(const ts_shape* a, const ts_shape* b, const ts_transform* pose, const ts_proximity* r) {
    double rounding = 1e-14 * (ts_vec3_max_abs(a->half) + ts_vec3_max_abs(b->half) + ts_vec3_norm(pose->p));
    cr_assert_leq(r->found.lower, r->found.upper);
    cr_assert_float_eq(ts_vec3_norm(r->found.normal), 1.0, 1e-14);
    cr_assert_float_eq(gap_along(a, b, pose, r->found.normal), r->found.lower, rounding);
    if (a->kind == TS_SHAPE_ELLIPSOID) cr_assert_leq(fabs(outside(a, r->found.point_a)), rounding);
    if (b->kind == TS_SHAPE_ELLIPSOID)
        cr_assert_leq(fabs(outside(b, ts_transform_point_inverse(pose, r->found.point_b))), rounding);
    if (r->status == TS_PROXIMITY_SEPARATED)
        cr_assert_float_eq(ts_vec3_distance(r->found.point_a, r->found.point_b), r->found.upper, rounding);
}

// The distance of a point from an ellipsoid, from the secular equation sum (h_i c_i / (h_i^2 + m))^2 = 1 bisected in
// extended precision; negative inside.
static long double secular_distance(ts_vec3 h, ts_vec3 c) {
    const long double hh[3] = {h.x, h.y, h.z}, cc[3] = {c.x, c.y, c.z};
    long double least = hh[0], reach = 0.0L;
    for (int i = 0; i < 3; ++i) {
        least = hh[i] < least ? hh[i] : least;
        reach += fabsl(hh[i] * cc[i]) + hh[i] * hh[i];
    }
    long double low = -least * least, high = reach;
    for (int k = 0; k < 200; ++k) {
        long double m = 0.5L * (low + high), sum = 0.0L;
        for (int i = 0; i < 3; ++i) {
            long double q = hh[i] * cc[i] / (hh[i] * hh[i] + m);
            sum += q * q;
        }
        if (sum > 1.0L)
            low = m;
        else
            high = m;
    }
    long double m = 0.5L * (low + high), squared = 0.0L;
    for (int i = 0; i < 3; ++i) {
        long double q = m * cc[i] / (hh[i] * hh[i] + m);
        squared += q * q;
    }
    return m < 0.0L ? -sqrtl(squared) : sqrtl(squared);
}

Test(ellipsoid_pair, a_point_is_where_the_secular_equation_says) {
    ts_rng rng = ts_rng_make(701, 0);
    int inside = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        ts_shape e = random_ellipsoid(&rng), point = ts_shape_sphere(0.1);
        ts_transform pose = random_pose(&rng, trial % 2 ? 0.8 : 0.15);
        // The sphere is B at the origin of its frame; the ellipsoid is A.
        long double expected = secular_distance(e.half, pose.p);
        ts_proximity r;
        if (!ask(&e, &point, &pose, ts_vec3_zero(), (double)INFINITY, &r)) continue;
        check_certificate(&e, &point, &pose, &r);
        cr_assert_leq(r.found.lower, (double)expected + 1e-14);
        cr_assert_geq(r.found.upper, (double)expected - 1e-14);
        if (r.epa_iterations == 0) {
            cr_assert_float_eq(r.found.lower, (double)expected, 2e-15, "trial %d: %.17g, not %.17g", trial,
                               r.found.lower, (double)expected);
            inside += expected < 0.0L;
        }
        // The same pair the other way round.
        ts_transform same = ts_transform_identity(), back = ts_transform_relative(&pose, &same);
        ts_proximity s;
        cr_assert(ask(&point, &e, &back, ts_vec3_zero(), (double)INFINITY, &s));
        if (r.epa_iterations == 0 && s.epa_iterations == 0) cr_assert_float_eq(s.found.lower, r.found.lower, 1e-14);
    }
    cr_expect_gt(inside, 200);
}

Test(ellipsoid_pair, no_sampled_direction_does_better) {
    ts_rng rng = ts_rng_make(702, 0);
    int proved = 0, overlapping = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        ts_shape a = random_ellipsoid(&rng), b = random_ellipsoid(&rng);
        ts_transform pose = random_pose(&rng, 0.45);
        ts_proximity r;
        if (!ask(&a, &b, &pose, ts_vec3_zero(), (double)INFINITY, &r)) continue;
        check_certificate(&a, &b, &pose, &r);
        if (r.status == TS_PROXIMITY_PENETRATING) {
            ++overlapping;
            proved += r.epa_iterations == 0;
        }
        // Sampled directions, each improved by a crude local search.
        for (int k = 0; k < 40; ++k) {
            ts_vec3 n = random_unit(&rng);
            double gap = gap_along(&a, &b, &pose, n);
            for (double size = 0.5; size > 1e-5; size *= 0.7) {
                ts_vec3 m = ts_vec3_unit_or(ts_vec3_add_scaled(n, size, random_unit(&rng)), n);
                double other = gap_along(&a, &b, &pose, m);
                if (other > gap) {
                    gap = other;
                    n = m;
                }
            }
            cr_assert_leq(gap, r.found.upper + 1e-14, "trial %d: %.17g above %.17g", trial, gap, r.found.upper);
        }
    }
    cr_expect_gt(overlapping, 800);
    cr_expect_gt(proved, overlapping / 3);
}

Test(ellipsoid_pair, exact_touch_and_its_neighbourhood) {
    // Two ellipsoids made to touch at a chosen point: equal and opposite normals there.
    ts_rng rng = ts_rng_make(703, 0);
    const double offsets[7] = {0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9};
    for (int trial = 0; trial < 7000; ++trial) {
        ts_shape a = random_ellipsoid(&rng), b = random_ellipsoid(&rng);
        ts_transform pose = random_pose(&rng, 0.0);
        ts_vec3 n = random_unit(&rng);
        ts_vec3 sa = ts_support_core(&a, n, -1).point;
        ts_vec3 sb = ts_support_core(&b, ts_transform_direction_inverse(&pose, ts_vec3_neg(n)), -1).point;
        double offset = offsets[trial % 7];
        pose.p = ts_vec3_add_scaled(ts_vec3_sub(sa, ts_transform_direction(&pose, sb)), offset, n);
        ts_proximity r;
        cr_assert(ask(&a, &b, &pose, ts_vec3_zero(), (double)INFINITY, &r), "trial %d", trial);
        check_certificate(&a, &b, &pose, &r);
        cr_assert_float_eq(r.found.lower, offset, 1e-15, "trial %d: %.17g", trial, r.found.lower);
        cr_assert_float_eq(r.found.upper, offset, 1e-15, "trial %d: %.17g", trial, r.found.upper);
        cr_assert_eq(r.epa_iterations, 0);
    }
}

Test(ellipsoid_pair, spheres_in_disguise_sizes_and_needles) {
    ts_rng rng = ts_rng_make(704, 0);
    const double scales[4] = {1.0, 1e-6, 1e6, 1e-30};
    for (int trial = 0; trial < 2000; ++trial) {
        double s = scales[trial % 4], ra = s * ts_rng_uniform_in(&rng, 0.1, 1.0),
               rb = s * ts_rng_uniform_in(&rng, 0.1, 1.0);
        ts_shape a = ts_shape_ellipsoid(ts_vec3_make(ra, ra, ra)), b = ts_shape_ellipsoid(ts_vec3_make(rb, rb, rb));
        ts_transform pose = random_pose(&rng, s);
        ts_proximity r;
        cr_assert(ask(&a, &b, &pose, ts_vec3_zero(), (double)INFINITY, &r));
        double expected = ts_vec3_norm(pose.p) - ra - rb;
        cr_assert_float_eq(r.found.lower / s, expected / s, 1e-14);
        cr_assert_float_eq(r.found.upper / s, expected / s, 1e-14);
    }
    // Aspect ratios up to a million: an answer must be bracketed and attained.
    int answered = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        double thin = trial % 3 == 0 ? 1e-6 : (trial % 3 == 1 ? 1e-4 : 1e-2);
        ts_shape a = ts_shape_ellipsoid(ts_vec3_make(1.0, trial % 2 ? thin : 0.7, thin));
        ts_shape b = ts_shape_ellipsoid(ts_vec3_make(0.8, thin, trial % 5 ? 0.5 : thin));
        ts_transform pose = random_pose(&rng, 2.0);
        ts_proximity r;
        if (!ask(&a, &b, &pose, ts_vec3_zero(), (double)INFINITY, &r)) continue;
        ++answered;
        cr_assert_leq(r.found.lower, r.found.upper);
        cr_assert_float_eq(gap_along(&a, &b, &pose, r.found.normal), r.found.lower, 1e-13);
        for (int k = 0; k < 50; ++k) cr_assert_leq(gap_along(&a, &b, &pose, random_unit(&rng)), r.found.upper + 1e-13);
    }
    cr_expect_gt(answered, 3000);
}

Test(ellipsoid_pair, the_search_may_start_anywhere) {
    ts_rng rng = ts_rng_make(705, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = random_ellipsoid(&rng), b = random_ellipsoid(&rng);
        ts_transform pose = random_pose(&rng, 1.5);
        ts_proximity cold, warm;
        if (!ask(&a, &b, &pose, ts_vec3_zero(), (double)INFINITY, &cold)) continue;
        ts_vec3 start = trial % 2 ? random_unit(&rng) : cold.found.normal;
        if (trial % 10 == 9) start = ts_vec3_make((double)NAN, 0.0, 1.0);
        if (!ask(&a, &b, &pose, start, (double)INFINITY, &warm)) continue;
        if (cold.epa_iterations || warm.epa_iterations) continue;
        cr_assert_float_eq(warm.found.lower, cold.found.lower, 1e-14, "trial %d", trial);
        if (trial % 10 == 0) cr_assert_leq(warm.sqp_iterations, 1);
    }
}

Test(ellipsoid_pair, what_cannot_be_answered_is_left_alone) {
    ts_shape a = ts_shape_ellipsoid(ts_vec3_make(1.0, 0.5, 0.7)),
             tiny = ts_shape_ellipsoid(ts_vec3_make(1e-60, 1e-60, 1e-60));
    ts_proximity r;
    ts_transform same = at(0.0, 0.0, 0.0), broken = at((double)NAN, 0.0, 0.0);
    cr_expect_not(ask(&a, &a, &same, ts_vec3_zero(), (double)INFINITY, &r));
    cr_expect_not(ask(&a, &a, &broken, ts_vec3_zero(), (double)INFINITY, &r));
    cr_expect_not(ask(&tiny, &tiny, &same, ts_vec3_zero(), (double)INFINITY, &r));
    ts_transform far = at(5.0, 0.0, 0.0);
    cr_expect(ask(&a, &a, &far, ts_vec3_zero(), 1.0, &r));
    cr_expect_eq(r.status, TS_PROXIMITY_SEPARATED_EARLY);
    cr_expect_geq(r.found.lower, 1.0);
    cr_expect_leq(r.found.lower, 3.0);
    cr_expect_geq(r.found.upper, 3.0 - 1e-15);
}
