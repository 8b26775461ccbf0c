// The one list of contact solvers. Adding a solver is one file in contact/solvers/ and one line here.
#include <string.h>
#include <math.h>

#include "contact/solver.h"
#include "contact/solvers/splitting/ccp_admm.h"
#include "contact/solvers/splitting/ccp_apgd.h"
#include "contact/solvers/sweeps/ccp_pgs.h"
#include "contact/solvers/pivoting/lcp_lemke.h"
#include "contact/solvers/sweeps/lcp_pgs.h"
#include "contact/solvers/splitting/lcp_staggered.h"
#include "contact/solvers/newton/mujoco.h"
#include "contact/solvers/hybrid/ncp.h"
#include "contact/solvers/splitting/ncp_admm.h"
#include "contact/solvers/newton/ncp_newton.h"
#include "contact/solvers/sweeps/ncp_nsgs.h"
#include "contact/solvers/sweeps/ncp_pgs.h"
#include "contact/solvers/splitting/ncp_staggered.h"
#include "contact/solvers/sweeps/raisim.h"
#include "contact/solvers/sweeps/raisim_corrected.h"
#include "contact/solvers/newton/sap.h"

static const ts_solver* const solver_table[] = {
    &ts_ncp_pgs_solver,          &ts_ccp_pgs_solver,       &ts_lcp_pgs_solver,       &ts_ncp_nsgs_solver,
    &ts_ncp_newton_solver,       &ts_ncp_solver,           &ts_ccp_apgd_solver,      &ts_ccp_admm_solver,
    &ts_ncp_admm_solver,         &ts_ncp_staggered_solver, &ts_lcp_staggered_solver, &ts_raisim_solver,
    &ts_raisim_corrected_solver, &ts_mujoco_solver,        &ts_sap_solver,           &ts_lcp_lemke_solver,
};

int ts_solver_count(void) { return (int)(sizeof(solver_table) / sizeof(solver_table[0])); }

const ts_solver* ts_solver_at(int i) { return solver_table[i]; }

const ts_solver* ts_solver_find(const char* name) {
    for (int i = 0; i < ts_solver_count(); ++i)
        if (strcmp(solver_table[i]->name, name) == 0) return solver_table[i];
    return NULL;
}

ts_law_residual ts_solver_own_residual(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                       const double* impulse, ts_arena* scratch) {
    ts_law_residual own = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    ts_contact_problem softened = *problem;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double* u = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (R && u) {
        if (solver->compliance) {
            solver->compliance(problem, settings, R);
            softened.R = R;
        }
        ts_residual all;
        ts_residual_evaluate(&softened, impulse, scratch, u, &all);
        own = ts_residual_of_law(&softened, solver->law, impulse, u);
    }
    ts_arena_scope_end(scratch, scope);
    return own;
}

const char* ts_solve_status_name(ts_solve_status status) {
    switch (status) {
    case TS_SOLVE_CONVERGED: return "converged";
    case TS_SOLVE_STALLED: return "stalled";
    case TS_SOLVE_ITERATION_LIMIT: return "iteration limit";
    case TS_SOLVE_FAILED: return "failed";
    }
    return "unknown";
}

ts_solver_settings ts_solver_settings_default(void) {
    ts_solver_settings settings = {.tolerance = 1e-8, .stall = 1e-12, .iteration_limit = 1000};
    return settings;
}

// "a, b, c": the names a caller may use, cut when they do not fit.
static void list_names(const ts_solver* solver, char* out_text, size_t size) {
    size_t used = 0;
    out_text[0] = '\0';
    for (int i = 0; i < solver->setting_count; ++i) {
        const char* separator = i == 0 ? "" : ", ";
        size_t need = strlen(separator) + strlen(solver->setting[i].name);
        if (used + need + 1 > size) return;
        memcpy(out_text + used, separator, strlen(separator));
        memcpy(out_text + used + strlen(separator), solver->setting[i].name, strlen(solver->setting[i].name) + 1);
        used += need;
    }
}

ts_code ts_solver_set(const ts_solver* solver, void* settings, const char* name, double value, ts_status* out_status) {
    const ts_setting* setting = NULL;
    for (int i = 0; i < solver->setting_count; ++i)
        if (strcmp(solver->setting[i].name, name) == 0) setting = &solver->setting[i];
    if (!setting) {
        char known[384];
        list_names(solver, known, sizeof(known));
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "solver %s has no setting '%s'; it has: %s",
                             solver->name, name, known);
    }
    // Written so that NaN is refused too.
    if (!(value >= setting->low && value <= setting->high))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "solver %s: %s = %g is not between %g and %g",
                             solver->name, name, value, setting->low, setting->high);
    char* field = (char*)settings + setting->offset;
    if (setting->type == TS_SETTING_INT) {
        if (value != floor(value))
            return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "solver %s: %s = %g is not a whole number",
                                 solver->name, name, value);
        int whole = (int)value;
        memcpy(field, &whole, sizeof(whole));
    } else {
        memcpy(field, &value, sizeof(value));
    }
    return ts_status_ok(out_status);
}

double ts_solver_get(const ts_solver* solver, const void* settings, int index) {
    const ts_setting* setting = &solver->setting[index];
    const char* field = (const char*)settings + setting->offset;
    if (setting->type == TS_SETTING_INT) {
        int whole;
        memcpy(&whole, field, sizeof(whole));
        return whole;
    }
    double value;
    memcpy(&value, field, sizeof(value));
    return value;
}
