// Frames of bodies and geoms where the walk of kinematics moves them: axes and origin in the world, each a vector of four of which the last number
// means nothing; kept in registers from a body to the next.
#ifndef TS_ENGINE_KINEMATICS_FRAME_INTERNAL_H
#define TS_ENGINE_KINEMATICS_FRAME_INTERNAL_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/spatial_four_internal.h"

/// Axes and origin, in the world.
typedef struct ts_frame_four {
    ts_four x, y, z, p;
} ts_frame_four;

/// From where it is stored; no other numbers are read.
static inline ts_frame_four ts_frame_four_load(const ts_transform* from) {
    const double* r = (const double*)from;
    ts_frame_four f = {ts_four_load(r), ts_four_load(r + 3), ts_four_next(ts_four_load(r + 5)),
                       ts_four_next(ts_four_load(r + 8))};
    ts_four rest = ts_four_zero();
    ts_four_transpose(&f.x, &f.y, &f.z, &rest);
    return f;
}

/// In the order of memory, each time one number further than it is meant to, which is the next; but not the last.
static inline void ts_frame_four_store(ts_frame_four f, ts_transform* to) {
    double* r = (double*)to;
    ts_four rest = ts_four_zero();
    ts_four_transpose(&f.x, &f.y, &f.z, &rest);
    ts_four_store(f.x, r);
    ts_four_store(f.y, r + 3);
    ts_four_store(f.z, r + 6);
    ts_four_store_three(f.p, r + 9);
}

static inline ts_four ts_frame_four_along(const ts_frame_four* f, double x, double y, double z) {
    return ts_four_plus(ts_four_plus(ts_four_times(x, f->x), ts_four_times(y, f->y)), ts_four_times(z, f->z));
}

/// A direction of the frame, in the world.
static inline ts_four ts_frame_four_direction(const ts_frame_four* f, ts_vec3 v) {
    return ts_frame_four_along(f, v.x, v.y, v.z);
}

/// A point of the frame, in the world.
static inline ts_four ts_frame_four_point(const ts_frame_four* f, ts_vec3 v) {
    return ts_four_plus(f->p, ts_frame_four_direction(f, v));
}

static inline ts_frame_four ts_frame_four_turned(const ts_frame_four* f, const double R[3][3]) {
    ts_frame_four g = {ts_frame_four_along(f, R[0][0], R[1][0], R[2][0]),
                       ts_frame_four_along(f, R[0][1], R[1][1], R[2][1]),
                       ts_frame_four_along(f, R[0][2], R[1][2], R[2][2]), f->p};
    return g;
}

/// What sits in the frame like this; `seated` is that of the kinematics.
static inline ts_frame_four ts_frame_four_seated(const ts_frame_four* carrier, const ts_transform* seated,
                                                 ts_seat seat) {
    ts_frame_four f = *carrier;
    if (seat & 1) f = ts_frame_four_turned(carrier, seated[seat >> 1].R.m);
    if (seat) f.p = ts_frame_four_point(carrier, seated[seat >> 1].p);
    return f;
}

/// Where a geom is that the frame carries; one that lies as its body does has no pose of its own.
static inline void ts_frame_four_place_geom(const ts_frame_four* carrier, int geom, const ts_kinematics* k) {
    ts_seat seat = k->geom_seat[geom];
    if (seat) ts_frame_four_store(ts_frame_four_seated(carrier, k->seated, seat), &k->body_pose[k->geom_place[geom]]);
}

/// The inertia of a body in the frame, about a point seen from which the centre of mass is at c: R I R^T + m (c.c 1 - c c^T), the diagonal, and beside it xy, yz, zx.
static inline void ts_frame_four_inertia(const ts_frame_four* f, const ts_body* body, ts_four c, ts_inertia* out) {
    const double(*I)[3] = body->inertia.m;
    ts_four diagonal = ts_four_zero(), beside = ts_four_zero();
    const ts_four column[3] = {f->x, f->y, f->z};
    for (int k = 0; k < 3; ++k) {
        ts_four T = ts_four_plus(ts_four_times(I[0][k], f->x), ts_four_times(I[1][k], f->y));
        T = ts_four_plus(T, ts_four_times(I[2][k], f->z));
        diagonal = ts_four_plus(diagonal, ts_four_product(T, column[k]));
        beside = ts_four_plus(beside, ts_four_product(T, ts_four_turn(column[k])));
    }
    ts_four moment = ts_four_times(body->mass, c), square = ts_four_turn(ts_four_product(moment, c));
    diagonal = ts_four_plus(diagonal, ts_four_plus(square, ts_four_turn(square)));
    beside = ts_four_minus(beside, ts_four_product(moment, ts_four_turn(c)));
    double first[4], own[4], pair[4];
    ts_four_store(moment, first);
    ts_four_store(diagonal, own);
    ts_four_store(beside, pair);
    ts_inertia inertia = {body->mass,
                          ts_vec3_load(first),
                          {{{own[0], pair[0], pair[2]}, {pair[0], own[1], pair[1]}, {pair[2], pair[1], own[2]}}}};
    *out = inertia;
}

// Two axes as they are after a turn about the third.
static inline void ts_frame_four_mix(double c, double s, ts_four* a, ts_four* b) {
    ts_four x = *a, y = *b;
    *a = ts_four_plus(ts_four_times(c, x), ts_four_times(s, y));
    *b = ts_four_minus(ts_four_times(c, y), ts_four_times(s, x));
}

/// The frame turned about a unit vector of its own by an angle of this cosine and sine.
static inline void ts_frame_four_turn(ts_frame_four* f, ts_vec3 axis, ts_hinge_way way, double c, double s) {
    switch (way) {
    case TS_HINGE_X: ts_frame_four_mix(c, s * axis.x, &f->y, &f->z); break;
    case TS_HINGE_Y: ts_frame_four_mix(c, s * axis.y, &f->z, &f->x); break;
    case TS_HINGE_Z: ts_frame_four_mix(c, s * axis.z, &f->x, &f->y); break;
    default: {
        ts_vec3 across = ts_vec3_scale(s, axis), rest = ts_vec3_scale(1.0 - c, axis);
        const double turn[3][3] = {{c + rest.x * axis.x, rest.x * axis.y - across.z, rest.x * axis.z + across.y},
                                   {rest.y * axis.x + across.z, c + rest.y * axis.y, rest.y * axis.z - across.x},
                                   {rest.z * axis.x - across.y, rest.z * axis.y + across.x, c + rest.z * axis.z}};
        *f = ts_frame_four_turned(f, turn);
    }
    }
}

#endif
