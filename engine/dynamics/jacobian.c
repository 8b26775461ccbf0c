// Jacobians of points and bodies.
//
// Problem: J with velocity = J qvel, and dJ/dt. Rule: with the dof axes S about the tree's origin o, a dof on the chain of the body moves its
// point p by S.linear + S.angular x (p - o). With o fixed in space, dS/dt = v x S, v the twist of the frame that carries the axis
// (tree_motion_internal.h), and the point moves on: dJ/dt = dS/dt.linear + dS/dt.angular x (p - o) + S.angular x dp/dt.
// Source: Featherstone (2008), chapters 2 and 4. Exact up to rounding; a row costs the depth of its body.
#include "engine/dynamics/jacobian.h"

#include <string.h>

#include "engine/model/joint/joint_traits_internal.h"

// Zeroes both; returns the dofs of the model.
static size_t clear(const ts_model* model, double* linear, double* angular) {
    size_t nv = (size_t)model->nv;
    if (linear) memset(linear, 0, 3 * nv * sizeof(double));
    if (angular) memset(angular, 0, 3 * nv * sizeof(double));
    return nv;
}

static inline void store_column(ts_vec3 v, size_t nv, double* column) {
    column[0] = v.x;
    column[nv] = v.y;
    column[2 * nv] = v.z;
}

void ts_jacobian_point(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                       double* out_linear, double* out_angular) {
    size_t nv = clear(model, out_linear, out_angular);
    int tree = model->body[body].tree;
    if (tree < 0) return;
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(model, kinematics, tree));
    for (int d = model->body[body].dof_last; d >= 0; d = model->dof[d].parent) {
        ts_motion axis = ts_kinematics_axis(model, kinematics, d);
        if (out_linear) store_column(ts_motion_at(axis, lever), nv, out_linear + d);
        if (out_angular) store_column(axis.angular, nv, out_angular + d);
    }
}

// Rates of the axes of a joint, and the twist before it brought to the one after it.
static void joint_axis_rates(const ts_model* model, const ts_kinematics* k, const ts_joint* joint, ts_motion* velocity,
                             ts_motion* out_rate) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    int d = joint->dof_first;
    for (int i = 0; i < traits->numbers; ++i, ++d) {
        out_rate[i] = ts_motion_cross(*velocity, ts_kinematics_axis(model, k, d));
        *velocity = ts_motion_add_scaled(*velocity, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
    }
    if (!traits->quaternion) return;
    for (int i = 0; i < 3; ++i)
        *velocity = ts_motion_add_scaled(*velocity, k->dof_velocity[d + i], ts_kinematics_axis(model, k, d + i));
    for (int i = 0; i < 3; ++i)
        out_rate[traits->numbers + i] = ts_motion_cross(*velocity, ts_kinematics_axis(model, k, d + i));
}

void ts_jacobian_rate(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                      double* out_linear, double* out_angular) {
    const ts_kinematics* k = kinematics;
    size_t nv = clear(model, out_linear, out_angular);
    int tree = model->body[body].tree;
    if (tree < 0) return;
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(model, k, tree));
    ts_vec3 moving = ts_motion_at(k->body_velocity[body], lever);
    for (int b = body; model->body[b].tree >= 0; b = model->body[b].parent) {
        int parent = model->body[b].parent;
        ts_motion velocity = model->body[parent].tree >= 0 ? k->body_velocity[parent] : ts_motion_zero();
        for (int j = model->body[b].joint_first; j < model->body[b].joint_first + model->body[b].joint_count; ++j) {
            ts_motion rate[TS_JOINT_NV_MOST];
            joint_axis_rates(model, k, &model->joint[j], &velocity, rate);
            for (int i = 0; i < ts_joint_type_nv(model->joint[j].type); ++i) {
                int d = model->joint[j].dof_first + i;
                ts_vec3 linear = ts_vec3_add(ts_motion_at(rate[i], lever),
                                             ts_vec3_cross(ts_kinematics_axis(model, k, d).angular, moving));
                if (out_linear) store_column(linear, nv, out_linear + d);
                if (out_angular) store_column(rate[i].angular, nv, out_angular + d);
            }
        }
    }
}

ts_motion ts_jacobian_bias(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point) {
    int tree = model->body[body].tree;
    if (tree < 0) return ts_motion_zero();
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(model, kinematics, tree));
    ts_motion velocity = kinematics->body_velocity[body], bias = ts_kinematics_bias(model, kinematics, body);
    // A spatial acceleration is that of what passes by; the point itself turns with the body, too.
    ts_vec3 turning = ts_vec3_cross(velocity.angular, ts_motion_at(velocity, lever));
    bias.linear = ts_vec3_add(ts_motion_at(bias, lever), turning);
    return bias;
}
