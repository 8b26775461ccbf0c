// base/decimal_internal.h against printf and strtod of the C library: the same characters for numbers of every kind.
#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal_internal.h"
#include "base/rng.h"

// Compares with the C library. Returns 0 when the number was left to it.
static int check(double value) {
    char ours[TS_DECIMAL_SIZE], theirs[64];
    size_t length = ts_decimal_write(value, ours);
    if (length == 0) return 0;
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(theirs, sizeof theirs, "%.*g", digits, value);
        if (strtod(theirs, NULL) == value) break;
    }
    cr_assert_str_eq(ours, theirs, "%a", value);
    cr_assert_eq(length, strlen(ours));
    return 1;
}

static int check_both(double value) { return check(value) && check(-value); }

Test(decimal, random_numbers_of_every_size) {
    ts_rng rng = ts_rng_make(7, 0);
    int left = 0;
    for (int trial = 0; trial < 200000; ++trial) {
        int exponent = (int)(ts_rng_bits(&rng) % 170) - 120;
        double fraction = 1.0 + (double)(ts_rng_bits(&rng) >> 12) * 0x1p-52;
        left += !check_both(ldexp(fraction, exponent));
    }
    cr_expect_lt(left, 20, "%d numbers went the slow way", left);
}

Test(decimal, short_numbers_and_their_neighbours) {
    ts_rng rng = ts_rng_make(8, 0);
    for (int trial = 0; trial < 100000; ++trial) {
        double value = (double)(ts_rng_bits(&rng) % 1000000) / pow(10.0, (double)(ts_rng_bits(&rng) % 9));
        check_both(value);
        check_both(nextafter(value, 1e300));
        check_both(nextafter(value, 0.0));
    }
    // Where the number of digits before the point changes, and where it is rounded up to a power of ten.
    for (int exponent = -37; exponent <= 15; ++exponent) {
        double value = strtod((char[]){'1', 'e', exponent < 0 ? '-' : '+', (char)('0' + abs(exponent) / 10),
                                       (char)('0' + abs(exponent) % 10), '\0'},
                              NULL);
        double up = value, down = value;
        for (int k = 0; k < 40; ++k) {
            check_both(up);
            check_both(down);
            up = nextafter(up, 1e300);
            down = nextafter(down, 0.0);
        }
    }
}

Test(decimal, whole_numbers_and_binary_fractions) {
    ts_rng rng = ts_rng_make(9, 0);
    for (int trial = 0; trial < 100000; ++trial) {
        cr_assert(check_both((double)(ts_rng_bits(&rng) % 1000000)));
        check_both((double)(ts_rng_bits(&rng) >> (11 + ts_rng_bits(&rng) % 50)));
        // Ties: their last digit is a five and nothing follows.
        check_both(ldexp((double)(ts_rng_bits(&rng) >> 11), -(int)(ts_rng_bits(&rng) % 8)));
    }
    for (int exponent = -126; exponent <= 52; ++exponent) check_both(ldexp(1.0, exponent));
    cr_expect(check(0.0));
    cr_expect(check(-0.0));
}

Test(decimal, unusual_sizes_are_left_to_the_caller) {
    static const double unusual[] = {5e-324, 2.2250738585072014e-308, 9.9e-39, 0x1p53, 1e22, 1.7976931348623157e308};
    char text[TS_DECIMAL_SIZE];
    for (size_t i = 0; i < sizeof unusual / sizeof unusual[0]; ++i)
        cr_expect_eq(ts_decimal_write(unusual[i], text), 0u, "%g", unusual[i]);
    cr_expect(check_both(1.0000001e-38));
    cr_expect(check_both(0x1.fffffffffffffp52));
}
