// Three-vectors by value. Everything here is + - * / sqrt, so results are the same bits on every IEEE machine.
#ifndef TS_BASE_VEC_H
#define TS_BASE_VEC_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A vector or a point in 3-D, components in the unit of what it holds.
typedef struct ts_vec3 {
    double x, y, z;
} ts_vec3;

/// The vector (x, y, z).
static inline ts_vec3 ts_vec3_make(double x, double y, double z) {
    ts_vec3 v = {x, y, z};
    return v;
}

/// The zero vector.
static inline ts_vec3 ts_vec3_zero(void) { return ts_vec3_make(0.0, 0.0, 0.0); }

/// The unit vector along axis 0, 1 or 2.
static inline ts_vec3 ts_vec3_axis(int axis) {
    return ts_vec3_make(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

/// Component 0, 1 or 2 of a.
static inline double ts_vec3_get(ts_vec3 a, int axis) { return axis == 0 ? a.x : (axis == 1 ? a.y : a.z); }

/// a with component 0, 1 or 2 replaced.
static inline ts_vec3 ts_vec3_with(ts_vec3 a, int axis, double value) {
    return ts_vec3_make(axis == 0 ? value : a.x, axis == 1 ? value : a.y, axis == 2 ? value : a.z);
}

/// The number of the largest component, the first among equals.
static inline int ts_vec3_largest(ts_vec3 a) { return a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2); }

/// The number of the least component, the first among equals.
static inline int ts_vec3_least(ts_vec3 a) { return a.x <= a.y ? (a.x <= a.z ? 0 : 2) : (a.y <= a.z ? 1 : 2); }

/// The vector held in three consecutive doubles.
static inline ts_vec3 ts_vec3_load(const double* source) { return ts_vec3_make(source[0], source[1], source[2]); }

/// Writes a into three consecutive doubles.
static inline void ts_vec3_store(ts_vec3 a, double* out_target) {
    out_target[0] = a.x;
    out_target[1] = a.y;
    out_target[2] = a.z;
}

/// a + b
static inline ts_vec3 ts_vec3_add(ts_vec3 a, ts_vec3 b) { return ts_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z); }

/// a - b
static inline ts_vec3 ts_vec3_sub(ts_vec3 a, ts_vec3 b) { return ts_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z); }

/// -a
static inline ts_vec3 ts_vec3_neg(ts_vec3 a) { return ts_vec3_make(-a.x, -a.y, -a.z); }

/// s a
static inline ts_vec3 ts_vec3_scale(double s, ts_vec3 a) { return ts_vec3_make(s * a.x, s * a.y, s * a.z); }

/// a + s b
static inline ts_vec3 ts_vec3_add_scaled(ts_vec3 a, double s, ts_vec3 b) {
    return ts_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/// The component-wise product.
static inline ts_vec3 ts_vec3_mul(ts_vec3 a, ts_vec3 b) { return ts_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z); }

/// <a, b>
static inline double ts_vec3_dot(ts_vec3 a, ts_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// a x b
static inline ts_vec3 ts_vec3_cross(ts_vec3 a, ts_vec3 b) {
    return ts_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// |a|^2
static inline double ts_vec3_norm_squared(ts_vec3 a) { return ts_vec3_dot(a, a); }

/// |a|
static inline double ts_vec3_norm(ts_vec3 a) { return sqrt(ts_vec3_dot(a, a)); }

/// |a - b|
static inline double ts_vec3_distance(ts_vec3 a, ts_vec3 b) { return ts_vec3_norm(ts_vec3_sub(a, b)); }

/// (|a.x|, |a.y|, |a.z|)
static inline ts_vec3 ts_vec3_abs(ts_vec3 a) { return ts_vec3_make(fabs(a.x), fabs(a.y), fabs(a.z)); }

/// The largest component in magnitude.
static inline double ts_vec3_max_abs(ts_vec3 a) {
    double m = fabs(a.x);
    if (fabs(a.y) > m) m = fabs(a.y);
    if (fabs(a.z) > m) m = fabs(a.z);
    return m;
}

/// The component-wise minimum.
static inline ts_vec3 ts_vec3_min(ts_vec3 a, ts_vec3 b) {
    return ts_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

/// The component-wise maximum.
static inline ts_vec3 ts_vec3_max(ts_vec3 a, ts_vec3 b) {
    return ts_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/// a + t (b - a)
static inline ts_vec3 ts_vec3_lerp(ts_vec3 a, ts_vec3 b, double t) {
    return ts_vec3_add_scaled(a, t, ts_vec3_sub(b, a));
}

/// The components as floats, for pictures.
static inline void ts_vec3_store_floats(ts_vec3 a, float out[3]) {
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

/// Nonzero when every component is finite.
static inline int ts_vec3_is_finite(ts_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/// a / |a|, or `fallback` when a is zero or not finite. Scales first, so it neither overflows nor underflows.
static inline ts_vec3 ts_vec3_unit_or(ts_vec3 a, ts_vec3 fallback) {
    double m = ts_vec3_max_abs(a);
    if (!(m > 0.0) || !ts_vec3_is_finite(a)) return fallback;
    a = ts_vec3_make(a.x / m, a.y / m, a.z / m);
    return ts_vec3_scale(1.0 / ts_vec3_norm(a), a);
}

/// A unit vector at right angles to a, which must not be zero: to the axis as well along which a is least, where rounding
/// is.
static inline ts_vec3 ts_vec3_orthogonal(ts_vec3 a) {
    ts_vec3 axis = ts_vec3_axis(ts_vec3_least(ts_vec3_abs(a)));
    return ts_vec3_unit_or(ts_vec3_cross(a, axis), axis);
}

#ifdef __cplusplus
}
#endif
#endif
