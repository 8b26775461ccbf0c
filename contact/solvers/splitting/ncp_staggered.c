// NCP-staggered: the exact law by staggered projections.
//
// Problem: Signorini and Coulomb, exactly. Rule, source: staggered.c, friction in the disc of radius mu lambda_N.
// Guaranteed: converged means the law; no internal forces from a cold start with contacts inside their cones.
// Known to fail: cycles where mu |G_TN| > G_NN under the published rule; damped, it may still not converge.
#include "contact/solvers/splitting/ncp_staggered.h"

#include "contact/solvers/splitting/staggered_internal.h"

ts_staggered_settings ts_ncp_staggered_settings_default(void) { return ts_staggered_settings_default(); }

static void settings_default(void* out_settings) {
    *(ts_staggered_settings*)out_settings = ts_ncp_staggered_settings_default();
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_staggered_solve(TS_LAW_NCP, TS_APGD_DISC, problem, (const ts_staggered_settings*)settings, scratch,
                              impulse);
}

const ts_solver ts_ncp_staggered_solver = {
    .name = "ncp-staggered",
    .law = TS_LAW_NCP,
    .summary = "staggered projections on the exact law, matrix-free",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .settings_bytes = sizeof(ts_staggered_settings),
    .settings_default = settings_default,
    .setting = ts_staggered_setting,
    .setting_count = TS_STAGGERED_SETTING_COUNT,
    .scratch_bytes = ts_staggered_scratch_bytes,
    .solve = solve,
};
