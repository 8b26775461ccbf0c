// The convex relaxation by Nesterov's projected gradient, matrix-free (contact/solvers/splitting/ccp_apgd.c).
#ifndef TS_CONTACT_SOLVERS_CCP_APGD_H
#define TS_CONTACT_SOLVERS_CCP_APGD_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How steps are chosen.
typedef enum ts_apgd_step_rule {
    TS_APGD_STEP_SAFE,  // each block by its own stiffness, L falls slowly
    TS_APGD_STEP_PAPER  // as published: one step for all, L falls by a tenth per iteration
} ts_apgd_step_rule;

/// Settings of ccp-apgd.
typedef struct ts_ccp_apgd_settings {
    ts_solver_settings shared;  // an iteration is a gradient step: one product with the operator, now and then two
    int step_rule;              // ts_apgd_step_rule
} ts_ccp_apgd_settings;

/// Defaults: safe steps.
ts_ccp_apgd_settings ts_ccp_apgd_settings_default(void);

/// "ccp-apgd": needs nothing but products with the operator, for piles of any size.
extern const ts_solver ts_ccp_apgd_solver;

#ifdef __cplusplus
}
#endif
#endif
