// base/rng.h: the known answers published with Random123 (its kat_vectors file), and statistics with bounds from the
// exact variance of each estimate. Seeds are fixed, so a test that passes once passes always.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

Test(rng, philox_known_answers) {
    static const struct {
        uint32_t counter[4], key[2], expected[4];
    } answers[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t k = 0; k < sizeof answers / sizeof *answers; ++k) {
        uint32_t random[4];
        ts_rng_philox(answers[k].counter, answers[k].key, random);
        for (int w = 0; w < 4; ++w) cr_assert_eq(random[w], answers[k].expected[w], "case %zu word %d", k, w);
    }
}

Test(rng, draw_is_the_block_of_its_counter) {
    ts_rng rng = ts_rng_make(0x299f31d0a4093822u, 0x0370734413198a2eu);
    rng.counter = 0x85a308d3243f6a88u;
    cr_assert_eq(ts_rng_bits(&rng), 0x94fdccebd16cfe09u);
    cr_assert_eq(rng.counter, 0x85a308d3243f6a89u);
}

Test(rng, streams_are_copied_jumped_and_apart) {
    ts_rng a = ts_rng_make(7, 0), b = ts_rng_make(7, 1), c = ts_rng_make(8, 0);
    uint64_t first[100];
    int same_b = 0, same_c = 0;
    for (int k = 0; k < 100; ++k) {
        first[k] = ts_rng_bits(&a);
        same_b += first[k] == ts_rng_bits(&b);
        same_c += first[k] == ts_rng_bits(&c);
    }
    cr_assert_eq(same_b + same_c, 0);
    a.counter = 42;
    ts_rng fork = a;
    cr_assert_eq(ts_rng_bits(&a), first[42]);
    cr_assert_eq(ts_rng_bits(&fork), first[42]);
    uint64_t before = a.counter;
    (void)ts_rng_normal(&a);
    cr_assert_eq(a.counter, before + 1);
    (void)ts_rng_uniform(&a);
    cr_assert_eq(a.counter, before + 2);
}

enum { DRAWS = 200000 };

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double uniform_cdf(double x) { return x; }
static double normal_cdf(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

// The largest distance between the empirical and the true distribution, times sqrt(n): above 1.95 once in a thousand.
static double kolmogorov_smirnov(double* draws, int n, double (*cdf)(double)) {
    qsort(draws, (size_t)n, sizeof *draws, compare);
    double worst = 0.0;
    for (int k = 0; k < n; ++k) {
        double p = cdf(draws[k]);
        worst = fmax(worst, fmax(p - (double)k / n, (k + 1.0) / n - p));
    }
    return worst * sqrt((double)n);
}

// Moments about zero of order 1, 2 and 4 of the first n draws must lie within 4 standard errors of theirs.
static void check_moments(const double* draws, int n, const double moments[3], const double variances[3]) {
    const int orders[3] = {1, 2, 4};
    for (int m = 0; m < 3; ++m) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) sum += pow(draws[k], orders[m]);
        cr_assert_float_eq(sum / n, moments[m], 4.0 * sqrt(variances[m] / n), "moment %d is %g", orders[m], sum / n);
    }
}

Test(rng, uniform_statistics) {
    static double draws[DRAWS];
    for (uint64_t stream = 0; stream < 4; ++stream) {
        ts_rng rng = ts_rng_make(2024, stream);
        double previous = 0.5, products = 0.0;
        for (int k = 0; k < DRAWS; ++k) {
            draws[k] = ts_rng_uniform(&rng);
            cr_assert(draws[k] >= 0.0 && draws[k] < 1.0);
            cr_assert_eq(draws[k] * 0x1p53, floor(draws[k] * 0x1p53));
            products += (draws[k] - 0.5) * (previous - 0.5);
            previous = draws[k];
        }
        // E x^p = 1 / (p + 1), Var x^p = 1 / (2 p + 1) - 1 / (p + 1)^2
        const double moments[3] = {1.0 / 2.0, 1.0 / 3.0, 1.0 / 5.0};
        const double variances[3] = {1.0 / 12.0, 1.0 / 5.0 - 1.0 / 9.0, 1.0 / 9.0 - 1.0 / 25.0};
        check_moments(draws, DRAWS, moments, variances);
        cr_assert_float_eq(products / DRAWS, 0.0, 4.0 / 12.0 / sqrt((double)DRAWS), "neighbours are correlated");
        cr_assert_lt(kolmogorov_smirnov(draws, DRAWS, uniform_cdf), 1.95);
    }
}

Test(rng, normal_statistics) {
    static double draws[DRAWS];
    for (uint64_t stream = 0; stream < 4; ++stream) {
        ts_rng rng = ts_rng_make(2025, stream);
        double previous = 0.0, products = 0.0;
        for (int k = 0; k < DRAWS; ++k) {
            draws[k] = ts_rng_normal(&rng);
            cr_assert(isfinite(draws[k]));
            products += draws[k] * previous;
            previous = draws[k];
        }
        // E x^2 = 1, E x^4 = 3, E x^8 = 105
        const double moments[3] = {0.0, 1.0, 3.0}, variances[3] = {1.0, 2.0, 96.0};
        check_moments(draws, DRAWS, moments, variances);
        cr_assert_float_eq(products / DRAWS, 0.0, 4.0 / sqrt((double)DRAWS), "neighbours are correlated");
        cr_assert_lt(kolmogorov_smirnov(draws, DRAWS, normal_cdf), 1.95);
    }
}

Test(rng, every_bit_is_fair) {
    ts_rng rng = ts_rng_make(5, 5);
    int ones[64] = {0};
    const int n = 40000;
    for (int k = 0; k < n; ++k) {
        uint64_t bits = ts_rng_bits(&rng);
        for (int b = 0; b < 64; ++b) ones[b] += (int)(bits >> b & 1);
    }
    for (int b = 0; b < 64; ++b) cr_assert_float_eq(ones[b], 0.5 * n, 4.5 * 0.5 * sqrt((double)n), "bit %d", b);
}

Test(rng, uniform_in_keeps_its_half_open_interval) {
    ts_rng rng = ts_rng_make(6, 0);
    double lowest = 10.0, highest = -10.0;
    for (int k = 0; k < 100000; ++k) {
        double x = ts_rng_uniform_in(&rng, -3.0, 5.0);
        cr_assert(x >= -3.0 && x < 5.0);
        lowest = fmin(lowest, x);
        highest = fmax(highest, x);
        // Next to each other: rounding would reach the excluded end half of the time.
        double low = 1.0, high = nextafter(1.0, 2.0);
        cr_assert_eq(ts_rng_uniform_in(&rng, low, high), low);
    }
    cr_assert(lowest < -2.99 && highest > 4.99);
    cr_assert_eq(ts_rng_uniform_in(&rng, 2.0, 2.0), 2.0);
}
