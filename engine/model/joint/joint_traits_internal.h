// What a type of joint is: one row of a table, in a file of its own. Whoever moves, limits, reads or records joints asks
// the row and knows no type by name.
//
// Coordinates are `numbers` plain numbers and then, with `quaternion`, a unit quaternion (w first). Velocities are the rates
// of the numbers and then, for the quaternion, the angular velocity in the child's axes. The axis of a number stands in
// the frame that the numbers before it have left; those of the quaternion turn with the child. That is all that
// integrating, differences, springs and the bias of the motion (engine/dynamics/rnea.c) need to know.
#ifndef TS_ENGINE_JOINT_TRAITS_INTERNAL_H
#define TS_ENGINE_JOINT_TRAITS_INTERNAL_H

#include "base/assert.h"
#include "base/spatial.h"
#include "engine/model/model.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most that a type may have, for arrays.
enum { TS_JOINT_NQ_MOST = 7, TS_JOINT_NV_MOST = 6, TS_JOINT_STOPS_MOST = 2 };

/// Which end of a range a stop is.
typedef enum ts_joint_side { TS_JOINT_LOWER, TS_JOINT_UPPER } ts_joint_side;

/// One end of a joint's range.
typedef struct ts_joint_stop {
    ts_joint_side side;
    double gap;                     // rad or m left before the stop; < 0 beyond it
    double rate[TS_JOINT_NV_MOST];  // change of gap per unit of each velocity of the joint
} ts_joint_stop;

/// A row of the table.
typedef struct ts_joint_traits {
    const char* name;  // in files, messages and recordings
    int numbers;
    int quaternion;  // 0 or 1
    int has_axis;    // nonzero: ts_joint.axis means something
    int is_angle;    // nonzero: range, reference and spring_rest are angles
    int floats;  // nonzero: the coordinates are the body's pose in the world; nothing to be attached to, so no springs

    /// Moves the body frame `placed` from where the joints before have left it, and gives the velocity that a unit of each of
    /// the joint's velocities causes at the returned point, the anchor in the world (all in world axes).
    ts_vec3 (*place)(const ts_joint* joint, const double* q, ts_transform* placed, ts_motion* out_axis);

    /// The stops of a limited joint: how many (TS_JOINT_STOPS_MOST at most), in the order of `side`. NULL: cannot be limited.
    int (*stops)(const ts_joint* joint, const double* q, ts_joint_stop* out_stop);

    /// What is wrong with the range of a limited joint (two finite numbers), or NULL. Goes with `stops`.
    const char* (*range_fault)(const double* range);
} ts_joint_traits;

/// The table, by ts_joint_type (joint_table.c).
extern const ts_joint_traits* const ts_joint_table[TS_JOINT_TYPE_COUNT];

/// The row of a type.
static inline const ts_joint_traits* ts_joint_traits_of(ts_joint_type type) {
    TS_ASSERT((unsigned)type < (unsigned)TS_JOINT_TYPE_COUNT);
    return ts_joint_table[type];
}

/// The quaternion of ts_joint_integrate.
void ts_joint_integrate_turn(const double* q, const double* v, double h, double* out_q);

/// out_q = q (+) h v. out_q may be q.
static inline void ts_joint_integrate(ts_joint_type type, const double* q, const double* v, double h, double* out_q) {
    const ts_joint_traits* traits = ts_joint_traits_of(type);
    int n = traits->numbers;
    for (int i = 0; i < n; ++i) out_q[i] = q[i] + h * v[i];
    if (traits->quaternion) ts_joint_integrate_turn(q + n, v + n, h, out_q + n);
}

/// out_v with b = a (+) h out_v, turns below pi: the inverse of ts_joint_integrate.
void ts_joint_difference(ts_joint_type type, const double* a, const double* b, double h, double* out_v);

/// The coordinates that leave the body at `pose` (in its parent), where it is described.
void ts_joint_rest(const ts_joint* joint, const ts_pose* pose, double* out_q);

/// The quaternion's part of ts_joint_stretch.
void ts_joint_stretch_turn(const double* q, double* out_stretch);

/// How far the joint's spring is stretched along each velocity (rad or m): numbers from spring_rest, a quaternion from no
/// rotation.
static inline void ts_joint_stretch(const ts_joint* joint, const double* q, double* out_stretch) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    int n = traits->numbers;
    for (int i = 0; i < n; ++i) out_stretch[i] = q[i] - joint->spring_rest;
    if (traits->quaternion) ts_joint_stretch_turn(q + n, out_stretch + n);
}

/// `place` for what turns: turns the frame about the point `anchor` (body frame), which stays at `anchor_world`.
void ts_joint_turn(ts_transform* placed, ts_vec3 anchor, ts_vec3 anchor_world, ts_quat turn);

/// `stops` of one number between range[0] and range[1].
int ts_joint_interval_stops(const ts_joint* joint, const double* q, ts_joint_stop* out_stop);

/// `range_fault` of such a number.
const char* ts_joint_interval_fault(const double* range);

#ifdef __cplusplus
}
#endif
#endif
