// Problem: closed surfaces with outward normals for every shape the engine knows. Rule: rings of latitude for round
// shapes, one fan per flat face for the others; corners are shared only where the normal is continuous, so edges stay
// sharp under smooth shading. Guaranteed: counter-clockwise triangles, none of them degenerate. Known to fail: nothing,
// but circles are polygons, so silhouettes of large spheres show corners when `segments` is small.
#include "viewer/geometry_mesh.h"

#include "base/assert.h"
#include "base/scalar.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ts_code mesh_allocate(int vertex_count, int index_count, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    memset(out_mesh, 0, sizeof *out_mesh);
    out_mesh->vertex = malloc((size_t)vertex_count * sizeof *out_mesh->vertex);
    out_mesh->index = malloc((size_t)index_count * sizeof *out_mesh->index);
    if (!out_mesh->vertex || !out_mesh->index) {
        ts_geometry_mesh_free(out_mesh);
        return ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a mesh of %d vertices", vertex_count);
    }
    return ts_status_ok(out_status);
}

static unsigned add_vertex(ts_geometry_mesh* mesh, ts_vec3 position, double lift, ts_vec3 normal) {
    ts_geometry_vertex* v = &mesh->vertex[mesh->vertex_count];
    ts_vec3_store_floats(position, v->position);
    ts_vec3_store_floats(normal, v->normal);
    v->lift = (float)lift;
    v->place[0] = v->place[1] = 0.0f;
    return (unsigned)mesh->vertex_count++;
}

static void add_triangle(ts_geometry_mesh* mesh, unsigned a, unsigned b, unsigned c) {
    mesh->index[mesh->index_count++] = a;
    mesh->index[mesh->index_count++] = b;
    mesh->index[mesh->index_count++] = c;
}

// Point k of a circle cut into `segments`; the last one is the first exactly, so that a seam closes to the bit.
static ts_vec3 circle_point(int k, int segments) {
    double angle = 2.0 * TS_PI * (double)(k % segments) / (double)segments;
    return ts_vec3_make(cos(angle), sin(angle), 0.0);
}

// Rings from the north pole to the south pole. A capsule has its equator twice: once lifted, once lowered.
static ts_code mesh_round(int segments, int capsule, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    TS_ASSERT(segments >= 3);
    int half = (segments + 3) / 4;  // latitude steps per hemisphere
    int rings = 2 * half + 1 + (capsule ? 1 : 0);
    int triangles = 2 * segments * (rings - 2);
    ts_code code = mesh_allocate(rings * (segments + 1), 3 * triangles, out_mesh, out_status);
    if (code) return code;

    for (int ring = 0; ring < rings; ++ring) {
        int south = capsule ? ring > half : 0;
        int step = capsule && south ? ring - 1 : ring;
        double polar = 0.5 * TS_PI * (double)step / (double)half;
        // The poles and the equator lie where they must to the bit, so that caps and band join without a crack.
        double height = step == half ? 0.0 : cos(polar);
        double radius = step == 0 || step == 2 * half ? 0.0 : sin(polar);
        double lift = capsule ? (south ? -1.0 : 1.0) : 0.0;
        for (int k = 0; k <= segments; ++k) {
            ts_vec3 p = ts_vec3_scale(radius, circle_point(k, segments));
            p.z = height;
            add_vertex(out_mesh, p, lift, p);
        }
    }
    for (int ring = 0; ring + 1 < rings; ++ring) {
        for (int k = 0; k < segments; ++k) {
            unsigned upper = (unsigned)(ring * (segments + 1) + k);
            unsigned lower = upper + (unsigned)segments + 1u;
            if (ring + 2 < rings) add_triangle(out_mesh, upper, lower, lower + 1u);
            if (ring > 0) add_triangle(out_mesh, upper, lower + 1u, upper + 1u);
        }
    }
    return TS_OK;
}

ts_code ts_geometry_mesh_sphere(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    return mesh_round(segments, 0, out_mesh, out_status);
}

ts_code ts_geometry_mesh_capsule(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    return mesh_round(segments, 1, out_mesh, out_status);
}

// A flat disk at height z, facing up or down.
static void add_disk(ts_geometry_mesh* mesh, int segments, double z, double facing) {
    ts_vec3 normal = ts_vec3_make(0.0, 0.0, facing);
    unsigned centre = add_vertex(mesh, ts_vec3_make(0.0, 0.0, z), 0.0, normal);
    for (int k = 0; k < segments; ++k) {
        ts_vec3 p = circle_point(k, segments);
        p.z = z;
        add_vertex(mesh, p, 0.0, normal);
    }
    for (int k = 0; k < segments; ++k) {
        unsigned a = centre + 1u + (unsigned)k;
        unsigned b = centre + 1u + (unsigned)((k + 1) % segments);
        if (facing > 0.0)
            add_triangle(mesh, centre, a, b);
        else
            add_triangle(mesh, centre, b, a);
    }
}

ts_code ts_geometry_mesh_cylinder(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    TS_ASSERT(segments >= 3);
    ts_code code = mesh_allocate(2 * (segments + 1) + 2 * (segments + 1), 12 * segments, out_mesh, out_status);
    if (code) return code;
    for (int k = 0; k <= segments; ++k) {
        ts_vec3 n = circle_point(k, segments);
        add_vertex(out_mesh, ts_vec3_with(n, 2, -1.0), 0.0, n);
        add_vertex(out_mesh, ts_vec3_with(n, 2, 1.0), 0.0, n);
    }
    for (int k = 0; k < segments; ++k) {
        unsigned a = 2u * (unsigned)k;
        add_triangle(out_mesh, a, a + 2u, a + 3u);
        add_triangle(out_mesh, a, a + 3u, a + 1u);
    }
    add_disk(out_mesh, segments, 1.0, 1.0);
    add_disk(out_mesh, segments, -1.0, -1.0);
    return TS_OK;
}

ts_code ts_geometry_mesh_cone(int segments, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    TS_ASSERT(segments >= 3);
    ts_code code = mesh_allocate(2 * (segments + 1) + segments + 1, 6 * segments, out_mesh, out_status);
    if (code) return code;
    // The tip has one normal per segment: a single one could not be right on all sides.
    for (int k = 0; k <= segments; ++k) {
        ts_vec3 p = circle_point(k, segments);
        double angle = 2.0 * TS_PI * ((double)k + 0.5) / (double)segments;
        ts_vec3 side = ts_vec3_unit_or(ts_vec3_make(p.x, p.y, 1.0), p);
        ts_vec3 tip = ts_vec3_unit_or(ts_vec3_make(cos(angle), sin(angle), 1.0), p);
        add_vertex(out_mesh, p, 0.0, side);
        add_vertex(out_mesh, ts_vec3_make(0.0, 0.0, 1.0), 0.0, tip);
    }
    for (int k = 0; k < segments; ++k) {
        unsigned a = 2u * (unsigned)k;
        add_triangle(out_mesh, a, a + 2u, a + 1u);
    }
    add_disk(out_mesh, segments, 0.0, -1.0);
    return TS_OK;
}

// Two triangles a b c, a c d with one normal; corners counter-clockwise seen against it.
static void add_quad(ts_geometry_mesh* mesh, ts_vec3 a, ts_vec3 b, ts_vec3 c, ts_vec3 d, ts_vec3 normal) {
    unsigned first = add_vertex(mesh, a, 0.0, normal);
    add_vertex(mesh, b, 0.0, normal);
    add_vertex(mesh, c, 0.0, normal);
    add_vertex(mesh, d, 0.0, normal);
    add_triangle(mesh, first, first + 1u, first + 2u);
    add_triangle(mesh, first, first + 2u, first + 3u);
}

ts_code ts_geometry_mesh_box(ts_geometry_mesh* out_mesh, ts_status* out_status) {
    ts_code code = mesh_allocate(24, 36, out_mesh, out_status);
    if (code) return code;
    for (int axis = 0; axis < 3; ++axis) {
        ts_vec3 n = ts_vec3_axis(axis);
        ts_vec3 u = ts_vec3_axis((axis + 1) % 3);
        ts_vec3 v = ts_vec3_axis((axis + 2) % 3);
        ts_vec3 pp = ts_vec3_add(u, v);
        ts_vec3 pm = ts_vec3_sub(u, v);
        ts_vec3 minus = ts_vec3_neg(n);
        add_quad(out_mesh, ts_vec3_sub(n, pp), ts_vec3_add(n, pm), ts_vec3_add(n, pp), ts_vec3_sub(n, pm), n);
        add_quad(out_mesh, ts_vec3_sub(minus, pp), ts_vec3_sub(minus, pm), ts_vec3_add(minus, pp),
                 ts_vec3_add(minus, pm), minus);
    }
    return TS_OK;
}

ts_code ts_geometry_mesh_square(ts_geometry_mesh* out_mesh, ts_status* out_status) {
    ts_code code = mesh_allocate(4, 6, out_mesh, out_status);
    if (code) return code;
    add_quad(out_mesh, ts_vec3_make(-1.0, -1.0, 0.0), ts_vec3_make(1.0, -1.0, 0.0), ts_vec3_make(1.0, 1.0, 0.0),
             ts_vec3_make(-1.0, 1.0, 0.0), ts_vec3_axis(2));
    return TS_OK;
}

ts_code ts_geometry_mesh_triangle(const ts_vec3 corner[3], ts_geometry_mesh* out_mesh, ts_status* out_status) {
    ts_code code = mesh_allocate(6, 6, out_mesh, out_status);
    if (code) return code;
    ts_vec3 n = ts_vec3_cross(ts_vec3_sub(corner[1], corner[0]), ts_vec3_sub(corner[2], corner[0]));
    n = ts_vec3_unit_or(n, ts_vec3_axis(2));
    for (int i = 0; i < 3; ++i) add_vertex(out_mesh, corner[i], 0.0, n);
    for (int i = 0; i < 3; ++i) add_vertex(out_mesh, corner[2 - i], 0.0, ts_vec3_neg(n));
    add_triangle(out_mesh, 0, 1, 2);
    add_triangle(out_mesh, 3, 4, 5);
    return TS_OK;
}

ts_code ts_geometry_mesh_hull(const ts_hull* hull, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    int triangles = hull->corner_count - 2 * hull->face_count;
    ts_code code = mesh_allocate(hull->corner_count, 3 * triangles, out_mesh, out_status);
    if (code) return code;
    for (int f = 0; f < hull->face_count; ++f) {
        int first = hull->face_start[f];
        int corners = hull->face_start[f + 1] - first;
        unsigned base = (unsigned)out_mesh->vertex_count;
        for (int c = 0; c < corners; ++c)
            add_vertex(out_mesh, hull->vertex[hull->face_corner[first + c]], 0.0, hull->face_normal[f]);
        for (int c = 1; c + 1 < corners; ++c) add_triangle(out_mesh, base, base + (unsigned)c, base + (unsigned)c + 1u);
    }
    return TS_OK;
}

// Triangles from a file, and who is around each vertex.
typedef struct fans {
    const ts_mesh* mesh;
    ts_vec3* normal;  // of each triangle, twice its area long
    int* first;       // (vertex_count + 1) where the triangles around a vertex begin in `around`
    int* around;
} fans;

static ts_vec3 corner_of(const ts_mesh* mesh, int triangle, int k) {
    return mesh->vertex[mesh->triangle[3 * triangle + k]];
}

static int open_fans(const ts_mesh* mesh, fans* out) {
    size_t triangles = (size_t)mesh->triangle_count, vertices = (size_t)mesh->vertex_count;
    *out = (fans){mesh, malloc((triangles + 1) * sizeof *out->normal), calloc(vertices + 2, sizeof *out->first),
                  malloc((3 * triangles + 1) * sizeof *out->around)};
    if (!out->normal || !out->first || !out->around) return 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        ts_vec3 a = corner_of(mesh, t, 0);
        out->normal[t] = ts_vec3_cross(ts_vec3_sub(corner_of(mesh, t, 1), a), ts_vec3_sub(corner_of(mesh, t, 2), a));
        for (int k = 0; k < 3; ++k) ++out->first[mesh->triangle[3 * t + k] + 2];
    }
    // Where each begins, one place on: filling moves it there.
    for (size_t v = 2; v < vertices + 2; ++v) out->first[v] += out->first[v - 1];
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) out->around[out->first[mesh->triangle[3 * t + k] + 1]++] = t;
    return 1;
}

static void close_fans(fans* f) {
    free(f->normal);
    free(f->first);
    free(f->around);
}

// The mean of the triangles around a corner that are turned little against its own, by their areas.
static ts_vec3 smooth_normal(const fans* f, int triangle, int k, ts_vec3 own) {
    static const double crease = 0.766;  // cos 40 degrees
    int vertex = f->mesh->triangle[3 * triangle + k];
    ts_vec3 sum = ts_vec3_zero();
    for (int i = f->first[vertex]; i < f->first[vertex + 1]; ++i) {
        ts_vec3 n = f->normal[f->around[i]];
        if (ts_vec3_dot(n, own) > crease * ts_vec3_norm(n)) sum = ts_vec3_add(sum, n);
    }
    return ts_vec3_unit_or(sum, own);
}

ts_code ts_geometry_mesh_triangles(const ts_mesh* mesh, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    fans f;
    memset(out_mesh, 0, sizeof *out_mesh);
    if (mesh->triangle_count > INT_MAX / 3)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a mesh of %d triangles", mesh->triangle_count);
    int whole = open_fans(mesh, &f), corners = 3 * mesh->triangle_count;
    ts_code code = whole ? mesh_allocate(corners + 1, corners + 1, out_mesh, out_status)
                         : ts_status_set(out_status, TS_ERROR_MEMORY, NULL, 0, "no memory for a mesh");
    for (int t = 0; t < mesh->triangle_count && !code; ++t) {
        ts_vec3 own = ts_vec3_unit_or(f.normal[t], ts_vec3_zero());
        if (!(ts_vec3_norm_squared(own) > 0.5)) continue;
        unsigned at = (unsigned)out_mesh->vertex_count;
        for (int k = 0; k < 3; ++k) {
            unsigned made = add_vertex(out_mesh, corner_of(mesh, t, k), 0.0, smooth_normal(&f, t, k, own));
            if (mesh->place) memcpy(out_mesh->vertex[made].place, mesh->place + 2 * (3 * t + k), 2 * sizeof(float));
        }
        add_triangle(out_mesh, at, at + 1u, at + 2u);
    }
    out_mesh->has_places = mesh->place != NULL;
    close_fans(&f);
    if (!code && !out_mesh->index_count) {
        ts_geometry_mesh_free(out_mesh);
        code = ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "a mesh without a triangle that has an area");
    }
    return code;
}

// A height field as it is drawn: every `step`-th sample.
typedef struct ground {
    const ts_height_field* field;
    int step, rows, columns;  // samples that are drawn
    double left, front;       // m
} ground;

static ts_vec3 sample_at(const ground* g, int row, int column) {
    const ts_height_field* f = g->field;
    double height = f->height[(size_t)(row * g->step) * (size_t)f->columns + (size_t)(column * g->step)];
    return ts_vec3_make(g->left + column * g->step * f->spacing_x, g->front + row * g->step * f->spacing_y, height);
}

// Corners of triangle 0 or 1 of a cell, as rows and columns from its first sample.
static const int cell_corner[2][3][2] = {{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}};

static ts_vec3 normal_of(const ground* g, int row, int column, int side) {
    ts_vec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = sample_at(g, row + cell_corner[side][k][0], column + cell_corner[side][k][1]);
    return ts_vec3_unit_or(ts_vec3_cross(ts_vec3_sub(p[1], p[0]), ts_vec3_sub(p[2], p[0])), ts_vec3_axis(2));
}

// The normal at a corner of a triangle: the mean of those around the sample that lean away from its own by less than a crease.
static ts_vec3 shaded_normal(const ground* g, int row, int column, ts_vec3 own) {
    const double crease = 0.866;  // cosine of 30 degrees
    ts_vec3 sum = ts_vec3_zero();
    for (int r = row - 1; r <= row; ++r)
        for (int c = column - 1; c <= column; ++c)
            for (int side = 0; side < 2; ++side) {
                int touches = 0;
                for (int k = 0; k < 3; ++k)
                    touches |= r + cell_corner[side][k][0] == row && c + cell_corner[side][k][1] == column;
                if (!touches || r < 0 || c < 0 || r + 1 >= g->rows || c + 1 >= g->columns) continue;
                ts_vec3 n = normal_of(g, r, c, side);
                if (ts_vec3_dot(n, own) > crease) sum = ts_vec3_add(sum, n);
            }
    return ts_vec3_unit_or(sum, own);
}

// The wall below a border from one sample to the next, seen from outside.
static void add_side(ts_geometry_mesh* mesh, const ground* g, ts_vec3 from, ts_vec3 to) {
    ts_vec3 way = ts_vec3_sub(to, from), low_from = from, low_to = to;
    low_from.z = low_to.z = g->field->floor;
    add_quad(mesh, low_from, low_to, to, from, ts_vec3_unit_or(ts_vec3_make(way.y, -way.x, 0.0), ts_vec3_axis(0)));
}

static void add_sides(ts_geometry_mesh* mesh, const ground* g) {
    int last_row = g->rows - 1, last_column = g->columns - 1;
    for (int c = 0; c < last_column; ++c) {
        add_side(mesh, g, sample_at(g, 0, c), sample_at(g, 0, c + 1));
        add_side(mesh, g, sample_at(g, last_row, c + 1), sample_at(g, last_row, c));
    }
    for (int r = 0; r < last_row; ++r) {
        add_side(mesh, g, sample_at(g, r + 1, 0), sample_at(g, r, 0));
        add_side(mesh, g, sample_at(g, r, last_column), sample_at(g, r + 1, last_column));
    }
    ts_vec3 low = sample_at(g, 0, 0), high = sample_at(g, last_row, last_column);
    double floor = g->field->floor;
    add_quad(mesh, ts_vec3_make(low.x, low.y, floor), ts_vec3_make(low.x, high.y, floor),
             ts_vec3_make(high.x, high.y, floor), ts_vec3_make(high.x, low.y, floor), ts_vec3_make(0.0, 0.0, -1.0));
}

ts_code ts_geometry_mesh_height_field(const ts_height_field* field, ts_geometry_mesh* out_mesh, ts_status* out_status) {
    const double most = 250000.0;  // cells
    ground g = {
        field, 1, 0, 0, -0.5 * (field->columns - 1) * field->spacing_x, -0.5 * (field->rows - 1) * field->spacing_y};
    while ((double)field->rows / g.step * ((double)field->columns / g.step) > most) ++g.step;
    g.rows = (field->rows - 1) / g.step + 1;
    g.columns = (field->columns - 1) / g.step + 1;
    if (g.rows < 2 || g.columns < 2) {
        // A strip that is long and narrow: all of it.
        g.step = 1;
        g.rows = field->rows;
        g.columns = field->columns;
    }
    int cells = (g.rows - 1) * (g.columns - 1), sides = 2 * (g.rows + g.columns - 2) + 1;
    ts_code code = mesh_allocate(6 * cells + 4 * sides, 6 * cells + 6 * sides, out_mesh, out_status);
    if (code) return code;
    for (int r = 0; r + 1 < g.rows; ++r)
        for (int c = 0; c + 1 < g.columns; ++c)
            for (int side = 0; side < 2; ++side) {
                ts_vec3 own = normal_of(&g, r, c, side);
                unsigned first = (unsigned)out_mesh->vertex_count;
                for (int k = 0; k < 3; ++k) {
                    int row = r + cell_corner[side][k][0], column = c + cell_corner[side][k][1];
                    add_vertex(out_mesh, sample_at(&g, row, column), 0.0, shaded_normal(&g, row, column, own));
                }
                add_triangle(out_mesh, first, first + 1u, first + 2u);
            }
    add_sides(out_mesh, &g);
    return TS_OK;
}

void ts_geometry_mesh_free(ts_geometry_mesh* mesh) {
    free(mesh->vertex);
    free(mesh->index);
    memset(mesh, 0, sizeof *mesh);
}
