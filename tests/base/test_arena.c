// base/arena.h, compiled into this test with its heap calls counted and, on demand, refused.
#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int heap_calls;             // allocations so far
static int refuse_from = 1 << 30;  // allocations from this one on fail

static size_t largest_allowed = SIZE_MAX;  // allocations above this size fail

static void* counted_aligned_alloc(size_t alignment, size_t size) {
    if (heap_calls++ >= refuse_from || size > largest_allowed) return NULL;
    return aligned_alloc(alignment, size);
}

#define aligned_alloc counted_aligned_alloc
#include "base/arena.c"
#undef aligned_alloc

#include "base/rng.h"

Test(arena, memory_is_aligned_disjoint_and_writable) {
    ts_arena arena = {0};
    ts_rng rng = ts_rng_make(51, 0);
    enum { COUNT = 400 };
    unsigned char* piece[COUNT];
    size_t size[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        size[k] = (size_t)(ts_rng_bits(&rng) % (k % 20 == 0 ? 20000 : 300));
        piece[k] = (unsigned char*)ts_arena_alloc(&arena, size[k]);
        cr_assert_not_null(piece[k]);
        cr_assert_eq((uintptr_t)piece[k] % 64, 0);
        memset(piece[k], k % 251, size[k]);
    }
    for (int k = 0; k < COUNT; ++k)
        for (size_t b = 0; b < size[k]; ++b) cr_assert_eq(piece[k][b], k % 251);
    ts_arena_free(&arena);
    cr_assert(arena.chunk == NULL && arena.used == 0 && arena.peak == 0);
    cr_assert_not_null(ts_arena_alloc(&arena, 10));  // usable again
    ts_arena_free(&arena);
}

Test(arena, zero_bytes_give_distinct_pointers) {
    ts_arena arena = {0};
    void* a = ts_arena_alloc(&arena, 0);
    void* b = ts_arena_alloc(&arena, 0);
    cr_assert(a && b && a != b);
    cr_assert_not_null(ts_arena_alloc_zeroed(&arena, 0, 8));
    cr_assert_not_null(ts_arena_alloc_zeroed(&arena, 8, 0));
    ts_arena_free(&arena);
}

Test(arena, zeroed_memory_is_zero_even_when_reused) {
    ts_arena arena;
    cr_assert(ts_arena_init(&arena, 4096));
    memset(ts_arena_alloc(&arena, 4096), 0xff, 4096);
    ts_arena_reset(&arena);
    const unsigned char* bytes = (const unsigned char*)ts_arena_alloc_zeroed(&arena, 512, 8);
    for (int k = 0; k < 4096; ++k) cr_assert_eq(bytes[k], 0);
    ts_arena_free(&arena);
}

Test(arena, absurd_sizes_fail_and_reset_forgives) {
    ts_arena arena = {0};
    cr_assert_null(ts_arena_alloc(&arena, SIZE_MAX));
    cr_assert(arena.failed);
    ts_arena_reset(&arena);
    cr_assert_not(arena.failed);
    cr_assert_null(ts_arena_alloc(&arena, SIZE_MAX - 64));
    ts_arena_reset(&arena);
    cr_assert_null(ts_arena_alloc(&arena, SIZE_MAX / 2 + 1));
    ts_arena_reset(&arena);
    cr_assert_null(ts_arena_alloc_zeroed(&arena, SIZE_MAX / 4, 8));
    cr_assert(arena.failed);
    cr_assert_null(ts_arena_alloc_zeroed(&arena, (size_t)1 << (sizeof(size_t) * 4), (size_t)1 << (sizeof(size_t) * 4)));
    cr_assert_not_null(ts_arena_alloc(&arena, 100));
    cr_assert(arena.failed, "a later success must not hide the failure");
    ts_arena_free(&arena);
    cr_assert_eq(ts_arena_init(&arena, SIZE_MAX - 10), 0);
    cr_assert_null(arena.chunk);
}

Test(arena, init_reserves_what_it_says) {
    ts_arena arena;
    cr_assert(ts_arena_init(&arena, 10000));
    int before = heap_calls;
    for (int k = 0; k < 10; ++k) cr_assert_not_null(ts_arena_alloc(&arena, 960));
    cr_assert_eq(heap_calls, before);
    ts_arena_free(&arena);
    before = heap_calls;
    cr_assert(ts_arena_init(&arena, 0));
    cr_assert_eq(heap_calls, before);
}

// One round of work with nested scopes; its sizes are those of `seed`.
static void one_round(ts_arena* arena, uint64_t seed) {
    ts_rng rng = ts_rng_make(seed, 0);
    for (int k = 0; k < 50; ++k) cr_assert_not_null(ts_arena_alloc(arena, ts_rng_bits(&rng) % 5000));
    for (int outer = 0; outer < 5; ++outer) {
        ts_arena_scope scope = ts_arena_scope_begin(arena);
        cr_assert_not_null(ts_arena_alloc(arena, ts_rng_bits(&rng) % 50000));
        ts_arena_scope inner = ts_arena_scope_begin(arena);
        cr_assert_not_null(ts_arena_alloc(arena, ts_rng_bits(&rng) % 100000));
        ts_arena_scope_end(arena, inner);
        cr_assert_not_null(ts_arena_alloc(arena, ts_rng_bits(&rng) % 30000));
        ts_arena_scope_end(arena, scope);
        cr_assert_not_null(ts_arena_alloc(arena, ts_rng_bits(&rng) % 3000));
    }
}

Test(arena, second_identical_round_leaves_the_heap_alone) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        ts_arena arena = {0};
        one_round(&arena, seed);
        ts_arena_reset(&arena);
        int before = heap_calls;
        size_t peak = arena.peak;
        for (int repeat = 0; repeat < 5; ++repeat) {
            one_round(&arena, seed);
            ts_arena_reset(&arena);
        }
        cr_assert_eq(heap_calls, before, "seed %d", (int)seed);
        cr_assert_eq(arena.peak, peak);
        ts_arena_free(&arena);
    }
}

Test(arena, slowly_growing_rounds_seldom_touch_the_heap) {
    ts_arena arena = {0};
    int before = heap_calls;
    for (size_t bytes = 1000; bytes < 1000000; bytes += 1000) {
        cr_assert_not_null(ts_arena_alloc(&arena, bytes));
        ts_arena_reset(&arena);
    }
    cr_assert_lt(heap_calls - before, 60);  // geometric: about 2 log(1000) / log(1.5)
    ts_arena_free(&arena);
}

// Of what is large a quarter to spare would be much.
Test(arena, one_that_is_large_has_little_to_spare) {
    enum { PIECES = 64 };
    const size_t piece = 1 << 18;
    ts_arena arena = {0};
    for (int k = 0; k < PIECES; ++k) cr_assert_not_null(ts_arena_alloc(&arena, piece));
    ts_arena_reset(&arena);
    cr_expect_leq(ts_arena_reserved(&arena), PIECES * piece + PIECES * piece / 127);
    int before = heap_calls;
    for (size_t more = 0; more < PIECES * piece; more += piece / 8) {
        for (int k = 0; k < PIECES; ++k) cr_assert_not_null(ts_arena_alloc(&arena, piece));
        cr_assert_not_null(ts_arena_alloc(&arena, more));
        ts_arena_reset(&arena);
    }
    cr_expect_lt(heap_calls - before, 200, "twice as large: about 2 log(2) / log(129 / 128)");
    ts_arena_free(&arena);
}

Test(arena, one_long_round_needs_few_chunks) {
    ts_arena arena = {0};
    int before = heap_calls;
    for (int k = 0; k < 100000; ++k) cr_assert_not_null(ts_arena_alloc(&arena, 64));
    cr_assert_lt(heap_calls - before, 20);  // 6.4 MB out of 4 KB chunks: each twice the one before
    ts_arena_free(&arena);
}

Test(arena, one_told_how_to_grow_holds_little_more_than_it_gave) {
    for (int large = 0; large < 2; ++large) {
        ts_arena arena = {.growth = 16384};
        size_t given = 0, most_spare = 0;
        for (size_t k = 1; k <= 60; ++k) {
            size_t bytes = large ? 64 * 1000 * k : 64 * k;
            cr_assert_not_null(ts_arena_alloc(&arena, bytes));
            given += bytes;
            most_spare = given / 8 + 16384;
            cr_assert_leq(ts_arena_reserved(&arena), given + most_spare, "%d: %d", large, (int)k);
        }
        ts_arena_reset(&arena);
        cr_assert_eq(arena.growth, 16384);
        ts_arena_free(&arena);
    }
}

Test(arena, scope_returns_to_its_level_and_reuses_the_same_memory) {
    ts_arena arena = {0};
    char* kept = (char*)ts_arena_alloc(&arena, 100);
    memset(kept, 7, 100);
    size_t used = arena.used;
    void* first[40] = {0};
    int calls_after_first_round = 0;
    for (int round = 0; round < 4; ++round) {
        ts_arena_scope scope = ts_arena_scope_begin(&arena);
        for (int k = 0; k < 40; ++k) {
            void* here = ts_arena_alloc(&arena, 1000);
            memset(here, 1, 1000);
            if (round == 0) first[k] = here;
            cr_assert_eq(here, first[k]);
        }
        ts_arena_scope_end(&arena, scope);
        cr_assert_eq(arena.used, used);
        if (round == 0) calls_after_first_round = heap_calls;
        cr_assert_eq(heap_calls, calls_after_first_round);
    }
    for (int k = 0; k < 100; ++k) cr_assert_eq(kept[k], 7);
    ts_arena_free(&arena);
}

Test(arena, scope_on_an_empty_arena) {
    ts_arena arena = {0};
    ts_arena_scope scope = ts_arena_scope_begin(&arena);
    ts_arena_scope_end(&arena, scope);
    scope = ts_arena_scope_begin(&arena);
    for (int k = 0; k < 100; ++k) cr_assert_not_null(ts_arena_alloc(&arena, 4000));
    ts_arena_scope_end(&arena, scope);
    cr_assert_eq(arena.used, 0);
    int before = heap_calls;
    for (int k = 0; k < 100; ++k) cr_assert_not_null(ts_arena_alloc(&arena, 4000));
    cr_assert_eq(heap_calls, before);
    ts_arena_free(&arena);
}

Test(arena, peak_is_the_most_ever_in_use) {
    ts_arena arena = {0};
    ts_arena_alloc(&arena, 128);
    ts_arena_scope scope = ts_arena_scope_begin(&arena);
    ts_arena_alloc(&arena, 6400);
    ts_arena_scope_end(&arena, scope);
    ts_arena_alloc(&arena, 640);
    cr_assert_eq(arena.used, 768);
    cr_assert_eq(arena.peak, 6528);
    ts_arena_reset(&arena);
    cr_assert_eq(arena.used, 0);
    cr_assert_eq(arena.peak, 6528);
    ts_arena_free(&arena);
}

Test(arena, short_memory_is_reported_and_survived) {
    ts_arena arena = {0};
    refuse_from = heap_calls;
    cr_assert_null(ts_arena_alloc(&arena, 10));
    cr_assert(arena.failed);
    cr_assert_null(ts_arena_alloc_zeroed(&arena, 10, 10));
    cr_assert_eq(ts_arena_init(&arena, 100), 0);
    refuse_from = 1 << 30;
    cr_assert_not_null(ts_arena_alloc(&arena, 10));
    // A large first chunk: the generous second one is refused, the modest one must still be tried.
    ts_arena_free(&arena);
    cr_assert(ts_arena_init(&arena, 100000));
    cr_assert_not_null(ts_arena_alloc(&arena, 99000));
    largest_allowed = 6000;
    cr_assert_not_null(ts_arena_alloc(&arena, 5000));
    largest_allowed = SIZE_MAX;
    refuse_from = heap_calls;
    cr_assert_null(ts_arena_alloc(&arena, 5000));
    // Merging fails too: the arena is then empty but sound.
    refuse_from = 1 << 30;
    cr_assert_not_null(ts_arena_alloc(&arena, 5000));
    refuse_from = heap_calls;
    ts_arena_reset(&arena);
    cr_assert_null(ts_arena_alloc(&arena, 10));
    refuse_from = 1 << 30;
    ts_arena_reset(&arena);
    cr_assert_not_null(ts_arena_alloc(&arena, 200000));
    ts_arena_free(&arena);
}

Test(arena, typed_allocation_counts_elements) {
    ts_arena arena = {0};
    double* values = TS_ARENA_ARRAY(&arena, double, 100);
    cr_assert_not_null(values);
    for (int k = 0; k < 100; ++k) values[k] = k;
    cr_assert_eq(arena.used, 832);  // 800 rounded up to 64
    ts_arena_free(&arena);
}
