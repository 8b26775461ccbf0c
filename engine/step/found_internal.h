// What the search for contacts finds of pairs of geoms, and what becomes of it: contacts, or of a pile what its pairs begin with (found.c).
#ifndef TS_ENGINE_STEP_FOUND_INTERNAL_H
#define TS_ENGINE_STEP_FOUND_INTERNAL_H

#include "contact/pairs/pairs.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/contact_order_internal.h"
#include "engine/step/pair_memory_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// 1: normals closer than this keep their tangents. Far above rounding, far below what friction could notice.
static const double ts_found_same_normal = 1e-6;

enum { TS_NARROW_GRAIN = 64 };  // pairs of geoms that a thread takes at a time: a batch

/// What there is of the pairs of a batch, and then of all before it.
typedef struct ts_narrow_sum {
    int contacts, runs, units;  // runs: pairs that touch
    int kept, failures;         // pairs whose manifold was kept, pairs whose query failed
    double deepest;             // m: of the batch
} ts_narrow_sum;

/// Where a pair touches. Of most pairs there are fewer points than a manifold has room for.
typedef struct ts_narrow_touch {
    int count;
    int units;  // of a pile (contact/pairs/pairs.h)
    ts_proximity_status status;
    const ts_manifold_point* point;  // (count)
} ts_narrow_touch;

/// Where a contact is, until it is known who takes it.
typedef struct ts_found_point {
    ts_vec3 position;  // m
    double gap;        // m
} ts_found_point;

/// What has been found in a step that may be one of a pile; lives in sim->scratch.
typedef struct ts_found {
    ts_found_point* point;   // (contact_count)
    ts_vec3* normal;         // of each unit, and room behind the last
    ts_arena_scope without;  // what scratch holds before these
} ts_found;

static inline int ts_same_vector(ts_vec3 a, ts_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Takes over all points of pairs, in order, with what is remembered of each: into sim->contact, or, of a step that may be one of a pile, into
/// storage->found. `sum`, of every batch of pairs, is overwritten. TS_ERROR_MEMORY.
ts_code ts_found_take(ts_sim* sim, const ts_narrow_pair* pair, const ts_narrow_touch* touch, int pair_count,
                      ts_narrow_sum* sum);

/// Makes contacts of storage->found after all. Returns 0 when memory is short.
int ts_found_fill(ts_sim* sim);

/// What few contacts have, where any of them has something of it. Returns 0 when memory is short.
int ts_found_take_rare(ts_sim* sim);

/// What the contacts of a pile's unit, which are of that run, begin with: the frame of the first, and in it every one's impulse. Their notes say the rest.
void ts_found_start(const ts_sim* sim, const ts_contact_run* run, const ts_pair_unit* unit, ts_mat3* out_frame,
                    ts_vec3* out_impulse);

#ifdef __cplusplus
}
#endif
#endif
