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

/// Most characters of the words that are watched, the end included.
enum { TS_GAUGE_WORDS = 96 };

/// Copies word number n (from 0) of words separated by spaces. Returns 0 when there is none.
int ts_gauge_word(const char* words, int n, char out_word[TS_GAUGE_WORDS]);

#ifdef __cplusplus
}
#endif
#endif
