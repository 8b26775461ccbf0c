// Joint equalities as a source of rows: gears, mimicking fingers, locked joints.
//
// Problem: phi = (q1 - r1) - P(q2 - r2) = 0 with r the joints' reference and P(x) = a0 + a1 x + a2 x^2 + a3 x^3 + a4 x^4, or
// phi = (q1 - r1) - a0 where there is no second joint.
// Rule: one free row, J v = q1' - P'(q2 - r2) q2', which is the exact rate of phi; law: row_tie.c. Its bias, -P'' q2'^2,
// is left out, as in MuJoCo: a gear has none.
// Source: MuJoCo's documentation (equality/joint) for the meaning of the numbers.
#include <math.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

static const char* fault(const ts_model* model, const ts_equality* equality) {
    if (equality->joint[0] < 0) return "it needs a joint";
    if (equality->joint[0] == equality->joint[1]) return "it needs two different joints";
    for (int k = 0; k < 2; ++k)
        if (equality->joint[k] >= 0 && ts_joint_type_nv(model->joint[equality->joint[k]].type) != 1)
            return "its joints must be hinges or slides";
    return NULL;
}

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {.set = TS_SET_FREE, .rows = 1};
    for (int e = -1; (e = ts_row_next_equality(out_plan, e)) >= 0;) {
        int chain[2];
        for (int k = 0; k < 2; ++k) {
            int joint = sim->model->equality[e].joint[k];
            chain[k] = joint < 0 ? -1 : sim->model->joint[joint].dof_first;
        }
        ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)e, 0}, &block, chain, 2);
    }
}

// How far a joint is from its reference, rad or m.
static double coordinate(const ts_sim* sim, int joint) {
    return sim->qpos[sim->model->joint[joint].qpos_first] - sim->model->joint[joint].reference;
}

// phi, and the slope P' at the second joint.
static double error_of(const ts_sim* sim, const ts_equality* equality, double* out_slope) {
    int second = equality->joint[1];
    double value = ts_row_polynomial(equality, second >= 0 ? coordinate(sim, second) : 0.0, out_slope);
    return coordinate(sim, equality->joint[0]) - value;
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    double slope = 0.0;
    error_of(sim, equality, &slope);
    ts_row_add_dof(out_J, 0, sim->model->joint[equality->joint[0]].dof_first, 1.0);
    if (equality->joint[1] >= 0) ts_row_add_dof(out_J, 0, sim->model->joint[equality->joint[1]].dof_first, -slope);
}

static void error(const ts_sim* sim, const ts_equality* equality, double* out_length, double* out_angle) {
    int turns = sim->model->joint[equality->joint[0]].type == TS_JOINT_HINGE;
    double slope = 0.0;
    *(turns ? out_angle : out_length) = fabs(error_of(sim, equality, &slope));
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const ts_joint* joint = sim->model->joint;
    const double* weight = ts_sim_storage_of(sim)->dof_inverse_weight;
    ts_row_tie tie = {.turns = joint[equality->joint[0]].type == TS_JOINT_HINGE,
                      .softness = &equality->softness,
                      .weight = weight[joint[equality->joint[0]].dof_first]};
    if (equality->joint[1] >= 0) tie.weight += weight[joint[equality->joint[1]].dof_first];
    double slope = 0.0;
    tie.error[0] = error_of(sim, equality, &slope);
    ts_row_tie_law(sim, 1, &tie, out_law);
}

const ts_row_source ts_row_joint_equality = {
    .name = "joint-equality", .plan = plan, .jacobian = jacobian, .law = law, .fault = fault, .error = error};
