// Falling piles of mixed convex shapes, any number of them: the scene "pile-1000" and the sizes a benchmark asks for.
#ifndef TS_SCENES_PILE_INTERNAL_H
#define TS_SCENES_PILE_INTERNAL_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `count` bodies (boxes, spheres, capsules, cylinders and convex hulls in turn), in layers of ten by ten with random
/// orientations, above an open container of five planes. The same seed gives the same pile on every machine.
ts_code ts_pile_build(int count, unsigned long seed, ts_model** out_model, ts_status* out_status);

/// The pile of the scene table: 1000 bodies, seed 42.
ts_code ts_pile_build_1000(ts_model** out_model, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
