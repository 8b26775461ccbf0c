// What pairs of geoms remember, brought to the pairs of the present step.
#ifndef TS_ENGINE_STEP_PAIR_MEMORY_INTERNAL_H
#define TS_ENGINE_STEP_PAIR_MEMORY_INTERNAL_H

#include <string.h>

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

/// What is remembered of a pair, as its query takes it; `search` NULL: but the normal nothing is of its last search.
static inline void ts_pair_memory_get(const ts_pair_memory* memory, const ts_gjk_cache* search,
                                      ts_manifold_cache* out) {
    out->gjk = search ? *search : ts_gjk_cache_none();
    out->gjk.normal = memory->normal;
    out->reference = memory->reference;
    out->kept_count = memory->kept_count;
    memcpy(out->kept, memory->kept, sizeof out->kept);
}

/// And as it leaves it.
static inline void ts_pair_memory_put(const ts_manifold_cache* cache, ts_pair_memory* memory, ts_gjk_cache* search) {
    if (search) *search = cache->gjk;
    memory->normal = cache->gjk.normal;
    memory->reference = cache->reference;
    memory->kept_count = cache->kept_count;
    memcpy(memory->kept, cache->kept, sizeof memory->kept);
}

/// Brings memory to these pairs, ascending by key: where storage->renews_pairs is nonzero afterwards into sim->pair_memory, storage->kept and search,
/// else into storage->pair_next, kept_next and search_next. Manifolds are kept where `keeps`. Returns 0 when memory is short.
int ts_pair_memory_take(ts_sim* sim, const ts_narrow_pair* pair, int count, int keeps);

#ifdef __cplusplus
}
#endif
#endif
