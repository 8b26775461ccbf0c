// Recursive Newton-Euler.
//
// Problem: tau = M(q) a + b(q, v). Rule: accelerations outwards, a_body = a_parent + S a + dS/dt v, starting from -g;
// forces f = I a + v x* (I v) summed inwards; tau_i = S_i . f.
// Source: Featherstone (2008), section 5.3, with everything in world axes about the tree's origin, so no transforms.
//
// What buoyancy takes of a body's weight is a force at its centre and enters f alone: its acceleration is what it is.
//
// dS/dt of the dof axes. The axis of a number (a hinge's angle, a point's coordinate) is fixed in the frame that the dofs
// before it have moved, so dS/dt = v_before x S; the three axes of a quaternion turn with the child, and the sum over
// them is the same v_before x (S v).
#include "engine/dynamics/rnea_internal.h"

#include "engine/model/joint/joint_traits_internal.h"
#include "engine/sim_internal.h"

// One free body in closed form: with zero coordinate accelerations its origin moves uniformly and its angular velocity
// is constant, so only the centripetal acceleration of the centre of mass and the gyroscopic couple remain.
static void free_body_forces(const ts_sim* sim, int tree, const double* velocity, const double* acceleration,
                             double* out_force) {
    const ts_model* model = sim->model;
    int b = model->tree[tree].root;
    const ts_body* body = &model->body[b];
    int dof_first = model->tree[tree].dof_first;
    const ts_mat3* R = &sim->kinematics.body_pose[b].R;
    // Body axes throughout; the linear part is turned back to world axes at the end.
    ts_vec3 w = ts_vec3_load(velocity + 3);
    ts_vec3 c = body->centre;
    ts_vec3 a = ts_vec3_sub(ts_vec3_cross(w, ts_vec3_cross(w, c)),
                            ts_mat3_mul_vec_transposed(R, ts_vec3_scale(1.0 - body->buoyancy, sim->options.gravity)));
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

// A motion of a tree, and where the twists and accelerations of its bodies go.
typedef struct motion {
    const double* velocity;  // of the dofs, counted from the tree's first
    int dof_first;
    ts_motion* twist;  // (body_count)
    ts_motion* acceleration;
} motion;

// Velocity-product acceleration of `count` dofs from d on whose axes stand, or turn together, in the frame before them;
// `velocity` is the twist before them and becomes the one after them.
static ts_motion dof_bias(const ts_sim* sim, const motion* m, int d, int count, ts_motion* velocity) {
    ts_motion own = ts_motion_zero();
    for (int i = 0; i < count; ++i)
        own = ts_motion_add_scaled(own, m->velocity[d + i - m->dof_first], sim->kinematics.dof_axis[d + i]);
    ts_motion bias = ts_motion_cross(*velocity, own);
    *velocity = ts_motion_add(*velocity, own);
    return bias;
}

// Adds the velocity-product acceleration of one joint.
static void add_joint_bias(const ts_sim* sim, const motion* m, const ts_joint* joint, ts_motion* velocity,
                           ts_motion* acceleration) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    int d = joint->dof_first;
    for (int i = 0; i < traits->numbers; ++i, ++d)
        *acceleration = ts_motion_add(*acceleration, dof_bias(sim, m, d, 1, velocity));
    if (traits->quaternion) *acceleration = ts_motion_add(*acceleration, dof_bias(sim, m, d, 3, velocity));
}

static void tree_forces(ts_sim* sim, int tree, const motion* m, const double* acceleration, double* out_force) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int first = model->tree[tree].body_first, last = first + model->tree[tree].body_count;
    int dof_first = m->dof_first;
    ts_motion* a = m->acceleration;
    ts_force* f = storage->body_force;
    for (int i = first; i < last; ++i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        ts_motion velocity = ts_motion_zero();
        a[b] = ts_motion_zero();
        a[b].linear = ts_vec3_neg(sim->options.gravity);
        if (model->body[body->parent].tree >= 0) {
            velocity = m->twist[body->parent];
            a[b] = a[body->parent];
        }
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j)
            add_joint_bias(sim, m, &model->joint[j], &velocity, &a[b]);
        // Kinematics has the state's own.
        if (m->twist != sim->kinematics.body_velocity) m->twist[b] = velocity;
        if (acceleration)
            for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d)
                a[b] = ts_motion_add_scaled(a[b], acceleration[d - dof_first], sim->kinematics.dof_axis[d]);
        ts_force momentum = ts_inertia_mul(&sim->kinematics.body_inertia[b], m->twist[b]);
        ts_motion felt = a[b];
        if (body->buoyancy != 0.0)
            felt.linear = ts_vec3_add(felt.linear, ts_vec3_scale(body->buoyancy, sim->options.gravity));
        f[b] = ts_force_add(ts_inertia_mul(&sim->kinematics.body_inertia[b], felt),
                            ts_motion_cross_force(m->twist[b], momentum));
    }
    for (int i = last - 1; i >= first; --i) {
        int b = model->tree_body[i];
        const ts_body* body = &model->body[b];
        for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
            double armature = acceleration ? model->dof[d].armature * acceleration[d - dof_first] : 0.0;
            out_force[d - dof_first] = ts_motion_dot_force(sim->kinematics.dof_axis[d], f[b]) + armature;
        }
        if (model->body[body->parent].tree >= 0) f[body->parent] = ts_force_add(f[body->parent], f[b]);
    }
}

void ts_rnea_tree(ts_sim* sim, int tree, const double* acceleration, double* out_force) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    int dof_first = sim->model->tree[tree].dof_first;
    motion m = {sim->qvel + dof_first, dof_first, sim->kinematics.body_velocity, storage->body_acceleration};
    if (sim->model->tree[tree].kind != TS_TREE_GENERAL)
        free_body_forces(sim, tree, m.velocity, acceleration, out_force);
    else
        tree_forces(sim, tree, &m, acceleration, out_force);
}

void ts_rnea_bias_at(ts_sim* sim, int tree, const double* velocity, double* out_force) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    motion m = {velocity, sim->model->tree[tree].dof_first, storage->other_velocity, storage->other_acceleration};
    if (sim->model->tree[tree].kind != TS_TREE_GENERAL)
        free_body_forces(sim, tree, velocity, NULL, out_force);
    else
        tree_forces(sim, tree, &m, NULL, out_force);
}
