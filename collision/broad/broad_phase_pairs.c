// From boxes that moved to pairs: finding, sorting, merging, looking closely.
//
// Problem: keep the set of pairs of fat boxes right when some boxes have moved, and give those whose true boxes
// overlap, in ascending order, in time linear in the pairs, on all workers, with the same answer for any number of
// them.
// Rule: the set is one sorted array of keys. Every pair of a box that moved is dropped and found again by asking the
// trees for the neighbours of that box; fresh keys are sorted by radix, and both arrays merged. A pair of two boxes
// that both moved is found by the earlier of them only: within a tree, whichever comes first in it; across trees, the
// one of lower index. Workers put keys wherever they find room: sorting makes the order theirs no more.
// The merge is cut into pieces at positions of the longer array; the first pass counts what each keeps, the second
// writes to the place that follows. Pairs of true boxes are decided in single precision where that can tell, else with
// the caller's own numbers, so the answer is exact.
// Guaranteed: all pairs, once each. Known failure: none; the price of a crowd is in the pairs themselves.
#include <stdatomic.h>
#include <string.h>

#include "base/array.h"
#include "collision/broad/broad_phase_internal.h"

enum {
    BLOCK = 256,      // keys a worker takes at a time
    GRAIN = 128,      // boxes that look for neighbours at a time
    PIECE = 512,      // keys merged at a time
    DIGIT = 11,       // bits sorted at a time
    FEW_KEYS = 48,    // fewer are sorted by insertion
    AHEAD = 16,       // keys whose boxes are on their way from memory
    SWEEP_WORK = 256  // comparisons per box after which sorting and sweeping gives up
};

static const uint64_t NO_KEY = UINT64_MAX;

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

int ts_key_list_reserve(ts_key_list* list, int wanted) {
    void* key = list->key;
    int grown = ts_array_grow(&key, &list->capacity, sizeof(uint64_t), wanted);
    list->key = (uint64_t*)key;
    return grown;
}

static int bits_below(int count) {
    int bits = 1;
    while (bits < 31 && 1 << bits < count) ++bits;
    return bits;
}

static void sort_digit(const uint64_t* from, uint64_t* to, int count, int shift, int bits) {
    int start[1 << DIGIT] = {0}, sum = 0;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (int i = 0; i < count; ++i) ++start[from[i] >> shift & mask];
    for (int k = 0; k < 1 << bits; ++k) {
        int here = start[k];
        start[k] = sum;
        sum += here;
    }
    for (int i = 0; i < count; ++i) to[start[from[i] >> shift & mask]++] = from[i];
}

int ts_key_list_sort(ts_key_list* list, ts_arena* arena, int count) {
    if (list->count < FEW_KEYS) {
        for (int i = 1; i < list->count; ++i) {
            uint64_t moved = list->key[i];
            int k = i;
            for (; k > 0 && list->key[k - 1] > moved; --k) list->key[k] = list->key[k - 1];
            list->key[k] = moved;
        }
        return 1;
    }
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    uint64_t *from = list->key, *to = TS_ARENA_ARRAY(arena, uint64_t, list->count);
    if (!to) return 0;
    int bits = bits_below(count);
    // As many passes over either half: the last one ends where the first began.
    for (int half = 0; half < 64; half += 32)
        for (int done = 0; done < bits; done += DIGIT) {
            int take = bits - done < DIGIT ? bits - done : DIGIT;
            uint64_t* swap = from;
            sort_digit(from, to, list->count, half + done, take);
            from = to;
            to = swap;
        }
    ts_arena_scope_end(arena, scope);
    return 1;
}

// Where a worker's next keys go.
typedef struct sink {
    uint64_t* at;
    uint64_t* end;
    long long dry;  // keys that are only counted, because there was no room for their block
    char padding[40];
} sink;

typedef struct finder {
    ts_broad_phase* broad;
    sink* sink;          // per worker
    atomic_llong taken;  // keys handed out in blocks, also beyond the room there is
    long long room;
    long long limit;
    int all_moved[2];  // every box of this tree is listed
} finder;

// A box that looks for neighbours.
typedef struct seeker {
    finder* find;
    sink* sink;
    int item;
    int which;  // 0: all neighbours, 1: those that did not move, 2: also those that moved and have a higher index
} seeker;

// The next block for a worker; 0 when there is no room, which ends the search.
static int next_block(finder* find, sink* s) {
    long long begin = atomic_fetch_add_explicit(&find->taken, BLOCK, memory_order_relaxed);
    if (begin + BLOCK > find->room) {
        s->at = s->end = NULL;
        s->dry = BLOCK;
        // Going on only counts how much room is needed, up to the limit.
        return begin <= find->limit;
    }
    s->at = find->broad->fresh.key + begin;
    s->end = s->at + BLOCK;
    return 1;
}

static inline int seek_visit(void* context, int other) {
    seeker* s = (seeker*)context;
    const ts_broad_phase* broad = s->find->broad;
    if (s->which && broad->moved[other] && (s->which == 1 || other < s->item)) return 1;
    if (other == s->item || !ts_box_owner_may_pair(&broad->owner[s->item], &broad->owner[other])) return 1;
    sink* to = s->sink;
    if (to->at == to->end && to->dry == 0 && !next_block(s->find, to)) return 0;
    if (to->dry > 0)
        --to->dry;
    else
        *to->at++ = ts_key_of(s->item, other);
    return 1;
}

// Neighbours in the box's own tree: from its leaf upwards, what lies to either side. Those to the right that moved look
// to their right only, so every pair of two that moved is found once.
static int seek_own(const ts_box_tree* tree, const ts_box_tree_query* q, seeker* s, int skip_left) {
    int node = tree->place[s->item];
    while (node >= 0) {
        const ts_box_tree_pair* pair = &tree->pair[node >> 1];
        int left = node & 1;
        if (!(left && skip_left) && ts_box_tree_meet(pair, q) >> (left ^ 1) & 1) {
            int child = pair->child[left ^ 1];
            s->which = left;
            if (child < 0) {
                if (!seek_visit(s, ~child)) return 0;
            } else if (!ts_box_tree_walk(tree, child, q, seek_visit, s)) {
                return 0;
            }
        }
        node = pair->parent;
    }
    return 1;
}

static void seek_range(void* context, int begin, int end, int worker) {
    finder* find = (finder*)context;
    const ts_broad_phase* broad = find->broad;
    for (int i = begin; i < end; ++i) {
        seeker s = {find, &find->sink[worker], broad->list[i], 0};
        ts_box_state state = (ts_box_state)broad->state[s.item];
        if (state < TS_BOX_STILL) continue;
        int own = state == TS_BOX_MOVING;
        const ts_box4* fat = &broad->fat[s.item];
        ts_box_tree_query q = ts_box_tree_query_from(fat->low, fat->minus_high);
        if (!seek_own(&broad->tree[own], &q, &s, find->all_moved[own])) return;
        s.which = 2;
        if (broad->tree[!own].item_count > 0 && !ts_box_tree_walk(&broad->tree[!own], 0, &q, seek_visit, &s)) return;
    }
}

ts_code ts_pairs_find_fresh(const ts_pairs_job* job, int listed, long long limit, int* out_limit_reached) {
    ts_broad_phase* broad = job->broad;
    int workers = ts_task_pool_workers(job->pool);
    finder find = {.broad = broad, .limit = limit};
    int in_tree[2] = {0, 0};
    broad->fresh.count = 0;
    for (int i = 0; i < listed; ++i)
        if (broad->state[broad->list[i]] >= TS_BOX_STILL) ++in_tree[broad->state[broad->list[i]] == TS_BOX_MOVING];
    for (int t = 0; t < 2; ++t) find.all_moved[t] = in_tree[t] == broad->tree[t].item_count;
    find.sink = TS_ARENA_ARRAY(job->arena, sink, workers);
    long long needed = 8LL * listed + (long long)BLOCK * workers;
    for (;;) {
        ts_arena_scope scope = ts_arena_scope_begin(job->arena);
        broad->fresh.key = needed <= INT_MAX ? TS_ARENA_ARRAY(job->arena, uint64_t, needed) : NULL;
        if (!find.sink || !broad->fresh.key) return TS_ERROR_MEMORY;
        find.room = needed;
        atomic_store(&find.taken, 0);
        memset(find.sink, 0, (size_t)workers * sizeof(sink));
        ts_task_parallel_for(job->pool, listed, GRAIN, seek_range, &find);
        needed = atomic_load(&find.taken);
        if (needed - (long long)BLOCK * workers > limit) {
            *out_limit_reached = 1;
            return TS_ERROR_MEMORY;
        }
        if (needed <= find.room) break;
        ts_arena_scope_end(job->arena, scope);
        // Every worker may leave a block begun.
        needed += (long long)BLOCK * workers;
    }
    int count = (int)needed, kept = 0;
    for (int w = 0; w < workers; ++w)
        for (uint64_t* at = find.sink[w].at; at < find.sink[w].end; ++at) *at = NO_KEY;
    // Only the blocks last begun have holes.
    for (int i = 0; i < count; ++i) {
        broad->fresh.key[kept] = broad->fresh.key[i];
        kept += broad->fresh.key[i] != NO_KEY;
    }
    broad->fresh.count = kept;
    return ts_key_list_sort(&broad->fresh, job->arena, broad->count) ? TS_OK : TS_ERROR_MEMORY;
}

// One piece of the merge.
typedef struct piece {
    int old;      // first kept key
    int fresh;    // first fresh key
    int target;   // first place in the merged array
    int overlap;  // pairs it gave
} piece;

typedef struct merger {
    const ts_pairs_job* job;
    piece* piece;         // (pieces + 1)
    uint64_t* key;        // where it merges, what is kept from now on
    unsigned char* note;  // likewise
    ts_pair* pairs;
    int merging;
    int alone;  // one worker, which takes the pieces in order and need not know beforehand what each keeps
} merger;

static int first_not_below(const uint64_t* key, int count, uint64_t wanted) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int survives(const ts_broad_phase* broad, uint64_t key) {
    return !(broad->moved[key >> 32] | broad->moved[(uint32_t)key]);
}

static void count_pieces(void* context, int begin, int end, int worker) {
    merger* merge = (merger*)context;
    const ts_broad_phase* broad = merge->job->broad;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        const piece* at = &merge->piece[p];
        int count = at[1].fresh - at[0].fresh;
        for (int i = at[0].old; i < at[1].old; ++i) count += survives(broad, broad->kept.key[i]);
        merge->piece[p].overlap = count;
    }
}

// Merges one piece; returns where the next begins. What survives lies in long runs, which are copied whole.
static int merge_piece(const merger* merge, const piece* at) {
    const ts_broad_phase* broad = merge->job->broad;
    const uint64_t *old = broad->kept.key, *fresh = broad->fresh.key;
    uint64_t* to = merge->key;
    unsigned char* note = merge->note;
    int i = at[0].old, j = at[0].fresh, k = at[0].target, end = at[1].old;
    for (;;) {
        int stop = j < at[1].fresh ? i + first_not_below(old + i, end - i, fresh[j]) : end;
        while (i < stop) {
            int run = i;
            while (i < stop && survives(broad, old[i])) ++i;
            memcpy(to + k, old + run, (size_t)(i - run) * sizeof *to);
            memcpy(note + k, broad->kept_note + run, (size_t)(i - run));
            k += i - run;
            while (i < stop && !survives(broad, old[i])) ++i;
        }
        if (j == at[1].fresh) return k;
        note[k] = 0;
        to[k++] = fresh[j++];
    }
}

// Writes the pairs of keys [begin, end) that overlap; returns how many.
static int look_closely(const merger* merge, const uint64_t* key, unsigned char* note, int begin, int end,
                        ts_pair* out) {
    const ts_pairs_job* job = merge->job;
    const ts_box4* tight = job->broad->tight;
    float slack = job->broad->slack;
    ts_broad_phase_filter filter = job->settings->filter;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        int a = (int)(key[i] >> 32), b = (int)(uint32_t)key[i];
        if (i + AHEAD < end) PREFETCH(&tight[(uint32_t)key[i + AHEAD]]);
        int meet = ts_box4_meet(&tight[a], &tight[b], slack);
        if (meet == 2) meet = ts_bounds_meet(&job->bounds[a], &job->bounds[b]);
        if (filter && meet) meet = filter(job->settings->filter_context, a, b, &note[i]) != 0;
        out[count].first = a;
        out[count].second = b;
        count += meet;
    }
    return count;
}

static void merge_pieces(void* context, int begin, int end, int worker) {
    merger* merge = (merger*)context;
    const ts_broad_phase* broad = merge->job->broad;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        piece* at = &merge->piece[p];
        const uint64_t* key = merge->merging ? merge->key : broad->kept.key;
        unsigned char* note = merge->merging ? merge->note : broad->kept_note;
        if (merge->merging) {
            int next = merge_piece(merge, at);
            if (merge->alone) at[1].target = next;
        }
        at->overlap = look_closely(merge, key, note, at[0].target, at[1].target, merge->pairs + at[0].target);
    }
}

// Cuts the longer array into equal parts, and the shorter one at the same keys.
static void cut(const ts_broad_phase* broad, piece* p, int pieces) {
    int by_old = broad->kept.count >= broad->fresh.count;
    const ts_key_list* longer = by_old ? &broad->kept : &broad->fresh;
    const ts_key_list* shorter = by_old ? &broad->fresh : &broad->kept;
    for (int i = 0; i <= pieces; ++i) {
        int at = i * PIECE < longer->count ? i * PIECE : longer->count;
        int other = shorter->count;
        if (i == 0) other = 0;
        if (i > 0 && at < longer->count) other = first_not_below(shorter->key, shorter->count, longer->key[at]);
        p[i].old = by_old ? at : other;
        p[i].fresh = by_old ? other : at;
        p[i].target = at;
        p[i].overlap = 0;
    }
}

// Room for `count` keys and their notes; what was there stays. Returns 0 when memory is short.
static int reserve_noted(ts_key_list* list, unsigned char** note, int count) {
    void* data = *note;
    void* key = list->key;
    int before = list->capacity, capacity = before;
    int grown = ts_array_grow_little(&key, &list->capacity, sizeof(uint64_t), count);
    list->key = (uint64_t*)key;
    if (!grown) return 0;
    if (list->capacity == before) return 1;
    if (!ts_array_grow(&data, &capacity, 1, list->capacity)) {
        list->capacity = before;
        return 0;
    }
    *note = (unsigned char*)data;
    return 1;
}

int ts_pairs_reserve(ts_broad_phase* broad, int count) { return reserve_noted(&broad->kept, &broad->kept_note, count); }

ts_code ts_pairs_merge(const ts_pairs_job* job, int moved, ts_pair_list* out_pairs) {
    ts_broad_phase* broad = job->broad;
    int longer = broad->kept.count > broad->fresh.count ? broad->kept.count : broad->fresh.count;
    int pieces = longer / PIECE + 1;
    merger merge = {.job = job, .merging = moved > 0, .alone = ts_task_pool_workers(job->pool) == 1};
    merge.piece = TS_ARENA_ARRAY(job->arena, piece, pieces + 1);
    if (!merge.piece) return TS_ERROR_MEMORY;
    if (!merge.merging) broad->fresh.count = 0;
    cut(broad, merge.piece, pieces);
    int total = broad->kept.count;
    if (merge.merging && merge.alone) {
        merge.piece[0].target = 0;
        total += broad->fresh.count;  // at most
    } else if (merge.merging) {
        ts_task_parallel_for(job->pool, pieces, 1, count_pieces, &merge);
        total = 0;
        for (int p = 0; p <= pieces; ++p) {
            merge.piece[p].target = total;
            if (p < pieces) total += merge.piece[p].overlap;
        }
    }
    merge.pairs = TS_ARENA_ARRAY(job->arena, ts_pair, total + broad->outside.count);
    if (!merge.pairs) return TS_ERROR_MEMORY;
    ts_arena_scope scope = ts_arena_scope_begin(job->arena);
    if (merge.merging) {
        merge.key = TS_ARENA_ARRAY(job->arena, uint64_t, total);
        merge.note = TS_ARENA_ARRAY(job->arena, unsigned char, total);
        if (!merge.key || !merge.note) return TS_ERROR_MEMORY;
    }
    ts_task_parallel_for(job->pool, pieces, 1, merge_pieces, &merge);
    int count = 0;
    for (int p = 0; p < pieces; ++p) {
        const piece* at = &merge.piece[p];
        if (count != at->target && at->overlap > 0)
            memmove(merge.pairs + count, merge.pairs + at->target, (size_t)at->overlap * sizeof(ts_pair));
        count += at->overlap;
    }
    if (merge.merging) {
        int kept = merge.piece[pieces].target;
        if (!ts_pairs_reserve(broad, kept)) return TS_ERROR_MEMORY;
        if (kept > 0) memcpy(broad->kept.key, merge.key, (size_t)kept * sizeof *merge.key);
        if (kept > 0) memcpy(broad->kept_note, merge.note, (size_t)kept);
        broad->kept.count = kept;
    }
    ts_arena_scope_end(job->arena, scope);
    out_pairs->pair = merge.pairs;
    out_pairs->count = count;
    return TS_OK;
}

// Both ascend; merged from behind, so that everything is moved once.
static void merge_behind(ts_pair* pairs, int* count, const uint64_t* extra, int extra_count) {
    int i = *count - 1, j = extra_count - 1, k = *count + extra_count - 1;
    *count = k + 1;
    while (j >= 0) {
        uint64_t key = extra[j];
        while (i >= 0 && ts_key_of(pairs[i].first, pairs[i].second) > key) pairs[k--] = pairs[i--];
        pairs[k].first = (int)(key >> 32);
        pairs[k--].second = (int)(uint32_t)key;
        --j;
    }
}

ts_code ts_pairs_find_outside(const ts_pairs_job* job, const int* list, int listed, long long limit,
                              int* out_limit_reached) {
    ts_broad_phase* broad = job->broad;
    broad->outside.count = 0;
    for (int u = 0; u < listed; ++u) {
        const ts_bounds* a = &job->bounds[list[u]];
        for (int j = 0; j < broad->count; ++j) {
            // A pair of two such boxes is found by the one of lower index.
            if (broad->state[j] == TS_BOX_ABSENT || (broad->state[j] == TS_BOX_OUTSIDE && j <= list[u])) continue;
            if (!ts_bounds_meet(a, &job->bounds[j])) continue;
            if (!ts_box_owner_may_pair(&broad->owner[list[u]], &broad->owner[j])) continue;
            unsigned char note = 0;
            int first = j < list[u] ? j : list[u], second = j < list[u] ? list[u] : j;
            if (job->settings->filter && !job->settings->filter(job->settings->filter_context, first, second, &note))
                continue;
            if (broad->outside.count >= limit) {
                *out_limit_reached = 1;
                return TS_ERROR_MEMORY;
            }
            if (!ts_key_list_reserve(&broad->outside, broad->outside.count + 1)) return TS_ERROR_MEMORY;
            broad->outside.key[broad->outside.count++] = ts_key_of(first, second);
        }
    }
    return ts_key_list_sort(&broad->outside, job->arena, broad->count) ? TS_OK : TS_ERROR_MEMORY;
}

void ts_pairs_add_outside(const ts_broad_phase* broad, ts_pair_list* pairs) {
    merge_behind(pairs->pair, &pairs->count, broad->outside.key, broad->outside.count);
}

ts_code ts_pairs_sweep_fat(const ts_pairs_job* job, long long limit, ts_sweep_end* out_end) {
    ts_broad_phase* broad = job->broad;
    ts_pair_list swept;
    ts_arena_scope scope = ts_arena_scope_begin(job->arena);
    ts_bounds* fat = TS_ARENA_ARRAY(job->arena, ts_bounds, broad->count);
    *out_end = TS_SWEEP_DONE;
    if (!fat) return TS_ERROR_MEMORY;
    for (int i = 0; i < broad->count; ++i) {
        // From the trees' origin: as doubles these are the same numbers, so no pair is lost by rounding.
        const ts_box4* b = &broad->fat[i];
        fat[i].min = fat[i].max = ts_vec3_make((double)NAN, (double)NAN, (double)NAN);
        if (broad->state[i] < TS_BOX_STILL) continue;  // it has no fat box
        fat[i].min = ts_vec3_make((double)b->low[0], (double)b->low[1], (double)b->low[2]);
        fat[i].max = ts_vec3_make(-(double)b->minus_high[0], -(double)b->minus_high[1], -(double)b->minus_high[2]);
        fat[i].group = broad->owner[i].group;
        fat[i].category = broad->owner[i].category;
        fat[i].mask = broad->owner[i].mask;
    }
    ts_code code = ts_sweep_pairs_within(fat, broad->count, limit, SWEEP_WORK * (long long)broad->count, job->arena,
                                         &swept, NULL, out_end);
    if (!code && !ts_pairs_reserve(broad, swept.count)) code = TS_ERROR_MEMORY;
    if (!code) {
        for (int i = 0; i < swept.count; ++i) {
            broad->kept.key[i] = ts_key_of(swept.pair[i].first, swept.pair[i].second);
            broad->kept_note[i] = 0;
        }
        broad->kept.count = swept.count;
    }
    ts_arena_scope_end(job->arena, scope);
    return code;
}

typedef struct sieve {
    const ts_pairs_job* job;
    ts_pair* pairs;
    int count;
    int* left;  // per piece
} sieve;

static void sieve_pieces(void* context, int begin, int end, int worker) {
    const sieve* s = (const sieve*)context;
    const ts_broad_phase_settings* settings = s->job->settings;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        ts_pair* pair = s->pairs + (size_t)p * PIECE;
        int count = s->count - p * PIECE < PIECE ? s->count - p * PIECE : PIECE, left = 0;
        for (int i = 0; i < count; ++i) {
            unsigned char note = 0;
            if (settings->filter(settings->filter_context, pair[i].first, pair[i].second, &note))
                pair[left++] = pair[i];
        }
        s->left[p] = left;
    }
}

ts_code ts_pairs_sweep_true(const ts_pairs_job* job, int count, long long limit, ts_pair_list* out_pairs,
                            ts_sweep_end* out_end) {
    ts_code code = ts_sweep_pairs_within(job->bounds, count, limit, SWEEP_WORK * (long long)count, job->arena,
                                         out_pairs, NULL, out_end);
    if (code || !job->settings->filter || out_pairs->count == 0) return code;
    int pieces = (out_pairs->count - 1) / PIECE + 1, left = 0;
    sieve s = {job, out_pairs->pair, out_pairs->count, TS_ARENA_ARRAY(job->arena, int, pieces)};
    if (!s.left) return TS_ERROR_MEMORY;
    ts_task_parallel_for(job->pool, pieces, 1, sieve_pieces, &s);
    for (int p = 0; p < pieces; ++p) {
        if (left != p * PIECE)
            memmove(s.pairs + left, s.pairs + (size_t)p * PIECE, (size_t)s.left[p] * sizeof(ts_pair));
        left += s.left[p];
    }
    out_pairs->count = left;
    return TS_OK;
}
