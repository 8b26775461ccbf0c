// The factors of all trees of a model, tree by tree (tree_factor.c).
#include "engine/dynamics/crba.h"
#include "engine/dynamics/tree_factor.h"

int ts_tree_factors_create(const ts_model* model, ts_arena* arena, ts_tree_factors* out_factors) {
    ts_tree_factors f = {.start = TS_ARENA_ARRAY(arena, size_t, model->tree_count + 1)};
    if (!f.start) return 0;
    f.start[0] = 0;
    for (int t = 0; t < model->tree_count; ++t) {
        size_t n = (size_t)model->tree[t].dof_count;
        f.start[t + 1] = f.start[t] + n * n;
    }
    f.M = (double*)ts_arena_alloc_zeroed(arena, f.start[model->tree_count], sizeof(double));
    f.L = (double*)ts_arena_alloc_zeroed(arena, f.start[model->tree_count], sizeof(double));
    f.inverse = (double*)ts_arena_alloc_zeroed(arena, (size_t)model->nv, sizeof(double));
    *out_factors = f;
    return !arena->failed;
}

int ts_tree_factors_update(const ts_model* model, const ts_kinematics* kinematics, ts_tree_scratch* scratch,
                           ts_tree_factors* factors) {
    for (int t = 0; t < model->tree_count; ++t) {
        double *M = factors->M + factors->start[t], *L = factors->L + factors->start[t];
        ts_crba_refresh(model, kinematics, t, scratch, M);
        if (!ts_tree_factor_make(model, t, M, L, factors->inverse + model->tree[t].dof_first)) return 0;
    }
    return 1;
}

void ts_tree_factors_whiten(const ts_model* model, const ts_tree_factors* factors, double* x) {
    for (int t = 0; t < model->tree_count; ++t)
        ts_tree_factor_whiten(model, t, factors->L + factors->start[t], factors->inverse + model->tree[t].dof_first, 1,
                              x + model->tree[t].dof_first);
}

void ts_tree_factors_unwhiten(const ts_model* model, const ts_tree_factors* factors, double* x) {
    for (int t = 0; t < model->tree_count; ++t)
        ts_tree_factor_unwhiten(model, t, factors->L + factors->start[t], factors->inverse + model->tree[t].dof_first,
                                1, x + model->tree[t].dof_first);
}

void ts_tree_factors_solve(const ts_model* model, const ts_tree_factors* factors, double* x) {
    ts_tree_factors_whiten(model, factors, x);
    ts_tree_factors_unwhiten(model, factors, x);
}
