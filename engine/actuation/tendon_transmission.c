// Transmissions of a tendon: its length times the gear. Tendons are measured before actuators.
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/sim_internal.h"

static void mark(const ts_model* model, const ts_actuator* actuator, char* out_marks) {
    ts_tendon_mark(model, &model->tendon[actuator->target], out_marks);
}

static double measure(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    const ts_lever* tendon = &ts_sim_storage_of(sim)->tendon_lever[actuator->target];
    for (int k = 0; k < lever->count; ++k) lever->moment[k] = actuator->gear[0] * tendon->moment[k];
    return actuator->gear[0] * sim->tendon_length[actuator->target];
}

const ts_transmission ts_transmission_tendon = {
    .name = "tendon", .target = TS_TARGET_TENDON, .mark = mark, .measure = measure};
