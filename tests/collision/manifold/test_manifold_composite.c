// Composite shapes against what they are made to look like: the same surface in one piece, or distances by brute force.
#include "tests/collision/collision_fixture.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/manifold/manifold.h"

#include <stdio.h>

static const ts_manifold_settings usual = {0.02, 4, 0.0};

static ts_manifold collide(const ts_shape* a, ts_transform pa, const ts_shape* b, ts_transform pb) {
    ts_manifold m;
    ts_manifold_collide(a, &pa, b, &pb, &usual, 0, &m);
    return m;
}

static ts_compound* compound_of(const ts_compound_child* child, int count) {
    ts_compound* compound = 0;
    ts_status status;
    cr_assert_eq(ts_compound_build(child, count, &compound, &status), TS_OK, "%s", status.message);
    return compound;
}

// Both have the same points, in any order.
static void expect_same(const ts_manifold* m, const ts_manifold* n, double tolerance, const char* what) {
    cr_assert_eq(m->count, n->count, "%s: %d points, not %d", what, m->count, n->count);
    for (int i = 0; i < m->count; ++i) {
        double nearest = 1e9;
        for (int j = 0; j < n->count; ++j) {
            double d = ts_vec3_distance(m->point[i].position, n->point[j].position) +
                       fabs(m->point[i].gap - n->point[j].gap) +
                       ts_vec3_distance(m->point[i].normal, n->point[j].normal);
            nearest = d < nearest ? d : nearest;
        }
        cr_assert_leq(nearest, tolerance, "%s: point %d is %g off", what, i, nearest);
    }
}

// A slab in one piece, in four tiles, and as a level height field: boxes, cylinders and balls dragged across it in steps
// that put their corners a hair before, on and behind the seams never notice.
Test(manifold_composite, seams_are_not_felt) {
    ts_shape slab = ts_shape_box(ts_vec3_make(2.0, 2.0, 0.5));
    ts_compound_child tile[4];
    for (int i = 0; i < 4; ++i) {
        tile[i].shape = ts_shape_box(ts_vec3_make(1.0, 1.0, 0.5));
        tile[i].placed = at(2 * (i % 2) - 1.0, 2 * (i / 2) - 1.0, 0.0);
    }
    ts_compound* tiles = compound_of(tile, 4);
    double height[81];
    for (int i = 0; i < 81; ++i) height[i] = 0.5;
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 9, 9, 0.5, 0.5, -0.5, &field, 0), TS_OK);
    const ts_shape ground[2] = {ts_shape_compound(tiles), ts_shape_height_field(field)};
    const ts_shape body[4] = {ts_shape_box(ts_vec3_make(0.3, 0.2, 0.1)), ts_shape_cylinder(0.3, 0.1),
                              ts_shape_sphere(0.1), ts_shape_capsule(0.1, 0.3)};
    static const double step[5] = {0.0, 1e-7, -1e-7, 1e-3, 0.1};
    for (int g = 0; g < 2; ++g)
        for (int s = 0; s < 4; ++s)
            for (int k = -12; k <= 12; ++k)
                for (int j = 0; j < 5; ++j)
                    for (int deep = 0; deep < 3; ++deep) {
                        double x = 0.1 * k + step[j], z = 0.6 + (deep ? -2e-5 * deep : 1e-3);
                        ts_transform pose = at(x, 0.31 * x, z);
                        if (s == 3) {
                            pose.R = turn(1, 1.5707963267948966);
                        } else if (k % 3 == 0) {
                            pose.R = turn(2, 0.3);
                        }
                        ts_manifold whole = collide(&slab, at(0, 0, 0), &body[s], pose);
                        ts_manifold parts = collide(&ground[g], at(0, 0, 0), &body[s], pose);
                        ts_manifold back = collide(&body[s], pose, &ground[g], at(0, 0, 0));
                        char what[96];
                        snprintf(what, sizeof what, "ground %d body %d at %.9g, depth %d", g, s, x, deep);
                        ts_vec3 up = ts_vec3_make(0.0, 0.0, 1.0);
                        for (int i = 0; i < parts.count; ++i)
                            cr_assert_leq(ts_vec3_distance(parts.point[i].normal, up), 5e-5, "%s", what);
                        if (s != 1) expect_same(&whole, &parts, 1e-4, what);
                        cr_assert_eq(parts.count, whole.count, "%s", what);
                        cr_assert_eq(back.count, parts.count, "%s", what);
                        for (int i = 0; i < back.count; ++i)
                            cr_assert_leq(ts_vec3_distance(back.point[i].normal, ts_vec3_neg(up)), 5e-5, "%s", what);
                    }
    ts_compound_free(tiles);
    ts_height_field_free(field);
}

// A floor and a wall: a box in the corner rests on both, with four points each.
Test(manifold_composite, corner_has_two_surfaces) {
    ts_compound_child piece[2] = {{ts_shape_box(ts_vec3_make(2.0, 2.0, 0.5)), at(0, 0, -0.5)},
                                  {ts_shape_box(ts_vec3_make(0.5, 2.0, 2.0)), at(-2.5, 0, 1.0)}};
    ts_compound* compound = compound_of(piece, 2);
    ts_shape corner = ts_shape_compound(compound), box = ts_shape_box(ts_vec3_make(0.3, 0.3, 0.3));
    ts_manifold m = collide(&corner, at(0, 0, 0), &box, at(-1.7 - 1e-4, 0.1, 0.3 - 1e-4));
    int floor = 0, wall = 0;
    for (int i = 0; i < m.count; ++i) {
        floor += ts_vec3_distance(m.point[i].normal, ts_vec3_axis(2)) < 1e-9;
        wall += ts_vec3_distance(m.point[i].normal, ts_vec3_axis(0)) < 1e-9;
        cr_expect_float_eq(m.point[i].gap, -1e-4, 1e-12);
        for (int j = 0; j < i; ++j) cr_expect_neq(m.point[i].feature, m.point[j].feature);
    }
    cr_expect_eq(floor, 4);
    cr_expect_eq(wall, 4);
    ts_compound_free(compound);
}

static double clamp01(double x) { return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x); }

// Distance of a point to a triangle: over its plane, else to its edges.
static double point_to_triangle(ts_vec3 p, const ts_vec3* t) {
    ts_vec3 n = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(t[1], t[0]), ts_vec3_sub(t[2], t[0])), ts_vec3_axis(2));
    double best = 1e300;
    int inside = 1;
    for (int k = 0; k < 3; ++k) {
        ts_vec3 e = ts_vec3_sub(t[(k + 1) % 3], t[k]), r = ts_vec3_sub(p, t[k]);
        if (ts_vec3_dot(ts_vec3_cross(n, e), r) < 0.0) inside = 0;
        double w = clamp01(ts_vec3_dot(e, r) / ts_vec3_norm_squared(e));
        best = fmin(best, ts_vec3_norm(ts_vec3_add_scaled(r, -w, e)));
    }
    return inside ? fabs(ts_vec3_dot(n, ts_vec3_sub(p, t[0]))) : best;
}

static ts_height_field* hills(ts_rng* rng, double roughness) {
    double height[144];
    for (int i = 0; i < 144; ++i) height[i] = ts_rng_uniform_in(rng, -roughness, roughness);
    ts_height_field* field = 0;
    cr_assert_eq(ts_height_field_build(height, 12, 12, 0.5, 0.5, -3.0, &field, 0), TS_OK);
    return field;
}

// Height of the surface at a place, by walking over all triangles.
static double surface_at(const ts_height_field* field, double x, double y) {
    for (int i = 0; i < ts_height_field_triangle_count(field); ++i) {
        ts_vec3 t[3];
        ts_height_field_triangle(field, i, t);
        double total = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[1].y - t[0].y) * (t[2].x - t[0].x), w[3];
        int inside = 1;
        for (int k = 0; k < 3; ++k) {
            const ts_vec3 *a = &t[(k + 1) % 3], *b = &t[(k + 2) % 3];
            w[k] = ((a->x - x) * (b->y - y) - (a->y - y) * (b->x - x)) / total;
            inside &= w[k] >= -1e-12;
        }
        if (inside) return w[0] * t[0].z + w[1] * t[1].z + w[2] * t[2].z;
    }
    return (double)NAN;
}

// Balls with their centre above the ground: the deepest point is the distance to the nearest triangle, and it lies there.
Test(manifold_composite, balls_on_hills_have_the_distance_of_the_nearest_triangle) {
    ts_rng rng = ts_rng_make(141, 0);
    int touching = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        ts_height_field* field = hills(&rng, trial % 2 ? 0.3 : 0.05);
        ts_shape ground = ts_shape_height_field(field), ball = ts_shape_sphere(ts_rng_uniform_in(&rng, 0.05, 0.4));
        double x = ts_rng_uniform_in(&rng, -2.0, 2.0), y = ts_rng_uniform_in(&rng, -2.0, 2.0);
        ts_vec3 centre = ts_vec3_make(x, y, surface_at(field, x, y) + ball.radius * ts_rng_uniform_in(&rng, 0.3, 1.1));
        double nearest = 1e300;
        for (int i = 0; i < ts_height_field_triangle_count(field); ++i) {
            ts_vec3 t[3];
            ts_height_field_triangle(field, i, t);
            nearest = fmin(nearest, point_to_triangle(centre, t));
        }
        // In a pose of its own, so that frames count.
        ts_transform frame = random_pose(&rng, 1.0), placed = frame;
        placed.p = ts_transform_point(&frame, centre);
        ts_manifold m = collide(&ball, placed, &ground, frame);
        double expected = nearest - ball.radius;
        if (expected > usual.margin) {
            cr_assert_eq(m.count, 0, "trial %d: contact at %g", trial, expected);
        } else {
            ++touching;
            cr_assert_gt(m.count, 0, "trial %d: nothing at %g", trial, expected);
            double lowest = 1e300;
            for (int i = 0; i < m.count; ++i) {
                lowest = fmin(lowest, m.point[i].gap);
                ts_vec3 out = ts_vec3_neg(ts_transform_direction_inverse(&frame, m.point[i].normal));
                cr_assert_geq(out.z, 0.0, "trial %d: pushed down", trial);
                // The ball's surface lies half a gap from the point, along the normal.
                ts_vec3 on_ball = ts_vec3_add_scaled(m.point[i].position, -0.5 * m.point[i].gap, m.point[i].normal);
                cr_assert_float_eq(ts_vec3_distance(on_ball, placed.p), ball.radius, 1e-9);
            }
            // A corner's own tolerance beyond a ridge, where the plane of one side goes on.
            cr_assert_float_eq(lowest, expected, 1e-7, "trial %d: %.17g, not %.17g", trial, lowest, expected);
        }
        ts_height_field_free(field);
    }
    cr_expect_gt(touching, 1500);
}

// What has passed the surface within a step is pushed up again, however deep, and never sideways out of a prism.
Test(manifold_composite, bodies_below_the_surface_are_pushed_up) {
    ts_rng rng = ts_rng_make(142, 0);
    ts_height_field* field = hills(&rng, 0.02);
    ts_shape ground = ts_shape_height_field(field);
    for (int trial = 0; trial < 2000; ++trial) {
        const ts_shape body[3] = {ts_shape_sphere(0.1), ts_shape_box(ts_vec3_make(0.2, 0.1, 0.15)),
                                  ts_shape_capsule(0.05, 0.2)};
        ts_transform pose = random_pose(&rng, 1.5);
        pose.p.z = ts_rng_uniform_in(&rng, -1.5, -0.2);
        ts_manifold m = collide(&ground, at(0, 0, 0), &body[trial % 3], pose);
        cr_assert_gt(m.count, 0, "trial %d", trial);
        cr_assert_gt(m.normal.z, 0.9, "trial %d: normal (%g %g %g)", trial, m.normal.x, m.normal.y, m.normal.z);
        double lowest = 1e300;
        for (int i = 0; i < m.count; ++i) lowest = fmin(lowest, m.point[i].gap);
        // The lowest point of the body is at least its centre's depth below.
        cr_assert_lt(lowest, 0.5 * pose.p.z, "trial %d: %g at depth %g", trial, lowest, pose.p.z);
    }
    ts_height_field_free(field);
}

// Everything composite with everything: finite, unit, unique, and the same both ways round.
Test(manifold_composite, composites_with_everything) {
    ts_rng rng = ts_rng_make(143, 0);
    ts_hull* hull = random_hull(&rng, 20, ts_vec3_make(0.4, 0.5, 0.3));
    ts_height_field* field = hills(&rng, 0.1);
    ts_compound_child child[12];
    for (int i = 0; i < 12; ++i) {
        child[i].shape = random_shape(&rng, (ts_shape_kind)(TS_SHAPE_SPHERE + i % 8), 0.5, hull);
        child[i].placed = random_pose(&rng, 0.6);
    }
    ts_compound* compound = compound_of(child, 12);
    const ts_shape whole[2] = {ts_shape_compound(compound), ts_shape_height_field(field)};
    int met = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        int kind = trial % (TS_SHAPE_CONVEX_COUNT + 2);
        ts_shape a = whole[trial / 2 % 2];
        ts_shape b = kind < TS_SHAPE_CONVEX_COUNT ? random_shape(&rng, (ts_shape_kind)kind, 0.5, hull) : whole[0];
        ts_transform pa = random_pose(&rng, 0.3), pb = random_pose(&rng, 1.0);
        ts_manifold m = collide(&a, pa, &b, pb), n = collide(&b, pb, &a, pa);
        met += m.count > 0;
        cr_assert_neq(m.status, TS_PROXIMITY_INVALID_INPUT);
        cr_assert_eq(m.count > 0, n.count > 0, "trial %d", trial);
        for (int i = 0; i < m.count; ++i) {
            cr_assert(ts_vec3_is_finite(m.point[i].position) && isfinite(m.point[i].gap));
            cr_assert_leq(m.point[i].gap, usual.margin);
            cr_assert_float_eq(ts_vec3_norm(m.point[i].normal), 1.0, 1e-12);
            for (int j = 0; j < i; ++j) cr_assert_neq(m.point[i].feature, m.point[j].feature);
        }
    }
    cr_expect_gt(met, 500);
    ts_hull_free(hull);
    ts_height_field_free(field);
    ts_compound_free(compound);
}
