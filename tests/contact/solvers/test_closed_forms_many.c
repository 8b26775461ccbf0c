// Stacks, cubes and motions with closed-form answers, every solver of the law: T9 to T16, T24 and T25 of the suite.
#include "contact/judge/internal_force.h"
#include "tests/contact/solvers/closed_form_suite.h"

#define GAMMA (GRAVITY * TIME_STEP)

// T9. m2 on m1 on the floor: lambda_A = (m1 + m2) gamma, lambda_B = m2 gamma. The sweeps' error falls by m2 / (m1 + m2)
// a sweep, so at 1e6 : 1 they must admit failure; the others must not care.
static void stack_problem(double m1, double m2, double G[4], double g[2]) {
    G[0] = 1 / m1;
    G[1] = G[2] = -1 / m1;
    G[3] = 1 / m1 + 1 / m2;
    g[0] = -GAMMA;
    g[1] = 0.0;
}

static const ts_block stack_block[2] = {{TS_SET_HALF_LINE, 0, 1, 0, 0, 0}, {TS_SET_HALF_LINE, 1, 1, 0, 0, 0}};

static fixture_answer stack(const ts_solver* solver, double m1, double m2, double tolerance, int limit) {
    double G[4], g[2];
    stack_problem(m1, m2, G, g);
    fixture_settings settings = fixture_settings_of(solver, tolerance, limit);
    return fixture_solve(solver, &settings, 2, stack_block, G, g, NULL, NULL);
}

// Rounding of u is 2e-16 lambda / m1, so a tolerance on lambda u must grow with lambda^2 / m1.
static double stack_tolerance(double m1, double m2) {
    double load = (m1 + m2) * GAMMA;
    return fmax(1e-7, 1e-13 * load * load / m1 / (TIME_STEP * TIME_STEP));
}

static void t9_at(const ts_solver* solver, double ratio, int must) {
    double m1 = 1e-3, m2 = m1 * ratio;
    fixture_answer a = stack(solver, m1, m2, stack_tolerance(m1, m2), 20000);
    if (must)
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s, %g: %s, %g", solver->name, ratio,
                     ts_solve_status_name(a.report.status), ts_law_residual_in_force_units(a.own, TIME_STEP));
    if (a.report.status != TS_SOLVE_CONVERGED) return;
    cr_expect_float_eq(a.lambda[0] / ((m1 + m2) * GAMMA), 1.0, 1e-4, "%s, %g: %.12g", solver->name, ratio,
                       a.lambda[0] / ((m1 + m2) * GAMMA));
    cr_expect_float_eq(a.lambda[1] / (m2 * GAMMA), 1.0, 1e-4, "%s, %g", solver->name, ratio);
}

static void t9(const ts_solver* solver) {
    t9_at(solver, 1.0, 1);
    t9_at(solver, 1e2, 1);
    t9_at(solver, 1e4, 1);
    t9_at(solver, 1e6, 1);
}

// Gradient steps go with the root of the ratio: what they do not reach they must not claim.
static void t9_gradients(const ts_solver* solver) {
    t9_at(solver, 1.0, 1);
    t9_at(solver, 1e2, 1);
    t9_at(solver, 1e4, 0);
    t9_at(solver, 1e6, 0);
}

static void t9_newton(const ts_solver* solver) {
    const double m1 = 1e-3, m2 = 1e3;
    fixture_answer a = stack(solver, m1, m2, stack_tolerance(m1, m2), 2000);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s", solver->name, ts_solve_status_name(a.report.status));
    cr_expect_lt(a.report.iterations, 20, "%s: %d", solver->name, a.report.iterations);
    // The natural map sees an error of lambda divided by the ratio: 1e-9 of it is 1e-3 of the load.
    cr_expect_float_eq(a.lambda[0] / ((m1 + m2) * GAMMA), 1.0, 1e-3, "%s: %.12g", solver->name,
                       a.lambda[0] / ((m1 + m2) * GAMMA));
    cr_expect_leq(a.residual.natural, 1e-9, "%s: %.12g", solver->name, a.residual.natural);
}

static void t9_sweeps(const ts_solver* solver) {
    const double m1 = 1e-3, m2 = 1e3;
    fixture_answer a = stack(solver, m1, m2, 1e-8, 100);
    cr_expect_eq(a.report.status, TS_SOLVE_ITERATION_LIMIT, "%s", solver->name);
    double rho = m2 / (m1 + m2), expected = -(m1 + m2) * GAMMA * expm1(100 * log(rho));
    cr_expect_float_eq(a.lambda[0], expected, 1e-8 * expected, "%s: %.12g", solver->name, a.lambda[0]);
    cr_expect_float_eq(a.lambda[0], 9.80951442e-4, 1e-11, "%s", solver->name);
    cr_expect_float_eq(a.u[0], -9.809019e-3, 1e-9, "%s", solver->name);
}

Test(closed_forms, T9_stack) {
    suite_each("ccp-admm ncp-admm ncp-newton ncp ", t9);
    suite_each("ncp-staggered lcp-staggered ccp-apgd ", t9_gradients);
    suite_each("ncp-newton ncp ", t9_newton);
    suite_each("ncp-pgs lcp-pgs ncp-nsgs raisim raisim-corrected ", t9_sweeps);
}

// The internal part of a cube's impulses.
static double internal_of(const double* lambda, double mu) {
    double J[12][6], Y[12][6], G[144], g[12] = {0};
    const int block_row[5] = {0, 3, 6, 9, 12};
    ts_block block[4];
    ts_arena arena = {0};
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) block[c] = fixture_cone(3 * c, mu);
    ts_contact_problem problem = {.block_count = 4,
                                  .row_count = 12,
                                  .block = block,
                                  .delassus = dense_operator(&arena, 4, block_row, G),
                                  .g = g,
                                  .time_step = TIME_STEP};
    double norm = ts_internal_force(&problem, lambda, &arena, NULL);
    ts_arena_free(&arena);
    return norm;
}

// T10. A cube at rest on four feet: 12 rows, 6 of them independent. Loads add up to the weight; without internal forces
// each foot carries a quarter, upright.
static void t10_statics(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 200000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 0.0);
    double sum = 0.0, moment_x = 0.0, moment_y = 0.0;
    const double x[4] = {-0.1, 0.1, -0.1, 0.1}, y[4] = {-0.1, -0.1, 0.1, 0.1};
    for (int c = 0; c < 4; ++c) {
        sum += a.lambda[3 * c + 2] / TIME_STEP;
        moment_x += (y[c] * a.lambda[3 * c + 2] + 0.104 * a.lambda[3 * c + 1]) / TIME_STEP;
        moment_y += (x[c] * a.lambda[3 * c + 2] + 0.104 * a.lambda[3 * c]) / TIME_STEP;
    }
    cr_expect_float_eq(sum, GRAVITY, 1e-6, "%s: %.9g N", solver->name, sum);
    cr_expect_float_eq(moment_x, 0.0, 1e-6, "%s", solver->name);
    cr_expect_float_eq(moment_y, 0.0, 1e-6, "%s", solver->name);
    for (int r = 0; r < 12; ++r) cr_expect_float_eq(a.u[r], 0.0, 1e-9, "%s", solver->name);
}

static void t10_least(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 200000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 0.0);
    for (int c = 0; c < 4; ++c)
        fixture_expect_vector(a.lambda + 3 * c, 0.0, 0.0, 2.4525 * TIME_STEP, 1e-9, solver->name);
    cr_expect_lt(internal_of(a.lambda, 0.9), 1e-9, "%s: %g", solver->name, internal_of(a.lambda, 0.9));
}

// Sweeps from zero with the published steps end with the feet pushing against each other, always in the same way.
static double t10_published(const ts_solver* solver, fixture_answer* out) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 200000);
    suite_set(solver, &settings, "step_rule", 1.0);
    *out = suite_cube(solver, &settings, 0.9, 0.0, 0.0);
    return internal_of(out->lambda, 0.9) / TIME_STEP;
}

static void t10_published_exact(const ts_solver* solver) {
    const double friction[4][2] = {{0.811, 0.321}, {-0.811, 1.178}, {0.811, -0.321}, {-0.811, -1.178}};
    fixture_answer a;
    cr_expect_float_eq(t10_published(solver, &a), 2.37, 5e-3, "%s", solver->name);
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 2; ++r)
            cr_expect_float_eq(a.lambda[3 * c + r] / TIME_STEP, friction[c][r], 1e-3, "%s: foot %d, %g N", solver->name,
                               c, a.lambda[3 * c + r] / TIME_STEP);
}

static void t10_published_relaxed(const ts_solver* solver) {
    fixture_answer a;
    cr_expect_float_eq(t10_published(solver, &a), 2.65, 5e-3, "%s", solver->name);
}

// Pivoting ends at a vertex: two feet on a diagonal carry all of it.
static void t10_vertex(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 200000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 0.0);
    int first = a.lambda[2] < a.lambda[5];
    for (int c = 0; c < 4; ++c) {
        int carries = c == first || c == 3 - first;
        cr_expect_float_eq(a.lambda[3 * c + 2] / TIME_STEP, carries ? 4.905 : 0.0, 1e-9, "%s: foot %d", solver->name,
                           c);
    }
}

Test(closed_forms, T10_cube_at_rest) {
    suite_each(SUITE_EXACT SUITE_RELAXED SUITE_BOX "raisim ", t10_statics);
    suite_each(SUITE_LEAST_NORM, t10_least);
    suite_each("ncp-pgs ", t10_published_exact);
    suite_each("ccp-pgs ", t10_published_relaxed);
    suite_each("lcp-lemke ", t10_vertex);
}

// T11. Pushed by 5 N at its centre, it stays: the feet hold 5 N back together, and 2 (N_front - N_rear) a / 2 = F h_c.
// Where left and right are treated alike: 3.7525 and 1.1525 N each.
static void t11(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 400000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 5.0);
    double rear = (a.lambda[2] + a.lambda[5]) / TIME_STEP, front = (a.lambda[8] + a.lambda[11]) / TIME_STEP;
    double push = (a.lambda[1] + a.lambda[4] + a.lambda[7] + a.lambda[10]) / TIME_STEP;
    cr_expect_float_eq(front, 2.0 * 3.7525, 1e-5, "%s: front %.9g", solver->name, front);
    cr_expect_float_eq(rear, 2.0 * 1.1525, 1e-5, "%s: rear %.9g", solver->name, rear);
    cr_expect_float_eq(push, -5.0, 1e-5, "%s: push %.9g", solver->name, push);
    for (int r = 0; r < 12; ++r) cr_expect_float_eq(a.u[r], 0.0, 1e-8, "%s", solver->name);
    // The least-norm friction, 1.25 N everywhere, is more than the rear feet can hold.
    if (!ts_contact_law_facets(solver->law))
        for (int c = 0; c < 2; ++c)
            cr_expect_leq(hypot(a.lambda[3 * c], a.lambda[3 * c + 1]), 0.9 * a.lambda[3 * c + 2] + 1e-10, "%s",
                          solver->name);
}

static void t11_alike(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 400000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 5.0);
    for (int c = 0; c < 4; ++c)
        cr_expect_float_eq(a.lambda[3 * c + 2] / TIME_STEP, c < 2 ? 1.1525 : 3.7525, 1e-5, "%s: foot %d %.9g",
                           solver->name, c, a.lambda[3 * c + 2] / TIME_STEP);
}

// Alternating projections fill the rear cones, 0.9 * 1.1525 N, and leave the rest to the front.
static void t11_filled(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-7, 400000);
    fixture_answer a = suite_cube(solver, &settings, 0.9, 0.0, 5.0);
    for (int c = 0; c < 4; ++c)
        cr_expect_float_eq(a.lambda[3 * c + 1] / TIME_STEP, c < 2 ? -1.03725 : -1.46275, 1e-5, "%s: foot %d %.9g",
                           solver->name, c, a.lambda[3 * c + 1] / TIME_STEP);
}

Test(closed_forms, T11_pushed_cube) {
    suite_each(SUITE_EXACT SUITE_RELAXED SUITE_BOX "raisim ", t11);
    suite_each("ncp-staggered lcp-staggered ", t11_filled);
    suite_each("ncp-admm ccp-admm ccp-apgd ncp-staggered lcp-staggered ", t11_alike);
}

// T12. Sliding at 1 m/s: N_front,rear = (m g / 4) (1 +- 2 mu h_c / a), and mu g off the speed.
static void t12(const ts_solver* solver) {
    const double mu[2] = {0.4, 0.9}, front[2] = {3.47274, 4.74804}, rear[2] = {1.43226, 0.15696};
    for (int k = 0; k < 2; ++k) {
        fixture_settings settings = fixture_settings_of(solver, 1e-7, 400000);
        fixture_answer a = suite_cube(solver, &settings, mu[k], 1.0, 0.0);
        double f = 0.5 * (a.lambda[8] + a.lambda[11]) / TIME_STEP, r = 0.5 * (a.lambda[2] + a.lambda[5]) / TIME_STEP;
        cr_expect_float_eq(f, front[k], 1e-5, "%s, mu %g: front %.9g", solver->name, mu[k], f);
        cr_expect_float_eq(r, rear[k], 1e-5, "%s, mu %g: rear %.9g", solver->name, mu[k], r);
        for (int c = 0; c < 4; ++c)
            cr_expect_float_eq(a.u[3 * c + 1], 1.0 - mu[k] * GAMMA, 1e-9, "%s, mu %g", solver->name, mu[k]);
    }
}

// The relaxation lifts it as it lifts a particle (T2), and shares out what that takes in the same way.
static void t12_relaxed(const ts_solver* solver) {
    const double mu[2] = {0.4, 0.9};
    for (int k = 0; k < 2; ++k) {
        fixture_settings settings = fixture_settings_of(solver, 1e-6, 400000);
        fixture_answer a = suite_cube(solver, &settings, mu[k], 1.0, 0.0);
        double all = (mu[k] + GAMMA) / (1.0 + mu[k] * mu[k]), slip = (1.0 - mu[k] * GAMMA) / (1.0 + mu[k] * mu[k]);
        double front = 0.5 * (a.lambda[8] + a.lambda[11]), rear = 0.5 * (a.lambda[2] + a.lambda[5]);
        cr_expect_float_eq(front, 0.25 * all * (1.0 + 2.0 * mu[k] * 0.104 / 0.2), 1e-7, "%s: %.9g", solver->name,
                           front);
        cr_expect_float_eq(rear, 0.25 * all * (1.0 - 2.0 * mu[k] * 0.104 / 0.2), 1e-7, "%s: %.9g", solver->name, rear);
        for (int c = 0; c < 4; ++c) {
            cr_expect_float_eq(a.u[3 * c + 1], slip, 1e-6, "%s", solver->name);
            cr_expect_float_eq(a.u[3 * c + 2], mu[k] * slip, 1e-6, "%s", solver->name);
        }
    }
}

Test(closed_forms, T12_sliding_cube) {
    suite_each(SUITE_EXACT SUITE_BOX, t12);
    suite_each(SUITE_RELAXED, t12_relaxed);
}

// T13. The per-contact bisection brakes less: mu_eff = mu sqrt(1 - (mu h_c a / (2 I e))^2) with e = G_NN = 4, I = a^2 /
// 6.
static void t13(const ts_solver* solver) {
    const double mu[2] = {0.4, 0.9}, published[2] = {0.395102822, 0.842737913};
    for (int k = 0; k < 2; ++k) {
        fixture_settings settings = fixture_settings_of(solver, 1e-6, 400000);
        fixture_answer a = suite_cube(solver, &settings, mu[k], 1.0, 0.0);
        double coupling = mu[k] * 0.104 * 0.1 * 150.0 / 4.0, weaker = mu[k] * sqrt(1.0 - coupling * coupling);
        cr_expect_float_eq(weaker, published[k], 1e-9);
        // Of the centre: sweeps tell left from right, so the cube turns a little, too.
        double speed = 0.25 * (a.u[1] + a.u[4] + a.u[7] + a.u[10]);
        cr_expect_float_eq((1.0 - speed) / GAMMA, weaker, 2e-5, "%s: %.9g, not %.9g", solver->name,
                           (1.0 - speed) / GAMMA, weaker);
    }
}

// So thrown at 1 m/s it stops late, after v^2 / (2 mu_eff g) - h v / 2.
static void t13_stop(const ts_solver* solver) {
    const double mu = 0.4, weaker = 0.395102822;
    double J[12][6], Y[12][6], G[144], v[6] = {0, 1, 0, 0, 0, 0}, y = 0.0;
    ts_block block[4];
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) block[c] = fixture_cone(3 * c, mu);
    for (int step = 0; step < 300; ++step) {
        double g[12] = {0};
        v[2] -= GAMMA;
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 6; ++j) g[i] += J[i][j] * v[j];
        fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
        fixture_answer a = fixture_solve(solver, &settings, 4, block, G, g, NULL, NULL);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 6; ++j) v[j] += Y[i][j] * a.lambda[i];
        y += TIME_STEP * v[1];
    }
    cr_expect_float_eq(v[1], 0.0, 1e-8, "%s", solver->name);
    cr_expect_float_eq(y, 0.5 / (weaker * GRAVITY) - 0.5 * TIME_STEP, 4e-6, "%s: %.9g", solver->name, y);
    cr_expect_float_eq(y, 0.128500, 4e-6, "%s: %.9g", solver->name, y);
}

// And it gives way too early: to a pull between mu_eff and mu times its weight.
static fixture_answer t13_pulled(const ts_solver* solver) {
    fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
    return suite_cube(solver, &settings, 0.4, 0.0, 0.5 * (0.395102822 + 0.4) * GRAVITY);
}

static void t13_slips(const ts_solver* solver) {
    fixture_answer a = t13_pulled(solver);
    cr_expect_gt(0.25 * (a.u[1] + a.u[4] + a.u[7] + a.u[10]), 1e-6, "%s", solver->name);
}

static void t13_holds(const ts_solver* solver) {
    fixture_answer a = t13_pulled(solver);
    for (int r = 0; r < 12; ++r) cr_expect_float_eq(a.u[r], 0.0, 1e-8, "%s", solver->name);
}

Test(closed_forms, T13_bisection_brakes_less) {
    suite_each("raisim ", t13);
    suite_each("raisim ", t13_stop);
    suite_each("raisim ", t13_slips);
    suite_each(SUITE_EXACT, t13_holds);
}

// A unit mass over a floor at z = 0: y, z and their speeds; a contact where the gap is under `margin`.
typedef struct flight {
    double h, margin, y, z, vy, vz;
    int touching;  // in the last step
    int landed;    // and not in the one before
} flight;

static void fly(flight* f, const ts_solver* solver, double mu) {
    double g[3] = {0.0, f->vy, f->vz - GRAVITY * f->h};
    f->landed = f->z <= f->margin && !f->touching;
    f->touching = f->z <= f->margin;
    double lambda[3] = {0, 0, 0};
    if (f->touching) {
        // The gap may close, no more.
        double approach = g[2];
        g[2] += fmax(f->z, 0.0) / f->h;
        // Impulses and speeds near 1 leave no digits for 1e-8.
        fixture_settings settings = fixture_settings_of(solver, 1e-6, 200000);
        fixture_answer a = fixture_solve_contact(solver, &settings, mu, suite_identity, g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
        memcpy(lambda, a.lambda, sizeof(lambda));
        g[2] = approach;
    }
    f->vy = g[1] + lambda[1];
    f->vz = g[2] + lambda[2];
    f->y += f->h * f->vy;
    f->z += f->h * f->vz;
}

// T14. The relaxation throws a sliding particle up, and again at every landing: q = (1 - mu^2) / (1 + mu^2), landings
// at (v / mu g) (1 - q^k), energies of flight v^2 q^(2 (k - 1)) / (2 (1 + mu^2)).
static void t14(const ts_solver* solver) {
    const double mu = 0.4, q = (1 - mu * mu) / (1 + mu * mu);
    flight f = {2e-4, 0.0, 0.0, 0.0, 1.0, 0.0, 0, 0};
    int flights = 0;
    for (int step = 0; step < 1000 && flights < 4; ++step) {
        fly(&f, solver, mu);
        if (!f.landed) continue;
        double energy = 0.5 * (f.vy * f.vy + f.vz * f.vz), time = step * f.h;
        cr_expect_float_eq(energy, pow(q, 2 * flights) / (2 * (1 + mu * mu)), 8e-3, "%s: flight %d, %.6g J",
                           solver->name, flights, energy);
        cr_expect_float_eq(time, (1 - pow(q, flights)) / (mu * GRAVITY), 2e-3, "%s: landing %d at %.6g s", solver->name,
                           flights, time);
        ++flights;
    }
    cr_expect_eq(flights, 4, "%s", solver->name);
}

Test(closed_forms, T14_relaxation_bounces) { suite_each(SUITE_RELAXED, t14); }

// T15. All the same v_y + mu v_z = v - mu g t throughout, in the air as on the floor.
static void t15(const ts_solver* solver) {
    const double mu = 0.4, h = TIME_STEP;
    flight f = {h, 1e-3, 0.0, 0.0, 1.0, 0.0, 0, 0};
    for (int step = 1; step <= 240; ++step) {
        fly(&f, solver, mu);
        cr_expect_float_eq(f.vy + mu * f.vz, 1.0 - mu * GRAVITY * step * h, 1e-6, "%s: step %d", solver->name, step);
    }
}

// T16. With contacts found before they close there is a height at which it need not bounce: c_N + phi / h = mu |c_T|
// makes the next gap h mu |c_T|. Started there it hovers, ever lower as it slows down.
static void t16(const ts_solver* solver) {
    const double mu = 0.4, h = TIME_STEP;
    flight f = {h, 0.1, 0.0, h * mu, 1.0, 0.0, 0, 0};
    for (int step = 1; step <= 240; ++step) {
        fly(&f, solver, mu);
        cr_expect_float_eq(f.z, h * mu * f.vy, 1e-10, "%s: step %d hovers at %.9g", solver->name, step, f.z);
        cr_expect_float_eq(f.vy + mu * f.vz, 1.0 - mu * GRAVITY * step * h, 1e-6, "%s: step %d", solver->name, step);
    }
}

Test(closed_forms, T15_invariant_of_the_relaxation) { suite_each(SUITE_RELAXED, t15); }

Test(closed_forms, T16_relaxation_hovers) { suite_each(SUITE_RELAXED, t16); }

// T24. The error of a time step h in the path of a particle that slides to a stop, against h_ref: summed over time it
// is (h - h_ref) (v^2 / (4 mu g) + v (T - v / (mu g)) / 2) = 0.48629 (h - h_ref). Reference path: v_k = max(0, v - k mu
// g h).
static void t24(const ts_solver* solver) {
    const double mu = 0.4, T = 1.1, h_ref = 1e-4, steps[3] = {1e-3, 1e-2, 1e-1},
                 seen[3] = {4.377e-4, 4.797e-3, 4.646e-2};
    for (int k = 0; k < 3; ++k) {
        double h = steps[k], error = 0.0, y = 0.0, v = 1.0, y_ref = 0.0, v_ref = 1.0;
        int count = (int)lround(T / h), ratio = (int)lround(h / h_ref);
        for (int step = 0; step < count; ++step) {
            const double g[3] = {0, v, -GRAVITY * h};
            fixture_answer a = suite_particle(solver, mu, g);
            v = g[1] + a.lambda[1];
            y += h * v;
            for (int i = 0; i < ratio; ++i) {
                v_ref = fmax(0.0, v_ref - mu * GRAVITY * h_ref);
                y_ref += h_ref * v_ref;
            }
            error += h * fabs(y - y_ref);
        }
        cr_expect_float_eq(error, seen[k], 2e-3 * seen[k], "%s: h %g, %.6g", solver->name, h, error);
        if (k == 0) cr_expect_float_eq(error, 0.48629 * (h - h_ref), 2e-3 * error);
    }
}

Test(closed_forms, T24_error_of_the_time_step) { suite_each(SUITE_EXACT SUITE_BOX "raisim ", t24); }
