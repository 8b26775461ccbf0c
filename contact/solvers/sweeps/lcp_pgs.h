// LCP-PGS: projected Gauss-Seidel on the boxed LCP: one row at a time, friction clamped axis by axis (a pyramid).
#ifndef TS_CONTACT_SOLVERS_LCP_PGS_H
#define TS_CONTACT_SOLVERS_LCP_PGS_H

#include "contact/solvers/sweeps/pgs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of lcp-pgs.
typedef ts_pgs_settings ts_lcp_pgs_settings;

/// Safe step, omega 1, forward order, one local iteration; shared settings as everywhere.
ts_lcp_pgs_settings ts_lcp_pgs_settings_default(void);

/// The solver named "lcp-pgs".
extern const ts_solver ts_lcp_pgs_solver;

#ifdef __cplusplus
}
#endif
#endif
