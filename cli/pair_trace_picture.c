// The steps of a query as a strip of pictures, all under one camera (viewer/pair_drawing.h).
#include "cli/pair_trace_internal.h"

#include <stddef.h>

#ifndef TS_HAVE_VIEWER

ts_code ts_pair_trace_png(const ts_pair_trace* pair, int width, int height, const char* path, ts_status* out_status) {
    (void)pair;
    (void)width, (void)height;
    (void)path;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "this build has no viewer to draw pictures with (build with TS_VIEWER=ON)");
}

#else

#include "viewer/capture.h"
#include "viewer/device_gl.h"
#include "viewer/offscreen.h"
#include "viewer/pair_drawing.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4 };

typedef struct strip {
    ts_pair_drawing drawing;
    ts_device* device;
    ts_camera camera;
    int size[2];  // pixels, of a panel
} strip;

// Which steps get a panel: all, or as many as there is room for, evenly, the first and the last among them.
static int step_of(int panel, int panels, int steps) {
    return panels < 2 ? 0 : (int)((long long)panel * (steps - 1) / (panels - 1));
}

static ts_code draw_all(strip* s, int columns, int panels, unsigned char* whole, int width, ts_status* out_status) {
    size_t row = 3 * (size_t)s->size[0], stride = 3 * (size_t)width;
    unsigned char* pixels = (unsigned char*)malloc(row * (size_t)s->size[1]);
    ts_code code = TS_OK;
    if (!pixels) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    for (int i = 0; i < panels && !code; ++i) {
        int step = step_of(i, panels, s->drawing.trace->steps);
        code = ts_pair_drawing_draw(&s->drawing, step, &s->camera, s->size, 0, out_status);
        if (!code) code = ts_device_read(s->device, 3, pixels, out_status);
        unsigned char* to = whole + stride * (size_t)(i / columns * s->size[1]) + row * (size_t)(i % columns);
        for (int y = 0; y < s->size[1] && !code; ++y) memcpy(to + stride * (size_t)y, pixels + row * (size_t)y, row);
    }
    free(pixels);
    return code;
}

static ts_code draw_strip(strip* s, int width, int height, const char* path, ts_status* out_status) {
    int steps = s->drawing.trace->steps, panels = steps < TS_PAIR_TRACE_PANELS ? steps : TS_PAIR_TRACE_PANELS;
    int columns = 1;
    while (columns * columns * height < panels * width) ++columns;
    if (columns > panels) columns = panels;
    int rows = (panels + columns - 1) / columns;
    s->size[0] = width / columns;
    s->size[1] = height / rows;
    if (s->size[0] < 16 || s->size[1] < 16)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d panels do not fit into %d x %d pixels", panels,
                             width, height);
    unsigned char* data = (unsigned char*)malloc(3 * (size_t)width * (size_t)height);
    if (!data) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    memset(data, 255, 3 * (size_t)width * (size_t)height);
    ts_capture_pixels whole = {width, height, 3, data};
    s->camera = ts_pair_drawing_aim(&s->drawing, (double)s->size[0] / s->size[1]);
    ts_code code = draw_all(s, columns, panels, data, width, out_status);
    if (!code) code = ts_capture_write_png(path, whole, out_status);
    free(data);
    return code;
}

ts_code ts_pair_trace_png(const ts_pair_trace* pair, int width, int height, const char* path, ts_status* out_status) {
    strip s;
    memset(&s, 0, sizeof s);
    if (pair->trace->steps == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "there are no steps to draw: this pair was answered without any");
    ts_offscreen* offscreen = NULL;
    ts_typeface* typeface = ts_typeface_usual();
    const ts_watched_pair watched = {pair->a, pair->b, pair->pose_a, pair->pose_b, pair->trace};
    ts_code code = ts_offscreen_create(&offscreen, out_status);
    if (!code)
        code = ts_device_gl_create(ts_offscreen_loader(offscreen), SAMPLES, TS_DEVICE_GL_FINE, &s.device, out_status);
    if (!code) code = ts_pair_drawing_open(&s.drawing, &watched, s.device, out_status);
    s.drawing.overlay.typeface = typeface;
    if (!code) code = draw_strip(&s, width, height, path, out_status);
    ts_pair_drawing_close(&s.drawing);
    ts_device_destroy(s.device);
    ts_offscreen_destroy(offscreen);
    ts_typeface_free(typeface);
    return code;
}

#endif
