// In which order the contacts of a step become blocks of its problem.
#ifndef TS_ENGINE_CONTACT_ORDER_INTERNAL_H
#define TS_ENGINE_CONTACT_ORDER_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Contacts of one pair of geoms, which lie together.
typedef struct ts_contact_run {
    double height;   // m, mean, against gravity
    ts_vec3 centre;  // m, mean
    int first, count;
} ts_contact_run;

/// The pairs of geoms that have contacts, in order, in the step's scratch; NULL when memory is short.
const ts_contact_run* ts_contact_order_runs(ts_sim* sim, int* out_count);

/// The contact of each block, (contact_count) indices of sim->contact in the step's scratch; NULL when memory is short.
int* ts_contact_order_make(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
