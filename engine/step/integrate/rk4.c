// Runge-Kutta of fourth order, on rotations too.
//
// Problem: q' = v on a space where quaternions live, M(q) v' = tau - b(q, v) - K (q - rest) - D v.
// Rule: q = q_0 (+) u, and the classical tableau for the plain numbers (u, v). For plain coordinates u' = v; for a
// quaternion u is a rotation vector in the child's axes and
//     u' = J^-1(u) w = w + u x w / 2 + c u x (u x w),   c = (1 - (t/2) cot(t/2)) / t^2,   t = |u|.
// Source: Munthe-Kaas (1999); J is the right Jacobian of exp on SO(3).
// Rows (contacts, limits, dry friction) are made once, at the beginning, and act on the velocity at the end,
// v+ = v_RK + M^-1 J^T lambda; a tree that a row touches moves by exp(h v+), along the velocity that the row speaks of, and the order
// there is one. Applied forces are held over the step in the coordinates of its beginning.
// Fourth order for trees that no row touches; explicit, so stiff springs and dampers bound the step by about 2.8 over
// their rate. Costs five evaluations of the dynamics instead of one.
#include "engine/step/integrate/integrator.h"

#include <string.h>

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

// What a tree's stages need, n numbers each.
typedef struct stages {
    double *u, *v0, *rate, *slope, *rate_sum, *slope_sum;
} stages;

// Stage k from the last one's slopes; adds its own with their weight. Returns 0 when there is no acceleration.
static int take_stage(ts_sim* sim, int tree, int k, const double* start, stages* s) {
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double h = sim->options.time_step;
    for (int d = 0; d < n; ++d) {
        s->u[d] = at[k] * h * s->rate[d];
        sim->qvel[first + d] = s->v0[d] + at[k] * h * s->slope[d];
    }
    if (k > 0) {
        place(sim, tree, start, s->u, sim->qpos);
        ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, tree, &sim->kinematics);
    }
    if (!ts_dynamics_tree(sim, tree, s->slope)) return 0;
    tree_joints walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));) {
        int d = joint->dof_first - first;
        joint_rate(joint, s->u + d, sim->qvel + joint->dof_first, s->rate + d);
    }
    for (int d = 0; d < n; ++d) {
        s->rate_sum[d] += weight[k] * h * s->rate[d];
        s->slope_sum[d] += weight[k] * h * s->slope[d];
    }
    return 1;
}

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count, fine = 1;
    double* numbers = (double*)ts_arena_alloc_zeroed(scratch, 6 * (size_t)n, sizeof(double));
    if (!numbers) return 0;
    stages s = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n, numbers + 4 * n, numbers + 5 * n};
    double* start = storage->coast_position;
    tree_joints walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));)
        memcpy(start + joint->qpos_first, sim->qpos + joint->qpos_first,
               (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
    memcpy(s.v0, sim->qvel + first, (size_t)n * sizeof(double));
    for (int k = 0; k < 4 && fine; ++k) fine = take_stage(sim, tree, k, start, &s);
    // Back to the beginning, with all that follows from it.
    walk = joints_of(sim, tree);
    for (const ts_joint* joint; (joint = next_joint(&walk));)
        memcpy(sim->qpos + joint->qpos_first, start + joint->qpos_first,
               (size_t)ts_joint_type_nq(joint->type) * sizeof(double));
    memcpy(sim->qvel + first, s.v0, (size_t)n * sizeof(double));
    ts_kinematics_tree(sim->model, sim->qpos, sim->qvel, tree, &sim->kinematics);
    fine = ts_dynamics_tree(sim, tree, s.slope) && fine;
    place(sim, tree, sim->qpos, s.rate_sum, start);
    for (int d = 0; fine && d < n; ++d) sim->free_velocity[first + d] = s.v0[d] + s.slope_sum[d];
    return fine;
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
    .coast = coast,
};
