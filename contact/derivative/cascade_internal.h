// A linear system solved as staggered projections are differentiated: normals, then friction, in turn.
#ifndef TS_CONTACT_CASCADE_INTERNAL_H
#define TS_CONTACT_CASCADE_INTERNAL_H

#include "contact/operator/linear_orthogonal_internal.h"

/// A x = b, A (n x n) by columns, the unknowns in two groups.
typedef struct ts_cascade {
    int n;
    double* A;
    int* member[2];  // (size[k]) unknowns of the group, normals first
    int size[2];
    ts_linear_orthogonal factor[2];  // of what a group answers to by itself
    int rounds;                      // it took for a right-hand side that is like no other
} ts_cascade;

/// Memory for n unknowns of which `normals` are normals; whoever takes it fills A, the members, and factor[0].Q with what normals do to
/// normals. NULL when memory is short.
ts_cascade* ts_cascade_take(int n, int normals, ts_arena* arena);

/// Factorises; directions weaker than `floor` times the strongest are left out. Returns 0 when memory is short.
int ts_cascade_factor(ts_cascade* c, double floor, ts_arena* arena);

/// Nonzero when rounds come to rest, however long that takes. Scratch is given back; *out_enough becomes 0 when it is short.
int ts_cascade_rests(ts_cascade* c, ts_arena* scratch, int* out_enough);

/// x (n) of A x = b, or with `back` of A^T x = b. work (4 n). Returns the length of what of b is left.
double ts_cascade_solve(const ts_cascade* c, int back, const double* b, double* work, double* out_x, int* out_rounds);

#endif
