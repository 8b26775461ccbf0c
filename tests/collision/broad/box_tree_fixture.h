// A tree filled from boxes in double precision, and its invariants.
#ifndef TS_TESTS_COLLISION_BOX_TREE_FIXTURE_H
#define TS_TESTS_COLLISION_BOX_TREE_FIXTURE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "collision/broad/box_tree_internal.h"
#include "collision/broad/box_tree_walk_internal.h"

typedef struct ts_box {
    ts_vec3 min, max;  // m
} ts_box;

static inline void bounds_in(const ts_box_tree* tree, ts_box box, float out[6]) {
    ts_box4 b;
    cr_assert(ts_box4_from(box.min, box.max, tree->origin, &b));
    memcpy(out, b.low, 3 * sizeof(float));
    memcpy(out + 3, b.minus_high, 3 * sizeof(float));
}

static inline void tree_insert(ts_box_tree* tree, int item, ts_box box) {
    float bound[6];
    bounds_in(tree, box, bound);
    cr_assert(ts_box_tree_insert_bounds(tree, item, bound));
}

static inline float end_down(double x) { return ts_box4_round_down(fmin(fmax(x, -1e30), 1e30)); }

// Visits the items whose boxes meet `box`, which may have infinite ends. Returns 0 when the visitor stopped it, else 1.
static inline int tree_overlap(const ts_box_tree* tree, ts_box box, ts_box_visit visit, void* context) {
    if (tree->item_count == 0) return 1;
    if (!(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z)) return 1;
    ts_vec3 min = ts_vec3_sub(box.min, tree->origin), max = ts_vec3_sub(tree->origin, box.max);
    float low[3] = {end_down(min.x), end_down(min.y), end_down(min.z)};
    float minus_high[3] = {end_down(max.x), end_down(max.y), end_down(max.z)};
    ts_box_tree_query q = ts_box_tree_query_from(low, minus_high);
    return ts_box_tree_walk(tree, 0, &q, visit, context);
}

static inline void tree_move(ts_box_tree* tree, int item, ts_box box) {
    float bound[6];
    bounds_in(tree, box, bound);
    ts_box_tree_move_bounds(tree, item, bound);
}

// From boxes 0 .. count - 1, about their middle.
static inline void tree_build(ts_box_tree* tree, const ts_box* box, int count, ts_task_pool* pool) {
    ts_box_tree_leaf* leaf = (ts_box_tree_leaf*)malloc((size_t)count * sizeof *leaf);
    ts_vec3 low = box[0].min, high = box[0].max;
    for (int i = 0; i < count; ++i) {
        low = ts_vec3_min(low, box[i].min);
        high = ts_vec3_max(high, box[i].max);
    }
    tree->origin = ts_vec3_lerp(low, high, 0.5);
    for (int i = 0; i < count; ++i) {
        leaf[i].item = i;
        bounds_in(tree, box[i], leaf[i].bound);
    }
    cr_assert(ts_box_tree_build_leaves(tree, leaf, count, pool));
    free(leaf);
}

// Nodes on the longest way from the root to an item; 0 for an empty tree.
static inline int tree_depth(const ts_box_tree* tree) {
    int deepest = 0;
    for (int i = 0; i < tree->place_count; ++i) {
        if (tree->place[i] < 0) continue;
        int depth = 1;
        for (int pair = tree->place[i] >> 1; pair > 0; pair = tree->pair[pair].parent >> 1) ++depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

// Faults of a pair that hangs on a node: links, and bounds that are not exactly those of what is below.
static inline int pair_faults(const ts_box_tree* tree, int pair) {
    const ts_box_tree_pair* p = &tree->pair[pair];
    int faults = 0;
    for (int side = 0; side < 2; ++side) {
        int child = p->child[side];
        if (child >= 0) {
            const ts_box_tree_pair* below = &tree->pair[child];
            faults += below->parent != 2 * pair + side;
            for (int k = 0; k < 6; ++k) {
                float least = below->bound[k][0] < below->bound[k][1] ? below->bound[k][0] : below->bound[k][1];
                faults += memcmp(&least, &p->bound[k][side], sizeof least) != 0;
            }
        } else if (child == TS_BOX_TREE_NOTHING) {
            faults += pair != 0;
        } else {
            faults += ~child >= tree->place_count || tree->place[~child] != 2 * pair + side;
        }
    }
    return faults;
}

// Zero when the tree is sound: every node encloses its children, links agree in both directions, every item is found once, and
// no pair is lost.
static inline int tree_faults(const ts_box_tree* tree) {
    int faults = 0, items = 0, spare = 0, used = 0;
    for (int i = 0; i < tree->place_count; ++i) items += tree->place[i] >= 0;
    for (int pair = tree->pair_free; pair > 0; pair = tree->pair[pair].parent) ++spare;
    faults += items != tree->item_count;
    for (int pair = 0; pair < tree->pair_count; ++pair) {
        int idle = pair > 0 && tree->pair[pair].child[0] == TS_BOX_TREE_NOTHING;
        if (idle) continue;
        ++used;
        faults += pair_faults(tree, pair);
        // Every pair must lead to the root; a loop would never.
        int steps = 0;
        for (int up = pair; up > 0 && steps <= tree->pair_count; up = tree->pair[up].parent >> 1) ++steps;
        faults += steps > tree->pair_count;
    }
    faults += used + spare != tree->pair_count;
    faults += tree->item_count > 1 && used != tree->item_count;
    return faults;
}

#endif
