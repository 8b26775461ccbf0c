// Incremental depth on hard pairs: sizes over seven decades, aspect ratios to a million, gaps from deep to none, starts
// and portals that are stale or nonsense. It ends, within its caps, says nothing that is not a number, and its bounds hold
// when recomputed in extended precision.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/penetration/penetration.h"

#include <float.h>

static const ts_shape_kind KIND[] = {TS_SHAPE_SPHERE, TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID, TS_SHAPE_CYLINDER,
                                     TS_SHAPE_BOX,    TS_SHAPE_CONE,    TS_SHAPE_HULL};
enum { KINDS = sizeof KIND / sizeof KIND[0], HULLS = 6 };

static double decade(ts_rng* rng, double low, double high) { return pow(10.0, ts_rng_uniform_in(rng, low, high)); }

// A shape of about `size`, thin along some axes.
static ts_shape hard_shape(ts_rng* rng, ts_shape_kind kind, double size, ts_hull* const* hulls) {
    double thin = ts_rng_uniform(rng) < 0.5 ? 1.0 : decade(rng, -6.0, 0.0);
    double a = size, b = size * thin, c = ts_rng_uniform(rng) < 0.5 ? a : b;
    switch (kind) {
    case TS_SHAPE_SPHERE: return ts_shape_sphere(a);
    case TS_SHAPE_CAPSULE: return c < a ? ts_shape_capsule(b, a) : ts_shape_capsule(a, b);
    case TS_SHAPE_ELLIPSOID: return ts_shape_ellipsoid(ts_vec3_make(a, b, c));
    case TS_SHAPE_CYLINDER: return c < a ? ts_shape_cylinder(b, a) : ts_shape_cylinder(a, b);
    case TS_SHAPE_BOX: return ts_shape_rounded(ts_shape_box(ts_vec3_make(c, a, b)), 0.1 * b);
    case TS_SHAPE_CONE: return c < a ? ts_shape_cone(b, a) : ts_shape_cone(a, b);
    default: return ts_shape_hull(hulls[(int)(ts_rng_uniform(rng) * HULLS)]);
    }
}

static long double wide_value(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n, int rounded) {
    ts_vec3 against = ts_transform_direction_inverse(pose, ts_vec3_neg(n));
    wide3 sa = wide(ts_support_core(a, n, -1).point), sb = wide(ts_support_core(b, against, -1).point);
    wide3 axis[3], p = wide(pose->p);
    for (int j = 0; j < 3; ++j) axis[j] = wide(ts_vec3_make(pose->R.m[0][j], pose->R.m[1][j], pose->R.m[2][j]));
    p.x += axis[0].x * sb.x + axis[1].x * sb.y + axis[2].x * sb.z;
    p.y += axis[0].y * sb.x + axis[1].y * sb.y + axis[2].y * sb.z;
    p.z += axis[0].z * sb.x + axis[1].z * sb.y + axis[2].z * sb.z;
    long double value = wide_dot(wide(n), wide_sub(sa, p));
    return rounded ? value + (long double)a->radius + (long double)b->radius : value;
}

// A pose with A - B's surface at about `depth` along a random direction.
static ts_transform hard_pose(ts_rng* rng, const ts_shape* a, const ts_shape* b, double size, int rounded) {
    static const double part[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1.0};
    ts_transform pose;
    pose.R =
        ts_rng_uniform(rng) < 0.2 ? turn((int)(ts_rng_uniform(rng) * 3.0), 1.5707963267948966) : random_rotation(rng);
    pose.p = ts_vec3_zero();
    ts_vec3 n = ts_rng_uniform(rng) < 0.3 ? ts_vec3_axis((int)(ts_rng_uniform(rng) * 3.0)) : random_unit(rng);
    double width = (double)wide_value(a, b, &pose, n, rounded);
    double depth = part[(int)(ts_rng_uniform(rng) * 8.0)] * size;
    if (ts_rng_uniform(rng) < 0.2) depth = -depth;
    pose.p = ts_vec3_scale(width - depth, n);
    return pose;
}

static ts_vec3 hard_start(ts_rng* rng, ts_vec3 last) {
    switch ((int)(ts_rng_uniform(rng) * 6.0)) {
    case 0: return ts_vec3_zero();
    case 1: return ts_vec3_make(NAN, 0.0, (double)INFINITY);
    case 2: return last;
    case 3: return ts_vec3_axis((int)(ts_rng_uniform(rng) * 3.0));
    case 4: return ts_vec3_scale(decade(rng, -200.0, 200.0), random_unit(rng));
    default: return random_unit(rng);
    }
}

static void fuzz(uint64_t seed, int cases) {
    ts_rng rng = ts_rng_make(seed, 0);
    ts_hull* hulls[HULLS];
    for (int i = 0; i < HULLS; ++i) {
        double thin = i < 3 ? 1.0 : decade(&rng, -4.0, 0.0);
        hulls[i] = random_hull(&rng, 8 + 40 * i, ts_vec3_make(1.0, thin, i & 1 ? 1.0 : thin));
    }
    int tally[TS_PENETRATION_STATUS_COUNT] = {0};
    ts_vec3 last = ts_vec3_zero();
    for (int i = 0; i < cases; ++i) {
        double size = decade(&rng, -4.0, 3.0);
        ts_shape a = hard_shape(&rng, KIND[i % KINDS], size, hulls);
        ts_shape b = hard_shape(&rng, KIND[i / KINDS % KINDS], size * decade(&rng, -1.0, 1.0), hulls);
        ts_penetration_settings settings = ts_penetration_settings_default();
        int rounded = ts_rng_uniform(&rng) < 0.5;
        settings.rounding = rounded ? TS_PENETRATION_ROUNDED : TS_PENETRATION_CORES;
        settings.pace = (ts_penetration_pace)(ts_rng_uniform(&rng) < 0.5);
        settings.shortcut = (ts_penetration_shortcut)(ts_rng_uniform(&rng) < 0.3);
        settings.start = (ts_penetration_start)(ts_rng_uniform(&rng) < 0.5);
        if (ts_rng_uniform(&rng) < 0.3) settings.relative_tolerance = decade(&rng, -18.0, -2.0);
        ts_transform pose = hard_pose(&rng, &a, &b, size, rounded);
        ts_penetration_portal portal = {0};
        ts_penetration_result r;
        ts_vec3 start = hard_start(&rng, last);
        for (int again = 0; again < 2; ++again) {
            ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, start, &settings, &portal, &r);
            ++tally[r.status];
            cr_assert_neq(r.status, TS_PENETRATION_INVALID_INPUT, "case %d", i);
            cr_assert(isfinite(r.found.lower) && !isnan(r.found.upper) && isfinite(r.depth_ray), "case %d", i);
            cr_assert(ts_vec3_is_finite(r.found.normal) && ts_vec3_is_finite(r.found.point_a) &&
                          ts_vec3_is_finite(r.found.point_b),
                      "case %d", i);
            cr_assert_float_eq(ts_vec3_norm(r.found.normal), 1.0, 1e-14, "case %d", i);
            double slack = 64.0 * DBL_EPSILON * (r.scale + ts_vec3_norm(pose.p));
            double value = (double)wide_value(&a, &b, &pose, r.found.normal, rounded);
            cr_assert(fabs(-r.found.lower - value) <= slack, "case %d: %.17g, not %.17g", i, -r.found.lower, value);
            // Overlap proven and separation proven exclude each other, whichever way either was found.
            if (r.found.upper == 0.0) cr_assert_geq(value, -slack, "case %d: overlapping, yet separated", i);
            cr_assert_leq(r.outer, settings.outer_limit, "case %d", i);
            // The next time with the portal of this one, of a pose that has moved, sometimes far.
            start = hard_start(&rng, r.found.normal);
            pose.p = ts_vec3_add_scaled(pose.p, size * decade(&rng, -9.0, 0.0), random_unit(&rng));
            if (ts_rng_uniform(&rng) < 0.05) portal.point_a[1].x = NAN;
        }
        last = r.found.normal;
    }
    cr_log_info("%d converged, %d stationary, %d touching, %d apart, %d at a limit", tally[0], tally[1], tally[2],
                tally[3], tally[4]);
    // Only tolerances that no arithmetic can reach on pairs a million times as long as wide may run into the caps.
    cr_expect_lt(tally[TS_PENETRATION_LIMIT], cases / 20, "%d of %d", tally[TS_PENETRATION_LIMIT], cases);
    for (int i = 0; i < HULLS; ++i) ts_hull_free(hulls[i]);
}

Test(penetration_fuzz, hard_pairs_first_seed) { fuzz(11, 60000); }

Test(penetration_fuzz, hard_pairs_second_seed) { fuzz(12, 60000); }

static ts_shape ordinary_shape(ts_rng* rng, ts_shape_kind kind, const ts_hull* hull) {
    if (kind == TS_SHAPE_CONE) return ts_shape_cone(ts_rng_uniform_in(rng, 0.3, 1.0), ts_rng_uniform_in(rng, 0.3, 1.0));
    return random_shape(rng, kind, 1.0, hull);
}

// Ordinary pairs at the default tolerance never meet a cap.
Test(penetration_fuzz, ordinary_pairs_meet_no_cap) {
    ts_rng rng = ts_rng_make(13, 0);
    ts_hull* hull = random_hull(&rng, 100, ts_vec3_make(0.8, 0.7, 0.5));
    int tally[TS_PENETRATION_STATUS_COUNT] = {0};
    for (int i = 0; i < 60000; ++i) {
        ts_shape a = ordinary_shape(&rng, KIND[i % KINDS], hull);
        ts_shape b = ordinary_shape(&rng, KIND[i / KINDS % KINDS], hull);
        ts_transform pose = random_pose(&rng, 0.8);
        ts_penetration_settings settings = ts_penetration_settings_default();
        settings.rounding = i & 1 ? TS_PENETRATION_ROUNDED : TS_PENETRATION_CORES;
        ts_penetration_result r;
        ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, i & 2 ? random_unit(&rng) : ts_vec3_zero(),
                                   &settings, 0, &r);
        ++tally[r.status];
    }
    cr_log_info("%d converged, %d stationary, %d touching, %d apart, %d at a limit", tally[0], tally[1], tally[2],
                tally[3], tally[4]);
    cr_assert_eq(tally[TS_PENETRATION_LIMIT], 0);
    cr_assert_lt(tally[TS_PENETRATION_STATIONARY], 60);
    ts_hull_free(hull);
}
