// NCP: the solver we recommend. Cheap sweeps first, Newton when they stall, always with the residual it reached.
#ifndef TS_CONTACT_SOLVERS_NCP_H
#define TS_CONTACT_SOLVERS_NCP_H

#include "contact/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of ncp. iteration_limit counts sweeps, linear systems and
/// alternating directions together.
typedef struct ts_ncp_settings {
    ts_solver_settings shared;
    double natural;    // largest natural map (dimensionless) that counts as converged, beside the tolerance
    int first_sweeps;  // Gauss-Seidel sweeps before it is judged whether they will do
    int restarts;      // other starts of Newton before the answer is given as it is
    double proximal;   // first weight of Newton's proximal term, relative to a contact's stiffness
} ts_ncp_settings;

/// natural 1e-10, 4 first sweeps, 24 restarts, proximal 1e-3, 100000 iterations; shared settings as everywhere.
ts_ncp_settings ts_ncp_settings_default(void);

/// The solver named "ncp".
extern const ts_solver ts_ncp_solver;

#ifdef __cplusplus
}
#endif
#endif
