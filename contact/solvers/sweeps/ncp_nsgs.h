// NCP-NSGS: nonsmooth Gauss-Seidel, every contact solved exactly against the others as they stand.
#ifndef TS_CONTACT_SOLVERS_NCP_NSGS_H
#define TS_CONTACT_SOLVERS_NCP_NSGS_H

#include "contact/solvers/sweeps/pgs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of ncp-nsgs: those of the sweeps; step_rule and local_iterations mean nothing to it.
typedef ts_pgs_settings ts_ncp_nsgs_settings;

/// omega 1, forward order; shared settings as everywhere.
ts_ncp_nsgs_settings ts_ncp_nsgs_settings_default(void);

/// The solver named "ncp-nsgs".
extern const ts_solver ts_ncp_nsgs_solver;

#ifdef __cplusplus
}
#endif
#endif
