// A pair of bodies as the kernels want it: B in the frame of A, both relative to their centres.
#ifndef TS_COLLISION_PLANAR_PLANAR_QUERY_INTERNAL_H
#define TS_COLLISION_PLANAR_PLANAR_QUERY_INTERNAL_H

#include "collision/planar/planar_gjk_internal.h"

// Makes the rotation unit; 0 when the pose is no pose.
int planar_tidy_pose(ts_planar_pose* pose);

// Fills geometry; 0 when a pose is invalid. Poses that are slightly off are put right.
static inline int planar_query_make(const ts_planar_polygon* a, ts_planar_pose* pose_a, const ts_planar_polygon* b,
                                    ts_planar_pose* pose_b, planar_query* query) {
    if (!planar_poses_are_tidy(pose_a, pose_b) && (!planar_tidy_pose(pose_a) || !planar_tidy_pose(pose_b))) return 0;
    ts_planar_vec ra = pose_a->rotation, rb = pose_b->rotation;
    double gx = pose_b->position.x - pose_a->position.x, gy = pose_b->position.y - pose_a->position.y;
    query->a = a;
    query->b = b;
    query->c = ra.x * rb.x + ra.y * rb.y;
    query->s = ra.x * rb.y - ra.y * rb.x;
    // Centres first: polygons in map coordinates then lose no digits.
    query->tx = (ra.x * gx + ra.y * gy) + ((query->c * b->centre.x - query->s * b->centre.y) - a->centre.x);
    query->ty = (ra.x * gy - ra.y * gx) + ((query->s * b->centre.x + query->c * b->centre.y) - a->centre.y);
    return 1;
}

#endif
