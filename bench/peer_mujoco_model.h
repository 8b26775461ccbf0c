// Our models in MuJoCo. Only for files that are about MuJoCo.
#ifndef TS_BENCH_PEER_MUJOCO_MODEL_H
#define TS_BENCH_PEER_MUJOCO_MODEL_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mjModel_;

/// Our model as our writer says it in MJCF, with the same bodies and coordinates; NULL where that is not to be had, with the reason in
/// `error`. To be freed with mj_deleteModel.
struct mjModel_* ts_bench_mujoco_compile(const ts_model* ours, char error[200]);

#ifdef __cplusplus
}
#endif
#endif
