// Connections as a source of rows: a point of one body stays on a point of another.
//
// Problem: phi = p_B - p_A = 0, with p_k the origin of the equality's frame on body k; together with the joints of a tree that
// closes a loop, and on a free body it is a ball joint that may be added and left out.
// Rule: three free rows in world axes, J v = v_B(p_B) - v_A(p_A), which is the exact rate of phi; law: row_tie.c.
// Guaranteed: with steps of h the drift is what a single step adds beyond second order, about (v h)^3 / (6 r^2) at speed v on a
// circle of radius r.
// Known weakness: in a loop whose axes are parallel nothing can move across the plane, and that row of G is zero. Anchors
// that are not in one plane then pull with all the force that row_tie.c's give allows, to no effect.
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

static const char* fault(const ts_model* model, const ts_equality* equality) {
    (void)model;
    if (equality->body[0] < 0 || equality->body[1] < 0) return "it needs two bodies";
    return equality->body[0] == equality->body[1] ? "it needs two different bodies" : NULL;
}

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {.set = TS_SET_FREE, .rows = 3};
    for (int e = -1; (e = ts_row_next_equality(out_plan, e)) >= 0;) {
        const ts_body* a = &sim->model->body[sim->model->equality[e].body[0]];
        const ts_body* b = &sim->model->body[sim->model->equality[e].body[1]];
        int chain[2] = {a->dof_last, b->dof_last};
        // What is rigidly one body cannot be moved together.
        if (a->weld != b->weld && (chain[0] >= 0 || chain[1] >= 0))
            ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)e, 0}, &block, chain, 2);
    }
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const ts_vec3 axis[3] = {ts_vec3_axis(0), ts_vec3_axis(1), ts_vec3_axis(2)};
    for (int k = 0; k < 2; ++k)
        ts_row_add_point(out_J, 0, 3, equality->body[k], ts_row_equality_point(sim, equality, k), axis, k ? 1.0 : -1.0);
}

static void offset(const ts_sim* sim, const ts_equality* equality, double* out_offset) {
    ts_vec3_store(ts_vec3_sub(ts_row_equality_point(sim, equality, 1), ts_row_equality_point(sim, equality, 0)),
                  out_offset);
}

static void error(const ts_sim* sim, const ts_equality* equality, double* out_length, double* out_angle) {
    (void)out_angle;
    *out_length = ts_vec3_distance(ts_row_equality_point(sim, equality, 0), ts_row_equality_point(sim, equality, 1));
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const double* weight = ts_sim_storage_of(sim)->inverse_weight;
    ts_row_tie tie = {.softness = &equality->softness, .weight = weight[equality->body[0]] + weight[equality->body[1]]};
    ts_vec3 on_a = ts_row_equality_point(sim, equality, 0), on_b = ts_row_equality_point(sim, equality, 1);
    offset(sim, equality, tie.error);
    ts_vec3_store(
        ts_vec3_sub(ts_row_point_bias(sim, equality->body[1], on_b), ts_row_point_bias(sim, equality->body[0], on_a)),
        tie.bias);
    ts_row_tie_law(sim, 3, &tie, out_law);
}

const ts_row_source ts_row_connect = {.name = "connect",
                                      .plan = plan,
                                      .jacobian = jacobian,
                                      .law = law,
                                      .fault = fault,
                                      .error = error,
                                      .offset = offset};
