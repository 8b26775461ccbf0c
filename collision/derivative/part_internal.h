// The convex part of a shape that a contact is with. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_PART_INTERNAL_H
#define TS_COLLISION_PART_INTERNAL_H

#include "collision/shape/convex_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many parts of a shape have the point x on their surface where the outward normal may be unit n (both in the shape's frame).
/// *out_walk stands at the first of them. A convex shape is its own only part.
int ts_part_holding(const ts_shape* shape, ts_vec3 x, ts_vec3 n, ts_convex_part_walk* out_walk);

#ifdef __cplusplus
}
#endif
#endif
