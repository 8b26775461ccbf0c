// Height fields: storage, the triangles of the surface, and which contact normals it allows.
//
// Problem: a body sliding over a surface made of triangles meets each triangle alone; the prism under the next one has
// an upright side that nobody can touch, and a contact there stops the body on level ground (a "ghost collision").
// Rule: a normal is kept within the normals that the surface really has near the triangle (its Voronoi region): over
// each edge the lean outwards ends at the neighbour's normal, and at nothing where the edge is flat or hollow; a normal
// outside goes to the nearest lean inside, all leans taken as tangents in the triangle's plane. Guaranteed: the result is a unit normal that does not
// point downwards. Known limit: at a corner only the bounds of this triangle's two edges count, which allows a little
// more than the corner's own normals where many triangles meet in a spike.
#include "collision/shape/height_field.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_LIMIT = 1 << 28 };

// Tangents of leans that count as level: an edge whose neighbours differ by less is flat. Rounding of leans is far below
// that up to the steepest looked at.
static const double LEVEL = 1e-9;
static const double SLACK = 1e-10;
static const double STEEPEST = 1e3;
// Of an edge's length: a point no farther inside is on the edge.
static const double AT_EDGE = 1e-6;

static ts_code refuse(ts_status* out_status, const char* what, double value) {
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "height-field: %s (%g)", what, value);
}

static ts_vec3 normal_of(const ts_vec3 corner[3]) {
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(corner[1], corner[0]), ts_vec3_sub(corner[2], corner[0]));
    return ts_vec3_unit_or(turn, ts_vec3_axis(2));
}

// How far a normal of the triangle may lean over edge k, as a tangent: to the neighbour's normal over a ridge, not at all
// over a flat or hollow edge, anyhow over the border. `outward` is unit, in the triangle's plane.
static double lean_limit(const ts_height_field* field, int index, int k, ts_vec3 face, ts_vec3 outward) {
    int beyond = ts_height_field_neighbour(field, index, k);
    if (beyond < 0) return (double)INFINITY;
    ts_vec3 other[3];
    ts_height_field_triangle(field, beyond, other);
    ts_vec3 across = normal_of(other);
    double ahead = ts_vec3_dot(across, face);
    double limit = ahead > 0.0 ? ts_vec3_dot(across, outward) / ahead : (double)INFINITY;
    return limit > LEVEL ? limit : 0.0;
}

static unsigned char find_sharp(const ts_height_field* field, int index) {
    ts_vec3 corner[3];
    ts_height_field_triangle(field, index, corner);
    ts_vec3 face = normal_of(corner);
    unsigned bits = 0;
    for (int k = 0; k < 3; ++k) {
        ts_vec3 edge = ts_vec3_sub(corner[(k + 1) % 3], corner[k]);
        ts_vec3 outward = ts_vec3_unit_or(ts_vec3_cross(edge, face), ts_vec3_axis(0));
        if (lean_limit(field, index, k, face, outward) > 0.0) bits |= 1u << k;
    }
    return (unsigned char)bits;
}

ts_code ts_height_field_build(const double* heights, int rows, int columns, double spacing_x, double spacing_y,
                              double floor, ts_height_field** out_field, ts_status* out_status) {
    *out_field = 0;
    if (rows < 2 || columns < 2) return refuse(out_status, "needs two rows and two columns", rows < 2 ? rows : columns);
    if ((long long)rows * columns > SAMPLE_LIMIT)
        return refuse(out_status, "too many samples", (double)rows * (double)columns);
    if (!isfinite(spacing_x) || !(spacing_x > 0.0)) return refuse(out_status, "spacing must be positive", spacing_x);
    if (!isfinite(spacing_y) || !(spacing_y > 0.0)) return refuse(out_status, "spacing must be positive", spacing_y);
    if (!isfinite(floor)) return refuse(out_status, "the floor must be finite", floor);
    int count = rows * columns;
    double low = heights[0], high = heights[0];
    for (int i = 0; i < count; ++i) {
        if (!isfinite(heights[i])) return refuse(out_status, "a height is not finite: sample", i);
        low = heights[i] < low ? heights[i] : low;
        high = heights[i] > high ? heights[i] : high;
    }
    if (!(floor < low)) return refuse(out_status, "the floor must lie below the least height", low);
    ts_height_field* field = (ts_height_field*)calloc(1, sizeof *field);
    double* copy = (double*)malloc((size_t)count * sizeof *copy);
    unsigned char* sharp = (unsigned char*)malloc(2 * (size_t)(rows - 1) * (size_t)(columns - 1));
    if (!field || !copy || !sharp) {
        free(field);
        free(copy);
        free(sharp);
        return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "height-field: out of memory");
    }
    memcpy(copy, heights, (size_t)count * sizeof *copy);
    field->rows = rows;
    field->columns = columns;
    field->spacing_x = spacing_x;
    field->spacing_y = spacing_y;
    field->floor = floor;
    field->height = copy;
    field->sharp = sharp;
    field->box_max = ts_vec3_make(0.5 * spacing_x * (columns - 1), 0.5 * spacing_y * (rows - 1), high);
    field->box_min = ts_vec3_make(-field->box_max.x, -field->box_max.y, floor);
    for (int i = 0; i < ts_height_field_triangle_count(field); ++i) sharp[i] = find_sharp(field, i);
    *out_field = field;
    return ts_status_ok(out_status);
}

void ts_height_field_free(ts_height_field* field) {
    if (!field) return;
    free(field->height);
    free(field->sharp);
    free(field);
}

int ts_height_field_triangle_count(const ts_height_field* field) {
    return 2 * (field->rows - 1) * (field->columns - 1);
}

static ts_vec3 sample_at(const ts_height_field* field, int row, int column) {
    return ts_vec3_make((column - 0.5 * (field->columns - 1)) * field->spacing_x,
                        (row - 0.5 * (field->rows - 1)) * field->spacing_y,
                        field->height[row * field->columns + column]);
}

void ts_height_field_triangle(const ts_height_field* field, int index, ts_vec3 out_corner[3]) {
    TS_ASSERT(index >= 0 && index < ts_height_field_triangle_count(field));
    int cell = index / 2, row = cell / (field->columns - 1), column = cell % (field->columns - 1);
    int upper = index % 2;
    out_corner[0] = sample_at(field, row, column);
    out_corner[1] = upper ? sample_at(field, row + 1, column + 1) : sample_at(field, row, column + 1);
    out_corner[2] = upper ? sample_at(field, row + 1, column) : sample_at(field, row + 1, column + 1);
}

int ts_height_field_neighbour(const ts_height_field* field, int index, int edge) {
    // The diagonal is edge 2 of the triangle at growing x and edge 0 of the other.
    int across = field->columns - 1, cell = index / 2, row = cell / across, column = cell % across;
    if (index % 2 == 0) {
        if (edge == 2) return index + 1;
        if (edge == 0) return row > 0 ? 2 * (cell - across) + 1 : -1;
        return column + 1 < across ? 2 * (cell + 1) + 1 : -1;
    }
    if (edge == 0) return index - 1;
    if (edge == 1) return row + 2 < field->rows ? 2 * (cell + across) : -1;
    return column > 0 ? 2 * (cell - 1) : -1;
}

// The nearest point to `lean` (a vector in a plane) with <point, outward[k]> <= most[k] for three unit vectors of that
// plane; most >= 0, so zero is such a point. Tries lean itself, then each bound alone, then each pair of bounds.
static ts_vec3 nearest_lean(ts_vec3 lean, const ts_vec3 outward[3], const double most[3]) {
    // The pairs come last: where two bounds meet is farther than where one is met alone.
    ts_vec3 best = ts_vec3_zero();
    double nearest = ts_vec3_norm(lean);
    for (int trial = -1; trial < 6; ++trial) {
        ts_vec3 p = lean;
        if (trial >= 0) {
            int k = trial % 3, j = (k + 1) % 3;
            if (!isfinite(most[k]) || (trial >= 3 && !isfinite(most[j]))) continue;
            p = ts_vec3_add_scaled(lean, most[k] - ts_vec3_dot(lean, outward[k]), outward[k]);
            if (trial >= 3) {
                double c = ts_vec3_dot(outward[k], outward[j]), sine = 1.0 - c * c;
                if (!(sine > 1e-12)) continue;
                double u = (most[k] - c * most[j]) / sine, v = (most[j] - c * most[k]) / sine;
                p = ts_vec3_add(ts_vec3_scale(u, outward[k]), ts_vec3_scale(v, outward[j]));
            }
        }
        int allowed = 1;
        for (int k = 0; k < 3; ++k) allowed &= ts_vec3_dot(p, outward[k]) <= most[k] + SLACK;
        double distance = ts_vec3_distance(p, lean);
        if (!allowed || !(distance < nearest)) continue;
        nearest = distance;
        best = p;
    }
    return best;
}

ts_vec3 ts_height_field_limit_normal(const ts_height_field* field, int index, ts_vec3 at, ts_vec3 normal) {
    ts_vec3 corner[3], outward[3];
    double most[3];
    ts_height_field_triangle(field, index, corner);
    ts_vec3 face = normal_of(corner);
    // From behind or beside: the surface's own normal is the way out.
    double forward = ts_vec3_dot(normal, face);
    if (!(forward > 0.0)) return face;
    // As face + lean, the lean lying in the triangle's plane.
    ts_vec3 lean = ts_vec3_scale(1.0 / forward, ts_vec3_add_scaled(normal, -forward, face));
    double steepness = ts_vec3_norm(lean);
    if (!(steepness <= STEEPEST))
        lean = ts_vec3_scale(STEEPEST, ts_vec3_unit_or(ts_vec3_add_scaled(normal, -forward, face), face));
    for (int k = 0; k < 3; ++k) {
        ts_vec3 edge = ts_vec3_sub(corner[(k + 1) % 3], corner[k]);
        outward[k] = ts_vec3_unit_or(ts_vec3_cross(edge, face), ts_vec3_axis(0));
        most[k] = (double)INFINITY;
        // An edge says nothing about contacts elsewhere: of a blunt triangle the lean over one edge leans over another.
        // Seen from above: a contact deep down a prism's side belongs to the edge over it.
        ts_vec3 r = ts_vec3_sub(at, corner[k]);
        if (edge.y * r.x - edge.x * r.y < -AT_EDGE * (edge.x * edge.x + edge.y * edge.y)) continue;
        most[k] = field->sharp[index] >> k & 1 ? lean_limit(field, index, k, face, outward[k]) : 0.0;
    }
    lean = nearest_lean(lean, outward, most);
    // At the border nothing else keeps a normal from pointing below the horizon.
    if (face.z + lean.z < 0.0) lean = ts_vec3_scale(-face.z / lean.z, lean);
    return ts_vec3_unit_or(ts_vec3_add(face, lean), face);
}
