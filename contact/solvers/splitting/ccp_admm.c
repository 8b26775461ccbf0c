// CCP-ADMM: the relaxed law by alternating directions.
//
// Problem: min 1/2 lambda^T (G + R) lambda + g^T lambda over the cones. Rule, source: admm.c, without shift.
// Guaranteed: converges for symmetric G >= 0 with a solution once rho rests; no internal forces from a cold start where
// contacts stay inside their cones; robust to masses that differ by 1e6.
// Known to fail: what slides lifts off, as the relaxation has it.
#include "contact/solvers/splitting/ccp_admm.h"

#include "contact/solvers/splitting/admm_internal.h"

ts_admm_settings ts_ccp_admm_settings_default(void) { return ts_admm_settings_default(); }

static void settings_default(void* out_settings) { *(ts_admm_settings*)out_settings = ts_ccp_admm_settings_default(); }

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_admm_solve(TS_LAW_CCP, problem, (const ts_admm_settings*)settings, scratch, impulse);
}

const ts_solver ts_ccp_admm_solver = {
    .name = "ccp-admm",
    .law = TS_LAW_CCP,
    .summary = "alternating directions on the convex relaxation, with a factor of G",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_admm_settings),
    .settings_default = settings_default,
    .setting = ts_admm_setting,
    .setting_count = TS_ADMM_SETTING_COUNT,
    .scratch_bytes = ts_admm_scratch_bytes,
    .solve = solve,
};
