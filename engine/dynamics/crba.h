// The joint-space inertia M of kinematic trees.
#ifndef TS_ENGINE_CRBA_H
#define TS_ENGINE_CRBA_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// M of one tree at the pose of `kinematics`, armature included, full and row-major (n x n, n = dof_count of the tree). Different
/// trees may be worked on at once.
void ts_crba_tree(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                  double* out_M);

/// The same into a matrix that is zero already where it stays zero, at pairs of dofs neither of which hangs on the other: after
/// ts_crba_tree, or of zeros. Cheaper for wide trees.
void ts_crba_refresh(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                     double* M);

/// M of the whole model, full and row-major (nv x nv): the matrices of the trees along its diagonal.
void ts_crba_matrix(const ts_model* model, const ts_kinematics* kinematics, ts_tree_scratch* scratch, double* out_M);

#ifdef __cplusplus
}
#endif
#endif
