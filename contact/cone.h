// The sets that impulses and velocities live in, and projections on them (docs/contact.md).
// Order of components in a frictional contact: tangent 1, tangent 2, normal.
#ifndef TS_CONTACT_CONE_H
#define TS_CONTACT_CONE_H

#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The projection of x on Coulomb's cone K = { z >= 0, |(x, y)| <= mu z }.
ts_vec3 ts_cone_project(ts_vec3 x, double mu);

/// The projection of x on the dual cone K* = { z >= mu |(x, y)| }. mu = 0 gives the half-space z >= 0.
ts_vec3 ts_cone_project_dual(ts_vec3 x, double mu);

/// The normal part clamped to >= 0 and the tangent part pulled to the disc of radius mu z; the normal is not moved by
/// the tangent.
ts_vec3 ts_cone_project_horizontal(ts_vec3 x, double mu);

/// Distance of x to K.
double ts_cone_distance(ts_vec3 x, double mu);

/// Distance of x to K*.
double ts_cone_distance_dual(ts_vec3 x, double mu);

/// De Saxce's shift (0, 0, mu |u_T|).
ts_vec3 ts_cone_shift(ts_vec3 u, double mu);

/// |x_T| of a frictional block with 3, 4 or 6 rows (contact/problem.h): the length over all rows but row 2.
double ts_cone_tangent_norm(const double* x, int rows);

/// ts_cone_project of a block with 3, 4 or 6 rows; out_x may be x.
void ts_cone_project_rows(const double* x, int rows, double mu, double* out_x);

/// ts_cone_project_dual, likewise.
void ts_cone_project_dual_rows(const double* x, int rows, double mu, double* out_x);

/// ts_cone_project_horizontal, likewise.
void ts_cone_project_horizontal_rows(const double* x, int rows, double mu, double* out_x);

#ifdef __cplusplus
}
#endif
#endif
