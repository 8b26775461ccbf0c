// What a surrounding medium does to bodies.
#ifndef TS_ENGINE_FLUID_INTERNAL_H
#define TS_ENGINE_FLUID_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Nonzero when there is a medium.
static inline int ts_fluid_is_there(const ts_options* options) {
    return options->density > 0.0 || options->viscosity > 0.0;
}

/// Adds the medium's forces on a tree, for the last kinematics, to `force`, what of them the integrator takes ahead to M (both of the tree), and
/// puts them into sim->force_fluid. Those on bodies whose velocity the integrator finds itself are left to ts_fluid_lone_bodies. Different
/// trees may be worked on at once.
void ts_fluid_tree(ts_sim* sim, int tree, double* M, double* force);

/// The same of bodies whose velocity the integrator finds itself, added to `applied` (nv).
void ts_fluid_lone_bodies(ts_sim* sim, double* applied);

/// J: the work of the medium in a step, for the last kinematics, with velocities (nv) that are `middle` on average and change by `change`.
double ts_fluid_work(const ts_sim* sim, const double* middle, const double* change);

#ifdef __cplusplus
}
#endif
#endif
