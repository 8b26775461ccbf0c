// Runge-Kutta of fourth order, on rotations too.
//
// Problem: q' = v on a space where quaternions live, M(q) v' = tau - b(q, v) - K (q - rest) - D v.
// Rule: q = q_0 (+) u, and the classical tableau for the plain numbers (u, v). For plain coordinates u' = v; for a
// quaternion u is a rotation vector in the child's axes and
//     u' = J^-1(u) w = w + u x w / 2 + c u x (u x w),   c = (1 - (t/2) cot(t/2)) / t^2,   t = |u|.
// Source: Munthe-Kaas (1999); J is the right Jacobian of exp on SO(3).
// Rows (contacts, limits, dry friction) are made once, at the beginning, and act on the velocity at the end,
// v+ = v_RK + M^-1 J^T lambda; a tree that a row touches moves by exp(h v+), along the velocity that the row speaks of, and the order
// there is one. Applied forces are held over the step in the coordinates of its beginning. Where something pulls at several trees, or actuators have
// activations, all trees take each stage together; the activations take it, too.
// Fourth order for trees that no row touches; explicit, so stiff springs and dampers bound the step by about 2.8 over
// their rate. Costs five evaluations of the dynamics instead of one.
#include "engine/step/integrate/integrator.h"

#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"

// rad^2: below it c is 1/12 + t^2/720 to rounding.
static const double small_square = 1e-5;

static ts_vec3 chart_rate(ts_vec3 u, ts_vec3 w) {
    double square = ts_vec3_norm_squared(u), half = 0.5 * sqrt(square), c = 1.0 / 12.0 + square / 720.0;
    if (square > small_square) c = (1.0 - half * cos(half) / sin(half)) / square;
    ts_vec3 turned = ts_vec3_cross(u, w);
    return ts_vec3_add_scaled(ts_vec3_add_scaled(w, 0.5, turned), c, ts_vec3_cross(u, turned));
}

// u' of a joint.
static void joint_rate(const ts_joint* joint, const double* u, const double* v, double* out_rate) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    int n = traits->numbers;
    memcpy(out_rate, v, (size_t)n * sizeof(double));
    if (traits->quaternion) ts_vec3_store(chart_rate(ts_vec3_load(u + n), ts_vec3_load(v + n)), out_rate + n);
}

// The joints of a tree: those of its bodies.
typedef struct tree_joints {
    const ts_sim* sim;
    int tree;
    int body;   // counted from the tree's first
    int joint;  // the next one
} tree_joints;

static const ts_joint* next_joint(tree_joints* walk) {
    const ts_model* model = walk->sim->model;
    const ts_kinematic_tree* tree = &model->tree[walk->tree];
    while (walk->body < tree->body_count) {
        const ts_body* body = &model->body[model->tree_body[tree->body_first + walk->body]];
        if (walk->joint < body->joint_count) return &model->joint[body->joint_first + walk->joint++];
        ++walk->body;
        walk->joint = 0;
    }
    return NULL;
}

static tree_joints joints_of(const ts_sim* sim, int tree) {
    tree_joints walk = {sim, tree, 0, 0};
    return walk;
}

// qpos of the tree = start (+) u.
static void place(const ts_sim* sim, int tree, const double* start, const double* u, double* out_qpos) {
    tree_joints walk = joints_of(sim, tree);
    int first = sim->model->tree[tree].dof_first;
    for (const ts_joint* joint; (joint = next_joint(&walk));)
        ts_joint_integrate(joint->type, start + joint->qpos_first, u + joint->dof_first - first, 1.0,
                           out_qpos + joint->qpos_first);
}

enum { STAGES = 4 };

static const double stage_at[STAGES] = {0.0, 0.5, 0.5, 1.0};
static const double stage_weight[STAGES] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

// What a tree's stages need, n numbers each.
typedef struct stages {
    double *u, *v0, *rate, *slope, *rate_sum, *slope_sum;
} stages;

enum { STAGE_ARRAYS = 6 };

static stages stages_in(double* numbers, int n) {
    return (stages){numbers, numbers + n, numbers + 2 * n, numbers + 3 * n, numbers + 4 * n, numbers + 5 * n};
}

// Of the joints of a tree, from one array over all coordinates to another.
static void copy_positions(const ts_sim* sim, int tree, const double* from, double* to) {
    tree_joints walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));)
        memcpy(to + joint->qpos_first, from + joint->qpos_first,
               (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
}

static void begin(ts_sim* sim, int tree, stages* s) {
    const ts_kinematic_tree* span = &sim->model->tree[tree];
    copy_positions(sim, tree, sim->qpos, ts_sim_storage_of(sim)->coast_position);
    memcpy(s->v0, sim->qvel + span->dof_first, (size_t)span->dof_count * sizeof(double));
}

// To where stage k is, by the last one's slopes.
static void enter_stage(ts_sim* sim, int tree, int k, stages* s) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double h = sim->options.time_step;
    for (int d = 0; d < n; ++d) {
        s->u[d] = stage_at[k] * h * s->rate[d];
        sim->qvel[first + d] = s->v0[d] + stage_at[k] * h * s->slope[d];
    }
    if (k == 0) return;
    place(sim, tree, ts_sim_storage_of(sim)->coast_position, s->u, sim->qpos);
    ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, tree, &sim->kinematics);
}

// The slopes there; adds them with their weight. Returns 0 when there is no acceleration.
static int take_slopes(ts_sim* sim, int tree, int k, stages* s) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double h = sim->options.time_step;
    if (!ts_dynamics_tree(sim, tree, s->slope)) return 0;
    tree_joints walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));) {
        int d = joint->dof_first - first;
        joint_rate(joint, s->u + d, sim->qvel + joint->dof_first, s->rate + d);
    }
    for (int d = 0; d < n; ++d) {
        s->rate_sum[d] += stage_weight[k] * h * s->rate[d];
        s->slope_sum[d] += stage_weight[k] * h * s->slope[d];
    }
    return 1;
}

// Back to the beginning, with the kinematics that follow from it.
static void go_back(ts_sim* sim, int tree, const stages* s) {
    const ts_kinematic_tree* span = &sim->model->tree[tree];
    copy_positions(sim, tree, ts_sim_storage_of(sim)->coast_position, sim->qpos);
    memcpy(sim->qvel + span->dof_first, s->v0, (size_t)span->dof_count * sizeof(double));
    ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, tree, &sim->kinematics);
}

// The dynamics of the beginning again, and the results. Returns 0 when there are none.
static int finish(ts_sim* sim, int tree, stages* s, int fine) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    fine = ts_dynamics_tree(sim, tree, s->slope) && fine;
    place(sim, tree, sim->qpos, s->rate_sum, ts_sim_storage_of(sim)->coast_position);
    for (int d = 0; fine && d < n; ++d) sim->free_velocity[first + d] = s->v0[d] + s->slope_sum[d];
    return fine;
}

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    int n = sim->model->tree[tree].dof_count, fine = 1;
    double* numbers = (double*)ts_arena_alloc_zeroed(scratch, STAGE_ARRAYS * (size_t)n, sizeof(double));
    if (!numbers) return 0;
    stages s = stages_in(numbers, n);
    begin(sim, tree, &s);
    for (int k = 0; k < STAGES && fine; ++k) {
        enter_stage(sim, tree, k, &s);
        fine = take_slopes(sim, tree, k, &s);
    }
    go_back(sim, tree, &s);
    return finish(sim, tree, &s, fine);
}

// What all trees' stages need together.
typedef struct together {
    stages* tree;       // (tree_count)
    double* held;       // (nv) applied forces without those that join trees
    double *act, *sum;  // (act_count) activations at the beginning, and their weighted rates
} together;

static int open_together(ts_sim* sim, ts_arena* scratch, together* out) {
    const ts_model* model = sim->model;
    const double* applied = ts_sim_storage_of(sim)->applied;
    out->tree = TS_ARENA_ARRAY(scratch, stages, model->tree_count);
    out->held = (double*)ts_arena_alloc_zeroed(scratch, (size_t)model->nv, sizeof(double));
    out->act = TS_ARENA_ARRAY(scratch, double, model->act_count);
    out->sum = (double*)ts_arena_alloc_zeroed(scratch, (size_t)model->act_count, sizeof(double));
    double* numbers = (double*)ts_arena_alloc_zeroed(scratch, STAGE_ARRAYS * (size_t)model->nv, sizeof(double));
    if (scratch->failed) return 0;
    for (int t = 0; t < model->tree_count; ++t) {
        out->tree[t] = stages_in(numbers + STAGE_ARRAYS * model->tree[t].dof_first, model->tree[t].dof_count);
        begin(sim, t, &out->tree[t]);
    }
    ts_actuation_across(sim, out->held);
    for (int d = 0; d < model->nv; ++d) out->held[d] = applied[d] - out->held[d];
    if (model->act_count > 0) memcpy(out->act, sim->act, (size_t)model->act_count * sizeof(double));
    return 1;
}

// Activations at stage k from the last one's rates, and the forces that join trees there.
static void join(ts_sim* sim, const together* all, int k) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    for (int a = 0; a < sim->model->act_count; ++a)
        sim->act[a] = all->act[a] + (k > 0 ? stage_at[k] * sim->options.time_step * storage->act_rate[a] : 0.0);
    memcpy(storage->applied, all->held, (size_t)sim->model->nv * sizeof(double));
    ts_actuation_across(sim, storage->applied);
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        int a = sim->model->actuator[i].act;
        if (a < 0) continue;
        storage->act_rate[a] = ts_actuation_rate(sim, i);
        all->sum[a] += stage_weight[k] * storage->act_rate[a];
    }
}

typedef void (*stage_visit)(ts_sim* sim, double weight, void* user);

// All trees through the stages, and back. Returns 0 when memory is short.
static int go_through(ts_sim* sim, ts_arena* scratch, stage_visit visit, void* user) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    together all;
    if (!open_together(sim, scratch, &all)) return 0;
    memset(storage->tree_unsolved, 0, (size_t)model->tree_count);
    for (int k = 0; k < STAGES; ++k) {
        for (int t = 0; t < model->tree_count; ++t) enter_stage(sim, t, k, &all.tree[t]);
        join(sim, &all, k);
        for (int t = 0; t < model->tree_count; ++t)
            if (!take_slopes(sim, t, k, &all.tree[t])) storage->tree_unsolved[t] = 1;
        if (visit) visit(sim, stage_weight[k], user);
    }
    for (int t = 0; t < model->tree_count; ++t) go_back(sim, t, &all.tree[t]);
    for (int a = 0; a < model->act_count; ++a) sim->act[a] = all.act[a];
    memcpy(storage->applied, all.held, (size_t)model->nv * sizeof(double));
    ts_actuation_across(sim, storage->applied);
    for (int t = 0; t < model->tree_count; ++t)
        storage->tree_unsolved[t] = !finish(sim, t, &all.tree[t], !storage->tree_unsolved[t]);
    if (model->act_count > 0) memcpy(storage->act_rate, all.sum, (size_t)model->act_count * sizeof(double));
    return 1;
}

static void advance_together(ts_sim* sim, ts_arena* scratch) { (void)go_through(sim, scratch, NULL, NULL); }

// What is applied rounds differently once the forces that join trees have been taken out and put back.
static int revisit(ts_sim* sim, ts_arena* scratch, stage_visit visit, void* user) {
    size_t bytes = (size_t)sim->model->nv * sizeof(double);
    double *applied = ts_sim_storage_of(sim)->applied, *kept = TS_ARENA_ARRAY(scratch, double, sim->model->nv);
    if (!kept) return 0;
    memcpy(kept, applied, bytes);
    int enough = go_through(sim, scratch, visit, user);
    memcpy(applied, kept, bytes);
    return enough;
}

static void coast(const ts_sim* sim, int tree, double* out_qpos) {
    const double* position = ts_sim_storage_of(sim)->coast_position;
    tree_joints walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));)
        memcpy(out_qpos + joint->qpos_first, position + joint->qpos_first,
               (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
}

const ts_integrator ts_rk4_integrator = {
    .name = "rk4",
    .summary = "Runge-Kutta of fourth order, on rotations too; contacts made once a step",
    .advance = advance,
    .advance_together = advance_together,
    .revisit = revisit,
    .coast = coast,
};
