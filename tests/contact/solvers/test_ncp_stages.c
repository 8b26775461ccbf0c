// The stages of the recommended solver: who is named, who may run, and that none of them loses what another one found.
#include "base/rng.h"
#include "bench/contact_random.h"
#include "contact/island.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/admissible.h"

static const ts_solver* ncp(void) { return ts_solver_find("ncp"); }

static int stage_of(const char* name) {
    for (int k = 1; k <= ncp()->stage_count; ++k)
        if (strcmp(ts_solver_stage_name(ncp(), k), name) == 0) return k;
    cr_assert_fail("no stage %s", name);
    return 0;
}

static int up_to(int stage) { return (1 << stage) - 1; }

// Solves from nothing with some stages; the natural map at the answer.
static double solve_patched(const ts_contact_problem* problem, int stages, int large_island, int patched_island,
                            double* impulse, ts_solve_report* out_report) {
    fixture_settings settings;
    ts_arena scratch = {0};
    ts_residual residual;
    ts_solver_default_settings(ncp(), &settings);
    fixture_set(ncp(), &settings, "tolerance", 1e-10);
    fixture_set(ncp(), &settings, "stages", stages);
    fixture_set(ncp(), &settings, "large_island", large_island);
    fixture_set(ncp(), &settings, "patched_island", patched_island);
    memset(impulse, 0, (size_t)problem->row_count * sizeof(double));
    *out_report = ncp()->solve(problem, &settings, &scratch, impulse);
    ts_residual_evaluate(problem, impulse, &scratch, NULL, &residual);
    ts_arena_free(&scratch);
    return residual.natural;
}

static double solve(const ts_contact_problem* problem, int stages, int large_island, double* impulse,
                    ts_solve_report* out_report) {
    return solve_patched(problem, stages, large_island, problem->block_count + 1, impulse, out_report);
}

Test(ncp_stages, have_names_and_others_have_none) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        cr_expect_eq(solver->stage_count > 0, solver->stage_name != NULL, "%s", solver->name);
        cr_expect_str_eq(ts_solver_stage_name(solver, 0), "-");
        cr_expect_str_eq(ts_solver_stage_name(solver, solver->stage_count + 1), "-");
        for (int k = 1; k <= solver->stage_count; ++k)
            for (int j = 1; j < k; ++j)
                cr_expect_str_neq(ts_solver_stage_name(solver, k), ts_solver_stage_name(solver, j));
    }
    cr_expect_str_eq(ts_solver_stage_name(ncp(), 1), "small");
    cr_expect_str_eq(ts_solver_stage_name(ts_solver_find("ncp-pgs"), 1), "-");
}

// m/s: so slow an approach that the heaviest column weighs 10 N, and 1e-8 N can be had.
static const double approach = 1e-6;

// A body of 1 kg on the ground and one of `heavy` on it, without friction: sweeps contract by heavy / (1 + heavy).
static ts_contact_problem column(ts_arena* arena, double heavy, ts_block* block, double* g) {
    static const int block_row[] = {0, 1, 2};
    const double G[4] = {1.0, -1.0, -1.0, 1.0 + 1.0 / heavy};
    ts_contact_problem problem = {.block_count = 2, .row_count = 2, .block = block, .g = g, .time_step = TIME_STEP};
    for (int b = 0; b < 2; ++b) block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
    g[0] = -approach;
    g[1] = 0.0;  // both fall alike
    problem.delassus = dense_operator(arena, 2, block_row, G);
    return problem;
}

Test(ncp_stages, sweeps_are_named_where_they_do_and_newton_where_they_do_not) {
    for (int hard = 0; hard < 2; ++hard) {
        ts_arena arena = {0};
        ts_block block[2];
        double g[2], impulse[2];
        ts_solve_report report;
        ts_contact_problem problem = column(&arena, hard ? 1e4 : 1e-6, block, g);
        solve(&problem, up_to(ncp()->stage_count), 1000, impulse, &report);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
        cr_expect_eq(report.stage, stage_of(hard ? "newton" : "sweeps"), "hard %d: stage %s", hard,
                     ts_solver_stage_name(ncp(), report.stage));
        // The ground stops both.
        double weight = (1.0 + (hard ? 1e4 : 1e-6)) * approach;
        cr_expect_float_eq(impulse[0], weight, 1e-7 * weight);
        if (!hard) {
            ts_arena_free(&arena);
            continue;
        }
        // Without Newton the same problem is not solved, and nobody says so. Sweeps run even when they may not.
        solve(&problem, 0, 1000, impulse, &report);
        cr_expect_neq(report.status, TS_SOLVE_CONVERGED);
        cr_expect_eq(report.stage, stage_of("sweeps"));
        ts_arena_free(&arena);
    }
}

// Each stage adds something or nothing, and leaves an admissible answer. Every island counts as large: sixty steps of
// alternating directions from rest often end farther away than the sweeps before them.
Test(ncp_stages, no_stage_makes_an_answer_worse, .timeout = 300) {
    static double impulse[6 * 60];
    ts_rng rng = ts_rng_make(3, 0);
    int hard = 0;
    for (int i = 0; i < 60; ++i) {
        ts_arena arena = {0};
        ts_random_known k;
        cr_assert(ts_random_known_make(&rng, 30, &arena, &k));
        double before = HUGE_VAL;
        ts_solve_report report = {.status = TS_SOLVE_FAILED};
        for (int s = stage_of("sweeps"); s <= ncp()->stage_count && report.status != TS_SOLVE_CONVERGED; ++s) {
            double natural = solve(&k.problem, up_to(s), 0, impulse, &report);
            cr_expect(is_admissible(&k.problem, impulse), "problem %d, stage %d", i, s);
            cr_expect_leq(natural, fmax(before, 1e-10) * (1.0 + 1e-9), "problem %d, stage %d", i, s);
            cr_expect_leq(report.stage, s);
            cr_expect_geq(report.stage, 1);
            before = natural;
            hard += s > stage_of("newton");
        }
        ts_arena_free(&arena);
    }
    cr_expect_geq(hard, 1, "none of the problems got past Newton");
}

// From one block on every island is large: sweeps go on with momentum, and where that may not be, alternating directions begin.
Test(ncp_stages, large_islands_begin_with_momentum_or_alternating_directions) {
    static const char* const name[] = {"momentum", "alternate-large"};
    static double impulse[3 * TS_RANDOM_HEAP_MOST];
    for (int k = 0; k < 2; ++k) {
        ts_rng rng = ts_rng_make(5, 0);
        int solved = 0, stages = up_to(stage_of("sweeps")) | 1 << (stage_of(name[k]) - 1);
        for (int i = 0; i < 40; ++i) {
            ts_arena arena = {0};
            ts_contact_problem problem;
            ts_solve_report large, small;
            cr_assert(ts_random_heap(&rng, &arena, &problem));
            solve(&problem, stages, problem.block_count + 1, impulse, &small);
            double natural = solve(&problem, stages, problem.block_count, impulse, &large);
            cr_expect_leq(small.stage, stage_of("sweeps"));
            if (small.status != TS_SOLVE_CONVERGED) cr_expect_gt(large.iterations, small.iterations);
            if (large.status == TS_SOLVE_CONVERGED)
                cr_expect_leq(natural, 1e-10 * (1.0 + 1e-6), "heap %d: %g", i, natural);
            solved += large.stage == stage_of(name[k]) && large.status == TS_SOLVE_CONVERGED;
            ts_arena_free(&arena);
        }
        cr_expect_geq(solved, 1, "%s solved none", name[k]);
    }
}

// Sixty columns of two equal bodies: what is left halves with every sweep, so that sweeps alone go on to the end, and on a large island leave
// it to those with momentum after two fours.
Test(ncp_stages, sweeps_leave_large_islands_to_momentum) {
    enum { COLUMNS = 60, BLOCKS = 2 * COLUMNS };
    static double G[BLOCKS * BLOCKS], impulse[BLOCKS], g[BLOCKS];
    static ts_block block[BLOCKS];
    static int block_row[BLOCKS + 1];
    ts_arena arena = {0};
    for (int b = 0; b < BLOCKS; ++b) {
        int other = b ^ 1;
        block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
        block_row[b + 1] = b + 1;
        g[b] = b % 2 == 0 ? -approach : 0.0;
        G[b * BLOCKS + b] = b % 2 == 0 ? 1.0 : 2.0;
        G[b * BLOCKS + other] = -1.0;
    }
    ts_contact_problem problem = {
        .block_count = BLOCKS, .row_count = BLOCKS, .block = block, .g = g, .time_step = TIME_STEP};
    problem.delassus = dense_operator(&arena, BLOCKS, block_row, G);
    ts_solve_report report;
    int fours = up_to(stage_of("sweeps")), both = fours | 1 << (stage_of("momentum") - 1);
    solve(&problem, both, BLOCKS + 1, impulse, &report);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(report.stage, stage_of("sweeps"), "a small one: %s", ts_solver_stage_name(ncp(), report.stage));
    solve(&problem, fours, BLOCKS, impulse, &report);
    cr_expect_eq(report.stage, stage_of("sweeps"), "without momentum: %s", ts_solver_stage_name(ncp(), report.stage));
    double natural = solve(&problem, both, BLOCKS, impulse, &report);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(report.stage, stage_of("momentum"), "a large one: %s", ts_solver_stage_name(ncp(), report.stage));
    cr_expect_leq(natural, 1e-10 * (1.0 + 1e-6));
    ts_arena_free(&arena);
}

// Many columns of two bodies; the lower ones push each other aside, which gives way, so that they are one island. On every twelfth stands a body of
// ten tonnes, which sweeps would need a hundred thousand of: it and what is near are solved by themselves, the impulses around them held. On the first
// thirty-six stand such bodies side by side: a place as large as it may be, which is not to keep the others from growing.
Test(ncp_stages, places_where_sweeps_stall_are_solved_by_themselves) {
    enum { COLUMNS = 180, BODIES = 2 * COLUMNS, BLOCKS = 3 * COLUMNS - 1 };
    static double J[BLOCKS][BODIES], G[BLOCKS * BLOCKS], impulse[BLOCKS], g[BLOCKS], R[BLOCKS];
    static ts_block block[BLOCKS];
    static int block_row[BLOCKS + 1];
    ts_arena arena = {0};
    for (int b = 0; b < BLOCKS; ++b) {
        int lower = 2 * (b / 3), upper = lower + 1, kind = b % 3;
        int up = kind == 0 ? lower : kind == 1 ? upper : lower + 2, down = kind == 0 ? -1 : lower;
        J[b][up] = 1.0;
        if (down >= 0) J[b][down] = -1.0;
        g[b] = kind == 0 ? -approach : kind == 1 ? 0.0 : -0.1 * approach;
        R[b] = kind == 2 ? 2.0 : 0.0;
        block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
        block_row[b + 1] = b + 1;
    }
    for (int a = 0; a < BLOCKS; ++a)
        for (int b = 0; b < BLOCKS; ++b)
            for (int k = 0; k < BODIES; ++k)
                G[a * BLOCKS + b] += J[a][k] * J[b][k] / (k % 24 == 1 || (k % 2 == 1 && k < 72) ? 1e4 : 1.0);
    ts_contact_problem problem = {
        .block_count = BLOCKS, .row_count = BLOCKS, .block = block, .g = g, .R = R, .time_step = TIME_STEP};
    problem.delassus = dense_operator(&arena, BLOCKS, block_row, G);
    for (int k = 0; k < 2; ++k) {
        ts_solve_report report;
        int stage = stage_of(k == 0 ? "patches" : "patches-2"), both = up_to(stage_of("sweeps")) | 1 << (stage - 1);
        double natural = solve_patched(&problem, both, BLOCKS + 1, BLOCKS, impulse, &report);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
        cr_expect_eq(report.stage, stage, "%s", ts_solver_stage_name(ncp(), report.stage));
        cr_expect_leq(natural, 1e-10 * (1.0 + 1e-6));
        cr_expect_leq(report.iterations, 300, "%d iterations: more than one round", report.iterations);
        double left = solve_patched(&problem, both, BLOCKS + 1, BLOCKS + 1, impulse, &report);
        cr_expect_eq(report.stage, stage_of("sweeps"), "a smaller one: %s", ts_solver_stage_name(ncp(), report.stage));
        cr_expect_gt(left, 1e-9, "sweeps alone leave %g", left);
    }
    ts_arena_free(&arena);
}

// A tower of five hundred whose bodies all close in on each other, half of them fast, from nothing: what sweeps leave is everywhere, and there is one
// round of patches only.
Test(ncp_stages, what_is_left_everywhere_is_left_to_other_stages) {
    enum { BLOCKS = 500 };
    static double G[BLOCKS * BLOCKS], impulse[BLOCKS], g[BLOCKS];
    static ts_block block[BLOCKS];
    static int block_row[BLOCKS + 1];
    ts_arena arena = {0};
    for (int b = 0; b < BLOCKS; ++b) {
        block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
        block_row[b + 1] = b + 1;
        g[b] = b % 100 < 50 ? -1e4 * approach : -approach;
        G[b * BLOCKS + b] = b == 0 ? 1.0 : 2.0;
        if (b > 0) G[b * BLOCKS + b - 1] = G[(b - 1) * BLOCKS + b] = -1.0;
    }
    ts_contact_problem problem = {
        .block_count = BLOCKS, .row_count = BLOCKS, .block = block, .g = g, .time_step = TIME_STEP};
    problem.delassus = dense_operator(&arena, BLOCKS, block_row, G);
    ts_solve_report report;
    int both = up_to(stage_of("sweeps")) | 1 << (stage_of("patches") - 1);
    solve_patched(&problem, both, BLOCKS + 1, BLOCKS, impulse, &report);
    cr_expect_neq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(report.iterations, 300, "%d iterations: more than one round", report.iterations);
    ts_arena_free(&arena);
}

static int refuse_blocks(const ts_delassus* G, ts_arena* arena, size_t most, ts_delassus_blocks* out) {
    (void)G;
    (void)arena;
    (void)most;
    (void)out;
    return 0;
}

// An operator that cannot list its blocks, as one whose matrix would be too large: no linear system, sweeps alone.
Test(ncp_stages, without_a_matrix_sweeps_go_on) {
    ts_arena arena = {0};
    ts_block block[2];
    double g[2], impulse[2];
    ts_solve_report report;
    ts_contact_problem problem = column(&arena, 30.0, block, g);
    ts_delassus_ops ops = *problem.delassus->ops;
    ops.blocks = refuse_blocks;
    problem.delassus->ops = &ops;
    solve(&problem, up_to(ncp()->stage_count), 1000, impulse, &report);
    double u[2];
    ts_contact_problem_velocity(&problem, impulse, u);
    cr_expect_leq(ts_law_residual_in_force_units(ts_residual_of_law(&problem, TS_LAW_NCP, impulse, u), TIME_STEP),
                  1e-8);
    cr_expect_eq(report.stage, stage_of("sweeps-only"), "stage %s", ts_solver_stage_name(ncp(), report.stage));
    cr_expect_float_eq(impulse[0], 31.0 * approach, 0.1 * approach);
    ts_arena_free(&arena);
}

// Of several islands the latest stage is reported. Two columns side by side, the first or the second of them hard.
Test(ncp_stages, islands_report_the_latest_stage) {
    static const int block_row[] = {0, 1, 2, 3, 4};
    for (int hard = 0; hard < 2; ++hard) {
        ts_arena arena = {0}, scratch = {0};
        double G[16] = {0}, impulse[4] = {0}, g[4] = {0};
        ts_block block[4];
        for (int c = 0; c < 2; ++c) {
            G[5 * (2 * c)] = 1.0;
            G[5 * (2 * c) + 1] = G[5 * (2 * c) + 4] = -1.0;
            G[5 * (2 * c + 1)] = 1.0 + (c == hard ? 1e-4 : 1e6);
            g[2 * c] = -approach;
        }
        for (int b = 0; b < 4; ++b) block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
        ts_contact_problem problem = {.block_count = 4, .row_count = 4, .block = block, .g = g, .time_step = TIME_STEP};
        problem.delassus = dense_operator(&arena, 4, block_row, G);
        fixture_settings settings;
        ts_solver_default_settings(ncp(), &settings);
        ts_solve_report report = ts_island_solve(ncp(), &problem, NULL, &settings, NULL, &scratch, impulse, NULL);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
        cr_expect_eq(report.stage, stage_of("newton"), "stage %s", ts_solver_stage_name(ncp(), report.stage));
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
}
