// Convex polytopes from points: scale, hull (qhull), merge flat faces, number, measure.
//
// Points are moved and scaled to unit size first, so that every tolerance is relative and a hull modelled far from its
// own origin loses nothing; vertices keep their original coordinates. Volume, centroid and inertia are exact sums over
// tetrahedra from a point inside. Guaranteed after TS_OK: Euler's formula, each edge in two faces, unit outward normals,
// every vertex inside every face plane to 1e-7 of the extent (1e-12 when no faces had to be joined).
#include "collision/shape/hull_internal.h"

#include "base/assert.h"
#include "collision/shape/support_internal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Of the extent. Points closer than the first merge; faces whose corners are within the second of one plane join
// (single-precision mesh files carry noise of 6e-8).
static const double MERGE_POINTS = 1e-9;
static const double MERGE_FACES = 1e-7;
static const double FLAT_VOLUME = 1e-12;
// Of a thin hull's thickness: joining must not eat what thickness there is.
static const double MERGE_THICKNESS = 1e-3;

void ts_hull_free(ts_hull* hull) {
    if (!hull) return;
    free(hull->vertex);
    free(hull->x);
    free(hull->cell_start);
    free(hull->cell_vertex);
    free(hull->face_start);
    free(hull->face_corner);
    free(hull->face_normal);
    free(hull->face_offset);
    free(hull->face_hollow);
    free(hull->neighbour_start);
    free(hull->neighbour);
    free(hull->vertex_face_start);
    free(hull->vertex_face);
    free(hull);
}

static int allocate(ts_hull* hull, int vertices, int faces, int corners) {
    TS_ASSERT(vertices > 0 && faces >= 0 && corners >= 0);
    // One to spare: a point has no faces and no corners, and what malloc makes of nothing differs.
    size_t v = (size_t)vertices, f = (size_t)faces + 1, c = (size_t)corners + 1;
    hull->vertex_count = vertices;
    hull->face_count = faces;
    hull->corner_count = corners;
    hull->edge_count = corners / 2;
    hull->padded_count = (vertices + 3) / 4 * 4;
    size_t padded = (size_t)hull->padded_count;
    hull->vertex = (ts_vec3*)malloc(v * sizeof *hull->vertex);
    hull->x = (double*)malloc(3 * padded * sizeof(double));
    hull->face_start = (int*)malloc(f * sizeof(int));
    hull->face_corner = (int*)malloc(c * sizeof(int));
    hull->face_normal = (ts_vec3*)malloc(f * sizeof *hull->face_normal);
    hull->face_offset = (double*)malloc(f * sizeof(double));
    hull->face_hollow = (double*)malloc(f * sizeof(double));
    hull->neighbour_start = (int*)calloc(v + 1, sizeof(int));
    hull->neighbour = (int*)malloc(c * sizeof(int));
    hull->vertex_face_start = (int*)calloc(v + 1, sizeof(int));
    hull->vertex_face = (int*)malloc(c * sizeof(int));
    if (!hull->vertex || !hull->x || !hull->face_start || !hull->face_corner || !hull->face_normal ||
        !hull->face_offset || !hull->face_hollow || !hull->neighbour_start || !hull->neighbour ||
        !hull->vertex_face_start || !hull->vertex_face)
        return 0;
    hull->y = hull->x + padded;
    hull->z = hull->y + padded;
    return 1;
}

static void fill_vertices(ts_hull* hull) {
    hull->box_min = hull->box_max = hull->vertex[0];
    for (int i = 0; i < hull->vertex_count; ++i) {
        hull->box_min = ts_vec3_min(hull->box_min, hull->vertex[i]);
        hull->box_max = ts_vec3_max(hull->box_max, hull->vertex[i]);
        hull->reach = fmax(hull->reach, ts_vec3_norm(hull->vertex[i]));
    }
    hull->centre = ts_vec3_lerp(hull->box_min, hull->box_max, 0.5);
    for (int i = 0; i < hull->padded_count; ++i) {
        ts_vec3 p = ts_vec3_sub(hull->vertex[i < hull->vertex_count ? i : 0], hull->centre);
        hull->x[i] = p.x;
        hull->y[i] = p.y;
        hull->z[i] = p.z;
    }
}

static void fill_extremes(ts_hull* hull) {
    for (int k = 0; k < TS_HULL_EXTREME_COUNT; ++k) {
        ts_vec3 d = ts_hull_extreme_direction(k);
        double best = -(double)INFINITY;
        for (int i = 0; i < hull->vertex_count; ++i) {
            double value = d.x * hull->x[i] + d.y * hull->y[i] + d.z * hull->z[i];
            if (!(value > best)) continue;
            best = value;
            hull->extreme[k] = i;
        }
    }
}

static void fill_planes(ts_hull* hull) {
    for (int f = 0; f < hull->face_count; ++f) {
        const int* c = hull->face_corner + hull->face_start[f];
        int count = hull->face_start[f + 1] - hull->face_start[f];
        ts_vec3 p0 = hull->vertex[c[0]], turn = ts_vec3_zero();
        for (int k = 1; k + 1 < count; ++k)
            turn = ts_vec3_add(
                turn, ts_vec3_cross(ts_vec3_sub(hull->vertex[c[k]], p0), ts_vec3_sub(hull->vertex[c[k + 1]], p0)));
        ts_vec3 n = ts_vec3_unit_or(turn, ts_vec3_zero());
        // The outermost corner, so that the plane supports the face; the innermost one tells how far below it the
        // polytope may end.
        double offset = ts_vec3_dot(n, p0), low = offset, size = ts_vec3_norm(p0);
        for (int k = 1; k < count; ++k) {
            double other = ts_vec3_dot(n, hull->vertex[c[k]]);
            offset = fmax(offset, other);
            low = fmin(low, other);
            size = fmax(size, ts_vec3_norm(hull->vertex[c[k]]));
        }
        hull->face_normal[f] = n;
        hull->face_offset[f] = offset;
        hull->face_hollow[f] = offset - low > 8.0 * DBL_EPSILON * size ? offset - low : 0.0;
    }
}

static void fill_neighbours(ts_hull* hull) {
    for (int i = 0; i < hull->corner_count; ++i) ++hull->neighbour_start[hull->face_corner[i] + 1];
    for (int v = 0; v < hull->vertex_count; ++v) hull->neighbour_start[v + 1] += hull->neighbour_start[v];
    memcpy(hull->vertex_face_start, hull->neighbour_start, ((size_t)hull->vertex_count + 1) * sizeof(int));
    // Each edge leaves its vertex in exactly one face, so corners, neighbours and faces around a vertex are as many.
    for (int f = hull->face_count - 1; f >= 0; --f) {
        int first = hull->face_start[f], end = hull->face_start[f + 1];
        for (int k = end - 1; k >= first; --k) {
            int v = hull->face_corner[k], next = hull->face_corner[k + 1 < end ? k + 1 : first];
            int slot = --hull->vertex_face_start[v + 1];
            hull->vertex_face[slot] = f;
            hull->neighbour[slot] = next;
        }
    }
    // The filling has moved every start down to the previous one's place; put the ends back.
    memcpy(hull->vertex_face_start, hull->neighbour_start, ((size_t)hull->vertex_count + 1) * sizeof(int));
}

static void fill_mass(ts_hull* hull) {
    ts_vec3 inside = ts_vec3_zero();
    for (int i = 0; i < hull->vertex_count; ++i)
        inside = ts_vec3_add_scaled(inside, 1.0 / hull->vertex_count, hull->vertex[i]);
    double volume = 0.0;
    ts_vec3 first = ts_vec3_zero();
    ts_mat3 second = ts_mat3_zero();
    for (int f = 0; f < hull->face_count; ++f) {
        const int* c = hull->face_corner + hull->face_start[f];
        int count = hull->face_start[f + 1] - hull->face_start[f];
        ts_vec3 a = ts_vec3_sub(hull->vertex[c[0]], inside);
        for (int k = 1; k + 1 < count; ++k) {
            ts_vec3 b = ts_vec3_sub(hull->vertex[c[k]], inside), d = ts_vec3_sub(hull->vertex[c[k + 1]], inside);
            double det = ts_vec3_dot(a, ts_vec3_cross(b, d));
            ts_vec3 sum = ts_vec3_add(a, ts_vec3_add(b, d));
            volume += det / 6.0;
            first = ts_vec3_add_scaled(first, det / 24.0, sum);
            // Integral of x x^T over the tetrahedron (inside, a, b, d).
            ts_mat3 squares = ts_mat3_add(ts_mat3_add(ts_mat3_outer(a, a), ts_mat3_outer(b, b)),
                                          ts_mat3_add(ts_mat3_outer(d, d), ts_mat3_outer(sum, sum)));
            second = ts_mat3_add(second, ts_mat3_scale(det / 120.0, squares));
        }
    }
    hull->volume = volume;
    ts_vec3 offset = ts_vec3_scale(volume > 0.0 ? 1.0 / volume : 0.0, first);
    hull->centroid = ts_vec3_add(inside, offset);
    second = ts_mat3_sub(second, ts_mat3_scale(volume, ts_mat3_outer(offset, offset)));
    double trace = ts_mat3_trace(&second);
    hull->second_moment = ts_mat3_sub(ts_mat3_diagonal(ts_vec3_make(trace, trace, trace)), second);
}

// The bits of a number below 2^21, three places apart.
static uint64_t spread_bits(uint64_t v) {
    v = (v | v << 32) & 0x001f00000000ffffULL;
    v = (v | v << 16) & 0x001f0000ff0000ffULL;
    v = (v | v << 8) & 0x100f00f00f00f00fULL;
    v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
    return (v | v << 2) & 0x1249249249249249ULL;
}

typedef struct curve_point {
    uint64_t place;
    int index;
} curve_point;

static int by_curve(const void* a, const void* b) {
    const curve_point *p = (const curve_point*)a, *q = (const curve_point*)b;
    if (p->place != q->place) return p->place < q->place ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

// Renumbers the points in use (number >= 0) along a Morton curve, so that near ones lie near in memory. Returns 0 when
// memory is short.
static int number_along_curve(const ts_vec3* points, int count, int vertices, int* number) {
    curve_point* order = (curve_point*)malloc((size_t)vertices * sizeof *order);
    if (!order) return 0;
    ts_vec3 centre;
    double extent = ts_hull_extent(points, count, &centre), scale = extent > 0.0 ? 2097151.0 / extent : 0.0;
    int filled = 0;
    for (int i = 0; i < count; ++i) {
        if (number[i] < 0) continue;
        ts_vec3 at = ts_vec3_scale(scale, ts_vec3_sub(points[i], centre));
        uint64_t place = 0;
        for (int k = 0; k < 3; ++k) {
            double v = ts_vec3_get(at, k) + 1048575.5;
            v = v > 0.0 ? (v < 2097151.0 ? v : 2097151.0) : 0.0;
            place |= spread_bits((uint64_t)v) << k;
        }
        order[filled].place = place;
        order[filled++].index = i;
    }
    qsort(order, (size_t)vertices, sizeof *order, by_curve);
    for (int i = 0; i < vertices; ++i) number[order[i].index] = i;
    free(order);
    return 1;
}

// A hull from faces over points: vertices are numbered in the order of the points, or along a curve where they are
// many.
ts_hull* ts_hull_assemble(const ts_vec3* points, int count, const ts_hull_faces* faces) {
    int* number = (int*)malloc((size_t)count * sizeof(int));
    ts_hull* hull = (ts_hull*)calloc(1, sizeof *hull);
    int corners = faces->start[faces->count], vertices = 0;
    if (!number || !hull) {
        free(number);
        free(hull);
        return 0;
    }
    for (int i = 0; i < count; ++i) number[i] = -1;
    for (int i = 0; i < corners; ++i) number[faces->corner[i]] = 0;
    for (int i = 0; i < count; ++i)
        if (number[i] == 0) number[i] = vertices++;
    if ((vertices > TS_HULL_FEW && !number_along_curve(points, count, vertices, number)) ||
        !allocate(hull, vertices, faces->count, corners)) {
        free(number);
        ts_hull_free(hull);
        return 0;
    }
    for (int i = 0; i < count; ++i)
        if (number[i] >= 0) hull->vertex[number[i]] = points[i];
    memcpy(hull->face_start, faces->start, ((size_t)faces->count + 1) * sizeof(int));
    for (int i = 0; i < corners; ++i) hull->face_corner[i] = number[faces->corner[i]];
    free(number);
    hull->rank = 3;
    fill_vertices(hull);
    fill_extremes(hull);
    fill_planes(hull);
    fill_neighbours(hull);
    fill_mass(hull);
    if (!ts_hull_fill_cells(hull)) {
        ts_hull_free(hull);
        return 0;
    }
    ts_hull_fit_box(hull);
    ts_hull_draw_outline(hull);
    return hull;
}

ts_hull* ts_hull_assemble_thin(const ts_vec3* points, int count) {
    TS_ASSERT(count == 1 || count == 2);
    ts_hull* hull = (ts_hull*)calloc(1, sizeof *hull);
    if (!hull || !allocate(hull, count, 0, 2 * (count - 1))) {
        ts_hull_free(hull);
        return 0;
    }
    memcpy(hull->vertex, points, (size_t)count * sizeof *points);
    hull->face_start[0] = 0;
    hull->rank = count - 1;
    for (int v = 0; v < count; ++v) {
        hull->neighbour_start[v + 1] = count == 2 ? v + 1 : 0;
        if (count == 2) hull->neighbour[v] = 1 - v;
    }
    fill_vertices(hull);
    fill_extremes(hull);
    hull->centroid = hull->centre;
    ts_hull_fit_box(hull);
    ts_hull_draw_outline(hull);
    return hull;
}

double ts_hull_extent(const ts_vec3* points, int count, ts_vec3* out_centre) {
    ts_vec3 low = points[0], high = points[0];
    for (int i = 1; i < count; ++i) {
        low = ts_vec3_min(low, points[i]);
        high = ts_vec3_max(high, points[i]);
    }
    *out_centre = ts_vec3_lerp(low, high, 0.5);
    return ts_vec3_max_abs(ts_vec3_sub(high, low));
}

typedef struct ordered_point {
    double x;
    int index;
} ordered_point;

static int by_x(const void* a, const void* b) {
    const ordered_point *p = (const ordered_point*)a, *q = (const ordered_point*)b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

// Marks in `use` the hull's own points, less those that lie within the merging distance of an earlier one. Returns how
// many stay, or -1 when memory is short.
static int distinct_corners(const ts_vec3* unit, int count, const ts_hull_faces* faces, int* use) {
    memset(use, 0, (size_t)count * sizeof(int));
    for (int i = 0; i < faces->start[faces->count]; ++i) use[faces->corner[i]] = 1;
    int corners = 0;
    for (int i = 0; i < count; ++i) corners += use[i];
    if (corners == 0) return 0;
    ordered_point* order = (ordered_point*)malloc((size_t)corners * sizeof *order);
    if (!order) return -1;
    int filled = 0;
    for (int i = 0; i < count; ++i) {
        if (!use[i]) continue;
        order[filled].x = unit[i].x;
        order[filled++].index = i;
    }
    qsort(order, (size_t)corners, sizeof *order, by_x);
    int kept = corners;
    for (int i = 0; i < corners; ++i) {
        for (int j = i - 1; j >= 0 && order[i].x - order[j].x <= MERGE_POINTS; --j) {
            if (!use[order[j].index] || ts_vec3_distance(unit[order[i].index], unit[order[j].index]) > MERGE_POINTS)
                continue;
            use[order[i].index] = 0;
            --kept;
            break;
        }
    }
    free(order);
    return kept;
}

// The hull of points already scaled to unit size, as faces over them.
static ts_code faces_of(ts_vec3* unit, int count, int* use, ts_vec3* subset, int* back, ts_hull_faces* out,
                        ts_status* out_status) {
    ts_code code = ts_hull_facets(unit, count, out, out_status);
    if (code) return code;
    int kept = distinct_corners(unit, count, out, use);
    int corners = 0;
    if (kept >= 0) {
        for (int i = 0; i < out->start[out->count]; ++i)
            if (!use[out->corner[i]]) ++corners;
    }
    if (kept < 0) {
        ts_hull_faces_free(out);
        return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    }
    if (corners == 0) return TS_OK;  // nothing was close to anything
    ts_hull_faces_free(out);
    if (kept < 4) return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: fewer than four distinct points");
    int filled = 0;
    for (int i = 0; i < count; ++i) {
        if (!use[i]) continue;
        subset[filled] = unit[i];
        back[filled++] = i;
    }
    code = ts_hull_facets(subset, filled, out, out_status);
    if (code) return code;
    for (int i = 0; i < out->start[out->count]; ++i) out->corner[i] = back[out->corner[i]];
    return TS_OK;
}

// Twice the volume over the surface: the thickness of a plate, a third of the side of a cube.
static double thickness_of(const ts_vec3* points, const ts_hull_faces* faces) {
    double volume = 0.0, surface = 0.0;
    ts_vec3 apex = points[faces->corner[0]];
    for (int f = 0; f < faces->count; ++f) {
        ts_vec3 a = ts_vec3_sub(points[faces->corner[faces->start[f]]], apex);
        for (int k = faces->start[f] + 1; k + 1 < faces->start[f + 1]; ++k) {
            ts_vec3 b = ts_vec3_sub(points[faces->corner[k]], apex),
                    c = ts_vec3_sub(points[faces->corner[k + 1]], apex);
            ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(b, a), ts_vec3_sub(c, a));
            volume += ts_vec3_dot(turn, a) / 6.0;
            surface += 0.5 * ts_vec3_norm(turn);
        }
    }
    return surface > 0.0 ? 2.0 * fabs(volume) / surface : 0.0;
}

// Tries ever less merging until the result passes its own inspection.
static ts_code merge_and_assemble(const ts_vec3* points, const ts_vec3* unit, int count, double extent,
                                  const ts_hull_faces* facets, ts_hull** out_hull, ts_status* out_status) {
    double thin = MERGE_THICKNESS * thickness_of(unit, facets);
    const double tolerance[3] = {thin < MERGE_FACES ? thin : MERGE_FACES, thin < MERGE_POINTS ? thin : MERGE_POINTS,
                                 0.0};
    ts_code code = ts_status_set(out_status, TS_ERROR_NUMERIC, 0, 0, "hull: the surface does not close");
    for (int attempt = 0; attempt < 3; ++attempt) {
        ts_hull_faces merged;
        if (!ts_hull_faces_merge(unit, count, facets, tolerance[attempt], &merged)) continue;
        ts_hull* hull = ts_hull_assemble(points, count, &merged);
        ts_hull_faces_free(&merged);
        if (!hull) return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
        if (!(hull->volume > FLAT_VOLUME * extent * extent * extent)) {
            ts_hull_free(hull);
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: all points lie in one plane (or nearly so)");
        }
        code = ts_hull_validate(hull, out_status);
        if (!code) {
            *out_hull = hull;
            return TS_OK;
        }
        ts_hull_free(hull);
    }
    return code;
}

ts_code ts_hull_build(const ts_vec3* points, int count, ts_hull** out_hull, ts_status* out_status) {
    *out_hull = 0;
    if (count < 4)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: needs at least four points, not %d", count);
    for (int i = 0; i < count; ++i)
        if (!ts_vec3_is_finite(points[i]))
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: point %d is not finite", i);
    ts_vec3 centre;
    double extent = ts_hull_extent(points, count, &centre);
    if (!(extent > 0.0)) return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: all points are the same");
    // Beyond this the cube of the extent leaves the range of a double.
    if (!(extent < 1e100) || !(extent > 1e-100))
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: extent %g is out of range", extent);
    ts_vec3* unit = (ts_vec3*)malloc((size_t)count * 2 * sizeof *unit);
    int* use = (int*)malloc((size_t)count * 2 * sizeof(int));
    if (!unit || !use) {
        free(unit);
        free(use);
        return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    }
    for (int i = 0; i < count; ++i) unit[i] = ts_vec3_scale(1.0 / extent, ts_vec3_sub(points[i], centre));
    ts_hull_faces facets;
    ts_code code = faces_of(unit, count, use, unit + count, use + count, &facets, out_status);
    if (!code) {
        code = merge_and_assemble(points, unit, count, extent, &facets, out_hull, out_status);
        ts_hull_faces_free(&facets);
    }
    free(unit);
    free(use);
    return code ? code : ts_status_ok(out_status);
}
