// Following a smooth path from a problem next door, whose answer is known, for problems on which a descent has stalled.
#ifndef TS_CONTACT_SOLVERS_HOMOTOPY_INTERNAL_H
#define TS_CONTACT_SOLVERS_HOMOTOPY_INTERNAL_H

#include "contact/solver.h"

/// How it is run.
typedef struct ts_homotopy_settings {
    double smoothing;   // at the beginning, in units of the largest entry of the natural map there
    double proximal;    // at the beginning: the weight that holds x near, relative to a contact's stiffness
    double end;         // stops where the path's parameter, from 1 down to 0, is no larger
    int system_limit;   // most linear systems
    double work_limit;  // most multiplications in their factors
    double nearness;    // of the points to the path, relative to its smoothing
    double bend;        // smallest cosine between the directions at the two ends of a step
} ts_homotopy_settings;

/// What it reports.
typedef struct ts_homotopy_report {
    int ran;           // 0: the matrix or its factor would be too large, or no path began; the impulse is as it was
    int systems;       // linear systems solved
    double work;       // multiplications in the factor of each
    double parameter;  // of the path where it was left
} ts_homotopy_report;

/// Follows a path from beside `impulse` (row_count), which becomes the admissible point next to the path's end.
/// Needs TS_DELASSUS_BLOCKS.
ts_homotopy_report ts_homotopy_solve(const ts_contact_problem* problem, const ts_homotopy_settings* settings,
                                     ts_arena* scratch, double* impulse);

#endif
