// The joint-space inertia of a kinematic tree.
#ifndef TS_ENGINE_CRBA_INTERNAL_H
#define TS_ENGINE_CRBA_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// M of one tree, armature included, full and row-major (n x n, n = dof_count of the tree), for the last kinematics.
/// Uses per-body scratch of the simulation, so different trees may be worked on at the same time.
void ts_crba_tree(ts_sim* sim, int tree, double* out_M);

#ifdef __cplusplus
}
#endif
#endif
