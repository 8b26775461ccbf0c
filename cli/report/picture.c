// Pictures by the viewer's off-screen renderer.
#include "cli/report/picture.h"

#ifndef TS_HAVE_VIEWER

static ts_code unavailable(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "this build has no viewer to draw pictures with (build with TS_VIEWER=ON)");
}

ts_code ts_picture_available(ts_status* out_status) { return unavailable(out_status); }

ts_code ts_picture_row_png(const ts_picture_row* row, const char* path, ts_status* out_status) {
    (void)row;
    (void)path;
    return unavailable(out_status);
}

void ts_picture_box_add(ts_picture_box* box, const ts_sim* sim) {
    (void)box;
    (void)sim;
}

ts_code ts_picture_close_up_png(const ts_loaded_scene* scene, ts_sim* sim, const ts_picture_box* box, const char* path,
                                ts_status* out_status) {
    (void)scene;
    (void)sim;
    (void)box;
    (void)path;
    return unavailable(out_status);
}

#else

#include "base/scalar.h"
#include "cli/signals.h"
#include "cli/report/svg.h"
#include "viewer/offscreen.h"
#include "viewer/viewer.h"

#include <math.h>

enum { CLOSE_UP_WIDTH = 640, CLOSE_UP_HEIGHT = 360 };

#define RADIANS (TS_PI / 180.0)

static int stop(void* user) {
    (void)user;
    return ts_signals_caught();
}

ts_code ts_picture_available(ts_status* out_status) {
    ts_offscreen* offscreen = NULL;
    ts_code code = ts_offscreen_create(&offscreen, out_status);
    ts_offscreen_destroy(offscreen);
    return code;
}

// The colour of a curve; darker where it could be taken for a colour that the moving bodies have of their own.
static void choose_color(const ts_model* model, int style, float out_rgb[3]) {
    ts_svg_color(style, out_rgb);
    int alike = 0;
    for (int g = 0; g < model->geom_count; ++g) {
        const float* own = model->geom[g].rgba;
        if (model->body[model->geom[g].body].tree < 0 || !(own[3] > 0.0f)) continue;
        alike |= fabsf(own[0] - out_rgb[0]) + fabsf(own[1] - out_rgb[1]) + fabsf(own[2] - out_rgb[2]) < 0.5f;
    }
    for (int c = 0; c < 3 && alike; ++c) out_rgb[c] *= 0.7f;
}

void ts_picture_box_add(ts_picture_box* box, const ts_sim* sim) {
    const ts_model* model = sim->model;
    for (int g = 0; g < model->geom_count; ++g) {
        ts_vec3 low, high;
        if (model->body[model->geom[g].body].tree < 0) continue;
        ts_shape_bounds(&model->geom[g].shape, &sim->geom_pose[g], &low, &high);
        if (!ts_vec3_is_finite(low) || !ts_vec3_is_finite(high)) continue;
        box->low = box->found ? ts_vec3_min(box->low, low) : low;
        box->high = box->found ? ts_vec3_max(box->high, high) : high;
        box->found = 1;
    }
}

ts_code ts_picture_row_png(const ts_picture_row* row, const char* path, ts_status* out_status) {
    ts_view_companion companion[TS_PICTURE_ROW];
    ts_view_request request = ts_view_request_default();
    for (int i = 0; i < row->count; ++i) {
        if (i == row->reference) continue;
        ts_view_companion* next = &companion[request.companion_count++];
        next->sim = row->sim[i];
        next->offset = ts_vec3_zero();
        choose_color(row->scene->model, row->style[i], next->color);
    }
    ts_camera camera = ts_camera_default();
    // From behind, so that nothing hides its neighbours. Long paths are seen more from aside: they lead away to the right,
    // and neither lift nor drift is foreshortened to nothing. A long row seen from aside would shrink at its far end.
    ts_picture_box box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0};
    ts_picture_box_add(&box, row->sim[row->reference]);
    double size = ts_vec3_distance(box.low, box.high);
    double aside = size > 0.0 ? fmin(0.5 * row->length / size, 1.0) : 0.0;
    double angle = (20.0 + 25.0 * aside) * fmin(1.0, sqrt(4.0 / row->count));
    camera.azimuth = atan2(row->forward.y, row->forward.x) + (180.0 + angle) * RADIANS;
    camera.distance = 0.0;
    request.scene = row->scene;
    request.sim = row->sim[row->reference];
    request.png_path = path;
    request.time = row->time;
    request.width = row->width;
    request.height = row->height;
    request.overlay = 0;
    request.camera = &camera;
    request.companion = companion;
    request.row = ts_vec3_make(row->forward.y, -row->forward.x, 0.0);
    request.row_place = row->reference;
    request.trail = 1;
    request.stop = stop;
    return ts_viewer_render_png(&request, out_status);
}

ts_code ts_picture_close_up_png(const ts_loaded_scene* scene, ts_sim* sim, const ts_picture_box* box, const char* path,
                                ts_status* out_status) {
    ts_view_request request = ts_view_request_default();
    request.scene = scene;
    request.sim = sim;
    request.png_path = path;
    request.time = sim->time;
    request.width = CLOSE_UP_WIDTH;
    request.height = CLOSE_UP_HEIGHT;
    request.overlay = 0;
    request.stop = stop;
    ts_camera camera = ts_camera_default();
    if (box->found) {
        ts_camera_frame(&camera, box->low, box->high, (double)CLOSE_UP_WIDTH / CLOSE_UP_HEIGHT, 1.2);
        request.camera = &camera;
    }
    return ts_viewer_render_png(&request, out_status);
}

#endif
