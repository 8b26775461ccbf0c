// Oriented boxes: the cheap second look at a pair before the narrow phase.
#ifndef TS_COLLISION_OBB_H
#define TS_COLLISION_OBB_H

#include "base/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A box with any orientation: half extents along the axes of `placed`, centred at its origin.
typedef struct ts_obb {
    ts_transform placed;
    ts_vec3 half;  // m
} ts_obb;

/// Nonzero when the boxes, each grown by half of `margin` (m), may overlap: the 15-axis test with an additive guard, so
/// that rounding on parallel axes can only err towards "overlap".
int ts_obb_overlap(const ts_obb* a, const ts_obb* b, double margin);

#ifdef __cplusplus
}
#endif
#endif
