// The rotation of a lone rigid body that has contacts.
//
// Problem: contacts act at the end of a step, v+ = v_f + M^-1 J^T lambda, and v_f has to be known before lambda is. A gyroscopic
// term taken in the middle of the motion without contacts, as if they were not there, is wrong by h |w| of itself: a top on its tip
// then nods ever more.
// Rule: symplectic Euler is leapfrog, with velocities that belong to the middle of steps: q+ = q (+) h v+ moves from step to step,
// so v+ is the velocity between the two, and forces act at q, between v and v+. The angular momentum about the centre of mass,
// in the axes of the beginning of the step, is E(h w / 2) I w half a step later and E(-h w / 2) I w half a step before, with E(x)
// the matrix of the turn exp(x), and so
//     E(h w+ / 2) I w+ = E(-h w / 2) I w + h couple + c,                                                           (1)
//     v_c+ = v_c + h (g + force / m) + f / m,   v_c = v + R E(-h w / 2) (w x centre),   v_c+ = v+ + R E(h w+ / 2) (w+ x centre)
// where c and f are what contacts give, linear in lambda. Contacts solve the linear law v+ = v_f + M^-1 J^T lambda, so v_f has
// to have the rest of (1) in it: with c0 a forecast of c, w0 the solution of (1) for c0,
//     w_f = w0 - I^-1 c0,
// and whenever the contacts give what was forecast the new velocity solves (1). The contact law speaks of v+ whatever the forecast:
// nothing slips or sinks by it.
// Forecast: the couple about the centre of mass of the last step, in world axes, where it changes slowly while the body turns below
// it; none where it was not nearly the same in the step before, as after an impact. It is late by h, and the gyroscopic term takes
// h |w| / 2 of it, so what is missing is of second order. An error of the forecast comes back times h |w| / 2 at most (by the
// triangle inequality of principal moments), and dies out.
// Guaranteed, when c = c0: the angular momentum about the world's origin changes by what forces and contacts give, exactly, and the
// energy stays within a bounded distance of what it should be (leapfrog is variational).
// Source: symplectic Euler on a group with its half-step momentum, of the family of Moser and Veselov (1991).
//
// A body's velocity is of now when nothing touched it in the last step, and half a step late else. `late` remembers which: the first step
// of a contact starts from E(0), and a body that leaves its contacts makes up for half a step (ts_touched_rotation_start).
// Known failure: a contact's levers are those of the beginning of the step, so a body that stands on a point off its frame's origin walks a circle
// of size h. Where the torque changes the gyroscopic term lags by h. Above half a radian in a step the rule of free bodies stays.
#include <math.h>

#include "engine/step/integrate/free_rotation_internal.h"

enum { ROUNDS_MOST = 8 };

// rad a step: below the first a wrong gyroscopic term is as good as a right one (engine/step/integrate/midpoint.c), above the second the
// forecast is not to be trusted.
static const double least_turn = 1e-4, most_turn = 0.5;

// 1: change of the torque in a step, relative, above which the next one is not forecast.
static const double most_change = 0.5;

// 1: change of w, relative, after which the next one is rounding: a round leaves (h |w|)^3 / 50 of the error.
static const double round_rest = 1e-12;

// exp(x) turns v; for |x| up to half of most_turn, to rounding.
static ts_vec3 turned(ts_vec3 x, ts_vec3 v) {
    double t = ts_vec3_norm_squared(x);
    double sine = 1.0 - t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0 * (1.0 - t / 72.0 * (1.0 - t / 110.0))));
    double versine = 0.5 * (1.0 - t / 12.0 * (1.0 - t / 30.0 * (1.0 - t / 56.0 * (1.0 - t / 90.0))));
    ts_vec3 across = ts_vec3_cross(x, v);
    return ts_vec3_add_scaled(ts_vec3_add_scaled(v, sine, across), versine, ts_vec3_cross(x, across));
}

// w with E(h w / 2) I w = momentum, by Newton on I w - E(-h w / 2) momentum from the w given; the slope of E is taken to second order.
static int solve_half_step(const ts_mat3* inertia, ts_vec3 momentum, double h, ts_vec3* omega) {
    for (int k = 0; k < ROUNDS_MOST; ++k) {
        ts_vec3 w = *omega, back = turned(ts_vec3_scale(-0.5 * h, w), momentum);
        ts_vec3 rest = ts_vec3_sub(back, ts_mat3_mul_vec(inertia, w));
        ts_mat3 skew = ts_mat3_skew(back), slope = ts_mat3_mul(skew, ts_mat3_skew(w));
        ts_mat3 matrix =
            ts_mat3_sub(*inertia, ts_mat3_scale(0.5 * h, ts_mat3_sub(skew, ts_mat3_scale(0.25 * h, slope))));
        ts_vec3 change = ts_mat3_solve(&matrix, rest);
        *omega = ts_vec3_add(w, change);
        if (!ts_vec3_is_finite(change)) return 0;
        if (ts_vec3_norm_squared(change) <= round_rest * round_rest * ts_vec3_norm_squared(*omega)) return 1;
    }
    return 0;
}

int ts_touched_rotation_is_round(const ts_mat3* I) {
    return I->m[0][0] == I->m[1][1] && I->m[1][1] == I->m[2][2] && I->m[0][1] == 0.0 && I->m[0][2] == 0.0 &&
           I->m[1][2] == 0.0;
}

int ts_touched_rotation_is_near(const ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (!storage->tree_touched[tree] || !storage->tree_is_lone[tree]) return 0;
    ts_vec3 omega = ts_vec3_load(sim->qvel + model->tree[tree].dof_first + 3);
    double h = sim->options.time_step, square = h * h * ts_vec3_norm_squared(omega);
    return square > least_turn * least_turn && square < most_turn * most_turn;
}

int ts_touched_rotation_applies(const ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    if (!ts_touched_rotation_is_near(sim, tree)) return 0;
    return model->tree[tree].kind != TS_TREE_CENTRED ||
           !ts_touched_rotation_is_round(&model->body[model->tree[tree].root].inertia);
}

int ts_touched_rotation_advance(ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_body* body = &model->body[model->tree[tree].root];
    const ts_mat3 *R = &sim->kinematics.body_pose[model->tree[tree].root].R, *inertia = &body->inertia;
    const ts_spin_memory* memory = &storage->spin_memory[tree];
    int first = model->tree[tree].dof_first;
    double h = sim->options.time_step;
    ts_vec3 force = ts_vec3_load(storage->applied + first), couple = ts_vec3_load(storage->applied + first + 3);
    ts_vec3 omega = ts_vec3_load(sim->qvel + first + 3), before = ts_vec3_scale(-memory->late, omega);
    couple = ts_vec3_sub(couple, ts_vec3_cross(body->centre, ts_mat3_mul_vec_transposed(R, force)));
    ts_vec3 forecast = ts_vec3_scale(memory->steady ? h : 0.0, ts_mat3_mul_vec_transposed(R, memory->torque));
    ts_vec3 momentum = turned(before, ts_mat3_mul_vec(inertia, omega));
    momentum = ts_vec3_add(ts_vec3_add_scaled(momentum, h, couple), forecast);
    ts_vec3 pressed = ts_mat3_solve(inertia, forecast), next = ts_vec3_add(omega, pressed);
    if (!solve_half_step(inertia, momentum, h, &next)) return 0;
    ts_vec3 free = ts_vec3_sub(next, pressed);
    double falling = h * (1.0 - body->buoyancy);
    ts_vec3 velocity = ts_vec3_add_scaled(ts_vec3_load(sim->qvel + first), falling, sim->options.gravity);
    velocity = ts_vec3_add_scaled(velocity, h / body->mass, force);
    if (sim->model->tree[tree].kind != TS_TREE_CENTRED) {
        ts_vec3 swing = turned(ts_vec3_scale(0.5 * h, next), ts_vec3_cross(next, body->centre));
        swing = ts_vec3_sub(swing, turned(before, ts_vec3_cross(omega, body->centre)));
        swing = ts_vec3_sub(swing, ts_vec3_cross(pressed, body->centre));
        velocity = ts_vec3_sub(velocity, ts_mat3_mul_vec(R, swing));
    }
    ts_vec3_store(velocity, sim->free_velocity + first);
    ts_vec3_store(free, sim->free_velocity + first + 3);
    storage->late_next[tree] = 0.5 * h;
    return 1;
}

void ts_touched_rotation_start(const ts_sim* sim, int tree, ts_vec3* out_velocity, ts_vec3* out_omega) {
    const ts_model* model = sim->model;
    const ts_body* body = &model->body[model->tree[tree].root];
    const ts_mat3* R = &sim->kinematics.body_pose[model->tree[tree].root].R;
    const double* qvel = sim->qvel + model->tree[tree].dof_first;
    double late = ts_sim_storage_of(sim)->spin_memory[tree].late;
    *out_velocity = ts_vec3_load(qvel);
    *out_omega = ts_vec3_load(qvel + 3);
    if (late == 0.0) return;
    ts_vec3 omega = *out_omega, before = ts_vec3_scale(-late, omega);
    *out_omega = ts_mat3_solve(&body->inertia, turned(before, ts_mat3_mul_vec(&body->inertia, omega)));
    ts_vec3 swing = turned(before, ts_vec3_cross(omega, body->centre));
    swing = ts_vec3_sub(swing, ts_vec3_cross(*out_omega, body->centre));
    *out_velocity = ts_vec3_add(*out_velocity, ts_mat3_mul_vec(R, swing));
}

void ts_touched_rotation_remember(ts_sim* sim, int begin, int end) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    double h = sim->options.time_step;
    for (int t = begin; t < end; ++t) {
        ts_spin_memory* memory = &storage->spin_memory[t];
        ts_vec3 before = memory->torque;
        memory->late = storage->late_next[t];
        memory->torque = ts_vec3_zero();
        memory->steady = 0;
        // What is round has no gyroscopic term to forecast.
        if (storage->tree_touched[t] != TS_TREE_TOUCHED || !storage->tree_is_lone[t]) continue;
        int b = model->tree[t].root, turn = model->tree[t].dof_first + 3;
        ts_vec3 omega = ts_vec3_load(storage->new_velocity + turn);
        if (!(h * h * ts_vec3_norm_squared(omega) > least_turn * least_turn)) continue;
        ts_vec3 change = ts_vec3_sub(omega, ts_vec3_load(sim->free_velocity + turn));
        ts_vec3 couple =
            ts_mat3_mul_vec(&sim->kinematics.body_pose[b].R, ts_mat3_mul_vec(&model->body[b].inertia, change));
        memory->torque = ts_vec3_scale(1.0 / h, couple);
        memory->steady = ts_vec3_distance(memory->torque, before) < most_change * ts_vec3_norm(memory->torque);
    }
}
