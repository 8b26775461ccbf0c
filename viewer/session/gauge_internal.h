// Numbers of a simulation by name, for whoever wants to watch them.
#ifndef TS_VIEWER_SESSION_GAUGE_INTERNAL_H
#define TS_VIEWER_SESSION_GAUGE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads "time", "FIELD[NUMBER]" or "FIELD[NAME]" of what a shadow has: qpos and qvel by joint, ctrl and actuator_force by actuator, sensor by
/// sensor, tendon_length by tendon, act. Returns NULL, or what is wrong with the text.
const char* ts_gauge_read(const ts_sim* sim, const char* text, double* out_value);

#ifdef __cplusplus
}
#endif
#endif
