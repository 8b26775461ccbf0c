// Other engines in the laboratory: who offers which. See ts_lab_engine (scenes/experiments/experiment.h).
#ifndef TS_BENCH_LAB_PEER_INTERNAL_H
#define TS_BENCH_LAB_PEER_INTERNAL_H

#include "scenes/experiments/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef TS_PEER_MUJOCO
/// MuJoCo as it comes, as its tuning guide wants it, and as hard as it goes: 0, 1, 2. NULL beyond.
const ts_lab_engine* ts_bench_lab_mujoco(int i);
#endif

#ifdef TS_PEER_BULLET
/// Bullet in double precision, as it comes: 0. NULL beyond.
const ts_lab_engine* ts_bench_lab_bullet(int i);
#endif

#ifdef __cplusplus
}
#endif
#endif
