// 6-D spatial vectors by value. A motion and a force share axes and a reference point o chosen by the caller; here
// that is always "world axes, a point o named by whoever fills the struct". Angular part first.
#ifndef TS_BASE_SPATIAL_H
#define TS_BASE_SPATIAL_H

#include "base/mat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A twist (or a spatial acceleration): angular velocity and the velocity of the body point at o.
typedef struct ts_motion {
    ts_vec3 angular;  // rad/s
    ts_vec3 linear;   // m/s, at o
} ts_motion;

/// A wrench: couple about o and force.
typedef struct ts_force {
    ts_vec3 couple;  // N m, about o
    ts_vec3 force;   // N
} ts_force;

/// Rigid-body inertia about o: mass, first moment, and second moment of mass.
typedef struct ts_inertia {
    double mass;       // kg
    ts_vec3 moment;    // kg m: mass times (centre of mass - o)
    ts_mat3 rotation;  // kg m^2: rotational inertia about o
} ts_inertia;

/// The zero motion.
static inline ts_motion ts_motion_zero(void) {
    ts_motion a = {ts_vec3_zero(), ts_vec3_zero()};
    return a;
}

/// The zero force.
static inline ts_force ts_force_zero(void) {
    ts_force a = {ts_vec3_zero(), ts_vec3_zero()};
    return a;
}

/// a + b
static inline ts_motion ts_motion_add(ts_motion a, ts_motion b) {
    ts_motion c = {ts_vec3_add(a.angular, b.angular), ts_vec3_add(a.linear, b.linear)};
    return c;
}

/// a + s b
static inline ts_motion ts_motion_add_scaled(ts_motion a, double s, ts_motion b) {
    ts_motion c = {ts_vec3_add_scaled(a.angular, s, b.angular), ts_vec3_add_scaled(a.linear, s, b.linear)};
    return c;
}

/// a + b
static inline ts_force ts_force_add(ts_force a, ts_force b) {
    ts_force c = {ts_vec3_add(a.couple, b.couple), ts_vec3_add(a.force, b.force)};
    return c;
}

/// a - b
static inline ts_force ts_force_sub(ts_force a, ts_force b) {
    ts_force c = {ts_vec3_sub(a.couple, b.couple), ts_vec3_sub(a.force, b.force)};
    return c;
}

/// Power of f on m, the same for any common reference point.
static inline double ts_motion_dot_force(ts_motion m, ts_force f) {
    return ts_vec3_dot(m.angular, f.couple) + ts_vec3_dot(m.linear, f.force);
}

/// a x b for motions: the rate of change of b carried along by a.
static inline ts_motion ts_motion_cross(ts_motion a, ts_motion b) {
    ts_motion c = {ts_vec3_cross(a.angular, b.angular),
                   ts_vec3_add(ts_vec3_cross(a.angular, b.linear), ts_vec3_cross(a.linear, b.angular))};
    return c;
}

/// a x* f: the rate of change of a force carried along by a.
static inline ts_force ts_motion_cross_force(ts_motion a, ts_force f) {
    ts_force c = {ts_vec3_add(ts_vec3_cross(a.angular, f.couple), ts_vec3_cross(a.linear, f.force)),
                  ts_vec3_cross(a.angular, f.force)};
    return c;
}

/// The velocity of the body point at offset r from o.
static inline ts_vec3 ts_motion_at(ts_motion m, ts_vec3 r) {
    return ts_vec3_add(m.linear, ts_vec3_cross(m.angular, r));
}

/// Momentum (or force) of an inertia under a motion about the same o.
static inline ts_force ts_inertia_mul(const ts_inertia* i, ts_motion m) {
    ts_force f = {ts_vec3_add(ts_mat3_mul_vec(&i->rotation, m.angular), ts_vec3_cross(i->moment, m.linear)),
                  ts_vec3_sub(ts_vec3_scale(i->mass, m.linear), ts_vec3_cross(i->moment, m.angular))};
    return f;
}

/// Two bodies welded together; both inertias about the same o.
static inline ts_inertia ts_inertia_add(ts_inertia a, ts_inertia b) {
    ts_inertia c = {a.mass + b.mass, ts_vec3_add(a.moment, b.moment), ts_mat3_add(a.rotation, b.rotation)};
    return c;
}

/// The inertia about o of a body of mass m whose centre sits at `centre` (seen from o) with inertia `about_centre`.
static inline ts_inertia ts_inertia_make(double mass, ts_vec3 centre, ts_mat3 about_centre) {
    double cc = ts_vec3_dot(centre, centre);
    ts_mat3 shift = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(cc, cc, cc)), ts_mat3_outer(centre, centre));
    ts_inertia i = {mass, ts_vec3_scale(mass, centre), ts_mat3_add(about_centre, ts_mat3_scale(mass, shift))};
    return i;
}

#ifdef __cplusplus
}
#endif
#endif
