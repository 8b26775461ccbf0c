// Composite rigid bodies.
//
// Problem: M with kinetic energy 1/2 v^T M v. Rule: M_ij = S_i . (I_c S_j) where j is at least as deep as i on the same
// chain and I_c is the inertia of everything that dof j carries; zero for dofs on different chains.
// Source: Featherstone (2008), section 6.2. Exact up to rounding; symmetric by construction. The tree is singular
// exactly when some dof moves no mass and has no armature, which the factorisation then reports.
#include "engine/dynamics/crba.h"

#include <string.h>

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

// A force, to be asked for its power on many motions: in two sums that do not wait for each other, in vector notation where compilers
// have it, for they leave the sums scalar.
#if defined(__GNUC__)

typedef double pair __attribute__((vector_size(16)));

typedef struct packed_force {
    pair part[3];
} packed_force;

static inline packed_force pack(ts_force f) {
    packed_force p = {{{f.couple.x, f.couple.y}, {f.couple.z, f.force.x}, {f.force.y, f.force.z}}};
    return p;
}

static inline double power(const ts_motion* S, const packed_force* f) {
    pair a, b, c;
    const double* s = &S->angular.x;
    memcpy(&a, s, sizeof a);
    memcpy(&b, s + 2, sizeof b);
    memcpy(&c, s + 4, sizeof c);
    pair sum = a * f->part[0] + b * f->part[1] + c * f->part[2];
    return sum[0] + sum[1];
}

#else

typedef ts_force packed_force;

static inline packed_force pack(ts_force f) { return f; }

static inline double power(const ts_motion* S, const packed_force* f) {
    double even = S->angular.x * f->couple.x + S->angular.z * f->couple.z + S->linear.y * f->force.y;
    double odd = S->angular.y * f->couple.y + S->linear.x * f->force.x + S->linear.z * f->force.z;
    return even + odd;
}

#endif

// Entries at pairs of dofs of one chain, rows `ld` apart.
static void fill(const ts_model* model, const ts_kinematics* k, int tree, ts_tree_scratch* scratch, size_t ld,
                 double* M) {
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        free_body_matrix(model, k, tree, ld, M);
        return;
    }
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = model->tree[tree].dof_first;
    const ts_dof* dof = model->dof;
    ts_inertia* composite = scratch->composite;
    for (int i = first; i < last; ++i) composite[model->tree_body[i]] = k->body_inertia[model->tree_body[i]];
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            packed_force momentum = pack(ts_inertia_mul(&composite[b], k->dof_axis[d]));
            double *row = M + (size_t)(d - dof_first) * ld, *column = M + (d - dof_first);
            // Run by run: from one dof to the next without a look at where it leads.
            for (int last_dof = d, run; last_dof >= 0; last_dof = dof[run].parent) {
                run = dof[last_dof].run;
                for (int e = run; e <= last_dof; ++e) {
                    double value = power(&k->dof_axis[e], &momentum);
                    row[e - dof_first] = value;
                    column[(size_t)(e - dof_first) * ld] = value;
                }
            }
            row[d - dof_first] += model->dof[d].armature;
        }
        if (model->body[body->parent].tree >= 0)
            composite[body->parent] = ts_inertia_add(composite[body->parent], composite[b]);
    }
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
