// The motion without contacts: mass matrix with implicit springs and dampers, bias, free velocity.
#ifndef TS_ENGINE_DYNAMICS_INTERNAL_H
#define TS_ENGINE_DYNAMICS_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Decides where forces from outside are gathered, before each update: nowhere, where there are only those at degrees of freedom. Simulations of anything
/// but lone bodies need no call. Returns 0 when memory is short.
int ts_dynamics_take_applied(ts_sim* sim);

/// Fills mass_matrix, mass_factor, bias and free_velocity, this for forces at the beginning of the step, and not of lone bodies
/// that the integrator frees itself. Returns the first tree whose mass matrix is not positive
/// definite, or -1 when all is well.
int ts_dynamics_update(ts_sim* sim);

/// Makes the arrays of mass matrices and factors, and says which never change. Returns 0 when memory is short, or beyond what an int counts.
int ts_mass_matrices_create(ts_sim* sim);

/// Gives every tree a matrix of its own, and none is taken for constant any more: masses may change. Returns 0 when memory is short.
int ts_mass_matrices_part(ts_sim* sim);

/// What is applied from outside (nv): force_applied + sum over bodies of S . wrench_applied.
void ts_dynamics_gather_applied(const ts_sim* sim, double* applied);

/// Adds what contacts that stick pull their bodies together with (nv).
void ts_dynamics_gather_adhesion(const ts_sim* sim, double* applied);

/// What ts_dynamics_update does, for one tree and with the forces applied at its last call, but for the acceleration (dof_count of the
/// tree) in place of the free velocity. Returns 0 when the mass matrix is not positive definite. Different trees may be worked on at once.
int ts_dynamics_tree(ts_sim* sim, int tree, double* out_acceleration);

/// The bias b of a tree at the pose of the state, but for the velocities `velocity` (dof_count of the tree) in place of the state's.
void ts_dynamics_bias_at(ts_sim* sim, int tree, const double* velocity, double* out_force);

/// Replaces each of `rows` consecutive rows (dof_count of the tree each) j by L^-T j, where M_hat = L^T L. In these
/// coordinates, L v, the mass matrix is the identity. A row that is zero off a body's chain of dofs stays so.
void ts_dynamics_whiten(const ts_sim* sim, int tree, int rows, double* jacobian);

/// Replaces w (dof_count of the tree) by L^-1 w: from whitened velocities back to qvel.
void ts_dynamics_unwhiten(const ts_sim* sim, int tree, double* w);

/// Kinetic energy, J, of the kinematics as they are; of what cannot move: none.
double ts_dynamics_kinetic_energy(const ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
