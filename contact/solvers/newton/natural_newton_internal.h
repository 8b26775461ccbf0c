// Newton's method on the natural map of the exact law, inside a proximal loop: what ncp-newton and ncp share.
#ifndef TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H
#define TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H

#include "contact/solver.h"

/// How the method is run.
typedef struct ts_natural_settings {
    double tolerance;    // own residual in force units that counts as converged, if
    double natural;      // the natural map is no larger than this as well
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
    ts_law_residual own;  // of the exact law at the returned impulse
    double natural;       // its natural map there, see ts_natural_measure
} ts_natural_report;

/// Improves `impulse` (row_count, any finite start) in place; what is returned is admissible and never worse than the
/// start in the natural map. Needs TS_DELASSUS_BLOCKS. FAILED, with the impulse as it was, when the matrix or its factor
/// would be too large or memory is short.
ts_natural_report ts_natural_newton(const ts_contact_problem* problem, const ts_natural_settings* settings,
                                    ts_arena* scratch, double* impulse);

/// The natural map of a residual, made larger where the impulses dwarf what the problem asks for. The map is relative
/// to the largest impulse, so an answer whose internal forces have run away would otherwise count as a good one. `rest`
/// is ts_natural_rest_impulse.
double ts_natural_measure(const ts_contact_problem* problem, const double* impulse, double map, double rest);

/// What would stop the fastest approach of an average block, N s.
double ts_natural_rest_impulse(const ts_contact_problem* problem);

#endif
