// The ways to a hull's farthest vertex, one by one, for those who measure or test them; everyone else asks
// ts_support_core, which chooses.
#ifndef TS_COLLISION_SUPPORT_SCAN_H
#define TS_COLLISION_SUPPORT_SCAN_H

#include "collision/shape/hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The farthest vertex along a direction, lowest index among equals. Plain C; what the vector versions must equal,
/// index for index.
int ts_support_scan(const ts_hull* hull, ts_vec3 direction);

/// The same with the widest vectors that the processor has (support_simd.c).
int ts_support_scan_simd(const ts_hull* hull, ts_vec3 direction);

/// The scan with vectors of 2 doubles. As the next, only where ts_support_scan_width is not less.
int ts_support_scan_sse2(const ts_hull* hull, ts_vec3 direction);

/// With vectors of 4.
int ts_support_scan_avx2(const ts_hull* hull, ts_vec3 direction);

/// Doubles per vector in ts_support_scan_simd on this processor: 4, 2, or 1 without vectors.
int ts_support_scan_width(void);

/// A farthest vertex, to rounding, by the lists of the hull's cells (hull_cells.c); for hulls with more than TS_HULL_FEW
/// vertices. Where a cell's list could not be made, `hint`, a vertex or -1, may shorten the climb.
int ts_support_listed(const ts_hull* hull, ts_vec3 direction, int hint);

#ifdef __cplusplus
}
#endif
#endif
