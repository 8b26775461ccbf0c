// Problem: show every shape in a browser. Rule: what a scaled unit mesh can show is told by its kind; polytopes by their vertices and triangles,
// height fields by their heights, and whatever else by the hull of its support points. Guaranteed: every convex shape but a plane has a
// closed surface. Known to fail: of large height fields not every cell is there.
#include "cli/replay/replay_page_internal.h"

#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"
#include "collision/shape/hull.h"
#include "scenes/scene_look.h"

#include <stdlib.h>
#include <string.h>

// Fineness of shapes without a mesh of their own (1176 directions), and most samples of a height field along a side.
enum { FINENESS = 14, FIELD_SIDE = 160 };

// Unit meshes, by the numbers that parts name them by. The script makes them.
static const char* const unit_name[] = {"square", "box", "sphere", "capsule", "cylinder", "cone"};

enum { SQUARE, BOX, SPHERE, CAPSULE, CYLINDER, CONE, UNITS };

TS_ARRAY_DECLARE(shape_list, ts_shape);

// The model on its way into a page.
typedef struct geometry {
    const ts_model* model;
    ts_json* json;
    shape_list own;  // shapes with meshes of their own, in order
    ts_status* status;
} geometry;

static int unit_of(const ts_shape* shape) {
    int rounded = shape->radius > 0.0;
    switch (shape->kind) {
    case TS_SHAPE_PLANE: return SQUARE;
    case TS_SHAPE_SPHERE: return SPHERE;
    case TS_SHAPE_CAPSULE: return CAPSULE;
    case TS_SHAPE_ELLIPSOID: return rounded ? -1 : SPHERE;
    case TS_SHAPE_CYLINDER: return rounded ? -1 : CYLINDER;
    case TS_SHAPE_CONE: return rounded ? -1 : CONE;
    case TS_SHAPE_BOX: return rounded ? -1 : BOX;
    default: return -1;
    }
}

static int is_same(const ts_shape* a, const ts_shape* b) {
    return a->kind == b->kind && a->radius == b->radius && a->half.x == b->half.x && a->half.y == b->half.y &&
           a->half.z == b->half.z && a->hull == b->hull;  // or whatever they point to
}

static ts_code no_memory(ts_status* out_status) {
    return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "out of memory for the shapes of a page");
}

// --- meshes ----------------------------------------------------------------------------------------------------------

static void add_bytes(ts_json* json, const char* key, const void* bytes, size_t size) {
    ts_text text = {0};
    ts_text_add_base64(&text, bytes, size);
    ts_json_add_string(json, key, ts_text_get(&text));
    json->text->failed |= text.failed;
    ts_text_free(&text);
}

static void add_mesh(ts_json* json, const ts_vec3* point, int points, const uint32_t* corner, int corners) {
    float* places = (float*)calloc((size_t)points, 3 * sizeof *places);
    for (int i = 0; places && i < points; ++i) ts_vec3_store_floats(point[i], places + 3 * i);
    ts_json_object(json);
    if (places) add_bytes(json, "points", places, (size_t)points * 3 * sizeof *places);
    add_bytes(json, "corners", corner, (size_t)corners * sizeof *corner);
    ts_json_object_end(json);
    json->text->failed |= !places;
    free(places);
}

// Fans over the faces.
static ts_code add_hull(const ts_hull* hull, ts_json* json, ts_status* out_status) {
    uint32_t* corner = (uint32_t*)calloc((size_t)hull->corner_count + 1, 3 * sizeof *corner);
    int count = 0;
    if (!corner) return no_memory(out_status);
    for (int f = 0; f < hull->face_count; ++f) {
        const int* face = hull->face_corner + hull->face_start[f];
        int corners = hull->face_start[f + 1] - hull->face_start[f];
        for (int c = 1; c + 1 < corners; ++c) {
            corner[count++] = (uint32_t)face[0];
            corner[count++] = (uint32_t)face[c];
            corner[count++] = (uint32_t)face[c + 1];
        }
    }
    add_mesh(json, hull->vertex, hull->vertex_count, corner, count);
    free(corner);
    return TS_OK;
}

static ts_code add_field(const ts_height_field* field, ts_json* json, ts_status* out_status) {
    int step = 1;
    while (field->rows / step > FIELD_SIDE || field->columns / step > FIELD_SIDE) ++step;
    int rows = (field->rows - 1) / step + 1, columns = (field->columns - 1) / step + 1;
    float* height = (float*)calloc((size_t)rows * (size_t)columns, sizeof *height);
    if (!height) return no_memory(out_status);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
            height[r * columns + c] =
                (float)field->height[(size_t)(r * step) * (size_t)field->columns + (size_t)(c * step)];
    ts_json_object(json);
    ts_json_add_integer(json, "rows", rows);
    ts_json_add_integer(json, "columns", columns);
    ts_json_add_number(json, "dx", field->spacing_x * step);
    ts_json_add_number(json, "dy", field->spacing_y * step);
    ts_json_add_number(json, "left", -0.5 * (field->columns - 1) * field->spacing_x);
    ts_json_add_number(json, "front", -0.5 * (field->rows - 1) * field->spacing_y);
    add_bytes(json, "heights", height, (size_t)rows * (size_t)columns * sizeof *height);
    ts_json_object_end(json);
    free(height);
    return TS_OK;
}

static ts_code add_own_mesh(const ts_shape* shape, ts_json* json, ts_status* out_status) {
    static const uint32_t both_sides[] = {0, 1, 2, 2, 1, 0};
    int sharp = !(shape->radius > 0.0);
    if (shape->kind == TS_SHAPE_HEIGHT_FIELD) return add_field(shape->height_field, json, out_status);
    if (shape->kind == TS_SHAPE_HULL && sharp) return add_hull(shape->hull, json, out_status);
    if (shape->kind == TS_SHAPE_TRIANGLE && sharp) {
        add_mesh(json, shape->triangle, 3, both_sides, 6);
        return TS_OK;
    }
    ts_hull* hull = NULL;
    ts_code code = ts_shape_tessellate(shape, FINENESS, &hull, out_status);
    if (!code) code = add_hull(hull, json, out_status);
    ts_hull_free(hull);
    return code;
}

// The number of a shape's mesh; of a new one, it joins the list.
static int mesh_of(geometry* g, const ts_shape* shape) {
    int unit = unit_of(shape);
    if (unit >= 0) return unit;
    for (int i = 0; i < g->own.count; ++i)
        if (is_same(&g->own.data[i], shape)) return UNITS + i;
    return shape_list_push(&g->own, *shape) ? UNITS + g->own.count - 1 : -1;
}

// --- parts -----------------------------------------------------------------------------------------------------------

static void add_numbers(ts_json* json, const char* key, const double* number, int count) {
    ts_json_add_array(json, key);
    for (int i = 0; i < count; ++i) ts_json_number(json, number[i]);
    ts_json_array_end(json);
}

static void add_pose(ts_json* json, const ts_transform* pose) {
    double number[7];
    ts_vec3_store(pose->p, number);
    ts_quat_store(ts_quat_from_mat3(&pose->R), number + 3);
    add_numbers(json, "pose", number, 7);
}

static ts_vec3 scale_of(const ts_shape* shape) {
    double r = shape->radius;
    if (shape->kind == TS_SHAPE_SPHERE || shape->kind == TS_SHAPE_CAPSULE) return ts_vec3_make(r, r, r);
    return unit_of(shape) > SQUARE ? shape->half : ts_vec3_make(1.0, 1.0, 1.0);
}

// The mean of what a geom wears: pages have no textures.
static ts_code color_of(geometry* g, int geom, float out_rgba[4]) {
    int material = g->model->geom[geom].material;
    int texture = material < 0 ? -1 : g->model->material[material].texture;
    ts_texture_picture picture;
    float mean[3];
    ts_scene_look_geom_color(g->model, geom, out_rgba);
    if (texture < 0) return TS_OK;
    ts_code code = ts_texture_paint(&g->model->texture[texture], &picture, g->status);
    if (code) return code;
    ts_texture_picture_mean(&picture, mean);
    ts_texture_picture_free(&picture);
    for (int i = 0; i < 3; ++i) out_rgba[i] *= mean[i];
    return TS_OK;
}

static ts_code add_part(geometry* g, int geom, const ts_shape* shape, const ts_transform* placed) {
    if (shape->kind == TS_SHAPE_COMPOUND) {
        ts_code code = TS_OK;
        for (int i = 0; i < shape->compound->count && !code; ++i) {
            const ts_compound_child* child = &shape->compound->child[i];
            ts_transform pose = ts_transform_mul(placed, &child->placed);
            code = add_part(g, geom, &child->shape, &pose);
        }
        return code;
    }
    int mesh = mesh_of(g, shape);
    if (mesh < 0) return no_memory(g->status);
    float rgba[4];
    double color[4], scale[4] = {0.0, 0.0, 0.0, shape->kind == TS_SHAPE_CAPSULE ? shape->half.z : 0.0};
    ts_code code = color_of(g, geom, rgba);
    if (code) return code;
    for (int i = 0; i < 4; ++i) color[i] = (double)rgba[i];
    ts_vec3_store(scale_of(shape), scale);
    ts_json_object(g->json);
    ts_json_add_integer(g->json, "geom", geom);
    ts_json_add_integer(g->json, "body", g->model->geom[geom].body);
    ts_json_add_integer(g->json, "mesh", mesh);
    ts_json_add_bool(g->json, "plane", shape->kind == TS_SHAPE_PLANE);
    add_pose(g->json, placed);
    add_numbers(g->json, "scale", scale, 4);
    add_numbers(g->json, "color", color, 4);
    ts_json_object_end(g->json);
    return TS_OK;
}

// Where a geom is on its body, or in the world where that stands still.
static ts_transform place_of(const ts_model* model, const ts_geom* geom) {
    ts_transform placed = ts_transform_from_pose(geom->pose);
    for (int b = geom->body; b > 0 && !ts_reel_moves(model, geom->body); b = model->body[b].parent) {
        ts_transform on_parent = ts_transform_from_pose(model->body[b].pose);
        placed = ts_transform_mul(&on_parent, &placed);
    }
    return placed;
}

static ts_code add_parts(geometry* g) {
    ts_code code = TS_OK;
    ts_json_add_array(g->json, "parts");
    for (int i = 0; i < g->model->geom_count && !code; ++i) {
        const ts_geom* geom = &g->model->geom[i];
        ts_transform placed = place_of(g->model, geom);
        if (!ts_scene_look_is_hidden(g->model, i, 0)) code = add_part(g, i, &geom->shape, &placed);
    }
    ts_json_array_end(g->json);
    return code;
}

static void add_names(geometry* g) {
    const ts_model* model = g->model;
    ts_json_add_array(g->json, "bodies");
    for (int b = 0; b < model->body_count; ++b) ts_json_string(g->json, model->body[b].name);
    ts_json_array_end(g->json);
    ts_json_add_array(g->json, "geoms");
    for (int i = 0; i < model->geom_count; ++i) {
        ts_json_object(g->json);
        ts_json_add_string(g->json, "name", model->geom[i].name);
        ts_json_add_string(g->json, "kind", ts_shape_kind_name(model->geom[i].shape.kind));
        ts_json_add_integer(g->json, "body", model->geom[i].body);
        ts_json_object_end(g->json);
    }
    ts_json_array_end(g->json);
}

ts_code ts_replay_page_geometry(const ts_model* model, ts_json* json, ts_status* out_status) {
    geometry g = {model, json, {0}, out_status};
    add_names(&g);
    ts_code code = add_parts(&g);
    ts_json_add_array(json, "meshes");
    for (int i = 0; i < UNITS; ++i) {
        ts_json_object(json);
        ts_json_add_string(json, "kind", unit_name[i]);
        ts_json_object_end(json);
    }
    for (int i = 0; i < g.own.count && !code; ++i) code = add_own_mesh(&g.own.data[i], json, out_status);
    ts_json_array_end(json);
    shape_list_free(&g.own);
    return code;
}
