// The broad phase with a memory: boxes remembered from update to update.
//
// Problem: all overlapping pairs of n boxes, again and again, while most of them move a little.
// Rule: every box is kept a little larger than it is ("fat": an eighth of its extent, at most 5 cm, and some updates'
// worth of its last motion), in one of two trees: boxes that never changed, and the others. While a box stays inside
// its fat box nothing happens to it. One that leaves it gets a new fat box and looks for neighbours
// (broad_phase_pairs.c); the pairs of fat boxes are kept, and an update gives those of them whose true boxes overlap. A
// tree that motion has made much worse than it was (sum of surfaces) is built anew (box_tree_build.c).
// When a third of the boxes has left at once, as in the first update or when everything flies, what is kept would not
// live: sorting and sweeping (sweep.c) answers directly, and once things calm down gives the pairs of all fat boxes to
// start from. Should that take too many comparisons, which large boxes among small ones can bring about, the trees are
// asked for all boxes instead; so are they with more than a few workers, because they alone share the work.
// Boxes without finite ends, such as a ground plane's, or farther out than single precision reaches, are compared with
// everything. Boxes with a NaN, which would silently spoil a tree because every comparison with it is false, are
// refused. A handful of boxes is not worth a tree (broad_phase_few.c).
// Guaranteed: exactly the pairs whose closed boxes meet and whose groups and masks allow it, ascending: a function of
// the boxes alone. Where boxes are fat and how trees look depends on the past; what is given does not.
// Cost: linear in boxes and pairs kept, plus log n for each box that left. Memory: linear in both.
// Known limits: a scene 10^7 times larger than its boxes makes fat boxes of the size of single precision's grid; many
// boxes without ends cost their number times n.
#include "collision/broad/broad_phase.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collision/broad/broad_phase_internal.h"

// A tree whose nodes have this many times the surface they had is built anew, once changes have paid for it.
static const double DECAY = 1.3;

// A scene this many times its own size away from the origin of the trees gets a new origin.
static const float FAR_OFF = 64.0f;

// A fat box reaches ahead by at most this part of the box's extent: beyond, false pairs cost more than staying inside
// saves.
static const float AHEAD_LIMIT = 0.25f;

enum {
    STORM_LEAST = 128,  // fewer boxes that left are never many
    SWEEP_WORKERS = 4   // more workers are faster with the trees than one is with sorting and sweeping
};

ts_broad_phase_settings ts_broad_phase_settings_default(void) {
    ts_broad_phase_settings settings = {0.125, 0.05, 8.0, 0, NULL, NULL};
    return settings;
}

ts_broad_phase* ts_broad_phase_create(void) { return (ts_broad_phase*)calloc(1, sizeof(ts_broad_phase)); }

void ts_broad_phase_destroy(ts_broad_phase* broad) {
    if (!broad) return;
    ts_box_tree_free(&broad->tree[0]);
    ts_box_tree_free(&broad->tree[1]);
    free(broad->tight);
    free(broad->fat);
    free(broad->owner);
    free(broad->state);
    free(broad->wanted);
    free(broad->moved);
    free(broad->list);
    free(broad->kept_note);
    free(broad->kept.key);
    free(broad->outside.key);
    free(broad);
}

static size_t memory_of_tree(const ts_box_tree* tree) {
    return (size_t)tree->pair_capacity * sizeof *tree->pair + (size_t)tree->place_capacity * sizeof *tree->place +
           tree->scratch_bytes;
}

size_t ts_broad_phase_memory(const ts_broad_phase* broad) {
    size_t of_box = sizeof *broad->tight + sizeof *broad->fat + sizeof *broad->owner + sizeof *broad->state +
                    sizeof *broad->wanted + sizeof *broad->moved + sizeof *broad->list;
    size_t bytes = sizeof *broad + (size_t)broad->capacity * of_box;
    for (int i = 0; i < 2; ++i) bytes += memory_of_tree(&broad->tree[i]);
    bytes += (size_t)broad->kept.capacity * (sizeof *broad->kept.key + 1);
    return bytes + (size_t)broad->outside.capacity * sizeof *broad->outside.key;
}

void ts_broad_phase_clear(ts_broad_phase* broad) {
    ts_box_tree_clear(&broad->tree[0]);
    ts_box_tree_clear(&broad->tree[1]);
    broad->count = broad->seen = broad->stale = 0;
    broad->kept.count = 0;
    memset(&broad->few, 0, sizeof broad->few);
}

// Grows one of the arrays by box; `capacity` is that of all of them.
static int grow(void** data, int capacity, size_t size, int wanted) {
    return ts_array_grow(data, &capacity, size, wanted);
}

static int reserve(ts_broad_phase* broad, int count) {
    if (count <= broad->capacity) return 1;
    void* data[7] = {broad->tight, broad->fat, broad->owner, broad->state, broad->wanted, broad->moved, broad->list};
    const size_t size[7] = {sizeof(ts_box4), sizeof(ts_box4), sizeof(ts_box_owner), 1, 1, 1, sizeof(int)};
    int wanted = count > broad->capacity + broad->capacity / 2 ? count : broad->capacity + broad->capacity / 2, ok = 1;
    for (int i = 0; i < 7 && ok; ++i) ok = grow(&data[i], broad->capacity, size[i], wanted);
    broad->tight = (ts_box4*)data[0];
    broad->fat = (ts_box4*)data[1];
    broad->owner = (ts_box_owner*)data[2];
    broad->state = (unsigned char*)data[3];
    broad->wanted = (unsigned char*)data[4];
    broad->moved = (unsigned char*)data[5];
    broad->list = (int*)data[6];
    if (ok) broad->capacity = wanted;
    // What moves, and lists, get room for what is usual at once, so that a box that starts to move, or a pair more than
    // before, does not need the heap later. A box that has moved is never still again: that tree needs no room for who is not in it (`update`).
    if (ok) ok = ts_box_tree_reserve(&broad->tree[1], wanted + 2, wanted);
    int usual = wanted < INT_MAX / 16 ? 4 * wanted : wanted;
    return ok && ts_pairs_reserve(broad, usual);
}

// The middle of all boxes that have ends becomes the origin of the trees.
static void choose_origin(ts_broad_phase* broad, const ts_bounds* bounds, int count) {
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (double)INFINITY;
        high[k] = -(double)INFINITY;
        for (int i = 0; i < count; ++i) {
            double a = ts_vec3_get(bounds[i].min, k), b = ts_vec3_get(bounds[i].max, k);
            if (!(a <= b) || !(fabs(a) <= TS_BOX_TREE_REACH) || !(fabs(b) <= TS_BOX_TREE_REACH)) continue;
            low[k] = a < low[k] ? a : low[k];
            high[k] = b > high[k] ? b : high[k];
        }
        if (!(low[k] <= high[k])) low[k] = high[k] = 0.0;
    }
    broad->origin = ts_vec3_make(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
    broad->tree[0].origin = broad->tree[1].origin = broad->origin;
}

typedef struct refresher {
    ts_broad_phase* broad;
    const ts_bounds* bounds;
    const ts_broad_phase_settings* settings;
} refresher;

// The fat box of one that moves, given where it was.
static void fatten(const ts_broad_phase_settings* settings, const ts_box4* was, const ts_box4* is, ts_box4* out_fat) {
    float extent = 0.0f, motion = 0.0f;
    for (int k = 0; k < 3; ++k) {
        float size = -is->minus_high[k] - is->low[k];
        float low = fabsf(is->low[k] - was->low[k]), high = fabsf(is->minus_high[k] - was->minus_high[k]);
        extent = size > extent ? size : extent;
        motion = low > motion ? low : motion;
        motion = high > motion ? high : motion;
    }
    float margin = (float)settings->margin_relative * extent;
    if (margin > (float)settings->margin_limit) margin = (float)settings->margin_limit;
    // Motion farther than the box is large foretells nothing: it was put there.
    float ahead = motion <= extent ? (float)settings->prediction : 0.0f;
    for (int k = 0; k < 3; ++k) {
        float low = ahead * (is->low[k] - was->low[k]), high = ahead * (is->minus_high[k] - was->minus_high[k]);
        if (low < -AHEAD_LIMIT * extent) low = -AHEAD_LIMIT * extent;
        if (high < -AHEAD_LIMIT * extent) high = -AHEAD_LIMIT * extent;
        out_fat->low[k] = is->low[k] - margin + (low < 0.0f ? low : 0.0f);
        out_fat->minus_high[k] = is->minus_high[k] - margin + (high < 0.0f ? high : 0.0f);
    }
    out_fat->low[3] = out_fat->minus_high[3] = is->low[3];
}

// Looks at boxes [begin, end): what they are now, and whether they left their fat boxes.
static void refresh_range(void* context, int begin, int end, int worker) {
    const refresher* work = (const refresher*)context;
    ts_broad_phase* broad = work->broad;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const ts_bounds* b = &work->bounds[i];
        ts_box_owner* owner = &broad->owner[i];
        ts_box_state was = (ts_box_state)broad->state[i], wanted = was;
        ts_box4 tight;
        int moved = (owner->group != b->group) | (owner->category != b->category) | (owner->mask != b->mask);
        if (moved) {
            owner->group = b->group;
            owner->category = b->category;
            owner->mask = b->mask;
        }
        if (!ts_box4_from(b->min, b->max, broad->origin, &tight)) {
            wanted = ts_bounds_valid(b) ? TS_BOX_OUTSIDE : TS_BOX_ABSENT;
        } else if (was < TS_BOX_STILL) {
            wanted = TS_BOX_STILL;
            broad->tight[i] = broad->fat[i] = tight;
        } else if (was == TS_BOX_MOVING) {
            if (!ts_box4_inside(&tight, &broad->fat[i])) {
                moved = 1;
                fatten(work->settings, &broad->tight[i], &tight, &broad->fat[i]);
            }
            broad->tight[i] = tight;
            // Any change of a bit counts as motion. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
        } else if (memcmp(&tight, &broad->tight[i], sizeof tight) != 0) {
            wanted = TS_BOX_MOVING;
            fatten(work->settings, &broad->tight[i], &tight, &broad->fat[i]);
            broad->tight[i] = tight;
        }
        broad->wanted[i] = (unsigned char)wanted;
        broad->moved[i] = (unsigned char)(moved | (wanted != was));
    }
}

static void bounds_of(const ts_box4* box, float out[6]) {
    memcpy(out, box->low, 3 * sizeof(float));
    memcpy(out + 3, box->minus_high, 3 * sizeof(float));
}

// One tree from the fat boxes of all that are in the given state.
static int build_tree(const ts_pairs_job* job, ts_box_state state) {
    ts_broad_phase* broad = job->broad;
    ts_box_tree* tree = &broad->tree[state == TS_BOX_MOVING];
    int count = 0;
    ts_arena_scope scope = ts_arena_scope_begin(job->arena);
    ts_box_tree_leaf* leaf = TS_ARENA_ARRAY(job->arena, ts_box_tree_leaf, broad->count);
    if (!leaf) return 0;
    for (int i = 0; i < broad->count; ++i) {
        if (broad->state[i] != state) continue;
        bounds_of(&broad->fat[i], leaf[count].bound);
        leaf[count++].item = i;
    }
    int built = ts_box_tree_build_leaves(tree, leaf, count, job->pool);
    ts_arena_scope_end(job->arena, scope);
    return built;
}

// Nonzero when two boxes have nothing in common with their old nodes: the leaf needs a new place, not a larger parent.
static int jumped(const ts_box_tree* tree, int item, const float bound[6]) {
    const ts_box_tree_pair* pair = &tree->pair[tree->place[item] >> 1];
    int side = tree->place[item] & 1;
    for (int k = 0; k < 3; ++k)
        if (bound[k] > -pair->bound[k + 3][side] || pair->bound[k][side] > -bound[k + 3]) return 1;
    return 0;
}

// Brings the trees up to date with the boxes listed, one by one.
static int apply_changes(ts_broad_phase* broad, int listed) {
    for (int n = 0; n < listed; ++n) {
        int i = broad->list[n];
        ts_box_state was = (ts_box_state)broad->state[i], is = (ts_box_state)broad->wanted[i];
        ts_box_tree* tree = &broad->tree[is == TS_BOX_MOVING];
        float bound[6];
        broad->state[i] = (unsigned char)is;
        if (was >= TS_BOX_STILL && was != is) ts_box_tree_remove(&broad->tree[was == TS_BOX_MOVING], i);
        if (is < TS_BOX_STILL) continue;
        bounds_of(&broad->fat[i], bound);
        if (was == is && !jumped(tree, i, bound)) {
            ts_box_tree_move_bounds(tree, i, bound);
            continue;
        }
        if (was == is) ts_box_tree_remove(tree, i);
        if (!ts_box_tree_insert_bounds(tree, i, bound)) return 0;
    }
    return 1;
}

// Brings the trees up to date. Returns 0 when memory is short.
static int update_trees(const ts_pairs_job* job, int listed, int* out_rebuilt) {
    ts_broad_phase* broad = job->broad;
    int changed_state = 0, in_trees = broad->tree[0].item_count + broad->tree[1].item_count;
    for (int n = 0; n < listed; ++n) changed_state += broad->state[broad->list[n]] != broad->wanted[broad->list[n]];
    // Building costs about as much as this many insertions.
    if (changed_state > 16 && changed_state > in_trees / 16) {
        for (int n = 0; n < listed; ++n) broad->state[broad->list[n]] = broad->wanted[broad->list[n]];
        *out_rebuilt += 2;
        return build_tree(job, TS_BOX_STILL) && build_tree(job, TS_BOX_MOVING);
    }
    if (!apply_changes(broad, listed)) return 0;
    for (int t = 0; t < 2; ++t) {
        ts_box_tree* tree = &broad->tree[t];
        if (tree->changes <= tree->item_count / 2 || !(ts_box_tree_decay(tree) > DECAY)) continue;
        *out_rebuilt += 1;
        if (!build_tree(job, t ? TS_BOX_MOVING : TS_BOX_STILL)) return 0;
    }
    return 1;
}

// How large coordinates are, from the roots; and whether the origin is still a good one.
static int measure(ts_broad_phase* broad) {
    float reach = 0.0f, centre = 0.0f, extent = 0.0f;
    for (int t = 0; t < 2; ++t) {
        if (broad->tree[t].item_count == 0) continue;
        const ts_box_tree_pair* root = &broad->tree[t].pair[0];
        for (int k = 0; k < 3; ++k) {
            float low = root->bound[k][0], high = -root->bound[k + 3][0];
            reach = fmaxf(reach, fmaxf(fabsf(low), fabsf(high)));
            centre = fmaxf(centre, fabsf(0.5f * low + 0.5f * high));
            extent = fmaxf(extent, high - low);
        }
    }
    broad->slack = reach * 0x1p-18f + 8.0f * FLT_MIN;
    return centre <= FAR_OFF * extent;
}

// The boxes that moved, by index, or when they are many in the order of the trees: neighbours then ask one after
// another.
static int list_moved(ts_broad_phase* broad) {
    int listed = 0;
    for (int i = 0; i < broad->count; ++i) {
        broad->list[listed] = i;
        listed += broad->moved[i];
    }
    return listed;
}

static void order_by_tree(ts_broad_phase* broad, int listed) {
    int made = 0;
    if (listed < 1024 || listed < broad->count / 16) return;
    for (int t = 0; t < 2; ++t) {
        const ts_box_tree* tree = &broad->tree[t];
        for (int p = 0; p < tree->pair_count; ++p)
            for (int side = 0; side < 2; ++side) {
                int child = tree->pair[p].child[side];
                if (child < 0 && child != TS_BOX_TREE_NOTHING && broad->moved[~child]) broad->list[made++] = ~child;
            }
    }
    // Those in no tree have nothing to look for.
    for (int i = 0; made < listed && i < broad->count; ++i)
        if (broad->moved[i] && broad->state[i] < TS_BOX_STILL) broad->list[made++] = i;
}

// Takes in the boxes; broad->list gets those that moved. Returns 0 when memory is short.
static int take_in(const ts_pairs_job* job, int count, int* out_listed) {
    ts_broad_phase* broad = job->broad;
    if (!reserve(broad, count > broad->count ? count : broad->count)) return 0;
    if (broad->count == 0) choose_origin(broad, job->bounds, count);
    for (int i = broad->count; i < count; ++i) {
        broad->state[i] = TS_BOX_ABSENT;
        broad->owner[i] = (ts_box_owner){0, 0, 0};
    }
    refresher work = {broad, job->bounds, job->settings};
    ts_task_parallel_for(job->pool, count, 1024, refresh_range, &work);
    // Boxes that are no more leave as refused ones do.
    for (int i = count; i < broad->count; ++i) {
        broad->wanted[i] = TS_BOX_ABSENT;
        broad->moved[i] = 1;
    }
    if (count > broad->count) broad->count = count;
    *out_listed = list_moved(broad);
    return 1;
}

static void fill_info(const ts_broad_phase* broad, int count, int listed, ts_broad_phase_info* info) {
    for (int i = 0; i < count; ++i) {
        info->invalid += broad->state[i] == TS_BOX_ABSENT;
        info->outside += broad->state[i] == TS_BOX_OUTSIDE;
        info->still += broad->state[i] == TS_BOX_STILL;
        info->moving += broad->state[i] == TS_BOX_MOVING;
    }
    info->moved = listed;
}

// The pairs of boxes that are in no tree.
static ts_code find_outside(const ts_pairs_job* job, int count, long long limit, ts_broad_phase_info* info) {
    int found = 0, *list = TS_ARENA_ARRAY(job->arena, int, info->outside);
    if (!list) return TS_ERROR_MEMORY;
    for (int i = 0; i < count; ++i)
        if (job->broad->state[i] == TS_BOX_OUTSIDE) list[found++] = i;
    return ts_pairs_find_outside(job, list, found, limit, &info->limit_reached);
}

// Most boxes left their fat boxes: what is kept would not live. Sorting and sweeping answers, and the trees wait.
static ts_code storm(const ts_pairs_job* job, int count, long long limit, ts_pair_list* out_pairs,
                     ts_broad_phase_info* info, ts_sweep_end* out_end) {
    ts_broad_phase* broad = job->broad;
    ts_code code = ts_pairs_sweep_true(job, count, limit, out_pairs, out_end);
    if (code) return code;
    info->candidates = out_pairs->count;
    info->swept = 1;
    broad->kept.count = 0;
    broad->stale = 1;
    broad->count = count;
    return TS_OK;
}

// Trees and kept pairs from the fat boxes of all; broad->list is then that of all boxes if the trees have to be asked.
static ts_code start_afresh(const ts_pairs_job* job, long long limit, int* listed, ts_broad_phase_info* info) {
    ts_broad_phase* broad = job->broad;
    ts_sweep_end end = TS_SWEEP_GAVE_UP;
    ts_code code = TS_OK;
    broad->kept.count = 0;
    info->rebuilt += 2;
    if (!build_tree(job, TS_BOX_STILL) || !build_tree(job, TS_BOX_MOVING)) return TS_ERROR_MEMORY;
    broad->stale = 0;
    *listed = 0;
    if (ts_task_pool_workers(job->pool) <= SWEEP_WORKERS) code = ts_pairs_sweep_fat(job, limit, &end);
    if (end == TS_SWEEP_LIMIT) info->limit_reached = 1;
    if (end != TS_SWEEP_GAVE_UP) return code;
    for (int i = 0; i < broad->count; ++i) {
        broad->list[(*listed)++] = i;
        broad->moved[i] = 1;
    }
    return TS_OK;
}

static ts_code update(const ts_pairs_job* job, int count, ts_pair_list* out_pairs, ts_broad_phase_info* info) {
    ts_broad_phase* broad = job->broad;
    long long limit = job->settings->pair_limit;
    if (limit <= 0) limit = ts_broad_phase_pair_limit(count);
    int listed = 0;
    ts_code code = TS_OK;
    if (!take_in(job, count, &listed)) return TS_ERROR_MEMORY;
    int many = listed >= STORM_LEAST && listed > broad->count / 3;
    if (many || broad->stale) {
        for (int n = 0; n < listed; ++n) broad->state[broad->list[n]] = broad->wanted[broad->list[n]];
        fill_info(broad, count, listed, info);
        // Who is still is known when boxes are seen for the second time.
        if (broad->seen > 0 && info->still > 0 && !ts_box_tree_reserve(&broad->tree[0], info->still + 2, count))
            return TS_ERROR_MEMORY;
        if (many && ts_task_pool_workers(job->pool) <= SWEEP_WORKERS) {
            ts_sweep_end end = TS_SWEEP_DONE;
            ts_arena_scope scope = ts_arena_scope_begin(job->arena);
            code = storm(job, count, limit, out_pairs, info, &end);
            info->limit_reached = end == TS_SWEEP_LIMIT;
            if (end != TS_SWEEP_GAVE_UP) return code;
            ts_arena_scope_end(job->arena, scope);
        }
        code = start_afresh(job, limit, &listed, info);
    } else {
        if (!update_trees(job, listed, &info->rebuilt)) return TS_ERROR_MEMORY;
        fill_info(broad, count, listed, info);
    }
    int near = measure(broad);
    broad->fresh.count = 0;
    broad->outside.count = 0;
    if (!code && listed > 0) {
        order_by_tree(broad, listed);
        code = ts_pairs_find_fresh(job, listed, limit, &info->limit_reached);
    }
    if (!code && info->outside > 0) code = find_outside(job, count, limit, info);
    if (!code) code = ts_pairs_merge(job, listed, out_pairs);
    if (code) return code;
    ts_pairs_add_outside(broad, out_pairs);
    info->candidates = broad->kept.count + broad->outside.count;
    if (info->candidates > limit) {
        info->limit_reached = 1;
        return TS_ERROR_MEMORY;
    }
    broad->count = count;
    if (!near) ts_broad_phase_clear(broad);
    return TS_OK;
}

ts_code ts_broad_phase_update(ts_broad_phase* broad, const ts_bounds* bounds, int count,
                              const ts_broad_phase_settings* settings, ts_task_pool* pool, ts_arena* arena,
                              ts_pair_list* out_pairs, ts_broad_phase_info* out_info) {
    ts_broad_phase_info info;
    ts_broad_phase_settings defaults = ts_broad_phase_settings_default();
    ts_pairs_job job = {broad, bounds, settings ? settings : &defaults, pool, arena};
    ts_code code = TS_OK;
    memset(&info, 0, sizeof info);
    ts_pair_list_clear(out_pairs);
    if (count <= TS_BROAD_PHASE_FEW) {
        if (broad->count > 0) ts_broad_phase_clear(broad);
        code = ts_pairs_few(&job, count, out_pairs, &info);
    } else if (count > TS_BOX_TREE_ITEMS_MAX) {
        code = TS_ERROR_MEMORY;
    } else {
        code = update(&job, count, out_pairs, &info);
        if (code) {
            ts_broad_phase_clear(broad);
            ts_pair_list_clear(out_pairs);
        }
    }
    broad->seen = code ? 0 : count;
    info.pairs = out_pairs->count;
    if (out_info) *out_info = info;
    return code;
}
