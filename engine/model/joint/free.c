// A free joint: nothing holds the body. Its coordinates are its pose in the world: the point of its frame and a quaternion.
#include "engine/model/joint/joint_traits_internal.h"

static ts_vec3 place(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis) {
    (void)joint;
    placed->p = ts_vec3_load(q);
    placed->R = ts_quat_to_mat3(ts_quat_normalize(ts_quat_load(q + 3)));
    for (int i = 0; i < 3; ++i) {
        out_axis[i].angular = ts_vec3_zero();
        out_axis[i].linear = ts_vec3_axis(i);
        out_axis[3 + i].angular = ts_mat3_column(&placed->R, i);
        out_axis[3 + i].linear = ts_vec3_zero();
    }
    return placed->p;
}

const ts_joint_traits ts_joint_free = {
    .name = "free",
    .numbers = 3,
    .quaternion = 1,
    .floats = 1,
    .place = place,
};
