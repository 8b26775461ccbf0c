// Asking a tree: boxes, rays, nearest.
//
// Rule: from the root down, leaving out every node whose box the query misses; nearer siblings first where there is
// such a thing. A ray meets a box when the intervals of its parameter between the three pairs of planes have something
// in common (Kay and Kajiya, "Ray tracing complex scenes", 1986); the far ends are pushed out by a few units in the
// last place, so that rounding loses no box (Ize, "Robust BVH ray traversal", 2013).
// Guaranteed: no item that meets the query is left out, and `enter` and `lower` are lower bounds. No heap: a bounded
// stack, and behind it a walk through the links to the parents.
#include <string.h>

#include "collision/broad/box_tree_walk_internal.h"

// Beyond all boxes in a tree, and far from overflow.
static const double FAR = 1e30;

static float round_down(double x) { return ts_box4_round_down(x < -FAR ? -FAR : (x > FAR ? FAR : x)); }

int ts_box_tree_overlap(const ts_box_tree* tree, ts_box box, ts_box_visit visit, void* context) {
    if (tree->item_count == 0) return 1;
    if (!(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z)) return 1;
    ts_vec3 min = ts_vec3_sub(box.min, tree->origin), max = ts_vec3_sub(tree->origin, box.max);
    float low[3] = {round_down(min.x), round_down(min.y), round_down(min.z)};
    float minus_high[3] = {round_down(max.x), round_down(max.y), round_down(max.z)};
    ts_box_tree_query q = ts_box_tree_query_from(low, minus_high);
    return ts_box_tree_walk(tree, 0, &q, visit, context);
}

// What a query from near to far asks of a node: a lower bound of the parameter or distance, negative when the node is
// of no use; and what it does with an item, which gives the new limit.
typedef struct near_query {
    const void* shape;
    double (*key)(const void* shape, const ts_box_tree_pair* pair, int side, double limit);
    ts_box_ray_visit visit;
    void* context;
} near_query;

typedef struct near_entry {
    int child;
    double key;
} near_entry;

// The walk below `top` by the links, in the order of the tree: for what does not fit the stack.
static double walk_linked(const ts_box_tree* tree, int top, const near_query* q, double limit) {
    int pair = top, side = 0;
    for (;;) {
        const ts_box_tree_pair* at = &tree->pair[pair];
        double key = at->child[side] == TS_BOX_TREE_NOTHING ? -1.0 : q->key(q->shape, at, side, limit);
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

static double walk_near(const ts_box_tree* tree, const near_query* q, double limit) {
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
                next[side].key = pair->child[side] == TS_BOX_TREE_NOTHING ? -1.0 : q->key(q->shape, pair, side, limit);
            }
            int nearer = next[1].key < next[0].key;
            if (next[!nearer].key >= 0.0) stack[used++] = next[!nearer];
            if (next[nearer].key >= 0.0) stack[used++] = next[nearer];
        }
        if (!(limit >= 0.0)) return limit;
    }
    return limit;
}

typedef struct ray {
    double from[3], inverse[3];
    double pad;    // m, what moving to the tree's origin may have lost
    int still[3];  // the ray does not move along this axis
} ray;

// The parameter at which the ray enters a node's box, or -1 when it misses it up to `limit`.
static double ray_key(const void* shape, const ts_box_tree_pair* pair, int side, double limit) {
    const ray* r = (const ray*)shape;
    double enter = 0.0, leave = limit;
    for (int k = 0; k < 3; ++k) {
        double low = (double)pair->bound[k][side] - r->pad, high = r->pad - (double)pair->bound[k + 3][side];
        if (r->still[k]) {
            if (!(low <= r->from[k] && r->from[k] <= high)) return -1.0;
            continue;
        }
        double one = (low - r->from[k]) * r->inverse[k], two = (high - r->from[k]) * r->inverse[k];
        double near = one < two ? one : two, far = one < two ? two : one;
        // Each of these numbers has three roundings.
        near -= fabs(near) * 0x1p-50;
        far += fabs(far) * 0x1p-50;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave ? enter : -1.0;
}

double ts_box_tree_ray(const ts_box_tree* tree, ts_vec3 from, ts_vec3 direction, double limit, ts_box_ray_visit visit,
                       void* context) {
    ray r;
    ts_vec3 local = ts_vec3_sub(from, tree->origin);
    if (tree->item_count == 0 || !ts_vec3_is_finite(from) || !ts_vec3_is_finite(direction) || !(limit >= 0.0))
        return limit;
    ts_vec3_store(local, r.from);
    r.pad = (ts_vec3_max_abs(from) + ts_vec3_max_abs(tree->origin)) * 0x1p-51;
    for (int k = 0; k < 3; ++k) {
        double d = ts_vec3_get(direction, k);
        // A component whose inverse overflows moves the ray nowhere within the reach of a tree.
        r.inverse[k] = 1.0 / d;
        r.still[k] = !isfinite(r.inverse[k]);
    }
    near_query q = {&r, ray_key, visit, context};
    return walk_near(tree, &q, limit);
}

typedef struct near_box {
    double low[3], high[3];
} near_box;

// A lower bound of the distance between the box and a node's box, or -1 when that is beyond the limit.
static double box_key(const void* shape, const ts_box_tree_pair* pair, int side, double limit) {
    const near_box* b = (const near_box*)shape;
    double squared = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)pair->bound[k][side] - b->high[k], above = b->low[k] + (double)pair->bound[k + 3][side];
        double gap = below > above ? below : above;
        if (gap > 0.0) squared += gap * gap;
    }
    // Four roundings, and the root's own.
    double distance = sqrt(squared) * (1.0 - 0x1p-49);
    return distance <= limit ? distance : -1.0;
}

double ts_box_tree_nearest(const ts_box_tree* tree, ts_box box, double limit, ts_box_nearest_visit visit,
                           void* context) {
    near_box b;
    if (tree->item_count == 0 || !(limit >= 0.0)) return limit;
    if (!(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z)) return limit;
    for (int k = 0; k < 3; ++k)
        if (ts_vec3_get(box.min, k) >= FAR || ts_vec3_get(box.max, k) <= -FAR) return limit;
    double pad = ts_vec3_max_abs(tree->origin);
    pad *= 0x1p-51;
    for (int k = 0; k < 3; ++k) {
        double min = ts_vec3_get(box.min, k), max = ts_vec3_get(box.max, k), origin = ts_vec3_get(tree->origin, k);
        b.low[k] = min - origin - pad - fabs(min) * 0x1p-51;
        b.high[k] = max - origin + pad + fabs(max) * 0x1p-51;
    }
    near_query q = {&b, box_key, visit, context};
    return walk_near(tree, &q, limit);
}
