// Problem: see how a search closes in. Rule: A - B as glass (the hull of its support points along directions spread evenly), the origin in it or
// outside, and what the search holds: the simplex or portal with its corners, or the edges of the polytope; the point nearest to the
// origin, and the support point that was asked for. Guaranteed: what is drawn is what the query itself saw. Known to fail: curved differences are a
// little too small.
#include "viewer/pair_drawing.h"

#include "collision/shape/hull.h"
#include "viewer/shape_look_internal.h"
#include "viewer/view.h"

#include "base/scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 32, DIRECTIONS = 2000 };

static const float color_body[4] = {0.45f, 0.55f, 0.70f, 0.16f};
static const float color_held[4] = {0.10f, 0.35f, 0.75f, 1.0f};
static const float color_face[4] = {0.20f, 0.50f, 0.90f, 1.0f};
static const float color_origin[4] = {0.05f, 0.05f, 0.05f, 1.0f};
static const float color_nearest[4] = {0.80f, 0.05f, 0.10f, 1.0f};
static const float color_support[4] = {0.95f, 0.55f, 0.05f, 1.0f};

// Direction number i of a spiral from pole to pole.
static ts_vec3 spread(int i) {
    double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, r = sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
    return ts_vec3_make(r * cos(turn), r * sin(turn), z);
}

// A - B of the cores, where it has a volume; its box takes in the origin.
static ts_code make_body(ts_pair_drawing* s, const ts_watched_pair* p, ts_status* out_status) {
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

static void add_mark(ts_pair_drawing* s, const ts_camera* camera, ts_vec3 at, double size, const float color[4]) {
    ts_transform placed = {ts_mat3_identity(), at};
    double r = size * camera->distance;
    ts_draw_item* item = ts_draw_list_add(&s->list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(r, r, r), 0.0, color);
    if (!item) return;
    item->pass = TS_DRAW_PASS_MARK;
    item->flags = TS_DRAW_GLOW;
}

static void add_step(ts_pair_drawing* s, const ts_proximity_step* step, const ts_camera* camera) {
    const ts_proximity_trace* trace = s->trace;
    for (int i = 0; i < step->corners; ++i) {
        add_mark(s, camera, step->corner[i], 0.011, color_held);
        for (int k = 0; k < i; ++k) ts_draw_list_add_line(&s->list, step->corner[i], step->corner[k], 2.5, color_held);
    }
    for (int i = 0; i < step->triangles; ++i) {
        const ts_vec3* corner = trace->triangle[step->triangle_first + i];
        for (int k = 0; k < 3; ++k) ts_draw_list_add_line(&s->list, corner[k], corner[(k + 1) % 3], 1.5, color_face);
    }
    ts_vec3 support = ts_vec3_sub(step->point_a, step->point_b);
    add_mark(s, camera, support, 0.013, color_support);
    ts_draw_list_add_arrow(&s->list, support, ts_vec3_scale(0.12 * camera->distance, step->direction),
                           0.004 * camera->distance, color_support, -1);
    if (ts_vec3_norm(step->nearest) > 0.0) {
        add_mark(s, camera, step->nearest, 0.011, color_nearest);
        ts_draw_list_add_line(&s->list, ts_vec3_zero(), step->nearest, 3.0, color_nearest);
    }
    add_mark(s, camera, ts_vec3_zero(), 0.014, color_origin);
}

static void add_words(ts_pair_drawing* s, const ts_proximity_step* step, int height, const float color_text[4]) {
    char text[96], bound[2][24];
    double value[2] = {step->lower, step->upper};
    for (int k = 0; k < 2; ++k) {
        if (isfinite(value[k]))
            snprintf(bound[k], sizeof bound[k], "%.5g", value[k] + 0.0);
        else
            snprintf(bound[k], sizeof bound[k], "?");
    }
    ts_overlay_begin(&s->overlay, height);
    double line = ts_overlay_line_height(&s->overlay);
    snprintf(text, sizeof text, "%s %d", ts_proximity_stage_name(step->stage), step->iteration);
    ts_overlay_add_text(&s->overlay, 0.5 * line, 0.5 * line, text, color_text);
    snprintf(text, sizeof text, "%s .. %s m", bound[0], bound[1]);
    ts_overlay_add_text(&s->overlay, 0.5 * line, 1.6 * line, text, color_text);
}

ts_code ts_pair_drawing_open(ts_pair_drawing* out_drawing, const ts_watched_pair* pair, ts_device* device,
                             ts_status* out_status) {
    memset(out_drawing, 0, sizeof *out_drawing);
    out_drawing->trace = pair->trace;
    out_drawing->device = device;
    out_drawing->box = ts_scene_box_empty();
    ts_code code = ts_shape_look_upload_units(device, SEGMENTS, out_status);
    return code ? code : make_body(out_drawing, pair, out_status);
}

ts_camera ts_pair_drawing_aim(const ts_pair_drawing* drawing, double aspect) {
    ts_vec3 n = drawing->trace->step[drawing->trace->steps - 1].direction;
    ts_camera camera = ts_camera_default();
    if (fabs(n.x) + fabs(n.y) > 1e-3) camera.azimuth = atan2(n.y, n.x) - 0.5 * TS_PI;
    camera.elevation = 0.3;
    ts_camera_frame(&camera, drawing->box.low, drawing->box.high, aspect, 1.25);
    return camera;
}

ts_code ts_pair_drawing_draw(ts_pair_drawing* drawing, int step, const ts_camera* camera, const int size[2], int dark,
                             ts_status* out_status) {
    static const float ink[2][4] = {{0.12f, 0.13f, 0.15f, 1.0f}, {0.92f, 0.94f, 0.96f, 1.0f}};
    ts_pair_drawing* s = drawing;
    const ts_proximity_step* seen = &s->trace->step[step];
    ts_transform here = ts_transform_identity();
    ts_draw_list_begin(&s->list, camera->target);
    if (s->has_body)
        (void)ts_draw_list_add(&s->list, TS_DRAW_MESH_HULL, &here, ts_vec3_make(1.0, 1.0, 1.0), 0.0, color_body);
    add_step(s, seen, camera);
    add_words(s, seen, size[1], ink[dark != 0]);
    if (!ts_draw_list_batch(&s->list, ts_camera_eye(camera)) || s->list.failed || s->overlay.failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the draw list");
    ts_device_frame frame = ts_view_frame(camera, &s->list, size[0], size[1]);
    frame.fade = (float)(50.0 * camera->distance);
    frame.shadow_radius = (float)camera->distance;
    frame.background = dark ? TS_BACKGROUND_SKY : TS_BACKGROUND_WHITE;
    frame.dark = dark;
    frame.overlay = &s->overlay;
    return ts_device_draw(s->device, &frame, out_status);
}

void ts_pair_drawing_close(ts_pair_drawing* drawing) {
    ts_draw_list_free(&drawing->list);
    ts_overlay_free(&drawing->overlay);
}
