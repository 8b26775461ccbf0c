// Momentum of the sweeps: the answer of a column is the weight above, with fewer sweeps, and rounding does not grow.
#include "contact/solvers/sweeps/momentum_internal.h"
#include "tests/contact/contact_fixture.h"

enum { BODIES = 30 };

static const double approach = 1e-3;  // m/s, that the ground stops

// Bodies of 1 kg on each other, listed from the ground up, against which sweeps are slowest.
typedef struct column {
    ts_arena arena;
    ts_block block[BODIES];
    int block_row[BODIES + 1];
    int segment_start[BODIES + 1];
    double J[2 * BODIES];
    ts_delassus_segment segment[2 * BODIES];
    double g[BODIES];
    ts_contact_problem problem;
} column;

// With an operator in velocity form, or with the matrix itself.
static void make_column(column* c, int is_form) {
    static double G[BODIES * BODIES];
    memset(c, 0, sizeof *c);
    memset(G, 0, sizeof G);
    int segments = 0;
    for (int b = 0; b < BODIES; ++b) {
        c->block[b] = (ts_block){.set = TS_SET_HALF_LINE, .row = b, .rows = 1};
        c->block_row[b + 1] = b + 1;
        for (int body = b > 0 ? b - 1 : b; body <= b; ++body) {
            c->J[segments] = body == b ? 1.0 : -1.0;
            c->segment[segments] = (ts_delassus_segment){body, 1, &c->J[segments], &c->J[segments]};
            ++segments;
        }
        c->segment_start[b + 1] = segments;
        G[b * (BODIES + 1)] = b > 0 ? 2.0 : 1.0;
        if (b > 0) G[b * BODIES + b - 1] = G[(b - 1) * BODIES + b] = -1.0;
    }
    c->g[0] = -approach;
    ts_delassus* operator_of =
        is_form ? ts_delassus_velocity_form(&c->arena, BODIES, BODIES, c->block_row, c->segment_start, c->segment)
                : dense_operator(&c->arena, BODIES, c->block_row, G);
    cr_assert_not_null(operator_of);
    c->problem = (ts_contact_problem){.block_count = BODIES,
                                      .row_count = BODIES,
                                      .block = c->block,
                                      .delassus = operator_of,
                                      .g = c->g,
                                      .time_step = TIME_STEP};
}

// The largest error of an impulse: every contact carries what stands on it.
static double error_of(const double* impulse) {
    double worst = 0.0;
    for (int b = 0; b < BODIES; ++b) worst = fmax(worst, fabs(impulse[b] / (approach * (BODIES - b)) - 1.0));
    return worst;
}

static ts_solve_report solve(column* c, const char* name, double momentum, double tolerance, int limit,
                             double* impulse) {
    const ts_solver* solver = ts_solver_find(name);
    fixture_settings settings;
    ts_arena scratch = {0};
    ts_solver_default_settings(solver, &settings);
    settings.shared.tolerance = tolerance;
    settings.shared.stall = 0.0;
    settings.shared.iteration_limit = limit;
    fixture_set(solver, &settings, "momentum", momentum);
    memset(impulse, 0, BODIES * sizeof(double));
    ts_solve_report report = solver->solve(&c->problem, &settings, &scratch, impulse);
    cr_expect_eq(scratch.used, 0u);
    ts_arena_free(&scratch);
    return report;
}

Test(momentum, a_column_is_carried_with_a_third_of_the_sweeps) {
    static const char* const sweeper[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs"};
    static column c;
    for (int is_form = 0; is_form < 2; ++is_form)
        for (size_t i = 0; i < sizeof sweeper / sizeof sweeper[0]; ++i) {
            double plain[BODIES], pushed[BODIES];
            make_column(&c, is_form);
            ts_solve_report a = solve(&c, sweeper[i], 0.0, 1e-8, 100000, plain);
            ts_solve_report b = solve(&c, sweeper[i], 0.9, 1e-8, 100000, pushed);
            cr_expect_eq(a.status, TS_SOLVE_CONVERGED);
            cr_expect_eq(b.status, TS_SOLVE_CONVERGED);
            cr_expect_leq(error_of(plain), 1e-4, "%s: %g", sweeper[i], error_of(plain));
            cr_expect_leq(error_of(pushed), 1e-4, "%s: %g", sweeper[i], error_of(pushed));
            cr_expect_leq(3 * b.iterations, a.iterations, "%s: %d sweeps, plain %d", sweeper[i], b.iterations,
                          a.iterations);
            ts_arena_free(&c.arena);
        }
}

// What is summed anew on the way (every sixteenth sweep) differs from what was carried along by rounding, which would grow with every sum
// if it were taken for movement.
Test(momentum, rounding_does_not_grow) {
    static column c;
    double impulse[BODIES];
    make_column(&c, 1);
    ts_solve_report report = solve(&c, "ncp-pgs", 0.9, 0.0, 20000, impulse);
    cr_expect_neq(report.status, TS_SOLVE_FAILED);
    cr_expect_leq(error_of(impulse), 1e-12, "%g", error_of(impulse));
    ts_arena_free(&c.arena);
}

// The first steps by hand: none from rest and none after it, a quarter of the third, then two fifths, at most what was asked for.
Test(momentum, goes_on_by_nesterovs_parts) {
    static column c;
    double x[BODIES] = {0.0};
    ts_arena scratch = {0};
    ts_momentum m;
    make_column(&c, 1);
    ts_velocity_form* form = ts_velocity_form_of(c.problem.delassus);
    cr_assert(ts_momentum_make(&m, c.problem.delassus, 0.3, &scratch));
    double asked[TS_MOMENTUM_ROUND + 2];
    for (int k = 0; k < TS_MOMENTUM_ROUND + 2; ++k) {
        double before = x[0];
        ts_momentum_push(&m, x);
        asked[k] = x[0] - before;
        // The velocity belongs to it: the first contact moves the first body alone.
        cr_expect_float_eq(form->V[0], x[0], 1e-9 * fabs(x[0]), "push %d", k);
        // A sweep that moves by one.
        double delta = 1.0 + before - x[0];
        x[0] += delta;
        form->V[0] += delta;
    }
    cr_expect_eq(asked[0], 0.0);
    cr_expect_eq(asked[1], 0.0);
    cr_expect_float_eq(asked[2], 0.25, 1e-12);
    cr_expect_float_eq(asked[3], 0.3, 1e-12);
    cr_expect_float_eq(asked[TS_MOMENTUM_ROUND - 1], 0.3, 1e-12);
    cr_expect_eq(asked[TS_MOMENTUM_ROUND], 0.0);
    cr_expect_eq(asked[TS_MOMENTUM_ROUND + 1], 0.0);
    ts_arena_free(&scratch);
    ts_arena_free(&c.arena);
}
