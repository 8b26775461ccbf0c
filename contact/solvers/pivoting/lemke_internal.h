// Lemke's pivoting for a dense linear complementarity problem. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_LEMKE_INTERNAL_H
#define TS_CONTACT_SOLVERS_LEMKE_INTERNAL_H

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the pivoting ended.
typedef enum ts_lemke_end {
    TS_LEMKE_END_SOLVED,
    TS_LEMKE_END_RAY,         // a secondary ray: no pivot left, which proves nothing but ends it
    TS_LEMKE_END_LIMIT,       // pivots ran out
    TS_LEMKE_END_NOT_FINITE,  // a number is not finite
    TS_LEMKE_END_LOST,        // the tableau is rounding: its basis is singular, or has left the finite numbers
    TS_LEMKE_END_MEMORY       // scratch is short
} ts_lemke_end;

/// What is done against rounding.
typedef enum ts_lemke_care {
    TS_LEMKE_QUICK,   // nothing: n^2 operations a pivot
    TS_LEMKE_CAREFUL  // a fresh tableau after every pivot: up to n^3
} ts_lemke_care;

/// Finds z >= 0 with w = A z + b >= 0 and z_j w_j = 0. A is n x n, row-major, entries near 1 in size; so is b (n).
/// out_z (n) is written when solved, zero otherwise; out_pivots always. Scratch is given back.
ts_lemke_end ts_lemke_solve(int n, const double* A, const double* b, ts_lemke_care care, int pivot_limit,
                            ts_arena* scratch, double* out_z, int* out_pivots);

/// The vertex at which of all z those of the `count` rows in `list`, which rises, are basic, A z + b = 0 there and z = 0 elsewhere, into out_z (n).
/// Returns 1 where that solves the problem to rounding, else 0 with numbers of no meaning. Scratch is given back.
int ts_lemke_vertex(int n, const double* A, const double* b, const int* list, int count, ts_arena* scratch,
                    double* out_z);

#ifdef __cplusplus
}
#endif
#endif
