// Small symmetric positive definite matrices, up to 64 by 64, in tiles of four by four: what is zero is known tile by tile, and what
// is not takes kernels of one size. Files compiled for AVX2 (TS_WIDE) get functions compiled so, too: the same sums in the same order, the same bits.
#ifndef TS_BASE_TILES_H
#define TS_BASE_TILES_H

#include <stdint.h>

#include "base/linear/four.h"

#if TS_WIDE && defined(__AVX2__)
#define ts_tiles_begin ts_tiles_begin_wide
#define ts_tiles_close ts_tiles_close_wide
#define ts_tiles_clear ts_tiles_clear_wide
#define ts_tiles_factor ts_tiles_factor_wide
#define ts_tiles_solve ts_tiles_solve_wide
#define ts_tiles_descend ts_tiles_descend_wide
#define ts_tiles_ascend ts_tiles_ascend_wide
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Sizes.
enum {
    TS_TILE = 4,         // rows and columns of one
    TS_TILES_MOST = 16,  // in a row
    TS_TILES_NUMBERS = TS_TILES_MOST * (TS_TILES_MOST + 1) / 2 * TS_TILE * TS_TILE
};

/// A matrix H, its lower triangle in tiles; after ts_tiles_factor its factor.
typedef struct ts_tiles {
    double value[TS_TILES_NUMBERS];          // first, so that rows of tiles do not lie across cache lines
    double inverse[TS_TILES_MOST][TS_TILE];  // of the pivots
    uint32_t below[TS_TILES_MOST];           // bit j < i: tile (i, j) may be nonzero
    int count;                               // of tiles in a row
    uint8_t order[TS_TILES_MOST];            // in which they are factored: each before those it hangs on
} ts_tiles;

/// Tile (i, j), j <= i, row-major.
static inline double* ts_tiles_at(ts_tiles* H, int i, int j) {
    return H->value + (i * (i + 1) / 2 + j) * TS_TILE * TS_TILE;
}

/// The number of the lowest bit of a mask that is not zero.
static inline int ts_tiles_first(uint32_t mask) {
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int i = 0;
    while (!(mask >> i & 1u)) ++i;
    return i;
#endif
}

/// The number of its highest bit.
static inline int ts_tiles_last(uint32_t mask) {
#if defined(__GNUC__)
    return 31 - __builtin_clz(mask);
#else
    int i = 31;
    while (!(mask >> i & 1u)) --i;
    return i;
#endif
}

/// How many bits of a mask are set.
static inline int ts_tiles_bits(uint32_t mask) {
#if defined(__GNUC__)
    return __builtin_popcount(mask);
#else
    int count = 0;
    for (; mask; mask &= mask - 1) ++count;
    return count;
#endif
}

/// H becomes the identity with `count` tiles in a row, and room for what `below` names and for what its factor needs.
void ts_tiles_begin(ts_tiles* H, int count);

/// Says that terms a^T b will be added whose columns lie in the tiles of `mask`.
static inline void ts_tiles_couple(ts_tiles* H, uint32_t mask) {
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = ts_tiles_first(left);
        H->below[i] |= mask & ((1u << i) - 1);
    }
}

/// After all ts_tiles_couple: room for what the factor needs beside what they named.
void ts_tiles_close(ts_tiles* H);

/// After all ts_tiles_couple: that, and H is the identity.
void ts_tiles_clear(ts_tiles* H);

/// Tile += A^T B, A and B `rows` by four.
static inline void ts_tile_add(double* tile, const double* A, const double* B, int rows) {
    ts_four t0 = ts_four_load(tile), t1 = ts_four_load(tile + 4), t2 = ts_four_load(tile + 8),
            t3 = ts_four_load(tile + 12);
    for (int r = 0; r < rows; ++r, A += TS_TILE, B += TS_TILE) {
        ts_four b = ts_four_load(B);
        t0 = ts_four_plus(t0, ts_four_times(A[0], b));
        t1 = ts_four_plus(t1, ts_four_times(A[1], b));
        t2 = ts_four_plus(t2, ts_four_times(A[2], b));
        t3 = ts_four_plus(t3, ts_four_times(A[3], b));
    }
    ts_four_store(t0, tile);
    ts_four_store(t1, tile + 4);
    ts_four_store(t2, tile + 8);
    ts_four_store(t3, tile + 12);
}

/// Factors H in place, the last unknown first, so that nothing fills in beyond the chains of a tree. Returns 0 where a pivot is not positive.
int ts_tiles_factor(ts_tiles* H);

/// b = H^-1 b, b of count * TS_TILE numbers, after ts_tiles_factor: ts_tiles_descend, then ts_tiles_ascend.
void ts_tiles_solve(const ts_tiles* H, double* b);

/// b = L^-T b with H = L^T D L, where b is zero but for the tiles of `mask`. Returns the tiles where it may not be zero now: what they hang on has
/// come in. H^-1 a . b is D^-1 times the product of what becomes of a and of b.
uint32_t ts_tiles_descend(const ts_tiles* H, uint32_t mask, double* b);

/// b = L^-1 D^-1 b.
void ts_tiles_ascend(const ts_tiles* H, double* b);

/// b = D^-1 b in the tiles of `mask`.
static inline void ts_tiles_unpivot(const ts_tiles* H, uint32_t mask, double* b) {
    for (; mask; mask &= mask - 1) {
        int k = ts_tiles_first(mask);
        double* x = b + TS_TILE * k;
        ts_four_store(ts_four_product(ts_four_load(H->inverse[k]), ts_four_load(x)), x);
    }
}

/// a . b over the tiles of `mask`.
static inline double ts_tiles_dot(uint32_t mask, const double* a, const double* b) {
    ts_four sum = ts_four_zero();
    for (; mask; mask &= mask - 1) {
        int at = TS_TILE * ts_tiles_first(mask);
        sum = ts_four_plus(sum, ts_four_product(ts_four_load(a + at), ts_four_load(b + at)));
    }
    return ts_four_sum(sum);
}

/// b += by a in the tiles of `mask`.
static inline void ts_tiles_move(uint32_t mask, double by, const double* a, double* b) {
    for (; mask; mask &= mask - 1) {
        int at = TS_TILE * ts_tiles_first(mask);
        ts_four_store(ts_four_plus(ts_four_load(b + at), ts_four_times(by, ts_four_load(a + at))), b + at);
    }
}

#ifdef __cplusplus
}
#endif
#endif
