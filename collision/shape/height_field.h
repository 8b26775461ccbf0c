// Height fields: ground given by heights on a regular grid, solid down to a floor.
#ifndef TS_COLLISION_HEIGHT_FIELD_H
#define TS_COLLISION_HEIGHT_FIELD_H

#include "base/status.h"
#include "collision/shape/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A grid of heights in the field's own frame: sample (row, column) lies at x = (column - (columns - 1) / 2) spacing_x,
/// y = (row - (rows - 1) / 2) spacing_y. The cell between four samples is cut along the diagonal from sample
/// (row, column) to (row + 1, column + 1). Triangle 2 k of cell k = row (columns - 1) + column lies on the side of
/// growing x of that diagonal, triangle 2 k + 1 on the other. Owned by whoever built it; constant afterwards.
struct ts_height_field {
    int rows;              // samples along y, >= 2
    int columns;           // samples along x, >= 2
    double spacing_x;      // m
    double spacing_y;      // m
    double floor;          // m, below every height: the solid ends there
    double* height;        // (rows * columns) m, row by row
    unsigned char* sharp;  // (triangles) bit k: over edge k the ground falls away, or ends
    ts_vec3 box_min;       // m, floor included
    ts_vec3 box_max;       // m
};

/// Copies the heights (rows * columns, row by row, m). Refuses fewer than two rows or columns, more than 2^28 samples,
/// numbers that are not finite, spacings that are not positive and a floor that is not below every height:
/// TS_ERROR_VALUE and the reason. Free with ts_height_field_free.
ts_code ts_height_field_build(const double* heights, int rows, int columns, double spacing_x, double spacing_y,
                              double floor, ts_height_field** out_field, ts_status* out_status);

/// Releases a field; NULL is ignored.
void ts_height_field_free(ts_height_field* field);

/// How many triangles the surface has: two per cell.
int ts_height_field_triangle_count(const ts_height_field* field);

/// The corners of a triangle, counter-clockwise from above, in the field's frame; the first is sample (row, column).
void ts_height_field_triangle(const ts_height_field* field, int index, ts_vec3 out_corner[3]);

/// The triangle beyond edge k (from corner k to the next) of a triangle; -1 at the border of the field.
int ts_height_field_neighbour(const ts_height_field* field, int index, int edge);

/// What the surface allows of a contact normal found at one triangle's prism, where it was found (unit, out of the
/// ground; a point on or near the triangle, m; both in the field's frame): at an edge where the ground is flat or hollow it
/// may not lean outwards, at a ridge no farther than the neighbour's normal, at the field's border as it likes but not
/// downwards. So nothing trips over inner edges, and nothing is pushed below the surface. Unit.
ts_vec3 ts_height_field_limit_normal(const ts_height_field* field, int index, ts_vec3 at, ts_vec3 normal);

#ifdef __cplusplus
}
#endif
#endif
