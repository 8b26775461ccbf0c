// Relative solving: errors against formulas, units of one's own without a lost bit, every set and R scaled with them,
// and words that mean what they say.
#include "contact/judge/relative.h"
#include "tests/contact/contact_fixture.h"

enum { ROWS = 12, BLOCKS = 6 };

// A cone, half-line, box, free pair and another cone whose contact stays open: dense, well conditioned, all coupled.
typedef struct sample {
    ts_arena arena;
    ts_arena scratch;
    ts_block block[BLOCKS];
    double g[ROWS];
    double R[ROWS];
    double G[ROWS * ROWS];
    ts_contact_problem problem;
} sample;

static void make_sample(sample* s, double impulse_unit, double velocity_unit) {
    static const ts_block block[] = {{TS_SET_CONE, 0, 3, 0.6, 0.0, 0.0}, {TS_SET_HALF_LINE, 3, 1, 0.0, 0.0, 0.0},
                                     {TS_SET_BOX, 4, 1, 0.0, -0.2, 0.3}, {TS_SET_FREE, 5, 2, 0.0, 0.0, 0.0},
                                     {TS_SET_CONE, 7, 3, 0.3, 0.0, 0.0}, {TS_SET_FREE, 10, 2, 0.0, 0.0, 0.0}};
    static const double g[ROWS] = {0.5, -2.0, -1.0, -0.7, 1.5, 0.3, -0.4, 0.2, 0.1, 9.0, -1.0, 0.25};
    int block_row[BLOCKS + 1] = {0};
    ts_rng rng = ts_rng_make(21, 2);
    memset(s, 0, sizeof *s);
    for (int b = 0; b < BLOCKS; ++b) {
        s->block[b] = block[b];
        s->block[b].low *= impulse_unit;
        s->block[b].high *= impulse_unit;
        block_row[b + 1] = block[b].row + block[b].rows;
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j <= i; ++j) {
            double x = (i == j ? 2.0 : 0.1 * ts_rng_normal(&rng)) * velocity_unit / impulse_unit;
            s->G[ROWS * i + j] = s->G[ROWS * j + i] = x;
        }
    for (int i = 0; i < ROWS; ++i) {
        s->g[i] = g[i] * velocity_unit;
        s->R[i] = (i % 3) * 0.05 * velocity_unit / impulse_unit;
    }
    s->problem = (ts_contact_problem){.block_count = BLOCKS,
                                      .row_count = ROWS,
                                      .block = s->block,
                                      .delassus = dense_operator(&s->arena, BLOCKS, block_row, s->G),
                                      .g = s->g,
                                      .R = s->R,
                                      .time_step = 1e-3};
}

static void free_sample(sample* s) {
    ts_arena_free(&s->arena);
    ts_arena_free(&s->scratch);
}

static ts_relative_report solve(sample* s, const char* name, double tolerance, double* impulse) {
    const ts_solver* solver = ts_solver_find(name);
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    ts_solver_default_settings(solver, settings);
    return ts_relative_solve(solver, &s->problem, settings, tolerance, NULL, &s->scratch, impulse);
}

// Errors of given answers that can be written down: one contact, mu = 0.5, G = 2 I, g = (0, 0, -1).
Test(relative, errors_against_formulas) {
    ts_arena arena = {0};
    ts_block block = fixture_cone(0, 0.5);
    const int block_row[2] = {0, 3};
    const double G[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, g[3] = {0, 0, -1};
    ts_contact_problem problem = {.block_count = 1,
                                  .row_count = 3,
                                  .block = &block,
                                  .delassus = dense_operator(&arena, 1, block_row, G),
                                  .g = g,
                                  .time_step = 1.0};
    static const struct {
        double lambda[3];
        double two_norm;
        double own;
    } answer[] = {
        {{0, 0, 0.5}, 0.0, 0.0},    // the solution: u = 0; own is the natural map, step 1/2
        {{0, 0, 0}, 1.0, 1.0},      // u = (0, 0, -1): the point (0, 0, 1) of the cone; 1/2 by what stops 1 m/s
        {{0, 0, 1.0}, 1.0, 0.5},    // u = (0, 0, 1): lambda - u = 0; 1/2 by the impulse 1
        {{0, 0, -0.25}, 1.5, 1.5},  // u = -1.5: lambda - u = 1.25, 1.5 away; 3/4 by 1/2
    };
    for (size_t k = 0; k < sizeof answer / sizeof answer[0]; ++k) {
        double u[3];
        ts_residual residual;
        ts_residual_evaluate(&problem, answer[k].lambda, &arena, u, &residual);
        ts_relative_error error = ts_relative_error_of(&problem, TS_LAW_NCP, answer[k].lambda, u, &residual);
        cr_expect_float_eq(error.two_norm, answer[k].two_norm, 1e-15, "case %zu: %g", k, error.two_norm);
        cr_expect_float_eq(error.own, answer[k].own, 1e-15, "case %zu: %g", k, error.own);
        cr_expect_eq(error.natural, residual.natural);
    }
    ts_arena_free(&arena);
}

Test(relative, each_law_has_its_own_measure) {
    ts_relative_error error = {1e-9, 1e-7, 1e-5};
    cr_expect(ts_relative_is_reached(&error, TS_LAW_NCP, 1e-6));
    cr_expect_not(ts_relative_is_reached(&error, TS_LAW_NCP, 1e-8));
    cr_expect_not(ts_relative_is_reached(&error, TS_LAW_CCP, 1e-6));
    cr_expect(ts_relative_is_reached(&error, TS_LAW_LCP, 1e-4));
    error.natural = error.two_norm = error.own = (double)NAN;
    cr_expect_not(ts_relative_is_reached(&error, TS_LAW_NCP, 1.0));
    cr_expect_not(ts_relative_is_reached(&error, TS_LAW_CCP, 1.0));
}

// Other units, other numbers, the same problem: grams and kilometres an hour change nothing but the last bits.
Test(relative, answers_do_not_depend_on_units) {
    static const double unit[][2] = {{1.0, 1.0}, {1e-9, 1e3}, {1e4, 1e-2}, {3e-4, 7e5}, {1e-30, 1e30}};
    static const char* const name[] = {"ncp", "ncp-newton", "ncp-pgs"};
    for (size_t n = 0; n < sizeof name / sizeof name[0]; ++n) {
        double first[ROWS];
        for (size_t k = 0; k < sizeof unit / sizeof unit[0]; ++k) {
            sample s;
            double impulse[ROWS];
            make_sample(&s, unit[k][0], unit[k][1]);
            ts_relative_report report = solve(&s, name[n], 1e-10, impulse);
            cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s, units %zu: %s", name[n], k,
                         ts_solve_status_name(report.status));
            cr_expect_leq(report.residual.natural, 1e-10);
            for (int i = 0; i < ROWS; ++i) {
                double x = impulse[i] / unit[k][0];
                if (k == 0) first[i] = x;
                cr_expect_float_eq(x, first[i], 1e-8, "%s, units %zu, row %d: %.12g, not %.12g", name[n], k, i, x,
                                   first[i]);
            }
            // The box is where it should be, and full: its free velocity is large.
            cr_expect_float_eq(impulse[4] / unit[k][0], -0.2, 1e-9);
            free_sample(&s);
        }
    }
}

// One row of effort is not enough, and nobody says that it was.
Test(relative, a_limit_is_a_limit) {
    sample s;
    make_sample(&s, 1.0, 1.0);
    const ts_solver* solver = ts_solver_find("ncp-pgs");
    unsigned char settings[TS_SOLVER_SETTINGS_BYTES];
    double impulse[ROWS];
    ts_solver_default_settings(solver, settings);
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 1.0, NULL), TS_OK);
    ts_relative_report report = ts_relative_solve(solver, &s.problem, settings, 1e-12, NULL, &s.scratch, impulse);
    cr_expect_eq(report.status, TS_SOLVE_ITERATION_LIMIT);
    cr_expect_eq(report.iterations, 1);
    cr_expect_eq(report.attempts, 1);
    cr_expect_gt(report.error.natural, 1e-12);
    free_sample(&s);
}

// What cannot be reached for rounding is a stall or a limit, never success.
Test(relative, beyond_rounding_is_no_success) {
    sample s;
    double impulse[ROWS];
    make_sample(&s, 1.0, 1.0);
    ts_relative_report report = solve(&s, "ncp-newton", 1e-300, impulse);
    cr_expect(report.status != TS_SOLVE_CONVERGED ||
              (report.error.natural <= 1e-300 && report.error.two_norm <= 1e-300));
    free_sample(&s);
}

// Nothing moves and nothing is asked: zero is the answer.
Test(relative, a_problem_at_rest_is_solved_by_nothing) {
    sample s;
    double impulse[ROWS];
    make_sample(&s, 1.0, 1.0);
    memset(s.g, 0, sizeof s.g);
    ts_relative_report report = solve(&s, "ncp", 1e-8, impulse);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    for (int i = 0; i < ROWS; ++i) cr_expect_eq(impulse[i], 0.0);
    free_sample(&s);
}

// A residual that is small in force units need not be small in the measures that count: then the solve goes on with a
// smaller tolerance until they are. Six contacts on two bodies, one of which is hit a thousand times as hard as the
// rest, ask for that now and then.
Test(relative, goes_on_until_the_measure_is_met) {
    enum { CONTACTS = 6, SIZE = 3 * CONTACTS, DOF = 12 };
    const ts_solver* solver = ts_solver_find("ncp-staggered");
    ts_rng rng = ts_rng_make(3, 3);
    int again = 0, solved = 0;
    for (int trial = 0; trial < 200; ++trial) {
        double J[SIZE][DOF], G[SIZE * SIZE], g[SIZE], lambda[SIZE];
        ts_block block[CONTACTS];
        int block_row[CONTACTS + 1] = {0};
        for (int i = 0; i < SIZE; ++i)
            for (int j = 0; j < DOF; ++j) J[i][j] = ts_rng_normal(&rng) * (j < 6 ? 1.0 : 1e-2);
        for (int i = 0; i < SIZE; ++i) {
            g[i] = ts_rng_normal(&rng) * (i < 3 ? 1.0 : 1e-3);
            for (int k = 0; k < SIZE; ++k) {
                G[i * SIZE + k] = 0.0;
                for (int j = 0; j < DOF; ++j) G[i * SIZE + k] += J[i][j] * J[k][j];
            }
        }
        for (int c = 0; c < CONTACTS; ++c) {
            block[c] = fixture_cone(3 * c, 0.3);
            block_row[c + 1] = 3 * c + 3;
        }
        ts_arena arena = {0}, scratch = {0};
        ts_contact_problem problem = {.block_count = CONTACTS,
                                      .row_count = SIZE,
                                      .block = block,
                                      .delassus = dense_operator(&arena, CONTACTS, block_row, G),
                                      .g = g,
                                      .time_step = TIME_STEP};
        fixture_settings settings = fixture_settings_of(solver, 0.0, 10000);
        ts_relative_report r = ts_relative_solve(solver, &problem, &settings, 1e-6, NULL, &scratch, lambda);
        if (r.attempts > 1 && r.status == TS_SOLVE_CONVERGED) ++again;
        if (r.status == TS_SOLVE_CONVERGED) ++solved;
        // A solver that gets nowhere says so at once, long before its limit; what it has solved is not given up for the measure's sake.
        cr_expect_neq(r.status, TS_SOLVE_ITERATION_LIMIT, "trial %d", trial);
        if (r.status == TS_SOLVE_STALLED)
            cr_expect_eq(r.attempts, 1, "trial %d, %d attempts: %g", trial, r.attempts, r.error.natural);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(again, 1);
    cr_expect_geq(solved, 165, "%d of 200", solved);
}
