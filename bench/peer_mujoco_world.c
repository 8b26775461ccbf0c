// MuJoCo (the library inside its Python package) behind the face of worlds. It reads what our writer says of the model; its contacts stay as
// soft as they come, cones are elliptic.
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

#include "bench/world.h"
#include "engine/write/mjcf_writer.h"

struct ts_bench_world {
    mjModel* model;
    mjData* data;
    int* body;  // those with a free joint
};

static void destroy(ts_bench_world* w) {
    if (!w) return;
    if (w->data) mj_deleteData(w->data);
    if (w->model) mj_deleteModel(w->model);
    free(w->body);
    free(w);
}

static mjModel* compile(const ts_model* ours) {
    char error[200];
    ts_text text = {0};
    mjModel* model = NULL;
    mjSpec* spec =
        ts_mjcf_writer_text(ours, NULL, &text, NULL) ? NULL : mj_parseXMLString(text.data, NULL, error, sizeof error);
    ts_text_free(&text);
    if (!spec) return NULL;
    model = mj_compile(spec, NULL);
    mj_deleteSpec(spec);
    return model;
}

static ts_bench_world* create(const ts_model* model, const ts_bench_settings* settings) {
    ts_bench_world* w = (ts_bench_world*)calloc(1, sizeof *w);
    if (!w) return NULL;
    w->model = compile(model);
    w->body = (int*)calloc((size_t)model->joint_count + 1, sizeof(int));
    if (w->model && w->body && w->model->nq == model->nq) {
        w->model->opt.timestep = settings->time_step;
        w->model->opt.cone = mjCONE_ELLIPTIC;
        w->model->opt.solver = settings->solver && strcmp(settings->solver, "cg") == 0 ? mjSOL_CG : mjSOL_NEWTON;
        w->data = mj_makeData(w->model);
        if (w->data) mj_forward(w->model, w->data);
    }
    if (!w->data) {
        destroy(w);
        return NULL;
    }
    int count = 0;
    for (int j = 0; j < (int)w->model->njnt; ++j)
        if (w->model->jnt_type[j] == mjJNT_FREE) w->body[count++] = w->model->jnt_bodyid[j];
    return w;
}

static int step(ts_bench_world* w) {
    mj_step(w->model, w->data);
    // It starts again from the beginning where it has blown up.
    for (int i = mjWARN_BADQPOS; i <= mjWARN_BADQACC; ++i)
        if (w->data->warning[i].number > 0) return 0;
    return w->data->warning[mjWARN_CONTACTFULL].number == 0;
}

static void centre(ts_bench_world* w, int body, double out_position[3]) {
    memcpy(out_position, w->data->xipos + 3 * (size_t)w->body[body], 3 * sizeof(double));
}

static ts_bench_state state(ts_bench_world* w) {
    const mjData* d = w->data;
    ts_bench_state s = {(int)d->ncon, 0.0, -1.0, -1, {0.0}};
    for (int i = 0; i < (int)d->ncon; ++i)
        if (-d->contact[i].dist > s.penetration) s.penetration = -d->contact[i].dist;
    return s;
}

const ts_bench_engine* ts_bench_mujoco_world(void) {
    static const ts_bench_engine engine = {"mujoco", create, destroy, step, centre, state, NULL};
    return &engine;
}
