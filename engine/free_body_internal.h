// A lone body with a free joint in closed form: the two operations that assembly and dynamics repeat for every contact of
// a pile. Its dofs are three translations in world axes and three turns in body axes, one chain of six.
#ifndef TS_ENGINE_FREE_BODY_INTERNAL_H
#define TS_ENGINE_FREE_BODY_INTERNAL_H

#include "base/spatial.h"

/// direction . velocity of the point at `lever` from the body frame's origin (both in world axes) per unit of each dof.
static inline void ts_free_body_row(const ts_transform* pose, ts_vec3 lever, ts_vec3 direction, double* out_row) {
    ts_vec3 turn = ts_mat3_mul_vec_transposed(&pose->R, ts_vec3_cross(lever, direction));
    ts_vec3_store(direction, out_row);
    ts_vec3_store(turn, out_row + 3);
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

/// The same where the body frame's origin is its centre of mass, so that nothing couples turns and translations, nor one
/// translation another: what is left out above are zeros.
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

#endif
