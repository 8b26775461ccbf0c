// Joint limits as a source of rows (docs/contact.md).
//
// Problem: a joint stops at the ends of its range, or its margin before them. Law: with gap = distance to the stop less the margin and J v its rate, 0 <= lambda, J v -
// c* >= 0, complementary, where c* = -gap/h lets the joint close the gap but no more, and a gap that is already negative
// vanishes by the share kappa per step, no faster than push_out_speed or push_out_turn. Joints have no slop: nothing is gained by leaving
// them bent.
// Rule: a row is made only when the stop can matter in this step: when it would be passed at twice the free speed plus
// push_out_speed or push_out_turn, which leaves room for what contacts do to the joint. A faster push is caught one step later.
// Where the softness of the model is in force a stop is a spring and damper that act while it is passed (soft_contact.c).
#include <math.h>
#include <stdio.h>

#include "engine/model/joint/joint_traits_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"

static int find_stops(const ts_sim* sim, const ts_joint* joint, ts_joint_stop* out_stop) {
    return ts_joint_traits_of(joint->type)->stops(joint, sim->qpos + joint->qpos_first, out_stop);
}

// m/s or rad/s: what is not to be taken for fast.
static double most_mend(const ts_sim* sim, const ts_joint* joint) {
    return joint->type == TS_JOINT_SLIDE ? sim->options.push_out_speed : sim->options.push_out_turn;
}

// Whether a joint of one number is so far from its stops that neither is planned.
static inline int is_far(const ts_sim* sim, const ts_joint* joint, double mend) {
    double q = sim->qpos[joint->qpos_first], rate = sim->free_velocity[joint->dof_first];
    double low = q - joint->range[0], high = joint->range[1] - q,
           gap = (low < high ? low : high) - joint->softness.margin;
    return gap >= sim->options.time_step * (2.0 * fabs(rate) + mend);
}

static int fits(const ts_model* model) {
    for (int j = 0; j < model->joint_count; ++j)
        if (model->joint[j].limited) return 1;
    return 0;
}

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0};
    for (int j = 0; j < sim->model->joint_count; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        if (!joint->limited) continue;
        if (ts_joint_traits_of(joint->type)->stops == ts_joint_interval_stops &&
            is_far(sim, joint, most_mend(sim, joint)))
            continue;
        ts_joint_stop stop[TS_JOINT_STOPS_MOST];
        int stops = find_stops(sim, joint, stop), n = ts_joint_type_nv(joint->type), chain = joint->dof_first + n - 1;
        for (int k = 0; k < stops; ++k) {
            double rate = 0.0;
            for (int i = 0; i < n; ++i) rate += stop[k].rate[i] * sim->free_velocity[joint->dof_first + i];
            double gap = stop[k].gap - joint->softness.margin;
            if (gap >= sim->options.time_step * (2.0 * fabs(rate) + most_mend(sim, joint))) continue;
            if (!ts_soft_stop_acts(sim, gap)) continue;
            ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)j, (uint64_t)stop[k].side}, &block, &chain, 1);
        }
    }
}

// The stop that block b is.
static ts_joint_stop stop_of(const ts_sim* sim, int b) {
    ts_row_key key = sim->row_block[b].key;
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    int stops = find_stops(sim, &sim->model->joint[key.whole], stop), k = 0;
    while (k + 1 < stops && (uint64_t)stop[k].side != key.part) ++k;
    return stop[k];
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_joint* joint = &sim->model->joint[sim->row_block[b].key.whole];
    ts_joint_stop stop = stop_of(sim, b);
    for (int i = 0; i < ts_joint_type_nv(joint->type); ++i)
        ts_row_add_dof(out_J, 0, joint->dof_first + i, stop.rate[i]);
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_joint* joint = &sim->model->joint[sim->row_block[b].key.whole];
    double gap = stop_of(sim, b).gap - joint->softness.margin;
    double weight = ts_sim_storage_of(sim)->dof_inverse_weight[joint->dof_first];
    if (ts_soft_row(sim, &joint->softness.limit, weight, gap, out_law)) return;
    int slides = joint->type == TS_JOINT_SLIDE;
    double mend = slides ? ts_row_mend_speed(&sim->options, -gap) : ts_row_mend_turn(&sim->options, -gap);
    out_law->reference[0] = gap > 0.0 ? -gap / sim->options.time_step : mend;
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    char joint[128];
    ts_row_label("joint", (int)key.whole, model->joint[key.whole].name, joint, sizeof joint);
    snprintf(out_text, size, "%s, %s end", joint, key.part == TS_JOINT_LOWER ? "lower" : "upper");
}

const ts_row_source ts_row_joint_limit = {
    .name = "joint-limit", .fits = fits, .plan = plan, .jacobian = jacobian, .law = law, .describe = describe};
