// What is remembered about pairs: a record of the caller's own size for each, with a beginning and an end.
//
// An update is begun, every pair of interest is touched, and the update is ended: pairs touched for the first time have
// begun, those touched again persist, those not touched end. Things that pair are numbered 0, 1, 2, ..., and have a
// generation: when something new takes a number that was free again, it comes with another generation and does not
// inherit.
#ifndef TS_COLLISION_PAIR_CACHE_H
#define TS_COLLISION_PAIR_CACHE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One of a pair: a number and which of its bearers is meant.
typedef struct ts_pair_end {
    int index;            // >= 0
    unsigned generation;  // counts how often the number was given anew
} ts_pair_end;

/// What ts_pair_cache_touch found.
typedef enum ts_pair_event {
    TS_PAIR_BEGAN,     // was not known, or its ends were of another generation; the record is zero
    TS_PAIR_PERSISTED  // was known; the record is as it was left
} ts_pair_event;

/// A pair that is known. Private but for reading.
typedef struct ts_pair_entry {
    ts_pair_end a;  // a.index < b.index
    ts_pair_end b;
    uint64_t touched;  // the update it was last touched in
} ts_pair_entry;

/// The cache. Set up with ts_pair_cache_init; fields are private.
typedef struct ts_pair_cache {
    size_t record_bytes;
    ts_pair_entry* entry;   // (count) in the order in which pairs began
    unsigned char* record;  // (count * record_bytes)
    int count;
    int entry_capacity;
    int record_capacity;
    int* slot;       // (slot_count) 1 + entry, or 0; open addressing, linear probing
    int slot_count;  // a power of two, at least twice the count
    uint64_t update;
} ts_pair_cache;

/// An empty cache for records of `record_bytes` (0 is fine). Free with ts_pair_cache_free.
void ts_pair_cache_init(ts_pair_cache* cache, size_t record_bytes);

/// Gives the memory back.
void ts_pair_cache_free(ts_pair_cache* cache);

/// Forgets all pairs without an end for any.
void ts_pair_cache_clear(ts_pair_cache* cache);

/// An update begins.
void ts_pair_cache_begin(ts_pair_cache* cache);

/// The record of the pair (a, b), in either order, which is of interest in this update; NULL when memory is short.
/// Valid until the next touch or end. a.index and b.index must differ. A pair whose ends have another generation than
/// those known begins anew with a zero record. `out_event` may be NULL.
void* ts_pair_cache_touch(ts_pair_cache* cache, ts_pair_end a, ts_pair_end b, ts_pair_event* out_event);

/// The record of a pair, without touching it; NULL when it is not known. Threads may look up at the same time.
void* ts_pair_cache_find(const ts_pair_cache* cache, ts_pair_end a, ts_pair_end b);

/// Called with each pair that ends and its record, for the last time.
typedef void (*ts_pair_ended)(void* context, const ts_pair_entry* pair, void* record);

/// The update ends: pairs that were not touched since it began are removed, in the order in which they once began.
/// `ended` may be NULL. Returns how many. Touches no heap.
int ts_pair_cache_end(ts_pair_cache* cache, ts_pair_ended ended, void* context);

#ifdef __cplusplus
}
#endif
#endif
