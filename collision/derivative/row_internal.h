// Rows of six numbers, one to a number of a twist, two at a time. Not for use outside collision/ and its tests.
//
// Rows go from sums to memory and back in the same pairs: a pair that is read across two that were just written stalls.
#ifndef TS_COLLISION_ROW_INTERNAL_H
#define TS_COLLISION_ROW_INTERNAL_H

#include "base/vec.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)

/// Two neighbouring numbers.
typedef double ts_pair __attribute__((vector_size(16)));

static inline ts_pair ts_pair_make(double a, double b) {
    ts_pair p = {a, b};
    return p;
}
static inline ts_pair ts_pair_add(ts_pair a, ts_pair b) { return a + b; }
static inline ts_pair ts_pair_scale(double s, ts_pair a) { return ts_pair_make(s, s) * a; }

#else

typedef struct ts_pair {
    double a, b;
} ts_pair;

static inline ts_pair ts_pair_make(double a, double b) {
    ts_pair p = {a, b};
    return p;
}
static inline ts_pair ts_pair_add(ts_pair x, ts_pair y) { return ts_pair_make(x.a + y.a, x.b + y.b); }
static inline ts_pair ts_pair_scale(double s, ts_pair x) { return ts_pair_make(s * x.a, s * x.b); }

#endif

/// The six.
typedef struct ts_row {
    ts_pair first, second, third;
} ts_row;

static inline ts_row ts_row_of(ts_pair first, ts_pair second, ts_pair third) {
    ts_row row = {first, second, third};
    return row;
}

/// Of the velocity and of the angular velocity.
static inline ts_row ts_row_make(ts_vec3 velocity, ts_vec3 turning) {
    return ts_row_of(ts_pair_make(velocity.x, velocity.y), ts_pair_make(velocity.z, turning.x),
                     ts_pair_make(turning.y, turning.z));
}

/// What carries a direction: its own velocity, of which `a` has the three numbers in front, as the angular velocity's.
static inline ts_row ts_row_behind(ts_row a) {
#if defined(__GNUC__)
    return ts_row_of(ts_pair_make(0.0, 0.0), ts_pair_make(0.0, a.first[0]), ts_pair_make(a.first[1], a.second[0]));
#else
    return ts_row_of(ts_pair_make(0.0, 0.0), ts_pair_make(0.0, a.first.a), ts_pair_make(a.first.b, a.second.a));
#endif
}

static inline ts_row ts_row_zero(void) { return ts_row_make(ts_vec3_zero(), ts_vec3_zero()); }

static inline ts_row ts_row_load(const double from[6]) {
    ts_row row;
    memcpy(&row, from, sizeof row);
    return row;
}

static inline void ts_row_store(ts_row row, double out[6]) { memcpy(out, &row, sizeof row); }

static inline ts_row ts_row_scale(double s, ts_row a) {
    return ts_row_of(ts_pair_scale(s, a.first), ts_pair_scale(s, a.second), ts_pair_scale(s, a.third));
}

static inline ts_row ts_row_add(ts_row a, ts_row b) {
    return ts_row_of(ts_pair_add(a.first, b.first), ts_pair_add(a.second, b.second), ts_pair_add(a.third, b.third));
}

/// a x + b y
static inline ts_row ts_row_sum(double a, ts_row x, double b, ts_row y) {
    return ts_row_add(ts_row_scale(a, x), ts_row_scale(b, y));
}

#ifdef __cplusplus
}
#endif
#endif
