// Support functions against linear scans and samples.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/support.h"
#include "collision/shape/support_internal.h"

Test(support, hull_matches_a_linear_scan_from_any_hint) {
    ts_rng rng = ts_rng_make(21, 0);
    const int sizes[5] = {4, 9, 100, 200, 500};  // below and above the switch to hill climbing
    for (int s = 0; s < 5; ++s) {
        ts_hull* hull = random_hull(&rng, sizes[s], ts_vec3_make(0.3, 1.0, 2.0));
        ts_shape shape = ts_shape_hull(hull);
        for (int trial = 0; trial < 500; ++trial) {
            ts_vec3 d = random_vector(&rng, 1.0);
            double best = -1e300;
            for (int i = 0; i < hull->vertex_count; ++i) {
                double value = ts_vec3_dot(d, hull->vertex[i]);
                best = value > best ? value : best;
            }
            int hint = (int)(ts_rng_uniform(&rng) * hull->vertex_count);
            ts_support_point cold = ts_support_core(&shape, d, -1), warm = ts_support_core(&shape, d, hint);
            cr_assert_float_eq(ts_vec3_dot(d, cold.point), best, 1e-14);
            cr_assert_float_eq(ts_vec3_dot(d, warm.point), best, 1e-14);
            cr_assert_eq(ts_vec3_distance(hull->vertex[warm.index], warm.point), 0.0);
        }
        ts_hull_free(hull);
    }
}

Test(support, vector_and_scalar_scans_name_the_same_vertex) {
    ts_rng rng = ts_rng_make(24, 0);
    for (int count = 4; count < 60; ++count) {
        ts_hull* hull = random_hull(&rng, count, ts_vec3_make(0.3, 1.0, 2.0));
        for (int trial = 0; trial < 300; ++trial) {
            ts_vec3 d = random_vector(&rng, 1.0);
            cr_assert_eq(ts_support_scan_simd(hull, d), ts_support_scan(hull, d));
        }
        ts_hull_free(hull);
    }
    // Ties: on a box along its axes, and the zero direction, where all are equal.
    ts_hull* box = box_hull(ts_vec3_make(1.0, 2.0, 3.0));
    for (int k = 0; k < 27; ++k) {
        ts_vec3 d = ts_vec3_make(k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0);
        int expected = 0;
        for (int i = 1; i < 8; ++i)
            if (ts_vec3_dot(d, box->vertex[i]) > ts_vec3_dot(d, box->vertex[expected])) expected = i;
        cr_expect_eq(ts_support_scan(box, d), expected);
        cr_expect_eq(ts_support_scan_simd(box, d), expected);
    }
    ts_hull_free(box);
}

Test(support, nothing_of_the_core_lies_beyond_the_support_point) {
    ts_rng rng = ts_rng_make(22, 0);
    for (int kind = TS_SHAPE_CAPSULE; kind <= TS_SHAPE_BOX; ++kind) {
        ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, 0);
        shape.radius = kind == TS_SHAPE_CAPSULE ? 1e-300 : 0.0;  // the core alone
        for (int trial = 0; trial < 200; ++trial) {
            ts_vec3 d = random_unit(&rng);
            ts_support_point s = ts_support_core(&shape, d, -1);
            cr_assert_leq(outside(&shape, s.point), 1e-12, "kind %d", kind);
            for (int sample = 0; sample < 200; ++sample) {
                ts_vec3 u = ts_vec3_add_scaled(s.point, 1.0, random_vector(&rng, 0.3));
                if (outside(&shape, u) > 0.0) continue;
                cr_assert_leq(ts_vec3_dot(d, u), ts_vec3_dot(d, s.point) + 1e-12);
            }
        }
    }
}

Test(support, the_value_is_positively_homogeneous_and_scale_free) {
    ts_rng rng = ts_rng_make(23, 0);
    for (int kind = TS_SHAPE_SPHERE; kind <= TS_SHAPE_BOX; ++kind) {
        ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, 0);
        for (int trial = 0; trial < 100; ++trial) {
            ts_vec3 d = random_unit(&rng);
            ts_vec3 p = ts_support_core(&shape, d, -1).point;
            ts_vec3 tiny = ts_support_core(&shape, ts_vec3_scale(1e-200, d), -1).point;
            ts_vec3 huge = ts_support_core(&shape, ts_vec3_scale(1e200, d), -1).point;
            cr_assert_leq(ts_vec3_distance(p, tiny), 1e-14);
            cr_assert_leq(ts_vec3_distance(p, huge), 1e-14);
        }
        cr_expect(ts_vec3_is_finite(ts_support_core(&shape, ts_vec3_zero(), -1).point));
    }
}

Test(support, ties_and_signed_zeros_name_the_same_vertex) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0));
    int plus = ts_support_core(&box, ts_vec3_make(0.0, 1.0, 0.0), -1).index;
    int minus = ts_support_core(&box, ts_vec3_make(-0.0, 1.0, -0.0), -1).index;
    cr_expect_eq(plus, minus);
    cr_expect_eq(plus, 7);
    ts_shape cylinder = ts_shape_cylinder(0.5, 1.0);
    ts_vec3 rim = ts_support_core(&cylinder, ts_vec3_axis(2), -1).point;
    cr_expect_float_eq(rim.x, 0.5, 0.0);
    cr_expect_float_eq(rim.z, 1.0, 0.0);
}

Test(support, cone_and_triangle_break_ties_the_same_way_every_time) {
    ts_shape cone = ts_shape_cone(0.5, 1.0);
    ts_vec3 rim = ts_support_core(&cone, ts_vec3_make(0.0, -0.0, -1.0), -1).point;
    cr_expect(rim.x == 0.5 && rim.y == 0.0 && rim.z == -1.0, "no azimuth: the rim at +x");
    cr_expect_eq(ts_support_core(&cone, ts_vec3_axis(2), -1).point.z, 1.0);
    // On the normal of the side, 2 h d.z = r |d.xy|, apex and rim tie: the rim wins, at every length of the direction.
    for (int power = -300; power <= 300; power += 100) {
        double unit = ldexp(1.0, power);
        ts_support_point s = ts_support_core(&cone, ts_vec3_make(4.0 * unit, 0.0, unit), -1);
        cr_expect_eq(s.point.z, -1.0, "2^%d", power);
        s = ts_support_core(&cone, ts_vec3_make(4.0 * unit, 0.0, 1.0000001 * unit), -1);
        cr_expect_eq(s.point.z, 1.0, "2^%d", power);
    }
    // Lowest index among equals, far from the origin as well.
    const ts_vec3 corner[3] = {{1e6, 0.0, 0.0}, {1e6 + 1.0, 0.0, 0.0}, {1e6 + 1.0, 1e-3, 0.0}};
    ts_shape triangle = ts_shape_triangle(corner);
    cr_expect_eq(ts_support_core(&triangle, ts_vec3_axis(2), -1).index, 0);
    cr_expect_eq(ts_support_core(&triangle, ts_vec3_axis(0), -1).index, 1);
    cr_expect_eq(ts_support_core(&triangle, ts_vec3_make(1.0, 1e-12, 0.0), -1).index, 2);
    cr_expect_eq(ts_support_core(&triangle, ts_vec3_zero(), -1).index, 0);
}

// What momentum and EPA's shortcuts ask for.
Test(support, flags_of_cores) {
    const ts_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    ts_hull* flat = 0;
    cr_assert_eq(ts_hull_build_any(corner, 3, &flat, 0, 0), TS_OK);
    const ts_shape shape[8] = {ts_shape_sphere(1.0),
                               ts_shape_capsule(1.0, 1.0),
                               ts_shape_ellipsoid(ts_vec3_make(1.0, 1.0, 1.0)),
                               ts_shape_cylinder(1.0, 1.0),
                               ts_shape_cone(1.0, 1.0),
                               ts_shape_triangle(corner),
                               ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)),
                               ts_shape_hull(flat)};
    static const int polytope[8] = {1, 1, 0, 0, 0, 1, 1, 1}, rank[8] = {0, 1, 3, 3, 3, 2, 3, 2};
    for (int k = 0; k < 8; ++k) {
        ts_shape rounded = ts_shape_rounded(shape[k], 0.5);
        cr_expect_eq(ts_support_is_polytope(&rounded), polytope[k], "%d", k);
        cr_expect_eq(ts_support_rank(&rounded), rank[k], "%d", k);
        cr_expect_eq(ts_support_is_strictly_convex(&rounded), k == 2, "%d", k);
    }
    ts_hull_free(flat);
}

// Corners must lie on the supporting plane, in counter-clockwise order, with distinct labels.
static void check_polygon(const ts_shape* shape, ts_vec3 d, int corners) {
    ts_support_feature f;
    ts_support_feature_along(shape, d, &f);
    cr_assert_eq(f.count, corners);
    cr_expect_geq(f.index, 0);
    double top = ts_vec3_dot(f.normal, ts_support_core(shape, f.normal, -1).point);
    for (int k = 0; k < f.count; ++k) {
        cr_expect_float_eq(ts_vec3_dot(f.normal, f.point[k]), top, 1e-12);
        ts_vec3 e = ts_vec3_sub(f.point[(k + 1) % f.count], f.point[k]);
        ts_vec3 g = ts_vec3_sub(f.point[(k + 2) % f.count], f.point[(k + 1) % f.count]);
        cr_expect_gt(ts_vec3_dot(ts_vec3_cross(e, g), f.normal), 0.0);
        for (int j = 0; j < k; ++j) cr_expect_neq(f.vertex[j], f.vertex[k]);
    }
}

Test(support, features_are_faces_edges_and_corners) {
    ts_shape box = ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0));
    ts_hull* hull = box_hull(ts_vec3_make(1.0, 2.0, 3.0));
    ts_shape same = ts_shape_hull(hull);
    ts_shape cylinder = ts_shape_cylinder(0.5, 1.0), capsule = ts_shape_capsule(0.5, 1.0);
    for (int axis = 0; axis < 3; ++axis)
        for (int sign = -1; sign <= 1; sign += 2) {
            check_polygon(&box, ts_vec3_scale(sign, ts_vec3_axis(axis)), 4);
            check_polygon(&same, ts_vec3_scale(sign, ts_vec3_axis(axis)), 4);
        }
    check_polygon(&cylinder, ts_vec3_axis(2), 8);
    check_polygon(&cylinder, ts_vec3_make(0.0, 0.0, -1.0), 8);
    ts_support_feature f;
    ts_vec3 edge = ts_vec3_unit_or(ts_vec3_make(1.0, 1.0, 0.0), ts_vec3_zero());
    const ts_shape* solids[2] = {&box, &same};
    for (int k = 0; k < 2; ++k) {
        ts_support_feature_along(solids[k], edge, &f);
        cr_expect_eq(f.count, 2);
        cr_expect_float_eq(fabs(f.point[0].z - f.point[1].z), 6.0, 1e-15);
        ts_support_feature_along(solids[k], ts_vec3_unit_or(ts_vec3_make(1.0, 1.0, 1.0), ts_vec3_zero()), &f);
        cr_expect_eq(f.count, 1);
    }
    ts_support_feature_along(&cylinder, ts_vec3_axis(1), &f);
    cr_expect_eq(f.count, 2);
    cr_expect_float_eq(f.point[0].y, 0.5, 1e-15);
    ts_support_feature_along(&capsule, ts_vec3_axis(0), &f);
    cr_expect_eq(f.count, 2);
    ts_support_feature_along(&capsule, ts_vec3_axis(2), &f);
    cr_expect_eq(f.count, 1);
    ts_hull_free(hull);
}
