// Contacts as soft as the model says: a spring and a damper per contact point, given to the solver as compliance R and
// reference velocity c* (docs/contact.md), so that any solver can take them.
#ifndef TS_ENGINE_SOFT_CONTACT_INTERNAL_H
#define TS_ENGINE_SOFT_CONTACT_INTERNAL_H

#include "engine/rows/row_source_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What softens the contacts, limits and dry friction of a step. Soft contacts exist while shapes overlap (no margin), and neither bounce by
/// restitution nor are pushed out by Baumgarte: their own spring and damper do both.
typedef enum ts_soft_contact {
    TS_SOFT_CONTACT_NONE,    // nothing: hard, but for the options compliance_normal and compliance_tangent
    TS_SOFT_CONTACT_SPRING,  // option contact_stiffness: k (N/m) and b = contact_dissipation k, the same everywhere
    TS_SOFT_CONTACT_MODEL    // solref and solimp of the geoms: under solver mujoco, or with the option soft_contacts 2
} ts_soft_contact;

/// Which of them is in force.
static inline ts_soft_contact ts_soft_contact_kind(const ts_sim* sim) {
    if (sim->options.contact_stiffness > 0.0) return TS_SOFT_CONTACT_SPRING;
    int wanted = sim->options.soft_contacts == 2 || (sim->options.soft_contacts == 1 && sim->solver->takes_softness);
    return wanted ? TS_SOFT_CONTACT_MODEL : TS_SOFT_CONTACT_NONE;
}

/// Reference velocities (m/s) and compliances (kg^-1) of a soft contact's rows, contact->surface.dimension of them; `speed`
/// holds their velocities when the step begins.
void ts_soft_contact_rows(const ts_sim* sim, const ts_contact* contact, const double* speed, double* out_reference,
                          double* out_R);

/// How these answer to the gap, the speeds and the time step: one for each row. `speed` as above. R of a row goes by the gap of the contact.
void ts_soft_contact_slopes(const ts_sim* sim, const ts_contact* contact, const double* speed,
                            ts_mujoco_row_slopes* out_slope);

/// Whether a stop (of a joint or a tendon) that is `gap` away, its margin taken off, can act at all: a soft one acts when it is passed.
int ts_soft_stop_acts(const ts_sim* sim, double gap);

/// The law of a block of one row, a limit or dry friction (gap 0), where the softness of the model is in force, `weight` the
/// estimate of its G_ii. Returns 0, and does nothing, where it is not.
int ts_soft_row(const ts_sim* sim, const ts_mujoco_softness* softness, double weight, double gap,
                const ts_row_law* law);

#ifdef __cplusplus
}
#endif
#endif
