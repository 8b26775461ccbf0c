// Touchstone behind the face of dynamics.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/dynamics_peer.h"
#include "engine/dynamics/aba.h"
#include "engine/dynamics/centroidal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/derivative.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/rnea.h"
#include "engine/dynamics/tree_factor.h"

// What belongs to a state.
typedef struct place {
    ts_kinematics kinematics;
    ts_tree_factors factors;
    double* force;         // (nv)
    double* acceleration;  // (nv)
    double* jacobian;      // (6 x nv)
    double* solved;        // (3 x nv)
    double* momentum;      // (6 x nv)
    double* block;         // (3 x n x n) derivatives of each tree, one after the other
} place;

struct ts_bench_dynamics {
    const ts_model* model;
    ts_bench_states states;
    ts_arena arena;
    ts_tree_scratch scratch;
    ts_derivative_scratch derivative;
    int blocks;    // numbers in `block` of a place
    place* place;  // (states.count)
};

static void close_dynamics(ts_bench_dynamics* d) {
    if (!d) return;
    ts_arena_free(&d->arena);
    free(d);
}

static double* numbers(ts_bench_dynamics* d, int rows) {
    return (double*)ts_arena_alloc_zeroed(&d->arena, (size_t)rows * (size_t)d->model->nv, sizeof(double));
}

static ts_bench_dynamics* open_dynamics(const ts_model* model, const ts_bench_states* states, char error[200]) {
    ts_bench_dynamics* d = (ts_bench_dynamics*)calloc(1, sizeof *d);
    snprintf(error, 200, "out of memory");
    if (!d) return NULL;
    d->model = model;
    d->states = *states;
    d->place = (place*)ts_arena_alloc_zeroed(&d->arena, (size_t)states->count, sizeof(place));
    int fine = d->place && ts_tree_scratch_create(model, &d->arena, &d->scratch) &&
               ts_derivative_scratch_create(model, &d->arena, &d->derivative);
    for (int t = 0; t < model->tree_count; ++t) d->blocks += 3 * model->tree[t].dof_count * model->tree[t].dof_count;
    for (int i = 0; i < states->count && fine; ++i) {
        place* p = &d->place[i];
        fine = ts_kinematics_create(model, &d->arena, &p->kinematics) &&
               ts_tree_factors_create(model, &d->arena, &p->factors);
        p->force = numbers(d, 1);
        p->acceleration = numbers(d, 1);
        p->jacobian = numbers(d, 6);
        p->solved = numbers(d, 3);
        p->momentum = numbers(d, 6);
        p->block = (double*)ts_arena_alloc_zeroed(&d->arena, (size_t)d->blocks + 1, sizeof(double));
    }
    if (fine && !d->arena.failed) return d;
    close_dynamics(d);
    return NULL;
}

static void update(ts_bench_dynamics* d, int state, unsigned parts) {
    const ts_model* model = d->model;
    ts_kinematics_find(model, d->states.qpos + (size_t)state * (size_t)model->nq,
                       d->states.qvel + (size_t)state * (size_t)model->nv, parts, &d->place[state].kinematics);
}

static void find_inertia(ts_bench_dynamics* d, place* p) {
    for (int t = 0; t < d->model->tree_count; ++t)
        ts_crba_refresh(d->model, &p->kinematics, t, &d->scratch, p->factors.M + p->factors.start[t]);
}

static void find_factor(ts_bench_dynamics* d, place* p) {
    for (int t = 0; t < d->model->tree_count; ++t) {
        size_t start = p->factors.start[t];
        ts_tree_factor_make(d->model, t, p->factors.M + start, p->factors.L + start,
                            p->factors.inverse + d->model->tree[t].dof_first);
    }
}

static void find_jacobian(ts_bench_dynamics* d, place* p) {
    int body = d->model->dof[d->model->nv - 1].body;
    ts_jacobian_point(d->model, &p->kinematics, body, p->kinematics.body_pose[body].p, p->jacobian,
                      p->jacobian + 3 * d->model->nv);
}

static void solve_rows(ts_bench_dynamics* d, place* p) {
    // Rows lie in the last tree alone.
    const ts_model* model = d->model;
    int t = model->tree_count - 1, first = model->tree[t].dof_first, n = model->tree[t].dof_count;
    for (int r = 0; r < 3; ++r)
        memcpy(p->solved + r * n, p->jacobian + r * model->nv + first, (size_t)n * sizeof(double));
    ts_tree_factor_solve(model, t, p->factors.L + p->factors.start[t], p->factors.inverse + first, 3, p->solved);
}

// Derivatives of inverse dynamics, or of forward dynamics at the answer it has, tree by tree.
static int find_derivatives(ts_bench_dynamics* d, place* p, const double* acceleration, int forward) {
    double* block = p->block;
    for (int t = 0; t < d->model->tree_count; ++t) {
        size_t n = (size_t)d->model->tree[t].dof_count;
        const double* a = acceleration + d->model->tree[t].dof_first;
        ts_derivative_matrices out = {block, block + n * n, block + 2 * n * n};
        if (forward)
            ts_derivative_forward_tree(d->model, &p->kinematics, d->model->options.gravity, t, a, &p->factors,
                                       &d->derivative, &out);
        else
            ts_derivative_inverse_tree(d->model, &p->kinematics, d->model->options.gravity, t, a, &d->derivative, &out);
        block += 3 * n * n;
    }
    return 1;
}

// What forward dynamics answers, from the factor of M that its derivatives need anyhow.
static int solve_forward(ts_bench_dynamics* d, place* p, const double* force) {
    const ts_model* model = d->model;
    if (!ts_tree_factors_update(model, &p->kinematics, &d->scratch, &p->factors)) return 0;
    ts_rnea_forces(model, &p->kinematics, model->options.gravity, NULL, &d->scratch, p->force);
    for (int i = 0; i < model->nv; ++i) p->acceleration[i] = force[i] - p->force[i];
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first;
        ts_tree_factor_solve(model, t, p->factors.L + p->factors.start[t], p->factors.inverse + first, 1,
                             p->acceleration + first);
    }
    return 1;
}

// Of kinematics only what a question needs.
static unsigned parts_of(ts_bench_dynamics_item item) {
    switch (item) {
    case TS_BENCH_KINEMATICS: return TS_KINEMATICS_ALL;
    case TS_BENCH_TWISTS_FROM_Q: return TS_KINEMATICS_TWISTS;
    case TS_BENCH_INERTIA_FROM_Q:
    case TS_BENCH_CENTROIDAL: return TS_KINEMATICS_INERTIAS;
    default: return TS_KINEMATICS_BIAS | TS_KINEMATICS_INERTIAS;
    }
}

static int run(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state) {
    const ts_model* model = d->model;
    ts_vec3 gravity = model->options.gravity;
    place* p = &d->place[state];
    size_t at = (size_t)state * (size_t)model->nv;
    if (item >= TS_BENCH_TWISTS_FROM_Q || item == TS_BENCH_KINEMATICS) update(d, state, parts_of(item));
    switch (item) {
    case TS_BENCH_KINEMATICS:
    case TS_BENCH_TWISTS_FROM_Q: break;
    case TS_BENCH_BIAS: ts_rnea_forces(model, &p->kinematics, gravity, NULL, &d->scratch, p->force); break;
    case TS_BENCH_INERTIA:
    case TS_BENCH_INERTIA_FROM_Q: find_inertia(d, p); break;
    case TS_BENCH_FACTOR: find_factor(d, p); break;
    case TS_BENCH_JACOBIAN: find_jacobian(d, p); break;
    case TS_BENCH_SOLVE: solve_rows(d, p); break;
    case TS_BENCH_INVERSE_DYNAMICS:
        ts_rnea_forces(model, &p->kinematics, gravity, d->states.acceleration + at, &d->scratch, p->force);
        break;
    case TS_BENCH_FORWARD_DYNAMICS:
        return ts_aba_acceleration(model, &p->kinematics, gravity, d->states.force + at, &d->scratch, p->acceleration);
    case TS_BENCH_CENTROIDAL:
        ts_centroidal_matrix(model, &p->kinematics, TS_CENTROIDAL_ALL, &d->scratch, p->momentum);
        break;
    case TS_BENCH_INVERSE_DERIVATIVES: return find_derivatives(d, p, d->states.acceleration + at, 0);
    case TS_BENCH_FORWARD_DERIVATIVES:
        return solve_forward(d, p, d->states.force + at) && find_derivatives(d, p, p->acceleration, 1);
    default: return 0;
    }
    return 1;
}

static int take(const double* from, int count, double* out_numbers) {
    memcpy(out_numbers, from, (size_t)count * sizeof(double));
    return count;
}

// The trees' blocks as three nv x nv matrices.
static int take_blocks(const ts_bench_dynamics* d, const place* p, double* out_numbers) {
    size_t nv = (size_t)d->model->nv;
    const double* block = p->block;
    memset(out_numbers, 0, 3 * nv * nv * sizeof(double));
    for (int t = 0; t < d->model->tree_count; ++t) {
        size_t first = (size_t)d->model->tree[t].dof_first, n = (size_t)d->model->tree[t].dof_count;
        for (size_t m = 0; m < 3; ++m)
            for (size_t i = 0; i < n; ++i, block += n)
                memcpy(out_numbers + (m * nv + first + i) * nv + first, block, n * sizeof(double));
    }
    return (int)(3 * nv * nv);
}

// Where the bodies' frames are and how fast their origins move.
static int take_twists(const ts_model* model, const ts_kinematics* k, double* out_numbers) {
    for (int b = 0; b < model->body_count; ++b) {
        ts_vec3 p = k->body_pose[b].p;
        ts_vec3_store(p, out_numbers + 6 * b);
        ts_vec3_store(ts_kinematics_point_velocity(model, k, b, p), out_numbers + 6 * b + 3);
    }
    return 6 * model->body_count;
}

static int answer(ts_bench_dynamics* d, ts_bench_dynamics_item item, int state, double* out_numbers) {
    const ts_model* model = d->model;
    const place* p = &d->place[state];
    int nv = model->nv;
    switch (item) {
    case TS_BENCH_KINEMATICS:
        for (int b = 0; b < model->body_count; ++b) ts_vec3_store(p->kinematics.body_pose[b].p, out_numbers + 3 * b);
        return 3 * model->body_count;
    case TS_BENCH_TWISTS_FROM_Q: return take_twists(model, &p->kinematics, out_numbers);
    case TS_BENCH_BIAS:
    case TS_BENCH_INVERSE_DYNAMICS: return take(p->force, nv, out_numbers);
    case TS_BENCH_INERTIA:
    case TS_BENCH_INERTIA_FROM_Q: ts_crba_matrix(model, &p->kinematics, &d->scratch, out_numbers); return nv * nv;
    case TS_BENCH_JACOBIAN: return take(p->jacobian, 6 * nv, out_numbers);
    case TS_BENCH_SOLVE: return take(p->solved, 3 * model->tree[model->tree_count - 1].dof_count, out_numbers);
    case TS_BENCH_FORWARD_DYNAMICS: return take(p->acceleration, nv, out_numbers);
    case TS_BENCH_CENTROIDAL: return take(p->momentum, 6 * nv, out_numbers);
    case TS_BENCH_INVERSE_DERIVATIVES:
    case TS_BENCH_FORWARD_DERIVATIVES: return take_blocks(d, p, out_numbers);
    default: return 0;
    }
}

const ts_bench_dynamics_engine* ts_bench_dynamics_touchstone(void) {
    static const ts_bench_dynamics_engine engine = {"touchstone", open_dynamics, close_dynamics, run, answer};
    return &engine;
}
