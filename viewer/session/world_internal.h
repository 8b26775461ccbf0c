// A scene with the simulation of it, held by everyone who still shows it.
#ifndef TS_VIEWER_SESSION_WORLD_INTERNAL_H
#define TS_VIEWER_SESSION_WORLD_INTERNAL_H

#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world. Only the thread that steps touches `sim`; the scene's model may be read by all.
typedef struct ts_world {
    ts_loaded_scene own;           // what was loaded here; empty when it is somebody else's
    const ts_loaded_scene* scene;  // `own`, or somebody else's
    ts_sim* sim;
    int owns_sim;
    char subject[1024];  // what ts_scene_load knows it by; "" when nobody says
    ts_vec3 reach[2];    // m, low and high end of the box it may get to (ts_scene_sizes_reach)
    int number;          // tells worlds of a session apart
    int holders;         // who shows it; see ts_world_release
} ts_world;

/// A world of somebody else's scene and simulation, which must outlive it. One holder.
ts_code ts_world_borrow(const ts_loaded_scene* scene, ts_sim* sim, const char* subject, ts_world** out_world,
                        ts_status* out_status);

/// Loads a scene by name or path, ready to step with that many threads. One holder.
ts_code ts_world_load(const char* subject, int workers, ts_world** out_world, ts_status* out_status);

/// Takes over from another world what still fits: a solver and integrator that were chosen, time, and the joints, controls and activations of those
/// names. Returns how many joints did not find theirs.
int ts_world_carry_over(const ts_world* from, ts_world* to);

/// One holder less. Returns nonzero when that was the last, and the caller has to ts_world_free it. Callers take turns (a lock).
int ts_world_release(ts_world* world);

/// Frees it; NULL is ignored.
void ts_world_free(ts_world* world);

#ifdef __cplusplus
}
#endif
#endif
