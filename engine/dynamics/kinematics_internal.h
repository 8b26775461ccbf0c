// Where everything is and how it moves: poses, dof axes, twists and inertias from qpos and qvel.
#ifndef TS_ENGINE_KINEMATICS_INTERNAL_H
#define TS_ENGINE_KINEMATICS_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fills body_pose, body_centre, geom_pose, tree_origin, dof_axis, body_velocity and body_inertia of the whole model.
void ts_kinematics_update(ts_sim* sim);

/// The same for the bodies of one tree; different trees may be worked on at once.
void ts_kinematics_tree(ts_sim* sim, int tree);

/// The velocity (m/s, world axes) of the point of `body` that is now at `point` (world), for the last kinematics.
ts_vec3 ts_kinematics_point_velocity(const ts_sim* sim, int body, ts_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
