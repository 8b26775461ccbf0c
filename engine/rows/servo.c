// Servos at their limits as a source of rows: actuators whose force depends on where they are, or how fast, and that may not be
// able to pull as hard as they would (engine/actuation/actuation.c).
//
// Problem: f = clamp(a - s (m v+), low, high), the force at the end of the step, with moment m, s > 0.
// Rule: one row J = m, lambda = h f in the box [h low, h high], and u = J v+ - c* + R lambda with c* = a / s, R = 1 / (h s): inside of the box
// u = 0 is f = a - s (m v+), at its ends the sign of u says which one. That is the law itself, nothing is approximated. R is
// no softness of the solver's but the servo's own, so it is there for every judge.
#include <math.h>

#include "base/scalar.h"
#include "engine/actuation/actuation_internal.h"
#include "engine/rows/row_source_internal.h"

static void plan(ts_sim* sim, ts_row_plan* out_plan) {
    double h = sim->options.time_step;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_drive* drive = ts_actuation_drive(sim, i);
        if (drive->mode != TS_DRIVE_ROW) continue;
        ts_block block = {.set = TS_SET_BOX, .rows = 1, .low = h * drive->low, .high = h * drive->high};
        if (isinf(drive->low) && isinf(drive->high)) block = (ts_block){.set = TS_SET_FREE, .rows = 1};
        ts_row_plan_add(out_plan, (ts_row_key){(uint64_t)i, 0}, &block, drive->chain, drive->chain_count);
    }
}

static int actuator_of(const ts_sim* sim, int b) { return (int)sim->row_block[b].key.whole; }

static void jacobian(const ts_sim* sim, int b, ts_row_jacobian* out_J) {
    const ts_drive* drive = ts_actuation_drive(sim, actuator_of(sim, b));
    for (int k = 0; k < drive->count; ++k) ts_row_add_dof(out_J, 0, drive->dof[k], drive->moment[k]);
}

static void law(ts_sim* sim, int b, const ts_row_law* out_law) {
    const ts_drive* drive = ts_actuation_drive(sim, actuator_of(sim, b));
    double h = sim->options.time_step;
    out_law->reference[0] = drive->intercept / drive->ahead;
    out_law->R[0] = 1.0 / (h * drive->ahead);
    if (sim->options.warm_start)
        out_law->impulse[0] = h * ts_clamp(sim->actuator_force[actuator_of(sim, b)], drive->low, drive->high);
}

static void answer(ts_sim* sim, int b, const double* velocity, const double* impulse) {
    (void)velocity;
    sim->actuator_force[actuator_of(sim, b)] = impulse[0] / sim->options.time_step;
}

static void describe(const ts_model* model, ts_row_key key, char* out_text, size_t size) {
    ts_row_label("actuator", (int)key.whole, model->actuator[key.whole].name, out_text, size);
}

const ts_row_source ts_row_servo = {
    .name = "servo", .plan = plan, .jacobian = jacobian, .law = law, .answer = answer, .describe = describe};
