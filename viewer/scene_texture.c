// Problem: show the textures of a model on its shapes, most of which have no places on a texture of their own. Rule: MuJoCo's. A mesh that has them wears a
// flat texture there, repeated as the material says. Else a flat texture lies upright on
// every face of a box, goes round balls, cylinders and capsules from x on, with its top towards z, and is thrown along z on everything
// else, with its top towards y; as often as the material says over the shape, or over two metres of it where the material is uniform or a
// plane has no end. A cube's faces are what a look from the middle of the shape outwards meets, where the shape is as long in every direction
// or, with a uniform material, as it is. Guaranteed: what endless planes wear stays where it is in the world, to rounding in
// double precision. Known to fail: planes that stand on end are drawn in outline and wear none.
#include "viewer/scene_texture_internal.h"

ts_code ts_scene_texture_upload(ts_device* device, const ts_model* model, int* out_sky, ts_status* out_status) {
    *out_sky = 0;
    for (int t = 0; t < model->texture_count; ++t) {
        int wanted = model->texture[t].kind == TS_TEXTURE_SKY && !*out_sky;
        if (wanted) *out_sky = 1 + t;
        for (int m = 0; m < model->material_count; ++m) wanted |= model->material[m].texture == t;
        if (!wanted) continue;
        ts_texture_picture picture;
        ts_code code = ts_texture_paint(&model->texture[t], &picture, out_status);
        if (!code) code = ts_device_paint(device, t, &picture, out_status);
        ts_texture_picture_free(&picture);
        if (code) return code;
    }
    return ts_status_ok(out_status);
}

// The middle of a shape and half its sides, in the frame of what shows it.
static void extent_of(const ts_shape* shape, ts_vec3* out_middle, ts_vec3* out_half) {
    ts_vec3 low, high;
    ts_shape_local_box(shape, &low, &high);
    *out_middle = ts_vec3_lerp(low, high, 0.5);
    *out_half = ts_vec3_scale(0.5, ts_vec3_sub(high, low));
    // A capsule is as long as its middle part: so MuJoCo's is.
    if (shape->kind == TS_SHAPE_CAPSULE && shape->half.z > 0.0) out_half->z = shape->half.z;
    // A cone's mesh stands on its base.
    if (shape->kind == TS_SHAPE_CONE) out_middle->z += shape->half.z;
}

static void set_map(ts_draw_surface* surface, ts_draw_mapping mapping, const double map[4]) {
    surface->mapping = mapping;
    for (int i = 0; i < 4; ++i) surface->map[i] = (float)map[i];
}

// How often a texture lies over `half` to either side, per metre; half 0: a plane without end.
static double rate(const ts_visual_material* material, int axis, double half) {
    return 0.5 * material->repeat[axis] / (material->uniform || !(half > 0.0) ? 1.0 : half);
}

// From the corner of least x and greatest y on, or from the middle of what has no end.
static void map_flat(const ts_visual_material* material, const double middle[2], const double half[2],
                     ts_draw_surface* surface) {
    double x = rate(material, 0, half[0]), y = rate(material, 1, half[1]);
    const double map[4] = {x, y, remainder(x * (half[0] - middle[0]), 1.0), remainder(y * (half[1] + middle[1]), 1.0)};
    set_map(surface, TS_DRAW_MAP_FLAT, map);
}

static void map_box(const ts_visual_material* material, ts_vec3 half, ts_draw_surface* surface) {
    const double *n = material->repeat, one[3] = {1.0, 1.0, 1.0}, size[3] = {half.x, half.y, half.z};
    const double* k = material->uniform ? size : one;
    const double map[4] = {k[0] * n[0], k[1] * n[0], k[1] * n[1], k[2] * n[1]};
    set_map(surface, TS_DRAW_MAP_BOX, map);
}

static void map_around(const ts_visual_material* material, int mesh, ts_vec3 half, ts_draw_surface* surface) {
    double x = material->uniform ? half.x : 1.0, z = material->uniform ? half.z : 1.0;
    double kind = mesh == TS_DRAW_MESH_SPHERE ? 0.0 : mesh == TS_DRAW_MESH_CYLINDER ? 1.0 : 2.0;
    const double map[4] = {x * material->repeat[0], z * material->repeat[1], kind, 0.0};
    set_map(surface, TS_DRAW_MAP_AROUND, map);
}

// Numbers of the material. Returns its texture, or NULL.
static const ts_texture* begin(const ts_model* model, int geom, int plain, ts_draw_surface* surface) {
    int number = model->geom[geom].material;
    if (number < 0) return NULL;
    const ts_visual_material* material = &model->material[number];
    surface->emission = (float)material->emission;
    surface->specular = (float)material->specular;
    surface->shininess = (float)material->shininess;
    if (plain || material->texture < 0) return NULL;
    surface->texture = material->texture;
    return &model->texture[material->texture];
}

void ts_scene_texture_dress(const ts_model* model, int geom, const ts_shape* shape, int has_places, int plain,
                            ts_draw_item* item) {
    const ts_texture* texture = begin(model, geom, plain, &item->surface);
    if (!texture) return;
    const ts_visual_material* material = &model->material[model->geom[geom].material];
    ts_vec3 middle, half;
    extent_of(shape, &middle, &half);
    double m[4] = {middle.x, middle.y, middle.z, 0.0}, h[3] = {half.x, half.y, half.z};
    int is_round =
        item->mesh == TS_DRAW_MESH_SPHERE || item->mesh == TS_DRAW_MESH_CYLINDER || item->mesh == TS_DRAW_MESH_CAPSULE;
    if (texture->kind == TS_TEXTURE_FLAT && has_places) {
        const double map[4] = {material->repeat[0], material->repeat[1], 0.0, 0.0};
        set_map(&item->surface, TS_DRAW_MAP_OWN, map);
    } else if (texture->kind == TS_TEXTURE_FLAT && item->mesh == TS_DRAW_MESH_BOX) {
        map_box(material, half, &item->surface);
    } else if (texture->kind == TS_TEXTURE_FLAT && is_round) {
        map_around(material, item->mesh, half, &item->surface);
    } else if (texture->kind == TS_TEXTURE_FLAT) {
        map_flat(material, m, h, &item->surface);
    } else if (material->uniform || item->mesh >= TS_DRAW_MESH_HULL || shape->kind == TS_SHAPE_CONE) {
        set_map(&item->surface, TS_DRAW_MAP_CUBE_FROM, m);
    } else {
        const double scale[4] = {1.0 / h[0], 1.0 / h[1], 1.0 / h[2], 0.0};
        set_map(&item->surface, TS_DRAW_MAP_CUBE, scale);
    }
}

void ts_scene_texture_dress_plane(const ts_model* model, int geom, const double centre[2], int plain,
                                  ts_draw_item* item) {
    const ts_texture* texture = begin(model, geom, plain, &item->surface);
    if (!texture) return;
    // The square's own frame is at the centre: the plane's middle is where it is from there.
    const double middle[4] = {-centre[0], -centre[1], 0.0, 0.0};
    if (texture->kind == TS_TEXTURE_FLAT)
        map_flat(&model->material[model->geom[geom].material], middle, model->geom[geom].plane_half, &item->surface);
    else
        set_map(&item->surface, TS_DRAW_MAP_CUBE_FROM, middle);
}
