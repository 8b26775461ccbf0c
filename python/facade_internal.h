// What the parts of the Python package's C side share.
#ifndef TS_PYTHON_FACADE_INTERNAL_H
#define TS_PYTHON_FACADE_INTERNAL_H

#include "engine/sim.h"
#include "python/facade.h"
#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a handle of Python's points at.
struct ts_python_world {
    ts_loaded_scene scene;
    ts_sim* sim;
    struct ts_python_dynamics* dynamics;  // NULL until it is asked for (dynamics.c)
};

/// Releases what dynamics.c keeps for a world.
void ts_python_dynamics_free(ts_python_world* world);

#ifdef __cplusplus
}
#endif
#endif
