// Newton's method on the natural map, inside a proximal loop: of the exact law, what ncp-newton and ncp share; or of some rows
// with the others fixed, what staggered projections ask for.
#ifndef TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H
#define TS_CONTACT_SOLVERS_NATURAL_NEWTON_INTERNAL_H

#include "contact/block_set_internal.h"
#include "contact/solver.h"

/// How the method is run.
typedef struct ts_natural_settings {
    ts_goal goal;        // what is asked of the answer
    int newton_limit;    // most Newton steps
    int proximal_limit;  // most proximal steps
    double proximal;     // first weight of the proximal term, relative to a block's stiffness
    double work_limit;   // most multiplications in factors and what they are of; 0: any
    int sweeps;          // Gauss-Seidel sweeps after a proximal step that Newton could not solve
    ts_block_moving
        moving;  // ALL: the exact law; else the convex problem of these rows, whose impulse is least energy. `goal`
                 // is then the share of its own natural map; force is not asked for
} ts_natural_settings;

/// What it reports.
typedef struct ts_natural_report {
    ts_solve_status status;
    int newtons;    // linear systems solved
    int proximals;  // proximal steps
    int sweeps;
    double work;    // multiplications, where they are limited
    double excess;  // of the returned impulse, contact/judge/yardstick.h
} ts_natural_report;

/// The method on one problem, for several solves.
typedef struct ts_natural ts_natural;

/// Prepares; memory from `arena`, which it goes on using: what others take from it later must be given back before the next
/// solve. NULL when the matrix would be too large, a number is not finite or memory is short. Needs TS_DELASSUS_BLOCKS.
ts_natural* ts_natural_make(const ts_contact_problem* problem, ts_arena* arena);

/// As ts_natural_newton.
ts_natural_report ts_natural_solve(ts_natural* natural, const ts_natural_settings* settings, double* impulse);

/// The share of the problem that rows which move, not all of them, leave unmet at an admissible impulse: their natural map.
double ts_natural_error(ts_natural* natural, ts_block_moving moving, const double* impulse);

/// Improves `impulse` (row_count, any finite start) in place; what is returned is admissible and never worse than the
/// start in the natural map. Needs TS_DELASSUS_BLOCKS. FAILED, with the impulse as it was, when the matrix or its factor
/// would be too large or memory is short.
ts_natural_report ts_natural_newton(const ts_contact_problem* problem, const ts_natural_settings* settings,
                                    ts_arena* scratch, double* impulse);

#endif
