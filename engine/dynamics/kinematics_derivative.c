// Derivatives of velocities of points and of the generalised forces of wrenches by configuration.
//
// Problem: d (J v) / d q and d (J^T w) / d q. Rule: a unit of dof j displaces all that it carries by its twist S_j. The twist of a body beyond
// becomes v + S_j x (v - p), p the twist of what carries the dof; the point goes along. Axes i beyond j become S_i + S_j x S_i, so that
// S_i . w changes by (S_j x S_i) . w; the wrench itself by S_j x* w where it moves with a body that j carries, or by its arm alone.
// The three axes of a quaternion are beyond each other. Source: as inverse_derivative.c. Guaranteed: exact up to rounding; cost is the depth
// for a velocity, its square for a wrench. Known to fail: nothing.
#include <string.h>

#include "engine/dynamics/derivative.h"
#include "engine/model/joint/joint_traits_internal.h"

// First dof whose axis turns with dof d: of its quaternion, or itself.
static int turns_with(const ts_model* model, int d) {
    const ts_joint* joint = &model->joint[model->dof[d].joint];
    int turn = joint->dof_first + ts_joint_traits_of(joint->type)->numbers;
    return d < turn ? d : turn;
}

void ts_derivative_velocity(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                            double* out_linear, double* out_angular) {
    const ts_kinematics* k = kinematics;
    size_t nv = (size_t)model->nv;
    int tree = model->body[body].tree;
    if (out_linear) memset(out_linear, 0, 3 * nv * sizeof(double));
    if (out_angular) memset(out_angular, 0, 3 * nv * sizeof(double));
    if (tree < 0) return;
    ts_vec3 lever = ts_vec3_sub(point, ts_kinematics_origin(model, k, tree));
    // What is beyond the dof, from the body inwards: v - p of the derivation.
    ts_motion beyond = ts_motion_zero();
    for (int last = model->body[body].dof_last, first; last >= 0; last = model->dof[first].parent) {
        first = turns_with(model, last);
        for (int d = last; d >= first; --d)
            beyond = ts_motion_add_scaled(beyond, k->dof_velocity[d], ts_kinematics_axis(model, k, d));
        for (int j = first; j <= last; ++j) {
            ts_motion S = ts_kinematics_axis(model, k, j), change = ts_motion_cross(S, beyond);
            ts_vec3 linear = ts_vec3_add(ts_motion_at(change, lever),
                                         ts_vec3_cross(k->body_velocity[body].angular, ts_motion_at(S, lever)));
            for (int r = 0; r < 3; ++r) {
                if (out_linear) out_linear[(size_t)r * nv + (size_t)j] = ts_vec3_get(linear, r);
                if (out_angular) out_angular[(size_t)r * nv + (size_t)j] = ts_vec3_get(change.angular, r);
            }
        }
    }
}

// How a unit of dof j, which carries it, changes a wrench at `lever` from `origin`, where it is written.
static ts_force change_of(ts_force w, ts_vec3 lever, ts_motion S, ts_wrench_carried how) {
    if (how == TS_WRENCH_WITH) return ts_motion_cross_force(S, w);
    ts_force change = {ts_vec3_cross(ts_motion_at(S, lever), w.force), ts_vec3_zero()};
    return change;
}

void ts_derivative_add_wrench(const ts_model* model, const ts_kinematics* kinematics, int body, ts_vec3 point,
                              ts_force wrench, ts_wrench_carried how, int carrier, double* matrix) {
    const ts_kinematics* k = kinematics;
    size_t nv = (size_t)model->nv;
    int tree = model->body[body].tree, deepest = model->body[body].dof_last;
    if (tree < 0) return;
    ts_vec3 origin = ts_kinematics_origin(model, k, tree), lever = ts_vec3_sub(point, origin);
    wrench.couple = ts_vec3_add(wrench.couple, ts_vec3_cross(lever, wrench.force));
    for (int i = deepest; i >= 0; i = model->dof[i].parent) {
        // What moves this axis: the dofs before it, and those of its quaternion.
        const ts_joint* joint = &model->joint[model->dof[i].joint];
        int turn = joint->dof_first + ts_joint_traits_of(joint->type)->numbers, j = i < turn ? i : turn + 2;
        for (; j >= 0; j = model->dof[j].parent)
            matrix[(size_t)i * nv + (size_t)j] += ts_motion_dot_force(
                ts_motion_cross(ts_kinematics_axis(model, k, j), ts_kinematics_axis(model, k, i)), wrench);
    }
    if (how == TS_WRENCH_FIXED || model->body[carrier].tree < 0) return;
    ts_vec3 shift = ts_vec3_sub(origin, ts_kinematics_origin(model, k, model->body[carrier].tree));
    for (int j = model->body[carrier].dof_last; j >= 0; j = model->dof[j].parent) {
        ts_motion S = {ts_kinematics_axis(model, k, j).angular, ts_motion_at(ts_kinematics_axis(model, k, j), shift)};
        ts_force change = change_of(wrench, lever, S, how);
        for (int i = deepest; i >= 0; i = model->dof[i].parent)
            matrix[(size_t)i * nv + (size_t)j] += ts_motion_dot_force(ts_kinematics_axis(model, k, i), change);
    }
}
