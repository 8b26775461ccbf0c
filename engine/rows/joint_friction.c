// Dry friction of joints as a source of rows: |lambda| <= h f, opposing the motion of one degree of freedom, a box
// (docs/contact.md).
#include "engine/rows/row_source_internal.h"

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_dof* dof = sim->model->dof;
    for (int d = 0; d < sim->model->nv; ++d) {
        if (!(dof[d].friction > 0.0)) continue;
        double most = sim->options.time_step * dof[d].friction;
        ts_block block = {TS_SET_BOX, 0, 1, 0.0, -most, most};
        ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)d, 0}, &block, &d, 1);
    }
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    ts_row_add_dof(out_J, 0, (int)sim->row_block[b].key.whole, 1.0);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    int joint = model->dof[key.whole].joint;
    ts_row_label("joint", joint, model->joint[joint].name, out_text, size);
}

const ts_row_source ts_row_joint_friction = {
    .name = "joint-friction", .plan = plan, .jacobian = jacobian, .describe = describe};
