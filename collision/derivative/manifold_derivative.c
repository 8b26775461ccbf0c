// Derivatives of the points of a manifold.
#include "collision/derivative/proximity_derivative.h"

#include <string.h>

// Two balls: the normal turns with the line between the centres, and the gap is measured along it.
static void differentiate_balls(const ts_shape* a, const ts_shape* b, const ts_manifold_point* point,
                                ts_manifold_derivative_point* out) {
    double apart = point->gap + a->radius + b->radius, middle = a->radius + 0.5 * point->gap;
    const double n[3] = {point->normal.x, point->normal.y, point->normal.z};
    for (int i = 0; i < 3; ++i) {
        out->gap[i] = n[i];
        for (int j = 0; j < 3; ++j) {
            out->normal[i][j] = ((i == j ? 1.0 : 0.0) - n[i] * n[j]) / apart;
            out->position[i][j] = middle * out->normal[i][j] + 0.5 * n[i] * n[j];
        }
    }
    out->certificate.curvature = apart;
    out->certificate.flags = apart > 0.0 ? 0 : TS_DERIVATIVE_SINGULAR;
}

int ts_manifold_derivative(const ts_shape* a, const ts_transform* pose_a, const ts_shape* b, const ts_transform* pose_b,
                           const ts_manifold* manifold, const ts_manifold_cache* cache,
                           ts_manifold_derivative_point* out_points) {
    int regular = 0;
    (void)pose_a, (void)pose_b, (void)cache;
    for (int k = 0; k < manifold->count; ++k) {
        ts_manifold_derivative_point* out = &out_points[k];
        memset(out, 0, sizeof *out);
        out->certificate.flags = TS_DERIVATIVE_UNKNOWN;
        out->certificate.crossing = 1.0;
        out->certificate.room = out->certificate.turn = (double)INFINITY;
        if (a->kind == TS_SHAPE_SPHERE && b->kind == TS_SHAPE_SPHERE)
            differentiate_balls(a, b, &manifold->point[k], out);
        regular += out->certificate.flags == 0;
    }
    return regular;
}
