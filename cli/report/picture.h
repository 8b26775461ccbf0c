// Rendered pictures, where the viewer is built and can draw without a display.
#ifndef TS_CLI_PICTURE_H
#define TS_CLI_PICTURE_H

#include "base/text.h"
#include "scenes/scene_table.h"

/// The most simulations that one picture shows side by side.
enum { TS_PICTURE_ROW = 17 };

/// Several simulations of one scene side by side, with the paths of the body in focus.
typedef struct ts_picture_row {
    const ts_loaded_scene* scene;
    ts_sim* sim[TS_PICTURE_ROW];  // borrowed, fresh; stepped to `time`
    int style[TS_PICTURE_ROW];    // coloured like that curve of the plots
    int count;
    int reference;    // the one that keeps the colours of the scene
    ts_vec3 forward;  // horizontal direction of motion; the row is across, from its left to its right
    double length;    // m: how far the body in focus travels
    double time;      // s
    int width;        // pixels
    int height;
} ts_picture_row;

/// TS_ERROR_UNSUPPORTED, with the reason, when this build or machine cannot draw.
ts_code ts_picture_available(ts_status* out_status);

/// Steps all to the time and writes one picture to `path`.
ts_code ts_picture_row_png(const ts_picture_row* row, const char* path, ts_status* out_status);

/// The part of the world that all close-ups of a comparison show, so that they can be laid side by side.
typedef struct ts_picture_box {
    ts_vec3 low;   // m
    ts_vec3 high;  // m
    int found;
} ts_picture_box;

/// Makes room for what moves in `sim`.
void ts_picture_box_add(ts_picture_box* box, const ts_sim* sim);

/// A close-up of one simulation as it is now.
ts_code ts_picture_close_up_png(const ts_loaded_scene* scene, ts_sim* sim, const ts_picture_box* box, const char* path,
                                ts_status* out_status);

#endif
