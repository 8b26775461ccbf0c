// Which columns of parameters have equations.
//
// Problem: equations of a step hold where everything that a parameter moves is known; elsewhere the column is found by differences.
// Rule: kind by kind, what of the world it moves is asked for. Left to differences: trees and blocks that step_tree.c and step_rows.c do not know
// either; masses where G stands in the law (softness of other solvers, leverage that slows a push-out), or weights of ties and tendons; what has something left out; drives
// and media at several stages (step_rk4.c knows others).
// Source: none.
// Guarantee: what is called known is, of the first order, whatever else the step does.
// Known failure: none; some columns that are called unknown could be found.
#include "engine/actuation/actuation_internal.h"
#include "engine/derivative/step_parameter_internal.h"
#include "engine/derivative/step_softening_internal.h"
#include "engine/dynamics/fluid_internal.h"
#include "engine/rows/contact_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/soft_contact_internal.h"
#include "engine/step/integrate/integrator.h"

// Whether the push of a contact is slowed down by leverage, which depends on G.
static int push_is_slowed(const ts_sim* sim, int b) {
    const ts_contact* contact = &sim->contact[sim->row_block[b].item];
    double reference =
        ts_sim_storage_of(sim)->reference[sim->problem.block[b].row + (contact->surface.dimension == 1 ? 0 : 2)];
    double depth = -contact->gap - sim->options.slop;
    if (ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE || !(reference > 0.0) || !(depth > 0.0)) return 0;
    double bounce = -contact->surface.restitution * contact->velocity_before.z;
    return reference != bounce && reference < ts_row_mend_speed(&sim->options, depth) * (1.0 - 1e-12);
}

static int blocks_are_known(const ts_sim* sim, const ts_step_implicit* p, ts_step_input_kind kind) {
    if (sim->solver->anchors) return 0;
    if (kind == TS_STEP_BY_GRAVITY) return 1;
    int soft = ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL;
    for (int b = 0; b < p->block_count; ++b) {
        if (!ts_step_block_acts(sim, p, b)) continue;
        ts_step_softening softening;
        if (!ts_step_softening_find(sim, p, b, &softening) || sim->row_block[b].blocked != TS_ROW_FREE) return 0;
        // The model's weights are those of its masses.
        if (soft && ts_step_is_of_mass(kind) && !ts_step_weight_is_known(sim, b)) return 0;
        if (soft && kind == TS_STEP_BY_TIME_STEP && !ts_step_soft_row_is_known(sim, b)) return 0;
        // What sticks stands in the law of soft contacts, too.
        if (ts_row_is(sim, b, &ts_row_contact) && kind == TS_STEP_BY_TIME_STEP &&
            ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE &&
            ts_sim_contact_rare(sim, sim->row_block[b].item)->adhesion != 0.0)
            return 0;
        if (ts_row_is(sim, b, &ts_row_contact) && push_is_slowed(sim, b)) return 0;
    }
    return 1;
}

// A contact that would bounce if it had any restitution has its law jump there.
static int restitution_is_known(const ts_sim* sim, int geom) {
    double threshold = ts_contact_bounce_threshold(&sim->options);
    if (ts_soft_contact_kind(sim) != TS_SOFT_CONTACT_NONE) return 1;
    if (sim->solver->anchors) return 0;
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        if (contact->geom_a != geom && contact->geom_b != geom) continue;
        if (sim->row_block[contact->block].blocked != TS_ROW_FREE) return 0;
        if (contact->surface.restitution == 0.0 && -contact->velocity_before.z > threshold) return 0;
    }
    return 1;
}

// Rows of spinning and rolling are scaled by their own friction over that of sliding.
static int friction_is_known(const ts_sim* sim, int geom) {
    for (int i = 0; i < sim->contact_count; ++i) {
        const ts_contact* contact = &sim->contact[i];
        if (contact->geom_a != geom && contact->geom_b != geom) continue;
        if (contact->surface.friction == 0.0 || sim->row_block[contact->block].blocked != TS_ROW_FREE) return 0;
        if (contact->surface.dimension <= 3) continue;
        // The scale would stand in speeds before the step, and in G.
        if (ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL || sim->solver->compliance || sim->solver->anchors)
            return 0;
        if (ts_sim_contact_rare(sim, (int)(contact - sim->contact))->drift.z != 0.0) return 0;
    }
    return 1;
}

static int compliance_is_known(const ts_sim* sim, const ts_step_implicit* p) {
    for (int b = 0; b < sim->problem.block_count; ++b)
        if (sim->row_block[b].blocked != TS_ROW_FREE || ts_step_block_is_softened(sim, p, b)) return 0;
    return !sim->solver->anchors;
}

// An activation, and a control that has one or that stiffens its drive.
static int activation_is_known(const ts_sim* sim, const ts_step_implicit* p, int i) {
    if (i < 0) return 0;
    const ts_actuator* a = &sim->model->actuator[i];
    if (!a->active) return a->act >= 0;
    if (a->act < 0 && !(ts_step_control_is_inside(sim, i) && ts_step_drive_stiffens(sim, i))) return 0;
    if (!ts_step_drive_is_known(sim, p, i)) return 0;
    return !ts_step_drive_stiffens(sim, i) || blocks_are_known(sim, p, TS_STEP_BY_ACTIVATION);
}

static int activations_are_known(const ts_sim* sim, const ts_step_implicit* p) {
    for (int i = 0; i < sim->model->actuator_count; ++i)
        if (sim->model->actuator[i].act >= 0 && !activation_is_known(sim, p, i)) return 0;
    return 1;
}

// A body about its centre whose centre moves goes by another rule of the medium under integrators that take Coriolis forces ahead.
static int rule_jumps(const ts_sim* sim, ts_step_column c, int t) {
    int moves = c.kind == TS_STEP_BY_INERTIA && c.index % TS_STEP_PARAMETERS > 0 && c.index % TS_STEP_PARAMETERS < 4;
    return moves && ts_fluid_is_there(&sim->options) && ts_step_is_implicit(sim, t) && ts_fluid_is_freed(sim, t);
}

int ts_step_parameter_is_known(const ts_step_task* task, const ts_step_implicit* p, ts_step_column c) {
    const ts_sim* sim = task->sim;
    const ts_model* model = p->model;
    // What drives and a medium do at several stages.
    int of_trees = ts_step_is_of_mass(c.kind) || c.kind == TS_STEP_BY_GRAVITY || c.kind == TS_STEP_BY_TIME_STEP;
    if (sim->integrator->revisit && ts_step_is_of_drive(c.kind)) return 0;
    if (sim->integrator->revisit && of_trees && ts_fluid_is_there(&sim->options)) return 0;
    switch (c.kind) {
    case TS_STEP_BY_MASS:
    case TS_STEP_BY_INERTIA: {
        int tree = model->body[ts_step_body_of(c)].tree;
        if (tree < 0) return 1;
        return p->tree[tree].plain && !rule_jumps(sim, c, tree) && blocks_are_known(sim, p, c.kind);
    }
    case TS_STEP_BY_TIME_STEP:
        if (!activations_are_known(sim, p)) return 0;
        __attribute__((fallthrough));
    case TS_STEP_BY_GRAVITY:
        for (int t = 0; t < model->tree_count; ++t)
            if (!p->tree[t].plain) return 0;
        return blocks_are_known(sim, p, c.kind);
    case TS_STEP_BY_ACTIVATION:
    case TS_STEP_BY_CONTROL: return activation_is_known(sim, p, ts_step_drive_of(model, c));
    case TS_STEP_BY_FRICTION: return friction_is_known(sim, c.index);
    case TS_STEP_BY_RESTITUTION: return restitution_is_known(sim, c.index);
    case TS_STEP_BY_COMPLIANCE: return compliance_is_known(sim, p);
    default: return 0;
    }
}
