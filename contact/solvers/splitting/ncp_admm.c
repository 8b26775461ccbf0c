// NCP-ADMM: the exact law by alternating directions.
//
// Problem: Signorini's and Coulomb's law in de Saxce's form. Rule, source: admm.c, the shift taken from the multiplier of
// the iteration before. Guaranteed: what is reported as converged meets the law; no internal forces from a cold start
// where contacts stay inside their cones.
// Known to fail: there is no proof. It solves strongly coupled contacts on which sweeps and staggering cycle, but can
// cycle itself; where the law has several solutions it tends to the one that sticks.
#include "contact/solvers/splitting/ncp_admm.h"

#include "contact/solvers/splitting/admm_internal.h"

ts_admm_settings ts_ncp_admm_settings_default(void) { return ts_admm_settings_default(); }

static void settings_default(void* out_settings) { *(ts_admm_settings*)out_settings = ts_ncp_admm_settings_default(); }

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_admm_solve(TS_LAW_NCP, problem, (const ts_admm_settings*)settings, scratch, impulse);
}

const ts_solver ts_ncp_admm_solver = {
    .name = "ncp-admm",
    .law = TS_LAW_NCP,
    .summary = "alternating directions on the exact law, with a factor of G",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_admm_settings),
    .settings_default = settings_default,
    .setting = ts_admm_setting,
    .setting_count = TS_ADMM_SETTING_COUNT,
    .scratch_bytes = ts_admm_scratch_bytes,
    .solve = solve,
};
