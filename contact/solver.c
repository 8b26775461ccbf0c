// What solvers have in common: settings by name, an admissible start, the trace of a solve.
#include "contact/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/trace.h"

// What every solver has, at the head of its settings.
static const ts_setting shared_setting[] = {
    TS_SETTING_REAL(ts_solver_settings, tolerance, 0.0, DBL_MAX,
                    "share of the problem that may stay unmet: natural map, or the own law's"),
    TS_SETTING_REAL(ts_solver_settings, stall, 0.0, 1.0, "relative change per iteration that counts as stalled"),
    TS_SETTING_WHOLE(ts_solver_settings, iteration_limit, 0.0, 1e9, "most iterations, in the solver's own steps"),
    TS_SETTING_REAL(ts_solver_settings, force, 0.0, DBL_MAX,
                    "own residual in force units (N, m/s^2, N m/s^2) asked for in addition; 0: none"),
};

enum { SHARED = sizeof(shared_setting) / sizeof(shared_setting[0]) };

const ts_solve_report ts_solve_not_begun = {.status = TS_SOLVE_FAILED};

double ts_solver_part(double asked, double made) {
    if (0.5 * made + asked <= 0.0) return 1.0;
    return asked < 0.0 && isfinite(made) ? -asked / made : 0.0;
}

// Whether anything moves block b, or it gives way.
static int is_moved(const ts_contact_problem* problem, int b) {
    const double* bound = problem->delassus->bound;
    if (!bound || problem->block[b].rows != 3) return ts_contact_problem_stiffness(problem, b) > 0.0;
    const double* R = problem->R ? problem->R + problem->block[b].row : NULL;
    return bound[b] + (R ? R[0] + R[1] + R[2] : 0.0) > 0.0;
}

void ts_solver_start(const ts_contact_problem* problem, ts_contact_law law, double* impulse, double* out_u) {
    ts_friction_shape shape = ts_friction_shape_of(ts_contact_law_facets(law));
    for (int attempt = 0;; ++attempt) {
        double cost = 0.0;
        for (int b = 0; b < problem->block_count; ++b) {
            const ts_block* block = &problem->block[b];
            double* lambda = impulse + block->row;
            if (!is_moved(problem, b))
                ts_block_set_least(block, lambda);
            else if (law == TS_LAW_CCP)
                ts_block_set_project(block, lambda, lambda);
            else
                ts_block_set_admit(block, shape, lambda);
        }
        ts_contact_problem_velocity(problem, impulse, out_u);
        for (int i = 0; i < problem->row_count; ++i) cost += impulse[i] * (out_u[i] + problem->g[i]);
        // No true solution of any law is refused: lambda . u <= 0 makes q(lambda) <= -1/2 lambda^T (G+R) lambda there.
        if (cost <= 0.0 || attempt > 0) return;
        memset(impulse, 0, (size_t)problem->row_count * sizeof(double));
    }
}

// The yardstick of the law that the solver truly solves, on a problem that is made of the one given. R: (row_count)
static ts_yardstick own_yardstick(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                  double* R, ts_contact_problem* out_own) {
    *out_own = *problem;
    if (solver->compliance) {
        solver->compliance(problem, settings, R);
        out_own->R = R;
    }
    return ts_yardstick_make(out_own, solver->law, ts_solver_goal((const ts_solver_settings*)settings));
}

static ts_solve_report solve_traced(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                    ts_arena* scratch, double* impulse) {
    ts_trace* trace = problem->trace;
    size_t n = (size_t)problem->row_count;
    ts_contact_problem own;
    ts_solve_report report = ts_solve_not_begun;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, n);
    trace->room = TS_ARENA_ARRAY(scratch, double, 3 * n);
    trace->stage = trace->iteration = 0;
    if (R && trace->room) {
        ts_yardstick yardstick = own_yardstick(solver, problem, settings, R, &own);
        memcpy(trace->room, impulse, n * sizeof(double));
        ts_solver_start(&own, solver->law, trace->room, trace->room + n);
        ts_trace_note(&yardstick, 0, trace->room);
        report = solver->solve(problem, settings, scratch, impulse);
        trace->stage = report.stage;
        trace->iteration = 0;
        ts_trace_end(&yardstick, report.iterations, impulse);
    }
    trace->room = NULL;
    ts_arena_scope_end(scratch, scope);
    return report;
}

ts_solve_report ts_solver_solve(const ts_solver* solver, const ts_contact_problem* problem, const void* settings,
                                ts_arena* scratch, double* impulse) {
    unsigned needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    if (problem->trace && (problem->delassus->ops->abilities & needs) == needs)
        return solve_traced(solver, problem, settings, scratch, impulse);
    return solver->solve(problem, settings, scratch, impulse);
}

ts_solve_status ts_solver_verdict(ts_solve_status said, const ts_solver_settings* settings, double unmet,
                                  ts_law_residual own, double time_step) {
    int reached = unmet <= settings->tolerance;
    if (settings->force > 0.0) reached = reached && ts_law_residual_in_force_units(own, time_step) <= settings->force;
    if (reached) return TS_SOLVE_CONVERGED;
    return said == TS_SOLVE_CONVERGED ? TS_SOLVE_STALLED : said;
}

const char* ts_solve_status_name(ts_solve_status status) {
    static const char* const name[] = {"converged", "stalled", "iteration limit", "failed"};
    return (unsigned)status <= TS_SOLVE_FAILED ? name[status] : "unknown";
}

const char* ts_solver_stage_name(const ts_solver* solver, int stage) {
    return stage >= 1 && stage <= solver->stage_count ? solver->stage_name(stage) : "-";
}

void ts_solver_default_settings(const ts_solver* solver, void* out_settings) {
    memcpy(out_settings, solver->defaults, solver->settings_bytes);
}

ts_code ts_solver_accuracy_settings(const ts_solver* solver, const char* accuracy, void* out_settings,
                                    ts_status* out_status) {
    static const char* const known[] = {"exact", "balanced", "fast"};
    int is_known = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) is_known |= strcmp(accuracy, known[i]) == 0;
    if (!is_known)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "no accuracy '%.40s'; there are: exact, balanced, fast", accuracy);
    ts_solver_default_settings(solver, out_settings);
    for (int i = 0; i < solver->accuracy_count; ++i)
        if (strcmp(solver->accuracy[i].name, accuracy) == 0) solver->accuracy[i].adapt(out_settings);
    return ts_status_ok(out_status);
}

int ts_solver_setting_count(const ts_solver* solver) { return SHARED + solver->setting_count; }

const ts_setting* ts_solver_setting_at(const ts_solver* solver, int i) {
    return i < SHARED ? &shared_setting[i] : &solver->setting[i - SHARED];
}

const ts_setting* ts_solver_setting_find(const ts_solver* solver, const char* name) {
    for (int i = 0; i < ts_solver_setting_count(solver); ++i)
        if (strcmp(ts_solver_setting_at(solver, i)->name, name) == 0) return ts_solver_setting_at(solver, i);
    return NULL;
}

// "a, b, c": the names a caller may use, cut when they do not fit.
static void list_names(const ts_solver* solver, char* out_text, size_t size) {
    size_t used = 0;
    out_text[0] = '\0';
    for (int i = 0; i < ts_solver_setting_count(solver); ++i) {
        const char *separator = i == 0 ? "" : ", ", *name = ts_solver_setting_at(solver, i)->name;
        size_t need = strlen(separator) + strlen(name);
        if (used + need + 1 > size) return;
        memcpy(out_text + used, separator, strlen(separator));
        memcpy(out_text + used + strlen(separator), name, strlen(name) + 1);
        used += need;
    }
}

ts_code ts_solver_set(const ts_solver* solver, void* settings, const char* name, double value, ts_status* out_status) {
    const ts_setting* setting = ts_solver_setting_find(solver, name);
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

double ts_solver_get(const ts_solver* solver, const void* settings, const char* name) {
    const ts_setting* setting = ts_solver_setting_find(solver, name);
    if (!setting) return (double)NAN;
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
