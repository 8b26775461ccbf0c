// The books of a step, stage by stage. All do nothing while none are kept.
#ifndef TS_ENGINE_STEP_LEDGER_INTERNAL_H
#define TS_ENGINE_STEP_LEDGER_INTERNAL_H

#include "engine/step/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Notes the velocity without rows before the integrator changes it. Returns 0 when memory is short.
int ts_ledger_open(ts_sim* sim);

/// Books the work of a step whose end is known and not taken over. Returns 0 when memory is short.
int ts_ledger_book(ts_sim* sim);

/// Closes the books once it is.
void ts_ledger_close(ts_sim* sim);

/// Books what motion was taken from those that fell asleep at the end of a step that is closed.
void ts_ledger_put_to_sleep(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
