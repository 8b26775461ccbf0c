// The inner loop of hull supports: which vertex lies farthest along a direction, lowest index first among equals.
// Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_SUPPORT_INTERNAL_H
#define TS_COLLISION_SUPPORT_INTERNAL_H

#include "collision/hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Plain C; what the other must equal, index for index.
int ts_support_scan(const ts_hull* hull, ts_vec3 direction);

/// The same with vector instructions where the target has them (support_simd.c), else ts_support_scan.
int ts_support_scan_simd(const ts_hull* hull, ts_vec3 direction);

#ifdef __cplusplus
}
#endif
#endif
