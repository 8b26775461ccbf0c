// Closed loops and gears: how far from holding a model is described, and whether stepping closes it.
#include "cli/check/check_internal.h"

#include "engine/step/step.h"

#include <math.h>

// m, rad: what is less is rounding, or the give that keeps redundant ties solvable.
static const double closed = 1e-8;

// 1: what is less of the error at the start is on its way: push_out_turn allows a fifth of a radian in 100 steps of 2 ms.
static const double closing = 0.9;

void ts_check_without_contacts(ts_sim* sim) {
    static const double nothing_overlaps_by = 1e6;  // m
    sim->options.contact_margin = -nothing_overlaps_by;
}

static void look(const ts_sim* sim, int moment, ts_check_loop_array* loops) {
    for (int i = 0; i < loops->count; ++i) {
        ts_check_loop* loop = &loops->data[i];
        ts_sim_equality_error(sim, loop->equality, &loop->length[moment], &loop->angle[moment]);
    }
}

static int watch(ts_sim* sim, ts_check_loop_array* loops) {
    ts_status status;
    ts_check_without_contacts(sim);
    if (ts_sim_forward(sim, &status)) return 0;
    look(sim, 0, loops);
    for (int i = 1; i <= TS_CHECK_LOOP_STEPS; ++i) {
        if (ts_sim_step(sim, &status)) return 0;
        if (i != 1 && i != TS_CHECK_LOOP_STEPS) continue;
        if (ts_sim_forward(sim, &status)) return 0;
        look(sim, i == 1 ? 1 : 2, loops);
    }
    return 1;
}

int ts_check_loops_find(const ts_model* model, ts_check_loop_array* out_loops) {
    ts_sim* sim = NULL;
    if (model->equality_count == 0) return 1;
    for (int e = 0; e < model->equality_count; ++e) {
        ts_check_loop loop = {.equality = e};
        if (!ts_check_loop_array_push(out_loops, loop)) return 0;
    }
    int well = ts_sim_create(model, 1, &sim, NULL) == TS_OK && watch(sim, out_loops);
    if (!well) out_loops->count = 0;
    ts_sim_free(sim);
    return well;
}

const char* ts_check_loop_verdict(const ts_check_loop* loop) {
    double error[3];
    for (int k = 0; k < 3; ++k) error[k] = fmax(loop->length[k], loop->angle[k]);
    if (error[0] <= closed && error[2] <= closed) return "closed";
    if (error[2] <= closed) return "closes";
    if (error[2] <= closing * error[0]) return "is closing";
    return error[0] <= closed ? "opens" : "stays open";
}
