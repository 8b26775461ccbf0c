// Trees under Runge-Kutta of fourth order (engine/step/integrate/rk4.c).
//
// Problem: X of step_tree.c of a velocity v_f = v + sum of w_k h a_k and a position q (+) sum of w_k h r_k, a_k the accelerations and r_k the rates of the charts of four stages
// q_k = q (+) u_k, u_k = s_k h r_k-1, v_k = v + s_k h a_k-1. Rule: the chain of these, with one evaluation of X for M da at each stage,
//     dq_k = exp(-u_k) dq + J_r(u_k) du_k,   M da = dX_k / h + df,   dr = J_r^-1(u) dv + d(J_r^-1(u) v) du,
// df of forces that are held over the step: what is applied, and wrenches as they lie when it begins. At the end X = M dv_f - dM (v+ - v_f).
// Masses and gravity push at every stage, dX = h (dtau - dM a - db); the time step stretches u_k, v_k and the sums.
// Source: derived here. Guaranteed: exact up to rounding. Left to differences: what joins trees, activations; masses, gravity and the time step in a medium.
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "engine/derivative/step_trees_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/step/integrate/integrator.h"
#include "engine/step/integrate_internal.h"

enum { POSITION, VELOCITY, FORCE, PARAMETER, INPUTS, STAGES = 4 };

static const double stage_at[STAGES + 1] = {0.0, 0.5, 0.5, 1.0, 0.0};

// A tree on its way; matrices of each input, n rows.
typedef struct course {
    int width[INPUTS];                // columns of each; 0: it is not asked for
    double *u[INPUTS], *v[INPUTS];    // of the stage
    double *us[INPUTS], *vs[INPUTS];  // of the sums
    double* wrench;                   // (n x n) of what wrenches do, by position
} course;

typedef struct walk {
    const ts_step_trees* w;
    course* tree;                          // (tree_count)
    double* start;                         // (nq) where the step begins
    double* chart;                         // (nv) u of the stage
    double *by_q, *by_v, *by_m, *a;        // (n x n) and (3 n), scratch
    double *q, *slope;                     // (n x the widest), scratch
    const ts_step_stage_columns* columns;  // NULL: by position, velocity and force
    int stage;
} walk;

// c of log_slope and its slope by t^2.
static double chart_term(double square, double* out_slope) {
    double t = sqrt(square);
    if (square < 0.01) {
        *out_slope = 1.0 / 720.0 + square * (1.0 / 15120.0 + square / 403200.0);
        return 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0));
    }
    double sine = sin(0.5 * t), cotangent = cos(0.5 * t) / sine;
    *out_slope = -1.0 / (square * square) + 0.125 / (sine * sine * square) + 0.25 * cotangent / (t * square);
    return 1.0 / square - 0.5 * cotangent / t;
}

// d(w + u x w / 2 + c u x (u x w)) by u.
static ts_mat3 chart_slope(ts_vec3 u, ts_vec3 w) {
    double slope, c = chart_term(ts_vec3_norm_squared(u), &slope);
    ts_vec3 turned = ts_vec3_cross(u, w), twice = ts_vec3_cross(u, turned);
    ts_mat3 S = ts_mat3_scale(-0.5, ts_mat3_skew(w));
    ts_mat3 inner = ts_mat3_add(ts_mat3_skew(turned), ts_mat3_mul(ts_mat3_skew(u), ts_mat3_skew(w)));
    S = ts_mat3_sub(S, ts_mat3_scale(c, inner));
    return ts_mat3_add(S, ts_mat3_scale(2.0 * slope, ts_mat3_outer(twice, u)));
}

// Three rows of a matrix (n columns) from `row` on: to = A from, added.
static void add_three(const ts_mat3* A, int n, int row, const double* from, double* to) {
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < n; ++c) to[(row + r) * n + c] += A->m[r][k] * from[(row + k) * n + c];
}

// Goes over the joints of a tree: plain numbers by `plain`, the turns of quaternions with `turn`.
typedef void (*turn_rule)(const walk* at, const course* c, int n, int joint, int row, int input, double* to);

static void each_joint(const walk* at, int t, const course* c, int input, const double* plain, turn_rule rule,
                       double* to) {
    const ts_model* model = at->w->task->sim->model;
    int first = model->tree[t].dof_first, end = first + model->tree[t].dof_count, n = c->width[input];
    for (int d = first; d < end;) {
        int j = model->dof[d].joint;
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        int turn = model->joint[j].dof_first + traits->numbers;
        for (; d < turn; ++d)
            for (int k = 0; k < n; ++k) to[(d - first) * n + k] += plain[(d - first) * n + k];
        if (!traits->quaternion) continue;
        rule(at, c, n, j, turn - first, input, to);
        d = turn + 3;
    }
}

static ts_vec3 chart_of(const walk* at, int joint) {
    const ts_model* model = at->w->task->sim->model;
    return ts_vec3_load(at->chart + model->joint[joint].dof_first +
                        ts_joint_traits_of(model->joint[joint].type)->numbers);
}

// Of dq: exp(-u) dq + J_r(u) du; dq is that of the beginning, of position alone.
static void turn_position(const walk* at, const course* c, int n, int joint, int row, int input, double* to) {
    ts_vec3 u = chart_of(at, joint);
    ts_mat3 J = ts_step_turn_slope(u), back = ts_quat_to_mat3(ts_quat_from_rotation_vector(ts_vec3_neg(u)));
    add_three(&J, n, row, c->u[input], to);
    for (int r = 0; r < 3 && input == POSITION; ++r)
        for (int k = 0; k < 3; ++k) to[(row + r) * n + row + k] += back.m[r][k];
}

static void turn_rate(const walk* at, const course* c, int n, int joint, int row, int input, double* to) {
    const ts_sim* sim = at->w->task->sim;
    const ts_joint* j = &sim->model->joint[joint];
    ts_vec3 u = chart_of(at, joint), w = ts_vec3_load(sim->qvel + j->dof_first + ts_joint_traits_of(j->type)->numbers);
    ts_mat3 by_w = ts_step_log_slope(u), by_u = chart_slope(u, w);
    add_three(&by_w, n, row, c->v[input], to);
    add_three(&by_u, n, row, c->u[input], to);
}

// The position's tangent by an input, into q.
static void find_position(const walk* at, int t, const course* c, int input, double* q) {
    int n = at->w->task->sim->model->tree[t].dof_count;
    memset(q, 0, (size_t)(n * c->width[input]) * sizeof(double));
    each_joint(at, t, c, input, c->u[input], turn_position, q);
    if (input != POSITION) return;
    const ts_model* model = at->w->task->sim->model;
    for (int d = 0; d < n; ++d) {
        const ts_joint* j = &model->joint[model->dof[model->tree[t].dof_first + d].joint];
        const ts_joint_traits* traits = ts_joint_traits_of(j->type);
        int is_turn = traits->quaternion && model->tree[t].dof_first + d >= j->dof_first + traits->numbers;
        if (!is_turn) q[d * (n + 1)] += 1.0;
    }
}

// C += scale A B, A n x n, B and C n x columns.
static void add_product(int n, int columns, const double* A, const double* B, double scale, double* C) {
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k) {
            double a = scale * A[r * n + k];
            for (int c = 0; a != 0.0 && c < columns; ++c) C[r * columns + c] += a * B[k * columns + c];
        }
}

// What the time step stretches: by the rates and accelerations of the stage themselves.
static void stretch(walk* at, int t, double weight, const double* a) {
    const ts_sim* sim = at->w->task->sim;
    const ts_model* model = sim->model;
    course* c = &at->tree[t];
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count, m = c->width[PARAMETER];
    int column = at->columns->time;
    double *rate = at->a + 2 * n, forth = stage_at[at->stage + 1];
    memcpy(rate, sim->qvel + first, (size_t)n * sizeof(double));
    for (int d = first, j; d < first + n; d += ts_joint_type_nv(model->joint[j].type)) {
        j = model->dof[d].joint;
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        if (!traits->quaternion) continue;
        double* turn = rate + d + traits->numbers - first;
        ts_mat3 by_w = ts_step_log_slope(chart_of(at, j));
        ts_vec3_store(ts_mat3_mul_vec(&by_w, ts_vec3_load(turn)), turn);
    }
    for (int d = 0; d < n; ++d) {
        c->us[PARAMETER][d * m + column] += weight * rate[d];
        c->vs[PARAMETER][d * m + column] += weight * a[d];
        c->u[PARAMETER][d * m + column] += forth * rate[d];
        c->v[PARAMETER][d * m + column] += forth * a[d];
    }
}

// One stage of a tree, whose state stands.
static void pass(walk* at, int t, double weight) {
    ts_sim* sim = at->w->task->sim;
    const ts_model* model = sim->model;
    course* c = &at->tree[t];
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double h = sim->options.time_step, *next = at->a, *a = at->a + n;
    (void)ts_dynamics_tree(sim, t, a);
    for (int d = 0; d < n; ++d) next[d] = sim->qvel[first + d] + h * a[d];
    ts_step_evaluate(at->w, t, &sim->kinematics, next, a, at->by_q, at->by_v, at->by_m);
    const double* M = sim->mass_matrix + sim->mass_start[t];
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k) at->by_v[r * n + k] += at->by_m[r * n + k] - (r >= k ? M[r * n + k] : M[k * n + r]);
    for (int input = 0; input < INPUTS; ++input) {
        double *slope = at->slope, *rate = at->q;
        int width = c->width[input], size = n * width;
        if (width == 0) continue;
        find_position(at, t, c, input, at->q);
        memset(slope, 0, (size_t)size * sizeof(double));
        add_product(n, width, at->by_q, at->q, 1.0 / h, slope);
        add_product(n, width, at->by_v, c->v[input], 1.0 / h, slope);
        for (int i = 0; i < size && input == POSITION; ++i) slope[i] += c->wrench[i];
        for (int d = 0; d < n && input == FORCE; ++d) slope[d * (n + 1)] += 1.0;
        if (input == PARAMETER) at->columns->push(at->columns->user, t, a, slope);
        ts_tree_factor_solve_columns(model, t, sim->mass_factor + sim->mass_start[t], ts_sim_inverse_diagonal(sim, t),
                                     width, slope);
        memset(rate, 0, (size_t)size * sizeof(double));
        each_joint(at, t, c, input, c->v[input], turn_rate, rate);
        double forth = stage_at[at->stage + 1] * h;
        for (int i = 0; i < size; ++i) {
            c->us[input][i] += weight * h * rate[i];
            c->vs[input][i] += weight * h * slope[i];
            c->u[input][i] = forth * rate[i];
            c->v[input][i] = forth * slope[i];
        }
        for (int d = 0; d < n && input == VELOCITY; ++d) c->v[input][d * (n + 1)] += 1.0;
        if (input == PARAMETER && at->columns->time >= 0) stretch(at, t, weight, a);
    }
}

static void visit(ts_sim* sim, double weight, void* user) {
    walk* at = (walk*)user;
    ts_integrate_difference(sim->model, at->start, sim->qpos, 1.0, at->chart);
    for (int t = 0; t < sim->model->tree_count; ++t)
        if (at->w->p->tree[t].plain) pass(at, t, weight);
    ++at->stage;
}

static int take_course(walk* at, int t) {
    const ts_sim* sim = at->w->task->sim;
    int n = sim->model->tree[t].dof_count, each = at->columns ? 0 : n, size = n * n;
    course* c = &at->tree[t];
    c->width[POSITION] = c->width[VELOCITY] = c->width[FORCE] = each;
    c->width[PARAMETER] = at->columns ? at->columns->count : 0;
    int columns = 3 * each + c->width[PARAMETER];
    double* all = (double*)ts_arena_alloc_zeroed(at->w->scratch, (size_t)(4 * n * columns + size), sizeof(double));
    if (!all) return 0;
    for (int k = 0; k < INPUTS; ++k) {
        double** part[] = {&c->u[k], &c->v[k], &c->us[k], &c->vs[k]};
        for (int i = 0; i < 4; ++i, all += n * c->width[k]) *part[i] = all;
    }
    c->wrench = all;
    for (int d = 0; d < each; ++d) c->v[VELOCITY][d * (n + 1)] = 1.0;
    if (at->columns) return 1;
    ts_step_wrenches_add(at->w, t, c->wrench);
    for (int i = 0; i < size; ++i) c->wrench[i] /= sim->options.time_step;
    return 1;
}

static int take_room(walk* at) {
    const ts_sim* sim = at->w->task->sim;
    const ts_model* model = sim->model;
    ts_arena* scratch = at->w->scratch;
    size_t most = 0;
    for (int t = 0; t < model->tree_count; ++t)
        if ((size_t)model->tree[t].dof_count > most) most = (size_t)model->tree[t].dof_count;
    size_t widest = at->columns ? (size_t)at->columns->count : most;
    at->tree = TS_ARENA_ARRAY(scratch, course, model->tree_count);
    at->start = TS_ARENA_ARRAY(scratch, double, model->nq);
    at->chart = TS_ARENA_ARRAY(scratch, double, model->nv);
    double* numbers = TS_ARENA_ARRAY(scratch, double, 3 * most * most + 2 * most * widest + 3 * most);
    if (!at->tree || !at->start || !at->chart || !numbers) return 0;
    at->by_q = numbers;
    at->by_v = numbers + most * most;
    at->by_m = numbers + 2 * most * most;
    at->q = numbers + 3 * most * most;
    at->slope = at->q + most * widest;
    at->a = at->slope + most * widest;
    if (model->nq > 0) memcpy(at->start, sim->qpos, (size_t)model->nq * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t)
        if (!take_course(at, t)) return 0;
    return 1;
}

// What is left when the state is that of the beginning again. Returns 0 when memory is short.
static int conclude(walk* at, int t) {
    ts_sim* sim = at->w->task->sim;
    const ts_model* model = sim->model;
    ts_step_tree_slope* out = &at->w->p->tree[t];
    course* c = &at->tree[t];
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count, size = n * n;
    double* by = (double*)ts_arena_alloc_zeroed(at->w->task->arena, 6 * (size_t)size, sizeof(double));
    const double* M = sim->mass_matrix + sim->mass_start[t];
    if (!by) return 0;
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k) at->by_m[r * n + k] = r >= k ? M[r * n + k] : M[k * n + r];
    for (int d = 0; d < n; ++d) c->vs[VELOCITY][d * (n + 1)] += 1.0;
    for (int k = 0; k < PARAMETER; ++k) add_product(n, n, at->by_m, c->vs[k], 1.0, by + k * size);
    out->by_q = by;
    out->by_v = by + size;
    out->by_force = by + 2 * size;
    if (at->w->p->coasts[t]) {
        out->coast = by + 3 * size;
        for (int k = 0; k < PARAMETER; ++k) {
            memcpy(c->u[k], c->us[k], (size_t)size * sizeof(double));
            find_position(at, t, c, k, at->q);
            for (int r = 0; r < n; ++r)
                memcpy(out->coast + 3 * n * r + k * n, at->q + r * n, (size_t)n * sizeof(double));
        }
        return 1;
    }
    // -dM (v+ - v_f)
    for (int side = 0; side < 2; ++side) {
        const double* next = side ? sim->free_velocity + first : ts_sim_storage_of(sim)->new_velocity + first;
        ts_step_evaluate(at->w, t, &sim->kinematics, next, at->a, at->by_q, at->by_v, at->by_m);
        for (int i = 0; i < size; ++i) out->by_q[i] += (side ? -1.0 : 1.0) * at->by_q[i];
    }
    return 1;
}

// Through the stages, and to where they lead. Returns 0 when memory is short.
static int go(walk* at) {
    ts_sim* sim = at->w->task->sim;
    int fine = take_room(at) && sim->integrator->revisit(sim, at->w->scratch, visit, at);
    if (fine) ts_integrate_difference(sim->model, at->start, ts_sim_storage_of(sim)->coast_position, 1.0, at->chart);
    return fine;
}

int ts_step_rk4_find(ts_step_trees* w) {
    walk at = {.w = w};
    w->without_wrenches = 1;
    int fine = go(&at);
    for (int t = 0; fine && t < w->task->sim->model->tree_count; ++t)
        if (w->p->tree[t].plain) fine = conclude(&at, t);
    return fine;
}

int ts_step_rk4_carry(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch,
                      const ts_step_stage_columns* columns) {
    ts_step_trees w = {.task = task, .p = p, .scratch = scratch, .without_wrenches = 1};
    walk at = {.w = &w, .columns = columns};
    if (!ts_derivative_scratch_create(p->model, scratch, &w.derivative) || !go(&at)) return 0;
    for (int t = 0; t < p->model->tree_count; ++t) {
        course* c = &at.tree[t];
        if (!p->tree[t].plain) continue;
        size_t size = (size_t)p->model->tree[t].dof_count * (size_t)columns->count;
        memcpy(c->u[PARAMETER], c->us[PARAMETER], size * sizeof(double));
        find_position(&at, t, c, PARAMETER, at.q);
        columns->arrive(columns->user, t, c->vs[PARAMETER], at.q);
    }
    return 1;
}
