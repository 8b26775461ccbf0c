// Support functions of the cores, and the support features (vertex, edge, polygon) that manifolds are clipped from.
//
// Rules (all closed forms): a tie goes to the positive side or the lowest index, so scalar, repeated and mirrored queries
// name the same vertex; directions are never compared with absolute thresholds, so scale does not matter. On the axis of
// a cylinder the rim point at +x is returned instead of the cap's centre, which keeps simplices from degenerating.
// Known limit: hill climbing trusts the hull's topology; on faces merged within a tolerance the vertex it finds may be
// that tolerance short of the best one.
#include "collision/support.h"

#include "collision/support_internal.h"

// A face counts as "the support feature" up to 10 degrees from the direction: cos and sin of that.
static const double FEATURE_COS = 0.98480775301220806;
static const double FEATURE_SIN = 0.17364817766693036;
static const double SQRT_HALF = 0.70710678118654752;

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

static void feature_add(ts_support_feature* feature, ts_vec3 point, int vertex) {
    feature->point[feature->count] = point;
    feature->vertex[feature->count] = vertex;
    ++feature->count;
}

static ts_vec3 box_corner(ts_vec3 h, int bits) {
    return ts_vec3_make(bits & 1 ? h.x : -h.x, bits & 2 ? h.y : -h.y, bits & 4 ? h.z : -h.z);
}

static void feature_box(ts_vec3 h, ts_vec3 d, ts_support_feature* out) {
    ts_vec3 m = ts_vec3_abs(d);
    int corner = (d.x < 0.0 ? 0 : 1) | (d.y < 0.0 ? 0 : 2) | (d.z < 0.0 ? 0 : 4);
    int high = m.x >= m.y ? (m.x >= m.z ? 0 : 2) : (m.y >= m.z ? 1 : 2);
    int low = m.x <= m.y ? (m.x <= m.z ? 0 : 2) : (m.y <= m.z ? 1 : 2);
    if (ts_vec3_get(m, high) >= FEATURE_COS) {
        int positive = corner >> high & 1;
        int u = 1 << (high + 1) % 3, v = 1 << (high + 2) % 3;
        int base = positive << high;
        int loop[4] = {0, positive ? u : v, u | v, positive ? v : u};
        for (int k = 0; k < 4; ++k) feature_add(out, box_corner(h, base | loop[k]), base | loop[k]);
        out->index = 2 * high + positive;
        out->normal = ts_vec3_scale(positive ? 1.0 : -1.0, ts_vec3_axis(high));
    } else if (ts_vec3_get(m, low) <= FEATURE_SIN) {
        int base = corner & ~(1 << low);
        feature_add(out, box_corner(h, base), base);
        feature_add(out, box_corner(h, base | 1 << low), base | 1 << low);
    } else {
        feature_add(out, box_corner(h, corner), corner);
    }
}

// Corners of an octagon on the rim, counter-clockwise from local +x. Labels: 0-7 below, 8-15 above.
static void feature_cap(ts_vec3 h, int up, ts_support_feature* out) {
    static const signed char cosine[8] = {2, 1, 0, -1, -2, -1, 0, 1};
    for (int k = 0; k < 8; ++k) {
        int i = up ? k : 7 - k;
        int c = cosine[i], s = cosine[(i + 6) % 8];
        double x = c == 0 ? 0.0 : (c > 0 ? 1.0 : -1.0) * (c % 2 ? SQRT_HALF : 1.0);
        double y = s == 0 ? 0.0 : (s > 0 ? 1.0 : -1.0) * (s % 2 ? SQRT_HALF : 1.0);
        feature_add(out, ts_vec3_make(h.x * x, h.x * y, up ? h.z : -h.z), 8 * up + i);
    }
    out->index = up;
    out->normal = ts_vec3_make(0.0, 0.0, up ? 1.0 : -1.0);
}

static void feature_cylinder(ts_vec3 h, ts_vec3 d, ts_vec3 rim, ts_support_feature* out) {
    if (fabs(d.z) >= FEATURE_COS) {
        feature_cap(h, !(d.z < 0.0), out);
        return;
    }
    if (fabs(d.z) <= FEATURE_SIN) {
        feature_add(out, ts_vec3_make(rim.x, rim.y, -h.z), 16);
        feature_add(out, ts_vec3_make(rim.x, rim.y, h.z), 17);
    } else {
        feature_add(out, rim, d.z < 0.0 ? 16 : 17);
    }
}

static void feature_hull_face(const ts_hull* hull, int face, ts_support_feature* out) {
    int first = hull->face_start[face];
    int count = hull->face_start[face + 1] - first;
    int kept = count < 16 ? count : 16;
    for (int k = 0; k < kept; ++k) {
        int vertex = hull->face_corner[first + (int)((long long)k * count / kept)];
        feature_add(out, hull->vertex[vertex], vertex);
    }
    out->index = face;
    out->normal = hull->face_normal[face];
}

static void feature_hull(const ts_hull* hull, ts_vec3 d, int v, ts_support_feature* out) {
    int face = -1;
    double best = FEATURE_COS;
    for (int k = hull->vertex_face_start[v]; k < hull->vertex_face_start[v + 1]; ++k) {
        double aligned = ts_vec3_dot(hull->face_normal[hull->vertex_face[k]], d);
        if (aligned >= best) {
            best = aligned;
            face = hull->vertex_face[k];
        }
    }
    if (face >= 0) {
        feature_hull_face(hull, face, out);
        return;
    }
    // The edge that falls away least, measured as the sine of its slope.
    int other = -1;
    double slope = FEATURE_SIN;
    for (int k = hull->neighbour_start[v]; k < hull->neighbour_start[v + 1]; ++k) {
        ts_vec3 e = ts_vec3_sub(hull->vertex[v], hull->vertex[hull->neighbour[k]]);
        double s = ts_vec3_dot(e, d) / ts_vec3_norm(e);
        if (s <= slope) {
            slope = s;
            other = hull->neighbour[k];
        }
    }
    feature_add(out, hull->vertex[v], v);
    if (other >= 0) feature_add(out, hull->vertex[other], other);
}

void ts_support_feature_from(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    out->count = 0;
    out->index = -1;
    out->normal = d;
    switch (shape->kind) {
    case TS_SHAPE_BOX: feature_box(shape->half, d, out); return;
    case TS_SHAPE_CYLINDER: feature_cylinder(shape->half, d, top.point, out); return;
    case TS_SHAPE_HULL: feature_hull(shape->hull, d, top.index, out); return;
    case TS_SHAPE_CAPSULE:
        if (fabs(d.z) <= FEATURE_SIN) {
            feature_add(out, ts_vec3_make(0.0, 0.0, -shape->half.z), 0);
            feature_add(out, ts_vec3_make(0.0, 0.0, shape->half.z), 1);
            return;
        }
        break;
    default: break;
    }
    feature_add(out, top.point, top.index < 0 ? 0 : top.index);
}

void ts_support_feature_along(const ts_shape* shape, ts_vec3 d, ts_support_feature* out) {
    ts_support_feature_from(shape, d, ts_support_core_inline(shape, d, -1), out);
}
