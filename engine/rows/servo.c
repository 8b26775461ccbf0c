// Servos at their limits as a source of rows: actuators whose force depends on where they are, or how fast, and that may not be
// able to pull as hard as they would (engine/actuation/actuation.c). Springs and dampers of tendons that pull at several chains are such, too.
//
// Problem: f = clamp(a - s (m v+), low, high), the force at the end of the step, with moment m, s > 0.
// Rule: one row J = m, lambda = h f in the box [h low, h high], and u = J v+ - c* + R lambda with c* = a / s, R = 1 / (h s): inside of the box
// u = 0 is f = a - s (m v+), at its ends the sign of u says which one. That is the law itself, nothing is approximated. R is
// no softness of the solver's but the servo's own, so it is there for every judge.
#include <math.h>

#include "base/scalar.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

static int fits(const ts_model* model) { return ts_actuation_drive_count(model) > 0; }

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    double h = sim->options.time_step;
    int count = ts_actuation_drive_count(sim->model), begin = 0;
    if (ts_sim_storage_of(sim)->all_are_motors) begin = sim->model->actuator_count;
    for (int i = begin; i < count; ++i) {
        const ts_drive* drive = ts_actuation_drive(sim, i);
        if (drive->mode != TS_DRIVE_ROW) continue;
        ts_block block = {.set = TS_SET_BOX, .rows = 1, .low = h * drive->low, .high = h * drive->high};
        if (isinf(drive->low) && isinf(drive->high)) block = (ts_block){.set = TS_SET_FREE, .rows = 1};
        ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)i, 0}, &block, drive->lever->chain, drive->lever->chain_count);
    }
}

static int drive_of(const ts_sim* sim, int b) { return (int)sim->row_block[b].key.whole; }

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    ts_row_add_lever(out_J, 0, ts_actuation_drive(sim, drive_of(sim, b))->lever, 1.0);
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_drive* drive = ts_actuation_drive(sim, drive_of(sim, b));
    double h = sim->options.time_step;
    out_law->reference[0] = drive->intercept / drive->ahead;
    out_law->R[0] = 1.0 / (h * drive->ahead);
    // The force that it would have now is a better start than the last one: controls jump.
    if (sim->options.warm_start && drive_of(sim, b) < sim->model->actuator_count)
        out_law->impulse[0] = h * ts_clamp(sim->actuator_force[drive_of(sim, b)], drive->low, drive->high);
}

static void answer(ts_sim* sim, int b, int end, const double* velocity, const double* impulse) {
    (void)velocity;
    for (; b < end; ++b)
        if (drive_of(sim, b) < sim->model->actuator_count)
            sim->actuator_force[drive_of(sim, b)] = impulse[sim->problem.block[b].row] / sim->options.time_step;
}

// With the actuators and tendons that are no rows (actuation.c).
static void book(const ts_sim* sim, int b, const ts_row_work* work, double* account) {
    ts_actuation_book_drive(sim, drive_of(sim, b), work->impulse[0], work->before[0], work->after[0], account);
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    int i = (int)key.whole, tendon = i - model->actuator_count;
    if (tendon < 0)
        ts_row_label("actuator", i, model->actuator[i].name, out_text, size);
    else
        ts_row_label("tendon", tendon, model->tendon[tendon].name, out_text, size);
}

const ts_row_source ts_row_servo = {.name = "servo",
                                    .fits = fits,
                                    .plan = plan,
                                    .jacobian = jacobian,
                                    .law = law,
                                    .answer = answer,
                                    .book = book,
                                    .drives = 1,
                                    .describe = describe};
