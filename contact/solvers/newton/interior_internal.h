// A primal-dual interior point method on the exact law, for problems on which sweeps and Newton have stalled.
#ifndef TS_CONTACT_SOLVERS_INTERIOR_INTERNAL_H
#define TS_CONTACT_SOLVERS_INTERIOR_INTERNAL_H

#include "contact/solver.h"

/// How it is run.
typedef struct ts_interior_settings {
    double natural;       // stops when the natural map is no larger
    int iteration_limit;  // most linear systems
    int relaxed;          // nonzero: without de Saxce's shift, which is convex
} ts_interior_settings;

/// What it reports.
typedef struct ts_interior_report {
    int ran;              // 0: the matrix or its factor would be too large; the impulse is as it was
    int iterations;       // linear systems solved
    ts_law_residual own;  // of the exact law at the returned impulse
    double natural;       // its natural map there, see ts_scaled_measure
} ts_interior_report;

/// Solves from its own start in the interior; `impulse` (row_count) is only written: the best point seen, admissible.
/// Needs TS_DELASSUS_BLOCKS.
ts_interior_report ts_interior_solve(const ts_contact_problem* problem, const ts_interior_settings* settings,
                                     ts_arena* scratch, double* impulse);

#endif
