// Two shapes as they lie to each other, and what is known of the way between them: what every method of this folder is
// asked about, and what it answers.
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

/// What is certain about a signed distance: of the cores of a pair or of its shapes, in A's frame or in the world's, as
/// whoever fills it says. lower <= signed distance <= upper, however the search ended.
typedef struct ts_separation {
    double lower;     // m: the gap along `normal`, proven by its two support points; negative in an overlap
    double upper;     // m: infinite where nothing is known
    ts_vec3 normal;   // unit, from A to B
    ts_vec3 point_a;  // on A: nearest to B, or deepest in it
    ts_vec3 point_b;  // on B
} ts_separation;

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

/// Moves the points onto one line along the normal, so that they differ by exactly point_a - point_b = -lower * normal.
void ts_separation_straighten(ts_separation* io_found);

#ifdef __cplusplus
}
#endif
#endif
