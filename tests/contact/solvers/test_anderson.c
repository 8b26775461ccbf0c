// Anderson acceleration and symmetric sweeps: exact on linear maps, fewer sweeps on the cube, never much worse.
#include "base/rng.h"
#include "contact/solvers/splitting/anderson_internal.h"
#include "tests/contact/contact_fixture.h"

static const char* const sweeper[4] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs"};

// Values of the setting "order".
enum { ALTERNATE = 1, SYMMETRIC = 2 };

static fixture_settings settings_with(const ts_solver* solver, int anderson, int order, double tolerance) {
    fixture_settings settings = fixture_settings_of(solver, tolerance, 20000);
    fixture_set(solver, &settings, "anderson", anderson);
    fixture_set(solver, &settings, "order", order);
    return settings;
}

// x <- M x + c in three dimensions, with a slow eigenvalue of 0.99: three differences tell everything, so the fifth
// application starts at the fixed point. The plain map would be 4 % nearer.
Test(anderson, a_linear_map_is_solved_when_its_dimension_is_remembered) {
    const double M[3][3] = {{0.99, 0.1, 0.0}, {0.0, 0.5, 0.2}, {0.0, 0.0, -0.3}}, c[3] = {0.01, 1.0, 1.3};
    const double weight[3] = {1.0, 4.0, 0.25};
    ts_arena scratch = {0};
    ts_anderson a;
    cr_assert(ts_anderson_make(&a, 3, 5, weight, &scratch));
    // The fixed point by hand: x2 = 1.3 / 1.3, x1 = (1 + 0.2 x2) / 0.5, x0 = (0.01 + 0.1 x1) / 0.01.
    const double fixed[3] = {25.0, 2.4, 1.0};
    double x[3] = {0.0, 0.0, 0.0};
    int proposals = 0;
    for (int k = 0; k < 5; ++k) {
        proposals += ts_anderson_start(&a, x);
        ts_anderson_started(&a, x);
        double s[3];
        for (int i = 0; i < 3; ++i) s[i] = M[i][0] * x[0] + M[i][1] * x[1] + M[i][2] * x[2] + c[i];
        cr_expect_eq(ts_anderson_finish(&a, s), 1, "step %d", k);
        memcpy(x, s, sizeof x);
    }
    cr_expect_eq(proposals, 3);
    fixture_expect_vector(x, fixed[0], fixed[1], fixed[2], 1e-5, "fixed point");
    ts_arena_free(&scratch);
}

// A map that a proposal makes worse: what the map made of the iterate before comes back, and plain steps follow.
Test(anderson, a_harmful_proposal_is_taken_back) {
    const double weight[1] = {1.0};
    ts_arena scratch = {0};
    ts_anderson a;
    cr_assert(ts_anderson_make(&a, 1, 5, weight, &scratch));
    // Two steps of 1 - 0.9 each look like a fixed point at 2; there the map jumps.
    const double x[3] = {0.0, 1.0, 1.5}, s[2] = {1.0, 1.5};
    double y = x[0];
    for (int k = 0; k < 2; ++k) {
        y = x[k];
        cr_expect_eq(ts_anderson_start(&a, &y), 0);
        ts_anderson_started(&a, &y);
        y = s[k];
        cr_expect_eq(ts_anderson_finish(&a, &y), 1);
    }
    cr_expect_eq(ts_anderson_start(&a, &y), 1);
    cr_expect_float_eq(y, 2.0, 1e-9);
    ts_anderson_started(&a, &y);
    y = 5.0;
    cr_expect_eq(ts_anderson_finish(&a, &y), 0);
    cr_expect_eq(y, 1.5);
    cr_expect_eq(ts_anderson_start(&a, &y), 0);
    ts_arena_free(&scratch);
}

// Proposals that all end at the same point, from which the map always moves nearly as far: it gives up and sweeps on.
Test(anderson, going_round_in_circles_ends) {
    const double weight[1] = {1.0};
    ts_arena scratch = {0};
    ts_anderson a;
    cr_assert(ts_anderson_make(&a, 1, 5, weight, &scratch));
    int in_a_row = 0, most = 0, plain = 0;
    for (int k = 0; k < 40; ++k) {
        double y = 0.0;
        int proposed = ts_anderson_start(&a, &y);
        in_a_row = proposed ? in_a_row + 1 : 0;
        plain += !proposed;
        most = in_a_row > most ? in_a_row : most;
        y = 0.0;
        ts_anderson_started(&a, &y);
        y = 1.0 - 1e-6 * k;
        cr_expect_eq(ts_anderson_finish(&a, &y), 1);
    }
    cr_expect_leq(most, 6, "%d", most);
    cr_expect_geq(plain, 20, "%d", plain);
    ts_arena_free(&scratch);
}

static void cube_problem(ts_block block[4], double G[144], double g[12], double mu, double push) {
    double J[12][6], Y[12][6];
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, mu);
        g[3 * c] = 0.3 * push * TIME_STEP;
        g[3 * c + 1] = push * TIME_STEP;
        g[3 * c + 2] = -GRAVITY * TIME_STEP;
    }
}

Test(anderson, the_cube_needs_fewer_sweeps) {
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            const double push[3] = {0.0, 5.0, 15.0};
            ts_block block[4];
            double G[144], g[12];
            cube_problem(block, G, g, 0.9, push[k]);
            const ts_solver* solver = ts_solver_find(sweeper[i]);
            fixture_settings plain = settings_with(solver, 0, 0, 1e-8), fast = settings_with(solver, 5, 0, 1e-8);
            fixture_answer a = fixture_solve(solver, &plain, 4, block, G, g, NULL, NULL);
            fixture_answer b = fixture_solve(solver, &fast, 4, block, G, g, NULL, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
            cr_expect_eq(b.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
            cr_expect_leq(3 * b.report.iterations, 2 * a.report.iterations, "%s push %g: %d sweeps, plain %d",
                          solver->name, push[k], b.report.iterations, a.report.iterations);
            cr_expect_leq(b.report.iterations, 26, "%s push %g: %d sweeps", solver->name, push[k], b.report.iterations);
        }
}

enum { CONTACTS = 6, ROWS = 3 * CONTACTS, DOF = 12 };

// Contacts on and between two bodies with random lever arms, hyperstatic.
static void random_problem(ts_rng* rng, ts_block block[CONTACTS], double G[ROWS * ROWS], double g[ROWS]) {
    double J[ROWS][DOF] = {{0}}, weight[DOF];
    for (int j = 0; j < DOF; ++j) weight[j] = j % 6 < 3 ? 1.0 : ts_rng_uniform_in(rng, 5.0, 50.0);
    for (int c = 0; c < CONTACTS; ++c) {
        double r[3];
        for (int i = 0; i < 3; ++i) r[i] = ts_rng_uniform_in(rng, -0.3, 0.3);
        const double skew[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
        for (int body = 0; body < 2; ++body) {
            if (c % 3 == body) continue;
            for (int i = 0; i < 3; ++i) {
                J[3 * c + i][6 * body + i] = body ? 1.0 : -1.0;
                for (int j = 0; j < 3; ++j) J[3 * c + i][6 * body + 3 + j] = (body ? 1.0 : -1.0) * skew[i][j];
            }
        }
        block[c] = fixture_cone(3 * c, ts_rng_uniform_in(rng, 0.1, 0.9));
    }
    double v[DOF];
    for (int j = 0; j < DOF; ++j) v[j] = 0.03 * ts_rng_normal(rng);
    for (int i = 0; i < ROWS; ++i) {
        g[i] = 0.0;
        for (int j = 0; j < DOF; ++j) g[i] += J[i][j] * v[j];
        for (int k = 0; k < ROWS; ++k) {
            G[ROWS * i + k] = 0.0;
            for (int j = 0; j < DOF; ++j) G[ROWS * i + k] += J[i][j] * weight[j] * J[k][j];
        }
    }
}

// What converges plainly converges accelerated, with at most one sweep in ten more in any problem (and five where a plain
// sweep ends exactly after a few), and little more than half the sweeps in all.
Test(anderson, never_costs_much_and_saves_most) {
    for (int i = 0; i < 4; ++i) {
        const ts_solver* solver = ts_solver_find(sweeper[i]);
        ts_rng rng = ts_rng_make(91, 0);
        double all = 0.0, accelerated = 0.0;
        int compared = 0;
        for (int trial = 0; trial < 100; ++trial) {
            ts_block block[CONTACTS];
            double G[ROWS * ROWS], g[ROWS];
            random_problem(&rng, block, G, g);
            fixture_settings plain = settings_with(solver, 0, 0, 1e-6), fast = settings_with(solver, 5, 0, 1e-6);
            fixture_answer a = fixture_solve(solver, &plain, CONTACTS, block, G, g, NULL, NULL);
            if (a.report.status != TS_SOLVE_CONVERGED) continue;
            fixture_answer b = fixture_solve(solver, &fast, CONTACTS, block, G, g, NULL, NULL);
            ++compared;
            all += a.report.iterations;
            accelerated += b.report.iterations;
            cr_expect_eq(b.report.status, TS_SOLVE_CONVERGED, "%s trial %d", solver->name, trial);
            cr_expect_leq(b.report.iterations, a.report.iterations + 5 + a.report.iterations / 10,
                          "%s trial %d: %d sweeps, plain %d", solver->name, trial, b.report.iterations,
                          a.report.iterations);
        }
        cr_expect_gt(compared, 60, "%s: %d", solver->name, compared);
        cr_expect_lt(1.8 * accelerated, all, "%s: %g sweeps, plain %g", solver->name, accelerated, all);
    }
}

// mu |G_TN| / G_NN = 1.35: the plain sweep of ncp-pgs cycles for ever. Accelerated it may find the answer; it must not
// claim one that is not.
Test(anderson, a_cycle_is_not_called_converged) {
    const double G[9] = {3, 0, 1.5, 0, 3, 0, 1.5, 0, 1}, g[3] = {-4, 0.3, -1};
    const ts_solver* solver = ts_solver_find("ncp-pgs");
    fixture_settings settings = settings_with(solver, 5, 0, 1e-8);
    settings.shared.iteration_limit = 500;
    fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, G, g, NULL);
    double own = ts_law_residual_in_force_units(a.residual.ncp, TIME_STEP);
    cr_expect_eq(a.report.status == TS_SOLVE_CONVERGED, own <= 1.1e-8, "%g", own);
    for (int r = 0; r < 3; ++r) cr_expect(isfinite(a.lambda[r]));
}

// A symmetric step is two sweeps, there and back: what two alternating sweeps do.
Test(symmetric, a_step_is_two_alternating_sweeps) {
    ts_block block[4];
    double G[144], g[12];
    cube_problem(block, G, g, 0.4, 15.0);
    for (int i = 0; i < 4; ++i)
        for (int sweeps = 2; sweeps < 8; ++sweeps) {
            const ts_solver* solver = ts_solver_find(sweeper[i]);
            fixture_settings pair = settings_with(solver, 0, SYMMETRIC, 0.0);
            fixture_settings turn = settings_with(solver, 0, ALTERNATE, 0.0);
            pair.shared.iteration_limit = turn.shared.iteration_limit = sweeps;
            fixture_answer a = fixture_solve(solver, &pair, 4, block, G, g, NULL, NULL);
            fixture_answer b = fixture_solve(solver, &turn, 4, block, G, g, NULL, NULL);
            cr_expect_eq(a.report.iterations, sweeps, "an odd sweep at the end goes forward only");
            cr_expect_eq(memcmp(a.lambda, b.lambda, sizeof a.lambda), 0, "%s %d", solver->name, sweeps);
        }
}

// Alternating directions on contacts that bodies of a gram and of a tonne share. The relaxed law's velocities are one, whoever finds them; with
// Anderson they are found in fewer iterations, and what is called converged meets the law either way.
Test(anderson, alternating_directions_get_there_sooner) {
    enum { FEET = 4, LINES = 12, MOVES = 9, TRIALS = 40 };
    static const char* const plain[2] = {"ccp-admm", "ncp-admm"};
    static const char* const ahead[2] = {"ccp-admm-anderson", "ncp-admm-anderson"};
    ts_rng rng = ts_rng_make(21, 0);
    long long iterations[2][2] = {{0, 0}, {0, 0}};
    int both[2] = {0, 0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        double J[LINES][MOVES], G[LINES * LINES], g[LINES], inverse[MOVES], v[MOVES];
        ts_block block[FEET];
        for (int d = 0; d < MOVES; ++d) {
            inverse[d] = pow(10.0, ts_rng_uniform_in(&rng, -2.0, 2.0));
            v[d] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        }
        for (int i = 0; i < LINES; ++i)
            for (int d = 0; d < MOVES; ++d) J[i][d] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        for (int i = 0; i < LINES; ++i) {
            g[i] = 0.0;
            for (int d = 0; d < MOVES; ++d) g[i] += J[i][d] * v[d];
            for (int k = 0; k < LINES; ++k) {
                G[LINES * i + k] = 0.0;
                for (int d = 0; d < MOVES; ++d) G[LINES * i + k] += J[i][d] * inverse[d] * J[k][d];
            }
        }
        for (int b = 0; b < FEET; ++b) block[b] = fixture_cone(3 * b, 0.5);
        for (int law = 0; law < 2; ++law) {
            const ts_solver *one = ts_solver_find(plain[law]), *other = ts_solver_find(ahead[law]);
            fixture_settings settings = fixture_settings_of(one, 1e-7, 20000),
                             same = fixture_settings_of(other, 1e-7, 20000);
            fixture_answer a = fixture_solve(one, &settings, FEET, block, G, g, NULL, NULL);
            fixture_answer b = fixture_solve(other, &same, FEET, block, G, g, NULL, NULL);
            if (b.report.status == TS_SOLVE_CONVERGED)
                cr_expect_leq(ts_law_residual_in_force_units(b.own, TIME_STEP), 1.01e-7, "%s", ahead[law]);
            if (a.report.status != TS_SOLVE_CONVERGED || b.report.status != TS_SOLVE_CONVERGED) continue;
            ++both[law];
            iterations[law][0] += a.report.iterations;
            iterations[law][1] += b.report.iterations;
            for (int i = 0; i < LINES && law == 0; ++i)
                cr_expect_float_eq(a.u[i], b.u[i], 1e-5, "row %d: %g, not %g", i, b.u[i], a.u[i]);
        }
    }
    for (int law = 0; law < 2; ++law) {
        cr_expect_geq(both[law], TRIALS / 2, "%s: %d", ahead[law], both[law]);
        cr_expect_lt(iterations[law][1], iterations[law][0], "%s: %lld, not less than %lld", ahead[law],
                     iterations[law][1], iterations[law][0]);
    }
}
