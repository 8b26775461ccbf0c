// Problem: from a simulation to a device's frame. Rule: fill the draw list relative to the camera's target, batch it, and
// give the sun a shadow region around what moves. Guaranteed: the shadow region moves in steps, so that shadow edges do not
// crawl. Known to fail: bodies that fly apart by many scene sizes lose their shadows.
#include "viewer/view.h"

#include "engine/actuation/tendon_way.h"
#include "viewer/model_camera_internal.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/scene_marks_internal.h"
#include "viewer/scene_texture_internal.h"
#include "viewer/scene_walls_internal.h"

#include <string.h>

// Layers that need to know what contacts do.
enum {
    TS_SHOW_AT_CONTACTS = TS_SHOW_CONTACTS | TS_SHOW_FORCES | TS_SHOW_CONES | TS_SHOW_SPLIT | TS_SHOW_GAPS |
                          TS_SHOW_INTERNAL | TS_SHOW_PATCHES
};

unsigned ts_view_default_show(void) {
    return TS_SHOW_GEOMS | TS_SHOW_GRID | TS_SHOW_PATTERN | TS_SHOW_CONTACTS | TS_SHOW_FORCES;
}

void ts_view_add_layer(ts_view* view, ts_view_layer layer) {
    if (view->layer_count < TS_VIEW_LAYERS) view->layer[view->layer_count++] = layer;
}

// Makes room for the walls that are shown.
static void add_walls(const ts_view* view, ts_vec3* io_min, ts_vec3* io_max) {
    for (int g = 0; g < view->sim->model->geom_count; ++g) {
        if (!ts_scene_walls_has(view->sim, g) || !(view->sim->model->geom[g].rgba[3] > 0.0f)) continue;
        ts_scene_wall wall = ts_scene_walls_shape(view->sim, g, view->sizes.low, view->sizes.high);
        for (int k = 0; k < wall.count; ++k) {
            *io_min = ts_vec3_min(*io_min, wall.corner[k]);
            *io_max = ts_vec3_max(*io_max, wall.corner[k]);
        }
    }
}

// Makes room for the ways of tendons, whose ends may be far from any shape.
static void add_tendons(const ts_view* view, ts_vec3* io_min, ts_vec3* io_max) {
    enum { MOST = 512 };  // as many as are drawn
    ts_tendon_segment way[MOST];
    for (int t = 0; t < view->sim->model->tendon_count; ++t) {
        int count = ts_tendon_way(view->sim, t, MOST, way);
        for (int k = 0; k < count && k < MOST; ++k) {
            *io_min = ts_vec3_min(*io_min, ts_vec3_min(way[k].from, way[k].to));
            *io_max = ts_vec3_max(*io_max, ts_vec3_max(way[k].from, way[k].to));
        }
    }
}

// Around all layers and their paths, each where it is shown.
static void view_bounds(const ts_view* view, ts_vec3* out_min, ts_vec3* out_max) {
    ts_scene_sizes_bounds(view->sim, out_min, out_max);
    for (int i = 1; i < view->layer_count; ++i) {
        ts_vec3 low, high;
        ts_scene_sizes_bounds(view->layer[i].sim, &low, &high);
        *out_min = ts_vec3_min(*out_min, ts_vec3_add(low, view->layer[i].offset));
        *out_max = ts_vec3_max(*out_max, ts_vec3_add(high, view->layer[i].offset));
    }
    for (int i = 0; i < view->layer_count; ++i) {
        const ts_view_layer* layer = &view->layer[i];
        for (int k = 0; layer->path && k < layer->path->count; ++k) {
            ts_vec3 point = ts_vec3_add(layer->path->data[k], layer->offset);
            *out_min = ts_vec3_min(*out_min, point);
            *out_max = ts_vec3_max(*out_max, point);
        }
    }
}

static void draw_path(const ts_view_path* path, const float* color, ts_background background, ts_draw_list* list) {
    float line_color[4] = {0.15f, 0.17f, 0.20f, 1.0f};
    // Of what has no colour for its path: one that shows on any page.
    if (background == TS_BACKGROUND_CLEAR) ts_overlay_readable(NULL, line_color);
    if (color) memcpy(line_color, color, 3 * sizeof(float));
    for (int i = 1; i < path->count; ++i)
        ts_draw_list_add_line(list, path->data[i - 1], path->data[i], 3.0, line_color);
}

// One colour for all bodies of a simulation, in shades by which neighbours are told apart.
static void shade_of(int body, const float color[3], ts_draw_item* item) {
    static const float shade[3] = {1.0f, 0.68f, 0.84f};
    for (int c = 0; c < 3; ++c) item->color[c] = shade[(body + 2) % 3] * color[c];
    item->surface.mapping = TS_DRAW_NO_TEXTURE;
}

static void draw_layer(ts_view* view, int which) {
    const ts_view_layer* layer = &view->layer[which];
    ts_draw_list* list = &view->list;
    ts_vec3 origin = list->origin;
    int first = list->items.count;
    // Things stand at their real place plus the offset when measured from an origin that much nearer.
    list->origin = ts_vec3_sub(origin, layer->offset);
    ts_scene_style style = {
        &view->sizes, &view->own,    &view->camera,       view->show | (which > 0 ? (unsigned)TS_SHOW_ONLY_MOVING : 0u),
        NULL,         &view->filter, view->hidden_groups, view->untextured};
    ts_contact_facts judged = {NULL, NULL, NULL, NULL};
    ts_arena_reset(&view->arena);
    if (view->show & TS_SHOW_ISLANDS) style.island = ts_scene_marks_islands(layer->sim, &view->arena);
    if (layer->ghost) style.show = TS_SHOW_GEOMS | TS_SHOW_ONLY_MOVING | (view->show & TS_SHOW_COLLISION);
    if (!layer->facts && !layer->ghost && view->show & TS_SHOW_AT_CONTACTS)
        judged = ts_scene_contacts_judge(layer->sim, view->show, &view->arena);
    ts_scene_draw(layer->sim, layer->ghost ? NULL : (layer->facts ? layer->facts : &judged), &style, list);
    if (layer->path) draw_path(layer->path, layer->color, view->background, list);
    list->origin = origin;
    for (int i = first; i < list->items.count; ++i) {
        ts_draw_item* item = &list->items.data[i];
        if (item->body == 0) continue;
        int body = item->body - 1;
        if (layer->ghost == TS_VIEW_OUTLINE) item->pass = TS_DRAW_PASS_GHOST;
        if (layer->color && item->pass == TS_DRAW_PASS_SOLID && view->sim->model->body[body].tree >= 0)
            shade_of(body, layer->color, item);
        if (layer->ghost == TS_VIEW_GLASS) {
            item->pass = TS_DRAW_PASS_GLASS;
            item->flags &= ~(unsigned)TS_DRAW_SHADOW;
            item->color[3] = 0.38f;
        }
        item->body += which * view->sim->model->body_count;
    }
}

// Round shapes of a scene with few of them deserve more corners.
static int segments_for(int geom_count) { return geom_count <= 64 ? 64 : (geom_count <= 400 ? 40 : 24); }

// Wires of a circle that is cut as finely as a surface are a surface again. What has not changed is not uploaded.
static ts_code upload_round(ts_view* view, ts_status* out_status) {
    enum { WIRES = 16 };
    int segments = view->wireframe ? WIRES : segments_for(view->sim->model->geom_count);
    if (segments == view->segments) return TS_OK;
    view->segments = segments;
    return ts_shape_look_upload_units(view->device, segments, out_status);
}

static ts_code open_with(ts_view* view, const ts_sim* sim, ts_device* device, ts_status* out_status) {
    memset(view, 0, sizeof *view);
    view->device = device;
    view->sim = sim;
    ts_view_layer first = {sim, {0.0, 0.0, 0.0}, NULL, NULL, 0, NULL};
    view->layer[0] = first;
    view->layer_count = 1;
    view->show = ts_view_default_show();
    view->selected = -1;
    view->camera = ts_camera_default();
    view->sizes = ts_scene_sizes_measure(sim);
    ts_code code = upload_round(view, out_status);
    for (int g = 0; g < sim->model->geom_count && !code; ++g)
        code = ts_shape_look_upload(device, &sim->model->geom[g].shape, &view->own, out_status);
    for (int g = 0; g < sim->model->geom_count && !code; ++g)
        code = ts_shape_look_upload_file(device, sim->model, g, &view->own, out_status);
    if (!code) code = ts_scene_texture_upload(device, sim->model, &view->sky, out_status);
    return code;
}

ts_code ts_view_open(ts_view* view, const ts_sim* sim, ts_device* device, ts_status* out_status) {
    ts_code code = open_with(view, sim, device, out_status);
    if (code) return code;
    ts_view_frame_scene(view, 16, 9, 0);
    return ts_status_ok(out_status);
}

ts_code ts_view_open_within(ts_view* view, const ts_sim* sim, const ts_vec3 reach[2], ts_device* device,
                            ts_status* out_status) {
    ts_code code = open_with(view, sim, device, out_status);
    if (code) return code;
    view->has_reach = 1;
    view->reach_low = reach[0];
    view->reach_high = reach[1];
    ts_view_frame_scene(view, 16, 9, 0);
    return ts_status_ok(out_status);
}

void ts_view_frame_scene(ts_view* view, int width, int height, int make_room) {
    // What fits a picture narrower by this much, moved by half of it, ends at the right edge and not beyond.
    double room = make_room ? 0.18 * (double)width : 0.0;
    ts_vec3 low, high;
    view_bounds(view, &low, &high);
    // Of simulations that stand beside each other nothing is known ahead.
    if (view->layer_count == 1 || view->layer[1].ghost == TS_VIEW_GLASS) {
        ts_vec3 reach_low, reach_high;
        if (view->has_reach) {
            reach_low = view->reach_low;
            reach_high = view->reach_high;
        } else {
            ts_scene_sizes_reach(view->sim, &reach_low, &reach_high);
        }
        low = ts_vec3_min(low, reach_low);
        high = ts_vec3_max(high, reach_high);
        add_walls(view, &low, &high);
    }
    if (view->show & TS_SHOW_TENDONS) add_tendons(view, &low, &high);
    ts_camera_frame(&view->camera, low, high, ((double)width - room) / (double)(height > 0 ? height : 1), 1.15);
    if (make_room) ts_camera_pan(&view->camera, 0.5 * room, 0.0, height);
}

void ts_view_aim(ts_view* view, const ts_camera* camera, int width, int height, int make_room) {
    view->model_camera = 0;
    view->camera = camera ? *camera : ts_camera_default();
    if (camera && camera->distance > 0.0) return;
    ts_view_frame_scene(view, width, height, make_room);
}

void ts_view_frame_body(ts_view* view, int body, double aspect) {
    const ts_model* model = view->sim->model;
    if (body < 0 || body >= model->body_count) return;
    const ts_body* b = &model->body[body];
    ts_scene_box box = ts_scene_box_empty();
    for (int g = b->geom_first; g < b->geom_first + b->geom_count; ++g)
        ts_scene_box_add_shape(&box, &model->geom[g].shape, ts_kinematics_geom(&view->sim->kinematics, g));
    if (box.count) ts_camera_frame(&view->camera, box.low, box.high, aspect, 2.2);
}

static void place_shadows(const ts_view* view, ts_device_frame* frame) {
    ts_vec3 low, high;
    view_bounds(view, &low, &high);
    double now = 0.5 * ts_vec3_distance(low, high);
    double largest = 6.0 * view->sizes.radius;
    double radius = fmin(fmax(1.5 * now, 1.2 * view->sizes.radius), largest);
    // Powers of 1.25 and sixteenths of the radius: small motions leave the region where it is.
    radius = pow(1.25, ceil(log(radius) / log(1.25)));
    double grain = radius / 16.0;
    ts_vec3 centre = now > largest ? view->camera.target : ts_vec3_lerp(low, high, 0.5);
    centre = ts_vec3_make(grain * floor(centre.x / grain + 0.5), grain * floor(centre.y / grain + 0.5),
                          grain * floor(centre.z / grain + 0.5));
    ts_vec3_store_floats(ts_vec3_sub(centre, view->list.origin), frame->shadow_centre);
    frame->shadow_radius = (float)radius;
}

ts_device_frame ts_view_frame(const ts_camera* camera, const ts_draw_list* list, int width, int height) {
    ts_device_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.width = width;
    frame.height = height;
    ts_camera_matrices(camera, (double)width / (double)(height > 0 ? height : 1), list->origin, frame.view,
                       frame.projection);
    ts_vec3_store_floats(ts_vec3_sub(ts_camera_eye(camera), list->origin), frame.eye);
    // High, from the left of the default camera: shadows fall to the right and away, faces to the viewer are lit.
    ts_vec3_store_floats(ts_vec3_unit_or(ts_vec3_make(-0.30, -0.52, 0.95), ts_vec3_axis(2)), frame.sun);
    frame.list = list;
    return frame;
}

static void draw_rod(ts_view* view, const ts_view_rod* rod, const double radius[2], const float color[4]) {
    ts_draw_list* list = &view->list;
    if (!rod->shown) return;
    ts_draw_list_add_line(list, rod->end[0], rod->end[1], 4.0, color);
    for (int k = 0; k < 2; ++k) {
        ts_transform placed = {ts_mat3_identity(), rod->end[k]};
        double r = radius[k] * view->camera.distance;
        ts_draw_item* item = ts_draw_list_add(list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(r, r, r), 0.0, color);
        if (!item) continue;
        item->pass = TS_DRAW_PASS_MARK;
        item->flags = TS_DRAW_GLOW;
    }
}

// Another time, as an outline on top of all; and what pulls at it, and what is measured.
static void draw_selection(ts_view* view) {
    static const float outline[4] = {1.0f, 0.80f, 0.10f, 1.0f}, spring[4] = {0.95f, 0.85f, 0.20f, 1.0f};
    static const float ruler[4] = {0.55f, 0.20f, 0.70f, 1.0f};
    static const double held[2] = {0.0072, 0.012}, measured[2] = {0.006, 0.006};
    ts_draw_list* list = &view->list;
    int count = view->selected > 0 ? list->items.count : 0;
    for (int i = 0; i < count; ++i) {
        if (list->items.data[i].body != view->selected + 1) continue;
        ts_draw_item item = list->items.data[i];
        item.pass = TS_DRAW_PASS_GHOST;
        memcpy(item.color, outline, sizeof item.color);
        if (!ts_draw_items_push(&list->items, item)) list->failed = 1;
    }
    draw_rod(view, &view->spring, held, spring);
    draw_rod(view, &view->ruler, measured, ruler);
}

void ts_view_follow(ts_view* view) {
    if (view->model_camera <= 0 || view->model_camera > view->sim->model->camera_count) return;
    // A camera on a hand sees what is as near to it as a hand is large.
    view->camera.distance = view->sizes.body_radius;
    view->camera.parallel = 0;
    ts_model_camera_look(view->sim, view->model_camera - 1, &view->camera);
}

ts_code ts_view_list(ts_view* view, ts_status* out_status) {
    ts_draw_list* list = &view->list;
    ts_view_follow(view);
    ts_draw_list_begin(list, view->camera.target);
    for (int i = 0; i < view->layer_count; ++i) draw_layer(view, i);
    draw_selection(view);
    if (!ts_draw_list_batch(list, ts_camera_eye(&view->camera)) || list->failed)
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the draw list");
    return TS_OK;
}

ts_code ts_view_draw_pane(ts_view* view, int width, int height, const ts_device_place* place, const ts_overlay* overlay,
                          ts_status* out_status) {
    const ts_draw_list* list = &view->list;
    ts_code code = upload_round(view, out_status);
    if (!code) code = ts_view_list(view, out_status);
    if (code) return code;

    ts_device_frame frame = ts_view_frame(&view->camera, list, width, height);
    place_shadows(view, &frame);
    frame.fade = (float)(25.0 * fmax(view->camera.distance, view->sizes.radius));
    frame.wireframe = view->wireframe;
    frame.sky = view->untextured ? 0 : view->sky;
    frame.corner = (float)(0.8 * view->sizes.body_radius);
    frame.dark = view->dark;
    frame.background = view->background;
    if (view->background != TS_BACKGROUND_SKY) {
        // A page is seen from one side only: the sun stands where it does for the default camera.
        double turn = view->camera.azimuth - ts_camera_default().azimuth;
        ts_vec3 sun = ts_vec3_make((double)frame.sun[0], (double)frame.sun[1], (double)frame.sun[2]);
        ts_vec3_store_floats(
            ts_vec3_make(cos(turn) * sun.x - sin(turn) * sun.y, sin(turn) * sun.x + cos(turn) * sun.y, sun.z),
            frame.sun);
    }
    frame.overlay = overlay;
    if (place) frame.place = *place;
    return ts_device_draw(view->device, &frame, out_status);
}

ts_code ts_view_draw(ts_view* view, int width, int height, const ts_overlay* overlay, ts_status* out_status) {
    return ts_view_draw_pane(view, width, height, NULL, overlay, out_status);
}

void ts_view_close(ts_view* view) {
    ts_draw_list_free(&view->list);
    ts_own_shapes_free(&view->own);
    ts_arena_free(&view->arena);
    memset(view, 0, sizeof *view);
}
