// In which order the contacts of a step become blocks of its problem.
#ifndef TS_ENGINE_CONTACT_ORDER_INTERNAL_H
#define TS_ENGINE_CONTACT_ORDER_INTERNAL_H

#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The contacts of one pair of geoms, which lie together, as they were found.
typedef struct ts_contact_run {
    ts_vec3 centre;  // m, mean
    int first, count;
    int geom[2];  // A and B
    int body[2];  // theirs
    int unit;     // the number of its first one of these, among those of all pairs
    short units;  // runs of points of one normal, none longer than a unit of a pile (contact/pairs/pairs.h)
    short kind;   // ts_contact_run_kind
    double friction, restitution;
} ts_contact_run;

/// What all of them are.
enum {
    TS_CONTACT_RUN_PLAIN = 1,    // nothing but friction: neither rolling, nor glue, nor a surface that runs
    TS_CONTACT_RUN_BOUNCES = 2,  // elastic
    TS_CONTACT_RUN_PAUSES = 4,   // of some of them a push-out stays away, or has (ts_row_memory.pause)
    TS_CONTACT_RUN_RARE = 8      // they have something that few have (ts_contact_rare)
};

/// The run of contact i.
static inline const ts_contact_run* ts_contact_run_of(const ts_sim* sim, int i) {
    const ts_contact_run* run = ts_sim_storage_of(sim)->contact_run;
    int first = 0, end = ts_sim_storage_of(sim)->run_count;
    while (end - first > 1) {
        int middle = first + (end - first) / 2;
        if (run[middle].first <= i)
            first = middle;
        else
            end = middle;
    }
    return &run[first];
}

/// The pairs of geoms that have contacts (ts_sim_storage.contact_run), highest first: (storage->run_count) indices in the step's scratch; NULL when
/// memory is short.
const int* ts_contact_order_runs(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
