// Unit quaternions: conversions, exponential map and the shortest rotation between two directions.
//
// The exponential uses a Taylor polynomial up to one radian, exact to the last place or two, so the rotations of one time
// step are + - * / sqrt only and the same bits on every IEEE machine; larger angles use the math library's sine and
// cosine. Matrix to quaternion follows Shepperd (J. Guidance and Control 1, 1978): divide by the largest of the four
// components, so nothing is lost near half a turn.
#include "base/quat.h"

ts_quat ts_quat_from_mat3(const ts_mat3* rotation) {
    const double(*m)[3] = rotation->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    // Each candidate is 4 times a squared component minus one; the largest is at least zero.
    double candidates[4] = {trace, 2.0 * m[0][0] - trace, 2.0 * m[1][1] - trace, 2.0 * m[2][2] - trace};
    int largest = 0;
    for (int k = 1; k < 4; ++k)
        if (candidates[k] > candidates[largest]) largest = k;
    double top = 1.0 + candidates[largest];
    ts_quat q;
    switch (largest) {
    case 0: q = ts_quat_make(top, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]); break;
    case 1: q = ts_quat_make(m[2][1] - m[1][2], top, m[0][1] + m[1][0], m[0][2] + m[2][0]); break;
    case 2: q = ts_quat_make(m[0][2] - m[2][0], m[0][1] + m[1][0], top, m[1][2] + m[2][1]); break;
    default: q = ts_quat_make(m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], top); break;
    }
    q = ts_quat_normalize(q);
    return q.w < 0.0 ? ts_quat_make(-q.w, -q.x, -q.y, -q.z) : q;
}

ts_quat ts_quat_from_axis_angle(ts_vec3 axis, double angle) {
    ts_vec3 unit = ts_vec3_unit_or(axis, ts_vec3_zero());
    if (ts_vec3_max_abs(unit) == 0.0) return ts_quat_identity();
    double s = sin(0.5 * angle);
    return ts_quat_make(cos(0.5 * angle), s * unit.x, s * unit.y, s * unit.z);
}

ts_quat ts_quat_from_rotation_vector(ts_vec3 rotation) {
    double angle_squared = ts_vec3_norm_squared(rotation);
    double w, s;  // cos(angle / 2) and sin(angle / 2) / angle
    if (angle_squared <= 1.0) {
        // y is the squared half angle, at most 1/4: the first terms left out are below 1e-18.
        double y = 0.25 * angle_squared;
        const double s1 = -1.0 / 6.0, s2 = 1.0 / 120.0, s3 = -1.0 / 5040.0, s4 = 1.0 / 362880.0;
        const double s5 = -1.0 / 39916800.0, s6 = 1.0 / 6227020800.0, s7 = -1.0 / 1307674368000.0;
        const double w1 = -1.0 / 2.0, w2 = 1.0 / 24.0, w3 = -1.0 / 720.0, w4 = 1.0 / 40320.0;
        const double w5 = -1.0 / 3628800.0, w6 = 1.0 / 479001600.0, w7 = -1.0 / 87178291200.0;
        s = 0.5 + 0.5 * y * (s1 + y * (s2 + y * (s3 + y * (s4 + y * (s5 + y * (s6 + y * s7))))));
        w = 1.0 + y * (w1 + y * (w2 + y * (w3 + y * (w4 + y * (w5 + y * (w6 + y * w7))))));
    } else {
        double angle = ts_vec3_norm(rotation);
        w = cos(0.5 * angle);
        s = sin(0.5 * angle) / angle;
    }
    return ts_quat_make(w, s * rotation.x, s * rotation.y, s * rotation.z);
}

ts_vec3 ts_quat_to_rotation_vector(ts_quat q) {
    if (q.w < 0.0) q = ts_quat_make(-q.w, -q.x, -q.y, -q.z);  // the same rotation, the short way round
    ts_vec3 v = ts_vec3_make(q.x, q.y, q.z);
    double s = ts_vec3_norm(v);
    double t = s / q.w;
    // 2 atan(t) / s; below 1e-3 the series is exact to the last place and needs no division by s.
    double factor = t < 1e-3 ? 2.0 / q.w * (1.0 - t * t * (1.0 / 3.0 - t * t / 5.0)) : 2.0 * atan2(s, q.w) / s;
    return ts_vec3_scale(factor, v);
}

// The shortest rotation between unit vectors at most a right angle apart: half way lies the sum.
static ts_quat between_near(ts_vec3 from, ts_vec3 to) {
    ts_vec3 half = ts_vec3_unit_or(ts_vec3_add(from, to), from);
    ts_vec3 v = ts_vec3_cross(from, half);
    return ts_quat_normalize(ts_quat_make(ts_vec3_dot(from, half), v.x, v.y, v.z));
}

ts_quat ts_quat_between(ts_vec3 from, ts_vec3 to) {
    if (ts_vec3_dot(from, to) >= 0.0) return between_near(from, to);
    // Far apart the sum cancels. Turn half way round first, about the common normal, which takes `from` to its negative,
    // then do the small rest. Exactly opposite vectors have no common normal: any perpendicular axis is as short.
    ts_vec3 a = ts_vec3_abs(from);
    int least = a.x <= a.y && a.x <= a.z ? 0 : (a.y <= a.z ? 1 : 2);
    ts_vec3 any = ts_vec3_cross(from, ts_vec3_axis(least));
    ts_vec3 axis = ts_vec3_unit_or(ts_vec3_cross(from, to), any);
    // Near the opposite direction the normal is mostly rounding; what counts is that it is perpendicular to `from`.
    axis = ts_vec3_add_scaled(axis, -ts_vec3_dot(axis, from) / ts_vec3_norm_squared(from), from);
    axis = ts_vec3_unit_or(axis, any);
    ts_quat half_turn = ts_quat_make(0.0, axis.x, axis.y, axis.z);
    ts_quat q = ts_quat_normalize(ts_quat_mul(between_near(ts_vec3_neg(from), to), half_turn));
    return q.w < 0.0 ? ts_quat_make(-q.w, -q.x, -q.y, -q.z) : q;
}

ts_quat ts_quat_integrate(ts_quat q, ts_vec3 omega_local, double h) {
    return ts_quat_normalize(ts_quat_mul(q, ts_quat_from_rotation_vector(ts_vec3_scale(h, omega_local))));
}
