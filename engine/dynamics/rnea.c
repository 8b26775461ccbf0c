// Recursive Newton-Euler.
//
// Problem: tau = M(q) a + b(q, v). Rule: accelerations outwards, a_body = a_parent + S a + dS/dt v, starting from -g;
// forces f = I a + v x* (I v) summed inwards; tau_i = S_i . f.
// Source: Featherstone (2008), section 5.3, with everything in world axes about the tree's origin, so no transforms.
//
// What buoyancy takes of a body's weight is a force at its centre and enters f alone: its acceleration is what it is.
//
// At the state's own velocities kinematics knows dS/dt v, summed over the chain of each body (body_bias); at others it is found
// on the way (tree_motion_internal.h).
// Exact up to rounding; linear in the number of bodies. Nothing is known to fail.
#include "engine/dynamics/rnea.h"

#include "engine/dynamics/tree_motion_internal.h"

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

// I (a - g) + v x* I v, with the part of g that the body's buoyancy leaves.
static inline ts_force body_force(const ts_body* body, const ts_inertia* inertia, ts_vec3 gravity, ts_motion v,
                                  ts_motion a) {
    a.linear = ts_vec3_add_scaled(a.linear, body->buoyancy - 1.0, gravity);
    return ts_force_add(ts_inertia_mul(inertia, a), ts_motion_cross_force(v, ts_inertia_mul(inertia, v)));
}

// Sums the forces of a tree's bodies inwards: tau = S . f, and the share of armature.
static void sum_inwards(const ts_model* model, const ts_kinematics* k, int tree, const double* acceleration,
                        ts_force* f, double* out_force) {
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = model->tree[tree].dof_first;
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d)
            out_force[d - dof_first] = ts_motion_dot_force(k->dof_axis[d], f[b]);
        if (model->body[body->parent].tree >= 0) f[body->parent] = ts_force_add(f[body->parent], f[b]);
    }
    if (!acceleration) return;
    for (int d = 0; d < model->tree[tree].dof_count; ++d)
        out_force[d] += model->dof[dof_first + d].armature * acceleration[d];
}

void ts_rnea_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                  const double* acceleration, ts_tree_scratch* scratch, double* out_force) {
    const ts_kinematics* k = kinematics;
    int dof_first = model->tree[tree].dof_first;
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        free_body_forces(model, k, gravity, tree, k->dof_velocity + dof_first, acceleration, out_force);
        return;
    }
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        ts_motion a = k->body_bias[b];
        if (acceleration) {
            // What the accelerations add along the chain.
            ts_motion own = ts_motion_zero();
            if (model->body[body->parent].tree >= 0) own = scratch->acceleration[body->parent];
            for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d)
                own = ts_motion_add_scaled(own, acceleration[d - dof_first], k->dof_axis[d]);
            scratch->acceleration[b] = own;
            a = ts_motion_add(a, own);
        }
        scratch->force[b] = body_force(body, &k->body_inertia[b], gravity, k->body_velocity[b], a);
    }
    sum_inwards(model, k, tree, acceleration, scratch->force, out_force);
}

void ts_rnea_bias_at(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree,
                     const double* velocity, ts_tree_scratch* scratch, double* out_force) {
    const ts_kinematics* k = kinematics;
    if (model->tree[tree].kind != TS_TREE_GENERAL) {
        free_body_forces(model, k, gravity, tree, velocity, NULL, out_force);
        return;
    }
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    // From here on counted from the model's first dof.
    velocity -= model->tree[tree].dof_first;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i], parent = model->body[b].parent;
        ts_motion v = ts_motion_zero(), a = ts_motion_zero();
        if (model->body[parent].tree >= 0) {
            v = scratch->velocity[parent];
            a = scratch->acceleration[parent];
        }
        ts_tree_move_body(model, &model->body[b], k->dof_axis, velocity, &v, &a);
        scratch->velocity[b] = v;
        scratch->acceleration[b] = a;
        scratch->force[b] = body_force(&model->body[b], &k->body_inertia[b], gravity, v, a);
    }
    sum_inwards(model, k, tree, NULL, scratch->force, out_force);
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
        int first = model->tree[t].body_first, last = first + model->tree[t].body_count;
        for (int i = first; i < last; ++i) {
            int b = model->tree_body[i];
            ts_motion a = {ts_vec3_zero(), ts_vec3_scale(model->body[b].buoyancy - 1.0, gravity)};
            scratch->force[b] = ts_inertia_mul(&kinematics->body_inertia[b], a);
        }
        sum_inwards(model, kinematics, t, NULL, scratch->force, out_force + model->tree[t].dof_first);
    }
}
