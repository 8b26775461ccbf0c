// RaiSim's per-contact solver: every contact in turn by bisection on the boundary of its friction cone.
#ifndef TS_CONTACT_SOLVERS_RAISIM_H
#define TS_CONTACT_SOLVERS_RAISIM_H

#include "contact/solvers/sweeps/pgs_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Settings of raisim and raisim-corrected. Of `sweep`, omega and local_iterations mean nothing to them (alpha relaxes).
/// With sweep.step_rule = TS_PGS_STEP_SEED the published parameters take the place of alpha_min, gamma and width: 0.7,
/// 0.99 and 1e-6, with plain halving.
typedef struct ts_raisim_settings {
    ts_pgs_settings sweep;
    double alpha;       // share of the new impulse that is taken in the first sweep
    double alpha_min;   // where alpha goes: after a sweep alpha <- alpha_min + gamma (alpha - alpha_min)
    double gamma;       // 1 keeps alpha as it is
    double first_step;  // rad: first step of the search for a bracket (beta_1)
    double shrink;      // beta_2, of a step that was refused
    double grow;        // beta_3, of a step that was taken
    double width;       // bracket at which the bisection ends, relative to the impulse
} ts_raisim_settings;

/// alpha 1 throughout, search steps (0.01, 0.5, 1.3), width 1e-15, forward order; shared settings as everywhere.
ts_raisim_settings ts_raisim_settings_default(void);

/// The solver named "raisim".
extern const ts_solver ts_raisim_solver;

#ifdef __cplusplus
}
#endif
#endif
