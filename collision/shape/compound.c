// Compounds: children and a static tree of boxes.
//
// Rule: the children of a box are ordered along the longest side of the box around their centres (ties by number) and
// halved, so the tree is as low as can be and the same for the same children. Nodes lie in walking order with the number
// of the node behind their contents, so a walk needs no stack and no recursion. Known limit: halves by number, not by
// cost; children of very different size make looser boxes than a surface heuristic would.
#include "collision/shape/compound.h"

#include <stdlib.h>
#include <string.h>

enum { CHILD_LIMIT = 1 << 24 };

typedef struct placed_box {
    ts_vec3 low;
    ts_vec3 high;
    double key;
    int child;
} placed_box;

static int by_key(const void* a, const void* b) {
    const placed_box *p = (const placed_box*)a, *q = (const placed_box*)b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->child > q->child) - (p->child < q->child);
}

// Builds the nodes over `count` boxes from number `at` on; returns the number behind the last. Depth is log2 count.
static int build_nodes(placed_box* box, int count, ts_compound_node* node, int at) {
    ts_compound_node* here = &node[at];
    here->box_min = box[0].low;
    here->box_max = box[0].high;
    ts_vec3 low = ts_vec3_lerp(box[0].low, box[0].high, 0.5), high = low;
    for (int i = 1; i < count; ++i) {
        here->box_min = ts_vec3_min(here->box_min, box[i].low);
        here->box_max = ts_vec3_max(here->box_max, box[i].high);
        ts_vec3 centre = ts_vec3_lerp(box[i].low, box[i].high, 0.5);
        low = ts_vec3_min(low, centre);
        high = ts_vec3_max(high, centre);
    }
    int next = at + 1;
    if (count == 1) {
        here->child = box[0].child;
    } else {
        here->child = -1;
        ts_vec3 size = ts_vec3_sub(high, low);
        int axis = ts_vec3_largest(size);
        for (int i = 0; i < count; ++i) box[i].key = ts_vec3_get(ts_vec3_lerp(box[i].low, box[i].high, 0.5), axis);
        qsort(box, (size_t)count, sizeof *box, by_key);
        next = build_nodes(box, count / 2, node, next);
        next = build_nodes(box + count / 2, count - count / 2, node, next);
    }
    here->skip = next;
    return next;
}

static int is_rotation(const ts_mat3* r) {
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            if (!(fabs(ts_vec3_dot(ts_mat3_row(r, i), ts_mat3_row(r, j)) - (i == j ? 1.0 : 0.0)) <= 1e-6)) return 0;
    return ts_vec3_dot(ts_mat3_row(r, 0), ts_vec3_cross(ts_mat3_row(r, 1), ts_mat3_row(r, 2))) > 0.0;
}

static ts_code check_child(const ts_compound_child* child, int number, ts_status* out_status) {
    ts_status inner;
    if (!ts_shape_is_convex(&child->shape) || child->shape.kind == TS_SHAPE_PLANE)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "compound: child %d is a %s, not a convex solid", number,
                             ts_shape_kind_name(child->shape.kind));
    if (ts_shape_validate(&child->shape, &inner))
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "compound: child %d: %s", number, inner.message);
    if (!ts_vec3_is_finite(child->placed.p) || !is_rotation(&child->placed.R))
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "compound: child %d has no usable pose", number);
    return TS_OK;
}

ts_code ts_compound_build(const ts_compound_child* children, int count, ts_compound** out_compound,
                          ts_status* out_status) {
    *out_compound = 0;
    if (count < 1 || count > CHILD_LIMIT)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "compound: cannot have %d children", count);
    for (int i = 0; i < count; ++i) {
        ts_code code = check_child(&children[i], i, out_status);
        if (code) return code;
    }
    ts_compound* compound = (ts_compound*)calloc(1, sizeof *compound);
    placed_box* box = (placed_box*)malloc((size_t)count * sizeof *box);
    if (compound) {
        compound->child = (ts_compound_child*)malloc((size_t)count * sizeof *compound->child);
        compound->node = (ts_compound_node*)malloc((2 * (size_t)count - 1) * sizeof *compound->node);
    }
    if (!compound || !box || !compound->child || !compound->node) {
        free(box);
        ts_compound_free(compound);
        return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "compound: out of memory");
    }
    compound->count = count;
    memcpy(compound->child, children, (size_t)count * sizeof *children);
    for (int i = 0; i < count; ++i) {
        ts_shape_bounds(&children[i].shape, &children[i].placed, &box[i].low, &box[i].high);
        box[i].key = 0.0;
        box[i].child = i;
    }
    build_nodes(box, count, compound->node, 0);
    free(box);
    compound->box_min = compound->node[0].box_min;
    compound->box_max = compound->node[0].box_max;
    *out_compound = compound;
    return ts_status_ok(out_status);
}

void ts_compound_free(ts_compound* compound) {
    if (!compound) return;
    free(compound->child);
    free(compound->node);
    free(compound);
}
