// Points, directions and poses in the plane. Only + - * / sqrt: the same bits on every IEEE machine.
#ifndef TS_COLLISION_PLANAR_PLANAR_POSE_H
#define TS_COLLISION_PLANAR_PLANAR_POSE_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A point (m) or a direction in the plane.
typedef struct ts_planar_vec {
    double x, y;
} ts_planar_vec;

/// Where a body is: x -> position + rotation * x, with the rotation as a unit complex number (cosine, sine). Queries
/// renormalise a rotation whose length is off by up to 1 %, and refuse anything worse.
typedef struct ts_planar_pose {
    ts_planar_vec position;  // m
    ts_planar_vec rotation;  // (cos, sin) of the heading
} ts_planar_pose;

/// The vector (x, y).
static inline ts_planar_vec ts_planar_vec_make(double x, double y) {
    ts_planar_vec v = {x, y};
    return v;
}

/// a + b
static inline ts_planar_vec ts_planar_vec_add(ts_planar_vec a, ts_planar_vec b) {
    return ts_planar_vec_make(a.x + b.x, a.y + b.y);
}

/// a - b
static inline ts_planar_vec ts_planar_vec_sub(ts_planar_vec a, ts_planar_vec b) {
    return ts_planar_vec_make(a.x - b.x, a.y - b.y);
}

/// a + s b
static inline ts_planar_vec ts_planar_vec_add_scaled(ts_planar_vec a, double s, ts_planar_vec b) {
    return ts_planar_vec_make(a.x + s * b.x, a.y + s * b.y);
}

/// s a
static inline ts_planar_vec ts_planar_vec_scale(double s, ts_planar_vec a) {
    return ts_planar_vec_make(s * a.x, s * a.y);
}

/// <a, b>
static inline double ts_planar_vec_dot(ts_planar_vec a, ts_planar_vec b) { return a.x * b.x + a.y * b.y; }

/// a x b: positive when b lies to the left of a.
static inline double ts_planar_vec_cross(ts_planar_vec a, ts_planar_vec b) { return a.x * b.y - a.y * b.x; }

/// |a|
static inline double ts_planar_vec_norm(ts_planar_vec a) { return sqrt(a.x * a.x + a.y * a.y); }

/// b turned by the rotation r, as complex numbers: r b.
static inline ts_planar_vec ts_planar_vec_turn(ts_planar_vec r, ts_planar_vec b) {
    return ts_planar_vec_make(r.x * b.x - r.y * b.y, r.y * b.x + r.x * b.y);
}

/// b turned back by the rotation r: conj(r) b.
static inline ts_planar_vec ts_planar_vec_turn_back(ts_planar_vec r, ts_planar_vec b) {
    return ts_planar_vec_make(r.x * b.x + r.y * b.y, r.x * b.y - r.y * b.x);
}

/// The pose at (x, y) m with the heading of (cosine, sine), which may have any positive length; a zero or non-finite
/// heading gives the identity rotation.
static inline ts_planar_pose ts_planar_pose_make(double x, double y, double cosine, double sine) {
    ts_planar_pose pose = {{x, y}, {1.0, 0.0}};
    double m = fabs(cosine) > fabs(sine) ? fabs(cosine) : fabs(sine);
    if (m > 0.0 && isfinite(cosine) && isfinite(sine)) {
        double c = cosine / m, s = sine / m, length = sqrt(c * c + s * s);
        pose.rotation = ts_planar_vec_make(c / length, s / length);
    }
    return pose;
}

/// The pose that moves nothing.
static inline ts_planar_pose ts_planar_pose_identity(void) { return ts_planar_pose_make(0.0, 0.0, 1.0, 0.0); }

/// A point of the body frame in the world.
static inline ts_planar_vec ts_planar_pose_point(ts_planar_pose pose, ts_planar_vec point) {
    return ts_planar_vec_add(pose.position, ts_planar_vec_turn(pose.rotation, point));
}

/// A point of the world in the body frame.
static inline ts_planar_vec ts_planar_pose_point_inverse(ts_planar_pose pose, ts_planar_vec point) {
    return ts_planar_vec_turn_back(pose.rotation, ts_planar_vec_sub(point, pose.position));
}

/// first, then second: x -> second(first(x)).
static inline ts_planar_pose ts_planar_pose_compose(ts_planar_pose second, ts_planar_pose first) {
    ts_planar_pose pose;
    pose.position = ts_planar_pose_point(second, first.position);
    pose.rotation = ts_planar_vec_turn(second.rotation, first.rotation);
    return pose;
}

#ifdef __cplusplus
}
#endif
#endif
