// Triangles for shapes: unit meshes that a draw item scales, and hulls as they are. Plain data, no graphics library.
//
// A vertex is placed by  scale * position + (0, 0, stretch * lift),  so that one capsule mesh serves capsules of every
// proportion: its caps scale evenly and move apart by `stretch`.
#ifndef TS_VIEWER_GEOMETRY_MESH_H
#define TS_VIEWER_GEOMETRY_MESH_H

#include "base/status.h"
#include "collision/shape/height_field.h"
#include "collision/shape/hull.h"
#include "collision/shape/mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A corner of a triangle.
typedef struct ts_geometry_vertex {
    float position[3];
    float lift;       // -1, 0 or 1: multiplied by the item's stretch and added to z
    float normal[3];  // unit, outward, before scaling
    float place[2];   // on a texture, where the mesh has places of its own: from the left, from the top
} ts_geometry_vertex;

/// Triangles with shared vertices, counter-clockwise seen from outside. Free with ts_geometry_mesh_free.
typedef struct ts_geometry_mesh {
    ts_geometry_vertex* vertex;
    int vertex_count;
    unsigned* index;  // (index_count) three per triangle
    int index_count;
    int has_places;  // nonzero: its corners have places on a texture
} ts_geometry_mesh;

/// The unit ball's surface: `segments` >= 3 around, half as many from pole to pole.
ts_code ts_geometry_mesh_sphere(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// Radius 1 about the z axis, the segment has half length `stretch` (none before stretching).
ts_code ts_geometry_mesh_capsule(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// Radius 1, z from -1 to 1.
ts_code ts_geometry_mesh_cylinder(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// Base circle of radius 1 at z = 0, tip at z = 1.
ts_code ts_geometry_mesh_cone(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// The cube from -1 to 1.
ts_code ts_geometry_mesh_box(ts_geometry_mesh* out_mesh, ts_status* out_status);

/// The square from -1 to 1 at z = 0, facing +z. Not closed.
ts_code ts_geometry_mesh_square(ts_geometry_mesh* out_mesh, ts_status* out_status);

/// A triangle seen from both sides, in its own frame and size. Not closed.
ts_code ts_geometry_mesh_triangle(const ts_vec3 corner[3], ts_geometry_mesh* out_mesh, ts_status* out_status);

/// A convex polytope with flat faces, in its own frame and size.
ts_code ts_geometry_mesh_hull(const ts_hull* hull, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// Triangles from a file, in their own frame and size. Shading is smooth where neighbours around a vertex meet at less than 40 degrees; triangles without an
/// area are left out. TS_ERROR_VALUE when none is left.
ts_code ts_geometry_mesh_triangles(const ts_mesh* mesh, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// The ground of a height field with its sides and its floor, in its own frame and size: its very triangles, of more than a quarter of a million cells
/// one for several. Shading is smooth where neighbours meet at less than 30 degrees.
ts_code ts_geometry_mesh_height_field(const ts_height_field* field, ts_geometry_mesh* out_mesh, ts_status* out_status);

/// Releases the memory; the mesh is empty afterwards.
void ts_geometry_mesh_free(ts_geometry_mesh* mesh);

#ifdef __cplusplus
}
#endif
#endif
