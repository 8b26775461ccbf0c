// Levers: their degrees of freedom, and the chains these hang on. Degrees of freedom ascend, and a chain to a root descends.
#include "engine/actuation/lever_internal.h"

#include "engine/sim_internal.h"

void ts_lever_mark_body(const ts_model* model, int body, char* marks) {
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) marks[d] = 1;
}

// Takes up a degree of freedom that hangs on the end of a chain, or begins one.
static void add_to_chain(const ts_model* model, const char* marks, int d, ts_lever* lever) {
    int above = model->dof[d].parent, ends = lever->chain_count;
    while (above >= 0 && !marks[above]) above = model->dof[above].parent;
    while (ends > 0 && lever->chain[ends - 1] != above) --ends;
    if (ends == 0) ends = ++lever->chain_count;
    lever->chain[ends - 1] = d;
}

int ts_lever_create(ts_sim* sim, const char* marks, ts_lever* out_lever) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int count = 0;
    for (int d = 0; d < model->nv; ++d) count += marks[d];
    ts_lever lever = {.dof = TS_ARENA_ARRAY(&storage->fixed, int, count), .tree = -1};
    lever.chain = TS_ARENA_ARRAY(&storage->fixed, int, count);
    lever.moment = (double*)ts_arena_alloc_zeroed(&storage->fixed, (size_t)count, sizeof(double));
    if (storage->fixed.failed) return 0;
    for (int d = 0; d < model->nv; ++d) {
        if (!marks[d]) continue;
        int tree = model->dof[d].tree;
        lever.tree = lever.count == 0 || lever.tree == tree ? tree : -1;
        lever.dof[lever.count++] = d;
        add_to_chain(model, marks, d, &lever);
    }
    lever.is_chain = lever.tree >= 0 && lever.chain_count == 1 && sim->model->tree[lever.tree].kind == TS_TREE_GENERAL;
    *out_lever = lever;
    return 1;
}

void ts_lever_add_wrench(const ts_sim* sim, int body_index, ts_vec3 point, ts_force wrench, ts_lever* lever) {
    const ts_body* body = &sim->model->body[body_index];
    if (lever->listener) {
        lever->listener(sim, body_index, point, wrench, lever->user);
        return;
    }
    if (body->tree < 0) return;
    ts_vec3 arm = ts_vec3_sub(point, ts_kinematics_origin(sim->model, &sim->kinematics, body->tree));
    wrench.couple = ts_vec3_add(wrench.couple, ts_vec3_cross(arm, wrench.force));
    int i = lever->count - 1;
    for (int d = body->dof_last; d >= 0; d = sim->model->dof[d].parent) {
        while (i >= 0 && lever->dof[i] > d) --i;
        if (i >= 0 && lever->dof[i] == d)
            lever->moment[i] += ts_motion_dot_force(ts_kinematics_axis(sim->model, &sim->kinematics, d), wrench);
    }
}
