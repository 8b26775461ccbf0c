// EPA: how deep two overlapping cores are, and along which normal, with certified bounds. See epa.c.
#ifndef TS_COLLISION_EPA_INTERNAL_H
#define TS_COLLISION_EPA_INTERNAL_H

#include "collision/distance/gjk/gjk.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How EPA ended, each way by name. Whatever it says, the bounds hold.
typedef enum ts_epa_status {
    TS_EPA_CONVERGED,
    TS_EPA_FLAT,         // A - B has no interior: depth from its two sides
    TS_EPA_LIMIT,        // iterations ran out
    TS_EPA_FULL,         // storage ran out
    TS_EPA_BAD_HORIZON,  // topology broke by rounding
    TS_EPA_NO_FACE       // every face is too thin to have a normal
} ts_epa_status;

/// Penetration of two cores; everything in A's frame.
typedef struct ts_epa_result {
    ts_epa_status status;
    ts_separation found;  // point_a - point_b = -lower * normal: moving B by that separates the cores
    int iterations;
    int support_calls;  // of A - B
    // The best normal more than 25 degrees away from `normal` that was tried, and the depth along it; infinite when there was
    // none. Curved pairs stop before they know which of two such normals is the better one in the last digits.
    ts_vec3 other_normal;
    double other_depth;
    int rescued;  // nonzero when the loop failed (see status) and a search over directions improved its normal
} ts_epa_result;

/// Penetration depth, starting from what GJK found, until the bounds differ by this fraction of it, or by `tolerance` (m).
/// `previous_normal` (may be zero) decides ties on flat differences.
/// No heap, and of the 70 KiB of stack it may use only what the polytope fills is touched: a few KiB as a rule.
void ts_epa_penetration_to(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                           double relative_tolerance, double tolerance, ts_epa_result* out_result);

/// The same while somebody watches (`trace`, NULL: nobody).
void ts_epa_penetration_watched(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                                double relative_tolerance, double tolerance, ts_proximity_trace* trace,
                                ts_epa_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
