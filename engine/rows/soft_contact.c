// Soft contacts.
//
// Problem: a contact with gap phi and normal velocity c shall carry the force of a spring and damper, however stiff,
// and friction shall creep as it does in the simulator the model was made for.
// Rule: implicit in the velocity, force = -k (phi + h c) - b c is u = c - c* + R lambda = 0 with
//     R = 1 / (h (h k + b)),   c* = -phi k / (h k + b).
// MJCF gives k and b per unit of (unknown) mass, as an acceleration a_ref = -b c - k phi of which the contact gets the
// share d: R = (1 - d) / d A, c* = c + h a_ref, A an estimate of G_NN; friction has R_T = R_N / impratio and no spring
// (contact/mujoco_softness.c), and, of a pair that says so, a damping of its own. A is MuJoCo's: the sum over both bodies of the mean
// diagonal of J M^-1 J^T at their centres of mass in the reference pose (row_weight.c). It is not the contact's own G_NN: at a box's corner
// that is up to four times as large. Limits and dry friction of joints and tendons are rows of the same kind.
// Source: MuJoCo's documentation, chapters Computation (constraint model) and Modeling (solver parameters, contact
// parameters); Castro, Permenter and Han 2022 for the implicit spring.
// Guaranteed: a point mass rests where (1 - d) / d^2 g dw^2 tc^2 dr^2 = -phi; the implicit spring is stable for any k,
// b, h.
// Known to differ from MuJoCo: o_margin, o_solref and o_solimp are not read; cones are round.
#include "engine/rows/soft_contact_internal.h"

#include <string.h>

#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"

// The estimate of a contact's G_NN.
static double weight_of(const ts_sim* sim, const ts_contact* contact) {
    const double* inverse_weight = ts_sim_storage_of(sim)->inverse_weight;
    return inverse_weight[contact->body_a] + inverse_weight[contact->body_b];
}

// How a contact's friction is damped, whose normal has this spring: it has no spring itself, so that its impedance does not matter.
static double friction_damping(const ts_surface_softness* softness, ts_mujoco_spring normal, double time_step) {
    const double *own = softness->friction_solref, *shared = softness->normal.solref;
    if (own[0] == shared[0] && own[1] == shared[1]) return normal.damping;
    ts_mujoco_softness friction = softness->normal;
    memcpy(friction.solref, own, sizeof friction.solref);
    return ts_mujoco_spring_of(&friction, 1.0, time_step).damping;
}

void ts_soft_contact_rows(const ts_sim* sim, const ts_contact* contact, const double* speed, double* out_reference,
                          double* out_R) {
    const ts_options* options = &sim->options;
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2;
    double h = options->time_step;
    if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_SPRING) {
        double k = options->contact_stiffness, time = h + options->contact_dissipation;
        for (int r = 0; r < rows; ++r) {
            out_reference[r] = r == normal ? -contact->gap / time : 0.0;
            out_R[r] = r == normal ? 1.0 / (h * k * time) : options->compliance_tangent;
        }
        return;
    }
    ts_surface_softness softness = ts_model_softness_between(sim->model, contact->geom_a, contact->geom_b);
    double d = ts_mujoco_impedance(softness.normal.solimp, contact->gap),
           R = ts_mujoco_compliance(d, weight_of(sim, contact));
    ts_mujoco_spring spring = ts_mujoco_spring_of(&softness.normal, d, h);
    double R_friction = R / options->impratio, damping = friction_damping(&softness, spring, h);
    for (int r = 0; r < rows; ++r) {
        out_R[r] = R_friction;
        out_reference[r] = speed[r] - h * (damping * speed[r]);
    }
    out_R[normal] = R;
    out_reference[normal] = ts_mujoco_reference(spring, contact->gap, speed[normal], h);
}

void ts_soft_contact_slopes(const ts_sim* sim, const ts_contact* contact, const double* speed,
                            ts_mujoco_row_slopes* out_slope) {
    const ts_options* options = &sim->options;
    int rows = contact->surface.dimension, normal = rows == 1 ? 0 : 2;
    double h = options->time_step;
    memset(out_slope, 0, (size_t)rows * sizeof *out_slope);
    if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_SPRING) {
        double k = options->contact_stiffness, time = h + options->contact_dissipation;
        out_slope[normal].reference_by_gap = -1.0 / time;
        out_slope[normal].reference_by_time = contact->gap / (time * time);
        out_slope[normal].R_by_time = -(h + time) / (h * h * k * time * time);
        return;
    }
    ts_surface_softness softness = ts_model_softness_between(sim->model, contact->geom_a, contact->geom_b);
    double d = ts_mujoco_impedance(softness.normal.solimp, contact->gap), A = weight_of(sim, contact);
    double slope = ts_mujoco_impedance_slope(softness.normal.solimp, contact->gap);
    ts_mujoco_softness friction = softness.normal;
    memcpy(friction.solref, softness.friction_solref, sizeof friction.solref);
    for (int r = 0; r < rows; ++r) {
        out_slope[r] = ts_mujoco_row_slope(r == normal ? &softness.normal : &friction, d, slope, A,
                                           r == normal ? contact->gap : 0.0, speed[r], h);
        if (r == normal) continue;
        out_slope[r].R_by_gap /= options->impratio;
        // Friction has no spring.
        out_slope[r].reference_by_gap = 0.0;
    }
}

int ts_soft_stop_acts(const ts_sim* sim, double gap) {
    return ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_MODEL || gap < 0.0;
}

int ts_soft_row(const ts_sim* sim, const ts_mujoco_softness* softness, double weight, double gap,
                const ts_row_law* law) {
    if (law->rigid || ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_MODEL) return 0;
    ts_mujoco_row(softness, ts_mujoco_impedance(softness->solimp, gap), weight, gap, law->speeds->now[0],
                  sim->options.time_step, &law->R[0], &law->reference[0]);
    return 1;
}
