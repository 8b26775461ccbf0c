// The convex relaxation by alternating directions (contact/solvers/splitting/admm.c).
#ifndef TS_CONTACT_SOLVERS_CCP_ADMM_H
#define TS_CONTACT_SOLVERS_CCP_ADMM_H

#include "contact/solvers/splitting/admm_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Defaults of the solver's settings.
ts_admm_settings ts_ccp_admm_settings_default(void);

/// "ccp-admm": the convex relaxation by ADMM, settings ts_admm_settings. A velocity form with more rows than
/// degrees of freedom is solved through its bodies; others list the matrix by blocks, and FAILED is when it or its
/// factor would be too large.
extern const ts_solver ts_ccp_admm_solver;

#ifdef __cplusplus
}
#endif
#endif
