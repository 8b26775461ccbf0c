// Kept manifolds, whatever the machine. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_KEPT_INTERNAL_H
#define TS_COLLISION_KEPT_INTERNAL_H

#include "collision/manifold/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/// ts_manifold_take, whatever the machine, and with AVX2: the same bits.
int ts_manifold_take_narrow(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b,
                            double margin, double most, ts_manifold_point* out_point, ts_proximity_status* out_status);
int ts_manifold_take_wide(ts_manifold_kept* kept, const ts_transform* pose_a, const ts_transform* pose_b, double margin,
                          double most, ts_manifold_point* out_point, ts_proximity_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
