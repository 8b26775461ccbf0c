// Sort and sweep: all overlapping pairs of boxes without a memory of the last call.
#ifndef TS_COLLISION_SWEEP_H
#define TS_COLLISION_SWEEP_H

#include "collision/broad/broad_phase.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What ts_broad_phase_pairs does, by sorting along one axis in columns; same contract.
ts_code ts_sweep_pairs(const ts_bounds* bounds, int count, ts_arena* arena, ts_pair** out_pairs, int* out_pair_count,
                       int* out_invalid);

#ifdef __cplusplus
}
#endif
#endif
