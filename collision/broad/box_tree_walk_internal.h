// What the files of the tree and the broad phase share: boxes in single precision, and the walk through the tree.
//
// A box is stored as (low, minus high): then "a inside b" and "a meets b" are all comparisons in one direction, and one
// pair of siblings is tested with three four-wide instructions. Each such test has a scalar twin with the same answers.
#ifndef TS_COLLISION_BOX_TREE_WALK_INTERNAL_H
#define TS_COLLISION_BOX_TREE_WALK_INTERNAL_H

#include <float.h>
#include <limits.h>

#include "collision/broad/box_tree_internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Called with the number of each box found; return 0 to stop.
typedef int (*ts_box_visit)(void* context, int item);

/// A box in single precision; the fourth lane is idle.
typedef struct ts_box4 {
    float low[4];
    float minus_high[4];
} ts_box4;

/// What a node has to be below in all twelve places to meet the box of a query: siblings side by side.
typedef struct ts_box_tree_query {
    float most[12];
} ts_box_tree_query;

/// A leaf on its way into a tree.
typedef struct ts_box_tree_leaf {
    float bound[6];
    int item;
    float key;  // for building
} ts_box_tree_leaf;

enum { TS_BOX_TREE_NOTHING = INT_MIN, TS_BOX_TREE_STACK = 64 };

/// Largest float that is no larger than x (or a few units below): x must be within TS_BOX_TREE_REACH.
static inline float ts_box4_round_down(double x) {
    float f = (float)x;
    return f - fabsf(f) * 0x1p-22f - FLT_MIN;
}

/// The box in single precision, rounded outwards, from `origin`. Nonzero when it has ends, in order, within reach. What
/// it writes otherwise means nothing.
static inline int ts_box4_from_scalar(ts_vec3 min, ts_vec3 max, ts_vec3 origin, ts_box4* out) {
    double low[3] = {min.x - origin.x, min.y - origin.y, min.z - origin.z};
    double high[3] = {max.x - origin.x, max.y - origin.y, max.z - origin.z};
    int fine = (min.x <= max.x) & (min.y <= max.y) & (min.z <= max.z);
    for (int k = 0; k < 3; ++k) fine &= (low[k] >= -TS_BOX_TREE_REACH) & (high[k] <= TS_BOX_TREE_REACH);
    if (!fine) return 0;
    for (int k = 0; k < 3; ++k) {
        out->low[k] = ts_box4_round_down(low[k]);
        out->minus_high[k] = ts_box4_round_down(-high[k]);
    }
    out->low[3] = out->minus_high[3] = -1e30f;
    return 1;
}

/// As it says, with what the machine has.
static inline int ts_box4_from(ts_vec3 min, ts_vec3 max, ts_vec3 origin, ts_box4* out) {
#if defined(__SSE2__)
    const __m128d sign = _mm_set1_pd(-0.0), reach = _mm_set1_pd(TS_BOX_TREE_REACH);
    __m128d min_xy = _mm_set_pd(min.y, min.x), max_xy = _mm_set_pd(max.y, max.x), z = _mm_set_pd(max.z, min.z);
    __m128d o_xy = _mm_set_pd(origin.y, origin.x), o_z = _mm_set1_pd(origin.z);
    __m128d low = _mm_sub_pd(min_xy, o_xy), high = _mm_sub_pd(max_xy, o_xy), ends = _mm_sub_pd(z, o_z);
    // In order and within reach; whatever has a NaN is neither.
    __m128d fine = _mm_and_pd(_mm_cmple_pd(min_xy, max_xy), _mm_cmple_pd(_mm_andnot_pd(sign, low), reach));
    fine = _mm_and_pd(fine, _mm_cmple_pd(_mm_andnot_pd(sign, high), reach));
    fine = _mm_and_pd(fine, _mm_cmple_pd(_mm_andnot_pd(sign, ends), reach));
    if ((_mm_movemask_pd(fine) != 3) | !(min.z <= max.z)) return 0;
    __m128 f_ends = _mm_cvtpd_ps(ends), idle = _mm_set1_ps(-1e30f);
    __m128 f_low = _mm_shuffle_ps(_mm_cvtpd_ps(low), _mm_shuffle_ps(f_ends, idle, _MM_SHUFFLE(0, 0, 0, 0)),
                                  _MM_SHUFFLE(2, 0, 1, 0));
    __m128 f_high = _mm_shuffle_ps(_mm_cvtpd_ps(high), _mm_shuffle_ps(f_ends, idle, _MM_SHUFFLE(0, 0, 1, 1)),
                                   _MM_SHUFFLE(2, 0, 1, 0));
    const __m128 sign4 = _mm_set1_ps(-0.0f), part = _mm_set1_ps(0x1p-22f), least = _mm_set1_ps(FLT_MIN);
    __m128 turned = _mm_xor_ps(f_high, sign4);
    __m128 a = _mm_sub_ps(_mm_sub_ps(f_low, _mm_mul_ps(_mm_andnot_ps(sign4, f_low), part)), least);
    __m128 b = _mm_sub_ps(_mm_sub_ps(turned, _mm_mul_ps(_mm_andnot_ps(sign4, turned), part)), least);
    // The idle lane here, not where they are stored: what is stored in parts is waited for when it is read.
    _mm_storeu_ps(out->low, _mm_movelh_ps(a, _mm_unpackhi_ps(a, idle)));
    _mm_storeu_ps(out->minus_high, _mm_movelh_ps(b, _mm_unpackhi_ps(b, idle)));
    return 1;
#else
    return ts_box4_from_scalar(min, max, origin, out);
#endif
}

/// Nonzero when `inner` lies inside `outer`, faces included.
static inline int ts_box4_inside_scalar(const ts_box4* inner, const ts_box4* outer) {
    int inside = 1;
    for (int k = 0; k < 3; ++k)
        inside &= (outer->low[k] <= inner->low[k]) & (outer->minus_high[k] <= inner->minus_high[k]);
    return inside;
}

/// As it says, with what the machine has.
static inline int ts_box4_inside(const ts_box4* inner, const ts_box4* outer) {
#if defined(__SSE2__)
    __m128 low = _mm_cmple_ps(_mm_loadu_ps(outer->low), _mm_loadu_ps(inner->low));
    __m128 high = _mm_cmple_ps(_mm_loadu_ps(outer->minus_high), _mm_loadu_ps(inner->minus_high));
    return _mm_movemask_ps(_mm_and_ps(low, high)) == 15;
#else
    return ts_box4_inside_scalar(inner, outer);
#endif
}

/// Whether two boxes meet: 0 no, 1 certainly and by more than `slack` along every axis, 2 too close to tell.
static inline int ts_box4_meet_scalar(const ts_box4* a, const ts_box4* b, float slack) {
    int apart = 0, close = 0;
    for (int k = 0; k < 3; ++k) {
        float one = a->low[k] + b->minus_high[k], two = b->low[k] + a->minus_high[k];
        float gap = one > two ? one : two;
        apart |= gap > 0.0f;
        close |= gap >= -slack;
    }
    return apart ? 0 : 1 + close;
}

/// As it says, with what the machine has.
static inline int ts_box4_meet(const ts_box4* a, const ts_box4* b, float slack) {
#if defined(__SSE2__)
    __m128 one = _mm_add_ps(_mm_loadu_ps(a->low), _mm_loadu_ps(b->minus_high));
    __m128 two = _mm_add_ps(_mm_loadu_ps(b->low), _mm_loadu_ps(a->minus_high));
    __m128 gap = _mm_max_ps(one, two);
    // What is apart is also close, in this sense: mostly one number decides.
    int close = _mm_movemask_ps(_mm_cmpge_ps(gap, _mm_set1_ps(-slack)));
    int apart = _mm_movemask_ps(_mm_cmpgt_ps(gap, _mm_setzero_ps()));
    return (close == 0) + 2 * ((apart == 0) & (close != 0));
#else
    return ts_box4_meet_scalar(a, b, slack);
#endif
}

/// The query for a box given as six bounds.
static inline ts_box_tree_query ts_box_tree_query_from(const float low[3], const float minus_high[3]) {
    ts_box_tree_query q;
    for (int k = 0; k < 3; ++k) {
        q.most[2 * k] = q.most[2 * k + 1] = -minus_high[k];
        q.most[6 + 2 * k] = q.most[6 + 2 * k + 1] = -low[k];
    }
    return q;
}

/// Which of two siblings meet the query: bit 0 and bit 1.
static inline int ts_box_tree_meet_scalar(const ts_box_tree_pair* pair, const ts_box_tree_query* q) {
    int mask = 3;
    for (int k = 0; k < 6; ++k)
        for (int side = 0; side < 2; ++side)
            if (!(pair->bound[k][side] <= q->most[2 * k + side])) mask &= ~(1 << side);
    return mask;
}

/// As it says, with what the machine has.
static inline int ts_box_tree_meet(const ts_box_tree_pair* pair, const ts_box_tree_query* q) {
#if defined(__SSE2__)
    const float* bound = &pair->bound[0][0];
    __m128 a = _mm_cmple_ps(_mm_loadu_ps(bound), _mm_loadu_ps(q->most));
    __m128 b = _mm_cmple_ps(_mm_loadu_ps(bound + 4), _mm_loadu_ps(q->most + 4));
    __m128 c = _mm_cmple_ps(_mm_loadu_ps(bound + 8), _mm_loadu_ps(q->most + 8));
    int m = _mm_movemask_ps(_mm_and_ps(_mm_and_ps(a, b), c));
    return m & m >> 2;
#else
    return ts_box_tree_meet_scalar(pair, q);
#endif
}

#if defined(__GNUC__)
#define TS_BOX_TREE_INLINE static inline __attribute__((always_inline))
#else
#define TS_BOX_TREE_INLINE static inline
#endif

/// Visits the items below pair `top` that meet the query without a stack: from a pair that is done it climbs, and looks
/// at the second sibling of whatever it came from as the first. For trees too deep for the stack of ts_box_tree_walk.
TS_BOX_TREE_INLINE int ts_box_tree_walk_deep(const ts_box_tree* tree, int top, const ts_box_tree_query* q,
                                             ts_box_visit visit, void* context) {
    int pair = top, side = 0;
    for (;;) {
        int child = TS_BOX_TREE_NOTHING;
        if (side < 2 && ts_box_tree_meet(&tree->pair[pair], q) >> side & 1) child = tree->pair[pair].child[side];
        if (child >= 0) {
            pair = child;
            side = 0;
            continue;
        }
        if (child != TS_BOX_TREE_NOTHING && !visit(context, ~child)) return 0;
        while (side >= 1) {
            if (pair == top) return 1;
            side = tree->pair[pair].parent & 1;
            pair = tree->pair[pair].parent >> 1;
        }
        side = 1;
    }
}

/// Visits the items below pair `top` that meet the query, first siblings first. Returns 0 when the visitor stopped it.
TS_BOX_TREE_INLINE int ts_box_tree_walk(const ts_box_tree* tree, int top, const ts_box_tree_query* q,
                                        ts_box_visit visit, void* context) {
    int stack[TS_BOX_TREE_STACK], used = 0;
    for (int pair = top;;) {
        const ts_box_tree_pair* at = &tree->pair[pair];
        int mask = ts_box_tree_meet(at, q), next = -1;
        if (mask & 2) {
            if (at->child[1] >= 0)
                next = at->child[1];
            else if (!visit(context, ~at->child[1]))
                return 0;
        }
        if (mask & 1) {
            if (at->child[0] < 0) {
                if (!visit(context, ~at->child[0])) return 0;
            } else if (next < 0) {
                next = at->child[0];
            } else if (used < TS_BOX_TREE_STACK) {
                stack[used++] = at->child[0];
            } else if (!ts_box_tree_walk_deep(tree, at->child[0], q, visit, context)) {
                return 0;
            }
        }
        if (next < 0) {
            if (used == 0) return 1;
            next = stack[--used];
        }
        pair = next;
    }
}

/// Half the surface of a box: what queries pay for it, up to a factor.
static inline float ts_box_tree_half_surface(const float b[6]) {
    float x = -b[3] - b[0], y = -b[4] - b[1], z = -b[5] - b[2];
    return x * y + y * z + z * x;
}

/// Room for `pairs` pairs and items below `items`. Returns 0 when memory is short.
int ts_box_tree_reserve(ts_box_tree* tree, int pairs, int items);

/// Scratch of the tree, `bytes` of it; NULL when memory is short. What was there is lost.
void* ts_box_tree_scratch(ts_box_tree* tree, size_t bytes);

/// Builds from leaves with valid bounds and distinct items; reorders them. Returns 0 when memory is short (the tree is
/// then empty).
int ts_box_tree_build_leaves(ts_box_tree* tree, ts_box_tree_leaf* leaf, int count, ts_task_pool* pool);

/// Adds a leaf with valid bounds. Returns 0 when memory is short.
int ts_box_tree_insert_bounds(ts_box_tree* tree, int item, const float bound[6]);

/// Replaces the bounds of an item of the tree and those of the nodes above.
void ts_box_tree_move_bounds(ts_box_tree* tree, int item, const float bound[6]);

#endif
