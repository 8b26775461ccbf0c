// Two shapes as they lie to each other: what every method of this folder is asked about.
#ifndef TS_COLLISION_SHAPE_PAIR_H
#define TS_COLLISION_SHAPE_PAIR_H

#include "collision/shape/support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two shapes (borrowed) and where the second lies, seen from the first. Everything is told in A's frame.
typedef struct ts_shape_pair {
    const ts_shape* a;
    const ts_shape* b;
    ts_transform b_in_a;  // B's frame in A's
} ts_shape_pair;

/// The pair of two shapes that are placed in a common frame. Positions are subtracted before anything is rotated, so that
/// nothing is lost far from that frame's origin.
static inline ts_shape_pair ts_shape_pair_make(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b,
                                               const ts_transform* pose_b) {
    ts_shape_pair pair;
    pair.a = a;
    pair.b = b;
    pair.b_in_a = ts_transform_relative(pose_a, pose_b);
    return pair;
}

/// The same pair seen from B.
static inline ts_shape_pair ts_shape_pair_swapped(const ts_shape_pair* pair) {
    ts_shape_pair swapped = {pair->b, pair->a, ts_transform_inverse(&pair->b_in_a)};
    return swapped;
}

/// m: both balls together, by which the shapes are nearer to each other than their cores.
static inline double ts_shape_pair_balls(const ts_shape_pair* pair) { return pair->a->radius + pair->b->radius; }

/// The gap of the cores (m, negative in an overlap) along a unit direction from A to B, and the points that face each
/// other across it: a lower bound of the cores' signed distance whatever the direction.
double ts_shape_pair_gap(const ts_shape_pair* pair, ts_vec3 direction, ts_vec3* out_point_a, ts_vec3* out_point_b);

#ifdef __cplusplus
}
#endif
#endif
