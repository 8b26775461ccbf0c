// Exact touch and other cases on which coal, FCL, libccd, Bullet and Jolt are known to fail.
#include "tests/collision/distance/judged_query.h"

static void touches(const ts_proximity* p, double size, const char* what) {
    cr_expect(fabs(p->distance) <= 1e-14 * size, "%s: distance %.17g", what, p->distance);
    cr_expect_neq(p->status, TS_PROXIMITY_LIMIT, "%s", what);
    cr_expect(fuzz_finite(p), "%s", what);
}

// coal after accelerated GJK: -DBL_MAX with NaN witnesses on stacked cubes and random boxes at exact touch.
Test(touching, coal_stacked_cubes_by_every_variant) {
    for (int variant = 0; variant < TS_GJK_VARIANT_COUNT; ++variant)
        for (int k = 0; k < 300; ++k) {
            ts_rng rng = ts_rng_make(41, (unsigned)k);
            ts_shape cube = unit_box(0.5);
            ts_transform below = at(0, 0, 0), above = at(0, 0, 1.0);
            if (k % 3)
                above.p = ts_vec3_make(ts_rng_uniform_in(&rng, -1.0, 1.0), ts_rng_uniform_in(&rng, -1.0, 1.0), 1.0);
            ts_proximity_options options = ts_proximity_options_default();
            options.variant = (ts_gjk_variant)variant;
            options.method = TS_PROXIMITY_GJK;
            ts_proximity p;
            ts_proximity_query(&cube, &below, &cube, &above, &options, 0, &p);
            touches(&p, 2.0, ts_gjk_variant_name((ts_gjk_variant)variant));
            cr_expect_float_eq(p.found.normal.z, 1.0, 1e-9, "%s: normal (%g, %g, %g)",
                               ts_gjk_variant_name((ts_gjk_variant)variant), p.found.normal.x, p.found.normal.y,
                               p.found.normal.z);
        }
}

// coal's EPA below its tolerance of 1e-6 and Bullet's on its 128 vertices: deep overlaps of ellipsoids.
Test(touching, coal_and_bullet_deep_ellipsoids) {
    ts_rng rng = ts_rng_make(42, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_shape a =
            ts_shape_ellipsoid(ts_vec3_make(0.02 + 0.48 * ts_rng_uniform(&rng), 0.02 + 0.48 * ts_rng_uniform(&rng),
                                            0.02 + 0.48 * ts_rng_uniform(&rng)));
        ts_shape b =
            ts_shape_ellipsoid(ts_vec3_make(0.02 + 0.48 * ts_rng_uniform(&rng), 0.02 + 0.48 * ts_rng_uniform(&rng),
                                            0.02 + 0.48 * ts_rng_uniform(&rng)));
        sure(a, random_pose(&rng, 0.1), b, random_pose(&rng, 0.1));
    }
}

// FCL on smooth shapes: assertions, crashes and NaN at exact touch of capsules and of spheres with them.
Test(touching, fcl_capsules_and_spheres_at_touch) {
    ts_rng rng = ts_rng_make(43, 0);
    for (int trial = 0; trial < 1000; ++trial) {
        ts_shape a = ts_shape_capsule(0.25, 0.5), b = trial % 2 ? ts_shape_capsule(0.5, 0.75) : ts_shape_sphere(0.5);
        ts_transform pa = at(0, 0, 0), pb = at(0.75, 0, 0);
        if (trial % 2) pb.R = turn(0, ts_rng_uniform_in(&rng, 0.0, 6.0));
        if (trial % 4 >= 2) pb.p.z = ts_rng_uniform_in(&rng, -0.4, 0.4);
        ts_proximity p = sure(a, pa, b, pb);
        touches(&p, 2.0, "capsule");
        cr_expect_float_eq(p.found.normal.x, 1.0, 1e-12);
    }
}

// Jolt: exact touch of smooth shapes, where EPA on a degenerate simplex answers centimetres of depth.
Test(touching, jolt_smooth_shapes_at_touch) {
    ts_rng rng = ts_rng_make(44, 0);
    const ts_shape smooth[4] = {ts_shape_ellipsoid(ts_vec3_make(0.5, 0.25, 1.0)), ts_shape_cylinder(0.5, 0.75),
                                ts_shape_sphere(0.5), ts_shape_ellipsoid(ts_vec3_make(0.125, 0.75, 0.5))};
    for (int trial = 0; trial < 2000; ++trial) {
        ts_shape a = smooth[trial % 4], b = smooth[trial / 4 % 4];
        // Along a common axis the extents are known to the bit.
        int axis = trial / 16 % 3;
        ts_vec3 ha = a.kind == TS_SHAPE_SPHERE ? ts_vec3_make(0.5, 0.5, 0.5) : a.half;
        ts_vec3 hb = b.kind == TS_SHAPE_SPHERE ? ts_vec3_make(0.5, 0.5, 0.5) : b.half;
        ts_transform pb = ts_transform_identity();
        pb.p = ts_vec3_scale(ts_vec3_get(ha, axis) + ts_vec3_get(hb, axis), ts_vec3_axis(axis));
        ts_transform m = trial < 48 ? ts_transform_identity() : random_pose(&rng, 0.5);
        ts_proximity p = sure(a, m, b, ts_transform_mul(&m, &pb));
        cr_expect(fabs(p.distance) <= (trial < 48 ? 1e-15 : 8e-15), "%s-%s: %.17g", ts_shape_kind_name(a.kind),
                  ts_shape_kind_name(b.kind), p.distance);
    }
}

// Bullet's pair detector: distances up to 0.8 m for boxes and cubes that touch exactly; its box-box test prefers faces by
// five percent.
Test(touching, bullet_boxes_at_touch) {
    ts_rng rng = ts_rng_make(45, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        double s = ts_rng_uniform_in(&rng, 0.05, 0.5);
        ts_shape a = unit_box(0.25), b = unit_box(s);
        // Faces, then an edge on a face, then a vertex on a face, all turned together.
        ts_transform pb = at(ts_rng_uniform_in(&rng, -0.2, 0.2), ts_rng_uniform_in(&rng, -0.2, 0.2), 0.25 + s);
        if (trial % 3 == 1) {
            pb.R = turn(0, 0.78539816339744831);
            pb.p.z = 0.25 + s * sqrt(2.0);
        } else if (trial % 3 == 2) {
            ts_mat3 first = turn(0, 0.78539816339744831), second = turn(1, 0.61547970867038737);
            pb.R = ts_mat3_mul(second, first);
            double reach = 0.0;
            ts_vec3 up = ts_mat3_row(&pb.R, 2);
            reach = s * (fabs(up.x) + fabs(up.y) + fabs(up.z));
            pb.p.z = 0.25 + reach;
        }
        ts_transform m = random_pose(&rng, 1.0);
        ts_proximity p = sure(a, m, b, ts_transform_mul(&m, &pb));
        cr_expect(fabs(p.distance) <= 4e-15, "case %d: %.17g", trial % 3, p.distance);
    }
}

// libccd's MPR and FCL's own solver: hulls at exact touch called centimetres apart or deep.
Test(touching, libccd_hulls_at_touch) {
    ts_rng rng = ts_rng_make(46, 0);
    for (int trial = 0; trial < 200; ++trial) {
        ts_hull* hull = random_hull(&rng, 32 + trial % 3 * 100, ts_vec3_make(0.5, 0.4, 0.3));
        ts_shape a = ts_shape_hull(hull);
        for (int k = 0; k < 10; ++k) {
            // A mirror image across a face's own plane touches it all over.
            int f = (int)ts_rng_uniform_in(&rng, 0.0, hull->face_count);
            ts_vec3 n = hull->face_normal[f];
            ts_shape box = unit_box(0.25);
            ts_transform pb;
            ts_vec3 corner = hull->vertex[hull->face_corner[hull->face_start[f]]];
            ts_vec3 side =
                ts_vec3_unit_or(ts_vec3_cross(n, fabs(n.x) < 0.5 ? ts_vec3_axis(0) : ts_vec3_axis(1)), ts_vec3_axis(0));
            ts_vec3 third = ts_vec3_cross(n, side);
            for (int r = 0; r < 3; ++r) {
                pb.R.m[r][0] = ts_vec3_get(side, r);
                pb.R.m[r][1] = ts_vec3_get(third, r);
                pb.R.m[r][2] = ts_vec3_get(n, r);
            }
            pb.p = ts_vec3_add_scaled(corner, 0.25, n);
            ts_proximity p = sure(a, at(0, 0, 0), box, pb);
            cr_expect(fabs(p.distance) <= 1e-15, "%.17g", p.distance);
            cr_expect(ts_vec3_dot(p.found.normal, n) > 0.0);
        }
        ts_hull_free(hull);
    }
}
