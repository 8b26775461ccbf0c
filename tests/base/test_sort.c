// Sorting of integers: order is judged pair by pair, and nothing may be lost or made up.
#include "base/sort.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>

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

// Strips are of one width, their numbers rise with the numbers, and every strip is the count's share of the way from the least to the most.
Test(sort, strips_rise_with_the_numbers) {
    enum { STRIPS = 7 };
    struct {
        int before;
        double number;
    } place[MOST];
    ts_rng rng = ts_rng_make(6, 0);
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < MOST; ++i) {
        place[i].number = ts_rng_normal(&rng);
        least = fmin(least, place[i].number);
        most = fmax(most, place[i].number);
    }
    ts_strips strips = ts_strips_over(&place->number, sizeof place[0], MOST, STRIPS);
    for (int i = 0; i < MOST; ++i) {
        double at = STRIPS * (place[i].number - least) / (most - least);
        cr_expect_eq(ts_strips_at(&strips, place[i].number), (int)fmin(floor(at), STRIPS - 1.0), "%g", at);
    }
    cr_expect_eq(ts_strips_at(&strips, least - 1.0), 0);
    cr_expect_eq(ts_strips_at(&strips, 1e300), STRIPS - 1);
    cr_expect_eq(ts_strips_at(&strips, NAN), 0);
}

Test(sort, strips_of_what_has_no_width) {
    const double one[] = {3.0, 3.0}, odd[] = {NAN, 1.0, 2.0}, wide[] = {-HUGE_VAL, 0.0, HUGE_VAL};
    ts_strips strips = ts_strips_over(one, sizeof one[0], 2, 5);
    cr_expect_eq(ts_strips_at(&strips, 3.0), 0);
    strips = ts_strips_over(one, sizeof one[0], 0, 5);
    cr_expect_eq(ts_strips_at(&strips, 3.0), 0);
    strips = ts_strips_over(odd, sizeof odd[0], 3, 5);
    for (int i = 0; i < 3; ++i) cr_expect_eq(ts_strips_at(&strips, odd[i]), 0);
    strips = ts_strips_over(wide, sizeof wide[0], 3, 5);
    for (int i = 0; i < 3; ++i) cr_expect_eq(ts_strips_at(&strips, wide[i]), 0);
}
