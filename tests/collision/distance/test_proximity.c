// Signed distances: closed forms against the iterative path and against formulas written out here, the regression
// fixtures, certificates, and relations between answers (swapping, moving, scaling, sliding).
#include "tests/collision/collision_fixture.h"
#include "tests/collision/distance/narrow_phase_fixtures.h"

#include "collision/distance/proximity.h"
#include "collision/distance/proximity_internal.h"

static ts_proximity query(ts_shape a, ts_transform pa, ts_shape b, ts_transform pb) {
    ts_proximity p;
    ts_proximity_query(&a, &pa, &b, &pb, 0, 0, &p);
    return p;
}

static ts_shape fixture_shape(const fixture_side* s) {
    ts_vec3 size = ts_vec3_load(s->size);
    if (s->kind == TS_SHAPE_BOX) return ts_shape_box(size);
    if (s->kind == TS_SHAPE_CYLINDER) return ts_shape_cylinder(size.x, size.z);
    return ts_shape_sphere(size.x);
}

static ts_transform fixture_pose(const fixture_side* s) {
    ts_transform pose;
    for (int i = 0; i < 9; ++i) pose.R.m[i / 3][i % 3] = s->R[i];
    pose.p = ts_vec3_load(s->p);
    return pose;
}

Test(proximity, pairs_that_broke_other_libraries) {
    for (size_t i = 0; i < sizeof fixture_pairs / sizeof fixture_pairs[0]; ++i) {
        const fixture_pair* f = &fixture_pairs[i];
        for (int swap = 0; swap < 2; ++swap) {
            ts_proximity p = query(fixture_shape(&f->side[swap]), fixture_pose(&f->side[swap]),
                                   fixture_shape(&f->side[!swap]), fixture_pose(&f->side[!swap]));
            cr_expect_float_eq(p.distance, f->distance, f->tolerance, "%s: %.17g, not %.17g", f->name, p.distance,
                               f->distance);
            cr_expect_leq(p.found.lower, p.found.upper, "%s", f->name);
            cr_expect_leq(p.iterations, 40, "%s: %d iterations", f->name, p.iterations);
            cr_expect_neq(p.status, TS_PROXIMITY_LIMIT, "%s", f->name);
            cr_expect_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-13, "%s", f->name);
        }
    }
}

// What every answer must satisfy, whatever the pair.
static void check_answer(const ts_proximity* p, const ts_shape* a, const ts_transform* pa, const ts_shape* b,
                         const ts_transform* pb, double size) {
    const char *na = ts_shape_kind_name(a->kind), *nb = ts_shape_kind_name(b->kind);
    cr_assert(p->status == TS_PROXIMITY_SEPARATED || p->status == TS_PROXIMITY_TOUCHING ||
                  p->status == TS_PROXIMITY_PENETRATING,
              "%s-%s: status %d", na, nb, p->status);
    cr_assert_leq(p->found.lower, p->found.upper, "%s-%s: [%.17g, %.17g]", na, nb, p->found.lower, p->found.upper);
    cr_assert(p->distance >= p->found.lower && p->distance <= p->found.upper);
    cr_assert_float_eq(ts_vec3_norm(p->found.normal), 1.0, 1e-13);
    ts_vec3 rest = ts_vec3_add_scaled(ts_vec3_sub(p->found.point_a, p->found.point_b), p->distance, p->found.normal);
    cr_assert_leq(ts_vec3_norm(rest), 1e-13 * size, "%s-%s: witnesses do not span the distance", na, nb);
    // On the surfaces. Curved pairs that overlap carry the normal's accuracy into the points.
    double slack = 2e-7 * size;
    cr_assert_leq(fabs(outside(a, ts_transform_point_inverse(pa, p->found.point_a))), slack,
                  "%s-%s: %g off A (distance %g)", na, nb, outside(a, ts_transform_point_inverse(pa, p->found.point_a)),
                  p->distance);
    cr_assert_leq(fabs(outside(b, ts_transform_point_inverse(pb, p->found.point_b))), slack,
                  "%s-%s: %g off B (distance %g)", na, nb, outside(b, ts_transform_point_inverse(pb, p->found.point_b)),
                  p->distance);
    // The plane certificate, from supports, in world axes.
    if (a->kind == TS_SHAPE_PLANE || b->kind == TS_SHAPE_PLANE) return;
    ts_vec3 sa =
        ts_transform_point(pa, ts_support_core(a, ts_transform_direction_inverse(pa, p->found.normal), -1).point);
    ts_vec3 down = ts_transform_direction_inverse(pb, ts_vec3_neg(p->found.normal));
    ts_vec3 sb = ts_transform_point(pb, ts_support_core(b, down, -1).point);
    double value = ts_vec3_dot(p->found.normal, ts_vec3_sub(sb, sa)) - a->radius - b->radius;
    cr_assert_float_eq(value, p->found.lower, 1e-7 * size, "%s-%s: plane says %.17g, lower %.17g", na, nb, value,
                       p->found.lower);
    cr_assert_leq(value, p->found.upper + 1e-13 * size, "%s-%s: plane says %.17g, upper %.17g", na, nb, value,
                  p->found.upper);
}

Test(proximity, certificates_for_random_pairs_of_all_kinds) {
    ts_rng rng = ts_rng_make(71, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    for (int ka = 0; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = 0; kb < TS_SHAPE_CONVEX_COUNT; ++kb) {
            if (ka == TS_SHAPE_PLANE && kb == TS_SHAPE_PLANE) continue;
            for (int trial = 0; trial < 1000; ++trial) {
                ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                ts_shape b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
                ts_proximity p = query(a, pa, b, pb);
                check_answer(&p, &a, &pa, &b, &pb, 3.0);
                int curved = !ts_support_is_polytope(&a) || !ts_support_is_polytope(&b);
                if (ka == TS_SHAPE_PLANE || kb == TS_SHAPE_PLANE) curved = 0;
                double allowed = curved ? (p.distance > 0.0 ? 1e-9 : 3e-4) : 1e-11;
                cr_assert_leq(p.found.upper - p.found.lower, allowed, "%s-%s: [%.17g, %.17g]",
                              ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), p.found.lower, p.found.upper);
            }
        }
    ts_hull_free(hull);
}

Test(proximity, closed_forms_agree_with_the_iterative_path) {
    ts_rng rng = ts_rng_make(72, 0);
    const ts_shape_kind pair[5][2] = {{TS_SHAPE_SPHERE, TS_SHAPE_SPHERE},
                                      {TS_SHAPE_SPHERE, TS_SHAPE_CAPSULE},
                                      {TS_SHAPE_SPHERE, TS_SHAPE_CYLINDER},
                                      {TS_SHAPE_SPHERE, TS_SHAPE_BOX},
                                      {TS_SHAPE_CAPSULE, TS_SHAPE_CAPSULE}};
    for (int k = 0; k < 5; ++k)
        for (int trial = 0; trial < 2000; ++trial) {
            ts_shape a = random_shape(&rng, pair[k][0], 1.0, 0), b = random_shape(&rng, pair[k][1], 1.0, 0);
            ts_transform pose = random_pose(&rng, 1.5);
            ts_proximity_options options = ts_proximity_options_default();
            ts_proximity closed, iterative;
            ts_transform here = ts_transform_identity();
            options.method = TS_PROXIMITY_CLOSED_FORM;
            ts_proximity_query(&a, &here, &b, &pose, &options, 0, &closed);
            cr_assert(closed.flags & TS_PROXIMITY_USED_CLOSED_FORM);
            options.method = TS_PROXIMITY_GJK;
            ts_proximity_query(&a, &here, &b, &pose, &options, 0, &iterative);
            cr_assert(!(iterative.flags & TS_PROXIMITY_USED_CLOSED_FORM));
            cr_assert_float_eq(closed.distance, iterative.distance, 1e-9, "pair %d: %.17g and %.17g", k,
                               closed.distance, iterative.distance);
        }
}

// A tolerance is kept: bounds hold the exact answer, which is not farther from what is told than the tolerance; and it is used,
// where iterations are.
Test(proximity, a_tolerance_is_kept_and_used) {
    static const double tolerance[] = {1e-2, 1e-4, 1e-6};
    ts_rng rng = ts_rng_make(74, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    int off = 0;
    for (int trial = 0; trial < 60000; ++trial) {
        int ka = TS_SHAPE_PLANE + trial % TS_SHAPE_CONVEX_COUNT;
        int kb = TS_SHAPE_PLANE + trial / TS_SHAPE_CONVEX_COUNT % TS_SHAPE_CONVEX_COUNT;
        if (ka == TS_SHAPE_PLANE && kb == TS_SHAPE_PLANE) continue;
        ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull),
                 b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
        ts_proximity exact = query(a, pa, b, pb), loose;
        ts_proximity_options options = ts_proximity_options_default();
        options.tolerance = tolerance[trial % 3];
        ts_proximity_query(&a, &pa, &b, &pb, &options, 0, &loose);
        cr_assert_leq(loose.found.lower, exact.distance + 1e-9, "%s-%s", ts_shape_kind_name(a.kind),
                      ts_shape_kind_name(b.kind));
        cr_assert_geq(loose.found.upper, exact.distance - 3e-4 * fabs(exact.distance) - 1e-9, "%s-%s",
                      ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind));
        // Polytopes that grow long settle for a share of the depth.
        double allowed = fmax(options.tolerance, exact.distance < 0.0 ? -1e-2 * exact.distance : 0.0) + 1e-9;
        cr_assert_leq(fabs(loose.distance - exact.distance), allowed, "%s-%s: %.17g, not %.17g",
                      ts_shape_kind_name(a.kind), ts_shape_kind_name(b.kind), loose.distance, exact.distance);
        off += fabs(loose.distance - exact.distance) > 1e-9;
        if (loose.flags & TS_PROXIMITY_USED_CLOSED_FORM) cr_assert_eq(loose.distance, exact.distance);
    }
    cr_expect_gt(off, 1000);
    ts_hull_free(hull);
}

Test(proximity, formulas_written_out) {
    ts_transform o = ts_transform_identity();
    ts_proximity p = query(ts_shape_sphere(0.5), o, ts_shape_sphere(0.25), at(3.0, 4.0, 0.0));
    cr_expect_float_eq(p.distance, 4.25, 1e-15);
    cr_expect_float_eq(p.found.normal.x, 0.6, 1e-15);
    p = query(ts_shape_sphere(0.5), o, ts_shape_sphere(0.3), o);
    cr_expect_float_eq(p.distance, -0.8, 1e-15);
    cr_expect_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-15);
    p = query(ts_shape_sphere(0.5), at(2.0, 0.0, 0.3), ts_shape_capsule(0.25, 1.0), o);
    cr_expect_float_eq(p.distance, 1.25, 1e-15);
    cr_expect_float_eq(p.found.normal.x, -1.0, 1e-15);
    p = query(ts_shape_sphere(0.5), at(0.2, 0.1, 0.0), ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0)), o);
    cr_expect_float_eq(p.distance, -1.3, 1e-15);
    cr_expect_float_eq(p.found.normal.x, -1.0, 1e-15);
    p = query(ts_shape_sphere(0.5), at(4.0, 0.0, 5.0), ts_shape_cylinder(1.0, 1.0), o);
    cr_expect_float_eq(p.distance, 4.5, 1e-15);
    p = query(ts_shape_plane(), o, ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0)), at(0.0, 0.0, 2.5));
    cr_expect_float_eq(p.distance, -0.5, 1e-15);
    // An ellipsoid above a plane: centre height less sqrt(n^T E n).
    ts_transform tilted = at(0.0, 0.0, 2.0);
    tilted.R = turn(0, 0.7);
    ts_vec3 up = ts_mat3_row(&tilted.R, 2);
    p = query(ts_shape_plane(), o, ts_shape_ellipsoid(ts_vec3_make(0.3, 0.5, 0.9)), tilted);
    cr_expect_float_eq(p.distance, 2.0 - sqrt(0.09 * up.x * up.x + 0.25 * up.y * up.y + 0.81 * up.z * up.z), 1e-15);
    // Crossing capsules, parallel capsules side by side and end to end.
    ts_transform across = at(0.0, 0.7, 0.0);
    across.R = turn(1, 1.2);
    p = query(ts_shape_capsule(0.1, 1.0), o, ts_shape_capsule(0.2, 1.0), across);
    cr_expect_float_eq(p.distance, 0.4, 1e-15);
    p = query(ts_shape_capsule(0.1, 1.0), o, ts_shape_capsule(0.2, 1.0), at(0.3, 0.4, 0.8));
    cr_expect_float_eq(p.distance, 0.2, 1e-15);
    p = query(ts_shape_capsule(0.1, 1.0), o, ts_shape_capsule(0.2, 1.0), at(3.0, 0.0, 6.0));
    cr_expect_float_eq(p.distance, 4.7, 1e-15);
}

// Distance of a point to an ellipsoid from the secular equation, by bisection in long double.
static double point_ellipsoid(ts_vec3 h, ts_vec3 c) {
    long double a[3] = {h.x, h.y, h.z}, x[3] = {c.x, c.y, c.z}, low = 0.0L, high = 1e6L;
    for (int k = 0; k < 300; ++k) {
        long double t = 0.5L * (low + high), sum = 0.0L;
        for (int i = 0; i < 3; ++i) {
            long double q = a[i] * x[i] / (a[i] * a[i] + t);
            sum += q * q;
        }
        if (sum > 1.0L)
            low = t;
        else
            high = t;
    }
    long double squared = 0.0L;
    for (int i = 0; i < 3; ++i) {
        long double d = low * x[i] / (a[i] * a[i] + low);
        squared += d * d;
    }
    return (double)sqrtl(squared);
}

Test(proximity, sphere_and_ellipsoid_match_the_secular_equation) {
    ts_rng rng = ts_rng_make(73, 0);
    int checked = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        ts_shape b = random_shape(&rng, TS_SHAPE_ELLIPSOID, 1.0, 0);
        ts_transform pb = random_pose(&rng, 1.0);
        ts_vec3 centre = random_vector(&rng, 2.0), local = ts_transform_point_inverse(&pb, centre);
        if (outside(&b, local) < 1e-3) continue;
        ts_proximity p = query(ts_shape_sphere(0.4), at(centre.x, centre.y, centre.z), b, pb);
        cr_assert_float_eq(p.distance, point_ellipsoid(b.half, local) - 0.4, 1e-11, "trial %d", trial);
        ++checked;
    }
    cr_expect_gt(checked, 1000);
}

// Fifteen axes in long double: exact where boxes overlap.
static double box_axes(ts_vec3 ha, ts_transform pa, ts_vec3 hb, ts_transform pb) {
    wide3 a[3], b[3], t = wide_sub(wide(pb.p), wide(pa.p));
    long double la[3] = {ha.x, ha.y, ha.z}, lb[3] = {hb.x, hb.y, hb.z}, best = -1e30L;
    for (int i = 0; i < 3; ++i) {
        a[i] = wide(ts_mat3_column(&pa.R, i));
        b[i] = wide(ts_mat3_column(&pb.R, i));
    }
    for (int k = 0; k < 15; ++k) {
        wide3 n = k < 3 ? a[k] : (k < 6 ? b[k - 3] : wide_cross(a[(k - 6) / 3], b[(k - 6) % 3]));
        long double length = sqrtl(wide_dot(n, n));
        if (length < 1e-6L) continue;
        long double gap = fabsl(wide_dot(t, n));
        for (int i = 0; i < 3; ++i) gap -= la[i] * fabsl(wide_dot(a[i], n)) + lb[i] * fabsl(wide_dot(b[i], n));
        gap /= length;
        best = gap > best ? gap : best;
    }
    return (double)best;
}

Test(proximity, overlapping_boxes_match_fifteen_axes_in_long_double) {
    ts_rng rng = ts_rng_make(74, 0);
    int overlapping = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0);
        ts_transform pa = random_pose(&rng, 0.8), pb = random_pose(&rng, 0.8);
        if (trial % 10 == 0) pb.R = pa.R;
        double expected = box_axes(a.half, pa, b.half, pb);
        ts_proximity p = query(a, pa, b, pb);
        if (expected > 1e-12) {
            cr_assert_geq(p.distance, expected - 1e-12);
            continue;
        }
        ++overlapping;
        cr_assert_float_eq(p.distance, expected, 1e-12, "trial %d: %.17g, not %.17g", trial, p.distance, expected);
    }
    cr_expect_gt(overlapping, 5000);
}

Test(proximity, swapping_moving_scaling_and_sliding) {
    ts_rng rng = ts_rng_make(75, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    for (int ka = TS_SHAPE_SPHERE; ka < TS_SHAPE_CONVEX_COUNT; ++ka)
        for (int kb = ka; kb < TS_SHAPE_CONVEX_COUNT; ++kb)
            for (int trial = 0; trial < 100; ++trial) {
                ts_shape a = random_shape(&rng, (ts_shape_kind)ka, 1.0, hull);
                ts_shape b = random_shape(&rng, (ts_shape_kind)kb, 1.0, hull);
                ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
                ts_proximity p = query(a, pa, b, pb), q = query(b, pb, a, pa);
                const char *na = ts_shape_kind_name(a.kind), *nb = ts_shape_kind_name(b.kind);
                int curved = !ts_support_is_polytope(&a) || !ts_support_is_polytope(&b);
                double exact = curved ? 1e-9 : 1e-12;
                cr_assert_float_eq(p.distance, q.distance, exact, "%s-%s swapped: %.17g, %.17g", na, nb, p.distance,
                                   q.distance);
                ts_transform m = random_pose(&rng, 5.0);
                q = query(a, ts_transform_mul(&m, &pa), b, ts_transform_mul(&m, &pb));
                cr_assert_float_eq(p.distance, q.distance, exact, "%s-%s moved: %.17g, %.17g", na, nb, p.distance,
                                   q.distance);
                // Sliding B along the normal changes the distance by as much, until another normal takes over; only
                // apart is that never.
                if (p.distance > 0.0) {
                    ts_transform slid = pb;
                    slid.p = ts_vec3_add_scaled(pb.p, 0.1, p.found.normal);
                    q = query(a, pa, b, slid);
                    cr_assert_float_eq(q.distance, p.distance + 0.1, 1e-8, "%s-%s slid: %.17g after %.17g", na, nb,
                                       q.distance, p.distance);
                    // Across the touching point the distance is continuous from GJK's side to EPA's. (Two tips may pass each
                    // other and be apart again, but by no more than they moved.)
                    slid.p = ts_vec3_add_scaled(pb.p, -p.distance - 1e-9, p.found.normal);
                    q = query(a, pa, b, slid);
                    cr_assert_leq(fabs(q.distance), 1e-9 + 1e-11, "%s-%s: %.17g just inside", na, nb, q.distance);
                } else {
                    ts_transform slid = pb;
                    slid.p = ts_vec3_add_scaled(pb.p, -p.distance + 1e-6, p.found.normal);
                    q = query(a, pa, b, slid);
                    cr_assert_float_eq(q.distance, 1e-6, 1e-6, "%s-%s: %.17g just outside", na, nb, q.distance);
                }
            }
    ts_hull_free(hull);
}

Test(proximity, far_from_the_origin_little_is_lost) {
    ts_rng rng = ts_rng_make(76, 0);
    for (int trial = 0; trial < 200; ++trial) {
        ts_shape a = random_shape(&rng, TS_SHAPE_BOX, 1.0, 0), b = random_shape(&rng, TS_SHAPE_CAPSULE, 1.0, 0);
        ts_transform pa = random_pose(&rng, 1.0), pb = random_pose(&rng, 1.0);
        // Shifts by a power of two on coordinates of few bits are exact.
        pa.p = ts_vec3_make(floor(pa.p.x * 1024) / 1024, floor(pa.p.y * 1024) / 1024, floor(pa.p.z * 1024) / 1024);
        pb.p = ts_vec3_make(floor(pb.p.x * 1024) / 1024, floor(pb.p.y * 1024) / 1024, floor(pb.p.z * 1024) / 1024);
        ts_proximity p = query(a, pa, b, pb);
        pa.p.x += 1048576.0;
        pb.p.x += 1048576.0;
        ts_proximity q = query(a, pa, b, pb);
        cr_assert_eq(p.distance, q.distance);
    }
}

Test(proximity, bad_input_is_named_and_nothing_is_nan) {
    ts_shape a = ts_shape_sphere(1.0), b = ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), plane = ts_shape_plane();
    ts_transform good = ts_transform_identity();
    const double bad_values[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 3; ++k)
        for (int where = 0; where < 2; ++where) {
            ts_transform bad = good;
            if (where)
                bad.p.y = bad_values[k];
            else
                bad.R.m[1][2] = bad_values[k];
            ts_proximity p = query(a, good, b, bad);
            cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
            cr_expect(ts_vec3_is_finite(p.found.normal) && isfinite(p.distance));
            p = query(b, bad, b, good);
            cr_expect_eq(p.status, TS_PROXIMITY_INVALID_INPUT);
        }
    cr_expect_eq(query(plane, good, plane, good).status, TS_PROXIMITY_INVALID_INPUT);
}

Test(proximity, coincident_shapes_have_a_normal) {
    ts_rng rng = ts_rng_make(77, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.7, 0.9));
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) {
        ts_shape a = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull);
        ts_transform pose = random_pose(&rng, 1.0);
        ts_proximity p = query(a, pose, a, pose);
        cr_expect_lt(p.distance, 0.0);
        check_answer(&p, &a, &pose, &a, &pose, 3.0);
    }
    ts_hull_free(hull);
}

// Deep within rounded shapes the margin lies thousands of millimetres from the cores' own distance; whatever GJK was told
// to start from, a verdict of a pair that overlaps by micrometres is what the distance says.
Test(proximity, a_verdict_is_proven_before_it_is_given) {
    static const double R[9] = {0.34906245271710279,  0.43372630882991314,   -0.83068459305075559,
                                0.20529199779358445,  -0.90030268046174955,  -0.3838102124687513,
                                -0.91433615248716893, -0.036559165501525548, -0.40330240226509062};
    ts_shape can = ts_shape_rounded(ts_shape_cylinder(488.76657005805924, 82.297141522966527), 441.94132601837441);
    ts_shape box = ts_shape_box(ts_vec3_make(966.82906438457576, 898.48832847242761, 2589.3411800640501));
    ts_transform pa, pb;
    for (int k = 0; k < 9; ++k) pa.R.m[k / 3][k % 3] = R[k];
    pb.R = pa.R;
    pa.p = ts_vec3_make(-44178.291509973504, 44426.004360071311, 23401.987539715949);
    pb.p = ts_vec3_make(-46853.467102279537, 45245.914818966921, 21507.376507161785);
    for (int variant = 0; variant < TS_GJK_VARIANT_COUNT; ++variant) {
        for (int start = 0; start < TS_GJK_START_COUNT; ++start) {
            ts_proximity_options options = ts_proximity_options_default();
            options.method = TS_PROXIMITY_GJK;
            options.variant = (ts_gjk_variant)variant;
            options.start = (ts_gjk_start)start;
            options.goal = TS_PROXIMITY_VERDICT;
            ts_gjk_cache cache = ts_gjk_cache_none();
            cache.normal = ts_vec3_make(1e-310, 0.178274, (double)NAN);
            ts_proximity p;
            ts_proximity_query(&can, &pa, &box, &pb, &options, &cache, &p);
            // The side of the can and a side of the box, parallel: 3.84 um deep.
            cr_expect_eq(p.status, TS_PROXIMITY_OVERLAP_EARLY, "%s from %s: %s [%g, %g]",
                         ts_gjk_variant_name(options.variant), ts_gjk_start_name(options.start),
                         ts_proximity_status_name(p.status), p.found.lower, p.found.upper);
        }
    }
}

// A point beside a segment ten thousand million times as long as the gap: rounding hides the direction between them, not
// that they are apart.
Test(proximity, a_point_beside_a_long_segment_is_apart) {
    ts_rng rng = ts_rng_make(536887, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        ts_vec3 u = random_unit(&rng), across = ts_vec3_unit_or(ts_vec3_cross(u, random_unit(&rng)), ts_vec3_axis(0));
        double gap = pow(10.0, ts_rng_uniform_in(&rng, -9.0, -6.0)), foot = ts_rng_uniform_in(&rng, -86.5, 86.5);
        if (trial % 2) foot = foot < 0.0 ? -86.5 : 86.5;
        ts_vec3 ends[2] = {ts_vec3_scale(86.5, u), ts_vec3_scale(-86.5, u)}, origin = ts_vec3_zero();
        ts_status status;
        ts_hull *segment = NULL, *point = NULL;
        cr_assert_eq(ts_hull_build_any(ends, 2, &segment, NULL, &status), TS_OK, "%s", status.message);
        cr_assert_eq(ts_hull_build_any(&origin, 1, &point, NULL, &status), TS_OK, "%s", status.message);
        ts_shape a = ts_shape_hull(point), b = ts_shape_hull(segment);
        ts_transform at = ts_transform_identity(), there = at;
        there.p = ts_vec3_add(ts_vec3_scale(foot, u), ts_vec3_scale(gap, across));
        ts_proximity_options options = ts_proximity_options_default();
        options.method = TS_PROXIMITY_GJK;
        options.variant = (ts_gjk_variant)(trial % TS_GJK_VARIANT_COUNT);
        options.start = (ts_gjk_start)(trial / TS_GJK_VARIANT_COUNT % TS_GJK_START_COUNT);
        ts_gjk_cache cache = ts_gjk_cache_none();
        cache.normal = ts_vec3_add_scaled(across, pow(10.0, ts_rng_uniform_in(&rng, -6.0, 1.0)), random_unit(&rng));
        ts_proximity p;
        ts_proximity_query(&a, &at, &b, &there, &options, &cache, &p);
        cr_expect_eq(p.status, TS_PROXIMITY_SEPARATED, "trial %d: %s, [%g, %g] for %g", trial,
                     ts_proximity_status_name(p.status), p.found.lower, p.found.upper, gap);
        cr_expect_leq(p.found.lower, gap + 1e-12);
        cr_expect_geq(p.found.upper, gap - 1e-12);
        ts_hull_free(segment);
        ts_hull_free(point);
    }
}
