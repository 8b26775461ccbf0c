// How heavy bodies, degrees of freedom and tendons are to soft rows.
#ifndef TS_ENGINE_ROW_WEIGHT_INTERNAL_H
#define TS_ENGINE_ROW_WEIGHT_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Measures how much a unit impulse moves each body's centre of mass, each degree of freedom and each tendon, with all joints at
/// their references: MuJoCo's estimates of G_ii are sums of these. Leaves the simulation in that pose, to be reset. Returns 0 when
/// memory is short.
int ts_row_weigh(ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
