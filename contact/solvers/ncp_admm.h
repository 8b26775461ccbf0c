// The exact law by alternating directions (contact/solvers/admm.c).
#ifndef TS_CONTACT_SOLVERS_NCP_ADMM_H
#define TS_CONTACT_SOLVERS_NCP_ADMM_H

#include "contact/solvers/admm_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Defaults of the solver's settings.
ts_admm_settings ts_ncp_admm_settings_default(void);

/// "ncp-admm": the exact law by ADMM, settings ts_admm_settings. Lists the matrix by blocks; FAILED when it or its
/// factor would be too large.
extern const ts_solver ts_ncp_admm_solver;

#ifdef __cplusplus
}
#endif
#endif
