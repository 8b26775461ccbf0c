// Signed distance of two placed shapes: closed forms where they exist, else GJK, and EPA when the cores overlap.
#ifndef TS_COLLISION_PROXIMITY_H
#define TS_COLLISION_PROXIMITY_H

#include "collision/epa.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Signed distance with its certificate, in world coordinates.
typedef struct ts_proximity {
    ts_proximity_status status;
    double distance;  // m: > 0 apart, < 0 overlapping; upper bound when apart, lower bound when overlapping
    double lower;     // m: certified lower bound of the signed distance
    double upper;     // m: certified upper bound
    ts_vec3 normal;   // unit, from A to B; never zero
    ts_vec3 point_a;  // on A's surface; point_a - point_b = -distance * normal
    ts_vec3 point_b;  // on B's surface
    int iterations;   // GJK plus EPA
} ts_proximity;

/// The signed distance of two shapes. Pairs farther apart than `give_up_distance` may answer SEPARATED_EARLY. Two planes
/// give INVALID_INPUT. `cache` may be NULL.
void ts_proximity_query(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                        double give_up_distance, ts_gjk_cache* cache, ts_proximity* out_proximity);

#ifdef __cplusplus
}
#endif
#endif
