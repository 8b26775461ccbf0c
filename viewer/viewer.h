// The viewer's front door: a window on a running scene, or a picture of it without any display.
//
//     ts_view_request request = ts_view_request_default();
//     request.scene = &scene;
//     request.sim = sim;
//     request.png_path = "cube.png";   // leave NULL for a window
//     request.time = 0.5;
//     if (ts_viewer_run(&request, &status)) ...
//
// ts_viewer_film gives all pictures of a motion.
#ifndef TS_VIEWER_VIEWER_H
#define TS_VIEWER_VIEWER_H

#include "scenes/scene_table.h"
#include "viewer/camera.h"
#include "viewer/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Another simulation of the same scene in the same picture, e.g. under another solver.
typedef struct ts_view_companion {
    ts_sim* sim;               // borrowed; stepped to the same time
    ts_vec3 offset;            // m, added to where it really is, so that the two stand side by side
    float color[3];            // sRGB of its moving bodies
    int ghost;                 // nonzero: only their outlines, on top of all, without a name
    const ts_view_path* path;  // drawn as a line (borrowed), or NULL: what `trail` says
    const char* name;          // written above it (borrowed); NULL: its solver's
} ts_view_companion;

/// How several simulations are shown in one picture.
typedef enum ts_layout {
    TS_LAYOUT_SCENE,  // in one world: beside each other, by `offset` or `row`
    TS_LAYOUT_PANES,  // each in a pane of its own, under one camera
    TS_LAYOUT_GHOSTS  // over each other, the companions as glass
} ts_layout;

/// What has words beside it, combined with |.
enum {
    TS_LABEL_BODIES = 1,
    TS_LABEL_JOINTS = 2,
    TS_LABEL_GEOMS = 4,
    TS_LABEL_SITES = 8,
    TS_LABEL_FORCES = 16,
    TS_LABEL_TENDONS = 32,
    TS_LABEL_ACTUATORS = 64,
    TS_LABEL_CAMERAS = 128,
    TS_LABEL_CONTACTS = 256,
    TS_LABEL_ISLANDS = 512,
    TS_LABEL_EQUALITIES = 1024,
    TS_LABEL_SELECTED = 2048  // window: the body that is selected, and the point where it was clicked
};

/// What to show. Fill with ts_view_request_default, then set scene and sim.
typedef struct ts_view_request {
    const ts_loaded_scene* scene;  // borrowed
    ts_sim* sim;                   // borrowed; a simulation of scene->model; the viewer steps it
    const char*
        subject;  // window: what ts_scene_load knows the scene by (borrowed), to load it again; NULL: nobody says
    const char* png_path;         // NULL: a window
    double time;                  // s: a picture is taken when the simulation has reached it; a window starts there
    int width;                    // pixels, 16..16384
    int height;                   // pixels, 16..16384
    int samples;                  // per pixel, against jagged edges
    unsigned show;                // TS_SHOW_ bits
    unsigned labels;              // TS_LABEL_ bits
    int overlay;                  // nonzero: with the panel of words and the legend
    int card;                     // nonzero, pictures only: with a card on the contact that breaks the exact law most
    const ts_typeface* typeface;  // of all words (borrowed); NULL: the viewer's own, the same on every machine
    const ts_overlay* words;      // pictures only: put on top instead of the panel (borrowed), or NULL
    ts_background background;     // pictures only
    int dark;                     // nonzero: sky and floors of a dark theme
    int untextured;               // nonzero: shapes and sky without the model's textures
    unsigned hidden_groups;       // bit g: geoms of group g are not shown
    int model_camera;  // 1 + number of the model's camera that the scene is seen through, instead of `camera`; 0: none
    const ts_view_path* path;  // pictures only: drawn as a line (borrowed), or NULL: what `trail` says
    const float* color;        // pictures only: sRGB of the moving bodies of `sim` (borrowed), or NULL for their own
    const ts_camera*
        camera;    // NULL: from the front right, framing the scene; distance 0: its direction, framing the scene
    double speed;  // window: simulated seconds per second
    int paused;    // window: nonzero starts paused
    int browse;    // window: nonzero starts with the list of scenes open
    const ts_view_companion*
        companion;        // (companion_count) shown beside `sim`, each with a name; in a window at most 8
    ts_layout layout;     // of companions; a window has panes or ghosts
    const char* name;     // beside companions: written above `sim` (borrowed); NULL: its solver's
    int companion_count;  // 0..16
    ts_vec3 row;          // not zero: sim and companions stand side by side in this direction, as near as they fit;
                          // the offsets of companions are not used
    int row_place;        // companions that stand before `sim`
    int trail;            // nonzero, pictures only: the path of the scene's focus body
    const ts_loaded_scene* const*
        companion_scene;    // (companion_count) where companions' steps come from, recordings of their own (borrowed);
                            // NULL: all from `scene`
    double mark;            // window, s: a moment that the timeline marks; NAN: none
    const char* mark_text;  // window: and why (borrowed), or NULL
    const char*
        watched;  // window and charts: numbers to chart, by words between blanks (borrowed), or NULL: "qpos[2] contact[a,b].gap"
    int (*stop)(void* user);  // asked between steps and pictures; nonzero stops with TS_ERROR_INTERRUPTED. Or NULL
    void* user;               // for stop
} ts_view_request;

/// 1280 x 720, 4 samples, real time, contacts and forces shown, overlay on, at time 0.
ts_view_request ts_view_request_default(void);

/// What drawing came to.
typedef struct ts_viewer_cost {
    double list;             // s: median of filling the draw list and sorting it
    double draw;             // s: median of a whole frame, until its pixels can be read
    int items;               // things in the list
    ts_device_counts frame;  // of one frame
    ts_device_counts open;   // of the meshes before the first one
} ts_viewer_cost;

/// Draws the picture of a request `count` >= 1 times off screen, from a camera that turns, and measures.
ts_code ts_viewer_measure(const ts_view_request* request, int count, ts_viewer_cost* out_cost, ts_status* out_status);

/// Layer number i that ts_viewer_read_layers knows, or NULL.
const char* ts_viewer_layer_name(int i);

/// Reads "LAYER,-LAYER,...": what is shown besides what `request` shows, or with a minus is not. "none" first leaves shapes, patterns and the
/// grid only; "words" is the panel. TS_ERROR_VALUE for an unknown one, and the message lists the known ones.
ts_code ts_viewer_read_layers(const char* list, ts_view_request* request, ts_status* out_status);

/// Reads "panes" or "ghost". TS_ERROR_VALUE for others.
ts_code ts_viewer_read_layout(const char* name, ts_layout* out_layout, ts_status* out_status);

/// Reads a side ("front", "top", ...) or "AZIMUTH,ELEVATION" in degrees, which frames the scene from there, or "AZIMUTH,ELEVATION,DISTANCE,X,Y,Z"
/// with what is looked at, m; or the name of a camera of `model` (NULL: none), whose number, from 1, is *out_number, else 0. TS_ERROR_VALUE says what
/// it could be.
ts_code ts_viewer_read_camera(const char* text, const ts_model* model, ts_camera* out_camera, int* out_number,
                              ts_status* out_status);

/// A window until it is closed, or one picture when png_path is set. Without a display a window is TS_ERROR_UNSUPPORTED,
/// and the message names the way to a picture. A step that fails ends a picture with that error; a window pauses and shows it.
ts_code ts_viewer_run(const ts_view_request* request, ts_status* out_status);

/// Steps the scene to `time` and writes a picture to `png_path`, needing no display.
ts_code ts_viewer_render_png(const ts_view_request* request, ts_status* out_status);

/// Steps the scene to `time` and draws it into out_pixels: rows from top to bottom, sRGB in three bytes per pixel, with alpha in four
/// where the background is clear.
ts_code ts_viewer_render_pixels(const ts_view_request* request, unsigned char* out_pixels, ts_status* out_status);

/// Takes one picture of a film: its number, from 0, and its pixels as those of ts_viewer_render_pixels (borrowed). Not TS_OK ends the film.
typedef ts_code (*ts_view_take)(void* user, int frame, const unsigned char* pixels, ts_status* out_status);

/// Pictures at equal distances in time, `count` >= 2 of them: the first shows the simulations as they are, the last when `time` is reached.
/// The camera stands still and sees the whole motion, for which all simulations run twice.
ts_code ts_viewer_film(const ts_view_request* request, int count, ts_view_take take, void* user, ts_status* out_status);

/// Whether charts can be written to a file of that name: .svg or .csv. TS_ERROR_VALUE says so when not.
ts_code ts_viewer_check_charts(const char* path, ts_status* out_status);

/// Whether these words, between blanks, name numbers of that simulation. TS_ERROR_VALUE says which does not, and what does.
ts_code ts_viewer_check_watched(const char* watched, const ts_sim* sim, ts_status* out_status);

/// Steps to `time` and writes the charts that a window shows, without a display: as .svg, all that have values, of `sim`, `width` wide, and below them how
/// the last step's solves of all simulations converged; as .csv the numbers of every step of `sim`. What `watched` names is charted of all simulations. At most nine. TS_ERROR_VALUE for a number
/// that does not exist.
ts_code ts_viewer_charts(const ts_view_request* request, const char* path, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
