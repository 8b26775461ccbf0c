// Spatial vectors, each of its halves in one vector of four (base/linear/four.h), for walks that are compiled for AVX2, too.
//
// Three numbers and a fourth that means nothing: it never reaches the others. Sums are taken in the order of base/spatial.h, number by number.
#ifndef TS_ENGINE_SPATIAL_FOUR_INTERNAL_H
#define TS_ENGINE_SPATIAL_FOUR_INTERNAL_H

#include "base/linear/four.h"
#include "base/spatial.h"

/// A motion, or a force with its couple as angular part.
typedef struct ts_spatial_four {
    ts_four angular;
    ts_four linear;
} ts_spatial_four;

/// Numbers that one takes where it is kept.
enum { TS_SPATIAL_FOUR = 8 };

static inline ts_spatial_four ts_spatial_four_zero(void) {
    ts_spatial_four a = {ts_four_zero(), ts_four_zero()};
    return a;
}

static inline ts_spatial_four ts_spatial_four_load(const double* from) {
    ts_spatial_four a = {ts_four_load(from), ts_four_load(from + 4)};
    return a;
}

static inline void ts_spatial_four_store(ts_spatial_four a, double* to) {
    ts_four_store(a.angular, to);
    ts_four_store(a.linear, to + 4);
}

/// From six numbers; no others are read.
static inline ts_spatial_four ts_spatial_four_of(const ts_motion* m) {
    const double* from = (const double*)m;
    ts_spatial_four a = {ts_four_load(from), ts_four_next(ts_four_load(from + 2))};
    return a;
}

/// Into its six numbers; no others are written.
static inline void ts_spatial_four_put(ts_spatial_four a, ts_motion* out) {
    double* to = (double*)out;
    // The fourth is the next, which comes after it.
    ts_four_store(a.angular, to);
    ts_four_store_three(a.linear, to + 3);
}

static inline ts_four ts_four_vec3(ts_vec3 v) { return ts_four_make(v.x, v.y, v.z, v.z); }

static inline ts_spatial_four ts_spatial_four_plus(ts_spatial_four a, ts_spatial_four b) {
    ts_spatial_four c = {ts_four_plus(a.angular, b.angular), ts_four_plus(a.linear, b.linear)};
    return c;
}

static inline ts_spatial_four ts_spatial_four_times(double s, ts_spatial_four a) {
    ts_spatial_four b = {ts_four_times(s, a.angular), ts_four_times(s, a.linear)};
    return b;
}

/// a x b before its numbers are turned on once more.
static inline ts_four ts_four_cross_unturned(ts_four a, ts_four b) {
    return ts_four_minus(ts_four_product(a, ts_four_turn(b)), ts_four_product(ts_four_turn(a), b));
}

static inline ts_four ts_four_cross(ts_four a, ts_four b) { return ts_four_turn(ts_four_cross_unturned(a, b)); }

/// a x b for motions.
static inline ts_spatial_four ts_spatial_four_cross(ts_spatial_four a, ts_spatial_four b) {
    ts_four linear =
        ts_four_plus(ts_four_cross_unturned(a.angular, b.linear), ts_four_cross_unturned(a.linear, b.angular));
    ts_spatial_four c = {ts_four_cross(a.angular, b.angular), ts_four_turn(linear)};
    return c;
}

/// a x* f for forces.
static inline ts_spatial_four ts_spatial_four_cross_force(ts_spatial_four a, ts_spatial_four f) {
    ts_four couple =
        ts_four_plus(ts_four_cross_unturned(a.angular, f.angular), ts_four_cross_unturned(a.linear, f.linear));
    ts_spatial_four c = {ts_four_turn(couple), ts_four_cross(a.angular, f.linear)};
    return c;
}

/// Power of f on m.
static inline double ts_spatial_four_dot(ts_spatial_four m, ts_spatial_four f) {
    double sum[4];
    ts_four_store(ts_four_plus(ts_four_product(m.angular, f.angular), ts_four_product(m.linear, f.linear)), sum);
    return (sum[0] + sum[1]) + sum[2];
}

/// An inertia: mass, first moment, columns of the second.
typedef struct ts_inertia_four {
    double mass;
    ts_four moment;
    ts_four column[3];
} ts_inertia_four;

/// From its thirteen numbers; no others are read.
static inline ts_inertia_four ts_inertia_four_of(const ts_inertia* i) {
    const double* from = (const double*)i;
    ts_inertia_four a = {from[0],
                         ts_four_load(from + 1),
                         {ts_four_load(from + 4), ts_four_load(from + 7), ts_four_next(ts_four_load(from + 9))}};
    return a;
}

/// Momentum, or force, under a motion.
static inline ts_spatial_four ts_inertia_four_mul(const ts_inertia_four* i, ts_spatial_four m) {
    ts_four turned = ts_four_plus(ts_four_product(i->column[0], ts_four_lane(m.angular, 0)),
                                  ts_four_product(i->column[1], ts_four_lane(m.angular, 1)));
    turned = ts_four_plus(turned, ts_four_product(i->column[2], ts_four_lane(m.angular, 2)));
    ts_spatial_four f = {
        ts_four_plus(turned, ts_four_cross(i->moment, m.linear)),
        ts_four_minus(ts_four_times(i->mass, m.linear), ts_four_cross(i->moment, m.angular)),
    };
    return f;
}

#endif
