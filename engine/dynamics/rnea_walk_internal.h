// The walk of recursive Newton-Euler over a tree that is no lone free body.
#ifndef TS_ENGINE_RNEA_WALK_INTERNAL_H
#define TS_ENGINE_RNEA_WALK_INTERNAL_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

/// What is asked.
typedef struct ts_rnea_walk {
    const ts_model* model;
    const ts_kinematics* kinematics;
    ts_vec3 gravity;
    int tree;
    const double* velocity;      // (dof_count of the tree); NULL: those of the kinematics
    const double* acceleration;  // likewise; NULL: zero
    ts_tree_scratch* scratch;
} ts_rnea_walk;

/// M a + b (dof_count of the tree).
void ts_rnea_walk_run(const ts_rnea_walk* walk, double* out_force);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_rnea_walk_narrow(const ts_rnea_walk* walk, double* out_force);
void ts_rnea_walk_wide(const ts_rnea_walk* walk, double* out_force);

#endif
