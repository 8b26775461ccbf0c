// RaiSim, corrected: the per-contact bisection of raisim.c with an end point that obeys the exact law.
//
// Problem: Signorini and Coulomb for all contacts, as in ncp_pgs.c.
// Rule: as raisim.c, but the gradient counts u_N + mu |u_T| where raisim counts u_N = 0; |u_T| is the contact's slip
// before the update (de Saxce's shift, one visit late). The section u_N = 0 itself stays unshifted.
// Source: Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, who name the error; the shifted gradient
// follows their released code. With eps = mu D_TN / D_NN and direction t of friction, a sliding fixed point satisfies
// u_T - |u_T| eps = -s (t + eps) with s >= 0, and u_T = -s t solves it. Multiplying out, any other solution needs
// s |t + eps|^2 = (|eps|^2 - 1) |u_T|, so for mu |D_TN| < D_NN there is none.
// Guaranteed: any answer reported as converged meets the exact law. No proof of convergence.
// Known to fail: mu |D_TN| > D_NN, where the late shift can swing or settle where the law does not hold: reported as a
// stall or as the iteration limit. Large mass ratios, as all per-contact methods.
#include "contact/solvers/sweeps/raisim_corrected.h"

#include "contact/solvers/sweeps/raisim_internal.h"

ts_raisim_settings ts_raisim_corrected_settings_default(void) { return ts_raisim_settings_default(); }

static void settings_default(void* out_settings) {
    *(ts_raisim_settings*)out_settings = ts_raisim_corrected_settings_default();
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_raisim_solve(problem, (const ts_raisim_settings*)settings, 1, scratch, impulse);
}

const ts_solver ts_raisim_corrected_solver = {
    .name = "raisim-corrected",
    .law = TS_LAW_NCP,
    .summary = "per-contact bisection with the slip counted in its gradient: ends at the exact law",
    .needs = TS_DELASSUS_ROWS,
    .settings_bytes = sizeof(ts_raisim_settings),
    .settings_default = settings_default,
    .setting = ts_raisim_setting,
    .setting_count = TS_RAISIM_SETTING_COUNT,
    .scratch_bytes = ts_pgs_scratch_bytes,
    .solve = solve,
};
