// A look at a simulation through a device: meshes, camera and draw list together. Windows and pictures share it.
#ifndef TS_VIEWER_VIEW_H
#define TS_VIEWER_VIEW_H

#include "viewer/device.h"
#include "viewer/scene_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The path of a point.
TS_ARRAY_DECLARE(ts_view_path, ts_vec3);

/// How a layer is drawn.
enum {
    TS_VIEW_PLAIN,
    TS_VIEW_OUTLINE,  // only the outline of what moves, on top of all
    TS_VIEW_GLASS     // what moves as glass in the layer's colour, without its contacts
};

/// One simulation in a view.
typedef struct ts_view_layer {
    const ts_sim* sim;              // borrowed
    ts_vec3 offset;                 // m, added to where things really are
    const float* color;             // sRGB of its moving bodies (borrowed), or NULL for their own
    const ts_view_path* path;       // drawn as a line (borrowed), or NULL
    int ghost;                      // TS_VIEW_PLAIN and so on
    const ts_contact_facts* facts;  // of its contacts (borrowed), or NULL: they are judged
} ts_view_layer;

/// Simulations a view can hold.
enum { TS_VIEW_LAYERS = 17 };

/// A line between two points with a ball at either.
typedef struct ts_view_rod {
    int shown;       // nonzero: it is there
    ts_vec3 end[2];  // m
} ts_view_rod;

/// A view. Fill with ts_view_open, release with ts_view_close.
typedef struct ts_view {
    ts_device* device;                    // borrowed
    const ts_sim* sim;                    // borrowed; that of the first layer
    ts_view_layer layer[TS_VIEW_LAYERS];  // the first one has everything, later ones only what moves
    int layer_count;
    ts_camera camera;
    ts_scene_sizes sizes;
    int model_camera;        // 1 + number of the model's camera that it is looked through, 0: `camera` is free
    unsigned show;           // TS_SHOW_ bits
    unsigned hidden_groups;  // bit g: geoms of group g are not shown
    int wireframe;
    int segments;    // of circles, as the device has round shapes now
    int untextured;  // nonzero: colours alone, and a sky of the viewer's own
    int sky;         // 1 + number of the model's texture for it, 0: none
    ts_background background;
    int dark;                  // nonzero: a dark theme
    ts_contact_filter filter;  // of the contacts that are shown
    int selected;              // body of the first layer with an outline of its own, or -1
    ts_view_rod spring;        // from the held point to where the mouse pulls it
    ts_view_rod ruler;         // between what is measured
    int has_reach;             // nonzero: the box that what hangs on the world gets to is known
    ts_vec3 reach_low;         // m
    ts_vec3 reach_high;
    ts_draw_list list;
    ts_own_shapes own;  // of the scene
    ts_arena arena;     // of what contacts do
} ts_view;

/// What is shown unless asked otherwise: geoms with patterns, grid, contact points and forces.
unsigned ts_view_default_show(void);

/// Uploads the meshes the model needs; the camera frames the scene.
ts_code ts_view_open(ts_view* view, const ts_sim* sim, ts_device* device, ts_status* out_status);

/// The same of a simulation that cannot be let go ahead, a copy of what one looks like: the box it will get to (low, high) is given.
ts_code ts_view_open_within(ts_view* view, const ts_sim* sim, const ts_vec3 reach[2], ts_device* device,
                            ts_status* out_status);

/// Aims at everything worth seeing, in a picture of that size. `make_room` nonzero keeps it whole in the right part of the
/// picture, so that the panel on the left hides less of it.
void ts_view_frame_scene(ts_view* view, int width, int height, int make_room);

/// Shows one more simulation of the same model. Call ts_view_frame_scene afterwards. Ignored when the view is full.
void ts_view_add_layer(ts_view* view, ts_view_layer layer);

/// The camera as asked for: NULL frames the scene from the default direction, a distance of zero from the camera's.
/// `make_room` nonzero leaves some for the panel, unless the camera says exactly where it is.
void ts_view_aim(ts_view* view, const ts_camera* camera, int width, int height, int make_room);

/// Puts `camera` where the model's camera is that it is looked through, if there is one.
void ts_view_follow(ts_view* view);

/// Aims at one body. A body without finite geoms changes nothing.
void ts_view_frame_body(ts_view* view, int body, double aspect);

/// A picture of a batched list as a camera sees it, with the usual sun; shadows, fading and words are the caller's.
ts_device_frame ts_view_frame(const ts_camera* camera, const ts_draw_list* list, int width, int height);

/// Draws the simulation as it is now. `overlay` may be NULL.
ts_code ts_view_draw(ts_view* view, int width, int height, const ts_overlay* overlay, ts_status* out_status);

/// Fills and sorts the draw list as ts_view_draw does. TS_ERROR_MEMORY.
ts_code ts_view_list(ts_view* view, ts_status* out_status);

/// The same in a picture that has room for several.
ts_code ts_view_draw_pane(ts_view* view, int width, int height, const ts_device_place* place, const ts_overlay* overlay,
                          ts_status* out_status);

/// Releases the memory; device and simulation stay.
void ts_view_close(ts_view* view);

#ifdef __cplusplus
}
#endif
#endif
