// Contact problems whose answer is known in closed form, against the projected Gauss-Seidel solvers. The derivations are
// beside the numbers.
#include <criterion/criterion.h>

#include "base/arena.h"
#include "contact/solver.h"
#include "contact/solvers/ccp_pgs.h"
#include "contact/solvers/lcp_pgs.h"
#include "contact/solvers/ncp_pgs.h"

#define GRAVITY 9.81
#define STEP 1e-3

typedef struct answer {
    ts_solve_report report;
    double lambda[16];
    double u[16];
} answer;

static ts_pgs_settings tight(void) {
    ts_pgs_settings settings = ts_ncp_pgs_settings_default();
    settings.shared.tolerance = 1e-10;
    settings.shared.iteration_limit = 20000;
    return settings;
}

// Solves a small dense problem from `start` (zero when NULL).
static answer solve(const ts_solver* solver, const ts_pgs_settings* settings, int blocks, const ts_block* block,
                    int rows, const double* G, const double* g, const double* R, const double* start) {
    answer out = {.report = {.status = TS_SOLVE_FAILED}};
    ts_arena arena = {0}, scratch = {0};
    int block_row[17] = {0};
    for (int b = 0; b < blocks; ++b) block_row[b + 1] = block[b].row + block[b].rows;
    ts_contact_problem problem = {.block_count = blocks,
                                  .row_count = rows,
                                  .block = block,
                                  .delassus = ts_delassus_dense(&arena, blocks, block_row, G),
                                  .g = g,
                                  .R = R,
                                  .time_step = STEP};
    ts_status status;
    cr_assert_eq(ts_contact_problem_validate(&problem, &status), TS_OK, "%s", status.message);
    for (int i = 0; start && i < rows; ++i) out.lambda[i] = start[i];
    out.report = solver->solve(&problem, settings, &scratch, out.lambda);
    ts_residual residual;
    ts_residual_evaluate(&problem, out.lambda, &scratch, out.u, &residual);
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
    return out;
}

static answer solve_contact(const ts_solver* solver, const ts_pgs_settings* settings, double mu, const double* G,
                            const double* g, const double* R) {
    ts_block block = {.set = TS_SET_CONE, .row = 0, .rows = 3, .mu = mu};
    return solve(solver, settings, 1, &block, 3, G, g, R, NULL);
}

static void expect_vector(const double* actual, double x, double y, double z, double tolerance, const char* what) {
    cr_expect_float_eq(actual[0], x, tolerance, "%s x: %.12g, not %.12g", what, actual[0], x);
    cr_expect_float_eq(actual[1], y, tolerance, "%s y: %.12g, not %.12g", what, actual[1], y);
    cr_expect_float_eq(actual[2], z, tolerance, "%s z: %.12g, not %.12g", what, actual[2], z);
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// Free unit mass on a floor, gamma = g h falling speed per step. With G = I the exact law decouples: lambda_N = gamma,
// friction is -v_T where |v_T| <= mu gamma (stick), else mu gamma against the slip.
Test(particle, exact_law_sticks_slides_and_takes_off) {
    double gamma = GRAVITY * STEP;
    ts_pgs_settings settings = tight();
    double stick[3] = {0.001962, 0.0, -gamma};
    answer a = solve_contact(&ts_ncp_pgs_solver, &settings, 0.4, identity, stick, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    expect_vector(a.lambda, -0.001962, 0.0, gamma, 1e-15, "stick impulse");
    expect_vector(a.u, 0.0, 0.0, 0.0, 1e-15, "stick velocity");

    double slide[3] = {1.0, 0.0, -gamma};
    a = solve_contact(&ts_ncp_pgs_solver, &settings, 0.4, identity, slide, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    expect_vector(a.lambda, -0.4 * gamma, 0.0, gamma, 1e-15, "slide impulse");
    expect_vector(a.u, 1.0 - 0.4 * gamma, 0.0, 0.0, 1e-15, "slide velocity");

    double leave[3] = {0.3, 0.2, 0.1};
    for (int i = 0; i < ts_solver_count(); ++i) {
        a = solve_contact(ts_solver_at(i), &settings, 0.4, identity, leave, NULL);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
        expect_vector(a.lambda, 0.0, 0.0, 0.0, 0.0, "take-off impulse");
    }
}
