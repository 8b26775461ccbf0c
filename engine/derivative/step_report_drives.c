// Whether what pulls is about to do something else: forces at their limits, activations at the ends of their range, tendons at the ends of their play, contacts that are about to
// stick.
//
// Problem: where a drive is a row the block tells (step_report.c); what acts beside rows is clamped, and there the derivative has two sides. Rule: what is clamped
// is compared with where it ends, by the size of what it is a sum of. What is taken ahead ends with the velocity after the step where the integrator asks for it again, else
// it does with the one before.
// Known to fail: kinks of curves and of muscles are not looked for, nor where a turn begins that an angle is taken round, nor where a contact is made in which suction gets a share.
#include <math.h>
#include <stdio.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_derivative_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

// 1: part of the size that counts as the end.
static const double edge = 1e-9;

static int is_at(double x, double end, double size) {
    return isfinite(end) && fabs(x - end) <= edge * (fabs(end) + size);
}

static void say(const char* what, int i, const char* name, const char* where, ts_step_report* report) {
    char text[sizeof report->reason];
    snprintf(text, sizeof text, "%s %d '%.80s' is at %s: the derivative has two sides", what, i, name, where);
    ts_step_report_say(report, TS_STEP_NEAR_CHANGE, text);
}

static void judge_actuator(const ts_sim* sim, int i, ts_step_report* report) {
    const ts_actuator* actuator = &sim->model->actuator[i];
    const ts_drive* drive = ts_actuation_drive(sim, i);
    if (!actuator->active) return;
    if (actuator->act >= 0 && actuator->act_limits.limited) {
        double rate = ts_actuation_rate(sim, i), now = sim->act[actuator->act];
        // Where it would be, but for its limits.
        double step = sim->options.time_step * rate, size = fabs(now) + fabs(step);
        const double* range = actuator->act_limits.range;
        if (actuator->activation == TS_ACTIVATION_FILTER_EXACT) {
            double constant = fmax(actuator->time_constant, 1e-15);
            step = -expm1(-sim->options.time_step / constant) * constant * rate;
        }
        if (is_at(now + step, range[0], size) || is_at(now + step, range[1], size))
            say("activation of actuator", i, actuator->name, "the end of its range", report);
    }
    if (drive->mode == TS_DRIVE_ROW || (!isfinite(drive->low) && !isfinite(drive->high))) return;
    double law[3], gain[3];
    ts_actuation_law(sim, i, law, gain);
    double force = law[0];
    double size = fabs(law[1] * sim->actuator_length[i]) + fabs(law[2] * sim->actuator_velocity[i]);
    if (drive->mode == TS_DRIVE_AHEAD && sim->integrator->servos == TS_SERVO_END) {
        double next = ts_lever_rate(drive->lever, ts_sim_storage_of(sim)->new_velocity);
        force = drive->intercept - drive->ahead * next;
        size += fabs(drive->ahead * next);
    }
    if (is_at(force, drive->low, size) || is_at(force, drive->high, size))
        say("actuator", i, actuator->name, "the limit of its force", report);
}

// Of what several actuators pull at a joint, together.
static void judge_joint(const ts_sim* sim, int j, ts_step_report* report) {
    const ts_joint* joint = &sim->model->joint[j];
    if (!joint->actuation.limited || ts_joint_type_nv(joint->type) != 1) return;
    double pull = 0.0, size = 0.0;
    int pullers = 0;
    for (int i = 0; i < sim->model->actuator_count; ++i) {
        const ts_lever* lever = ts_actuation_drive(sim, i)->lever;
        for (int k = 0; k < lever->count; ++k) {
            if (lever->dof[k] != joint->dof_first) continue;
            pull += lever->moment[k] * sim->actuator_force[i];
            size += fabs(lever->moment[k] * sim->actuator_force[i]);
            ++pullers;
        }
    }
    const double* range = joint->actuation.range;
    if (pullers > 1 && (is_at(pull, range[0], size) || is_at(pull, range[1], size)))
        say("joint", j, joint->name, "the limit of what actuators may pull at it", report);
}

static void judge_tendon(const ts_sim* sim, int t, ts_step_report* report) {
    const ts_tendon* tendon = &sim->model->tendon[t];
    if (tendon->spring == 0.0 || tendon->rest[0] == tendon->rest[1]) return;
    if (is_at(sim->tendon_length[t], tendon->rest[0], 0.0) || is_at(sim->tendon_length[t], tendon->rest[1], 0.0))
        say("tendon", t, tendon->name, "the end of its play", report);
}

// m, for each m that a contact is away from the origin: roundings of a gap.
static const double gap_rounding = 1e-14;

// A contact sticks up to a gap.
static void judge_contact(const ts_sim* sim, const ts_contact* contact, ts_step_report* report) {
    const ts_geom* geom = sim->model->geom;
    const ts_geom *a = &geom[contact->geom_a], *b = &geom[contact->geom_b];
    if (ts_sim_contact_rare(sim, (int)(contact - sim->contact))->adhesion == 0.0 && a->surface.adhesion == 0.0 &&
        b->surface.adhesion == 0.0)
        return;
    ts_surface surface = ts_model_surface_between(sim->model, contact->geom_a, contact->geom_b);
    double off = fabs(contact->gap - (surface.gap + sim->options.slop));
    if (surface.adhesion == 0.0 || off > gap_rounding * (1.0 + ts_vec3_norm(contact->position))) return;
    say("geom", contact->geom_b, b->name, "the gap up to which it sticks", report);
}

void ts_step_report_drives(const ts_sim* sim, ts_step_report* report) {
    for (int i = 0; i < sim->model->actuator_count; ++i) judge_actuator(sim, i, report);
    for (int j = 0; sim->model->actuator_count > 1 && j < sim->model->joint_count; ++j) judge_joint(sim, j, report);
    for (int t = 0; t < sim->model->tendon_count; ++t) judge_tendon(sim, t, report);
    for (int c = 0; c < sim->contact_count; ++c) judge_contact(sim, &sim->contact[c], report);
}
