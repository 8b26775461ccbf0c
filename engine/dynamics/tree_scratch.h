// Scratch of the recursions over a tree: one entry per body or degree of freedom, so that different trees may be worked on at
// once with one scratch. Nothing in it means anything between calls.
#ifndef TS_ENGINE_TREE_SCRATCH_H
#define TS_ENGINE_TREE_SCRATCH_H

#include "base/arena.h"
#include "base/spatial.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The inertia of a body with all that hangs on it by free joints: couple = A w + B v, force = B^T w + C v, about the tree's
/// origin.
typedef struct ts_articulated_inertia {
    ts_mat3 A;
    ts_mat3 B;
    ts_mat3 C;
} ts_articulated_inertia;

/// Scratch for one model. Create with ts_tree_scratch_create; the arrays are the arena's.
typedef struct ts_tree_scratch {
    ts_motion* acceleration;              // (body_count)
    ts_force* force;                      // (body_count)
    double* walk;                         // (body_count x 32) what a walk knows of each
    ts_inertia* composite;                // (body_count)
    ts_articulated_inertia* articulated;  // (body_count)
    ts_force* dof_force;                  // (nv)
    double* dof_share;                    // (nv)
    double* dof_number;                   // (nv)
    double* dof_lane;                     // (6 x (nv + 4 tree_count)) numbers of axes, one beside the other
} ts_tree_scratch;

/// Makes the arrays. Returns 0 when the arena has no memory.
int ts_tree_scratch_create(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch);

#ifdef __cplusplus
}
#endif
#endif
