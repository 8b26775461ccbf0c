// Supports where they are called a dozen times per pair: the cores' closed forms, to be inlined into GJK, EPA and the
// polish, and the inner loop for hulls: which vertex lies farthest along a direction, lowest index first among equals.
// Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_SUPPORT_INTERNAL_H
#define TS_COLLISION_SUPPORT_INTERNAL_H

#include "base/assert.h"
#include "collision/shape/shape_traits_internal.h"
#include "collision/shape/support_scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The number of a hull's support vertex; `hint` as for ts_support_core.
int ts_support_hull(const ts_hull* hull, ts_vec3 direction, int hint);

/// The same, and ts_support_scan_simd, with the direction in registers: a vector by value goes through memory, and what
/// was just computed is read back from there in other pieces than it was written, for which processors wait.
int ts_support_hull_xyz(const ts_hull* hull, double x, double y, double z, int hint);
int ts_support_scan_xyz(const ts_hull* hull, double x, double y, double z);

/// Climbs from a vertex.
int ts_support_climb_from(const ts_hull* hull, ts_vec3 direction, int vertex);

/// ts_support_feature_along when the support point along `direction` is known.
void ts_support_feature_from(const ts_shape* shape, ts_vec3 direction, ts_support_point top,
                             ts_support_feature* out_feature);

static inline ts_support_point ts_support_point_make(ts_vec3 point, int index) {
    ts_support_point support = {point, index};
    return support;
}

// Squared lengths in this range have exact enough roots and reciprocals; outside it directions are scaled first.
static inline int ts_support_is_tame(double squared) { return squared > 1e-250 && squared < 1e250; }

static inline ts_support_point ts_support_ellipsoid(const ts_shape* shape, ts_vec3 d, int hint) {
    ts_vec3 h = shape->half;
    (void)hint;
    ts_vec3 u = ts_vec3_mul(d, h);
    double squared = ts_vec3_norm_squared(u);
    if (!ts_support_is_tame(squared)) {
        double m = ts_vec3_max_abs(d);
        if (m > 0.0) u = ts_vec3_mul(ts_vec3_scale(1.0 / m, d), h);
        squared = ts_vec3_norm_squared(u);
        if (!(m > 0.0) || !(squared > 0.0)) return ts_support_point_make(ts_vec3_make(h.x, 0.0, 0.0), -1);
    }
    return ts_support_point_make(ts_vec3_scale(1.0 / sqrt(squared), ts_vec3_mul(u, h)), -1);
}

static inline ts_support_point ts_support_cylinder(const ts_shape* shape, ts_vec3 d, int hint) {
    ts_vec3 h = shape->half;
    (void)hint;
    double z = d.z < 0.0 ? -h.z : h.z;
    double x = d.x, y = d.y, squared = x * x + y * y;
    if (!ts_support_is_tame(squared)) {
        double m = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
        if (!(m > 0.0)) return ts_support_point_make(ts_vec3_make(h.x, 0.0, z), -1);
        x /= m;
        y /= m;
        squared = x * x + y * y;
    }
    double s = h.x / sqrt(squared);
    return ts_support_point_make(ts_vec3_make(s * x, s * y, z), -1);
}

// The apex beats the rim where 2h d.z > r |(d.x, d.y)|; equal values go to the rim.
static inline ts_support_point ts_support_cone(const ts_shape* shape, ts_vec3 d, int hint) {
    ts_vec3 h = shape->half;
    (void)hint;
    double x = d.x, y = d.y, z = d.z, squared = x * x + y * y;
    if (!ts_support_is_tame(squared)) {
        double m = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
        if (!(m > 0.0))
            return ts_support_point_make(z > 0.0 ? ts_vec3_make(0.0, 0.0, h.z) : ts_vec3_make(h.x, 0.0, -h.z), -1);
        x /= m;
        y /= m;
        z /= m;
        squared = x * x + y * y;
    }
    double across = sqrt(squared);
    if (2.0 * h.z * z > h.x * across) return ts_support_point_make(ts_vec3_make(0.0, 0.0, h.z), -1);
    double s = h.x / across;
    return ts_support_point_make(ts_vec3_make(s * x, s * y, -h.z), -1);
}

static inline ts_support_point ts_support_triangle(const ts_shape* shape, ts_vec3 d, int hint) {
    const ts_vec3* corner = shape->triangle;
    (void)hint;
    // Edges are compared, not corners, so that a triangle far from its frame's origin keeps its digits.
    double first = ts_vec3_dot(d, ts_vec3_sub(corner[1], corner[0]));
    double second = ts_vec3_dot(d, ts_vec3_sub(corner[2], corner[0]));
    int best = first > 0.0 ? 1 : 0;
    if (second > (best ? first : 0.0)) best = 2;
    return ts_support_point_make(corner[best], best);
}

static inline ts_support_point ts_support_box(const ts_shape* shape, ts_vec3 d, int hint) {
    ts_vec3 h = shape->half;
    (void)hint;
    int x = !(d.x < 0.0), y = !(d.y < 0.0), z = !(d.z < 0.0);
    return ts_support_point_make(ts_vec3_make(x ? h.x : -h.x, y ? h.y : -h.y, z ? h.z : -h.z), x | y << 1 | z << 2);
}

static inline ts_support_point ts_support_segment(const ts_shape* shape, ts_vec3 d, int hint) {
    ts_vec3 h = shape->half;
    (void)hint;
    int up = !(d.z < 0.0);
    return ts_support_point_make(ts_vec3_make(0.0, 0.0, up ? h.z : -h.z), up);
}

static inline ts_support_point ts_support_origin(const ts_shape* shape, ts_vec3 d, int hint) {
    (void)shape, (void)d, (void)hint;
    return ts_support_point_make(ts_vec3_zero(), 0);
}

static inline ts_support_point ts_support_polytope(const ts_shape* shape, ts_vec3 d, int hint) {
    int index = ts_support_hull(shape->hull, d, hint);
    return ts_support_point_make(shape->hull->vertex[index], index);
}

/// ts_support_core, inlined for the kinds named here; others are asked through the table.
static inline ts_support_point ts_support_core_inline(const ts_shape* shape, ts_vec3 d, int hint) {
    switch (shape->kind) {
    case TS_SHAPE_BOX: return ts_support_box(shape, d, hint);
    case TS_SHAPE_HULL: return ts_support_polytope(shape, d, hint);
    case TS_SHAPE_CAPSULE: return ts_support_segment(shape, d, hint);
    case TS_SHAPE_ELLIPSOID: return ts_support_ellipsoid(shape, d, hint);
    case TS_SHAPE_CYLINDER: return ts_support_cylinder(shape, d, hint);
    case TS_SHAPE_CONE: return ts_support_cone(shape, d, hint);
    case TS_SHAPE_TRIANGLE: return ts_support_triangle(shape, d, hint);
    case TS_SHAPE_SPHERE: return ts_support_origin(shape, d, hint);
    default:
        TS_ASSERT(ts_shape_traits_of(shape)->support);  // planes and composites have no support points
        return ts_shape_traits_of(shape)->support(shape, d, hint);
    }
}

/// A vertex of a polytope core by its number. Returns 0 when there is none.
static inline int ts_support_vertex(const ts_shape* shape, int index, ts_vec3* out_vertex) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    return index >= 0 && traits->vertex && traits->vertex(shape, index, out_vertex);
}

#ifdef __cplusplus
}
#endif
#endif
