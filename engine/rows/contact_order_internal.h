// In which order the contacts of a step become blocks of its problem.
#ifndef TS_ENGINE_CONTACT_ORDER_INTERNAL_H
#define TS_ENGINE_CONTACT_ORDER_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The contact of each block, (contact_count) indices of sim->contact in the step's scratch; NULL when memory is short.
int* ts_contact_order_make(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
