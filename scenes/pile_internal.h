// Falling piles of mixed convex shapes, any number of them: the scene "pile-1000" and the sizes a benchmark asks for.
#ifndef TS_SCENES_PILE_INTERNAL_H
#define TS_SCENES_PILE_INTERNAL_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What falls: boxes, spheres, capsules, cylinders and icosahedra in turn, or one kind alone.
typedef enum ts_pile_mix { TS_PILE_MIXED, TS_PILE_BOXES, TS_PILE_ICOSAHEDRA } ts_pile_mix;

/// `count` bodies in layers of ten by ten with random orientations, above an open container of five planes. The same seed gives the
/// same pile on every machine.
ts_code ts_pile_build(ts_pile_mix mix, int count, unsigned long seed, ts_model** out_model, ts_status* out_status);

/// The pile of the scene table: 1000 bodies, seed 42.
ts_code ts_pile_build_1000(ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
