// Support features: the face, edge or corner of a core that points most along a direction, for manifolds to clip.
//
// Problem: shapes that rest on a face, an edge or a curved side touch along it, but the normal that an iteration finds is
// off by rounding, or by what the bodies still have to settle. Rule: a polygon counts while its normal is within ten
// degrees of the direction, an edge or ruling while it falls away by no more than that; which of their points really
// touch is decided by gaps, in metres, after clipping. Directions are unit, so the angle means the same at every size.
// Round caps are octagons at fixed azimuths of the shape, never of the contact, so that labels stay while it rolls.
// Guaranteed: the points lie on the core, polygons run counter-clockwise from outside, labels are fixed to the shape.
// Known limit: an octagon inside a cap leaves out up to 8 % of its radius at the rim.
#include "collision/shape/support.h"

#include "collision/shape/support_internal.h"

// A face counts as "the support feature" up to 10 degrees from the direction: cos and sin of that.
static const double FEATURE_COS = 0.98480775301220806;
static const double FEATURE_SIN = 0.17364817766693036;
static const double SQRT_HALF = 0.70710678118654752;

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

static void feature_cone(ts_vec3 h, ts_vec3 d, ts_support_feature* out) {
    double across = sqrt(d.x * d.x + d.y * d.y), slant = sqrt(4.0 * h.z * h.z + h.x * h.x);
    double sine = 2.0 * h.z / slant, cosine = h.x / slant;  // of the side's normal, from the axis
    ts_vec3 apex = ts_vec3_make(0.0, 0.0, h.z);
    double s = across > 0.0 ? h.x / across : 0.0;
    ts_vec3 rim = across > 0.0 ? ts_vec3_make(s * d.x, s * d.y, -h.z) : ts_vec3_make(h.x, 0.0, -h.z);
    // The side's ruling there, if the direction is near its normal. On a flat cone directions near the axis are near every
    // side normal at once: there the apex is meant, not the ruling that rounding picks.
    double side = across * sine + d.z * cosine;
    if (-d.z >= FEATURE_COS && -d.z >= side) {
        feature_cap(h, 0, out);
    } else if (side >= FEATURE_COS && across >= 0.5 * sine) {
        feature_add(out, rim, 16);
        feature_add(out, apex, 17);
    } else if (2.0 * h.z * d.z > h.x * across) {
        feature_add(out, apex, 17);
    } else {
        feature_add(out, rim, 16);
    }
}

// The polygon whose normal is within the feature's angle; else the edge that falls away least, if within it; else the
// corner. Corners of a triangle seen from behind run the other way round.
static void feature_triangle(const ts_vec3* corner, ts_vec3 d, int top, ts_support_feature* out) {
    ts_vec3 turn = ts_vec3_cross(ts_vec3_sub(corner[1], corner[0]), ts_vec3_sub(corner[2], corner[0]));
    ts_vec3 n = ts_vec3_unit_or(turn, d);
    double aligned = ts_vec3_dot(n, d);
    if (fabs(aligned) >= FEATURE_COS) {
        int back = aligned < 0.0;
        for (int k = 0; k < 3; ++k) feature_add(out, corner[back ? 2 - k : k], back ? 2 - k : k);
        out->index = back;
        out->normal = back ? ts_vec3_neg(n) : n;
        return;
    }
    int other = -1;
    double slope = FEATURE_SIN;
    for (int k = 1; k < 3; ++k) {
        int candidate = (top + k) % 3;
        ts_vec3 e = ts_vec3_sub(corner[top], corner[candidate]);
        double s = ts_vec3_dot(ts_vec3_unit_or(e, d), d);
        if (s > slope) continue;
        slope = s;
        other = candidate;
    }
    feature_add(out, corner[top], top);
    if (other >= 0) feature_add(out, corner[other], other);
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
    case TS_SHAPE_CONE: feature_cone(shape->half, d, out); return;
    case TS_SHAPE_TRIANGLE: feature_triangle(shape->triangle, d, top.index, out); return;
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
