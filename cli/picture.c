// A picture by the viewer's off-screen renderer, as base64 in a data URI.
#include "cli/picture.h"

static void include_box(ts_picture_box* box, ts_vec3 low, ts_vec3 high) {
    if (!ts_vec3_is_finite(low) || !ts_vec3_is_finite(high)) return;
    box->low = box->found ? ts_vec3_min(box->low, low) : low;
    box->high = box->found ? ts_vec3_max(box->high, high) : high;
    box->found = 1;
}

ts_picture_box ts_picture_frame(const ts_sim* sim, int focus, const ts_vec3* displacement, int count) {
    ts_picture_box box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0};
    const ts_model* model = sim->model;
    for (int g = 0; g < model->geom_count; ++g) {
        int body = model->geom[g].body;
        if (model->body[body].tree < 0) continue;
        ts_vec3 low, high;
        ts_shape_bounds(&model->geom[g].shape, &sim->geom_pose[g], &low, &high);
        if (body != focus) include_box(&box, low, high);
        for (int i = 0; i < count && body == focus; ++i)
            include_box(&box, ts_vec3_add(low, displacement[i]), ts_vec3_add(high, displacement[i]));
    }
    return box;
}

#ifndef TS_HAVE_VIEWER

int ts_picture_data_uri(const ts_loaded_scene* scene, ts_sim* sim, double time, const ts_picture_box* box,
                        ts_text* text) {
    (void)scene;
    (void)sim;
    (void)time;
    (void)box;
    (void)text;
    return 0;
}

#else

#include "cli/signals.h"
#include "viewer/viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PICTURE_WIDTH = 640, PICTURE_HEIGHT = 360, PICTURE_LIMIT = 1 << 23 };

static int stop(void* user) {
    (void)user;
    return ts_signals_caught();
}

static void add_base64(ts_text* text, const unsigned char* bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        unsigned b1 = i + 1 < count ? bytes[i + 1] : 0u;
        unsigned b2 = i + 2 < count ? bytes[i + 2] : 0u;
        unsigned group = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63u], i + 1 < count ? digits[group >> 6 & 63u] : '=',
                        i + 2 < count ? digits[group & 63u] : '='};
        ts_text_add_bytes(text, four, 4);
    }
}

int ts_picture_data_uri(const ts_loaded_scene* scene, ts_sim* sim, double time, const ts_picture_box* box,
                        ts_text* text) {
    // The renderer writes files; this one lives for a moment where temporary files belong.
    char path[4096];
    const char* folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.4000s/touchstone-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) return 0;
    close(fd);
    ts_view_request request = ts_view_request_default();
    request.scene = scene;
    request.sim = sim;
    request.png_path = path;
    request.time = time;
    request.width = PICTURE_WIDTH;
    request.height = PICTURE_HEIGHT;
    request.overlay = 0;
    request.stop = stop;
    ts_camera camera = ts_camera_default();
    if (box->found) {
        ts_camera_frame(&camera, box->low, box->high, (double)PICTURE_WIDTH / PICTURE_HEIGHT, 1.2);
        request.camera = &camera;
    }
    ts_text png = {0};
    int ok =
        ts_viewer_render_png(&request, NULL) == TS_OK && ts_text_read_file(path, PICTURE_LIMIT, &png, NULL) == TS_OK;
    unlink(path);
    if (ok) {
        ts_text_add(text, "data:image/png;base64,");
        add_base64(text, (const unsigned char*)ts_text_get(&png), png.length);
    }
    ts_text_free(&png);
    return ok;
}

#endif
