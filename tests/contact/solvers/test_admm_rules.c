// What ADMM's start and its over-relaxation are good for: parts of the rule that change how soon it arrives, not where.
#include "contact/solvers/splitting/admm_internal.h"
#include "tests/contact/solvers/solver_cases.h"

static const char* const names[2] = {"ccp-admm", "ncp-admm"};

static fixture_answer sliding(const ts_solver* solver, const fixture_settings* settings, double speed,
                              const double* start) {
    return case_cube(solver, settings, 0.4, ts_vec3_make(0.3 * speed, speed, 0.0), 0.0, start);
}

// The multiplier of the start is that of a projection step from there: exact at a solution, so that the answer of a
// slightly slower cube is most of the way. With the wrong one a warm start is as far as a cold one.
Test(admm, a_start_close_by_saves_most_of_the_way) {
    for (int i = 0; i < 2; ++i) {
        const ts_solver* solver = ts_solver_find(names[i]);
        fixture_settings settings = fixture_settings_of(solver, 1e-8, 5000);
        fixture_answer cold = sliding(solver, &settings, 1.0, NULL);
        fixture_answer warm = sliding(solver, &settings, 1.0 - 1e-6, cold.lambda);
        cr_expect_eq(warm.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        cr_expect_leq(warm.report.iterations, 0.6 * cold.report.iterations, "%s: %d, cold %d", solver->name,
                      warm.report.iterations, cold.report.iterations);
    }
}

// Rest is all but the answer, and where the first step ends is not: of both the better one is returned, unless the start is
// to be left out.
Test(admm, the_start_may_be_left_out) {
    const double G[9] = {1, 0, 0.9, 0, 1, 0, 0.9, 0, 1}, g[3] = {1, 0, -1e-4};
    const ts_solver* solver = ts_solver_find("ncp-admm");
    for (int leaves = 0; leaves < 2; ++leaves) {
        fixture_settings settings = fixture_settings_of(solver, 1e-8, 1);
        ((ts_admm_settings*)&settings)->leaves_start = leaves;
        fixture_answer a = fixture_solve_contact(solver, &settings, 1.2, G, g, NULL);
        cr_expect_eq(a.report.iterations, 1);
        cr_expect_eq(fabs(a.lambda[0]) + fabs(a.lambda[2]) > 0.0, leaves, "%g %g", a.lambda[0], a.lambda[2]);
    }
}

// Over-relaxation mixes the new x with the last y: between 1 and 2 it shortens the way. Mixed with the last x instead
// it would lengthen it, or never arrive.
Test(admm, over_relaxation_shortens_the_way) {
    const double relaxed[2] = {1.3, 1.6};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            const ts_solver* solver = ts_solver_find(names[i]);
            fixture_settings settings = fixture_settings_of(solver, 1e-8, 5000);
            fixture_set(solver, &settings, "over_relaxation", 1.0);
            fixture_answer plain = sliding(solver, &settings, 1.0, NULL);
            fixture_set(solver, &settings, "over_relaxation", relaxed[k]);
            fixture_answer a = sliding(solver, &settings, 1.0, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s at %g", solver->name, relaxed[k]);
            cr_expect_leq(a.report.iterations, plain.report.iterations, "%s at %g: %d, plain %d", solver->name,
                          relaxed[k], a.report.iterations, plain.report.iterations);
        }
}
