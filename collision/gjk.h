// GJK: the distance between two convex cores, with certified bounds. See gjk.c for rule, source and guarantee.
#ifndef TS_COLLISION_GJK_H
#define TS_COLLISION_GJK_H

#include "collision/support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a proximity query ended. Whatever it says, the bounds in the result hold.
typedef enum ts_proximity_status {
    TS_PROXIMITY_SEPARATED,        // distance known to tolerance
    TS_PROXIMITY_TOUCHING,         // zero to rounding
    TS_PROXIMITY_PENETRATING,      // cores overlap
    TS_PROXIMITY_SEPARATED_EARLY,  // farther than asked for; only the lower bound means something
    TS_PROXIMITY_LIMIT,            // iterations ran out; bounds and normal are usable
    TS_PROXIMITY_INVALID_INPUT     // a pose or shape was not finite; nothing in the result means anything
} ts_proximity_status;

/// A point of the configuration-space difference A - B and where it came from.
typedef struct ts_gjk_vertex {
    ts_vec3 w;  // a - b, in A's frame
    ts_vec3 a;  // on A's core, in A's frame
    ts_vec3 b;  // on B's core, in A's frame
    int index_a;
    int index_b;
    double lambda;  // barycentric weight at the end
} ts_gjk_vertex;

/// What a pair may remember from one query to the next. A visible argument, not hidden state: same inputs and same
/// cache give the same bits. Zero-initialised means "nothing known".
typedef struct ts_gjk_cache {
    ts_vec3 normal;  // last unit normal A to B in A's frame; zero when unknown
    int hint_a;      // last support vertex + 1, 0 when unknown
    int hint_b;
} ts_gjk_cache;

/// Tolerances of a query; see ts_gjk_settings_default.
typedef struct ts_gjk_settings {
    double relative_tolerance;  // stop when upper - lower <= this * upper
    double give_up_distance;    // m: cores farther apart than this need no distance (SEPARATED_EARLY)
    int iteration_limit;
} ts_gjk_settings;

/// Distance of two cores; everything in A's frame.
typedef struct ts_gjk_result {
    ts_proximity_status status;
    double lower;     // m: certified, distance >= lower (may be negative)
    double upper;     // m: certified, distance <= upper
    ts_vec3 normal;   // unit, from A to B
    ts_vec3 point_a;  // closest points of the cores
    ts_vec3 point_b;
    ts_gjk_vertex simplex[4];
    int rank;  // vertices in the simplex
    int iterations;
    double scale;  // m: largest |w| seen, what tolerances are relative to
} ts_gjk_result;

/// Relative tolerance 1e-12, no early exit, 128 iterations.
ts_gjk_settings ts_gjk_settings_default(void);

/// The distance of the cores of A and B (convex, not planes), B placed at b_in_a. `cache` is read and written; NULL is
/// fine. With status PENETRATING or TOUCHING the simplex is what EPA continues from.
void ts_gjk_distance(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, const ts_gjk_settings* settings,
                     ts_gjk_cache* cache, ts_gjk_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
