// Height fields: ground given by heights on a regular grid, seen from above, solid down to a floor.
#ifndef TS_COLLISION_HEIGHT_FIELD_H
#define TS_COLLISION_HEIGHT_FIELD_H

#include "base/status.h"
#include "base/vec.h"
#include "collision/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A grid of heights in the field's own frame: sample (row, column) lies at x = (column - (columns - 1) / 2) spacing_x,
/// y = (row - (rows - 1) / 2) spacing_y. The cell between four samples is cut along the diagonal from its lowest corner
/// (row, column) to (row + 1, column + 1). Owned by whoever built it; constant afterwards.
struct ts_height_field {
    int rows;          // samples along y, >= 2
    int columns;       // samples along x, >= 2
    double spacing_x;  // m
    double spacing_y;  // m
    double floor;      // m, below every height: the solid ends there
    double low;        // m, least height
    double high;       // m, greatest height
    double* height;    // (rows * columns) m, row by row
    ts_vec3 box_min;   // m
    ts_vec3 box_max;   // m
};

#ifdef __cplusplus
}
#endif
#endif
