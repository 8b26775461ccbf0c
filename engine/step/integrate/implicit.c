// Euler with the derivatives of all forces by velocities, Coriolis forces included.
//
//     (M + h D + h C) (v+ - v) = h (tau - b - K (q - rest) - D v),   C = db/dv at the beginning,   q+ = q (+) h v+
//
// As MuJoCo's "implicit". The matrix is not symmetric: it is factorised by LU for the velocity without rows, and rows
// act through its symmetric part M + h D, so that contacts hold exactly. b is a constant and a square in v, so
// (b(v + e) - b(v - e)) / 2 is its derivative along e, exactly: two passes of Newton-Euler for each degree of freedom.
// First order; linearly implicit, so spins lose energy rather than gain it. Springs are explicit and bound the step as euler's.
#include "engine/step/integrate/integrator.h"

#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "engine/dynamics/dynamics_internal.h"

// 1/s or m/s: by how much a velocity is moved for its column. Any size gives the derivative; one keeps rounding even.
static const double probe = 1.0;

// A += h db/dv.
static void add_bias_slope(ts_sim* sim, int tree, int ld, double* velocity, double* forces, double* A) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double scale = 0.5 * sim->options.time_step / probe;
    memcpy(velocity, sim->qvel + first, (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j) {
        velocity[j] = sim->qvel[first + j] + probe;
        ts_dynamics_bias_at(sim, tree, velocity, forces);
        velocity[j] = sim->qvel[first + j] - probe;
        ts_dynamics_bias_at(sim, tree, velocity, forces + n);
        velocity[j] = sim->qvel[first + j];
        for (int i = 0; i < n; ++i) A[(size_t)i * (size_t)ld + (size_t)j] += scale * (forces[i] - forces[n + i]);
    }
}

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    int ld = ts_panel_padded(n);
    const double* M = sim->mass_matrix + sim->mass_start[tree];
    double* A = (double*)ts_arena_alloc_zeroed(scratch, (size_t)n * (size_t)ld, sizeof(double));
    double* velocity = TS_ARENA_ARRAY(scratch, double, 4 * n);
    int* pivot = TS_ARENA_ARRAY(scratch, int, n);
    if (!A || !velocity || !pivot) return 0;
    double *forces = velocity + n, *change = forces + 2 * n, *next = sim->free_velocity + first;
    for (int i = 0; i < n; ++i) memcpy(A + i * ld, M + i * n, (size_t)n * sizeof(double));
    add_bias_slope(sim, tree, ld, velocity, forces, A);
    // The explicit change solves M_hat x = h (forces): from it the right side without gathering the forces again.
    for (int i = 0; i < n; ++i) velocity[i] = next[i] - sim->qvel[first + i];
    ts_dense_apply(M, n, n, n, velocity, change);
    if (!ts_lu_factor(A, n, ld, pivot)) return 0;
    ts_lu_solve(A, n, ld, pivot, change);
    for (int i = 0; i < n; ++i) next[i] = sim->qvel[first + i] + change[i];
    return 1;
}

const ts_integrator ts_implicit_integrator = {
    .name = "implicit",
    .summary = "damping and Coriolis forces implicit by their derivatives (LU), springs explicit",
    .damping_ahead = 1,
    .servos = TS_SERVO_RATE,
    .advance = advance,
};
