// The projections that the sweeps of the solvers need inline: a call that returns a struct through memory costs as much
// as the arithmetic. contact/cone.h has the same functions for everyone else.
#ifndef TS_CONTACT_CONE_INTERNAL_H
#define TS_CONTACT_CONE_INTERNAL_H

#include "base/vec.h"

/// ts_cone_project, inline.
static inline ts_vec3 ts_cone_project_inline(ts_vec3 x, double mu) {
    // Squares are compared, so that the common cases wait for no square root. The order of the tests matters at the
    // cone's tip only, where all three answers agree.
    double tt = x.x * x.x + x.y * x.y;
    double reach = mu * x.z;
    if (x.z >= 0.0 && tt <= reach * reach) return x;
    if (x.z <= 0.0 && mu * mu * tt <= x.z * x.z) return ts_vec3_zero();
    // Here tt > 0: tt = 0 would have taken one of the returns above.
    double t = sqrt(tt);
    double z = (mu * t + x.z) / (1.0 + mu * mu);
    double s = mu * z / t;
    return ts_vec3_make(s * x.x, s * x.y, z);
}

/// ts_cone_project_horizontal, inline.
static inline ts_vec3 ts_cone_project_horizontal_inline(ts_vec3 x, double mu) {
    double z = x.z > 0.0 ? x.z : 0.0;
    double tt = x.x * x.x + x.y * x.y;
    double radius = mu * z;
    double s = tt > radius * radius ? radius / sqrt(tt) : 1.0;
    return ts_vec3_make(s * x.x, s * x.y, z);
}

/// ts_cone_distance of a point with tangential part t (tt = t^2) and normal part z.
static inline double ts_cone_distance_inline(double tt, double t, double z, double mu) {
    // With mu = 0 the product forgets the sign of z, so it is asked for.
    if (z >= 0.0 && t <= mu * z) return 0.0;
    if (mu * t <= -z) return sqrt(tt + z * z);
    return (t - mu * z) / sqrt(1.0 + mu * mu);
}

/// ts_cone_distance_dual, likewise.
static inline double ts_cone_distance_dual_inline(double tt, double t, double z, double mu) {
    if (mu * t <= z) return 0.0;
    if (t <= -mu * z) return sqrt(tt + z * z);
    return (mu * t - z) / sqrt(1.0 + mu * mu);
}

#endif
