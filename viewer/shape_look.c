// Problem: show every shape, those included that somebody adds later. Rule: round shapes and boxes are unit meshes, scaled, so that
// thousands are one draw call; hulls are their faces, triangles two sides, and whatever else the hull of its support points along
// directions spread over the sphere, ball around the core included. Meshes that only serve looks, or wear a texture at places of their own, are the triangles that were given. Guaranteed: every convex shape but a plane has a closed surface.
// Known to fail: between those directions a curved shape is up to 0.5 % too small, and its edges are cut.
#include "viewer/shape_look_internal.h"

#include "collision/shape/compound.h"
#include "engine/read/model_file.h"

enum { FINENESS = 14 };  // 1176 directions

// The mesh of a kind whose core alone is a scaled unit mesh.
typedef struct unit_look {
    int mesh;
    int is_round;
} unit_look;

static const unit_look* unit_of(const ts_shape* shape) {
    static const unit_look square = {TS_DRAW_MESH_SQUARE, 0}, ball = {TS_DRAW_MESH_SPHERE, 1},
                           capsule = {TS_DRAW_MESH_CAPSULE, 1}, cylinder = {TS_DRAW_MESH_CYLINDER, 1},
                           cone = {TS_DRAW_MESH_CONE, 1}, box = {TS_DRAW_MESH_BOX, 0};
    int rounded = shape->radius > 0.0;
    switch (shape->kind) {
    case TS_SHAPE_PLANE: return &square;
    case TS_SHAPE_SPHERE: return &ball;
    case TS_SHAPE_CAPSULE: return &capsule;
    case TS_SHAPE_ELLIPSOID: return rounded ? NULL : &ball;
    case TS_SHAPE_CYLINDER: return rounded ? NULL : &cylinder;
    case TS_SHAPE_CONE: return rounded ? NULL : &cone;
    case TS_SHAPE_BOX: return rounded ? NULL : &box;
    default: return NULL;
    }
}

ts_shape_look ts_shape_look_of(const ts_shape* shape, const ts_transform* placed) {
    ts_shape_look look = {TS_DRAW_MESH_HULL, *placed, {1.0, 1.0, 1.0}, 0.0, 0};
    const unit_look* unit = unit_of(shape);
    if (!unit) return look;
    look.mesh = unit->mesh;
    look.is_round = unit->is_round;
    if (unit->mesh == TS_DRAW_MESH_SQUARE) return look;
    double r = shape->radius;
    look.scale = shape->half;
    if (shape->kind == TS_SHAPE_SPHERE || shape->kind == TS_SHAPE_CAPSULE) look.scale = ts_vec3_make(r, r, r);
    if (shape->kind == TS_SHAPE_CAPSULE) look.stretch = shape->half.z;
    if (shape->kind == TS_SHAPE_CONE) {
        // The mesh stands on z = 0 and is one high.
        look.placed.p = ts_transform_point(placed, ts_vec3_make(0.0, 0.0, -shape->half.z));
        look.scale.z = 2.0 * shape->half.z;
    }
    return look;
}

static int equal(const ts_shape* a, const ts_shape* b) {
    return a->kind == b->kind && a->radius == b->radius && a->half.x == b->half.x && a->half.y == b->half.y &&
           a->half.z == b->half.z && a->hull == b->hull;  // or whatever they point to
}

int ts_shape_look_find(const ts_own_shapes* own, const ts_shape* shape, int is_file) {
    for (int i = 0; i < own->count; ++i)
        if (own->data[i].is_file == is_file && equal(&own->data[i].shape, shape)) return i;
    return -1;
}

// The hull of support points along directions spread over the sphere.
static ts_code mesh_by_support(const ts_shape* shape, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    ts_hull* hull = NULL;
    ts_code code = ts_shape_tessellate(shape, FINENESS, &hull, out_status);
    if (!code) code = ts_geometry_mesh_hull(hull, out_mesh, out_status);
    ts_hull_free(hull);
    return code;
}

static ts_code own_mesh(const ts_shape* shape, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    if (shape->kind == TS_SHAPE_HEIGHT_FIELD)
        return ts_geometry_mesh_height_field(shape->height_field, out_mesh, out_status);
    if (shape->kind == TS_SHAPE_TRIANGLE && !(shape->radius > 0.0))
        return ts_geometry_mesh_triangle(shape->triangle, out_mesh, out_status);
    if (shape->kind == TS_SHAPE_HULL && !(shape->radius > 0.0))
        return ts_geometry_mesh_hull(shape->hull, out_mesh, out_status);
    return mesh_by_support(shape, out_mesh, out_status);
}

static ts_code upload(ts_device* device, int number, ts_code made, ts_geometry_mesh* mesh, ts_status* out_status) {
    if (made) return made;
    ts_code code = ts_device_upload(device, number, mesh, out_status);
    ts_geometry_mesh_free(mesh);
    return code;
}

ts_code ts_shape_look_upload_units(ts_device* device, int segments, ts_status* out_status) {
    ts_code code = TS_OK;
    for (int m = 0; m < TS_DRAW_MESH_HULL && !code; ++m) {
        ts_geometry_mesh mesh;
        switch (m) {
        case TS_DRAW_MESH_SQUARE: code = ts_geometry_mesh_square(&mesh, out_status); break;
        case TS_DRAW_MESH_BOX: code = ts_geometry_mesh_box(&mesh, out_status); break;
        case TS_DRAW_MESH_SPHERE: code = ts_geometry_mesh_sphere(segments, &mesh, out_status); break;
        case TS_DRAW_MESH_CAPSULE: code = ts_geometry_mesh_capsule(segments, &mesh, out_status); break;
        case TS_DRAW_MESH_CYLINDER: code = ts_geometry_mesh_cylinder(segments, &mesh, out_status); break;
        default: code = ts_geometry_mesh_cone(segments, &mesh, out_status); break;
        }
        code = upload(device, m, code, &mesh, out_status);
    }
    return code;
}

// Uploads what was made as the next mesh of its own.
static ts_code add_own(ts_device* device, const ts_shape* shape, int is_file, ts_code made, ts_geometry_mesh* mesh,
                       ts_own_shapes* own, ts_status* out_status) {
    const ts_own_shape entry = {*shape, is_file, !made && mesh->has_places};
    ts_code code = upload(device, TS_DRAW_MESH_HULL + own->count, made, mesh, out_status);
    if (code) return code;
    return ts_own_shapes_push(own, entry)
               ? TS_OK
               : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for the meshes of a scene");
}

ts_code ts_shape_look_upload(ts_device* device, const ts_shape* shape, ts_own_shapes* own, ts_status* out_status) {
    if (shape->kind == TS_SHAPE_COMPOUND) {
        ts_code code = TS_OK;
        for (int i = 0; i < shape->compound->count && !code; ++i)
            code = ts_shape_look_upload(device, &shape->compound->child[i].shape, own, out_status);
        return code;
    }
    int has_mesh = ts_shape_is_convex(shape) || shape->kind == TS_SHAPE_HEIGHT_FIELD;
    if (!has_mesh || unit_of(shape) || ts_shape_look_find(own, shape, 0) >= 0) return ts_status_ok(out_status);
    ts_geometry_mesh mesh;
    ts_code code = own_mesh(shape, &mesh, out_status);
    return add_own(device, shape, 0, code, &mesh, own, out_status);
}

static int is_free(const ts_geom* geom) { return geom->category == 0 && geom->mask == 0; }

static int wears_flat(const ts_model* model, const ts_geom* geom) {
    int texture = geom->material >= 0 ? model->material[geom->material].texture : -1;
    return texture >= 0 && model->texture[texture].kind == TS_TEXTURE_FLAT;
}

int ts_shape_look_of_geom(const ts_own_shapes* own, const ts_model* model, int geom, const ts_shape* shape,
                          int as_collides) {
    const ts_geom* g = &model->geom[geom];
    int number = as_collides && !is_free(g) ? -1 : ts_shape_look_find(own, shape, 1);
    int wanted = number >= 0 && (is_free(g) || (own->data[number].has_places && wears_flat(model, g)));
    return wanted ? number : ts_shape_look_find(own, shape, 0);
}

ts_code ts_shape_look_upload_file(ts_device* device, const ts_model* model, int geom, ts_own_shapes* own,
                                  ts_status* out_status) {
    const ts_geom* g = &model->geom[geom];
    const ts_shape* shape = &g->shape;
    if (!(is_free(g) || wears_flat(model, g)) || shape->kind != TS_SHAPE_HULL || shape->radius > 0.0 ||
        ts_shape_look_find(own, shape, 1) >= 0)
        return ts_status_ok(out_status);
    int hull = 0;
    while (hull < model->hull_count && model->hull[hull] != shape->hull) ++hull;
    ts_mesh file;
    ts_geometry_mesh mesh;
    ts_code code = ts_model_hull_mesh(model, hull, &file, out_status);
    if (!code) code = ts_geometry_mesh_triangles(&file, &mesh, out_status);
    ts_mesh_free(&file);
    // Its hull is there.
    if (code && code != TS_ERROR_MEMORY) return ts_status_ok(out_status);
    return add_own(device, shape, 1, code, &mesh, own, out_status);
}
