// Records of pairs by hashing.
//
// Rule: entries and records lie in two arrays in the order in which pairs began; a table of slots with linear probing
// (Knuth, The Art of Computer Programming, volume 3, section 6.4) leads from the pair of numbers to its place. Nothing
// is deleted from the table: when an update ends, what was not touched is squeezed out of the arrays and the table
// filled anew, which costs as much as a look at every entry, as ending does anyway.
// Guaranteed: the order of entries, and of the ends reported, follows from the order of touches alone; memory is linear
// in the most pairs ever known at once. Known failure: none; numbers chosen to collide cost time, not answers.
#include "collision/broad/pair_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { FEWEST_SLOTS = 16 };

void ts_pair_cache_init(ts_pair_cache* cache, size_t record_bytes) {
    memset(cache, 0, sizeof *cache);
    // Records start where any plain type may.
    cache->record_bytes = (record_bytes + 15) & ~(size_t)15;
}

void ts_pair_cache_free(ts_pair_cache* cache) {
    size_t record_bytes = cache->record_bytes;
    ts_array_release(cache->entry);
    ts_array_release(cache->record);
    free(cache->slot);
    ts_pair_cache_init(cache, record_bytes);
}

void ts_pair_cache_clear(ts_pair_cache* cache) {
    cache->count = 0;
    if (cache->slot) memset(cache->slot, 0, (size_t)cache->slot_count * sizeof(int));
}

void ts_pair_cache_begin(ts_pair_cache* cache) { ++cache->update; }

// Every bit of both numbers reaches the lowest bits (the finaliser of Stafford's "Better bit mixing", variant 13).
static uint64_t mixed(int a, int b) {
    uint64_t x = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// The slot of a pair of numbers, or the empty one where it would go.
static int slot_of(const ts_pair_cache* cache, int a, int b) {
    int mask = cache->slot_count - 1, slot = (int)(mixed(a, b) & (uint64_t)(unsigned)mask);
    for (;; slot = (slot + 1) & mask) {
        int at = cache->slot[slot];
        if (at == 0) return slot;
        const ts_pair_entry* entry = &cache->entry[at - 1];
        if (entry->a.index == a && entry->b.index == b) return slot;
    }
}

static void fill_slots(ts_pair_cache* cache) {
    memset(cache->slot, 0, (size_t)cache->slot_count * sizeof(int));
    for (int i = 0; i < cache->count; ++i)
        cache->slot[slot_of(cache, cache->entry[i].a.index, cache->entry[i].b.index)] = i + 1;
}

// Room for one more. Returns 0 when memory is short.
static int reserve(ts_pair_cache* cache) {
    if (cache->count >= INT_MAX / 4) return 0;
    void* entry = cache->entry;
    void* record = cache->record;
    int ok = ts_array_grow(&entry, &cache->entry_capacity, sizeof(ts_pair_entry), cache->count + 1);
    cache->entry = (ts_pair_entry*)entry;
    if (ok && cache->record_bytes > 0)
        ok = ts_array_grow(&record, &cache->record_capacity, cache->record_bytes, cache->count + 1);
    cache->record = (unsigned char*)record;
    if (!ok) return 0;
    if (2 * (cache->count + 1) <= cache->slot_count) return 1;
    int slots = cache->slot_count > 0 ? 2 * cache->slot_count : FEWEST_SLOTS;
    int* slot = (int*)malloc((size_t)slots * sizeof(int));
    if (!slot) return 0;
    free(cache->slot);
    cache->slot = slot;
    cache->slot_count = slots;
    fill_slots(cache);
    return 1;
}

static void sort_ends(ts_pair_end* a, ts_pair_end* b) {
    if (a->index <= b->index) return;
    ts_pair_end swap = *a;
    *a = *b;
    *b = swap;
}

// A record of no bytes still has an address that is not NULL.
static void* record_at(const ts_pair_cache* cache, int i) {
    return cache->record_bytes > 0 ? (void*)(cache->record + (size_t)i * cache->record_bytes) : (void*)&cache->entry[i];
}

static int same_generation(const ts_pair_entry* entry, ts_pair_end a, ts_pair_end b) {
    return entry->a.generation == a.generation && entry->b.generation == b.generation;
}

void* ts_pair_cache_touch(ts_pair_cache* cache, ts_pair_end a, ts_pair_end b, ts_pair_event* out_event) {
    sort_ends(&a, &b);
    int at = cache->slot_count > 0 ? cache->slot[slot_of(cache, a.index, b.index)] : 0;
    ts_pair_event event = at > 0 && same_generation(&cache->entry[at - 1], a, b) ? TS_PAIR_PERSISTED : TS_PAIR_BEGAN;
    if (out_event) *out_event = event;
    if (at == 0) {
        if (!reserve(cache)) return NULL;
        at = ++cache->count;
        cache->entry[at - 1].a.index = a.index;
        cache->entry[at - 1].b.index = b.index;
        // Found again: the table may have grown.
        cache->slot[slot_of(cache, a.index, b.index)] = at;
    }
    ts_pair_entry* entry = &cache->entry[at - 1];
    void* record = record_at(cache, at - 1);
    if (event == TS_PAIR_BEGAN && cache->record_bytes > 0) memset(record, 0, cache->record_bytes);
    entry->a = a;
    entry->b = b;
    entry->touched = cache->update;
    return record;
}

void* ts_pair_cache_find(const ts_pair_cache* cache, ts_pair_end a, ts_pair_end b) {
    sort_ends(&a, &b);
    int at = cache->slot_count > 0 ? cache->slot[slot_of(cache, a.index, b.index)] : 0;
    return at > 0 && same_generation(&cache->entry[at - 1], a, b) ? record_at(cache, at - 1) : NULL;
}

int ts_pair_cache_end(ts_pair_cache* cache, ts_pair_ended ended, void* context) {
    int kept = 0, count = cache->count;
    for (int i = 0; i < count; ++i) {
        if (cache->entry[i].touched != cache->update) {
            if (ended) ended(context, &cache->entry[i], record_at(cache, i));
            continue;
        }
        if (kept != i) {
            cache->entry[kept] = cache->entry[i];
            if (cache->record_bytes > 0) memcpy(record_at(cache, kept), record_at(cache, i), cache->record_bytes);
        }
        ++kept;
    }
    cache->count = kept;
    if (kept != count) fill_slots(cache);
    return count - kept;
}
