// The boxed LCP by staggered projections (contact/solvers/splitting/staggered.c).
#ifndef TS_CONTACT_SOLVERS_LCP_STAGGERED_H
#define TS_CONTACT_SOLVERS_LCP_STAGGERED_H

#include "contact/solvers/splitting/staggered_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Defaults of the solver's settings.
ts_staggered_settings ts_lcp_staggered_settings_default(void);

/// "lcp-staggered": the boxed LCP, normals and friction in turn, matrix-free. Settings ts_staggered_settings.
extern const ts_solver ts_lcp_staggered_solver;

#ifdef __cplusplus
}
#endif
#endif
