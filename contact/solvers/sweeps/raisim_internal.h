// One frictional contact by bisection on the boundary of its cone: what raisim and raisim-corrected do, open to their
// tests. Not for use outside contact/ and its tests.
#ifndef TS_CONTACT_SOLVERS_RAISIM_INTERNAL_H
#define TS_CONTACT_SOLVERS_RAISIM_INTERNAL_H

#include "contact/solvers/sweeps/pgs_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One contact with the others as they stand: u = D lambda + b, D = G_bb + R_b symmetric, tangents first.
typedef struct ts_raisim_contact {
    double d00, d01, d11, d02, d12, d22;  // kg^-1, d22 > 0
    ts_vec3 b;                            // m/s
    double mu;
    double
        slip;  // m/s, >= 0: the gradient counts mu * slip on top of u_N (the corrected rule); 0 for the published one
} ts_raisim_contact;

/// How the bisection looks for its bracket.
typedef struct ts_raisim_search {
    double first_step;  // rad, beta_1
    double shrink;      // beta_2, of a step that was refused
    double grow;        // beta_3, of a step that was taken
    double width;       // relative to lambda: bracket at which the bisection ends
    int secant;         // 1: secant steps within the bracket (same root, fewer evaluations); 0: plain halving
} ts_raisim_search;

/// The impulse of the contact: none when it opens, the sticking one when the cone holds it, else the least energy on the
/// boundary of the cone with u_N = 0. See raisim.c.
ts_vec3 ts_raisim_solve_contact(const ts_raisim_contact* contact, const ts_raisim_search* search);

#ifdef __cplusplus
}
#endif
#endif
