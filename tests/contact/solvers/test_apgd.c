// The relaxed law by accelerated projected gradients: closed forms, all sets, honesty, and piles without a matrix.
#include "tests/contact/solvers/solver_cases.h"

#define APGD ts_solver_find("ccp-apgd")

// A particle of 1 kg: lambda is the projection of -m v_free on the cone, and what slides lifts off by c_N = mu |c_T|.
Test(apgd, particle_slides_and_lifts_off) {
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {1.0, 0.0, -GRAVITY * TIME_STEP}, mu = 0.4;
    for (int rule = 0; rule < 2; ++rule) {
        fixture_settings settings = fixture_settings_of(APGD, 1e-9, 1000);
        fixture_set(APGD, &settings, "step_rule", rule);
        fixture_answer a = fixture_solve_contact(APGD, &settings, mu, G, g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -0.141313793103448, 0.0, 0.353284482758621, 1e-10, "lambda");
        cr_expect_float_eq(a.u[2], mu * a.u[0], 1e-11);
        cr_expect_float_eq(a.u[0] + mu * a.u[2], 1.0 - mu * GRAVITY * TIME_STEP, 1e-11);
    }
}

Test(apgd, coupled_contact) {
    for (int rule = 0; rule < 2; ++rule) {
        fixture_settings settings = fixture_settings_of(APGD, 1e-6, 20000);
        fixture_set(APGD, &settings, "step_rule", rule);
        fixture_answer a =
            fixture_solve_contact(APGD, &settings, case_coupled_mu, case_coupled_G, case_coupled_g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -0.257621904, -0.860461088, 1.796398987, 1e-8, "lambda");
        fixture_expect_vector(a.u, 0.382955684, 1.279077824, 0.667588035, 1e-8, "u");
    }
}

// The cube at rest carries 2.4525 N on each foot, and nothing else; pushed without slipping, the loads shift forward.
Test(apgd, cube_at_rest_and_pushed) {
    fixture_settings settings = fixture_settings_of(APGD, 1e-8, 5000);
    fixture_answer a = case_cube(APGD, &settings, 0.9, ts_vec3_zero(), 0.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    for (int c = 0; c < 4; ++c) fixture_expect_vector(a.lambda + 3 * c, 0.0, 0.0, 2.4525 * TIME_STEP, 1e-9, "foot");
    cr_expect_lt(case_internal_force(a.lambda), 1e-6);
    a = case_cube(APGD, &settings, 0.9, ts_vec3_zero(), 5.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    double friction = 0.0;
    for (int c = 0; c < 4; ++c) {
        cr_expect_float_eq(a.lambda[3 * c + 2], (c < 2 ? 1.1525 : 3.7525) * TIME_STEP, 1e-9);
        friction += a.lambda[3 * c + 1];
    }
    cr_expect_float_eq(friction, -5.0 * TIME_STEP, 1e-9);
}

// Sliding in a straight line: v_y + mu v_z is what the exact law would leave, for any number of feet.
Test(apgd, sliding_cube_keeps_the_invariant) {
    fixture_settings settings = fixture_settings_of(APGD, 1e-8, 5000);
    fixture_answer a = case_cube(APGD, &settings, 0.4, ts_vec3_make(0.0, 1.0, 0.0), 0.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    double y = 1.0, z = -GRAVITY * TIME_STEP;
    for (int c = 0; c < 4; ++c) {
        y += a.lambda[3 * c + 1];
        z += a.lambda[3 * c + 2];
        cr_expect_float_eq(a.u[3 * c + 2], 0.4 * hypot(a.u[3 * c], a.u[3 * c + 1]), 1e-10);
    }
    cr_expect_float_eq(y + 0.4 * z, 1.0 - 0.4 * GRAVITY * TIME_STEP, 1e-12);
}

// Rows of every set, uncoupled, with compliance: each has its closed form.
Test(apgd, every_set_with_compliance) {
    const ts_block block[5] = {{.set = TS_SET_FREE, .row = 0, .rows = 2},
                               {.set = TS_SET_HALF_LINE, .row = 2, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 3, .rows = 1},
                               {.set = TS_SET_BOX, .row = 4, .rows = 1, .low = -0.5, .high = 0.25},
                               {.set = TS_SET_BOX, .row = 5, .rows = 1, .low = -0.5, .high = 0.25}};
    double G[36] = {0};
    const double g[6] = {1.0, -2.0, -3.0, 3.0, -4.0, 0.5}, R[6] = {0.5, 0.5, 1.0, 1.0, 0.1, 1.0};
    for (int i = 0; i < 6; ++i) G[7 * i] = 1.0;
    G[1] = G[6] = 0.5;
    fixture_settings settings = fixture_settings_of(APGD, 1e-6, 5000);
    fixture_answer a = fixture_solve(APGD, &settings, 5, block, G, g, R, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    // [1.5 0.5; 0.5 1.5] x = (-1, 2): x = (-1.25, 1.75).
    const double expected[6] = {-1.25, 1.75, 1.5, 0.0, 0.25, -0.25};
    for (int i = 0; i < 6; ++i) cr_expect_float_eq(a.lambda[i], expected[i], 1e-8, "row %d: %g", i, a.lambda[i]);
}

Test(apgd, warm_start_is_taken_and_broken_ones_are_not) {
    fixture_settings settings = fixture_settings_of(APGD, 1e-8, 5000);
    ts_vec3 v = ts_vec3_make(0.0, 1.0, 0.0);
    fixture_answer cold = case_cube(APGD, &settings, 0.4, v, 0.0, NULL);
    fixture_answer warm = case_cube(APGD, &settings, 0.4, v, 0.0, cold.lambda);
    cr_expect_gt(cold.report.iterations, 1);
    cr_expect_eq(warm.report.iterations, 0);
    double broken[12], huge[12];
    for (int i = 0; i < 12; ++i) {
        broken[i] = i == 5 ? (double)NAN : 1e-3;
        huge[i] = i % 3 == 2 ? 1e6 : 0.0;
    }
    const double* start[2] = {broken, huge};
    for (int k = 0; k < 2; ++k) {
        fixture_answer a = case_cube(APGD, &settings, 0.4, v, 0.0, start[k]);
        cr_expect_eq(memcmp(a.lambda, cold.lambda, sizeof(a.lambda)), 0);
        cr_expect_eq(a.report.iterations, cold.report.iterations);
    }
}

Test(apgd, limits_and_stalls_are_called_so) {
    fixture_settings settings = fixture_settings_of(APGD, 0.0, 7);
    ts_vec3 v = ts_vec3_make(0.3, 1.0, 0.0);
    fixture_answer a = case_cube(APGD, &settings, 0.4, v, 0.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_ITERATION_LIMIT);
    cr_expect_eq(a.report.iterations, 7);
    settings = fixture_settings_of(APGD, 0.0, 1000000);
    settings.shared.stall = 1e-12;
    a = case_cube(APGD, &settings, 0.4, v, 0.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_STALLED);
}

// Restarts turn momentum's swinging about the answer into the rate of the condition number's root: a stack of n equal
// boxes, condition number about n^2, takes of the order of n iterations. Without them it would be n^2.
Test(apgd, a_stack_of_twenty_takes_a_few_hundred) {
    enum { N = 20 };
    double G[N * N] = {0}, g[N] = {0};
    ts_block block[N];
    const ts_solver* solver = ts_solver_find("ccp-apgd");
    for (int i = 0; i < N; ++i) {
        block[i] = (ts_block){.set = TS_SET_HALF_LINE, .row = i, .rows = 1};
        G[N * i + i] = i > 0 ? 2.0 : 1.0;
        if (i > 0) G[N * i + i - 1] = G[N * (i - 1) + i] = -1.0;
    }
    g[0] = -GRAVITY * TIME_STEP;
    fixture_settings settings = fixture_settings_of(solver, 1e-8, 20000);
    fixture_answer a = fixture_solve(solver, &settings, N, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(a.report.iterations, 1000, "%d", a.report.iterations);
    for (int i = 0; i < N; ++i) cr_expect_float_eq(a.lambda[i], (N - i) * GRAVITY * TIME_STEP, 1e-7);
}

// A wall of spheres on rails: column after column of contacts, in velocity form. No operator but ROWS and APPLY is
// touched, the scratch is linear in contacts, and the bottom carries what lies above.
Test(apgd, thousands_of_contacts_without_a_matrix) {
    enum { COLUMNS = 1000, HIGH = 4, COUNT = COLUMNS * HIGH };
    static double J[COUNT][2][3], g[3 * COUNT], lambda[3 * COUNT];
    static ts_block block[COUNT];
    static int block_row[COUNT + 1], start[COUNT + 1];
    static ts_delassus_segment segment[2 * COUNT];
    int segments = 0;
    for (int i = 0; i < COUNT; ++i) {
        // Body i stands on body i - 1 or on the ground; one velocity each, along the normal.
        int level = i % HIGH;
        block[i] = fixture_cone(3 * i, 0.5);
        block_row[i + 1] = 3 * (i + 1);
        start[i] = segments;
        J[i][0][2] = 1.0;
        J[i][1][2] = -1.0;
        segment[segments++] = (ts_delassus_segment){i, 1, J[i][0], J[i][0]};
        if (level > 0) segment[segments++] = (ts_delassus_segment){i - 1, 1, J[i][1], J[i][1]};
        g[3 * i + 2] = level > 0 ? 0.0 : -GRAVITY * TIME_STEP;
    }
    start[COUNT] = segments;
    ts_arena arena = {0}, scratch = {0};
    ts_delassus* G = ts_delassus_velocity_form(&arena, COUNT, COUNT, block_row, start, segment);
    ts_contact_problem problem = {
        .block_count = COUNT, .row_count = 3 * COUNT, .block = block, .delassus = G, .g = g, .time_step = TIME_STEP};
    fixture_settings settings = fixture_settings_of(APGD, 1e-7, 5000);
    ts_solve_report report = APGD->solve(&problem, &settings, &scratch, lambda);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(scratch.peak, (size_t)COUNT * 250);
    for (int i = 0; i < COUNT; ++i)
        cr_expect_float_eq(lambda[3 * i + 2], (HIGH - i % HIGH) * GRAVITY * TIME_STEP, 1e-8);
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}
