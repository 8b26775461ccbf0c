// One contact with a closed-form answer, every solver of its law: T1 to T8 and T17 to T20 of the suite.
#include "tests/contact/solvers/closed_form_suite.h"

#define GAMMA (GRAVITY * TIME_STEP)

// T1. G = I decouples the exact law: lambda_N = gamma, friction is -v_T where |v_T| <= mu gamma, else mu gamma against
// the slip; opening costs nothing. The tangent velocity turned by any angle turns with it.
static void t1(const ts_solver* solver) {
    const double stick[3] = {0.001962, 0, -GAMMA}, slide[3] = {1, 0, -GAMMA}, open[3] = {1, 0, 0.1};
    fixture_answer a = suite_particle(solver, 0.4, stick);
    fixture_expect_vector(a.lambda, -0.001962, 0, GAMMA, 1e-11, solver->name);
    fixture_expect_vector(a.u, 0, 0, 0, 1e-11, solver->name);
    a = suite_particle(solver, 0.4, slide);
    fixture_expect_vector(a.lambda, -0.4 * GAMMA, 0, GAMMA, 1e-11, solver->name);
    fixture_expect_vector(a.u, 1.0 - 0.4 * GAMMA, 0, 0, 1e-11, solver->name);
    a = suite_particle(solver, 0.4, open);
    fixture_expect_vector(a.lambda, 0, 0, 0, 1e-11, solver->name);
}

static void t1_oblique(const ts_solver* solver) {
    const double g[3] = {cos(0.7), sin(0.7), -GAMMA};
    fixture_answer a = suite_particle(solver, 0.4, g);
    fixture_expect_vector(a.lambda, -0.4 * GAMMA * cos(0.7), -0.4 * GAMMA * sin(0.7), GAMMA, 1e-11, solver->name);
}

Test(closed_forms, T1_particle) {
    suite_each(SUITE_EXACT "raisim " SUITE_BOX, t1);
    suite_each(SUITE_EXACT "raisim ", t1_oblique);
}

// T2. The relaxation: lambda = P_K(-g), so lambda_N = (mu v + gamma) / (1 + mu^2), c_T = (v - mu gamma) / (1 + mu^2),
// c_N = mu c_T.
static void expect_t2(const ts_solver* solver, fixture_answer a, double tolerance) {
    const double mu = 0.4, z = (mu + GAMMA) / (1.0 + mu * mu), slip = (1.0 - mu * GAMMA) / (1.0 + mu * mu);
    fixture_expect_vector(a.lambda, -mu * z, 0, z, tolerance, solver->name);
    fixture_expect_vector(a.u, slip, 0, mu * slip, tolerance, solver->name);
    cr_expect_float_eq(z, 0.353284483, 1e-9);
}

static void t2(const ts_solver* solver) {
    const double g[3] = {1, 0, -GAMMA};
    expect_t2(solver, suite_particle(solver, 0.4, g), 1e-10);
}

// Regularised: R -> 0 leads there; 1e-6 of G leaves about as much.
static void t2_soft(const ts_solver* solver) {
    const double g[3] = {1, 0, -GAMMA}, R[3] = {1e-6, 1e-6, 1e-6};
    expect_t2(solver, suite_contact(solver, 0.4, suite_identity, g, R), 3e-6);
}

Test(closed_forms, T2_relaxation_lifts_off) {
    suite_each(SUITE_RELAXED, t2);
    suite_each("mujoco " SUITE_RELAXED, t2_soft);  // sap does not go below an R of its own
}

// T3. Every axis is a slider of its own: oblique slip ends in a corner, sqrt 2 too strong; slip along an axis does not.
static void t3(const ts_solver* solver) {
    const double angle = acos(-1.0) / 8.0, mu = 0.4;
    const double oblique[3] = {sin(angle), cos(angle), -GAMMA}, straight[3] = {0, 1, -GAMMA};
    fixture_answer a = suite_particle(solver, mu, oblique);
    fixture_expect_vector(a.lambda, -mu * GAMMA, -mu * GAMMA, GAMMA, 1e-11, solver->name);
    cr_expect_float_eq(hypot(a.lambda[0], a.lambda[1]), sqrt(2.0) * mu * GAMMA, 1e-11);
    a = suite_particle(solver, mu, straight);
    fixture_expect_vector(a.lambda, 0, -mu * GAMMA, GAMMA, 1e-11, solver->name);
}

Test(closed_forms, T3_box_friction_points_at_a_corner) { suite_each(SUITE_BOX, t3); }

// T4. So a particle thrown at 22.5 degrees from axis 2 drifts aside by v^2 sin cos (sin - cos) / (2 mu g) and stops
// after v^2 (cos^3 + sin^3) / (2 mu g), less h v / 2 of the time steps.
static void t4(const ts_solver* solver) {
    const double mu = 0.4, h = TIME_STEP, angle = acos(-1.0) / 8.0, s = sin(angle), c = cos(angle);
    double v[2] = {s, c}, x[2] = {0, 0};
    for (int step = 0; step < 280; ++step) {
        const double g[3] = {v[0], v[1], -GAMMA};
        fixture_answer a = suite_particle(solver, mu, g);
        for (int i = 0; i < 2; ++i) {
            v[i] += a.lambda[i];
            x[i] += h * v[i];
        }
    }
    cr_expect_float_eq(v[0], 0.0, 1e-9, "%s", solver->name);
    cr_expect_float_eq(v[1], 0.0, 1e-9, "%s", solver->name);
    // Along the throw, and across it to the left of it.
    double along = s * x[0] + c * x[1], across = c * x[0] - s * x[1], reach = 1.0 / (2.0 * mu * GRAVITY);
    cr_expect_float_eq(along, reach * (c * c * c + s * s * s) - 0.5 * h, 1e-5, "%s: along %.9g", solver->name, along);
    cr_expect_float_eq(across, reach * s * c * (s - c), 1e-5, "%s: across %.9g", solver->name, across);
    cr_expect_float_eq(along + 0.5 * h, 0.107623, 2e-5);
    cr_expect_float_eq(across, -0.024381, 2e-5);
}

Test(closed_forms, T4_box_friction_drifts) { suite_each(SUITE_BOX, t4); }

// T4, the other pyramid. The textbook diamond |lambda_1| + |lambda_2| <= mu lambda_N is the square of mu / sqrt 2 on
// axes turned by 45 degrees: a particle thrown at 22.5 degrees from axis 2 is braked along axis 2 alone, one thrown at
// 45 degrees anywhere on the facet, here in its middle.
static void t4_diamond(const ts_solver* solver) {
    const double mu = 0.4, turn = sqrt(0.5), eighth = acos(-1.0) / 8.0;
    const double expected[2][2] = {{0.0, -0.4}, {-0.2, -0.2}};
    for (int k = 0; k < 2; ++k) {
        double v[2] = {sin((k + 1) * eighth), cos((k + 1) * eighth)};
        const double g[3] = {turn * (v[0] + v[1]), turn * (v[1] - v[0]), -GAMMA};
        fixture_answer a = suite_particle(solver, mu * turn, g);
        const double back[3] = {turn * (a.lambda[0] - a.lambda[1]), turn * (a.lambda[0] + a.lambda[1]), a.lambda[2]};
        // Along the facet no slip is left to oppose, so nothing but the facet is asked for.
        if (k == 0 || solver != ts_solver_find("lcp-lemke"))
            fixture_expect_vector(back, expected[k][0] * GAMMA, expected[k][1] * GAMMA, GAMMA, 1e-11, solver->name);
        cr_expect_float_eq(back[0] + back[1], -mu * GAMMA, 1e-11, "%s: the facet", solver->name);
        cr_expect_leq(fabs(back[0]) + fabs(back[1]), mu * GAMMA + 1e-11, "%s: the diamond", solver->name);
    }
}

Test(closed_forms, T4_diamond_is_a_turned_square) { suite_each(SUITE_BOX, t4_diamond); }

// T5. A block whose normal and tangent are coupled. The exact answer is checked against its own equations: u_N = 0,
// |lambda_T| = mu lambda_N, lambda_T and u_T antiparallel.
static const double coupled[9] = {2, 0, 0.5, 0, 2, 0, 0.5, 0, 1};
static const double coupled_g[3] = {0, 3, -1}, near_g[3] = {0, 1, -1};

static void t5_exact(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.5, coupled, coupled_g, NULL);
    fixture_expect_vector(a.lambda, -0.089620396, -0.514660346, 1.044810198, 2e-9, solver->name);
    cr_expect_float_eq(hypot(a.lambda[0], a.lambda[1]), 0.5 * a.lambda[2], 1e-9);
    cr_expect_float_eq(a.lambda[0] * a.u[1], a.lambda[1] * a.u[0], 1e-9);
    cr_expect_float_eq(atan2(a.lambda[1], a.lambda[0]), -99.878152141 * acos(-1.0) / 180.0, 1e-8, "%s", solver->name);
    a = suite_contact(solver, 0.5, coupled, near_g, NULL);
    fixture_expect_vector(a.lambda, -0.28289483, -0.49567738, 1.14144742, 1e-8, solver->name);
}

static void t5_raisim(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.5, coupled, coupled_g, NULL);
    fixture_expect_vector(a.lambda, -0.183220772, -0.514133696, 1.091610386, 2e-9, solver->name);
    cr_expect_float_eq(a.residual.ncp.complementarity, 0.0340282, 1e-7);
    cr_expect_float_eq(a.residual.slip_angle, 14.4155 * acos(-1.0) / 180.0, 1e-3);
    a = suite_contact(solver, 0.5, coupled, near_g, NULL);
    fixture_expect_vector(a.lambda, -0.28418419, -0.49531095, 1.14209210, 1e-8, solver->name);
}

static void t5_relaxed(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.5, coupled, coupled_g, NULL);
    fixture_expect_vector(a.lambda, -0.257621904, -0.860461088, 1.796398987, 1e-8, solver->name);
    fixture_expect_vector(a.u, 0.382955684, 1.279077824, 0.667588035, 1e-8, solver->name);
    a = suite_contact(solver, 0.5, coupled, near_g, NULL);
    fixture_expect_vector(a.lambda, -0.28476497, -0.49708292, 1.14574433, 1e-8, solver->name);
}

static void t5_box(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.5, coupled, coupled_g, NULL);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -4.0 / 7.0, 8.0 / 7.0, 1e-9, solver->name);
    a = suite_contact(solver, 0.5, coupled, near_g, NULL);
    fixture_expect_vector(a.lambda, -2.0 / 7.0, -0.5, 8.0 / 7.0, 1e-9, solver->name);
}

Test(closed_forms, T5_coupled_block) {
    suite_each(SUITE_EXACT, t5_exact);
    suite_each("raisim ", t5_raisim);
    suite_each(SUITE_RELAXED, t5_relaxed);
    suite_each(SUITE_BOX, t5_box);
}

// T6. One stiff tangent: sticking, lambda = -g / diag. The published steps overshoot along it by far and must be seen
// to.
static const double stiff[9] = {1, 0, 0, 0, 10, 0, 0, 0, 1}, stiff_g[3] = {0.1, 0.1, -1};

static void t6(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.9, stiff, stiff_g, NULL);
    fixture_expect_vector(a.lambda, -0.1, -0.01, 1.0, 1e-9, solver->name);
}

static void t6_published(const ts_solver* solver) {
    fixture_settings settings = suite_settings(solver);
    suite_set(solver, &settings, "step_rule", 1.0);
    suite_set(solver, &settings, "iteration_limit", 2000.0);
    fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, stiff, stiff_g, NULL);
    cr_expect_neq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
    cr_expect_gt(a.residual.natural, 1e-2, "%s: %g", solver->name, a.residual.natural);
    for (int r = 0; r < 3; ++r) cr_expect(isfinite(a.lambda[r]), "%s", solver->name);
}

// 3 / trace = 1/4 along an axis of stiffness 10 multiplies the error there by -1.5 a sweep.
static void t6_diverges(const ts_solver* solver) {
    fixture_settings settings = suite_settings(solver);
    suite_set(solver, &settings, "step_rule", 1.0);
    suite_set(solver, &settings, "iteration_limit", 2000.0);
    fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, stiff, stiff_g, NULL);
    cr_expect_gt(fabs(a.lambda[1]), 1e5, "%s: %g", solver->name, a.lambda[1]);
}

Test(closed_forms, T6_published_steps_are_seen_to_fail) {
    suite_each(SUITE_EXACT SUITE_RELAXED SUITE_BOX "raisim ", t6);
    suite_each("ncp-pgs ccp-pgs lcp-pgs ", t6_published);
    suite_each("ccp-pgs ", t6_diverges);
}

// T7. mu |G_TN| / G_NN = 1.35: alternating between normal and friction swings for ever.
static const double strong[9] = {3, 0, 1.5, 0, 3, 0, 1.5, 0, 1}, strong_g[3] = {-4, 0.3, -1};

static void t7(const ts_solver* solver) {
    fixture_answer a = suite_contact(solver, 0.9, strong, strong_g, NULL);
    fixture_expect_vector(a.lambda, 0.3823316, -0.0341343, 0.4265026, 1e-7, solver->name);
    cr_expect_lt(a.residual.natural, 1e-9);
}

static void t7_cycles(const ts_solver* solver) {
    fixture_settings settings = suite_settings(solver);
    suite_set(solver, &settings, "iteration_limit", 4000.0);
    if (strcmp(solver->name, "ncp-staggered") == 0) suite_set(solver, &settings, "step_rule", 1.0);
    fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, strong, strong_g, NULL);
    cr_expect_neq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
    cr_expect_gt(a.residual.natural, 1e-2, "%s: %g", solver->name, a.residual.natural);
}

// Nobody may call anything else converged.
static void t7_honest(const ts_solver* solver) {
    fixture_settings settings = suite_settings(solver);
    suite_set(solver, &settings, "iteration_limit", 4000.0);
    fixture_answer a = fixture_solve_contact(solver, &settings, 0.9, strong, strong_g, NULL);
    if (a.report.status != TS_SOLVE_CONVERGED) return;
    fixture_expect_vector(a.lambda, 0.3823316, -0.0341343, 0.4265026, 1e-7, solver->name);
}

Test(closed_forms, T7_strong_coupling) {
    suite_each("ncp-nsgs ncp-admm ncp-newton ncp ", t7);
    suite_each("ncp-pgs ncp-staggered ", t7_cycles);
    suite_each(SUITE_EXACT, t7_honest);
}

// T8. Opening, sticking and sliding are all exact: G (lambda) + g of each is worked out by hand. Whoever calls itself
// converged has one of the three; sweeps from zero stay open, alternating directions end at sticking.
static const double triple[9] = {1, 0, 0.9, 0, 1, 0, 0.9, 0, 1}, triple_g[3] = {1, 0, 0.1};
static const double triple_answer[3][3] = {{0, 0, 0}, {-0.91 / 0.19, 0, 0.8 / 0.19}, {-1.5, 0, 1.25}};

static int which_of_three(const double* lambda) {
    for (int k = 0; k < 3; ++k) {
        double gap = 0.0;
        for (int r = 0; r < 3; ++r) gap = fmax(gap, fabs(lambda[r] - triple_answer[k][r]));
        if (gap < 1e-7) return k;
    }
    return -1;
}

static fixture_answer solve_triple(const ts_solver* solver) {
    fixture_settings settings = suite_settings(solver);
    return fixture_solve_contact(solver, &settings, 1.2, triple, triple_g, NULL);
}

static void t8_any(const ts_solver* solver) {
    fixture_answer a = solve_triple(solver);
    if (a.report.status == TS_SOLVE_CONVERGED)
        cr_expect_geq(which_of_three(a.lambda), 0, "%s: %g %g %g", solver->name, a.lambda[0], a.lambda[1], a.lambda[2]);
}

static void t8_open(const ts_solver* solver) {
    fixture_answer a = solve_triple(solver);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
    cr_expect_eq(which_of_three(a.lambda), 0, "%s", solver->name);
}

// All three are exact: started at any of them, these end at one of them.
static void t8_from_each(const ts_solver* solver) {
    const ts_block block = fixture_cone(0, 1.2);
    for (int k = 0; k < 3; ++k) {
        fixture_settings settings = suite_settings(solver);
        fixture_answer a = fixture_solve(solver, &settings, 1, &block, triple, triple_g, NULL, triple_answer[k]);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        cr_expect_geq(which_of_three(a.lambda), 0, "%s", solver->name);
    }
}

Test(closed_forms, T8_three_solutions) {
    const ts_block block = fixture_cone(0, 1.2);
    ts_contact_problem problem = {.block_count = 1, .row_count = 3, .block = &block, .g = triple_g, .time_step = 1.0};
    for (int k = 0; k < 3; ++k) {
        double u[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = triple_g[i];
            for (int j = 0; j < 3; ++j) u[i] += triple[3 * i + j] * triple_answer[k][j];
        }
        ts_law_residual r = ts_residual_of_law(&problem, TS_LAW_NCP, triple_answer[k], u);
        cr_expect_lt(r.primal + r.dual + r.complementarity, 1e-13, "answer %d", k);
    }
    suite_each(SUITE_EXACT, t8_any);
    suite_each("ncp-pgs ncp-nsgs ", t8_open);
    suite_each("ncp-admm ncp-newton ncp ", t8_from_each);
}

// T17. A particle on a slope: it stays where tan(slope) <= mu, else a = g (sin - mu cos), every step exactly.
static void t17(const ts_solver* solver) {
    const double mu = 0.5, slopes[3] = {0.2, atan(0.5) - 1e-3, 0.8};
    for (int k = 0; k < 3; ++k) {
        double v[3] = {0, 0, 0}, s = sin(slopes[k]), c = cos(slopes[k]);
        for (int step = 1; step <= 20; ++step) {
            const double g[3] = {v[0], v[1] + GAMMA * s, v[2] - GAMMA * c};
            fixture_answer a = suite_particle(solver, mu, g);
            for (int r = 0; r < 3; ++r) v[r] = g[r] + a.lambda[r];
            double expected = k == 2 ? step * GAMMA * (s - mu * c) : 0.0;
            cr_expect_float_eq(v[1], expected, 2e-10, "%s, slope %g: %.12g, not %.12g", solver->name, slopes[k], v[1],
                               expected);
            cr_expect_float_eq(v[2], 0.0, 2e-10, "%s", solver->name);
        }
    }
}

static void t17_relaxed(const ts_solver* solver) {
    const double mu = 0.5, s = sin(0.8), c = cos(0.8), g[3] = {0, GAMMA * s, -GAMMA * c};
    fixture_answer a = suite_particle(solver, mu, g);
    cr_expect_gt(a.u[1], 1e-4);
    cr_expect_float_eq(a.u[2], mu * a.u[1], 1e-11, "%s", solver->name);
}

Test(closed_forms, T17_incline) {
    suite_each(SUITE_EXACT SUITE_BOX "raisim ", t17);
    suite_each(SUITE_RELAXED, t17_relaxed);
}

// T18. Sticking on a compliant contact: (1/m + R) lambda + g = 0 row by row. And an implicit spring and damper.
static void t18(const ts_solver* solver) {
    const double m = 2.0, h = TIME_STEP, force = 3.0, R[3] = {0.05, 0.05, 0.1};
    const double G[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}, g[3] = {force * h / m, 0, -GAMMA};
    fixture_answer a = suite_contact(solver, 0.9, G, g, R);
    fixture_expect_vector(a.lambda, -force * h / (1 + m * R[0]), 0, m * GAMMA / (1 + m * R[2]), 1e-10, solver->name);
    cr_expect_float_eq(a.lambda[0] / m + g[0], 1.363636e-4, 1e-10, "%s", solver->name);
    cr_expect_float_eq(a.lambda[2] / m + g[2], -1.635e-3, 1e-10, "%s", solver->name);
    const double k = 1e4, b = 50.0, phi = -1e-4, spring_R = 1 / (h * (h * k + b));
    const double spring_G = 1 / m, spring_g = -GAMMA + phi * k / (h * k + b);
    const ts_block block = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0};
    fixture_settings settings = suite_settings(solver);
    a = fixture_solve(solver, &settings, 1, &block, &spring_G, &spring_g, &spring_R, NULL);
    double spring = (-k * phi + (h * k + b) * GAMMA) / (1.0 + h * (h * k + b) / m);
    cr_expect_float_eq(a.lambda[0] / h, spring, 1e-7, "%s", solver->name);
    cr_expect_float_eq(spring, 1.54233010, 1e-8);
}

Test(closed_forms, T18_compliance) { suite_each(SUITE_EXACT SUITE_RELAXED SUITE_BOX "raisim mujoco sap ", t18); }

// T19. MuJoCo's default contact under a resting unit mass: R = (1 - d) / d, a spring and damper of time constant 20 ms.
// In the end r = (1 - d) / d^2 g dw^2 tc^2 with d = d0 + y (dw - d0), a fixed point found here by iterating it.
static double impedance(double r) {
    double x = fabs(r) / 0.001, y = x >= 1.0 ? 1.0 : (x <= 0.5 ? 2.0 * x * x : 1.0 - 2.0 * (1.0 - x) * (1.0 - x));
    return 0.9 + 0.05 * y;
}

static void t19(const ts_solver* solver) {
    const double tc = 0.02, dw = 0.95, h = TIME_STEP, G = 1.0;
    const ts_block block = {TS_SET_HALF_LINE, 0, 1, 0, 0, 0};
    double phi = -1e-4, v = 0.0, depth = 3e-4;
    fixture_settings settings = suite_settings(solver);
    for (int step = 0; step < 1000; ++step) {
        double d = impedance(phi), R = (1.0 - d) / d, b = 2.0 / (dw * tc), k = d / (dw * dw * tc * tc);
        double g = v - GAMMA - (v + h * (-b * v - k * phi));
        fixture_answer a = fixture_solve(solver, &settings, 1, &block, &G, &g, &R, NULL);
        v += a.lambda[0] - GAMMA;
        phi += h * v;
    }
    for (int i = 0; i < 200; ++i) {
        double d = impedance(depth);
        depth = (1.0 - d) / (d * d) * GRAVITY * dw * dw * tc * tc;
    }
    cr_expect_float_eq(depth, 3.671818e-4, 1e-10);
    cr_expect_float_eq(impedance(depth), 0.913482, 1e-6);
    cr_expect_float_eq(-phi, depth, 1e-9, "%s: %.12g, not %.12g", solver->name, -phi, depth);
}

Test(closed_forms, T19_rest_depth_of_mujoco) { suite_each("mujoco sap ncp ncp-pgs ccp-admm ", t19); }

// T20. Newton's restitution in the reference velocity: c* = e w, so the ball leaves at e w, bounce after bounce.
static void t20(const ts_solver* solver) {
    const double e = 0.7, m = 2.0, height = 0.5;
    const double G[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
    double speed = sqrt(2.0 * GRAVITY * height);
    for (int bounce = 1; bounce <= 4; ++bounce) {
        double before = -speed;
        const double g[3] = {0, 0, before + e * before};
        fixture_answer a = suite_contact(solver, 0.3, G, g, NULL);
        speed = before + a.lambda[2] / m;
        cr_expect_float_eq(speed, pow(e, bounce) * sqrt(2.0 * GRAVITY * height), 1e-9, "%s", solver->name);
    }
}

Test(closed_forms, T20_restitution) { suite_each(SUITE_EXACT SUITE_RELAXED SUITE_BOX "raisim ", t20); }
