// One face for every library of rigid-body dynamics: the same model, the same states, one algorithm at a time.
#ifndef TS_BENCH_DYNAMICS_PEER_H
#define TS_BENCH_DYNAMICS_PEER_H

#include "engine/model/model.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is asked. "From q" starts at coordinates, velocities and accelerations, and each library finds on the way as little as it can; the others take what the questions before them, in
/// this order, have left for the state.
typedef enum ts_bench_dynamics_item {
    TS_BENCH_KINEMATICS,        // poses of bodies and geoms, and what the recursions need
    TS_BENCH_BIAS,              // Coriolis, centrifugal and gravity forces
    TS_BENCH_INERTIA,           // M
    TS_BENCH_FACTOR,            // the factor of M
    TS_BENCH_JACOBIAN,          // of the last body's frame, linear and angular
    TS_BENCH_SOLVE,             // M^-1 J^T of its three linear rows
    TS_BENCH_TWISTS_FROM_Q,     // poses and twists of bodies, and nothing else, from q
    TS_BENCH_INVERSE_DYNAMICS,  // M a + b, from q
    TS_BENCH_INERTIA_FROM_Q,    // M, from q
    TS_BENCH_FORWARD_DYNAMICS,  // a with M a + b = tau, from q
    TS_BENCH_CENTROIDAL,        // the centroidal momentum matrix, from q
    TS_BENCH_DERIVATIVES,  // from here on: by configuration (along our velocities), by velocity, by the input, nv x nv each
    TS_BENCH_INVERSE_DERIVATIVES = TS_BENCH_DERIVATIVES,  // of M a + b, from q
    TS_BENCH_FORWARD_DERIVATIVES,                         // of forward dynamics and its answer, from q
    TS_BENCH_DYNAMICS_ITEMS
} ts_bench_dynamics_item;

/// A number of states of a model. Arrays are state by state.
typedef struct ts_bench_states {
    int count;
    const double* qpos;          // (count x nq)
    const double* qvel;          // (count x nv)
    const double* acceleration;  // (count x nv)
    const double* force;         // (count x nv)
} ts_bench_states;

/// A model in a library, with room for every state.
typedef struct ts_bench_dynamics ts_bench_dynamics;

/// The functions of a library.
typedef struct ts_bench_dynamics_engine {
    const char* name;
    /// NULL on failure, with the reason in `error`.
    ts_bench_dynamics* (*open)(const ts_model* model, const ts_bench_states* states, char error[200]);
    void (*close)(ts_bench_dynamics* dynamics);
    /// Answers for a state. Returns 0 when the library has no such function.
    int (*run)(ts_bench_dynamics* dynamics, ts_bench_dynamics_item item, int state);
    /// The answer that `run` left, in our coordinates: how many numbers; 0 when it is not to be had.
    int (*answer)(ts_bench_dynamics* dynamics, ts_bench_dynamics_item item, int state, double* out_numbers);
} ts_bench_dynamics_engine;

/// The most numbers an answer can have.
static inline size_t ts_bench_dynamics_room(const ts_model* model) {
    size_t nv = (size_t)model->nv, poses = 6 * (size_t)model->body_count;
    return 3 * nv * nv + 6 * nv + poses;
}

/// Ours.
const ts_bench_dynamics_engine* ts_bench_dynamics_touchstone(void);

#ifdef TS_PEER_MUJOCO
/// MuJoCo, the model as our writer says it in MJCF.
const ts_bench_dynamics_engine* ts_bench_dynamics_mujoco(void);
#endif

#ifdef TS_PEER_PINOCCHIO
/// Pinocchio, the model joint by joint.
const ts_bench_dynamics_engine* ts_bench_dynamics_pinocchio(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
