#include "engine/dynamics/tree_scratch.h"

// Zeroed array from the arena.
#define ARRAY(arena, type, count) ((type*)ts_arena_alloc_zeroed((arena), (size_t)(count), sizeof(type)))

int ts_tree_scratch_create(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch) {
    ts_tree_scratch scratch = {
        .acceleration = ARRAY(arena, ts_motion, model->body_count),
        .force = ARRAY(arena, ts_force, model->body_count),
        .walk = ARRAY(arena, double, 32 * model->body_count),
        .composite = ARRAY(arena, ts_inertia, model->body_count),
        .articulated = ARRAY(arena, ts_articulated_inertia, model->body_count),
        .dof_force = ARRAY(arena, ts_force, model->nv),
        .dof_share = ARRAY(arena, double, model->nv),
        .dof_number = ARRAY(arena, double, model->nv),
        .dof_lane = ARRAY(arena, double, 6 * (model->nv + 4 * model->tree_count)),
    };
    *out_scratch = scratch;
    return !arena->failed;
}
