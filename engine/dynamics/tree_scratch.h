// Scratch of the recursions over a tree: one entry per body or degree of freedom, so that different trees may be worked on at
// once with one scratch. But for what follows from the model nothing in it means anything between calls.
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

/// Four by four entries of a tree's inertia, of which some couple two dofs of one chain: rows [4 row, 4 row + 4), columns likewise, column <= row.
typedef struct ts_tree_tile {
    int row;
    int column;
    unsigned chained;  // bit 4 r + c: its row r hangs on its column c, or is it
} ts_tree_tile;

/// How what a body carries reaches its parent, on the way inwards through a tree's bodies.
enum {
    TS_TREE_FOLLOWS = 1,  // the parent is the next to be visited
    TS_TREE_OPENS = 2,    // it is not, and nobody before has left anything for it
    TS_TREE_WAITS = 4     // for this body something has been left
};

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
    double* dof_lane;                     // (6 x (nv + 4 tree_count)) numbers of axes, each of four dofs side by side
    double* dof_row;                      // (8 x (nv + 4 tree_count)) numbers of forces, dof by dof

    // what follows from the model
    const ts_tree_tile* tile;  // of each tree that is no lone body, row by row
    const int* tile_start;     // (tree_count + 1)
    const char* body_link;     // (body_count) TS_TREE_FOLLOWS and its like
} ts_tree_scratch;

/// Makes the arrays. Returns 0 when the arena has no memory.
int ts_tree_scratch_create(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch);

#ifdef __cplusplus
}
#endif
#endif
