// What pairs of geoms remember from step to step, brought to the pairs of now.
//
// Problem: pairs come and go, and what is known of one, hints for its query and perhaps its last manifold, is to be found where it stands now. Rule: old and
// new pairs have one order, and both are walked once. A step that may fail and leave all as it was writes a second memory, which takes the place of the
// first when the step ends. A step in substeps moves bodies before its end and does not go back: it renews the memory where it stands. Known pairs go to
// the front, then to the end, then to their places, each of which lies before what is still to be moved; where pairs are those of the last step nothing moves.
// Source: merging in place from the end, as in insertion into sorted arrays.
// Guaranteed: both ways leave the same; linear time.
// Known to fail: a step in substeps that fails before bodies have moved leaves memory that is one search ahead of them.
#include "engine/step/pair_memory_internal.h"

#include <string.h>

static void clear_pair(ts_pair_memory* entry, uint64_t key) {
    memset(entry, 0, sizeof *entry);
    entry->key = key;
}

// The memory of the new pairs: what is known is copied, the rest starts empty. Manifolds are kept where `keeps`.
static int merge_pair_memory(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_pair_memory_array* known = &sim->pair_memory;
    const ts_manifold_kept* kept = storage->kept.count == known->count ? storage->kept.data : NULL;
    if (!ts_pair_memory_array_resize(&storage->pair_next, count)) return 0;
    if (!ts_manifold_kept_array_resize(&storage->kept_next, keeps ? count : 0)) return 0;
    int old = 0;
    for (int i = 0; i < count; ++i) {
        uint64_t key = ts_pair_key(pair[i].a, pair[i].b);
        ts_pair_memory* entry = &storage->pair_next.data[i];
        while (old < known->count && known->data[old].key < key) ++old;
        int is_known = old < known->count && known->data[old].key == key;
        if (is_known)
            *entry = known->data[old];
        else
            clear_pair(entry, key);
        if (keeps && is_known && kept)
            storage->kept_next.data[i] = kept[old];
        else if (keeps)
            storage->kept_next.data[i].is_kept = 0;
    }
    return 1;
}

// Those of the known pairs that are among the new ones to the front, with what is kept of them (NULL: nothing). Returns how many.
static int gather_known(ts_sim* sim, const ts_narrow_pair* pair, int count, ts_manifold_kept* kept) {
    ts_pair_memory* known = sim->pair_memory.data;
    int left = 0;
    for (int old = 0, i = 0; old < sim->pair_memory.count; ++old) {
        while (i < count && ts_pair_key(pair[i].a, pair[i].b) < known[old].key) ++i;
        if (i == count || ts_pair_key(pair[i].a, pair[i].b) != known[old].key) continue;
        if (left != old) {
            known[left] = known[old];
            if (kept) kept[left] = kept[old];
        }
        ++left;
    }
    return left;
}

// Puts those that were gathered where the new pairs have them; the others start empty. There is room for all.
static void spread_known(ts_sim* sim, const ts_narrow_pair* pair, int count, int left, ts_manifold_kept* kept) {
    ts_pair_memory* known = sim->pair_memory.data;
    int from = count - left;
    // From the end the list grows into what is behind it, and no entry is written before it was read.
    if (from > 0 && left > 0) {
        memmove(known + from, known, (size_t)left * sizeof *known);
        if (kept) memmove(kept + from, kept, (size_t)left * sizeof *kept);
    }
    for (int i = 0; i < count; ++i) {
        uint64_t key = ts_pair_key(pair[i].a, pair[i].b);
        int is_known = from < count && known[from].key == key;
        if (!is_known) {
            clear_pair(&known[i], key);
            if (kept) kept[i].is_kept = 0;
            continue;
        }
        if (from != i) {
            known[i] = known[from];
            if (kept) kept[i] = kept[from];
        }
        ++from;
    }
}

// The same without a second memory: of a step in substeps, which moves bodies before its end and does not go back when it fails. Where pairs are those of
// the last step nothing is moved.
static int renew_pair_memory(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_pair_memory_array* known = &sim->pair_memory;
    ts_manifold_kept_array* kept = &ts_sim_storage_of(sim)->kept;
    int had = known->count > 0 && kept->count == known->count;
    if (!ts_pair_memory_array_reserve(known, count) || !ts_manifold_kept_array_reserve(kept, keeps ? count : 0))
        return 0;
    ts_manifold_kept* moved = keeps && had ? kept->data : NULL;
    spread_known(sim, pair, count, gather_known(sim, pair, count, moved), moved);
    known->count = count;
    for (int i = 0; keeps && !had && i < count; ++i) kept->data[i].is_kept = 0;
    kept->count = keeps ? count : 0;
    return 1;
}

int ts_pair_memory_take(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    // Who wakes has all asked once more, from what was remembered.
    storage->renews_pairs = storage->substep_count > 1 && storage->asleep_count == 0;
    return (storage->renews_pairs ? renew_pair_memory : merge_pair_memory)(sim, pair, count, keeps);
}
