// Other libraries' broad phases behind one face, for the benchmark broad-phase.
#ifndef TS_BENCH_BROAD_PEER_H
#define TS_BENCH_BROAD_PEER_H

#include "collision/broad/broad_phase.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A broad phase with its own memory. Boxes keep their index; every box may pair with every other.
typedef struct ts_bench_broad_peer {
    const char* name;
    int count_limit;  // more boxes than this take it too long
    int exact;        // nonzero: gives the pairs of the true boxes only; else also some near ones
    void* (*create)(const ts_bounds* bounds, int count);      // NULL when it cannot
    void (*update)(void* state, const ts_bounds* bounds);     // moves all boxes and finds all pairs
    int (*pairs)(void* state, ts_pair* out_pairs, int room);  // those of the last update, in any order; how many
    void (*release)(void* state);                             // NULL is ignored
} ts_bench_broad_peer;

/// The rows of each file.
int ts_bench_broad_bullet(const ts_bench_broad_peer** out_peers);
int ts_bench_broad_fcl(const ts_bench_broad_peer** out_peers);

#ifdef __cplusplus
}
#endif
#endif
