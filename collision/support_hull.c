// The farthest vertex of a hull along a direction.
//
// Rule: small hulls are scanned whole over packed coordinates (support_simd.c); larger ones are climbed along edges from
// the vertex of the last query while that gains, which takes few steps because directions turn little. Without a last
// vertex, or after a turn that makes it worse, a climb starts from a vertex known to be extreme along a diagonal or an
// axis near the direction.
// Guaranteed: of a scan, the lowest index among the farthest. Of a climb, a vertex that no other corner of its faces
// beats: on a convex surface that is the farthest one, up to rounding, whatever the start. Both rules depend on nothing
// but the arguments, so every machine names the same vertex.
// Cost (a Zen 4 core, random directions): a scan of 32, 128, 512, 2048 vertices takes 11, 30, 96, 460 ns with vectors of
// four or eight doubles (eight win little there), 21, 73, 256, 1000 ns with two. A climb after a turn of 17 degrees takes
// 16, 23, 34, 65 ns on one hull that stays in the cache, 37, 87, 185, 530 ns when twenty hulls take turns: what bounds it
// is the memory behind neighbours of neighbours and branches that cannot be foretold.
#include "collision/support_internal.h"

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

static int climb(const ts_hull* hull, ts_vec3 d, int start) {
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

// Where to start without the vertex of a last query: the best of those known to be extreme along the axes and the
// diagonal nearest to d.
static int best_of_extremes(const ts_hull* hull, ts_vec3 d) {
    int x = d.x < 0.0, y = d.y < 0.0, z = d.z < 0.0;
    const int candidate[4] = {hull->extreme[6 + (x | y << 1 | z << 2)], hull->extreme[x], hull->extreme[2 + y],
                              hull->extreme[4 + z]};
    int best = candidate[0];
    double most = ts_vec3_dot(d, hull->vertex[best]);
    for (int k = 1; k < 4; ++k) {
        double value = ts_vec3_dot(d, hull->vertex[candidate[k]]);
        int better = value > most;
        most = better ? value : most;
        best = better ? candidate[k] : best;
    }
    return best;
}

// The last vertex, or the extreme one of the diagonal nearest to d where the direction has turned so far that this is
// better. The longest of the axes would be a better start, but looking at four costs more than it saves.
static int hint_or_extreme(const ts_hull* hull, ts_vec3 d, int hint) {
    int other = hull->extreme[6 + ((d.x < 0.0) | (d.y < 0.0) << 1 | (d.z < 0.0) << 2)];
    return ts_vec3_dot(d, ts_vec3_sub(hull->vertex[other], hull->vertex[hint])) > 0.0 ? other : hint;
}

int ts_support_climb(const ts_hull* hull, ts_vec3 d, int hint) {
    int known = hint >= 0 && hint < hull->vertex_count;
    return climb(hull, d, known ? hint_or_extreme(hull, d, hint) : best_of_extremes(hull, d));
}

int ts_support_hull_xyz(const ts_hull* hull, double x, double y, double z, int hint) {
    int known = hint >= 0 && hint < hull->vertex_count;
    if (hull->vertex_count <= (known ? TS_SUPPORT_SCAN_WARM : TS_SUPPORT_SCAN_COLD))
        return ts_support_scan_xyz(hull, x, y, z);
    return ts_support_climb(hull, ts_vec3_make(x, y, z), hint);
}

int ts_support_hull(const ts_hull* hull, ts_vec3 d, int hint) { return ts_support_hull_xyz(hull, d.x, d.y, d.z, hint); }
