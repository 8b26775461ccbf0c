// Joint limits and dry joint friction as rows of the contact problem (docs/contact.md).
//
// Limit: with gap = distance to the stop and J v its rate, the law is 0 <= lambda, J v - c* >= 0, complementary, where
// c* = -gap/h lets the joint close the gap but no more, and a gap that is already negative vanishes by the share kappa
// per step, no faster than push_out_speed. Joints have no slop: nothing is gained by leaving them bent.
// A row is made only when the stop can matter in this step: when it would be passed at twice the free speed plus
// 1 rad/s (or m/s), which leaves room for what contacts do to the joint. A faster push is caught one step later.
// Dry friction: |lambda| <= h f opposing motion, a box.
#include "engine/rows/joint_rows.h"

#include <math.h>
#include <string.h>

static double limit_reference(const ts_options* options, double gap) {
    double h = options->time_step;
    if (gap > 0.0) return -gap / h;
    double push = -gap * options->baumgarte / h;
    return push < options->push_out_speed ? push : options->push_out_speed;
}

static int within_reach(const ts_sim* sim, double gap, double free_rate) {
    return gap < sim->options.time_step * (2.0 * fabs(free_rate) + 1.0);
}

static ts_joint_row* add_row(ts_joint_row* row, ts_joint_row_kind kind, int dof) {
    row->kind = kind;
    row->id = dof * 4 + (int)kind;
    row->dof = dof;
    row->count = 1;
    row->coefficient[0] = 1.0;
    row->reference = 0.0;
    row->bound = 0.0;
    return row;
}

static int add_limits(const ts_sim* sim, const ts_joint* joint, ts_joint_row* rows) {
    ts_joint_stop stop[TS_JOINT_STOPS_MOST];
    int stops = ts_joint_traits_of(joint->type)->stops(joint, sim->qpos + joint->qpos_first, stop), count = 0;
    for (int k = 0; k < stops; ++k) {
        int n = ts_joint_type_nv(joint->type);
        double rate = 0.0;
        for (int i = 0; i < n; ++i) rate += stop[k].rate[i] * sim->free_velocity[joint->dof_first + i];
        if (!within_reach(sim, stop[k].gap, rate)) continue;
        ts_joint_row* row = add_row(
            &rows[count++], stop[k].side == TS_JOINT_LOWER ? TS_JOINT_ROW_LOWER : TS_JOINT_ROW_UPPER, joint->dof_first);
        row->count = n;
        memcpy(row->coefficient, stop[k].rate, (size_t)n * sizeof(double));
        row->reference = limit_reference(&sim->options, stop[k].gap);
    }
    return count;
}

int ts_joint_rows_limit(const ts_model* model) {
    int count = 0;
    for (int d = 0; d < model->nv; ++d) count += model->dof[d].friction > 0.0;
    for (int j = 0; j < model->joint_count; ++j) count += model->joint[j].limited ? TS_JOINT_STOPS_MOST : 0;
    return count;
}

int ts_joint_rows_collect(const ts_sim* sim, ts_joint_row* out_rows) {
    const ts_model* model = sim->model;
    int count = 0;
    for (int d = 0; d < model->nv; ++d) {
        const ts_joint* joint = &model->joint[model->dof[d].joint];
        if (joint->limited && d == joint->dof_first) count += add_limits(sim, joint, out_rows + count);
        if (model->dof[d].friction > 0.0)
            add_row(&out_rows[count++], TS_JOINT_ROW_FRICTION, d)->bound =
                sim->options.time_step * model->dof[d].friction;
    }
    return count;
}
