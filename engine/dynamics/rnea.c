// Recursive Newton-Euler.
//
// Problem: tau = M(q) a + b(q, v). Rule: accelerations outwards, a_body = a_parent + S a + dS/dt v, starting from -g;
// forces f = I a + v x* (I v) summed inwards; tau_i = S_i . f.
// Source: Featherstone (2008), section 5.3, with everything in world axes about the tree's origin, so no transforms.
//
// What buoyancy takes of a body's weight is a force at its centre and enters f alone: its acceleration is what it is.
//
// At the state's own velocities kinematics knows dS/dt v, summed over the chain of each body (body_bias); at others it is found
// on the way (rnea_walk.c).
// Exact up to rounding; linear in the number of bodies. Nothing is known to fail.
#include "engine/dynamics/rnea.h"

#include <string.h>

#include "engine/dynamics/rnea_walk_internal.h"

// One free body in closed form: with zero coordinate accelerations its origin moves uniformly and its angular velocity
// is constant, so only the centripetal acceleration of the centre of mass and the gyroscopic couple remain.
static void free_body_forces(const ts_model* model, const ts_kinematics* k, ts_vec3 gravity, int tree,
                             const double* velocity, const double* acceleration, double* out_force) {
    int b = model->tree[tree].root;
    const ts_body* body = &model->body[b];
    int dof_first = model->tree[tree].dof_first;
    const ts_mat3* R = &k->body_pose[b].R;
    // Body axes throughout; the linear part is turned back to world axes at the end.
    ts_vec3 w = ts_vec3_load(velocity + 3);
    ts_vec3 c = body->centre;
    ts_vec3 a = ts_vec3_sub(ts_vec3_cross(w, ts_vec3_cross(w, c)),
                            ts_mat3_mul_vec_transposed(R, ts_vec3_scale(1.0 - body->buoyancy, gravity)));
    ts_vec3 couple = ts_vec3_cross(w, ts_mat3_mul_vec(&body->inertia, w));
    if (acceleration) {
        ts_vec3 turn = ts_vec3_load(acceleration + 3);
        a = ts_vec3_add(a, ts_mat3_mul_vec_transposed(R, ts_vec3_load(acceleration)));
        a = ts_vec3_add(a, ts_vec3_cross(turn, c));
        couple = ts_vec3_add(couple, ts_mat3_mul_vec(&body->inertia, turn));
    }
    ts_vec3 force = ts_vec3_scale(body->mass, a);
    couple = ts_vec3_add(couple, ts_vec3_cross(c, force));
    ts_vec3_store(ts_mat3_mul_vec(R, force), out_force);
    ts_vec3_store(couple, out_force + 3);
    if (acceleration)
        for (int i = 0; i < 6; ++i) out_force[i] += model->dof[dof_first + i].armature * acceleration[i];
}

void ts_rnea_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                  const double* acceleration, ts_tree_scratch* scratch, double* out_force) {
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        const double* velocity = kinematics->dof_velocity + model->tree[tree].dof_first;
        free_body_forces(model, kinematics, gravity, tree, velocity, acceleration, out_force);
        return;
    }
    ts_rnea_walk walk = {model, kinematics, gravity, tree, NULL, acceleration, scratch};
    ts_rnea_walk_run(&walk, out_force);
}

void ts_rnea_bias_at(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                     const double* velocity, ts_tree_scratch* scratch, double* out_force) {
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        free_body_forces(model, kinematics, gravity, tree, velocity, NULL, out_force);
        return;
    }
    ts_rnea_walk walk = {model, kinematics, gravity, tree, velocity, NULL, scratch};
    ts_rnea_walk_run(&walk, out_force);
}

void ts_rnea_forces(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, const double* acceleration,
                    ts_tree_scratch* scratch, double* out_force) {
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first;
        ts_rnea_tree(model, kinematics, gravity, t, acceleration ? acceleration + first : NULL, scratch,
                     out_force + first);
    }
}

void ts_rnea_gravity(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, ts_tree_scratch* scratch,
                     double* out_force) {
    for (int t = 0; t < model->tree_count; ++t) {
        memset(scratch->dof_number, 0, (size_t)model->tree[t].dof_count * sizeof(double));
        ts_rnea_bias_at(model, kinematics, gravity, t, scratch->dof_number, scratch,
                        out_force + model->tree[t].dof_first);
    }
}
