// What is under the mouse.
#ifndef TS_VIEWER_SESSION_PICK_INTERNAL_H
#define TS_VIEWER_SESSION_PICK_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a ray meets a scene first.
typedef struct ts_pick {
    int geom;         // -1: it meets nothing
    int body;         // of that geom
    double distance;  // m
    ts_vec3 point;    // m, in the world
    ts_vec3 normal;   // unit, outwards
} ts_pick;

/// The nearest geom along a ray of unit direction. `looks` nonzero leaves out what bodies with shapes for looks have for contacts only;
/// geoms that cannot be seen are left out always.
ts_pick ts_pick_ray(const ts_sim* sim, ts_vec3 from, ts_vec3 direction, int looks);

#ifdef __cplusplus
}
#endif
#endif
