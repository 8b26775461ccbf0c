// The one list of joint types, and what follows from a row for all of them. Adding a type is one file beside this one,
// its line here and its name in ts_joint_type (docs/extend/joint_type.md).
#include "engine/model/joint/joint_traits_internal.h"

extern const ts_joint_traits ts_joint_free;
extern const ts_joint_traits ts_joint_ball;
extern const ts_joint_traits ts_joint_hinge;
extern const ts_joint_traits ts_joint_slide;

// One to a line.
// clang-format off
const ts_joint_traits* const ts_joint_table[TS_JOINT_TYPE_COUNT] = {
    [TS_JOINT_FREE] = &ts_joint_free,
    [TS_JOINT_BALL] = &ts_joint_ball,
    [TS_JOINT_HINGE] = &ts_joint_hinge,
    [TS_JOINT_SLIDE] = &ts_joint_slide,
};
// clang-format on

int ts_joint_type_nq(ts_joint_type type) {
    return ts_joint_traits_of(type)->numbers + 4 * ts_joint_traits_of(type)->quaternion;
}

int ts_joint_type_nv(ts_joint_type type) {
    return ts_joint_traits_of(type)->numbers + 3 * ts_joint_traits_of(type)->quaternion;
}

const char* ts_joint_type_name(ts_joint_type type) { return ts_joint_traits_of(type)->name; }

void ts_joint_integrate_turn(const double* q, const double* v, double h, double* out_q) {
    ts_quat from = ts_quat_normalize(ts_quat_load(q));
    ts_quat_store(ts_quat_normalize(ts_quat_integrate(from, ts_vec3_load(v), h)), out_q);
}

void ts_joint_difference(ts_joint_type type, const double* a, const double* b, double h, double* out_v) {
    const ts_joint_traits* traits = ts_joint_traits_of(type);
    int n = traits->numbers;
    for (int i = 0; i < n; ++i) out_v[i] = (b[i] - a[i]) / h;
    if (!traits->quaternion) return;
    ts_quat from = ts_quat_normalize(ts_quat_load(a + n)), to = ts_quat_normalize(ts_quat_load(b + n));
    ts_quat turn = ts_quat_mul(ts_quat_conjugate(from), to);
    ts_vec3_store(ts_vec3_scale(1.0 / h, ts_quat_to_rotation_vector(turn)), out_v + n);
}

void ts_joint_rest(const ts_joint* joint, const ts_pose* pose, double* out_q) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    for (int i = 0; i < traits->numbers; ++i) out_q[i] = joint->reference;
    if (traits->quaternion) ts_quat_store(ts_quat_identity(), out_q + traits->numbers);
    if (!traits->floats) return;
    ts_vec3_store(pose->position, out_q);
    ts_quat_store(pose->rotation, out_q + 3);
}

void ts_joint_stretch_turn(const double* q, double* out_stretch) {
    ts_vec3_store(ts_quat_to_rotation_vector(ts_quat_normalize(ts_quat_load(q))), out_stretch);
}

void ts_joint_turn(ts_transform* placed, ts_vec3 anchor, ts_vec3 anchor_world, ts_quat turn) {
    ts_mat3 turn_matrix = ts_quat_to_mat3(turn);
    placed->R = ts_mat3_mul(placed->R, turn_matrix);
    placed->p = ts_vec3_sub(anchor_world, ts_mat3_mul_vec(&placed->R, anchor));
}

int ts_joint_interval_stops(const ts_joint* joint, const double* q, ts_joint_stop* out_stop) {
    out_stop[0].side = TS_JOINT_LOWER;
    out_stop[0].gap = q[0] - joint->range[0];
    out_stop[0].rate[0] = 1.0;
    out_stop[1].side = TS_JOINT_UPPER;
    out_stop[1].gap = joint->range[1] - q[0];
    out_stop[1].rate[0] = -1.0;
    return 2;
}

const char* ts_joint_interval_fault(const double* range) {
    return range[0] < range[1] ? NULL : "its range must be two ascending numbers";
}
