// Limits of tendons as a source of rows: as those of joints (joint_limit.c), with the length for the angle and its moment for the
// row. A stop that is passed vanishes likewise.
#include <math.h>
#include <stdio.h>

#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/sim_internal.h"

// key.part
enum { LOWER, UPPER };

// Less the margin.
static double gap_at(const ts_sim* sim, int t, int side) {
    const double* range = sim->model->tendon[t].limits.range;
    double gap = side == LOWER ? sim->tendon_length[t] - range[0] : range[1] - sim->tendon_length[t];
    return gap - sim->model->tendon[t].softness.margin;
}

static int fits(const ts_model* model) { return model->tendon_count > 0; }

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    const ts_block block = {TS_SET_HALF_LINE, 0, 1, 0.0, 0.0, 0.0};
    for (int t = 0; t < sim->model->tendon_count; ++t) {
        const ts_lever* lever = &ts_sim_storage_of(sim)->tendon_lever[t];
        if (!sim->model->tendon[t].limits.limited) continue;
        double reach = sim->options.time_step * (2.0 * fabs(ts_lever_rate(lever, sim->free_velocity)) + 1.0);
        for (int side = LOWER; side <= UPPER; ++side)
            if (gap_at(sim, t, side) < reach && ts_soft_stop_acts(sim, gap_at(sim, t, side)))
                ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)t, (uint64_t)side}, &block, lever->chain,
                                lever->chain_count);
    }
}

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    ts_row_key key = sim->row_block[b].key;
    ts_row_add_lever(out_J, 0, &ts_sim_storage_of(sim)->tendon_lever[key.whole], key.part == LOWER ? 1.0 : -1.0);
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    ts_row_key key = sim->row_block[b].key;
    double gap = gap_at(sim, (int)key.whole, (int)key.part);
    double weight = ts_sim_storage_of(sim)->tendon_inverse_weight[key.whole];
    if (ts_soft_row(sim, &sim->model->tendon[key.whole].softness.limit, weight, gap, out_law)) return;
    out_law->reference[0] = gap > 0.0 ? -gap / sim->options.time_step : ts_row_mend_speed(&sim->options, -gap);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    char tendon[128];
    ts_row_label("tendon", (int)key.whole, model->tendon[key.whole].name, tendon, sizeof tendon);
    snprintf(out_text, size, "%s, %s end", tendon, key.part == LOWER ? "lower" : "upper");
}

const ts_row_source ts_row_tendon_limit = {
    .name = "tendon-limit", .fits = fits, .plan = plan, .jacobian = jacobian, .law = law, .describe = describe};
