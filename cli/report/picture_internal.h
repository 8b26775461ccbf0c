// Rendered pictures, where the viewer is built and can draw without a display.
#ifndef TS_CLI_PICTURE_INTERNAL_H
#define TS_CLI_PICTURE_INTERNAL_H

#include "base/text.h"
#include "scenes/scene_table.h"

/// The most simulations that one picture shows side by side.
enum { TS_PICTURE_ROW = 17, TS_PICTURE_NAME = 132 };

/// Several simulations of one scene side by side, with the paths of the body in focus.
typedef struct ts_picture_row {
    const ts_loaded_scene* scene;
    ts_sim* sim[TS_PICTURE_ROW];  // borrowed, fresh; stepped to `time`
    int style[TS_PICTURE_ROW];    // coloured like that curve of the plots
    char name[TS_PICTURE_ROW][TS_PICTURE_NAME];
    int count;
    int reference;    // the one that keeps the colours of the scene
    ts_vec3 forward;  // horizontal direction of motion; the row is across, from its left to its right
    double length;    // m: how far the body in focus travels
    double time;      // s
    int width;        // pixels
    int height;
    int clear;  // nonzero: the background is see-through, else white
} ts_picture_row;

/// TS_ERROR_UNSUPPORTED, with the reason, when this build or machine cannot draw.
ts_code ts_picture_available(ts_status* out_status);

/// Steps all to the time and appends one picture, a PNG.
ts_code ts_picture_row_png(const ts_picture_row* row, ts_text* png, ts_status* out_status);

/// Takes one picture of a film; see ts_view_take.
typedef ts_code (*ts_picture_take)(void* user, int frame, const unsigned char* rgb, ts_status* out_status);

/// Steps all to the time and hands over `count` pictures on the way, on white. Every run is made twice.
ts_code ts_picture_row_film(const ts_picture_row* row, int count, ts_picture_take take, void* user,
                            ts_status* out_status);

/// Pixels from top to bottom, sRGB, with alpha where `channels` is 4, as a PNG. What is see-through loses shades that no page
/// shows, and half of its bytes.
ts_code ts_picture_encode(int width, int height, int channels, unsigned char* pixels, ts_text* png,
                          ts_status* out_status);

/// One simulation with the outline of another over it, and the place where they differ enlarged.
typedef struct ts_picture_pair {
    const ts_loaded_scene* scene;
    ts_sim* sim;         // borrowed, fresh; stepped to `time`
    ts_sim* reference;   // the same, only its outline is shown; NULL for none
    const float* color;  // sRGB of the bodies of `sim`, or NULL for those of the scene
    ts_vec3 forward;     // horizontal direction of motion
    double worth;        // m: smaller differences are not shown enlarged
    double time;         // s
    int width;           // pixels
    int height;
} ts_picture_pair;

/// The colour of a curve of the plots for bodies of that model; darker where it could be taken for one of their own.
void ts_picture_color(const ts_model* model, int style, float out_rgb[3]);

/// Steps both to the time and appends one picture, a PNG with a see-through background. The view is chosen by how they differ at the
/// body in focus: from the side by a lift, a sinking or a way along, from above by a way aside.
ts_code ts_picture_pair_png(const ts_picture_pair* pair, ts_text* png, ts_status* out_status);

#endif
