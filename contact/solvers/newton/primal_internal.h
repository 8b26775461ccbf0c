// Newton's method with an exact line search on the primal problem of softened contacts: what mujoco and sap share.
#ifndef TS_CONTACT_SOLVERS_PRIMAL_INTERNAL_H
#define TS_CONTACT_SOLVERS_PRIMAL_INTERNAL_H

#include "contact/solver.h"

/// How soft a solver wants the rows that the problem leaves rigid, and those of one block.
typedef struct ts_primal_softness {
    double normal;   // kg^-1: R of a cone's normal row where the problem has none
    double least;    // kg^-1: no normal row, and no row outside of cones, is harder than this
    double tangent;  // 1: R of a cone's other rows over that of its normal, where the problem has none
} ts_primal_softness;

/// Fills R of one block (its rows): the problem's own where there is one, else from `softness` and, outside of cones,
/// `row_default` (its rows). A cone must be round in the metric of R, so all its rows but the normal get the largest of
/// them. A row that nothing moves and nothing softens gets 1 kg^-1.
void ts_primal_block_compliance(const ts_contact_problem* problem, int b, ts_primal_softness softness,
                                const double* row_default, double* out_R);

/// Fills out_R (row_count, every entry > 0) for a solver's settings: as ts_solver's compliance.
typedef void (*ts_primal_compliance)(const ts_contact_problem* problem, const void* settings, double* out_R);

/// Solves the relaxed problem with that compliance instead of problem->R. The settings begin with ts_solver_settings.
/// `impulse` is the warm start and the answer. An iteration is one linear system. The report's own residual is that of the
/// relaxed law with R. Needs TS_DELASSUS_ROWS and TS_DELASSUS_BLOCKS.
ts_solve_report ts_primal_solve(const ts_contact_problem* problem, ts_primal_compliance compliance,
                                const void* settings, ts_arena* scratch, double* impulse);

#endif
