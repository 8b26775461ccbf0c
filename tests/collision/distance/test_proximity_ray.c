// Rays against every kind of shape: closed forms in extended precision, from outside and from inside; what is not convex by its parts.
#include "collision/distance/proximity.h"
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "tests/collision/collision_fixture.h"

#include <math.h>

enum { RAYS = 400 };

// The interval of t in which a quadratic a t^2 + 2 b t + c is not positive; empty when low > high.
typedef struct interval {
    long double low, high;
} interval;

static const interval everywhere = {-HUGE_VALL, HUGE_VALL};
static const interval nowhere = {1.0L, 0.0L};

static interval both(interval a, interval b) {
    interval c = {fmaxl(a.low, b.low), fminl(a.high, b.high)};
    return c;
}

static interval quadratic(long double a, long double b, long double c) {
    if (a == 0.0L) return c <= 0.0L ? everywhere : nowhere;
    long double root = b * b - a * c;
    if (root < 0.0L) return nowhere;
    root = sqrtl(root);
    interval t = {(-b - root) / a, (-b + root) / a};
    return t;
}

static interval slab(long double p, long double d, long double half) {
    if (d == 0.0L) return fabsl(p) <= half ? everywhere : nowhere;
    long double a = (-half - p) / d, b = (half - p) / d;
    interval t = {fminl(a, b), fmaxl(a, b)};
    return t;
}

static interval of_ball(wide3 p, wide3 d, long double r) {
    return quadratic(wide_dot(d, d), wide_dot(p, d), wide_dot(p, p) - r * r);
}

static interval of_round(wide3 p, wide3 d, long double r) {
    return quadratic(d.x * d.x + d.y * d.y, p.x * d.x + p.y * d.y, p.x * p.x + p.y * p.y - r * r);
}

// Where the line p + t d is inside of the shape, which is in its own frame.
static interval inside(const ts_shape* s, wide3 p, wide3 d) {
    wide3 h = wide(s->half);
    switch (s->kind) {
    case TS_SHAPE_SPHERE: return of_ball(p, d, s->radius);
    case TS_SHAPE_ELLIPSOID: {
        wide3 q = {p.x / h.x, p.y / h.y, p.z / h.z}, e = {d.x / h.x, d.y / h.y, d.z / h.z};
        return of_ball(q, e, 1.0L);
    }
    case TS_SHAPE_CYLINDER: return both(of_round(p, d, h.x), slab(p.z, d.z, h.z));
    case TS_SHAPE_BOX: return both(both(slab(p.x, d.x, h.x), slab(p.y, d.y, h.y)), slab(p.z, d.z, h.z));
    case TS_SHAPE_CAPSULE: {
        // The union of convex parts along a line: from the first begin to the last end.
        wide3 up = {p.x, p.y, p.z - h.z}, down = {p.x, p.y, p.z + h.z};
        interval part[3] = {both(of_round(p, d, s->radius), slab(p.z, d.z, h.z)), of_ball(up, d, s->radius),
                            of_ball(down, d, s->radius)};
        interval all = {HUGE_VALL, -HUGE_VALL};
        for (int k = 0; k < 3; ++k) {
            if (part[k].low > part[k].high) continue;
            all.low = fminl(all.low, part[k].low);
            all.high = fmaxl(all.high, part[k].high);
        }
        return all;
    }
    default: return nowhere;
    }
}

static wide3 turn_back(const ts_mat3* R, wide3 v) {
    wide3 w = {R->m[0][0] * v.x + R->m[1][0] * v.y + R->m[2][0] * v.z,
               R->m[0][1] * v.x + R->m[1][1] * v.y + R->m[2][1] * v.z,
               R->m[0][2] * v.x + R->m[1][2] * v.y + R->m[2][2] * v.z};
    return w;
}

// A ray through some point near the shape, so that about half of them meet it.
static void draw_ray(ts_rng* rng, ts_vec3 middle, double size, ts_vec3* out_from, ts_vec3* out_direction) {
    ts_vec3 through = ts_vec3_add(middle, random_vector(rng, size));
    *out_direction = random_unit(rng);
    *out_from = ts_vec3_add_scaled(through, -ts_rng_uniform_in(rng, 0.0, 3.0), *out_direction);
}

static void compare(const ts_shape* shape, const char* name) {
    ts_rng rng = ts_rng_make(11, 3);
    int met = 0, missed = 0, from_inside = 0;
    for (int i = 0; i < RAYS; ++i) {
        ts_transform placed = random_pose(&rng, 1.0);
        ts_vec3 from, direction, normal;
        draw_ray(&rng, placed.p, 0.6, &from, &direction);
        wide3 p = turn_back(&placed.R, wide_sub(wide(from), wide(placed.p))), d = turn_back(&placed.R, wide(direction));
        interval in = inside(shape, p, d);
        double t = ts_proximity_ray(shape, &placed, from, direction, &normal);
        // Grazing rays are anybody's.
        if (in.high - in.low < 1e-6L && in.high - in.low > -1e-6L) continue;
        if (in.low > in.high || in.high < 0.0L) {
            cr_expect_eq(t, -1.0, "%s, ray %d: %.17g where nothing is", name, i, t);
            ++missed;
            continue;
        }
        double wanted = (double)(in.low >= 0.0L ? in.low : in.high);
        cr_expect_float_eq(t, wanted, 1e-10, "%s, ray %d: %.17g, not %.17g", name, i, t, wanted);
        double leaving = ts_vec3_dot(normal, direction);
        cr_expect(in.low >= 0.0L ? leaving < 0.0 : leaving > 0.0, "%s, ray %d: the normal points the wrong way", name,
                  i);
        cr_expect_float_eq(ts_vec3_norm(normal), 1.0, 1e-12);
        ++met;
        from_inside += in.low < 0.0L;
    }
    cr_expect(met > RAYS / 5 && missed > RAYS / 10 && from_inside > 2, "%s: %d %d %d", name, met, missed, from_inside);
}

Test(proximity_ray, solids_are_met_where_their_equations_say) {
    ts_shape sphere = ts_shape_sphere(0.5), capsule = ts_shape_capsule(0.2, 0.4);
    ts_shape ellipsoid = ts_shape_ellipsoid(ts_vec3_make(0.5, 0.3, 0.15)), cylinder = ts_shape_cylinder(0.3, 0.5);
    ts_shape box = ts_shape_box(ts_vec3_make(0.5, 0.2, 0.35));
    compare(&sphere, "sphere");
    compare(&capsule, "capsule");
    compare(&ellipsoid, "ellipsoid");
    compare(&cylinder, "cylinder");
    compare(&box, "box");
}

// The hull of a box's corners is met where the box is.
Test(proximity_ray, a_hull_is_met_like_the_box_that_it_is) {
    ts_vec3 corner[8], half = {0.5, 0.2, 0.35};
    for (int k = 0; k < 8; ++k)
        corner[k] = ts_vec3_make(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    ts_hull* hull = NULL;
    cr_assert_eq(ts_hull_build(corner, 8, &hull, NULL), TS_OK);
    ts_shape shape = ts_shape_hull(hull), box = ts_shape_box(half);
    ts_rng rng = ts_rng_make(5, 1);
    for (int i = 0; i < RAYS; ++i) {
        ts_transform placed = random_pose(&rng, 1.0);
        ts_vec3 from, direction;
        draw_ray(&rng, placed.p, 0.6, &from, &direction);
        double a = ts_proximity_ray(&shape, &placed, from, direction, NULL);
        double b = ts_proximity_ray(&box, &placed, from, direction, NULL);
        cr_expect_float_eq(a, b, 1e-10, "ray %d: %.17g and %.17g", i, a, b);
    }
    ts_hull_free(hull);
}

Test(proximity_ray, a_plane_is_met_from_its_front) {
    ts_shape plane = ts_shape_plane();
    ts_transform placed = at(0.0, 0.0, 0.5);
    ts_vec3 down = ts_vec3_unit_or(ts_vec3_make(0.6, 0.0, -0.8), ts_vec3_axis(2)), normal;
    cr_expect_float_eq(ts_proximity_ray(&plane, &placed, ts_vec3_make(0.0, 0.0, 2.1), down, &normal), 2.0, 1e-14);
    cr_expect_eq(normal.z, 1.0);
    cr_expect_eq(ts_proximity_ray(&plane, &placed, ts_vec3_make(0.0, 0.0, 2.1), ts_vec3_neg(down), NULL), -1.0);
    cr_expect_eq(ts_proximity_ray(&plane, &placed, ts_vec3_make(0.0, 0.0, 0.0), ts_vec3_neg(down), NULL), -1.0);
}

Test(proximity_ray, a_compound_is_met_at_its_nearest_child) {
    const ts_compound_child child[2] = {{ts_shape_sphere(0.2), at(0.5, 0.0, 0.0)},
                                        {ts_shape_sphere(0.3), at(-0.5, 0.0, 0.0)}};
    ts_compound* compound = NULL;
    cr_assert_eq(ts_compound_build(child, 2, &compound, NULL), TS_OK);
    ts_shape shape = ts_shape_compound(compound);
    ts_transform placed = at(0.0, 1.0, 0.0);
    ts_vec3 left = ts_vec3_make(-1.0, 0.0, 0.0);
    cr_expect_float_eq(ts_proximity_ray(&shape, &placed, ts_vec3_make(2.0, 1.0, 0.0), left, NULL), 1.3, 1e-12);
    cr_expect_float_eq(ts_proximity_ray(&shape, &placed, ts_vec3_make(0.0, 1.0, 0.0), left, NULL), 0.2, 1e-12);
    cr_expect_eq(ts_proximity_ray(&shape, &placed, ts_vec3_make(0.0, 2.0, 0.0), left, NULL), -1.0);
    ts_compound_free(compound);
}

// Ground against each of its triangles.
static double by_triangles(const ts_height_field* field, ts_vec3 from, ts_vec3 direction) {
    double nearest = -1.0;
    for (int i = 0; i < ts_height_field_triangle_count(field); ++i) {
        ts_vec3 c[3];
        ts_height_field_triangle(field, i, c);
        ts_vec3 u = ts_vec3_sub(c[1], c[0]), v = ts_vec3_sub(c[2], c[0]), n = ts_vec3_cross(u, v);
        double t = ts_vec3_dot(n, ts_vec3_sub(c[0], from)) / ts_vec3_dot(n, direction);
        ts_vec3 p = ts_vec3_add_scaled(from, t, direction);
        int in = 1;
        for (int k = 0; k < 3; ++k)
            in = in && ts_vec3_dot(n, ts_vec3_cross(ts_vec3_sub(c[(k + 1) % 3], c[k]), ts_vec3_sub(p, c[k]))) >= -1e-12;
        if (in && t >= 0.0 && (nearest < 0.0 || t < nearest)) nearest = t;
    }
    return nearest;
}

Test(proximity_ray, ground_is_met_where_its_triangles_are) {
    enum { N = 9 };
    double height[N * N];
    ts_rng rng = ts_rng_make(9, 2);
    for (int i = 0; i < N * N; ++i) height[i] = ts_rng_uniform_in(&rng, 0.0, 0.3);
    ts_height_field* field = NULL;
    cr_assert_eq(ts_height_field_build(height, N, N, 0.25, 0.25, -0.5, &field, NULL), TS_OK);
    ts_shape shape = ts_shape_height_field(field);
    ts_transform placed = ts_transform_identity();
    for (int i = 0; i < 100; ++i) {
        ts_vec3 from = ts_vec3_make(ts_rng_uniform_in(&rng, -0.6, 0.6), ts_rng_uniform_in(&rng, -0.6, 0.6), 1.0);
        ts_vec3 down = ts_vec3_make(ts_rng_uniform_in(&rng, -0.3, 0.3), ts_rng_uniform_in(&rng, -0.3, 0.3), -1.0);
        down = ts_vec3_unit_or(down, down);
        double t = ts_proximity_ray(&shape, &placed, from, down, NULL), wanted = by_triangles(field, from, down);
        cr_expect_float_eq(t, wanted, 1e-8, "ray %d: %.17g, not %.17g", i, t, wanted);
    }
    ts_height_field_free(field);
}
