// Dense systems that may be singular: orthogonal factors, and the least-squares answer of least norm.
#ifndef TS_CONTACT_LINEAR_ORTHOGONAL_INTERNAL_H
#define TS_CONTACT_LINEAR_ORTHOGONAL_INTERNAL_H

#include "base/arena.h"

/// QR in place of A (rows x columns, by columns): R on and above the diagonal, reflection k below that of column k, its
/// weight in tau[k]. With `pivot` (columns) the longest remaining column comes next, column k of R is column pivot[k] of
/// A, and it ends when that is no longer than `floor` times the first, or after `most` columns. Returns the steps made.
int ts_linear_orthogonalise(double* A, int rows, int columns, int most, double floor, int* pivot, double* tau);

/// x (rows) = Q^T x, with the first `count` reflections.
void ts_linear_orthogonal_forward(const double* A, const double* tau, int rows, int count, double* x);

/// x (rows) = Q x.
void ts_linear_orthogonal_backward(const double* A, const double* tau, int rows, int count, double* x);

/// A = Q [S^T 0; 0 0] V^T P^T with orthogonal Q and V, S upper triangular, P a permutation; of full rank A = Q R P^T.
typedef struct ts_linear_orthogonal {
    int n;
    int rank;
    double* Q;  // (n x n) by columns
    double* Q_tau;
    double* V;  // (n x rank) by columns: reflections below the diagonal, S on and above it; NULL: of full rank
    double* V_tau;
    int* pivot;  // (n) column k of A P is column pivot[k] of A
} ts_linear_orthogonal;

/// Memory for n unknowns; whoever takes it fills Q with A by columns. Returns 0 when it is short.
int ts_linear_orthogonal_make(int n, ts_arena* arena, ts_linear_orthogonal* out);

/// Factorises; directions weaker than `floor` times the strongest are left out. Returns 0 when memory is short.
int ts_linear_orthogonal_factor(ts_linear_orthogonal* f, double floor, ts_arena* arena);

/// x = A^+ b; b is used up, work (n). Returns the length of what of b is out of reach.
double ts_linear_orthogonal_solve(const ts_linear_orthogonal* f, double* b, double* work, double* out_x);

/// The same of `columns` right-hand sides side by side: B (n x columns, row-major) is used up.
void ts_linear_orthogonal_solve_columns(const ts_linear_orthogonal* f, int columns, double* B, double* out_X);

/// Diagonal entry k of the triangle that is left.
double ts_linear_orthogonal_diagonal(const ts_linear_orthogonal* f, int k);

/// w = (A^T)^+ c. Returns the length of what of c is out of reach.
double ts_linear_orthogonal_solve_transposed(const ts_linear_orthogonal* f, const double* c, double* work,
                                             double* out_w);

#endif
