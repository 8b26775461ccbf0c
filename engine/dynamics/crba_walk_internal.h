// The inertia of a tree that is no lone free body.
#ifndef TS_ENGINE_CRBA_WALK_INTERNAL_H
#define TS_ENGINE_CRBA_WALK_INTERNAL_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

/// What is asked.
typedef struct ts_crba_walk {
    const ts_model* model;
    const ts_kinematics* kinematics;
    int tree;
    int ld;  // from one row of M to the next
    ts_tree_scratch* scratch;
} ts_crba_walk;

/// Entries of M at pairs of dofs of one chain, in both triangles.
void ts_crba_walk_run(const ts_crba_walk* walk, double* M);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_crba_walk_narrow(const ts_crba_walk* walk, double* M);
void ts_crba_walk_wide(const ts_crba_walk* walk, double* M);

#endif
