// How near geoms must be for a contact to be made where it is to last for a whole step.
#ifndef TS_ENGINE_STEP_FORESEE_INTERNAL_H
#define TS_ENGINE_STEP_FORESEE_INTERNAL_H

#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// m/s: at most how fast a geom's surface moves; 0 where it is fixed, infinite where its body hangs on another.
double ts_foresee_speed(const ts_sim* sim, int geom);

/// ts_foresee_note of a step with substeps.
void ts_foresee_note_of_substeps(const ts_sim* sim, const ts_collider* collider, ts_foreseen* out);

/// Notes how a collider's geom moves.
static inline void ts_foresee_note(const ts_sim* sim, const ts_collider* collider) {
    ts_foreseen* out = &ts_sim_storage_of(sim)->foreseen[collider->geom];
    if (ts_sim_storage_of(sim)->substep_count > 1)
        ts_foresee_note_of_substeps(sim, collider, out);
    else
        out->reach = 0.0;
}

/// What ts_foresee_margin is where the reaches of both are together more than `margin`.
double ts_foresee_margin_within(const ts_sim* sim, int geom_a, int geom_b, double margin, double reach);

/// m: the margin of a pair: `margin`, or how far the two may come towards each other in this step, where that is more. By
/// what was noted of both.
static inline double ts_foresee_margin(const ts_sim* sim, int geom_a, int geom_b, double margin) {
    const ts_foreseen* of = ts_sim_storage_of(sim)->foreseen;
    double reach = of[geom_a].reach + of[geom_b].reach;
    return reach > margin ? ts_foresee_margin_within(sim, geom_a, geom_b, margin, reach) : margin;
}

#ifdef __cplusplus
}
#endif
#endif
