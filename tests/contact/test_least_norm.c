// Taking internal forces out: no velocity changes, the impulse stays admissible, and where the cones leave room nothing is left that
// moves nothing.
#include "contact/judge/internal_force.h"
#include "contact/least_norm_internal.h"
#include "tests/contact/contact_fixture.h"

enum { ROWS = 12 };

typedef struct cube {
    ts_arena arena;
    ts_block block[4];
    double G[ROWS * ROWS];
    double g[ROWS];
    ts_contact_problem problem;
} cube;

// A cube on its corners, pressed down by its weight and pulled along y.
static void make_cube(cube* c, double mu, double pull) {
    double J[ROWS][6], Y[ROWS][6];
    static const int block_row[5] = {0, 3, 6, 9, 12};
    memset(c, 0, sizeof *c);
    fixture_cube(J, Y, c->G);
    for (int b = 0; b < 4; ++b) {
        c->block[b] = fixture_cone(3 * b, mu);
        c->g[3 * b + 1] = pull * TIME_STEP;
        c->g[3 * b + 2] = -GRAVITY * TIME_STEP;
    }
    c->problem = (ts_contact_problem){.block_count = 4,
                                      .row_count = ROWS,
                                      .block = c->block,
                                      .delassus = dense_operator(&c->arena, 4, block_row, c->G),
                                      .g = c->g,
                                      .time_step = TIME_STEP};
}

static double norm_of(const double* x) {
    double sum = 0.0;
    for (int i = 0; i < ROWS; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

// The point of least norm by alternating projections, which creep there: of lambda + null(G) and of the cones in turn (Dykstra).
static void creep(const cube* c, const double* basis, int rank, const double* lambda, double* x) {
    double correction[ROWS] = {0.0}, kept[ROWS], null[ROWS], given[ROWS];
    (void)ts_internal_part(basis, rank, ROWS, lambda, null);
    for (int i = 0; i < ROWS; ++i) x[i] = kept[i] = lambda[i] - null[i];
    for (int round = 0; round < 100000; ++round) {
        for (int i = 0; i < ROWS; ++i) given[i] = x[i] + correction[i];
        for (int b = 0; b < 4; ++b) ts_block_set_project(&c->block[b], given + 3 * b, x + 3 * b);
        for (int i = 0; i < ROWS; ++i) correction[i] = given[i] - x[i];
        (void)ts_internal_part(basis, rank, ROWS, x, null);
        for (int i = 0; i < ROWS; ++i) x[i] = kept[i] + null[i];
    }
}

// Answers from random starts, each another one; where the cones leave room all become the same.
static void check(double mu, double pull, int is_inside) {
    cube c;
    ts_arena scratch = {0};
    ts_rng rng = ts_rng_make(5, 0);
    const ts_solver* solver = ts_solver_find("ncp-nsgs");
    double least[ROWS] = {0.0};
    make_cube(&c, mu, pull);
    for (int trial = 0; trial < 20; ++trial) {
        double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)], l[ROWS], before[ROWS], u[ROWS], v[ROWS];
        ts_solver_default_settings(solver, settings);
        cr_assert_eq(ts_solver_set(solver, settings, "tolerance", is_inside ? 1e-13 : 1e-11, NULL), TS_OK);
        cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 1e5, NULL), TS_OK);
        for (int i = 0; i < ROWS; ++i) l[i] = 0.002 * ts_rng_normal(&rng) + (i % 3 == 2 ? 0.003 : 0.0);
        cr_assert_eq(solver->solve(&c.problem, settings, &scratch, l).status, TS_SOLVE_CONVERGED);
        memcpy(before, l, sizeof before);
        ts_yardstick y = ts_yardstick_make(&c.problem, TS_LAW_NCP, (ts_goal){1e-10, 0.0});
        ts_least_norm(&y, ROWS - 1, &scratch, l);
        cr_expect_eq(memcmp(l, before, sizeof l), 0, "too many rows, and touched all the same");
        ts_least_norm(&y, ROWS, &scratch, l);
        cr_expect_eq(scratch.used, 0u);
        cr_expect_leq(norm_of(l), norm_of(before) * (1.0 + 1e-12));
        ts_contact_problem_velocity(&c.problem, before, u);
        ts_contact_problem_velocity(&c.problem, l, v);
        for (int i = 0; i < ROWS; ++i) cr_expect_float_eq(u[i], v[i], 1e-14);
        for (int b = 0; b < 4; ++b)
            cr_expect_leq(hypot(l[3 * b], l[3 * b + 1]), mu * l[3 * b + 2] + 1e-17, "contact %d leaves its cone", b);
        cr_expect_leq(ts_yardstick_excess(&y, l, v), 1.0);
        if (is_inside)
            cr_expect_leq(ts_internal_force(&c.problem, l, &scratch, NULL), 1e-12 * norm_of(l), "trial %d", trial);
        if (trial == 0) memcpy(least, l, sizeof least);
        for (int i = 0; is_inside && i < ROWS; ++i)
            cr_expect_float_eq(l[i], least[i], 1e-12 * norm_of(least), "trial %d, row %d: %g, not %g", trial, i, l[i],
                               least[i]);
        if (trial == 0) {
            double slow[ROWS], *basis;
            int rank = ts_internal_basis(&c.problem, &scratch, &basis);
            creep(&c, basis, rank, before, slow);
            ts_arena_reset(&scratch);
            for (int i = 0; i < ROWS; ++i)
                cr_expect_float_eq(l[i], slow[i], 1e-9 * norm_of(l), "row %d: %.12g, by projections %.12g", i, l[i],
                                   slow[i]);
        }
        // On the cones there is an end to what can be taken out.
        double left = ts_internal_force(&c.problem, l, &scratch, NULL);
        double had = ts_internal_force(&c.problem, before, &scratch, NULL);
        cr_expect_leq(left, had * (1.0 + 1e-9), "trial %d: %g of %g", trial, left, had);
    }
    ts_arena_free(&c.arena);
    ts_arena_free(&scratch);
}

Test(least_norm, is_one_answer_where_cones_leave_room) { check(0.9, 1.0, 1); }

// Pulled so hard that the front feet would be on their cones: the rear ones have to help.
Test(least_norm, ends_at_the_cones) { check(0.9, 7.5, 0); }

// A dragged cube that sticks: friction forces on its feet add up and cancel nowhere.
Test(least_norm, sliding_answers_stay_as_they_are) {
    cube c;
    ts_arena scratch = {0};
    double l[ROWS] = {0.0}, before[ROWS], settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)];
    const ts_solver* solver = ts_solver_find("ncp-nsgs");
    make_cube(&c, 0.4, 300.0);
    ts_solver_default_settings(solver, settings);
    cr_assert_eq(solver->solve(&c.problem, settings, &scratch, l).status, TS_SOLVE_CONVERGED);
    memcpy(before, l, sizeof l);
    ts_yardstick y = ts_yardstick_make(&c.problem, TS_LAW_NCP, (ts_goal){1e-8, 0.0});
    double u[ROWS];
    ts_least_norm(&y, ROWS, &scratch, l);
    ts_contact_problem_velocity(&c.problem, l, u);
    cr_expect_leq(ts_yardstick_excess(&y, l, u), 1.0);
    ts_arena_free(&c.arena);
    ts_arena_free(&scratch);
}
