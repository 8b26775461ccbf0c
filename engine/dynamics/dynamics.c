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
// M_hat is factorised as L^T L from the leaves to the root, which makes no fill: L_ki is nonzero only for i on the chain of
// dofs from k to the root. A row of a Jacobian that moves one body keeps its support, that body's chain, when it is
// whitened with L^-T; a plain L L^T would spread it over the whole tree (Featherstone 2008, section 6.5; docs/contact.md).
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

#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/crba_internal.h"
#include "engine/dynamics/free_body_internal.h"
#include "engine/dynamics/rnea_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

// applied = force_applied + sum over bodies of S . wrench; most wrenches are zero.
static void gather_applied(ts_sim* sim, double* applied) {
    const ts_model* model = sim->model;
    memcpy(applied, sim->force_applied, (size_t)model->nv * sizeof(double));
    for (int b = 1; b < model->body_count; ++b) {
        ts_force wrench = sim->wrench_applied[b];
        const ts_body* body = &model->body[b];
        if (body->tree < 0) continue;
        if (ts_vec3_max_abs(wrench.force) == 0.0 && ts_vec3_max_abs(wrench.couple) == 0.0) continue;
        ts_vec3 lever = ts_vec3_sub(sim->kinematics.body_centre[b], sim->kinematics.tree_origin[body->tree]);
        wrench.couple = ts_vec3_add(wrench.couple, ts_vec3_cross(lever, wrench.force));
        for (int d = body->dof_last; d >= 0; d = model->dof[d].parent)
            applied[d] += ts_motion_dot_force(sim->kinematics.dof_axis[d], wrench);
    }
}

// Adds -K (q - rest) of a joint to `force`; returns K.
static double add_spring(const ts_sim* sim, const ts_joint* joint, double* force) {
    double K = joint->spring, stretch[TS_JOINT_NV_MOST];
    if (K == 0.0) return 0.0;
    ts_joint_stretch(joint, sim->qpos + joint->qpos_first, stretch);
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i) force[i] -= K * stretch[i];
    return K;
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
    }
}

// The dofs of a tree as chains to its root, in runs of consecutive ones: a robot's limb is one run, and walking it needs
// no look at the dofs in between.
typedef struct dof_chains {
    const ts_dof* dof;
    int first;  // the tree's first dof; what follows counts from it
} dof_chains;

static inline dof_chains chains_of(const ts_sim* sim, int tree) {
    dof_chains chains = {sim->model->dof, sim->model->tree[tree].dof_first};
    return chains;
}

// The dof that i hangs on, or a negative number.
static inline int above(const dof_chains* chains, int i) {
    return chains->dof[chains->first + i].parent - chains->first;
}

#if defined(__GNUC__)

// Two neighbouring columns: runs are short, and compilers leave them scalar.
typedef double pair __attribute__((vector_size(16)));

static inline pair pair_load(const double* from) {
    pair v;
    memcpy(&v, from, sizeof v);
    return v;
}

#endif

// x -= sum over lines k = last down to first of value[k] times columns [0, n) of line k, lines `ld` apart.
static inline void subtract_lines(const double* line, int ld, int first, int last, int n, const double* value,
                                  double* x) {
    int j = 0;
#if defined(__GNUC__)
    for (; j + 2 <= n; j += 2) {
        pair sum = pair_load(x + j);
        for (int k = last; k >= first; --k) sum -= pair_load(line + k * ld + j) * (pair){value[k], value[k]};
        memcpy(x + j, &sum, sizeof sum);
    }
#endif
    for (; j < n; ++j) {
        double sum = x[j];
        for (int k = last; k >= first; --k) sum -= line[k * ld + j] * value[k];
        x[j] = sum;
    }
}

// The same of three rows x, and their values, each `stride` behind the other.
static inline void subtract_lines_three(const double* line, int ld, int first, int last, int n, const double* value,
                                        int stride, double* x) {
    int j = 0;
#if defined(__GNUC__)
    const double *v1 = value + stride, *v2 = v1 + stride;
    for (; j + 2 <= n; j += 2) {
        pair a = pair_load(x + j), b = pair_load(x + stride + j), c = pair_load(x + 2 * stride + j);
        for (int k = last; k >= first; --k) {
            pair l = pair_load(line + k * ld + j);
            a -= l * (pair){value[k], value[k]};
            b -= l * (pair){v1[k], v1[k]};
            c -= l * (pair){v2[k], v2[k]};
        }
        memcpy(x + j, &a, sizeof a);
        memcpy(x + stride + j, &b, sizeof b);
        memcpy(x + 2 * stride + j, &c, sizeof c);
    }
#endif
    for (int r = 0; r < 3 && j < n; ++r)
        subtract_lines(line + j, ld, first, last, n - j, value + r * stride, x + r * stride + j);
}

// x -= value * line from dof i to the root.
static inline void subtract_chain(const dof_chains* chains, int i, double value, const double* line, double* x) {
    while (i >= 0) {
        int start = chains->dof[chains->first + i].run - chains->first;
        subtract_lines(line + start, 0, 0, 0, i + 1 - start, &value, x + start);
        i = above(chains, start);
    }
}

// M = L^T L in place, lower triangle, entries on dof chains only. Returns 0 when a pivot is not positive.
static int factor_tree(const dof_chains* chains, int n, double* L, double* inverse) {
    for (int k = n - 1; k >= 0; --k) {
        double* row = L + (size_t)k * (size_t)n;
        if (!(row[k] > 0.0) || !isfinite(row[k])) return 0;
        row[k] = sqrt(row[k]);
        inverse[k] = 1.0 / row[k];
        for (int i = above(chains, k); i >= 0; i = above(chains, i)) row[i] *= inverse[k];
        for (int i = above(chains, k); i >= 0; i = above(chains, i))
            subtract_chain(chains, i, row[i], row, L + (size_t)i * (size_t)n);
    }
    return 1;
}

// Whether the matrix of a tree is the same in every pose and at every time step.
static int is_constant(const ts_sim* sim, int t) {
    const ts_joint* joint = &sim->model->joint[sim->model->dof[sim->model->tree[t].dof_first].joint];
    return sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[t] &&
           ts_free_body_is_centred(sim, t) && joint->spring == 0.0;
}

// Mass matrix, factor, bias, and the forces that the factor is to be asked about. Returns 0 when there is no factor.
static inline int find_forces(ts_sim* sim, int t, double* out_force) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double* M = sim->mass_matrix + sim->mass_start[t];
    double* L = sim->mass_factor + sim->mass_start[t];
    int is_known = storage->factored_under[t] == sim->integrator;
    if (!is_known) ts_crba_tree(sim, t, M);
    ts_rnea_tree(sim, t, NULL, sim->bias + first);
    for (int d = 0; d < n; ++d) out_force[d] = storage->applied[first + d] - sim->bias[first + d];
    ts_actuation_tree(sim, t, is_known ? NULL : M, out_force);
    if (is_known) return 1;
    add_springs_and_dampers(sim, t, M, out_force);
    memcpy(L, M, (size_t)n * (size_t)n * sizeof(double));
    double* inverse = storage->inverse_diagonal + first;
    dof_chains chains = chains_of(sim, t);
    storage->tree_failed[t] = ts_free_body_is_centred(sim, t) ? !ts_free_body_factor_centred(L, inverse)
                                                              : !factor_tree(&chains, n, L, inverse);
    if (!storage->tree_failed[t] && is_constant(sim, t)) storage->factored_under[t] = sim->integrator;
    return !storage->tree_failed[t];
}

int ts_dynamics_tree(ts_sim* sim, int t, double* out_acceleration) {
    if (!find_forces(sim, t, out_acceleration)) return 0;
    ts_dynamics_whiten(sim, t, 1, out_acceleration);
    ts_dynamics_unwhiten(sim, t, out_acceleration);
    return 1;
}

static void update_trees(void* context, int begin, int end, int worker) {
    ts_sim* sim = (ts_sim*)context;
    double h = sim->options.time_step;
    (void)worker;
    for (int t = begin; t < end; ++t) {
        int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
        double* velocity = sim->free_velocity + first;
        if (sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[t]) {
            find_forces(sim, t, velocity);
            continue;
        }
        if (!ts_dynamics_tree(sim, t, velocity)) continue;
        for (int d = 0; d < n; ++d) velocity[d] = sim->qvel[first + d] + h * velocity[d];
    }
}

int ts_dynamics_update(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    gather_applied(sim, storage->applied);
    ts_actuation_across(sim, storage->applied);
    ts_task_parallel_for(sim->tasks, sim->model->tree_count, 32, update_trees, sim);
    ts_actuation_total(sim);
    for (int t = 0; t < sim->model->tree_count; ++t)
        if (storage->tree_failed[t]) return t;
    return -1;
}

// Columns [column, column + count) less what dofs [low, end] have given them.
static inline void pass_on(const double* L, int n, int low, int end, int column, int count, int rows, double* x) {
    if (rows == 3)
        subtract_lines_three(L + column, n, low, end, count, x, n, x + column);
    else
        subtract_lines(L + column, n, low, end, count, x, x + column);
}

// Dofs of a run that are eliminated at a time.
enum { CHUNK = 4 };

// ts_dynamics_whiten of one or three rows of a general tree: together they read the factor once and do not wait for each other. Run by
// run from the leaves: within the run, then all of it from the runs that it hangs on.
static inline void whiten_rows(const dof_chains* chains, int n, const double* L, const double* inverse, int rows,
                               double* x) {
    for (int last = n - 1, start; last >= 0; last = start - 1) {
        start = chains->dof[chains->first + last].run - chains->first;
        // Off the rows' chains everything is zero and stays so.
        while (last >= start && x[last] == 0.0 && (rows == 1 || (x[n + last] == 0.0 && x[2 * n + last] == 0.0))) --last;
        if (last < start) continue;
        for (int end = last, low; end >= start; end = low - 1) {
            low = end - CHUNK + 1 > start ? end - CHUNK + 1 : start;
            for (int k = end; k >= low; --k) {
                for (int r = 0; r < rows; ++r) {
                    double value = x[r * n + k] *= inverse[k];
                    for (int i = low; i < k; ++i) x[r * n + i] -= L[k * n + i] * value;
                }
            }
            pass_on(L, n, low, end, start, low - start, rows, x);
        }
        for (int i = above(chains, start), from; i >= 0; i = above(chains, from)) {
            from = chains->dof[chains->first + i].run - chains->first;
            pass_on(L, n, start, last, from, i + 1 - from, rows, x);
        }
    }
}

void ts_dynamics_whiten(const ts_sim* sim, int tree, int rows, double* jacobian) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    const double* L = sim->mass_factor + sim->mass_start[tree];
    const double* inverse = ts_sim_storage_of(sim)->inverse_diagonal + first;
    if (sim->model->tree[tree].kind != TS_TREE_GENERAL) {
        for (int r = 0; r < rows; ++r) ts_free_body_whiten(L, inverse, jacobian + 6 * r);
        return;
    }
    dof_chains chains = chains_of(sim, tree);
    int r = 0;
    for (; r + 3 <= rows; r += 3) whiten_rows(&chains, n, L, inverse, 3, jacobian + r * n);
    for (; r < rows; ++r) whiten_rows(&chains, n, L, inverse, 1, jacobian + r * n);
}

void ts_dynamics_unwhiten(const ts_sim* sim, int tree, double* w) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    const double* L = sim->mass_factor + sim->mass_start[tree];
    const double* inverse = ts_sim_storage_of(sim)->inverse_diagonal + first;
    if (ts_free_body_is_centred(sim, tree)) {
        ts_free_body_unwhiten_centred(L, inverse, w);
        return;
    }
    dof_chains chains = chains_of(sim, tree);
    for (int k = 0; k < n; ++k) {
        const double* line = L + (size_t)k * (size_t)n;
        double even = w[k], odd = 0.0;
        for (int i = above(&chains, k); i >= 0;) {
            int start = chains.dof[chains.first + i].run - chains.first, j = start;
            for (; j < i; j += 2) {
                even -= line[j] * w[j];
                odd -= line[j + 1] * w[j + 1];
            }
            if (j == i) even -= line[j] * w[j];
            i = above(&chains, start);
        }
        w[k] = (even + odd) * inverse[k];
    }
}
