// ncp-canal and ncp-subadmm, beside the suite of closed forms: that they find what `ncp` finds, whatever the penalty, on the matrix and
// through the bodies; that a stack of a million to one is none to the one and is to the other; and what they say when they do not arrive.
#include "contact/solvers/splitting/subsystems_internal.h"
#include "tests/contact/contact_fixture.h"
#include "tests/contact/solvers/solver_cases.h"

static const char* const names[2] = {"ncp-canal", "ncp-subadmm"};

enum { CONTACTS = 4, ROWS = 3 * CONTACTS, DOF = 18 };

// Contacts between bodies and the ground whose answer is one: more coordinates than rows, friction below a half, rows near to square.
typedef struct sample {
    ts_block block[CONTACTS];
    double J[ROWS][DOF];
    double G[ROWS * ROWS];
    double g[ROWS];
} sample;

static void make_sample(ts_rng* rng, sample* s) {
    for (int c = 0; c < CONTACTS; ++c) s->block[c] = fixture_cone(3 * c, ts_rng_uniform_in(rng, 0.1, 0.5));
    for (int i = 0; i < ROWS; ++i) {
        s->g[i] = ts_rng_normal(rng) * (i % 3 == 2 ? 1.0 : 0.3) - (i % 3 == 2 ? 0.7 : 0.0);
        // Each contact has a first body of six coordinates, and every second one another.
        for (int j = 0; j < DOF; ++j) {
            int body = j / 6, first = i / 3 % 3, second = (first + 1) % 3;
            int on = body == first || (body == second && i / 3 % 2);
            s->J[i][j] = on ? 0.3 * ts_rng_normal(rng) + (j % 6 == i % 3 ? 1.5 : 0.0) : 0.0;
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < ROWS; ++k) {
            s->G[ROWS * i + k] = i == k ? 0.5 : 0.0;
            for (int j = 0; j < DOF; ++j) s->G[ROWS * i + k] += s->J[i][j] * s->J[k][j];
        }
}

static fixture_answer answer(const char* name, const sample* s, double penalty) {
    const ts_solver* solver = ts_solver_find(name);
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 20000);
    if (penalty > 0.0) fixture_set(solver, &settings, "penalty", penalty);
    return fixture_solve(solver, &settings, CONTACTS, s->block, s->G, s->g, NULL, NULL);
}

Test(augmented, finds_what_ncp_finds) {
    static const double penalties[2][3] = {{0.0, 1e-1, 1e6}, {0.0, 0.05, 20.0}};
    ts_rng rng = ts_rng_make(71, 0);
    int open = 0, stick = 0, slide = 0;
    for (int trial = 0; trial < 60; ++trial) {
        sample s;
        make_sample(&rng, &s);
        fixture_answer exact = answer("ncp", &s, 0.0);
        cr_assert_eq(exact.report.status, TS_SOLVE_CONVERGED);
        for (int c = 0; c < CONTACTS; ++c) {
            double slip = hypot(exact.u[3 * c], exact.u[3 * c + 1]);
            *(exact.lambda[3 * c + 2] == 0.0 ? &open : slip < 1e-8 ? &stick : &slide) += 1;
        }
        for (int k = 0; k < 2; ++k) {
            fixture_answer a = answer(names[k], &s, penalties[k][trial % 3]);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s, trial %d: %s", names[k], trial,
                         ts_solve_status_name(a.report.status));
            for (int i = 0; i < ROWS; ++i)
                cr_expect_float_eq(a.lambda[i], exact.lambda[i], 1e-8, "%s, trial %d, row %d: %.12g, not %.12g",
                                   names[k], trial, i, a.lambda[i], exact.lambda[i]);
        }
    }
    cr_expect(open > 30 && stick > 30 && slide > 30, "%d open, %d stick, %d slide", open, stick, slide);
}

// A contact whose radii and normal swing by 1.35 a round when they are solved in turn.
Test(augmented, radii_that_swing_are_damped) {
    for (int k = 0; k < 2; ++k) {
        const ts_solver* solver = ts_solver_find(names[k]);
        fixture_settings settings = fixture_settings_of(solver, 1e-9, 20000);
        fixture_answer a = fixture_solve_contact(solver, &settings, case_strong_mu, case_strong_G, case_strong_g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s", names[k], ts_solve_status_name(a.report.status));
        cr_expect_lt(a.residual.natural, 1e-10, "%s", names[k]);
    }
}

// A tonne on a gram: Newton's subproblems do not see the ratio; bodies that are taken apart do, and say that they are not there.
Test(augmented, a_million_to_one) {
    for (int k = 0; k < 2; ++k) {
        const ts_solver* solver = ts_solver_find(names[k]);
        fixture_settings settings = fixture_settings_of(solver, 1e-6, 500);
        fixture_answer a = case_stack(solver, &settings);
        cr_expect_eq(a.report.status == TS_SOLVE_CONVERGED, k == 0, "%s: %s", names[k],
                     ts_solve_status_name(a.report.status));
        if (k > 0) continue;
        cr_expect_float_eq(a.lambda[0], 1000.001 * GRAVITY * TIME_STEP, 1e-8);
        cr_expect_float_eq(a.lambda[1], 1000.0 * GRAVITY * TIME_STEP, 1e-8);
        cr_expect_lt(a.report.iterations, 30);
    }
}

Test(augmented, friction_in_a_plane_with_other_compliance_along_each_tangent) {
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {0.9, -0.2, -1.0}, R[3] = {0.5, 2.0, 0.1};
    const ts_solver* exact = ts_solver_find("ncp");
    fixture_settings of_exact = fixture_settings_of(exact, 1e-10, 1000);
    fixture_answer e = fixture_solve_contact(exact, &of_exact, 0.4, G, g, R);
    for (int k = 0; k < 2; ++k) {
        const ts_solver* solver = ts_solver_find(names[k]);
        fixture_settings settings = fixture_settings_of(solver, 1e-9, 20000);
        fixture_answer a = fixture_solve_contact(solver, &settings, 0.4, G, g, R);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", names[k]);
        fixture_expect_vector(a.lambda, e.lambda[0], e.lambda[1], e.lambda[2], 1e-11, names[k]);
    }
}

// Two free bodies, and a tree of which one block holds the first joints and another the last: three systems. Blocks that nothing
// moves have no side.
Test(subsystems, are_the_trees_behind_a_velocity_form) {
    enum { BLOCKS = 5, N = 20 };
    static double J[BLOCKS][6 * 8], G[3 * BLOCKS * 3 * BLOCKS];
    static const int column[BLOCKS][2] = {{0, 6}, {6, 12}, {12, -1}, {14, -1}, {-1, -1}};
    static const int count[BLOCKS][2] = {{6, 6}, {6, 3}, {4, 0}, {6, 0}, {0, 0}};
    ts_delassus_segment segment[2 * BLOCKS];
    ts_block block[BLOCKS];
    int row[BLOCKS + 1], start[BLOCKS + 1], segments = 0;
    ts_rng rng = ts_rng_make(3, 0);
    ts_arena arena = {0};
    for (int b = 0; b < BLOCKS; ++b) {
        block[b] = fixture_cone(3 * b, 0.5);
        row[b] = 3 * b;
        start[b] = segments;
        double* at = J[b];
        for (int k = 0; k < 2 && count[b][k] > 0; ++k) {
            ts_delassus_segment made = {column[b][k], count[b][k], at, at};
            for (int i = 0; i < 3 * count[b][k]; ++i) *at++ = ts_rng_normal(&rng);
            segment[segments++] = made;
        }
    }
    row[BLOCKS] = 3 * BLOCKS;
    start[BLOCKS] = segments;
    ts_contact_problem problem = {.block_count = BLOCKS, .row_count = 3 * BLOCKS, .block = block};
    problem.delassus = ts_delassus_velocity_form(&arena, N, BLOCKS, row, start, segment);
    ts_subsystems parts;
    cr_assert(ts_subsystems_make(&problem, &arena, &parts));
    cr_expect_eq(parts.systems, 3);
    cr_expect_eq(parts.size[0], 6);
    cr_expect_eq(parts.size[2], 8);
    cr_expect_eq(parts.sides, 6);
    cr_expect_eq(parts.side[5].column, 2);
    cr_expect_eq(parts.side_start[4], parts.side_start[5]);
    cr_expect_eq(parts.list_start[3] - parts.list_start[2], 3);
    // The matrix that the operator has, column by column; without bodies it is one system with the same matrix.
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        double unit[3 * BLOCKS] = {0.0};
        unit[i] = 1.0;
        problem.delassus->ops->apply(problem.delassus, unit, G + 3 * BLOCKS * i);
    }
    problem.delassus = dense_operator(&arena, BLOCKS, row, G);
    ts_subsystems whole;
    cr_assert(ts_subsystems_make(&problem, &arena, &whole));
    cr_expect_eq(whole.systems, 1);
    cr_expect_eq(whole.size[0], 12, "rank %d", whole.size[0]);
    for (int i = 0; i < 3 * BLOCKS; ++i)
        for (int k = 0; k < 3 * BLOCKS; ++k) {
            const ts_subsystem_side *a = &whole.side[i / 3], *b = &whole.side[k / 3];
            double sum = 0.0;
            for (int c = 0; c < a->count; ++c) sum += a->J[(i % 3) * a->ld + c] * b->Y[(k % 3) * b->ld + c];
            cr_expect_float_eq(sum, G[3 * BLOCKS * i + k], 1e-12);
        }
    ts_arena_free(&arena);
}
