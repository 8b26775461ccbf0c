// A slide: the body shifts along a direction that is fixed in it and in its parent. One number, the displacement.
#include "engine/model/joint/joint_traits_internal.h"

static ts_vec3 place(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis) {
    out_axis[0].angular = ts_vec3_zero();
    out_axis[0].linear = ts_transform_direction(placed, joint->axis);
    placed->p = ts_vec3_add_scaled(placed->p, q[0] - joint->reference, out_axis[0].linear);
    // All points move alike.
    return placed->p;
}

const ts_joint_traits ts_joint_slide = {
    .name = "slide",
    .numbers = 1,
    .has_axis = 1,
    .place = place,
    .stops = ts_joint_interval_stops,
    .range_fault = ts_joint_interval_fault,
};
