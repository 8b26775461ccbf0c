// LCP-staggered: the boxed LCP by staggered projections.
//
// Problem: Signorini in the normal; friction row by row in [-mu lambda_N, mu lambda_N], against its own slip. Rule,
// source: staggered.c, friction in the square.
// Guaranteed: converged means the law; no internal forces from a cold start with contacts inside their pyramids.
// Known to fail: as the model, friction is up to sqrt(2) mu strong across corners and does not oppose slip; as the
// method, cycles where normal and friction are strongly coupled.
#include "contact/solvers/splitting/lcp_staggered.h"

#include "contact/solvers/splitting/staggered_internal.h"

ts_staggered_settings ts_lcp_staggered_settings_default(void) { return ts_staggered_settings_default(); }

static void settings_default(void* out_settings) {
    *(ts_staggered_settings*)out_settings = ts_lcp_staggered_settings_default();
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_staggered_solve(TS_LAW_LCP, TS_APGD_SQUARE, problem, (const ts_staggered_settings*)settings, scratch,
                              impulse);
}

const ts_solver ts_lcp_staggered_solver = {
    .name = "lcp-staggered",
    .law = TS_LAW_LCP,
    .summary = "staggered projections on the boxed LCP, matrix-free",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .settings_bytes = sizeof(ts_staggered_settings),
    .settings_default = settings_default,
    .setting = ts_staggered_setting,
    .setting_count = TS_STAGGERED_SETTING_COUNT,
    .scratch_bytes = ts_staggered_scratch_bytes,
    .solve = solve,
};
