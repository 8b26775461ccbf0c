// Closed forms against oracles in extended precision that are written from the geometry: a point against a cone's profile,
// a triangle's face and edges, a box, a cylinder; two segments by ends and crossing, parallel and degenerate ones too.
#include "tests/collision/collision_fixture.h"

#include "collision/distance/proximity.h"

static long double wide_norm(wide3 a) { return sqrtl(wide_dot(a, a)); }

static wide3 to_frame(const ts_transform* pose, ts_vec3 p) {
    wide3 d = {(long double)p.x - pose->p.x, (long double)p.y - pose->p.y, (long double)p.z - pose->p.z};
    const double(*m)[3] = (const double(*)[3])pose->R.m;
    wide3 r = {m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z, m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z,
               m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z};
    return r;
}

// Distance of c from the segment p q.
static long double point_segment(wide3 c, wide3 p, wide3 q) {
    wide3 e = wide_sub(q, p), d = wide_sub(c, p);
    long double ee = wide_dot(e, e), t = ee > 0.0L ? wide_dot(d, e) / ee : 0.0L;
    t = t < 0.0L ? 0.0L : (t > 1.0L ? 1.0L : t);
    wide3 x = {d.x - t * e.x, d.y - t * e.y, d.z - t * e.z};
    return wide_norm(x);
}

static long double point_triangle(wide3 c, const ts_vec3 corner[3]) {
    long double best = 1e300L;
    wide3 w[3];
    for (int k = 0; k < 3; ++k) w[k] = wide(corner[k]);
    for (int k = 0; k < 3; ++k) {
        long double d = point_segment(c, w[k], w[(k + 1) % 3]);
        best = d < best ? d : best;
    }
    wide3 n = wide_cross(wide_sub(w[1], w[0]), wide_sub(w[2], w[0]));
    long double length = wide_norm(n);
    int over = length > 0.0L;
    for (int k = 0; k < 3; ++k)
        over = over && wide_dot(wide_cross(n, wide_sub(w[(k + 1) % 3], w[k])), wide_sub(c, w[k])) > 0.0L;
    if (!over) return best;
    long double height = fabsl(wide_dot(n, wide_sub(c, w[0]))) / length;
    return height < best ? height : best;
}

// Signed distance of c from a solid of revolution about z whose profile is a convex polygon of the half-plane, given as
// corners from the upper end of the axis to the lower one.
static long double point_profile(wide3 c, const long double (*corner)[2], int count) {
    long double across = sqrtl(c.x * c.x + c.y * c.y), best = 1e300L, most = -1e300L;
    wide3 q = {across, 0.0L, c.z};
    for (int k = 0; k + 1 < count; ++k) {
        wide3 a = {corner[k][0], 0.0L, corner[k][1]}, b = {corner[k + 1][0], 0.0L, corner[k + 1][1]};
        long double d = point_segment(q, a, b), ex = b.x - a.x, ez = b.z - a.z;
        long double side = (-(q.x - a.x) * ez + (q.z - a.z) * ex) / sqrtl(ex * ex + ez * ez);
        best = d < best ? d : best;
        most = side > most ? side : most;
    }
    return most > 0.0L ? best : most;
}

static long double point_box(wide3 c, ts_vec3 h) {
    const long double d[3] = {fabsl(c.x) - h.x, fabsl(c.y) - h.y, fabsl(c.z) - h.z};
    long double out = 0.0L, most = -1e300L;
    for (int k = 0; k < 3; ++k) {
        out += d[k] > 0.0L ? d[k] * d[k] : 0.0L;
        most = d[k] > most ? d[k] : most;
    }
    return most > 0.0L ? sqrtl(out) : most;
}

static long double expected_for(const ts_shape* s, wide3 c) {
    const long double r = s->half.x, h = s->half.z;
    const long double cone[3][2] = {{0.0L, h}, {r, -h}, {0.0L, -h}};
    const long double cylinder[4][2] = {{0.0L, h}, {r, h}, {r, -h}, {0.0L, -h}};
    wide3 low = {0.0L, 0.0L, -h}, high = {0.0L, 0.0L, h};
    switch (s->kind) {
    case TS_SHAPE_CAPSULE: return point_segment(c, low, high);
    case TS_SHAPE_CYLINDER: return point_profile(c, cylinder, 4);
    case TS_SHAPE_CONE: return point_profile(c, cone, 3);
    case TS_SHAPE_TRIANGLE: return point_triangle(c, s->triangle);
    case TS_SHAPE_BOX: return point_box(c, s->half);
    default: return wide_norm(c);
    }
}

static void check_sphere(const ts_shape* sphere, const ts_transform* at_sphere, const ts_shape* other,
                         const ts_transform* at_other, double size) {
    ts_proximity p;
    ts_proximity_query(sphere, at_sphere, other, at_other, 0, 0, &p);
    const char* name = ts_shape_kind_name(other->kind);
    long double core = expected_for(other, to_frame(at_other, at_sphere->p));
    long double expected = core - sphere->radius - other->radius;
    cr_assert(p.flags & TS_PROXIMITY_USED_CLOSED_FORM, "%s", name);
    cr_assert_leq(fabsl(p.distance - expected), 4e-15L * size, "%s: %.17g, not %.17Lg", name, p.distance, expected);
    cr_assert_eq(p.found.lower, p.distance);
    cr_assert_eq(p.found.upper, p.distance);
    cr_assert_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-14, "%s", name);
    // Both points lie on their surfaces and differ by the distance along the normal.
    ts_vec3 miss =
        ts_vec3_sub(ts_vec3_sub(p.found.point_b, p.found.point_a), ts_vec3_scale(p.distance, p.found.normal));
    cr_assert_leq(ts_vec3_norm(miss), 1e-14 * size, "%s", name);
    long double on_core = expected_for(other, to_frame(at_other, p.found.point_b)) - other->radius;
    // A point on the ball around a core whose inside it lies in is not at the ball's distance from the nearest surface.
    if (core > 0.0L) cr_assert_leq(fabsl(on_core), 1e-14L * size, "%s: %Lg", name, on_core);
    cr_assert_float_eq(ts_vec3_distance(p.found.point_a, at_sphere->p), sphere->radius, 1e-14 * size, "%s", name);
}

Test(closed_form, a_sphere_against_everything) {
    ts_rng rng = ts_rng_make(1001, 0);
    const int kinds[6] = {TS_SHAPE_SPHERE, TS_SHAPE_CAPSULE,  TS_SHAPE_CYLINDER,
                          TS_SHAPE_CONE,   TS_SHAPE_TRIANGLE, TS_SHAPE_BOX};
    const double scales[3] = {1.0, 1e-6, 1e3};
    for (int trial = 0; trial < 60000; ++trial) {
        double s = scales[trial / 6 % 3];
        ts_vec3 corner[3];
        for (int k = 0; k < 3; ++k) corner[k] = random_vector(&rng, s);
        if (trial % 50 == 4) corner[2] = ts_vec3_lerp(corner[0], corner[1], 0.3);  // no area
        ts_shape other = random_shape(&rng, (ts_shape_kind)kinds[trial % 6], s, 0);
        if (kinds[trial % 6] == TS_SHAPE_TRIANGLE) other = ts_shape_triangle(corner);
        if (trial % 4 == 0 && trial % 6 > 1) other = ts_shape_rounded(other, 0.1 * s);
        ts_shape sphere = ts_shape_sphere(s * ts_rng_uniform_in(&rng, 0.01, 0.5));
        ts_transform pa = random_pose(&rng, 1.2 * s), pb = random_pose(&rng, trial % 3 ? 0.3 * s : 1.2 * s);
        check_sphere(&sphere, &pa, &other, &pb, 4.0 * s);
    }
}

// Centres on corners, edges, faces, axes and middles: no direction is the nearest one, and one must be made up.
Test(closed_form, a_sphere_where_no_normal_is_unique) {
    ts_vec3 corner[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    const ts_shape shapes[6] = {ts_shape_sphere(0.5),        ts_shape_capsule(0.25, 0.5),
                                ts_shape_cylinder(0.5, 0.5), ts_shape_cone(0.5, 0.5),
                                ts_shape_triangle(corner),   ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5))};
    const ts_vec3 centres[9] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.5}, {0.0, 0.0, -0.5}, {0.5, 0.0, -0.5}, {0.25, 0.25, 0.0},
                                {0.5, 0.5, 0.0}, {1.0, 0.0, 0.0}, {0.5, 0.5, 0.5},  {0.0, 0.0, 0.25}};
    ts_shape ball = ts_shape_sphere(0.125);
    ts_transform same = ts_transform_identity();
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 9; ++i) {
            ts_transform placed = at(centres[i].x, centres[i].y, centres[i].z);
            check_sphere(&ball, &placed, &shapes[k], &same, 2.0);
        }
}

Test(closed_form, a_centre_in_a_triangle_keeps_its_side) {
    ts_vec3 corner[3] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {0.0, 1.0, 0.0}};
    ts_shape ball = ts_shape_sphere(0.125), triangle = ts_shape_triangle(corner);
    ts_transform same = ts_transform_identity();
    for (int side = 0; side < 2; ++side) {
        ts_gjk_cache cache = {0};
        cache.normal = ts_vec3_make(0.0, 0.6, side ? 0.8 : -0.8);
        ts_proximity p;
        ts_proximity_query(&ball, &same, &triangle, &same, 0, &cache, &p);
        cr_expect_eq(p.distance, -0.125);
        cr_expect_eq(p.found.normal.z, side ? 1.0 : -1.0);
    }
}

// Two segments p + s u, q + t v, |s| <= hs, |t| <= ht: each end of one against the other, and the crossing of the lines.
static long double segments(wide3 p, wide3 u, long double hs, wide3 q, wide3 v, long double ht) {
    wide3 r = wide_sub(q, p), ends[4] = {{p.x - hs * u.x, p.y - hs * u.y, p.z - hs * u.z},
                                         {p.x + hs * u.x, p.y + hs * u.y, p.z + hs * u.z},
                                         {q.x - ht * v.x, q.y - ht * v.y, q.z - ht * v.z},
                                         {q.x + ht * v.x, q.y + ht * v.y, q.z + ht * v.z}};
    long double best = 1e300L;
    for (int k = 0; k < 4; ++k) {
        long double d = point_segment(ends[k], ends[k < 2 ? 2 : 0], ends[k < 2 ? 3 : 1]);
        best = d < best ? d : best;
    }
    wide3 n = wide_cross(u, v);
    long double nn = wide_dot(n, n);
    if (nn > 1e-30L) {
        long double s = wide_dot(wide_cross(r, v), n) / nn;
        long double t = (s * wide_dot(u, v) - wide_dot(v, r)) / wide_dot(v, v);
        s = (t * wide_dot(u, v) + wide_dot(u, r)) / wide_dot(u, u);
        if (fabsl(s) <= hs && fabsl(t) <= ht) {
            // By the two points: the common perpendicular of nearly parallel lines has too few digits.
            wide3 x = {r.x + t * v.x - s * u.x, r.y + t * v.y - s * u.y, r.z + t * v.z - s * u.z};
            long double d = wide_norm(x);
            best = d < best ? d : best;
        }
    }
    return best;
}

Test(closed_form, capsules_crossing_parallel_touching_and_degenerate) {
    ts_rng rng = ts_rng_make(1002, 0);
    const double tilts[6] = {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
    for (int trial = 0; trial < 60000; ++trial) {
        ts_shape a = ts_shape_capsule(ts_rng_uniform_in(&rng, 0.01, 0.3), ts_rng_uniform_in(&rng, 0.1, 1.0));
        ts_shape b = ts_shape_capsule(ts_rng_uniform_in(&rng, 0.01, 0.3), ts_rng_uniform_in(&rng, 0.1, 1.0));
        if (trial % 13 == 0) b.half.z = 1e-9;  // nearly a ball
        ts_transform pa = random_pose(&rng, 0.5), pb = random_pose(&rng, 0.5);
        if (trial % 2) {
            ts_vec3 axis = random_unit(&rng);
            pb.R = ts_mat3_mul(ts_quat_to_mat3(ts_quat_from_axis_angle(axis, tilts[trial / 2 % 6])), pa.R);
        }
        if (trial % 5 == 0) {  // on one line, apart or over each other
            ts_vec3 along = ts_mat3_column(&pa.R, 2);
            pb.p = ts_vec3_add_scaled(pa.p, ts_rng_uniform_in(&rng, -2.5, 2.5), along);
        }
        if (trial % 17 == 0) pb.p = pa.p;
        ts_proximity p;
        ts_proximity_query(&a, &pa, &b, &pb, 0, 0, &p);
        long double core = segments(wide(pa.p), wide(ts_mat3_column(&pa.R, 2)), a.half.z, wide(pb.p),
                                    wide(ts_mat3_column(&pb.R, 2)), b.half.z);
        long double expected = core - a.radius - b.radius;
        cr_assert_leq(fabsl(p.distance - expected), 1e-12L, "trial %d: %.17g, not %.17Lg", trial, p.distance, expected);
        cr_assert_float_eq(ts_vec3_norm(p.found.normal), 1.0, 1e-14);
        ts_vec3 miss =
            ts_vec3_sub(ts_vec3_sub(p.found.point_b, p.found.point_a), ts_vec3_scale(p.distance, p.found.normal));
        cr_assert_leq(ts_vec3_norm(miss), 1e-13);
        ts_proximity back;
        ts_proximity_query(&b, &pb, &a, &pa, 0, 0, &back);
        cr_assert_float_eq(back.distance, p.distance, 1e-14, "trial %d: %.17g swapped %.17g", trial, p.distance,
                           back.distance);
    }
}

// A needle: its far end sees the smallest tilt of a normal. The ball sits beside the near end, a hair this side of it or that.
Test(closed_form, the_normal_beside_the_end_of_a_needle_supports_all_of_it) {
    ts_rng rng = ts_rng_make(430628413, 0);
    double half = 364.83394743760635;
    ts_shape ball = ts_shape_sphere(5.6965771610229617e-05), needle = ts_shape_capsule(0.0034716283024154972, half);
    for (int trial = 0; trial < 20000; ++trial) {
        ts_transform at = random_pose(&rng, 0.0), there = at;
        double gap = 1e-9 * ts_rng_normal(&rng), past = 1e-13 * ts_rng_normal(&rng);
        double side = needle.radius + ball.radius + gap, turn = ts_rng_uniform_in(&rng, 0.0, 6.3);
        ts_vec3 c = ts_vec3_make(side * cos(turn), side * sin(turn), (trial % 2 ? half : -half) + past);
        there.p = ts_transform_point(&at, c);
        ts_proximity p;
        ts_proximity_query(&ball, &there, &needle, &at, 0, 0, &p);
        // Both ends of the needle's axis lie behind the plane, as far as the frames can be trusted.
        ts_vec3 axis = ts_mat3_column(&at.R, 2), outward = ts_vec3_neg(p.found.normal);
        for (int end = -1; end <= 1; end += 2) {
            ts_vec3 reach = ts_vec3_sub(ts_vec3_sub(there.p, at.p), ts_vec3_scale(end * half, axis));
            double proven = ts_vec3_dot(outward, reach) - needle.radius - ball.radius;
            cr_assert_geq(proven, p.found.lower - 1e-12, "trial %d: %.3g claimed, %.3g proven", trial, p.found.lower,
                          proven);
        }
    }
}
