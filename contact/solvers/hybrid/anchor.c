// anchor: friction with a memory.
//
// Problem: the exact law on u = (G + R) lambda + g, with R > 0 on the two tangents of every contact and nowhere else. By itself that is
// friction that creeps, u_T = -R lambda_T where it holds. An engine that keeps xi, how far the contact has been drawn from where it took
// hold, asks for c*_T = -xi / h in addition, and then it is a spring at the end of the step,
//     f = -k (xi + h c),  |f| <= mu f_N,  k = 1 / (h^2 R_T),      xi' = -h R_T lambda_T
// which drags its anchor along where it slides. xi is all that the law remembers, as R_T beside the last impulse: engine/rows/contact.c.
// Rule: R_T = (period / 2 pi)^2 |G_TT|, so that the spring of a contact alone swings once in so many steps, where the problem has no R_T
// of its own; then `ncp`.
// Source: Cundall and Strack 1979 (the spring and its slider, in granular matter); taken implicitly, in the place of sap's R_T.
// Guaranteed: what friction can hold comes to rest, however soft the spring, for with u = 0 and xi at rest c = 0; what it cannot hold
// slides as under Coulomb's law, once the spring is stretched. The same as `ncp` where nothing pulls aside.
// Known to fail: by design. The answer depends on the past: two contacts of the same place and speed push differently when they came
// there on different ways. What is held has given way by f / k first, and springs back when it is let go. Anchors do not turn with
// bodies that turn about the normal; spin and roll have none.
#include <string.h>

#include "contact/solvers/hybrid/ncp_internal.h"

typedef struct anchor_settings {
    ts_solver_settings shared;  // as of `ncp`
    double period;              // of the spring of a contact alone, in steps
    int stages;                 // as of `ncp`
} anchor_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(anchor_settings, period, 1e-4, 1e4,
                    "steps in which the spring of a contact alone swings once, where the problem has no compliance"),
    TS_SETTING_WHOLE(anchor_settings, stages, 0.0, TS_NCP_ALL_STAGES, "which stages of ncp may run, as there"),
};

// Ten steps: soft enough to be seen (a box of 1 kg on four corners, 1 ms: 1e5 N/m each), and at rest after some tens of steps.
static const anchor_settings defaults = {
    .shared = {1e-8, 1e-12, 100000, 0.0}, .period = 10.0, .stages = TS_NCP_ALL_STAGES};

static const double two_pi = 6.283185307179586;

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    double turn = ((const anchor_settings*)settings)->period / two_pi;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        double* R = out_R + block->row;
        for (int r = 0; r < block->rows; ++r) R[r] = problem->R ? problem->R[block->row + r] : 0.0;
        // The mean of both tangents does not depend on their axes.
        for (int r = 0; r < 2 && block->set == TS_SET_CONE; ++r)
            if (!(R[r] > 0.0)) R[r] = turn * turn * 0.5 * (D[0] + D[block->rows + 1]);
    }
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    ts_contact_problem softened = *problem;
    ts_ncp_settings of_ncp;
    ts_solver_default_settings(&ts_ncp_solver, &of_ncp);
    of_ncp.shared = ((const anchor_settings*)settings)->shared;
    of_ncp.stages = ((const anchor_settings*)settings)->stages;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    if (R) {
        compliance(problem, settings, R);
        softened.R = R;
        softened.memory = NULL;
        report = ts_ncp_solver.solve(&softened, &of_ncp, scratch, impulse);
        for (int b = 0; problem->memory && b < problem->block_count; ++b)
            problem->memory[b] = problem->block[b].set == TS_SET_CONE ? R[problem->block[b].row] : 0.0;
    } else {
        memset(impulse, 0, (size_t)problem->row_count * sizeof(double));
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

const ts_solver ts_anchor_solver = {
    .name = "anchor",
    .law = TS_LAW_NCP,
    .summary = "the exact law with friction as a spring that remembers where it took hold",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY | TS_DELASSUS_BLOCKS,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .compliance = compliance,
    .anchors = 1,
    .remembers = "R of the tangents, kg^-1",
    .stage_count = TS_NCP_STAGES,
    .stage_name = ts_ncp_stage_name,
};
