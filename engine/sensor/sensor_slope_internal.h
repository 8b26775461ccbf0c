// What slopes of sensors are made of: how points and frames of bodies answer to the state.
#ifndef TS_ENGINE_SENSOR_SLOPE_INTERNAL_H
#define TS_ENGINE_SENSOR_SLOPE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point of a body: (3 x nv) each, row-major.
typedef struct ts_sensor_point {
    double *J, *J_w;        // its velocity and the turning by qvel; the point and what turns by position
    double *by_q, *w_by_q;  // velocity and turning by position
} ts_sensor_point;

/// Finds them for the last kinematics; `body` -1: nothing moves. Returns 0 when memory is short.
int ts_sensor_point_find(const ts_sim* sim, int body, ts_vec3 point, ts_arena* arena, ts_sensor_point* out_point);

/// Column d of a matrix (3 x nv).
static inline ts_vec3 ts_sensor_column(const double* matrix, int nv, int d) {
    return ts_vec3_make(matrix[d], matrix[nv + d], matrix[2 * nv + d]);
}

/// The same, to be written.
static inline void ts_sensor_set_column(double* matrix, int nv, int d, ts_vec3 x) {
    matrix[d] = x.x;
    matrix[nv + d] = x.y;
    matrix[2 * nv + d] = x.z;
}

/// A quaternion q that turns by `turn` (world axes): dq = (0, turn) q / 2.
static inline ts_quat ts_sensor_turned(ts_vec3 turn, ts_quat q) {
    return ts_quat_mul(ts_quat_make(0.0, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z), q);
}

#ifdef __cplusplus
}
#endif
#endif
