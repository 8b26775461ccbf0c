// Symmetric matrices in tiles against Cholesky in long double, on the couplings of random trees.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/linear/tiles.h"
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

// a . H^-1 b on the way down, where a and b lie in few tiles, against the whole way.
static void expect_product(const ts_tiles* H, int n, uint32_t mask_a, uint32_t mask_b, const double* a,
                           const double* b) {
    double x[MOST], down_a[MOST], down_b[MOST], whole = 0.0, size = 0.0;
    memcpy(x, b, sizeof x);
    memcpy(down_a, a, sizeof down_a);
    memcpy(down_b, b, sizeof down_b);
    ts_tiles_solve(H, x);
    for (int i = 0; i < n; ++i) {
        whole += a[i] * x[i];
        size += fabs(a[i] * x[i]);
    }
    uint32_t spread_a = ts_tiles_descend(H, mask_a, down_a), spread_b = ts_tiles_descend(H, mask_b, down_b);
    for (int i = 0; i < n; ++i) cr_expect(spread_a >> (i / TS_TILE) & 1u || down_a[i] == 0.0);
    ts_tiles_unpivot(H, spread_a, down_a);
    cr_expect_float_eq(ts_tiles_dot(spread_a & spread_b, down_a, down_b), whole, 1e-9 * size);
    // Half of it added on the way is half of it added at the end.
    memcpy(down_a, a, sizeof down_a);
    memcpy(down_b, b, sizeof down_b);
    ts_tiles_descend(H, mask_a, down_a);
    ts_tiles_descend(H, mask_b, down_b);
    ts_tiles_move(spread_a, 0.5, down_a, down_b);
    ts_tiles_ascend(H, down_b);
    memcpy(down_a, a, sizeof down_a);
    ts_tiles_solve(H, down_a);
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]) + fabs(down_a[i]));
    for (int i = 0; i < n; ++i) cr_expect_float_eq(down_b[i], x[i] + 0.5 * down_a[i], 1e-9 * largest);
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
        ts_tiles_solve(&H, b);
        for (int i = 0; i < n; ++i) {
            size = fmax(size, (double)fabsl(x[i]));
            error = fmax(error, (double)fabsl(x[i] - b[i]));
        }
        cr_expect_leq(error, 1e-9 * size, "trial %d: %g of %g", trial, error, size);
        expect_product(&H, n, mask[0], mask[terms - 1], row[0], row[terms - 1]);
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
