// Hulls of points that span no volume: a flat polygon, a segment, a point.
//
// Rule: points are moved and scaled to unit size; the two ends of the longest axis give a line, the point farthest from
// it a plane. Points within 1e-9 of the extent of the line make a segment; points that make no solid (hull.c refuses
// them) but lie near the plane make a polygon, the convex chain of their places in the plane (Andrew, Information
// Processing Letters 9, 1979), taken twice, back to back, so that the surface is closed and edges have twins as on a
// solid. Guaranteed: every point lies within the reported `flattening` of the hull. Vertices keep their coordinates.
// Known to fail: nothing known; a sliver thicker than 1e-9 of its extent is a solid, however thin.
#include "collision/shape/hull_internal.h"

#include <stdlib.h>
#include <string.h>

// Of the extent: widths below the first are none; above the second points are not called flat even if qhull gives up.
static const double NO_WIDTH = 1e-9;
static const double FLAT_AT_MOST = 1e-6;
// Of the extent: so near a plane that there is no use in asking qhull.
static const double SURELY_FLAT = 1e-14;

// A point by its place in the plane.
typedef struct planar_point {
    double u;
    double v;
    int index;
} planar_point;

static int by_place(const void* a, const void* b) {
    const planar_point *p = (const planar_point*)a, *q = (const planar_point*)b;
    if (p->u != q->u) return p->u < q->u ? -1 : 1;
    if (p->v != q->v) return p->v < q->v ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static int by_coordinates(const void* a, const void* b) {
    const ts_vec3 *p = (const ts_vec3*)a, *q = (const ts_vec3*)b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

static int count_duplicates(const ts_vec3* points, int count, ts_vec3* scratch) {
    memcpy(scratch, points, (size_t)count * sizeof *scratch);
    qsort(scratch, (size_t)count, sizeof *scratch, by_coordinates);
    int duplicates = 0;
    for (int i = 1; i < count; ++i) duplicates += by_coordinates(&scratch[i - 1], &scratch[i]) == 0;
    return duplicates;
}

// Where the points lie: a line through `origin` along `along`, and a plane through that with normal `normal`.
typedef struct arrangement {
    ts_vec3 origin;
    ts_vec3 along;   // unit
    ts_vec3 across;  // unit, in the plane
    ts_vec3 normal;  // unit
    double width;    // farthest distance from the line
    double height;   // farthest distance from the plane
} arrangement;

static arrangement arrange(const ts_vec3* unit, int count) {
    arrangement a;
    ts_vec3 low = unit[0], high = unit[0];
    for (int i = 1; i < count; ++i) {
        low = ts_vec3_min(low, unit[i]);
        high = ts_vec3_max(high, unit[i]);
    }
    ts_vec3 size = ts_vec3_sub(high, low);
    int axis = ts_vec3_largest(size), first = 0, last = 0;
    for (int i = 1; i < count; ++i) {
        if (ts_vec3_get(unit[i], axis) < ts_vec3_get(unit[first], axis)) first = i;
        if (ts_vec3_get(unit[i], axis) > ts_vec3_get(unit[last], axis)) last = i;
    }
    a.origin = unit[first];
    a.along = ts_vec3_unit_or(ts_vec3_sub(unit[last], a.origin), ts_vec3_axis(0));
    a.width = a.height = 0.0;
    ts_vec3 widest = ts_vec3_zero();
    for (int i = 0; i < count; ++i) {
        ts_vec3 r = ts_vec3_sub(unit[i], a.origin);
        ts_vec3 off = ts_vec3_add_scaled(r, -ts_vec3_dot(r, a.along), a.along);
        if (!(ts_vec3_norm(off) > a.width)) continue;
        a.width = ts_vec3_norm(off);
        widest = off;
    }
    a.normal = ts_vec3_unit_or(ts_vec3_cross(a.along, widest), ts_vec3_axis(2));
    a.across = ts_vec3_cross(a.normal, a.along);
    for (int i = 0; i < count; ++i) {
        double height = fabs(ts_vec3_dot(a.normal, ts_vec3_sub(unit[i], a.origin)));
        a.height = height > a.height ? height : a.height;
    }
    return a;
}

static ts_hull* make_segment(const ts_vec3* points, const ts_vec3* unit, int count, const arrangement* a) {
    int first = 0, last = 0;
    for (int i = 1; i < count; ++i) {
        double at = ts_vec3_dot(a->along, unit[i]);
        if (at < ts_vec3_dot(a->along, unit[first])) first = i;
        if (at > ts_vec3_dot(a->along, unit[last])) last = i;
    }
    const ts_vec3 ends[2] = {points[first], points[last]};
    return ts_hull_assemble_thin(ends, 2);
}

static double turn_at(const planar_point* p, const planar_point* q, const planar_point* r) {
    return (q->u - p->u) * (r->v - p->v) - (q->v - p->v) * (r->u - p->u);
}

static int near(const planar_point* p, const planar_point* q) {
    return fabs(p->u - q->u) <= NO_WIDTH && fabs(p->v - q->v) <= NO_WIDTH;
}

// Counter-clockwise corners of the convex chain of sorted places; `chain` has room for all of them twice.
static int convex_chain(const planar_point* place, int count, planar_point* chain) {
    int filled = 0;
    for (int side = 0; side < 2; ++side) {
        int base = filled;
        for (int k = 0; k < count; ++k) {
            const planar_point* p = &place[side ? count - 1 - k : k];
            while (filled > base + 1 && !(turn_at(&chain[filled - 2], &chain[filled - 1], p) > 0.0)) --filled;
            if (filled > base && near(&chain[filled - 1], p)) continue;
            chain[filled++] = *p;
        }
        // The last of this side is the first of the other; a neighbour left within a hair of it goes as well.
        if (filled - base > 1) --filled;
    }
    while (filled > 1 && near(&chain[filled - 1], &chain[0])) --filled;
    return filled;
}

static ts_hull* make_polygon(const ts_vec3* points, const ts_vec3* unit, int count, const arrangement* a) {
    size_t n = (size_t)count;
    planar_point* place = (planar_point*)malloc(3 * (n + 1) * sizeof *place);
    int* corner = (int*)malloc((4 * n + 4) * sizeof *corner);
    ts_hull* hull = 0;
    if (place && corner) {
        for (int i = 0; i < count; ++i) {
            ts_vec3 r = ts_vec3_sub(unit[i], a->origin);
            place[i].u = ts_vec3_dot(r, a->along);
            place[i].v = ts_vec3_dot(r, a->across);
            place[i].index = i;
        }
        qsort(place, n, sizeof *place, by_place);
        planar_point* chain = place + n;
        int corners = convex_chain(place, count, chain);
        if (corners < 3) {
            hull = make_segment(points, unit, count, a);
        } else {
            for (int k = 0; k < corners; ++k) {
                corner[k] = chain[k].index;
                corner[corners + k] = chain[corners - 1 - k].index;
            }
            int start[3] = {0, corners, 2 * corners};
            ts_hull_faces faces = {2, start, corner};
            hull = ts_hull_assemble(points, count, &faces);
        }
    }
    free(place);
    free(corner);
    return hull;
}

// What the sums over tetrahedra give for a polygon taken twice is rounding; its centre is that of its area.
static void measure_polygon(ts_hull* hull) {
    hull->rank = 2;
    hull->volume = 0.0;
    hull->second_moment = ts_mat3_zero();
    const int* corner = hull->face_corner;
    ts_vec3 from = hull->vertex[corner[0]], sum = ts_vec3_zero();
    double area = 0.0;
    for (int k = 1; k + 1 < hull->vertex_count; ++k) {
        ts_vec3 p = ts_vec3_sub(hull->vertex[corner[k]], from), q = ts_vec3_sub(hull->vertex[corner[k + 1]], from);
        double twice = ts_vec3_dot(hull->face_normal[0], ts_vec3_cross(p, q));
        area += twice;
        sum = ts_vec3_add_scaled(sum, twice / 3.0, ts_vec3_add(p, q));
    }
    hull->centroid = ts_vec3_add_scaled(from, area > 0.0 ? 1.0 / area : 0.0, sum);
}

// Makes what the arrangement allows of points in unit size.
static ts_code build_scaled(const ts_vec3* points, ts_vec3* unit, int count, double extent, ts_hull** out_hull,
                            ts_hull_report* report, ts_status* out_status) {
    arrangement a = arrange(unit, count);
    if (a.width > NO_WIDTH && a.height > SURELY_FLAT && count > 3) {
        ts_code code = ts_hull_build(points, count, out_hull, out_status);
        if (!code) return TS_OK;
        if (code != TS_ERROR_VALUE || !(a.height <= FLAT_AT_MOST)) return code;
    }
    if (a.width > NO_WIDTH) {
        *out_hull = make_polygon(points, unit, count, &a);
        if (*out_hull && (*out_hull)->face_count == 2) measure_polygon(*out_hull);
        report->flattening = a.height * extent;
    } else {
        *out_hull = make_segment(points, unit, count, &a);
        report->flattening = a.width * extent;
    }
    if (!*out_hull) return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    return TS_OK;
}

ts_code ts_hull_build_any(const ts_vec3* points, int count, ts_hull** out_hull, ts_hull_report* out_report,
                          ts_status* out_status) {
    ts_hull_report report = {0, 0, 0, 0.0};
    *out_hull = 0;
    if (out_report) *out_report = report;
    if (count < 1) return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: no points");
    for (int i = 0; i < count; ++i)
        if (!ts_vec3_is_finite(points[i]))
            return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: point %d is not finite", i);
    ts_vec3 centre;
    double extent = ts_hull_extent(points, count, &centre);
    if (extent != 0.0 && (!(extent < 1e100) || !(extent > 1e-100)))
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: extent %g is out of range", extent);
    ts_vec3* unit = (ts_vec3*)malloc((size_t)count * sizeof *unit);
    if (!unit) return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    report.duplicates = count_duplicates(points, count, unit);
    ts_code code = TS_OK;
    if (extent > 0.0) {
        for (int i = 0; i < count; ++i) unit[i] = ts_vec3_scale(1.0 / extent, ts_vec3_sub(points[i], centre));
        code = build_scaled(points, unit, count, extent, out_hull, &report, out_status);
    } else {
        *out_hull = ts_hull_assemble_thin(points, 1);
        if (!*out_hull) code = ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    }
    free(unit);
    if (code || !*out_hull) return code;
    report.rank = (*out_hull)->rank;
    report.dropped = count - (*out_hull)->vertex_count;
    if (out_report) *out_report = report;
    return ts_status_ok(out_status);
}
