// Welds as a source of rows: a frame of one body stays on a frame of another.
//
// Problem: phi = (p_B - p_A, s vec(q_A* q_B)) = 0, with p_k, q_k where the equality's frame on body k is and how it is turned, and s the
// equality's coefficient[1], m: vec is half of a small turn.
// Rule: three free rows as those of connect.c and three of turns. With w = w_B - w_A the rate of the latter is s/2 vec(q_A* w q_B), exactly, and
// its bias, with a the difference of angular accelerations while joints do not accelerate,
//
//     s/2 vec(q_A* (a - w_A w / 2 + w w_B / 2) q_B)   (products of quaternions).
//
// Of q_B and -q_B the nearer to q_A counts. Law: row_tie.c.
// Source: MuJoCo's documentation (equality/weld) for the meaning of the numbers.
// Known weakness: half a turn apart, the direction in which it is mended is arbitrary.
#include <math.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

enum { POINT_ROWS = 3, ROWS = 6, TORQUE_SCALE = 1 };

static const char* fault(const ts_model* model, const ts_equality* equality) {
    (void)model;
    if (equality->body[0] < 0 || equality->body[1] < 0) return "it needs two bodies";
    return equality->body[0] == equality->body[1] ? "it needs two different bodies" : NULL;
}

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {.set = TS_SET_FREE, .rows = ROWS};
    for (int e = -1; (e = ts_row_next_equality(out_plan, e)) >= 0;) {
        const ts_body* a = &sim->model->body[sim->model->equality[e].body[0]];
        const ts_body* b = &sim->model->body[sim->model->equality[e].body[1]];
        int chain[2] = {a->dof_last, b->dof_last};
        // What is rigidly one body cannot be moved together.
        if (a->weld != b->weld && (chain[0] >= 0 || chain[1] >= 0))
            ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)e, 0}, &block, chain, 2);
    }
}

// How both frames are turned, q_B on the side of q_A.
typedef struct turns {
    ts_quat a_conjugate;
    ts_quat b;
} turns;

static ts_quat turn_of(const ts_sim* sim, const ts_equality* equality, int k) {
    return ts_quat_mul(ts_quat_from_mat3(&sim->kinematics.body_pose[equality->body[k]].R), equality->frame[k].rotation);
}

static turns turns_of(const ts_sim* sim, const ts_equality* equality) {
    turns t = {ts_quat_conjugate(turn_of(sim, equality, 0)), turn_of(sim, equality, 1)};
    if (ts_quat_mul(t.a_conjugate, t.b).w < 0.0) t.b = ts_quat_make(-t.b.w, -t.b.x, -t.b.y, -t.b.z);
    return t;
}

// vec(q_A* x q_B).
static ts_vec3 between(const turns* t, ts_quat x) {
    ts_quat q = ts_quat_mul(ts_quat_mul(t->a_conjugate, x), t->b);
    return ts_vec3_make(q.x, q.y, q.z);
}

static ts_quat pure(ts_vec3 v) { return ts_quat_make(0.0, v.x, v.y, v.z); }

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const ts_vec3 axis[3] = {ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    turns t = turns_of(sim, equality);
    double scale = 0.5 * equality->coefficient[TORQUE_SCALE];
    ts_vec3 by_axis[3];
    for (int i = 0; i < 3; ++i) by_axis[i] = ts_vec3_scale(scale, between(&t, pure(axis[i])));
    ts_mat3 rate = ts_mat3_from_rows(by_axis[0], by_axis[1], by_axis[2]);  // of each row by each axis, transposed
    const ts_vec3 direction[3] = {ts_mat3_column(&rate, 0), ts_mat3_column(&rate, 1), ts_mat3_column(&rate, 2)};
    for (int k = 0; k < 2; ++k) {
        double sign = k ? 1.0 : -1.0;
        ts_row_add_point(out_J, 0, 3, equality->body[k], ts_row_equality_point(sim, equality, k), axis, sign);
        ts_row_add_turn(out_J, POINT_ROWS, 3, equality->body[k], direction, sign);
    }
}

static ts_vec3 point_bias(const ts_sim* sim, const ts_equality* equality) {
    ts_vec3 bias[2];
    for (int k = 0; k < 2; ++k)
        bias[k] = ts_row_point_bias(sim, equality->body[k], ts_row_equality_point(sim, equality, k));
    return ts_vec3_sub(bias[1], bias[0]);
}

static ts_vec3 turn_bias(const ts_sim* sim, const ts_equality* equality, const turns* t) {
    ts_vec3 acceleration[2], speed[2];
    for (int k = 0; k < 2; ++k) {
        int body = equality->body[k], tree = sim->model->body[body].tree;
        // A lone free body with constant coordinates turns steadily.
        int is_general = tree >= 0 && sim->model->tree[tree].kind == TS_TREE_GENERAL;
        acceleration[k] = is_general ? sim->kinematics.body_bias[body].angular : ts_vec3_zero();
        speed[k] = tree >= 0 ? sim->kinematics.body_velocity[body].angular : ts_vec3_zero();
    }
    ts_quat w = pure(ts_vec3_sub(speed[1], speed[0]));
    ts_vec3 straight = between(t, pure(ts_vec3_sub(acceleration[1], acceleration[0])));
    ts_vec3 turned =
        ts_vec3_sub(between(t, ts_quat_mul(w, pure(speed[1]))), between(t, ts_quat_mul(pure(speed[0]), w)));
    return ts_vec3_scale(0.5 * equality->coefficient[TORQUE_SCALE], ts_vec3_add_scaled(straight, 0.5, turned));
}

static void offset_between(const ts_sim* sim, const ts_equality* equality, const turns* t, double* out_offset) {
    ts_vec3_store(ts_vec3_sub(ts_row_equality_point(sim, equality, 1), ts_row_equality_point(sim, equality, 0)),
                  out_offset);
    ts_vec3_store(ts_vec3_scale(equality->coefficient[TORQUE_SCALE], between(t, ts_quat_identity())),
                  out_offset + POINT_ROWS);
}

static void offset(const ts_sim* sim, const ts_equality* equality, double* out_offset) {
    turns t = turns_of(sim, equality);
    offset_between(sim, equality, &t, out_offset);
}

static void error(const ts_sim* sim, const ts_equality* equality, double* out_length, double* out_angle) {
    turns t = turns_of(sim, equality);
    *out_length = ts_vec3_distance(ts_row_equality_point(sim, equality, 0), ts_row_equality_point(sim, equality, 1));
    *out_angle = 2.0 * asin(fmin(ts_vec3_norm(between(&t, ts_quat_identity())), 1.0));
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_row_tie tie = {.softness = &equality->softness, .turn_first = POINT_ROWS};
    for (int k = 0; k < 2; ++k) {
        tie.weight += storage->inverse_weight[equality->body[k]];
        tie.turn_weight += storage->inverse_turn_weight[equality->body[k]];
    }
    turns t = turns_of(sim, equality);
    offset_between(sim, equality, &t, tie.error);
    ts_vec3_store(point_bias(sim, equality), tie.bias);
    ts_vec3_store(turn_bias(sim, equality, &t), tie.bias + POINT_ROWS);
    ts_row_tie_law(sim, ROWS, &tie, out_law);
}

const ts_row_source ts_row_weld = {
    .name = "weld", .plan = plan, .jacobian = jacobian, .law = law, .fault = fault, .error = error, .offset = offset};
