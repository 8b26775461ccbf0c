// Tendon equalities as a source of rows: as those of joints (joint_equality.c), with lengths against those in the reference pose for
// coordinates.
//
// Problem: phi = (l1 - r1) - P(l2 - r2) = 0, P of the fourth degree, or (l1 - r1) - a0 without a second tendon.
// Rule: one free row, J v = l1' - P' l2'; law: row_tie.c. Its bias is left out, as in MuJoCo.
#include <math.h>
#include <string.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

static const char* fault(const ts_model* model, const ts_equality* equality) {
    (void)model;
    if (equality->tendon[0] < 0) return "it needs a tendon";
    return equality->tendon[0] == equality->tendon[1] ? "it needs two different tendons" : NULL;
}

static const ts_lever* lever_of(const ts_sim* sim, int tendon) { return &ts_sim_storage_of(sim)->tendon_lever[tendon]; }

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {.set = TS_SET_FREE, .rows = 1};
    for (int e = -1; (e = ts_row_next_equality(out_plan, e)) >= 0;) {
        const int* tendon = sim->model->equality[e].tendon;
        const ts_lever *a = lever_of(sim, tendon[0]), *b = tendon[1] < 0 ? NULL : lever_of(sim, tendon[1]);
        int count = a->chain_count + (b ? b->chain_count : 0);
        int* chain = TS_ARENA_ARRAY(&sim->scratch, int, count);
        if (!chain) {
            ts_row_plan_fail(out_plan);
            return;
        }
        memcpy(chain, a->chain, (size_t)a->chain_count * sizeof *chain);
        if (b) memcpy(chain + a->chain_count, b->chain, (size_t)b->chain_count * sizeof *chain);
        ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)e, 0}, &block, chain, count);
    }
}

static double stretch(const ts_sim* sim, int tendon) {
    return sim->tendon_length[tendon] - sim->model->tendon[tendon].length0;
}

// phi, and the slope P' at the second tendon.
static double error_of(const ts_sim* sim, const ts_equality* equality, double* out_slope) {
    int second = equality->tendon[1];
    double value = ts_row_polynomial(equality, second >= 0 ? stretch(sim, second) : 0.0, out_slope);
    return stretch(sim, equality->tendon[0]) - value;
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    double slope = 0.0;
    error_of(sim, equality, &slope);
    ts_row_add_lever(out_J, 0, lever_of(sim, equality->tendon[0]), 1.0);
    if (equality->tendon[1] >= 0) ts_row_add_lever(out_J, 0, lever_of(sim, equality->tendon[1]), -slope);
}

// Others have an angle. NOLINTNEXTLINE(readability-non-const-parameter)
static void error(const ts_sim* sim, const ts_equality* equality, double* out_length, double* out_angle) {
    double slope = 0.0;
    (void)out_angle;
    *out_length = fabs(error_of(sim, equality, &slope));
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_equality* equality = ts_row_equality_of(sim, b);
    const double* weight = ts_sim_storage_of(sim)->tendon_inverse_weight;
    ts_row_tie tie = {.softness = &equality->softness, .weight = weight[equality->tendon[0]]};
    if (equality->tendon[1] >= 0) tie.weight += weight[equality->tendon[1]];
    double slope = 0.0;
    tie.error[0] = error_of(sim, equality, &slope);
    ts_row_tie_law(sim, 1, &tie, out_law);
}

const ts_row_source ts_row_tendon_equality = {
    .name = "tendon-equality", .plan = plan, .jacobian = jacobian, .law = law, .fault = fault, .error = error};
