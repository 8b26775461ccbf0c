// Newton's method on the natural map of the exact law, inside a proximal loop: what ncp-newton and ncp share.
#ifndef TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H
#define TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H

#include "contact/solver.h"

/// How the method is run.
typedef struct ts_natural_settings {
    ts_goal goal;        // what is asked of the answer
    int newton_limit;    // most Newton steps
    int proximal_limit;  // most proximal steps
    double proximal;     // first weight of the proximal term, relative to a block's stiffness
    int sweeps;          // Gauss-Seidel sweeps after a proximal step that Newton could not solve
} ts_natural_settings;

/// What it reports.
typedef struct ts_natural_report {
    ts_solve_status status;
    int newtons;    // linear systems solved
    int proximals;  // proximal steps
    int sweeps;
    double excess;  // of the returned impulse, contact/judge/yardstick.h
} ts_natural_report;

/// Improves `impulse` (row_count, any finite start) in place; what is returned is admissible and never worse than the
/// start in the natural map. Needs TS_DELASSUS_BLOCKS. FAILED, with the impulse as it was, when the matrix or its factor
/// would be too large or memory is short.
ts_natural_report ts_natural_newton(const ts_contact_problem* problem, const ts_natural_settings* settings,
                                    ts_arena* scratch, double* impulse);

#endif
