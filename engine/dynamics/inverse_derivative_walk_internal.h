// The walk of the derivatives of inverse dynamics over a tree.
#ifndef TS_ENGINE_INVERSE_DERIVATIVE_WALK_INTERNAL_H
#define TS_ENGINE_INVERSE_DERIVATIVE_WALK_INTERNAL_H

#include "engine/dynamics/derivative.h"

/// What is asked.
typedef struct ts_inverse_derivative_walk {
    const ts_model* model;
    const ts_kinematics* kinematics;
    ts_vec3 gravity;
    int tree;
    int ld;                      // from one row of a matrix to the next
    const double* acceleration;  // (dof_count of the tree); NULL: zero
    const ts_derivative_scratch* scratch;
    ts_derivative_share share;  // its inertia has rows `ld` apart, too
} ts_inverse_derivative_walk;

/// Entries at pairs of dofs of one chain; matrices begin at the tree's first dof. Others are left alone.
void ts_inverse_derivative_walk_run(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_inverse_derivative_walk_narrow(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out);
void ts_inverse_derivative_walk_wide(const ts_inverse_derivative_walk* walk, const ts_derivative_matrices* out);

#endif
