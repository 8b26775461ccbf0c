// Kinematics, poses: where joints put the bodies of a tree, and where their geoms are.
//
// Problem, rule and source: kinematics.c. Axes of frames and places are vectors of four, of which the last number means nothing; a frame stays in
// registers from a body to the next where that hangs on it. Hinges, which most joints are, are placed here; others by their row of the table.
// Guaranteed: same bits with and without AVX2, since every number is its own sum.
#include "engine/dynamics/kinematics_walk_internal.h"

#include <math.h>

#include "base/linear/four.h"
#include "engine/model/joint/joint_traits_internal.h"

// Axes and origin, in the world.
typedef struct frame {
    ts_four x, y, z, p;
} frame;

static inline frame load(const ts_transform* from) {
    const double* r = (const double*)from;
    frame f = {ts_four_load(r), ts_four_load(r + 3), ts_four_next(ts_four_load(r + 5)),
               ts_four_next(ts_four_load(r + 8))};
    ts_four rest = ts_four_zero();
    ts_four_transpose(&f.x, &f.y, &f.z, &rest);
    return f;
}

static inline void store_three(ts_four v, ts_vec3* to) {
    double at[4];
    ts_four_store(v, at);
    *to = ts_vec3_load(at);
}

// In the order of memory, each time one number further than it is meant to, which is the next.
static inline void store(frame f, ts_transform* to) {
    double* r = (double*)to;
    ts_four rest = ts_four_turn(f.p);
    ts_four_transpose(&f.x, &f.y, &f.z, &rest);
    ts_four_store(f.x, r);
    ts_four_store(f.y, r + 3);
    ts_four_store(f.z, r + 6);
    store_three(f.p, &to->p);
}

static inline ts_four along(const frame* f, double x, double y, double z) {
    return ts_four_plus(ts_four_plus(ts_four_times(x, f->x), ts_four_times(y, f->y)), ts_four_times(z, f->z));
}

static inline ts_four direction(const frame* f, ts_vec3 v) { return along(f, v.x, v.y, v.z); }

static inline ts_four point(const frame* f, ts_vec3 v) { return ts_four_plus(f->p, direction(f, v)); }

static inline frame turned(const frame* f, const double R[3][3]) {
    frame g = {along(f, R[0][0], R[1][0], R[2][0]), along(f, R[0][1], R[1][1], R[2][1]),
               along(f, R[0][2], R[1][2], R[2][2]), f->p};
    return g;
}

static inline frame seated(const frame* carrier, const ts_transform* local, ts_seat seat) {
    frame f = *carrier;
    if (seat == TS_SEAT_TURNED) f = turned(carrier, local->R.m);
    if (seat != TS_SEAT_SAME) f.p = point(carrier, local->p);
    return f;
}

// Two axes as they are after a turn about the third.
static inline void mix(double c, double s, ts_four* a, ts_four* b) {
    ts_four x = *a, y = *b;
    *a = ts_four_plus(ts_four_times(c, x), ts_four_times(s, y));
    *b = ts_four_minus(ts_four_times(c, y), ts_four_times(s, x));
}

// The frame turned about a unit vector of its own.
static inline void turn_about(frame* f, ts_vec3 axis, double angle) {
    double c = cos(angle), s = sin(angle);
    if (axis.y == 0.0 && axis.z == 0.0) {
        mix(c, s * axis.x, &f->y, &f->z);
    } else if (axis.z == 0.0 && axis.x == 0.0) {
        mix(c, s * axis.y, &f->z, &f->x);
    } else if (axis.x == 0.0 && axis.y == 0.0) {
        mix(c, s * axis.z, &f->x, &f->y);
    } else {
        ts_vec3 across = ts_vec3_scale(s, axis), rest = ts_vec3_scale(1.0 - c, axis);
        const double turn[3][3] = {{c + rest.x * axis.x, rest.x * axis.y - across.z, rest.x * axis.z + across.y},
                                   {rest.y * axis.x + across.z, c + rest.y * axis.y, rest.y * axis.z - across.x},
                                   {rest.z * axis.x - across.y, rest.z * axis.y + across.x, c + rest.z * axis.z}};
        *f = turned(f, turn);
    }
}

// A body that turns about a line; returns where the line is held.
static inline ts_four place_hinge(const ts_joint* joint, double q, frame* f, ts_motion* out_axis) {
    store_three(direction(f, joint->axis), &out_axis->angular);
    out_axis->linear = ts_vec3_zero();
    if (ts_vec3_max_abs(joint->anchor) == 0.0) {
        turn_about(f, joint->axis, q - joint->reference);
        return f->p;
    }
    ts_four anchor = point(f, joint->anchor);
    turn_about(f, joint->axis, q - joint->reference);
    f->p = ts_four_minus(anchor, direction(f, joint->anchor));
    return anchor;
}

// Axes are about the anchor for now; the walk takes them to the tree's origin once that is known.
static inline void place_joint(const ts_joint* joint, const double* q, frame* f, ts_vec3* out_anchor,
                               ts_motion* out_axis) {
    const ts_joint_traits* traits = ts_joint_traits_of(joint->type);
    if (traits->has_axis && traits->is_angle) {
        store_three(place_hinge(joint, *q, f, out_axis), out_anchor);
        return;
    }
    ts_transform placed;
    store(*f, &placed);
    *out_anchor = traits->place(joint, q, &placed, out_axis);
    *f = load(&placed);
}

static inline void place(const ts_model* model, const int* list, int count, const double* qpos, ts_kinematics* k) {
    static const ts_transform world = {{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.0, 0.0, 0.0}};
    frame f = load(&world);
    for (int i = 0, before = -1; i < count; before = list[i++]) {
        int b = list[i];
        const ts_body* body = &model->body[b];
        if (body->parent != before) f = load(body->parent < 0 ? &world : &k->body_pose[body->parent]);
        if (body->parent >= 0) f = seated(&f, &k->body_local[b], k->body_seat[b]);
        for (int j = body->joint_first; j < body->joint_first + body->joint_count; ++j) {
            const ts_joint* joint = &model->joint[j];
            place_joint(joint, qpos + joint->qpos_first, &f, &k->joint_anchor[j], k->dof_axis + joint->dof_first);
        }
        store(f, &k->body_pose[b]);
        store_three(point(&f, body->centre), &k->body_centre[b]);
        for (int g = body->geom_first; g < body->geom_first + body->geom_count; ++g)
            store(seated(&f, &k->geom_local[g], k->geom_seat[g]), &k->geom_pose[g]);
    }
}

#if TS_WIDE

void ts_kinematics_poses_wide(const ts_model* model, const int* list, int count, const double* qpos,
                              ts_kinematics* kinematics) {
    place(model, list, count, qpos, kinematics);
}

#else

void ts_kinematics_poses_narrow(const ts_model* model, const int* list, int count, const double* qpos,
                                ts_kinematics* kinematics) {
    place(model, list, count, qpos, kinematics);
}

void ts_kinematics_poses(const ts_model* model, const int* list, int count, const double* qpos,
                         ts_kinematics* kinematics) {
#if TS_HAVE_WIDE
    if (__builtin_cpu_supports("avx2")) {
        ts_kinematics_poses_wide(model, list, count, qpos, kinematics);
        return;
    }
#endif
    place(model, list, count, qpos, kinematics);
}

#endif
