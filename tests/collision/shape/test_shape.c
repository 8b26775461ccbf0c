// Shapes against integrals and samples taken without them.
#include "tests/collision/collision_fixture.h"

// Volume and second moments of a body by summing cells of a fine grid weighted by whether their centre is inside.
// A cell straddling the surface errs by at most its volume, and errs both ways, so a percent is safe.
static void check_mass(ts_shape shape, double half_x, double half_y, double half_z) {
    enum { N = 120 };
    double volume = 0.0, xx = 0.0, yy = 0.0, zz = 0.0;
    double cell = 8.0 * half_x * half_y * half_z / ((double)N * N * N);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < N; ++k) {
                ts_vec3 p = ts_vec3_make(half_x * ((2 * i + 1.0) / N - 1.0), half_y * ((2 * j + 1.0) / N - 1.0),
                                         half_z * ((2 * k + 1.0) / N - 1.0));
                if (outside(&shape, p) > 0.0) continue;
                volume += cell;
                xx += cell * p.x * p.x;
                yy += cell * p.y * p.y;
                zz += cell * p.z * p.z;
            }
    ts_mass_properties m = ts_shape_mass_properties(&shape);
    cr_expect_float_eq(m.volume, volume, 0.01 * volume);
    cr_expect_float_eq(m.inertia.m[0][0], yy + zz, 0.015 * (yy + zz));
    cr_expect_float_eq(m.inertia.m[1][1], xx + zz, 0.015 * (xx + zz));
    cr_expect_float_eq(m.inertia.m[2][2], xx + yy, 0.015 * (xx + yy));
    cr_expect_eq(m.inertia.m[0][1], 0.0);
}

Test(shape, mass_properties_agree_with_a_grid_sum) {
    check_mass(ts_shape_sphere(0.7), 0.7, 0.7, 0.7);
    check_mass(ts_shape_capsule(0.4, 0.6), 0.4, 0.4, 1.0);
    check_mass(ts_shape_ellipsoid(ts_vec3_make(0.3, 0.5, 0.9)), 0.3, 0.5, 0.9);
    check_mass(ts_shape_cylinder(0.5, 0.8), 0.5, 0.5, 0.8);
    check_mass(ts_shape_box(ts_vec3_make(0.2, 0.6, 0.4)), 0.2, 0.6, 0.4);
}

Test(shape, mass_of_special_cases_is_exact) {
    const double pi = 3.14159265358979323846;
    ts_shape sphere = ts_shape_sphere(2.0);
    ts_shape ball = ts_shape_ellipsoid(ts_vec3_make(2.0, 2.0, 2.0));
    ts_mass_properties a = ts_shape_mass_properties(&sphere), b = ts_shape_mass_properties(&ball);
    cr_expect_float_eq(a.volume, 32.0 / 3.0 * pi, 1e-12);
    cr_expect_float_eq(a.volume, b.volume, 1e-12);
    cr_expect_float_eq(a.inertia.m[1][1], b.inertia.m[1][1], 1e-12);
    // A unit cube: volume 1, inertia 1/6.
    ts_shape cube = ts_shape_box(ts_vec3_make(0.5, 0.5, 0.5));
    ts_mass_properties c = ts_shape_mass_properties(&cube);
    cr_expect_float_eq(c.volume, 1.0, 1e-15);
    cr_expect_float_eq(c.inertia.m[2][2], 1.0 / 6.0, 1e-15);
    // A capsule of zero length is a ball.
    ts_shape nearly = ts_shape_capsule(2.0, 0.0);
    cr_expect_float_eq(ts_shape_mass_properties(&nearly).inertia.m[0][0], a.inertia.m[0][0], 1e-12);
    ts_shape plane = ts_shape_plane();
    cr_expect_eq(ts_shape_mass_properties(&plane).volume, 0.0);
}

Test(shape, bounds_hold_every_sample_and_are_tight) {
    ts_rng rng = ts_rng_make(11, 0);
    ts_hull* hull = random_hull(&rng, 40, ts_vec3_make(0.5, 0.7, 0.9));
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) {
        for (int trial = 0; trial < 10; ++trial) {
            ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull);
            ts_transform pose = random_pose(&rng, 3.0);
            ts_vec3 low, high;
            ts_shape_bounds(&shape, &pose, &low, &high);
            double radius = ts_shape_bounding_radius(&shape);
            // Pull random points onto the surface by bisection and see that all lie inside and some come near.
            for (int axis = 0; axis < 3; ++axis) {
                double highest = -1e9;
                for (int sample = 0; sample < 4000; ++sample) {
                    ts_vec3 u = random_unit(&rng);
                    // Crowd the samples around the axis in question: the extreme point is found by shape, not luck.
                    double in = 0.0, out = 4.0;
                    for (int k = 0; k < 40; ++k) {
                        double middle = 0.5 * (in + out);
                        if (outside(&shape, ts_vec3_scale(middle, u)) <= 0.0)
                            in = middle;
                        else
                            out = middle;
                    }
                    ts_vec3 local = ts_vec3_scale(in, u);
                    if (kind == TS_SHAPE_TRIANGLE) local = shape.triangle[sample % 3];  // the origin is outside
                    ts_vec3 world = ts_transform_point(&pose, local);
                    cr_assert_leq(ts_vec3_norm(local), radius + 1e-9);
                    double value = ts_vec3_get(world, axis);
                    cr_assert_leq(value, ts_vec3_get(high, axis) + 1e-9);
                    cr_assert_geq(value, ts_vec3_get(low, axis) - 1e-9);
                    highest = value > highest ? value : highest;
                }
                cr_expect_geq(highest, ts_vec3_get(high, axis) - 0.12, "kind %d axis %d", kind, axis);
            }
        }
    }
    ts_hull_free(hull);
}

Test(shape, plane_is_unbounded) {
    ts_shape plane = ts_shape_plane();
    ts_transform pose = at(1.0, 2.0, 3.0);
    pose.R = turn(0, 1e-9);
    ts_vec3 low, high;
    ts_shape_bounds(&plane, &pose, &low, &high);
    for (int k = 0; k < 3; ++k) {
        cr_expect(isinf(ts_vec3_get(low, k)) && ts_vec3_get(low, k) < 0.0);
        cr_expect(isinf(ts_vec3_get(high, k)) && ts_vec3_get(high, k) > 0.0);
    }
    cr_expect(isinf(ts_shape_bounding_radius(&plane)));
}

// A half-space along an axis ends at its plane, whichever way it faces, and nowhere else.
Test(shape, upright_plane_ends_at_its_surface) {
    ts_shape plane = ts_shape_plane();
    for (int axis = 0; axis < 3; ++axis) {
        for (int sign = -1; sign <= 1; sign += 2) {
            ts_transform pose = at(1.0, -2.0, 3.0);
            ts_vec3 normal = ts_vec3_scale(sign, ts_vec3_axis(axis)), low, high;
            pose.R = ts_quat_to_mat3(ts_quat_between(ts_vec3_axis(2), normal));
            ts_shape_bounds(&plane, &pose, &low, &high);
            double end = ts_vec3_get(pose.p, axis);
            double solid = sign > 0 ? ts_vec3_get(high, axis) - end : end - ts_vec3_get(low, axis);
            cr_expect(solid >= 0.0 && solid < 1e-13, "axis %d sign %d: %g", axis, sign, solid);
            int infinite = 0;
            for (int k = 0; k < 3; ++k) infinite += !isfinite(ts_vec3_get(low, k)) + !isfinite(ts_vec3_get(high, k));
            cr_expect_eq(infinite, 5);
        }
    }
}

Test(shape, validation_refuses_bad_dimensions) {
    ts_status status;
    ts_shape bad[8] = {ts_shape_sphere(0.0),
                       ts_shape_sphere((double)NAN),
                       ts_shape_capsule(1.0, -1.0),
                       ts_shape_cylinder((double)INFINITY, 1.0),
                       ts_shape_box(ts_vec3_make(1.0, 0.0, 1.0)),
                       ts_shape_ellipsoid(ts_vec3_make(1.0, 1.0, -2.0)),
                       ts_shape_hull(0),
                       ts_shape_sphere(-1.0)};
    for (int i = 0; i < 8; ++i) {
        cr_expect_eq(ts_shape_validate(&bad[i], &status), TS_ERROR_VALUE, "case %d", i);
        cr_expect_neq(status.message[0], '\0');
    }
    ts_shape good[6] = {ts_shape_plane(),
                        ts_shape_sphere(1.0),
                        ts_shape_capsule(1.0, 2.0),
                        ts_shape_cylinder(1.0, 2.0),
                        ts_shape_box(ts_vec3_make(1.0, 2.0, 3.0)),
                        ts_shape_ellipsoid(ts_vec3_make(1.0, 2.0, 3.0))};
    for (int i = 0; i < 6; ++i) cr_expect_eq(ts_shape_validate(&good[i], &status), TS_OK);
}

Test(shape, validation_knows_the_later_kinds) {
    ts_status status;
    const ts_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, point[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const ts_vec3 lost[3] = {{0, 0, 0}, {1, 0, 0}, {0, (double)NAN, 0}}, good[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1e-9, 0}};
    const ts_shape bad[12] = {ts_shape_cone(0.0, 1.0),
                              ts_shape_cone(1.0, -1.0),
                              ts_shape_cone((double)NAN, 1.0),
                              ts_shape_triangle(0),
                              ts_shape_triangle(line),
                              ts_shape_triangle(point),
                              ts_shape_triangle(lost),
                              ts_shape_height_field(0),
                              ts_shape_compound(0),
                              ts_shape_rounded(ts_shape_cone(1.0, 1.0), -0.1),
                              ts_shape_rounded(ts_shape_box(ts_vec3_make(1.0, 1.0, 1.0)), (double)INFINITY),
                              ts_shape_rounded(ts_shape_plane(), 0.1)};
    for (int i = 0; i < 12; ++i) {
        cr_expect_eq(ts_shape_validate(&bad[i], &status), TS_ERROR_VALUE, "case %d", i);
        cr_expect_neq(status.message[0], '\0');
    }
    const ts_shape fine[3] = {ts_shape_cone(1.0, 2.0), ts_shape_triangle(good),
                              ts_shape_rounded(ts_shape_triangle(good), 0.1)};
    for (int i = 0; i < 3; ++i) cr_expect_eq(ts_shape_validate(&fine[i], &status), TS_OK, "%s", status.message);
    cr_expect(ts_shape_is_convex(&fine[0]));
    cr_expect_not(ts_shape_is_convex(&bad[7]));
    cr_expect_not(ts_shape_is_convex(&bad[8]));
}

// A ball around any convex shape moves its bounds out by the radius, and nothing else.
Test(shape, rounding_grows_bounds_by_the_radius) {
    ts_rng rng = ts_rng_make(12, 0);
    ts_hull* hull = random_hull(&rng, 40, ts_vec3_make(0.5, 0.7, 0.9));
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind) {
        ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull), grown = ts_shape_rounded(shape, 0.25);
        ts_transform pose = random_pose(&rng, 2.0);
        ts_vec3 low[2], high[2], ball = ts_vec3_make(0.25, 0.25, 0.25);
        ts_shape_bounds(&shape, &pose, &low[0], &high[0]);
        ts_shape_bounds(&grown, &pose, &low[1], &high[1]);
        cr_expect_leq(ts_vec3_distance(ts_vec3_sub(low[0], ball), low[1]), 1e-14);
        cr_expect_leq(ts_vec3_distance(ts_vec3_add(high[0], ball), high[1]), 1e-14);
        cr_expect_float_eq(ts_shape_bounding_radius(&grown), ts_shape_bounding_radius(&shape) + 0.25, 1e-14);
        ts_shape_local_box(&shape, &low[0], &high[0]);
        ts_shape_local_box(&grown, &low[1], &high[1]);
        cr_expect_leq(ts_vec3_distance(ts_vec3_sub(low[0], ball), low[1]), 1e-14);
    }
    ts_hull_free(hull);
}

Test(shape, every_kind_has_a_name_and_a_summary) {
    for (int kind = 0; kind < TS_SHAPE_KIND_COUNT; ++kind) {
        cr_expect_str_neq(ts_shape_kind_name((ts_shape_kind)kind), "unknown");
        cr_expect_gt(strlen(ts_shape_kind_info_of((ts_shape_kind)kind)->summary), 10);
    }
    cr_expect_str_eq(ts_shape_kind_name(TS_SHAPE_KIND_COUNT), "unknown");
}
