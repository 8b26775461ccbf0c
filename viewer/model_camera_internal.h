// The cameras that a model has of its own.
#ifndef TS_VIEWER_MODEL_CAMERA_INTERNAL_H
#define TS_VIEWER_MODEL_CAMERA_INTERNAL_H

#include "engine/sim.h"
#include "viewer/camera.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Looks through camera number `index` of the simulation's model, where that is now. The distance stays: it says at what depth a drag
/// turns and moves things, and how near and far is drawn.
void ts_model_camera_look(const ts_sim* sim, int index, ts_camera* camera);

#ifdef __cplusplus
}
#endif
#endif
