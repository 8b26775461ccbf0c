// One frictional contact, solved exactly. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_COULOMB_INTERNAL_H
#define TS_CONTACT_COULOMB_INTERNAL_H

#include "base/vec.h"
#include "contact/block_set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The impulse of one contact under Signorini's and Coulomb's law: u = D lambda + b with the symmetric
/// D = [[d00, d01, d02], [d01, d11, d12], [d02, d12, d22]] (tangents first), d22 > 0. Several answers can exist where
/// friction couples strongly into the normal; one of them is returned, take-off first, then sticking. See coulomb.c.
ts_vec3 ts_coulomb_solve(double d00, double d01, double d11, double d02, double d12, double d22, ts_vec3 b, double mu);

/// The same of a contact that also spins or rolls (contact/problem.h): D row-major rows x rows, symmetric, rows 4 or 6 with
/// the normal at row 2.
void ts_coulomb_solve_rows(const double* D, int rows, const double* b, double mu, double* out_lambda);

#ifdef __cplusplus
}
#endif
#endif
