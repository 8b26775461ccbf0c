// Settings of the staggered projections (ncp-staggered, lcp-staggered).
#ifndef TS_CONTACT_SOLVERS_STAGGERED_SETTINGS_H
#define TS_CONTACT_SOLVERS_STAGGERED_SETTINGS_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How much of a friction step is taken.
typedef enum ts_staggered_step_rule {
    TS_STAGGERED_STEP_SAFE,  // half as much whenever a few rounds brought nothing
    TS_STAGGERED_STEP_PAPER  // always all of it: cycles where normal and friction are strongly coupled
} ts_staggered_step_rule;

/// Settings of a staggered solver.
typedef struct ts_staggered_settings {
    ts_solver_settings shared;  // an iteration is a gradient step: one product with the operator, now and then two
    double inner;               // each projection is solved to this part of the residual of the whole
    int inner_limit;            // most gradient steps in one projection
    int step_rule;              // ts_staggered_step_rule
    int block_steps;            // 1: every block's step by its own stiffness; 0: one for all, no internal forces
} ts_staggered_settings;

#ifdef __cplusplus
}
#endif
#endif
