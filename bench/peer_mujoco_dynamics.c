// MuJoCo behind the face of dynamics. The model comes as our writer says it in MJCF, so both have the same bodies and geoms; its degrees
// of freedom and their coordinates are ours.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/dynamics_peer.h"
#include "bench/peer_mujoco_model.h"
#include "engine/write/mjcf_writer.h"

// What belongs to a state.
typedef struct place {
    mjData* data;
    mjtNum* jacobian;  // (6 x nv)
    mjtNum* solved;    // (3 x nv)
} place;

struct ts_bench_dynamics {
    const ts_model* ours;
    ts_bench_states states;
    mjModel* model;
    place* place;  // (states.count)
};

static void close_dynamics(ts_bench_dynamics* d) {
    if (!d) return;
    for (int i = 0; d->place && i < d->states.count; ++i) {
        mj_deleteData(d->place[i].data);
        free(d->place[i].jacobian);
        free(d->place[i].solved);
    }
    mj_deleteModel(d->model);
    free(d->place);
    free(d);
}

mjModel* ts_bench_mujoco_compile(const ts_model* ours, char error[200]) {
    ts_text text = {0};
    ts_status status;
    mjModel* model = NULL;
    if (ts_mjcf_writer_text(ours, NULL, &text, &status)) {
        snprintf(error, 200, "%.199s", status.message);
        ts_text_free(&text);
        return NULL;
    }
    mjSpec* spec = mj_parseXMLString(text.data, NULL, error, 200);
    ts_text_free(&text);
    if (!spec) return NULL;
    model = mj_compile(spec, NULL);
    if (!model) snprintf(error, 200, "%.199s", mjs_getError(spec));
    mj_deleteSpec(spec);
    if (model && model->nq == ours->nq && model->nv == ours->nv && model->nbody == ours->body_count) return model;
    if (model) snprintf(error, 200, "it has other bodies or coordinates there");
    mj_deleteModel(model);
    return NULL;
}

static ts_bench_dynamics* open_dynamics(const ts_model* model, const ts_bench_states* states, char error[200]) {
    ts_bench_dynamics* d = (ts_bench_dynamics*)calloc(1, sizeof *d);
    strcpy(error, "out of memory");
    if (!d) return NULL;
    d->ours = model;
    d->states = *states;
    d->place = (place*)calloc((size_t)states->count, sizeof *d->place);
    d->model = d->place ? ts_bench_mujoco_compile(model, error) : NULL;
    for (int i = 0; d->model && i < states->count; ++i) {
        place* p = &d->place[i];
        size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
        p->data = mj_makeData(d->model);
        p->jacobian = (mjtNum*)calloc(6 * nv, sizeof(mjtNum));
        p->solved = (mjtNum*)calloc(3 * nv, sizeof(mjtNum));
        if (!p->data || !p->jacobian || !p->solved) break;
        memcpy(p->data->qpos, states->qpos + (size_t)i * nq, nq * sizeof(double));
        memcpy(p->data->qvel, states->qvel + (size_t)i * nv, nv * sizeof(double));
        memcpy(p->data->qacc, states->acceleration + (size_t)i * nv, nv * sizeof(double));
        if (i + 1 == states->count) return d;
    }
    close_dynamics(d);
    return NULL;
}

static void update(mjModel* m, mjData* data) {
    mj_kinematics(m, data);
    mj_comPos(m, data);
}

static int run(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state) {
    mjModel* m = d->model;
    place* p = &d->place[state];
    mjData* data = p->data;
    const double* force = d->states.force + (size_t)state * (size_t)m->nv;
    if (item >= TS_BENCH_INVERSE_DYNAMICS || item == TS_BENCH_KINEMATICS) update(m, data);
    switch (item) {
    case TS_BENCH_KINEMATICS: break;
    case TS_BENCH_BIAS: mj_rne(m, data, 0, data->qfrc_bias); break;
    case TS_BENCH_INERTIA:
    case TS_BENCH_INERTIA_FROM_Q: mj_makeM(m, data); break;
    case TS_BENCH_FACTOR: mj_factorM(m, data); break;
    case TS_BENCH_JACOBIAN: mj_jacBody(m, data, p->jacobian, p->jacobian + 3 * m->nv, m->dof_bodyid[m->nv - 1]); break;
    case TS_BENCH_SOLVE: mj_solveM(m, data, p->solved, p->jacobian, 3); break;
    case TS_BENCH_INVERSE_DYNAMICS:
        mj_comVel(m, data);
        mj_rne(m, data, 1, data->qfrc_inverse);
        break;
    case TS_BENCH_FORWARD_DYNAMICS:
        mj_comVel(m, data);
        mj_rne(m, data, 0, data->qfrc_bias);
        mj_makeM(m, data);
        mj_factorM(m, data);
        for (int i = 0; i < m->nv; ++i) data->qfrc_smooth[i] = force[i] - data->qfrc_bias[i];
        mj_solveM(m, data, data->qacc_smooth, data->qfrc_smooth, 1);
        break;
    default: return 0;
    }
    return 1;
}

static int take(const mjtNum* from, int count, double* out_numbers) {
    memcpy(out_numbers, from, (size_t)count * sizeof(double));
    return count;
}

static int answer(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state, double* out_numbers) {
    const mjModel* m = d->model;
    place* p = &d->place[state];
    int nv = (int)m->nv;
    switch (item) {
    case TS_BENCH_KINEMATICS: mj_comVel(m, p->data); return take(p->data->xpos, 3 * (int)m->nbody, out_numbers);
    case TS_BENCH_BIAS: return take(p->data->qfrc_bias, nv, out_numbers);
    case TS_BENCH_INERTIA:
    case TS_BENCH_INERTIA_FROM_Q: mj_fullM(m, p->data, out_numbers); return nv * nv;
    case TS_BENCH_JACOBIAN: return take(p->jacobian, 6 * nv, out_numbers);
    case TS_BENCH_SOLVE: {
        const ts_kinematic_tree* tree = &d->ours->tree[d->ours->tree_count - 1];
        for (int r = 0; r < 3; ++r)
            take(p->solved + r * nv + tree->dof_first, tree->dof_count, out_numbers + r * tree->dof_count);
        return 3 * tree->dof_count;
    }
    case TS_BENCH_INVERSE_DYNAMICS:
        // Its function leaves armature to others.
        for (int i = 0; i < nv; ++i) out_numbers[i] = p->data->qfrc_inverse[i] + m->dof_armature[i] * p->data->qacc[i];
        return nv;
    case TS_BENCH_FORWARD_DYNAMICS: return take(p->data->qacc_smooth, nv, out_numbers);
    default: return 0;
    }
}

const ts_bench_dynamics_engine* ts_bench_dynamics_mujoco(void) {
    static const ts_bench_dynamics_engine engine = {"mujoco", open_dynamics, close_dynamics, run, answer};
    return &engine;
}
