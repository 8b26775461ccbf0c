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

enum { TS_EPA_OTHERS = 6 };

/// Others are looked for up to this much deeper than the best, as a share, and the first beyond.
static const double TS_EPA_NEAR = 0.05;

/// A normal beside the one found: of a face of the polytope that is no part of the nearest one. Of curved pairs only one for a few
/// degrees around, 25 where faces beside it are nearer. Unless they are wanted only those are given that may turn out less deep than the
/// one found, which curved pairs leave open.
typedef struct ts_epa_other {
    ts_vec3 normal;
    double depth;  // m, at least, along all normals of the face
} ts_epa_other;

/// The corners of a face of A - B, of polytopes: numbers of vertices.
typedef struct ts_epa_corners {
    int count;  // 3, or 0: not known
    int a[3];
    int b[3];
} ts_epa_corners;

/// Penetration of two cores; everything in A's frame.
typedef struct ts_epa_result {
    ts_epa_status status;
    ts_separation found;  // point_a - point_b = -lower * normal: moving B by that separates the cores
    int iterations;
    int support_calls;                  // of A - B
    ts_epa_other other[TS_EPA_OTHERS];  // other ways out, the least deep first
    int other_count;                    // of polytopes at most one; none where the loop did not run
    int rescued;  // nonzero when the loop failed (see status) and a search over directions improved its normal
    ts_epa_corners nearest;  // of the face that the loop ended with
} ts_epa_result;

/// Penetration depth, starting from what GJK found, until the bounds differ by this fraction of it, or by `tolerance` (m).
/// `previous_normal` (may be zero) decides ties on flat differences.
/// No heap, and of the 70 KiB of stack it may use only what the polytope fills is touched: a few KiB as a rule.
void ts_epa_penetration_to(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                           double relative_tolerance, double tolerance, ts_epa_result* out_result);

/// How EPA is asked.
typedef struct ts_epa_settings {
    double relative_tolerance;  // the bounds differ by no more than this fraction of the depth
    double tolerance;           // m: or by this
    int others;                 // nonzero: look at other ways out that are deeper as well
    ts_proximity_trace* trace;  // NULL: nobody watches
} ts_epa_settings;

/// The same with all settings.
void ts_epa_penetration_by(const ts_shape_pair* pair, const ts_gjk_result* start, ts_vec3 previous_normal,
                           const ts_epa_settings* settings, ts_epa_result* out_result);

/// EPA without GJK, for cores that probably overlap along about `normal` (unit): starts from support points around it.
/// `touch` (may be NULL) is a point of A - B that attains the support value along it. Returns 0, with nothing said, when
/// the loop did not prove an overlap.
int ts_epa_penetration_near(const ts_shape_pair* pair, ts_vec3 normal, const ts_gjk_vertex* touch,
                            const ts_epa_settings* settings, double* out_scale, ts_epa_result* out_result);

/// The same for polytopes from three points of A - B, best the corners of its face that was nearest before, and a support point behind them. `normal`
/// (unit) says which side of them is outside.
int ts_epa_penetration_from(const ts_shape_pair* pair, ts_vec3 normal, const ts_epa_corners* corners,
                            const ts_epa_settings* settings, double* out_scale, ts_epa_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
