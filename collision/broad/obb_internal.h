// Oriented boxes, whatever the machine. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_OBB_INTERNAL_H
#define TS_COLLISION_OBB_INTERNAL_H

#include "collision/broad/obb.h"

#ifdef __cplusplus
extern "C" {
#endif

/// ts_obb_separating_axis, whatever the machine, and with AVX2: the same axis.
int ts_obb_separating_axis_narrow(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                  const ts_vec3* half_b, double margin, int first);
int ts_obb_separating_axis_wide(const ts_transform* a, const ts_vec3* half_a, const ts_transform* b,
                                const ts_vec3* half_b, double margin, int first);

#ifdef __cplusplus
}
#endif
#endif
