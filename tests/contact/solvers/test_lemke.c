// lcp-lemke: the pivoting itself, closed forms of the pyramidal law, vertices, other sets, named outcomes, and
// agreement with lcp-pgs.
#include "contact/solvers/pivoting/lemke_internal.h"
#include "tests/contact/contact_fixture.h"

static fixture_settings tight(void) {
    fixture_settings settings = fixture_settings_of(ts_solver_find("lcp-lemke"), 1e-9, 20000);
    settings.shared.stall = 1e-12;
    return settings;
}

// What solves an LCP: checked in long double.
static void expect_solves(int n, const double* A, const double* b, const double* z, double tolerance) {
    for (int i = 0; i < n; ++i) {
        long double w = b[i];
        for (int j = 0; j < n; ++j) w += (long double)A[i * n + j] * z[j];
        cr_expect_geq(z[i], 0.0);
        cr_expect_geq((double)w, -tolerance);
        cr_expect_leq(fabs((double)w * z[i]), tolerance);
    }
}

// With care and without, both ends the same; what the careful one found.
static ts_lemke_end pivoted(int n, const double* A, const double* b, int limit, ts_arena* scratch, double* z,
                            int* pivots) {
    ts_lemke_end quick = ts_lemke_solve(n, A, b, TS_LEMKE_QUICK, limit, scratch, z, pivots);
    ts_lemke_end careful = ts_lemke_solve(n, A, b, TS_LEMKE_CAREFUL, limit, scratch, z, pivots);
    cr_expect_eq(quick, careful);
    return careful;
}

Test(lemke, solves_random_positive_definite_and_degenerate_problems) {
    enum { N = 12 };
    ts_rng rng = ts_rng_make(81, 0);
    for (int trial = 0; trial < 200; ++trial) {
        double X[N * N], A[N * N], b[N], z[N];
        int rank = trial % 2 ? N : 5;  // every second one is singular, with ties in b
        for (int i = 0; i < N * N; ++i) X[i] = i % N < rank ? ts_rng_normal(&rng) : 0.0;
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                A[i * N + j] = 0.0;
                for (int k = 0; k < N; ++k) A[i * N + j] += X[i * N + k] * X[j * N + k] / N;
            }
            b[i] = ts_rng_normal(&rng);
        }
        if (rank < N)  // b = A y + s with y, s >= 0: there is a solution
            for (int i = 0; i < N; ++i) {
                b[i] = i % 3 ? 0.0 : 1.0;
                for (int j = 0; j < N; ++j) b[i] -= A[i * N + j] * (j % 2);
            }
        ts_arena scratch = {0};
        int pivots;
        cr_expect_eq(pivoted(N, A, b, 1000, &scratch, z, &pivots), TS_LEMKE_END_SOLVED, "trial %d", trial);
        expect_solves(N, A, b, z, 1e-11);
        ts_arena_free(&scratch);
    }
}

// Entries of 0 and +-1, and of wild sizes, make bases that are singular to the last bit: whatever happens has a
// name, and what is called solved is.
Test(lemke, singular_bases_and_wild_sizes_end_with_a_name) {
    enum { N = 10, ENDS = 6 };
    ts_rng rng = ts_rng_make(82, 0);
    int count[ENDS] = {0};
    for (int trial = 0; trial < 20000; ++trial) {
        double A[N * N], b[N], z[N];
        int wild = trial % 2, pivots, n = 2 + trial % (N - 1);
        for (int i = 0; i < n * n; ++i) {
            A[i] = floor(3.0 * ts_rng_uniform(&rng)) - 1.0;
            if (wild) A[i] *= exp(700.0 * (2.0 * ts_rng_uniform(&rng) - 1.0));
        }
        for (int i = 0; i < n; ++i) b[i] = floor(5.0 * ts_rng_uniform(&rng)) - 3.0;
        ts_arena scratch = {0};
        ts_lemke_end end = ts_lemke_solve(n, A, b, TS_LEMKE_CAREFUL, 200, &scratch, z, &pivots);
        cr_assert((int)end >= 0 && (int)end < ENDS);
        count[end]++;
        if (end == TS_LEMKE_END_SOLVED && !wild) expect_solves(n, A, b, z, 1e-9);
        ts_arena_free(&scratch);
    }
    cr_expect_gt(count[TS_LEMKE_END_SOLVED], 1000);
    cr_expect_gt(count[TS_LEMKE_END_RAY], 1000);
}

// Kostreva's example: every b the same, so every row ties, and pivoting that breaks ties by position goes round for
// ever.
Test(lemke, ties_do_not_go_round) {
    const double A[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, b[3] = {-1, -1, -1};
    ts_arena scratch = {0};
    double z[3];
    int pivots;
    cr_expect_eq(pivoted(3, A, b, 20, &scratch, z, &pivots), TS_LEMKE_END_SOLVED);
    for (int i = 0; i < 3; ++i) cr_expect_float_eq(z[i], 1.0 / 3.0, 1e-15);
    ts_arena_free(&scratch);
}

// Small whole numbers and all b alike: nearly every ratio ties, and most of these cycle under rules that break ties by
// position or by the wrong end of the perturbation. A >= 0 with a positive diagonal is strictly copositive, so every
// one of them has a solution that pivoting must reach.
Test(lemke, whole_numbers_with_ties_are_all_solved) {
    ts_rng rng = ts_rng_make(83, 0);
    for (int trial = 0; trial < 20000; ++trial) {
        int n = 3 + (int)(ts_rng_uniform(&rng) * 3.0), pivots;
        double A[25], b[5], z[5];
        for (int i = 0; i < n * n; ++i) A[i] = (int)(ts_rng_uniform(&rng) * 3.0);
        for (int i = 0; i < n; ++i) {
            A[i * n + i] += 1.0;
            b[i] = ts_rng_uniform(&rng) < 0.8 ? -1.0 : (int)(ts_rng_uniform(&rng) * 3.0) - 1.0;
        }
        ts_arena scratch = {0};
        cr_assert_eq(pivoted(n, A, b, 100, &scratch, z, &pivots), TS_LEMKE_END_SOLVED, "trial %d, n %d", trial, n);
        expect_solves(n, A, b, z, 1e-11);
        ts_arena_free(&scratch);
    }
}

// What pivots leave in the tableau is thrown away for a fresh factor of the last basis: thirty rows over six orders of
// magnitude come out to rounding of the largest z.
Test(lemke, the_answer_is_to_rounding) {
    enum { N = 30 };
    ts_rng rng = ts_rng_make(84, 0);
    double worst = 0.0;
    for (int trial = 0; trial < 100; ++trial) {
        static double X[N * N], A[N * N];
        double b[N], z[N], largest = 0.0;
        int pivots;
        for (int i = 0; i < N * N; ++i) X[i] = ts_rng_normal(&rng) * pow(10.0, -6.0 * (i % N) / N);
        for (int i = 0; i < N; ++i) {
            b[i] = ts_rng_normal(&rng);
            for (int j = 0; j < N; ++j) {
                A[i * N + j] = 0.0;
                for (int k = 0; k < N; ++k) A[i * N + j] += X[i * N + k] * X[j * N + k];
            }
        }
        ts_arena scratch = {0};
        cr_assert_eq(pivoted(N, A, b, 2000, &scratch, z, &pivots), TS_LEMKE_END_SOLVED, "trial %d", trial);
        ts_arena_free(&scratch);
        for (int i = 0; i < N; ++i) largest = fmax(largest, z[i]);
        for (int i = 0; i < N; ++i) {
            long double w = b[i];
            for (int j = 0; j < N; ++j) w += (long double)A[i * N + j] * z[j];
            worst = fmax(worst, (z[i] > 0.0 ? fabs((double)w) : -(double)w) / (1.0 + largest));
        }
    }
    cr_expect_leq(worst, 1e-14, "%g", worst);
}

// A vertex that is given is taken where it is the answer, found again by its own rows; a neighbour's is refused: one row more or one
// less, or a singular one.
Test(lemke, a_vertex_is_known_when_it_is_seen) {
    enum { N = 10 };
    ts_rng rng = ts_rng_make(85, 0);
    for (int trial = 0; trial < 200; ++trial) {
        double X[N * N], A[N * N], b[N], z[N], seen[N];
        int list[N], count = 0, pivots;
        for (int i = 0; i < N * N; ++i) X[i] = ts_rng_normal(&rng);
        for (int i = 0; i < N; ++i) {
            b[i] = ts_rng_normal(&rng);
            for (int j = 0; j < N; ++j) {
                A[i * N + j] = 0.0;
                for (int k = 0; k < N; ++k) A[i * N + j] += X[i * N + k] * X[j * N + k] / N;
            }
        }
        ts_arena scratch = {0};
        cr_assert_eq(pivoted(N, A, b, 1000, &scratch, z, &pivots), TS_LEMKE_END_SOLVED, "trial %d", trial);
        for (int i = 0; i < N; ++i)
            if (z[i] > 0.0) list[count++] = i;
        cr_expect(ts_lemke_vertex(N, A, b, list, count, &scratch, seen), "trial %d", trial);
        expect_solves(N, A, b, seen, 1e-11);
        if (count > 0) {
            cr_expect_not(ts_lemke_vertex(N, A, b, list, count - 1, &scratch, seen));
            cr_expect_not(ts_lemke_vertex(N, A, b, list + 1, count - 1, &scratch, seen));
        }
        ts_arena_free(&scratch);
    }
    const double twin[4] = {1, 1, 1, 1}, pull[2] = {-1, -1};
    const int both[2] = {0, 1};
    double z[2];
    ts_arena scratch = {0};
    cr_expect_not(ts_lemke_vertex(2, twin, pull, both, 2, &scratch, z));
    cr_expect(ts_lemke_vertex(2, twin, pull, both, 1, &scratch, z));
    ts_arena_free(&scratch);
}

Test(lemke, names_a_ray_and_the_limit) {
    ts_arena scratch = {0};
    const double A[4] = {0, 0, 0, 1}, b[2] = {-1, -1}, identity[4] = {1, 0, 0, 1};
    double z[2];
    int pivots;
    cr_expect_eq(pivoted(2, A, b, 100, &scratch, z, &pivots), TS_LEMKE_END_RAY);
    cr_expect_eq(z[0] + z[1], 0.0);
    cr_expect_eq(pivoted(2, identity, b, 1, &scratch, z, &pivots), TS_LEMKE_END_LIMIT);
    cr_expect_eq(pivots, 1);
    const double broken[2] = {-1, (double)NAN};
    cr_expect_eq(pivoted(2, identity, broken, 100, &scratch, z, &pivots), TS_LEMKE_END_NOT_FINITE);
    const double fine[2] = {0, 1};
    cr_expect_eq(pivoted(2, A, fine, 100, &scratch, z, &pivots), TS_LEMKE_END_SOLVED);
    cr_expect_eq(pivots, 0);
    ts_arena_free(&scratch);
}

// A particle sliding at an angle: both axes saturate, friction points to a corner of the square.
Test(particle, friction_points_to_a_corner) {
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.4, gamma = GRAVITY * TIME_STEP;
    const double angle[3] = {0.0, acos(-1.0) / 8.0, acos(-1.0) / 4.0};
    for (int i = 0; i < 3; ++i) {
        const double g[3] = {sin(angle[i]), cos(angle[i]), -gamma};
        fixture_settings settings = tight();
        fixture_answer a = fixture_solve_contact(ts_solver_find("lcp-lemke"), &settings, mu, G, g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, i ? -mu * gamma : a.lambda[0], -mu * gamma, gamma, 1e-15, "corner");
        cr_expect_leq(fabs(a.lambda[0]), mu * gamma * (1.0 + 1e-14));
        // Without slip along an axis any friction within its bound meets the law; at 0 degrees it must not move it.
        if (i == 0) cr_expect_lt(fabs(a.u[0]), 1e-15);
    }
}

// Coupled contact: the box law by hand. Axis 2 saturates, axis 1 sticks: u_1 = u_N = 0.
Test(coupled_contact, one_axis_sticks) {
    const double G[9] = {2, 0, 0.5, 0, 2, 0, 0.5, 0, 1}, g[3] = {0, 3, -1};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve_contact(ts_solver_find("lcp-lemke"), &settings, 0.5, G, g, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -4.0 / 7.0, 8.0 / 7.0, 1e-14, "lambda");
    const double near[3] = {0, 1, -1};
    a = fixture_solve_contact(ts_solver_find("lcp-lemke"), &settings, 0.5, G, near, NULL);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -0.5, 8.0 / 7.0, 1e-14, "sticks");
}

static void cube_problem(ts_block block[4], double G[144], double g[12], double mu, double push) {
    double J[12][6], Y[12][6];
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, mu);
        g[3 * c] = 0.0;
        g[3 * c + 1] = push * TIME_STEP;
        g[3 * c + 2] = -GRAVITY * TIME_STEP;
    }
}

// A vertex: two feet on a diagonal carry the cube.
Test(cube, two_feet_carry_it) {
    ts_block block[4];
    double G[144], g[12];
    cube_problem(block, G, g, 0.9, 0.0);
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    double load[4];
    for (int c = 0; c < 4; ++c) load[c] = a.lambda[3 * c + 2] / TIME_STEP;
    int inner = load[1] > 1.0;
    cr_expect_float_eq(load[inner ? 1 : 0], 4.905, 1e-9);
    cr_expect_float_eq(load[inner ? 2 : 3], 4.905, 1e-9);
    cr_expect_float_eq(load[inner ? 0 : 1], 0.0, 1e-9);
    cr_expect_float_eq(load[inner ? 3 : 2], 0.0, 1e-9);
    for (int r = 0; r < 12; ++r) cr_expect_lt(fabs(a.u[r]), 1e-14);
}

// Pushed with 5 N and sticking: the weight, the push and its moment are balanced whatever the distribution.
Test(cube, pushed_it_sticks) {
    ts_block block[4];
    double G[144], g[12];
    cube_problem(block, G, g, 0.9, 5.0);
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    double sum = 0.0, front = 0.0, push = 0.0;
    for (int c = 0; c < 4; ++c) {
        sum += a.lambda[3 * c + 2] / TIME_STEP;
        push += a.lambda[3 * c + 1] / TIME_STEP;
        if (c >= 2) front += a.lambda[3 * c + 2] / TIME_STEP;
    }
    cr_expect_float_eq(sum, 9.81, 1e-9);
    cr_expect_float_eq(front, 2.0 * 3.7525, 1e-9);
    cr_expect_float_eq(push, -5.0, 1e-9);
    for (int r = 0; r < 12; ++r) cr_expect_lt(fabs(a.u[r]), 1e-14);
}

// As long as it stands as it stood nothing is pivoted; where what pulls is another, the start is none, and no harm either.
Test(cube, a_start_at_its_own_vertex_takes_no_pivot) {
    const double push[] = {0.0, 5.0, -3.0};
    for (int k = 0; k < 3; ++k) {
        ts_block block[4];
        double G[144], g[12];
        cube_problem(block, G, g, 0.9, push[k]);
        fixture_settings settings = tight();
        const ts_solver* lemke = ts_solver_find("lcp-lemke");
        fixture_answer a = fixture_solve(lemke, &settings, 4, block, G, g, NULL, NULL);
        cr_expect_gt(a.report.iterations, 0);
        fixture_answer again = fixture_solve(lemke, &settings, 4, block, G, g, NULL, a.lambda);
        cr_expect_eq(again.report.iterations, 0, "%d pivots at %g N", again.report.iterations, push[k]);
        for (int r = 0; r < 12; ++r) cr_expect_float_eq(again.lambda[r], a.lambda[r], 1e-14);
        cube_problem(block, G, g, 0.9, 30.0);
        fixture_answer other = fixture_solve(lemke, &settings, 4, block, G, g, NULL, a.lambda);
        cr_expect_eq(other.report.status, TS_SOLVE_CONVERGED);
        // It slides: friction is mu m g against the push of 1 kg.
        cr_expect_float_eq(other.u[1], (30.0 - 0.9 * GRAVITY) * TIME_STEP, 1e-12);
    }
}

enum { BODIES = 3, CONTACTS = 5, ROWS = 3 * CONTACTS + 6, DOF = 6 * BODIES, BLOCKS = CONTACTS + 5 };

// Contacts on three bodies and between them, a rod, a limit, and boxes of all kinds.
static void random_problem(ts_rng* rng, ts_block block[BLOCKS], double G[ROWS * ROWS], double g[ROWS], double R[ROWS]) {
    static double J[ROWS][DOF];
    double weight[DOF];
    for (int j = 0; j < DOF; ++j) weight[j] = exp(ts_rng_normal(rng));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < DOF; ++j) J[i][j] = ts_rng_uniform_in(rng, 0.0, 1.0) < 0.5 ? ts_rng_normal(rng) : 0.0;
    for (int i = 0; i < ROWS; ++i) {
        J[i][i % DOF] += 1.0;
        for (int k = 0; k <= i; ++k) {
            double sum = 0.0;
            for (int j = 0; j < DOF; ++j) sum += J[i][j] * weight[j] * J[k][j];
            G[i * ROWS + k] = G[k * ROWS + i] = sum;
        }
        g[i] = 0.1 * ts_rng_normal(rng);
        R[i] = i % 4 ? 0.0 : 0.1;
    }
    for (int c = 0; c < CONTACTS; ++c) block[c] = fixture_cone(3 * c, c == 2 ? 0.0 : ts_rng_uniform_in(rng, 0.1, 0.8));
    int row = 3 * CONTACTS;
    const ts_block others[5] = {{.set = TS_SET_FREE, .row = row, .rows = 2},
                                {.set = TS_SET_HALF_LINE, .row = row + 2, .rows = 1},
                                {.set = TS_SET_BOX, .row = row + 3, .rows = 1, .low = -0.01, .high = 0.02},
                                {.set = TS_SET_BOX, .row = row + 4, .rows = 1, .low = -HUGE_VAL, .high = 0.03},
                                {.set = TS_SET_BOX, .row = row + 5, .rows = 1, .low = 0.01, .high = HUGE_VAL}};
    memcpy(block + CONTACTS, others, sizeof others);
}

// Every set in one problem, with compliance on some rows: solved to rounding, and where lcp-pgs converges too and the
// answer is unique, the same velocities. The law is judged by contact/judge/residual.c alone.
Test(random_problems, all_sets_are_solved_to_rounding) {
    ts_rng rng = ts_rng_make(82, 0);
    int solved = 0, agreed = 0, swept = 0;
    for (int trial = 0; trial < 60; ++trial) {
        ts_block block[BLOCKS];
        double G[ROWS * ROWS], g[ROWS], R[ROWS];
        random_problem(&rng, block, G, g, R);
        fixture_settings settings = tight();
        settings.shared.force = 1e-7;
        settings.shared.iteration_limit = 0;  // no help from sweeps
        fixture_answer a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, BLOCKS, block, G, g, R, NULL);
        if (a.report.status == TS_SOLVE_CONVERGED) {
            ++solved;
            cr_expect_lt(ts_law_residual_in_force_units(a.residual.lcp, TIME_STEP), 1e-7);
        }
        const ts_solver* sweeps = ts_solver_find("lcp-pgs");
        fixture_settings pgs = fixture_settings_of(sweeps, 1e-8, 50000);
        pgs.shared.stall = 1e-12;
        fixture_answer p = fixture_solve(sweeps, &pgs, BLOCKS, block, G, g, R, NULL);
        if (a.report.status != TS_SOLVE_CONVERGED || p.report.status != TS_SOLVE_CONVERGED) continue;
        ++swept;
        double far = 0.0;
        for (int r = 0; r < ROWS; ++r) far = fmax(far, fabs(a.u[r] - p.u[r]));
        if (far < 1e-6) ++agreed;
    }
    cr_expect_geq(solved, 58, "%d of 60", solved);
    cr_expect_geq(swept, 30, "%d of 60", swept);
    // The boxed law has several answers where friction couples into the normal; rarely so.
    cr_expect_geq(agreed, swept - swept / 10, "%d of %d", agreed, swept);
}

// Free rows given twice, and one that nothing can move but need not be: no inverse is asked for.
Test(sets, redundant_free_rows) {
    const double G[9] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, g[3] = {-0.5, -0.5, 0.0};
    const ts_block block = {.set = TS_SET_FREE, .row = 0, .rows = 3};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 1, &block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_float_eq(a.lambda[0] + a.lambda[1], 0.5, 1e-15);
}

// Two particles on a rod, F on the first (closed form); dry friction of a joint that slides, and of one that sticks.
Test(sets, rod_and_dry_friction) {
    const double m1 = 2.0, m2 = 3.0, F = 7.0, h = TIME_STEP;
    const double G[1] = {1.0 / m1 + 1.0 / m2}, g[1] = {-F * h / m1};
    const ts_block rod = {.set = TS_SET_FREE, .row = 0, .rows = 1};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 1, &rod, G, g, NULL, NULL);
    cr_expect_float_eq(a.lambda[0], F * h * m2 / (m1 + m2), 1e-15);
    const double inertia[1] = {1.0 / 2.0}, fast[1] = {0.3}, slow[1] = {-1e-4};
    const ts_block dry = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -h * 5.0, .high = h * 5.0};
    a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 1, &dry, inertia, fast, NULL, NULL);
    cr_expect_float_eq(a.u[0], 0.3 - h * 5.0 / 2.0, 1e-15);
    a = fixture_solve(ts_solver_find("lcp-lemke"), &settings, 1, &dry, inertia, slow, NULL, NULL);
    cr_expect_float_eq(a.u[0], 0.0, 1e-18);
}

// Where pivoting does not deliver the answer is lcp-pgs', word for word, and so is the report but for the pivots.
Test(outcomes, the_sweeps_answer_and_report_for_themselves) {
    const ts_solver *lemke = ts_solver_find("lcp-lemke"), *pgs = ts_solver_find("lcp-pgs");
    ts_block block[4];
    double G[144], g[12];
    cube_problem(block, G, g, 0.4, 20.0);
    fixture_settings settings = tight(), swept;
    fixture_answer a = fixture_solve(lemke, &settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(a.report.iterations, 48);
    // Too large, by one row: no pivot is made.
    ts_solver_default_settings(pgs, &swept);
    swept.shared = settings.shared;
    fixture_answer sweeps = fixture_solve(pgs, &swept, 4, block, G, g, NULL, NULL);
    fixture_set(lemke, &settings, "row_limit", 23.0);
    fixture_answer large = fixture_solve(lemke, &settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(memcmp(large.lambda, sweeps.lambda, sizeof large.lambda), 0);
    cr_expect_eq(large.report.status, sweeps.report.status);
    cr_expect_eq(large.report.iterations, sweeps.report.iterations);
    // Work for three pivots and no more.
    settings = tight();
    fixture_set(lemke, &settings, "work", 3.0 * 24.0 * 24.0 + 1.0);
    fixture_answer brief = fixture_solve(lemke, &settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(memcmp(brief.lambda, sweeps.lambda, sizeof brief.lambda), 0);
    cr_expect_eq(brief.report.status, sweeps.report.status);
    cr_expect_eq(brief.report.iterations, 3 + sweeps.report.iterations);
    // A vertex that misses the tolerance, here by rounding alone, is not called converged; it is looked for again with care, and
    // the sweeps go on from there.
    settings = tight();
    settings.shared.tolerance = 1e-300;
    settings.shared.iteration_limit = 3;
    swept.shared = settings.shared;
    fixture_answer inaccurate = fixture_solve(lemke, &settings, 4, block, G, g, NULL, NULL);
    sweeps = fixture_solve(pgs, &swept, 4, block, G, g, NULL, a.lambda);
    cr_expect_neq(inaccurate.report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(memcmp(inaccurate.lambda, sweeps.lambda, sizeof sweeps.lambda), 0);
    cr_expect_eq(inaccurate.report.iterations, 2 * a.report.iterations + sweeps.report.iterations);

    // Forced apart along a row that nothing moves: no answer exists, and none is claimed.
    const double fixed[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, closing[3] = {0, 0, -1};
    settings = tight();
    settings.shared.iteration_limit = 50;
    fixture_answer ray = fixture_solve_contact(lemke, &settings, 0.5, fixed, closing, NULL);
    cr_expect_neq(ray.report.status, TS_SOLVE_CONVERGED);
}
