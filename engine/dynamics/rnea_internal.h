// Inverse dynamics of a kinematic tree: the forces that a motion takes.
#ifndef TS_ENGINE_RNEA_INTERNAL_H
#define TS_ENGINE_RNEA_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Generalised forces (dof_count of the tree) that give the accelerations `acceleration` (same size; NULL means zero) at the
/// last kinematics, against gravity, Coriolis and centrifugal forces; armature takes its share of the acceleration.
/// With NULL this is the bias b of M a + b = tau. Uses per-body scratch, so different trees may be worked on at once.
void ts_rnea_tree(ts_sim* sim, int tree, const double* acceleration, double* out_force);

/// The bias b of a tree at the last kinematics, but for the velocities `velocity` (dof_count of the tree) in place of the
/// state's. Nothing else that ts_rnea_tree leaves behind is touched.
void ts_rnea_bias_at(ts_sim* sim, int tree, const double* velocity, double* out_force);

#ifdef __cplusplus
}
#endif
#endif
