// Incremental penetration depth: how deep two overlapping shapes are, followed from a normal that is nearly right. See
// penetration.c for rule, source, guarantee and the local minima it may stop in.
#ifndef TS_COLLISION_PENETRATION_H
#define TS_COLLISION_PENETRATION_H

#include "collision/distance/gjk/gjk.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the search ended. Whatever it says, the lower bound of the signed distance is attained by the normal.
typedef enum ts_penetration_status {
    TS_PENETRATION_CONVERGED,      // a local minimum of the depth, to tolerance
    TS_PENETRATION_STATIONARY,     // stands still where the surface bends away like at a maximum; no way down was found
    TS_PENETRATION_TOUCHING,       // a plane through the origin supports A - B: the depth is zero to rounding, for sure
    TS_PENETRATION_SEPARATED,      // a plane separates the two
    TS_PENETRATION_LIMIT,          // iterations ran out; the best normal so far is returned
    TS_PENETRATION_INVALID_INPUT,  // a pose or shape was not finite; nothing in the result means anything
    TS_PENETRATION_STATUS_COUNT
} ts_penetration_status;

/// Whose supports the search asks for.
typedef enum ts_penetration_rounding {
    TS_PENETRATION_CORES,   // the cores': the balls add their radii to the answer afterwards
    TS_PENETRATION_ROUNDED  // the whole shapes', balls included, as the paper does
} ts_penetration_rounding;

/// What is known of the normal the search starts from.
typedef enum ts_penetration_start {
    TS_PENETRATION_START_GUESS,    // nothing: if the search does not leave it, it must prove to be no maximum
    TS_PENETRATION_START_PREVIOUS  // it was the answer for nearly the same pose
} ts_penetration_start;

/// Whether the search may leave its rays early for a direction that is sure to be better.
typedef enum ts_penetration_shortcut { TS_PENETRATION_SHORTCUT, TS_PENETRATION_NO_SHORTCUT } ts_penetration_shortcut;

/// How fast the search goes.
typedef enum ts_penetration_pace {
    TS_PENETRATION_PACE_CURVED,  // curvature seen in the supports picks rays and portals, where there is any
    TS_PENETRATION_PACE_PAPER    // as published
} ts_penetration_pace;

/// Whether the search must make sure that the two overlap.
typedef enum ts_penetration_proof {
    TS_PENETRATION_PROVE_OVERLAP,  // a few more support calls; SEPARATED where they do not
    TS_PENETRATION_ASSUME_OVERLAP  // the caller knows, from GJK for instance
} ts_penetration_proof;

/// Tolerances and choices; see ts_penetration_settings_default.
typedef struct ts_penetration_settings {
    double relative_tolerance;  // of the size of A - B; the larger of the two tolerances counts
    double tolerance;           // m
    ts_penetration_shortcut shortcut;
    ts_penetration_pace pace;
    ts_penetration_rounding rounding;
    ts_penetration_start start;
    ts_penetration_proof proof;
    int outer_limit;            // rays
    int inner_limit;            // portals per ray
    ts_proximity_trace* trace;  // NULL: nobody watches
} ts_penetration_settings;

/// The triangle of A - B that the last ray passed through, as points of the shapes, each in its own frame, so that it is
/// still inscribed after the shapes have moved. Plain data, a visible in/out argument; count 0 means "nothing known".
/// Belongs to one pair of unchanged shapes and one kind of rounding.
typedef struct ts_penetration_portal {
    int count;  // 0 or 3
    ts_vec3 point_a[3];
    ts_vec3 point_b[3];
} ts_penetration_portal;

/// What the search found; everything in A's frame, of the cores or of the rounded shapes as asked for.
typedef struct ts_penetration_result {
    ts_penetration_status status;
    ts_separation
        found;         // upper is 0 when they are proven to overlap, else infinite; point_a - point_b = -lower * normal
    double depth_ray;  // m: along the last ray the surface of A - B is no nearer than this (nothing is said of others)
    ts_vec3 ray;       // that ray, unit; close to the normal when converged
    int outer;         // rays
    int inner;         // portals refined, all rays together
    int support_calls;
    double scale;  // m: largest |w| seen, what tolerances are relative to
} ts_penetration_result;

/// Relative tolerance 1e-6, shortcut, curved pace, cores, a guessed start, overlap to be proven, 256 rays of 64 portals.
ts_penetration_settings ts_penetration_settings_default(void);

/// "converged", "stationary", ... ; never NULL.
const char* ts_penetration_status_name(ts_penetration_status status);

/// The depth of a pair of convex shapes (no planes), searched from `normal` (A to B, any length; zero or
/// not finite: from centre to centre). `settings` NULL means the default, `portal` may be NULL. A local method: the
/// answer never under-estimates the depth but may be another local minimum. No heap.
void ts_penetration_incremental(const ts_shape_pair* pair, ts_vec3 normal, const ts_penetration_settings* settings,
                                ts_penetration_portal* portal, ts_penetration_result* out_result);

#ifdef __cplusplus
}
#endif
#endif
