// Support features: on the core, about as far out as anything, counter-clockwise, and named after the shape.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/support.h"

static ts_support_feature feature_of(const ts_shape* shape, ts_vec3 d) {
    ts_support_feature f;
    ts_support_feature_along(shape, d, &f);
    return f;
}

// Points belong to the core, the farthest of it is among them or close, polygons turn about their normal.
static void check_feature(const ts_shape* shape, ts_vec3 d, const ts_support_feature* f, const char* what) {
    cr_assert(f->count >= 1 && f->count <= 16, "%s", what);
    double size = ts_shape_bounding_radius(shape), most = -1e300;
    for (int k = 0; k < f->count; ++k) {
        cr_assert_leq(outside(shape, f->point[k]), 1e-12 * size, "%s", what);
        most = fmax(most, ts_vec3_dot(d, f->point[k]));
        for (int j = 0; j < k; ++j) cr_assert_neq(f->vertex[j], f->vertex[k], "%s", what);
    }
    double reach = ts_vec3_dot(d, ts_support_core(shape, d, -1).point);
    // A cap's octagon leaves out 1 - cos 22.5 of the radius, seen at up to ten degrees.
    cr_assert_geq(most, reach - (f->count == 8 ? 0.0762 * 0.1737 * size : 1e-12 * size), "%s", what);
    if (f->count < 3) {
        cr_assert_eq(f->index, -1);
        return;
    }
    cr_assert_float_eq(ts_vec3_norm(f->normal), 1.0, 1e-12);
    cr_assert_geq(ts_vec3_dot(f->normal, d), 0.98480775301220802, "%s", what);
    for (int k = 0; k < f->count; ++k) {
        ts_vec3 a = f->point[k], b = f->point[(k + 1) % f->count], c = f->point[(k + 2) % f->count];
        double turn = ts_vec3_dot(f->normal, ts_vec3_cross(ts_vec3_sub(b, a), ts_vec3_sub(c, b)));
        cr_assert_gt(turn, 0.0, "%s: corner %d", what, k);
        cr_assert_float_eq(ts_vec3_dot(f->normal, ts_vec3_sub(b, a)), 0.0, 1e-12 * size, "%s", what);
    }
}

Test(support_feature, all_kinds_in_all_directions) {
    ts_rng rng = ts_rng_make(151, 0);
    ts_hull* hull = random_hull(&rng, 30, ts_vec3_make(0.3, 0.6, 0.5));
    for (int kind = TS_SHAPE_SPHERE; kind < TS_SHAPE_CONVEX_COUNT; ++kind)
        for (int trial = 0; trial < 2000; ++trial) {
            ts_shape shape = random_shape(&rng, (ts_shape_kind)kind, 1.0, hull);
            ts_vec3 d = trial % 3 ? random_unit(&rng) : ts_vec3_axis(trial % 9 / 3);
            if (trial % 2) d = ts_vec3_neg(d);
            if (kind == TS_SHAPE_TRIANGLE && trial % 4 == 0) {
                ts_vec3 turned = ts_vec3_cross(ts_vec3_sub(shape.triangle[1], shape.triangle[0]),
                                               ts_vec3_sub(shape.triangle[2], shape.triangle[0]));
                d = ts_vec3_unit_or(trial % 8 ? turned : ts_vec3_neg(turned), d);
            }
            ts_support_feature f = feature_of(&shape, d);
            check_feature(&shape, d, &f, ts_shape_kind_name(shape.kind));
        }
    ts_hull_free(hull);
}

// Cones of all proportions on their side show apex and rim, whatever their size; a degree or two of tilt changes nothing.
Test(support_feature, cone_on_its_side_gives_its_ruling_at_every_size) {
    for (int power = -6; power <= 6; power += 3)
        for (int angle = 5; angle <= 85; angle += 10) {
            double size = pow(10.0, power), a = angle * 0.017453292519943295;  // half the opening
            ts_shape cone = ts_shape_cone(size * sin(a), 0.5 * size * cos(a));
            for (int tilt = -2; tilt <= 2; ++tilt)
                for (int azimuth = 0; azimuth < 8; ++azimuth) {
                    double up = a + 0.0174 * tilt, phi = 0.7 * azimuth;  // the side's normal rises by half the opening
                    ts_vec3 d = ts_vec3_make(cos(up) * cos(phi), cos(up) * sin(phi), sin(up));
                    ts_support_feature f = feature_of(&cone, d);
                    cr_assert_eq(f.count, 2, "size 1e%d, angle %d, tilt %d: %d points", power, angle, tilt, f.count);
                    double low = fmin(f.point[0].z, f.point[1].z), high = fmax(f.point[0].z, f.point[1].z);
                    cr_assert_float_eq(low, -cone.half.z, 1e-15 * size);
                    cr_assert_float_eq(high, cone.half.z, 1e-15 * size);
                }
            ts_support_feature base = feature_of(&cone, ts_vec3_make(0.0, 0.0, -1.0));
            cr_assert_eq(base.count, 8);
            cr_assert_eq(feature_of(&cone, ts_vec3_axis(2)).count, 1, "the apex stands alone");
        }
}

// A cap's corners do not turn with the direction asked for.
Test(support_feature, caps_are_fixed_to_the_shape) {
    ts_rng rng = ts_rng_make(152, 0);
    const ts_shape shape[2] = {ts_shape_cylinder(0.4, 0.7), ts_shape_cone(0.4, 0.7)};
    for (int s = 0; s < 2; ++s) {
        ts_support_feature first = feature_of(&shape[s], ts_vec3_make(0.0, 0.0, -1.0));
        for (int trial = 0; trial < 200; ++trial) {
            ts_vec3 d = random_vector(&rng, 0.1);
            d.z = -1.0;
            ts_support_feature f = feature_of(&shape[s], ts_vec3_unit_or(d, d));
            cr_assert_eq(f.count, first.count);
            for (int k = 0; k < f.count; ++k) {
                cr_assert_eq(f.vertex[k], first.vertex[k]);
                cr_assert_eq(ts_vec3_distance(f.point[k], first.point[k]), 0.0);
            }
        }
    }
}

// A flat hull shows its polygon from both sides, a segment its ends, a point itself.
Test(support_feature, hulls_of_lower_rank) {
    const ts_vec3 square[4] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int count = 1; count <= 4; ++count) {
        ts_hull* hull = 0;
        cr_assert_eq(ts_hull_build_any(square, count, &hull, 0, 0), TS_OK);
        ts_shape shape = ts_shape_hull(hull);
        for (int side = -1; side <= 1; side += 2) {
            ts_support_feature f = feature_of(&shape, ts_vec3_make(0.0, 0.0, side));
            cr_assert_eq(f.count, count, "%d points: %d", count, f.count);
            if (count > 2) cr_assert_float_eq(f.normal.z, side, 1e-14);
        }
        ts_hull_free(hull);
    }
}
