// Composite rigid bodies.
//
// Problem: M with kinetic energy 1/2 v^T M v. Rule: M_ij = S_i . (I_c S_j) where j is at least as deep as i on the same
// chain and I_c is the inertia of everything that dof j carries (crba_walk.c); zero for dofs on different chains.
// Source: Featherstone (2008), section 6.2. Exact up to rounding; symmetric by construction. The tree is singular
// exactly when some dof moves no mass and has no armature, which the factorisation then reports.
#include "engine/dynamics/crba.h"

#include <string.h>

#include "engine/dynamics/crba_walk_internal.h"

// One free body, dofs (velocity of the frame origin in world axes, angular velocity in body axes). With r the lever to
// the centre of mass, v_c = v + w x r: translation m 1, coupling -m [r]x R, rotation the inertia about the origin. All 36
// entries are written.
static void free_body_matrix(const ts_model* model, const ts_kinematics* k, int tree, size_t ld, double* out_M) {
    int b = model->tree[tree].root;
    const ts_body* body = &model->body[b];
    const ts_dof* dof = model->dof + model->tree[tree].dof_first;
    const ts_mat3* R = &k->body_pose[b].R;
    ts_inertia about_origin = ts_inertia_make(body->mass, body->centre, body->inertia);
    ts_mat3 coupling = ts_mat3_mul(ts_mat3_skew(ts_vec3_sub(k->body_centre[b], k->body_pose[b].p)), *R);
    double *upper = out_M, *lower = out_M + 3 * ld;
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            upper[ld * i + j] = i == j ? body->mass : 0.0;
            upper[ld * i + 3 + j] = -body->mass * coupling.m[i][j];
            lower[ld * j + i] = -body->mass * coupling.m[i][j];
            lower[ld * i + 3 + j] = about_origin.rotation.m[i][j];
        }
    }
    for (size_t i = 0; i < 6; ++i) out_M[(ld + 1) * i] += dof[i].armature;
}

static void fill(const ts_model* model, const ts_kinematics* k, int tree, ts_tree_scratch* scratch, size_t ld,
                 double* M) {
    ts_crba_walk walk = {model, k, tree, (int)ld, scratch};
    if (model->tree[tree].kind != TS_TREE_GENERAL)
        free_body_matrix(model, k, tree, ld, M);
    else
        ts_crba_walk_run(&walk, M);
}

void ts_crba_refresh(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                     double* M) {
    fill(model, kinematics, tree, scratch, (size_t)model->tree[tree].dof_count, M);
}

void ts_crba_tree(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                  double* out_M) {
    size_t n = (size_t)model->tree[tree].dof_count;
    memset(out_M, 0, n * n * sizeof(double));
    fill(model, kinematics, tree, scratch, n, out_M);
}

void ts_crba_matrix(const ts_model* model, const ts_kinematics* kinematics, ts_tree_scratch* scratch, double* out_M) {
    size_t nv = (size_t)model->nv;
    memset(out_M, 0, nv * nv * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t)
        fill(model, kinematics, t, scratch, nv, out_M + (size_t)model->tree[t].dof_first * (nv + 1));
}
