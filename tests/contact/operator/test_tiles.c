// Symmetric matrices in tiles against Cholesky in long double, on the couplings of random trees.
#include <criterion/criterion.h>
#include <math.h>

#include "contact/operator/tiles_internal.h"
#include "base/rng.h"

enum { MOST = TS_TILE * TS_TILES_MOST };

// Solves H x = b by Cholesky; H is overwritten.
static void reference(long double H[MOST][MOST], int n, long double* b) {
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j <= k; ++j) {
            long double sum = H[k][j];
            for (int i = 0; i < j; ++i) sum -= H[k][i] * H[j][i];
            H[k][j] = j < k ? sum / H[j][j] : sqrtl(sum);
        }
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < k; ++i) b[k] -= H[k][i] * b[i];
        b[k] /= H[k][k];
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int i = k + 1; i < n; ++i) b[k] -= H[i][k] * b[i];
        b[k] /= H[k][k];
    }
}

// Side 2 of four is b, among others.
static void four_sides_get_the_bits_of_one(const ts_tiles* H, int n, const double* b, ts_rng* rng) {
    double side[4 * MOST], one[4][MOST];
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < 4; ++r) side[4 * i + r] = one[r][i] = r == 2 ? b[i] : ts_rng_normal(rng);
    ts_tiles_solve_four(H, side);
    for (int r = 0; r < 4; ++r) {
        ts_tiles_solve(H, one[r]);
        for (int i = 0; i < n; ++i) cr_expect(side[4 * i + r] == one[r][i], "side %d, number %d", r, i);
    }
}

Test(tiles, solve_what_trees_couple) {
    static ts_tiles H;
    static long double full[MOST][MOST];
    ts_rng rng = ts_rng_make(5, 0);
    for (int trial = 0; trial < 300; ++trial) {
        int tiles = 1 + (int)(ts_rng_uniform(&rng) * TS_TILES_MOST), n = TS_TILE * tiles, terms = 1 + trial % 40;
        static double row[40][MOST];
        uint32_t mask[40];
        double b[MOST], weight[40];
        long double x[MOST];
        ts_tiles_begin(&H, tiles);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) full[i][j] = i == j;
        for (int t = 0; t < terms; ++t) {
            // A chain of tiles from a random one to the first.
            mask[t] = 0;
            for (int k = (int)(ts_rng_uniform(&rng) * tiles); k >= 0; k -= 1 + (int)(ts_rng_uniform(&rng) * 3))
                mask[t] |= 1u << k;
            weight[t] = pow(10.0, ts_rng_uniform_in(&rng, -1.0, 4.0));
            for (int i = 0; i < n; ++i) row[t][i] = mask[t] >> (i / TS_TILE) & 1u ? ts_rng_normal(&rng) : 0.0;
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) full[i][j] += (long double)weight[t] * row[t][i] * row[t][j];
            ts_tiles_couple(&H, mask[t]);
        }
        ts_tiles_clear(&H);
        for (int t = 0; t < terms; ++t) {
            for (int i = 0; i < tiles; ++i) {
                for (int j = 0; j <= i; ++j) {
                    double scaled[TS_TILE];
                    if (!(mask[t] >> i & mask[t] >> j & 1u)) continue;
                    for (int k = 0; k < TS_TILE; ++k) scaled[k] = weight[t] * row[t][TS_TILE * j + k];
                    ts_tile_add(ts_tiles_at(&H, i, j), row[t] + TS_TILE * i, scaled, 1);
                }
            }
        }
        double size = 0.0, error = 0.0;
        for (int i = 0; i < n; ++i) x[i] = b[i] = ts_rng_normal(&rng);
        reference(full, n, x);
        cr_assert(ts_tiles_factor(&H));
        four_sides_get_the_bits_of_one(&H, n, b, &rng);
        ts_tiles_solve(&H, b);
        for (int i = 0; i < n; ++i) {
            size = fmax(size, (double)fabsl(x[i]));
            error = fmax(error, (double)fabsl(x[i] - b[i]));
        }
        cr_expect_leq(error, 1e-9 * size, "trial %d: %g of %g", trial, error, size);
    }
}

Test(tiles, what_is_not_positive_is_refused) {
    static ts_tiles H;
    ts_tiles_begin(&H, 2);
    ts_tiles_clear(&H);
    cr_expect(ts_tiles_factor(&H));
    ts_tiles_clear(&H);
    ts_tiles_at(&H, 1, 1)[5] = 0.0;
    cr_expect_not(ts_tiles_factor(&H));
}
