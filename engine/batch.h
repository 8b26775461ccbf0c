// Many simulations at once: one model, or variations of it, on all cores. The state of all lies together, so that a learner or a
// sampling planner reads and writes it as one array.
//
// Each simulation is a ts_sim of its own with one worker and steps as it would alone: the same bits as a serial loop, for
// any number of workers. What differs between them is their state, their options (sim[i]->options, ts_sim_set) and,
// where models are given one by one, masses, friction, shapes and all else that a model says.
#ifndef TS_ENGINE_BATCH_H
#define TS_ENGINE_BATCH_H

#include "base/task.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called around the steps of simulation `index`, on any thread, never on two at once for one simulation. It may read and write
/// that simulation and nothing that others write. Nonzero return stops this simulation until the next call of ts_batch_step.
typedef int (*ts_batch_hook)(void* user, ts_sim* sim, int index);

/// A batch. Create with ts_batch_create; read everything.
typedef struct ts_batch {
    int count;
    int nq;
    int nv;
    int actuator_count;
    int act_count;
    int sensor_size;
    ts_sim** sim;           // (count), owned
    double* qpos;           // (count x nq) live: sim[i]->qpos points into it
    double* qvel;           // (count x nv) live
    double* force_applied;  // (count x nv) live
    double* ctrl;           // (count x actuator_count) live
    double* act;            // (count x act_count) live
    double* sensor;         // (count x sensor_size) live: see ts_batch_measure
    ts_status* status;      // (count) why a simulation failed; .code is TS_OK while it has not
    ts_task_pool* tasks;    // owned; NULL with one worker
} ts_batch;

/// `count` >= 1 simulations at the initial state, stepped by `workers` >= 1 threads. `model` holds one model for all
/// (model_count 1) or one for each (model_count == count), of the same nq, nv and numbers of actuators, activations and what sensors show; they are borrowed and must live as long
/// as the batch. Free with ts_batch_free.
ts_code ts_batch_create(const ts_model* const* model, int model_count, int count, int workers, ts_batch** out_batch,
                        ts_status* out_status);

/// Releases a batch and its simulations; NULL is ignored.
void ts_batch_free(ts_batch* batch);

/// Steps every simulation that has not failed `steps` times. `before` and `after` (NULL: nothing) are called around each step. One
/// that fails keeps its last good state and stays behind, with the reason in its status; the others go on. Returns how
/// many have failed so far.
int ts_batch_step(ts_batch* batch, int steps, ts_batch_hook before, ts_batch_hook after, void* user);

/// ts_sim_measure of every simulation, on all workers.
void ts_batch_measure(ts_batch* batch);

/// Every simulation back to its initial state, failures forgotten.
void ts_batch_reset(ts_batch* batch);

#ifdef __cplusplus
}
#endif
#endif
