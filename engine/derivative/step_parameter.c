// Columns by what a world is made of: masses, inertias, gravity, the time step, restitution, compliance.
//
// Problem: the change of a step by a parameter s at fixed position and velocity. Rule: as for positions, at frozen impulses,
//     M_hat dv+ = X + J^T dlambda_b,     X = M_hat dv_f - dM_hat (v+ - v_f),     du = J dv+ - dc* + dR lambda,
// lambda_b the impulses of blocks at a bound, which go with it. M_hat (v_f - v) = h f gives of a tree
//     masses      X = -h Y p          Y the regressor at the velocity of the bias and a = (v+ - v) / h, p the change of a body's ten parameters
//     gravity     X = -h db
//     time step   X = f + h df/dh - dM_hat/dh (v+ - v)
// and midpoint adds in every round -h db/dv dm of the round before (step_tree.c). Bodies that are lone: step_lone.c. c* is -gap / h, what mends an error in
// h or restitution times the velocity before; a tie's R is a part of its largest G_ii = y . M_hat y, y = M_hat^-1 j, so dG_ii = -y . dM_hat y.
// Source: the regressor of Atkeson, An and Hollerbach (engine/dynamics/regressor.c); derived here.
// Guaranteed: as exact as the columns by position. Columns are kept as numbers like those of differences (step_frozen.c).
// `implicit` adds its slopes C.
// What is left to differences: step_parameter_known.c. What activations and controls add: step_activation.c.
#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_parameter_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/derivative/step_trees_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"
#include "engine/step/integrate/integrator.h"

// The columns that are to be found.
typedef struct parameters {
    const ts_step_task* task;
    ts_step_implicit* p;
    ts_derivative_scratch derivative;
    const ts_step_column* column;
    int count;
    double* numbers;  // (count x frozen.size)
    int midpoint;
    ts_kinematics start;  // of the velocities before the step
    // scratch of a tree
    double* matrix;   // (n x n)
    double* regress;  // (n x 10) of body `body`; -1: none
    int body;
    double *next, *middle, *a, *x;  // (n)
    double* speed;                  // (row_count) J v+
    double* shifted;  // (nv x count) N: what wrenches do whose point moves, held over stages; NULL: there are none
    int time;         // the column by the time step that stages carry
    ts_step_weights weights;  // of masses that the softness of the model goes by; without a simulation: of none
} parameters;

static double* column_at(const parameters* w, int c) { return w->numbers + (size_t)c * (size_t)w->p->frozen.size; }

// Whether a column moves tree t.
static int concerns(const parameters* w, ts_step_column c, int t) {
    if (ts_step_is_of_mass(c.kind)) return w->p->model->body[ts_step_body_of(c)].tree == t;
    if (ts_step_is_of_drive(c.kind))
        return ts_actuation_drive(w->task->sim, ts_step_drive_of(w->p->model, c))->lever->tree == t;
    return c.kind == TS_STEP_BY_GRAVITY || c.kind == TS_STEP_BY_TIME_STEP;
}

// The change of a body's ten parameters.
static void direction_of(const ts_model* model, ts_step_column c, double out[TS_STEP_PARAMETERS]) {
    const ts_mat3 none = ts_mat3_zero();
    memset(out, 0, TS_STEP_PARAMETERS * sizeof(double));
    if (c.kind == TS_STEP_BY_MASS)
        ts_derivative_parameters(1.0, model->body[c.index].centre, &none, out);
    else
        out[c.index % TS_STEP_PARAMETERS] = 1.0;
}

ts_vec3 ts_step_centre_slope(const ts_model* model, ts_step_column c) {
    if (c.kind != TS_STEP_BY_INERTIA) return ts_vec3_zero();
    const ts_body* body = &model->body[ts_step_body_of(c)];
    int k = c.index % TS_STEP_PARAMETERS;
    if (k == 0) return ts_vec3_scale(-1.0 / body->mass, body->centre);
    return k < 4 ? ts_vec3_scale(1.0 / body->mass, ts_vec3_axis(k - 1)) : ts_vec3_zero();
}

static int acts(const parameters* w, int b) { return ts_step_block_acts(w->task->sim, w->p, b); }

// --- trees ---

static double inertia_at(const double* M, int n, int r, int c) { return r >= c ? M[r * n + c] : M[c * n + r]; }

// Of drive i: what of it is taken ahead by the time step.
static double drive_stiffness(const ts_sim* sim, int i) {
    return sim->integrator->springs_ahead ? ts_step_drive_stiffness(sim, i) : 0.0;
}

// x = dM_hat/dh y, whatever y.
static void stretch_inertia(const ts_sim* sim, int t, const double* y, double* x) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double h = sim->options.time_step;
    for (int d = 0; d < n; ++d) {
        double K = model->joint[model->dof[first + d].joint].spring, D = model->dof[first + d].damping;
        x[d] = (sim->integrator->damping_ahead ? D : 0.0) * y[d];
        if (sim->integrator->springs_ahead) x[d] += 2.0 * h * K * y[d];
    }
    ts_step_fluid_stretch(sim, t, y, x);
    for (int at = storage->drive ? storage->tree_drive_first[t] : 0;
         storage->drive && at < storage->tree_drive_first[t + 1]; ++at) {
        const ts_drive* drive = &storage->drive[storage->tree_drive[at]];
        const ts_lever* lever = drive->lever;
        if (drive->mode != TS_DRIVE_AHEAD) continue;
        double rate = 0.0, slope = drive->ahead + h * drive_stiffness(sim, storage->tree_drive[at]);
        for (int k = 0; k < lever->count; ++k) rate += lever->moment[k] * y[lever->dof[k] - first];
        for (int k = 0; k < lever->count; ++k) x[lever->dof[k] - first] += slope * rate * lever->moment[k];
    }
}

// Adds h df/dh.
static void add_force_rate(const ts_sim* sim, int t, double* x) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    double h = sim->options.time_step;
    for (int d = 0; d < n && sim->integrator->springs_ahead; ++d)
        x[d] -= h * model->joint[model->dof[first + d].joint].spring * sim->qvel[first + d];
    for (int at = storage->drive ? storage->tree_drive_first[t] : 0;
         storage->drive && at < storage->tree_drive_first[t + 1]; ++at) {
        int i = storage->tree_drive[at];
        const ts_lever* lever = storage->drive[i].lever;
        if (storage->drive[i].mode != TS_DRIVE_AHEAD) continue;
        double slope = h * drive_stiffness(sim, i) * ts_lever_rate(lever, sim->qvel);
        for (int k = 0; k < lever->count; ++k) x[lever->dof[k] - first] -= slope * lever->moment[k];
    }
}

// Adds what wrenches do whose point, the body's centre, moves with column c.
static void add_shifted_wrench(const parameters* w, ts_step_column c, int first, double* x) {
    const ts_sim* sim = w->task->sim;
    const ts_model* model = sim->model;
    int b = ts_step_body_of(c);
    ts_vec3 force = sim->wrench_applied[b].force, change = ts_step_centre_slope(model, c);
    change = ts_mat3_mul_vec(&sim->kinematics.body_pose[b].R, change);
    for (int d = model->body[b].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_vec3 moved = ts_vec3_cross(sim->kinematics.dof_axis[d].angular, change);
        x[d - first] += sim->options.time_step * ts_vec3_dot(moved, force);
    }
}

// x = Y p, Y of the velocities in p->kinematics; `fresh` starts anew with bodies.
static void regress(parameters* w, int t, ts_step_column c, ts_vec3 gravity, const double* a, double* x) {
    double direction[TS_STEP_PARAMETERS];
    int b = ts_step_body_of(c), n = w->p->model->tree[t].dof_count;
    direction_of(w->p->model, c, direction);
    if (b != w->body) ts_derivative_regressor(w->p->model, &w->p->kinematics, gravity, b, a, w->regress);
    w->body = b;
    for (int d = 0; d < n; ++d) {
        x[d] = 0.0;
        for (int k = 0; k < TS_STEP_PARAMETERS; ++k) x[d] += w->regress[d * TS_STEP_PARAMETERS + k] * direction[k];
    }
}

// X of column c but for what the round before says: of a round that leads to the velocity w_f (n) without rows, `end` with them.
static void find_impulse(parameters* w, int t, ts_step_column c, const double* w_f, const double* end, double* x) {
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double h = sim->options.time_step;
    if (ts_step_is_of_mass(c.kind)) {
        for (int d = 0; d < n; ++d) w->a[d] = (end[d] - sim->qvel[first + d]) / h;
        regress(w, t, c, sim->options.gravity, w->a, x);
        for (int d = 0; d < n; ++d) x[d] *= -h;
        if (!w->shifted) add_shifted_wrench(w, c, first, x);
    } else if (c.kind == TS_STEP_BY_GRAVITY) {
        ts_derivative_gravity_tree(sim->model, &w->p->kinematics, t, &w->derivative, w->matrix);
        for (int d = 0; d < n; ++d) x[d] = -h * w->matrix[3 * d + c.index];
    } else if (ts_step_is_of_drive(c.kind)) {
        memset(x, 0, (size_t)n * sizeof(double));
        ts_step_add_pull(sim, t, ts_step_drive_of(sim->model, c), c.kind, end, x);
    } else {
        const double* M = sim->mass_matrix + sim->mass_start[t];
        for (int d = 0; d < n; ++d) w->a[d] = end[d] - sim->qvel[first + d];
        stretch_inertia(sim, t, w->a, x);
        for (int r = 0; r < n; ++r) {
            x[r] = -x[r];
            for (int k = 0; k < n; ++k) x[r] += inertia_at(M, n, r, k) * (w_f[k] - sim->qvel[first + k]) / h;
        }
        add_force_rate(sim, t, x);
        for (int i = 0; i < sim->model->actuator_count; ++i) ts_step_add_pull(sim, t, i, c.kind, end, x);
    }
    if (!ts_fluid_is_there(&sim->options) || !ts_fluid_is_freed(sim, t) || ts_step_is_of_drive(c.kind)) return;
    ts_step_body_change by = ts_step_lone_change(sim, t, c);
    double pressed[6];
    ts_step_fluid_lone_by(sim, t, &by, pressed);
    for (int d = 0; d < 6; ++d) x[d] += h * pressed[d];
}

static void solve(const parameters* w, int t, double* x) {
    int first = w->p->model->tree[t].dof_first;
    ts_tree_factor_solve(w->p->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, 1, x);
}

// X of all columns in a round. `again`: there was one before.
static void run_round(parameters* w, int t, const double* w_f, const double* end, int again) {
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double half = 0.5 * sim->options.time_step;
    w->body = -1;
    // By what the round before has left, before `matrix` is needed for something else.
    if (again) {
        ts_derivative_matrices out = {NULL, w->matrix, NULL};
        ts_derivative_inverse_tree(sim->model, &w->p->kinematics, sim->options.gravity, t, NULL, &w->derivative, &out);
    }
    for (int c = 0; c < w->count; ++c) {
        double* X = column_at(w, c) + w->p->frozen.velocity + first;
        if (!concerns(w, w->column[c], t)) continue;
        memset(w->x, 0, (size_t)n * sizeof(double));
        if (again) {
            solve(w, t, X);
            for (int r = 0; r < n; ++r)
                for (int k = 0; k < n; ++k) w->x[r] -= half * w->matrix[r * n + k] * X[k];
        }
        memcpy(X, w->x, (size_t)n * sizeof(double));
    }
    for (int c = 0; c < w->count; ++c) {
        double* X = column_at(w, c) + w->p->frozen.velocity + first;
        if (!concerns(w, w->column[c], t)) continue;
        find_impulse(w, t, w->column[c], w_f, end, w->x);
        for (int d = 0; d < n; ++d) X[d] += w->x[d];
    }
}

static void add_general(parameters* w, int t) {
    ts_sim* sim = w->task->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    int rounds = w->midpoint ? ts_midpoint_rounds(sim, t) : 0;
    const double *plain = storage->plain_velocity + first, *v = sim->qvel + first;
    ts_step_move_tree(sim->model, t, v, &w->p->kinematics);
    if (rounds > 0) memcpy(w->next, plain, (size_t)n * sizeof(double));
    for (int k = 0; k < rounds; ++k) {
        run_round(w, t, w->next, w->next, k > 0);
        for (int d = 0; d < n; ++d) w->middle[d] = 0.5 * (v[d] + w->next[d]);
        ts_dynamics_bias_at(sim, t, w->middle, w->a);
        for (int d = 0; d < n; ++d) w->next[d] = sim->options.time_step * (sim->bias[first + d] - w->a[d]);
        solve(w, t, w->next);
        for (int d = 0; d < n; ++d) w->next[d] += plain[d];
        ts_step_move_tree(sim->model, t, w->middle, &w->p->kinematics);
    }
    run_round(w, t, sim->free_velocity + first, storage->new_velocity + first, rounds > 0);
}

// Of a tree whose Coriolis forces are taken ahead (step_tree.c, find_implicit): the time step moves C as it moves f, and both cancel. Returns 0 when memory is short.
static int add_implicit(parameters* w, int t) {
    ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, fine;
    double half = 0.5 * sim->options.time_step;
    const double *v = sim->qvel + first, *v_f = sim->free_velocity + first;
    const double* end = ts_sim_storage_of(sim)->new_velocity + first;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    double* N = TS_ARENA_ARRAY(&sim->scratch, double, n* n + n);
    double* x = N ? N + n * n : NULL;
    ts_derivative_matrices out = {NULL, w->matrix, NULL};
    ts_step_move_tree(sim->model, t, v, &w->p->kinematics);
    ts_derivative_inverse_tree(sim->model, &w->p->kinematics, sim->options.gravity, t, NULL, &w->derivative, &out);
    fine = N && ts_step_response(sim, t, w->matrix, &sim->scratch, N);
    for (int c = 0; fine && c < w->count; ++c) {
        double* X = column_at(w, c) + w->p->frozen.velocity + first;
        if (!concerns(w, w->column[c], t)) continue;
        ts_step_move_tree(sim->model, t, v, &w->p->kinematics);
        w->body = -1;
        find_impulse(w, t, w->column[c], v_f, end, X);
        w->body = -1;
        find_impulse(w, t, w->column[c], v_f, v_f, x);
        for (int d = 0; d < n; ++d) X[d] -= x[d];
        for (int side = 0; side < 2 && ts_step_is_of_mass(w->column[c].kind); ++side) {
            for (int d = 0; d < n; ++d) w->middle[d] = side ? 2.0 * v[d] - v_f[d] : v_f[d];
            ts_step_move_tree(sim->model, t, w->middle, &w->p->kinematics);
            w->body = -1;
            regress(w, t, w->column[c], sim->options.gravity, NULL, w->x);
            for (int d = 0; d < n; ++d) x[d] += (side ? half : -half) * w->x[d];
        }
        for (int r = 0; r < n; ++r)
            for (int k = 0; k < n; ++k) X[r] += N[r * n + k] * x[k];
    }
    w->body = -1;
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}

// x = dM_hat y of one tree for column c; p->kinematics loses its velocities.
static void change_inertia(parameters* w, int t, ts_step_column c, const double* y, double* x) {
    const ts_sim* sim = w->task->sim;
    int n = sim->model->tree[t].dof_count;
    memset(x, 0, (size_t)n * sizeof(double));
    if (!concerns(w, c, t) || c.kind == TS_STEP_BY_GRAVITY) return;
    if (c.kind == TS_STEP_BY_TIME_STEP) {
        stretch_inertia(sim, t, y, x);
        for (int i = 0; i < sim->model->actuator_count; ++i) ts_step_add_stiffening(sim, t, i, c.kind, y, x);
        return;
    }
    if (ts_step_is_of_drive(c.kind)) {
        ts_step_add_stiffening(sim, t, ts_step_drive_of(sim->model, c), c.kind, y, x);
        return;
    }
    memset(w->middle, 0, (size_t)n * sizeof(double));
    ts_step_move_tree(sim->model, t, w->middle, &w->p->kinematics);
    w->body = -1;
    regress(w, t, c, ts_vec3_zero(), y, x);
    w->body = -1;
}

// --- stages ---

// What columns do to M a at the state that stands.
static void push_stage(void* user, int t, const double* a, double* io_force) {
    parameters* w = (parameters*)user;
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double h = sim->options.time_step;
    ts_step_move_tree(sim->model, t, sim->qvel + first, &w->p->kinematics);
    for (int d = 0; d < n; ++d) w->next[d] = sim->qvel[first + d] + h * a[d];
    w->body = -1;
    for (int c = 0; c < w->count; ++c) {
        if (!concerns(w, w->column[c], t) || w->column[c].kind == TS_STEP_BY_TIME_STEP) continue;
        find_impulse(w, t, w->column[c], w->next, w->next, w->x);
        for (int d = 0; d < n; ++d) io_force[d * w->count + c] += w->x[d] / h + w->shifted[(first + d) * w->count + c];
    }
    w->body = -1;
}

// X = M dv_f - dM (v+ - v_f).
static void arrive(void* user, int t, const double* velocity, const double* position) {
    parameters* w = (parameters*)user;
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    const double* M = sim->mass_matrix + sim->mass_start[t];
    for (int c = 0; c < w->count; ++c) {
        double *X = column_at(w, c) + w->p->frozen.velocity + first,
               *q = column_at(w, c) + w->p->frozen.position + first;
        if (!concerns(w, w->column[c], t)) continue;
        int from = w->column[c].kind == TS_STEP_BY_TIME_STEP ? w->time : c;
        for (int r = 0; r < n; ++r)
            for (int k = 0; k < n; ++k) X[r] += inertia_at(M, n, r, k) * velocity[k * w->count + from];
        for (int d = 0; d < n && w->p->coasts[t]; ++d) q[d] += position[d * w->count + from];
        if (!ts_step_is_of_mass(w->column[c].kind)) continue;
        for (int d = 0; d < n; ++d)
            w->next[d] = ts_sim_storage_of(sim)->new_velocity[first + d] - sim->free_velocity[first + d];
        change_inertia(w, t, w->column[c], w->next, w->x);
        for (int d = 0; d < n; ++d) X[d] -= w->x[d];
    }
}

static int add_stages(parameters* w) {
    const ts_sim* sim = w->task->sim;
    const ts_model* model = sim->model;
    ts_arena* scratch = &w->task->sim->scratch;
    size_t size = (size_t)model->nv * (size_t)w->count;
    double* x = TS_ARENA_ARRAY(scratch, double, model->nv);
    double* shifted = (double*)ts_arena_alloc_zeroed(scratch, size, sizeof(double));
    ts_step_stage_columns columns = {w->count, -1, w, push_stage, arrive};
    if (!x || !shifted) return 0;
    for (int c = 0; c < w->count; ++c) {
        if (w->column[c].kind == TS_STEP_BY_TIME_STEP) columns.time = w->time = c;
        if (!ts_step_is_of_mass(w->column[c].kind)) continue;
        memset(x, 0, (size_t)model->nv * sizeof(double));
        add_shifted_wrench(w, w->column[c], 0, x);
        for (int d = 0; d < model->nv; ++d) shifted[d * w->count + c] = x[d] / sim->options.time_step;
    }
    w->shifted = shifted;
    return ts_step_rk4_carry(w->task, w->p, scratch, &columns);
}

// What a medium does to a lone body by column c: less its impulses into x, and where they take it.
static void add_medium(const parameters* w, int t, ts_step_column c, double* x, double* position) {
    const double* held = w->p->tree[t].held;
    double force[6];
    if (!held) return;
    ts_step_body_change by = ts_step_lone_change(w->task->sim, t, c);
    ts_step_fluid_lone_by(w->task->sim, t, &by, force);
    for (int r = 0; r < 6; ++r)
        for (int k = 0; k < 6; ++k) {
            x[r] -= held[12 * r + k] * force[k];
            position[r] += held[12 * r + 6 + k] * force[k];
        }
}

static void add_lone(parameters* w, int t) {
    const ts_sim* sim = w->task->sim;
    const ts_step_frozen* part = &w->p->frozen;
    int first = sim->model->tree[t].dof_first;
    for (int c = 0; c < w->count; ++c) {
        double *column = column_at(w, c), *X = column + part->velocity + first, velocity[6], pressed[6];
        if (!concerns(w, w->column[c], t)) continue;
        ts_step_lone_by_parameter(sim, w->p, t, w->column[c], velocity, column + part->position + first);
        for (int d = 0; d < 6; ++d)
            pressed[d] =
                w->p->coasts[t] ? 0.0 : ts_sim_storage_of(sim)->new_velocity[first + d] - sim->free_velocity[first + d];
        change_inertia(w, t, w->column[c], pressed, w->x);
        add_medium(w, t, w->column[c], w->x, column + part->position + first);
        const double* M = sim->mass_matrix + sim->mass_start[t];
        for (int r = 0; r < 6; ++r) {
            X[r] = -w->x[r];
            for (int k = 0; k < 6; ++k) X[r] += inertia_at(M, 6, r, k) * velocity[k];
        }
    }
}

// --- rows ---

// dc* / dh of row r of block b.
static double reference_rate(const parameters* w, int b, int r) {
    const ts_sim* sim = w->task->sim;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    double h = sim->options.time_step, reference = storage->reference[sim->problem.block[b].row + r];
    if (ts_step_is_tie(sim, b)) return ts_step_tie_rate(sim, &w->start, b, r);
    if (ts_row_is(sim, b, &ts_row_servo)) {
        const ts_drive* drive = ts_actuation_drive(sim, (int)sim->row_block[b].key.whole);
        double stiffness = drive_stiffness(sim, (int)sim->row_block[b].key.whole);
        return -drive->intercept * stiffness / (drive->ahead * drive->ahead);
    }
    if (ts_row_is(sim, b, &ts_row_contact)) {
        const ts_contact* contact = &sim->contact[sim->row_block[b].item];
        ts_mujoco_row_slopes law[TS_BLOCK_ROWS_MAX];
        if (ts_step_contact_softness(sim, contact, law)) return law[r].reference_by_time;
        if (r != (contact->surface.dimension == 1 ? 0 : 2)) return 0.0;
        double bounce = -contact->surface.restitution * contact->velocity_before.z;
        if (bounce > 0.0 && reference == bounce) return 0.0;
    }
    ts_mujoco_row_slopes soft;
    if (ts_step_joint_softness(sim, b, &soft)) return soft.reference_by_time;
    // What closes a gap or mends an error over the step, unless it is as fast as it may be.
    double most = sim->options.push_out_speed;
    if (ts_row_is(sim, b, &ts_row_joint_limit) && sim->model->joint[sim->row_block[b].key.whole].type != TS_JOINT_SLIDE)
        most = sim->options.push_out_turn;
    return reference >= most ? 0.0 : -reference / h;
}

// dG of a combination of the rows of block b.
static double leverage_rate(parameters* w, ts_step_column c, int b, const double* along) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    int rows = sim->problem.block[b].rows;
    double sum = 0.0;
    for (int t = 0; t < sim->model->tree_count; ++t) {
        int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count, any = 0;
        memset(w->next, 0, (size_t)n * sizeof(double));
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &plan->segment[s];
            if (sim->model->dof[g->column].tree != t) continue;
            any = 1;
            for (int r = 0; r < rows; ++r)
                for (int i = 0; i < g->count; ++i) w->next[g->column - first + i] += along[r] * g->J[r * g->count + i];
        }
        if (!any || !concerns(w, c, t)) continue;
        ts_tree_factor_unwhiten(sim->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, 1, w->next);
        change_inertia(w, t, c, w->next, w->x);
        for (int d = 0; d < n; ++d) sum -= w->next[d] * w->x[d];
    }
    return sum;
}

// dR of row r of block b: what of it goes with the time step or with G.
static double compliance_rate(parameters* w, ts_step_column c, int b, int r) {
    const ts_sim* sim = w->task->sim;
    if (c.kind == TS_STEP_BY_TIME_STEP && ts_row_is(sim, b, &ts_row_servo)) {
        int i = (int)sim->row_block[b].key.whole;
        double h = sim->options.time_step, ahead = ts_actuation_drive(sim, i)->ahead;
        return -(ahead + h * drive_stiffness(sim, i)) / (h * h * ahead * ahead);
    }
    if (c.kind == TS_STEP_BY_TIME_STEP && ts_row_is(sim, b, &ts_row_contact)) {
        ts_mujoco_row_slopes law[TS_BLOCK_ROWS_MAX];
        return ts_step_contact_softness(sim, &sim->contact[sim->row_block[b].item], law) ? law[r].R_by_time : 0.0;
    }
    double give = 0.0, unit[TS_BLOCK_ROWS_MAX] = {0.0};
    int stiffest = ts_step_tie_stiffest(sim, b, r, &give);
    if (stiffest < 0) return 0.0;
    unit[stiffest] = 1.0;
    return give * leverage_rate(w, c, b, unit);
}

// What the solver has softened: the sum that its rates are of.
static double softening_rate(parameters* w, ts_step_column c, int b, const ts_step_softening* softening) {
    double sum = 0.0;
    for (int k = 0; k < softening->count; ++k) sum += leverage_rate(w, c, b, softening->along[k]);
    return sum;
}

// 1: how much of an option is in R of a contact's row.
static double compliance_share(const ts_sim* sim, int option, int normal) {
    ts_soft_contact kind = ts_soft_contact_kind(sim);
    if (kind == TS_SOFT_CONTACT_MODEL || (kind == TS_SOFT_CONTACT_SPRING && normal)) return 0.0;
    return option == (normal ? 0 : 1) ? 1.0 : 0.0;
}

// Adds dR lambda of a block whose R is in proportion to a weight. What sticks has R of what presses beyond the pull (step_contact_rows.c).
static void add_weight(const parameters* w, ts_step_column c, int b, double* du) {
    const ts_sim* sim = w->task->sim;
    const ts_block* block = &sim->problem.block[b];
    double parameter[TS_STEP_PARAMETERS], h = sim->options.time_step;
    direction_of(sim->model, c, parameter);
    if (ts_row_is(sim, b, &ts_row_servo)) return;
    double rate =
        ts_step_weight_rate(&w->weights, b, ts_step_body_of(c), parameter, ts_step_centre_slope(sim->model, c));
    for (int r = block->row; r < block->row + block->rows; ++r) du[r] += rate * sim->problem.R[r] * sim->impulse[r];
    if (!ts_row_is(sim, b, &ts_row_contact)) return;
    int normal = block->row + (block->rows == 1 ? 0 : 2);
    double adhesion = ts_sim_contact_rare(sim, &sim->contact[sim->row_block[b].item])->adhesion;
    du[normal] -= rate * sim->problem.R[normal] * h * adhesion;
}

// Adds du of acting rows by their own laws.
static void add_rows(parameters* w, ts_step_column c, double* du) {
    const ts_sim* sim = w->task->sim;
    for (int b = 0; b < w->p->block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        const ts_contact* contact = ts_row_is(sim, b, &ts_row_contact) ? &sim->contact[sim->row_block[b].item] : NULL;
        int softens = c.kind == TS_STEP_BY_TIME_STEP || ts_step_is_of_mass(c.kind) || ts_step_is_of_drive(c.kind);
        ts_step_softening softening = {.count = 0};
        if (!acts(w, b)) continue;
        // Where that is not known no such column is asked for.
        if (softens) (void)ts_step_softening_find(sim, w->p, b, &softening);
        if (w->weights.sim && ts_step_is_of_mass(c.kind)) add_weight(w, c, b, du);
        double softer = softening.count > 0 ? softening_rate(w, c, b, &softening) : 0.0;
        for (int r = 0; r < block->rows; ++r) {
            double lambda = sim->impulse[block->row + r];
            int normal = r == (block->rows == 1 ? 0 : 2);
            if (c.kind == TS_STEP_BY_TIME_STEP) du[block->row + r] -= reference_rate(w, b, r);
            if (softening.count > 0 && softening.rate[r] != 0.0)
                du[block->row + r] += softening.rate[r] * softer * lambda;
            else if (softens)
                du[block->row + r] += compliance_rate(w, c, b, r) * lambda;
            if (!contact) continue;
            if (c.kind == TS_STEP_BY_COMPLIANCE) du[block->row + r] += compliance_share(sim, c.index, normal) * lambda;
            if (c.kind != TS_STEP_BY_RESTITUTION || !normal) continue;
            double bounce = -contact->surface.restitution * contact->velocity_before.z;
            int sides = (contact->geom_a == c.index) + (contact->geom_b == c.index);
            if (bounce > 0.0 && ts_sim_storage_of(sim)->reference[block->row + r] == bounce)
                du[block->row + r] += sides * contact->velocity_before.z;
        }
    }
}

// Whitened: adds what blocks at a bound press that goes with the time step.
static void add_bounds(const parameters* w, double* z) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int b = 0; b < w->p->block_count; ++b) {
        const ts_block* block = &sim->problem.block[b];
        if (block->set != TS_SET_BOX || acts(w, b)) continue;
        double rate = sim->impulse[block->row] / sim->options.time_step;
        for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* g = &plan->segment[s];
            for (int i = 0; i < g->count; ++i) z[g->column + i] += rate * g->J[i];
        }
    }
}

// Whitened impulses, du and dmu by the friction of a geom: rows from the fourth on are scaled by one over it.
static void add_friction(const parameters* w, ts_step_column c, double* z, double* du, double* dmu) {
    const ts_sim* sim = w->task->sim;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        const ts_block* block = &sim->problem.block[contact->block];
        int sides = (contact->geom_a == c.index) + (contact->geom_b == c.index);
        if (sides == 0) continue;
        dmu[contact->block] += sides;
        if (!acts(w, contact->block)) continue;
        for (int r = 3; r < block->rows; ++r) {
            double rate = -sides / contact->surface.friction, lambda = sim->impulse[block->row + r];
            du[block->row + r] += rate * w->speed[block->row + r];
            for (int s = plan->segment_start[contact->block]; s < plan->segment_start[contact->block + 1]; ++s) {
                const ts_delassus_segment* g = &plan->segment[s];
                for (int k = 0; k < g->count; ++k) z[g->column + k] += rate * lambda * g->J[r * g->count + k];
            }
        }
    }
}

// From impulses to what they do: the column as step_frozen.c has it.
static void finish(parameters* w, int c) {
    const ts_step_implicit* p = w->p;
    double *column = column_at(w, c), *z = column + p->frozen.velocity, *du = column + p->frozen.row;
    const double* new_velocity = ts_sim_storage_of(w->task->sim)->new_velocity;
    int of_time = w->column[c].kind == TS_STEP_BY_TIME_STEP;
    ts_step_whiten(p, z);
    if (of_time && p->has_contact) add_bounds(w, z);
    if (w->column[c].kind == TS_STEP_BY_FRICTION) add_friction(w, w->column[c], z, du, column + p->frozen.friction);
    if (p->has_contact) {
        ts_step_add_rows(p, z, du);
        add_rows(w, w->column[c], du);
    }
    ts_step_unwhiten(p, z);
    ts_step_move_positions(p, z, column + p->frozen.position);
    for (int d = 0; of_time && d < p->model->nv; ++d)
        if (!p->coasts[p->model->dof[d].tree]) column[p->frozen.position + d] += new_velocity[d];
}

// u = J v+ - c* + R lambda
static int find_speeds(parameters* w, ts_arena* scratch) {
    const ts_sim* sim = w->task->sim;
    w->speed = TS_ARENA_ARRAY(scratch, double, w->p->row_count);
    if (!w->speed || w->p->row_count == 0) return w->speed != NULL;
    ts_contact_problem_velocity(&sim->problem, sim->impulse, w->speed);
    for (int i = 0; i < w->p->row_count; ++i) {
        double given = sim->problem.R ? sim->problem.R[i] * sim->impulse[i] : 0.0;
        w->speed[i] += ts_sim_storage_of(sim)->reference[i] - given;
    }
    return 1;
}

static int take_room(parameters* w, ts_arena* scratch) {
    const ts_model* model = w->p->model;
    size_t most = 6;
    for (int t = 0; t < model->tree_count; ++t)
        if ((size_t)model->tree[t].dof_count > most) most = (size_t)model->tree[t].dof_count;
    w->matrix = TS_ARENA_ARRAY(scratch, double, most* most);
    w->regress = TS_ARENA_ARRAY(scratch, double, TS_STEP_PARAMETERS* most);
    double* numbers = TS_ARENA_ARRAY(scratch, double, 4 * most);
    if (!w->matrix || !w->regress || !numbers) return 0;
    w->next = numbers;
    w->middle = numbers + most;
    w->a = numbers + 2 * most;
    w->x = numbers + 3 * most;
    int weighs = 0;
    for (int c = 0; c < w->count; ++c) weighs = weighs || ts_step_is_of_mass(w->column[c].kind);
    weighs = weighs && w->p->has_contact && ts_soft_contact_kind(w->task->sim) == TS_SOFT_CONTACT_MODEL;
    if (weighs && !ts_step_weights_take(w->task->sim, scratch, &w->weights)) return 0;
    if (!find_speeds(w, scratch) || !ts_step_share_poses(w->task->sim, scratch, &w->start)) return 0;
    for (int t = 0; t < model->tree_count; ++t)
        ts_step_move_tree(model, t, w->task->sim->qvel + model->tree[t].dof_first, &w->start);
    return ts_derivative_scratch_create(model, scratch, &w->derivative);
}

int ts_step_parameters_find(const ts_step_task* task, ts_step_implicit* p, const ts_step_column* column, int count,
                            double* out_numbers) {
    ts_sim* sim = task->sim;
    parameters w = {.task = task, .p = p, .column = column, .count = count, .numbers = out_numbers, .body = -1};
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    int fine = take_room(&w, &sim->scratch), moves = 0;
    w.midpoint = strcmp(sim->integrator->name, "midpoint") == 0;
    if (fine) memset(out_numbers, 0, (size_t)count * (size_t)p->frozen.size * sizeof(double));
    int staged = fine && sim->integrator->revisit;
    for (int c = 0; c < count; ++c)
        moves = moves || ts_step_is_of_mass(column[c].kind) || column[c].kind == TS_STEP_BY_GRAVITY ||
                column[c].kind == TS_STEP_BY_TIME_STEP;
    if (staged && moves) fine = add_stages(&w);
    for (int t = 0; fine && !staged && t < sim->model->tree_count; ++t) {
        moves = 0;
        for (int c = 0; c < count; ++c) moves = moves || concerns(&w, column[c], t);
        if (!moves) continue;
        if (ts_step_is_freed(sim, t))
            add_lone(&w, t);
        else if (ts_step_is_implicit(sim, t))
            fine = add_implicit(&w, t);
        else
            add_general(&w, t);
    }
    for (int c = 0; fine && c < count; ++c) {
        ts_step_add_activations(task, p, column[c], column_at(&w, c));
        finish(&w, c);
    }
    ts_arena_scope_end(&sim->scratch, scope);
    return fine;
}
