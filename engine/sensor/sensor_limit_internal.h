// Forces of limits, out of the step's rows.
#ifndef TS_ENGINE_SENSOR_LIMIT_INTERNAL_H
#define TS_ENGINE_SENSOR_LIMIT_INTERNAL_H

#include "engine/sensor/sensor_step_slope_internal.h"
#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Impulse over time step of all rows that the source of that name (engine/rows/) made for thing `whole`.
double ts_sensor_limit_force(const ts_sim* sim, const char* source, int whole);

/// How it answers to them.
void ts_sensor_limit_force_slope(const ts_sim* sim, const char* source, int whole, const ts_sensor_step_slope* by);

#ifdef __cplusplus
}
#endif
#endif
