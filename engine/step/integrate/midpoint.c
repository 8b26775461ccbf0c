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
// Other trees: fixed point with the factor that is there, v+ <- v_explicit + h M_hat^-1 (b(v) - b(v_m)). A round brings no more than h |w|
// of the change of the one before, w the fastest spin of a body. Rounds end where what is left is a small part of what the step changes
// the velocity by, both measured as kinetic energy, which the whitened forces show; none is made for what hardly turns.
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

// 1: error of the velocity that is good enough, relative to its change in the step: positions bring one of h |w| anyway.
static const double bias_error = 1e-4;

// 1: squares of relative changes of the velocity: what counts as none, and what one more round may bring at most.
static const double rounding = 1e-24, last_change = 1e-6;

// The rounds of a tree; all arrays dof_count.
typedef struct rounds {
    double* plain;   // the velocity for the bias at the beginning
    double* next;    // and what it has become
    double* middle;  // scratch
    double* change;  // likewise
    double* push;    // L^-T h (b(v) - b(v_m)) of the last round
    double energy;   // the square of what the last round has changed it by
} rounds;

// rad: the most that a body of the tree turns in a step.
static double most_turn(const ts_sim* sim, int tree) {
    const int* body = sim->model->tree_body + sim->model->tree[tree].body_first;
    double most = 0.0;
    for (int i = 0; i < sim->model->tree[tree].body_count; ++i) {
        double squared = ts_vec3_norm_squared(sim->kinematics.body_velocity[body[i]].angular);
        if (squared > most) most = squared;
    }
    return sim->options.time_step * sqrt(most);
}

// A round: next = v_explicit + h M_hat^-1 (b(v) - b((v + next) / 2)); returns the square of its change, relative, or 0 when that is
// rounding.
static double improve(ts_sim* sim, int tree, rounds* r) {
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double h = sim->options.time_step, squared = 0.0, size = 0.0, energy = 0.0;
    const double *qvel = sim->qvel + first, *bias = sim->bias + first, *plain = r->plain;
    double *next = r->next, *middle = r->middle, *change = r->change, *push = r->push;
    for (int d = 0; d < n; ++d) middle[d] = 0.5 * (qvel[d] + next[d]);
    ts_dynamics_bias_at(sim, tree, middle, change);
    for (int d = 0; d < n; ++d) change[d] = h * (bias[d] - change[d]);
    ts_dynamics_whiten(sim, tree, 1, change);
    for (int d = 0; d < n; ++d) {
        double moved = change[d] - push[d];
        energy += moved * moved;
        push[d] = change[d];
    }
    r->energy = energy;
    ts_dynamics_unwhiten(sim, tree, change);
    for (int d = 0; d < n; ++d) {
        double value = plain[d] + change[d], moved = value - next[d];
        squared += moved * moved;
        size += value * value;
        next[d] = value;
    }
    return squared > size * rounding ? squared / size : 0.0;
}

int ts_midpoint_rounds(const ts_sim* sim, int tree) { return ts_sim_storage_of(sim)->midpoint_rounds[tree]; }

// Rounds until the next one would change too little; but no more than if each brought as much as it may. Returns how many, or -1 where
// they lead nowhere.
static int go_round(ts_sim* sim, int tree, double turn, rounds* r) {
    double part = turn / (sim->options.time_step * bias_error), last = HUGE_VAL;
    int count = 0;
    for (double most = turn; most > bias_error && count < ROUNDS_MOST; most *= turn) {
        double now = improve(sim, tree, r);
        if (!(now <= last)) return -1;
        last = now;
        ++count;
        if (part * part * r->energy <= ts_sim_storage_of(sim)->thrust[tree]) break;
    }
    return turn * turn * last <= last_change ? count : -1;
}

static int advance(ts_sim* sim, int tree, ts_arena* scratch) {
    if (ts_touched_rotation_applies(sim, tree) && ts_touched_rotation_advance(sim, tree)) return 1;
    if (ts_free_rotation_is_lone(sim, tree)) return ts_free_rotation_advance(sim, tree);
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = sim->model->tree[tree].dof_first, n = sim->model->tree[tree].dof_count;
    double turn = most_turn(sim, tree);
    storage->midpoint_rounds[tree] = 0;
    if (!(turn > bias_error)) return 1;
    double* numbers = TS_ARENA_ARRAY(scratch, double, 3 * n);
    if (!numbers) return 0;
    rounds r = {.plain = storage->plain_velocity + first,
                .next = sim->free_velocity + first,
                .middle = numbers,
                .change = numbers + n,
                .push = numbers + 2 * n};
    memcpy(r.plain, r.next, (size_t)n * sizeof(double));
    memset(r.push, 0, (size_t)n * sizeof(double));
    int count = go_round(sim, tree, turn, &r);
    if (count < 0) memcpy(r.next, r.plain, (size_t)n * sizeof(double));
    storage->midpoint_rounds[tree] = count > 0 ? count : 0;
    return count >= 0;
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
