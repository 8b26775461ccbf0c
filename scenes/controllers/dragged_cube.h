// The force that drags the cube of the scene "dragged-cube".
#ifndef TS_SCENES_CONTROLLERS_DRAGGED_CUBE_H
#define TS_SCENES_CONTROLLERS_DRAGGED_CUBE_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// F(t) = min(2 * 0.9 * 9.81, 4 * 9.81 t) N along y on the centre of mass of the body "cube", t at the step's beginning.
void ts_dragged_cube_control(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
