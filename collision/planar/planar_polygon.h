// Convex polygons with an optional rounding radius: the shapes of every query in the plane.
#ifndef TS_COLLISION_PLANAR_PLANAR_POLYGON_H
#define TS_COLLISION_PLANAR_PLANAR_POLYGON_H

#include "base/status.h"
#include "collision/planar/planar_pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most vertices of one polygon.
enum { TS_PLANAR_COUNT_MAX = 65536 };

/// A convex core (1 vertex: a point, 2: a segment, more: a strictly convex polygon, counter-clockwise) plus a ball of
/// `radius` around it: circles, capsules (stadiums), rounded boxes. Constant once built, so shared by any number of
/// bodies and threads. Coordinates are kept relative to `centre`, so a polygon given in map coordinates far from the
/// origin loses no digits.
typedef struct ts_planar_polygon {
    int count;         // vertices of the core
    int padded_count;  // count rounded up to a multiple of 8
    double* x;         // (padded_count + 8) m, relative to centre; entries from `count` on repeat vertex 0
    double* y;         // (padded_count + 8)
    double* normal_x;  // (padded_count) unit outward normal of the edge from vertex i to the next; 0 for a point
    double* normal_y;
    double radius;         // m, >= 0
    ts_planar_vec centre;  // m, body frame: the centroid to six digits, or the middle of the box of thin cores
    double reach;          // m: every core vertex is within this of centre
    double inner;          // m: a disc of this radius around centre lies in the core; 0 when there is none
    ts_planar_vec low;     // m, body frame: box of the core, without the radius
    ts_planar_vec high;
    int coarse_stride;  // every coarse_stride-th vertex is a seed for hill climbing; 0 when count <= 32
    int coarse_count;   // seeds
    double* coarse_x;   // (coarse_count rounded up to a multiple of 8), padded with seed 0
    double* coarse_y;
} ts_planar_polygon;

/// Builds the convex hull of `count` points (m, any order, duplicates and collinear points welcome: they are dropped)
/// rounded by `radius` >= 0 m. One distinct point gives a circle, collinear points a capsule. TS_ERROR_VALUE names the
/// reason when there are no points, a number is not finite or over 1e30, the radius is negative, or the hull has more
/// than TS_PLANAR_COUNT_MAX vertices; TS_ERROR_MEMORY when memory runs out. *out_polygon is then NULL. Free with
/// ts_planar_polygon_free.
ts_code ts_planar_polygon_build(const ts_planar_vec* points, int count, double radius, ts_planar_polygon** out_polygon,
                                ts_status* out_status);

/// A circle of `radius` m around the origin of the body; errors as ts_planar_polygon_build.
ts_code ts_planar_polygon_circle(double radius, ts_planar_polygon** out_polygon, ts_status* out_status);

/// A stadium: all points within `radius` m of the segment a-b.
ts_code ts_planar_polygon_capsule(ts_planar_vec a, ts_planar_vec b, double radius, ts_planar_polygon** out_polygon,
                                  ts_status* out_status);

/// A box of half-sizes half.x, half.y (m, >= 0) around the origin, grown by `radius` with round corners.
ts_code ts_planar_polygon_box(ts_planar_vec half, double radius, ts_planar_polygon** out_polygon,
                              ts_status* out_status);

/// Releases a polygon; NULL is ignored.
void ts_planar_polygon_free(ts_planar_polygon* polygon);

/// Vertex i of the core in the body frame, m. 0 <= i < count.
ts_planar_vec ts_planar_polygon_vertex(const ts_planar_polygon* polygon, int i);

/// The smallest axis-aligned box of the rounded polygon at `pose`, grown by a few units in the last place so that it
/// surely holds it, m. O(count).
void ts_planar_polygon_bounds(const ts_planar_polygon* polygon, ts_planar_pose pose, ts_planar_vec* out_low,
                              ts_planar_vec* out_high);

#ifdef __cplusplus
}
#endif
#endif
