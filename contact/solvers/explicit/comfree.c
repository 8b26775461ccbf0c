// comfree: impulses in closed form, without complementarity and without iterations.
//
// Problem: the dual of the relaxed law on a pyramid is min 1/2 b^T (E (G + R) E^T) b + (E g)^T b, b >= 0, one b for each facet
// e = (+-mu along a tangent row, 1 on the normal); lambda = E^T b. Its matrix is replaced by a diagonal one, and then every
// facet has its answer at once: what of the free velocity approaches along it, g_N +- mu g_r, is pushed back, whatever the
// others do. That is no law of contact but a model of its own, TS_LAW_EXPLICIT, and what it is judged by.
// Rule: b = max(-(g_N +- mu g_r), 0) / (n (k_N + mu^2 k_r)), n = 2 (rows - 1) facets, k = G_ii + R_i, and
// R_i = (1 / s - 1) G_ii where the problem has none: the n facets of a contact that is alone take the share s of an approach
// along its normal when mu is small. Rows of other sets push by themselves, too: x = -g / k in their interval.
// Source: Jin, "Complementarity-free multi-contact modeling and optimization", 2024 (the formula, K diagonal); Borse, Xie,
// Huang and Jin, "ComFree-Sim", 2026 (gains by effective masses; spinning and rolling facets). Their two gains in a step h, k on the
// gap to come and d on the velocity, are s = n (k h + d) on g with the reference -phi / (h + d / k): the options
// contact_stiffness and contact_dissipation give such a reference.
// Guaranteed: one pass; the impulse lies in the pyramid within the cone; a smooth function of the free velocity but for kinks.
// Known to fail: by design. A particle at rest keeps the approach ((1 + mu^2) / s - 1) g h in every step, and sinks until the reference
// asks for as much; it creeps down slopes with tan(a) < mu / 2 at g h sin(a) (2 (1 + mu^2) / (s mu^2) - 1), and faster down
// steeper ones; it lifts off where it slides, and its friction depends on the axes. What several contacts of a body push adds up, beyond a bounce where they are many; what one pushes
// another does not know until the next step, so stacks are soft, and joints that are rows give way.
#include "contact/block_set_internal.h"
#include "contact/solver.h"
#include "contact/trace.h"

typedef struct comfree_settings {
    ts_solver_settings shared;  // all of it is one iteration; there is nothing to stop
    double stiffness;           // s: share of an approach that a contact takes in a step
} comfree_settings;

static const ts_setting setting[] = {
    TS_SETTING_REAL(comfree_settings, stiffness, 1e-6, 1.0,
                    "share of its approach that a contact takes in a step; where the problem has no compliance"),
};

// Half: six contacts around a body are then as far from adding up to a bounce as one with s = 1 is from three.
static const comfree_settings defaults = {.shared = {1e-8, 1e-12, 1, 0.0}, .stiffness = 0.5};

static void compliance(const ts_contact_problem* problem, const void* settings, double* out_R) {
    double share = 1.0 / ((const comfree_settings*)settings)->stiffness - 1.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        for (int r = 0; r < block->rows; ++r) {
            double own = problem->R ? problem->R[block->row + r] : 0.0;
            out_R[block->row + r] = own > 0.0 ? own : share * D[r * block->rows + r];
        }
    }
}

static ts_solve_report solve(const ts_contact_problem* problem, const void* settings, ts_arena* scratch,
                             double* impulse) {
    ts_solve_report report = ts_solve_not_begun;
    ts_contact_problem softened = *problem;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* R = TS_ARENA_ARRAY(scratch, double, problem->row_count);
    double *u = TS_ARENA_ARRAY(scratch, double, problem->row_count), nothing = 0.0;
    if (R && u) {
        compliance(problem, settings, R);
        softened.R = R;
        for (int b = 0; b < problem->block_count; ++b) {
            const ts_block* block = &problem->block[b];
            const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
            double stiffness[TS_BLOCK_ROWS_MAX];
            for (int r = 0; r < block->rows; ++r) {
                stiffness[r] = D[r * block->rows + r] + R[block->row + r];
                nothing += 0.0 * stiffness[r];  // NaN where it is not finite
            }
            ts_block_set_push_alone(block, problem->g + block->row, stiffness, impulse + block->row);
        }
        ts_goal goal = ts_solver_goal((const ts_solver_settings*)settings);
        ts_yardstick yardstick = ts_yardstick_make(&softened, TS_LAW_EXPLICIT, goal);
        ts_contact_problem_velocity(&softened, impulse, u);
        ts_trace_note(&yardstick, 1, impulse);
        report.iterations = 1;
        double excess = ts_yardstick_excess(&yardstick, impulse, u) + nothing;
        report.status = excess <= 1.0 ? TS_SOLVE_CONVERGED : TS_SOLVE_FAILED;
        for (int i = 0; i < problem->row_count && report.status == TS_SOLVE_FAILED; ++i) impulse[i] = 0.0;
    }
    ts_arena_scope_end(scratch, scope);
    return report;
}

const ts_solver ts_comfree_solver = {
    .name = "comfree",
    .law = TS_LAW_EXPLICIT,
    .summary = "impulses in closed form from the free velocity, facet by facet, no iterations",
    .needs = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY,
    .solve = solve,
    TS_SOLVER_SETTINGS(defaults, setting),
    .compliance = compliance,
};
