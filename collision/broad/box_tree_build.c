// Building a whole tree at once.
//
// Problem: a good tree for n boxes, in time n log n, the same for any number of workers.
// Rule: top down. The centres are put into sixteen bins along the axis on which they spread most, and the range is cut
// between the two bins for which (surface x count) of both sides is least (Wald, "On fast construction of SAH-based
// bounding volume hierarchies", 2007). Where binning cannot tell (all centres in one bin, or the depth already large)
// the range is halved by count in the order it has.
// A range of n leaves owns exactly n - 1 pairs, numbered in the order of a walk from the root, so every subtree knows
// its place before any other is built: the top is split by the caller, the subtrees below are built on all workers, and
// neither their number nor their order changes a bit of the result.
// Guaranteed: depth at most BINNED_DEPTH + log2(n), so that queries never run out of their stack below 2^26 leaves.
#include <string.h>

#include "collision/broad/box_tree_walk_internal.h"

enum {
    BINS = 16,
    FEW = 8,            // leaves that are sorted rather than binned
    BINNED_DEPTH = 36,  // deeper ranges are halved by count
    TASK_LEAVES = 2048,
    TASKS_MAX = 256,
    WAITING_MAX = 64
};

// Leaves [begin, end) to hang on `node`, using pairs from `pair` on.
typedef struct range {
    int begin, end;
    int node;
    int pair;
    int depth;
} range;

typedef struct builder {
    ts_box_tree* tree;
    ts_box_tree_leaf* leaf;
    range* task;
    int task_count;
} builder;

static void include(float bound[6], const float more[6]) {
    for (int k = 0; k < 6; ++k) bound[k] = more[k] < bound[k] ? more[k] : bound[k];
}

static void bound_nothing(float bound[6]) {
    for (int k = 0; k < 6; ++k) bound[k] = FLT_MAX;
}

// Twice the centre of a leaf along an axis.
static float centre(const ts_box_tree_leaf* leaf, int axis) { return leaf->bound[axis] - leaf->bound[axis + 3]; }

static void set_leaf(ts_box_tree* tree, int node, const ts_box_tree_leaf* leaf) {
    ts_box_tree_pair* pair = &tree->pair[node >> 1];
    for (int k = 0; k < 6; ++k) pair->bound[k][node & 1] = leaf->bound[k];
    pair->child[node & 1] = ~leaf->item;
    tree->place[leaf->item] = node;
}

typedef struct bins {
    float bound[BINS][6];
    int count[BINS];
} bins;

// The number of the first `used` bins that go to the left, or 0 when no cut leaves something on both sides.
static int cheapest_cut(const bins* b, int used) {
    float right_surface[BINS], run[6];
    int right_count[BINS], count = 0, best = 0;
    float best_cost = (float)INFINITY;
    bound_nothing(run);
    for (int i = used - 1; i > 0; --i) {
        include(run, b->bound[i]);
        count += b->count[i];
        right_count[i] = count;
        right_surface[i] = count > 0 ? ts_box_tree_half_surface(run) : 0.0f;
    }
    bound_nothing(run);
    count = 0;
    for (int i = 0; i < used - 1; ++i) {
        include(run, b->bound[i]);
        count += b->count[i];
        if (count == 0 || right_count[i + 1] == 0) continue;
        float cost = ts_box_tree_half_surface(run) * (float)count + right_surface[i + 1] * (float)right_count[i + 1];
        if (cost < best_cost) {
            best_cost = cost;
            best = i + 1;
        }
    }
    return best;
}

// A few leaves: every one is a bin of its own.
static int split_few(ts_box_tree_leaf* leaf, int count, int axis) {
    bins b;
    if (count == 2) return 1;
    for (int i = 0; i < count; ++i) leaf[i].key = centre(&leaf[i], axis);
    for (int i = 1; i < count; ++i) {
        ts_box_tree_leaf moved = leaf[i];
        int k = i;
        for (; k > 0 && leaf[k - 1].key > moved.key; --k) leaf[k] = leaf[k - 1];
        leaf[k] = moved;
    }
    if (count == 3) return leaf[1].key - leaf[0].key > leaf[2].key - leaf[1].key ? 1 : 2;
    for (int i = 0; i < count; ++i) {
        b.count[i] = 1;
        memcpy(b.bound[i], leaf[i].bound, sizeof b.bound[i]);
    }
    int cut = cheapest_cut(&b, count);
    return cut > 0 ? cut : count / 2;
}

static int bin_of(float key, float low, float scale, int used) {
    int i = (int)((key - low) * scale);
    return i >= used ? used - 1 : i;
}

static int split_binned(ts_box_tree_leaf* leaf, int count, int axis, float low, float scale, int used) {
    bins b;
    memset(b.count, 0, sizeof b.count);
    for (int i = 0; i < used; ++i) bound_nothing(b.bound[i]);
    for (int i = 0; i < count; ++i) {
        int bin = bin_of(centre(&leaf[i], axis), low, scale, used);
        ++b.count[bin];
        include(b.bound[bin], leaf[i].bound);
    }
    int cut = cheapest_cut(&b, used);
    if (cut == 0) return count / 2;
    int left = 0, right = count - 1;
    for (;;) {
        while (left < count && bin_of(centre(&leaf[left], axis), low, scale, used) < cut) ++left;
        while (right >= 0 && bin_of(centre(&leaf[right], axis), low, scale, used) >= cut) --right;
        if (left > right) return left;
        ts_box_tree_leaf swap = leaf[left];
        leaf[left] = leaf[right];
        leaf[right] = swap;
    }
}

// Puts the leaves of the left side first; returns how many, strictly between 0 and the count.
static int split(ts_box_tree_leaf* leaf, int count, int depth) {
    float low[3], high[3];
    if (depth >= BINNED_DEPTH || count < 3) return count / 2;
    for (int k = 0; k < 3; ++k) low[k] = high[k] = centre(&leaf[0], k);
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            float c = centre(&leaf[i], k);
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    if (count <= FEW) return split_few(leaf, count, axis);
    int used = count < 4 * BINS ? BINS / 2 : BINS;
    float scale = (float)used / (high[axis] - low[axis]);
    if (!(scale < FLT_MAX)) return count / 2;
    return split_binned(leaf, count, axis, low[axis], scale, used);
}

// Splits a range into its two halves, which hang on the siblings of the pair it takes.
static void descend(builder* work, const range* at, range* out_left, range* out_right) {
    ts_box_tree_pair* pair = &work->tree->pair[at->pair];
    int left = split(work->leaf + at->begin, at->end - at->begin, at->depth);
    pair->parent = at->node;
    pair->unused = 0;
    work->tree->pair[at->node >> 1].child[at->node & 1] = at->pair;
    *out_left = (range){at->begin, at->begin + left, 2 * at->pair, at->pair + 1, at->depth + 1};
    *out_right = (range){at->begin + left, at->end, 2 * at->pair + 1, at->pair + left, at->depth + 1};
}

// Builds a range down to the leaves. The larger half waits, so the list stays logarithmic.
static void build_range(builder* work, const range* top) {
    range waiting[WAITING_MAX];
    int used = 0;
    range at = *top;
    for (;;) {
        if (at.end - at.begin == 1) {
            set_leaf(work->tree, at.node, &work->leaf[at.begin]);
            if (used == 0) return;
            at = waiting[--used];
            continue;
        }
        range left, right;
        descend(work, &at, &left, &right);
        int left_larger = left.end - left.begin > right.end - right.begin;
        waiting[used++] = left_larger ? left : right;
        at = left_larger ? right : left;
    }
}

// Bounds of the nodes on which pairs [first, last) hang; children have larger numbers than their parents.
static double fit(ts_box_tree* tree, int first, int last) {
    double cost = 0.0;
    for (int p = last - 1; p >= first; --p) {
        const ts_box_tree_pair* pair = &tree->pair[p];
        float bound[6];
        for (int k = 0; k < 6; ++k)
            bound[k] = pair->bound[k][0] < pair->bound[k][1] ? pair->bound[k][0] : pair->bound[k][1];
        ts_box_tree_pair* above = &tree->pair[pair->parent >> 1];
        for (int k = 0; k < 6; ++k) above->bound[k][pair->parent & 1] = bound[k];
        cost += (double)ts_box_tree_half_surface(bound);
    }
    return cost;
}

static void run_tasks(void* context, int begin, int end, int worker) {
    builder* work = (builder*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) build_range(work, &work->task[i]);
}

// Splits from the top until the pieces are small, and leaves them in work->task.
static void plan(builder* work, const range* whole) {
    int done = 0, small = (whole->end - whole->begin) / (TASKS_MAX / 4);
    if (small < TASK_LEAVES) small = TASK_LEAVES;
    work->task[0] = *whole;
    work->task_count = 1;
    while (done < work->task_count) {
        range at = work->task[done];
        if (at.end - at.begin <= small || work->task_count == TASKS_MAX) {
            ++done;
            continue;
        }
        descend(work, &at, &work->task[done], &work->task[work->task_count]);
        ++work->task_count;
    }
}

int ts_box_tree_build_leaves(ts_box_tree* tree, ts_box_tree_leaf* leaf, int count, ts_task_pool* pool) {
    int items = 0;
    range task[TASKS_MAX];
    for (int i = 0; i < count; ++i) items = leaf[i].item >= items ? leaf[i].item + 1 : items;
    ts_box_tree_clear(tree);
    if (!ts_box_tree_reserve(tree, count > 0 ? count : 1, items)) return 0;
    tree->pair_count = count > 0 ? count : 1;
    tree->item_count = count;
    ts_box_tree_pair* root = &tree->pair[0];
    for (int k = 0; k < 6; ++k) root->bound[k][0] = root->bound[k][1] = (float)INFINITY;
    root->child[0] = root->child[1] = TS_BOX_TREE_NOTHING;
    root->parent = -1;
    root->unused = 0;
    if (count == 0) return 1;
    range whole = {0, count, 0, 1, 0};
    builder work = {tree, leaf, task, 0};
    if (ts_task_pool_workers(pool) == 1) {
        build_range(&work, &whole);
    } else {
        plan(&work, &whole);
        ts_task_parallel_for(pool, work.task_count, 1, run_tasks, &work);
    }
    tree->cost = tree->built_cost = fit(tree, 1, count);
    return 1;
}
