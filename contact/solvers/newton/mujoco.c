// mujoco: softened convex contact.
//
// Problem: the relaxed law (CCP) with u = (G + R) lambda + g and R > 0 on every row. R is the problem's own where it
// has one; a row left rigid gets R = (1 - d) / d G_ii, d the impedance, and friction R_T = R_N / impratio. Friction
// keeps its slope mu: the cone is round in the metric of R, with slope mu sqrt(R_T / R_N).
// Rule: primal_newton.c. An engine may give contacts R and c* by solref and solimp (contact/mujoco_softness.c).
// Source: Todorov 2011; MuJoCo's documentation, chapters Computation and Modeling (solver parameters).
// Guaranteed: one answer, without internal forces between rows of equal R; converges from any start.
// Known to fail: by design nothing is held quite still (u = -R lambda), sliding contacts lift off, and the answer
// depends on R. MuJoCo takes G_ii at the reference pose; here it is that of the present one.
#include "base/vec.h"
#include "contact/solvers/newton/primal_internal.h"

typedef struct mujoco_settings {
    ts_solver_settings shared;  // an iteration is one linear system, or a hundred sweeps in large islands
    double impedance;           // d of rows the problem leaves rigid; R = (1 - d) / d G_ii
    double impratio;            // how much harder friction is than the normal of a contact the problem leaves rigid
} mujoco_settings;

// The hardest impedance allowed: R = 1e-10 G_ii leaves six digits to an impulse.
static const ts_setting setting[] = {
    TS_SETTING_REAL(mujoco_settings, impedance, 1e-4, 1.0 - 1e-10,
                    "d of rows without compliance of their own: R = (1 - d) / d times the diagonal"),
    TS_SETTING_REAL(mujoco_settings, impratio, 1e-6, 1e6,
                    "how much harder friction is than the normal, where the problem does not say"),
};

// The hardest that MuJoCo allows.
static const mujoco_settings defaults = {.shared = {1e-8, 1e-12, 100, 0.0}, .impedance = 0.9999, .impratio = 1.0};

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    const mujoco_settings* s = (const mujoco_settings*)settings;
    double share = (1.0 - s->impedance) / s->impedance;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* own = problem->R ? problem->R + block->row : NULL;
        // What an engine makes of all its contacts: nothing is left to choose but that the cone be round.
        if (own && block->set == TS_SET_CONE && block->rows == 3 && own[0] > 0.0 && own[1] > 0.0 && own[2] > 0.0) {
            double tangent = own[0] > own[1] ? own[0] : own[1];
            ts_vec3_store(ts_vec3_make(tangent, tangent, own[2]), out_R + block->row);
            continue;
        }
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        double row_default[TS_BLOCK_ROWS_MAX] = {0.0};
        for (int r = 0; r < block->rows; ++r) row_default[r] = share * D[r * block->rows + r];
        ts_primal_softness softness = {block->set == TS_SET_CONE ? row_default[2] : 0.0, 0.0, 1.0 / s->impratio};
        ts_primal_block_compliance(problem, b, softness, row_default, out_R + block->row);
    }
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    return ts_primal_solve(problem, compliance, settings, scratch, impulse);
}

const ts_solver ts_mujoco_solver = {
    .name = "mujoco",
    .law = TS_LAW_CCP,
    .summary = "primal Newton with exact line search on contacts softened as MuJoCo does",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .compliance = compliance,
    .takes_softness = 1,
};
