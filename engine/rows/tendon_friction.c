// Dry friction of tendons as a source of rows: |lambda| <= h f, opposing the change of length, a box. Where the softness of the model is
// in force it creeps (soft_contact.c).
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"

static int fits(const ts_model* model) { return model->tendon_count > 0; }

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    for (int t = 0; t < sim->model->tendon_count; ++t) {
        double most = sim->options.time_step * sim->model->tendon[t].friction;
        const ts_lever* lever = &ts_sim_storage_of(sim)->tendon_lever[t];
        ts_block block = {TS_SET_BOX, 0, 1, 0.0, -most, most};
        if (most > 0.0)
            ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)t, 0}, &block, lever->chain, lever->chain_count);
    }
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    ts_row_add_lever(out_J, 0, &ts_sim_storage_of(sim)->tendon_lever[sim->row_block[b].key.whole], 1.0);
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    int tendon = (int)sim->row_block[b].key.whole;
    ts_soft_row(sim, &sim->model->tendon[tendon].softness.friction,
                ts_sim_storage_of(sim)->tendon_inverse_weight[tendon], 0.0, out_law);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    ts_row_label("tendon", (int)key.whole, model->tendon[key.whole].name, out_text, size);
}

const ts_row_source ts_row_tendon_friction = {
    .name = "tendon-friction", .fits = fits, .plan = plan, .jacobian = jacobian, .law = law, .describe = describe};
