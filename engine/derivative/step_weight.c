// How soft rows are by the masses of a tree, where the softness of the model is in force.
//
// Problem: R of such a row is in proportion to its weight A (engine/rows/row_weight.c), a mean of j M^-1 j^T over few j, in the reference pose; c* is not. Rule: with w = M^-1 j^T
//     dA = mean of 2 dj w - w^T dM w,
// and w^T dM w is v . (dI v), v how the body whose inertia changes moves under the velocities w; j of a body's centre changes as that moves within it. Lone bodies weigh 1 / m.
// Source: derived here. Guaranteed: exact up to rounding. Known to fail: weights of turns and of tendons are not known here.
#include <string.h>

#include "engine/derivative/step_parameter_internal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/rows/row_source_internal.h"

int ts_step_weights_take(ts_sim* sim, ts_arena* scratch, ts_step_weights* out) {
    const ts_model* model = sim->model;
    size_t most = (size_t)ts_sim_storage_of(sim)->dof_most, numbers = (size_t)sim->mass_start[model->tree_count];
    double* still = (double*)ts_arena_alloc_zeroed(scratch, (size_t)model->nv, sizeof(double));
    double* M = TS_ARENA_ARRAY(scratch, double, most* most);
    double* L = TS_ARENA_ARRAY(scratch, double, numbers);
    double* inverse = TS_ARENA_ARRAY(scratch, double, model->nv);
    out->sim = sim;
    out->j = TS_ARENA_ARRAY(scratch, double, 3 * most);
    out->dj = out->j + most;
    out->response = out->j + 2 * most;
    if (!ts_kinematics_create(model, scratch, &out->rest) || scratch->failed) return 0;
    ts_kinematics_update(model, model->qpos_rest, still, &out->rest);
    for (int t = 0; t < model->tree_count; ++t) {
        ts_crba_tree(model, &out->rest, t, &ts_sim_storage_of(sim)->tree_scratch, M);
        // Where that fails the first step has said so.
        if (!ts_tree_factor_make(model, t, M, L + sim->mass_start[t], inverse + model->tree[t].dof_first)) return 0;
    }
    out->L = L;
    out->inverse = inverse;
    return 1;
}

// A weight, and how it changes.
typedef struct weighed {
    double weight;
    double rate;
} weighed;

// The inertia that changes: of a body in a tree.
typedef struct inertia_change {
    int tree;
    int body;
    const double* parameter;
    ts_vec3 centre;  // by how much the centre moves, in the body's frame
} inertia_change;

// The change of j M^-1 j^T, dj of j (NULL: none), over the dofs of the tree.
static double response_rate(const ts_step_weights* w, const inertia_change* c, const double* j, const double* dj) {
    const ts_model* model = w->sim->model;
    const ts_kinematics* k = &w->rest;
    int first = model->tree[c->tree].dof_first, n = model->tree[c->tree].dof_count;
    double sum = 0.0, *x = w->response;
    memcpy(x, j, (size_t)n * sizeof(double));
    ts_tree_factor_solve(model, c->tree, w->L + w->sim->mass_start[c->tree], w->inverse + first, 1, x);
    for (int d = 0; dj && d < n; ++d) sum += 2.0 * dj[d] * x[d];
    ts_motion v = ts_motion_zero();
    for (int d = model->body[c->body].dof_last; d >= 0; d = model->dof[d].parent)
        v = ts_motion_add_scaled(v, x[d - first], ts_kinematics_axis(model, k, d));
    v.linear = ts_motion_at(v, ts_vec3_sub(k->body_pose[c->body].p, ts_kinematics_origin(model, k, c->tree)));
    for (int i = 0; i < TS_STEP_PARAMETERS; ++i) {
        if (c->parameter[i] == 0.0) continue;
        ts_inertia unit = ts_derivative_unit_inertia(i, &k->body_pose[c->body].R);
        sum -= c->parameter[i] * ts_motion_dot_force(v, ts_inertia_mul(&unit, v));
    }
    return sum;
}

// How the point of a body at `arm` from the origin of its tree moves along an axis by the dofs of that; with `turns` nonzero, how an arrow on the body does.
static void point_row(const ts_step_weights* w, int body, ts_vec3 axis, ts_vec3 arm, int turns, double* out) {
    const ts_model* model = w->sim->model;
    const ts_kinematic_tree* span = &model->tree[model->body[body].tree];
    memset(out, 0, (size_t)span->dof_count * sizeof(double));
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_motion S = ts_kinematics_axis(model, &w->rest, d);
        ts_vec3 moved = turns ? ts_vec3_cross(S.angular, arm) : ts_motion_at(S, arm);
        out[d - span->dof_first] = ts_vec3_dot(axis, moved);
    }
}

static weighed weigh_body(const ts_step_weights* w, int body, const inertia_change* c) {
    const ts_model* model = w->sim->model;
    weighed sum = {ts_sim_storage_of(w->sim)->inverse_weight[body], 0.0};
    int t = model->body[body].tree;
    if (t < 0 || t != c->tree) return sum;
    if (model->tree[t].kind != TS_TREE_GENERAL) {
        sum.rate = -c->parameter[0] * sum.weight * sum.weight;
        return sum;
    }
    ts_vec3 lever = ts_vec3_sub(w->rest.body_centre[body], ts_kinematics_origin(model, &w->rest, t));
    ts_vec3 shift = ts_mat3_mul_vec(&w->rest.body_pose[body].R, c->centre);
    double *j = w->j, *dj = w->dj;
    for (int k = 0; k < 3; ++k) {
        point_row(w, body, ts_vec3_axis(k), lever, 0, j);
        point_row(w, body, ts_vec3_axis(k), shift, 1, dj);
        sum.rate += response_rate(w, c, j, body == c->body ? dj : NULL) / 3.0;
    }
    return sum;
}

// Degrees of freedom of one joint count alike, three by three.
static weighed weigh_dof(const ts_step_weights* w, int dof, const inertia_change* c) {
    const ts_model* model = w->sim->model;
    const ts_joint* joint = &model->joint[model->dof[dof].joint];
    int count = ts_joint_type_nv(joint->type), together = count < 3 ? count : 3, t = model->dof[dof].tree;
    int first = joint->dof_first + (dof - joint->dof_first) / together * together;
    weighed sum = {ts_sim_storage_of(w->sim)->dof_inverse_weight[dof], 0.0};
    for (int d = first; t == c->tree && d < first + together; ++d) {
        memset(w->j, 0, (size_t)model->tree[t].dof_count * sizeof(double));
        w->j[d - model->tree[t].dof_first] = 1.0;
        sum.rate += response_rate(w, c, w->j, NULL) / together;
    }
    return sum;
}

int ts_step_weight_is_known(const ts_sim* sim, int b) {
    return ts_row_is(sim, b, &ts_row_contact) || ts_row_is(sim, b, &ts_row_joint_limit) ||
           ts_row_is(sim, b, &ts_row_joint_friction) || ts_row_is(sim, b, &ts_row_servo);
}

double ts_step_weight_rate(const ts_step_weights* w, int b, int body, const double parameter[TS_STEP_PARAMETERS],
                           ts_vec3 centre) {
    const ts_sim* sim = w->sim;
    const ts_row_key key = sim->row_block[b].key;
    inertia_change c = {sim->model->body[body].tree, body, parameter, centre};
    weighed sum = {0.0, 0.0};
    if (ts_row_is(sim, b, &ts_row_contact)) {
        const ts_contact* contact = &sim->contact[sim->row_block[b].item];
        weighed side[2] = {weigh_body(w, contact->body_a, &c), weigh_body(w, contact->body_b, &c)};
        sum = (weighed){side[0].weight + side[1].weight, side[0].rate + side[1].rate};
    } else if (ts_row_is(sim, b, &ts_row_joint_limit)) {
        sum = weigh_dof(w, sim->model->joint[key.whole].dof_first, &c);
    } else if (ts_row_is(sim, b, &ts_row_joint_friction)) {
        sum = weigh_dof(w, (int)key.whole, &c);
    }
    return sum.weight > 0.0 ? sum.rate / sum.weight : 0.0;
}
