// How a search of the narrow phase closes in, drawn: A - B as glass with what the search holds at one of its steps.
//
//     ts_pair_drawing drawing;
//     ts_pair_drawing_open(&drawing, &pair, device, &status);
//     ts_camera camera = ts_pair_drawing_aim(&drawing, aspect);
//     ts_pair_drawing_draw(&drawing, step, &camera, width, height, &status);   // then ts_device_read
//     ts_pair_drawing_close(&drawing);
#ifndef TS_VIEWER_PAIR_DRAWING_H
#define TS_VIEWER_PAIR_DRAWING_H

#include "collision/distance/proximity.h"
#include "scenes/scene_sizes.h"
#include "viewer/camera.h"
#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A query that was watched: convex shapes, no planes. All borrowed.
typedef struct ts_watched_pair {
    const ts_shape* a;
    const ts_shape* b;
    const ts_transform* pose_a;
    const ts_transform* pose_b;
    const ts_proximity_trace* trace;  // of at least one step
} ts_watched_pair;

/// A drawing. Fill with ts_pair_drawing_open.
typedef struct ts_pair_drawing {
    const ts_proximity_trace* trace;  // borrowed
    ts_device* device;                // borrowed
    ts_scene_box box;                 // of A - B and the origin
    int has_body;                     // nonzero: A - B has a volume
    ts_draw_list list;
    ts_overlay overlay;  // set its typeface as you like
} ts_pair_drawing;

/// Gives the device the meshes; shapes and poses are not needed any more, the trace is. TS_ERROR_MEMORY; close it in any case.
ts_code ts_pair_drawing_open(ts_pair_drawing* out_drawing, const ts_watched_pair* pair, ts_device* device,
                             ts_status* out_status);

/// The camera that sees all of it, across the normal that was found.
ts_camera ts_pair_drawing_aim(const ts_pair_drawing* drawing, double aspect);

/// Draws step number `step` of the trace with its bounds in words, on white, or with `dark` nonzero under the dark sky.
ts_code ts_pair_drawing_draw(ts_pair_drawing* drawing, int step, const ts_camera* camera, const int size[2], int dark,
                             ts_status* out_status);

/// Releases the memory.
void ts_pair_drawing_close(ts_pair_drawing* drawing);

#ifdef __cplusplus
}
#endif
#endif
