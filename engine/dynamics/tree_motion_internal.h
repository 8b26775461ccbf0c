// One body's part of the walk outwards: its twist and the acceleration that velocities alone give it.
//
// dS/dt of the dof axes. The axis of a number (a hinge's angle, a point's coordinate) is fixed in the frame that the dofs
// before it have moved, so dS/dt = v_before x S; the three axes of a quaternion turn with the child, dS/dt = v_after x S, and
// the sum over them is v_before x (S v), since (S v) x (S v) = 0.
#ifndef TS_ENGINE_TREE_MOTION_INTERNAL_H
#define TS_ENGINE_TREE_MOTION_INTERNAL_H

#include "base/spatial.h"
#include "engine/model/joint/joint_traits_internal.h"

/// What ts_tree_move_body does for a free joint: it hangs on the world, so before it nothing moves, and its first three axes are those
/// of the world. The same numbers as joint by joint, without the products with zero.
static inline void ts_tree_move_free(const ts_motion* axis, const double* rate, ts_motion* velocity, ts_motion* bias) {
    ts_motion turn = ts_motion_zero();
    ts_vec3 along = ts_vec3_load(rate);
    for (int i = 3; i < 6; ++i) turn = ts_motion_add_scaled(turn, rate[i], axis[i]);
    *bias = ts_motion_zero();
    bias->linear = ts_vec3_cross(along, turn.angular);
    *velocity = turn;
    velocity->linear = ts_vec3_add(along, turn.linear);
}

/// Takes the twist `velocity` and the acceleration at zero qacc `bias` of the body's parent to those of the body; axis and rate are
/// the model's (nv).
static inline void ts_tree_move_body(const ts_model* model, const ts_body* body, const ts_motion* axis,
                                     const double* rate, ts_motion* velocity, ts_motion* bias) {
    for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
        const ts_joint_traits* traits = ts_joint_traits_of(model->joint[j].type);
        int d = model->joint[j].dof_first, numbers_end = d + traits->numbers;
        if (model->joint[j].type == TS_JOINT_FREE) {
            ts_tree_move_free(axis + d, rate + d, velocity, bias);
            continue;
        }
        for (; d < numbers_end; ++d) {
            ts_motion own = {ts_vec3_scale(rate[d], axis[d].angular), ts_vec3_scale(rate[d], axis[d].linear)};
            *bias = ts_motion_add(*bias, ts_motion_cross(*velocity, own));
            *velocity = ts_motion_add(*velocity, own);
        }
        if (!traits->quaternion) continue;
        ts_motion own = ts_motion_zero();
        for (int i = 0; i < 3; ++i) own = ts_motion_add_scaled(own, rate[d + i], axis[d + i]);
        *bias = ts_motion_add(*bias, ts_motion_cross(*velocity, own));
        *velocity = ts_motion_add(*velocity, own);
    }
}

#endif
