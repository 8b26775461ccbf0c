// Centroidal dynamics.
//
// Problem: momentum h = A(q) v about the centre of mass c, A, and (dA/dt) v. Rule: sums over bodies of I v about each tree's origin o, shifted:
// couple about c = couple about o - (c - o) x force. Column d of A is the momentum of all that dof d carries, I_c S_d. The
// rate of momentum at constant qvel is the sum of I a + v x* I v with a the acceleration that velocities alone give; shifting it to
// the moving c adds nothing, since the momentum of the whole is parallel to the velocity of c.
// Source: Orin, Goswami, Lee (2013), "Centroidal dynamics of a humanoid robot"; Wensing and Orin (2016) for the rate.
// Exact up to rounding. Nothing is known to fail.
#include "engine/dynamics/centroidal.h"

#include <string.h>

// Trees [*out_first, *out_last).
static void range(const ts_model* model, int tree, int* out_first, int* out_last) {
    *out_first = tree >= 0 ? tree : 0;
    *out_last = tree >= 0 ? tree + 1 : model->tree_count;
}

// The force f about o, about c.
static ts_force shifted(ts_force f, ts_vec3 o, ts_vec3 c) {
    f.couple = ts_vec3_sub(f.couple, ts_vec3_cross(ts_vec3_sub(c, o), f.force));
    return f;
}

// Mass and centre of mass.
static void weigh(const ts_model* model, const ts_kinematics* k, int tree, double* out_mass, ts_vec3* out_centre) {
    int first, last;
    range(model, tree, &first, &last);
    ts_vec3 moment = ts_vec3_zero();
    double mass = 0.0;
    for (int t = first; t < last; ++t) {
        for (int i = 0; i < model->tree[t].body_count; ++i) {
            int b = model->tree_body[model->tree[t].body_first + i];
            moment = ts_vec3_add_scaled(moment, model->body[b].mass, k->body_centre[b]);
        }
        mass += model->tree[t].mass;
    }
    *out_mass = mass;
    *out_centre = mass > 0.0 ? ts_vec3_scale(1.0 / mass, moment) : ts_vec3_zero();
}

ts_centroidal_state ts_centroidal_find(const ts_model* model, const ts_kinematics* kinematics, int tree) {
    const ts_kinematics* k = kinematics;
    ts_centroidal_state state = {.mass = 0.0};
    int first, last;
    range(model, tree, &first, &last);
    weigh(model, k, tree, &state.mass, &state.centre);
    if (!(state.mass > 0.0)) return state;
    ts_force momentum = ts_force_zero();
    state.inertia = ts_mat3_zero();
    for (int t = first; t < last; ++t) {
        ts_force own = ts_force_zero();
        for (int i = 0; i < model->tree[t].body_count; ++i) {
            int b = model->tree_body[model->tree[t].body_first + i];
            ts_inertia inertia = ts_kinematics_inertia(model, k, b);
            own = ts_force_add(own, ts_inertia_mul(&inertia, k->body_velocity[b]));
            ts_mat3 about_own = ts_mat3_rotate_tensor(k->body_pose[b].R, model->body[b].inertia);
            ts_vec3 lever = ts_vec3_sub(k->body_centre[b], state.centre);
            state.inertia = ts_mat3_add(state.inertia, ts_inertia_make(model->body[b].mass, lever, about_own).rotation);
        }
        momentum = ts_force_add(momentum, shifted(own, ts_kinematics_origin(model, k, t), state.centre));
    }
    state.linear = momentum.force;
    state.angular = momentum.couple;
    state.velocity = ts_vec3_scale(1.0 / state.mass, momentum.force);
    return state;
}

// The momentum of all that a dof carries, per unit of it, about the tree's origin: to scratch->dof_force.
static void carry(const ts_model* model, const ts_kinematics* k, int tree, ts_tree_scratch* scratch) {
    ts_inertia* composite = scratch->composite;
    const int* bodies = model->tree_body + model->tree[tree].body_first;
    int count = model->tree[tree].body_count;
    for (int i = 0; i < count; ++i) composite[bodies[i]] = ts_kinematics_inertia(model, k, bodies[i]);
    for (int i = count - 1; i >= 0; --i) {
        const ts_body* body = &model->body[bodies[i]];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d)
            scratch->dof_force[d] = ts_inertia_mul(&composite[bodies[i]], ts_kinematics_axis(model, k, d));
        if (model->body[body->parent].tree >= 0)
            composite[body->parent] = ts_inertia_add(composite[body->parent], composite[bodies[i]]);
    }
}

void ts_centroidal_matrix(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                          double* out_A) {
    size_t nv = (size_t)model->nv;
    int first, last;
    double mass;
    ts_vec3 centre;
    range(model, tree, &first, &last);
    weigh(model, kinematics, tree, &mass, &centre);
    memset(out_A, 0, 6 * nv * sizeof(double));
    for (int t = first; t < last; ++t) {
        carry(model, kinematics, t, scratch);
        for (int i = 0; i < model->tree[t].dof_count; ++i) {
            int d = model->tree[t].dof_first + i;
            ts_force own = shifted(scratch->dof_force[d], ts_kinematics_origin(model, kinematics, t), centre);
            double column[6];
            ts_vec3_store(own.couple, column);
            ts_vec3_store(own.force, column + 3);
            for (size_t r = 0; r < 6; ++r) out_A[r * nv + (size_t)d] = column[r];
        }
    }
}

void ts_centroidal_jacobian(const ts_model* model, const ts_kinematics* kinematics, int tree, ts_tree_scratch* scratch,
                            double* out_J) {
    size_t nv = (size_t)model->nv;
    int first, last;
    double mass;
    ts_vec3 centre;
    range(model, tree, &first, &last);
    weigh(model, kinematics, tree, &mass, &centre);
    memset(out_J, 0, 3 * nv * sizeof(double));
    for (int t = first; t < last && mass > 0.0; ++t) {
        carry(model, kinematics, t, scratch);
        for (int i = 0; i < model->tree[t].dof_count; ++i) {
            int d = model->tree[t].dof_first + i;
            double column[3];
            ts_vec3_store(ts_vec3_scale(1.0 / mass, scratch->dof_force[d].force), column);
            for (size_t r = 0; r < 3; ++r) out_J[r * nv + (size_t)d] = column[r];
        }
    }
}

ts_force ts_centroidal_bias(const ts_model* model, const ts_kinematics* kinematics, int tree) {
    const ts_kinematics* k = kinematics;
    int first, last;
    double mass;
    ts_vec3 centre;
    range(model, tree, &first, &last);
    weigh(model, k, tree, &mass, &centre);
    ts_force rate = ts_force_zero();
    for (int t = first; t < last; ++t) {
        ts_force own = ts_force_zero();
        for (int i = 0; i < model->tree[t].body_count; ++i) {
            int b = model->tree_body[model->tree[t].body_first + i];
            ts_inertia inertia = ts_kinematics_inertia(model, k, b);
            ts_force momentum = ts_inertia_mul(&inertia, k->body_velocity[b]);
            own = ts_force_add(own, ts_motion_cross_force(k->body_velocity[b], momentum));
            own = ts_force_add(own, ts_inertia_mul(&inertia, ts_kinematics_bias(model, k, b)));
        }
        rate = ts_force_add(rate, shifted(own, ts_kinematics_origin(model, k, t), centre));
    }
    return rate;
}
