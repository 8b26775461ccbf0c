// Rows of six columns: scalar and vector code give the same bits, and both the products in long double.
#include "contact/operator/six_simd_internal.h"

#include <criterion/criterion.h>
#include <math.h>

#include "base/rng.h"

// Wide in magnitude, so that another order of sums would show in the last bits.
static void fill(ts_rng* rng, double* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = ts_rng_normal(rng) * exp(ts_rng_uniform_in(rng, -8.0, 8.0));
}

Test(six_simd, scalar_code_is_the_product) {
    ts_rng rng = ts_rng_make(71, 0);
    for (int trial = 0; trial < 200; ++trial) {
        double J[36], V[12], delta[3], one[3], pair[3];
        fill(&rng, J, 36);
        fill(&rng, V, 12);
        fill(&rng, delta, 3);
        ts_six_read_scalar(J, V, one);
        ts_six_read_pair_scalar(J, V, V + 6, pair);
        for (int r = 0; r < 3; ++r) {
            long double sum = 0.0L, size = 0.0L;
            for (int j = 0; j < 6; ++j) {
                sum += (long double)J[6 * r + j] * V[j];
                size += fabsl((long double)J[6 * r + j] * V[j]);
            }
            cr_expect_leq(fabsl(one[r] - sum), 1e-15L * size);
            for (int j = 0; j < 6; ++j) {
                sum += (long double)J[18 + 6 * r + j] * V[6 + j];
                size += fabsl((long double)J[18 + 6 * r + j] * V[6 + j]);
            }
            cr_expect_leq(fabsl(pair[r] - sum), 1e-15L * size);
        }
        for (int bodies = 1; bodies <= 2; ++bodies) {
            double square[9];
            ts_six_square_scalar(J, bodies, square);
            for (int i = 0; i < 9; ++i) {
                double read[3];
                const double* row = J + 6 * (i % 3);
                if (bodies == 1)
                    ts_six_read_scalar(J, row, read);
                else
                    ts_six_read_pair_scalar(J, row, row + 18, read);
                cr_expect_eq(square[i], read[i / 3], "square %d of %d", i, bodies);
            }
        }
        double changed[6];
        memcpy(changed, V, sizeof changed);
        ts_six_change_scalar(J, delta[0], delta[1], delta[2], changed);
        for (int j = 0; j < 6; ++j) {
            long double sum = V[j], size = fabs(V[j]);
            for (int r = 0; r < 3; ++r) {
                sum += (long double)J[6 * r + j] * delta[r];
                size += fabsl((long double)J[6 * r + j] * delta[r]);
            }
            cr_expect_leq(fabsl(changed[j] - sum), 1e-15L * size);
        }
    }
}

Test(six_simd, scalar_product_is_the_product) {
    ts_rng rng = ts_rng_make(73, 0);
    for (int trial = 0; trial < 200; ++trial) {
        double J[36], K[9], W[36], was[36];
        fill(&rng, J, 36);
        fill(&rng, K, 9);
        fill(&rng, W, 36);
        memcpy(was, W, sizeof was);
        ts_six_product_scalar(J, K, J + 18, W);
        for (int i = 0; i < 36; ++i) {
            long double sum = was[i], size = fabs(was[i]);
            for (int r = 0; r < 9; ++r) {
                long double part = (long double)J[6 * (r / 3) + i / 6] * K[r] * J[18 + 6 * (r % 3) + i % 6];
                sum += part;
                size += fabsl(part);
            }
            cr_expect_leq(fabsl(W[i] - sum), 2e-15L * size);
        }
    }
}

#if defined(__GNUC__)
Test(six_simd, vector_code_gives_the_same_bits) {
    ts_rng rng = ts_rng_make(72, 0);
    for (int trial = 0; trial < 1000; ++trial) {
        double J[36], V[12], delta[3], scalar[6], vector[6];
        fill(&rng, J, 36);
        fill(&rng, V, 12);
        fill(&rng, delta, 3);
        ts_six_read_scalar(J, V, scalar);
        ts_six_read_simd(J, V, vector);
        cr_expect_eq(memcmp(scalar, vector, 3 * sizeof(double)), 0, "one, trial %d", trial);
        ts_six_read_pair_scalar(J, V, V + 6, scalar);
        ts_six_read_pair_simd(J, V, V + 6, vector);
        cr_expect_eq(memcmp(scalar, vector, 3 * sizeof(double)), 0, "pair, trial %d", trial);
        for (int bodies = 1; bodies <= 2; ++bodies) {
            double square[2][9];
            ts_six_square_scalar(J, bodies, square[0]);
            ts_six_square_simd(J, bodies, square[1]);
            cr_expect_eq(memcmp(square[0], square[1], sizeof square[0]), 0, "square of %d, trial %d", bodies, trial);
        }
        memcpy(scalar, V, sizeof scalar);
        memcpy(vector, V, sizeof vector);
        ts_six_change_scalar(J, delta[0], delta[1], delta[2], scalar);
        ts_six_change_simd(J, delta[0], delta[1], delta[2], vector);
        cr_expect_eq(memcmp(scalar, vector, sizeof vector), 0, "change, trial %d", trial);
        double K[9], W[36], other[36];
        fill(&rng, K, 9);
        fill(&rng, W, 36);
        memcpy(other, W, sizeof other);
        ts_six_product_scalar(J, K, J + 18, W);
        ts_six_product_simd(J, K, J + 18, other);
        cr_expect_eq(memcmp(W, other, sizeof W), 0, "product, trial %d", trial);
    }
}
#endif
