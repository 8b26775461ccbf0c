// Support functions of the cores. The features that manifolds are clipped from are in support_feature.c.
//
// Rules (all closed forms): a tie goes to the positive side or the lowest index, so scalar, repeated and mirrored queries
// name the same vertex; directions are never compared with absolute thresholds, so scale does not matter. On the axis of
// a cylinder the rim point at +x is returned instead of the cap's centre, which keeps simplices from degenerating.
// Known limit: hill climbing trusts the hull's topology; on faces merged within a tolerance the vertex it finds may be
// that tolerance short of the best one.
#include "collision/support.h"

#include "collision/support_internal.h"

// Up to this many vertices a straight scan over packed coordinates beats walking the edges.
enum { SCAN_WARM = 128, SCAN_COLD = 1500 };

int ts_support_scan(const ts_hull* hull, ts_vec3 d) {
    const double *x = hull->x, *y = hull->y, *z = hull->z;
    // Four lanes, as the vector version has them. The padding repeats vertex 0, which cannot win a tie because the lowest
    // index does.
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

static int hull_climb(const ts_hull* hull, ts_vec3 d, int start) {
    // Relative to the start, so that a hull far from its frame's origin keeps its digits.
    ts_vec3 from = hull->vertex[start];
    int current = start;
    double value = 0.0;
    for (;;) {
        int next = current;
        for (int k = hull->neighbour_start[current]; k < hull->neighbour_start[current + 1]; ++k) {
            double candidate = ts_vec3_dot(d, ts_vec3_sub(hull->vertex[hull->neighbour[k]], from));
            if (candidate > value) {
                value = candidate;
                next = hull->neighbour[k];
            }
        }
        if (next == current) return current;
        current = next;  // strict improvement, so this ends
    }
}

int ts_support_hull(const ts_hull* hull, ts_vec3 d, int hint) {
    int known = hint >= 0 && hint < hull->vertex_count;
    if (hull->vertex_count <= SCAN_WARM || (!known && hull->vertex_count <= SCAN_COLD))
        return ts_support_scan_simd(hull, d);
    return hull_climb(hull, d, known ? hint : 0);
}

ts_support_point ts_support_core(const ts_shape* shape, ts_vec3 d, int hint) {
    return ts_support_core_inline(shape, d, hint);
}

int ts_support_is_polytope(const ts_shape* shape) {
    switch (shape->kind) {
    case TS_SHAPE_SPHERE:
    case TS_SHAPE_CAPSULE:
    case TS_SHAPE_TRIANGLE:
    case TS_SHAPE_BOX:
    case TS_SHAPE_HULL: return 1;
    default: return 0;
    }
}

int ts_support_is_strictly_convex(const ts_shape* shape) { return shape->kind == TS_SHAPE_ELLIPSOID; }

int ts_support_rank(const ts_shape* shape) {
    switch (shape->kind) {
    case TS_SHAPE_SPHERE: return 0;
    case TS_SHAPE_CAPSULE: return 1;
    case TS_SHAPE_TRIANGLE: return 2;
    case TS_SHAPE_HULL: return shape->hull->rank;
    default: return 3;
    }
}
