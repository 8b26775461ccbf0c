// base/array.h, its growth compiled into this test with the heap refused on demand.
#include <criterion/criterion.h>

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

static size_t largest_allowed = SIZE_MAX;
static int heap_calls;

static void* limited_realloc(void* data, size_t size) {
    ++heap_calls;
    return size > largest_allowed ? NULL : realloc(data, size);
}

#define realloc limited_realloc
#include "base/array.c"
#undef realloc

typedef struct wide_thing {
    char bytes[1 << 16];
} wide_thing;

TS_ARRAY_DECLARE(int_array, int);
TS_ARRAY_DECLARE(wide_array, wide_thing);

Test(array, push_keeps_what_was_pushed) {
    int_array array = {0};
    for (int k = 0; k < 100000; ++k) cr_assert(int_array_push(&array, 3 * k));
    cr_assert_eq(array.count, 100000);
    cr_assert_geq(array.capacity, array.count);
    for (int k = 0; k < array.count; ++k) cr_assert_eq(array.data[k], 3 * k);
    cr_assert_lt(heap_calls, 40);  // log(100000 / 8) / log(1.5) = 24
    int_array_clear(&array);
    cr_assert_eq(array.count, 0);
    int before = heap_calls;
    for (int k = 0; k < 100000; ++k) cr_assert(int_array_push(&array, k));
    cr_assert_eq(heap_calls, before);
    int_array_free(&array);
    cr_assert(array.data == NULL && array.count == 0 && array.capacity == 0);
}

// Who asks for all at once has little beyond it.
Test(array, who_asks_for_all_at_once_holds_little_more) {
    int_array array = {0};
    cr_assert(int_array_reserve_little(&array, 1000));
    cr_expect_leq(array.capacity, 1000 + 1000 / 32 + 8);
    for (int i = 0; i < 1000; ++i) cr_assert(int_array_push(&array, i));
    int moves = 0;
    for (int wanted = array.capacity; wanted <= 4000; ++wanted) {
        int before = array.capacity;
        cr_assert(int_array_reserve_little(&array, wanted));
        cr_assert(array.capacity >= wanted && array.capacity <= wanted + wanted / 32 + 8);
        moves += array.capacity > before;
    }
    cr_expect_lt(moves, 50, "four times as large: about log(4) / log(33 / 32)");
    for (int i = 0; i < 1000; ++i) cr_assert_eq(array.data[i], i);
    cr_expect_not(int_array_reserve_little(&array, -1));
    // Of what is large a thirty-second would be much.
    enum { MANY = 1 << 20, MORE = 1 << 22 };
    cr_assert(int_array_reserve_little(&array, MANY));
    cr_expect(array.capacity >= MANY && array.capacity <= MANY + (1 << 16) / (int)sizeof(int) + 8);
    cr_assert(int_array_reserve_little(&array, MORE));
    cr_expect(array.capacity >= MORE + MORE / 129 && array.capacity <= MORE + MORE / 128 + 8);
    int_array_free(&array);
}

Test(array, reserve_and_resize) {
    int_array array = {0};
    cr_assert(int_array_reserve(&array, 0));
    cr_assert_null(array.data);
    cr_assert(int_array_reserve(&array, 50));
    cr_assert(array.capacity >= 50 && array.count == 0);
    int* before = array.data;
    cr_assert(int_array_resize(&array, 50));
    cr_assert(array.data == before && array.count == 50);
    cr_assert(int_array_resize(&array, 10));
    cr_assert_eq(array.count, 10);
    cr_assert_not(int_array_resize(&array, -1));
    cr_assert_eq(array.count, 10);
    int_array_free(&array);
}

Test(array, short_memory_changes_nothing) {
    int_array array = {0};
    for (int k = 0; k < 8; ++k) cr_assert(int_array_push(&array, k));
    while (array.count < array.capacity) cr_assert(int_array_push(&array, array.count));
    int_array before = array;
    largest_allowed = 0;
    cr_assert_not(int_array_push(&array, 99));
    cr_assert(array.data == before.data && array.count == before.count && array.capacity == before.capacity);
    for (int k = 0; k < array.count; ++k) cr_assert_eq(array.data[k], k);
    // Exactly one element more is to be had: the generous growth fails, the asked-for growth succeeds.
    largest_allowed = ((size_t)array.count + 1) * sizeof(int);
    cr_assert(int_array_push(&array, 99));
    cr_assert_eq(array.data[array.count - 1], 99);
    cr_assert_eq(array.capacity, array.count);
    int_array_free(&array);
}

Test(array, overflowing_sizes_are_refused) {
    wide_array array = {0};
    largest_allowed = 1 << 20;
    cr_assert_not(wide_array_reserve(&array, INT_MAX));
    cr_assert(array.data == NULL && array.capacity == 0);
    void* data = NULL;
    int capacity = 0;
    cr_assert_not(ts_array_grow(&data, &capacity, SIZE_MAX / 2, 3));
    cr_assert(data == NULL && capacity == 0);
    cr_assert_not(ts_array_grow(&data, &capacity, 4, -5));
    capacity = INT_MAX - 1;  // growing by half would overflow the int
    largest_allowed = 0;
    cr_assert_not(ts_array_grow(&data, &capacity, 4, INT_MAX));
    cr_assert_eq(capacity, INT_MAX - 1);
}
