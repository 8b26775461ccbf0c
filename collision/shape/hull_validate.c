// Inspection of a hull: Euler's formula, twin edges, unit outward normals, convexity across every edge. Together with a
// closed surface, convexity across each edge makes the whole convex.
#include "collision/shape/hull_internal.h"

// Joining faces may leave a corner 1e-7 extents above a plane; four times that covers both sides of it.
static const double PLANE_TOLERANCE = 4e-7;

static ts_code broken(ts_status* out_status, const char* what, int where) {
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: %s (at %d)", what, where);
}

// The face in which the edge from -> to runs in that direction; -1 when there is none or more than one.
static int face_with_edge(const ts_hull* hull, int from, int to) {
    int found = -1;
    for (int k = hull->vertex_face_start[from]; k < hull->vertex_face_start[from + 1]; ++k) {
        int f = hull->vertex_face[k], first = hull->face_start[f], end = hull->face_start[f + 1];
        for (int i = first; i < end; ++i) {
            if (hull->face_corner[i] != from || hull->face_corner[i + 1 < end ? i + 1 : first] != to) continue;
            if (found >= 0) return -1;
            found = f;
        }
    }
    return found;
}

// A segment or a point: no faces, neighbours of each other.
static ts_code validate_thin(const ts_hull* hull, ts_status* out_status) {
    int v = hull->vertex_count;
    if (v != hull->rank + 1 || hull->edge_count != v - 1 || hull->face_count != 0 || hull->corner_count != 2 * (v - 1))
        return broken(out_status, "wrong number of vertices, edges or faces", v);
    for (int i = 0; i < v; ++i) {
        if (!ts_vec3_is_finite(hull->vertex[i])) return broken(out_status, "vertex is not finite", i);
        if (hull->neighbour_start[i + 1] - hull->neighbour_start[i] != v - 1)
            return broken(out_status, "wrong number of neighbours", i);
    }
    return ts_status_ok(out_status);
}

static ts_code validate_face(const ts_hull* hull, int i, double tolerance, ts_status* out_status) {
    int first = hull->face_start[i], end = hull->face_start[i + 1];
    ts_vec3 normal = hull->face_normal[i];
    double offset = hull->face_offset[i];
    if (end - first < 3) return broken(out_status, "face with fewer than three corners", i);
    if (fabs(ts_vec3_norm(normal) - 1.0) > 1e-12) return broken(out_status, "normal is not unit", i);
    if (hull->rank == 3 && ts_vec3_dot(normal, hull->centroid) >= offset)
        return broken(out_status, "normal points inwards", i);
    for (int k = first; k < end; ++k) {
        int from = hull->face_corner[k], to = hull->face_corner[k + 1 < end ? k + 1 : first];
        if (fabs(ts_vec3_dot(normal, hull->vertex[from]) - offset) > tolerance)
            return broken(out_status, "corner off its face's plane", k);
        int other = face_with_edge(hull, to, from);
        if (face_with_edge(hull, from, to) != i || other < 0) return broken(out_status, "edge without twin", k);
        for (int q = hull->face_start[other]; q < hull->face_start[other + 1]; ++q)
            if (ts_vec3_dot(normal, hull->vertex[hull->face_corner[q]]) > offset + tolerance)
                return broken(out_status, "not convex", i);
    }
    return ts_status_ok(out_status);
}

ts_code ts_hull_validate(const ts_hull* hull, ts_status* out_status) {
    int v = hull->vertex_count, f = hull->face_count, c = hull->corner_count;
    if (hull->rank < 0 || hull->rank > 3) return broken(out_status, "rank out of range", hull->rank);
    if (hull->rank < 2) return validate_thin(hull, out_status);
    if (hull->rank == 3 ? v < 4 || f < 4 || c < 12 : v < 3 || f != 2 || c != 2 * v)
        return broken(out_status, "wrong number of vertices, faces or corners", v);
    if (c % 2 || hull->edge_count != c / 2) return broken(out_status, "corners are not twice the edges", c);
    if (v - hull->edge_count + f != 2) return broken(out_status, "Euler's formula fails", v - hull->edge_count + f);
    for (int i = 0; i < v; ++i)
        if (!ts_vec3_is_finite(hull->vertex[i])) return broken(out_status, "vertex is not finite", i);
    for (int i = 0; i < c; ++i)
        if (hull->face_corner[i] < 0 || hull->face_corner[i] >= v) return broken(out_status, "corner out of range", i);
    double extent = ts_vec3_max_abs(ts_vec3_sub(hull->box_max, hull->box_min));
    if (!(extent > 0.0)) return broken(out_status, "no extent", 0);
    for (int i = 0; i < f; ++i) {
        ts_code code = validate_face(hull, i, PLANE_TOLERANCE * extent, out_status);
        if (code) return code;
    }
    if (hull->rank == 3 && !(hull->volume > 0.0)) return broken(out_status, "no volume", 0);
    return ts_status_ok(out_status);
}
