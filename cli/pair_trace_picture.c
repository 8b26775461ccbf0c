// Problem: see how a search closes in. Rule: A - B as glass (the hull of its support points along directions spread evenly), the origin in it or
// outside, and in each panel what the search holds: the simplex or portal with its corners, or the edges of the polytope; the point nearest to the
// origin, and the support point that was asked for. All panels have one camera, across the normal that was found. Known to fail: curved differences are a little too small.
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

#include "collision/shape/hull.h"
#include "scenes/scene_sizes.h"
#include "viewer/capture.h"
#include "viewer/device_gl.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 32, SAMPLES = 4, DIRECTIONS = 2000 };

static const float color_body[4] = {0.45f, 0.55f, 0.70f, 0.16f};
static const float color_held[4] = {0.10f, 0.35f, 0.75f, 1.0f};
static const float color_face[4] = {0.20f, 0.50f, 0.90f, 1.0f};
static const float color_origin[4] = {0.05f, 0.05f, 0.05f, 1.0f};
static const float color_nearest[4] = {0.80f, 0.05f, 0.10f, 1.0f};
static const float color_support[4] = {0.95f, 0.55f, 0.05f, 1.0f};
static const float color_text[4] = {0.12f, 0.13f, 0.15f, 1.0f};

typedef struct strip {
    const ts_pair_trace* pair;
    ts_offscreen* offscreen;
    ts_device* device;
    ts_draw_list list;
    ts_overlay overlay;
    ts_camera camera;
    ts_scene_box box;
    int has_body;
    int width, height;  // of a panel
} strip;

// Direction number i of a spiral from pole to pole.
static ts_vec3 spread(int i) {
    double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
    return ts_vec3_make(r * cos(turn), r * sin(turn), z);
}

// A - B of the cores, where it has a volume; its box takes in the origin.
static ts_code make_body(strip* s, ts_status* out_status) {
    const ts_pair_trace* p = s->pair;
    int swapped = p->trace->swapped;
    ts_shape_pair pair = swapped ? ts_shape_pair_make(p->b, p->pose_b, p->a, p->pose_a)
                                 : ts_shape_pair_make(p->a, p->pose_a, p->b, p->pose_b);
    ts_vec3* point = (ts_vec3*)calloc(DIRECTIONS, sizeof *point);
    if (!point) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for a picture");
    ts_scene_box_add(&s->box, ts_vec3_zero(), ts_vec3_zero());
    for (int i = 0; i < DIRECTIONS; ++i) {
        ts_vec3 a, b;
        (void)ts_shape_pair_gap(&pair, spread(i), &a, &b);
        point[i] = ts_vec3_sub(a, b);
        ts_scene_box_add(&s->box, point[i], point[i]);
    }
    ts_hull* hull = NULL;
    ts_geometry_mesh mesh;
    // Flat differences have no surface to show.
    ts_code code = TS_OK;
    if (ts_hull_build(point, DIRECTIONS, &hull, NULL) == TS_OK) {
        code = ts_geometry_mesh_hull(hull, &mesh, out_status);
        if (!code) code = ts_device_upload(s->device, TS_DRAW_MESH_HULL, &mesh, out_status);
        if (!code) ts_geometry_mesh_free(&mesh);
        s->has_body = !code;
    }
    ts_hull_free(hull);
    free(point);
    return code;
}

static void aim(strip* s) {
    const ts_proximity_step* last = &s->pair->trace->step[s->pair->trace->steps - 1];
    ts_vec3 n = last->direction;
    s->camera = ts_camera_default();
    if (fabs(n.x) + fabs(n.y) > 1e-3) s->camera.azimuth = atan2(n.y, n.x) - 1.5707963267948966;
    s->camera.elevation = 0.3;
    ts_camera_frame(&s->camera, s->box.low, s->box.high, (double)s->width / s->height, 1.25);
}

static void add_mark(strip* s, ts_vec3 at, double size, const float color[4]) {
    ts_transform placed = {ts_mat3_identity(), at};
    double r = size * s->camera.distance;
    ts_draw_item* item = ts_draw_list_add(&s->list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(r, r, r), 0.0, color);
    if (!item) return;
    item->pass = TS_DRAW_PASS_MARK;
    item->flags = TS_DRAW_GLOW;
}

static void add_step(strip* s, const ts_proximity_step* step) {
    const ts_proximity_trace* trace = s->pair->trace;
    for (int i = 0; i < step->corners; ++i) {
        add_mark(s, step->corner[i], 0.011, color_held);
        for (int k = 0; k < i; ++k) ts_draw_list_add_line(&s->list, step->corner[i], step->corner[k], 2.5, color_held);
    }
    for (int i = 0; i < step->triangles; ++i) {
        const ts_vec3* corner = trace->triangle[step->triangle_first + i];
        for (int k = 0; k < 3; ++k) ts_draw_list_add_line(&s->list, corner[k], corner[(k + 1) % 3], 1.5, color_face);
    }
    ts_vec3 support = ts_vec3_sub(step->point_a, step->point_b);
    add_mark(s, support, 0.013, color_support);
    ts_draw_list_add_arrow(&s->list, support, ts_vec3_scale(0.12 * s->camera.distance, step->direction),
                           0.004 * s->camera.distance, color_support, -1);
    if (ts_vec3_norm(step->nearest) > 0.0) {
        add_mark(s, step->nearest, 0.011, color_nearest);
        ts_draw_list_add_line(&s->list, ts_vec3_zero(), step->nearest, 3.0, color_nearest);
    }
    add_mark(s, ts_vec3_zero(), 0.014, color_origin);
}

static void add_words(strip* s, const ts_proximity_step* step) {
    char text[96], bound[2][24];
    double value[2] = {step->lower, step->upper};
    for (int k = 0; k < 2; ++k) {
        if (isfinite(value[k]))
            snprintf(bound[k], sizeof bound[k], "%.5g", value[k] + 0.0);
        else
            snprintf(bound[k], sizeof bound[k], "?");
    }
    ts_overlay_begin(&s->overlay, s->height);
    double line = ts_overlay_line_height(&s->overlay);
    snprintf(text, sizeof text, "%s %d", ts_proximity_stage_name(step->stage), step->iteration);
    ts_overlay_add_text(&s->overlay, 0.5 * line, 0.5 * line, text, color_text);
    snprintf(text, sizeof text, "%s .. %s m", bound[0], bound[1]);
    ts_overlay_add_text(&s->overlay, 0.5 * line, 1.6 * line, text, color_text);
}

static ts_code draw_panel(strip* s, const ts_proximity_step* step, unsigned char* out_pixels, ts_status* out_status) {
    ts_transform here = ts_transform_identity();
    ts_draw_list_begin(&s->list, s->camera.target);
    if (s->has_body)
        (void)ts_draw_list_add(&s->list, TS_DRAW_MESH_HULL, &here, ts_vec3_make(1.0, 1.0, 1.0), 0.0, color_body);
    add_step(s, step);
    add_words(s, step);
    if (!ts_draw_list_batch(&s->list, ts_camera_eye(&s->camera)) || s->list.failed || s->overlay.failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the draw list");
    ts_device_frame frame = ts_view_frame(&s->camera, &s->list, s->width, s->height);
    frame.fade = (float)(50.0 * s->camera.distance);
    frame.shadow_radius = (float)s->camera.distance;
    frame.background = TS_BACKGROUND_WHITE;
    frame.overlay = &s->overlay;
    ts_code code = ts_device_draw(s->device, &frame, out_status);
    return code ? code : ts_device_read(s->device, 3, out_pixels, out_status);
}

// Which steps get a panel: all, or as many as there is room for, evenly, the first and the last among them.
static int step_of(int panel, int panels, int steps) {
    return panels < 2 ? 0 : (int)((long long)panel * (steps - 1) / (panels - 1));
}

static ts_code draw_all(strip* s, int columns, int panels, unsigned char* whole, int width, ts_status* out_status) {
    size_t row = 3 * (size_t)s->width, stride = 3 * (size_t)width;
    unsigned char* pixels = (unsigned char*)malloc(row * (size_t)s->height);
    ts_code code = TS_OK;
    if (!pixels) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    for (int i = 0; i < panels && !code; ++i) {
        code = draw_panel(s, &s->pair->trace->step[step_of(i, panels, s->pair->trace->steps)], pixels, out_status);
        unsigned char* to = whole + stride * (size_t)(i / columns * s->height) + row * (size_t)(i % columns);
        for (int y = 0; y < s->height && !code; ++y) memcpy(to + stride * (size_t)y, pixels + row * (size_t)y, row);
    }
    free(pixels);
    return code;
}

static ts_code draw_strip(strip* s, int width, int height, const char* path, ts_status* out_status) {
    int steps = s->pair->trace->steps, panels = steps < TS_PAIR_TRACE_PANELS ? steps : TS_PAIR_TRACE_PANELS;
    int columns = 1;
    while (columns * columns * height < panels * width) ++columns;
    if (columns > panels) columns = panels;
    int rows = (panels + columns - 1) / columns;
    s->width = width / columns;
    s->height = height / rows;
    if (s->width < 16 || s->height < 16)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d panels do not fit into %d x %d pixels", panels,
                             width, height);
    unsigned char* data = (unsigned char*)malloc(3 * (size_t)width * (size_t)height);
    if (!data) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    memset(data, 255, 3 * (size_t)width * (size_t)height);
    ts_capture_pixels whole = {width, height, 3, data};
    ts_code code = make_body(s, out_status);
    if (!code) {
        aim(s);
        code = draw_all(s, columns, panels, data, width, out_status);
    }
    if (!code) code = ts_capture_write_png(path, whole, out_status);
    free(data);
    return code;
}

ts_code ts_pair_trace_png(const ts_pair_trace* pair, int width, int height, const char* path, ts_status* out_status) {
    strip s;
    memset(&s, 0, sizeof s);
    s.pair = pair;
    s.box = ts_scene_box_empty();
    if (pair->trace->steps == 0)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "there are no steps to draw: this pair was answered without any");
    ts_typeface* typeface = ts_typeface_usual();
    s.overlay.typeface = typeface;
    ts_code code = ts_offscreen_create(&s.offscreen, out_status);
    if (!code)
        code = ts_device_gl_create(ts_offscreen_loader(s.offscreen), SAMPLES, TS_DEVICE_GL_FINE, &s.device, out_status);
    if (!code) code = ts_shape_look_upload_units(s.device, SEGMENTS, out_status);
    if (!code) code = draw_strip(&s, width, height, path, out_status);
    ts_draw_list_free(&s.list);
    ts_overlay_free(&s.overlay);
    ts_device_destroy(s.device);
    ts_offscreen_destroy(s.offscreen);
    ts_typeface_free(typeface);
    return code;
}

#endif
