// Settings of the three projected Gauss-Seidel solvers (lcp-pgs, ccp-pgs, ncp-pgs).
#ifndef TS_CONTACT_SOLVERS_PGS_SETTINGS_H
#define TS_CONTACT_SOLVERS_PGS_SETTINGS_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How long the step on a block is.
typedef enum ts_pgs_step_rule {
    TS_PGS_STEP_SAFE,  // 1 / largest eigenvalue of what is stepped on: never overshoots
    TS_PGS_STEP_SEED   // the published shortcut from diagonal entries; can cycle or diverge. For reproduction only
} ts_pgs_step_rule;

/// In which order a sweep visits the blocks.
typedef enum ts_pgs_order {
    TS_PGS_ORDER_FORWARD,    // always forward: about twice as fast on stacks and chains
    TS_PGS_ORDER_ALTERNATE,  // forward, then backward, and so on: no directional bias in internal forces
    TS_PGS_ORDER_SYMMETRIC   // forward and backward as one step (two sweeps), after which alone the answer is judged
} ts_pgs_order;

/// Settings of a projected Gauss-Seidel solver.
typedef struct ts_pgs_settings {
    ts_solver_settings shared;
    double omega;          // over-relaxation of every step, 0 < omega < 2
    int step_rule;         // ts_pgs_step_rule
    int order;             // ts_pgs_order
    int local_iterations;  // how often a block is updated before the sweep moves on
    int anderson;  // memory of Anderson acceleration, 0 for none; with alternating order it sees symmetric steps
} ts_pgs_settings;

#ifdef __cplusplus
}
#endif
#endif
