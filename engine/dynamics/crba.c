// Composite rigid bodies.
//
// Problem: M with kinetic energy 1/2 v^T M v. Rule: M_ij = S_i . (I_c S_j) where j is at least as deep as i on the same
// chain and I_c is the inertia of everything that dof j carries; zero for dofs on different chains.
// Source: Featherstone (2008), section 6.2. Exact up to rounding; symmetric by construction. The tree is singular
// exactly when some dof moves no mass and has no armature, which the factorisation then reports.
#include "engine/dynamics/crba_internal.h"

#include <string.h>

#include "engine/sim_internal.h"

// One free body, dofs (velocity of the frame origin in world axes, angular velocity in body axes). With r the lever to
// the centre of mass, v_c = v + w x r: translation m 1, coupling -m [r]x R, rotation the inertia about the origin.
static void free_body_matrix(const ts_sim* sim, int tree, double* out_M) {
    const ts_model* model = sim->model;
    int b = model->tree[tree].root;
    const ts_body* body = &model->body[b];
    const ts_dof* dof = model->dof + model->tree[tree].dof_first;
    const ts_mat3* R = &sim->kinematics.body_pose[b].R;
    ts_inertia about_origin = ts_inertia_make(body->mass, body->centre, body->inertia);
    ts_mat3 coupling =
        ts_mat3_mul(ts_mat3_skew(ts_vec3_sub(sim->kinematics.body_centre[b], sim->kinematics.body_pose[b].p)), *R);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out_M[6 * i + j] = i == j ? body->mass : 0.0;
            out_M[6 * i + 3 + j] = -body->mass * coupling.m[i][j];
            out_M[6 * (3 + j) + i] = -body->mass * coupling.m[i][j];
            out_M[6 * (3 + i) + 3 + j] = about_origin.rotation.m[i][j];
        }
    }
    for (int i = 0; i < 6; ++i) out_M[7 * i] += dof[i].armature;
}

void ts_crba_tree(ts_sim* sim, int tree, double* out_M) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (sim->model->tree[tree].kind != TS_TREE_GENERAL) {
        free_body_matrix(sim, tree, out_M);
        return;
    }
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = model->tree[tree].dof_first, n = model->tree[tree].dof_count;
    ts_inertia* composite = storage->body_composite;
    memset(out_M, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i];
        composite[b] = sim->kinematics.body_inertia[b];
    }
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            ts_force momentum = ts_inertia_mul(&composite[b], sim->kinematics.dof_axis[d]);
            for (int e = d; e >= 0; e = model->dof[e].parent) {
                double value = ts_motion_dot_force(sim->kinematics.dof_axis[e], momentum);
                out_M[(size_t)(d - dof_first) * (size_t)n + (size_t)(e - dof_first)] = value;
                out_M[(size_t)(e - dof_first) * (size_t)n + (size_t)(d - dof_first)] = value;
            }
            out_M[(size_t)(d - dof_first) * (size_t)(n + 1)] += model->dof[d].armature;
        }
        if (model->body[body->parent].tree >= 0)
            composite[body->parent] = ts_inertia_add(composite[body->parent], composite[b]);
    }
}
