// What a surface is made of, as far as contacts notice: read from a file or given by calls, copied whole from definition to
// geom, and combined once for every pair of geoms that touch. A new property stands here, is read by one row of
// engine/read/mjcf/schema.c, and acts where it is used.
#ifndef TS_ENGINE_SURFACE_H
#define TS_ENGINE_SURFACE_H

#include "contact/mujoco_softness.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A surface, or what two of them make of a contact.
typedef struct ts_surface {
    int dimension;                // 1 frictionless, 3 resists sliding, 4 spinning as well, 6 rolling as well
    int priority;                 // of two surfaces the one with the higher priority speaks alone
    double friction;              // mu
    double friction_spin;         // m, mu_s: spinning about the normal is resisted by mu_s times the normal force
    double friction_roll;         // m, mu_r: rolling likewise
    double restitution;           // 0..1
    ts_mujoco_softness softness;  // how a soft contact springs and damps (docs/contact.md)
    double solmix;                // 1: weight of this softness against that of an equal
    double friction_solref[2];    // how soft friction damps, of a contact pair; 0 0: as softness says
    double margin;     // m: how much the surface is inflated, under every law: contacts act from this distance on
    double gap;        // m: how much farther apart contacts are known that do not act yet
    double adhesion;   // N: each contact holds against a pull of so much, and rubs as if pressed by so much more
    double motion[6];  // m/s, rad/s: how the surface runs over its geom, v + omega x x at x, in the geom's frame
} ts_surface;

/// How soft a contact is.
typedef struct ts_surface_softness {
    ts_mujoco_softness normal;
    double friction_solref[2];  // solref of its other rows, whose solimp is that of the normal one
} ts_surface_softness;

/// Resists sliding with mu 1, no restitution, MuJoCo's default softness.
ts_surface ts_surface_default(void);

/// What is wrong with a surface's numbers, or NULL.
const char* ts_surface_fault(const ts_surface* surface);

/// The surface between two: that of higher priority, or, of equals, the larger dimension, friction, spinning and rolling
/// friction, and both softnesses mixed with weights solmix (the smaller numbers of solref where one of them is in direct
/// form, negative). The larger restitution in any case. A solref of mixed signs becomes MuJoCo's default. Resistance that
/// needs friction is dropped where there is none, and with it its dimension. Motions stay with their geoms: the result has none.
/// Margins and gaps add up in any case, adhesions of equal priority.
ts_surface ts_surface_combine(const ts_surface* a, const ts_surface* b);

/// How soft contacts of a surface are.
ts_surface_softness ts_surface_softness_of(const ts_surface* surface);

/// ts_surface_softness_of what two surfaces make of a contact, without the rest of that.
ts_surface_softness ts_surface_softness_between(const ts_surface* a, const ts_surface* b);

#ifdef __cplusplus
}
#endif
#endif
