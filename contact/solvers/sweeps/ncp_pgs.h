// NCP-PGS: projected Gauss-Seidel on Signorini and Coulomb: the normal first, then friction in the disc it allows.
#ifndef TS_CONTACT_SOLVERS_NCP_PGS_H
#define TS_CONTACT_SOLVERS_NCP_PGS_H

#include "contact/solvers/sweeps/pgs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of ncp-pgs.
typedef ts_pgs_settings ts_ncp_pgs_settings;

/// Safe step, omega 1, forward order, one local iteration; shared settings as everywhere.
ts_ncp_pgs_settings ts_ncp_pgs_settings_default(void);

/// The solver named "ncp-pgs".
extern const ts_solver ts_ncp_pgs_solver;

#ifdef __cplusplus
}
#endif
#endif
