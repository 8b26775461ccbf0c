// Inverse dynamics of a kinematic tree: the forces that a motion takes, M a + b.
#ifndef TS_ENGINE_RNEA_H
#define TS_ENGINE_RNEA_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Generalised forces M a + b of the whole model (nv) at the state of `kinematics`: what gives the accelerations `acceleration`
/// (nv; NULL: zero, so that the result is the bias b) against gravity (m/s^2), Coriolis and centrifugal forces; armature takes its
/// share of the acceleration. Springs, dampers, friction and contacts are not in it.
void ts_rnea_forces(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, const double* acceleration,
                    ts_tree_scratch* scratch, double* out_force);

/// The same for one tree; arrays have its dof_count. Different trees may be worked on at once.
void ts_rnea_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                  const double* acceleration, ts_tree_scratch* scratch, double* out_force);

/// The bias b of a tree at the pose of `kinematics`, but for the velocities `velocity` (dof_count of the tree).
void ts_rnea_bias_at(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                     const double* velocity, ts_tree_scratch* scratch, double* out_force);

/// What holds the whole model (nv) up against gravity alone: the bias at rest.
void ts_rnea_gravity(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, ts_tree_scratch* scratch,
                     double* out_force);

#ifdef __cplusplus
}
#endif
#endif
