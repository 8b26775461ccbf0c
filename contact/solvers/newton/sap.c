// sap: nearly rigid convex contact.
//
// Problem: the relaxed law (CCP) with u = (G + R) lambda + g and R > 0 on every row. Rows are as soft as the problem
// says but never harder than R_N = beta^2 / (4 pi^2) |G_ii|, |.| the Frobenius norm over the number of rows: then a
// contact's own period is beta steps, which is as stiff as a step can show. Friction has R_T = sigma |G_ii| where the
// problem has none, however soft the normal is: what holds on a slope creeps at about sigma g h.
// Rule: primal_newton.c.
// Source: Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", 2022; Drake's
// SapSolver.
// Guaranteed: one answer, without internal forces between contacts of equal R; converges from any start.
// Known to fail: by design nothing is held quite still (u = -R lambda), and sliding contacts lift off.
#include "contact/solvers/newton/sap.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "contact/solvers/newton/primal_internal.h"

// 4 pi^2.
#define FOUR_PI_SQUARED 39.478417604357434

static const ts_setting setting[] = {
    {"tolerance", "own residual in force units that counts as converged", TS_SETTING_DOUBLE,
     offsetof(ts_sap_settings, shared.tolerance), 0.0, DBL_MAX},
    {"stall", "relative change per iteration under which the solver has stalled", TS_SETTING_DOUBLE,
     offsetof(ts_sap_settings, shared.stall), 0.0, 1.0},
    {"iteration_limit", "most linear systems", TS_SETTING_INT, offsetof(ts_sap_settings, shared.iteration_limit), 0.0,
     1e9},
    {"beta", "period of the hardest contact, in steps", TS_SETTING_DOUBLE, offsetof(ts_sap_settings, beta), 1e-4, 1e3},
    {"sigma", "compliance of friction over the size of G_ii, where the problem has none", TS_SETTING_DOUBLE,
     offsetof(ts_sap_settings, sigma), 1e-6, 1e3},
};

ts_sap_settings ts_sap_settings_default(void) {
    ts_sap_settings settings = {.shared = ts_solver_settings_default(), .beta = 1.0, .sigma = 1e-3};
    settings.shared.iteration_limit = 100;
    return settings;
}

static void settings_default(void* out_settings) { *(ts_sap_settings*)out_settings = ts_sap_settings_default(); }

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    const ts_sap_settings* s = (const ts_sap_settings*)settings;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        double sum = 0.0, row_default[TS_BLOCK_ROWS_MAX];
        for (int k = 0; k < block->rows * block->rows; ++k) sum += D[k] * D[k];
        double size = sqrt(sum) / block->rows, least = s->beta * s->beta / FOUR_PI_SQUARED * size, tangent = 0.0;
        for (int r = 0; r < block->rows; ++r) row_default[r] = least;
        ts_primal_softness softness = {least, least, s->sigma};
        ts_primal_block_compliance(problem, b, softness, row_default, out_R + block->row);
        for (int r = 0; r < block->rows && problem->R; ++r) tangent += r == 2 ? 0.0 : problem->R[block->row + r];
        if (block->set != TS_SET_CONE || tangent > 0.0 || !(size > 0.0)) continue;
        for (int r = 0; r < block->rows; ++r)
            if (r != 2) out_R[block->row + r] = s->sigma * size;
    }
}

static unsigned long scratch_bytes(const ts_contact_problem* problem, const void* settings) {
    (void)settings;
    return ts_primal_scratch_bytes(problem);
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    const ts_sap_settings* s = (const ts_sap_settings*)settings;
    ts_solve_report report = {TS_SOLVE_FAILED, 0, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (R) {
        compliance(problem, settings, R);
        report = ts_primal_newton(problem, R, &s->shared, scratch, impulse);
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

const ts_solver ts_sap_solver = {
    .name = "sap",
    .law = TS_LAW_CCP,
    .summary = "primal Newton with exact line search on nearly rigid contacts, as Drake's SAP",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_BLOCKS,
    .settings_bytes = sizeof(ts_sap_settings),
    .settings_default = settings_default,
    .setting = setting,
    .setting_count = sizeof(setting) / sizeof(setting[0]),
    .scratch_bytes = scratch_bytes,
    .solve = solve,
    .compliance = compliance,
};
