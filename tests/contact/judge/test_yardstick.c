// The yardstick: what "good enough" means does not depend on units. Random problems in grams, miles and hours get the same
// status, the same iterations and the same verdict of every contact from every solver.
#include "contact/island.h"
#include "contact/judge/certificate.h"
#include "tests/contact/contact_fixture.h"

enum { CONTACTS = 6, ROWS = 3 * CONTACTS + 2, BLOCKS = CONTACTS + 2, DOF = 12, PROBLEMS = 200 };

// Contacts between two bodies and the ground, a joint limit and dry friction: rows of random directions.
typedef struct sample {
    ts_block block[BLOCKS];
    double G[ROWS * ROWS];
    double g[ROWS];
    double R[ROWS];
    int compliant;
} sample;

static void make_sample(sample* s, ts_rng* rng) {
    double J[ROWS][DOF];
    int row = 0;
    for (int b = 0; b < BLOCKS; ++b) {
        s->block[b] = fixture_cone(row, ts_rng_uniform_in(rng, 0.0, 1.0));
        if (b == CONTACTS) s->block[b] = (ts_block){TS_SET_HALF_LINE, row, 1, 0.0, 0.0, 0.0};
        if (b == CONTACTS + 1) s->block[b] = (ts_block){TS_SET_BOX, row, 1, 0.0, -0.1, 0.1};
        row += s->block[b].rows;
    }
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < DOF; ++k) J[i][k] = ts_rng_normal(rng);
        s->g[i] = ts_rng_normal(rng) - (i % 3 == 2 ? 1.0 : 0.0);
        s->R[i] = 0.01 * ts_rng_uniform(rng);
    }
    s->compliant = ts_rng_uniform(rng) < 0.3;
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < ROWS; ++k) {
            double sum = 0.0;
            for (int d = 0; d < DOF; ++d) sum += J[i][d] * J[k][d] / (d < 6 ? 1.0 : 20.0);
            s->G[ROWS * i + k] = sum;
        }
}

typedef struct units {
    double mass, length, time;
} units;

// The same problem counted in other units.
static sample in_units(const sample* s, units u) {
    sample out = *s;
    double velocity = u.length / u.time, impulse = u.mass * velocity;
    for (int b = 0; b < BLOCKS; ++b) {
        out.block[b].low *= impulse;
        out.block[b].high *= impulse;
    }
    for (int i = 0; i < ROWS; ++i) {
        out.g[i] *= velocity;
        out.R[i] /= u.mass;
    }
    for (int i = 0; i < ROWS * ROWS; ++i) out.G[i] /= u.mass;
    return out;
}

typedef struct verdict {
    ts_solve_report report;
    double unmet;
    ts_contact_mode mode[BLOCKS];
    unsigned holds;
} verdict;

static verdict judge(const sample* s, const ts_solver* solver, double time_step, int limit) {
    verdict v;
    ts_arena arena = {0}, scratch = {0};
    double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)], lambda[ROWS] = {0}, u[ROWS];
    int block_row[BLOCKS + 1] = {0};
    for (int b = 0; b < BLOCKS; ++b) block_row[b + 1] = block_row[b] + s->block[b].rows;
    ts_contact_problem problem = {.block_count = BLOCKS,
                                  .row_count = ROWS,
                                  .block = s->block,
                                  .delassus = dense_operator(&arena, BLOCKS, block_row, s->G),
                                  .g = s->g,
                                  .R = s->compliant ? s->R : NULL,
                                  .time_step = time_step};
    ts_solver_default_settings(solver, settings);
    if (limit > 0) ((ts_solver_settings*)settings)->iteration_limit = limit;
    v.report = solver->solve(&problem, settings, &scratch, lambda);
    ts_contact_problem_velocity(&problem, lambda, u);
    v.unmet = ts_yardstick_unmet(&problem, solver->law, NULL, lambda, u);
    ts_contact_certificate c;
    cr_assert_eq(ts_certificate_make(&problem, NULL, lambda, ts_certificate_tolerance, TS_CERTIFICATE_FAST, &arena, &c),
                 TS_OK);
    for (int b = 0; b < BLOCKS; ++b) v.mode[b] = c.verdict[b].mode;
    v.holds = c.holds;
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
    return v;
}

// All solvers on all problems in other units, power^(-1, 0, 1) of each. Where no bit is lost everything is the same; else
// rounding may put one in a hundred on the other side of a limit, or of two answers that there are.
static void expect_no_change(double power, int lossless) {
    static const signed char exponent[8][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0},
                                               {0, 0, -1}, {0, 0, 1}, {1, -1, 1}, {-1, 1, -1}};
    ts_rng rng = ts_rng_make(17, 0);
    int converged = 0, differ = 0;
    for (int k = 0; k < PROBLEMS; ++k) {
        sample s;
        const signed char* e = exponent[k % 8];
        units u = {pow(power, e[0]), pow(power, e[1]), pow(power, e[2])};
        make_sample(&s, &rng);
        sample t = in_units(&s, u);
        for (int i = 0; i < ts_solver_count(); ++i) {
            const ts_solver* solver = ts_solver_at(i);
            verdict a = judge(&s, solver, TIME_STEP, 300), b = judge(&t, solver, TIME_STEP * u.time, 300);
            converged += a.report.status == TS_SOLVE_CONVERGED;
            int same = a.report.status == b.report.status && a.holds == b.holds &&
                       memcmp(a.mode, b.mode, sizeof a.mode) == 0 &&
                       (!lossless || a.report.iterations == b.report.iterations);
            if (!same)
                cr_log_info("%s, problem %d: %s after %d at %g, in other units %s after %d at %g", solver->name, k,
                            ts_solve_status_name(a.report.status), a.report.iterations, a.unmet,
                            ts_solve_status_name(b.report.status), b.report.iterations, b.unmet);
            differ += !same;
        }
    }
    cr_expect_leq(differ, lossless ? 0 : PROBLEMS * ts_solver_count() / 100, "%d differ", differ);
    cr_expect_geq(converged, PROBLEMS * ts_solver_count() / 3, "%d", converged);
}

Test(yardstick, units_change_no_bit, .timeout = 600) { expect_no_change(0x1p20, 1); }

// A million is no power of two: sums round otherwise, so Newton's methods may need a step more.
Test(yardstick, units_change_no_verdict, .timeout = 600) { expect_no_change(1e6, 0); }

// What is asked in force units is asked in addition: 1e-6 N of a tonne's 9810.
Test(yardstick, an_absolute_tolerance_is_asked_in_addition) {
    const ts_block block = fixture_cone(0, 0.5);
    const double G[9] = {1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3}, g[3] = {0, 0, -GRAVITY * TIME_STEP};
    const int block_row[2] = {0, 3};
    double lambda[3] = {0, 0, 1e3 * GRAVITY * TIME_STEP * (1.0 + 1e-9)}, u[3];
    ts_arena arena = {0};
    ts_contact_problem problem = {.block_count = 1,
                                  .row_count = 3,
                                  .block = &block,
                                  .delassus = dense_operator(&arena, 1, block_row, G),
                                  .g = g,
                                  .time_step = TIME_STEP};
    ts_contact_problem_velocity(&problem, lambda, u);
    ts_yardstick y = ts_yardstick_make(&problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
    cr_expect_float_eq(ts_yardstick_excess(&y, lambda, u), 0.1, 1e-6);
    // lambda u / h^2 = 9810 N times 9.81e-9 m/s^2.
    y.goal.force = 1e-6;
    cr_expect_float_eq(ts_yardstick_excess(&y, lambda, u) / 96.2, 1.0, 1e-2);
    // Nothing but what is exactly right meets a tolerance of nothing.
    y.goal = (ts_goal){0.0, 0.0};
    cr_expect_gt(ts_yardstick_excess(&y, lambda, u), 1.0);
    cr_expect(isfinite(ts_yardstick_excess(&y, lambda, u)));
    lambda[2] = (double)NAN;
    cr_expect(isnan(ts_yardstick_excess(&y, lambda, u)));
    ts_arena_free(&arena);
}
