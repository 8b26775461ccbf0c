// Problem: pictures from a command line, a test or a notebook, on machines without display or GPU. Rule: step exactly as
// the headless runner does, then draw once into memory; a film draws many times, after a first run that shows how far everything
// gets. Guaranteed: the same request on the same machine gives the same bytes. Known to fail: different drivers round differently, so pictures of two machines may differ in last bits.
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/step/step.h"
#include "viewer/capture.h"
#include "viewer/offscreen.h"
#include "viewer/panes_internal.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/scene_labels_internal.h"
#include "viewer/steps_internal.h"
#include "viewer/ui_internal.h"
#include "viewer/view.h"
#include "viewer/window_internal.h"

ts_view_request ts_view_request_default(void) {
    ts_view_request request;
    memset(&request, 0, sizeof request);
    request.width = 1280;
    request.height = 720;
    request.samples = 4;
    request.show = ts_view_default_show();
    request.overlay = 1;
    request.mark = (double)NAN;
    request.speed = 1.0;
    return request;
}

static int channels_of(const ts_view_request* request) { return request->background == TS_BACKGROUND_CLEAR ? 4 : 3; }

static ts_code check_request(const ts_view_request* request, ts_status* out_status) {
    if (!request->scene || !request->sim)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a view needs a scene and a simulation");
    if (request->width < 16 || request->height < 16 || request->width > 16384 || request->height > 16384)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "a picture of %d x %d pixels: both must be from 16 to 16384", request->width,
                             request->height);
    if (request->companion_count < 0 || request->companion_count >= TS_VIEW_LAYERS)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "%d companions: at most %d fit into a picture",
                             request->companion_count, TS_VIEW_LAYERS - 1);
    if (request->row_place < 0 || request->row_place > request->companion_count || !ts_vec3_is_finite(request->row))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "place %d in a row of %d, or a row to nowhere",
                             request->row_place, 1 + request->companion_count);
    for (int i = 0; i < request->companion_count; ++i)
        if (request->companion[i].sim->model != request->sim->model)
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "companion %d is of another model", i);
    if (!isfinite(request->time) || !isfinite(request->speed))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "time and speed must be finite numbers");
    return TS_OK;
}

// A picture in the making.
typedef struct picture {
    const ts_view_request* request;
    ts_offscreen* offscreen;
    ts_device* device;
    ts_view view;
    ts_ui ui;
    ts_overlay overlay;
    ts_view_path path[TS_VIEW_LAYERS];
    ts_view_path reach;  // of `sim`, while a film looks ahead
    int looks_ahead;     // nonzero: the camera is set up for a film
    ts_vec3 offset[TS_VIEW_LAYERS];
    ts_status fault[TS_VIEW_LAYERS];  // why a companion went no further
} picture;

static ts_sim* sim_of(const picture* p, int layer) {
    return layer ? p->request->companion[layer - 1].sim : p->request->sim;
}

// Whether companions are somewhere else in the same world.
static int in_scene(const picture* p) { return p->request->layout == TS_LAYOUT_SCENE; }

static int is_alone(const picture* p) { return p->request->companion_count == 0; }

// The chart in the corner, the paths, and while a film looks ahead the ends of the box around everything.
static int note_step(void* user, int which, ts_sim* sim) {
    picture* p = user;
    const ts_view_request* request = p->request;
    if (sim->step_count > 0 && which == 0) ts_ui_note_step(&p->ui, sim);
    // A path that runs out of memory is merely shorter.
    if (sim->step_count > 0 && request->trail && request->scene->focus >= 0)
        (void)ts_view_path_push(&p->path[which], sim->kinematics.body_centre[request->scene->focus]);
    if (is_alone(p) && p->looks_ahead) {
        ts_vec3 low, high;
        ts_scene_sizes_bounds(sim, &low, &high);
        (void)(ts_view_path_push(&p->reach, low) && ts_view_path_push(&p->reach, high));
    }
    return 0;
}

static ts_code step_all(picture* p, double time, ts_status* out_status) {
    return ts_steps_to_time(p->request, time, note_step, p, p->fault, out_status);
}

// What a simulation has swept along a direction, on the way it came with its focus body.
static void swept(const ts_sim* sim, const ts_view_path* path, ts_vec3 along, double* out_low, double* out_high) {
    ts_vec3 low, high;
    ts_scene_sizes_bounds(sim, &low, &high);
    double middle = 0.5 * ts_vec3_dot(ts_vec3_add(low, high), along);
    double half = 0.5 * ts_vec3_dot(ts_vec3_sub(high, low), ts_vec3_abs(along));
    *out_low = middle - half;
    *out_high = middle + half;
    for (int k = 0; k + 1 < path->count; ++k) {
        double step = ts_vec3_dot(ts_vec3_sub(path->data[k], path->data[path->count - 1]), along);
        *out_low = fmin(*out_low, middle - half + step);
        *out_high = fmax(*out_high, middle + half + step);
    }
}

// Equal distances, so that what strays from its lane is seen; wide enough for the two neighbours that need most room.
static void lay_out_row(picture* p) {
    const ts_view_request* request = p->request;
    int count = 1 + request->companion_count;
    double length = ts_vec3_norm(request->row);
    if (!(length > 0.0) || count == 1) return;
    ts_vec3 along = ts_vec3_scale(1.0 / length, request->row);
    double spacing = 0.0;
    double widest = 0.0;
    double end = 0.0;
    for (int place = 0; place < count; ++place) {
        // Layer 0 is `sim`, the companions follow.
        int layer = place == request->row_place ? 0 : (place < request->row_place ? place + 1 : place);
        double low, high;
        swept(sim_of(p, layer), &p->path[layer], along, &low, &high);
        if (place > 0) spacing = fmax(spacing, end - low);
        widest = fmax(widest, high - low);
        end = high;
    }
    spacing += 0.5 * widest;
    for (int i = 0; i < request->companion_count; ++i) {
        int place = i < request->row_place ? i : i + 1;
        p->offset[1 + i] = ts_vec3_scale(spacing * (double)(place - request->row_place), along);
    }
}

// Comes as near as everything stays in the picture, closer than around one box: a row seen at an angle leaves its box half
// empty. In camera axes, with the eye at e, a point p is left of the right edge when p.x - e.x <= t (e.z - p.z), where t is
// the slope of the edge: e.x + t e.z >= max (p.x + t p.z). With its like for the other edges the least e.z follows.
static void frame_row(picture* p) {
    const double margin = 0.93;
    const double label_lines = 3.0;
    const ts_view_request* request = p->request;
    ts_camera* camera = &p->view.camera;
    double slope = tan(0.5 * camera->field_of_view);
    double labels = 2.0 * label_lines * ts_overlay_line_height(&p->overlay) / (double)request->height;
    double wide = margin * slope * (double)request->width / (double)request->height;
    double up = slope * fmax(margin - labels, 0.3);
    double down = slope * margin;
    double right = -HUGE_VAL, left = -HUGE_VAL, top = -HUGE_VAL, bottom = -HUGE_VAL;
    ts_mat3 axes = ts_camera_axes(camera);
    for (int i = 0; i < p->view.layer_count; ++i) {
        const ts_view_layer* layer = &p->view.layer[i];
        ts_vec3 low, high;
        ts_scene_sizes_bounds(layer->sim, &low, &high);
        const ts_view_path* path = &p->path[i];
        // A still needs room for the way that was made, a film for everything all along it.
        int corners = p->looks_ahead && path->count > 0 ? 8 * path->count : 8;
        for (int k = 0; k < corners + path->count; ++k) {
            ts_vec3 point = ts_vec3_make(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
            if (k >= corners)
                point = path->data[k - corners];
            else if (k >= 8)
                point = ts_vec3_add(point, ts_vec3_sub(path->data[k / 8 - 1], path->data[path->count - 1]));
            ts_vec3 c = ts_mat3_mul_vec_transposed(&axes, ts_vec3_add(point, layer->offset));
            right = fmax(right, c.x + wide * c.z);
            left = fmax(left, -c.x + wide * c.z);
            top = fmax(top, c.y + up * c.z);
            bottom = fmax(bottom, -c.y + down * c.z);
        }
    }
    double away = fmax((right + left) / (2.0 * wide), (top + bottom) / (up + down));
    // What is not needed of the other direction is shared by both its edges.
    ts_vec3 eye = ts_vec3_make(0.5 * (right - left), 0.5 * (top - bottom + (down - up) * away), away);
    if (!ts_vec3_is_finite(eye)) return;
    // The distance stays as it is around the box; it only says what is too near to be drawn.
    camera->target =
        ts_vec3_sub(ts_mat3_mul_vec(&axes, eye), ts_vec3_scale(camera->distance, ts_mat3_column(&axes, 2)));
}

// The solver's name above what moves of each layer, in its colour; higher up where names would lie on one another.
static void add_labels(picture* p) {
    static const float dark[3] = {0.10f, 0.12f, 0.15f};
    const ts_view_request* request = p->request;
    double line = ts_overlay_line_height(&p->overlay);
    double left[TS_VIEW_LAYERS], top[TS_VIEW_LAYERS], right[TS_VIEW_LAYERS];
    int count = 0;
    for (int i = 0; i < p->view.layer_count; ++i) {
        const ts_view_layer* layer = &p->view.layer[i];
        ts_vec3 low, high;
        double pixel[2];
        if (layer->ghost) continue;
        ts_scene_sizes_bounds(layer->sim, &low, &high);
        ts_vec3 above = ts_vec3_lerp(low, high, 0.5);
        above.z = high.z + 0.25 * p->view.sizes.body_radius;
        if (!ts_camera_project(&p->view.camera, request->width, request->height, ts_vec3_add(above, layer->offset),
                               pixel))
            continue;
        const char* name = i ? request->companion[i - 1].name : request->name;
        if (!name) name = layer->sim->solver ? layer->sim->solver->name : layer->sim->options.solver;
        double width = ts_overlay_text_width(&p->overlay, name);
        left[count] = fmax(0.0, fmin(pixel[0] - 0.5 * width, (double)request->width - width));
        right[count] = left[count] + width;
        top[count] = pixel[1] - 2.0 * line;
        for (int k = 0; k < count; ++k) {
            if (left[count] > right[k] + line || right[count] + line < left[k] || fabs(top[count] - top[k]) >= line)
                continue;
            top[count] = top[k] - line;
            k = -1;
        }
        float color[4] = {dark[0], dark[1], dark[2], 1.0f};
        for (int c = 0; c < 3 && layer->color; ++c) color[c] = 0.6f * layer->color[c];
        if (request->background == TS_BACKGROUND_CLEAR) ts_overlay_readable(layer->color, color);
        ts_overlay_add_text(&p->overlay, left[count], fmax(0.0, top[count]), name, color);
        ++count;
    }
}

static void begin_words(picture* p) {
    const ts_view_request* request = p->request;
    int in_row = request->companion_count > 0 && ts_vec3_norm(request->row) > 0.0;
    ts_overlay_begin(&p->overlay, request->height);
    // Without the panel there is room for names that a reader of a smaller copy can still read.
    if (in_row && !request->overlay && request->height >= 400) ts_overlay_set_size(&p->overlay, 14.0);
}

// Those in panes or over each other are in the picture, too, unless they are far off: what blew up shall not make the others dots.
static void add_for_camera(picture* p) {
    const double far = 4.0;
    const ts_view_request* request = p->request;
    ts_vec3 low, high;
    ts_scene_sizes_bounds(request->sim, &low, &high);
    ts_vec3 middle = ts_vec3_lerp(low, high, 0.5);
    for (int i = 0; i < request->companion_count; ++i) {
        ts_view_layer layer = {request->companion[i].sim, {0.0, 0.0, 0.0}, NULL, NULL, TS_VIEW_GLASS, NULL};
        ts_scene_sizes_bounds(layer.sim, &low, &high);
        double away = ts_vec3_distance(middle, low) + ts_vec3_distance(middle, high);
        if (away < 2.0 * far * p->view.sizes.radius) ts_view_add_layer(&p->view, layer);
    }
}

// Layers in their places, and the camera where it sees them.
static ts_code set_up(picture* p, ts_status* out_status) {
    const ts_view_request* request = p->request;
    ts_code code = ts_view_open(&p->view, request->sim, p->device, out_status);
    if (code) return code;
    p->view.show = request->show;
    p->view.background = request->background;
    p->view.dark = request->dark;
    p->view.untextured = request->untextured;
    p->view.layer[0].path = is_alone(p) && p->looks_ahead ? &p->reach : request->path ? request->path : &p->path[0];
    p->view.layer[0].color = request->color;
    for (int i = 0; i < request->companion_count; ++i) p->offset[1 + i] = request->companion[i].offset;
    lay_out_row(p);
    for (int i = 0; i < request->companion_count && in_scene(p); ++i) {
        const ts_view_companion* c = &request->companion[i];
        ts_view_layer layer = {c->sim, p->offset[1 + i], c->color, c->path ? c->path : &p->path[1 + i], c->ghost, NULL};
        ts_view_add_layer(&p->view, layer);
    }
    ts_panes panes = ts_panes_cut(request->layout == TS_LAYOUT_PANES ? 1 + request->companion_count : 1, request->width,
                                  request->height);
    if (!in_scene(p)) add_for_camera(p);
    ts_view_aim(&p->view, request->camera, panes.width, panes.height, request->overlay && (in_scene(p) || is_alone(p)));
    p->view.model_camera = request->model_camera;
    p->view.hidden_groups = request->hidden_groups;
    if (!in_scene(p)) p->view.layer_count = 1;
    p->view.layer[0].path = request->path ? request->path : &p->path[0];
    begin_words(p);
    int in_row = request->companion_count > 0 && ts_vec3_norm(request->row) > 0.0;
    if (in_row && !(request->camera && request->camera->distance > 0.0)) frame_row(p);
    return TS_OK;
}

// Words beside things, in a picture or a pane of that size.
static void add_names(picture* p, int layer, int width, int height, ts_overlay* overlay) {
    const ts_scene_paper paper = {&p->view.camera, width, height, p->view.dark, overlay};
    ts_scene_labels(&paper, sim_of(p, layer), p->request->labels);
}

static void add_pane_words(void* user, int pane, ts_overlay* overlay) {
    picture* p = user;
    int count = p->request->layout == TS_LAYOUT_GHOSTS ? 1 : 1 + p->request->companion_count;
    ts_panes panes = ts_panes_cut(count, p->request->width, p->request->height);
    add_names(p, pane, panes.width, panes.height, overlay);
}

// Panes or ghosts.
static ts_code draw_looks(picture* p, ts_status* out_status) {
    const ts_view_request* request = p->request;
    ts_panes_look look[TS_VIEW_LAYERS];
    int count = 1 + request->companion_count;
    for (int i = 0; i < count; ++i) {
        const ts_sim* sim = sim_of(p, i);
        const char* name = i ? request->companion[i - 1].name : request->name;
        if (!name) name = sim->solver ? sim->solver->name : sim->options.solver;
        ts_panes_look next = {sim, NULL, name, p->fault[i].code ? p->fault[i].message : NULL};
        look[i] = next;
    }
    ts_panes_picture panes = {look,
                              count,
                              0,
                              request->layout == TS_LAYOUT_GHOSTS,
                              request->overlay,
                              request->width,
                              request->height,
                              add_pane_words,
                              p};
    return ts_panes_draw(&panes, &p->view, &p->overlay, out_status);
}

// The contact that breaks the exact law most, with all that is known of it.
static void add_worst(picture* p) {
    const ts_sim* sim = p->request->sim;
    const int size[2] = {p->request->width, p->request->height};
    ts_arena arena = {0};
    ts_contact_facts facts = ts_scene_contacts_judge(sim, 0, &arena);
    int c = ts_scene_contacts_worst(sim, &facts);
    double at[2];
    if (c >= 0 && ts_camera_project(&p->view.camera, size[0], size[1], ts_sim_contact(sim, c).position, at)) {
        p->view.filter.pinned = ts_sim_contact(sim, c).key;
        ts_scene_contacts_card(sim, &facts, c, size, at, &p->overlay);
    }
    ts_arena_free(&arena);
}

static ts_code draw_picture(picture* p, ts_status* out_status) {
    const ts_view_request* request = p->request;
    if (!in_scene(p) && !is_alone(p)) return draw_looks(p, out_status);
    ts_view_follow(&p->view);
    begin_words(p);
    if (request->overlay) ts_ui_fill(&p->ui, request->sim, request->width, request->height, &p->overlay);
    if (request->companion_count > 0) add_labels(p);
    add_names(p, 0, request->width, request->height, &p->overlay);
    const int size[2] = {request->width, request->height};
    if (is_alone(p) && request->overlay && request->sim->contact_count)
        ts_scene_contacts_scale(&p->view.sizes, &p->view.camera, request->show, size, &p->overlay);
    if (is_alone(p) && request->card) add_worst(p);
    const ts_overlay* words = request->words ? request->words : &p->overlay;
    return ts_view_draw(&p->view, request->width, request->height, words, out_status);
}

// The context first: a machine that cannot draw says so before it has simulated for an hour.
static ts_code open_picture(const ts_view_request* request, picture** out_picture, ts_status* out_status) {
    *out_picture = NULL;
    ts_code code = check_request(request, out_status);
    if (code) return code;
    picture* p = calloc(1, sizeof *p);
    if (!p) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    *out_picture = p;
    p->request = request;
    p->overlay.typeface = request->typeface;
    ts_ui_set_title(&p->ui, request->scene);
    p->ui.panel = p->ui.legend = 1;
    code = ts_offscreen_create(&p->offscreen, out_status);
    if (!code)
        code = ts_device_gl_create(ts_offscreen_loader(p->offscreen), request->samples, TS_DEVICE_GL_FINE, &p->device,
                                   out_status);
    return code;
}

static void close_picture(picture* p) {
    for (int i = 0; i < TS_VIEW_LAYERS; ++i) ts_view_path_free(&p->path[i]);
    ts_view_path_free(&p->reach);
    ts_overlay_free(&p->overlay);
    ts_view_close(&p->view);
    ts_device_destroy(p->device);
    ts_offscreen_destroy(p->offscreen);
    free(p);
}

ts_code ts_viewer_render_pixels(const ts_view_request* request, unsigned char* out_pixels, ts_status* out_status) {
    picture* p = NULL;
    ts_code code = open_picture(request, &p, out_status);
    if (!p) return code;
    if (!code) code = step_all(p, request->time, out_status);
    if (!code) code = set_up(p, out_status);
    if (!code) code = draw_picture(p, out_status);
    if (!code) code = ts_device_read(p->device, channels_of(request), out_pixels, out_status);
    close_picture(p);
    return code;
}

// Runs everything to the end and back to where it was, with the camera set up for all of it.
static ts_code look_ahead(picture* p, ts_status* out_status) {
    ts_snapshot start[TS_VIEW_LAYERS];
    int count = 1 + p->request->companion_count;
    ts_code code = TS_OK;
    memset(start, 0, sizeof start);
    for (int i = 0; i < count && !code; ++i) code = ts_sim_snapshot(sim_of(p, i), &start[i], out_status);
    p->looks_ahead = 1;
    if (!code) code = step_all(p, p->request->time, out_status);
    if (!code) code = set_up(p, out_status);
    p->looks_ahead = 0;
    for (int i = 0; i < count; ++i) {
        if (!code) code = ts_sim_restore(sim_of(p, i), &start[i], out_status);
        if (!code) code = ts_sim_forward(sim_of(p, i), out_status);
        memset(&p->fault[i], 0, sizeof p->fault[i]);
        ts_view_path_clear(&p->path[i]);
        ts_snapshot_free(&start[i]);
    }
    return code;
}

ts_code ts_viewer_film(const ts_view_request* request, int count, ts_view_take take, void* user,
                       ts_status* out_status) {
    picture* p = NULL;
    unsigned char* pixels = NULL;
    ts_code code = open_picture(request, &p, out_status);
    if (!p) return code;
    if (!code && count < 2)
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a film has two pictures or more");
    if (!code) pixels = malloc((size_t)channels_of(request) * (size_t)request->width * (size_t)request->height);
    if (!code && !pixels) code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    double start = code ? 0.0 : request->sim->time;
    if (!code) code = look_ahead(p, out_status);
    for (int k = 0; k < count && !code; ++k) {
        // Half a step early, since steps are whole and those that end there count.
        double time = start + (request->time - start) * k / (count - 1) - 0.5 * request->sim->options.time_step;
        code = step_all(p, time, out_status);
        if (!code) code = draw_picture(p, out_status);
        if (!code) code = ts_device_read(p->device, channels_of(request), pixels, out_status);
        if (!code) code = take(user, k, pixels, out_status);
    }
    free(pixels);
    close_picture(p);
    return code;
}

static int compare_times(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double median_of(double* time, int count) {
    qsort(time, (size_t)count, sizeof *time, compare_times);
    return time[count / 2];
}

static ts_device_counts counted_since(const ts_device* device, ts_device_counts before) {
    ts_device_counts now = device->counts;
    ts_device_counts since = {now.frames - before.frames, now.draw_calls - before.draw_calls,
                              now.uploads - before.uploads, now.bytes - before.bytes};
    return since;
}

// Times of `count` frames, each a little further round the scene; pixels are read, so that nothing of a frame is left to the next one.
static ts_code time_frames(picture* p, int count, double* time[2], unsigned char* pixels, ts_viewer_cost* out_cost,
                           ts_status* out_status) {
    ts_code code = draw_picture(p, out_status);  // once for what is made the first time
    for (int k = 0; k < count && !code; ++k) {
        ts_device_counts before = p->device->counts;
        ts_camera_orbit(&p->view.camera, 3.0, 0.0, p->request->height);
        double start = ts_clock_seconds();
        code = ts_view_list(&p->view, out_status);
        double filled = ts_clock_seconds();
        if (!code) code = draw_picture(p, out_status);
        if (!code) code = ts_device_read(p->device, channels_of(p->request), pixels, out_status);
        time[0][k] = filled - start;
        time[1][k] = ts_clock_seconds() - filled;
        out_cost->frame = counted_since(p->device, before);
    }
    out_cost->items = p->view.list.items.count + p->view.list.arrows.count + p->view.list.lines.count;
    return code;
}

ts_code ts_viewer_measure(const ts_view_request* request, int count, ts_viewer_cost* out_cost, ts_status* out_status) {
    picture* p = NULL;
    memset(out_cost, 0, sizeof *out_cost);
    if (count < 1) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a measurement has a frame or more");
    ts_code code = open_picture(request, &p, out_status);
    if (!p) return code;
    double* time[2] = {calloc((size_t)count, sizeof(double)), calloc((size_t)count, sizeof(double))};
    unsigned char* pixels = malloc((size_t)channels_of(request) * (size_t)request->width * (size_t)request->height);
    if (!code && (!time[0] || !time[1] || !pixels))
        code = ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for times of frames");
    if (!code) code = step_all(p, request->time, out_status);
    if (!code) code = set_up(p, out_status);
    if (!code) out_cost->open = p->device->counts;
    if (!code && time[0] && time[1]) code = time_frames(p, count, time, pixels, out_cost, out_status);
    if (!code && time[0] && time[1]) {
        out_cost->list = median_of(time[0], count);
        out_cost->draw = median_of(time[1], count);
    }
    free(time[0]);
    free(time[1]);
    free(pixels);
    close_picture(p);
    return code;
}

ts_code ts_viewer_render_png(const ts_view_request* request, ts_status* out_status) {
    ts_code code = check_request(request, out_status);
    if (code) return code;
    if (!request->png_path) return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a picture needs a file name");
    int channels = channels_of(request);
    unsigned char* data = malloc((size_t)channels * (size_t)request->width * (size_t)request->height);
    if (!data) return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a picture");
    code = ts_viewer_render_pixels(request, data, out_status);
    ts_capture_pixels pixels = {request->width, request->height, channels, data};
    if (!code) code = ts_capture_write_png(request->png_path, pixels, out_status);
    free(data);
    return code;
}

ts_code ts_viewer_run(const ts_view_request* request, ts_status* out_status) {
    if (request->png_path) return ts_viewer_render_png(request, out_status);
    ts_code code = check_request(request, out_status);
    return code ? code : ts_window_run(request, out_status);
}
