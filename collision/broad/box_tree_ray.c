// Asking a tree what a ray meets.
//
// Rule: from the root down, leaving out every node whose box the ray misses, nearer siblings first. A ray meets a box when the intervals of its parameter between the three pairs of planes have something
// in common (Kay and Kajiya, "Ray tracing complex scenes", 1986); the far ends are pushed out by a few units in the
// last place, so that rounding loses no box (Ize, "Robust BVH ray traversal", 2013).
// Guaranteed: no item that the ray meets is left out, and `enter` is a lower bound. No heap: a bounded
// stack, and behind it a walk through the links to the parents.
#include "collision/broad/box_tree_walk_internal.h"

// What is asked of every node and item.
typedef struct question {
    ts_box_ray ray;  // from the tree's origin
    double pad;      // m, what moving to that origin may have lost
    ts_box_ray_visit visit;
    void* context;
} question;

// The parameter at which the ray enters a node's box, or -1 when it misses it up to `limit` or there is no node.
static double key_of(const question* q, const ts_box_tree_pair* pair, int side, double limit) {
    double low[3], high[3];
    if (pair->child[side] == TS_BOX_TREE_NOTHING) return -1.0;
    for (int k = 0; k < 3; ++k) {
        low[k] = (double)pair->bound[k][side] - q->pad;
        high[k] = q->pad - (double)pair->bound[k + 3][side];
    }
    return ts_box_ray_enter(&q->ray, low, high, limit);
}

typedef struct near_entry {
    int child;
    double key;
} near_entry;

// The walk below `top` by the links, in the order of the tree: for what does not fit the stack.
static double walk_linked(const ts_box_tree* tree, int top, const question* q, double limit) {
    int pair = top, side = 0;
    for (;;) {
        const ts_box_tree_pair* at = &tree->pair[pair];
        double key = key_of(q, at, side, limit);
        if (key >= 0.0 && at->child[side] >= 0) {
            pair = at->child[side];
            side = 0;
            continue;
        }
        if (key >= 0.0) limit = q->visit(q->context, ~at->child[side], key, limit);
        if (!(limit >= 0.0)) return limit;
        while (side == 1) {
            if (pair == top) return limit;
            side = tree->pair[pair].parent & 1;
            pair = tree->pair[pair].parent >> 1;
        }
        side = 1;
    }
}

static double walk_near(const ts_box_tree* tree, const question* q, double limit) {
    near_entry stack[TS_BOX_TREE_STACK];
    int used = 1;
    stack[0].child = 0;
    stack[0].key = 0.0;
    while (used > 0) {
        near_entry at = stack[--used];
        if (at.key > limit) continue;
        if (at.child < 0) {
            limit = q->visit(q->context, ~at.child, at.key, limit);
        } else if (used + 2 > TS_BOX_TREE_STACK) {
            limit = walk_linked(tree, at.child, q, limit);
        } else {
            const ts_box_tree_pair* pair = &tree->pair[at.child];
            near_entry next[2];
            for (int side = 0; side < 2; ++side) {
                next[side].child = pair->child[side];
                next[side].key = key_of(q, pair, side, limit);
            }
            int nearer = next[1].key < next[0].key;
            if (next[!nearer].key >= 0.0) stack[used++] = next[!nearer];
            if (next[nearer].key >= 0.0) stack[used++] = next[nearer];
        }
        if (!(limit >= 0.0)) return limit;
    }
    return limit;
}

double ts_box_tree_ray(const ts_box_tree* tree, ts_vec3 from, ts_vec3 direction, double limit, ts_box_ray_visit visit,
                       void* context) {
    if (tree->item_count == 0 || !ts_vec3_is_finite(from) || !ts_vec3_is_finite(direction) || !(limit >= 0.0))
        return limit;
    question q = {ts_box_ray_make(ts_vec3_sub(from, tree->origin), direction),
                  (ts_vec3_max_abs(from) + ts_vec3_max_abs(tree->origin)) * 0x1p-51, visit, context};
    return walk_near(tree, &q, limit);
}
