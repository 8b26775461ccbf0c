// A step in several substeps: contacts are found once and carried along.
#ifndef TS_ENGINE_STEP_SUBSTEP_INTERNAL_H
#define TS_ENGINE_STEP_SUBSTEP_INTERNAL_H

#include "engine/step/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes options.substeps substeps, each by `substep`. The first of them finds the contacts and calls ts_substep_note once it has them;
/// the others call ts_substep_carry instead.
ts_code ts_substep_run(ts_sim* sim, ts_code (*substep)(ts_sim* sim, ts_status* out_status), ts_status* out_status);

/// Nonzero in all substeps of a step but the first.
int ts_substep_is_later(const ts_sim* sim);

/// Notes where contacts are on their bodies. Does nothing where there are no substeps. Returns 0 when memory is short.
int ts_substep_note(ts_sim* sim);

/// Begins a later substep: gives back the scratch of the one before, moves bodies to the present state, and contacts with them.
void ts_substep_carry(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
