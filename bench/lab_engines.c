// The other engines of the laboratory that this build has, one after the other.
#include "bench/bench.h"
#include "bench/lab_peer_internal.h"

#include <string.h>

typedef const ts_lab_engine* offer(int i);

// Adding one: its declaration in lab_peer_internal.h, and a line here.
static offer* const offers[] = {
#ifdef TS_PEER_MUJOCO
    ts_bench_lab_mujoco,
#endif
#ifdef TS_PEER_BULLET
    ts_bench_lab_bullet,
#endif
    NULL};

const ts_lab_engine* ts_bench_lab_engine(int i) {
    for (int k = 0; offers[k]; ++k)
        for (int own = 0; offers[k](own); ++own)
            if (i-- == 0) return offers[k](own);
    return NULL;
}
