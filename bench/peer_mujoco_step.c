// MuJoCo's step and its derivative by differences (mjd_transitionFD). Its tangent coordinates are ours.
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peer_mujoco_model.h"
#include "bench/step_peer.h"

// The increment that its documentation and its own tests use.
static const mjtNum INCREMENT = 1e-6;

struct ts_bench_steps {
    mjModel* model;
    mjData* data;
    const double* state;
    double *A, *B;  // (2 nv x 2 nv), (2 nv x nu)
};

void ts_bench_steps_mujoco_close(ts_bench_steps* s) {
    if (!s) return;
    mj_deleteData(s->data);
    mj_deleteModel(s->model);
    free(s->A);
    free(s->B);
    free(s);
}

ts_bench_steps* ts_bench_steps_mujoco_open(const ts_model* model, const double* state, int count, char error[200]) {
    ts_bench_steps* s = (ts_bench_steps*)calloc(1, sizeof *s);
    size_t nv = (size_t)model->nv;
    (void)count;
    strcpy(error, "out of memory");
    if (!s) return NULL;
    s->state = state;
    s->model = ts_bench_mujoco_compile(model, error);
    s->data = s->model ? mj_makeData(s->model) : NULL;
    s->A = (double*)calloc(4 * nv * nv, sizeof(double));
    s->B = (double*)calloc(2 * nv * (size_t)model->actuator_count + 1, sizeof(double));
    if (s->data && s->A && s->B) return s;
    ts_bench_steps_mujoco_close(s);
    return NULL;
}

void ts_bench_steps_mujoco_run(ts_bench_steps* s, ts_bench_step_item item, int state) {
    const mjModel* m = s->model;
    const double* from = s->state + (size_t)state * (size_t)(m->nq + m->nv + m->nu);
    memcpy(s->data->qpos, from, (size_t)m->nq * sizeof(double));
    memcpy(s->data->qvel, from + m->nq, (size_t)m->nv * sizeof(double));
    memcpy(s->data->ctrl, from + m->nq + m->nv, (size_t)m->nu * sizeof(double));
    if (item == TS_BENCH_STEP)
        mj_step(m, s->data);
    else
        mjd_transitionFD(m, s->data, INCREMENT, item == TS_BENCH_STEP_CENTRAL, s->A, s->B, NULL, NULL);
}

int ts_bench_steps_mujoco_answer(const ts_bench_steps* s, double* out_matrix) {
    size_t n = 2 * (size_t)s->model->nv, nu = (size_t)s->model->nu;
    for (size_t r = 0; r < n; ++r) {
        memcpy(out_matrix + r * (n + nu), s->A + r * n, n * sizeof(double));
        memcpy(out_matrix + r * (n + nu) + n, s->B + r * nu, nu * sizeof(double));
    }
    return (int)s->data->ncon;
}
