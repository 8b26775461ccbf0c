// The farthest vertex of a hull along a direction.
//
// Rule: small hulls are scanned whole over packed coordinates (support_simd.c). Larger ones know for every cell of
// directions which vertices can be farthest (hull_cells.c), four or five on average, and those are scanned: no step waits
// for another, and since vertices are numbered along a Morton curve, those of a list lie near each other in memory
// (Morton, IBM, 1966). Where a list could not be made, edges are climbed while that gains, from the cell's own vertex or
// from that of the last query where it is farther.
// Guaranteed: of a scan, the lowest index among the farthest. Of a cell, a vertex that is farthest to rounding. Of a
// climb, a vertex that no other corner of its faces beats: on a convex surface that is the farthest one, up to rounding,
// whatever the start. All three depend on nothing but the arguments, so every machine names the same vertex.
#include "collision/shape/hull_internal.h"
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

// Which part of n the fraction falls into; the first one for what is not a number.
static inline int part_of(int n, double fraction) {
    double at = fraction * n, most = n - 1;
    return (int)(at > 0.0 ? (at < most ? at : most) : 0.0);
}

static inline int cell_of(const ts_hull* hull, double x, double y, double z) {
    ts_vec3 d = ts_hull_to_cells(hull, ts_vec3_make(x, y, z));
    int octant = (d.x < 0.0) | (d.y < 0.0) << 1 | (d.z < 0.0) << 2, n = hull->cells;
    double sum = fabs(d.x) + fabs(d.y) + fabs(d.z);
    return (octant * n + part_of(n, fabs(d.x) / sum)) * n + part_of(n, fabs(d.y) / sum);
}

static inline int listed(const ts_hull* hull, double x, double y, double z, int hint) {
    int cell = cell_of(hull, x, y, z);
    int first = hull->cell_start[cell], count = hull->cell_start[cell + 1] - first;
    const int* list = hull->cell_vertex + first;
    int best = list[0];
    double value = x * hull->x[best] + y * hull->y[best] + z * hull->z[best];
    for (int k = 1; k < count; ++k) {
        int other = list[k];
        double candidate = x * hull->x[other] + y * hull->y[other] + z * hull->z[other];
        int better = candidate > value;
        value = better ? candidate : value;
        best = better ? other : best;
    }
    if (count > 1) return best;
    if (hint >= 0 && hint < hull->vertex_count && x * hull->x[hint] + y * hull->y[hint] + z * hull->z[hint] > value)
        best = hint;
    return ts_support_climb_from(hull, ts_vec3_make(x, y, z), best);
}

int ts_support_listed(const ts_hull* hull, ts_vec3 d, int hint) { return listed(hull, d.x, d.y, d.z, hint); }

int ts_support_hull_xyz(const ts_hull* hull, double x, double y, double z, int hint) {
    return hull->cells ? listed(hull, x, y, z, hint) : ts_support_scan_xyz(hull, x, y, z);
}

int ts_support_hull(const ts_hull* hull, ts_vec3 d, int hint) { return ts_support_hull_xyz(hull, d.x, d.y, d.z, hint); }
