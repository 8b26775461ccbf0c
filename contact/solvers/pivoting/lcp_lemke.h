// LCP by Lemke's direct pivoting: the pyramidal law to rounding, in a finite number of pivots, for small problems.
#ifndef TS_CONTACT_SOLVERS_LCP_LEMKE_H
#define TS_CONTACT_SOLVERS_LCP_LEMKE_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of lcp-lemke.
typedef struct ts_lcp_lemke_settings {
    ts_solver_settings shared;  // tolerance judges the answer; stall and iteration_limit are for lcp-pgs, the fall-back
    int row_limit;              // LCP rows (6 a contact) beyond which nothing is pivoted: the tableau is dense
    int pivots_per_row;         // pivots allowed for each LCP row
} ts_lcp_lemke_settings;

/// 1200 rows (200 contacts), 50 pivots a row; shared settings as everywhere.
ts_lcp_lemke_settings ts_lcp_lemke_settings_default(void);

/// What became of the pivoting. In every case but the first the answer is that of lcp-pgs, and so is its status.
typedef enum ts_lemke_outcome {
    TS_LEMKE_SOLVED,         // the answer is the vertex that pivoting ended at
    TS_LEMKE_SECONDARY_RAY,  // no pivot was left
    TS_LEMKE_PIVOT_LIMIT,    // pivots ran out
    TS_LEMKE_TOO_LARGE,      // more rows than row_limit
    TS_LEMKE_INACCURATE,     // the vertex misses the tolerance: rounding; lcp-pgs went on from there
    TS_LEMKE_NOT_FINITE,     // a number of the problem is not finite
    TS_LEMKE_NO_MEMORY       // scratch is short
} ts_lemke_outcome;

/// An outcome in plain words. Never NULL.
const char* ts_lcp_lemke_outcome_name(ts_lemke_outcome outcome);

/// The solve, as through the table, telling also what became of the pivoting (out_outcome may be NULL).
ts_solve_report ts_lcp_lemke_solve(const ts_contact_problem* problem, const ts_lcp_lemke_settings* settings,
                                   ts_arena* scratch, double* impulse, ts_lemke_outcome* out_outcome);

/// The solver named "lcp-lemke".
extern const ts_solver ts_lcp_lemke_solver;

#ifdef __cplusplus
}
#endif
#endif
