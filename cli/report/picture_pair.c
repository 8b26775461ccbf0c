// Problem: a picture in which a difference of a thousandth of a body's size can be seen. Rule: the camera looks across the direction in
// which the body in focus is elsewhere than the reference's, whose outline lies over it; where the difference would be smaller than a
// finger's width, the corner of the body that leads is shown again, enlarged by a round factor, without perspective and exactly
// from the side or from above, with a dimension, a scale and the ground's edge. Guaranteed: lengths in the enlarged part are true
// to its scale. Known to fail: when a body has turned far, corners of the two are compared that are not the same.
#ifdef TS_HAVE_VIEWER

#include "base/scalar.h"
#include "cli/report/picture_internal.h"
#include "cli/report/stats_internal.h"
#include "cli/signals.h"
#include "collision/shape/support.h"
#include "scenes/run.h"
#include "viewer/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pixels by which a difference is plain without help.
static const double plain_pixels = 45.0;

static const float color_mark[4] = {0.86f, 0.33f, 0.25f, 1.0f};
static const float color_faint[4] = {0.86f, 0.33f, 0.25f, 0.5f};
static const float color_ground[4] = {0.5f, 0.5f, 0.5f, 0.22f};
static const float color_rule[4] = {0.5f, 0.5f, 0.5f, 1.0f};

typedef struct shot {
    const ts_picture_pair* pair;
    ts_view_path path[2];  // of the body in focus and of the reference's
    ts_vec3 away;          // m, what differs: one component of how far a corner of the one is from that of the other
    ts_vec3 corner[2];     // m, of the reference and of the simulation
    int from_above;
    int level;  // the difference is level in the picture, not upright
    ts_camera camera;
    ts_overlay words;
    double enlarged;            // times; 0: no part is
    int left, top, wide, high;  // pixels, of the enlarged part
} shot;

static int note_path(void* user, ts_sim* sim) {
    shot* s = user;
    int which = sim == s->pair->reference;
    // A path that runs out of memory is merely shorter.
    if (s->pair->scene->focus >= 0)
        (void)ts_view_path_push(&s->path[which], sim->kinematics.body_centre[s->pair->scene->focus]);
    return ts_signals_caught();
}

// The corner of a body that is farthest along a direction.
static ts_vec3 corner_of(const ts_sim* sim, int body, ts_vec3 direction) {
    const ts_body* b = &sim->model->body[body];
    ts_vec3 best = sim->kinematics.body_centre[body];
    double most = -HUGE_VAL;
    for (int g = b->geom_first; g < b->geom_first + b->geom_count; ++g) {
        const ts_shape* shape = &sim->model->geom[g].shape;
        if (!ts_shape_is_convex(shape) || shape->kind == TS_SHAPE_PLANE) continue;
        ts_vec3 local = ts_mat3_mul_vec_transposed(&ts_kinematics_geom(&sim->kinematics, g)->R, direction);
        ts_vec3 at = ts_support_core(shape, local, -1).point;
        at = ts_vec3_add_scaled(at, shape->radius, ts_vec3_unit_or(local, ts_vec3_zero()));
        ts_vec3 world = ts_transform_point(ts_kinematics_geom(&sim->kinematics, g), at);
        if (ts_vec3_dot(world, direction) <= most) continue;
        most = ts_vec3_dot(world, direction);
        best = world;
    }
    return best;
}

// Where that corner of a body is in another simulation: the same point of it, unless it has turned so far that another one leads.
static ts_vec3 same_corner(const ts_sim* sim, const ts_sim* other, int body, ts_vec3 corner, ts_vec3 direction) {
    const double most = 0.2;  // rad
    const ts_transform *here = &sim->kinematics.body_pose[body], *there = &other->kinematics.body_pose[body];
    double cosine = 0.0;
    for (int i = 0; i < 9; ++i) cosine += here->R.m[i / 3][i % 3] * there->R.m[i / 3][i % 3];
    if (0.5 * (cosine - 1.0) < cos(most)) return corner_of(other, body, direction);
    return ts_transform_point(there, ts_transform_point_inverse(here, corner));
}

// Whether the difference is up, aside or along, and the view that suits it.
static void choose_view(shot* s) {
    const ts_picture_pair* pair = s->pair;
    int focus = pair->scene->focus;
    ts_vec3 up = ts_vec3_axis(2), forward = pair->forward, left = ts_vec3_cross(up, forward);
    ts_vec3 moved =
        ts_vec3_sub(pair->sim->kinematics.body_centre[focus], pair->reference->kinematics.body_centre[focus]);
    double rise = ts_vec3_dot(moved, up), aside = ts_vec3_dot(moved, left), along = ts_vec3_dot(moved, forward);
    // Rising or sinking is a broken law where being late is none: it goes first unless it is small beside the others.
    int is_rise = fabs(rise) > 0.3 * fmax(fabs(aside), fabs(along));
    s->from_above = !is_rise && fabs(aside) > fabs(along);
    s->level = !is_rise && !s->from_above;
    ts_vec3 of_interest = is_rise ? up : (s->from_above ? left : forward);
    // Among corners that are equally far, the one that leads, and of those the one towards the eye.
    ts_vec3 outward = is_rise ? ts_vec3_neg(up) : ts_vec3_scale(s->from_above && aside < 0.0 ? -1.0 : 1.0, of_interest);
    outward = ts_vec3_add_scaled(outward, 0.05, s->level ? ts_vec3_neg(up) : forward);
    outward = ts_vec3_add_scaled(outward, 0.02, s->from_above ? up : ts_vec3_neg(left));
    s->corner[1] = corner_of(pair->sim, focus, outward);
    s->corner[0] = same_corner(pair->sim, pair->reference, focus, s->corner[1], outward);
    double part = ts_vec3_dot(ts_vec3_sub(s->corner[1], s->corner[0]), of_interest);
    s->away = ts_vec3_scale(part, of_interest);
    s->camera.azimuth = atan2(-left.y, -left.x);
    s->camera.elevation = (s->from_above ? 62.0 : 9.0) * TS_PI / 180.0;
    s->camera.field_of_view = 24.0 * TS_PI / 180.0;
}

static void add_moving(ts_scene_box* box, const ts_sim* sim) {
    for (int g = 0; g < sim->model->geom_count; ++g)
        if (sim->model->body[sim->model->geom[g].body].tree >= 0)
            ts_scene_box_add_shape(box, &sim->model->geom[g].shape, ts_kinematics_geom(&sim->kinematics, g));
}

static double pixels_per_metre(const ts_camera* camera, int height) {
    return 0.5 * (double)height / (camera->distance * tan(0.5 * camera->field_of_view));
}

// The largest of 1, 2, 5, 10, ... that is no more than `most`.
static double round_below(double most) {
    double power = pow(10.0, floor(log10(most)));
    return most >= 5.0 * power ? 5.0 * power : (most >= 2.0 * power ? 2.0 * power : power);
}

static void aim(shot* s) {
    const ts_picture_pair* pair = s->pair;
    ts_scene_box box = ts_scene_box_empty();
    add_moving(&box, pair->sim);
    if (pair->reference) add_moving(&box, pair->reference);
    for (int which = 0; which < 2; ++which)
        for (int k = 0; k < s->path[which].count; ++k)
            ts_scene_box_add(&box, s->path[which].data[k], s->path[which].data[k]);
    if (!box.count) return;
    double aspect = (double)pair->width / pair->height;
    ts_camera_frame(&s->camera, box.low, box.high, aspect, 1.15);
    double difference = ts_vec3_norm(s->away);
    if (!(difference > pair->worth) || difference * pixels_per_metre(&s->camera, pair->height) > plain_pixels) return;
    // Room on the right for the enlarged part.
    double share = 0.40;
    s->wide = (int)(share * pair->width) - 12;
    s->high = (int)(0.84 * pair->height);
    s->left = pair->width - s->wide - 8;
    s->top = 8;
    ts_camera_frame(&s->camera, box.low, box.high, (1.0 - share) * aspect, 1.2);
    ts_camera_pan(&s->camera, -0.5 * share * pair->width, 0.0, pair->height);
    double part = difference * pixels_per_metre(&s->camera, pair->height);
    s->enlarged = round_below(0.42 * (s->level ? s->wide : s->high) / part);
    if (s->enlarged < 2.0) s->enlarged = 0.0;
}

// The camera of the enlarged part.
static ts_camera look_closely(const shot* s) {
    ts_camera close = s->camera;
    close.target = ts_vec3_lerp(s->corner[0], s->corner[1], 0.5);
    close.elevation = s->from_above ? 0.5 * TS_PI : 0.0;
    close.parallel = 1;
    double metres = 0.5 * s->high / (pixels_per_metre(&s->camera, s->pair->height) * s->enlarged);
    close.field_of_view = 2.0 * atan(metres / close.distance);
    // Room for the dimension beside the body, or below it.
    ts_camera_pan(&close, s->level ? 0.0 : -0.16 * s->wide, s->level ? -0.14 * s->high : 0.0, s->high);
    return close;
}

static void add_frame(ts_overlay* words, double x, double y, double width, double height, const float color[4]) {
    ts_overlay_add_rectangle(words, x, y, width, 1.0, color);
    ts_overlay_add_rectangle(words, x, y + height - 1.0, width, 1.0, color);
    ts_overlay_add_rectangle(words, x, y, 1.0, height, color);
    ts_overlay_add_rectangle(words, x + width - 1.0, y, 1.0, height, color);
}

static void add_length(ts_overlay* words, double x, double y, double metres, const float color[4]) {
    ts_text text = {0};
    ts_stats_add_quantity(&text, metres, "m");
    ts_overlay_add_text(words, x, y, ts_text_get(&text), color);
    ts_text_free(&text);
}

// A level floor seen from the side is a line; below it is ground.
static void add_ground(const shot* s, const ts_camera* close, ts_overlay* words) {
    const ts_sim* sim = s->pair->sim;
    double top = HUGE_VAL;
    for (int g = 0; g < sim->model->geom_count && !s->from_above; ++g) {
        ts_vec3 foot = ts_kinematics_geom(&sim->kinematics, g)->p;
        double pixel[2];
        if (sim->model->geom[g].shape.kind != TS_SHAPE_PLANE ||
            ts_kinematics_geom(&sim->kinematics, g)->R.m[2][2] < 0.9999)
            continue;
        ts_vec3 point = close->target;
        point.z = foot.z;
        if (ts_camera_project(close, s->wide, s->high, point, pixel)) top = fmin(top, pixel[1]);
    }
    if (!(top < s->high)) return;
    top = fmax(top, 0.0);
    ts_overlay_add_rectangle(words, 0.0, top, s->wide, s->high - floor(top), color_ground);
    ts_overlay_add_rectangle(words, 0.0, top, s->wide, 1.0, color_rule);
}

// From one corner to the other, with its length.
static void add_dimension(const shot* s, const ts_camera* close, ts_overlay* words) {
    double from[2], to[2];
    if (!ts_camera_project(close, s->wide, s->high, s->corner[0], from)) return;
    if (!ts_camera_project(close, s->wide, s->high, ts_vec3_add(s->corner[0], s->away), to)) return;
    double line = ts_overlay_line_height(words), tick = 5.0;
    if (s->level) {
        double y = fmin(from[1] + 0.16 * s->high, s->high - 4.0 * line), x = fmin(from[0], to[0]);
        double length = fabs(to[0] - from[0]);
        ts_overlay_add_rectangle(words, from[0], fmin(from[1], y), 1.0, fabs(y - from[1]), color_faint);
        ts_overlay_add_rectangle(words, to[0], fmin(to[1], y), 1.0, fabs(y - to[1]), color_faint);
        ts_overlay_add_rectangle(words, x, y, length, 2.0, color_mark);
        ts_overlay_add_rectangle(words, x, y - tick, 1.0, 2.0 * tick + 2.0, color_mark);
        ts_overlay_add_rectangle(words, x + length, y - tick, 1.0, 2.0 * tick + 2.0, color_mark);
        add_length(words, x + length + 2.0 * tick, y - 0.5 * line, ts_vec3_norm(s->away), color_mark);
    } else {
        double x = fmin(fmax(from[0], to[0]) + 0.22 * s->wide, 0.62 * s->wide), y = fmin(from[1], to[1]);
        double length = fabs(to[1] - from[1]);
        ts_overlay_add_rectangle(words, fmin(from[0], x), from[1], fabs(x - from[0]), 1.0, color_faint);
        ts_overlay_add_rectangle(words, fmin(to[0], x), to[1], fabs(x - to[0]), 1.0, color_faint);
        ts_overlay_add_rectangle(words, x, y, 2.0, length, color_mark);
        ts_overlay_add_rectangle(words, x - tick, y, 2.0 * tick + 2.0, 1.0, color_mark);
        ts_overlay_add_rectangle(words, x - tick, y + length, 2.0 * tick + 2.0, 1.0, color_mark);
        add_length(words, x + 2.0 * tick, y + 0.5 * (length - line), ts_vec3_norm(s->away), color_mark);
    }
}

// One of the lengths that round_below gives, without needless noughts.
static void round_length(double metres, char out_text[32]) {
    static const char* const unit[] = {"m", "mm", "\xC2\xB5m", "nm", "pm"};
    int i = 0;
    for (; metres < 0.999 && i < 4; ++i) metres *= 1000.0;
    snprintf(out_text, 32, "%.4g %s", metres, unit[i]);
}

// How much larger, a bar of a round length, and a frame.
static void add_scale(const shot* s, const ts_camera* close, ts_overlay* words) {
    float grey[4];
    ts_overlay_readable(NULL, grey);
    double line = ts_overlay_line_height(words), right = s->wide - 0.6 * line;
    double scale = pixels_per_metre(close, s->high), bar = round_below(0.3 * s->wide / scale);
    char text[32];
    snprintf(text, sizeof text, "\xC3\x97%.6g", s->enlarged);
    ts_overlay_add_text(words, right - ts_overlay_text_width(words, text), 0.6 * line, text, grey);
    ts_overlay_add_rectangle(words, right - bar * scale, s->high - line, bar * scale, 3.0, grey);
    round_length(bar, text);
    ts_overlay_add_text(words, right - ts_overlay_text_width(words, text), s->high - 2.2 * line, text, grey);
    add_frame(words, 0.0, 0.0, s->wide, s->high, color_rule);
}

// Where the enlarged part is, and a line that leads from there to it.
static void add_marker(shot* s) {
    double pixel[2];
    ts_vec3 middle = ts_vec3_lerp(s->corner[0], s->corner[1], 0.5);
    if (!ts_camera_project(&s->camera, s->pair->width, s->pair->height, middle, pixel)) return;
    double wide = fmax(s->wide / s->enlarged, 6.0), high = fmax(s->high / s->enlarged, 6.0);
    double x = floor(pixel[0] - 0.5 * wide), y = floor(pixel[1] - 0.5 * high);
    add_frame(&s->words, x, y, wide, high, color_rule);
    double end = x + wide;
    if (end < s->left) ts_overlay_add_rectangle(&s->words, end, pixel[1], s->left - end, 1.0, color_rule);
}

static ts_view_request request_of(const shot* s, const ts_view_companion* ghost) {
    ts_view_request request = ts_view_request_default();
    request.scene = s->pair->scene;
    request.sim = s->pair->sim;
    request.time = s->pair->time;
    request.width = s->pair->width;
    request.height = s->pair->height;
    request.overlay = 0;
    request.background = TS_BACKGROUND_CLEAR;
    request.color = s->pair->color;
    request.camera = &s->camera;
    request.words = &s->words;
    request.path = &s->path[0];
    request.companion = s->pair->reference ? ghost : NULL;
    request.companion_count = s->pair->reference ? 1 : 0;
    return request;
}

// Draws the enlarged part and lays it over the picture.
static ts_code enlarge(const shot* s, ts_view_companion ghost, unsigned char* pixels, ts_status* out_status) {
    ts_camera close = look_closely(s);
    ts_overlay words = {.typeface = s->words.typeface};
    ts_overlay_begin(&words, s->high);
    ts_overlay_set_size(&words, 10.0);
    add_ground(s, &close, &words);
    add_dimension(s, &close, &words);
    add_scale(s, &close, &words);
    ghost.path = NULL;
    ts_view_request request = request_of(s, &ghost);
    request.width = s->wide;
    request.height = s->high;
    request.camera = &close;
    request.words = &words;
    request.path = NULL;
    // From above nothing but the floor and its shadows would be behind.
    request.show = TS_SHOW_GEOMS | (s->from_above ? TS_SHOW_ONLY_MOVING : 0);
    size_t row = 4u * (size_t)s->wide;
    unsigned char* part = malloc(row * (size_t)s->high);
    ts_code code = part ? ts_viewer_render_pixels(&request, part, out_status)
                        : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    for (int y = 0; part && y < s->high && !code; ++y)
        memcpy(pixels + 4u * ((size_t)(s->top + y) * (size_t)s->pair->width + (size_t)s->left), part + row * (size_t)y,
               row);
    free(part);
    ts_overlay_free(&words);
    return code;
}

static ts_code draw(shot* s, unsigned char* pixels, ts_status* out_status) {
    const ts_picture_pair* pair = s->pair;
    ts_overlay_begin(&s->words, pair->height);
    s->camera = ts_camera_default();
    if (pair->reference && pair->scene->focus >= 0) choose_view(s);
    aim(s);
    if (s->enlarged > 0.0) add_marker(s);
    float grey[4];
    char text[32];
    double line = ts_overlay_line_height(&s->words);
    ts_overlay_readable(NULL, grey);
    snprintf(text, sizeof text, "t = %.4g s", pair->time);
    ts_overlay_set_size(&s->words, 10.0);
    ts_overlay_add_text(&s->words, 0.6 * line, 0.6 * line, text, grey);
    ts_view_companion ghost = {pair->reference, {0.0, 0.0, 0.0}, {0.45f, 0.45f, 0.45f}, 1, &s->path[1], NULL};
    ts_view_request request = request_of(s, &ghost);
    ts_code code = ts_viewer_render_pixels(&request, pixels, out_status);
    if (!code && s->enlarged > 0.0) code = enlarge(s, ghost, pixels, out_status);
    return code;
}

ts_code ts_picture_pair_png(const ts_picture_pair* pair, ts_text* png, ts_status* out_status) {
    shot s;
    memset(&s, 0, sizeof s);
    s.pair = pair;
    unsigned char* pixels = malloc(4u * (size_t)pair->width * (size_t)pair->height);
    if (!pixels) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    ts_typeface* typeface = ts_typeface_usual();
    s.words.typeface = typeface;
    ts_code code = ts_run_scene(pair->scene, pair->sim, pair->time - pair->sim->time, note_path, &s, out_status);
    if (!code && pair->reference)
        code =
            ts_run_scene(pair->scene, pair->reference, pair->time - pair->reference->time, note_path, &s, out_status);
    if (!code) code = draw(&s, pixels, out_status);
    if (!code) code = ts_picture_encode(pair->width, pair->height, 4, pixels, png, out_status);
    for (int i = 0; i < 2; ++i) ts_view_path_free(&s.path[i]);
    ts_overlay_free(&s.words);
    ts_typeface_free(typeface);
    free(pixels);
    return code;
}

#else
typedef int ts_picture_pair_needs_the_viewer;
#endif
