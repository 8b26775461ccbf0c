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
#include <math.h>

#include "contact/solvers/newton/primal_internal.h"

static const double four_pi_squared = 39.478417604357434;

typedef struct sap_settings {
    ts_solver_settings shared;  // an iteration is one linear system, or a hundred sweeps in large islands
    double beta;                // R_N is at least beta^2 / (4 pi^2) times the size of the contact's own block of G
    double sigma;               // R_T over that size, where the problem has no R_T
} sap_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(sap_settings, beta, 1e-4, 1e3, "period of the hardest contact, in steps"),
    TS_SETTING_REAL(sap_settings, sigma, 1e-10, 1e3,
                    "compliance of friction over the size of G_ii, where the problem has none"),
};

static const sap_settings defaults = {.shared = {1e-8, 1e-12, 100, 0.0}, .beta = 1.0, .sigma = 1e-3};

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    const sap_settings* s = (const sap_settings*)settings;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        double sum = 0.0, row_default[TS_BLOCK_ROWS_MAX];
        for (int k = 0; k < block->rows * block->rows; ++k) sum += D[k] * D[k];
        double size = sqrt(sum) / block->rows, least = s->beta * s->beta / four_pi_squared * size, tangent = 0.0;
        for (int r = 0; r < block->rows; ++r) row_default[r] = least;
        ts_primal_softness softness = {least, least, s->sigma};
        ts_primal_block_compliance(problem, b, softness, row_default, out_R + block->row);
        for (int r = 0; r < block->rows && problem->R; ++r) tangent += r == 2 ? 0.0 : problem->R[block->row + r];
        if (block->set != TS_SET_CONE || tangent > 0.0 || !(size > 0.0)) continue;
        for (int r = 0; r < block->rows; ++r)
            if (r != 2) out_R[block->row + r] = s->sigma * size;
    }
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_primal_solve(problem, compliance, settings, scratch, impulse);
}

const ts_solver ts_sap_solver = {
    .name = "sap",
    .law = TS_LAW_CCP,
    .summary = "primal Newton with exact line search on nearly rigid contacts, as Drake's SAP",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .compliance = compliance,
};
