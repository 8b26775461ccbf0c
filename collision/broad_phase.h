// The broad phase: boxes in, pairs that may touch out. Deterministic: pairs come sorted by (first, second), whatever the
// history or the number of workers.
#ifndef TS_COLLISION_BROAD_PHASE_H
#define TS_COLLISION_BROAD_PHASE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An axis-aligned box with who it belongs to.
typedef struct ts_bounds {
    ts_vec3 min;        // m, world; may be -infinity
    ts_vec3 max;        // m, world; may be +infinity
    int group;          // boxes of the same group never pair (one group per rigidly connected set of shapes)
    unsigned category;  // pairs need (a.category & b.mask) || (b.category & a.mask), as in MJCF contype/conaffinity
    unsigned mask;
} ts_bounds;

/// Two boxes that overlap; first < second are indices into the array of bounds.
typedef struct ts_pair {
    int first;
    int second;
} ts_pair;

/// All overlapping pairs of `count` boxes, ascending. Memory for them comes from `arena`. A box with a NaN pairs with
/// nothing and is counted in *out_invalid (may be NULL). TS_ERROR_MEMORY when the arena fails.
ts_code ts_broad_phase_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair** out_pairs,
                             int* out_pair_count, int* out_invalid);

#ifdef __cplusplus
}
#endif
#endif
