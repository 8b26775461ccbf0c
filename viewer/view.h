// A look at a simulation through a device: meshes, camera and draw list together. Windows and pictures share it.
#ifndef TS_VIEWER_VIEW_H
#define TS_VIEWER_VIEW_H

#include "viewer/device.h"
#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A view. Fill with ts_view_open, release with ts_view_close.
typedef struct ts_view {
    ts_device* device;  // borrowed
    const ts_sim* sim;  // borrowed
    ts_camera camera;
    ts_scene_sizes sizes;
    unsigned show;  // TS_SHOW_ bits
    int wireframe;
    ts_draw_list list;
} ts_view;

/// What is shown unless asked otherwise: geoms with patterns, grid, contact points and forces.
unsigned ts_view_default_show(void);

/// Uploads the meshes the model needs; the camera frames the scene.
ts_code ts_view_open(ts_view* view, const ts_sim* sim, ts_device* device, ts_status* out_status);

/// Aims at everything worth seeing, in a picture of that width / height.
void ts_view_frame_scene(ts_view* view, double aspect);

/// Moves what is framed a little to the right in a picture of that size, so that the panel on the left hides less of it.
void ts_view_make_room(ts_view* view, int width, int height);

/// Aims at one body. A body without finite geoms changes nothing.
void ts_view_frame_body(ts_view* view, int body, double aspect);

/// Draws the simulation as it is now. `overlay` may be NULL.
ts_code ts_view_draw(ts_view* view, int width, int height, const ts_overlay* overlay, ts_status* out_status);

/// Releases the memory; device and simulation stay.
void ts_view_close(ts_view* view);

#ifdef __cplusplus
}
#endif
#endif
