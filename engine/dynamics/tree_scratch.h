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
    ts_inertia* composite;                // (body_count)
    ts_articulated_inertia* articulated;  // (body_count)
    ts_force* dof_force;                  // (nv)
    double* dof_share;                    // (nv)
    double* dof_number;                   // (nv), of walks alone: as many as a tree has at most

    // of walks through trees that are no lone bodies, and those between them: ts_tree_scratch_walk and ts_tree_scratch_place say where
    double* walk;      // (32 a body) what a walk knows of each
    double* dof_lane;  // (6 a place) numbers of axes, each of four dofs side by side
    double* dof_row;   // (8 a place) numbers of forces, dof by dof
    int first_body;    // whose walk comes first
    int first_tree;    // whose places come first

    // what follows from the model
    const ts_tree_tile* tile;  // of each tree that is no lone body, row by row
    const int* tile_start;     // (tree_count + 1)
    const char* body_link;     // (body_count) TS_TREE_FOLLOWS and its like
} ts_tree_scratch;

/// Makes the arrays. Returns 0 when the arena has no memory.
int ts_tree_scratch_create(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch);

/// Makes those for inertia and its factor, inverse dynamics and bias (crba.h, rnea.h), not those for articulated bodies and momentum
/// (aba.h, centroidal.h), which are NULL: some 750 bytes a free body less. Returns 0 when the arena has no memory.
int ts_tree_scratch_create_walks(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch);

/// Numbers that a walk knows of a body.
enum { TS_TREE_WALK_NUMBERS = 32 };

/// What a walk knows of body b.
static inline double* ts_tree_scratch_walk(const ts_tree_scratch* scratch, int b) {
    return scratch->walk + (ptrdiff_t)TS_TREE_WALK_NUMBERS * (b - scratch->first_body);
}

/// The place of a tree's first dof; there are three behind its last.
static inline ptrdiff_t ts_tree_scratch_place(const ts_tree_scratch* scratch, const ts_model* model, int tree) {
    int first = model->tree[scratch->first_tree].dof_first;
    return model->tree[tree].dof_first - first + (ptrdiff_t)4 * (tree - scratch->first_tree);
}

#ifdef __cplusplus
}
#endif
#endif
