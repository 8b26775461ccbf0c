// Joint limits and dry joint friction as rows of the contact problem (docs/contact.md).
//
// Limit: with gap = distance to the stop and J v its rate, the law is 0 <= lambda, J v - c* >= 0, complementary, where
// c* = -gap/h lets the joint close the gap but no more, and a gap that is already negative vanishes by the share kappa
// per step, no faster than push_out_speed. Joints have no slop: nothing is gained by leaving them bent.
// A row is made only when the stop can matter in this step: when it would be passed at twice the free speed plus
// 1 rad/s (or m/s), which leaves room for what contacts do to the joint. A faster push is caught one step later.
// Ball joints: theta = |log q| <= limit; along the axis n = log q / theta its rate is exactly n . w in child axes.
// Dry friction: |lambda| <= h f opposing motion, a box.
#include "engine/rows/joint_rows.h"

#include "engine/dynamics/dynamics.h"

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

static int add_ball_limit(const ts_sim* sim, const ts_joint* joint, ts_joint_row* row) {
    ts_vec3 theta = ts_dynamics_ball_rotation(sim, joint);
    double angle = ts_vec3_norm(theta);
    // Without a turn there is no axis to limit; a limit of zero is met by then.
    if (angle < 1e-12) return 0;
    ts_vec3 axis = ts_vec3_scale(1.0 / angle, theta);
    double gap = joint->range[1] - angle;
    double rate = ts_vec3_dot(axis, ts_vec3_load(sim->free_velocity + joint->dof_first));
    if (!within_reach(sim, gap, rate)) return 0;
    add_row(row, TS_JOINT_ROW_UPPER, joint->dof_first);
    row->count = 3;
    ts_vec3_store(ts_vec3_neg(axis), row->coefficient);
    row->reference = limit_reference(&sim->options, gap);
    return 1;
}

static int add_limits(const ts_sim* sim, const ts_joint* joint, ts_joint_row* rows) {
    int count = 0;
    if (joint->type == TS_JOINT_BALL) return add_ball_limit(sim, joint, rows);
    if (joint->type == TS_JOINT_FREE) return 0;
    double q = sim->qpos[joint->qpos_first];
    double rate = sim->free_velocity[joint->dof_first];
    if (within_reach(sim, q - joint->range[0], rate)) {
        add_row(&rows[count], TS_JOINT_ROW_LOWER, joint->dof_first);
        rows[count++].reference = limit_reference(&sim->options, q - joint->range[0]);
    }
    if (within_reach(sim, joint->range[1] - q, rate)) {
        add_row(&rows[count], TS_JOINT_ROW_UPPER, joint->dof_first);
        rows[count].coefficient[0] = -1.0;
        rows[count++].reference = limit_reference(&sim->options, joint->range[1] - q);
    }
    return count;
}

int ts_joint_rows_limit(const ts_model* model) {
    int count = 0;
    for (int d = 0; d < model->nv; ++d) count += model->dof[d].friction > 0.0;
    for (int j = 0; j < model->joint_count; ++j) count += model->joint[j].limited ? 2 : 0;
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
