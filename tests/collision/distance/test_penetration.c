// Incremental penetration depth against closed forms, certificates recomputed from supports, and directions sampled all
// over the sphere.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/penetration/epa_internal.h"
#include "collision/distance/penetration/penetration.h"

#include <float.h>

static const double DEGREE = 3.14159265358979 / 180.0;

// The support value of D = A - B along a unit direction, from the shapes' own supports.
static double value_along(const ts_shape* a, const ts_shape* b, const ts_transform* pose, ts_vec3 n, int rounded) {
    ts_vec3 sa = ts_support_core(a, n, -1).point;
    ts_vec3 sb = ts_support_core(b, ts_transform_direction_inverse(pose, ts_vec3_neg(n)), -1).point;
    double value = ts_vec3_dot(n, ts_vec3_sub(sa, ts_transform_point(pose, sb)));
    return rounded ? value + a->radius + b->radius : value;
}

// A shape's core: nothing left of the ball but what `outside` needs.
static ts_shape core_of(const ts_shape* s, int rounded) {
    ts_shape core = *s;
    if (!rounded && core.radius > 0.0) core.radius = 1e-300;
    return core;
}

// What must be so whatever the status.
static void check_certificate(const ts_shape* a, const ts_shape* b, const ts_transform* pose, int rounded,
                              const ts_penetration_result* r) {
    const char* names[2] = {ts_shape_kind_name(a->kind), ts_shape_kind_name(b->kind)};
    cr_assert(isfinite(r->found.lower) && isfinite(r->scale), "%s-%s", names[0], names[1]);
    cr_assert_float_eq(ts_vec3_norm(r->found.normal), 1.0, 1e-14);
    cr_assert_float_eq(value_along(a, b, pose, r->found.normal, rounded), -r->found.lower,
                       32.0 * DBL_EPSILON * r->scale, "%s-%s: the normal does not attain the depth", names[0],
                       names[1]);
    ts_vec3 gap =
        ts_vec3_sub(ts_vec3_sub(r->found.point_a, r->found.point_b), ts_vec3_scale(-r->found.lower, r->found.normal));
    cr_assert_leq(ts_vec3_norm(gap), 16.0 * DBL_EPSILON * (r->scale + ts_vec3_norm(pose->p)));
    if (r->status != TS_PENETRATION_SEPARATED) cr_assert_leq(-r->found.upper, -r->found.lower + 16e-16 * r->scale);
}

static ts_vec3 tilted(ts_rng* rng, ts_vec3 n, double angle) {
    ts_vec3 side = ts_vec3_unit_or(ts_vec3_cross(n, random_unit(rng)), ts_vec3_axis(0));
    return ts_vec3_add_scaled(ts_vec3_scale(cos(angle), n), sin(angle), side);
}

// --- balls and capsules, whole ------------------------------------------------------------------------------------------

// The point of the segment c +- h u nearest to p.
static ts_vec3 nearest_on(ts_vec3 c, ts_vec3 u, double h, ts_vec3 p) {
    double s = ts_vec3_dot(u, ts_vec3_sub(p, c));
    return ts_vec3_add_scaled(c, s < -h ? -h : (s > h ? h : s), u);
}

// From the nearest point of A's axis to that of B's: both interior, or one of them an end.
static ts_vec3 between_axes(const ts_shape* a, const ts_shape* b, const ts_transform* pose) {
    ts_vec3 ua = ts_vec3_axis(2), ub = ts_transform_direction(pose, ts_vec3_axis(2)), zero = ts_vec3_zero();
    double ha = a->half.z, hb = b->half.z, best = 1e300;
    ts_vec3 answer = zero;
    for (int i = 0; i < 5; ++i) {
        ts_vec3 pa, pb;
        if (i < 2) {
            pa = ts_vec3_scale(i ? ha : -ha, ua);
            pb = nearest_on(pose->p, ub, hb, pa);
        } else if (i < 4) {
            pb = ts_vec3_add_scaled(pose->p, i == 3 ? hb : -hb, ub);
            pa = nearest_on(zero, ua, ha, pb);
        } else {
            double c = ts_vec3_dot(ua, ub), det = 1.0 - c * c;
            if (det < 1e-9) continue;
            double s = (ts_vec3_dot(ua, pose->p) - c * ts_vec3_dot(ub, pose->p)) / det;
            if (fabs(s) > ha) continue;
            pa = ts_vec3_scale(s, ua);
            pb = nearest_on(pose->p, ub, hb, pa);
        }
        ts_vec3 d = ts_vec3_sub(pb, pa);
        if (ts_vec3_norm(d) < best) {
            best = ts_vec3_norm(d);
            answer = d;
        }
    }
    return answer;
}

typedef struct round_tally {
    double mean, worst;  // m
    double supports;
    int outer, inner;
} round_tally;

// Pairs of one metre, overlapping by less than their radii, searched from a normal that is off by `angle`.
static round_tally measure_round(ts_shape a, ts_shape b, double angle, ts_penetration_pace pace,
                                 ts_penetration_shortcut shortcut, int count) {
    ts_rng rng = ts_rng_make(1, 0);
    round_tally tally = {0.0, 0.0, 0.0, 0, 0};
    for (int i = 0; i < count;) {
        ts_transform pose = random_pose(&rng, 1.2);
        ts_vec3 d = between_axes(&a, &b, &pose);
        double size = ts_vec3_norm(d), truth = a.radius + b.radius - size;
        ts_vec3 n = tilted(&rng, ts_vec3_unit_or(d, ts_vec3_axis(0)), angle);
        if (size < 0.02 || truth <= 0.0) continue;
        ++i;
        ts_penetration_settings settings = ts_penetration_settings_default();
        settings.rounding = TS_PENETRATION_ROUNDED;
        settings.relative_tolerance = 0.0;
        settings.tolerance = 1e-6;
        settings.pace = pace;
        settings.shortcut = shortcut;
        ts_penetration_result r;
        ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, n, &settings, 0, &r);
        check_certificate(&a, &b, &pose, 1, &r);
        cr_assert_eq(r.status, TS_PENETRATION_CONVERGED, "%s after %d rays", ts_penetration_status_name(r.status),
                     r.outer);
        cr_assert_geq(-r.found.lower, truth - 1e-14, "too shallow");
        cr_assert_eq(r.found.upper, 0.0);
        if (pace == TS_PENETRATION_PACE_CURVED) cr_assert_leq(r.depth_ray, -r.found.lower + 2.5 * settings.tolerance);
        double error = -r.found.lower - truth;
        tally.mean += error / count;
        tally.supports += (double)r.support_calls / count;
        if (error > tally.worst) tally.worst = error;
        if (r.outer > tally.outer) tally.outer = r.outer;
        if (r.inner > tally.inner) tally.inner = r.inner;
    }
    return tally;
}

// The paper reports mean errors of 0.9 to 1.3 micrometres at this tolerance, whatever the start.
Test(penetration, balls_and_capsules_to_a_micrometre) {
    ts_shape ball = ts_shape_sphere(0.5), capsule = ts_shape_capsule(0.5, 0.5);
    ts_shape pair[3][2] = {{ball, ball}, {capsule, capsule}, {ball, capsule}};
    double angle[3] = {5.0, 25.0, 45.0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            for (int pace = 0; pace < 2; ++pace) {
                round_tally t = measure_round(pair[k][0], pair[k][1], angle[i] * DEGREE, (ts_penetration_pace)pace,
                                              TS_PENETRATION_SHORTCUT, 300);
                cr_expect_lt(t.mean, 1.5e-6, "pair %d, %g degrees: mean error %g", k, angle[i], t.mean);
                cr_expect_lt(t.worst, 3e-4, "pair %d, %g degrees: worst error %g", k, angle[i], t.worst);
                cr_log_info("pair %d, %2.0f degrees, pace %d: %.3f um, %.1f supports, at most %d rays", k, angle[i],
                            pace, 1e6 * t.mean, t.supports, t.outer);
            }
}

// At the published pace the shortcut saves about half of the supports.
Test(penetration, the_shortcut_saves_supports) {
    ts_shape capsule = ts_shape_capsule(0.5, 0.5), ball = ts_shape_sphere(0.5);
    for (int k = 0; k < 2; ++k) {
        ts_shape a = k ? capsule : ball;
        round_tally with =
            measure_round(a, ball, 45.0 * DEGREE, TS_PENETRATION_PACE_PAPER, TS_PENETRATION_SHORTCUT, 300);
        round_tally without =
            measure_round(a, ball, 45.0 * DEGREE, TS_PENETRATION_PACE_PAPER, TS_PENETRATION_NO_SHORTCUT, 300);
        cr_expect_lt(with.supports, 0.75 * without.supports, "%.1f of %.1f", with.supports, without.supports);
        cr_expect_lt(with.supports, 75.0);
    }
}

// --- maxima and saddles ---------------------------------------------------------------------------------------------------

Test(penetration, leaves_the_long_axis_of_concentric_ellipsoids) {
    ts_shape a = ts_shape_ellipsoid(ts_vec3_make(1.0, 0.5, 0.25));
    ts_shape b = ts_shape_ellipsoid(ts_vec3_make(0.5, 0.25, 0.125));
    ts_transform pose = ts_transform_identity();
    ts_rng rng = ts_rng_make(2, 0);
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < 20; ++i)
            for (int pace = 0; pace < 2; ++pace) {
                ts_penetration_settings settings = ts_penetration_settings_default();
                settings.pace = (ts_penetration_pace)pace;
                ts_vec3 n = tilted(&rng, ts_vec3_axis(axis), i ? 1e-7 * (1 << i) : 0.0);
                ts_penetration_result r;
                ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, n, &settings, 0, &r);
                check_certificate(&a, &b, &pose, 0, &r);
                cr_assert_eq(r.status, TS_PENETRATION_CONVERGED);
                cr_assert_float_eq(-r.found.lower, 0.375, 1e-5, "axis %d, start %d: %g", axis, i, -r.found.lower);
            }
}

Test(penetration, leaves_the_diagonal_of_cubes) {
    ts_shape a = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5)), b = ts_shape_box(ts_vec3_make(0.125, 0.125, 0.125));
    ts_transform pose = at(0.4, 0.4, 0.4);
    ts_penetration_result r;
    ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, ts_vec3_make(1.0, 1.0, 1.0), 0, 0, &r);
    check_certificate(&a, &b, &pose, 0, &r);
    cr_assert_float_eq(-r.found.lower, 0.225, 1e-6, "%s %g", ts_penetration_status_name(r.status), -r.found.lower);
}

// --- all shapes, certificates ---------------------------------------------------------------------------------------------

static const ts_shape_kind KIND[] = {TS_SHAPE_SPHERE,   TS_SHAPE_CAPSULE, TS_SHAPE_ELLIPSOID,
                                     TS_SHAPE_CYLINDER, TS_SHAPE_BOX,     TS_SHAPE_HULL};
enum { KINDS = sizeof KIND / sizeof KIND[0] };

Test(penetration, every_pair_of_kinds_tells_the_truth) {
    ts_rng rng = ts_rng_make(3, 0);
    ts_hull* hull = random_hull(&rng, 60, ts_vec3_make(0.9, 0.6, 0.5));
    int overlapping = 0, apart = 0;
    for (int i = 0; i < 6000; ++i) {
        ts_shape a = random_shape(&rng, KIND[i % KINDS], 1.0, hull);
        ts_shape b = random_shape(&rng, KIND[i / KINDS % KINDS], 1.0, hull);
        ts_transform pose = random_pose(&rng, 1.0);
        ts_penetration_settings settings = ts_penetration_settings_default();
        settings.rounding = i & 1 ? TS_PENETRATION_ROUNDED : TS_PENETRATION_CORES;
        settings.pace = i & 2 ? TS_PENETRATION_PACE_PAPER : TS_PENETRATION_PACE_CURVED;
        ts_vec3 n = i & 4 ? random_unit(&rng) : ts_vec3_zero();
        ts_penetration_result r;
        ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, n, &settings, 0, &r);
        check_certificate(&a, &b, &pose, i & 1, &r);
        cr_assert_neq(r.status, TS_PENETRATION_INVALID_INPUT);
        ts_gjk_settings standard = ts_gjk_settings_default();
        ts_gjk_result gjk;
        ts_gjk_distance(&(ts_shape_pair){&a, &b, pose}, &standard, 0, &gjk);
        double gap = gjk.found.lower - (i & 1 ? a.radius + b.radius : 0.0);
        if (gap > 1e-9) {
            cr_assert_neq(r.found.upper, 0.0, "%s-%s: proven to overlap, yet %g apart", ts_shape_kind_name(a.kind),
                          ts_shape_kind_name(b.kind), gap);
            apart += r.status == TS_PENETRATION_SEPARATED;
        } else if (r.status == TS_PENETRATION_CONVERGED && ts_vec3_dot(r.ray, r.found.normal) > 0.9999) {
            ts_shape ca = core_of(&a, i & 1), cb = core_of(&b, i & 1);
            cr_assert_leq(outside(&ca, r.found.point_a), 0.02, "%s-%s", ts_shape_kind_name(a.kind),
                          ts_shape_kind_name(b.kind));
            cr_assert_leq(outside(&cb, ts_transform_point_inverse(&pose, r.found.point_b)), 0.02);
            ++overlapping;
        }
    }
    cr_assert_gt(overlapping, 1000);
    cr_assert_gt(apart, 1000);
    ts_hull_free(hull);
}

// --- statuses -------------------------------------------------------------------------------------------------------------

Test(penetration, says_what_happened_by_name) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), ball = ts_shape_sphere(0.5);
    ts_penetration_result r;
    ts_transform pose = at(2.0, 0.25, 0.0);
    ts_penetration_incremental(&(ts_shape_pair){&box, &box, pose}, ts_vec3_axis(0), 0, 0, &r);
    cr_assert_eq(r.status, TS_PENETRATION_TOUCHING);
    cr_assert_float_eq(-r.found.lower, 0.0, 1e-15);
    pose = at(3.0, 0.25, 0.0);
    for (int i = 0; i < 3; ++i) {
        ts_penetration_incremental(&(ts_shape_pair){&box, &box, pose}, ts_vec3_axis(i), 0, 0, &r);
        cr_assert_eq(r.status, TS_PENETRATION_SEPARATED, "from axis %d", i);
        cr_assert(-r.found.lower < 0.0 && -r.found.lower >= -1.0 - 1e-15, "%g", -r.found.lower);
        cr_assert_eq(r.found.upper, (double)INFINITY);
    }
    // A ray that runs through B from behind: no overlap either.
    ts_penetration_incremental(&(ts_shape_pair){&box, &box, pose}, ts_vec3_make(-1.0, 0.0, 0.0), 0, 0, &r);
    cr_assert_eq(r.status, TS_PENETRATION_SEPARATED);
    // Cores of balls are points: these touch.
    pose = ts_transform_identity();
    ts_penetration_incremental(&(ts_shape_pair){&ball, &ball, pose}, ts_vec3_axis(1), 0, 0, &r);
    cr_assert_eq(r.status, TS_PENETRATION_TOUCHING);
    cr_assert_eq(r.found.lower, 0.0);
    // Concentric balls, whole: every direction is a minimum.
    ts_penetration_settings settings = ts_penetration_settings_default();
    settings.rounding = TS_PENETRATION_ROUNDED;
    ts_penetration_incremental(&(ts_shape_pair){&ball, &ball, pose}, ts_vec3_axis(1), &settings, 0, &r);
    cr_assert_eq(r.status, TS_PENETRATION_CONVERGED, "%s", ts_penetration_status_name(r.status));
    cr_assert_float_eq(-r.found.lower, 1.0, 1e-15);
    pose.p.y = NAN;
    ts_penetration_incremental(&(ts_shape_pair){&box, &ball, pose}, ts_vec3_axis(0), 0, 0, &r);
    cr_assert_eq(r.status, TS_PENETRATION_INVALID_INPUT);
    for (int i = 0; i < TS_PENETRATION_STATUS_COUNT; ++i)
        for (int j = 0; j < i; ++j)
            cr_assert_str_neq(ts_penetration_status_name((ts_penetration_status)i),
                              ts_penetration_status_name((ts_penetration_status)j));
    cr_assert_str_eq(ts_penetration_status_name(TS_PENETRATION_STATUS_COUNT), "unknown");
}

Test(penetration, limits_keep_their_certificates) {
    ts_rng rng = ts_rng_make(4, 0);
    for (int i = 0; i < 500; ++i) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0), b = random_shape(&rng, TS_SHAPE_CYLINDER, 1.0, 0);
        ts_transform pose = random_pose(&rng, 0.3);
        ts_penetration_settings settings = ts_penetration_settings_default();
        settings.outer_limit = 1 + i % 3;
        settings.inner_limit = 1 + i / 3 % 3;
        ts_penetration_result r;
        ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, random_unit(&rng), &settings, 0, &r);
        check_certificate(&a, &b, &pose, 0, &r);
        cr_assert_leq(r.outer, settings.outer_limit);
    }
}

// --- what is remembered ---------------------------------------------------------------------------------------------------

Test(penetration, a_kept_portal_saves_supports_and_changes_nothing_else) {
    ts_rng rng = ts_rng_make(5, 0);
    double cold = 0.0, warm = 0.0;
    for (int i = 0; i < 60; ++i) {
        ts_shape a = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0), b = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0);
        ts_transform pose = random_pose(&rng, 0.4);
        ts_penetration_settings settings = ts_penetration_settings_default();
        ts_penetration_portal portal = {0};
        ts_penetration_result first, again;
        ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, ts_vec3_zero(), &settings, &portal, &first);
        if (first.status != TS_PENETRATION_CONVERGED) continue;
        settings.start = TS_PENETRATION_START_PREVIOUS;
        ts_vec3 normal = first.found.normal;
        for (int step = 0; step < 20; ++step) {
            pose.R = ts_mat3_mul(turn(step % 3, 0.003), pose.R);
            pose.p = ts_vec3_add_scaled(pose.p, 0.002, random_unit(&rng));
            ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, normal, &settings, 0, &again);
            ts_penetration_incremental(&(ts_shape_pair){&a, &b, pose}, normal, &settings, &portal, &first);
            check_certificate(&a, &b, &pose, 0, &first);
            cr_assert_float_eq(-first.found.lower, -again.found.lower, 1e-5);
            cold += again.support_calls;
            warm += first.support_calls;
            normal = first.found.normal;
        }
    }
    cr_log_info("supports: %.0f without, %.0f with", cold, warm);
    cr_assert_lt(warm, cold);
}

Test(penetration, an_overlap_taken_as_given_costs_less) {
    ts_shape a = ts_shape_ellipsoid(ts_vec3_make(1.0, 0.9, 0.8));
    ts_transform pose = at(1.7, 0.1, 0.2);
    ts_penetration_settings settings = ts_penetration_settings_default();
    ts_penetration_result proven, given;
    ts_penetration_incremental(&(ts_shape_pair){&a, &a, pose}, ts_vec3_zero(), &settings, 0, &proven);
    settings.proof = TS_PENETRATION_ASSUME_OVERLAP;
    ts_penetration_incremental(&(ts_shape_pair){&a, &a, pose}, ts_vec3_zero(), &settings, 0, &given);
    cr_assert_eq(given.found.upper, 0.0);
    cr_assert_eq(proven.found.upper, 0.0);
    cr_assert_eq(given.found.lower, proven.found.lower);
    cr_assert_lt(given.support_calls, proven.support_calls);
}
