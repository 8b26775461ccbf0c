// Solving a problem for its own sake: from nothing, by islands, judged afterwards by the yardstick of contact/judge/yardstick.h
// and by the error that the community of recorded problems goes by, and solved on from there while the answer is not yet
// as good as was asked for.
#ifndef TS_CONTACT_RELATIVE_H
#define TS_CONTACT_RELATIVE_H

#include "contact/island.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far an answer is from the law, in numbers without units.
typedef struct ts_relative_error {
    double natural;  // natural map of the exact law, as in ts_residual
    /// |lambda - P_K(lambda - w)| / |g|, 2-norms, step 1 kg, w shifted: the error function of Siconos, but for its
    /// dividing by the largest of |g|, |u| and |lambda|: its error is never larger.
    double two_norm;
    double own;  // what the solver's own law leaves unmet, contact/judge/yardstick.h
} ts_relative_error;

/// Judges `impulse` with its velocity u = (G + R) lambda + g (both row_count), `residual` already measured from them.
ts_relative_error ts_relative_error_of(const ts_contact_problem* problem, ts_contact_law law, const double* impulse,
                                       const double* u, const ts_residual* residual);

/// Whether that is good enough: for solvers of the exact law natural and two_norm, for others own.
int ts_relative_is_reached(const ts_relative_error* error, ts_contact_law law, double tolerance);

/// What came out.
typedef struct ts_relative_report {
    ts_solve_status status;  // CONVERGED only when reached; a solver that thinks so and is not there has STALLED
    int iterations;          // of all attempts
    int attempts;            // 1 or more
    int stage;               // the latest that any of them needed, see ts_solve_report
    double seconds;          // wall clock of the solves, without judging
    ts_relative_error error;
    ts_residual residual;
    ts_law_residual own;  // of the solver's law
    ts_island_report islands;
} ts_relative_report;

/// Solves by islands until `tolerance` is reached, starting from nothing. `settings` are the solver's; their tolerance is
/// chosen here. `scratch` as for ts_island_solve, scratch[0] also holds vectors. `out_impulse` (row_count) is in N s.
ts_relative_report ts_relative_solve(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                     double tolerance, ts_task_pool* pool, ts_arena* scratch, double* out_impulse);

#ifdef __cplusplus
}
#endif
#endif
