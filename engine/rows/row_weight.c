// What soft rows take for their own G_ii: MuJoCo's estimates, measured once.
//
// Problem: R and c* of a soft row go by how much a unit impulse moves what the row measures. MuJoCo does not take the row's G_ii in
// the present state but, of bodies, degrees of freedom and tendons, means in the reference pose, which rows add up.
// Rule: of a body the mean diagonal of J M^-1 J^T of its centre of mass, and of its turns; of a degree of freedom the diagonal of
// M^-1, averaged over the three of a ball joint and over shifts and turns of a free one; of a tendon its moment times M^-1 times its moment. M is the
// inertia of the masses and armatures alone, with all joints at their references.
// Source: MuJoCo's documentation, chapter Computation (constraint model: diagonal approximation).
// Known to fail: nothing; where a tree's inertia is singular its weights are zero, and the first step says why.
#include "engine/rows/row_weight_internal.h"

#include "engine/actuation/tendon_internal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/rows/row_lanes_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

#include <string.h>

// A tree while it is weighed.
typedef struct scale {
    ts_sim* sim;
    int tree;
    double* M;        // its inertia
    double* L;        // the factor of that
    double* inverse;  // one over the diagonal
    double* J;        // scratch: three rows, and three side by side with a fourth
} scale;

// The mean over `rows` rows of J of |L^-T j|^2 = j M^-1 j^T.
static double mean_response(const scale* s, int rows) {
    int numbers = rows * s->sim->model->tree[s->tree].dof_count;
    double sum = 0.0;
    ts_tree_factor_whiten(s->sim->model, s->tree, s->L, s->inverse, rows, s->J);
    for (int i = 0; i < numbers; ++i) sum += s->J[i] * s->J[i];
    return sum / rows;
}

static double weigh_dof(const scale* s, int dof) {
    const ts_kinematic_tree* span = &s->sim->model->tree[s->tree];
    memset(s->J, 0, (size_t)span->dof_count * sizeof(double));
    s->J[dof - span->dof_first] = 1.0;
    return mean_response(s, 1);
}

// Degrees of freedom of one joint count alike, three by three.
static void weigh_joint(const scale* s, const ts_joint* joint) {
    double* weight = ts_sim_storage_of(s->sim)->dof_inverse_weight;
    int count = ts_joint_type_nv(joint->type), together = count < 3 ? count : 3;
    for (int first = joint->dof_first; first < joint->dof_first + count; first += together) {
        double sum = 0.0;
        for (int k = 0; k < together; ++k) sum += weigh_dof(s, first + k);
        for (int k = 0; k < together; ++k) weight[first + k] = sum / together;
    }
}

// Of the centre of a body, or, with `turn` nonzero, of its turns.
static double weigh_body(const scale* s, int body, int turn) {
    const ts_vec3 axes[3] = {ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    const ts_kinematic_tree* span = &s->sim->model->tree[s->tree];
    int n = span->dof_count;
    double* lanes = s->J + 3 * n;
    memset(lanes, 0, ts_row_lanes_size(3, n) * sizeof(double));
    ts_row_piece piece = {.rows = 3, .tree = s->tree, .dof_first = span->dof_first, .dof_count = n, .J = lanes};
    ts_row_jacobian rows = {.sim = s->sim, .piece = &piece, .piece_count = 1};
    if (turn)
        ts_row_add_turn(&rows, 0, 3, body, axes, 1.0);
    else
        ts_row_add_point(&rows, 0, 3, body, s->sim->kinematics.body_centre[body], axes, 1.0);
    for (int r = 0; r < 3; ++r)
        for (int d = 0; d < n; ++d) s->J[r * n + d] = ts_row_entry(&piece, r, d);
    return mean_response(s, 3);
}

// What a tree adds to the weight of each tendon.
static void weigh_tendons(const scale* s) {
    const ts_model* model = s->sim->model;
    const ts_kinematic_tree* span = &model->tree[s->tree];
    ts_sim_storage* storage = ts_sim_storage_of(s->sim);
    for (int t = 0; t < model->tendon_count; ++t) {
        const ts_lever* lever = &storage->tendon_lever[t];
        int touched = 0;
        memset(s->J, 0, (size_t)span->dof_count * sizeof(double));
        for (int k = 0; k < lever->count; ++k) {
            int dof = lever->dof[k] - span->dof_first;
            if (dof < 0 || dof >= span->dof_count) continue;
            s->J[dof] = lever->moment[k];
            touched = 1;
        }
        if (touched) storage->tendon_inverse_weight[t] += mean_response(s, 1);
    }
}

// The mean of what a couple about each axis does to a lone body.
static double weigh_lone_turn(const ts_body* body) {
    ts_vec3 moment;
    ts_mat3 axes;
    ts_mat3_eigen_symmetric(&body->inertia, &moment, &axes);
    return moment.x > 0.0 ? (1.0 / moment.x + 1.0 / moment.y + 1.0 / moment.z) / 3.0 : 0.0;
}

static void weigh_lone_body(ts_sim* sim, const ts_body* body, int index) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    storage->inverse_weight[index] = body->mass > 0.0 ? 1.0 / body->mass : 0.0;
    if (sim->model->equality_count > 0) storage->inverse_turn_weight[index] = weigh_lone_turn(body);
}

static void weigh_tree(const scale* s) {
    const ts_model* model = s->sim->model;
    const ts_kinematic_tree* span = &model->tree[s->tree];
    ts_sim_storage* storage = ts_sim_storage_of(s->sim);
    ts_crba_tree(model, &s->sim->kinematics, s->tree, &storage->tree_scratch, s->M);
    if (!ts_tree_factor_make(model, s->tree, s->M, s->L, s->inverse)) return;
    for (int i = 0; i < span->body_count; ++i) {
        int b = model->tree_body[span->body_first + i];
        const ts_body* body = &model->body[b];
        if (span->kind == TS_TREE_GENERAL) storage->inverse_weight[b] = weigh_body(s, b, 0);
        if (span->kind == TS_TREE_GENERAL && model->equality_count > 0)
            storage->inverse_turn_weight[b] = weigh_body(s, b, 1);
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j)
            weigh_joint(s, &model->joint[j]);
    }
    weigh_tendons(s);
}

// A lone body's own weights are closed forms; nothing else asks unless dry friction, a limit or a tendon acts on it.
static int is_plain(const ts_model* model, const ts_kinematic_tree* tree) {
    if (tree->kind == TS_TREE_GENERAL || model->tendon_count > 0) return 0;
    for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d)
        if (model->dof[d].friction > 0.0 || model->joint[model->dof[d].joint].limited) return 0;
    return 1;
}

// There are weights of degrees of freedom where any tree asks for its own.
static int take_dof_weights(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    for (int t = 0; t < model->tree_count && !storage->dof_inverse_weight; ++t) {
        if (is_plain(model, &model->tree[t])) continue;
        storage->dof_inverse_weight =
            (double*)ts_arena_alloc_zeroed(&storage->fixed, (size_t)model->nv, sizeof(double));
        if (!storage->dof_inverse_weight) return 0;
    }
    return 1;
}

static void measure_tendons(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int t = 0; t < sim->model->tendon_count; ++t) {
        ts_tendon_measure(sim, &sim->model->tendon[t], &storage->tendon_lever[t]);
        storage->tendon_inverse_weight[t] = 0.0;
    }
}

int ts_row_weigh(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    size_t most = (size_t)storage->dof_most;
    memcpy(sim->qpos, model->qpos_rest, (size_t)model->nq * sizeof(double));
    memset(sim->qvel, 0, (size_t)model->nv * sizeof(double));
    ts_sim_update_kinematics(sim);
    measure_tendons(sim);
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    scale s = {.sim = sim, .M = TS_ARENA_ARRAY(&sim->scratch, double, most* most)};
    s.L = TS_ARENA_ARRAY(&sim->scratch, double, most* most);
    s.inverse = TS_ARENA_ARRAY(&sim->scratch, double, most);
    s.J = TS_ARENA_ARRAY(&sim->scratch, double, 7 * most);
    int fine = s.M && s.L && s.inverse && s.J && take_dof_weights(sim);
    for (int b = 0; b < model->body_count && fine; ++b) {
        storage->inverse_weight[b] = storage->inverse_turn_weight[b] = 0.0;
        if (model->body[b].tree >= 0) weigh_lone_body(sim, &model->body[b], b);
    }
    for (s.tree = 0; s.tree < model->tree_count && fine; ++s.tree)
        if (!is_plain(model, &model->tree[s.tree])) weigh_tree(&s);
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}
