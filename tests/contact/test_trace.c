// Convergence within a solve: for every solver of the table the first entry is the start, the last one the answer, both by the
// yardstick; iterations never run back; and a traced solve has the bits of any other.
#include "contact/trace.h"

#include "contact/island.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/solver_cases.h"

enum { CUBES = 2, BLOCKS = 4 * CUBES, ROWS = 3 * BLOCKS, ENTRIES = 4000 };

// Cubes side by side, the one sliding and the other at rest, that do not touch.
typedef struct cubes {
    ts_arena arena;
    ts_block block[BLOCKS];
    double G[ROWS * ROWS], g[ROWS];
    ts_contact_problem problem;
} cubes;

static void make_cubes(cubes* c) {
    double J[12][6], Y[12][6], G[144];
    int block_row[BLOCKS + 1] = {0};
    memset(c, 0, sizeof *c);
    fixture_cube(J, Y, G);
    for (int b = 0; b < BLOCKS; ++b) {
        int cube = b / 4;
        c->block[b] = fixture_cone(3 * b, cube == 0 ? 0.3 : 0.7);
        block_row[b + 1] = 3 * b + 3;
        c->g[3 * b] = cube == 0 ? 0.05 : 1e-3;
        c->g[3 * b + 1] = cube == 0 ? 0.02 : -5e-4;
        c->g[3 * b + 2] = -GRAVITY * TIME_STEP;
    }
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < ROWS; ++k)
            if (i / 12 == k / 12) c->G[ROWS * i + k] = G[12 * (i % 12) + k % 12];
    c->problem = (ts_contact_problem){.block_count = BLOCKS,
                                      .row_count = ROWS,
                                      .block = c->block,
                                      .delassus = dense_operator(&c->arena, BLOCKS, block_row, c->G),
                                      .g = c->g,
                                      .time_step = TIME_STEP};
}

// What the verdict says of an impulse's rows of one cube: the share of the law that the solver claims.
static double unmet_of(const ts_solver* solver, const ts_contact_problem* problem, const void* settings, int cube,
                       const double* impulse) {
    double R[ROWS], u[ROWS];
    int start[2] = {0, 4}, block[4] = {4 * cube, 4 * cube + 1, 4 * cube + 2, 4 * cube + 3};
    ts_islands one = {1, start, block};
    ts_contact_problem own = *problem;
    own.trace = NULL;
    if (solver->compliance) {
        solver->compliance(problem, settings, R);
        own.R = R;
    }
    ts_contact_problem_velocity(&own, impulse, u);
    return ts_yardstick_unmet(&own, solver->law, &one, impulse, u);
}

static void expect_share(double noted, double judged, const char* name, const char* what) {
    cr_expect_float_eq(noted, judged, 1e-12 + 1e-6 * judged, "%s, %s: %.17g is noted, %.17g judged", name, what, noted,
                       judged);
}

Test(trace, starts_and_ends_are_those_that_are_judged, .timeout = 60) {
    static ts_trace_entry entry[ENTRIES];
    cubes c;
    make_cubes(&c);
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        fixture_settings settings;
        memset(&settings, 0, sizeof settings);
        ts_solver_default_settings(solver, &settings);
        ts_arena scratch = {0};
        double plain[ROWS], traced[ROWS], start[ROWS], u[ROWS];
        ts_rng rng = ts_rng_make(5, (unsigned)k);
        for (int i = 0; i < ROWS; ++i) plain[i] = traced[i] = start[i] = 1e-3 * ts_rng_normal(&rng);
        // Each cube by itself: an island's start is its own.
        for (int cube = 0; cube < CUBES; ++cube) {
            double J[12][6], Y[12][6], G[144];
            int block_row[5] = {0, 3, 6, 9, 12};
            ts_block block[4];
            fixture_cube(J, Y, G);
            for (int b = 0; b < 4; ++b) block[b] = fixture_cone(3 * b, c.block[4 * cube].mu);
            ts_contact_problem one = {.block_count = 4,
                                      .row_count = 12,
                                      .block = block,
                                      .delassus = dense_operator(&c.arena, 4, block_row, G),
                                      .g = c.g + 12 * cube,
                                      .time_step = TIME_STEP};
            ts_solver_start(&one, solver->law, start + 12 * cube, u);
        }
        ts_trace trace = {.entry = entry, .capacity = ENTRIES};
        ts_contact_problem problem = c.problem;
        ts_solve_report without = ts_island_solve(solver, &problem, NULL, &settings, NULL, &scratch, plain, NULL);
        problem.trace = &trace;
        ts_solve_report with = ts_island_solve(solver, &problem, NULL, &settings, NULL, &scratch, traced, NULL);
        cr_expect_eq(with.iterations, without.iterations, "%s", solver->name);
        cr_expect_eq(with.status, without.status, "%s", solver->name);
        cr_expect_eq(memcmp(plain, traced, sizeof plain), 0, "%s: other bits with a trace", solver->name);
        cr_expect_eq(trace.missed, 0, "%s", solver->name);
        cr_expect_eq(scratch.used, 0u, "%s", solver->name);
        cr_assert_geq(trace.count, 2 * CUBES, "%s: %d", solver->name, trace.count);
        for (int i = 0, cube = 0; i < trace.count; ++i) {
            int first = i == 0 || entry[i - 1].island != entry[i].island;
            int last = i + 1 == trace.count || entry[i + 1].island != entry[i].island;
            cr_assert_eq(entry[i].island, cube, "%s", solver->name);
            if (first)
                expect_share(entry[i].unmet, unmet_of(solver, &c.problem, &settings, cube, start), solver->name,
                             "start");
            if (last)
                expect_share(entry[i].unmet, unmet_of(solver, &c.problem, &settings, cube, traced), solver->name,
                             "end");
            cr_expect_eq(first, entry[i].iteration == 0, "%s: %d", solver->name, entry[i].iteration);
            if (!first) cr_expect_gt(entry[i].iteration, entry[i - 1].iteration, "%s, entry %d", solver->name, i);
            cr_expect(entry[i].stage >= 0 && entry[i].stage <= solver->stage_count, "%s", solver->name);
            if (!first) cr_expect_eq(entry[i].stage == 0, solver->stage_count == 0, "%s", solver->name);
            cube += last;
        }
        ts_arena_free(&scratch);
    }
    ts_arena_free(&c.arena);
}

// A solve without room for its iterations still ends with its answer, and says what is missing.
Test(trace, the_end_finds_room) {
    ts_trace_entry entry[3];
    ts_trace trace = {.entry = entry, .capacity = 3};
    cubes c;
    make_cubes(&c);
    c.problem.trace = &trace;
    ts_arena scratch = {0};
    double lambda[ROWS] = {0};
    const ts_solver* solver = ts_solver_find("ncp-pgs");
    ts_solve_report report = ts_solver_solve(solver, &c.problem, solver->defaults, &scratch, lambda);
    double u[ROWS];
    ts_contact_problem_velocity(&c.problem, lambda, u);
    cr_expect_eq(trace.count, 3);
    cr_expect_eq(trace.missed, report.iterations + 1 - 3);
    cr_expect_eq(entry[2].iteration, report.iterations);
    expect_share(entry[2].unmet, ts_yardstick_unmet(&c.problem, solver->law, NULL, lambda, u), solver->name, "end");
    ts_arena_free(&scratch);
    ts_arena_free(&c.arena);
}

// Of three islands whose notes lie one after the other the worse one counts, at its last look not beyond the iteration.
Test(trace, a_curve_is_of_the_worst_island) {
    ts_trace_entry entry[] = {{0, 0, 0, 1.0}, {0, 0, 1, 0.5},   {0, 0, 2, 0.1},  {0, 0, 3, 0.01}, {1, 0, 0, 0.8},
                              {1, 0, 2, 0.2}, {1, 0, 5, 0.003}, {2, 0, 0, 1e-3}, {2, 0, 1, 1e-4}};
    ts_trace trace = {.entry = entry, .capacity = 9, .count = 9};
    static const double expected[] = {1.0, 0.8, 0.2, 0.2, 0.2, 0.01};
    double iteration[8], unmet[8];
    int count = ts_trace_curve(&trace, 8, iteration, unmet);
    cr_assert_eq(count, 6, "%d", count);
    for (int k = 0; k < count; ++k) {
        cr_expect_eq(iteration[k], (double)k);
        cr_expect_eq(unmet[k], expected[k], "after %d: %g", k, unmet[k]);
    }
    // In less room the start and the end stay.
    count = ts_trace_curve(&trace, 3, iteration, unmet);
    cr_assert_eq(count, 3);
    cr_expect(iteration[0] == 0.0 && unmet[0] == 1.0 && iteration[2] == 5.0 && unmet[2] == 0.01);
    // A start and an end of many iterations later, and nothing that would tell what was between.
    ts_trace pair = {.entry = (ts_trace_entry[]){{0, 0, 0, 1.0}, {0, 0, 40, 1e-9}}, .capacity = 2, .count = 2};
    cr_assert_eq(ts_trace_curve(&pair, 8, iteration, unmet), 2);
    cr_expect(iteration[1] == 40.0 && unmet[1] == 1e-9);
    ts_trace_restart(&pair);
    cr_expect_eq(ts_trace_curve(&pair, 8, iteration, unmet), 0);
}
