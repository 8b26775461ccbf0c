// What happens to bodies in a step: their accelerations, and the forces that hold each to its parent. Found once per step, when the first
// sensor asks.
#ifndef TS_ENGINE_SENSOR_MOTION_INTERNAL_H
#define TS_ENGINE_SENSOR_MOTION_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Spatial vectors in world axes, about the origin of the body's tree (of what cannot move about the world's).
typedef struct ts_sensor_motion {
    ts_motion* acceleration;  // (body_count) against free fall: of what is at rest -g
    ts_force* force;          // (body_count) what the parent does to the body, joints and all
    double* pull;             // (tendon_count) scratch: N, along each tendon
    int has_accelerations;    // of the present step
    int has_forces;
} ts_sensor_motion;

/// Room for it, in the simulation's own memory. Returns 0 when that is short.
int ts_sensor_motion_create(ts_sim* sim);

/// A step is to be measured: nothing is known yet.
void ts_sensor_motion_begin(ts_sim* sim);

/// With the accelerations of the step.
const ts_sensor_motion* ts_sensor_accelerations(ts_sim* sim);

/// With the forces, too.
const ts_sensor_motion* ts_sensor_forces(ts_sim* sim);

/// What a unit of row r of block b takes away from what bodies need (body_count), N per N, each about its origin. What ts_sensor_forces found is lost; pulls of tendons are not
/// followed.
const ts_force* ts_sensor_row_forces(ts_sim* sim, int b, int r);

/// The acceleration, against free fall and in world axes, of the point of `body` that is at `point` (world), m/s^2.
ts_vec3 ts_sensor_point_acceleration(ts_sim* sim, int body, ts_vec3 point);

/// Angular velocity of a body, world axes, for the last kinematics, rad/s.
ts_vec3 ts_sensor_turning(const ts_sim* sim, int body);

/// The point about which the spatial vectors of a body are.
ts_vec3 ts_sensor_origin(const ts_sim* sim, int body);

#ifdef __cplusplus
}
#endif
#endif
