// Robots made of polygons among obstacles made of polygons: clearance and collision of whole sets.
#ifndef TS_COLLISION_PLANAR_PLANAR_CLEARANCE_H
#define TS_COLLISION_PLANAR_PLANAR_CLEARANCE_H

#include "collision/planar/planar_distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A placed polygon; the polygon is borrowed.
typedef struct ts_planar_body {
    const ts_planar_polygon* polygon;
    ts_planar_pose pose;
} ts_planar_body;

/// The nearest pair of two sets.
typedef struct ts_planar_clearance_result {
    int first;              // index into the first set, -1: no pair within the give-up distance
    int second;             // index into the second set
    ts_planar_result pair;  // that pair; INVALID_INPUT when one of its poses is invalid
} ts_planar_clearance_result;

/// The pair with the least signed distance (of equals, the first by `first`, then `second`), looking only for pairs
/// closer than give_up_distance m (INFINITY: all). Discs rule out what cannot be nearest. The first invalid body met ends
/// the search, named in the result.
void ts_planar_clearance(const ts_planar_body* first, int first_count, const ts_planar_body* second, int second_count,
                         double give_up_distance, ts_planar_clearance_result* out_result);

/// Whether any pair comes within `margin` m; *out_first and *out_second (either may be NULL) name the first such pair by
/// index. UNKNOWN when an invalid body was met before.
ts_planar_verdict ts_planar_clearance_collides(const ts_planar_body* first, int first_count,
                                               const ts_planar_body* second, int second_count, double margin,
                                               int* out_first, int* out_second);

/// One robot at many poses: out_clearance[k] (pose_count) gets its signed distance to the obstacles at pose[k], or
/// give_up_distance when nothing is closer, NAN when a pose is invalid. Parts are placed in the robot's frame.
void ts_planar_clearance_of_poses(const ts_planar_body* parts, int part_count, const ts_planar_pose* pose,
                                  int pose_count, const ts_planar_body* obstacles, int obstacle_count,
                                  double give_up_distance, double* out_clearance);

#ifdef __cplusplus
}
#endif
#endif
