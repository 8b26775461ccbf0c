// Robots whose joints are locked: each tree is one body, with the mass, centre and inertia of all its bodies where they stand, and all their geoms.
// Those within one body do not touch each other. Motors, sensors and ties stay behind.
#include "scenes/scene_table.h"

#include "engine/model/builder.h"

#include <stdlib.h>
#include <string.h>

// The body that everything below b moves with when all joints but free ones are locked: b's highest ancestor that moves, or the world.
static int locked_to(const ts_model* m, int b) {
    int top = b;
    while (m->body[top].parent > 0) top = m->body[top].parent;
    const ts_body* body = &m->body[top];
    return body->joint_count > 0 && m->joint[body->joint_first].type == TS_JOINT_FREE ? top : 0;
}

// Mass, centre and inertia of all that is locked to `top`, in its frame.
static void gather(const ts_sim* sim, int top, ts_body_def* def) {
    const ts_model* m = sim->model;
    ts_transform home = ts_transform_inverse(&sim->kinematics.body_pose[top]);
    ts_vec3 moment = ts_vec3_zero();
    def->mass = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) def->centre = ts_vec3_scale(1.0 / def->mass, moment);
        for (int b = 1; b < m->body_count; ++b) {
            const ts_body* body = &m->body[b];
            if (locked_to(m, b) != top || !(body->mass > 0.0)) continue;
            ts_transform at = ts_transform_mul(&home, &sim->kinematics.body_pose[b]);
            ts_vec3 centre = ts_transform_point(&at, body->centre);
            if (pass == 0) {
                def->mass += body->mass;
                moment = ts_vec3_add(moment, ts_vec3_scale(body->mass, centre));
                continue;
            }
            ts_vec3 r = ts_vec3_sub(centre, def->centre);
            ts_mat3 spread = ts_mat3_sub(ts_mat3_scale(ts_vec3_dot(r, r), ts_mat3_identity()), ts_mat3_outer(r, r));
            def->inertia = ts_mat3_add(def->inertia, ts_mat3_add(ts_mat3_rotate_tensor(at.R, body->inertia),
                                                                 ts_mat3_scale(body->mass, spread)));
        }
    }
}

// Geom g as it is, on what its body is locked to.
static void add_geom(const ts_sim* sim, int g, const int* made, ts_builder* builder) {
    const ts_geom* geom = &sim->model->geom[g];
    ts_geom_def def = ts_geom_def_default();
    int top = geom->body ? locked_to(sim->model, geom->body) : 0;
    ts_transform at = *ts_kinematics_geom(&sim->kinematics, g);
    if (top) {
        ts_transform home = ts_transform_inverse(&sim->kinematics.body_pose[top]);
        at = ts_transform_mul(&home, &at);
    }
    def.name = geom->name;
    def.body = top ? made[top] : 0;
    def.shape = geom->shape;
    def.pose = ts_pose_from_transform(&at);
    def.surface = geom->surface;
    def.category = geom->category;
    def.mask = geom->mask;
    def.group = geom->group;
    def.mass = 0.0;
    memcpy(def.rgba, geom->rgba, sizeof def.rgba);
    ts_builder_add_geom(builder, &def);
}

ts_code ts_scene_lock(const ts_sim* sim, ts_model** out_model, ts_status* out_status) {
    const ts_model* m = sim->model;
    int* made = (int*)calloc((size_t)m->body_count, sizeof *made);
    ts_builder* builder = ts_builder_create("locked");
    if (!made || !builder) {
        free(made);
        ts_builder_free(builder);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory");
    }
    *ts_builder_options(builder) = m->options;
    for (int b = 1; b < m->body_count; ++b) {
        if (locked_to(m, b) != b) continue;
        ts_body_def def = ts_body_def_default();
        ts_joint_def joint = ts_joint_def_default();
        def.name = m->body[b].name;
        def.inertia = ts_mat3_zero();
        gather(sim, b, &def);
        def.pose = ts_pose_from_transform(&sim->kinematics.body_pose[b]);
        made[b] = ts_builder_add_body(builder, &def);
        joint.type = TS_JOINT_FREE;
        joint.body = made[b];
        ts_builder_add_joint(builder, &joint);
    }
    for (int g = 0; g < m->geom_count; ++g) add_geom(sim, g, made, builder);
    free(made);
    return ts_builder_finish(builder, out_model, out_status);
}
