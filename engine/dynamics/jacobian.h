// How points and bodies move with the degrees of freedom: Jacobians, their rates, and the accelerations that velocities alone give.
//
// A Jacobian is row-major over all dofs of the model: 3 x nv for the velocity of a point (m/s), 3 x nv for the angular velocity
// (rad/s), both in world axes. Either may be NULL where it is not wanted. For the frame of a body take body_pose[b].p for the point,
// for its centre of mass body_centre[b], for a site ts_kinematics_site(...).p. Bodies that cannot move have zeros. For the centre of
// mass of the whole see centroidal.h.
#ifndef TS_ENGINE_JACOBIAN_H
#define TS_ENGINE_JACOBIAN_H

#include "engine/dynamics/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// J of the point of `body` that is now at `point` (world), with J qvel its velocity.
void ts_jacobian_point(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                       double* out_linear, double* out_angular);

/// dJ/dt while that point moves with its body and the state with its velocities.
void ts_jacobian_rate(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                      double* out_linear, double* out_angular);

/// (dJ/dt) qvel: acceleration of the point (m/s^2) and angular acceleration (rad/s^2) when qvel is constant. No gravity.
ts_motion ts_jacobian_bias(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point);

#ifdef __cplusplus
}
#endif
#endif
