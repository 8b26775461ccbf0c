// The sets an impulse can live in: cones with spinning and rolling rows, joint limits, dry friction, servos, bilateral
// rows. Closed forms for every solver of the table, and random mixtures certified from outside.
#include "contact/coulomb_internal.h"
#include "tests/contact/contact_fixture.h"

#define SPIN_MU 0.4

// Laws that leave a sliding contact on the floor.
static int keeps_contact(const ts_solver* solver) {
    return solver->law != TS_LAW_CCP && solver->law != TS_LAW_EXPLICIT;
}

// Regularised solvers change the problem: sinking is theirs by design.
static int is_rigid(const ts_solver* solver) { return solver->compliance == NULL; }

static fixture_answer solve_one(const ts_solver* solver, const ts_block* block, const double* G, const double* g) {
    fixture_settings settings = fixture_settings_of(solver, 1e-9, 50000);
    return fixture_solve(solver, &settings, 1, block, G, g, NULL, NULL);
}

// A disc of mass m and inertia I about the vertical spins on its flat side, resisted by mu_s = 3 mm: it loses
// mu_s m g h / I of its speed a step, and in the last one what is left. Nothing slides, and nothing else moves.
Test(spin, a_disc_stops_by_torsional_friction) {
    const double m = 2.0, I = 0.01, mu_s = 0.003, s = mu_s / SPIN_MU, h = TIME_STEP;
    const double G[16] = {1 / m, 0, 0, 0, 0, 1 / m, 0, 0, 0, 0, 1 / m, 0, 0, 0, 0, s * s / I};
    const ts_block block = {TS_SET_CONE, 0, 4, SPIN_MU, 0, 0};
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        if (!keeps_contact(solver)) continue;
        double omega = 0.05, expected = omega;
        for (int step = 0; step < 12; ++step) {
            const double g[4] = {0, 0, -GRAVITY * h, s * omega};
            fixture_answer a = solve_one(solver, &block, G, g);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s, step %d", solver->name, step);
            omega += s * a.lambda[3] / I;
            expected = fmax(0.0, expected - mu_s * m * GRAVITY * h / I);
            cr_expect_float_eq(omega, expected, 1e-9, "%s, step %d: %.12g, not %.12g", solver->name, step, omega,
                               expected);
            cr_expect_float_eq(a.lambda[2], m * GRAVITY * h, 1e-11);
            cr_expect_float_eq(a.lambda[0], 0.0, 1e-11);
        }
        cr_expect_float_eq(omega, 0.0, 1e-9, "%s", solver->name);
    }
}

// The relaxation takes the spin for slip and lifts the disc: with G diagonal, lambda = -x (mu w, 1) with u_n = mu |u_T|:
// D_s mu x + g_s (scaled by the sign of the spin) and D_n x + g_n = mu (g_s - D_s mu x), so
// x = (mu g_s - g_n) / (D_n + mu^2 D_s).
Test(spin, the_relaxation_lifts_a_spinning_disc) {
    const double m = 2.0, I = 0.01, s = 0.003 / SPIN_MU, D = s * s / I, spin = s * 5.0;
    const double G[16] = {1 / m, 0, 0, 0, 0, 1 / m, 0, 0, 0, 0, 1 / m, 0, 0, 0, 0, D};
    const double g[4] = {0, 0, -GRAVITY * TIME_STEP, spin};
    const ts_block block = {TS_SET_CONE, 0, 4, SPIN_MU, 0, 0};
    double x = (SPIN_MU * spin - g[2]) / (1 / m + SPIN_MU * SPIN_MU * D);
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        if (keeps_contact(solver) || !is_rigid(solver)) continue;
        fixture_answer a = solve_one(solver, &block, G, g);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        cr_expect_float_eq(a.lambda[2], x, 1e-9, "%s: %.12g, not %.12g", solver->name, a.lambda[2], x);
        cr_expect_float_eq(a.lambda[3], -SPIN_MU * x, 1e-9, "%s", solver->name);
        cr_expect_float_eq(a.u[2], SPIN_MU * a.u[3], 1e-9, "%s", solver->name);
    }
}

// Contact point of a ball of radius r under its centre: rows t1, t2, n, spin, roll 1, roll 2 over (v, omega).
static void ball(double m, double r, double spin, double roll, double J[6][6], double Y[6][6], double G[36]) {
    const double I = 0.4 * m * r * r, inverse_mass[6] = {1 / m, 1 / m, 1 / m, 1 / I, 1 / I, 1 / I};
    const double rows[6][6] = {{1, 0, 0, 0, -r, 0},   {0, 1, 0, r, 0, 0},    {0, 0, 1, 0, 0, 0},
                               {0, 0, 0, 0, 0, spin}, {0, 0, 0, roll, 0, 0}, {0, 0, 0, 0, roll, 0}};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            J[i][j] = rows[i][j];
            Y[i][j] = rows[i][j] * inverse_mass[j];
        }
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            G[6 * i + k] = 0.0;
            for (int j = 0; j < 6; ++j) G[6 * i + k] += J[i][j] * Y[k][j];
        }
}

// A ball with rolling resistance, s = mu_r / mu. Friction is antiparallel to (u_t, s omega), so some slip goes with the
// roll: v - r omega = kappa omega. Both speeds keep their ratio when m (r + kappa) (s^2 - r kappa) = I kappa, the positive
// root of m r kappa^2 + (m r^2 - m s^2 + I) kappa - m r s^2 = 0; started on it, the ball loses
// mu m g h (s^2 - r kappa) / (I sqrt(kappa^2 + s^2)) of its spin in every step: mu_r m g h / (I + m r^2) for small s.
Test(roll, a_ball_slows_down_by_rolling_resistance) {
    const double m = 0.5, r = 0.1, I = 0.4 * m * r * r, mu = 0.6, mu_r = 0.02, s = mu_r / mu, h = TIME_STEP;
    double J[6][6], Y[6][6], G[36];
    ball(m, r, 0.5 * s, s, J, Y, G);
    const double b = m * r * r - m * s * s + I, kappa = (-b + sqrt(b * b + 4 * m * r * m * r * s * s)) / (2 * m * r);
    const double fall = mu * m * GRAVITY * h * (s * s - r * kappa) / (I * sqrt(kappa * kappa + s * s));
    cr_assert_float_eq(fall, mu_r * m * GRAVITY * h / (I + m * r * r), 0.1 * fall);
    const ts_block block = {TS_SET_CONE, 0, 6, mu, 0, 0};
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        // The box law bounds slip and roll apart; it has another closed form, below.
        if (!keeps_contact(solver) || !is_rigid(solver) || ts_contact_law_facets(solver->law)) continue;
        double omega = 5.5 * fall, v[6] = {(r + kappa) * omega, 0, 0, 0, omega, 0};
        for (int step = 0; step < 7; ++step) {
            double g[6];
            v[2] = -GRAVITY * h;
            for (int i = 0; i < 6; ++i) {
                g[i] = 0.0;
                for (int j = 0; j < 6; ++j) g[i] += J[i][j] * v[j];
            }
            fixture_answer a = solve_one(solver, &block, G, g);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s, step %d: %s", solver->name, step,
                         ts_solve_status_name(a.report.status));
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) v[j] += Y[i][j] * a.lambda[i];
            omega = fmax(0.0, omega - fall);
            cr_expect_float_eq(v[4], omega, 1e-8, "%s, step %d: %.12g, not %.12g", solver->name, step, v[4], omega);
            cr_expect_float_eq(v[0], (r + kappa) * omega, 1e-9, "%s, step %d", solver->name, step);
            cr_expect_float_eq(v[2], 0.0, 1e-10, "%s", solver->name);
        }
    }
}

// Row by row: rolling without slip sticks in t1 and saturates in the roll: I alpha = -r F - s mu N, m r alpha = F, so
// alpha = -mu_r N / (I + m r^2), for as long as |F| <= mu N.
Test(roll, of_the_box_law_has_the_textbook_deceleration) {
    const double m = 0.5, r = 0.1, I = 0.4 * m * r * r, mu = 0.6, mu_r = 0.02, s = mu_r / mu, h = TIME_STEP;
    double J[6][6], Y[6][6], G[36], g[6];
    ball(m, r, 0.5 * s, s, J, Y, G);
    const ts_block block = {TS_SET_CONE, 0, 6, mu, 0, 0};
    const double v[6] = {0.3, 0, -GRAVITY * h, 0, 3.0, 0};
    for (int i = 0; i < 6; ++i) {
        g[i] = 0.0;
        for (int j = 0; j < 6; ++j) g[i] += J[i][j] * v[j];
    }
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        if (!ts_contact_law_facets(solver->law)) continue;
        fixture_answer a = solve_one(solver, &block, G, g);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        double omega = v[4], expected = v[4] - mu_r * m * GRAVITY * h / (I + m * r * r);
        for (int i = 0; i < 6; ++i) omega += Y[i][4] * a.lambda[i];
        cr_expect_float_eq(omega, expected, 1e-9, "%s: %.12g, not %.12g", solver->name, omega, expected);
    }
}

// The exact one-contact solver on random blocks of 4 and 6 rows, judged by the residual; with 3 rows it is the other one.
Test(coulomb_rows, random_blocks_meet_the_law) {
    ts_rng rng = ts_rng_make(21, 0);
    const int sizes[3] = {3, 4, 6};
    int open = 0, stick = 0, slide = 0;
    for (int k = 0; k < 3000; ++k) {
        int rows = sizes[k % 3];
        double A[6][8], D[36], b[6], l[6], u[6], mu = ts_rng_uniform_in(&rng, 0.0, 0.8);
        for (int i = 0; i < rows; ++i) {
            b[i] = ts_rng_normal(&rng) * (i == 2 ? 2.0 : 1.0);
            for (int j = 0; j < 8; ++j) A[i][j] = ts_rng_normal(&rng) * (i > 2 ? 0.1 : 1.0) + (i == j ? 2.0 : 0.0);
        }
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j) {
                D[rows * i + j] = 0.0;
                for (int c = 0; c < 8; ++c) D[rows * i + j] += A[i][c] * A[j][c];
            }
        ts_coulomb_solve_rows(D, rows, b, mu, l);
        for (int i = 0; i < rows; ++i) {
            u[i] = b[i];
            for (int j = 0; j < rows; ++j) u[i] += D[rows * i + j] * l[j];
        }
        ts_block block = {TS_SET_CONE, 0, rows, mu, 0, 0};
        ts_contact_problem problem = {.block_count = 1, .row_count = rows, .block = &block, .time_step = 1.0};
        ts_law_residual r = ts_residual_of_law(&problem, TS_LAW_NCP, l, u);
        cr_expect_lt(r.primal + r.dual + r.complementarity, 1e-11, "%d rows, mu %g: %g %g %g", rows, mu, r.primal,
                     r.dual, r.complementarity);
        double slip = 0.0;
        for (int i = 0; i < rows; ++i) slip = fmax(slip, i == 2 ? 0.0 : fabs(u[i]));
        *(l[2] == 0.0 ? &open : slip < 1e-12 ? &stick : &slide) += 1;
        if (rows != 3) continue;
        ts_vec3 three = ts_coulomb_solve(D[0], D[1], D[4], D[2], D[5], D[8], ts_vec3_make(b[0], b[1], b[2]), mu);
        fixture_expect_vector(l, three.x, three.y, three.z, 1e-10, "three rows");
    }
    cr_expect(open > 100 && stick > 100 && slide > 100, "%d open, %d sticking, %d sliding", open, stick, slide);
}

// T21, every solver. Joint limit: the stop takes m w. Rod: both particles end at F h / (m1 + m2). Dry friction takes up to
// h tau. A servo with a torque limit reaches its speed, or gives all it has.
Test(joints, limit_rod_friction_and_servo_in_every_solver) {
    const double m = 3.0, w = 0.7, h = TIME_STEP, G[1] = {1 / m};
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        if (!is_rigid(solver)) continue;
        const ts_block stop = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0}, rod = {TS_SET_FREE, 0, 1, 0, 0, 0};
        double g[1] = {-w};
        fixture_answer a = solve_one(solver, &stop, G, g);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        cr_expect_float_eq(a.lambda[0], m * w, 1e-10, "%s: limit", solver->name);
        g[0] = w;
        a = solve_one(solver, &stop, G, g);
        cr_expect_float_eq(a.lambda[0], 0.0, 1e-11, "%s: open limit", solver->name);

        const double m1 = 1.0, m2 = 4.0, force = 2.0, rod_G[1] = {1 / m1 + 1 / m2}, rod_g[1] = {-force * h / m1};
        a = solve_one(solver, &rod, rod_G, rod_g);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        cr_expect_float_eq(a.lambda[0], force * h * m2 / (m1 + m2), 1e-11, "%s: rod", solver->name);
        cr_expect_float_eq((force * h - a.lambda[0]) / m1, force * h / (m1 + m2), 1e-11, "%s: rod", solver->name);

        const double limit = h * 60.0, speeds[4] = {0.5, 0.01, -0.015, -2.0};
        const ts_block box = {TS_SET_BOX, 0, 1, 0, -limit, limit};
        for (int i = 0; i < 4; ++i) {
            a = solve_one(solver, &box, G, &speeds[i]);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
            double left = fabs(speeds[i]) - limit / m;
            cr_expect_float_eq(a.u[0], left > 0.0 ? copysign(left, speeds[i]) : 0.0, 1e-11, "%s: speed %g",
                               solver->name, speeds[i]);
        }
        // From rest to 0.1 m/s: wants 0.3 N s, has 0.06. To -0.01 m/s: wants 0.03.
        const double wanted[2] = {0.1, -0.01}, reached[2] = {limit / m, -0.01};
        for (int i = 0; i < 2; ++i) {
            g[0] = 0.0 - wanted[i];
            a = solve_one(solver, &box, G, g);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
            cr_expect_float_eq(a.lambda[0] / m, reached[i], 1e-11, "%s: servo", solver->name);
        }
    }
}

// A particle of mass m on the floor, welded by six rows to... nothing moves it; and a loop of two particles, one of which
// rests on the floor: every solver that converges leaves the bilateral rows at rest, judged from outside.
enum { MIXED_BLOCKS = 6, MIXED_ROWS = 3 + 4 + 6 + 1 + 1 + 3, MIXED_DOF = 24 };

static void mixed(ts_rng* rng, ts_block* block, double* G, double* g) {
    static const int rows[MIXED_BLOCKS] = {3, 4, 6, 1, 1, 3};
    static const ts_block_set set[MIXED_BLOCKS] = {TS_SET_CONE,      TS_SET_CONE, TS_SET_CONE,
                                                   TS_SET_HALF_LINE, TS_SET_BOX,  TS_SET_FREE};
    double J[MIXED_ROWS][MIXED_DOF];
    int row = 0;
    for (int b = 0; b < MIXED_BLOCKS; ++b) {
        ts_block made = {set[b], row, rows[b], ts_rng_uniform_in(rng, 0.1, 0.5), -0.2, 0.3};
        block[b] = made;
        for (int r = row; r < row + rows[b]; ++r) {
            // Extra rows are softer, as mu_s / mu makes them.
            double scale = set[b] == TS_SET_CONE && r - row > 2 ? 0.1 : 1.0;
            for (int j = 0; j < MIXED_DOF; ++j) J[r][j] = scale * (0.3 * ts_rng_normal(rng) + (j == r ? 1.5 : 0.0));
            g[r] = scale * ts_rng_normal(rng);
        }
        row += rows[b];
    }
    for (int i = 0; i < MIXED_ROWS; ++i)
        for (int k = 0; k < MIXED_ROWS; ++k) {
            double sum = 0.0;
            for (int j = 0; j < MIXED_DOF; ++j) sum += J[i][j] * J[k][j];
            G[MIXED_ROWS * i + k] = sum;
        }
}

Test(mixture, what_is_called_converged_is_certified_and_the_best_solvers_are) {
    ts_rng rng = ts_rng_make(31, 0);
    enum { SAMPLES = 40 };
    int converged[64] = {0};
    for (int sample = 0; sample < SAMPLES; ++sample) {
        ts_block block[MIXED_BLOCKS];
        double G[MIXED_ROWS * MIXED_ROWS], g[MIXED_ROWS];
        mixed(&rng, block, G, g);
        for (int k = 0; k < ts_solver_count(); ++k) {
            const ts_solver* solver = ts_solver_at(k);
            if (!is_rigid(solver)) continue;
            fixture_settings settings = fixture_settings_of(solver, 1e-5, 20000);
            fixture_answer a = fixture_solve(solver, &settings, MIXED_BLOCKS, block, G, g, NULL, NULL);
            for (int r = 0; r < MIXED_ROWS; ++r) cr_expect(isfinite(a.lambda[r]), "%s", solver->name);
            if (a.report.status != TS_SOLVE_CONVERGED) continue;
            converged[k] += 1;
            if (solver->law == TS_LAW_RAISIM) continue;
            cr_expect_leq(ts_law_residual_in_force_units(a.own, TIME_STEP), 1e-5, "%s", solver->name);
            for (int r = MIXED_ROWS - 3; r < MIXED_ROWS; ++r) cr_expect_float_eq(a.u[r], 0.0, 1e-7, "%s", solver->name);
        }
    }
    for (int k = 0; k < ts_solver_count(); ++k) {
        const ts_solver* solver = ts_solver_at(k);
        if (!is_rigid(solver)) continue;
        int least = strcmp(solver->name, "ncp") == 0 ? SAMPLES : SAMPLES * 9 / 10;
        cr_expect_geq(converged[k], least, "%s: %d of %d", solver->name, converged[k], SAMPLES);
    }
}
