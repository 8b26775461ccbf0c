// A dynamic bounding-volume tree: memory, insertion, removal, motion.
//
// Problem: keep n boxes so that those meeting a query are found in about log n + answers, while boxes come, go and
// move.
// Rule: a new leaf becomes the sibling of the node for which the total surface of inner nodes grows least (the surface
// area heuristic; Goldsmith and Salmon 1987), found by branch and bound: below a node, no place can cost less than the
// leaf's own surface plus what the nodes above grow by (Bittner, Hapala and Havran, "Incremental BVH construction for
// ray tracing", 2015). On the way back up, a node and its nephew change places where that makes their parent smaller
// (Kopta et al., "Fast, effective BVH updates for animated scenes", 2012). A leaf that moves keeps its place and the
// nodes above are refitted; `cost` over `built_cost` tells the owner when to build anew (box_tree_build.c).
// Layout: two siblings share one 64-byte pair, so a query reads one cache line per branching and needs no pointers to
// single nodes. A pair knows the node it hangs on, a node its pair: a chain of moves stays local.
// Guaranteed: every node encloses all below it (single precision, rounded outwards), whatever the order of operations.
// Depth is not: boxes that halve in size again and again, or coincide, can make a long chain when inserted one by
// one. Queries then fall back to a walk without a stack; an insertion that lands deeper than the stack builds the tree
// anew, so that chains do not grow far beyond it.
// Known failure: far from the origin, relative to their size, boxes grow to the grid of single precision, and many
// false neighbours are reported.
#include "collision/broad/box_tree_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collision/broad/box_tree_walk_internal.h"

// An insertion deeper than this builds the tree anew.
enum { DEPTH_LIMIT = TS_BOX_TREE_STACK - 4 };

int ts_box_tree_reserve(ts_box_tree* tree, int pairs, int items) {
    if (pairs > tree->pair_capacity) {
        int capacity = tree->pair_capacity + tree->pair_capacity / 2;
        if (capacity < pairs) capacity = pairs;
        if (capacity < 16) capacity = 16;
        ts_box_tree_pair* larger = (ts_box_tree_pair*)aligned_alloc(64, (size_t)capacity * sizeof *larger);
        if (!larger) return 0;
        if (tree->pair_count > 0) memcpy(larger, tree->pair, (size_t)tree->pair_count * sizeof *larger);
        free(tree->pair);
        tree->pair = larger;
        tree->pair_capacity = capacity;
    }
    if (items > tree->place_count) {
        void* place = tree->place;
        int grown = ts_array_grow(&place, &tree->place_capacity, sizeof(int), items);
        tree->place = (int*)place;
        if (!grown) return 0;
        for (int i = tree->place_count; i < items; ++i) tree->place[i] = -1;
        tree->place_count = items;
    }
    return 1;
}

void* ts_box_tree_scratch(ts_box_tree* tree, size_t bytes) {
    if (bytes > tree->scratch_bytes) {
        size_t wanted = (bytes + bytes / 4 + 63) & ~(size_t)63;
        free(tree->scratch);
        tree->scratch = aligned_alloc(64, wanted);
        tree->scratch_bytes = tree->scratch ? wanted : 0;
    }
    return tree->scratch;
}

void ts_box_tree_free(ts_box_tree* tree) {
    free(tree->pair);
    free(tree->scratch);
    ts_array_release(tree->place);
    memset(tree, 0, sizeof *tree);
}

// Nothing meets it: queries are finite.
static void set_nothing(ts_box_tree_pair* pair, int side) {
    for (int k = 0; k < 6; ++k) pair->bound[k][side] = (float)INFINITY;
    pair->child[side] = TS_BOX_TREE_NOTHING;
}

void ts_box_tree_clear(ts_box_tree* tree) {
    for (int i = 0; i < tree->place_count; ++i) tree->place[i] = -1;
    tree->pair_count = 0;
    tree->pair_free = 0;
    tree->item_count = 0;
    tree->cost = tree->built_cost = 0.0;
    tree->changes = 0;
}

int ts_box_tree_has(const ts_box_tree* tree, int item) {
    return item >= 0 && item < tree->place_count && tree->place[item] >= 0;
}

double ts_box_tree_decay(const ts_box_tree* tree) {
    return tree->built_cost > 0.0 ? tree->cost / tree->built_cost : 1.0;
}

static void get_bound(const ts_box_tree* tree, int node, float out[6]) {
    const ts_box_tree_pair* pair = &tree->pair[node >> 1];
    for (int k = 0; k < 6; ++k) out[k] = pair->bound[k][node & 1];
}

static void set_bound(ts_box_tree* tree, int node, const float bound[6]) {
    ts_box_tree_pair* pair = &tree->pair[node >> 1];
    for (int k = 0; k < 6; ++k) pair->bound[k][node & 1] = bound[k];
}

static int child_of(const ts_box_tree* tree, int node) { return tree->pair[node >> 1].child[node & 1]; }

// Hangs `child` (a pair or ~item) on a node, in both directions.
static void set_child(ts_box_tree* tree, int node, int child) {
    tree->pair[node >> 1].child[node & 1] = child;
    if (child >= 0)
        tree->pair[child].parent = node;
    else
        tree->place[~child] = node;
}

static void unite(const float a[6], const float b[6], float out[6]) {
    for (int k = 0; k < 6; ++k) out[k] = a[k] < b[k] ? a[k] : b[k];
}

static void unite_pair(const ts_box_tree_pair* pair, float out[6]) {
    for (int k = 0; k < 6; ++k) out[k] = pair->bound[k][0] < pair->bound[k][1] ? pair->bound[k][0] : pair->bound[k][1];
}

// Exchanges two nodes of which neither lies above the other.
static void swap_nodes(ts_box_tree* tree, int a, int b) {
    float bound_a[6], bound_b[6];
    int child_a = child_of(tree, a), child_b = child_of(tree, b);
    get_bound(tree, a, bound_a);
    get_bound(tree, b, bound_b);
    set_bound(tree, a, bound_b);
    set_bound(tree, b, bound_a);
    set_child(tree, a, child_b);
    set_child(tree, b, child_a);
}

// The best of the four exchanges between a child of one sibling and the other sibling, if any makes a node smaller.
static void rotate(ts_box_tree* tree, int pair) {
    float best_gain = 0.0f, best_bound[6] = {0};
    int best_nephew = -1, best_uncle = -1;
    for (int side = 0; side < 2; ++side) {
        int below = tree->pair[pair].child[side];
        if (below < 0) continue;
        int uncle = 2 * pair + (side ^ 1);
        float bound[6], uncle_bound[6], merged[6];
        get_bound(tree, 2 * pair + side, bound);
        get_bound(tree, uncle, uncle_bound);
        for (int nephew = 0; nephew < 2; ++nephew) {
            float stays[6];
            get_bound(tree, 2 * below + (nephew ^ 1), stays);
            unite(stays, uncle_bound, merged);
            float gain = ts_box_tree_half_surface(bound) - ts_box_tree_half_surface(merged);
            if (!(gain > best_gain)) continue;
            best_gain = gain;
            best_nephew = 2 * below + nephew;
            best_uncle = uncle;
            memcpy(best_bound, merged, sizeof merged);
        }
    }
    if (best_nephew < 0) return;
    swap_nodes(tree, best_nephew, best_uncle);
    set_bound(tree, best_uncle ^ 1, best_bound);
    tree->cost -= (double)best_gain;
}

// Bits are compared on purpose: bounds come of minima and maxima, so the same boxes below give the same bits.
static int differ(const float a[6], const float b[6]) {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): see above
    return memcmp(a, b, 6 * sizeof *a) != 0;
}

// Makes the nodes above `pair` fit again. Stops where nothing changes, unless `rotating`, which tries every level.
static void refit(ts_box_tree* tree, int pair, int rotating) {
    while (pair > 0) {
        float old[6], fresh[6];
        int node = tree->pair[pair].parent;
        if (rotating) rotate(tree, pair);
        get_bound(tree, node, old);
        unite_pair(&tree->pair[pair], fresh);
        if (differ(old, fresh)) {
            set_bound(tree, node, fresh);
            tree->cost += (double)ts_box_tree_half_surface(fresh) - (double)ts_box_tree_half_surface(old);
        } else if (!rotating) {
            return;
        }
        pair = node >> 1;
    }
}

typedef struct place_entry {
    int node;
    int depth;
    float inherited;  // m^2, what the nodes above grow by
} place_entry;

// The node beside which the leaf costs least, by branch and bound, nearer children first. Subtrees that no longer fit
// the bounded list are left out: the answer is then still a place, perhaps not the best.
static int best_sibling(const ts_box_tree* tree, const float leaf[6], int* out_depth) {
    place_entry stack[TS_BOX_TREE_STACK];
    int used = 0, best = 0, best_depth = 0;
    float own = ts_box_tree_half_surface(leaf), best_cost = (float)INFINITY;
    place_entry at = {0, 0, 0.0f};
    for (;;) {
        float bound[6], merged[6];
        get_bound(tree, at.node, bound);
        unite(bound, leaf, merged);
        float direct = ts_box_tree_half_surface(merged), cost = direct + at.inherited;
        if (cost < best_cost) {
            best_cost = cost;
            best = at.node;
            best_depth = at.depth;
        }
        float inherited = at.inherited + (direct - ts_box_tree_half_surface(bound));
        int below = child_of(tree, at.node);
        if (below >= 0 && own + inherited < best_cost && used + 2 <= TS_BOX_TREE_STACK) {
            // The child that grows less comes off the stack first.
            float grow[2];
            for (int side = 0; side < 2; ++side) {
                get_bound(tree, 2 * below + side, bound);
                unite(bound, leaf, merged);
                grow[side] = ts_box_tree_half_surface(merged) - ts_box_tree_half_surface(bound);
            }
            int first = grow[1] < grow[0];
            stack[used++] = (place_entry){2 * below + !first, at.depth + 1, inherited};
            stack[used++] = (place_entry){2 * below + first, at.depth + 1, inherited};
        }
        do {
            if (used == 0) {
                *out_depth = best_depth;
                return best;
            }
            at = stack[--used];
        } while (!(own + at.inherited < best_cost));
    }
}

// Where a node and both its children are one and the same to the leaf, as among boxes that coincide, the way down is
// that of a counter's bits: staying at the top would make a chain.
static int below_equals(const ts_box_tree* tree, const float leaf[6], int node, int* depth) {
    for (int below = child_of(tree, node); below >= 0; below = child_of(tree, node)) {
        float bound[6], merged[2][6];
        get_bound(tree, node, bound);
        unite(bound, leaf, bound);
        for (int side = 0; side < 2; ++side) {
            get_bound(tree, 2 * below + side, merged[side]);
            unite(merged[side], leaf, merged[side]);
            if (differ(bound, merged[side])) return node;
        }
        node = 2 * below + (int)(tree->changes >> (*depth % 32) & 1);
        ++*depth;
    }
    return node;
}

// A pair for use. There must be room for one.
static int take_pair(ts_box_tree* tree) {
    int pair = tree->pair_free;
    if (pair > 0)
        tree->pair_free = tree->pair[pair].parent;
    else
        pair = tree->pair_count++;
    tree->pair[pair].unused = 0;
    return pair;
}

static void give_pair(ts_box_tree* tree, int pair) {
    tree->pair[pair].child[0] = tree->pair[pair].child[1] = TS_BOX_TREE_NOTHING;
    tree->pair[pair].parent = tree->pair_free;
    tree->pair_free = pair;
}

// All leaves into scratch and a fresh tree from them.
static int build_anew(ts_box_tree* tree) {
    int count = 0;
    ts_box_tree_leaf* leaf = (ts_box_tree_leaf*)ts_box_tree_scratch(tree, (size_t)tree->item_count * sizeof *leaf);
    if (!leaf) return 0;
    for (int i = 0; i < tree->place_count; ++i) {
        if (tree->place[i] < 0) continue;
        get_bound(tree, tree->place[i], leaf[count].bound);
        leaf[count++].item = i;
    }
    return ts_box_tree_build_leaves(tree, leaf, count, NULL);
}

int ts_box_tree_insert_bounds(ts_box_tree* tree, int item, const float bound[6]) {
    if (!ts_box_tree_reserve(tree, tree->pair_count + 2, item + 1)) return 0;
    ++tree->changes;
    ++tree->item_count;
    if (tree->pair_count == 0) {
        tree->pair_count = 1;
        tree->pair[0].parent = -1;
        tree->pair[0].unused = 0;
        set_nothing(&tree->pair[0], 0);
        set_nothing(&tree->pair[0], 1);
    }
    if (tree->item_count == 1) {
        set_bound(tree, 0, bound);
        set_child(tree, 0, ~item);
        return 1;
    }
    int depth = 0, node = best_sibling(tree, bound, &depth);
    node = below_equals(tree, bound, node, &depth);
    int pair = take_pair(tree);
    float old[6], merged[6];
    get_bound(tree, node, old);
    unite(old, bound, merged);
    set_bound(tree, 2 * pair, old);
    set_bound(tree, 2 * pair + 1, bound);
    set_child(tree, 2 * pair, child_of(tree, node));
    set_child(tree, 2 * pair + 1, ~item);
    set_bound(tree, node, merged);
    set_child(tree, node, pair);
    tree->cost += (double)ts_box_tree_half_surface(merged);
    refit(tree, node >> 1, 1);
    return depth < DEPTH_LIMIT || build_anew(tree);
}

void ts_box_tree_move_bounds(ts_box_tree* tree, int item, const float bound[6]) {
    int node = tree->place[item];
    ++tree->changes;
    set_bound(tree, node, bound);
    refit(tree, node >> 1, 0);
}

void ts_box_tree_remove(ts_box_tree* tree, int item) {
    if (!ts_box_tree_has(tree, item)) return;
    int node = tree->place[item], pair = node >> 1, sibling = node ^ 1;
    tree->place[item] = -1;
    --tree->item_count;
    ++tree->changes;
    if (pair == 0) {
        set_nothing(&tree->pair[0], node & 1);
        tree->cost = 0.0;
        return;
    }
    int above = tree->pair[pair].parent;
    float old[6], bound[6];
    get_bound(tree, above, old);
    get_bound(tree, sibling, bound);
    set_bound(tree, above, bound);
    set_child(tree, above, child_of(tree, sibling));
    tree->cost -= (double)ts_box_tree_half_surface(old);
    give_pair(tree, pair);
    refit(tree, above >> 1, 0);
}
