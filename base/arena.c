// A bump allocator over a list of chunks.
//
// Chunks form a doubly linked list from oldest to newest; `arena->chunk` is the one being filled, those older than it
// hold live data, those newer than it are empty spares left behind by a scope. An allocation that does not fit moves on
// to the first spare that is large enough, else to a fresh chunk of at least half of all there are, or as the arena was told. Because scopes return
// to exactly the earlier fill level, the same sequence of calls after a scope's end lands in the same chunks.
//
// A reset merges several chunks into one of the peak and some to spare. Sizes are multiples of 64 bytes and lifetimes
// are nested, so a single chunk of `peak` bytes serves the same round again without the heap; a spare quarter, of a large
// arena 64 KB or a 128th, makes slowly growing rounds merge rarely (geometric growth).
//
// Under AddressSanitizer whatever is not handed out is poisoned, so use after a scope's end or a reset is reported.
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

#ifdef TS_ARENA_POISON
#include <sanitizer/asan_interface.h>
#define ARENA_HIDE(pointer, bytes) __asan_poison_memory_region((pointer), (bytes))

void ts_arena_show(void* start, size_t bytes) { __asan_unpoison_memory_region(start, bytes); }
#else
#define ARENA_HIDE(pointer, bytes) ((void)(pointer), (void)(bytes))
#endif

enum { ARENA_SMALLEST_CHUNK = 4096 };

_Static_assert(sizeof(ts_arena_chunk) <= TS_ARENA_ALIGNMENT, "the header takes one alignment unit");

static char* chunk_bytes(ts_arena_chunk* chunk) { return (char*)chunk + TS_ARENA_ALIGNMENT; }

// Rounds up to the alignment; zero bytes still take one unit so that every pointer is distinct. 0 means overflow.
static size_t round_up(size_t bytes) {
    if (bytes == 0) return TS_ARENA_ALIGNMENT;
    if (bytes > SIZE_MAX - (TS_ARENA_ALIGNMENT - 1)) return 0;
    return (bytes + (TS_ARENA_ALIGNMENT - 1)) & ~(size_t)(TS_ARENA_ALIGNMENT - 1);
}

// A free-standing chunk of `size` bytes, a multiple of the alignment; NULL when memory is short.
static ts_arena_chunk* chunk_create(size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    ts_arena_chunk* chunk = (ts_arena_chunk*)aligned_alloc(TS_ARENA_ALIGNMENT, TS_ARENA_ALIGNMENT + size);
    if (!chunk) return NULL;
    chunk->older = chunk->newer = NULL;
    chunk->size = size;
    chunk->used = 0;
    ARENA_HIDE(chunk_bytes(chunk), size);
    return chunk;
}

static void chunk_destroy(ts_arena_chunk* chunk) {
    ts_arena_show(chunk_bytes(chunk), chunk->size);
    free(chunk);
}

static ts_arena_chunk* oldest_chunk(const ts_arena* arena) {
    ts_arena_chunk* chunk = arena->chunk;
    while (chunk && chunk->older) chunk = chunk->older;
    return chunk;
}

// Empties everything after `chunk_used` bytes of `chunk`.
static void chunk_rewind(ts_arena_chunk* chunk, size_t chunk_used) {
    ARENA_HIDE(chunk_bytes(chunk) + chunk_used, chunk->size - chunk_used);
    chunk->used = chunk_used;
    for (ts_arena_chunk* spare = chunk->newer; spare; spare = spare->newer) {
        ARENA_HIDE(chunk_bytes(spare), spare->size);
        spare->used = 0;
    }
}

int ts_arena_init(ts_arena* arena, size_t bytes) {
    memset(arena, 0, sizeof *arena);
    if (bytes == 0) return 1;
    size_t size = round_up(bytes);
    arena->chunk = size ? chunk_create(size) : NULL;
    return arena->chunk != NULL;
}

void ts_arena_free(ts_arena* arena) {
    ts_arena_chunk* chunk = oldest_chunk(arena);
    while (chunk) {
        ts_arena_chunk* newer = chunk->newer;
        chunk_destroy(chunk);
        chunk = newer;
    }
    memset(arena, 0, sizeof *arena);
}

void* ts_arena_alloc_elsewhere(ts_arena* arena, size_t bytes) {
    size_t size = round_up(bytes);
    if (size == 0) {
        arena->failed = 1;
        return NULL;
    }
    ts_arena_chunk* newest = NULL;
    for (ts_arena_chunk* chunk = arena->chunk; chunk; chunk = chunk->newer) {
        newest = chunk;
        if (size > chunk->size - chunk->used) continue;
        arena->chunk = chunk;
        return ts_arena_alloc(arena, bytes);
    }
    // In proportion to what there is, so the number of chunks stays logarithmic.
    size_t wanted = round_up(ts_arena_reserved(arena) / 2);
    if (arena->growth && wanted > arena->growth) wanted = round_up(arena->growth);
    if (wanted < ARENA_SMALLEST_CHUNK) wanted = ARENA_SMALLEST_CHUNK;
    if (wanted < size) wanted = size;
    ts_arena_chunk* fresh = chunk_create(wanted);
    if (!fresh && wanted > size) fresh = chunk_create(size);
    if (!fresh) {
        arena->failed = 1;
        return NULL;
    }
    fresh->older = newest;
    if (newest) newest->newer = fresh;
    arena->chunk = fresh;
    return ts_arena_alloc(arena, bytes);
}

void* ts_arena_alloc_zeroed(ts_arena* arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        arena->failed = 1;
        return NULL;
    }
    void* bytes = ts_arena_alloc(arena, count * size);
    if (bytes) memset(bytes, 0, count * size);
    return bytes;
}

ts_arena_scope ts_arena_scope_begin(const ts_arena* arena) {
    ts_arena_scope scope = {arena->chunk, arena->chunk ? arena->chunk->used : 0, arena->used};
    return scope;
}

void ts_arena_scope_end(ts_arena* arena, ts_arena_scope scope) {
    TS_ASSERT(scope.used <= arena->used);
    // A scope begun on an arena without chunks ends at the start of the first chunk it has now.
    ts_arena_chunk* chunk = scope.chunk ? scope.chunk : oldest_chunk(arena);
    arena->used = scope.used;
    arena->chunk = chunk;
    if (chunk) chunk_rewind(chunk, scope.chunk_used);
}

// What a merged chunk has beyond the peak.
static size_t spare_of(size_t peak) {
    size_t most = ts_array_most_spare(peak);
    return peak / 4 < most ? peak / 4 : most;
}

void ts_arena_reset(ts_arena* arena) {
    ts_arena_chunk* first = oldest_chunk(arena);
    arena->chunk = first;
    arena->used = 0;
    arena->failed = 0;
    if (!first) return;
    chunk_rewind(first, 0);
    if (!first->newer) return;
    // Released before the merged chunk is taken, so that the two never coexist; if even that fails the arena is merely
    // empty and the next allocation reports it.
    size_t peak = arena->peak, growth = arena->growth;
    size_t merged = peak <= SIZE_MAX / 4 ? round_up(peak + spare_of(peak)) : peak;
    ts_arena_free(arena);
    arena->peak = peak;
    arena->growth = growth;
    arena->chunk = chunk_create(merged);
    if (!arena->chunk) arena->chunk = chunk_create(peak);
}

size_t ts_arena_reserved(const ts_arena* arena) {
    size_t bytes = 0;
    const ts_arena_chunk* chunk = arena->chunk;
    while (chunk && chunk->older) chunk = chunk->older;
    for (; chunk; chunk = chunk->newer) bytes += TS_ARENA_ALIGNMENT + chunk->size;
    return bytes;
}
