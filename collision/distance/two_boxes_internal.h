// Two boxes as numbers, for separating axes and closest points. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_TWO_BOXES_INTERNAL_H
#define TS_COLLISION_TWO_BOXES_INTERNAL_H

#include "collision/distance/shape_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Both boxes and how they lie to each other.
typedef struct ts_two_boxes {
    double a[3], b[3];  // m, half extents
    double R[3][3];     // column j: axis j of B in A's frame
    double Q[3][3];     // |R|
    double t[3];        // m, centre of B in A's frame
    double tb[3];       // m, <axis j of B, t>
    double size;        // m, what tolerances are relative to; whoever uses it sets it
} ts_two_boxes;

/// Everything but the size.
static inline void ts_two_boxes_prepare(const ts_shape_pair* pair, ts_two_boxes* p) {
    const ts_transform* pose = &pair->b_in_a;
    ts_vec3_store(pair->a->half, p->a);
    ts_vec3_store(pair->b->half, p->b);
    ts_vec3_store(pose->p, p->t);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            p->R[i][j] = pose->R.m[i][j];
            p->Q[i][j] = fabs(pose->R.m[i][j]);
        }
    }
    for (int j = 0; j < 3; ++j) p->tb[j] = p->t[0] * p->R[0][j] + p->t[1] * p->R[1][j] + p->t[2] * p->R[2][j];
}

/// The gap along face normal i of A.
static inline double ts_two_boxes_gap_a(const ts_two_boxes* p, int i) {
    return fabs(p->t[i]) - (p->a[i] + (p->b[0] * p->Q[i][0] + p->b[1] * p->Q[i][1] + p->b[2] * p->Q[i][2]));
}

/// The gap along face normal j of B.
static inline double ts_two_boxes_gap_b(const ts_two_boxes* p, int j) {
    return fabs(p->tb[j]) - (p->b[j] + (p->a[0] * p->Q[0][j] + p->a[1] * p->Q[1][j] + p->a[2] * p->Q[2][j]));
}

/// Axis j of B in A's frame.
static inline ts_vec3 ts_two_boxes_axis(const ts_two_boxes* p, int j) {
    return ts_vec3_make(p->R[0][j], p->R[1][j], p->R[2][j]);
}

/// Closest points of boxes apart, with `size` set to what both together measure, by an active set method (box_nearest.c).
/// Returns 0 where they do not prove themselves closest.
int ts_two_boxes_nearest(const ts_two_boxes* p, ts_separation* out_found);

#ifdef __cplusplus
}
#endif
#endif
