// NCP-Newton: semi-smooth Newton on the natural map of the exact law, from a cold or warm start.
#ifndef TS_CONTACT_SOLVERS_NCP_NEWTON_H
#define TS_CONTACT_SOLVERS_NCP_NEWTON_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of ncp-newton. iteration_limit counts linear systems.
typedef struct ts_ncp_newton_settings {
    ts_solver_settings shared;
    double natural;   // largest natural map (dimensionless) that counts as converged, beside the tolerance
    double proximal;  // first weight of the proximal term, relative to a contact's stiffness
    int sweeps;       // Gauss-Seidel sweeps after a step that Newton could not make
} ts_ncp_newton_settings;

/// natural 1e-10, proximal 1e-6, 5 sweeps, 500 linear systems; shared settings as everywhere.
ts_ncp_newton_settings ts_ncp_newton_settings_default(void);

/// The solver named "ncp-newton".
extern const ts_solver ts_ncp_newton_solver;

#ifdef __cplusplus
}
#endif
#endif
