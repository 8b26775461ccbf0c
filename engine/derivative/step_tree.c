// Trees without rows: how the velocity of a step answers to position, velocity, forces and controls.
//
// Problem: with M_hat, f and v_f of a step (engine/dynamics/dynamics.c), X = M_hat dv_f - dM_hat (v+ - v_f). For integrators that take the bias at the
// beginning, M_hat (v_f - v) = h f, and with inverse dynamics ID = M a + b at a = (v+ - v) / h
//     X = M_hat dv - h dID + h d(f + b) - d(M_hat - M) (v+ - v),   f + b what is no bias: forces, drives, springs and dampers.
// `midpoint` finds the bias again in the middle, m_k = (v + w_k) / 2 with w_0 = v_f of the above, M_hat (w_k+1 - v) = h (f + b - b(m_k)): then
//     X = M_hat dv - h (dID at m_k and a) + h d(f + b) ...,   dID_v by dm_k = (dv + dw_k) / 2,   M_hat dw_k the X of the round before, at w_k for v+.
// Source: derived here from engine/dynamics/derivative.h.
// `rk4`: step_rk4.c. Drives are in step_drive.c. Lone free bodies whose turning the integrator solves for itself:
// step_lone.c.
// A ball's spring has the slope of a rotation vector. A medium: step_fluid.c. Where a tree has something else (curves), its columns are left to differences at frozen impulses.
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/four.h"
#include "base/linear/panel.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_pull_internal.h"
#include "engine/derivative/step_trees_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/dynamics/tree_motion_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/integrate_internal.h"

// --- what is known ---

int ts_step_is_freed(const ts_sim* sim, int t) {
    return sim->integrator->frees_lone_bodies && ts_sim_storage_of(sim)->tree_is_lone[t];
}

// Whether all that moves a joint is linear.
static int joint_is_plain(const ts_joint* joint) {
    return !joint->curve.is_there && (joint->spring == 0.0 || joint->type != TS_JOINT_FREE);
}

static int joint_is_shared(const ts_sim* sim, int j) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    return storage->joint_puller && storage->joint_puller[j] == -2 && sim->model->joint[j].actuation.limited;
}

int ts_step_is_implicit(const ts_sim* sim, int t) {
    const char* name = sim->integrator->name;
    return strcmp(name, "implicit") == 0 || (strcmp(name, "discrete") == 0 && ts_sim_storage_of(sim)->tree_is_lone[t]);
}

static int integrator_is_plain(const ts_sim* sim, int t) {
    const char* name = sim->integrator->name;
    static const char* const plain[] = {"midpoint", "euler", "implicitfast", "implicit", "discrete"};
    if (ts_step_is_freed(sim, t)) return 1;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i)
        if (strcmp(name, plain[i]) == 0) return 1;
    return strcmp(name, "rk4") == 0 && !ts_sim_storage_of(sim)->trees_are_joined;
}

// Whether a tree by itself is made of what has its equations.
static int tree_is_plain(const ts_sim* sim, int t) {
    const ts_model* model = sim->model;
    const ts_kinematic_tree* span = &model->tree[t];
    if (!integrator_is_plain(sim, t) || ts_sim_storage_of(sim)->tree_unsolved[t]) return 0;
    for (int d = span->dof_first; d < span->dof_first + span->dof_count; ++d) {
        int j = model->dof[d].joint;
        if (!joint_is_plain(&model->joint[j]) || joint_is_shared(sim, j)) return 0;
    }
    return 1;
}

// The same of all trees, with what pulls at them.
static void find_plain(const ts_sim* sim, ts_step_tree_slope* tree) {
    const ts_model* model = sim->model;
    for (int t = 0; t < model->tree_count; ++t) tree[t].plain = tree_is_plain(sim, t);
    for (int i = 0; i < ts_actuation_drive_count(model); ++i) {
        const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
        int plain = ts_step_drive_is_plain(sim, i);
        for (int k = 0; k < lever->count; ++k) {
            int t = model->dof[lever->dof[k]].tree;
            // What pulls at a lone body is held for the step.
            if (!plain || (ts_step_is_freed(sim, t) && !ts_step_drive_is_suction(sim, i))) tree[t].plain = 0;
        }
    }
}

// --- general trees ---

// Adds h d(f + b) / dq of a ball's spring, which pulls its rotation vector to nothing; `by_q` at its first dof.
static void add_ball_spring(const ts_sim* sim, const ts_joint* joint, int n, double* by_q) {
    ts_mat3 slope = ts_step_log_slope(ts_step_ball_turn(sim, joint));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) by_q[r * n + c] -= sim->options.time_step * joint->spring * slope.m[r][c];
}

// Adds h d(f + b) / dq and / dv of springs and dampers; the matrices are of the tree.
static void add_springs(const ts_sim* sim, int t, double* by_q, double* by_v) {
    const ts_model* model = sim->model;
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double h = sim->options.time_step;
    for (int d = first; d < first + n; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        double K = joint->spring, ahead = sim->integrator->springs_ahead ? h * K : 0.0;
        if (joint->type != TS_JOINT_BALL)
            by_q[(d - first) * (n + 1)] -= h * K;
        else if (K != 0.0 && d == joint->dof_first)
            add_ball_spring(sim, joint, n, by_q + (d - first) * (n + 1));
        by_v[(d - first) * (n + 1)] -= h * (model->dof[d].damping + ahead);
    }
}

static int is_none(ts_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

void ts_step_wrenches_add(const ts_step_trees* w, int t, double* by_q) {
    const ts_sim* sim = w->task->sim;
    const ts_model* model = sim->model;
    const ts_kinematics* k = &sim->kinematics;
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double h = sim->options.time_step;
    for (int i = 0; i < model->tree[t].body_count; ++i) {
        int b = model->tree_body[model->tree[t].body_first + i];
        ts_force wrench = sim->wrench_applied[b];
        if (is_none(wrench.force) && is_none(wrench.couple)) continue;
        ts_vec3 lever = ts_vec3_sub(k->body_centre[b], ts_kinematics_origin(model, k, t));
        wrench.couple = ts_vec3_add(wrench.couple, ts_vec3_cross(lever, wrench.force));
        for (int r = model->body[b].dof_last; r >= 0; r = model->dof[r].parent) {
            double* row = by_q + (r - first) * n - first;
            for (int c = model->body[b].dof_last; c >= 0; c = model->dof[c].parent) {
                ts_force moved = {
                    ts_vec3_cross(ts_motion_at(ts_kinematics_axis(sim->model, k, c), lever), wrench.force),
                    ts_vec3_zero()};
                row[c] += h * ts_motion_dot_force(ts_kinematics_axis(sim->model, k, r), moved);
            }
            for (int c = ts_step_carrier(model, r); c >= 0; c = model->dof[c].parent)
                row[c] += h * ts_motion_dot_force(ts_motion_cross(ts_kinematics_axis(sim->model, k, c),
                                                                  ts_kinematics_axis(sim->model, k, r)),
                                                  wrench);
        }
    }
}

static void scale(int count, double by, double* x) {
    int i = 0;
    for (; i + 4 <= count; i += 4) ts_four_store(ts_four_times(by, ts_four_load(x + i)), x + i);
    for (; i < count; ++i) x[i] *= by;
}

static void add(int count, const double* x, double* y) {
    int i = 0;
    for (; i + 4 <= count; i += 4) ts_four_store(ts_four_plus(ts_four_load(y + i), ts_four_load(x + i)), y + i);
    for (; i < count; ++i) y[i] += x[i];
}

void ts_step_evaluate(const ts_step_trees* w, int t, const ts_kinematics* at_m, const double* next, double* a,
                      double* by_q, double* by_v, double* by_m) {
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double h = sim->options.time_step;
    const double* M = sim->mass_matrix + sim->mass_start[t];
    for (int d = 0; d < n; ++d) a[d] = (next[d] - sim->qvel[first + d]) / h;
    ts_derivative_matrices out = {by_q, by_m ? by_m : by_v, NULL};
    ts_derivative_share share = {-h, by_m ? NULL : M};
    ts_derivative_inverse_share_tree(sim->model, at_m, sim->options.gravity, t, a, &w->derivative, &share, &out);
    for (int r = 0; by_m && r < n; ++r) {
        memcpy(by_v + r * n, M + r * n, (size_t)(r + 1) * sizeof(double));
        for (int c = 0; c < r; ++c) by_v[c * n + r] = M[r * n + c];
    }
    add_springs(sim, t, by_q, by_v);
    ts_step_drives_add(sim, t, next, w->scratch, by_q, by_v);
    // What is short of memory is told by the arena.
    (void)ts_step_fluid_add(sim, t, next, w->scratch, by_q, by_v);
    if (w->in_medium)
        for (int i = 0; i < n * n; ++i) {
            by_q[i] += h * w->medium[i];
            by_v[i] += h * w->medium[n * n + i];
        }
    if (!w->without_wrenches) ts_step_wrenches_add(w, t, by_q);
}

// What the rounds of midpoint carry along.
typedef struct rounds {
    double* by_m;                // (n x n)
    double *by_q, *by_v, *by_f;  // (n x n) X of the round before
    double *next, *middle, *a;   // (n)
} rounds;

static int take_rounds(ts_arena* scratch, int n, rounds* out) {
    int size = n * n;
    double* numbers = TS_ARENA_ARRAY(scratch, double, 4 * size + 3 * n);
    if (!numbers) return 0;
    *out = (rounds){.by_m = numbers,
                    .by_q = numbers + size,
                    .by_v = numbers + 2 * size,
                    .by_f = numbers + 3 * size,
                    .next = numbers + 4 * size,
                    .middle = numbers + 4 * size + n,
                    .a = numbers + 4 * size + 2 * n};
    return 1;
}

// X += A Y (n x n), four columns of two rows at a time.
static void add_product(int n, const double* A, const double* Y, double* X) {
    int c = 0;
    for (; c + 4 <= n; c += 4) {
        int r = 0;
        for (; r + 2 <= n; r += 2) {
            const double *a = A + r * n, *b = a + n;
            ts_four x = ts_four_load(X + r * n + c), y = ts_four_load(X + r * n + n + c);
            for (int i = 0; i < n; ++i) {
                ts_four line = ts_four_load(Y + i * n + c);
                x = ts_four_plus(x, ts_four_times(a[i], line));
                y = ts_four_plus(y, ts_four_times(b[i], line));
            }
            ts_four_store(x, X + r * n + c);
            ts_four_store(y, X + r * n + n + c);
        }
        for (; r < n; ++r) {
            ts_four x = ts_four_load(X + r * n + c);
            for (int i = 0; i < n; ++i) x = ts_four_plus(x, ts_four_times(A[r * n + i], ts_four_load(Y + i * n + c)));
            ts_four_store(x, X + r * n + c);
        }
    }
    for (; c < n; ++c)
        for (int r = 0; r < n; ++r)
            for (int i = 0; i < n; ++i) X[r * n + c] += A[r * n + i] * Y[i * n + c];
}

// Where the next round leads, from the middle of this one.
static void find_next(const ts_step_trees* w, int t, rounds* r) {
    ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    const double* plain = ts_sim_storage_of(sim)->plain_velocity + first;
    ts_dynamics_bias_at(sim, t, r->middle, r->a);
    for (int d = 0; d < n; ++d) r->a[d] = sim->options.time_step * (sim->bias[first + d] - r->a[d]);
    ts_tree_factor_solve(sim->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, 1, r->a);
    for (int d = 0; d < n; ++d) r->next[d] = plain[d] + r->a[d];
}

static void set_diagonal(double* X, int n, double value) {
    memset(X, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i) X[i * (n + 1)] = value;
}

// Rounds of midpoint; out is there, and by_force if that is asked for.
static void run_rounds(const ts_step_trees* w, int t, int count, rounds* r, ts_step_tree_slope* out) {
    ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, size = n * n;
    const double* v = sim->qvel + first;
    ts_kinematics at_m = w->p->kinematics;
    memcpy(r->next, ts_sim_storage_of(sim)->plain_velocity + first, (size_t)n * sizeof(double));
    ts_step_evaluate(w, t, &sim->kinematics, r->next, r->a, r->by_q, r->by_v, NULL);
    set_diagonal(r->by_f, n, sim->options.time_step);
    for (int k = 0; k < count; ++k) {
        for (int d = 0; d < n; ++d) r->middle[d] = 0.5 * (v[d] + r->next[d]);
        ts_step_move_tree(sim->model, t, r->middle, &at_m);
        int last = k + 1 == count;
        if (!last) find_next(w, t, r);
        ts_step_evaluate(w, t, &at_m, last ? ts_sim_storage_of(sim)->new_velocity + first : r->next, r->a, out->by_q,
                         out->by_v, r->by_m);
        // dm = (dv + M_hat^-1 X of the round before) / 2
        scale(size, 0.5, r->by_m);
        add(size, r->by_m, out->by_v);
        ts_tree_factor_solve(sim->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, n, r->by_m);
        add_product(n, r->by_m, r->by_q, out->by_q);
        add_product(n, r->by_m, r->by_v, out->by_v);
        if (out->by_force) {
            set_diagonal(out->by_force, n, sim->options.time_step);
            add_product(n, r->by_m, r->by_f, out->by_force);
            memcpy(r->by_f, out->by_force, (size_t)size * sizeof(double));
        }
        memcpy(r->by_q, out->by_q, (size_t)size * sizeof(double));
        memcpy(r->by_v, out->by_v, (size_t)size * sizeof(double));
    }
}

int ts_step_response(const ts_sim* sim, int t, const double* C, ts_arena* scratch, double* out_N) {
    int n = sim->model->tree[t].dof_count, ld = ts_panel_padded(n);
    const double* M = sim->mass_matrix + sim->mass_start[t];
    double* A = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n * (size_t)ld, sizeof(double));
    double* x = TS_ARENA_ARRAY(scratch, double, n);
    int* pivot = TS_ARENA_ARRAY(scratch, int, n);
    if (!A || !x || !pivot) return 0;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
            A[r * ld + c] = (r >= c ? M[r * n + c] : M[c * n + r]) + sim->options.time_step * C[r * n + c];
    // The step has factorised the same.
    if (!ts_lu_factor(A, n, ld, pivot)) return 0;
    for (int c = 0; c < n; ++c) {
        memset(x, 0, (size_t)n * sizeof(double));
        x[c] = 1.0;
        ts_lu_solve(A, n, ld, pivot, x);
        for (int r = 0; r < n; ++r) {
            out_N[r * n + c] = 0.0;
            for (int k = 0; k < n; ++k) out_N[r * n + c] += (r >= k ? M[r * n + k] : M[k * n + r]) * x[k];
        }
    }
    return 1;
}

// `implicit`: (M_hat + h C) (v_f - v) = h f, C = db/dv. With y = v_f - v, and E the X of the above towards v_f in place of v+,
//     X = N (E + h C dv - h dC y) + E towards v+ - E towards v_f,   N = M_hat (M_hat + h C)^-1,   C y = (b(v + y) - b(v - y)) / 2.
static int find_implicit(const ts_step_trees* w, int t, rounds* r, ts_step_tree_slope* out) {
    ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, size = n * n;
    double half = 0.5 * sim->options.time_step;
    const double *v = sim->qvel + first, *v_f = sim->free_velocity + first;
    double* N = TS_ARENA_ARRAY(w->scratch, double, 3 * size);
    if (!N) return 0;
    double *rate_q = N + size, *rate_v = N + 2 * size;
    ts_step_evaluate(w, t, &sim->kinematics, v_f, r->a, r->by_q, r->by_v, r->by_m);
    ts_step_evaluate(w, t, &sim->kinematics, ts_sim_storage_of(sim)->new_velocity + first, r->a, out->by_q, out->by_v,
                     r->by_m);
    for (int i = 0; i < size; ++i) out->by_q[i] -= r->by_q[i];
    for (int i = 0; i < size; ++i) out->by_v[i] -= r->by_v[i];
    for (int i = 0; i < size; ++i) r->by_m[i] /= -sim->options.time_step;
    if (!ts_step_response(sim, t, r->by_m, w->scratch, N)) return 0;
    ts_kinematics at = w->p->kinematics;
    for (int side = 0; side < 2; ++side) {
        for (int d = 0; d < n; ++d) r->middle[d] = side ? 2.0 * v[d] - v_f[d] : v_f[d];
        ts_step_move_tree(sim->model, t, r->middle, &at);
        ts_derivative_matrices rate = {rate_q, rate_v, NULL};
        ts_derivative_inverse_tree(sim->model, &at, sim->options.gravity, t, NULL, &w->derivative, &rate);
        for (int i = 0; i < size; ++i) r->by_q[i] += (side ? half : -half) * rate_q[i];
        for (int i = 0; i < size; ++i) r->by_v[i] += (side ? half : -half) * rate_v[i];
    }
    add_product(n, N, r->by_q, out->by_q);
    add_product(n, N, r->by_v, out->by_v);
    for (int i = 0; i < size; ++i) out->by_force[i] = sim->options.time_step * N[i];
    for (int i = 0; w->in_medium && i < size; ++i) N[i] *= sim->options.time_step;
    if (w->in_medium) add_product(n, N, w->medium + 2 * size, out->by_force);
    return 1;
}

static int find_general(ts_step_trees* w, int t, ts_step_tree_slope* out) {
    ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, size = n * n;
    int count = w->midpoint ? ts_midpoint_rounds(sim, t) : 0;
    int implicit = !w->midpoint && ts_step_is_implicit(sim, t);
    rounds r;
    out->by_q = TS_ARENA_ARRAY(w->task->arena, double, size);
    out->by_v = TS_ARENA_ARRAY(w->task->arena, double, size);
    w->in_medium = ts_fluid_is_there(&sim->options) && ts_fluid_is_freed(sim, t);
    if (w->in_medium) ts_step_fluid_lone_find(sim, t, w->medium);
    if ((count > 0 && w->forces) || implicit || w->in_medium)
        out->by_force = TS_ARENA_ARRAY(w->task->arena, double, size);
    if (!take_rounds(w->scratch, n, &r) || w->task->arena->failed) return 0;
    if (implicit) return find_implicit(w, t, &r, out);
    if (count > 0) {
        run_rounds(w, t, count, &r, out);
        return 1;
    }
    ts_step_evaluate(w, t, &sim->kinematics, ts_sim_storage_of(sim)->new_velocity + first, r.a, out->by_q, out->by_v,
                     NULL);
    for (int i = 0; w->in_medium && i < size; ++i)
        out->by_force[i] = sim->options.time_step * (w->medium[2 * size + i] + (i % (n + 1) == 0));
    return 1;
}

void ts_step_move_tree(const ts_model* model, int tree, const double* velocity, ts_kinematics* k) {
    const ts_kinematic_tree* span = &model->tree[tree];
    ts_motion room[6];
    const ts_motion* axis = ts_kinematics_axes(model, k, tree, room);
    memcpy(k->dof_velocity + span->dof_first, velocity, (size_t)span->dof_count * sizeof(double));
    for (int i = span->body_first; i < span->body_first + span->body_count; ++i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        ts_spatial_four twist = ts_spatial_four_zero(), bias = twist;
        if (model->body[parent].tree >= 0) {
            twist = ts_spatial_four_of(&k->body_velocity[parent]);
            bias = ts_spatial_four_of(&k->body_bias[parent]);
        }
        ts_tree_move_body(model, &model->body[b], axis, k->dof_velocity, &twist, &bias);
        ts_spatial_four_put(twist, &k->body_velocity[b]);
        ts_spatial_four_put(bias, &k->body_bias[b]);
    }
}

int ts_step_share_poses(const ts_sim* sim, ts_arena* arena, ts_kinematics* out) {
    *out = sim->kinematics;
    out->dof_velocity = TS_ARENA_ARRAY(arena, double, sim->model->nv);
    out->body_velocity = (ts_motion*)ts_arena_alloc_zeroed(arena, (size_t)sim->model->body_count, sizeof(ts_motion));
    out->body_bias = (ts_motion*)ts_arena_alloc_zeroed(arena, (size_t)sim->model->body_count, sizeof(ts_motion));
    return out->dof_velocity && out->body_velocity && out->body_bias;
}

int ts_step_trees_find(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch) {
    ts_sim* sim = task->sim;
    ts_step_trees w = {.task = task, .p = p, .scratch = scratch};
    w.midpoint = strcmp(sim->integrator->name, "midpoint") == 0;
    for (int n = 0; n < task->input_count; ++n)
        w.forces = w.forces || task->input[n].kind == TS_STEP_BY_CONTROL || task->input[n].kind == TS_STEP_BY_FORCE ||
                   task->input[n].kind == TS_STEP_BY_WRENCH || task->input[n].kind == TS_STEP_BY_ACTIVATION ||
                   task->input[n].kind == TS_STEP_BY_TIME_STEP;
    if (!ts_step_pulls_find(task, p)) return 0;
    w.forces = w.forces || p->pull;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    p->tree = (ts_step_tree_slope*)ts_arena_alloc_zeroed(task->arena, (size_t)sim->model->tree_count, sizeof *p->tree);
    int fine = p->tree && ts_step_share_poses(sim, task->arena, &p->kinematics) &&
               ts_derivative_scratch_create(sim->model, scratch, &w.derivative) && ts_step_drives_find(task, p);
    if (fine) find_plain(sim, p->tree);
    int of_stages = strcmp(sim->integrator->name, "rk4") == 0;
    if (fine && of_stages) fine = ts_step_rk4_find(&w);
    for (int t = 0; fine && !of_stages && t < sim->model->tree_count; ++t) {
        if (!p->tree[t].plain) continue;
        ts_arena_scope inner = ts_arena_scope_begin(scratch);
        fine = ts_step_is_freed(sim, t) ? ts_step_lone_find(task, p, t, &p->tree[t]) : find_general(&w, t, &p->tree[t]);
        ts_arena_scope_end(scratch, inner);
    }
    fine = fine && !scratch->failed;
    ts_arena_scope_end(scratch, scope);
    return fine;
}
