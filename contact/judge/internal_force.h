// The internal part of an answer: impulses that push contacts against each other without moving anything.
#ifndef TS_CONTACT_INTERNAL_FORCE_H
#define TS_CONTACT_INTERNAL_FORCE_H

#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most rows that ts_internal_force looks at.
enum { TS_INTERNAL_FORCE_ROWS_MAX = 1000 };

/// An orthonormal basis of the span of G, one vector of row_count after the other in memory of the arena. Returns how many, -1 where
/// ts_internal_force is NaN for every impulse.
int ts_internal_basis(const ts_contact_problem* problem, ts_arena* arena, double** out_basis);

/// What of `impulse` (n) is square to that basis, and its length, N s.
double ts_internal_part(const double* basis, int rank, int n, const double* impulse, double* out_internal);

/// |(I - G^+ G) lambda|_2, N s: what can be taken out of `impulse` (row_count) without any velocity changing; hyperstatic
/// contacts leave it open. R does not enter. Takes row_count^2 numbers of scratch (given back) and up to 2 row_count^3
/// operations. NaN with more than TS_INTERNAL_FORCE_ROWS_MAX rows, when memory is short, when the operator cannot apply, and
/// for numbers that are not finite. out_internal (row_count, may be NULL) gets the part itself.
double ts_internal_force(const ts_contact_problem* problem, const double* impulse, ts_arena* scratch,
                         double* out_internal);

#ifdef __cplusplus
}
#endif
#endif
