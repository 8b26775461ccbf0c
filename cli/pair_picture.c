// Problem: make a signed distance visible. Rule: both shapes as coloured glass with outlines on white, the witness points as marks that shine
// through, a line between them, and the normal as an arrow; the camera looks across the normal, so that the gap or the
// overlap lies in the picture plane. Planes are shown as a square about the other shape.
#include "cli/pair_picture_internal.h"

#include <stddef.h>

#ifndef TS_HAVE_VIEWER

ts_code ts_pair_picture_png(const ts_pair_picture* picture, const char* path, ts_status* out_status) {
    (void)picture;
    (void)path;
    return ts_status_set(out_status, TS_ERROR_UNSUPPORTED, NULL, 0,
                         "this build has no viewer to draw pictures with (build with TS_VIEWER=ON)");
}

#else

#include "viewer/capture.h"
#include "viewer/device_gl.h"
#include "viewer/offscreen.h"
#include "viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEGMENTS = 64, SAMPLES = 4 };

static const float color_a[4] = {0.20f, 0.45f, 0.80f, 0.55f};
static const float color_b[4] = {0.90f, 0.55f, 0.15f, 0.55f};
static const float color_mark[4] = {0.80f, 0.05f, 0.10f, 1.0f};
static const float color_normal[4] = {0.10f, 0.50f, 0.15f, 1.0f};
static const float color_text[4] = {0.12f, 0.13f, 0.15f, 1.0f};

typedef struct painter {
    const ts_pair_picture* picture;
    ts_offscreen* offscreen;
    ts_device* device;
    ts_draw_list list;
    ts_overlay overlay;
    ts_own_shapes own;
    ts_camera camera;
    ts_scene_box box;  // of what is finite
    double size;       // m, its diagonal
} painter;

static void add_plane(painter* p, const ts_transform* pose, const float color[4]) {
    ts_vec3 middle = ts_vec3_lerp(p->box.low, p->box.high, 0.5), up = ts_mat3_column(&pose->R, 2);
    ts_transform placed = *pose;
    placed.p = ts_vec3_add_scaled(middle, -ts_vec3_dot(up, ts_vec3_sub(middle, pose->p)), up);
    (void)ts_draw_list_add(&p->list, TS_DRAW_MESH_SQUARE, &placed, ts_vec3_make(p->size, p->size, 1.0), 0.0, color);
}

static ts_code add_shape(painter* p, const ts_shape* s, const ts_transform* pose, const float color[4],
                         ts_status* out_status) {
    if (s->kind == TS_SHAPE_PLANE) {
        add_plane(p, pose, color);
        return TS_OK;
    }
    ts_code code = ts_shape_look_upload(p->device, s, &p->own, out_status);
    ts_shape_look look = ts_shape_look_of(s, pose);
    if (look.mesh == TS_DRAW_MESH_HULL) look.mesh += ts_shape_look_find(&p->own, s, 0);
    if (code) return code;
    (void)ts_draw_list_add(&p->list, look.mesh, &look.placed, look.scale, look.stretch, color);
    // Glass with an outline is told from what lies behind it.
    ts_draw_item* outline = ts_draw_list_add(&p->list, look.mesh, &look.placed, look.scale, look.stretch, color);
    if (!outline) return TS_OK;
    outline->pass = TS_DRAW_PASS_GHOST;
    outline->body = s == p->picture->a ? 1 : 2;
    return TS_OK;
}

// The box of everything finite, and a camera that looks at it across the normal.
static void aim(painter* p) {
    const ts_pair_picture* picture = p->picture;
    const ts_separation* found = &picture->answer->found;
    ts_vec3 n = found->normal;
    ts_scene_box_add_shape(&p->box, picture->a, picture->pose_a);
    ts_scene_box_add_shape(&p->box, picture->b, picture->pose_b);
    ts_scene_box_add(&p->box, found->point_a, found->point_a);
    ts_scene_box_add(&p->box, found->point_b, found->point_b);
    p->size = ts_vec3_distance(p->box.low, p->box.high);
    p->camera = ts_camera_default();
    if (fabs(n.x) + fabs(n.y) > 1e-3) p->camera.azimuth = atan2(n.y, n.x) - 1.5707963267948966;
    p->camera.elevation = 0.25;
    ts_camera_frame(&p->camera, p->box.low, p->box.high, (double)picture->width / picture->height, 1.25);
}

static void add_marks(painter* p) {
    const ts_proximity* answer = p->picture->answer;
    double mark = 0.008 * p->camera.distance;
    const ts_vec3 point[2] = {answer->found.point_a, answer->found.point_b};
    for (int i = 0; i < 2; ++i) {
        ts_transform placed = ts_transform_identity();
        placed.p = point[i];
        ts_draw_item* item =
            ts_draw_list_add(&p->list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(mark, mark, mark), 0.0, color_mark);
        if (!item) return;
        item->pass = TS_DRAW_PASS_MARK;
        item->flags = TS_DRAW_GLOW;
    }
    ts_draw_list_add_line(&p->list, point[0], point[1], 3.0, color_mark);
    double length = 0.14 * p->camera.distance;
    ts_draw_list_add_arrow(&p->list, point[0], ts_vec3_scale(length, answer->found.normal), 0.35 * mark, color_normal,
                           -1);
}

static void add_words(painter* p) {
    const ts_proximity* answer = p->picture->answer;
    char text[128];
    ts_overlay_begin(&p->overlay, p->picture->height);
    double line = ts_overlay_line_height(&p->overlay), x = line;
    snprintf(text, sizeof text, "%s, distance %.9g m", ts_proximity_status_name(answer->status), answer->distance);
    ts_overlay_add_text(&p->overlay, x, line, text, color_text);
    snprintf(text, sizeof text, "blue A, orange B, arrow: normal from A to B");
    ts_overlay_add_text(&p->overlay, x, 2.2 * line, text, color_text);
}

static ts_code draw(painter* p, ts_status* out_status) {
    const ts_pair_picture* picture = p->picture;
    aim(p);
    ts_draw_list_begin(&p->list, p->camera.target);
    ts_code code = add_shape(p, picture->a, picture->pose_a, color_a, out_status);
    if (!code) code = add_shape(p, picture->b, picture->pose_b, color_b, out_status);
    if (code) return code;
    add_marks(p);
    add_words(p);
    if (!ts_draw_list_batch(&p->list, ts_camera_eye(&p->camera)) || p->list.failed || p->overlay.failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the draw list");
    ts_device_frame frame = ts_view_frame(&p->camera, &p->list, picture->width, picture->height);
    frame.shadow_radius = (float)p->size;
    frame.fade = (float)(50.0 * p->camera.distance);
    frame.background = TS_BACKGROUND_WHITE;
    frame.overlay = &p->overlay;
    return ts_device_draw(p->device, &frame, out_status);
}

ts_code ts_pair_picture_png(const ts_pair_picture* picture, const char* path, ts_status* out_status) {
    painter p;
    memset(&p, 0, sizeof p);
    p.picture = picture;
    ts_typeface* typeface = ts_typeface_usual();
    p.overlay.typeface = typeface;
    ts_code code = ts_offscreen_create(&p.offscreen, out_status);
    if (!code)
        code = ts_device_gl_create(ts_offscreen_loader(p.offscreen), SAMPLES, TS_DEVICE_GL_FINE, &p.device, out_status);
    if (!code) code = ts_shape_look_upload_units(p.device, SEGMENTS, out_status);
    if (!code) code = draw(&p, out_status);
    if (!code) code = ts_capture_device(p.device, picture->width, picture->height, path, out_status);
    ts_draw_list_free(&p.list);
    ts_own_shapes_free(&p.own);
    ts_overlay_free(&p.overlay);
    ts_device_destroy(p.device);
    ts_offscreen_destroy(p.offscreen);
    ts_typeface_free(typeface);
    return code;
}

#endif
