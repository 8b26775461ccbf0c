// For the thread sanitizer: one model, simulations stepped with one and with several workers, and several simulations of
// the same model on threads of their own. The states must also agree bit for bit. Returns 0 when they do.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "scenes/pile_internal.h"
#include "engine/step/step.h"

enum { BODIES = 60, STEPS = 60, THREADS = 3 };

// Steps a fresh simulation and gives the hash of where it ended, 0 on failure.
static uint64_t run(const ts_model* model, int workers) {
    ts_status status = {0};
    ts_sim* sim = NULL;
    if (ts_sim_create(model, workers, &sim, &status)) {
        fprintf(stderr, "%s\n", status.message);
        return 0;
    }
    for (int i = 0; i < STEPS; i++) {
        if (ts_sim_step(sim, &status)) {
            fprintf(stderr, "step %d: %s\n", i, status.message);
            ts_sim_free(sim);
            return 0;
        }
    }
    uint64_t hash = ts_sim_hash(sim);
    printf("%d workers: %d contacts, hash %016llx\n", workers, sim->contact_count, (unsigned long long)hash);
    ts_sim_free(sim);
    return hash;
}

typedef struct job {
    const ts_model* model;
    uint64_t hash;
} job;

static void* run_job(void* argument) {
    job* self = argument;
    self->hash = run(self->model, 2);
    return NULL;
}

int main(void) {
    ts_status status = {0};
    ts_model* model = NULL;
    if (ts_pile_build(TS_PILE_MIXED, BODIES, 7, &model, &status)) {
        fprintf(stderr, "%s\n", status.message);
        return 1;
    }
    uint64_t alone = run(model, 1);
    int bad = alone == 0;
    for (int workers = 2; workers <= 5; workers++) bad |= run(model, workers) != alone;

    pthread_t thread[THREADS];
    job jobs[THREADS];
    int started = 0;
    for (; started < THREADS; started++) {
        jobs[started] = (job){model, 0};
        if (pthread_create(&thread[started], NULL, run_job, &jobs[started])) break;
    }
    bad |= started < THREADS;
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        bad |= jobs[i].hash != alone;
    }
    ts_model_free(model);
    if (bad) fprintf(stderr, "the hashes differ\n");
    return bad;
}
