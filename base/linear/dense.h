// Dense factorisations, good to a few hundred rows, and the 3x3 and 6x6 kernels of rigid bodies.
// Row-major, leading dimension `ld`; of symmetric matrices only the lower triangle is read and written.
#ifndef TS_BASE_DENSE_H
#define TS_BASE_DENSE_H

#include "base/mat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Replaces the lower triangle of A (n x n) by L with A = L L^T. Returns 1, or 0 when a pivot is not positive (A is then
/// partly overwritten).
int ts_cholesky_factor(double* A, int n, int ld);

/// Solves L L^T x = b in place: b (n) becomes x.
void ts_cholesky_solve(const double* L, int n, int ld, double* b);

/// Replaces the lower triangle of A by unit L and the diagonal by D with A = L D L^T, without pivoting: A must be
/// quasi-definite (its leading minors must not vanish). Returns 1, or 0 on a zero or not-finite pivot.
int ts_ldlt_factor(double* A, int n, int ld);

/// Solves L D L^T x = b in place.
void ts_ldlt_solve(const double* LD, int n, int ld, double* b);

/// Replaces a full A (n x n) by L and U with A's rows permuted, partial pivoting; pivot (n) gets the row taken at each
/// step. Returns 1, or 0 when a column holds nothing but zeros or a number is not finite.
int ts_lu_factor(double* A, int n, int ld, int* out_pivot);

/// Solves A x = b in place with the factors of ts_lu_factor.
void ts_lu_solve(const double* LU, int n, int ld, const int* pivot, double* b);

/// y = A x for a full row-major A (rows x columns).
void ts_dense_apply(const double* A, int rows, int columns, int ld, const double* x, double* out_y);

/// Solves the symmetric positive definite 3x3 system A x = b. Returns 0 when A is not positive definite.
int ts_solve_3x3(const ts_mat3* A, ts_vec3 b, ts_vec3* out_x);

/// Cholesky of a 6x6 symmetric matrix (row-major, 36 doubles, lower triangle used), in place. Returns 0 if not positive.
int ts_cholesky6_factor(double A[36]);

/// Solves with the factor of ts_cholesky6_factor, in place.
void ts_cholesky6_solve(const double L[36], double b[6]);

#ifdef __cplusplus
}
#endif
#endif
