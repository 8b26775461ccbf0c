// Many simulations of one model. Each steps alone and writes only what is its own, so neither their order nor the number
// of threads can matter; what is shared is the model, which is constant.
#include "engine/batch.h"

#include <stdlib.h>

#include "engine/step/step.h"

static ts_code short_memory(int count, ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a batch of %d simulations", count);
}

// One array of all simulations, even of models that have nothing to put there.
static double* state_array(int count, int each) {
    return (double*)calloc((size_t)count * (size_t)(each > 0 ? each : 1), sizeof(double));
}

// The state of a new simulation moves into the batch.
static void adopt(ts_batch* batch, int i, ts_sim* sim) {
    batch->sim[i] = sim;
    sim->qpos = batch->qpos + (size_t)i * (size_t)batch->nq;
    sim->qvel = batch->qvel + (size_t)i * (size_t)batch->nv;
    sim->force_applied = batch->force_applied + (size_t)i * (size_t)batch->nv;
    sim->ctrl = batch->ctrl + (size_t)i * (size_t)batch->actuator_count;
    sim->act = batch->act + (size_t)i * (size_t)batch->act_count;
    sim->sensor = batch->sensor + (size_t)i * (size_t)batch->sensor_size;
    ts_sim_reset(sim);
    ts_status_ok(&batch->status[i]);
}

static ts_code fill(ts_batch* batch, const ts_model* const* model, int model_count, int workers,
                    ts_status* out_status) {
    int count = batch->count;
    // An array of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression)
    batch->sim = (ts_sim**)calloc((size_t)count, sizeof *batch->sim);
    batch->status = (ts_status*)calloc((size_t)count, sizeof *batch->status);
    batch->qpos = state_array(count, batch->nq);
    batch->qvel = state_array(count, batch->nv);
    batch->force_applied = state_array(count, batch->nv);
    batch->ctrl = state_array(count, batch->actuator_count);
    batch->act = state_array(count, batch->act_count);
    batch->sensor = state_array(count, batch->sensor_size);
    if (!batch->sim || !batch->status || !batch->qpos || !batch->qvel || !batch->force_applied || !batch->ctrl ||
        !batch->act || !batch->sensor)
        return short_memory(count, out_status);
    if (workers > 1) batch->tasks = ts_task_pool_create(workers);
    if (workers > 1 && !batch->tasks)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "cannot start %d worker threads", workers);
    for (int i = 0; i < count; ++i) {
        ts_sim* sim = NULL;
        ts_code code = ts_sim_create(model[model_count > 1 ? i : 0], 1, &sim, out_status);
        if (code) return code;
        adopt(batch, i, sim);
    }
    return ts_status_ok(out_status);
}

static ts_code check(const ts_model* const* model, int model_count, int count, int workers, ts_status* out_status) {
    if (count < 1 || workers < 1)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d simulations on %d workers: at least 1 each",
                             count, workers);
    if (model_count != 1 && model_count != count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d models for %d simulations: 1 or %d are needed",
                             model_count, count, count);
    for (int i = 1; i < model_count; ++i)
        if (model[i]->nq != model[0]->nq || model[i]->nv != model[0]->nv ||
            model[i]->actuator_count != model[0]->actuator_count || model[i]->act_count != model[0]->act_count ||
            model[i]->sensor_size != model[0]->sensor_size)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                                 "model %d has %d coordinates, %d degrees of freedom and %d actuators, the first has "
                                 "%d, %d and %d; activations "
                                 "and numbers of sensors must be as many, too",
                                 i, model[i]->nq, model[i]->nv, model[i]->actuator_count, model[0]->nq, model[0]->nv,
                                 model[0]->actuator_count);
    return TS_OK;
}

ts_code ts_batch_create(const ts_model* const* model, int model_count, int count, int workers, ts_batch** out_batch,
                        ts_status* out_status) {
    *out_batch = NULL;
    ts_code code = check(model, model_count, count, workers, out_status);
    if (code) return code;
    ts_batch* batch = (ts_batch*)calloc(1, sizeof *batch);
    if (!batch) return short_memory(count, out_status);
    batch->count = count;
    batch->nq = model[0]->nq;
    batch->nv = model[0]->nv;
    batch->actuator_count = model[0]->actuator_count;
    batch->act_count = model[0]->act_count;
    batch->sensor_size = model[0]->sensor_size;
    code = fill(batch, model, model_count, workers, out_status);
    if (code)
        ts_batch_free(batch);
    else
        *out_batch = batch;
    return code;
}

void ts_batch_free(ts_batch* batch) {
    if (!batch) return;
    for (int i = 0; batch->sim && i < batch->count; ++i) ts_sim_free(batch->sim[i]);
    ts_task_pool_destroy(batch->tasks);
    free(batch->sim);
    free(batch->status);
    free(batch->qpos);
    free(batch->qvel);
    free(batch->force_applied);
    free(batch->ctrl);
    free(batch->act);
    free(batch->sensor);
    free(batch);
}

// What every thread needs to know of the steps under way.
typedef struct batch_work {
    ts_batch* batch;
    int steps;
    ts_batch_hook before;
    ts_batch_hook after;
    void* user;
} batch_work;

static void step_range(void* context, int begin, int end, int worker) {
    const batch_work* work = (const batch_work*)context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        ts_sim* sim = work->batch->sim[i];
        ts_status* status = &work->batch->status[i];
        for (int k = 0; k < work->steps && status->code == TS_OK; ++k) {
            if (work->before && work->before(work->user, sim, i)) break;
            if (ts_sim_step(sim, status)) break;
            if (work->after && work->after(work->user, sim, i)) break;
        }
    }
}

int ts_batch_step(ts_batch* batch, int steps, ts_batch_hook before, ts_batch_hook after, void* user) {
    batch_work work = {batch, steps, before, after, user};
    ts_task_parallel_for(batch->tasks, batch->count, 1, step_range, &work);
    int failed = 0;
    for (int i = 0; i < batch->count; ++i) failed += batch->status[i].code != TS_OK;
    return failed;
}

static void measure_range(void* context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; ++i) ts_sim_measure(((const ts_batch*)context)->sim[i]);
}

void ts_batch_measure(ts_batch* batch) { ts_task_parallel_for(batch->tasks, batch->count, 1, measure_range, batch); }

void ts_batch_reset(ts_batch* batch) {
    for (int i = 0; i < batch->count; ++i) {
        ts_sim_reset(batch->sim[i]);
        ts_status_ok(&batch->status[i]);
    }
}
