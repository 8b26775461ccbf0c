// Where a frame sits in another one: ts_pose (quaternion, for state and files) and ts_transform (matrix, for geometry).
#ifndef TS_BASE_POSE_H
#define TS_BASE_POSE_H

#include "base/quat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A child frame in its parent: x_parent = rotation * x_child + position.
typedef struct ts_pose {
    ts_vec3 position;  // m
    ts_quat rotation;  // unit
} ts_pose;

/// The same as ts_pose with the rotation as a matrix: x_parent = R x_child + p.
typedef struct ts_transform {
    ts_mat3 R;
    ts_vec3 p;  // m
} ts_transform;

/// The child frame that coincides with its parent.
static inline ts_pose ts_pose_identity(void) {
    ts_pose a = {ts_vec3_zero(), ts_quat_identity()};
    return a;
}

/// b, given in a, expressed in a's parent.
static inline ts_pose ts_pose_mul(ts_pose a, ts_pose b) {
    ts_pose c = {ts_vec3_add(a.position, ts_quat_rotate(a.rotation, b.position)), ts_quat_mul(a.rotation, b.rotation)};
    return c;
}

/// The pose of the parent in the child.
static inline ts_pose ts_pose_inverse(ts_pose a) {
    ts_quat q = ts_quat_conjugate(a.rotation);
    ts_pose b = {ts_vec3_neg(ts_quat_rotate(q, a.position)), q};
    return b;
}

/// A point of the child, in the parent.
static inline ts_vec3 ts_pose_apply(ts_pose a, ts_vec3 point) {
    return ts_vec3_add(a.position, ts_quat_rotate(a.rotation, point));
}

/// The matrix form of a pose.
static inline ts_transform ts_transform_from_pose(ts_pose a) {
    ts_transform t = {ts_quat_to_mat3(a.rotation), a.position};
    return t;
}

/// The pose of a matrix form.
static inline ts_pose ts_pose_from_transform(const ts_transform* a) {
    ts_pose b = {a->p, ts_quat_from_mat3(&a->R)};
    return b;
}

/// The child frame that coincides with its parent.
static inline ts_transform ts_transform_identity(void) {
    ts_transform t = {ts_mat3_identity(), ts_vec3_zero()};
    return t;
}

/// A point of the child, in the parent.
static inline ts_vec3 ts_transform_point(const ts_transform* a, ts_vec3 point) {
    return ts_vec3_add(a->p, ts_mat3_mul_vec(&a->R, point));
}

/// A point of the parent, in the child.
static inline ts_vec3 ts_transform_point_inverse(const ts_transform* a, ts_vec3 point) {
    return ts_mat3_mul_vec_transposed(&a->R, ts_vec3_sub(point, a->p));
}

/// A direction of the child, in the parent.
static inline ts_vec3 ts_transform_direction(const ts_transform* a, ts_vec3 direction) {
    return ts_mat3_mul_vec(&a->R, direction);
}

/// A direction of the parent, in the child.
static inline ts_vec3 ts_transform_direction_inverse(const ts_transform* a, ts_vec3 direction) {
    return ts_mat3_mul_vec_transposed(&a->R, direction);
}

/// b, given in a, expressed in a's parent.
static inline ts_transform ts_transform_mul(const ts_transform* a, const ts_transform* b) {
    ts_transform c = {ts_mat3_mul(a->R, b->R), ts_transform_point(a, b->p)};
    return c;
}

/// The pose of the parent in the child.
static inline ts_transform ts_transform_inverse(const ts_transform* a) {
    ts_transform b = {ts_mat3_transpose(a->R), ts_vec3_neg(ts_mat3_mul_vec_transposed(&a->R, a->p))};
    return b;
}

/// b seen from a, both given in a common parent. Subtracts positions first, so it stays accurate far from the origin.
static inline ts_transform ts_transform_relative(const ts_transform* a, const ts_transform* b) {
    ts_transform c = {ts_mat3_transposed_mul(a->R, b->R), ts_mat3_mul_vec_transposed(&a->R, ts_vec3_sub(b->p, a->p))};
    return c;
}

#ifdef __cplusplus
}
#endif
#endif
