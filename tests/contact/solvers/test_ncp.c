// The recommended solver: random problems that are known to have solutions, large mass ratios, and honest labels.
#include "base/rng.h"
#include "base/vec.h"
#include "bench/contact_random.h"
#include "contact/island.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/admissible.h"

// With sanitizers a thousand would take minutes, and they look for other things.
#if defined(__SANITIZE_ADDRESS__)
enum { PROBLEMS = 100 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { PROBLEMS = 100 };
#else
enum { PROBLEMS = 1000 };
#endif
#else
enum { PROBLEMS = 1000 };
#endif

Test(ncp, a_thousand_random_problems, .timeout = 600) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_solver_default_settings(solver, settings);
    ts_rng rng = ts_rng_make(41, 0);
    int reached = 0, largest = 0;
    for (int k = 0; k < PROBLEMS; ++k) {
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem;
        cr_assert(ts_random_heap(&rng, &arena, &problem));
        ts_status status;
        cr_assert_eq(ts_contact_problem_validate(&problem, &status), TS_OK, "%s", status.message);
        static double impulse[3 * TS_RANDOM_HEAP_MOST];
        memset(impulse, 0, sizeof(impulse));
        ts_solve_report report = ts_island_solve(solver, &problem, NULL, settings, NULL, &scratch, impulse, NULL);
        cr_assert(is_admissible(&problem, impulse), "problem %d", k);
        if (problem.block_count > largest) largest = problem.block_count;
        // Judged with the operator of the whole, whose rounding differs.
        ts_islands islands;
        double u[3 * TS_RANDOM_HEAP_MOST];
        ts_contact_problem_velocity(&problem, impulse, u);
        cr_assert_eq(ts_islands_find(&problem, &scratch, &islands), TS_OK);
        double unmet = ts_yardstick_unmet(&problem, TS_LAW_NCP, &islands, impulse, u);
        reached += unmet <= 1.001e-8;
        if (report.status == TS_SOLVE_CONVERGED)
            cr_expect_leq(unmet, 1.001e-8, "problem %d is called converged at %g", k, unmet);
        if (!(unmet <= 1.001e-8))
            cr_log_warn("problem %d, %d contacts: %s at %g", k, problem.block_count,
                        ts_solve_status_name(report.status), unmet);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(reached, PROBLEMS - 1, "%d of %d reached 1e-8", reached, PROBLEMS);
    cr_expect_geq(largest, 150);
}

// A tonne on a gram, each a cube on four points (the upper one on the lower one). The normals alone are
// [[1/m1, -1/m1], [-1/m1, 1/m1 + 1/m2]] per point pair: sweeps contract by m2 / (m1 + m2) = 1 - 1e-6.
Test(ncp, a_tonne_on_a_gram) {
    const double light = 1e-3, heavy = 1e3, edge = 0.2, step = TIME_STEP * GRAVITY;
    double J[8][2][18], Y[8][2][18], g[24] = {0}, lambda[24];
    ts_delassus_segment segment[12];
    ts_block block[8];
    int block_row[9], segment_start[9], segments = 0;
    for (int b = 0; b < 8; ++b) {
        ts_vec3 corner = ts_vec3_make((b & 1 ? 0.5 : -0.5) * edge, (b & 2 ? 0.5 : -0.5) * edge, 0.0);
        block[b] = fixture_cone(3 * b, 0.9);
        block_row[b] = 3 * b;
        segment_start[b] = segments;
        // Blocks 0 to 3: ground under the light cube; 4 to 7: heavy cube on the light one.
        for (int side = 0; side < (b < 4 ? 1 : 2); ++side) {
            int body = b < 4 ? 0 : side;
            double mass = body == 0 ? light : heavy, sign = b >= 4 && body == 0 ? -1.0 : 1.0;
            ts_vec3 arm = corner;
            arm.z = b >= 4 && body == 0 ? 0.5 * edge : -0.5 * edge;
            for (int r = 0; r < 3; ++r) {
                ts_vec3 turn = ts_vec3_cross(arm, ts_vec3_axis(r));
                const double row[6] = {r == 0, r == 1, r == 2, turn.x, turn.y, turn.z};
                for (int j = 0; j < 6; ++j) {
                    J[b][side][6 * r + j] = sign * row[j];
                    Y[b][side][6 * r + j] = sign * row[j] / (j < 3 ? mass : mass * edge * edge / 6.0);
                }
            }
            ts_delassus_segment s = {6 * body, 6, J[b][side], Y[b][side]};
            segment[segments++] = s;
        }
        if (b < 4) g[3 * b + 2] = -step;  // both fall alike: only the ground sees an approach
    }
    block_row[8] = 24;
    segment_start[8] = segments;
    ts_arena arena = {0}, scratch = {0};
    ts_delassus* G = ts_delassus_velocity_form(&arena, 12, 8, block_row, segment_start, segment);
    ts_contact_problem problem = {
        .block_count = 8, .row_count = 24, .block = block, .delassus = G, .g = g, .time_step = TIME_STEP};
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_status status;

    const ts_solver* ncp = ts_solver_find("ncp");
    ts_solver_default_settings(ncp, settings);
    // Relative to the load; an absolute 1e-8 N m/s^2 is beyond what doubles can say of 9810 N. Even 1e-9 of it is: the
    // light cube answers 2.5 N s with 2,450 m/s, known to 5e-13, and 2.5 times that over h^2 is 1e-6 for each of eight.
    cr_assert_eq(ts_solver_set(ncp, settings, "tolerance", 1e-9, &status), TS_OK);
    cr_assert_eq(ts_solver_set(ncp, settings, "force", 1e-8 * heavy * GRAVITY, &status), TS_OK);
    memset(lambda, 0, sizeof(lambda));
    ts_solve_report report = ncp->solve(&problem, settings, &scratch, lambda);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_lt(report.iterations, 20, "%d iterations", report.iterations);
    ts_residual residual;
    ts_residual_evaluate(&problem, lambda, &scratch, NULL, &residual);
    cr_expect_lt(residual.natural, 1e-12, "natural map %g", residual.natural);
    double ground = 0.0, between = 0.0;
    for (int b = 0; b < 8; ++b) *(b < 4 ? &ground : &between) += lambda[3 * b + 2];
    cr_expect_float_eq(ground, (light + heavy) * step, 1e-9 * heavy * step);
    cr_expect_float_eq(between, heavy * step, 1e-9 * heavy * step);

    const char* sweepers[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs"};
    for (int i = 0; i < 4; ++i) {
        const ts_solver* solver = ts_solver_find(sweepers[i]);
        ts_solver_default_settings(solver, settings);
        cr_assert_eq(ts_solver_set(solver, settings, "tolerance", 1e-9 * heavy * GRAVITY, &status), TS_OK);
        memset(lambda, 0, sizeof(lambda));
        report = solver->solve(&problem, settings, &scratch, lambda);
        cr_expect(report.status == TS_SOLVE_ITERATION_LIMIT || report.status == TS_SOLVE_STALLED, "%s says %s",
                  sweepers[i], ts_solve_status_name(report.status));
        ground = 0.0;
        for (int b = 0; b < 4; ++b) ground += lambda[3 * b + 2];
        cr_expect_lt(ground, 0.1 * heavy * step, "%s carries the load after all", sweepers[i]);
    }
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}

Test(ncp, a_start_that_is_not_finite_and_no_iterations_at_all) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_status status;
    ts_solver_default_settings(solver, settings);
    ts_block block = fixture_cone(0, 0.5);
    const double G[9] = {2, 0, .5, 0, 2, 0, .5, 0, 1}, g[3] = {0, 3, -1};
    const double start[3] = {(double)NAN, (double)INFINITY, -1.0};
    fixture_answer answer = fixture_solve(solver, settings, 1, &block, G, g, NULL, start);
    cr_expect_eq(answer.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(answer.lambda, -0.089620396, -0.514660346, 1.044810198, 1e-8, "coupled block");
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 0.0, &status), TS_OK);
    answer = fixture_solve(solver, settings, 1, &block, G, g, NULL, NULL);
    cr_expect_eq(answer.report.status, TS_SOLVE_ITERATION_LIMIT);
}
