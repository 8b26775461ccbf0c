// The convex parts of any shape, near a box: what GJK, EPA and manifolds see of height fields and compounds.
//
//     ts_convex_part_walk walk;
//     ts_convex_parts_begin(&shape, low, high, &walk);
//     while (ts_convex_parts_next(&walk)) ts_proximity_query(&walk.shape, &walk.placed, ...);
//
// The signed distance of a shape made of parts is the least of its parts' signed distances. Apart, that is exact. Where
// shapes overlap it is the depth of the deepest pair of parts: leaving the whole takes at least that much, and more
// where parts overlap each other or lie side by side, as the prisms of a height field do (there
// ts_height_field_limit_normal tells which normals are real).
#ifndef TS_COLLISION_CONVEX_PARTS_H
#define TS_COLLISION_CONVEX_PARTS_H

#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the prism under one triangle of a height field, as a hull. Volume, inertia, extremes, box, outline and reach
/// are not filled in: queries do not ask for them of so small a hull.
typedef struct ts_convex_part_prism {
    ts_hull hull;
    ts_vec3 vertex[6];  // m, three above, three on the floor
    double coordinate[24];
    ts_vec3 face_normal[5];
    double face_offset[5];
    double face_hollow[5];  // zeros: three corners make a plane, and the sides are cut along one
    int topology[67];
} ts_convex_part_prism;

/// A walk over parts and the part it stands at. Do not copy it: shape may point into it. Needs no heap and no end.
typedef struct ts_convex_part_walk {
    int index;            // part: child of a compound, triangle of a height field, 0 for a convex shape
    ts_shape shape;       // convex, the parent's radius added; valid until the next step
    ts_transform placed;  // in the parent's frame
    const ts_shape* parent;
    ts_vec3 low;   // m, the box asked for, widened by the parent's radius
    ts_vec3 high;  // m
    int next;      // where to go on: a node, or a triangle
    int row_end;   // cells of a height field that the box meets: [row, row_end) x [column_begin, column_end)
    int column_begin;
    int column_end;
    ts_convex_part_prism prism;
} ts_convex_part_walk;

/// Starts a walk over the parts whose bounds meet the box from `low` to `high` (m, the shape's frame; infinite ends are
/// fine). A convex shape is its own only part, whatever the box. The shape must outlive the walk.
void ts_convex_parts_begin(const ts_shape* shape, ts_vec3 low, ts_vec3 high, ts_convex_part_walk* out_walk);

/// Steps to the next part; 0 when there is none. The order is always the same: rows, columns and triangles of a height
/// field as they are numbered, children of a compound as its tree has them.
int ts_convex_parts_next(ts_convex_part_walk* walk);

/// Puts a walk at the part of that index (nothing comes after it); 0 when there is no such part.
int ts_convex_parts_get(const ts_shape* shape, int index, ts_convex_part_walk* out_walk);

/// How many parts a shape has.
int ts_convex_parts_count(const ts_shape* shape);

#ifdef __cplusplus
}
#endif
#endif
