// Mass properties of rounded shapes against closed forms, limits, and sums over grids.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"

static const double pi = 3.14159265358979323846;

static void expect_mass(const ts_mass_properties* m, const ts_mass_properties* n, double tolerance, const char* what) {
    cr_expect_float_eq(m->volume, n->volume, tolerance * n->volume, "%s: volume %.17g, not %.17g", what, m->volume,
                       n->volume);
    double size = sqrt(ts_mat3_trace(&n->inertia) / n->volume);
    cr_expect_leq(ts_vec3_distance(m->centre, n->centre), tolerance * size, "%s: centre", what);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            cr_expect_float_eq(m->inertia.m[i][j], n->inertia.m[i][j], tolerance * ts_mat3_trace(&n->inertia),
                               "%s: inertia %d %d is %.17g, not %.17g", what, i, j, m->inertia.m[i][j],
                               n->inertia.m[i][j]);
}

static ts_mass_properties mass_of(ts_shape shape, double radius) {
    ts_shape rounded = ts_shape_rounded(shape, radius);
    return ts_shape_mass_properties(&rounded);
}

// A flat or thin hull with a ball is a shape that has formulas of its own.
Test(shape_mass, points_and_segments_become_balls_and_capsules) {
    const ts_vec3 ends[2] = {{1.0, 2.0, 3.0 - 0.7}, {1.0, 2.0, 3.0 + 0.7}};
    ts_hull *point = 0, *segment = 0;
    cr_assert_eq(ts_hull_build_any(ends, 1, &point, 0, 0), TS_OK);
    cr_assert_eq(ts_hull_build_any(ends, 2, &segment, 0, 0), TS_OK);
    ts_shape ball = ts_shape_sphere(0.4), capsule = ts_shape_capsule(0.4, 0.7);
    ts_mass_properties expected = ts_shape_mass_properties(&ball), m = mass_of(ts_shape_hull(point), 0.4);
    expected.centre = ends[0];
    expect_mass(&m, &expected, 1e-14, "point");
    expected = ts_shape_mass_properties(&capsule);
    expected.centre = ts_vec3_make(1.0, 2.0, 3.0);
    m = mass_of(ts_shape_hull(segment), 0.4);
    expect_mass(&m, &expected, 1e-14, "segment");
    ts_hull_free(point);
    ts_hull_free(segment);
}

// Steiner: V + S r + M r^2 + 4/3 pi r^3, with M of a box pi times the sum of its half sides times 2.
Test(shape_mass, volumes_are_steiner_polynomials) {
    for (int k = 1; k <= 5; ++k) {
        double r = 0.2 * k, a = 0.3, b = 0.5, c = 0.7;
        double box =
            8 * a * b * c + 8 * (a * b + b * c + c * a) * r + 2 * pi * (a + b + c) * r * r + 4.0 / 3.0 * pi * r * r * r;
        cr_expect_float_eq(mass_of(ts_shape_box(ts_vec3_make(a, b, c)), r).volume, box, 1e-13 * box);
        // A cylinder: the integral of mean curvature is pi 2h + pi^2 r0.
        double R = 0.4, h = 0.6;
        double cylinder = 2 * pi * R * R * h + (4 * pi * R * h + 2 * pi * R * R) * r +
                          (2 * pi * h + pi * pi * R) * r * r + 4.0 / 3.0 * pi * r * r * r;
        cr_expect_float_eq(mass_of(ts_shape_cylinder(R, h), r).volume, cylinder, 1e-13 * cylinder);
        // A triangle: twice its area, pi/2 times its perimeter.
        const ts_vec3 t[3] = {{0, 0, 5}, {3, 0, 5}, {0, 4, 5}};
        double triangle = 12 * r + 0.5 * pi * 12 * r * r + 4.0 / 3.0 * pi * r * r * r;
        cr_expect_float_eq(mass_of(ts_shape_triangle(t), r).volume, triangle, 1e-13 * triangle);
        // A cone: lateral and base area; mean curvature of side, rim and apex.
        double slant = sqrt(4 * h * h + R * R), tilt = atan2(R, 2 * h);
        double cone = 2.0 / 3.0 * pi * R * R * h + pi * R * (R + slant) * r +
                      (pi * 2 * h + pi * R * (0.5 * pi + tilt)) * r * r + 4.0 / 3.0 * pi * r * r * r;
        cr_expect_float_eq(mass_of(ts_shape_cone(R, h), r).volume, cone, 1e-12 * cone, "%.17g, not %.17g",
                           mass_of(ts_shape_cone(R, h), r).volume, cone);
    }
}

Test(shape_mass, equal_shapes_by_different_ways) {
    ts_rng rng = ts_rng_make(161, 0);
    // A ball of radius 0.5 grown by 0.3, once as an ellipsoid.
    ts_shape ball = ts_shape_sphere(0.8);
    ts_mass_properties expected = ts_shape_mass_properties(&ball);
    ts_mass_properties m = mass_of(ts_shape_ellipsoid(ts_vec3_make(0.5, 0.5, 0.5)), 0.3);
    expect_mass(&m, &expected, 1e-13, "ellipsoid");
    for (int trial = 0; trial < 20; ++trial) {
        // Boxes as boxes and as hulls, and boxes nearly flat as hulls that are.
        ts_vec3 h = ts_vec3_make(ts_rng_uniform_in(&rng, 0.1, 1.0), ts_rng_uniform_in(&rng, 0.1, 1.0), 0.4);
        ts_hull* hull = box_hull(h);
        double r = ts_rng_uniform_in(&rng, 0.01, 1.0);
        expected = mass_of(ts_shape_box(h), r);
        m = mass_of(ts_shape_hull(hull), r);
        expect_mass(&m, &expected, 1e-13, "box as hull");
        ts_hull_free(hull);
        const ts_vec3 square[4] = {{-h.x, -h.y, 0}, {h.x, -h.y, 0}, {h.x, h.y, 0}, {-h.x, h.y, 0}};
        cr_assert_eq(ts_hull_build_any(square, 4, &hull, 0, 0), TS_OK);
        expected = mass_of(ts_shape_box(ts_vec3_make(h.x, h.y, 1e-9)), r);
        m = mass_of(ts_shape_hull(hull), r);
        expect_mass(&m, &expected, 1e-7, "square");
        ts_hull_free(hull);
        // A cone and a cylinder as hulls of many corners.
        enum { N = 200 };
        ts_vec3 rim[2 * N];
        for (int k = 0; k < N; ++k) {
            double phi = 2.0 * pi * k / N;
            rim[k] = ts_vec3_make(h.x * cos(phi), h.x * sin(phi), -h.y);
            rim[N + k] = ts_vec3_make(rim[k].x, rim[k].y, h.y);
        }
        cr_assert_eq(ts_hull_build(rim, 2 * N, &hull, 0), TS_OK);
        expected = mass_of(ts_shape_cylinder(h.x, h.y), r);
        m = mass_of(ts_shape_hull(hull), r);
        expect_mass(&m, &expected, 2e-3, "cylinder as hull");
        ts_hull_free(hull);
        rim[N] = ts_vec3_make(0.0, 0.0, h.y);
        cr_assert_eq(ts_hull_build(rim, N + 1, &hull, 0), TS_OK);
        expected = mass_of(ts_shape_cone(h.x, h.y), r);
        m = mass_of(ts_shape_hull(hull), r);
        expect_mass(&m, &expected, 2e-3, "cone as hull");
        ts_hull_free(hull);
    }
}

// Growing a body by r and then a little more adds its surface times that little; so mass is smooth in r, and the inertia
// of what is added is that of a shell. Differences of r against a third difference being small catches a wrong power.
Test(shape_mass, every_moment_is_a_polynomial_in_the_radius) {
    ts_rng rng = ts_rng_make(162, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.5, 0.3, 0.7));
    for (int kind = TS_SHAPE_ELLIPSOID; kind < TS_SHAPE_CONVEX_COUNT; ++kind) {
        ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull);
        double volume[5], moment[7];
        for (int k = 0; k < 7; ++k) {
            ts_mass_properties m = mass_of(shape, 0.1 * k);
            if (k < 5) volume[k] = m.volume;
            // About the frame's origin: x^2 + y^2 + z^2 over the body.
            moment[k] = 0.5 * ts_mat3_trace(&m.inertia) + m.volume * ts_vec3_norm_squared(m.centre);
        }
        double fourth = volume[0] - 4 * volume[1] + 6 * volume[2] - 4 * volume[3] + volume[4];
        double sixth =
            moment[0] - 6 * moment[1] + 15 * moment[2] - 20 * moment[3] + 15 * moment[4] - 6 * moment[5] + moment[6];
        cr_expect_float_eq(fourth, 0.0, 1e-11, "kind %d: %g", kind, fourth);
        cr_expect_float_eq(sixth, 0.0, 1e-10, "kind %d: %g", kind, sixth);
    }
    ts_hull_free(hull);
}

// An ellipsoid turned about z has a surface with a formula.
Test(shape_mass, spheroid_shell) {
    for (int k = 1; k <= 5; ++k) {
        double a = 0.3, c = 0.3 * (1.0 + 0.8 * k), e = sqrt(1.0 - a * a / (c * c)), r = 1e-4;
        double area = 2.0 * pi * a * a * (1.0 + c / (a * e) * asin(e));
        ts_mass_properties core = mass_of(ts_shape_ellipsoid(ts_vec3_make(a, a, c)), 0.0);
        ts_mass_properties m = mass_of(ts_shape_ellipsoid(ts_vec3_make(a, a, c)), r);
        ts_mass_properties twice = mass_of(ts_shape_ellipsoid(ts_vec3_make(a, a, c)), 2.0 * r);
        // The slope at zero, to third order.
        double slope = (4.0 * m.volume - 3.0 * core.volume - twice.volume) / (2.0 * r);
        cr_expect_float_eq(slope, area, 1e-7 * area, "aspect %g: %.12g, not %.12g", c / a, slope, area);
    }
}

// Sums over a grid, by distances that know nothing of mass.
Test(shape_mass, rounded_solids_agree_with_a_grid) {
    ts_rng rng = ts_rng_make(163, 0);
    const ts_shape shape[3] = {ts_shape_rounded(ts_shape_cone(0.4, 0.5), 0.2),
                               ts_shape_rounded(ts_shape_cylinder(0.4, 0.3), 0.25),
                               ts_shape_rounded(ts_shape_box(ts_vec3_make(0.2, 0.3, 0.5)), 0.2)};
    for (int s = 0; s < 3; ++s) {
        double volume = 0.0, z = 0.0, xx = 0.0, zz = 0.0;
        enum { N = 4000000 };
        for (int i = 0; i < N; ++i) {
            ts_vec3 p = random_vector(&rng, 0.8);
            // Distance to the core in the half plane of axis and point, or per coordinate.
            double d, rho = sqrt(p.x * p.x + p.y * p.y), h = shape[s].half.z, R = shape[s].half.x;
            if (s == 0) {
                double slant = sqrt(4 * h * h + R * R), t = ((R - rho) * R + (p.z + h) * 2 * h) / (slant * slant);
                t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
                double side = hypot(rho - R * (1.0 - t), p.z - (-h + 2 * h * t));
                double below = rho <= R ? fabs(p.z + h) : hypot(rho - R, p.z + h);
                int inside = p.z >= -h && 2 * h * rho + R * (p.z - h) <= 0.0;
                d = inside ? 0.0 : fmin(side, below);
            } else if (s == 1) {
                d = hypot(fmax(rho - R, 0.0), fmax(fabs(p.z) - h, 0.0));
            } else {
                ts_vec3 q = ts_vec3_max(ts_vec3_sub(ts_vec3_abs(p), shape[s].half), ts_vec3_zero());
                d = ts_vec3_norm(q);
            }
            if (d > shape[s].radius) continue;
            double cell = 1.6 * 1.6 * 1.6 / N;
            volume += cell;
            z += cell * p.z;
            xx += cell * p.x * p.x;
            zz += cell * p.z * p.z;
        }
        ts_mass_properties m = ts_shape_mass_properties(&shape[s]);
        double about = 0.5 * ts_mat3_trace(&m.inertia);
        cr_expect_float_eq(m.volume, volume, 4e-3 * volume, "%d", s);
        cr_expect_float_eq(m.volume * m.centre.z, z, 4e-3 * volume, "%d", s);
        cr_expect_float_eq(about - m.inertia.m[0][0], xx, 6e-3 * xx, "%d", s);
        cr_expect_float_eq(about - m.inertia.m[2][2] + m.volume * m.centre.z * m.centre.z, zz, 6e-3 * zz, "%d", s);
    }
}

// A rounded hull far from its origin weighs what it weighs at home.
Test(shape_mass, far_from_the_origin) {
    ts_rng rng = ts_rng_make(164, 0);
    ts_vec3 near[20], far[20], shift = ts_vec3_make(4096.0, -8192.0, 1024.0);
    for (int i = 0; i < 20; ++i) {
        // Coordinates with few bits, so that the shift rounds nothing.
        ts_vec3 p = random_unit(&rng);
        near[i] =
            ts_vec3_make(floor(p.x * 1024.0) / 1024.0, floor(p.y * 1024.0) / 1024.0, floor(p.z * 1024.0) / 1024.0);
        far[i] = ts_vec3_add(near[i], shift);
    }
    ts_hull *a = 0, *b = 0;
    cr_assert_eq(ts_hull_build(near, 20, &a, 0), TS_OK);
    cr_assert_eq(ts_hull_build(far, 20, &b, 0), TS_OK);
    ts_mass_properties m = mass_of(ts_shape_hull(a), 0.2), n = mass_of(ts_shape_hull(b), 0.2);
    n.centre = ts_vec3_sub(n.centre, shift);
    expect_mass(&n, &m, 1e-11, "far");
    ts_hull_free(a);
    ts_hull_free(b);
}
