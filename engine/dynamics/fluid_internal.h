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

/// Force and couple of a shape about its centre, and what of them slows down.
typedef struct ts_fluid_pressure {
    ts_vec3 force, couple;
    ts_mat3 drag, turn_drag;  // -df/dv and -dg/dw, symmetric and not negative
} ts_fluid_pressure;

/// From velocity against the medium and spin, all in the axes of the shape.
ts_fluid_pressure ts_fluid_press(const ts_options* options, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w);

/// How all of it changes as v and w change by dv and dw.
ts_fluid_pressure ts_fluid_press_slope(const ts_options* options, const ts_fluid_shape* shape, ts_vec3 v, ts_vec3 w,
                                       ts_vec3 dv, ts_vec3 dw);

/// Whether the integrator takes ahead what slows down, in the matrix of this tree.
int ts_fluid_is_ahead(const ts_sim* sim, int tree);

/// Whether a lone body gets a force that comes to the same instead (ts_fluid_lone_bodies).
int ts_fluid_is_freed(const ts_sim* sim, int tree);

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
