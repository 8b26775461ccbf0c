// Walks over the convex parts of a shape.
//
// A height field is cut into upright prisms, one under each triangle of its surface, down to the floor: a fast body that
// has passed the surface within one step is still inside something and is pushed out. A prism is a hull of six vertices
// whose topology never changes; only coordinates and planes are filled in, into the walk itself. A compound's tree is
// walked by its skip numbers. Boxes that just touch count as meeting; NaN in a box gives no parts.
#include "collision/shape/convex_parts.h"

#include "base/assert.h"
#include "collision/shape/compound.h"
#include "collision/shape/height_field.h"

#include <string.h>

// Vertices 0 to 2 above, 3 to 5 below them; faces: top, bottom, and the side under each edge.
enum { FACE_START = 0, FACE_CORNER = 6, STAR = 24, NEIGHBOUR = 31, VERTEX_FACE = 49, TOPOLOGY_SIZE = 67 };
static const int prism_topology[TOPOLOGY_SIZE] = {
    0, 3, 6, 10, 14, 18,                                        // starts of faces
    0, 1, 2, 5,  4,  3,  3,  4, 1, 0, 4, 5, 2, 1, 5, 3, 0, 2,   // corners
    0, 3, 6, 9,  12, 15, 18,                                    // starts of neighbours and of faces around a vertex
    1, 2, 3, 0,  2,  4,  0,  1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4,   // neighbours
    0, 2, 4, 0,  2,  3,  0,  3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};  // faces around a vertex

static void prism_prepare(ts_convex_part_prism* prism) {
    memcpy(prism->topology, prism_topology, sizeof prism_topology);
    memset(&prism->hull, 0, sizeof prism->hull);
    ts_hull* hull = &prism->hull;
    hull->vertex_count = 6;
    hull->face_count = 5;
    hull->edge_count = 9;
    hull->corner_count = 18;
    hull->padded_count = 8;
    hull->rank = 3;
    hull->vertex = prism->vertex;
    hull->x = prism->coordinate;
    hull->y = prism->coordinate + 8;
    hull->z = prism->coordinate + 16;
    hull->face_start = prism->topology + FACE_START;
    hull->face_corner = prism->topology + FACE_CORNER;
    hull->face_normal = prism->face_normal;
    hull->face_offset = prism->face_offset;
    memset(prism->face_hollow, 0, sizeof prism->face_hollow);
    hull->face_hollow = prism->face_hollow;
    hull->neighbour_start = prism->topology + STAR;
    hull->neighbour = prism->topology + NEIGHBOUR;
    hull->vertex_face_start = prism->topology + STAR;
    hull->vertex_face = prism->topology + VERTEX_FACE;
}

static void prism_fill(ts_convex_part_prism* prism, const ts_height_field* field, int triangle) {
    ts_hull* hull = &prism->hull;
    ts_vec3* v = prism->vertex;
    ts_height_field_triangle(field, triangle, v);
    for (int k = 0; k < 3; ++k) v[k + 3] = ts_vec3_make(v[k].x, v[k].y, field->floor);
    hull->box_min = v[3];
    hull->box_max = v[0];
    for (int k = 0; k < 6; ++k) {
        hull->box_min = ts_vec3_min(hull->box_min, v[k]);
        hull->box_max = ts_vec3_max(hull->box_max, v[k]);
    }
    hull->centre = ts_vec3_lerp(hull->box_min, hull->box_max, 0.5);
    hull->centroid = ts_vec3_zero();
    for (int k = 0; k < 8; ++k) {
        ts_vec3 p = ts_vec3_sub(v[k < 6 ? k : 0], hull->centre);
        hull->x[k] = p.x;
        hull->y[k] = p.y;
        hull->z[k] = p.z;
        if (k < 6) hull->centroid = ts_vec3_add_scaled(hull->centroid, 1.0 / 6.0, p);
    }
    hull->centroid = ts_vec3_add(hull->centroid, hull->centre);
    ts_vec3 up = ts_vec3_axis(2);
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(v[1], v[0]), ts_vec3_sub(v[2], v[0]));
    prism->face_normal[0] = ts_vec3_unit_or(turn, up);
    prism->face_normal[1] = ts_vec3_neg(up);
    for (int k = 0; k < 3; ++k)
        prism->face_normal[k + 2] = ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(v[(k + 1) % 3 + 3], v[k + 3]), up), up);
    for (int f = 0; f < 5; ++f)
        prism->face_offset[f] = ts_vec3_dot(prism->face_normal[f], v[hull->face_corner[hull->face_start[f]]]);
}

static int boxes_meet(ts_vec3 low_a, ts_vec3 high_a, ts_vec3 low_b, ts_vec3 high_b) {
    return low_a.x <= high_b.x && low_b.x <= high_a.x && low_a.y <= high_b.y && low_b.y <= high_a.y &&
           low_a.z <= high_b.z && low_b.z <= high_a.z;
}

// Cells [*out_begin, *out_end) of a line of `count` cells of width `spacing` about zero that the interval meets, and
// perhaps one more at each side: rounding must not lose a cell.
static void cell_range(double low, double high, double spacing, int count, int* out_begin, int* out_end) {
    *out_begin = *out_end = 0;
    double first = low / spacing + 0.5 * count, last = high / spacing + 0.5 * count;
    if (!(first <= last) || first > count + 1.0 || last < -1.0) return;
    first = first < 1.0 ? 1.0 : first;
    last = last > count - 1.0 ? count - 1.0 : (last < 0.0 ? 0.0 : last);
    *out_begin = (int)first - 1 < count ? (int)first - 1 : count - 1;
    *out_end = (int)last + 2 < count ? (int)last + 2 : count;
}

void ts_convex_parts_begin(const ts_shape* shape, ts_vec3 low, ts_vec3 high, ts_convex_part_walk* out) {
    ts_vec3 ball = ts_vec3_make(shape->radius, shape->radius, shape->radius);
    out->index = -1;
    out->shape = *shape;
    out->placed = ts_transform_identity();
    out->parent = shape;
    out->low = ts_vec3_sub(low, ball);
    out->high = ts_vec3_add(high, ball);
    out->next = 0;
    out->row_end = out->column_begin = out->column_end = 0;
    if (shape->kind != TS_SHAPE_HEIGHT_FIELD) return;
    const ts_height_field* field = shape->height_field;
    int row = 0, cells = field->columns - 1;
    cell_range(out->low.x, out->high.x, field->spacing_x, cells, &out->column_begin, &out->column_end);
    cell_range(out->low.y, out->high.y, field->spacing_y, field->rows - 1, &row, &out->row_end);
    if (out->column_begin >= out->column_end) out->row_end = row;
    out->next = 2 * (row * cells + out->column_begin);
    prism_prepare(&out->prism);
    out->shape = ts_shape_rounded(ts_shape_hull(&out->prism.hull), shape->radius);
}

static int next_triangle(ts_convex_part_walk* walk) {
    const ts_height_field* field = walk->parent->height_field;
    int cells = field->columns - 1;
    for (;;) {
        int triangle = walk->next, row = triangle / 2 / cells, column = triangle / 2 % cells;
        if (row >= walk->row_end) return 0;
        if (column < walk->column_begin) {
            walk->next = 2 * (row * cells + walk->column_begin);
            continue;
        }
        if (column >= walk->column_end) {
            walk->next = 2 * ((row + 1) * cells + walk->column_begin);
            continue;
        }
        ++walk->next;
        ts_vec3 corner[3];
        ts_height_field_triangle(field, triangle, corner);
        ts_vec3 low = ts_vec3_min(corner[0], ts_vec3_min(corner[1], corner[2]));
        ts_vec3 high = ts_vec3_max(corner[0], ts_vec3_max(corner[1], corner[2]));
        low.z = field->floor;
        if (!boxes_meet(low, high, walk->low, walk->high)) continue;
        prism_fill(&walk->prism, field, triangle);
        walk->index = triangle;
        return 1;
    }
}

static void stand_at_child(ts_convex_part_walk* walk, int number) {
    const ts_compound_child* child = &walk->parent->compound->child[number];
    walk->index = number;
    walk->shape = ts_shape_rounded(child->shape, walk->parent->radius);
    walk->placed = child->placed;
}

static int next_child(ts_convex_part_walk* walk) {
    const ts_compound* compound = walk->parent->compound;
    int end = 2 * compound->count - 1;
    while (walk->next < end) {
        const ts_compound_node* node = &compound->node[walk->next];
        if (!boxes_meet(node->box_min, node->box_max, walk->low, walk->high)) {
            walk->next = node->skip;
            continue;
        }
        ++walk->next;
        if (node->child < 0) continue;
        stand_at_child(walk, node->child);
        return 1;
    }
    return 0;
}

int ts_convex_parts_next(ts_convex_part_walk* walk) {
    switch (walk->parent->kind) {
    case TS_SHAPE_HEIGHT_FIELD: return next_triangle(walk);
    case TS_SHAPE_COMPOUND: return next_child(walk);
    default: walk->index = 0; return walk->next++ == 0;
    }
}

int ts_convex_parts_get(const ts_shape* shape, int index, ts_convex_part_walk* out) {
    // A box that meets nothing: the walk ends with the part asked for.
    ts_vec3 nowhere = ts_vec3_make((double)INFINITY, (double)INFINITY, (double)INFINITY);
    ts_convex_parts_begin(shape, nowhere, ts_vec3_neg(nowhere), out);
    if (index < 0 || index >= ts_convex_parts_count(shape)) return 0;
    out->next = 1;
    switch (shape->kind) {
    case TS_SHAPE_HEIGHT_FIELD:
        prism_fill(&out->prism, shape->height_field, index);
        out->index = index;
        break;
    case TS_SHAPE_COMPOUND: stand_at_child(out, index); break;
    default: out->index = 0; break;
    }
    return 1;
}

int ts_convex_parts_count(const ts_shape* shape) {
    switch (shape->kind) {
    case TS_SHAPE_HEIGHT_FIELD: return ts_height_field_triangle_count(shape->height_field);
    case TS_SHAPE_COMPOUND: return shape->compound->count;
    default: return 1;
    }
}
