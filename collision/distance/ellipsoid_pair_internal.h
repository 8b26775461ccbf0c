// Two ellipsoids, or an ellipsoid and a point. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_ELLIPSOID_PAIR_INTERNAL_H
#define TS_COLLISION_ELLIPSOID_PAIR_INTERNAL_H

#include "collision/distance/penetration/polish.h"
#include "collision/distance/proximity.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What one query of an ellipsoid pair costs and finds, in A's frame.
typedef struct ts_ellipsoid_pair {
    ts_proximity_status status;
    ts_separation found;  // of the cores
    double scale;         // m: what rounding is relative to
    int newton_iterations;
    int epa_iterations;  // 0 unless the certificate failed
    int evaluations;     // of both support functions together
} ts_ellipsoid_pair;

/// Nonzero for pairs that ts_ellipsoid_pair_query answers: each core an ellipsoid or (a sphere's) a point, not two points.
int ts_ellipsoid_pair_is(const ts_shape_pair* pair);

/// Signed distance of the cores. `previous` (may be zero) is where the search starts if it is known; else the centres.
/// Cores farther apart than give_up_distance answer SEPARATED_EARLY. Returns 0, with nothing said, for sizes too extreme
/// to be squared, poses that are not finite, and where no proof was found: GJK and EPA are to be asked then.
int ts_ellipsoid_pair_query(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance,
                            ts_ellipsoid_pair* out);

/// What is known of two ellipsoids without their distance.
typedef enum ts_ellipsoid_verdict {
    TS_ELLIPSOID_OPEN,    // nothing
    TS_ELLIPSOID_APART,   // farther apart than asked
    TS_ELLIPSOID_OVERLAP  // they share a point
} ts_ellipsoid_verdict;

/// Whether two ellipsoids (both with three semi-axes) are farther apart than `reach` (m, >= 0), or overlap; see
/// ellipsoid_verdict.c. `previous` is a normal to try first, or zero. Unless OPEN, leaves a unit normal from A to B and
/// the gap along it, a lower bound of the signed distance.
ts_ellipsoid_verdict ts_ellipsoid_pair_verdict(const ts_shape_pair* pair, ts_vec3 previous, double reach,
                                               ts_vec3* out_normal, double* out_gap);

#ifdef __cplusplus
}
#endif
#endif
