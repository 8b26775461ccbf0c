// A hinge: the body turns about a line that stays where it is in the body and in its parent. One number, the angle.
#include "engine/model/joint/joint_traits_internal.h"

static ts_vec3 place(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis) {
    ts_vec3 anchor = ts_transform_point(placed, joint->anchor);
    out_axis[0].angular = ts_transform_direction(placed, joint->axis);
    out_axis[0].linear = ts_vec3_zero();
    ts_joint_turn(placed, joint->anchor, anchor, ts_quat_from_axis_angle(joint->axis, q[0] - joint->reference));
    return anchor;
}

const ts_joint_traits ts_joint_hinge = {
    .name = "hinge",
    .numbers = 1,
    .has_axis = 1,
    .is_angle = 1,
    .place = place,
    .stops = ts_joint_interval_stops,
    .range_fault = ts_joint_interval_fault,
};
