// Columns by what a world is made of, tree by tree: masses, inertias, gravity, the time step, without what rows add.
//
// Problem: X = M_hat dv_f - dM_hat (v+ - v_f) of a tree by a parameter s at fixed position and velocity (step_parameter.c). Rule: M_hat (v_f - v) = h f gives
//     masses      X = -h Y p          Y the regressor at the velocity of the bias and a = (v+ - v) / h, p the change of a body's ten parameters
//     gravity     X = -h db
//     time step   X = f + h df/dh - dM_hat/dh (v+ - v)
// and midpoint adds in every round -h db/dv dm of the round before (step_tree.c); rk4 carries the columns through its stages (step_rk4.c). Bodies that are
// lone: step_lone.c. `implicit` adds its slopes C.
// Source: the regressor of Atkeson, An and Hollerbach (engine/dynamics/regressor.c); derived here.
// Guaranteed: as exact as the columns by position.
// Known to fail: what step_parameter_known.c leaves to differences.
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_parameter_tree_internal.h"
#include "engine/derivative/step_trees_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/dynamics/tree_factor.h"
#include "engine/step/integrate/free_rotation_internal.h"

static double inertia_at(const double* M, int n, int r, int c) { return r >= c ? M[r * n + c] : M[c * n + r]; }

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
        double rate = 0.0, slope = drive->ahead + h * ts_step_stiffness_ahead(sim, storage->tree_drive[at]);
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
        double slope = h * ts_step_stiffness_ahead(sim, i) * ts_lever_rate(lever, sim->qvel);
        for (int k = 0; k < lever->count; ++k) x[lever->dof[k] - first] -= slope * lever->moment[k];
    }
}

// Adds what wrenches do whose point, the body's centre, moves with column c.
static void add_shifted_wrench(const ts_step_parameters* w, ts_step_column c, int first, double* x) {
    const ts_sim* sim = w->task->sim;
    const ts_model* model = sim->model;
    int b = ts_step_body_of(c);
    ts_vec3 force = sim->wrench_applied[b].force, change = ts_step_centre_slope(model, c);
    change = ts_mat3_mul_vec(&sim->kinematics.body_pose[b].R, change);
    for (int d = model->body[b].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_vec3 moved = ts_vec3_cross(ts_kinematics_axis(sim->model, &sim->kinematics, d).angular, change);
        x[d - first] += sim->options.time_step * ts_vec3_dot(moved, force);
    }
}

// x = Y p, Y of the velocities in p->kinematics; `fresh` starts anew with bodies.
static void regress(ts_step_parameters* w, int t, ts_step_column c, ts_vec3 gravity, const double* a, double* x) {
    double direction[TS_STEP_PARAMETERS];
    int b = ts_step_body_of(c), n = w->p->model->tree[t].dof_count;
    ts_step_parameter_direction(w->p->model, c, direction);
    if (b != w->body) ts_derivative_regressor(w->p->model, &w->p->kinematics, gravity, b, a, w->regress);
    w->body = b;
    for (int d = 0; d < n; ++d) {
        x[d] = 0.0;
        for (int k = 0; k < TS_STEP_PARAMETERS; ++k) x[d] += w->regress[d * TS_STEP_PARAMETERS + k] * direction[k];
    }
}

// X of column c but for what the round before says: of a round that leads to the velocity w_f (n) without rows, `end` with them.
static void find_impulse(ts_step_parameters* w, int t, ts_step_column c, const double* w_f, const double* end,
                         double* x) {
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

static void solve(const ts_step_parameters* w, int t, double* x) {
    int first = w->p->model->tree[t].dof_first;
    ts_tree_factor_solve(w->p->model, t, w->p->L + w->p->mass_start[t], w->p->inverse + first, 1, x);
}

// X of all columns in a round. `again`: there was one before.
static void run_round(ts_step_parameters* w, int t, const double* w_f, const double* end, int again) {
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
        double* X = ts_step_parameter_column(w, c) + w->p->frozen.velocity + first;
        if (!ts_step_parameter_concerns(w, w->column[c], t)) continue;
        memset(w->x, 0, (size_t)n * sizeof(double));
        if (again) {
            solve(w, t, X);
            for (int r = 0; r < n; ++r)
                for (int k = 0; k < n; ++k) w->x[r] -= half * w->matrix[r * n + k] * X[k];
        }
        memcpy(X, w->x, (size_t)n * sizeof(double));
    }
    for (int c = 0; c < w->count; ++c) {
        double* X = ts_step_parameter_column(w, c) + w->p->frozen.velocity + first;
        if (!ts_step_parameter_concerns(w, w->column[c], t)) continue;
        find_impulse(w, t, w->column[c], w_f, end, w->x);
        for (int d = 0; d < n; ++d) X[d] += w->x[d];
    }
}

static void add_general(ts_step_parameters* w, int t) {
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
static int add_implicit(ts_step_parameters* w, int t) {
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
        double* X = ts_step_parameter_column(w, c) + w->p->frozen.velocity + first;
        if (!ts_step_parameter_concerns(w, w->column[c], t)) continue;
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

void ts_step_parameter_change_inertia(ts_step_parameters* w, int t, ts_step_column c, const double* y, double* x) {
    const ts_sim* sim = w->task->sim;
    int n = sim->model->tree[t].dof_count;
    memset(x, 0, (size_t)n * sizeof(double));
    if (!ts_step_parameter_concerns(w, c, t) || c.kind == TS_STEP_BY_GRAVITY) return;
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
    ts_step_parameters* w = (ts_step_parameters*)user;
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    double h = sim->options.time_step;
    ts_step_move_tree(sim->model, t, sim->qvel + first, &w->p->kinematics);
    for (int d = 0; d < n; ++d) w->next[d] = sim->qvel[first + d] + h * a[d];
    w->body = -1;
    for (int c = 0; c < w->count; ++c) {
        if (!ts_step_parameter_concerns(w, w->column[c], t) || w->column[c].kind == TS_STEP_BY_TIME_STEP) continue;
        find_impulse(w, t, w->column[c], w->next, w->next, w->x);
        for (int d = 0; d < n; ++d) io_force[d * w->count + c] += w->x[d] / h + w->shifted[(first + d) * w->count + c];
    }
    w->body = -1;
}

// X = M dv_f - dM (v+ - v_f).
static void arrive(void* user, int t, const double* velocity, const double* position) {
    ts_step_parameters* w = (ts_step_parameters*)user;
    const ts_sim* sim = w->task->sim;
    int first = sim->model->tree[t].dof_first, n = sim->model->tree[t].dof_count;
    const double* M = sim->mass_matrix + sim->mass_start[t];
    for (int c = 0; c < w->count; ++c) {
        double *X = ts_step_parameter_column(w, c) + w->p->frozen.velocity + first,
               *q = ts_step_parameter_column(w, c) + w->p->frozen.position + first;
        if (!ts_step_parameter_concerns(w, w->column[c], t)) continue;
        int from = w->column[c].kind == TS_STEP_BY_TIME_STEP ? w->time : c;
        for (int r = 0; r < n; ++r)
            for (int k = 0; k < n; ++k) X[r] += inertia_at(M, n, r, k) * velocity[k * w->count + from];
        for (int d = 0; d < n && w->p->coasts[t]; ++d) q[d] += position[d * w->count + from];
        if (!ts_step_is_of_mass(w->column[c].kind)) continue;
        for (int d = 0; d < n; ++d)
            w->next[d] = ts_sim_storage_of(sim)->new_velocity[first + d] - sim->free_velocity[first + d];
        ts_step_parameter_change_inertia(w, t, w->column[c], w->next, w->x);
        for (int d = 0; d < n; ++d) X[d] -= w->x[d];
    }
}

int ts_step_parameter_stages(ts_step_parameters* w) {
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
static void add_medium(const ts_step_parameters* w, int t, ts_step_column c, double* x, double* position) {
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

static void add_lone(ts_step_parameters* w, int t) {
    const ts_sim* sim = w->task->sim;
    const ts_step_frozen* part = &w->p->frozen;
    int first = sim->model->tree[t].dof_first;
    for (int c = 0; c < w->count; ++c) {
        double *column = ts_step_parameter_column(w, c), *X = column + part->velocity + first, velocity[6], pressed[6];
        if (!ts_step_parameter_concerns(w, w->column[c], t)) continue;
        ts_step_lone_by_parameter(sim, w->p, t, w->column[c], velocity, column + part->position + first);
        for (int d = 0; d < 6; ++d)
            pressed[d] =
                w->p->coasts[t] ? 0.0 : ts_sim_storage_of(sim)->new_velocity[first + d] - sim->free_velocity[first + d];
        ts_step_parameter_change_inertia(w, t, w->column[c], pressed, w->x);
        add_medium(w, t, w->column[c], w->x, column + part->position + first);
        const double* M = sim->mass_matrix + sim->mass_start[t];
        for (int r = 0; r < 6; ++r) {
            X[r] = -w->x[r];
            for (int k = 0; k < 6; ++k) X[r] += inertia_at(M, 6, r, k) * velocity[k];
        }
    }
}

int ts_step_parameter_tree(ts_step_parameters* w, int t) {
    if (ts_step_is_implicit(w->task->sim, t) && !ts_step_is_freed(w->task->sim, t)) return add_implicit(w, t);
    if (ts_step_is_freed(w->task->sim, t))
        add_lone(w, t);
    else
        add_general(w, t);
    return 1;
}
