// The rotation of a lone rigid body over a step.
#ifndef TS_ENGINE_FREE_ROTATION_INTERNAL_H
#define TS_ENGINE_FREE_ROTATION_INTERNAL_H

#include "base/quat.h"
#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A step of I w' + w x I w = couple in body axes, I about the centre of mass: the angular velocity at the end, and the turn R^T R'
/// that keeps energy and angular momentum. Returns 0 when the equation could not be solved, which takes more than some ten
/// radians in a step: then without the term w x I w.
int ts_free_rotation_step(const ts_mat3* inertia, ts_vec3 omega, ts_vec3 couple, double h, ts_vec3* out_omega,
                          ts_quat* out_turn);

/// Whether a tree is a lone body with a free joint and neither armature nor damping, for the two functions below.
static inline int ts_free_rotation_is_lone(const ts_sim* sim, int tree) {
    return ts_sim_storage_of(sim)->tree_is_lone[tree];
}

/// Puts its velocity after a step without rows into sim->free_velocity, and keeps the turn. What ts_free_rotation_step returns.
int ts_free_rotation_advance(ts_sim* sim, int tree);

/// The same where nothing turns it: TS_TREE_TOUCHED_ROUND, and no forces on it but weight and contacts. Returns 0, and does nothing, where that is not so.
int ts_free_rotation_goes_on(const ts_sim* sim, int tree);

/// Moves it by that turn about its centre of mass; qpos and the new velocity are those of the centre's straight flight.
void ts_free_rotation_coast(const ts_sim* sim, int tree, double* out_qpos);

/// Whether the rule of touched bodies (touched_rotation.c) is the one for this tree: lone, with contacts, neither too slow nor too fast.
int ts_touched_rotation_applies(const ts_sim* sim, int tree);

/// Nonzero for an inertia of which every axis is one of its own: there is no gyroscopic term.
int ts_touched_rotation_is_round(const ts_mat3* inertia);

/// Whether it is for this tree but for round inertias: no gyroscopic term, no need of a rule.
int ts_touched_rotation_is_near(const ts_sim* sim, int tree);

/// How often `midpoint` has found the bias of a tree anew in the step that is there, but for lone bodies.
int ts_midpoint_rounds(const ts_sim* sim, int tree);

/// Puts its velocity after a step without rows into sim->free_velocity, such that rows which press as they did in the last step bring
/// it to where the equation of the step is solved. Returns 0, and changes nothing, when the equation could not be solved.
int ts_touched_rotation_advance(ts_sim* sim, int tree);

/// The velocity of a lone body at the beginning of the step: qvel, unless that belongs to half a step ago.
void ts_touched_rotation_start(const ts_sim* sim, int tree, ts_vec3* out_velocity, ts_vec3* out_omega);

/// What the next step shall know of this one of trees [begin, end), from their new velocities.
void ts_touched_rotation_remember(ts_sim* sim, int begin, int end);

#ifdef __cplusplus
}
#endif
#endif
