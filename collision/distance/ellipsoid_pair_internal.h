// Two ellipsoids, or an ellipsoid and a point. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_ELLIPSOID_PAIR_INTERNAL_H
#define TS_COLLISION_ELLIPSOID_PAIR_INTERNAL_H

#include "collision/distance/proximity_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Signed distance of the cores of two ellipsoids, or of an ellipsoid and a sphere. `previous` (may be zero) is where the
/// search starts if it is known; else the centres. Cores farther apart than give_up_distance answer SEPARATED_EARLY. `out`
/// must be reset. Returns 0, with nothing said but counts, for sizes too extreme to be squared, poses that are not finite,
/// and where no proof was found: GJK and EPA are to be asked then.
int ts_ellipsoid_pair_query(const ts_shape_pair* pair, ts_vec3 previous, double give_up_distance, ts_proximity* out,
                            double* out_scale);

/// Whether two ellipsoids (both with three semi-axes) are farther apart than `reach` (m, >= 0), or overlap; see
/// ellipsoid_verdict.c. `previous` is a normal to try first, or zero. Unless OPEN, leaves bounds of the signed distance and
/// a normal, no points.
ts_pair_verdict ts_ellipsoid_pair_verdict(const ts_shape_pair* pair, ts_vec3 previous, double reach,
                                          ts_separation* out_found);

#ifdef __cplusplus
}
#endif
#endif
