// Dense factorisations, good to a few hundred rows, and what is done to many columns at once.
// Row-major, leading dimension `ld`; of symmetric matrices only the lower triangle is read and written.
#ifndef TS_BASE_DENSE_H
#define TS_BASE_DENSE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Replaces the lower triangle of A (n x n) by L with A = L L^T. Returns 1, or 0 when a pivot is not positive (A is then
/// partly overwritten).
int ts_cholesky_factor(double* A, int n, int ld);

/// Solves L L^T x = b in place: b (n) becomes x.
void ts_cholesky_solve(const double* L, int n, int ld, double* b);

/// Replaces a full A (n x n) by L and U with A's rows permuted, partial pivoting; pivot (n) gets the row taken at each
/// step. ld is a multiple of TS_PANEL_LANES (base/linear/panel.h); what lies behind a row's n numbers is overwritten.
/// Returns 1, or 0 when a column holds nothing but zeros or a number is not finite.
int ts_lu_factor(double* A, int n, int ld, int* out_pivot);

/// Solves A x = b in place with the factors of ts_lu_factor.
void ts_lu_solve(const double* LU, int n, int ld, const int* pivot, double* b);

/// x += sign sum_r value[r stride] line_r, n numbers each, in the order of the `count` lines; line r begins at line[r ld].
void ts_lines_add(int n, int count, double sign, const double* value, int stride, const double* line, int ld,
                  double* x);

/// X (rows x n, row-major) becomes ... H_1 H_0 X for `count` reflections H_k = 1 - tau[k] w w^T, or with `back` H_0 H_1 ... X. Of w the first k
/// entries are 0, entry k is 1, and the others lie behind v[k (rows + 1)], which itself is not read.
void ts_lines_reflect(int n, int rows, int count, int back, const double* v, const double* tau, double* X);

/// y = A x for a full row-major A (rows x columns).
void ts_dense_apply(const double* A, int rows, int columns, int ld, const double* x, double* out_y);

#ifdef __cplusplus
}
#endif
#endif
