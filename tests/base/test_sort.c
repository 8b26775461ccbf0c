// Sorting of integers: order is judged pair by pair, and nothing may be lost or made up.
#include "base/sort.h"

#include <criterion/criterion.h>
#include <limits.h>

#include "base/rng.h"

enum { MOST = 300 };

Test(sort, ascending_and_the_same_numbers) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int count = 0; count <= MOST; ++count) {
        int value[MOST + 1], seen[MOST] = {0};
        for (int i = 0; i < count; ++i) {
            value[i] = (int)(ts_rng_bits(&rng) % (count > 1 ? (unsigned)count : 1u));
            ++seen[value[i]];
        }
        value[count] = -7;
        ts_sort_ints(value, count);
        for (int i = 0; i + 1 < count; ++i) cr_assert_leq(value[i], value[i + 1], "%d of %d", i, count);
        for (int i = 0; i < count; ++i) --seen[value[i]];
        for (int i = 0; i < count; ++i) cr_assert_eq(seen[i], 0, "%d of %d", i, count);
        cr_assert_eq(value[count], -7, "%d", count);
    }
}

Test(sort, extremes_and_lists_in_reverse) {
    int value[] = {INT_MAX, 3, INT_MIN, 0, INT_MAX, -3, INT_MIN};
    ts_sort_ints(value, 7);
    const int expected[] = {INT_MIN, INT_MIN, -3, 0, 3, INT_MAX, INT_MAX};
    cr_expect_arr_eq(value, expected, sizeof expected);
    int reverse[MOST];
    for (int i = 0; i < MOST; ++i) reverse[i] = MOST - 1 - i;
    ts_sort_ints(reverse, MOST);
    for (int i = 0; i < MOST; ++i) cr_expect_eq(reverse[i], i);
    ts_sort_ints(reverse, -1);
    cr_expect_eq(reverse[0], 0);
}
