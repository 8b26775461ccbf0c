// The default: springs and dampers at the end of the step, velocity-dependent forces in its middle.
//
//     M_hat (v+ - v) = h (tau - b(q, v_m) - K (q - rest) - (D + h K) v),   v_m = (v + v+) / 2
//
// with M_hat = M + h D + h^2 K (engine/dynamics/dynamics.c). b has no power of its own beyond what M's change takes, and with
// it in the middle the step neither feeds nor starves a spin; explicit, it feeds it at a rate of h times the spin squared.
//
// Lone free bodies: three equations, solved to rounding (free_rotation.c). One that no row touches turns about its centre of mass by the
// Cayley map, and keeps energy and angular momentum; where contacts are, positions move by exp(h v+) along the velocity that the rows
// speak of, and the spin by leapfrog (touched_rotation.c).
// Other trees: fixed point with the factor that is there, v+ <- v_explicit + h M_hat^-1 (b(v) - b(v_m)). A round's error is about h |w|
// of the one before, w the fastest spin of a body, so the number of rounds is known beforehand: none for what hardly turns, one
// for most robots.
// A contact's impulse comes after the bias. For a lone body that contacts press steadily it is forecast (touched_rotation.c); in trees the
// gyroscopic term lags by h.
// First order where forces depend on positions, and then symplectic Euler; second in free rotation.
// Known failure: trees that turn by a radian in a step; the change of the last round tells, and the caller is told.
#include "engine/step/integrate/integrator.h"

#include <string.h>

#include "engine/dynamics/dynamics_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/free_rotation_internal.h"

enum { ROUNDS_MOST = 12 };

// 1: error of the bias, relative to itself, that is good enough: positions bring one of h |w| anyway.
static const double bias_error = 1e-4;

// 1: squares of relative changes of the velocity: what counts as none, and what the last round may be at most.
static const double rounding = 1e-24, last_change = 1e-6;

// rad: the most that a body of the tree turns in a step.
static double most_turn(const ts_sim* sim, int tree) {
    const int* body = sim->model->tree_body + sim->model->tree[tree].body_first;
    double most = 0.0;
    for (int i = 0; i < sim->model->tree[tree].body_count; ++i)
        most = fmax(most, ts_vec3_norm_squared(sim->kinematics.body_velocity[body[i]].angular));
    return sim->options.time_step * sqrt(most);
}

// A round: out_next = v_explicit + h M_hat^-1 (b(v) - b((v + next) / 2)); returns the square of its change,
// relative, or 0 when that is rounding. `change` and `middle` are scratch.
static double improve(ts_sim* sim, int tree, const double* plain, double* middle, double* change, double* next) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double h = sim->options.time_step, squared = 0.0, size = 0.0;
    for (int d = 0; d < n; ++d) middle[d] = 0.5 * (sim->qvel[first + d] + next[d]);
    ts_dynamics_bias_at(sim, tree, middle, change);
    for (int d = 0; d < n; ++d) change[d] = h * (sim->bias[first + d] - change[d]);
    ts_dynamics_whiten(sim, tree, 1, change);
    ts_dynamics_unwhiten(sim, tree, change);
    for (int d = 0; d < n; ++d) {
        double value = plain[d] + change[d], moved = value - next[d];
        squared += moved * moved;
        size += value * value;
        next[d] = value;
    }
    return squared > size * rounding ? squared / size : 0.0;
}

int ts_midpoint_rounds(const ts_sim* sim, int tree) {
    double turn = most_turn(sim, tree), error = turn;
    int rounds = 0;
    for (; error > bias_error && rounds < ROUNDS_MOST; error *= turn) ++rounds;
    return rounds;
}

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    if (ts_touched_rotation_applies(sim, tree) && ts_touched_rotation_advance(sim, tree)) return 1;
    if (ts_free_rotation_is_lone(sim, tree)) return ts_free_rotation_advance(sim, tree);
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count, solved = 1;
    int rounds = ts_midpoint_rounds(sim, tree);
    double last = HUGE_VAL;
    if (rounds == 0) return 1;
    double* middle = TS_ARENA_ARRAY(scratch, double, 2 * n);
    if (!middle) return 0;
    double *plain = ts_sim_storage_of(sim)->plain_velocity + first, *change = middle + n,
           *next = sim->free_velocity + first;
    memcpy(plain, next, (size_t)n * sizeof(double));
    for (int k = 0; k < rounds; ++k) {
        double now = improve(sim, tree, plain, middle, change, next);
        if (!(now <= last)) solved = 0;
        last = now;
    }
    // Rounds that grow lead nowhere.
    solved = solved && last <= last_change;
    if (!solved) memcpy(next, plain, (size_t)n * sizeof(double));
    return solved;
}

static void coast(const ts_sim* sim, int tree, double* out_qpos) {
    if (ts_free_rotation_is_lone(sim, tree)) ts_free_rotation_coast(sim, tree, out_qpos);
}

const ts_integrator ts_midpoint_integrator = {
    .name = "midpoint",
    .summary = "Coriolis forces in the middle of the step: free rotation keeps energy and momentum; springs implicit",
    .damping_ahead = 1,
    .servos = TS_SERVO_END,
    .springs_ahead = 1,
    .frees_lone_bodies = 1,
    .advance = advance,
    .coast = coast,
};
