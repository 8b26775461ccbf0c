// CCP-PGS: projected Gauss-Seidel on the convex relaxation: a gradient step and a projection on the cone per contact.
#ifndef TS_CONTACT_SOLVERS_CCP_PGS_H
#define TS_CONTACT_SOLVERS_CCP_PGS_H

#include "contact/solvers/sweeps/pgs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of ccp-pgs.
typedef ts_pgs_settings ts_ccp_pgs_settings;

/// Safe step, omega 1, forward order, one local iteration; shared settings as everywhere.
ts_ccp_pgs_settings ts_ccp_pgs_settings_default(void);

/// The solver named "ccp-pgs".
extern const ts_solver ts_ccp_pgs_solver;

#ifdef __cplusplus
}
#endif
#endif
