// Oriented boxes: the cheap second look at a pair before the narrow phase.
#ifndef TS_COLLISION_OBB_H
#define TS_COLLISION_OBB_H

#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A box with any orientation: half extents along the axes of `placed`, centred at its origin.
typedef struct ts_obb {
    ts_transform placed;
    ts_vec3 half;  // m
} ts_obb;

/// A box around a shape in the shape's own frame, turned where that makes it smaller. Returns 0, and leaves *out_box
/// alone, where there is none: a plane, or a shape with numbers that are not finite.
int ts_obb_of_shape(const ts_shape* shape, ts_obb* out_box);

/// The axes that are tried, and what stands for none of them.
enum {
    TS_OBB_AXES = 15,  // 0..2 face normals of a, 3..5 of b, 6 + 3 i + j the cross product of axis i of a and j of b
    TS_OBB_NONE = -1
};

/// The first axis found to separate the boxes with these half extents (m), each grown by half of `margin` (m), or TS_OBB_NONE when they may
/// overlap: the 15-axis test with an additive guard, so that rounding on parallel axes can only err towards "overlap".
/// `first`, if it is an axis, is tried before all others: what separated a pair a moment ago mostly still does. Whether
/// some axis separates does not depend on `first`, to the last bit; which one is given may.
int ts_obb_separating_axis(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b, const ts_vec3* half_b,
                           double margin, int first);

/// Nonzero when the boxes, each grown by half of `margin` (m), may overlap.
int ts_obb_overlap(const ts_obb* a, const ts_obb* b, double margin);

#ifdef __cplusplus
}
#endif
#endif
