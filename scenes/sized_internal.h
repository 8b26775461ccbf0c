// Scenes that come in any size, by name and number: "pyramid:30". Adding one: a row in sized.c.
#ifndef TS_SCENES_SIZED_INTERNAL_H
#define TS_SCENES_SIZED_INTERNAL_H

#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kind that NAME:NUMBER is of, and its number; NULL when there is none such, or the number is not a whole one from 1 to the kind's most.
const ts_sized_scene* ts_sized_scene_find(const char* name, int* out_number);

/// Boxes of a metre in a vertical triangle, `base` of them at its foot, each on two others, exactly touching; NCP-PGS with four substeps of
/// 1/240 s. Boxes of a layer are 5 cm apart.
ts_code ts_pyramid_build(int base, ts_model** out_model, ts_status* out_status);

/// The same in both directions: `layers` squares of boxes, each box on four others.
ts_code ts_square_pyramid_build(int layers, ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
