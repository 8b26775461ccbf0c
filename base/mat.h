// 3x3 matrices by value, row-major: m[row][column].
#ifndef TS_BASE_MAT_H
#define TS_BASE_MAT_H

#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A 3x3 matrix, m[row][column].
typedef struct ts_mat3 {
    double m[3][3];
} ts_mat3;

/// The matrix with the given rows.
static inline ts_mat3 ts_mat3_from_rows(ts_vec3 r0, ts_vec3 r1, ts_vec3 r2) {
    ts_mat3 a = {{{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}}};
    return a;
}

/// The matrix with the given columns.
static inline ts_mat3 ts_mat3_from_columns(ts_vec3 c0, ts_vec3 c1, ts_vec3 c2) {
    ts_mat3 a = {{{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}};
    return a;
}

/// diag(d.x, d.y, d.z)
static inline ts_mat3 ts_mat3_diagonal(ts_vec3 d) {
    ts_mat3 a = {{{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
    return a;
}

/// The identity.
static inline ts_mat3 ts_mat3_identity(void) { return ts_mat3_diagonal(ts_vec3_make(1.0, 1.0, 1.0)); }

/// The zero matrix.
static inline ts_mat3 ts_mat3_zero(void) { return ts_mat3_diagonal(ts_vec3_zero()); }

/// [a]x, so that [a]x b = a x b.
static inline ts_mat3 ts_mat3_skew(ts_vec3 a) {
    ts_mat3 s = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
    return s;
}

/// a b^T
static inline ts_mat3 ts_mat3_outer(ts_vec3 a, ts_vec3 b) {
    return ts_mat3_from_rows(ts_vec3_scale(a.x, b), ts_vec3_scale(a.y, b), ts_vec3_scale(a.z, b));
}

/// Row i.
static inline ts_vec3 ts_mat3_row(const ts_mat3* a, int i) { return ts_vec3_load(a->m[i]); }

/// Column j.
static inline ts_vec3 ts_mat3_column(const ts_mat3* a, int j) {
    return ts_vec3_make(a->m[0][j], a->m[1][j], a->m[2][j]);
}

/// A^T
static inline ts_mat3 ts_mat3_transpose(ts_mat3 a) {
    return ts_mat3_from_columns(ts_mat3_row(&a, 0), ts_mat3_row(&a, 1), ts_mat3_row(&a, 2));
}

/// A + B
static inline ts_mat3 ts_mat3_add(ts_mat3 a, ts_mat3 b) {
    return ts_mat3_from_rows(ts_vec3_add(ts_mat3_row(&a, 0), ts_mat3_row(&b, 0)),
                             ts_vec3_add(ts_mat3_row(&a, 1), ts_mat3_row(&b, 1)),
                             ts_vec3_add(ts_mat3_row(&a, 2), ts_mat3_row(&b, 2)));
}

/// A - B
static inline ts_mat3 ts_mat3_sub(ts_mat3 a, ts_mat3 b) {
    return ts_mat3_from_rows(ts_vec3_sub(ts_mat3_row(&a, 0), ts_mat3_row(&b, 0)),
                             ts_vec3_sub(ts_mat3_row(&a, 1), ts_mat3_row(&b, 1)),
                             ts_vec3_sub(ts_mat3_row(&a, 2), ts_mat3_row(&b, 2)));
}

/// s A
static inline ts_mat3 ts_mat3_scale(double s, ts_mat3 a) {
    return ts_mat3_from_rows(ts_vec3_scale(s, ts_mat3_row(&a, 0)), ts_vec3_scale(s, ts_mat3_row(&a, 1)),
                             ts_vec3_scale(s, ts_mat3_row(&a, 2)));
}

/// A v
static inline ts_vec3 ts_mat3_mul_vec(const ts_mat3* a, ts_vec3 v) {
    return ts_vec3_make(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                        a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                        a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

/// A^T v
static inline ts_vec3 ts_mat3_mul_vec_transposed(const ts_mat3* a, ts_vec3 v) {
    return ts_vec3_make(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                        a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                        a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}

/// A B. Written out, as its like: compilers keep loops of three as loops at -O2.
static inline ts_mat3 ts_mat3_mul(ts_mat3 a, ts_mat3 b) {
    return ts_mat3_from_columns(ts_mat3_mul_vec(&a, ts_mat3_column(&b, 0)), ts_mat3_mul_vec(&a, ts_mat3_column(&b, 1)),
                                ts_mat3_mul_vec(&a, ts_mat3_column(&b, 2)));
}

/// A^T B
static inline ts_mat3 ts_mat3_transposed_mul(ts_mat3 a, ts_mat3 b) { return ts_mat3_mul(ts_mat3_transpose(a), b); }

/// A B^T
static inline ts_mat3 ts_mat3_mul_transposed(ts_mat3 a, ts_mat3 b) { return ts_mat3_mul(a, ts_mat3_transpose(b)); }

/// R A R^T: a tensor given in a frame with axes R, in the outer axes.
static inline ts_mat3 ts_mat3_rotate_tensor(ts_mat3 r, ts_mat3 a) {
    return ts_mat3_mul_transposed(ts_mat3_mul(r, a), r);
}

/// det A
static inline double ts_mat3_determinant(ts_mat3 a) {
    return ts_vec3_dot(ts_mat3_row(&a, 0), ts_vec3_cross(ts_mat3_row(&a, 1), ts_mat3_row(&a, 2)));
}

/// x with A x = b; not finite when A is singular.
static inline ts_vec3 ts_mat3_solve(const ts_mat3* A, ts_vec3 b) {
    ts_vec3 c0 = ts_mat3_column(A, 0), c1 = ts_mat3_column(A, 1), c2 = ts_mat3_column(A, 2);
    ts_vec3 c12 = ts_vec3_cross(c1, c2);
    double inverse = 1.0 / ts_vec3_dot(c0, c12);
    ts_vec3 cb = ts_vec3_cross(c0, b);
    return ts_vec3_make(inverse * ts_vec3_dot(b, c12), inverse * ts_vec3_dot(c2, cb), -inverse * ts_vec3_dot(c1, cb));
}

/// The trace.
static inline double ts_mat3_trace(const ts_mat3* a) { return a->m[0][0] + a->m[1][1] + a->m[2][2]; }

/// Eigenvalues of a symmetric A in ascending order and a right-handed rotation whose columns are the eigenvectors:
/// A = V diag(w) V^T. Cyclic Jacobi; good to a few ulp of |A|.
void ts_mat3_eigen_symmetric(const ts_mat3* a, ts_vec3* out_values, ts_mat3* out_vectors);

#ifdef __cplusplus
}
#endif
#endif
