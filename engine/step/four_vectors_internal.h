// A vector of each of four lanes, by coordinates: four.h three times over. Same sums as vec.h in every lane, so the same bits.
#ifndef TS_ENGINE_STEP_FOUR_VECTORS_INTERNAL_H
#define TS_ENGINE_STEP_FOUR_VECTORS_INTERNAL_H

#include "base/linear/four.h"

// Calls would put vectors into memory.
#if defined(__GNUC__)
#define TS_FOUR_INLINE static inline __attribute__((always_inline))
#else
#define TS_FOUR_INLINE static inline
#endif

/// x of all four, y, z.
typedef struct ts_four_vectors {
    ts_four x, y, z;
} ts_four_vectors;

/// From three rows of four, one behind the other.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_load(const double* from) {
    ts_four_vectors v = {ts_four_load(from), ts_four_load(from + 4), ts_four_load(from + 8)};
    return v;
}

/// Into such rows.
TS_FOUR_INLINE void ts_four_vectors_store(ts_four_vectors v, double* to) {
    ts_four_store(v.x, to);
    ts_four_store(v.y, to + 4);
    ts_four_store(v.z, to + 8);
}

/// Three numbers from each of four places; *out_next is what stands behind them.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_gather(const double* const from[4], ts_four* out_next) {
    ts_four_vectors v = {ts_four_load(from[0]), ts_four_load(from[1]), ts_four_load(from[2])};
    *out_next = ts_four_load(from[3]);
    ts_four_transpose(&v.x, &v.y, &v.z, out_next);
    return v;
}

/// Zeros.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_zero(void) {
    ts_four_vectors v = {ts_four_zero(), ts_four_zero(), ts_four_zero()};
    return v;
}

/// a + b.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_plus(ts_four_vectors a, ts_four_vectors b) {
    ts_four_vectors v = {ts_four_plus(a.x, b.x), ts_four_plus(a.y, b.y), ts_four_plus(a.z, b.z)};
    return v;
}

/// a - b.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_minus(ts_four_vectors a, ts_four_vectors b) {
    ts_four_vectors v = {ts_four_minus(a.x, b.x), ts_four_minus(a.y, b.y), ts_four_minus(a.z, b.z)};
    return v;
}

/// s a.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_times(ts_four s, ts_four_vectors a) {
    ts_four_vectors v = {ts_four_product(s, a.x), ts_four_product(s, a.y), ts_four_product(s, a.z)};
    return v;
}

/// a . b.
TS_FOUR_INLINE ts_four ts_four_vectors_dot(ts_four_vectors a, ts_four_vectors b) {
    return ts_four_plus(ts_four_plus(ts_four_product(a.x, b.x), ts_four_product(a.y, b.y)), ts_four_product(a.z, b.z));
}

/// a x b.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_cross(ts_four_vectors a, ts_four_vectors b) {
    ts_four_vectors v = {ts_four_minus(ts_four_product(a.y, b.z), ts_four_product(a.z, b.y)),
                         ts_four_minus(ts_four_product(a.z, b.x), ts_four_product(a.x, b.z)),
                         ts_four_minus(ts_four_product(a.x, b.y), ts_four_product(a.y, b.x))};
    return v;
}

/// c > 0 ? a : b.
TS_FOUR_INLINE ts_four_vectors ts_four_vectors_where(ts_four c, ts_four_vectors a, ts_four_vectors b) {
    ts_four_vectors v = {ts_four_where(c, a.x, b.x), ts_four_where(c, a.y, b.y), ts_four_where(c, a.z, b.z)};
    return v;
}

/// Three vectors of each lane: the columns of a matrix.
typedef struct ts_four_axes {
    ts_four_vectors x, y, z;
} ts_four_axes;

/// (v.x a.x + v.y a.y) + v.z a.z.
TS_FOUR_INLINE ts_four_vectors ts_four_axes_along(const ts_four_axes* a, ts_four_vectors v) {
    ts_four_vectors xy = ts_four_vectors_plus(ts_four_vectors_times(v.x, a->x), ts_four_vectors_times(v.y, a->y));
    return ts_four_vectors_plus(xy, ts_four_vectors_times(v.z, a->z));
}

/// What a vector is along each of them.
TS_FOUR_INLINE ts_four_vectors ts_four_axes_seen(const ts_four_axes* a, ts_four_vectors v) {
    ts_four_vectors seen = {ts_four_vectors_dot(a->x, v), ts_four_vectors_dot(a->y, v), ts_four_vectors_dot(a->z, v)};
    return seen;
}

#endif
