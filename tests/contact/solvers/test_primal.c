// mujoco and sap: softened contacts against closed forms, MuJoCo's own rest depth, and what the convex law promises:
// one answer whatever the start, and no internal forces.
#include "contact/judge/relative.h"
#include "contact/mujoco_softness.h"
#include "tests/contact/contact_fixture.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static fixture_settings tight(const ts_solver* solver, const char* first, double a, const char* second, double b) {
    fixture_settings settings;
    ts_solver_default_settings(solver, &settings);
    settings.shared.force = 1e-9;
    fixture_set(solver, &settings, first, a);
    fixture_set(solver, &settings, second, b);
    return settings;
}

static fixture_settings mujoco_tight(double impedance, double impratio) {
    return tight(ts_solver_find("mujoco"), "impedance", impedance, "impratio", impratio);
}

static fixture_settings sap_tight(double beta, double sigma) {
    return tight(ts_solver_find("sap"), "beta", beta, "sigma", sigma);
}

// A unit particle that slides at s under gravity: with stiffnesses S_T = 1 + R_T and S_N = 1 + R_N the dual cost on the
// cone's surface, 1/2 (mu^2 S_T + S_N) z^2 - (mu s + gamma) z, gives z; R enters nowhere else.
static void expect_sliding_particle(const ts_solver* solver, const void* settings, double R_T, double R_N,
                                    double tolerance) {
    double mu = 0.4, s = 1.0, gamma = GRAVITY * TIME_STEP, g[3] = {s, 0.0, -gamma};
    fixture_answer a = fixture_solve_contact(solver, settings, mu, identity, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s", solver->name, ts_solve_status_name(a.report.status));
    double z = (mu * s + gamma) / (mu * mu * (1.0 + R_T) + 1.0 + R_N);
    fixture_expect_vector(a.lambda, -mu * z, 0.0, z, tolerance, solver->name);
    // It lifts off: what is left of the velocity has a normal part.
    fixture_expect_vector(a.u, s - mu * z, 0.0, z - gamma, tolerance, solver->name);
    cr_expect_gt(a.u[2], 0.3);
}

Test(particle, slides_and_lifts_off_as_its_compliance_says) {
    fixture_settings plain = mujoco_tight(0.9, 1.0), hard_friction = mujoco_tight(0.95, 10.0);
    expect_sliding_particle(ts_solver_find("mujoco"), &plain, 1.0 / 9.0, 1.0 / 9.0, 1e-12);
    expect_sliding_particle(ts_solver_find("mujoco"), &hard_friction, 0.1 / 19.0, 1.0 / 19.0, 1e-12);
    const double pi = acos(-1.0);
    fixture_settings sap = sap_tight(2.0, 0.25);
    double size = sqrt(3.0) / 3.0;
    expect_sliding_particle(ts_solver_find("sap"), &sap, 0.25 * size, 4.0 / (4.0 * pi * pi) * size, 1e-12);
}

// R -> 0 is the relaxed law itself, to the digits that R = 1e-9 leaves.
Test(particle, hard_contacts_are_the_convex_relaxation) {
    double g[3] = {1.0, 0.0, -GRAVITY * TIME_STEP};
    fixture_settings mujoco = mujoco_tight(1.0 - 1e-9, 1.0);
    fixture_settings sap = sap_tight(1e-4, 1e-9);
    // A rounding of the impulse does work of 1e-10 N m/s^2 on the slip.
    mujoco.shared.force = sap.shared.force = 1e-8;
    fixture_answer a = fixture_solve_contact(ts_solver_find("mujoco"), &mujoco, 0.4, identity, g, NULL);
    fixture_answer b = fixture_solve_contact(ts_solver_find("sap"), &sap, 0.4, identity, g, NULL);
    const fixture_answer* answer[2] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
        cr_expect_eq(answer[k]->report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(answer[k]->lambda, -0.141313793, 0.0, 0.353284483, 2e-9, "impulse");
        fixture_expect_vector(answer[k]->u, 0.858686207, 0.0, 0.343474483, 2e-9, "velocity");
        cr_expect_float_eq(answer[k]->u[2], 0.4 * answer[k]->u[0], 2e-9);
    }
}

// The problem's own compliance is kept: m = 2, 3 N along x, sticking, each axis a spring of its own.
Test(compliance, of_the_problem_is_not_touched) {
    const double m = 2.0, force = 3.0, R[3] = {0.05, 0.05, 0.1}, G[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    double g[3] = {force * TIME_STEP / m, 0.0, -GRAVITY * TIME_STEP};
    fixture_settings mujoco = mujoco_tight(0.9, 1.0);
    fixture_settings sap = sap_tight(1.0, 1e-3);
    const ts_solver* solver[2] = {ts_solver_find("mujoco"), ts_solver_find("sap")};
    const void* settings[2] = {&mujoco, &sap};
    for (int k = 0; k < 2; ++k) {
        fixture_answer a = fixture_solve_contact(solver[k], settings[k], 0.9, G, g, R);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -2.727272727e-3, 0.0, 1.635e-2, 1e-11, solver[k]->name);
        fixture_expect_vector(a.u, 0.0, 0.0, 0.0, 1e-12, solver[k]->name);
        double c[3];
        for (int r = 0; r < 3; ++r) c[r] = a.u[r] - R[r] * a.lambda[r];
        fixture_expect_vector(c, 1.363636364e-4, 0.0, -1.635e-3, 1e-12, "velocity");
    }
}

// What the solver chooses: diagonal and impratio; block size and sigma; never harder than beta says, never softer than
// the problem where it speaks; a cone stays round.
Test(compliance, is_chosen_where_the_problem_is_rigid) {
    ts_arena arena = {0};
    const ts_block block[4] = {fixture_cone(0, 0.5),
                               {.set = TS_SET_HALF_LINE, .row = 3, .rows = 1},
                               {.set = TS_SET_FREE, .row = 4, .rows = 2},
                               fixture_cone(6, 0.5)};
    const int block_row[5] = {0, 3, 4, 6, 9};
    double G[81] = {0}, g[9] = {0}, R[9] = {0, 0, 0, 0.7, 0, 0, 0.3, 0.2, 0}, out[9];
    for (int i = 0; i < 9; ++i) G[10 * i] = i == 5 ? 0.0 : i + 1.0;
    ts_contact_problem problem = {.block_count = 4,
                                  .row_count = 9,
                                  .block = block,
                                  .delassus = dense_operator(&arena, 4, block_row, G),
                                  .g = g,
                                  .R = R,
                                  .time_step = TIME_STEP};
    fixture_settings mujoco = mujoco_tight(0.8, 5.0);
    ts_solver_find("mujoco")->compliance(&problem, &mujoco, out);
    const double expected[9] = {0.15, 0.15, 0.75, 0.7, 1.25, 1.0, 0.3, 0.3, 2.25};
    for (int i = 0; i < 9; ++i) cr_expect_float_eq(out[i], expected[i], 1e-14, "row %d: %g", i, out[i]);
    fixture_settings sap = sap_tight(1.0, 0.01);
    ts_solver_find("sap")->compliance(&problem, &sap, out);
    double unit = 1.0 / pow(2.0 * acos(-1.0), 2.0), first = unit * sqrt(14.0) / 3.0, last = unit * sqrt(194.0) / 3.0;
    double friction = 0.01 * sqrt(14.0) / 3.0;
    const double near_rigid[9] = {friction, friction, first, 0.7, unit * 2.5, unit * 2.5, 0.3, 0.3, last};
    for (int i = 0; i < 9; ++i) cr_expect_float_eq(out[i], near_rigid[i], 1e-14, "row %d: %g", i, out[i]);
    ts_arena_free(&arena);
}

// solimp's curve: two parabolas that meet at the midpoint, flat from the width on.
Test(impedance, is_the_documented_curve) {
    const double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2.0}, line[5] = {0.2, 0.8, 0.01, 0.3, 1.0};
    cr_expect_float_eq(ts_mujoco_impedance(solimp, 0.0), 0.9, 1e-15);
    cr_expect_float_eq(ts_mujoco_impedance(solimp, 0.00025), 0.90625, 1e-15);
    cr_expect_float_eq(ts_mujoco_impedance(solimp, -0.0005), 0.925, 1e-15);
    cr_expect_float_eq(ts_mujoco_impedance(solimp, -0.00075), 0.94375, 1e-15);
    cr_expect_float_eq(ts_mujoco_impedance(solimp, -3.0), 0.95, 1e-15);
    for (int k = 0; k <= 10; ++k) cr_expect_float_eq(ts_mujoco_impedance(line, 1e-3 * k), 0.2 + 0.06 * k, 1e-14);
    const double extreme[5] = {-1.0, 2.0, 0.001, 0.5, 2.0};
    cr_expect_eq(ts_mujoco_impedance(extreme, 0.0), 1e-4);
    cr_expect_eq(ts_mujoco_impedance(extreme, 1.0), 0.9999);
}

// A point mass under MuJoCo's default parameters comes to rest where (1 - d) / d^2 g dw^2 tc^2 = -gap, d = d(gap): the
// depth at which MuJoCo itself lets it lie.
Test(rest_depth, is_that_of_mujoco) {
    const double h = 0.002, m = 3.0;
    ts_mujoco_softness softness = ts_mujoco_softness_default();
    fixture_settings settings = mujoco_tight(0.9999, 1.0);
    settings.shared.force = 1e-10;
    const double G[9] = {1.0 / m, 0, 0, 0, 1.0 / m, 0, 0, 0, 1.0 / m};
    double gap = 0.0, v = 0.0, d = 0.0;
    for (int k = 0; k < 3000; ++k) {
        double R[3], reference[3];
        d = ts_mujoco_impedance(softness.solimp, gap);
        for (int r = 0; r < 3; ++r)
            ts_mujoco_row(&softness, d, G[4 * r], r == 2 ? gap : 0.0, r == 2 ? v : 0.0, h, &R[r], &reference[r]);
        double g[3] = {-reference[0], -reference[1], v - h * GRAVITY - reference[2]};
        fixture_answer a = fixture_solve_contact(ts_solver_find("mujoco"), &settings, 0.5, G, g, R);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
        v += -h * GRAVITY + a.lambda[2] / m;
        gap += h * v;
    }
    cr_expect_float_eq(gap, -3.671818e-4, 1e-10, "%.10g", gap);
    cr_expect_float_eq(d, 0.913482, 1e-6, "%.10g", d);
    cr_expect_float_eq(-gap, (1.0 - d) / (d * d) * GRAVITY * 0.95 * 0.95 * 0.02 * 0.02, 1e-12);
}

// Direct solref, and the floor under the time constant.
Test(rest_depth, parameters_map_as_documented) {
    ts_mujoco_softness softness = ts_mujoco_softness_default();
    double R, reference, floor_R, floor_reference;
    softness.solref[0] = -400.0;
    softness.solref[1] = -30.0;
    ts_mujoco_row(&softness, 0.92, 2.0, -1e-3, 0.5, 0.01, &R, &reference);
    cr_expect_float_eq(R, 0.08 / 0.92 * 2.0, 1e-15);
    cr_expect_float_eq(reference, 0.5 - 0.01 * (30.0 / 0.95 * 0.5 - 400.0 * 0.92 / (0.95 * 0.95) * 1e-3), 1e-15);
    softness.solref[0] = 0.004;
    softness.solref[1] = 0.7;
    ts_mujoco_row(&softness, 0.92, 2.0, -1e-3, 0.5, 0.01, &floor_R, &floor_reference);
    softness.solref[0] = 0.02;
    ts_mujoco_row(&softness, 0.92, 2.0, -1e-3, 0.5, 0.01, &R, &reference);
    cr_expect_eq(floor_reference, reference);
}

// The cube on four corners, hyperstatic: G of rank 6 for 12 rows.
typedef struct cube {
    double J[12][6];
    double Y[12][6];
    double G[144];
    ts_block block[4];
} cube;

static void make_cube(cube* c, double mu) {
    fixture_cube(c->J, c->Y, c->G);
    for (int i = 0; i < 4; ++i) c->block[i] = fixture_cone(3 * i, mu);
}

// |lambda - J w|_max for the w that makes it least (normal equations, long double): the part that J^T does not see. M
// does not matter, because the motions J w are those of all w.
static double internal_part(const cube* c, const double* lambda) {
    long double A[6][7] = {{0}};
    for (int i = 0; i < 6; ++i)
        for (int r = 0; r < 12; ++r) {
            for (int j = 0; j < 6; ++j) A[i][j] += (long double)c->J[r][i] * c->J[r][j];
            A[i][6] += (long double)c->J[r][i] * lambda[r];
        }
    for (int p = 0; p < 6; ++p)
        for (int i = 0; i < 6; ++i) {
            if (i == p) continue;
            long double f = A[i][p] / A[p][p];
            for (int j = 0; j < 7; ++j) A[i][j] -= f * A[p][j];
        }
    long double worst = 0.0L;
    for (int r = 0; r < 12; ++r) {
        long double rest = lambda[r];
        for (int j = 0; j < 6; ++j) rest -= c->J[r][j] * A[j][6] / A[j][j];
        worst = fmaxl(worst, fabsl(rest));
    }
    return (double)worst;
}

// At rest each corner carries gamma / (4 + R_N): no friction, no internal forces, whatever the start.
Test(internal_forces, a_resting_cube_has_none) {
    cube c;
    make_cube(&c, 0.9);
    double gamma = GRAVITY * TIME_STEP, g[12];
    ts_rng rng = ts_rng_make(71, 0);
    for (int trial = 0; trial < 20; ++trial) {
        // A push that the cube withstands, and a start full of internal forces.
        double push = 0.3 * gamma * ts_rng_uniform_in(&rng, 0.0, 1.0), start[12];
        for (int i = 0; i < 12; ++i) {
            g[i] = i % 3 == 2 ? -gamma : (i % 3 == 1 && trial > 0 ? push : 0.0);
            start[i] = 0.1 * ts_rng_normal(&rng);
        }
        fixture_settings settings = mujoco_tight(0.999, 1.0);
        fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, start);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", ts_solve_status_name(a.report.status));
        cr_expect_leq(internal_part(&c, a.lambda), 1e-12, "trial %d", trial);
        if (trial > 0) continue;
        double load = gamma / (4.0 + 4.0 * 0.001 / 0.999);
        for (int i = 0; i < 4; ++i) fixture_expect_vector(a.lambda + 3 * i, 0.0, 0.0, load, 1e-12, "corner");
    }
}

// Strictly convex: every start ends in the same answer, velocities and impulses.
Test(uniqueness, every_start_ends_in_the_same_answer) {
    cube c;
    make_cube(&c, 0.4);
    ts_rng rng = ts_rng_make(72, 0);
    const ts_solver* solver[2] = {ts_solver_find("mujoco"), ts_solver_find("sap")};
    fixture_settings mujoco = mujoco_tight(0.9999, 1.0);
    fixture_settings sap = sap_tight(1.0, 1e-3);
    const void* settings[2] = {&mujoco, &sap};
    for (int k = 0; k < 2; ++k)
        for (int trial = 0; trial < 10; ++trial) {
            double g[12], reference[12] = {0};
            for (int i = 0; i < 12; ++i) g[i] = 0.05 * ts_rng_normal(&rng) - (i % 3 == 2 ? 0.01 : 0.0);
            for (int s = 0; s < 12; ++s) {
                double start[12], size = pow(10.0, ts_rng_uniform_in(&rng, -6.0, 2.0));
                for (int i = 0; i < 12; ++i) start[i] = s ? size * ts_rng_normal(&rng) : 0.0;
                fixture_answer a = fixture_solve(solver[k], settings[k], 4, c.block, c.G, g, NULL, start);
                cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s", solver[k]->name,
                             ts_solve_status_name(a.report.status));
                for (int i = 0; i < 12; ++i) {
                    if (s == 0) reference[i] = a.lambda[i];
                    cr_expect_float_eq(a.lambda[i], reference[i], 1e-9, "%s row %d", solver[k]->name, i);
                }
            }
        }
}

// The compliance is chosen from G, so masses and speeds scale as in the law itself.
Test(invariance, impulses_scale_with_speeds_and_masses) {
    cube c, heavy;
    make_cube(&c, 0.4);
    heavy = c;
    double g[12], fast[12];
    ts_rng rng = ts_rng_make(73, 0);
    for (int i = 0; i < 12; ++i) {
        g[i] = 0.05 * ts_rng_normal(&rng);
        fast[i] = 8.0 * g[i];
    }
    for (int i = 0; i < 144; ++i) heavy.G[i] = c.G[i] / 4.0;
    fixture_settings settings = mujoco_tight(0.99, 2.0);
    fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, NULL);
    fixture_answer b = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, heavy.G, fast, NULL, NULL);
    for (int i = 0; i < 12; ++i) cr_expect_float_eq(b.lambda[i], 32.0 * a.lambda[i], 1e-10);
}

// Half-line, box and free rows by hand: each alone with its own stiffness G + R, and a box that saturates.
Test(sets, single_rows_have_closed_forms) {
    const ts_block block[5] = {{.set = TS_SET_HALF_LINE, .row = 0, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 1, .rows = 1},
                               {.set = TS_SET_BOX, .row = 2, .rows = 1, .low = -0.1, .high = 0.2},
                               {.set = TS_SET_BOX, .row = 3, .rows = 1, .low = -0.1, .high = 0.2},
                               {.set = TS_SET_FREE, .row = 4, .rows = 2}};
    double G[36] = {0}, g[6] = {-1.0, 1.0, -0.1, -1.0, 3.0, -2.0};
    for (int i = 0; i < 6; ++i) G[7 * i] = 2.0;
    fixture_settings settings = mujoco_tight(0.8, 1.0);  // R = 0.5
    fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 5, block, G, g, NULL, NULL);
    const double expected[6] = {0.4, 0.0, 0.04, 0.2, -1.2, 0.8};
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    for (int i = 0; i < 6; ++i) cr_expect_float_eq(a.lambda[i], expected[i], 1e-13, "row %d: %g", i, a.lambda[i]);
    cr_expect_eq(a.lambda[3], 0.2, "an end of an interval is meant exactly");
}

// The cost of a saturated box grows linearly, not quadratically: its answer costs less than nothing at all, and as a
// start needs no step.
Test(sets, a_saturated_box_is_recognised) {
    const ts_block block = {.set = TS_SET_BOX, .row = 0, .rows = 1, .low = -0.1, .high = 0.1};
    const double G = 1.0, g = -10.0, start = 0.1;
    fixture_settings settings = mujoco_tight(0.5, 1.0);
    fixture_answer cold = fixture_solve(ts_solver_find("mujoco"), &settings, 1, &block, &G, &g, NULL, NULL);
    fixture_answer warm = fixture_solve(ts_solver_find("mujoco"), &settings, 1, &block, &G, &g, NULL, &start);
    cr_expect_eq(cold.lambda[0], 0.1);
    cr_expect_eq(warm.lambda[0], 0.1);
    cr_expect_eq(warm.report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(warm.report.iterations, 0);
}

// A frictionless cone is a half-line.
Test(sets, a_cone_without_friction_is_a_half_line) {
    const double G[9] = {2, 0, 0.5, 0, 2, 0, 0.5, 0, 1}, g[3] = {0.3, 3.0, -1.0};
    fixture_settings settings = mujoco_tight(0.8, 1.0);
    fixture_answer a = fixture_solve_contact(ts_solver_find("mujoco"), &settings, 0.0, G, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(a.lambda, 0.0, 0.0, 0.8, 1e-12, "impulse");
}

// With G = c I a cone of six rows is one of three in the plane of slip and normal: 1/2 (mu^2 S + S) z^2 - (mu s +
// gamma) z.
Test(sets, cones_of_four_and_six_rows_are_round) {
    for (int rows = 4; rows <= 6; rows += 2) {
        double G[36] = {0}, g[6] = {0.3, -0.2, -0.1, 0.6, 0.1, -0.4}, speed = 0.0, mu = 0.6;
        const ts_block block = {.set = TS_SET_CONE, .row = 0, .rows = rows, .mu = mu};
        for (int i = 0; i < rows; ++i) {
            G[i * rows + i] = 2.0;
            if (i != 2) speed += g[i] * g[i];
        }
        speed = sqrt(speed);
        fixture_settings settings = mujoco_tight(0.8, 1.0);
        fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 1, &block, G, g, NULL, NULL);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
        double z = (mu * speed + 0.1) / (2.5 * (1.0 + mu * mu));
        for (int i = 0; i < rows; ++i)
            cr_expect_float_eq(a.lambda[i], i == 2 ? z : -mu * z * g[i] / speed, 1e-13, "row %d", i);
    }
}

// A problem with every set, coupled at random: the answer satisfies its own law in long double.
Test(sets, a_mixed_problem_meets_its_own_law) {
    enum { N = 17, D = 12 };
    ts_rng rng = ts_rng_make(74, 0);
    for (int trial = 0; trial < 40; ++trial) {
        const ts_block block[6] = {{.set = TS_SET_CONE, .row = 0, .rows = 6, .mu = 0.7},
                                   {.set = TS_SET_BOX, .row = 6, .rows = 1, .low = -0.05, .high = HUGE_VAL},
                                   fixture_cone(7, trial % 5 ? 0.3 : 0.0),
                                   {.set = TS_SET_FREE, .row = 10, .rows = 2},
                                   {.set = TS_SET_HALF_LINE, .row = 12, .rows = 1},
                                   {.set = TS_SET_CONE, .row = 13, .rows = 4, .mu = 1.2}};
        double J[N][D], G[N * N], g[N];
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < D; ++j) J[i][j] = ts_rng_normal(&rng);
            g[i] = ts_rng_normal(&rng);
        }
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < N; ++k) {
                G[i * N + k] = 0.0;
                for (int j = 0; j < D; ++j) G[i * N + k] += J[i][j] * J[k][j];
            }
        fixture_settings mujoco = mujoco_tight(0.999, 1.0);
        fixture_settings sap = sap_tight(1.0, 1e-2);
        // Impulses of 1 N s are forces of 1e3 N here: rounding alone is 1e-10 J.
        mujoco.shared.force = sap.shared.force = 1e-6;
        const ts_solver* solver = trial % 2 ? ts_solver_find("sap") : ts_solver_find("mujoco");
        const void* settings = trial % 2 ? (const void*)&sap : (const void*)&mujoco;
        fixture_answer a = fixture_solve(solver, settings, 6, block, G, g, NULL, NULL);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED, "%s trial %d: %s", solver->name, trial,
                     ts_solve_status_name(a.report.status));
        cr_expect_leq(a.report.iterations, 30);
        ts_arena arena = {0};
        const int block_row[7] = {0, 6, 7, 10, 12, 13, 17};
        ts_contact_problem problem = {.block_count = 6,
                                      .row_count = N,
                                      .block = block,
                                      .delassus = dense_operator(&arena, 6, block_row, G),
                                      .g = g,
                                      .time_step = TIME_STEP};
        double R[N];
        solver->compliance(&problem, settings, R);
        long double u[N];
        for (int i = 0; i < N; ++i) {
            u[i] = (long double)g[i] + (long double)R[i] * a.lambda[i];
            for (int j = 0; j < N; ++j) u[i] += (long double)G[i * N + j] * a.lambda[j];
        }
        const double* l = a.lambda;
        for (int b = 0; b < 6; ++b) {
            int row = block[b].row;
            if (block[b].set == TS_SET_FREE)
                for (int r = row; r < row + block[b].rows; ++r) cr_expect_lt(fabsl(u[r]), 1e-10L);
            if (block[b].set == TS_SET_HALF_LINE) {
                cr_expect(l[row] >= 0.0 && u[row] > -1e-10L && fabsl(u[row] * l[row]) < 1e-10L);
            }
            if (block[b].set == TS_SET_BOX) {
                cr_expect(l[row] >= -0.05 && u[row] > -1e-10L && fabsl(u[row] * (l[row] + 0.05)) < 1e-10L);
            }
            if (block[b].set != TS_SET_CONE) continue;
            long double friction = 0.0L, slip = 0.0L, work = 0.0L;
            for (int r = row; r < row + block[b].rows; ++r) {
                work += l[r] * u[r];
                if (r == row + 2) continue;
                friction += (long double)l[r] * l[r];
                slip += u[r] * u[r];
            }
            cr_expect_leq(sqrtl(friction), block[b].mu * (long double)l[row + 2] + 1e-12L);
            cr_expect_leq(block[b].mu * sqrtl(slip), u[row + 2] + 1e-10L);
            cr_expect_lt(fabsl(work), 1e-10L);
        }
        ts_arena_free(&arena);
    }
}

// 1000 kg on 1 g, in one dimension: lambda from the 2 x 2 system with R on its diagonal.
Test(stack, a_million_to_one_is_solved_in_a_few_steps) {
    const double light = 1e-3, heavy = 1e3, gamma = GRAVITY * TIME_STEP;
    double G[36] = {0}, g[6] = {0, 0, -gamma, 0, 0, 0};
    for (int r = 0; r < 3; ++r) {
        G[7 * r] = 1.0 / light;
        G[6 * r + r + 3] = G[6 * (r + 3) + r] = -1.0 / light;
        G[7 * (r + 3)] = 1.0 / light + 1.0 / heavy;
    }
    const ts_block block[2] = {fixture_cone(0, 0.5), fixture_cone(3, 0.5)};
    const double R_given[6] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
    fixture_settings settings = mujoco_tight(0.9999, 1.0);
    settings.shared.force = 1e-3;  // the force is 1e4 N, and its product with the rounding of u 1e-5 N m/s^2
    fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 2, block, G, g, R_given, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", ts_solve_status_name(a.report.status));
    cr_expect_leq(a.report.iterations, 10);
    long double p = G[14] + 1e-6L, q = -G[14], s = G[35] + 1e-6L, det = p * s - q * q;
    cr_expect_float_eq(a.lambda[2] / (double)(s * gamma / det), 1.0, 1e-9, "%.12g", a.lambda[2]);
    cr_expect_float_eq(a.lambda[5] / (double)(-q * gamma / det), 1.0, 1e-9, "%.12g", a.lambda[5]);
}

// Recorded matrices are not quite symmetric; the law is then that of the matrix as it stands.
Test(asymmetry, a_slightly_asymmetric_matrix_is_taken_as_it_stands) {
    cube c;
    make_cube(&c, 0.4);
    ts_rng rng = ts_rng_make(76, 0);
    for (int i = 0; i < 144; ++i) c.G[i] += 1e-3 * ts_rng_normal(&rng);
    for (int trial = 0; trial < 10; ++trial) {
        double g[12];
        for (int i = 0; i < 12; ++i) g[i] = 0.05 * ts_rng_normal(&rng) - (i % 3 == 2 ? 0.05 : 0.0);
        fixture_settings settings = mujoco_tight(0.99, 1.0);
        fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s", ts_solve_status_name(a.report.status));
    }
}

Test(status, starts_limits_and_stalls) {
    cube c;
    make_cube(&c, 0.4);
    double g[12], huge[12], broken[12];
    ts_rng rng = ts_rng_make(77, 0);
    for (int i = 0; i < 12; ++i) {
        g[i] = 0.05 * ts_rng_normal(&rng) - (i % 3 == 2 ? 0.05 : 0.0);
        huge[i] = i % 3 == 2 ? 1e6 : 0.0;
        broken[i] = i == 4 ? NAN : 1e-3;
    }
    fixture_settings settings = mujoco_tight(0.999, 1.0);
    fixture_answer cold = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, NULL);
    cr_assert_eq(cold.report.status, TS_SOLVE_CONVERGED);
    cr_assert_gt(cold.report.iterations, 1);
    fixture_answer warm = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, cold.lambda);
    cr_expect_eq(warm.report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(warm.report.iterations, 0);
    const double* starts[2] = {huge, broken};
    for (int k = 0; k < 2; ++k) {
        fixture_answer a = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, starts[k]);
        cr_expect_eq(a.report.iterations, cold.report.iterations);
        cr_expect_eq(memcmp(a.lambda, cold.lambda, sizeof(double) * 12), 0);
    }
    settings.shared.iteration_limit = 1;
    fixture_answer limited = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, NULL);
    cr_expect_eq(limited.report.status, TS_SOLVE_ITERATION_LIMIT);
    cr_expect_eq(limited.report.iterations, 1);
    settings.shared.iteration_limit = 1000;
    settings.shared.tolerance = 0.0;
    fixture_answer stalled = fixture_solve(ts_solver_find("mujoco"), &settings, 4, c.block, c.G, g, NULL, NULL);
    cr_expect_eq(stalled.report.status, TS_SOLVE_STALLED, "%s", ts_solve_status_name(stalled.report.status));
    cr_expect_leq(stalled.report.iterations, cold.report.iterations + 10);
    cr_expect_leq(ts_law_residual_in_force_units(stalled.own, TIME_STEP), 1e-9);
}

// How far a problem without compliance is from its softened answer is visible, not hidden: the residual of the problem
// as given is of the size of R lambda.
Test(status, the_rigid_problem_s_residual_stays_visible) {
    double g[3] = {0.0, 0.0, -GRAVITY * TIME_STEP};
    fixture_settings settings = mujoco_tight(0.99, 1.0);
    fixture_answer a = fixture_solve_contact(ts_solver_find("mujoco"), &settings, 0.4, identity, g, NULL);
    cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(a.own.dual, 1e-12);
    cr_expect_float_eq(a.residual.ccp.dual, 0.01 / 0.99 * a.lambda[2], 1e-12);
}

// Whoever solves to a relative tolerance judges a softened answer by the softened law, in whatever units it came, and
// still shows how far the problem as given is.
Test(status, relative_solving_judges_the_solver_s_own_law) {
    cube c;
    make_cube(&c, 0.4);
    const int block_row[5] = {0, 3, 6, 9, 12};
    ts_rng rng = ts_rng_make(78, 0);
    ts_arena arena = {0}, scratch = {0};
    double g[12], lambda[12];
    for (int i = 0; i < 12; ++i) g[i] = 1e3 * (ts_rng_normal(&rng) - (i % 3 == 2 ? 1.0 : 0.0));
    for (int i = 0; i < 144; ++i) c.G[i] *= 1e-5;
    ts_contact_problem problem = {.block_count = 4,
                                  .row_count = 12,
                                  .block = c.block,
                                  .delassus = dense_operator(&arena, 4, block_row, c.G),
                                  .g = g,
                                  .time_step = 1.0};
    const ts_solver* solver[2] = {ts_solver_find("mujoco"), ts_solver_find("sap")};
    for (int k = 0; k < 2; ++k) {
        double settings[TS_SOLVER_SETTINGS_BYTES / sizeof(double)];
        ts_solver_default_settings(solver[k], settings);
        ts_relative_report report = ts_relative_solve(solver[k], &problem, settings, 1e-9, NULL, &scratch, lambda);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s", solver[k]->name);
        cr_expect_leq(report.error.own, 1e-9);
        ts_law_residual own = fixture_own_residual(solver[k], &problem, settings, lambda);
        cr_expect_float_eq(report.own.dual, own.dual, 1e-10);
        cr_expect_gt(report.error.natural, 1e-6);
        cr_expect_gt(report.residual.ccp.dual, 1e-3);
    }
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}
