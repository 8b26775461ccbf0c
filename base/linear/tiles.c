// Small symmetric positive definite matrices in tiles of four by four.
//
// Problem: H x = b for matrices of robots: 9 to 64 unknowns, coupled along the chains of a tree.
// Rule: H = L^T D L with unit lower L, each row of tiles before those it hangs on: eliminating a dof couples those it hangs on, which are coupled
// already. Rows of which none hangs on the other stand side by side in the order, so that one's pivots are found while another waits for its own. Which tiles can be nonzero is a bit each; an elimination's fill is found by passing a row's bits on to the last of its tiles
// (the elimination tree). Within a tile everything is four wide.
// Source: Featherstone 2005 (L^T D L of branched trees); elimination tree: Liu 1990. Guaranteed: backward stable for positive
// definite H; same bits on every machine, sums of a tile are taken in one order. Known to fail: H that is not positive definite is refused.
#include "base/linear/tiles.h"

#include <string.h>

enum { N = TS_TILE };

void ts_tiles_begin(ts_tiles* H, int count) {
    H->count = count;
    memset(H->below, 0, sizeof H->below);
}

void ts_tiles_close(ts_tiles* H) {
    // What hangs on nothing comes first, then what hangs on that: neighbours in the order mostly have nothing to do with each other.
    uint32_t at_height[TS_TILES_MOST + 1] = {0};
    uint8_t height[TS_TILES_MOST] = {0};
    for (int k = H->count - 1; k >= 0; --k) {
        uint32_t below = H->below[k];
        at_height[height[k]] |= 1u << k;
        if (!below) continue;
        int parent = ts_tiles_last(below);
        H->below[parent] |= below ^ (1u << parent);
        if (height[parent] <= height[k]) height[parent] = (uint8_t)(height[k] + 1);
    }
    int place = 0;
    for (const uint32_t* tiles = at_height; place < H->count; ++tiles)
        for (uint32_t left = *tiles; left; left &= left - 1) H->order[place++] = (uint8_t)ts_tiles_first(left);
}

void ts_tiles_clear(ts_tiles* H) {
    ts_tiles_close(H);
    ts_four zero = ts_four_zero();
    for (int k = H->count - 1; k >= 0; --k) {
        double *row = ts_tiles_at(H, k, 0), *own = row + N * N * k;
        for (int i = 0; i < N; ++i) ts_four_store(ts_four_make(i == 0, i == 1, i == 2, i == 3), own + N * i);
        // A call for every tile would take longer than the tile.
        for (uint32_t below = H->below[k]; below; below &= below - 1) {
            double* tile = row + N * N * ts_tiles_first(below);
            for (int i = 0; i < N; ++i) ts_four_store(zero, tile + N * i);
        }
    }
}

// A diagonal tile, into unit lower and the inverse pivots, one after the other: two of them from one determinant would wait less, but a robot that
// stands took more of Newton's steps where they were so. Its third and fourth row first, then the others, so that something else can be done between.
static inline void factor_later(double* tile, double* inverse) {
    double a = tile[0], b = tile[5], c = tile[10], d = tile[15], ba = tile[4], ca = tile[8], cb = tile[9];
    double i = 1.0 / d, x = tile[12] * i, y = tile[13] * i, z = tile[14] * i;
    c -= z * tile[14], cb -= z * tile[13], ca -= z * tile[12];
    b -= y * tile[13], ba -= y * tile[12], a -= x * tile[12];
    double j = 1.0 / c, u = ca * j, v = cb * j;
    b -= v * cb, ba -= v * ca, a -= u * ca;
    inverse[2] = j, inverse[3] = i;
    tile[0] = a, tile[4] = ba, tile[5] = b, tile[8] = u, tile[9] = v, tile[10] = c;
    tile[12] = x, tile[13] = y, tile[14] = z;
}

// Returns 0 where a pivot is not positive.
static inline int factor_earlier(double* tile, double* inverse) {
    double a = tile[0], b = tile[5], ba = tile[4];
    double k = 1.0 / b, w = ba * k;
    a -= w * ba;
    inverse[0] = 1.0 / a, inverse[1] = k;
    tile[4] = w;
    return (a > 0.0) & (b > 0.0) & (tile[10] > 0.0) & (tile[15] > 0.0);
}

static inline int factor_tile(double* tile, double* inverse) {
    factor_later(tile, inverse);
    return factor_earlier(tile, inverse);
}

// tile -= A^T B
static inline void subtract(double* tile, const double* A, const double* B) {
    ts_four b0 = ts_four_load(B), b1 = ts_four_load(B + 4), b2 = ts_four_load(B + 8), b3 = ts_four_load(B + 12);
    for (int i = 0; i < N; ++i, tile += N) {
        ts_four even = ts_four_plus(ts_four_times(A[i], b0), ts_four_times(A[N + i], b1));
        ts_four odd = ts_four_plus(ts_four_times(A[2 * N + i], b2), ts_four_times(A[3 * N + i], b3));
        ts_four_store(ts_four_minus(ts_four_load(tile), ts_four_plus(even, odd)), tile);
    }
}

// A tile by the own tile of its row, whose factor is known, and that before division by pivots.
static inline void divide(double* tile, const double* own, const double* inverse, double* unscaled) {
    ts_four x3 = ts_four_load(tile + 12);
    ts_four x2 = ts_four_minus(ts_four_load(tile + 8), ts_four_times(own[14], x3));
    ts_four x1 =
        ts_four_minus(ts_four_load(tile + 4), ts_four_plus(ts_four_times(own[13], x3), ts_four_times(own[9], x2)));
    ts_four x0 =
        ts_four_plus(ts_four_plus(ts_four_times(own[12], x3), ts_four_times(own[8], x2)), ts_four_times(own[4], x1));
    x0 = ts_four_minus(ts_four_load(tile), x0);
    ts_four_store(x0, unscaled), ts_four_store(x1, unscaled + 4), ts_four_store(x2, unscaled + 8),
        ts_four_store(x3, unscaled + 12);
    ts_four_store(ts_four_times(inverse[0], x0), tile), ts_four_store(ts_four_times(inverse[1], x1), tile + 4);
    ts_four_store(ts_four_times(inverse[2], x2), tile + 8), ts_four_store(ts_four_times(inverse[3], x3), tile + 12);
}

int ts_tiles_factor(ts_tiles* H) {
    _Alignas(32) double unscaled[TS_TILES_MOST][N * N];
    if (H->count > 0 && !factor_tile(ts_tiles_at(H, H->order[0], H->order[0]), H->inverse[H->order[0]])) return 0;
    for (int place = 0; place + 1 < H->count; ++place) {
        int k = H->order[place], ahead = H->order[place + 1];
        double *row = ts_tiles_at(H, k, 0), *pivots = ts_tiles_at(H, ahead, ahead);
        const double *own = row + N * N * k, *inverse = H->inverse[k];
        uint32_t below = H->below[k], next = 1u << ahead & below;
        // The next pivots before all else: what follows need not wait for their divisions.
        if (next) {
            divide(row + N * N * ahead, own, inverse, unscaled[ahead]);
            subtract(pivots, unscaled[ahead], row + N * N * ahead);
        }
        factor_later(pivots, H->inverse[ahead]);
        for (uint32_t left = below & ~next; left; left &= left - 1) {
            int j = ts_tiles_first(left);
            divide(row + N * N * j, own, inverse, unscaled[j]);
        }
        if (!factor_earlier(pivots, H->inverse[ahead])) return 0;
        for (uint32_t left = below; left; left &= left - 1) {
            int i = ts_tiles_first(left);
            double* to = ts_tiles_at(H, i, 0);
            for (uint32_t upto = below & ((2u << i) - 1) & ~(next & 1u << i); upto; upto &= upto - 1) {
                int j = ts_tiles_first(upto);
                subtract(to + N * N * j, unscaled[i], row + N * N * j);
            }
        }
    }
    return 1;
}

uint32_t ts_tiles_descend(const ts_tiles* H, uint32_t mask, double* b) {
    for (int k = H->count - 1; k >= 0; --k) {
        if (!(mask >> k & 1u)) continue;
        const double *row = H->value + k * (k + 1) / 2 * N * N, *own = row + N * N * k;
        double *x = b + N * k, x3 = x[3], x2 = x[2] - own[14] * x3, x1 = x[1] - (own[13] * x3 + own[9] * x2),
               x0 = x[0] - ((own[12] * x3 + own[8] * x2) + own[4] * x1);
        x[2] = x2, x[1] = x1, x[0] = x0;
        mask |= H->below[k];
        for (uint32_t below = H->below[k]; below; below &= below - 1) {
            int j = ts_tiles_first(below);
            const double* tile = row + N * N * j;
            double* y = b + N * j;
            ts_four even =
                ts_four_plus(ts_four_times(x0, ts_four_load(tile)), ts_four_times(x1, ts_four_load(tile + 4)));
            ts_four odd =
                ts_four_plus(ts_four_times(x2, ts_four_load(tile + 8)), ts_four_times(x3, ts_four_load(tile + 12)));
            ts_four_store(ts_four_minus(ts_four_load(y), ts_four_plus(even, odd)), y);
        }
    }
    return mask;
}

void ts_tiles_ascend(const ts_tiles* H, double* b) {
    for (int k = 0; k < H->count; ++k) {
        const double *row = H->value + k * (k + 1) / 2 * N * N, *own = row + N * N * k;
        double *x = b + N * k, left_over[N];
        ts_four s0 = ts_four_zero(), s1 = s0, s2 = s0, s3 = s0;
        for (uint32_t left = H->below[k]; left; left &= left - 1) {
            int j = ts_tiles_first(left);
            const double* tile = row + N * N * j;
            ts_four y = ts_four_load(b + N * j);
            s0 = ts_four_plus(s0, ts_four_product(ts_four_load(tile), y));
            s1 = ts_four_plus(s1, ts_four_product(ts_four_load(tile + 4), y));
            s2 = ts_four_plus(s2, ts_four_product(ts_four_load(tile + 8), y));
            s3 = ts_four_plus(s3, ts_four_product(ts_four_load(tile + 12), y));
        }
        // Sums of all four rows at once.
        ts_four_transpose(&s0, &s1, &s2, &s3);
        ts_four sum = ts_four_plus(ts_four_plus(s0, s2), ts_four_plus(s1, s3));
        ts_four_store(ts_four_minus(ts_four_product(ts_four_load(x), ts_four_load(H->inverse[k])), sum), left_over);
        double x0 = left_over[0], x1 = left_over[1] - own[4] * x0, x2 = left_over[2] - (own[8] * x0 + own[9] * x1);
        x[0] = x0, x[1] = x1, x[2] = x2;
        x[3] = left_over[3] - ((own[12] * x0 + own[13] * x1) + own[14] * x2);
    }
}

void ts_tiles_solve(const ts_tiles* H, double* b) {
    ts_tiles_descend(H, (uint32_t)((1ull << H->count) - 1), b);
    ts_tiles_ascend(H, b);
}
