// Support features: the face, edge or corner of a core that points most along a direction, for manifolds to clip.
//
// Problem: shapes that rest on a face, an edge or a curved side touch along it, but the normal that an iteration finds is
// off by rounding, or by what the bodies still have to settle. Rule: a polygon counts while its normal is within ten
// degrees of the direction, an edge or ruling while it falls away by no more than that; which of their points really
// touch is decided by gaps, in metres, after clipping. Directions are unit, so the angle means the same at every size.
// Round caps are octagons at fixed azimuths of the shape, never of the contact, so that labels stay while it rolls.
// Guaranteed: the points lie on the core, polygons run counter-clockwise from outside, labels are fixed to the shape.
// Known limit: an octagon inside a cap leaves out up to 8 % of its radius at the rim.
#include "collision/shape/support_internal.h"

void ts_feature_cap(ts_vec3 h, int up, ts_support_feature* out) {
    static const double sqrt_half = 0.70710678118654752;
    static const signed char cosine[8] = {2, 1, 0, -1, -2, -1, 0, 1};
    for (int k = 0; k < 8; ++k) {
        int i = up ? k : 7 - k;
        int c = cosine[i], s = cosine[(i + 6) % 8];
        double x = c == 0 ? 0.0 : (c > 0 ? 1.0 : -1.0) * (c % 2 ? sqrt_half : 1.0);
        double y = s == 0 ? 0.0 : (s > 0 ? 1.0 : -1.0) * (s % 2 ? sqrt_half : 1.0);
        ts_feature_add(out, ts_vec3_make(h.x * x, h.x * y, up ? h.z : -h.z), 8 * up + i);
    }
    out->index = up;
    out->normal = ts_vec3_make(0.0, 0.0, up ? 1.0 : -1.0);
}

int ts_flattest_edge(const ts_vec3* vertex, int top, const int* other, int count, ts_vec3 n, double* out_slope) {
    int flattest = -1;
    *out_slope = (double)INFINITY;
    for (int k = 0; k < count; ++k) {
        ts_vec3 e = ts_vec3_sub(vertex[top], vertex[other[k]]);
        double slope = ts_vec3_dot(e, n) / ts_vec3_norm(e);
        if (!(slope < *out_slope)) continue;
        *out_slope = slope;
        flattest = other[k];
    }
    return flattest;
}

void ts_feature_corner(const ts_vec3* vertex, int top, const int* other, int count, ts_vec3 d,
                       ts_support_feature* out) {
    double slope;
    int to = ts_flattest_edge(vertex, top, other, count, d, &slope);
    ts_feature_add(out, vertex[top], top);
    if (slope <= ts_feature_sin) ts_feature_add(out, vertex[to], to);
}

void ts_support_feature_from(const ts_shape* shape, ts_vec3 d, ts_support_point top, ts_support_feature* out) {
    const ts_shape_traits* traits = ts_shape_traits_of(shape);
    out->count = 0;
    out->index = -1;
    out->normal = d;
    if (traits->feature)
        traits->feature(shape, d, top, out);
    else
        ts_feature_add(out, top.point, top.index < 0 ? 0 : top.index);
}

void ts_support_feature_along(const ts_shape* shape, ts_vec3 d, ts_support_feature* out) {
    ts_support_feature_from(shape, d, ts_support_core_inline(shape, d, -1), out);
}
