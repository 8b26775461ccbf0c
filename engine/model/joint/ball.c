// A ball joint: the body turns about its anchor in any way. A quaternion. Its range limits the angle of the one turn that
// leads from the reference to where it is: theta = |log q| <= range[1]. Along the axis n = log q / theta the angle
// changes by exactly n . w, w in the child's axes.
#include "engine/model/joint/joint_traits_internal.h"

// rad: below it there is no axis to speak of; no stop is that near, since a range begins with 0 and ends above it.
static const double least_angle = 1e-12;

static ts_vec3 place(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis) {
    ts_vec3 anchor = ts_transform_point(placed, joint->anchor);
    ts_joint_turn(placed, joint->anchor, anchor, ts_quat_normalize(ts_quat_load(q)));
    for (int i = 0; i < 3; ++i) {
        out_axis[i].angular = ts_mat3_column(&placed->R, i);
        out_axis[i].linear = ts_vec3_zero();
    }
    return anchor;
}

static int stops(const ts_joint* joint, const double* q, ts_joint_stop* out_stop) {
    ts_vec3 theta = ts_quat_to_rotation_vector(ts_quat_normalize(ts_quat_load(q)));
    double angle = ts_vec3_norm(theta);
    if (angle < least_angle) return 0;
    out_stop->side = TS_JOINT_UPPER;
    out_stop->gap = joint->range[1] - angle;
    ts_vec3_store(ts_vec3_neg(ts_vec3_scale(1.0 / angle, theta)), out_stop->rate);
    return 1;
}

static const char* range_fault(const double* range) {
    if (range[0] != 0.0) return "the range of a ball joint must begin with 0";
    return range[1] > 0.0 ? NULL : "the range of a ball joint must end with a positive angle";
}

const ts_joint_traits ts_joint_ball = {
    .name = "ball",
    .quaternion = 1,
    .is_angle = 1,
    .place = place,
    .stops = stops,
    .range_fault = range_fault,
};
