// Distance, overlap and penetration of two convex polygons in the plane. See planar_distance.c for rule and source.
#ifndef TS_COLLISION_PLANAR_PLANAR_DISTANCE_H
#define TS_COLLISION_PLANAR_PLANAR_DISTANCE_H

#include "collision/planar/planar_polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a planar query ended.
typedef enum ts_planar_status {
    TS_PLANAR_SEPARATED,        // a gap; distance known
    TS_PLANAR_TOUCHING,         // zero to rounding: counts as a collision, as for closed sets
    TS_PLANAR_PENETRATING,      // overlap
    TS_PLANAR_SEPARATED_EARLY,  // farther apart than give_up_distance; only `lower` and `normal` mean something
    TS_PLANAR_LIMIT,            // iterations ran out (never seen); the bounds hold
    TS_PLANAR_INVALID_INPUT     // a pose was not finite, not a rotation, or over 1e30 m; nothing else means anything
} ts_planar_status;

/// Which algorithm, and where its support vertices come from.
typedef enum ts_planar_support_rule {
    TS_PLANAR_SUPPORT_AUTO,  // the fastest: one support point, then a walk along the boundary of A - B
    TS_PLANAR_SUPPORT_SCAN,  // barycode GJK, each support looks at all vertices, some at once (beyond 32: as AUTO climbs)
    TS_PLANAR_SUPPORT_PLAIN_SCAN,  // the same bits, one vertex at a time: what climbing has to beat in other libraries
    TS_PLANAR_SUPPORT_CLIMB,       // barycode GJK, each support climbs along the boundary from the last
    TS_PLANAR_SUPPORT_RULES
} ts_planar_support_rule;

/// How much to find out about overlapping cores.
typedef enum ts_planar_depth {
    TS_PLANAR_DEPTH_NONE,  // only that they overlap: distance = upper = minus the sum of the radii
    TS_PLANAR_DEPTH_EXACT  // the penetration depth: distance is the exact signed distance everywhere
} ts_planar_depth;

/// Options of a query; zero-initialise or see ts_planar_options_default.
typedef struct ts_planar_options {
    ts_planar_support_rule support;
    ts_planar_depth depth;
    double give_up_distance;  // m: polygons farther apart than this need no exact distance; 0 or less: always exact
} ts_planar_options;

/// What a pair may remember from one query to the next: a visible argument, not hidden state. Zero-initialised means
/// "nothing known". Contents that are stale, of another pair, or not finite cost time, never correctness.
typedef struct ts_planar_cache {
    ts_planar_vec direction;  // from A to B in A's frame, any length: where to look for a separating line first
    int rank;                 // 0: nothing known; vertices of the simplex: 1, 2, or 3 (a triangle around the origin)
    int simplex_a[3];         // vertices of A and of B that the simplex is made of
    int simplex_b[3];
} ts_planar_cache;

/// What a distance query found. World frame.
typedef struct ts_planar_result {
    ts_planar_status status;
    int iterations;         // sub-distance projections
    int support_calls;      // support points of A - B
    double distance;        // m: signed, of the rounded polygons
    double lower;           // m: certified by a separating line along `normal`: lower <= true signed distance
    double upper;           // m: certified by the witness points: true signed distance <= upper
    ts_planar_vec normal;   // unit, from A to B; moving B by -distance * normal makes them touch
    ts_planar_vec point_a;  // closest points on the boundaries (deepest points when penetrating)
    ts_planar_vec point_b;
} ts_planar_result;

/// What a yes-or-no query found.
typedef enum ts_planar_verdict {
    TS_PLANAR_APART = 0,    // a separating line was found
    TS_PLANAR_OVERLAP = 1,  // a common point exists, touching included
    TS_PLANAR_UNKNOWN = -1  // a pose was invalid
} ts_planar_verdict;

/// Automatic support, exact depth, no giving up.
ts_planar_options ts_planar_options_default(void);

/// Signed distance, witness points and separating direction of A at pose_a and B at pose_b. Exact to a few ulp of the
/// coordinates. `options` NULL: the defaults. `cache` NULL: a cold query; otherwise read and written. No heap, no
/// hidden state, same inputs same bits on every processor.
void ts_planar_distance(const ts_planar_polygon* a, ts_planar_pose pose_a, const ts_planar_polygon* b,
                        ts_planar_pose pose_b, const ts_planar_options* options, ts_planar_cache* cache,
                        ts_planar_result* out_result);

/// Whether A and B come within `margin` m of each other (margin 0: whether they overlap or touch; a negative margin
/// shrinks the radii, down to the cores). Cheaper than the distance. `cache` as above, NULL is fine.
ts_planar_verdict ts_planar_overlap(const ts_planar_polygon* a, ts_planar_pose pose_a, const ts_planar_polygon* b,
                                    ts_planar_pose pose_b, double margin, ts_planar_support_rule support,
                                    ts_planar_cache* cache);

/// The name of a status, e.g. "separated". Never NULL.
const char* ts_planar_status_name(ts_planar_status status);

#ifdef __cplusplus
}
#endif
#endif
