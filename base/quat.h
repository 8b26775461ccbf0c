// Unit quaternions (w, x, y, z), rotating a vector from the child's axes to the parent's.
#ifndef TS_BASE_QUAT_H
#define TS_BASE_QUAT_H

#include "base/mat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A quaternion w + xi + yj + zk; a rotation when its norm is one.
typedef struct ts_quat {
    double w, x, y, z;
} ts_quat;

/// The quaternion (w, x, y, z), as given.
static inline ts_quat ts_quat_make(double w, double x, double y, double z) {
    ts_quat q = {w, x, y, z};
    return q;
}

/// No rotation.
static inline ts_quat ts_quat_identity(void) { return ts_quat_make(1.0, 0.0, 0.0, 0.0); }

/// The quaternion held in four consecutive doubles, w first.
static inline ts_quat ts_quat_load(const double* source) {
    return ts_quat_make(source[0], source[1], source[2], source[3]);
}

/// Writes q into four consecutive doubles, w first.
static inline void ts_quat_store(ts_quat q, double* out_target) {
    out_target[0] = q.w;
    out_target[1] = q.x;
    out_target[2] = q.y;
    out_target[3] = q.z;
}

/// a b: first b, then a.
static inline ts_quat ts_quat_mul(ts_quat a, ts_quat b) {
    return ts_quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

/// The inverse of a unit quaternion.
static inline ts_quat ts_quat_conjugate(ts_quat q) { return ts_quat_make(q.w, -q.x, -q.y, -q.z); }

/// |q|
static inline double ts_quat_norm(ts_quat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }

/// q / |q|, or no rotation when q is zero or not finite.
static inline ts_quat ts_quat_normalize(ts_quat q) {
    double n = ts_quat_norm(q);
    if (!(n > 1e-140 && n < 1e140)) {  // its squares may have under- or overflowed: bring the largest component to one
        double m = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
        if (!(m > 0.0) || !isfinite(m) || isnan(n)) return ts_quat_identity();
        q = ts_quat_make(q.w / m, q.x / m, q.y / m, q.z / m);
        n = ts_quat_norm(q);
    }
    return ts_quat_make(q.w / n, q.x / n, q.y / n, q.z / n);
}

/// v rotated by q.
static inline ts_vec3 ts_quat_rotate(ts_quat q, ts_vec3 v) {
    ts_vec3 u = ts_vec3_make(q.x, q.y, q.z);
    ts_vec3 t = ts_vec3_scale(2.0, ts_vec3_cross(u, v));
    return ts_vec3_add(ts_vec3_add_scaled(v, q.w, t), ts_vec3_cross(u, t));
}

/// The rotation matrix of a unit quaternion.
static inline ts_mat3 ts_quat_to_mat3(ts_quat q) {
    ts_mat3 r = {{{1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)},
                  {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)},
                  {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)}}};
    return r;
}

/// The unit quaternion (w >= 0) of a rotation matrix.
ts_quat ts_quat_from_mat3(const ts_mat3* rotation);

/// The rotation by `angle` (rad) about `axis` (any length; zero gives no rotation).
ts_quat ts_quat_from_axis_angle(ts_vec3 axis, double angle);

/// exp: the rotation by the vector `rotation` (rad), axis times angle.
ts_quat ts_quat_from_rotation_vector(ts_vec3 rotation);

/// log: the rotation vector (rad, |.| <= pi) of a unit quaternion.
ts_vec3 ts_quat_to_rotation_vector(ts_quat q);

/// The shortest rotation that takes unit vector `from` to unit vector `to`.
ts_quat ts_quat_between(ts_vec3 from, ts_vec3 to);

/// q after rotating for time h with angular velocity omega (rad/s) given in the child's own axes: q exp(h omega).
ts_quat ts_quat_integrate(ts_quat q, ts_vec3 omega_local, double h);

#ifdef __cplusplus
}
#endif
#endif
