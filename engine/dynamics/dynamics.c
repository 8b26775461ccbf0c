// The velocity at the end of the step if nothing touched anything.
//
// Problem: springs and dampers must not limit the step. Rule: they act with the values they have at the end of it. With
// tau(q, v) = -K (q - rest) - D v taken at q+ = q + h v+ and v+,
//
//     M (v+ - v) = h (tau_applied - b - K (q + h v+ - rest) - D v+) + J^T lambda
//     (M + h D + h^2 K) v+ = M v + h (tau_applied - b - K (q - rest)) + J^T lambda.
//
// Call the matrix on the left M_hat and subtract M_hat v on both sides:
//
//     v+ = v_f + M_hat^-1 J^T lambda,   v_f = v + h M_hat^-1 (tau_applied - b - K (q - rest) - (D + h K) v).
//
// So the same M_hat serves the free velocity and the Delassus operator J M_hat^-1 J^T, and contacts feel the springs.
// M_hat is factorised as L^T L along the tree (tree_factor.c).
//
// Which of D and K are taken ahead is the integrator's to say, and what becomes of b, here that of the beginning of the step
// (engine/step/integrate/integrator.h).
//
// Source: linearly implicit Euler; docs/contact.md for the plain form. Unconditionally stable for the linear spring and
// damper (v+ = v / (1 + h d / m) for a lone damper); first order.
// A ball joint's spring pulls its rotation vector theta to zero with potential K |theta|^2 / 2; its torque is exactly
// -K theta in child axes, and h K times the identity is used for its derivative, which holds for small angles and stays
// positive for all. Free joints have no springs: there is nothing to be attached to.
#include "engine/dynamics/dynamics_internal.h"

#include <math.h>
#include <string.h>

#include "base/scalar.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/dynamics/rnea.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/pile_internal.h"

// Whether nobody pulls at any body. In sums that do not wait for each other; a number that is none makes them none.
static int is_left_alone(const ts_sim* sim) {
    const double* x = (const double*)sim->wrench_applied;
    int count = 6 * sim->model->body_count, i = 0;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += fabs(x[i + k]);
    for (; i < count; ++i) sum[0] += fabs(x[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

// Whether forces at the degrees of freedom are all that comes from outside.
static int is_plainly_applied(const ts_sim* sim) {
    return ts_sim_storage_of(sim)->is_loose && !sim->contact_rare && !sim->integrator->revisit &&
           !ts_fluid_is_there(&sim->options) && is_left_alone(sim);
}

int ts_dynamics_take_applied(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int is_plain = is_plainly_applied(sim);
    if (!is_plain && !storage->own_applied)
        storage->own_applied = TS_ARENA_ARRAY(&storage->fixed, double, sim->model->nv);
    storage->applied = is_plain ? sim->force_applied : storage->own_applied;
    int in_medium = ts_fluid_is_there(&sim->options);
    if (in_medium && !sim->force_fluid)
        sim->force_fluid = (double*)ts_arena_alloc_zeroed(&storage->fixed, (size_t)sim->model->nv, sizeof(double));
    return storage->applied && (!in_medium || sim->force_fluid);
}

// Most wrenches are zero.
void ts_dynamics_gather_applied(const ts_sim* sim, double* applied) {
    const ts_model* model = sim->model;
    memcpy(applied, sim->force_applied, (size_t)model->nv * sizeof(double));
    if (is_left_alone(sim)) return;
    for (int b = 1; b < model->body_count; ++b) {
        ts_force wrench = sim->wrench_applied[b];
        const ts_body* body = &model->body[b];
        if (body->tree < 0) continue;
        if (ts_vec3_max_abs(wrench.force) == 0.0 && ts_vec3_max_abs(wrench.couple) == 0.0) continue;
        ts_vec3 lever =
            ts_vec3_sub(sim->kinematics.body_centre[b], ts_kinematics_origin(sim->model, &sim->kinematics, body->tree));
        wrench.couple = ts_vec3_add(wrench.couple, ts_vec3_cross(lever, wrench.force));
        for (int d = body->dof_last; d >= 0; d = model->dof[d].parent)
            applied[d] += ts_motion_dot_force(ts_kinematics_axis(sim->model, &sim->kinematics, d), wrench);
    }
}

// What contacts that stick pull their bodies together with.
void ts_dynamics_gather_adhesion(const ts_sim* sim, double* applied) {
    const ts_model* model = sim->model;
    for (int c = 0; sim->contact_rare && c < sim->contact_count; ++c) {
        double adhesion = sim->contact_rare[c].adhesion;
        if (adhesion == 0.0) continue;
        const ts_contact* contact = &sim->contact[c];
        for (int side = 0; side < 2; ++side) {
            const ts_body* body = &model->body[side ? contact->body_b : contact->body_a];
            if (body->tree < 0) continue;
            ts_vec3 force = ts_vec3_scale(side ? -adhesion : adhesion, ts_mat3_column(&contact->frame, 2));
            ts_vec3 lever =
                ts_vec3_sub(contact->position, ts_kinematics_origin(sim->model, &sim->kinematics, body->tree));
            ts_force wrench = {.couple = ts_vec3_cross(lever, force), .force = force};
            for (int d = body->dof_last; d >= 0; d = model->dof[d].parent)
                applied[d] += ts_motion_dot_force(ts_kinematics_axis(sim->model, &sim->kinematics, d), wrench);
        }
    }
}

// Adds -K (q - rest) of a joint to `force`; returns K.
static double add_spring(const ts_sim* sim, const ts_joint* joint, double* force) {
    double K = joint->spring, stretch[TS_JOINT_NV_MOST];
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    if (K == 0.0) return 0.0;
    ts_joint_stretch(joint, sim->qpos + joint->qpos_first, stretch);
    for (int i = 0; i < traits->numbers + 3 * traits->quaternion; ++i) force[i] -= K * stretch[i];
    return K;
}

// What of a joint's spring and damper is not linear; its slopes stand in M like theirs where they are positive.
static void add_curve(const ts_sim* sim, const ts_joint* joint, int d, int n, double* M, double* force) {
    double h = sim->options.time_step, rate = sim->qvel[joint->dof_first], stretch[TS_JOINT_NV_MOST] = {0.0}, stiffness,
           damping;
    ts_joint_stretch(joint, sim->qpos + joint->qpos_first, stretch);
    force[d] += ts_curve_force(&joint->curve, stretch[0], rate, &stiffness, &damping);
    stiffness = sim->integrator->springs_ahead ? h * fmax(stiffness, 0.0) : 0.0;
    force[d] -= stiffness * rate;
    M[(size_t)d * (size_t)(n + 1)] += h * (stiffness + (sim->integrator->damping_ahead ? fmax(damping, 0.0) : 0.0));
}

// Springs and dampers of one tree: adds their forces of the derivation to `force` (counted from the tree's first dof) and, of h D + h^2 K, what
// the integrator takes ahead to the diagonal of M.
static void add_springs_and_dampers(const ts_sim* sim, int tree, double* M, double* force) {
    const ts_model* model = sim->model;
    double h = sim->options.time_step;
    int first = model->tree[tree].dof_first, n = model->tree[tree].dof_count;
    int damping_ahead = sim->integrator->damping_ahead, springs_ahead = sim->integrator->springs_ahead;
    double K = 0.0;
    for (int d = first; d < first + n; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        if (d == joint->dof_first) K = add_spring(sim, joint, force + d - first);
        double damping = model->dof[d].damping, ahead = springs_ahead ? h * K : 0.0;
        force[d - first] -= (damping + ahead) * sim->qvel[d];
        M[(size_t)(d - first) * (size_t)(n + 1)] += h * (damping_ahead ? damping + ahead : ahead);
        if (joint->curve.is_there) add_curve(sim, joint, d - first, n, M, force);
    }
}

// Whether the matrix of a tree is constant: nothing pulls ahead at a lone body that the integrator frees itself.
static int is_constant(const ts_sim* sim, int t) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    return (storage->tree_matrix[t] & TS_TREE_MATRIX_STEADY) && (sim->integrator->frees_lone_bodies || !storage->drive);
}

// Mass matrix, factor, bias, and the forces that the factor is to be asked about. Returns 0 when there is no factor.
static inline int find_forces(ts_sim* sim, int t, double* out_force) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double* M = sim->mass_matrix + sim->mass_start[t];
    double* L = sim->mass_factor + sim->mass_start[t];
    int may_stay = is_constant(sim, t), is_known = may_stay && (storage->tree_matrix[t] & TS_TREE_MATRIX_FACTORED);
    if (!is_known) ts_crba_refresh(model, &sim->kinematics, t, &storage->tree_scratch, M);
    ts_rnea_tree(model, &sim->kinematics, sim->options.gravity, t, NULL, &storage->tree_scratch, sim->bias + first);
    for (int d = 0; d < n; ++d) out_force[d] = storage->applied[first + d] - sim->bias[first + d];
    ts_actuation_tree(sim, t, is_known ? NULL : M, out_force);
    if (ts_fluid_is_there(&sim->options)) ts_fluid_tree(sim, t, M, out_force);
    if (is_known) return 1;
    add_springs_and_dampers(sim, t, M, out_force);
    storage->tree_failed[t] = !ts_tree_factor_make(model, t, M, L, ts_sim_inverse_diagonal(sim, t));
    storage->tree_matrix[t] &= TS_TREE_MATRIX_STEADY;
    if (!storage->tree_failed[t] && may_stay) storage->tree_matrix[t] |= TS_TREE_MATRIX_FACTORED;
    return !storage->tree_failed[t];
}

// What several trees share is made by one thread, once: each of them writes the same. Returns the first tree without a factor, or -1.
static int find_constants(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_model* model = sim->model;
    if (!storage->matrices_are_shared || storage->constants_are_known) return -1;
    for (int t = 0; t < model->tree_count; ++t) {
        double *M = sim->mass_matrix + sim->mass_start[t], *L = sim->mass_factor + sim->mass_start[t];
        if (!is_constant(sim, t)) continue;
        ts_crba_refresh(model, &sim->kinematics, t, &storage->tree_scratch, M);
        storage->tree_failed[t] = !ts_tree_factor_make(model, t, M, L, ts_sim_inverse_diagonal(sim, t));
        if (storage->tree_failed[t]) return t;
        storage->tree_matrix[t] |= TS_TREE_MATRIX_FACTORED;
    }
    storage->constants_are_known = 1;
    return -1;
}

// Matrix, factor and bias of a lone body of a pile, for whoever looks at them; mostly only the bias is new.
static void leave_lone(ts_sim* sim, int t, double* scratch) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int is_known = is_constant(sim, t) && (storage->tree_matrix[t] & TS_TREE_MATRIX_FACTORED);
    if (is_known && !storage->drive && !ts_fluid_is_there(&sim->options))
        ts_rnea_tree(sim->model, &sim->kinematics, sim->options.gravity, t, NULL, &ts_sim_storage_of(sim)->tree_scratch,
                     sim->bias + sim->model->tree[t].dof_first);
    else
        (void)find_forces(sim, t, scratch);
}

int ts_dynamics_tree(ts_sim* sim, int t, double* out_acceleration) {
    if (!find_forces(sim, t, out_acceleration)) return 0;
    ts_dynamics_whiten(sim, t, 1, out_acceleration);
    int n = sim->model->tree[t].dof_count;
    ts_sim_storage_of(sim)->thrust[t] = ts_dot(out_acceleration, out_acceleration, n);
    ts_dynamics_unwhiten(sim, t, out_acceleration);
    return 1;
}

static void update_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    double h = sim->options.time_step;
    // Their integrator has no use for matrix and bias of lone bodies; of piles nothing else has, but what is left by the last substep.
    int is_asked = ts_pile_remembers(sim), is_pile = ts_pile_is_on(sim);
    (void)worker;
    for (int t = begin; t < end; ++t) {
        int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
        double* velocity = sim->free_velocity + first;
        if (ts_sim_tree_sleeps(sim, t)) continue;
        if (sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[t]) {
            if (is_asked && is_pile)
                leave_lone(sim, t, velocity);
            else if (is_asked)
                find_forces(sim, t, velocity);
            continue;
        }
        if (!ts_dynamics_tree(sim, t, velocity)) continue;
        for (int d = 0; d < n; ++d) velocity[d] = sim->qvel[first + d] + h * velocity[d];
    }
}

int ts_dynamics_update(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int is_plain = storage->applied == sim->force_applied;
    if (!is_plain) ts_dynamics_gather_applied(sim, storage->applied);
    // Contacts of piles do not stick.
    if (!is_plain && !ts_pile_is_on(sim)) ts_dynamics_gather_adhesion(sim, storage->applied);
    if (!is_plain) ts_actuation_across(sim, storage->applied);
    if (ts_fluid_is_there(&sim->options)) ts_fluid_lone_bodies(sim, storage->applied);
    int failed = find_constants(sim);
    if (failed >= 0) return failed;
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, 32, update_trees, sim);
    ts_actuation_total(sim);
    for (int t = 0; t < sim->model->tree_count; ++t)
        if (storage->tree_failed[t]) return t;
    return -1;
}

void ts_dynamics_bias_at(ts_sim* sim, int tree, const double* velocity, double* out_force) {
    ts_rnea_bias_at(sim->model, &sim->kinematics, sim->options.gravity, tree, velocity,
                    &ts_sim_storage_of(sim)->tree_scratch, out_force);
}

void ts_dynamics_whiten(const ts_sim* sim, int tree, int rows, double* jacobian) {
    ts_tree_factor_whiten(sim->model, tree, sim->mass_factor + sim->mass_start[tree],
                          ts_sim_inverse_diagonal(sim, tree), rows, jacobian);
}

void ts_dynamics_unwhiten(const ts_sim* sim, int tree, double* w) {
    ts_tree_factor_unwhiten(sim->model, tree, sim->mass_factor + sim->mass_start[tree],
                            ts_sim_inverse_diagonal(sim, tree), 1, w);
}
