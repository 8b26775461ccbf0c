// The farthest vertex of a hull along a direction.
//
// Rule: small hulls are scanned whole over packed coordinates (support_simd.c); larger ones are climbed along edges
// while that gains, from a vertex that the hull knows to be the farthest in the middle of a small cell of directions
// around this one (a cube's faces in squares, as many as vertices), or from the vertex of the last query where that is
// farther. So a climb takes a step or two whatever the history, and since vertices are numbered along a Morton curve
// the neighbours it looks at lie near each other in memory, which is what bounds it (Morton, IBM, 1966).
// Guaranteed: of a scan, the lowest index among the farthest. Of a climb, a vertex that no other corner of its faces
// beats: on a convex surface that is the farthest one, up to rounding, whatever the start. Both rules depend on nothing
// but the arguments, so every machine names the same vertex.
#include "collision/shape/support_internal.h"

int ts_support_scan(const ts_hull* hull, ts_vec3 d) {
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    // Four lanes, as the narrowest vector version has them. The padding repeats vertex 0, which cannot win a tie because
    // the lowest index does.
    double best[4];
    int index[4];
    for (int k = 0; k < 4; ++k) {
        best[k] = -(double)INFINITY;
        index[k] = k;
    }
    for (int i = 0; i < hull->padded_count; i += 4) {
        for (int k = 0; k < 4; ++k) {
            double value = d.x * x[i + k] + d.y * y[i + k] + d.z * z[i + k];
            int better = value > best[k];
            best[k] = better ? value : best[k];
            index[k] = better ? i + k : index[k];
        }
    }
    int winner = 0;
    for (int k = 1; k < 4; ++k)
        if (best[k] > best[winner] || (best[k] == best[winner] && index[k] < index[winner])) winner = k;
    return index[winner] < hull->vertex_count ? index[winner] : 0;
}

// Faces joined within a tolerance need not be flat to the last digit, and their corners far apart are no neighbours: a
// better one among them, or -1.
static int better_on_faces(const ts_hull* hull, ts_vec3 d, ts_vec3 from, int current, double value) {
    int next = -1;
    for (int k = hull->vertex_face_start[current]; k < hull->vertex_face_start[current + 1]; ++k) {
        int face = hull->vertex_face[k], first = hull->face_start[face], end = hull->face_start[face + 1];
        if (end - first <= 3) continue;
        for (int c = first; c < end; ++c) {
            double candidate = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[hull->face_corner[c]], from));
            if (candidate > value) {
                value = candidate;
                next = hull->face_corner[c];
            }
        }
    }
    return next;
}

int ts_support_climb_from(const ts_hull* hull, ts_vec3 d, int start) {
    // Relative to the start, so that a hull far from its frame's origin keeps its digits.
    ts_vec3 from = hull->vertex[start];
    int all_triangles = hull->corner_count == 3 * hull->face_count;
    int current = start;
    double value = 0.0;
    for (;;) {
        int next = current;
        const int* neighbour = hull->neighbour + hull->neighbour_start[current];
        int count = hull->neighbour_start[current + 1] - hull->neighbour_start[current];
        for (int k = 0; k < count; ++k) {
            double candidate = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[neighbour[k]], from));
            int better = candidate > value;
            value = better ? candidate : value;
            next = better ? neighbour[k] : next;
        }
        if (next == current) {
            if (all_triangles) return current;
            next = better_on_faces(hull, d, from, current, value);
            if (next < 0) return current;
            value = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[next], from));
        }
        current = next;  // strict improvement, so this ends
    }
}

// The support vertex of the cell of directions that d is in; vertex 0 for a direction of zeros or of no numbers.
static int start_of(const ts_hull* hull, ts_vec3 d) {
    ts_vec3 m = ts_vec3_abs(d);
    int n = hull->start_cells;
    double u, v, w;
    int face;
    if (m.x >= m.y && m.x >= m.z) {
        face = d.x < 0.0;
        u = d.y;
        v = d.z;
        w = m.x;
    } else if (m.y >= m.z) {
        face = 2 + (d.y < 0.0);
        u = d.z;
        v = d.x;
        w = m.y;
    } else {
        face = 4 + (d.z < 0.0);
        u = d.x;
        v = d.y;
        w = m.z;
    }
    double half = 0.5 * n, scale = half / w, most = n - 1;
    double column = u * scale + half, row = v * scale + half;
    // Written so that what is not a number becomes zero.
    column = column > 0.0 ? (column < most ? column : most) : 0.0;
    row = row > 0.0 ? (row < most ? row : most) : 0.0;
    return hull->start[(face * n + (int)row) * n + (int)column];
}

int ts_support_climb(const ts_hull* hull, ts_vec3 d, int hint) {
    int start = hull->start_cells ? start_of(hull, d) : 0;
    int known = hint >= 0 && hint < hull->vertex_count;
    if (known && !(ts_vec3_dot(d, ts_vec3_sub(hull->vertex[start], hull->vertex[hint])) > 0.0)) start = hint;
    return ts_support_climb_from(hull, d, start);
}

int ts_support_hull_xyz(const ts_hull* hull, double x, double y, double z, int hint) {
    if (hull->vertex_count <= TS_SUPPORT_SCAN_MOST) return ts_support_scan_xyz(hull, x, y, z);
    return ts_support_climb(hull, ts_vec3_make(x, y, z), hint);
}

int ts_support_hull(const ts_hull* hull, ts_vec3 d, int hint) { return ts_support_hull_xyz(hull, d.x, d.y, d.z, hint); }
