// Transmissions of a body: suction at its contacts.
//
// The moment is the mean of the normals of all contacts of the body, as pairs of bodies that approach feel them: a force pulls the body against
// whatever it touches, shared evenly by its contacts. It has no length. So it is in MuJoCo; contacts here are all that are made in the step,
// from the option contact_margin on.
#include "engine/actuation/transmission_internal.h"

// Contacts may be with anything.
static void mark(const ts_model* model, const ts_actuator* actuator, char* out_marks) {
    (void)actuator;
    for (int d = 0; d < model->nv; ++d) out_marks[d] = 1;
}

static double measure(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    int count = 0;
    for (int c = 0; c < sim->contact_count; ++c) {
        const ts_contact* contact = &sim->contact[c];
        if (contact->body_a != actuator->target && contact->body_b != actuator->target) continue;
        ts_vec3 normal = ts_mat3_column(&contact->frame, 2);
        ts_force on_a = {.couple = ts_vec3_zero(), .force = normal};
        ts_force on_b = {.couple = ts_vec3_zero(), .force = ts_vec3_neg(normal)};
        ts_lever_add_wrench(sim, contact->body_a, contact->position, on_a, lever);
        ts_lever_add_wrench(sim, contact->body_b, contact->position, on_b, lever);
        ++count;
    }
    for (int k = 0; count > 1 && k < lever->count; ++k) lever->moment[k] /= count;
    return 0.0;
}

const ts_transmission ts_transmission_body = {
    .name = "body", .target = TS_TARGET_BODY, .mark = mark, .measure = measure};
