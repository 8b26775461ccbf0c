// A length that changes with some degrees of freedom: of an actuator's transmission, of a tendon.
#ifndef TS_ENGINE_LEVER_INTERNAL_H
#define TS_ENGINE_LEVER_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called with a wrench (world axes, at `point`) on a body.
typedef void (*ts_lever_listener)(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench, void* user);

/// Which degrees of freedom a length may change with, which follows from the model alone, and how much it does, for the last kinematics.
typedef struct ts_lever {
    int* dof;        // (count) ascending
    double* moment;  // (count) derivative of the length by each
    int count;
    int tree;      // the one that all of it belongs to, or -1
    int is_chain;  // nonzero: each of dof hangs on the one before, and the tree is no lone free body
    int* chain;    // (chain_count) the last dof of each chain to a root
    int chain_count;
    ts_lever_listener
        listener;  // NULL; else it is told the wrenches of a unit of force along the length, and moments stay
    void* user;    // is handed to it
} ts_lever;

/// A lever over the marked degrees of freedom (nv marks), in the simulation's own memory. Returns 0 when it is short.
int ts_lever_create(ts_sim* sim, const char* marks, ts_lever* out_lever);

/// Marks the degrees of freedom that move a body.
void ts_lever_mark_body(const ts_model* model, int body, char* marks);

/// Adds what a wrench (world axes, at `point`) on a body does along each degree of freedom of the lever that moves the body.
void ts_lever_add_wrench(const ts_sim* sim, int body, ts_vec3 point, ts_force wrench, ts_lever* lever);

/// Moment times velocities (nv).
static inline double ts_lever_rate(const ts_lever* lever, const double* velocity) {
    double rate = 0.0;
    for (int k = 0; k < lever->count; ++k) rate += lever->moment[k] * velocity[lever->dof[k]];
    return rate;
}

/// Adds coefficient times moment to an array over all degrees of freedom (nv), from `first` on.
static inline void ts_lever_pull(const ts_lever* lever, double coefficient, int first, double* force) {
    for (int k = 0; k < lever->count; ++k) force[lever->dof[k] - first] += coefficient * lever->moment[k];
}

#ifdef __cplusplus
}
#endif
#endif
