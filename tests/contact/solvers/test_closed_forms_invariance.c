// What must not change an answer, for every solver of the table: T25 of the suite. Random problems of three contacts on
// twelve degrees of freedom, J Gaussian and M = X X^T + I, with little friction so that the answer is one.
#include "contact/island.h"
#include "tests/contact/solvers/closed_form_suite.h"

enum { CONTACTS = 3, ROWS = 9, DOF = 12, TRIALS = 6 };

typedef struct sample {
    ts_block block[CONTACTS];
    double G[ROWS * ROWS];
    double g[ROWS];
    double R[ROWS];
} sample;

// Solves M x = b by elimination; M is positive definite.
static void solve(double M[DOF][DOF], double* b) {
    for (int k = 0; k < DOF; ++k)
        for (int i = k + 1; i < DOF; ++i) {
            double f = M[i][k] / M[k][k];
            for (int j = k; j < DOF; ++j) M[i][j] -= f * M[k][j];
            b[i] -= f * b[k];
        }
    for (int i = DOF - 1; i >= 0; --i) {
        for (int j = i + 1; j < DOF; ++j) b[i] -= M[i][j] * b[j];
        b[i] /= M[i][i];
    }
}

static void make_sample(sample* s, ts_rng* rng, int soft) {
    double J[ROWS][DOF], X[DOF][DOF], M[DOF][DOF];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < DOF; ++j) J[i][j] = ts_rng_normal(rng);
    for (int i = 0; i < DOF; ++i)
        for (int j = 0; j < DOF; ++j) X[i][j] = ts_rng_normal(rng);
    for (int k = 0; k < ROWS; ++k) {
        double y[DOF];
        for (int i = 0; i < DOF; ++i)
            for (int j = 0; j < DOF; ++j) {
                M[i][j] = i == j ? 12.0 : 0.0;
                for (int c = 0; c < DOF; ++c) M[i][j] += X[i][c] * X[j][c];
            }
        memcpy(y, J[k], sizeof(y));
        solve(M, y);
        for (int i = 0; i < ROWS; ++i) {
            s->G[ROWS * i + k] = 0.0;
            for (int j = 0; j < DOF; ++j) s->G[ROWS * i + k] += J[i][j] * y[j];
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < i; ++k) s->G[ROWS * k + i] = s->G[ROWS * i + k];
    for (int c = 0; c < CONTACTS; ++c) {
        s->block[c] = fixture_cone(3 * c, ts_rng_uniform_in(rng, 0.1, 0.3));
        s->g[3 * c] = ts_rng_normal(rng);
        s->g[3 * c + 1] = ts_rng_normal(rng);
        s->g[3 * c + 2] = -0.3 + ts_rng_normal(rng);
    }
    for (int r = 0; r < ROWS; ++r) s->R[r] = soft ? 0.05 : 0.0;
}

static fixture_answer answer(const ts_solver* solver, const sample* s) {
    fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
    return fixture_solve(solver, &settings, CONTACTS, s->block, s->G, s->g, s->R, NULL);
}

static int both_converged(const ts_solver* solver, const fixture_answer* a, const fixture_answer* b) {
    cr_expect_eq(a->report.status, b->report.status, "%s: %s and %s", solver->name,
                 ts_solve_status_name(a->report.status), ts_solve_status_name(b->report.status));
    return a->report.status == TS_SOLVE_CONVERGED && b->report.status == TS_SOLVE_CONVERGED;
}

static void expect_same(const ts_solver* solver, const double* a, const double* b, int count, double scale,
                        const char* what) {
    for (int r = 0; r < count; ++r)
        cr_expect_float_eq(b[r], scale * a[r], 1e-6 * scale, "%s, %s, row %d: %.12g, not %.12g", solver->name, what, r,
                           b[r], scale * a[r]);
}

// Every solver on rigid and on compliant problems; at least two in three must converge, or nothing was tested.
static void each_solver(int (*compare)(const ts_solver* solver, const sample* s)) {
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        int compared = 0;
        ts_rng rng = ts_rng_make(2500, 0);
        for (int trial = 0; trial < TRIALS; ++trial) {
            sample s;
            make_sample(&s, &rng, trial % 2);
            compared += compare(solver, &s);
        }
        cr_expect_geq(compared, TRIALS * 2 / 3, "%s: %d of %d", solver->name, compared, TRIALS);
    }
}

static int turned_tangents(const ts_solver* solver, const sample* s) {
    if (ts_contact_law_facets(solver->law) || solver->law == TS_LAW_EXPLICIT)
        return TRIALS;  // its corners are fixed to the axes
    sample t = *s;
    const double c = cos(0.9), d = sin(0.9);
    double A[ROWS * ROWS] = {0};
    for (int b = 0; b < CONTACTS; ++b) {
        double* at = &A[(ROWS + 1) * 3 * b];
        at[0] = at[ROWS + 1] = c;
        at[1] = d;
        at[ROWS] = -d;
        at[2 * ROWS + 2] = 1.0;
    }
    for (int i = 0; i < ROWS; ++i) {
        t.g[i] = 0.0;
        for (int j = 0; j < ROWS; ++j) {
            t.g[i] += A[ROWS * i + j] * s->g[j];
            t.G[ROWS * i + j] = 0.0;
            for (int k = 0; k < ROWS; ++k)
                for (int l = 0; l < ROWS; ++l)
                    t.G[ROWS * i + j] += A[ROWS * i + k] * s->G[ROWS * k + l] * A[ROWS * j + l];
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < i; ++j) t.G[ROWS * j + i] = t.G[ROWS * i + j];
    fixture_answer a = answer(solver, s), b = answer(solver, &t);
    if (!both_converged(solver, &a, &b)) return 0;
    double back[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        back[i] = 0.0;
        for (int j = 0; j < ROWS; ++j) back[i] += A[ROWS * j + i] * b.lambda[j];
    }
    expect_same(solver, a.lambda, back, ROWS, 1.0, "turned");
    return 1;
}

Test(closed_forms, T25_tangent_axes) { each_solver(turned_tangents); }

static int scaled(const ts_solver* solver, const sample* s) {
    sample faster = *s, lighter = *s;
    for (int r = 0; r < ROWS; ++r) {
        faster.g[r] = 3.0 * s->g[r];
        lighter.R[r] = 5.0 * s->R[r];
    }
    for (int k = 0; k < ROWS * ROWS; ++k) lighter.G[k] = 5.0 * s->G[k];
    fixture_answer a = answer(solver, s), b = answer(solver, &faster), c = answer(solver, &lighter);
    if (!both_converged(solver, &a, &b) || !both_converged(solver, &a, &c)) return 0;
    expect_same(solver, a.lambda, b.lambda, ROWS, 3.0, "g scaled");
    expect_same(solver, a.lambda, c.lambda, ROWS, 0.2, "G and R scaled");
    return 1;
}

Test(closed_forms, T25_scales) { each_solver(scaled); }

static int permuted(const ts_solver* solver, const sample* s) {
    static const int order[CONTACTS] = {2, 0, 1};
    sample p = *s;
    for (int b = 0; b < CONTACTS; ++b) {
        p.block[b].mu = s->block[order[b]].mu;
        for (int r = 0; r < 3; ++r) {
            p.g[3 * b + r] = s->g[3 * order[b] + r];
            for (int c = 0; c < CONTACTS; ++c)
                for (int q = 0; q < 3; ++q)
                    p.G[ROWS * (3 * b + r) + 3 * c + q] = s->G[ROWS * (3 * order[b] + r) + 3 * order[c] + q];
        }
    }
    fixture_answer a = answer(solver, s), b = answer(solver, &p);
    if (!both_converged(solver, &a, &b)) return 0;
    for (int k = 0; k < CONTACTS; ++k) expect_same(solver, a.u + 3 * order[k], b.u + 3 * k, 3, 1.0, "permuted");
    return 1;
}

Test(closed_forms, T25_order_of_contacts) { each_solver(permuted); }

// Two problems side by side, at once and through the search for islands.
static int side_by_side(const ts_solver* solver, const sample* s) {
    enum { ALL = 2 * ROWS };
    static double G[ALL * ALL];
    double g[ALL], R[ALL], lambda[ALL] = {0};
    int block_row[2 * CONTACTS + 1] = {0};
    ts_block block[2 * CONTACTS];
    memset(G, 0, sizeof(G));
    for (int half = 0; half < 2; ++half)
        for (int i = 0; i < ROWS; ++i) {
            g[half * ROWS + i] = (half ? 0.5 : 1.0) * s->g[i];
            R[half * ROWS + i] = s->R[i];
            for (int j = 0; j < ROWS; ++j) G[ALL * (half * ROWS + i) + half * ROWS + j] = s->G[ROWS * i + j];
        }
    for (int b = 0; b < 2 * CONTACTS; ++b) {
        block[b] = s->block[b % CONTACTS];
        block[b].row = 3 * b;
        block_row[b + 1] = 3 * b + 3;
    }
    fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
    fixture_answer whole = fixture_solve(solver, &settings, 2 * CONTACTS, block, G, g, R, NULL);
    ts_arena arena = {0}, scratch = {0};
    ts_contact_problem problem = {.block_count = 2 * CONTACTS,
                                  .row_count = ALL,
                                  .block = block,
                                  .delassus = dense_operator(&arena, 2 * CONTACTS, block_row, G),
                                  .g = g,
                                  .R = R,
                                  .time_step = TIME_STEP};
    ts_island_report islands;
    ts_solve_report apart = ts_island_solve(solver, &problem, NULL, &settings, NULL, &scratch, lambda, &islands);
    cr_expect_eq(islands.islands, 2);
    int converged = apart.status == TS_SOLVE_CONVERGED && whole.report.status == TS_SOLVE_CONVERGED;
    if (converged) expect_same(solver, whole.lambda, lambda, ALL, 1.0, "islands");
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
    return converged;
}

Test(closed_forms, T25_islands) { each_solver(side_by_side); }

// lambda / h of a step of any length, when the tolerance is in force units.
static int in_force_units(const ts_solver* solver, const sample* s) {
    fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
    const int block_row[CONTACTS + 1] = {0, 3, 6, 9};
    double lambda[2][ROWS] = {{0}}, g[ROWS];
    ts_solve_report report[2];
    for (int k = 0; k < 2; ++k) {
        ts_arena arena = {0}, scratch = {0};
        double factor = k ? 4.0 : 1.0;
        for (int r = 0; r < ROWS; ++r) g[r] = factor * s->g[r];
        ts_contact_problem problem = {.block_count = CONTACTS,
                                      .row_count = ROWS,
                                      .block = s->block,
                                      .delassus = dense_operator(&arena, CONTACTS, block_row, s->G),
                                      .g = g,
                                      .R = s->R,
                                      .time_step = factor * TIME_STEP};
        report[k] = solver->solve(&problem, &settings, &scratch, lambda[k]);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_eq(report[0].status, report[1].status, "%s", solver->name);
    if (report[0].status != TS_SOLVE_CONVERGED) return 0;
    expect_same(solver, lambda[0], lambda[1], ROWS, 4.0, "step four times as long");
    return 1;
}

Test(closed_forms, T25_force_and_impulse) { each_solver(in_force_units); }
