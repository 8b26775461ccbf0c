// Rendered pictures for the report, where the viewer is built and can render without a display.
#ifndef TS_CLI_PICTURE_H
#define TS_CLI_PICTURE_H

#include "base/text.h"
#include "scenes/scene_table.h"

/// The part of the world that all pictures of a comparison show, so that they can be laid side by side.
typedef struct ts_picture_box {
    ts_vec3 low;   // m
    ts_vec3 high;  // m
    int found;
} ts_picture_box;

/// What moves in `sim` as it is now; the body in focus not here but at the `count` displacements (m) given.
ts_picture_box ts_picture_frame(const ts_sim* sim, int focus, const ts_vec3* displacement, int count);

/// Steps a fresh simulation of the scene to `time`, renders it without a display and appends the picture as a data URI.
/// Returns 0, and appends nothing, when this build or machine cannot.
int ts_picture_data_uri(const ts_loaded_scene* scene, ts_sim* sim, double time, const ts_picture_box* box,
                        ts_text* text);

#endif
