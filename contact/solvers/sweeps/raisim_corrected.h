// RaiSim's per-contact solver with de Saxce's shift in its gradient, so that it ends at the exact law.
#ifndef TS_CONTACT_SOLVERS_RAISIM_CORRECTED_H
#define TS_CONTACT_SOLVERS_RAISIM_CORRECTED_H

#include "contact/solvers/sweeps/raisim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As raisim's.
ts_raisim_settings ts_raisim_corrected_settings_default(void);

/// The solver named "raisim-corrected".
extern const ts_solver ts_raisim_corrected_solver;

#ifdef __cplusplus
}
#endif
#endif
