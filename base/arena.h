// A bump allocator that grows in chunks and, after a reset, has learnt how much it needs: from then on the same use
// touches the heap no more. One that is filled once and kept is told to grow by little, and holds little more than it gave. One arena belongs to
// one thread at a time.
#ifndef TS_BASE_ARENA_H
#define TS_BASE_ARENA_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define TS_ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TS_ARENA_POISON 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A piece of the heap; its bytes begin TS_ARENA_ALIGNMENT behind it.
typedef struct ts_arena_chunk {
    struct ts_arena_chunk* older;
    struct ts_arena_chunk* newer;
    size_t size;  // bytes after the header, a multiple of the alignment
    size_t used;  // of them, from the front; likewise
} ts_arena_chunk;

/// Of all that an arena hands out, bytes: a cache line.
enum { TS_ARENA_ALIGNMENT = 64 };

/// The allocator. Zero-initialised is valid and empty. Owns its chunks.
typedef struct ts_arena {
    ts_arena_chunk* chunk;  // newest chunk first
    size_t used;            // bytes handed out since the last reset, padding included
    size_t peak;            // most bytes ever in use between two resets
    size_t growth;  // bytes that a new chunk has at most, unless more are asked for at once; 0: half of all there are
    int failed;     // nonzero once an allocation returned NULL; cleared by ts_arena_reset
} ts_arena;

/// A point to return to; see ts_arena_scope_begin.
typedef struct ts_arena_scope {
    ts_arena_chunk* chunk;
    size_t chunk_used;
    size_t used;
} ts_arena_scope;

/// Makes an empty arena and reserves `bytes` (0 is fine). Returns 0 when memory is short, else 1.
int ts_arena_init(ts_arena* arena, size_t bytes);

/// Gives every chunk back to the heap; the arena is empty and usable again.
void ts_arena_free(ts_arena* arena);

/// What ts_arena_alloc does where the present chunk has no room.
void* ts_arena_alloc_elsewhere(ts_arena* arena, size_t bytes);

#ifdef TS_ARENA_POISON
/// Tells AddressSanitizer that these bytes are handed out.
void ts_arena_show(void* start, size_t bytes);
#else
/// Where there is no AddressSanitizer, nothing.
static inline void ts_arena_show(void* start, size_t bytes) { (void)start, (void)bytes; }
#endif

/// `bytes` of uninitialised memory, aligned to TS_ARENA_ALIGNMENT bytes; NULL (and arena->failed) when memory is short.
/// Zero bytes gives a valid pointer, of its own. Inline, as a step of a small scene makes more allocations than contacts.
static inline void* ts_arena_alloc(ts_arena* arena, size_t bytes) {
    ts_arena_chunk* chunk = arena->chunk;
    size_t size = bytes + (bytes == 0);
    // Room is a multiple of the alignment: what fits does so rounded up.
    if (!chunk || size > chunk->size - chunk->used) return ts_arena_alloc_elsewhere(arena, bytes);
    size = (size + (TS_ARENA_ALIGNMENT - 1)) & ~(size_t)(TS_ARENA_ALIGNMENT - 1);
    char* start = (char*)chunk + TS_ARENA_ALIGNMENT + chunk->used;
    chunk->used += size;
    arena->used += size;
    if (arena->used > arena->peak) arena->peak = arena->used;
    ts_arena_show(start, bytes);
    return start;
}

/// `count` elements of `size` bytes, zeroed; NULL when memory is short or count * size overflows.
void* ts_arena_alloc_zeroed(ts_arena* arena, size_t count, size_t size);

/// Remembers the present fill level.
ts_arena_scope ts_arena_scope_begin(const ts_arena* arena);

/// Gives back everything allocated since the scope began (chunks stay with the arena).
void ts_arena_scope_end(ts_arena* arena, ts_arena_scope scope);

/// Forgets all allocations. When the last round needed several chunks they are merged into one that holds the peak.
void ts_arena_reset(ts_arena* arena);

/// Bytes that its chunks hold, in use or not.
size_t ts_arena_reserved(const ts_arena* arena);

/// Typed allocation of n elements, uninitialised.
#define TS_ARENA_ARRAY(arena, type, n) ((type*)ts_arena_alloc((arena), (size_t)(n) * sizeof(type)))

#ifdef __cplusplus
}
#endif
#endif
