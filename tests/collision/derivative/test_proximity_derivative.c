// Derivatives of distance, normal, witness points and contact frame against central differences of the query, for every pair
// of convex kinds, apart, touching and overlapping.
#include "tests/collision/derivative/moved_pair.h"

#include "bench/pair_reference_internal.h"
#include "collision/derivative/proximity_derivative.h"

#include <stdio.h>
#include <string.h>

typedef struct tally {
    int pairs, regular, clear;  // clear: differences leave less than 1e-8 open
} tally;

static void check_pair(const moved_pair* pair, tally* t, const char* what) {
    ts_proximity p;
    ts_proximity_query(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, 0, 0, &p);
    ts_proximity_derivative d;
    ts_proximity_differentiate(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, &p, 0, &d);
    const ts_derivative_certificate* c = &d.certificate;
    ++t->pairs;
    if (c->flags) return;
    ++t->regular;
    const ts_pair_placed at = {&pair->a, &pair->b, &pair->pose_a, &pair->pose_b};
    double open, error = ts_pair_error(&at, &d, &open);
    t->clear += open <= 1e-8;
    if (open > 1e-5) return;  // there is no room for increments
    cr_assert_leq(error, open <= 1e-8 ? 1e-7 + 10.0 * open : 1e-3,
                  "%s: error %g (differences leave %g open), distance %g, curvature %g, crossing %g, room %g, turn %g, "
                  "flags %u",
                  what, error, open, p.distance, c->curvature, c->crossing, c->room, c->turn, p.flags);
}

// Half a metre, a millimetre and a nanometre apart, overlapping by a nanometre and by up to ten centimetres, and anyhow, most of
// them deep.
enum { REGIMES = 6 };

static void place_in_regime(moved_pair* pair, int regime, ts_rng* rng) {
    static const double gaps[REGIMES] = {0.5, 1e-3, 1e-9, -1e-9, -0.1, 0.0};
    if (regime < REGIMES - 1)
        bring_near(pair, gaps[regime] * ts_rng_uniform_in(rng, 0.2, 1.0));
    else
        pair->pose_b.p = ts_transform_point(&pair->pose_a, random_vector(rng, 0.4));
}

static tally check_kinds(int ka, int kb, int trials) {
    ts_rng rng = ts_rng_make(772, (uint64_t)ka * 16 + (uint64_t)kb);
    pair_hulls hulls = pair_hulls_make(&rng);
    tally t = {0, 0, 0};
    for (int trial = 0; trial < trials; ++trial) {
        // Kinds of poses and of roundings repeat with 16 and 6.
        moved_pair pair = random_pair(&rng, ka, kb, &hulls, trial / REGIMES);
        char what[80];
        snprintf(what, sizeof what, "%s against %s, trial %d", ts_shape_kind_name((ts_shape_kind)ka),
                 ts_shape_kind_name((ts_shape_kind)kb), trial);
        place_in_regime(&pair, trial % REGIMES, &rng);
        check_pair(&pair, &t, what);
    }
    pair_hulls_free(&hulls);
    return t;
}

// `touchstone bench derivatives --only pairs` does the same with a thousand of each pair of kinds.
Test(proximity_derivative, is_what_differences_of_the_query_say) {
    tally all = {0, 0, 0};
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka) {
        for (int kb = 0; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            if (ka == TS_SHAPE_PLANE && kb == TS_SHAPE_PLANE) continue;
            tally t = check_kinds(ka, kb, 120);
            const char *a = ts_shape_kind_name((ts_shape_kind)ka), *b = ts_shape_kind_name((ts_shape_kind)kb);
            cr_assert_geq(t.regular, t.pairs * 75 / 100, "%s against %s: %d of %d", a, b, t.regular, t.pairs);
            all.pairs += t.pairs;
            all.regular += t.regular;
            all.clear += t.clear;
        }
    }
    cr_assert_geq(all.clear, all.regular * 97 / 100, "%d of %d to be judged", all.clear, all.regular);
    cr_assert_geq(all.regular, all.pairs * 95 / 100, "%d of %d regular", all.regular, all.pairs);
}

// Of shapes made of parts: the part that has the witness point.
Test(proximity_derivative, of_compounds_and_height_fields) {
    static const double gaps[3] = {0.3, 1e-3, -0.05};
    for (int kind = 0; kind < COMPOSITES; ++kind) {
        ts_rng rng = ts_rng_make(776, (uint64_t)kind);
        composite whole = composite_make((composite_kind)kind, &rng);
        pair_hulls hulls = pair_hulls_make(&rng);
        tally t = {0, 0, 0};
        for (int trial = 0; trial < 200; ++trial) {
            int other = 1 + trial % (TS_SHAPE_CONVEX_COUNT - 1);
            moved_pair pair = composite_pair(&whole, &rng, other, &hulls, trial);
            char what[80];
            snprintf(what, sizeof what, "composite %d against %s, trial %d", kind,
                     ts_shape_kind_name((ts_shape_kind)other), trial);
            bring_near(&pair, gaps[trial % 3] * ts_rng_uniform_in(&rng, 0.2, 1.0));
            check_pair(&pair, &t, what);
        }
        cr_expect_geq(t.clear, t.regular * 95 / 100, "composite %d: %d of %d to be judged", kind, t.clear, t.regular);
        cr_expect_geq(t.regular, t.pairs / (kind == COMPOSITE_CROSS ? 2 : 6), "composite %d: %d of %d regular", kind,
                      t.regular, t.pairs);
        pair_hulls_free(&hulls);
        composite_free(&whole);
    }
}

static ts_proximity_derivative derivative_of(const moved_pair* pair, const ts_derivative_options* options) {
    ts_proximity p;
    ts_proximity_derivative d;
    ts_proximity_query(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, 0, 0, &p);
    ts_proximity_differentiate(&pair->a, &pair->pose_a, &pair->b, &pair->pose_b, &p, options, &d);
    return d;
}

// A ball beside a box: over a face its moving sideways turns nothing; over an edge it turns the normal about the edge only, by one
// over the distance of its centre; over a corner every way.
Test(proximity_derivative, a_ball_over_face_edge_and_corner) {
    moved_pair pair = {ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), ts_shape_sphere(0.5), ts_transform_identity(),
                       at(0.2, 0.3, 2.0)};
    ts_proximity_derivative d = derivative_of(&pair, 0);
    cr_assert_eq(d.certificate.flags, 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j) cr_assert_float_eq(d.normal[i][j], 0.0, 1e-15);
    cr_assert_float_eq(d.point_a[0][0], 1.0, 1e-15);
    cr_assert_float_eq(d.distance[2], 1.0, 1e-15);
    cr_assert_float_eq(d.certificate.room, 0.7, 1e-12);
    pair.pose_b = at(0.2, 2.0, 2.0);
    d = derivative_of(&pair, 0);
    cr_assert_eq(d.certificate.flags, 0);
    double apart = sqrt(2.0);
    for (int i = 0; i < 3; ++i) cr_assert_float_eq(d.normal[i][0], 0.0, 1e-15);
    cr_assert_float_eq(d.normal[1][1], 0.5 / apart, 1e-12);  // (1 - n n) / distance
    cr_assert_float_eq(d.normal[2][1], -0.5 / apart, 1e-12);
    cr_assert_float_eq(d.certificate.curvature, apart, 1e-12);
    pair.pose_b = at(2.0, 2.0, 2.0);
    d = derivative_of(&pair, 0);
    cr_assert_eq(d.certificate.flags, 0);
    cr_assert_float_eq(d.normal[0][0], 2.0 / 3.0 / sqrt(3.0), 1e-12);
    for (int j = 0; j < 6; ++j) cr_assert_float_eq(d.point_a[0][j], 0.0, 1e-15);
}

// The contact frame turns with the normal and stays one.
Test(proximity_derivative, the_frame_is_differentiated_by_its_rule) {
    ts_rng rng = ts_rng_make(773, 0);
    ts_derivative_options options = ts_derivative_options_default();
    for (int trial = 0; trial < 200; ++trial) {
        moved_pair pair = {random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0),
                           random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0), random_pose(&rng, 1.0),
                           random_pose(&rng, 2.0)};
        options.tangent = random_unit(&rng);
        ts_proximity_derivative d = derivative_of(&pair, &options);
        for (int j = 0; j < 6; ++j) {
            double h = 1e-4;
            ts_vec3 t[2][2];
            for (int side = 0; side < 2; ++side) {
                ts_transform moved = moved_in_body(&pair.pose_b, j, side ? h : -h);
                ts_proximity p;
                ts_proximity_query(&pair.a, &pair.pose_a, &pair.b, &moved, 0, 0, &p);
                ts_vec3 n = ts_transform_direction_inverse(&pair.pose_a, p.found.normal);
                ts_vec3 across = ts_vec3_add_scaled(options.tangent, -ts_vec3_dot(options.tangent, n), n);
                t[0][side] = ts_vec3_scale(1.0 / ts_vec3_norm(across), across);
                t[1][side] = ts_vec3_cross(n, t[0][side]);
            }
            for (int k = 0; k < 2; ++k)
                for (int i = 0; i < 3; ++i) {
                    double f = (ts_vec3_get(t[k][1], i) - ts_vec3_get(t[k][0], i)) / (2.0 * h);
                    cr_assert_float_eq(d.tangent[k][i][j], f, 1e-4 * fmax(1.0, fabs(f)), "trial %d: %g, %g", trial,
                                       d.tangent[k][i][j], f);
                }
        }
    }
}

// Seen from the other shape the same motion is the inverse one, carried over by the adjoint.
Test(proximity_derivative, is_the_same_from_the_other_side) {
    ts_rng rng = ts_rng_make(774, 0);
    pair_hulls hulls = pair_hulls_make(&rng);
    for (int trial = 0; trial < 2000; ++trial) {
        int ka = 1 + trial % (TS_SHAPE_CONVEX_COUNT - 1), kb = 1 + trial / 8 % (TS_SHAPE_CONVEX_COUNT - 1);
        moved_pair pair = random_pair(&rng, ka, kb, &hulls, trial);
        bring_near(&pair, 0.1);
        moved_pair back = {pair.b, pair.a, pair.pose_b, pair.pose_a};
        ts_proximity_derivative d = derivative_of(&pair, 0), e = derivative_of(&back, 0);
        if (d.certificate.flags || e.certificate.flags || d.certificate.turn < 1e-3 || d.certificate.curvature < 1e-2)
            continue;
        ts_transform b_in_a = ts_transform_relative(&pair.pose_a, &pair.pose_b);
        for (int j = 0; j < 6; ++j) {
            // B's twist xi in its own axes moves A, seen from B, by -Ad(b_in_a) xi in A's axes.
            ts_vec3 v = j < 3 ? ts_vec3_axis(j) : ts_vec3_zero(), w = j < 3 ? ts_vec3_zero() : ts_vec3_axis(j - 3);
            w = ts_mat3_mul_vec(&b_in_a.R, w);
            v = ts_vec3_add(ts_mat3_mul_vec(&b_in_a.R, v), ts_vec3_cross(b_in_a.p, w));
            const double xi[6] = {-v.x, -v.y, -v.z, -w.x, -w.y, -w.z};
            double distance = 0.0;
            for (int k = 0; k < 6; ++k) distance += e.distance[k] * xi[k];
            cr_assert_float_eq(d.distance[j], distance, 1e-6);
            double across = 0.0, size = 0.0;
            for (int i = 0; i < 3; ++i) size += d.normal[i][j] * d.normal[i][j];
            ts_proximity p;
            ts_proximity_query(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, 0, 0, &p);
            ts_vec3 n = ts_transform_direction_inverse(&pair.pose_a, p.found.normal);
            across = n.x * d.normal[0][j] + n.y * d.normal[1][j] + n.z * d.normal[2][j];
            cr_assert_float_eq(across, 0.0, 1e-12 * (1.0 + sqrt(size)));
        }
    }
    pair_hulls_free(&hulls);
}

// What has no derivative says so.
Test(proximity_derivative, kinks_are_flagged) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), ball = ts_shape_sphere(0.5),
             rod = ts_shape_capsule(0.2, 1.0);
    ts_shape can = ts_shape_cylinder(0.5, 1.0);
    const struct {
        ts_shape a, b;
        ts_transform pose;
        const char* what;
    } cases[] = {
        {box, box, at(0.1, 0.2, 2.5), "face over face"},
        {ball, ball, at(0.0, 0.0, 0.0), "two balls at one place"},
        {box, ball, at(1.0, 0.2, 2.0), "a ball over where face and edge meet"},
        {box, ball, at(0.0, 0.0, 0.0), "a ball in the middle of a box"},
        {rod, rod, at(1.0, 0.0, 0.3), "parallel rods side by side"},
        {can, ball, at(0.0, 0.0, 0.3), "a ball on a cylinder's axis"},
        {box, can, at(0.0, 0.3, 2.5), "a cylinder standing over a box"},
        {ts_shape_plane(), box, at(0.0, 0.0, 1.5), "a box flat over a plane"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        moved_pair pair = {cases[k].a, cases[k].b, ts_transform_identity(), cases[k].pose};
        ts_proximity_derivative d = derivative_of(&pair, 0);
        cr_expect(d.certificate.flags & (TS_DERIVATIVE_SINGULAR | TS_DERIVATIVE_BORDER), "%s", cases[k].what);
        for (int j = 0; j < 6; ++j)
            cr_expect(isfinite(d.normal[0][j] + d.point_a[1][j] + d.point_b[2][j]), "%s", cases[k].what);
    }
}
