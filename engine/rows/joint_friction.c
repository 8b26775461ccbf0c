// Dry friction of joints as a source of rows: |lambda| <= h f, opposing the motion of one degree of freedom, a box
// (docs/contact.md). Where the softness of the model is in force it creeps (soft_contact.c).
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"

static int fits(const ts_model* model) {
    for (int d = 0; d < model->nv; ++d)
        if (model->dof[d].friction > 0.0) return 1;
    return 0;
}

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

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    int dof = (int)sim->row_block[b].key.whole;
    ts_soft_row(sim, &sim->model->joint[sim->model->dof[dof].joint].softness.friction,
                ts_sim_storage_of(sim)->dof_inverse_weight[dof], 0.0, out_law);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    int joint = model->dof[key.whole].joint;
    ts_row_label("joint", joint, model->joint[joint].name, out_text, size);
}

const ts_row_source ts_row_joint_friction = {
    .name = "joint-friction", .fits = fits, .plan = plan, .jacobian = jacobian, .law = law, .describe = describe};
