// Tendons and actuators of a model under construction: what every one of them must have, activations, and what is
// measured at rest. What a kind of transmission needs, it knows itself.
#include "engine/actuation/actuation_internal.h"
#include "engine/actuation/tendon_internal.h"
#include "engine/actuation/transmission_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/model/builder_internal.h"
#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"

#include <math.h>
#include <string.h>

static const char* limits_fault(const ts_limits* limits, const char* why) {
    if (!isfinite(limits->range[0]) || !isfinite(limits->range[1])) return "a range is not finite";
    return limits->limited && limits->range[0] > limits->range[1] ? why : NULL;
}

static const char* muscle_fault(const ts_muscle* m) {
    const double number[] = {m->range[0], m->range[1], m->force,   m->scale,      m->shortest,
                             m->longest,  m->fastest,  m->passive, m->lengthening};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i)
        if (!isfinite(number[i])) return "a number is not finite";
    return m->range[0] < m->range[1] ? NULL : "the range of its muscle is empty";
}

static const char* number_fault(const ts_actuator_def* def) {
    const ts_actuator* a = &def->is;
    double sum =
        a->time_constant + def->damping_ratio + def->damping + def->armature + a->rest_constant + a->rest_width;
    sum += a->length_range[0] + a->length_range[1] + a->rod + def->damping_more[0] + def->damping_more[1];
    for (int i = 0; i < TS_GEAR_SIZE; ++i) sum += a->gear[i];
    for (int i = 0; i < 3; ++i) sum += a->gain[i] + a->bias[i];
    if (!isfinite(sum)) return "a number is not finite";
    const char* why = limits_fault(&a->control, "the range of its control is empty");
    if (!why) why = limits_fault(&a->force, "the range of its force is empty");
    if (!why) why = limits_fault(&a->act_limits, "the range of its activation is empty");
    if (why) return why;
    if ((unsigned)a->activation >= (unsigned)TS_ACTIVATION_COUNT) return "its activation is unknown";
    if (a->time_constant < 0.0 || a->rest_constant < 0.0) return "its time constant is negative";
    if (a->rest_width < 0.0) return "the width between its time constants is negative";
    if (a->gain_is_muscle && !why) why = muscle_fault(&a->pull);
    if (a->bias_is_muscle && !why) why = muscle_fault(&a->stretch);
    if (why) return why;
    if (def->damping_ratio < 0.0) return "its damping ratio is negative";
    return def->damping < 0.0 || def->armature < 0.0 ? "its damping or armature is negative" : NULL;
}

static const char* target_fault(const ts_builder* builder, const ts_actuator_def* def, int transmission) {
    int count = 0;
    switch (ts_transmission_at(transmission)->target) {
    case TS_TARGET_JOINT: count = builder->joint.count; break;
    case TS_TARGET_TENDON: count = builder->tendon.count; break;
    case TS_TARGET_SITE: count = builder->site.count; break;
    case TS_TARGET_BODY: count = builder->body.count; break;
    }
    if (def->is.target < 0 || def->is.target >= count) return "there is nothing that it pulls at";
    return def->is.reference < -1 || def->is.reference >= builder->site.count ? "there is no such reference" : NULL;
}

int ts_builder_act_count(const ts_builder* builder) {
    int count = 0;
    for (int i = 0; i < builder->actuator.count; ++i)
        count += builder->actuator.data[i].def.is.activation != TS_ACTIVATION_NONE;
    return count;
}

const char* ts_builder_curve_fault(const ts_curve* curve) {
    double sum = curve->spring[0] + curve->spring[1] + curve->damping[0] + curve->damping[1];
    return isfinite(sum) ? NULL : "a coefficient of its spring or damper is not finite";
}

static const char* tendon_number_fault(const ts_tendon* t) {
    const double number[] = {t->spring, t->damping, t->friction};
    for (int i = 0; i < 3; ++i)
        if (!(number[i] >= 0.0) || isinf(number[i]))
            return "its stiffness, damping or friction is negative or no number";
    if (ts_stop_softness_fault(&t->softness)) return ts_stop_softness_fault(&t->softness);
    if (!isfinite(t->rest[0] + t->rest[1])) return "a number is not finite";
    if (ts_builder_curve_fault(&t->curve)) return ts_builder_curve_fault(&t->curve);
    return limits_fault(&t->limits, "the range of its length is empty");
}

// A part with the model's indices. Returns 0 when it names what is not there.
static int take_part(const ts_builder* builder, const ts_tendon_part* given, ts_tendon_part* out_part) {
    int i = given->index;
    *out_part = *given;
    if (given->side < -1 || given->side >= builder->site.count || !isfinite(given->number)) return 0;
    switch (given->kind) {
    case TS_TENDON_JOINT:
        if (i < 0 || i >= builder->joint.count) return 0;
        out_part->index = builder->joint.data[i].index;
        return 1;
    case TS_TENDON_SITE: return i >= 0 && i < builder->site.count;
    case TS_TENDON_PULLEY: return 1;
    case TS_TENDON_GEOM:
        if (i < 0 || i >= builder->geom.count) return 0;
        out_part->index = builder->geom.data[i].index;
        return 1;
    }
    return 0;
}

ts_code ts_builder_lay_out_tendons(const ts_builder* builder, const ts_model* model, const char* names,
                                   ts_tendon* out_tendon, ts_tendon_part* out_part, ts_status* out_status) {
    for (int i = 0; i < builder->tendon.count; ++i) {
        const ts_builder_tendon* entry = &builder->tendon.data[i];
        ts_tendon* tendon = &out_tendon[i];
        *tendon = entry->def.is;
        tendon->name = names + entry->label.name;
        tendon->part_first = entry->part_first;
        tendon->part_count = entry->def.part_count;
        const char* why = tendon_number_fault(tendon);
        if (!why) why = limits_fault(&entry->def.actuation, "the range of what actuators pull at it is empty");
        for (int k = entry->part_first; !why && k < entry->part_first + tendon->part_count; ++k)
            if (!take_part(builder, &builder->part.data[k], &out_part[k])) why = "a part of it is not there";
        if (!why) why = ts_tendon_fault(model, tendon);
        if (why) return ts_builder_refuse(builder, &entry->label, "tendon", i, out_status, "%s", why);
    }
    return TS_OK;
}

ts_code ts_builder_lay_out_actuators(const ts_builder* builder, const ts_model* model, const char* names,
                                     ts_actuator* out_actuator, ts_status* out_status) {
    int act = 0;
    for (int i = 0; i < builder->actuator.count; ++i) {
        const ts_builder_actuator* entry = &builder->actuator.data[i];
        ts_actuator* actuator = &out_actuator[i];
        int kind = ts_transmission_find(names + entry->transmission);
        if (kind < 0)
            return ts_builder_refuse(builder, &entry->label, "actuator", i, out_status,
                                     "there is no transmission '%.60s'", names + entry->transmission);
        const char* why = number_fault(&entry->def);
        if (!why) why = target_fault(builder, &entry->def, kind);
        if (!why) {
            *actuator = entry->def.is;
            actuator->name = names + entry->label.name;
            actuator->transmission = kind;
            if (ts_transmission_at(kind)->target == TS_TARGET_JOINT)
                actuator->target = builder->joint.data[actuator->target].index;
            actuator->act = actuator->activation == TS_ACTIVATION_NONE ? -1 : act++;
            if (ts_transmission_at(kind)->fault) why = ts_transmission_at(kind)->fault(model, actuator);
        }
        if (why) return ts_builder_refuse(builder, &entry->label, "actuator", i, out_status, "%s", why);
    }
    return TS_OK;
}

// What of an actuator's damping is not linear, gear[0]^2 times like the rest, which is MuJoCo's meaning.
static void add_damping(const ts_actuator_def* def, double square, ts_curve* curve) {
    curve->damping[0] += square * def->damping_more[0];
    curve->damping[1] += square * def->damping_more[1];
    curve->is_there = curve->is_there || curve->damping[0] != 0.0 || curve->damping[1] != 0.0;
}

// An actuator at a tendon: its damping, and a limit of its force where the tendon has one.
static void settle_at_tendon(const ts_builder* builder, ts_actuator_def* def, ts_builder_tendon* tendon) {
    double square = def->is.gear[0] * def->is.gear[0];
    const double* range = tendon->def.actuation.range;
    ts_limits* force = &def->is.force;
    tendon->def.is.damping += square * def->damping;
    add_damping(def, square, &tendon->def.is.curve);
    if (!tendon->def.actuation.limited) return;
    if (!force->limited) *force = (ts_limits){1, {range[0], range[1]}};
    for (int k = 0; k < 2; ++k) force->range[k] = fmax(range[0], fmin(range[1], force->range[k]));
    if (tendon->is_pulled)
        ts_import_report_add(builder->report, TS_IMPORT_APPROXIMATED, 1, "tendon@actuatorfrcrange (several actuators)",
                             "each of them keeps within it alone, not their sum",
                             ts_builder_string(builder, tendon->label.file), tendon->label.line);
    tendon->is_pulled = 1;
}

void ts_builder_settle_actuators(ts_builder* builder) {
    for (int i = 0; i < builder->actuator.count; ++i) {
        ts_builder_actuator* entry = &builder->actuator.data[i];
        const char* kind = ts_builder_string(builder, entry->transmission);
        int transmission = ts_transmission_find(kind), target = entry->def.is.target;
        if (transmission < 0 || target < 0) continue;
        double square = entry->def.is.gear[0] * entry->def.is.gear[0];
        if (ts_transmission_at(transmission)->target == TS_TARGET_JOINT && target < builder->joint.count) {
            ts_joint_def* joint = &builder->joint.data[target].def;
            joint->damping += square * entry->def.damping;
            joint->armature += square * entry->def.armature;
            add_damping(&entry->def, square, &joint->curve);
        } else if (ts_transmission_at(transmission)->target == TS_TARGET_TENDON && target < builder->tendon.count) {
            settle_at_tendon(builder, &entry->def, &builder->tendon.data[target]);
        }
    }
}

// What a unit of an actuator's force does, for the last dynamics: m M^-1 m and the square of |M^-1 m|, m its moment.
static double response(const ts_sim* sim, int index, double* out_squared) {
    const ts_lever* lever = ts_actuation_drive(sim, index)->lever;
    double* row = ts_sim_storage_of(sim)->new_velocity;
    double inverse = 0.0;
    *out_squared = 0.0;
    memset(row, 0, (size_t)sim->model->nv * sizeof *row);
    for (int k = 0; k < lever->count; ++k) row[lever->dof[k]] = lever->moment[k];
    for (int t = 0; t < sim->model->tree_count; ++t) {
        const ts_kinematic_tree* tree = &sim->model->tree[t];
        ts_dynamics_whiten(sim, t, 1, row + tree->dof_first);
        for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d) inverse += row[d] * row[d];
        ts_dynamics_unwhiten(sim, t, row + tree->dof_first);
        for (int d = tree->dof_first; d < tree->dof_first + tree->dof_count; ++d) *out_squared += row[d] * row[d];
    }
    return inverse;
}

// A muscle's peak force, where it follows from its scale and the acceleration that a unit of force makes.
static void settle_force(ts_muscle* muscle, double acceleration) {
    if (muscle->force < 0.0) muscle->force = muscle->scale / fmax(1e-15, acceleration);
}

static int asks_for_rest(const ts_builder* builder) {
    int asks = builder->tendon.count > 0;
    for (int i = 0; i < builder->actuator.count; ++i) {
        const ts_actuator_def* def = &builder->actuator.data[i].def;
        asks |= def->damping_ratio > 0.0 || def->is.gain_is_muscle || def->is.bias_is_muscle;
    }
    return asks;
}

// A simulation with all joints at their references, measured.
static ts_code rest(const ts_model* model, ts_sim** out_sim, ts_status* out_status) {
    ts_code code = ts_sim_create(model, 1, out_sim, out_status);
    // It takes nothing ahead: its matrix is that of the masses alone.
    if (!code) code = ts_sim_set_integrator(*out_sim, "rk4", out_status);
    if (code) return code;
    memcpy((*out_sim)->qpos, model->qpos_rest, (size_t)model->nq * sizeof(double));
    memset((*out_sim)->qvel, 0, (size_t)model->nv * sizeof(double));
    ts_sim_update_kinematics(*out_sim);
    if (ts_dynamics_update(*out_sim) < 0) return TS_OK;
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "the mass matrix at rest is not positive definite");
}

// What cannot be found is told at the actuator's place.
static ts_code settle_length_range(const ts_builder* builder, const ts_model* model, int i, double* io_range,
                                   ts_status* out_status) {
    ts_status why;
    ts_code code = ts_builder_find_length_range(model, i, io_range, &why);
    if (!code) return TS_OK;
    return ts_builder_refuse(builder, &builder->actuator.data[i].label, "actuator", i, out_status, "%s", why.message);
}

// Tendons whose springs rest where all springs of joints do, as in MuJoCo.
static void settle_springs(const ts_builder* builder, ts_sim* sim, ts_tendon* tendon) {
    for (int j = 0; j < sim->model->joint_count; ++j) {
        const ts_joint* joint = &sim->model->joint[j];
        if (ts_joint_type_nv(joint->type) == 1) sim->qpos[joint->qpos_first] = joint->spring_rest;
    }
    ts_sim_update_kinematics(sim);
    for (int i = 0; i < builder->tendon.count; ++i)
        if (builder->tendon.data[i].def.rest_at_springs)
            tendon[i].rest[0] = tendon[i].rest[1] =
                ts_tendon_measure(sim, &tendon[i], &ts_sim_storage_of(sim)->tendon_lever[i]);
}

ts_code ts_builder_settle_at_rest(const ts_builder* builder, const ts_model* model, ts_tendon* tendon,
                                  ts_actuator* actuator, ts_status* out_status) {
    ts_sim* sim = NULL;
    if (!asks_for_rest(builder)) return TS_OK;
    ts_code code = rest(model, &sim, out_status);
    for (int i = 0; i < builder->tendon.count && !code; ++i) tendon[i].length0 = sim->tendon_length[i];
    for (int i = 0; i < builder->actuator.count && !code; ++i) {
        double ratio = builder->actuator.data[i].def.damping_ratio, squared, inverse = response(sim, i, &squared);
        if (ratio > 0.0)
            actuator[i].bias[2] =
                -ratio * 2.0 * sqrt(inverse > 0.0 ? fmax(-actuator[i].bias[1], 0.0) * (1.0 / inverse) : 0.0);
        settle_force(&actuator[i].pull, sqrt(squared));
        settle_force(&actuator[i].stretch, sqrt(squared));
        if (actuator[i].gain_is_muscle || actuator[i].bias_is_muscle)
            code = settle_length_range(builder, model, i, actuator[i].length_range, out_status);
    }
    if (!code) settle_springs(builder, sim, tendon);
    ts_sim_free(sim);
    return code;
}
