// The derivative of a step in another library: of the same model in the same states, by position, velocity and controls.
#ifndef TS_BENCH_STEP_PEER_H
#define TS_BENCH_STEP_PEER_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model in a library at a number of states.
typedef struct ts_bench_steps ts_bench_steps;

/// What it is asked: a step, or its Jacobian by differences of it, forward or central.
typedef enum ts_bench_step_item { TS_BENCH_STEP, TS_BENCH_STEP_FORWARD, TS_BENCH_STEP_CENTRAL } ts_bench_step_item;

#ifdef TS_PEER_MUJOCO
/// MuJoCo, the model as our writer says it in MJCF: its step with its own contacts, and mjd_transitionFD. `state` (count x (nq + nv + nu))
/// holds positions, velocities and controls one state after the other. NULL on failure, with the reason in `error`.
ts_bench_steps* ts_bench_steps_mujoco_open(const ts_model* model, const double* state, int count, char error[200]);
/// Releases it; NULL is ignored.
void ts_bench_steps_mujoco_close(ts_bench_steps* steps);
/// Answers for a state.
void ts_bench_steps_mujoco_run(ts_bench_steps* steps, ts_bench_step_item item, int state);
/// The last Jacobian ((2 nv) x (2 nv + nu), row-major) in our coordinates, and how many contacts there were.
int ts_bench_steps_mujoco_answer(const ts_bench_steps* steps, double* out_matrix);
#endif

#ifdef __cplusplus
}
#endif
#endif
