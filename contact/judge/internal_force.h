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

/// What one entry of an answer may be without the motion changing.
typedef struct ts_internal_range {
    double low;   // N s
    double high;  // N s; HUGE_VAL: without bound
    double rest;  // N s: how far the ends found are from being admissible, and from being ends
} ts_internal_range;

/// Between what values row `row` of `impulse` (row_count), an answer, can lie among all impulses that give the same velocities and lie in their
/// sets: cones where contacts stick, the ray against the slip where they slide, nothing where they open. `basis` and `rank` are
/// ts_internal_basis's. Scratch is given back. NaN when memory is short.
ts_internal_range ts_internal_range_of(const ts_contact_problem* problem, const double* basis, int rank,
                                       const double* impulse, int row, ts_arena* scratch);

#ifdef __cplusplus
}
#endif
#endif
