// How near geoms must be for a contact to be made where it is to last for a whole step.
#ifndef TS_ENGINE_STEP_FORESEE_INTERNAL_H
#define TS_ENGINE_STEP_FORESEE_INTERNAL_H

#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// m/s: at most how fast a geom's surface moves; 0 where it is fixed, infinite where its body hangs on another.
double ts_foresee_speed(const ts_sim* sim, int geom);

/// What ts_foresee_reach is in a step with substeps.
double ts_foresee_reach_of_substeps(const ts_sim* sim, int geom);

/// m: at most how far a geom's surface comes in a step with substeps, but no more than its size; 0 in other steps, where it
/// is fixed, and where its body hangs on another.
static inline double ts_foresee_reach(const ts_sim* sim, int geom) {
    return ts_sim_storage_of(sim)->substep_count > 1 ? ts_foresee_reach_of_substeps(sim, geom) : 0.0;
}

/// What ts_foresee_margin is where the reaches of both are together more than `margin`.
double ts_foresee_margin_within(const ts_sim* sim, int geom_a, int geom_b, double margin, double reach);

/// m: the margin of a pair: `margin`, or how far the two may come towards each other in this step, where that is more. By
/// the reaches of both in the simulation's storage.
static inline double ts_foresee_margin(const ts_sim* sim, int geom_a, int geom_b, double margin) {
    const double* of = ts_sim_storage_of(sim)->reach;
    double reach = of[geom_a] + of[geom_b];
    return reach > margin ? ts_foresee_margin_within(sim, geom_a, geom_b, margin, reach) : margin;
}

#ifdef __cplusplus
}
#endif
#endif
