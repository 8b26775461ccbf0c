// Sharpens the normal of a curved pair: from the few digits GJK and EPA give cheaply to nearly all there are.
#ifndef TS_COLLISION_POLISH_INTERNAL_H
#define TS_COLLISION_POLISH_INTERNAL_H

#include "collision/distance/shape_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the witness points say of a polished normal.
typedef enum ts_polish_outcome {
    TS_POLISH_UNSETTLED,  // nothing: a finer start is needed
    TS_POLISH_SETTLED,    // a maximum of the gap to 1e-9 of the size: both points belong to their cores that closely
    TS_POLISH_EXACT       // the same to rounding
} ts_polish_outcome;

/// Improves what is known of the cores, or leaves it as it is: the lower bound falls by no more than rounding, the upper
/// never rises.
ts_polish_outcome ts_polish_normal(const ts_shape_pair* pair, ts_separation* io_found);

/// The same among normals whose angle to that in *io_found has at least that cosine.
ts_polish_outcome ts_polish_normal_near(const ts_shape_pair* pair, double cosine, ts_separation* io_found);

#ifdef __cplusplus
}
#endif
#endif
