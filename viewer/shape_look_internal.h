// How a shape is shown: by one of the unit meshes, scaled, or by a mesh of its own, made from its support points. A kind of shape
// that is not known here is shown as well.
#ifndef TS_VIEWER_SHAPE_LOOK_INTERNAL_H
#define TS_VIEWER_SHAPE_LOOK_INTERNAL_H

#include "base/array.h"
#include "collision/shape/shape.h"
#include "engine/model/model.h"
#include "viewer/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A mesh, where it goes and how it is scaled.
typedef struct ts_shape_look {
    int mesh;             // a unit mesh (ts_draw_mesh), or TS_DRAW_MESH_HULL for one of the shape's own
    ts_transform placed;  // world
    ts_vec3 scale;        // m, of a unit mesh
    double stretch;       // m
    int is_round;         // nonzero: two shades show whether it rolls
} ts_shape_look;

/// A shape with a mesh of its own.
typedef struct ts_own_shape {
    ts_shape shape;
    int is_file;     // nonzero: the triangles of the file that its hull came from
    int has_places;  // nonzero: and they have places on a texture
} ts_own_shape;

/// All of them; number k has mesh TS_DRAW_MESH_HULL + k of the device.
TS_ARRAY_DECLARE(ts_own_shapes, ts_own_shape);

/// How a convex shape with that pose is shown. A plane is a square of 1 m about its origin.
ts_shape_look ts_shape_look_of(const ts_shape* shape, const ts_transform* placed);

/// The place of an equal shape among `own`, as it is or by its file, or -1.
int ts_shape_look_find(const ts_own_shapes* own, const ts_shape* shape, int is_file);

/// Gives the device its unit meshes, round ones with `segments` around.
ts_code ts_shape_look_upload_units(ts_device* device, int segments, ts_status* out_status);

/// Gives the device the own meshes of a shape and, of a compound, of its children, each once; they join `own`.
ts_code ts_shape_look_upload(ts_device* device, const ts_shape* shape, ts_own_shapes* own, ts_status* out_status);

/// The number of the mesh of its own that shows a shape of a geom, or -1: the triangles of its file where it only serves looks, or wears a flat texture at
/// places of its own; else, and wherever `as_collides` asks for it, its hull.
int ts_shape_look_of_geom(const ts_own_shapes* own, const ts_model* model, int geom, const ts_shape* shape,
                          int as_collides);

/// Gives the device the triangles of the mesh that a geom came from, once, where ts_shape_look_of_geom may want them. A file that is gone or broken leaves
/// its hull to be shown.
ts_code ts_shape_look_upload_file(ts_device* device, const ts_model* model, int geom, ts_own_shapes* own,
                                  ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
