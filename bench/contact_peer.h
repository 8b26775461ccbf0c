// Siconos (Acary, Bremond, Huber and others), the library that the recorded problems come from: three of its solvers for
// frictional contact, and its error function. Only where the build found it (TS_PEERS).
#ifndef TS_BENCH_CONTACT_PEER_H
#define TS_BENCH_CONTACT_PEER_H

#include "contact/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TS_SICONOS_SOLVERS = 3 };

/// Their names: "siconos NSGS", "siconos NSN_AC", "siconos ADMM".
extern const char* const ts_siconos_name[TS_SICONOS_SOLVERS];

/// Nonzero when it can be asked: all blocks are frictional contacts of 3 rows.
int ts_siconos_takes(const ts_contact_problem* problem);

/// Solves from nothing to a tolerance of its own error function, at most `limit` iterations. out_impulse (row_count) in our
/// order. Only the solve is timed (s); matrices are in the storage that suits the solver and converted before. Returns
/// nonzero when the solver says that it got there.
int ts_siconos_solve(const ts_contact_problem* problem, int solver, double tolerance, int limit, double* out_impulse,
                     int* out_iterations, double* out_seconds);

/// Its error function of an impulse in our order; < 0 when memory is short.
double ts_siconos_error(const ts_contact_problem* problem, const double* impulse);

#ifdef __cplusplus
}
#endif
#endif
