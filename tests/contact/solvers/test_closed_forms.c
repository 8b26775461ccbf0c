// Contact problems whose answer is known in closed form, against the projected Gauss-Seidel solvers. The derivations
// are beside the numbers; where the answer is the root of one scalar equation, it is found here by bisection.
#include "tests/contact/contact_fixture.h"

// 1e-8 in force units is 1e-14 J here: impulses near 1 N s and velocities near 1 m/s leave no digits for less.
// All projected Gauss-Seidel solvers have the same settings, in one struct.
static fixture_settings tight(void) { return fixture_settings_of(ts_solver_find("ncp-pgs"), 1e-8, 20000); }

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// A sliding solution of the exact law for one contact. With slip along e(a) = (cos a, sin a), friction is
// lambda_T = -mu lambda_N e, and u_N = 0 gives lambda_N = -g_N / (G_NN - mu G_NT . e). What is left of u_T across e
// must vanish: a root in a, with u_T . e > 0. Returns how many roots there are; the last one is written.
static int slide_exactly(const double G[9], const double g[3], double mu, double out_lambda[3]) {
    int found = 0;
    const int steps = 3600;
    const long double turn = 2.0L * acosl(-1.0L);
    long double across_before = 0.0L;
    for (int k = 0; k <= steps; ++k) {
        long double low = turn * (k - 1) / steps, high = turn * k / steps, across = 0.0L;
        for (int pass = 0; pass < 120; ++pass) {
            long double a = pass == 0 ? high : 0.5L * (low + high);
            long double ex = cosl(a), ey = sinl(a);
            long double stiffness = G[8] - mu * (G[6] * ex + G[7] * ey);
            long double n = -g[2] / stiffness;
            long double lx = -mu * n * ex, ly = -mu * n * ey;
            long double ux = G[0] * lx + G[1] * ly + G[2] * n + g[0];
            long double uy = G[3] * lx + G[4] * ly + G[5] * n + g[1];
            long double value = ex * uy - ey * ux;
            if (pass == 0) {
                across = value;
                if (k == 0 || !(across * across_before < 0.0L)) break;
                continue;
            }
            if (value * across_before > 0.0L)
                low = a;
            else
                high = a;
            if (pass == 119 && ux * ex + uy * ey > 0.0L && n > 0.0L) {
                out_lambda[0] = (double)lx;
                out_lambda[1] = (double)ly;
                out_lambda[2] = (double)n;
                ++found;
            }
        }
        across_before = across;
    }
    return found;
}

// Free unit mass on a floor, gamma = g h falling speed per step. With G = I the exact law decouples: lambda_N = gamma,
// friction is -v_T where |v_T| <= mu gamma (stick), else mu gamma against the slip.
Test(particle, exact_law_sticks_and_slides) {
    double gamma = GRAVITY * TIME_STEP;
    fixture_settings settings = tight();
    double stick[3] = {0.001962, 0.0, -gamma};
    fixture_answer a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.4, identity, stick, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, -0.001962, 0.0, gamma, 1e-15, "stick impulse");
    fixture_expect_vector(a.u, 0.0, 0.0, 0.0, 1e-15, "stick velocity");

    double slide[3] = {1.0, 0.0, -gamma};
    a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.4, identity, slide, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, -0.4 * gamma, 0.0, gamma, 1e-15, "slide impulse");
    fixture_expect_vector(a.u, 1.0 - 0.4 * gamma, 0.0, 0.0, 1e-15, "slide velocity");
}

// A free velocity inside K* needs no impulse under any of the laws, and no iteration.
Test(particle, taking_off_costs_nothing_in_every_solver) {
    double leave[3] = {0.3, 0.2, 0.2};  // 0.4 |(0.3, 0.2)| = 0.144 < 0.2
    for (int i = 0; i < ts_solver_count(); ++i) {
        unsigned long long settings[TS_SOLVER_SETTINGS_BYTES / 8];
        ts_solver_default_settings(ts_solver_at(i), settings);
        fixture_answer a = fixture_solve_contact(ts_solver_at(i), settings, 0.4, identity, leave, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", ts_solver_at(i)->name);
        fixture_expect_vector(a.lambda, 0.0, 0.0, 0.0, 1e-12, ts_solver_at(i)->name);
    }
}

// CCP: with G = I the dual is min 1/2 |lambda + g|^2 over K, so lambda = P_K(-g). For g = (v, 0, -gamma) sliding this
// is z = (mu v + gamma) / (1 + mu^2), friction -mu z; the velocity (v - mu gamma) / (1 + mu^2) has the lift u_N = mu
// |u_T|.
Test(particle, convex_relaxation_lifts_off) {
    double mu = 0.4, v = 1.0, gamma = GRAVITY * TIME_STEP, g[3] = {v, 0.0, -gamma};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve_contact(ts_solver_find("ccp-pgs"), &settings, mu, identity, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    double z = (mu * v + gamma) / (1.0 + mu * mu), slip = (v - mu * gamma) / (1.0 + mu * mu);
    fixture_expect_vector(a.lambda, -mu * z, 0.0, z, 1e-14, "impulse");
    fixture_expect_vector(a.u, slip, 0.0, mu * slip, 1e-14, "velocity");
    cr_expect_float_eq(a.lambda[2], 0.353284483, 1e-9);
    cr_expect_float_eq(a.u[0], 0.858686207, 1e-9);
}

// LCP: each axis is a one-dimensional Coulomb slider with its own bound, so any oblique slip ends in a corner of the
// square; a slip along an axis does not.
Test(particle, box_friction_points_at_a_corner) {
    double mu = 0.4, gamma = GRAVITY * TIME_STEP, angle = acos(-1.0) / 8.0;
    fixture_settings settings = tight();
    double oblique[3] = {sin(angle), cos(angle), -gamma}, straight[3] = {0.0, 1.0, -gamma};
    fixture_answer a = fixture_solve_contact(ts_solver_find("lcp-pgs"), &settings, mu, identity, oblique, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, -mu * gamma, -mu * gamma, gamma, 1e-15, "oblique");
    a = fixture_solve_contact(ts_solver_find("lcp-pgs"), &settings, mu, identity, straight, NULL);
    fixture_expect_vector(a.lambda, 0.0, -mu * gamma, gamma, 1e-15, "straight");
}

static const double coupled[9] = {2, 0, 0.5, 0, 2, 0, 0.5, 0, 1};

// One contact whose tangent and normal are coupled. NCP: the root of slide_exactly. LCP by cases: axis 1 sticks,
// 2 l1 + l3/2 = 0; axis 2 saturates, l2 = -l3/2; u_N = l1/2 + l3 - 1 = 0: l3 = 8/7, and u_2 = 3 - 8/7 > 0 agrees.
Test(coupled_contact, exact_and_box_laws) {
    const double g[3] = {0, 3, -1};
    fixture_settings settings = tight();
    double exact[3];
    cr_assert_eq(slide_exactly(coupled, g, 0.5, exact), 1);
    fixture_expect_vector(exact, -0.089620396, -0.514660346, 1.044810198, 1e-9, "published number");
    fixture_answer a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.5, coupled, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, exact[0], exact[1], exact[2], 1e-12, "ncp-pgs");
    cr_expect_lt(a.residual.slip_angle, 1e-10);

    a = fixture_solve_contact(ts_solver_find("lcp-pgs"), &settings, 0.5, coupled, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -4.0 / 7.0, 8.0 / 7.0, 1e-12, "lcp-pgs");

    // Near stick: the free tangent solution is only just outside the disc; the box holds it (axis 2: 2 l2 + 1 = 0).
    const double near_stick[3] = {0, 1, -1};
    cr_assert_eq(slide_exactly(coupled, near_stick, 0.5, exact), 1);
    a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.5, coupled, near_stick, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, exact[0], exact[1], exact[2], 1e-10, "ncp-pgs near stick");
    a = fixture_solve_contact(ts_solver_find("lcp-pgs"), &settings, 0.5, coupled, near_stick, NULL);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -0.5, 8.0 / 7.0, 1e-12, "lcp-pgs sticks");
}

// CCP: the minimum of q(lambda) = 1/2 lambda^T G lambda + g^T lambda lies on the cone's boundary, lambda = n (mu e(a),
// 1). For a fixed direction d = (mu e, 1) the best n is -g.d / d.G d with value -(g.d)^2 / (2 d.G d): maximise over a.
Test(coupled_contact, convex_relaxation_minimises_the_dual_cost) {
    const double g[3] = {0, 3, -1};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve_contact(ts_solver_find("ccp-pgs"), &settings, 0.5, coupled, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    long double centre = 0.0L, width = acosl(-1.0L), best = 0.0L, lambda[3] = {0};
    for (int round = 0; round < 12; ++round) {
        long double best_angle = centre;
        for (int k = -200; k <= 200; ++k) {
            long double angle = centre + width * k / 200, d[3] = {0.5L * cosl(angle), 0.5L * sinl(angle), 1.0L};
            long double gd = 0.0L, dGd = 0.0L;
            for (int i = 0; i < 3; ++i) {
                gd += g[i] * d[i];
                for (int j = 0; j < 3; ++j) dGd += d[i] * coupled[3 * i + j] * d[j];
            }
            if (gd < 0.0L && gd * gd / dGd > best) {
                best = gd * gd / dGd;
                best_angle = angle;
                for (int i = 0; i < 3; ++i) lambda[i] = -gd / dGd * d[i];
            }
        }
        centre = best_angle;
        width /= 50.0L;
    }
    fixture_expect_vector(a.lambda, (double)lambda[0], (double)lambda[1], (double)lambda[2], 1e-8, "ccp-pgs");
    fixture_expect_vector(a.lambda, -0.257621904, -0.860461088, 1.796398987, 1e-8, "published number");
}

// Stick with one stiff tangent: G is diagonal, so lambda = -g / diag, inside the cone. The published steps
// 1 / min(1, 10) and 3 / (1 + 10 + 1) both exceed 2 / 10, the limit for a gradient step along the stiff axis.
Test(step_size, the_safe_step_converges_where_the_published_one_cannot) {
    const double G[9] = {1, 0, 0, 0, 10, 0, 0, 0, 1}, g[3] = {0.1, 0.1, -1};
    for (int i = 0; i < 3; ++i) {
        const ts_solver* solver =
            i == 0 ? ts_solver_find("ncp-pgs") : (i == 1 ? ts_solver_find("ccp-pgs") : ts_solver_find("lcp-pgs"));
        fixture_settings settings = tight();
        fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, G, g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        fixture_expect_vector(a.lambda, -0.1, -0.01, 1.0, 1e-10, solver->name);
        fixture_set(solver, &settings, "step_rule", 1.0);
        a = fixture_solve_contact(solver, &settings, 0.9, G, g, NULL);
        cr_expect_neq(a.report.status, TS_SOLVE_CONVERGED, "%s with the published step", solver->name);
        cr_expect_gt(ts_law_residual_in_force_units(a.own, TIME_STEP), 1.0, "%s", solver->name);
        for (int r = 0; r < 3; ++r) cr_expect(isfinite(a.lambda[r]));
    }
}

// mu |G_TN| / G_NN = 1.35 > 1: sliding friction feeds the normal more than it takes, and alternating between the two
// swings for ever. The law has a solution; what must not happen is a claim of success.
Test(strong_coupling, ncp_pgs_reports_that_it_cycles) {
    const double G[9] = {3, 0, 1.5, 0, 3, 0, 1.5, 0, 1}, g[3] = {-4, 0.3, -1};
    double exact[3], u[3];
    cr_assert_eq(slide_exactly(G, g, 0.9, exact), 1);
    fixture_expect_vector(exact, 0.3823316, -0.0341343, 0.4265026, 1e-7, "published number");
    for (int i = 0; i < 3; ++i) u[i] = G[3 * i] * exact[0] + G[3 * i + 1] * exact[1] + G[3 * i + 2] * exact[2] + g[i];
    ts_block block = fixture_cone(0, 0.9);
    ts_contact_problem problem = {.block_count = 1, .row_count = 3, .block = &block, .g = g, .time_step = TIME_STEP};
    ts_law_residual zero = ts_residual_of_law(&problem, TS_LAW_NCP, exact, u);
    cr_expect_lt(zero.primal + zero.dual + zero.complementarity, 1e-14);

    fixture_settings settings = tight();
    settings.shared.iteration_limit = 2000;
    fixture_answer a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.9, G, g, NULL);
    cr_expect_neq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_gt(ts_law_residual_in_force_units(a.own, TIME_STEP), 1.0);
}

// A light block m1 on the floor under a heavy one m2. Gauss-Seidel from zero: lambda_A = m1 gamma + lambda_B, then
// lambda_B = rho lambda_A, rho = m2 / (m1 + m2). After k updates of A: lambda_A = (m1 + m2) gamma (1 - rho^k) and the
// floor contact still closes at -gamma rho^k. Forward sweeps update A every time; in alternating sweeps every second
// update repeats the one before it and changes nothing, so A has been updated floor(k / 2) + 1 times and B, which gives
// the last word on u_A, floor((k + 1) / 2) times.
Test(stack, error_after_k_sweeps_follows_the_geometric_law) {
    const double m1 = 1e-3, m2 = 1e3, gamma = GRAVITY * TIME_STEP, rho = m2 / (m1 + m2);
    double G[36] = {0};
    for (int i = 0; i < 3; ++i) {
        G[6 * i + i] = 1.0 / m1;
        G[6 * i + 3 + i] = G[6 * (3 + i) + i] = -1.0 / m1;
        G[6 * (3 + i) + 3 + i] = 1.0 / m1 + 1.0 / m2;
    }
    const double g[6] = {0, 0, -gamma, 0, 0, 0};
    const ts_block block[2] = {fixture_cone(0, 0.9), fixture_cone(3, 0.95)};
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i)
        for (int order = 0; order < 2; ++order) {
            fixture_settings settings = tight();
            settings.shared.iteration_limit = 100;
            fixture_set(solvers[i], &settings, "order", order);
            int updates = order == 0 ? 100 : 51;
            int updates_before_b = order == 0 ? 100 : 50;
            fixture_answer a = fixture_solve(solvers[i], &settings, 2, block, G, g, NULL, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_ITERATION_LIMIT, "%s", solvers[i]->name);
            cr_expect_eq(a.report.iterations, 100);
            double expected = (m1 + m2) * gamma * -expm1(updates * log1p(-m1 / (m1 + m2)));
            cr_expect_float_eq(a.lambda[2], expected, 1e-11 * expected, "%s order %d: %.15g, not %.15g",
                               solvers[i]->name, order, a.lambda[2], expected);
            // u_A = (lambda_A - lambda_B) / m1 - gamma; lambda_B = rho times lambda_A of its last update.
            double lambda_b = rho * (m1 + m2) * gamma * -expm1(updates_before_b * log1p(-m1 / (m1 + m2)));
            cr_expect_float_eq(a.u[2], (expected - lambda_b) / m1 - gamma, 1e-9 * gamma);
        }
}

// The very first sweep from zero, from each solver's update rule by hand on a fully coupled contact; fixed points alone
// would not notice a wrong step or a stale velocity. G and g give normal l3 = -g3 / G33 = 0.5 and tangent velocities
// v = g_T + G_TN l3 = (0.3 + 0.1, 0.2 - 0.05) = (0.4, 0.15).
//   NCP: G_TT = [[4, 1], [1, 4]] has largest eigenvalue 5: l_T = -v / 5, inside the disc of radius 0.45.
//   LCP: axis 1 gives -0.4 / 4 = -0.1; axis 2 then sees 0.15 + 1 * -0.1 = 0.05, giving -0.0125.
//   CCP: the step is 1 / L or a little less, with L the largest root of det(G - x I).
Test(first_sweep, follows_each_update_rule) {
    const double G[9] = {4, 1, 0.2, 1, 4, -0.1, 0.2, -0.1, 2}, g[3] = {0.3, 0.2, -1.0};
    fixture_settings settings = tight();
    settings.shared.iteration_limit = 1;
    fixture_answer a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, 0.9, G, g, NULL);
    fixture_expect_vector(a.lambda, -0.08, -0.03, 0.5, 1e-15, "ncp-pgs");
    a = fixture_solve_contact(ts_solver_find("lcp-pgs"), &settings, 0.9, G, g, NULL);
    fixture_expect_vector(a.lambda, -0.1, -0.0125, 0.5, 1e-15, "lcp-pgs");

    // Bisection of the characteristic polynomial between 5 (largest of G_TT, so a lower bound) and the trace 10.
    long double low = 5.0L, high = 10.0L;
    for (int k = 0; k < 100; ++k) {
        long double x = 0.5L * (low + high), p = 4.0L - x, q = 2.0L - x;
        long double g02 = G[2], g12 = G[5];
        long double det = p * (p * q - g12 * g12) - (q - g12 * g02) + g02 * (g12 - p * g02);
        // The cubic is -x^3 + ...: negative above its largest root.
        if (det < 0.0L)
            high = x;
        else
            low = x;
    }
    a = fixture_solve_contact(ts_solver_find("ccp-pgs"), &settings, 0.9, G, g, NULL);
    // -g / L = (-0.06, -0.04, 0.2): inside the cone of slope 0.9, so no projection takes part.
    double step = a.lambda[2];
    cr_expect_leq(step, (double)(1.0L / high) * (1.0 + 1e-12));
    cr_expect_geq(step, (double)(1.0L / high) * 0.98);
    fixture_expect_vector(a.lambda, -0.3 * step, -0.2 * step, step, 1e-15, "ccp-pgs");
}

// With one contact, k local iterations of one sweep are k sweeps: the velocity carried between them is the true one.
Test(local_iterations, are_sweeps_when_there_is_one_contact) {
    const double G[9] = {4, 1, 0.2, 1, 3, -0.1, 0.2, -0.1, 2}, g[3] = {0.9, 0.5, -1.0}, R[3] = {0.1, 0.2, 0.3};
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i)
        for (int k = 2; k < 6; ++k) {
            fixture_settings sweeps = tight(), local = tight();
            sweeps.shared.iteration_limit = k;
            local.shared.iteration_limit = 1;
            fixture_set(solvers[i], &local, "local_iterations", k);
            fixture_answer a = fixture_solve_contact(solvers[i], &sweeps, 0.3, G, g, R);
            fixture_answer b = fixture_solve_contact(solvers[i], &local, 0.3, G, g, R);
            cr_assert_eq(b.report.iterations, 1);
            fixture_expect_vector(b.lambda, a.lambda[0], a.lambda[1], a.lambda[2], 1e-15, solvers[i]->name);
        }
}

// With the heavy one below, rho = 1e-6: a handful of sweeps reaches the exact loads.
Test(stack, converges_at_once_with_the_heavy_block_below) {
    const double m1 = 1e3, m2 = 1e-3, gamma = GRAVITY * TIME_STEP;
    const double G[4] = {1.0 / m1, -1.0 / m1, -1.0 / m1, 1.0 / m1 + 1.0 / m2}, g[2] = {-gamma, 0};
    const ts_block block[2] = {{.set = TS_SET_HALF_LINE, .row = 0, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 1, .rows = 1}};
    const ts_solver* solver = ts_solver_find("ncp-pgs");
    fixture_answer a = fixture_solve(solver, solver->defaults, 2, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(a.report.iterations, 20);
    cr_expect_float_eq(a.lambda[0], (m1 + m2) * gamma, 1e-9);
    cr_expect_float_eq(a.lambda[1], m2 * gamma, 1e-12);
}

// Particle on a slope t: sticks for tan t <= mu, else accelerates by g (sin t - mu cos t), exactly in every step as the
// law is solved exactly and semi-implicit Euler is exact for constant acceleration in velocity.
Test(incline, sticks_below_the_friction_angle_and_accelerates_above) {
    fixture_settings settings = tight();
    const double mu = 0.5;
    for (int k = 0; k < 9; ++k) {
        double slope = 0.1 * (k + 1), v = 0.0;
        for (int step = 0; step < 50; ++step) {
            double g[3] = {v + TIME_STEP * GRAVITY * sin(slope), 0.0, -TIME_STEP * GRAVITY * cos(slope)};
            fixture_answer a = fixture_solve_contact(ts_solver_find("ncp-pgs"), &settings, mu, identity, g, NULL);
            cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
            v = a.u[0];
            cr_assert_float_eq(a.u[2], 0.0, 1e-15);
        }
        double acceleration = tan(slope) <= mu ? 0.0 : GRAVITY * (sin(slope) - mu * cos(slope));
        cr_expect_float_eq(v, 50 * TIME_STEP * acceleration, 1e-13, "slope %g", slope);
    }
    // The relaxation adds the normal speed mu |u_T| in its first sliding step.
    double g[3] = {TIME_STEP * GRAVITY * sin(0.9), 0.0, -TIME_STEP * GRAVITY * cos(0.9)};
    fixture_answer a = fixture_solve_contact(ts_solver_find("ccp-pgs"), &settings, mu, identity, g, NULL);
    cr_expect_gt(a.u[0], 1e-4);
    cr_expect_float_eq(a.u[2], mu * a.u[0], 1e-13);
}

// Sticking on a compliant contact, all three laws: (1/m + R) lambda + g = 0 row by row. The velocity that the body
// really has is lambda / m + g = -R lambda.
Test(compliance, sticking_contact_gives_way_by_R_lambda) {
    const double m = 2.0, force = 3.0, R[3] = {0.05, 0.05, 0.1};
    const double G[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
    const double g[3] = {force * TIME_STEP / m, 0.0, -GRAVITY * TIME_STEP};
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i) {
        fixture_settings settings = tight();
        fixture_answer a = fixture_solve_contact(solvers[i], &settings, 0.9, G, g, R);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solvers[i]->name);
        fixture_expect_vector(a.lambda, -force * TIME_STEP / (1 + m * R[0]), 0.0,
                              m * GRAVITY * TIME_STEP / (1 + m * R[2]), 1e-12, solvers[i]->name);
        cr_expect_float_eq(a.lambda[0] / m + g[0], 1.363636e-4, 1e-10);
        cr_expect_float_eq(a.lambda[2] / m + g[2], -1.635e-3, 1e-10);
    }
}

// A spring k with damper b, implicit: f = -k (phi + h c) - b c with m c = m c_free + h f, so
// f = (-k phi - (h k + b) c_free) / (1 + h (h k + b) / m). As compliance: R = 1 / (h (h k + b)), c* = -phi k / (h k +
// b).
Test(compliance, is_an_implicit_spring_and_damper) {
    const double h = TIME_STEP, m = 2.0, k = 1e4, b = 50.0, phi = -1e-4, c_free = -GRAVITY * h;
    const double force = (-k * phi - (h * k + b) * c_free) / (1.0 + h * (h * k + b) / m);
    const double G[1] = {1.0 / m}, R[1] = {1.0 / (h * (h * k + b))}, g[1] = {c_free + phi * k / (h * k + b)};
    const ts_block block = {.set = TS_SET_HALF_LINE, .row = 0, .rows = 1};
    fixture_settings settings = tight();
    fixture_answer a = fixture_solve(ts_solver_find("ncp-pgs"), &settings, 1, &block, G, g, R, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_float_eq(a.lambda[0] / h, force, 1e-11);
    cr_expect_float_eq(force, 1.54233010, 1e-8);
}

// Joint limit: a slider of mass m reaches its stop at speed w; the stop takes all of it, m w. Rod: the impulse that
// gives two particles, one pushed by F, the common velocity F h / (m1 + m2) is m2 times it. Dry friction: takes up to h
// tau.
Test(other_sets, joint_limit_rod_and_dry_friction) {
    fixture_settings settings = tight();
    const double m = 3.0, w = 0.7, G[1] = {1 / m};
    const ts_block stop = {.set = TS_SET_HALF_LINE, .row = 0, .rows = 1};
    double g[1] = {-w};
    fixture_answer a = fixture_solve(ts_solver_find("ncp-pgs"), &settings, 1, &stop, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_float_eq(a.lambda[0], m * w, 1e-13);
    cr_expect_float_eq(a.u[0], 0.0, 1e-14);

    const double m1 = 1.0, m2 = 4.0, force = 2.0, rod_G[1] = {1 / m1 + 1 / m2}, rod_g[1] = {-force * TIME_STEP / m1};
    const ts_block rod = {.set = TS_SET_FREE, .row = 0, .rows = 1};
    a = fixture_solve(ts_solver_find("ncp-pgs"), &settings, 1, &rod, rod_G, rod_g, NULL, NULL);
    cr_expect_float_eq(a.lambda[0], force * TIME_STEP * m2 / (m1 + m2), 1e-15);

    const double tau = 60.0, limit = TIME_STEP * tau;
    const ts_block friction = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -limit, .high = limit};
    const double speeds[4] = {0.5, 0.01, -0.015, -2.0};
    for (int k = 0; k < 4; ++k) {
        double v = speeds[k];
        a = fixture_solve(ts_solver_find("lcp-pgs"), &settings, 1, &friction, G, &v, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        double left = fabs(v) - limit / m;
        cr_expect_float_eq(a.u[0], left > 0.0 ? copysign(left, v) : 0.0, 1e-14, "speed %g", v);
    }
}

// A bilateral block of six coupled rows beside a contact: the six rows come to rest.
Test(other_sets, six_bilateral_rows_come_to_rest) {
    ts_rng rng = ts_rng_make(7, 0);
    double A[6][6], G[36], g[6];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) A[i][j] = ts_rng_uniform_in(&rng, -1.0, 1.0);
    for (int i = 0; i < 6; ++i) {
        g[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        for (int j = 0; j < 6; ++j) {
            G[6 * i + j] = i == j ? 0.5 : 0.0;
            for (int k = 0; k < 6; ++k) G[6 * i + j] += A[i][k] * A[j][k];
        }
    }
    const ts_block weld = {.set = TS_SET_FREE, .row = 0, .rows = 6};
    for (int i = 0; i < 3; ++i) {
        const ts_solver* solver =
            i == 0 ? ts_solver_find("ncp-pgs") : (i == 1 ? ts_solver_find("ccp-pgs") : ts_solver_find("lcp-pgs"));
        fixture_settings settings = tight();
        fixture_answer a = fixture_solve(solver, &settings, 1, &weld, G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        for (int r = 0; r < 6; ++r) cr_expect_float_eq(a.u[r], 0.0, 1e-11);
    }
}

// A cube at rest, and sliding forward (+y). Vertical balance: the loads add up to m g. Tipping balance when sliding:
// friction mu m g acts h_c = 0.104 m under the centre, so 2 (N_front - N_rear) a/2 = mu m g h_c, and
// N_front,rear = m g / 4 (1 +- 2 mu h_c / a) on average left and right. The cube decelerates by mu g.
Test(cube, rest_and_slide_have_the_loads_of_statics) {
    double J[12][6], Y[12][6], G[144], g[12];
    fixture_cube(J, Y, G);
    ts_block block[4];
    for (int c = 0; c < 4; ++c) block[c] = fixture_cone(3 * c, 0.4);
    fixture_settings settings = tight();
    const double gamma = GRAVITY * TIME_STEP;
    for (int slide = 0; slide < 2; ++slide) {
        for (int c = 0; c < 4; ++c) {
            g[3 * c] = 0.0;
            g[3 * c + 1] = slide ? 1.0 : 0.0;
            g[3 * c + 2] = -gamma;
        }
        fixture_answer a = fixture_solve(ts_solver_find("ncp-pgs"), &settings, 4, block, G, g, NULL, NULL);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
        double rear = (a.lambda[2] + a.lambda[5]) / TIME_STEP, front = (a.lambda[8] + a.lambda[11]) / TIME_STEP;
        double shift = slide ? 2.0 * 0.4 * 0.104 / 0.2 : 0.0;
        cr_expect_float_eq(front, 2.0 * GRAVITY / 4.0 * (1.0 + shift), 1e-8, "front %.12g", front);
        cr_expect_float_eq(rear, 2.0 * GRAVITY / 4.0 * (1.0 - shift), 1e-8, "rear %.12g", rear);
        for (int c = 0; c < 4; ++c) {
            cr_expect_float_eq(a.u[3 * c + 1], slide ? 1.0 - 0.4 * gamma : 0.0, 2e-11);
            cr_expect_float_eq(a.u[3 * c + 2], 0.0, 2e-11);
        }
    }
}

// A contact nothing can move (no mass on either side) must not divide by zero, and must not disturb its neighbour.
Test(immovable, contact_without_any_give_is_skipped) {
    double G[36] = {0}, g[6] = {0.1, 0.2, -1.0, 0.5, 0.0, -0.02}, start[6] = {1, 1, 1, 0, 0, 0};
    for (int i = 3; i < 6; ++i) G[7 * i] = 1.0;
    const ts_block block[2] = {fixture_cone(0, 0.5), fixture_cone(3, 0.5)};
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i) {
        fixture_settings settings = tight();
        settings.shared.iteration_limit = 50;
        fixture_answer a = fixture_solve(solvers[i], &settings, 2, block, G, g, NULL, start);
        // The demand u_N >= 0 on the immovable one cannot be met, and that is said.
        cr_expect_neq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, 0.0, 0.0, 0.0, 0.0, "immovable");
        if (i != 1) cr_expect_float_eq(a.lambda[5], 0.02, 1e-14);
    }
}
