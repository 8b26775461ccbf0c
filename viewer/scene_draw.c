// Problem: show a simulation. Rule: one item per geom, or per child of a compound; sizes of marks derive from the
// scene, so that a grasped nut and a falling house both read well. Guaranteed: reads the simulation only, same simulation and camera give the same
// list. Known to fail: with bodies of very different weights the arrows of the light ones are short, since all arrows
// share one scale.
#include "viewer/scene_draw.h"

#include "collision/shape/compound.h"
#include "scenes/scene_look.h"
#include "viewer/scene_contacts_internal.h"
#include "viewer/scene_marks_internal.h"
#include "viewer/scene_texture_internal.h"
#include "viewer/scene_walls_internal.h"

#include <string.h>

static int geom_moves(const ts_model* model, const ts_geom* geom) { return model->body[geom->body].tree >= 0; }

// An endless plane is a square that moves along with the camera; its grid stays where it is in the world.
static void draw_plane(const ts_model* model, const ts_scene_style* style, const ts_transform* placed, int source,
                       const float color[4], ts_draw_list* list) {
    const ts_scene_sizes* sizes = style->sizes;
    ts_vec3 local = ts_transform_point_inverse(placed, style->camera->target);
    ts_transform centre = *placed;
    centre.p = ts_transform_point(placed, ts_vec3_make(local.x, local.y, 0.0));
    double extent = 60.0 * fmax(style->camera->distance, sizes->radius);
    ts_draw_item* item =
        ts_draw_list_add(list, TS_DRAW_MESH_SQUARE, &centre, ts_vec3_make(extent, extent, 1.0), 0.0, color);
    if (!item) return;
    double period = 100.0 * sizes->grid_cell;
    item->pass = TS_DRAW_PASS_FLOOR;
    const double middle[2] = {local.x, local.y};
    ts_scene_texture_dress_plane(model, source, middle, style->untextured, item);
    // A floor with a texture has its own marks.
    int lines = style->show & TS_SHOW_GRID && item->surface.mapping == TS_DRAW_NO_TEXTURE;
    item->flags = lines ? 0u : (unsigned)TS_DRAW_NO_GRID;
    item->grid[0] = (float)remainder(local.x, period);
    item->grid[1] = (float)remainder(local.y, period);
    item->grid[2] = (float)sizes->grid_cell;
    item->source = source;
}

// A geom while its items are added.
typedef struct geom_pen {
    const ts_own_shapes* own;
    const ts_model* model;
    int geom;
    int plain;        // nonzero: without its texture
    int as_collides;  // nonzero: what collides is shown as it does
    int is_round;
    float color[4];
} geom_pen;

// Adds the items of a shape.
static void draw_shape(geom_pen* pen, const ts_shape* shape, const ts_transform* placed, ts_draw_list* list) {
    if (shape->kind == TS_SHAPE_COMPOUND) {
        for (int i = 0; i < shape->compound->count; ++i) {
            const ts_compound_child* child = &shape->compound->child[i];
            ts_transform world = ts_transform_mul(placed, &child->placed);
            draw_shape(pen, &child->shape, &world, list);
        }
        return;
    }
    ts_shape_look look = ts_shape_look_of(shape, placed);
    int has_places = 0;
    if (look.mesh == TS_DRAW_MESH_HULL) {
        int number = ts_shape_look_of_geom(pen->own, pen->model, pen->geom, shape, pen->as_collides);
        if (number < 0) return;
        look.mesh += number;
        has_places = pen->own->data[number].has_places;
    }
    pen->is_round |= look.is_round;
    ts_draw_item* item = ts_draw_list_add(list, look.mesh, &look.placed, look.scale, look.stretch, pen->color);
    if (item) ts_scene_texture_dress(pen->model, pen->geom, shape, has_places, pen->plain, item);
}

static void draw_geom(const ts_sim* sim, const ts_scene_style* style, int g, ts_draw_list* list) {
    unsigned show = style->show;
    const ts_model* model = sim->model;
    const ts_geom* geom = &model->geom[g];
    const ts_shape* shape = &geom->shape;
    const ts_transform* placed = ts_kinematics_geom(&sim->kinematics, g);
    if (show & TS_SHOW_ONLY_MOVING && !geom_moves(model, geom)) return;
    if (geom->group >= 0 && geom->group < 32 && style->hidden_groups >> geom->group & 1u) return;
    int colour_of_island = style->island && geom_moves(model, geom);
    geom_pen pen = {.own = style->own, .model = model, .geom = g, .plain = style->untextured || colour_of_island};
    pen.as_collides = (show & TS_SHOW_COLLISION) != 0;
    ts_scene_look_geom_color(model, g, pen.color);
    if (colour_of_island)
        memcpy(pen.color, ts_scene_look_palette(style->island[model->body[geom->body].tree]), 3 * sizeof(float));
    if (ts_scene_look_is_hidden(model, g, (show & TS_SHOW_COLLISION) != 0)) return;
    if (ts_scene_walls_has(sim, g)) {
        ts_scene_wall wall = ts_scene_walls_shape(sim, g, style->sizes->low, style->sizes->high);
        ts_scene_walls_draw(&wall, pen.color, ts_mat3_column(&placed->R, 2), ts_camera_eye(style->camera), list);
        return;
    }
    if (shape->kind == TS_SHAPE_PLANE) {
        draw_plane(model, style, placed, g, pen.color, list);
        return;
    }
    if (show & TS_SHOW_GLASS && geom_moves(model, geom)) pen.color[3] *= 0.35f;

    int first = list->items.count;
    draw_shape(&pen, shape, placed, list);
    for (int k = first; k < list->items.count; ++k) {
        ts_draw_item* item = &list->items.data[k];
        int patterned = pen.is_round && show & TS_SHOW_PATTERN && item->surface.mapping == TS_DRAW_NO_TEXTURE;
        item->source = g;
        item->body = geom->body + 1;
        if (show & TS_SHOW_NO_SHADOWS) item->flags &= ~(unsigned)TS_DRAW_SHADOW;
        if (patterned && geom_moves(model, geom)) item->flags |= TS_DRAW_PATTERN;
    }
}

static void draw_centre(ts_vec3 centre, double size, ts_draw_list* list) {
    static const float color[4] = {0.95f, 0.90f, 0.25f, 1.0f};
    ts_transform placed = {ts_mat3_identity(), centre};
    ts_draw_item* item =
        ts_draw_list_add(list, TS_DRAW_MESH_SPHERE, &placed, ts_vec3_make(size, size, size), 0.0, color);
    if (!item) return;
    item->pass = TS_DRAW_PASS_MARK;
    item->flags = TS_DRAW_GLOW;
}

void ts_scene_draw(const ts_sim* sim, const ts_contact_facts* facts, const ts_scene_style* style, ts_draw_list* list) {
    const ts_model* model = sim->model;
    unsigned show = style->show;
    double size = style->sizes->body_radius;
    if (show & TS_SHOW_GEOMS)
        for (int g = 0; g < model->geom_count; ++g) draw_geom(sim, style, g, list);
    ts_scene_contacts_draw(sim, facts, style, list);
    for (int b = 1; b < model->body_count; ++b) {
        if (model->body[b].tree < 0) continue;
        if (show & TS_SHOW_FRAMES) ts_scene_marks_frame(&sim->kinematics.body_pose[b], 1.4 * size, list);
        if (show & TS_SHOW_CENTRES) draw_centre(sim->kinematics.body_centre[b], 0.1 * size, list);
    }
    ts_scene_marks_draw(sim, style, list);
}
