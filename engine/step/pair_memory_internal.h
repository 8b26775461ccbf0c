// What pairs of geoms remember, brought to the pairs of the present step.
#ifndef TS_ENGINE_STEP_PAIR_MEMORY_INTERNAL_H
#define TS_ENGINE_STEP_PAIR_MEMORY_INTERNAL_H

#include "engine/sim_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two geoms that are asked where they touch.
typedef struct ts_narrow_pair {
    int a;
    int b;
} ts_narrow_pair;

/// What they are remembered by: ts_pair_memory.key.
static inline uint64_t ts_pair_key(int geom_a, int geom_b) {
    return (uint64_t)(uint32_t)geom_a << 32 | (uint32_t)geom_b;
}

/// Brings memory to these pairs, ascending by key: where storage->renews_pairs is nonzero afterwards into sim->pair_memory and storage->kept, else into
/// storage->pair_next and kept_next. Manifolds are kept where `keeps`. Returns 0 when memory is short.
int ts_pair_memory_take(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps);

#ifdef __cplusplus
}
#endif
#endif
