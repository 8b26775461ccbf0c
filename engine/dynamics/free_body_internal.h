// A lone body with a free joint in closed form: what assembly and dynamics repeat for every body and contact of a pile.
// Its dofs are three translations in world axes and three turns in body axes, one chain of six. "Centred" is a body whose
// frame sits in its centre of mass, so that nothing couples turns and translations, nor one translation another: its
// functions leave out zeros, and give the bits of the general ones.
#ifndef TS_ENGINE_FREE_BODY_INTERNAL_H
#define TS_ENGINE_FREE_BODY_INTERNAL_H

#include <math.h>

#include "base/spatial.h"
#include "engine/model/model.h"

/// Whether a tree is a lone free body and centred.
static inline int ts_free_body_is_centred(const ts_model* model, int tree) {
    return model->tree[tree].kind == TS_TREE_CENTRED;
}

/// direction . velocity of the point at `lever` from the body frame's origin (both in world axes) per unit of each dof.
static inline void ts_free_body_row(const ts_transform* pose, ts_vec3 lever, ts_vec3 direction, double* out_row) {
    ts_vec3 turn = ts_mat3_mul_vec_transposed(&pose->R, ts_vec3_cross(lever, direction));
    ts_vec3_store(direction, out_row);
    ts_vec3_store(turn, out_row + 3);
}

/// direction . angular velocity per unit of each dof.
static inline void ts_free_body_turn_row(const ts_transform* pose, ts_vec3 direction, double* out_row) {
    ts_vec3_store(ts_vec3_zero(), out_row);
    ts_vec3_store(ts_mat3_mul_vec_transposed(&pose->R, direction), out_row + 3);
}

/// x <- L^-T x, L the lower triangle (row-major 6x6) of M = L^T L, `inverse` one over its diagonal.
static inline void ts_free_body_whiten(const double* L, const double* inverse, double* x) {
    double x5 = x[5] * inverse[5];
    double x4 = (x[4] - L[34] * x5) * inverse[4];
    double x3 = (x[3] - L[33] * x5 - L[27] * x4) * inverse[3];
    x[5] = x5;
    x[4] = x4;
    x[3] = x3;
    x[2] = (x[2] - L[32] * x5 - L[26] * x4 - L[20] * x3) * inverse[2];
    x[1] = (x[1] - L[31] * x5 - L[25] * x4 - L[19] * x3 - L[13] * x[2]) * inverse[1];
    x[0] = (x[0] - L[30] * x5 - L[24] * x4 - L[18] * x3 - L[12] * x[2] - L[6] * x[1]) * inverse[0];
}

/// ts_free_body_whiten of a centred body.
static inline void ts_free_body_whiten_centred(const double* L, const double* inverse, double* x) {
    double x5 = x[5] * inverse[5];
    double x4 = (x[4] - L[34] * x5) * inverse[4];
    x[5] = x5;
    x[4] = x4;
    x[3] = (x[3] - L[33] * x5 - L[27] * x4) * inverse[3];
    x[2] *= inverse[2];
    x[1] *= inverse[1];
    x[0] *= inverse[0];
}

/// w <- L^-1 w of a centred body.
static inline void ts_free_body_unwhiten_centred(const double* L, const double* inverse, double* w) {
    w[0] *= inverse[0];
    w[1] *= inverse[1];
    w[2] *= inverse[2];
    w[3] *= inverse[3];
    w[4] = (w[4] - L[27] * w[3]) * inverse[4];
    w[5] = (w[5] - L[34] * w[4] - L[33] * w[3]) * inverse[5];
}

/// M = L^T L in place of a centred body, and one over the diagonal. Returns 0 when a pivot is not positive.
static inline int ts_free_body_factor_centred(double* L, double* out_inverse) {
    for (int k = 5; k >= 0; --k) {
        double pivot = L[7 * k];
        if (!(pivot > 0.0) || !isfinite(pivot)) return 0;
        L[7 * k] = sqrt(pivot);
        out_inverse[k] = 1.0 / L[7 * k];
        if (k == 5) {
            L[34] *= out_inverse[5];
            L[33] *= out_inverse[5];
            L[28] -= L[34] * L[34];
            L[27] -= L[34] * L[33];
            L[21] -= L[33] * L[33];
        } else if (k == 4) {
            L[27] *= out_inverse[4];
            L[21] -= L[27] * L[27];
        }
    }
    return 1;
}

#endif
