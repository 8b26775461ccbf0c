// What pairs of geoms remember from step to step, brought to the pairs of now.
//
// Problem: pairs come and go, and what is known of one, hints for its query and perhaps its last manifold, is to be found where it stands now. Rule: old and
// new pairs have one order, and both are walked once. A step that may fail and leave all as it was writes a second memory, which takes the place of the
// first when the step ends. A step in substeps moves bodies before its end and does not go back: it renews the memory where it stands. What moves to the
// front is moved first, in ascending order, then what moves to the back, in descending order; where pairs are those of the last step nothing moves.
// Source: as memmove. Order is kept, so the place that a pair moves to held one that goes the same way and has gone, or one that is no more.
// Guaranteed: both ways leave the same; linear time.
// Known to fail: a step in substeps that fails before bodies have moved leaves memory that is one search ahead of them.
#include "engine/step/pair_memory_internal.h"

#include <string.h>

// `search` NULL: none are remembered.
static void clear_pair(ts_pair_memory* entry, ts_gjk_cache* search, uint64_t key) {
    memset(entry, 0, sizeof *entry);
    entry->key = key;
    if (search) memset(search, 0, sizeof *search);
}

// The memory of the new pairs: what is known is copied, the rest starts empty. Manifolds are kept where `keeps`.
static int merge_pair_memory(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_pair_memory_array* known = &sim->pair_memory;
    const ts_manifold_kept* kept = storage->kept.count == known->count ? storage->kept.data : NULL;
    if (!ts_pair_memory_array_reserve_little(&storage->pair_next, count)) return 0;
    if (!ts_manifold_kept_array_reserve_little(&storage->kept_next, keeps ? count : 0)) return 0;
    if (!ts_pair_search_array_reserve_little(&storage->search_next, storage->pairs_search ? count : 0)) return 0;
    storage->pair_next.count = count;
    storage->search_next.count = storage->pairs_search ? count : 0;
    storage->kept_next.count = keeps ? count : 0;
    int old = 0;
    for (int i = 0; i < count; ++i) {
        uint64_t key = ts_pair_key(pair[i].a, pair[i].b);
        ts_pair_memory* entry = &storage->pair_next.data[i];
        ts_gjk_cache* search = storage->pairs_search ? &storage->search_next.data[i] : NULL;
        while (old < known->count && known->data[old].key < key) ++old;
        int is_known = old < known->count && known->data[old].key == key;
        if (is_known)
            *entry = known->data[old];
        else
            clear_pair(entry, search, key);
        if (is_known && search) *search = storage->search.data[old];
        if (keeps && is_known && kept && kept[old].is_kept)
            storage->kept_next.data[i] = kept[old];
        else if (keeps)
            storage->kept_next.data[i].is_kept = 0;
    }
    return 1;
}

// All that is remembered of one pair; of two of the three perhaps nothing is.
static void move_pair(ts_pair_memory* known, ts_manifold_kept* kept, ts_gjk_cache* search, int from, int to) {
    known[to] = known[from];
    if (kept) kept[to] = kept[from];
    if (search) search[to] = search[from];
}

// Where each of the new pairs is known, or -1. Both ascend.
static void find_known(const ts_pair_memory_array* known, const ts_narrow_pair* pair, int count, int* out_from) {
    for (int i = 0, old = 0; i < count; ++i) {
        uint64_t key = ts_pair_key(pair[i].a, pair[i].b);
        while (old < known->count && known->data[old].key < key) ++old;
        out_from[i] = old < known->count && known->data[old].key == key ? old : -1;
    }
}

// The same without a second memory: of a step in substeps, which moves bodies before its end and does not go back when it fails. Where pairs are those of
// the last step nothing is moved.
static int renew_pair_memory(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_pair_memory_array* known = &sim->pair_memory;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_manifold_kept_array* kept = &storage->kept;
    int searches = storage->pairs_search ? count : 0;
    int had = known->count > 0 && kept->count == known->count;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    int* from = TS_ARENA_ARRAY(&sim->scratch, int, count);
    if (!from || !ts_pair_memory_array_reserve_little(known, count) ||
        !ts_manifold_kept_array_reserve_little(kept, keeps ? count : 0) ||
        !ts_pair_search_array_reserve_little(&storage->search, searches))
        return 0;
    ts_manifold_kept* moved = keeps && had ? kept->data : NULL;
    ts_gjk_cache* search = storage->pairs_search ? storage->search.data : NULL;
    find_known(known, pair, count, from);
    for (int i = 0; i < count; ++i)
        if (from[i] > i) move_pair(known->data, moved, search, from[i], i);
    for (int i = count - 1; i >= 0; --i)
        if (from[i] >= 0 && from[i] < i) move_pair(known->data, moved, search, from[i], i);
    for (int i = 0; i < count; ++i) {
        if (from[i] < 0) clear_pair(&known->data[i], search ? &search[i] : NULL, ts_pair_key(pair[i].a, pair[i].b));
        if (keeps && (from[i] < 0 || !had)) kept->data[i].is_kept = 0;
    }
    known->count = count;
    kept->count = keeps ? count : 0;
    storage->search.count = searches;
    ts_arena_scope_end(&sim->scratch, scope);
    return 1;
}

int ts_pair_memory_take(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    // Who wakes has all asked once more, from what was remembered.
    storage->renews_pairs = storage->substep_count > 1 && storage->asleep_count == 0;
    return (storage->renews_pairs ? renew_pair_memory : merge_pair_memory)(sim, pair, count, keeps);
}
