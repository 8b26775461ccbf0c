// A symmetric matrix as Q T Q^T with T tridiagonal: once that is done, systems with A + shift 1 cost no factorisation.
#ifndef TS_BASE_TRIDIAGONAL_H
#define TS_BASE_TRIDIAGONAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// A symmetric matrix in tridiagonal form and a factor of T + shift 1. The arrays belong to the caller.
typedef struct ts_tridiagonal {
    int n;
    int ld;
    double* A;         // (n x ld) reflectors in the rows below the diagonal
    double* weight;    // (n) 2 / |v|^2 of a row's reflector, 0 for none
    double* diagonal;  // (n) of T
    double* off;       // (n) of T: off[i] is T[i][i - 1]; off[0] is not used
    double* pivot;     // (n) of T + shift 1 = L D L^T
    double* lower;     // (n) L[i][i - 1]
} ts_tridiagonal;

/// Reduces the symmetric A (n x n, leading dimension ld, lower triangle read and overwritten). The struct's arrays are
/// given; pivot is used as scratch. About 4/3 n^3 multiply-adds' worth of work.
void ts_tridiagonal_reduce(ts_tridiagonal* t);

/// Factorises for a shift, in about 3 n operations. Returns 1, or 0 when A + shift 1 is not positive definite.
int ts_tridiagonal_shift(ts_tridiagonal* t, double shift);

/// Solves (A + shift 1) x = b in place with the last shift, in about 2 n^2 multiply-adds.
void ts_tridiagonal_solve(const ts_tridiagonal* t, double* b);

#ifdef __cplusplus
}
#endif
#endif
