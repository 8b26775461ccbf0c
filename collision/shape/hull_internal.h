// The stages of building a hull. Not for use outside collision/ and its tests.
#ifndef TS_COLLISION_HULL_INTERNAL_H
#define TS_COLLISION_HULL_INTERNAL_H

#include "collision/shape/hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Polygons over numbered points: corners of face f are corner[start[f]] to corner[start[f + 1] - 1], counter-clockwise
/// from outside. Owns its arrays.
typedef struct ts_hull_faces {
    int count;
    int* start;   // (count + 1)
    int* corner;  // (start[count])
} ts_hull_faces;

/// Releases the arrays.
void ts_hull_faces_free(ts_hull_faces* faces);

/// The facets of the convex hull as qhull sees them (hull_qhull.c).
ts_code ts_hull_facets(const ts_vec3* points, int count, ts_hull_faces* out_faces, ts_status* out_status);

/// A hull from closed faces over points, every array filled: vertices numbered in the order of the points, or along a
/// curve where they are more than TS_HULL_FEW. NULL when
/// memory is short (hull.c).
ts_hull* ts_hull_assemble(const ts_vec3* points, int count, const ts_hull_faces* faces);

/// A segment (two points) or a point as a hull without faces; NULL when memory is short (hull.c).
ts_hull* ts_hull_assemble_thin(const ts_vec3* points, int count);

/// Fills the cells of directions, when all but box and outline is known (hull_cells.c). Returns 0 when memory is short.
int ts_hull_fill_cells(ts_hull* hull);

/// A direction as cells divide it.
static inline ts_vec3 ts_hull_to_cells(const ts_hull* hull, ts_vec3 d) {
    const double* m = hull->to_cells;
    return ts_vec3_make(m[0] * d.x + m[1] * d.y + m[2] * d.z, m[3] * d.y + m[4] * d.z, m[5] * d.z);
}

/// Fills `box` and `box_half`, when all else is known (hull_box.c).
void ts_hull_fit_box(ts_hull* hull);

/// How many directions the outline of a hull has, the zero vector in their middle.
enum { TS_HULL_OUTLINE = 27 };

/// Fills `outline`, when the box is known (hull_outline.c).
void ts_hull_draw_outline(ts_hull* hull);

/// The longest side of the box around points, and its centre (hull.c).
double ts_hull_extent(const ts_vec3* points, int count, ts_vec3* out_centre);

/// Joins neighbouring faces whose corners lie within `tolerance` of a common plane and drops corners left on straight
/// edges (hull_merge.c). Returns 0 when the result would not be a closed surface of simple polygons, else 1.
int ts_hull_faces_merge(const ts_vec3* points, int point_count, const ts_hull_faces* in, double tolerance,
                        ts_hull_faces* out_faces);

#ifdef __cplusplus
}
#endif
#endif
