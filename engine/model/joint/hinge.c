// A hinge: the body turns about a line that stays where it is in the body and in its parent. One number, the angle.
#include "engine/model/joint/joint_traits_internal.h"

#include "engine/model/joint/sine_internal.h"

// R <- R times the turn by `angle` about the unit vector `axis`. About an axis of the frame two columns mix and the third stays.
static void turn_about(ts_mat3* R, ts_vec3 axis, double angle) {
    double c, s;
    ts_sine_of(angle, &s, &c);
    int along = axis.y == 0.0 && axis.z == 0.0   ? 0
                : axis.z == 0.0 && axis.x == 0.0 ? 1
                : axis.x == 0.0 && axis.y == 0.0 ? 2
                                                 : 3;
    if (along < 3) {
        static const int next[3] = {1, 2, 0};
        int a = next[along], b = next[a];
        s *= ts_vec3_get(axis, along);
        for (int i = 0; i < 3; ++i) {
            double x = R->m[i][a], y = R->m[i][b];
            R->m[i][a] = c * x + s * y;
            R->m[i][b] = c * y - s * x;
        }
        return;
    }
    ts_vec3 across = ts_vec3_scale(s, axis), rest = ts_vec3_scale(1.0 - c, axis);
    ts_mat3 turn = {{{c + rest.x * axis.x, rest.x * axis.y - across.z, rest.x * axis.z + across.y},
                     {rest.y * axis.x + across.z, c + rest.y * axis.y, rest.y * axis.z - across.x},
                     {rest.z * axis.x - across.y, rest.z * axis.y + across.x, c + rest.z * axis.z}}};
    *R = ts_mat3_mul(*R, turn);
}

static ts_vec3 place(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis) {
    out_axis[0].angular = ts_transform_direction(placed, joint->axis);
    out_axis[0].linear = ts_vec3_zero();
    if (ts_vec3_max_abs(joint->anchor) == 0.0) {
        turn_about(&placed->R, joint->axis, q[0] - joint->reference);
        return placed->p;
    }
    ts_vec3 anchor = ts_transform_point(placed, joint->anchor);
    turn_about(&placed->R, joint->axis, q[0] - joint->reference);
    placed->p = ts_vec3_sub(anchor, ts_mat3_mul_vec(&placed->R, joint->anchor));
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
