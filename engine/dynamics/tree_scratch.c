#include "engine/dynamics/tree_scratch.h"

enum { N = 4 };

// Zeroed array from the arena.
#define ARRAY(arena, type, count) ((type*)ts_arena_alloc_zeroed((arena), (size_t)(count), sizeof(type)))

// The tiles of a tree that chains cross, into out_tile unless it is NULL; returns how many. `cell` (one for each tile of a row) is zero, and is so again.
static int list_tiles(const ts_model* model, int tree, unsigned* cell, ts_tree_tile* out_tile) {
    int first = model->tree[tree].dof_first, n = model->tree[tree].dof_count, count = 0;
    for (int row = 0; N * row < n; ++row) {
        for (int r = 0; r < N && N * row + r < n; ++r)
            for (int d = N * row + r; d >= 0; d = model->dof[first + d].parent - first)
                cell[d / N] |= 1u << (N * r + d % N);
        for (int column = 0; column <= row; ++column) {
            if (cell[column] && out_tile) out_tile[count] = (ts_tree_tile){row, column, cell[column]};
            count += cell[column] != 0;
            cell[column] = 0;
        }
    }
    return count;
}

static int find_tiles(const ts_model* model, ts_arena* arena, ts_tree_scratch* scratch) {
    unsigned* cell = ARRAY(arena, unsigned, model->nv / N + 1);
    int* start = ARRAY(arena, int, model->tree_count + 1);
    if (!cell || !start) return 0;
    for (int t = 0; t < model->tree_count; ++t) {
        int general = model->tree[t].kind == TS_TREE_GENERAL;
        start[t + 1] = start[t] + (general ? list_tiles(model, t, cell, NULL) : 0);
    }
    ts_tree_tile* tile = ARRAY(arena, ts_tree_tile, start[model->tree_count]);
    for (int t = 0; tile && t < model->tree_count; ++t)
        if (start[t + 1] > start[t]) list_tiles(model, t, cell, tile + start[t]);
    scratch->tile = tile;
    scratch->tile_start = start;
    return !arena->failed;
}

static int find_links(const ts_model* model, ts_arena* arena, ts_tree_scratch* scratch) {
    char* link = ARRAY(arena, char, model->body_count);
    if (!link) return 0;
    for (int t = 0; t < model->tree_count; ++t) {
        const int* list = model->tree_body + model->tree[t].body_first;
        for (int i = model->tree[t].body_count - 1; i > 0; --i) {
            int parent = model->body[list[i]].parent;
            if (model->body[parent].tree < 0) continue;
            if (parent == list[i - 1]) {
                link[list[i]] |= TS_TREE_FOLLOWS;
                continue;
            }
            if (!(link[parent] & TS_TREE_WAITS)) link[list[i]] |= TS_TREE_OPENS;
            link[parent] |= TS_TREE_WAITS;
        }
    }
    scratch->body_link = link;
    return 1;
}

// From the first to the last body and tree that a walk visits.
static void make_walks(const ts_model* model, ts_arena* arena, ts_tree_scratch* scratch) {
    int last_body = -1, last_tree = -1;
    for (int t = 0; t < model->tree_count; ++t) {
        const ts_kinematic_tree* tree = &model->tree[t];
        if (tree->kind != TS_TREE_GENERAL) continue;
        if (last_tree < 0) scratch->first_tree = t;
        last_tree = t;
        for (int i = tree->body_first; i < tree->body_first + tree->body_count; ++i) {
            int b = model->tree_body[i];
            if (last_body < 0 || b < scratch->first_body) scratch->first_body = b;
            if (b > last_body) last_body = b;
        }
    }
    int bodies = last_body < 0 ? 0 : last_body + 1 - scratch->first_body;
    ptrdiff_t places =
        last_tree < 0 ? 0 : ts_tree_scratch_place(scratch, model, last_tree) + model->tree[last_tree].dof_count + N;
    scratch->walk = ARRAY(arena, double, TS_TREE_WALK_NUMBERS* bodies);
    scratch->dof_lane = ARRAY(arena, double, 6 * places);
    scratch->dof_row = ARRAY(arena, double, 8 * places);
}

int ts_tree_scratch_create_walks(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch) {
    int most = 0;
    for (int t = 0; t < model->tree_count; ++t)
        if (model->tree[t].dof_count > most) most = model->tree[t].dof_count;
    ts_tree_scratch scratch = {.dof_number = ARRAY(arena, double, most)};
    make_walks(model, arena, &scratch);
    int done = find_tiles(model, arena, &scratch) && find_links(model, arena, &scratch);
    *out_scratch = scratch;
    return done && !arena->failed;
}

int ts_tree_scratch_create(const ts_model* model, ts_arena* arena, ts_tree_scratch* out_scratch) {
    int done = ts_tree_scratch_create_walks(model, arena, out_scratch);
    out_scratch->acceleration = ARRAY(arena, ts_motion, model->body_count);
    out_scratch->force = ARRAY(arena, ts_force, model->body_count);
    out_scratch->composite = ARRAY(arena, ts_inertia, model->body_count);
    out_scratch->articulated = ARRAY(arena, ts_articulated_inertia, model->body_count);
    out_scratch->dof_force = ARRAY(arena, ts_force, model->nv);
    out_scratch->dof_number = ARRAY(arena, double, model->nv);
    out_scratch->dof_share = ARRAY(arena, double, model->nv);
    return done && !arena->failed;
}
