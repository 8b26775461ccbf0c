// Sharpens the normal of a curved pair: from the few digits GJK and EPA give cheaply to nearly all there are.
#ifndef TS_COLLISION_POLISH_H
#define TS_COLLISION_POLISH_H

#include "collision/support.h"

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

/// Improves *state, or leaves it as it is: the lower bound falls by no more than rounding, the upper never rises. Returns
/// 1 when the witness points confirm that a maximum of the gap was reached, 0 when a finer start is needed.
int ts_polish_normal(const ts_shape* a, const ts_shape* b, const ts_transform* b_in_a, ts_polish_state* state);

#ifdef __cplusplus
}
#endif
#endif
