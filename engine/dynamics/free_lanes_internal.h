// Free joints, four side by side: where they go, and the pose that their coordinates mean. One costs little, but every body of a pile asks in every
// substep.
#ifndef TS_ENGINE_FREE_LANES_INTERNAL_H
#define TS_ENGINE_FREE_LANES_INTERNAL_H

#include "base/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_FREE_LANES = 4 };

/// out_q = q (+) h v of each, q[k] having seven numbers and v[k] six: ts_joint_integrate, to the bit. Nothing overlaps.
void ts_free_lanes_integrate(const double* const q[TS_FREE_LANES], const double* const v[TS_FREE_LANES], double h,
                             double* const out_q[TS_FREE_LANES]);

/// Where each one's body is: ts_transform_from_pose of the position and the quaternion brought to one, to the bit.
void ts_free_lanes_place(const double* const q[TS_FREE_LANES], ts_transform* const out_pose[TS_FREE_LANES]);

/// The same of one.
ts_transform ts_free_lanes_place_one(const double* q);

/// The first two, whatever the machine, and with AVX2: the same bits.
void ts_free_lanes_integrate_narrow(const double* const q[TS_FREE_LANES], const double* const v[TS_FREE_LANES],
                                    double h, double* const out_q[TS_FREE_LANES]);
void ts_free_lanes_integrate_wide(const double* const q[TS_FREE_LANES], const double* const v[TS_FREE_LANES], double h,
                                  double* const out_q[TS_FREE_LANES]);
void ts_free_lanes_place_narrow(const double* const q[TS_FREE_LANES], ts_transform* const out_pose[TS_FREE_LANES]);
void ts_free_lanes_place_wide(const double* const q[TS_FREE_LANES], ts_transform* const out_pose[TS_FREE_LANES]);

#ifdef __cplusplus
}
#endif
#endif
