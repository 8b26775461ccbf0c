// One body's part of the walk outwards: its twist and the acceleration that velocities alone give it.
//
// dS/dt of the dof axes. The axis of a number (a hinge's angle, a point's coordinate) is fixed in the frame that the dofs
// before it have moved, so dS/dt = v_before x S; the three axes of a quaternion turn with the child, dS/dt = v_after x S, and
// the sum over them is v_before x (S v), since (S v) x (S v) = 0.
#ifndef TS_ENGINE_TREE_MOTION_INTERNAL_H
#define TS_ENGINE_TREE_MOTION_INTERNAL_H

#include "engine/dynamics/spatial_four_internal.h"
#include "engine/model/joint/joint_traits_internal.h"

/// Takes the twist `velocity` and the acceleration at zero qacc `bias` of what a joint hangs on to those of what hangs on it; axis and
/// rate are the joint's own.
static inline void ts_tree_move_joint(const ts_joint* joint, const ts_motion* axis, const double* rate,
                                      ts_spatial_four* velocity, ts_spatial_four* bias) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    ts_spatial_four v = *velocity, a = *bias;
    int d = 0;
    for (; d < traits->numbers; ++d) {
        ts_spatial_four own = ts_spatial_four_times(rate[d], ts_spatial_four_of(&axis[d]));
        // What floats hangs on the world, which does not move.
        if (!traits->floats) a = ts_spatial_four_plus(a, ts_spatial_four_cross(v, own));
        v = ts_spatial_four_plus(v, own);
    }
    if (traits->quaternion) {
        ts_spatial_four own = ts_spatial_four_times(rate[d], ts_spatial_four_of(&axis[d]));
        for (int i = 1; i < 3; ++i)
            own = ts_spatial_four_plus(own, ts_spatial_four_times(rate[d + i], ts_spatial_four_of(&axis[d + i])));
        a = ts_spatial_four_plus(a, ts_spatial_four_cross(v, own));
        v = ts_spatial_four_plus(v, own);
    }
    *velocity = v;
    *bias = a;
}

/// The same from a body's parent to the body; axis and rate are the model's (nv).
static inline void ts_tree_move_body(const ts_model* model, const ts_body* body, const ts_motion* axis,
                                     const double* rate, ts_spatial_four* velocity, ts_spatial_four* bias) {
    if (body->dof_count != body->joint_count) {
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j)
            ts_tree_move_joint(&model->joint[j], axis + model->joint[j].dof_first, rate + model->joint[j].dof_first,
                               velocity, bias);
        return;
    }
    // Hinges and slides, which most bodies have: the same without a look at each.
    for (int d = body->dof_first; d < body->dof_first + body->dof_count; ++d) {
        ts_spatial_four own = ts_spatial_four_times(rate[d], ts_spatial_four_of(&axis[d]));
        *bias = ts_spatial_four_plus(*bias, ts_spatial_four_cross(*velocity, own));
        *velocity = ts_spatial_four_plus(*velocity, own);
    }
}

#endif
