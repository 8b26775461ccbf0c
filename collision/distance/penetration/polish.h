// Sharpens the normal of a curved pair: from the few digits GJK and EPA give cheaply to nearly all there are.
#ifndef TS_COLLISION_POLISH_H
#define TS_COLLISION_POLISH_H

#include "collision/distance/shape_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A signed distance of two cores with its bounds, in A's frame.
typedef struct ts_polish_state {
    double lower;    // m: attained by `normal`
    double upper;    // m
    ts_vec3 normal;  // unit, from A to B
    ts_vec3 point_a;
    ts_vec3 point_b;
} ts_polish_state;

/// What the witness points say of a polished normal.
typedef enum ts_polish_outcome {
    TS_POLISH_UNSETTLED,  // nothing: a finer start is needed
    TS_POLISH_SETTLED,    // a maximum of the gap to 1e-9 of the size: both points belong to their cores that closely
    TS_POLISH_EXACT       // the same to rounding
} ts_polish_outcome;

/// Improves *state, or leaves it as it is: the lower bound falls by no more than rounding, the upper never rises.
ts_polish_outcome ts_polish_normal(const ts_shape_pair* pair, ts_polish_state* state);

#ifdef __cplusplus
}
#endif
#endif
