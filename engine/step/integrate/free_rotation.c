// The rotation of a lone rigid body, with its energy and angular momentum kept.
//
// Problem: I w' + w x I w = couple in body axes, R' = R [w]x; explicitly, a body that spins about no principal axis gains energy at
// a rate of h |w|^2, and in the end has all there is.
// Rule: the implicit midpoint, and for the orientation the Cayley map of the same middle velocity,
//     I (w+ - w) / h + w_m x I w_m = couple,   w_m = (w + w+) / 2,
//     R+ = R cay(h w_m),   cay(x) = (1 - X/2)^-1 (1 + X/2),   X = [x]x, the turn of the quaternion (1, x/2).
// Guaranteed without couple, for every w+ that solves the first line, whatever the step:
//   energy: m = I w, m+ - m = -h w_m x m_m with m_m = (m + m+) / 2 = I w_m; so w_m . (m+ - m) = 0, and with I symmetric that is
//       (w + w+) . (m+ - m) / 2 = (w+ . m+ - w . m) / 2 = T+ - T.
//   angular momentum in the world, R m: with W = [h w_m]x the same line is (1 + W/2) m+ = (1 - W/2) m, and so
//       R+ m+ = R (1 - W/2)^-1 (1 + W/2) m+ = R (1 - W/2)^-1 (1 - W/2) m = R m.
//   A further turn about m+ changes neither R+ m+ nor T+; one by what cay(h w_m) turns less than exp(h w_m), times the cosine between w_m and
//   m+, makes steady spins exact in their phase as well.
//   Both hold to the rounding of a step, about 1e-16, which adds up like a random walk.
// Source: the midpoint rule on the dual of so(3), of the family of Austin, Krishnaprasad and Wang (1993) and Simo and Wong (1991).
// Second order in h.
//
// Newton on three unknowns, from w. Its matrix is F' = I + h/2 ([w_m]x I - [I w_m]x); for a vector u, u . F' u = u . I u +
// h/2 w_m . (I u x u), and |I u x u| <= (k - 1) / (2 sqrt k) u . I u with k the condition of I (Wielandt), so F' is
// regular for h |w_m| < 4 sqrt k / (k - 1): 1.6 rad for a rod of 1:1:0.01 and more for all that is rounder. F is
// quadratic, so the next error is at most h |F'^-1 I| / 4 of the square of the last change; that square decides when to stop, two or three times in
// practice. Where Newton does not get there within eight, the step is halved until it does: halves of the same rule keep what it keeps.
// Known failure: beyond some ten radians in a step no halving suffices; the caller is told.
#include "engine/step/integrate/free_rotation_internal.h"

#include "engine/sim_internal.h"
#include "engine/step/pile_internal.h"

enum {
    NEWTON_LIMIT = 8,   // quadratic convergence that is not there by then does not come
    SUBSTEP_LIMIT = 64  // a step of 64 times what Newton manages turns the body more than once
};

// 1: what may be missing of w at the end, relative; a tenth of the rounding of one number.
static const double newton_rest = 1e-17;

static inline int is_zero(ts_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

// One step of the rule. Returns 0 when Newton does not converge.
static int midpoint(const ts_mat3* inertia, ts_vec3 omega, ts_vec3 couple, double h, ts_vec3* out_omega,
                    ts_vec3* out_middle) {
    ts_vec3 next = omega, middle = omega, momentum = ts_mat3_mul_vec(inertia, omega);
    ts_vec3 at_rest = ts_vec3_cross(omega, momentum);
    // Balls and cubes, and whatever turns about an axis of its own, turn on as they are.
    if (is_zero(couple) &&
        h * h * ts_vec3_norm_squared(at_rest) <= newton_rest * newton_rest * ts_vec3_norm_squared(momentum)) {
        *out_omega = *out_middle = omega;
        return 1;
    }
    for (int k = 0; k < NEWTON_LIMIT; ++k) {
        ts_vec3 gyration = ts_vec3_sub(ts_vec3_cross(middle, momentum), couple);
        ts_vec3 rest = ts_vec3_add_scaled(ts_mat3_mul_vec(inertia, ts_vec3_sub(next, omega)), h, gyration);
        ts_mat3 slope = ts_mat3_sub(ts_mat3_mul(ts_mat3_skew(middle), *inertia), ts_mat3_skew(momentum));
        ts_mat3 matrix = ts_mat3_add(*inertia, ts_mat3_scale(0.5 * h, slope));
        ts_vec3 change = ts_mat3_solve(&matrix, ts_vec3_neg(rest));
        next = ts_vec3_add(next, change);
        middle = ts_vec3_scale(0.5, ts_vec3_add(omega, next));
        if (!ts_vec3_is_finite(next)) return 0;
        if (h * ts_vec3_norm_squared(change) <= newton_rest * ts_vec3_norm(next)) {
            *out_omega = next;
            *out_middle = middle;
            return 1;
        }
        momentum = ts_mat3_mul_vec(inertia, middle);
    }
    return 0;
}

// t - 2 atan(t / 2): by how much cay(x) with |x| = t turns less than exp(x).
static double lag(double t) {
    double square = t * t;
    if (square < 1e-3) return t * square * (1.0 / 12.0 - square * (1.0 / 80.0 - square / 448.0));
    return t - 2.0 * atan(0.5 * t);
}

// The turn of a step along x = h w_m, to where the momentum in the body is `momentum`.
static ts_quat step_turn(ts_vec3 x, ts_vec3 momentum) {
    ts_quat turn = ts_quat_normalize(ts_quat_make(1.0, 0.5 * x.x, 0.5 * x.y, 0.5 * x.z));
    double t = ts_vec3_norm(x), about = t * ts_vec3_norm_squared(momentum);
    double missing = about > 0.0 ? lag(t) * ts_vec3_dot(x, momentum) / about : 0.0;
    if (fabs(missing) * ts_vec3_norm(momentum) < 1e-17) return turn;
    return ts_quat_mul(turn, ts_quat_from_rotation_vector(ts_vec3_scale(missing, momentum)));
}

int ts_free_rotation_step(const ts_mat3* inertia, ts_vec3 omega, ts_vec3 couple, double h, ts_vec3* out_omega,
                          ts_quat* out_turn) {
    ts_vec3 middle;
    for (int parts = 1; parts <= SUBSTEP_LIMIT; parts *= 2) {
        int done = 0;
        double part = h / parts;
        *out_omega = omega;
        if (out_turn) *out_turn = ts_quat_identity();
        while (done < parts && midpoint(inertia, *out_omega, couple, part, out_omega, &middle)) {
            if (!out_turn) {
                ++done;
                continue;
            }
            ts_quat turn = step_turn(ts_vec3_scale(part, middle), ts_mat3_mul_vec(inertia, *out_omega));
            *out_turn = done == 0 ? turn : ts_quat_mul(*out_turn, turn);
            ++done;
        }
        if (done == parts) return 1;
    }
    *out_omega = ts_vec3_add_scaled(omega, h, ts_mat3_solve(inertia, couple));
    if (out_turn) *out_turn = ts_quat_from_rotation_vector(ts_vec3_scale(h, *out_omega));
    return 0;
}

// With c the centre of mass in the body and the dofs those of the body's origin, v_o = v_c - R (w x c): the centre has the acceleration of a
// point mass, and what the origin does beside it follows from the turn.
int ts_free_rotation_advance(ts_sim* sim, int tree) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_body* body = &model->body[model->tree[tree].root];
    int first = model->tree[tree].dof_first;
    double h = sim->options.time_step;
    ts_vec3 force = ts_vec3_load(storage->applied + first), couple = ts_vec3_load(storage->applied + first + 3);
    ts_vec3 velocity, omega, next;
    ts_touched_rotation_start(sim, tree, &velocity, &omega);
    velocity = ts_vec3_add_scaled(velocity, h * (1.0 - body->buoyancy), sim->options.gravity);
    if (is_zero(omega) && is_zero(couple) && is_zero(force)) {
        storage->turn[tree] = ts_quat_identity();
        ts_vec3_store(velocity, sim->free_velocity + first);
        ts_vec3_store(omega, sim->free_velocity + first + 3);
        return 1;
    }
    const ts_mat3* R = &sim->kinematics.body_pose[model->tree[tree].root].R;
    couple = ts_vec3_sub(couple, ts_vec3_cross(body->centre, ts_mat3_mul_vec_transposed(R, force)));
    // In a pile nobody asks how far a body that is touched would have turned.
    ts_quat* turn = ts_pile_is_on(sim) && storage->tree_touched[tree] ? NULL : &storage->turn[tree];
    int solved = 1, turns_on = !turn && is_zero(couple) && ts_touched_rotation_is_round(&body->inertia);
    if (turns_on)
        next = omega;
    else
        solved = ts_free_rotation_step(&body->inertia, omega, couple, h, &next, turn);
    velocity = ts_vec3_add_scaled(velocity, h / body->mass, force);
    ts_vec3_store(next, sim->free_velocity + first + 3);
    if (model->tree[tree].kind == TS_TREE_CENTRED) {
        ts_vec3_store(velocity, sim->free_velocity + first);
        return solved;
    }
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(omega, next));
    ts_vec3 swing = ts_vec3_cross(ts_vec3_sub(next, omega), body->centre);
    swing = ts_vec3_add_scaled(swing, h, ts_vec3_cross(middle, ts_vec3_cross(middle, body->centre)));
    ts_vec3_store(ts_vec3_sub(velocity, ts_mat3_mul_vec(R, swing)), sim->free_velocity + first);
    return solved;
}

int ts_free_rotation_goes_on(const ts_sim* sim, int tree) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    if (storage->tree_touched[tree] != TS_TREE_TOUCHED_ROUND) return 0;
    int first = sim->model->tree[tree].dof_first;
    const double* applied = storage->applied + first;
    if (!is_zero(ts_vec3_load(applied)) || !is_zero(ts_vec3_load(applied + 3))) return 0;
    ts_vec3 velocity = ts_vec3_load(sim->qvel + first), omega = ts_vec3_load(sim->qvel + first + 3);
    ts_vec3_store(ts_vec3_add_scaled(velocity, sim->options.time_step, sim->options.gravity),
                  sim->free_velocity + first);
    ts_vec3_store(omega, sim->free_velocity + first + 3);
    storage->tree_unsolved[tree] = 0;
    return 1;
}

void ts_free_rotation_coast(const ts_sim* sim, int tree, double* out_qpos) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int b = model->tree[tree].root, first = model->tree[tree].dof_first;
    const ts_body* body = &model->body[b];
    int q = model->joint[body->joint_first].qpos_first;
    double h = sim->options.time_step;
    // What does not turn went straight.
    ts_quat turn = storage->turn[tree];
    if (turn.x == 0.0 && turn.y == 0.0 && turn.z == 0.0) return;
    ts_quat from = ts_quat_normalize(ts_quat_load(sim->qpos + q + 3));
    ts_quat to = ts_quat_normalize(ts_quat_mul(from, turn));
    ts_quat_store(to, out_qpos + q + 3);
    if (sim->model->tree[tree].kind == TS_TREE_CENTRED) return;
    double* velocity = storage->new_velocity + first;
    ts_vec3 omega = ts_vec3_load(velocity + 3), start, start_omega;
    ts_touched_rotation_start(sim, tree, &start, &start_omega);
    ts_vec3 middle = ts_vec3_scale(0.5, ts_vec3_add(start_omega, omega));
    ts_vec3 swing = ts_vec3_cross(omega, body->centre);
    ts_vec3 before = ts_vec3_add_scaled(swing, h, ts_vec3_cross(middle, ts_vec3_cross(middle, body->centre)));
    // The centre's velocity, and from it everything anew.
    ts_vec3 flight = ts_vec3_add(ts_vec3_load(velocity), ts_mat3_mul_vec(&sim->kinematics.body_pose[b].R, before));
    ts_vec3 centre = ts_vec3_add_scaled(sim->kinematics.body_centre[b], h, flight);
    ts_vec3_store(ts_vec3_sub(centre, ts_quat_rotate(to, body->centre)), out_qpos + q);
    ts_vec3_store(ts_vec3_sub(flight, ts_quat_rotate(to, swing)), velocity);
}
