// Transmissions of a site: a force and a couple at a site, in its own axes or in those of another.
//
// Alone, a site has no length, and the moment of each degree of freedom is the power per unit of its velocity of the wrench whose force
// and couple are the gear, turned with the site: jets and propellers. Against a reference site the length is the gear times where the site is
// seen from there (position, then rotation vector), and the moment that of the wrench, in the axes of the reference, between the two; what moves
// both has none. So it is in MuJoCo.
// Known weakness: the reference's own turning is not in the moment, so against a reference that turns it is not quite the derivative of
// the length.
#include "engine/actuation/transmission_internal.h"

static const ts_site* site_at(const ts_model* model, int site) { return &model->site[site]; }

static const char* fault(const ts_model* model, const ts_actuator* actuator) {
    if (actuator->reference < 0) return NULL;
    return site_at(model, actuator->target)->body == site_at(model, actuator->reference)->body
               ? "its two sites are on one body"
               : NULL;
}

static int last_dof(const ts_model* model, int site) { return model->body[site_at(model, site)->body].dof_last; }

// What moves one of the two sites; what moves both is left out.
static void mark(const ts_model* model, const ts_actuator* actuator, char* out_marks) {
    for (int d = last_dof(model, actuator->target); d >= 0; d = model->dof[d].parent) out_marks[d] = 1;
    if (actuator->reference < 0) return;
    for (int d = last_dof(model, actuator->reference); d >= 0; d = model->dof[d].parent)
        out_marks[d] = (char)!out_marks[d];
}

static ts_transform pose_of(const ts_sim* sim, int site) {
    ts_transform local = ts_transform_from_pose(site_at(sim->model, site)->pose);
    return ts_transform_mul(&sim->kinematics.body_pose[site_at(sim->model, site)->body], &local);
}

static double measure(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever) {
    const ts_site* site = sim->model->site;
    ts_vec3 along = ts_vec3_load(actuator->gear), about = ts_vec3_load(actuator->gear + 3);
    ts_transform at = pose_of(sim, actuator->target), from = at;
    if (actuator->reference >= 0) from = pose_of(sim, actuator->reference);
    ts_force wrench = {.couple = ts_mat3_mul_vec(&from.R, about), .force = ts_mat3_mul_vec(&from.R, along)};
    ts_lever_add_wrench(sim, site[actuator->target].body, at.p, wrench, lever);
    if (actuator->reference < 0) return 0.0;
    ts_force back = {.couple = ts_vec3_neg(wrench.couple), .force = ts_vec3_neg(wrench.force)};
    ts_lever_add_wrench(sim, site[actuator->reference].body, from.p, back, lever);
    ts_mat3 turned = ts_mat3_transposed_mul(from.R, at.R);
    ts_quat turn = ts_quat_normalize(ts_quat_from_mat3(&turned));
    return ts_vec3_dot(wrench.force, ts_vec3_sub(at.p, from.p)) + ts_vec3_dot(about, ts_quat_to_rotation_vector(turn));
}

static double turn(const ts_model* model, const ts_actuator* actuator) {
    (void)model;
    int turns_only = ts_vec3_max_abs(ts_vec3_load(actuator->gear)) == 0.0;
    return actuator->reference >= 0 && turns_only ? ts_transmission_full_turn(actuator->gear + 3) : 0.0;
}

const ts_transmission ts_transmission_site = {
    .name = "site", .target = TS_TARGET_SITE, .fault = fault, .mark = mark, .measure = measure, .turn = turn};
