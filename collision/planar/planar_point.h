// Points and rays against a convex polygon in the plane.
#ifndef TS_COLLISION_PLANAR_PLANAR_POINT_H
#define TS_COLLISION_PLANAR_PLANAR_POINT_H

#include "collision/planar/planar_polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a point is, relative to a polygon. World frame.
typedef struct ts_planar_point_result {
    double distance;        // m: signed, negative inside the rounded polygon
    ts_planar_vec closest;  // the point of the boundary nearest to it
    ts_planar_vec normal;   // unit, outward: the way out of the polygon at `closest`
} ts_planar_point_result;

/// Signed distance of a world point from a placed polygon: exact to a few ulp, O(count). Returns 0, and leaves the result
/// alone, when the pose is invalid or the point not finite or over 1e30 m; else 1.
int ts_planar_point_distance(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec point,
                             ts_planar_point_result* out_result);

/// Where a ray first meets a polygon. World frame.
typedef struct ts_planar_ray_hit {
    double fraction;       // the point is origin + fraction * direction
    ts_planar_vec point;   // on the boundary; the origin itself when the ray starts inside
    ts_planar_vec normal;  // unit, outward; against the ray when it starts inside
    int starts_inside;     // nonzero: the origin is in the polygon, fraction 0
} ts_planar_ray_hit;

/// Casts origin + t * direction, 0 <= t <= limit, at a placed polygon. `direction` has any length (a segment from p to
/// q: direction q - p, limit 1). Returns 1 with the first hit; 0 when there is none, or when the pose is invalid or a
/// number not finite. A ray that only grazes may count as a hit or not, to rounding. O(count).
int ts_planar_ray_cast(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec origin,
                       ts_planar_vec direction, double limit, ts_planar_ray_hit* out_hit);

#ifdef __cplusplus
}
#endif
#endif
