// What the files of the broad phase share.
#ifndef TS_COLLISION_BROAD_PHASE_INTERNAL_H
#define TS_COLLISION_BROAD_PHASE_INTERNAL_H

#include <stdint.h>

#include "collision/broad/broad_phase.h"
#include "collision/broad/box_tree_walk_internal.h"

/// Where a box is kept.
typedef enum ts_box_state {
    TS_BOX_ABSENT,   // refused, or not there
    TS_BOX_OUTSIDE,  // valid, but without finite ends
    TS_BOX_STILL,    // in tree[0]
    TS_BOX_MOVING    // in tree[1]
} ts_box_state;

/// Who may pair with whom.
typedef struct ts_box_owner {
    int group;
    unsigned category;
    unsigned mask;
} ts_box_owner;

/// Up to this many boxes no tree is kept.
enum { TS_BROAD_PHASE_FEW = 64 };

/// Pairs as numbers that sort as they should: first << 32 | second.
typedef struct ts_key_list {
    uint64_t* key;
    int count;
    int capacity;
} ts_key_list;

/// What is remembered of a few boxes (broad_phase_few.c). Sets of boxes are bits.
typedef struct ts_few_boxes {
    int count;      // 0: nothing is remembered
    int updates;    // so far
    uint64_t left;  // that the last update found outside of where they were kept
    uint64_t refused;
    int candidates;                        // pairs whose kept boxes meet
    ts_bounds kept[TS_BROAD_PHASE_FEW];    // a little larger than the boxes were when last they left
    ts_bounds placed[TS_BROAD_PHASE_FEW];  // the boxes then
    int placed_at[TS_BROAD_PHASE_FEW];     // the update then
    double low[3][TS_BROAD_PHASE_FEW];     // ends of the kept boxes, side by side; those of refused ones meet nothing
    double high[3][TS_BROAD_PHASE_FEW];
    uint64_t may[TS_BROAD_PHASE_FEW];                             // who may pair with each, whatever their boxes are
    uint64_t near[TS_BROAD_PHASE_FEW];                            // who of them meets its kept box
    unsigned char note[TS_BROAD_PHASE_FEW * TS_BROAD_PHASE_FEW];  // by first, then second
} ts_few_boxes;

struct ts_broad_phase {
    ts_box_tree tree[2];  // still, moving; their items are indices of boxes
    int count;            // boxes; 0 also when nothing is remembered
    int stale;            // the kept pairs and the trees are not those of the fat boxes
    int seen;             // boxes of the last update, those of a small one included
    int capacity;
    ts_box4* tight;            // (count) as they are, from `origin`
    ts_box4* fat;              // (count) as they are kept in the trees
    ts_box_owner* owner;       // (count)
    unsigned char* state;      // (count) ts_box_state
    unsigned char* wanted;     // (count) the state this update found
    unsigned char* moved;      // (count) left its fat box, came or went
    int* list;                 // (count) boxes that moved
    ts_vec3 origin;            // m
    float slack;               // m, above what rounding does to sums of two coordinates
    ts_key_list kept;          // pairs whose fat boxes overlap, ascending
    unsigned char* kept_note;  // a byte for each
    ts_key_list fresh;         // pairs found by the boxes that moved; in the arena of the update
    ts_key_list outside;       // pairs of boxes that are in no tree
    ts_few_boxes few;          // while boxes are few
};

/// Nonzero when the groups and masks of two boxes let them pair.
static inline int ts_box_owner_may_pair(const ts_box_owner* a, const ts_box_owner* b) {
    return (a->group != b->group) & (((a->category & b->mask) | (b->category & a->mask)) != 0);
}

/// The same of two bounds.
static inline int ts_bounds_may_pair(const ts_bounds* a, const ts_bounds* b) {
    return (a->group != b->group) & (((a->category & b->mask) | (b->category & a->mask)) != 0);
}

/// The key of a pair.
static inline uint64_t ts_key_of(int i, int j) {
    return i < j ? (uint64_t)(uint32_t)i << 32 | (uint32_t)j : (uint64_t)(uint32_t)j << 32 | (uint32_t)i;
}

/// Nonzero when the closed boxes meet; a NaN meets nothing.
static inline int ts_bounds_meet(const ts_bounds* a, const ts_bounds* b) {
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) & (b->min.y <= a->max.y) &
           (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

/// Nonzero when every end is a number and in order.
static inline int ts_bounds_valid(const ts_bounds* b) {
    return (b->min.x <= b->max.x) & (b->min.y <= b->max.y) & (b->min.z <= b->max.z);
}

/// Room for `wanted` keys; what was there stays. Returns 0 when memory is short.
int ts_key_list_reserve(ts_key_list* list, int wanted);

/// Sorts keys whose halves are below `count`, with scratch of the arena. Returns 0 when memory is short.
int ts_key_list_sort(ts_key_list* list, ts_arena* arena, int count);

/// No pairs.
static inline void ts_pair_list_clear(ts_pair_list* list) {
    list->pair = 0;
    list->count = 0;
}

/// How sorting and sweeping ended.
typedef enum ts_sweep_end {
    TS_SWEEP_DONE,
    TS_SWEEP_LIMIT,   // too many pairs
    TS_SWEEP_GAVE_UP  // too many comparisons: large boxes among small ones, which a tree takes better
} ts_sweep_end;

/// ts_broad_phase_pairs with at most `limit` pairs and `work` comparisons; *out_end says what TS_ERROR_MEMORY means.
ts_code ts_sweep_pairs_within(const ts_bounds* bounds, int count, long long limit, long long work, ts_arena* arena,
                              ts_pair_list* out_pairs, int* out_invalid, ts_sweep_end* out_end);

/// Room for `count` kept pairs. Returns 0 when memory is short.
int ts_pairs_reserve(ts_broad_phase* broad, int count);

/// What turns candidates into pairs.
typedef struct ts_pairs_job {
    ts_broad_phase* broad;
    const ts_bounds* bounds;
    const ts_broad_phase_settings* settings;
    ts_task_pool* pool;
    ts_arena* arena;
} ts_pairs_job;

/// All pairs of at most TS_BROAD_PHASE_FEW boxes, filtered.
ts_code ts_pairs_few(const ts_pairs_job* job, int count, ts_pair_list* out_pairs, ts_broad_phase_info* info);

/// The fresh pairs of the boxes in broad->list, sorted, into broad->fresh.
ts_code ts_pairs_find_fresh(const ts_pairs_job* job, int listed, long long limit, int* out_limit_reached);

/// All pairs of fat boxes into broad->kept by sorting and sweeping, or TS_SWEEP_GAVE_UP.
ts_code ts_pairs_sweep_fat(const ts_pairs_job* job, long long limit, ts_sweep_end* out_end);

/// All pairs of true boxes by sorting and sweeping, filtered; nothing is kept. Or TS_SWEEP_GAVE_UP.
ts_code ts_pairs_sweep_true(const ts_pairs_job* job, int count, long long limit, ts_pair_list* out_pairs,
                            ts_sweep_end* out_end);

/// Drops kept pairs of boxes that moved, merges the fresh ones in, and writes those that truly overlap to the arena.
ts_code ts_pairs_merge(const ts_pairs_job* job, int moved, ts_pair_list* out_pairs);

/// The pairs of the boxes in `list`, which are in no tree, with all others, sorted, into broad->outside.
ts_code ts_pairs_find_outside(const ts_pairs_job* job, const int* list, int listed, long long limit,
                              int* out_limit_reached);

/// Merges broad->outside into the pairs of ts_pairs_merge, which left room for them.
void ts_pairs_add_outside(const ts_broad_phase* broad, ts_pair_list* io_pairs);

#endif
