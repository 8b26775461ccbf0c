// Random shapes and poses, and small oracles that share nothing with the code under test but the vector type.
#ifndef TS_TESTS_COLLISION_FIXTURE_H
#define TS_TESTS_COLLISION_FIXTURE_H

#include "base/rng.h"
#include "collision/shape/shape.h"

#include <criterion/criterion.h>

/// A vector in extended precision.
typedef struct wide3 {
    long double x, y, z;
} wide3;

static inline wide3 wide(ts_vec3 a) {
    wide3 w = {a.x, a.y, a.z};
    return w;
}

static inline wide3 wide_sub(wide3 a, wide3 b) {
    wide3 w = {a.x - b.x, a.y - b.y, a.z - b.z};
    return w;
}

static inline wide3 wide_cross(wide3 a, wide3 b) {
    wide3 w = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return w;
}

static inline long double wide_dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// A rotation drawn uniformly.
static inline ts_mat3 random_rotation(ts_rng* rng) {
    double w = ts_rng_normal(rng), x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    return ts_quat_to_mat3(ts_quat_normalize(ts_quat_make(w, x, y, z)));
}

static inline ts_vec3 random_vector(ts_rng* rng, double size) {
    double x = ts_rng_uniform_in(rng, -size, size), y = ts_rng_uniform_in(rng, -size, size);
    return ts_vec3_make(x, y, ts_rng_uniform_in(rng, -size, size));
}

static inline ts_vec3 random_unit(ts_rng* rng) {
    double x = ts_rng_normal(rng), y = ts_rng_normal(rng), z = ts_rng_normal(rng);
    return ts_vec3_unit_or(ts_vec3_make(x, y, z), ts_vec3_axis(0));
}

static inline ts_transform random_pose(ts_rng* rng, double reach) {
    ts_transform pose;
    pose.R = random_rotation(rng);
    pose.p = random_vector(rng, reach);
    return pose;
}

/// A translation.
static inline ts_transform at(double x, double y, double z) {
    ts_transform pose = ts_transform_identity();
    pose.p = ts_vec3_make(x, y, z);
    return pose;
}

/// The rotation by `angle` about coordinate axis `axis`.
static inline ts_mat3 turn(int axis, double angle) {
    return ts_quat_to_mat3(ts_quat_from_axis_angle(ts_vec3_axis(axis), angle));
}

/// The hull of `count` points, at most 2500, scattered on an ellipsoid.
static inline ts_hull* random_hull(ts_rng* rng, int count, ts_vec3 size) {
    ts_vec3 points[2500];
    for (int i = 0; i < count; ++i) points[i] = ts_vec3_mul(random_unit(rng), size);
    ts_hull* hull = 0;
    ts_status status;
    cr_assert_eq(ts_hull_build(points, count, &hull, &status), TS_OK, "%s", status.message);
    return hull;
}

/// The box hull with the given half extents.
static inline ts_hull* box_hull(ts_vec3 h) {
    ts_vec3 points[8];
    for (int i = 0; i < 8; ++i) points[i] = ts_vec3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    ts_hull* hull = 0;
    cr_assert_eq(ts_hull_build(points, 8, &hull, 0), TS_OK);
    return hull;
}

/// Three corners for a triangle of about that size; the same ones for the same size (1 or 0.5, else 0.1).
static inline const ts_vec3* fixture_triangle(double size) {
    static const ts_vec3 big[3] = {{0.7, -0.2, 0.1}, {-0.4, 0.6, -0.3}, {-0.3, -0.8, 0.2}};
    static const ts_vec3 middle[3] = {{0.35, -0.1, 0.05}, {-0.2, 0.3, -0.15}, {-0.15, -0.4, 0.1}};
    static const ts_vec3 small[3] = {{0.07, -0.02, 0.01}, {-0.04, 0.06, -0.03}, {-0.03, -0.08, 0.02}};
    return size == 1.0 ? big : (size == 0.5 ? middle : small);
}

/// Three corners in a store that is reused after a few thousand calls; for shapes that borrow them.
static inline const ts_vec3* borrow_corners(ts_vec3 a, ts_vec3 b, ts_vec3 c) {
    static ts_vec3 store[4096][3];
    static int next = 0;
    ts_vec3* corner = store[next++ % 4096];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return corner;
}

/// A shape of the given kind with sizes around `size`; hulls are borrowed from the caller.
static inline ts_shape random_shape(ts_rng* rng, ts_shape_kind kind, double size, const ts_hull* hull) {
    double a = size * ts_rng_uniform_in(rng, 0.3, 1.0), b = size * ts_rng_uniform_in(rng, 0.3, 1.0);
    double c = size * ts_rng_uniform_in(rng, 0.3, 1.0);
    switch (kind) {
    case TS_SHAPE_SPHERE: return ts_shape_sphere(a);
    case TS_SHAPE_CAPSULE: return ts_shape_capsule(0.5 * a, b);
    case TS_SHAPE_ELLIPSOID: return ts_shape_ellipsoid(ts_vec3_make(a, b, c));
    case TS_SHAPE_CYLINDER: return ts_shape_cylinder(a, b);
    case TS_SHAPE_CONE: return ts_shape_cone(a, b);
    case TS_SHAPE_TRIANGLE: {
        ts_vec3 p = random_vector(rng, size), q = random_vector(rng, size);
        return ts_shape_triangle(borrow_corners(p, q, random_vector(rng, size)));
    }
    case TS_SHAPE_BOX: return ts_shape_box(ts_vec3_make(a, b, c));
    case TS_SHAPE_HULL: return ts_shape_hull(hull);
    default: {
        const double value[TS_SHAPE_PARAMETERS_MOST] = {a, b, c};
        return ts_shape_make(kind, value);
    }
    }
}

/// Distance of a point to a triangle: the nearest of its inside and its edges, each tried.
static inline double triangle_distance(const ts_vec3* t, ts_vec3 p) {
    double best = (double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        ts_vec3 e = ts_vec3_sub(t[(i + 1) % 3], t[i]), r = ts_vec3_sub(p, t[i]);
        double s = ts_vec3_dot(e, r) / ts_vec3_norm_squared(e);
        s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
        double d = ts_vec3_norm(ts_vec3_add_scaled(r, -s, e));
        best = d < best ? d : best;
    }
    ts_vec3 n = ts_vec3_cross(ts_vec3_sub(t[1], t[0]), ts_vec3_sub(t[2], t[0]));
    for (int i = 0; i < 3; ++i) {
        ts_vec3 inward = ts_vec3_cross(n, ts_vec3_sub(t[(i + 1) % 3], t[i]));
        if (ts_vec3_dot(inward, ts_vec3_sub(p, t[i])) < 0.0) return best;
    }
    return fabs(ts_vec3_dot(n, ts_vec3_sub(p, t[0]))) / ts_vec3_norm(n);
}

/// Signed distance of (q, z) to the triangle with corners (0, h), (r, -h), (0, -h), the profile of a cone; inside it is
/// the nearer of slant and base.
static inline double cone_profile(double r, double h, double q, double z) {
    double slant = sqrt(r * r + 4.0 * h * h);
    double side = (2.0 * h * q + r * (z - h)) / slant;  // along the outward normal (2h, r) of the slant
    double base = -h - z;
    if (side <= 0.0 && base <= 0.0) return side > base ? side : base;
    double s = (r * q - 2.0 * h * (z - h)) / (slant * slant);  // along the slant, 0 at the apex
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    double to_slant = hypot(q - s * r, z - h + s * 2.0 * h);
    double to_base = q <= r ? fabs(z + h) : hypot(q - r, z + h);
    return to_slant < to_base ? to_slant : to_base;
}

/// How far a point lies above the face that it is farthest above.
static inline double outside_faces(const ts_hull* hull, ts_vec3 p) {
    double most = -(double)INFINITY;
    for (int f = 0; f < hull->face_count; ++f) {
        double d = ts_vec3_dot(hull->face_normal[f], p) - hull->face_offset[f];
        most = d > most ? d : most;
    }
    return most;
}

/// The hull of many support points of a core. Kept until another shape is asked for.
static inline const ts_hull* fine_hull(const ts_shape* s) {
    static ts_hull* hull = 0;
    static ts_shape known;
    if (hull && known.kind == s->kind && ts_vec3_distance(known.half, s->half) == 0.0) return hull;
    ts_hull_free(hull);
    known = *s;
    known.radius = 0.0;
    cr_assert_eq(ts_shape_tessellate(&known, 32, &hull, 0), TS_OK);
    return hull;
}

/// How far a point (in the shape's frame) lies outside the core, in a measure that is zero on the surface, negative
/// inside and of the size of a length nearby; the distance itself but for ellipsoids, hulls and, outside, boxes and
/// cylinders without a ball. Written out per kind, without support functions.
static inline double outside_core(const ts_shape* s, ts_vec3 p) {
    ts_vec3 h = s->half;
    switch (s->kind) {
    case TS_SHAPE_PLANE: return p.z;
    case TS_SHAPE_SPHERE: return ts_vec3_norm(p);
    case TS_SHAPE_CAPSULE: {
        double z = p.z < -h.z ? p.z + h.z : (p.z > h.z ? p.z - h.z : 0.0);
        return sqrt(p.x * p.x + p.y * p.y + z * z);
    }
    case TS_SHAPE_ELLIPSOID: {
        double r = ts_vec3_norm(ts_vec3_make(p.x / h.x, p.y / h.y, p.z / h.z));
        double least = h.x < h.y ? h.x : h.y;
        return (r - 1.0) * (least < h.z ? least : h.z);
    }
    case TS_SHAPE_CYLINDER: {
        double side = sqrt(p.x * p.x + p.y * p.y) - h.x, end = fabs(p.z) - h.z;
        if (side > 0.0 && end > 0.0 && s->radius > 0.0) return hypot(side, end);
        return side > end ? side : end;
    }
    case TS_SHAPE_CONE: return cone_profile(h.x, h.z, hypot(p.x, p.y), p.z);
    case TS_SHAPE_TRIANGLE: return triangle_distance(s->triangle, p);
    case TS_SHAPE_BOX: {
        ts_vec3 d = ts_vec3_sub(ts_vec3_abs(p), h);
        double most = d.x > d.y ? d.x : d.y;
        if (s->radius > 0.0 && (most > 0.0 || d.z > 0.0))
            return ts_vec3_norm(ts_vec3_make(d.x > 0.0 ? d.x : 0.0, d.y > 0.0 ? d.y : 0.0, d.z > 0.0 ? d.z : 0.0));
        return most > d.z ? most : d.z;
    }
    case TS_SHAPE_HULL: return outside_faces(s->hull, p);
    default: return outside_faces(fine_hull(s), p);  // a kind that somebody added: exact where it has corners
    }
}

/// The same for the whole shape, ball included. Rounded ellipsoids and hulls are beyond it.
static inline double outside(const ts_shape* s, ts_vec3 p) { return outside_core(s, p) - s->radius; }

#endif
