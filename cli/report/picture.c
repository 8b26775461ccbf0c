// Pictures by the viewer's off-screen renderer.
#include "cli/report/picture_internal.h"

#ifndef TS_HAVE_VIEWER

static ts_code unavailable(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "this build has no viewer to draw pictures with (build with TS_VIEWER=ON)");
}

ts_code ts_picture_available(ts_status* out_status) { return unavailable(out_status); }

ts_code ts_picture_row_png(const ts_picture_row* row, ts_text* png, ts_status* out_status) {
    (void)row;
    (void)png;
    return unavailable(out_status);
}

ts_code ts_picture_row_film(const ts_picture_row* row, int count, ts_picture_take take, void* user,
                            ts_status* out_status) {
    (void)row, (void)count, (void)take, (void)user;
    return unavailable(out_status);
}

ts_code ts_picture_encode(int width, int height, int channels, unsigned char* pixels, ts_text* png,
                          ts_status* out_status) {
    (void)width, (void)height, (void)channels;
    (void)pixels;
    (void)png;
    return unavailable(out_status);
}

void ts_picture_color(const ts_model* model, int style, float out_rgb[3]) {
    (void)model;
    (void)style;
    (void)out_rgb;
}

ts_code ts_picture_pair_png(const ts_picture_pair* pair, ts_text* png, ts_status* out_status) {
    (void)pair;
    (void)png;
    return unavailable(out_status);
}

#else

#include "base/scalar.h"
#include "cli/report/svg_internal.h"
#include "cli/signals.h"
#include "viewer/capture.h"
#include "viewer/offscreen.h"
#include "viewer/viewer.h"

#include <math.h>
#include <stdlib.h>

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

void ts_picture_color(const ts_model* model, int style, float out_rgb[3]) {
    ts_svg_color(style, out_rgb);
    int alike = 0;
    for (int g = 0; g < model->geom_count; ++g) {
        const float* own = model->geom[g].rgba;
        if (model->body[model->geom[g].body].tree < 0 || !(own[3] > 0.0f)) continue;
        alike |= fabsf(own[0] - out_rgb[0]) + fabsf(own[1] - out_rgb[1]) + fabsf(own[2] - out_rgb[2]) < 0.5f;
    }
    for (int c = 0; c < 3 && alike; ++c) out_rgb[c] *= 0.7f;
    // Black has no shades to tell stacked bodies apart by, and hardly shows on a dark page.
    float most = fmaxf(out_rgb[0], fmaxf(out_rgb[1], out_rgb[2]));
    for (int c = 0; c < 3; ++c) out_rgb[c] += fmaxf(0.0f, 0.45f - most);
}

static unsigned char rounded(unsigned char value, unsigned step) {
    unsigned near = (value + step / 2u) / step * step;
    return (unsigned char)(near > 255u ? 255u : near);
}

ts_code ts_picture_encode(int width, int height, int channels, unsigned char* pixels, ts_text* png,
                          ts_status* out_status) {
    for (size_t i = 0; channels == 4 && i < 4u * (size_t)width * (size_t)height; i += 4) {
        if (pixels[i + 3] == 255) continue;
        pixels[i + 3] = rounded(pixels[i + 3], 8);
        for (size_t c = i; c < i + 3; ++c) pixels[c] = pixels[i + 3] ? rounded(pixels[c], 32) : 0;
    }
    ts_capture_pixels picture = {width, height, channels, pixels};
    return ts_capture_encode_png(picture, png, out_status);
}

// The diagonal of what moves.
static double size_of(const ts_sim* sim) {
    ts_scene_box box = ts_scene_box_empty();
    for (int g = 0; g < sim->model->geom_count; ++g)
        if (sim->model->body[sim->model->geom[g].body].tree >= 0)
            ts_scene_box_add_shape(&box, &sim->model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g));
    return box.count ? ts_vec3_distance(box.low, box.high) : 0.0;
}

// What a request borrows while a row is drawn.
typedef struct row_parts {
    ts_view_companion companion[TS_PICTURE_ROW];
    ts_camera camera;
} row_parts;

static ts_view_request request_of(const ts_picture_row* row, row_parts* parts) {
    ts_view_request request = ts_view_request_default();
    for (int i = 0; i < row->count; ++i) {
        if (i == row->reference) continue;
        ts_view_companion next = {row->sim[i], {0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f}, 0, NULL, row->name[i]};
        ts_picture_color(row->scene->model, row->style[i], next.color);
        parts->companion[request.companion_count++] = next;
    }
    parts->camera = ts_camera_default();
    // From behind, so that nothing hides its neighbours. Long paths are seen more from aside: they lead away to the right,
    // and neither lift nor drift is foreshortened to nothing. A long row seen from aside would shrink at its far end.
    double size = size_of(row->sim[row->reference]);
    double aside = size > 0.0 ? fmin(0.5 * row->length / size, 1.0) : 0.0;
    double angle = (20.0 + 25.0 * aside) * fmin(1.0, sqrt(4.0 / row->count));
    parts->camera.azimuth = atan2(row->forward.y, row->forward.x) + (180.0 + angle) * RADIANS;
    parts->camera.distance = 0.0;
    request.scene = row->scene;
    request.sim = row->sim[row->reference];
    request.name = row->name[row->reference];
    request.time = row->time;
    request.width = row->width;
    request.height = row->height;
    request.overlay = 0;
    request.background = row->clear ? TS_BACKGROUND_CLEAR : TS_BACKGROUND_WHITE;
    request.camera = &parts->camera;
    request.companion = parts->companion;
    request.row = ts_vec3_make(row->forward.y, -row->forward.x, 0.0);
    request.row_place = row->reference;
    request.trail = 1;
    request.stop = stop;
    return request;
}

ts_code ts_picture_row_film(const ts_picture_row* row, int count, ts_picture_take take, void* user,
                            ts_status* out_status) {
    row_parts parts;
    ts_typeface* typeface = ts_typeface_usual();
    ts_view_request request = request_of(row, &parts);
    request.typeface = typeface;
    ts_code code = ts_viewer_film(&request, count, take, user, out_status);
    ts_typeface_free(typeface);
    return code;
}

ts_code ts_picture_row_png(const ts_picture_row* row, ts_text* png, ts_status* out_status) {
    row_parts parts;
    ts_view_request request = request_of(row, &parts);
    int channels = row->clear ? 4 : 3;
    unsigned char* data = malloc((size_t)channels * (size_t)row->width * (size_t)row->height);
    if (!data) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    ts_typeface* typeface = ts_typeface_usual();
    request.typeface = typeface;
    ts_code code = ts_viewer_render_pixels(&request, data, out_status);
    ts_typeface_free(typeface);
    if (!code) code = ts_picture_encode(row->width, row->height, channels, data, png, out_status);
    free(data);
    return code;
}

#endif
