// How near geoms must be for a contact to be made where it is to last for a whole step.
#ifndef TS_ENGINE_STEP_FORESEE_INTERNAL_H
#define TS_ENGINE_STEP_FORESEE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// m/s: at most how fast a geom's surface moves; 0 where it is fixed, infinite where its body hangs on another.
double ts_foresee_speed(const ts_sim* sim, int geom);

/// m: at most how far a geom's surface comes in a step with substeps, but no more than its size; 0 in other steps, where it
/// is fixed, and where its body hangs on another.
double ts_foresee_reach(const ts_sim* sim, int geom);

/// m: the margin of a pair: `margin`, or how far the two may come towards each other in this step, where that is more. By
/// the reaches of both in the simulation's storage.
double ts_foresee_margin(const ts_sim* sim, int geom_a, int geom_b, double margin);

#ifdef __cplusplus
}
#endif
#endif
