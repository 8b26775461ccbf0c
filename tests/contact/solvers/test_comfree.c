// comfree: its published formula, recomputed in the space of facets, and the artefacts that follow from it in closed form.
#include "tests/contact/contact_fixture.h"

#define COMFREE ts_solver_find("comfree")

static fixture_settings share(double s) {
    fixture_settings settings = fixture_settings_of(COMFREE, 1e-9, 1);
    fixture_set(COMFREE, &settings, "stiffness", s);
    return settings;
}

static fixture_answer push(double s, double mu, double m, double gx, double gy, double gz) {
    const double G[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}, g[3] = {gx, gy, gz};
    fixture_settings settings = share(s);
    fixture_answer a = fixture_solve_contact(COMFREE, &settings, mu, G, g, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
    cr_expect_eq(a.report.iterations, 1);
    return a;
}

// All four facets push: N m s / (1 + mu^2) up, mu^2 s m T / (2 (1 + mu^2)) against the slip T.
Test(comfree, a_particle_whose_four_facets_push) {
    const double m = 2.0, s = 0.7, mu = 0.4, N = 0.01, T = 0.02;
    fixture_answer a = push(s, mu, m, 0.0, T, -N);
    double c = s * m / (1.0 + mu * mu);
    fixture_expect_vector(a.lambda, 0.0, -0.5 * mu * mu * c * T, c * N, 1e-16, "impulse");
    // What it keeps of its approach, and of its slip.
    fixture_expect_vector(a.u, 0.0, T * (1.0 - 0.5 * mu * mu * c / m), -N * (1.0 - c / m), 1e-16, "velocity");
}

// Faster, one facet opens: the others push (N + mu T) and N, N; the particle lifts when that is more than it needs.
Test(comfree, what_slides_fast_is_thrown_up) {
    const double m = 1.0, s = 1.0, mu = 0.5, N = 0.01, T = 6.0, own = 4.0 * (1.0 + mu * mu) / (m * s);
    fixture_answer a = push(s, mu, m, -T, 0.0, -N);
    fixture_expect_vector(a.lambda, mu * (N + mu * T) / own, 0.0, (3.0 * N + mu * T) / own, 1e-15, "impulse");
    cr_expect_gt(a.u[2], 0.5, "it stays at %g m/s", a.u[2]);
    // Friction of the pyramid that lies within the cone is less than the cone's.
    cr_expect_lt(a.lambda[0], mu * a.lambda[2]);
}

// Away from each other nothing pushes; what approaches less than it slips aside is pushed all the same.
Test(comfree, contacts_that_open_push_when_they_slide) {
    fixture_answer a = push(0.5, 0.5, 1.0, 0.1, 0.0, 0.06);
    fixture_expect_vector(a.lambda, 0.0, 0.0, 0.0, 0.0, "open");
    a = push(0.5, 0.5, 1.0, 0.2, 0.0, 0.06);
    cr_expect_gt(a.lambda[2], 0.0);
}

// On a slope a particle goes on at g h sin(a) (2 (1 + mu^2) / (s mu^2) - 1), for tan(a) < mu / 2, and sinks at
// g h cos(a) ((1 + mu^2) / s - 1) where nothing asks it back.
Test(comfree, creeps_down_a_slope_at_the_speed_that_its_formula_says) {
    static const double mus[3] = {0.5, 0.8, 0.3}, shares[3] = {0.5, 1.0, 0.9}, slopes[3] = {0.2, 0.35, 0.1};
    for (int i = 0; i < 3; ++i) {
        double mu = mus[i], s = shares[i], a = slopes[i], v = 0.0, sink = 0.0, h = TIME_STEP;
        for (int k = 0; k < 4000; ++k) {
            fixture_answer b = push(s, mu, 3.0, v + GRAVITY * h * sin(a), 0.0, sink - GRAVITY * h * cos(a));
            v = b.u[0];
            sink = b.u[2];
        }
        double pull = GRAVITY * h * sin(a), press = GRAVITY * h * cos(a);
        double creep = pull * (2.0 * (1.0 + mu * mu) / (s * mu * mu) - 1.0);
        double sinking = -press * ((1.0 + mu * mu) / s - 1.0);
        cr_expect_float_eq(v, creep, 1e-10 * creep, "%g, not %g", v, creep);
        cr_expect_float_eq(sink, sinking, 1e-10 * press, "%g, not %g", sink, sinking);
    }
}

// The gains of the publication, k on the gap to come and d on the velocity: b = m max(-d v - k (h v + phi), 0), m = 1 / (k_N + mu^2 k_T).
Test(comfree, published_gains_are_a_share_and_a_reference) {
    const double h = 2e-3, k = 40.0, d = 0.05, phi = 1e-4, mu = 0.6, m = 1.5, v[3] = {0.02, 0.0, -0.15};
    double s = 4.0 * (k * h + d), own = (1.0 + mu * mu) / m, expected[3] = {0.0};
    for (int f = 0; f < 4; ++f) {
        int axis = f / 2;
        double sign = f % 2 ? -1.0 : 1.0, along = v[2] + sign * mu * v[axis];
        double b = fmax(0.0, -d * along - k * (h * along + phi)) / own;
        expected[axis] += sign * mu * b;
        expected[2] += b;
    }
    fixture_answer a = push(s, mu, m, v[0], v[1], v[2] + phi / (h + d / k));
    fixture_expect_vector(a.lambda, expected[0], expected[1], expected[2], 1e-14, "published");
}

enum { BODIES = 3, CONTACTS = 5, ROWS = 3 * CONTACTS, DOF = 6 * BODIES };

// The update of the whole system in the space of facets, K diagonal: v+ = v + M^-1 F^T max(-K F v, 0), F the rows J_N +- mu J_t.
Test(comfree, is_the_published_update_of_the_velocities) {
    ts_rng rng = ts_rng_make(5, 0);
    for (int trial = 0; trial < 20; ++trial) {
        double J[ROWS][DOF], mass[DOF], G[ROWS * ROWS], g[ROWS], v[DOF], s = ts_rng_uniform_in(&rng, 0.1, 1.0);
        long double after[DOF];
        ts_block block[CONTACTS];
        for (int j = 0; j < DOF; ++j) {
            mass[j] = ts_rng_uniform_in(&rng, 0.2, 4.0);
            after[j] = v[j] = ts_rng_normal(&rng);
        }
        for (int c = 0; c < CONTACTS; ++c) block[c] = fixture_cone(3 * c, ts_rng_uniform_in(&rng, 0.0, 1.0));
        for (int i = 0; i < ROWS; ++i) {
            g[i] = 0.0;
            for (int j = 0; j < DOF; ++j) {
                J[i][j] = ts_rng_uniform(&rng) < 0.6 ? ts_rng_normal(&rng) : 0.0;
                g[i] += J[i][j] * v[j];
            }
        }
        for (int i = 0; i < ROWS; ++i)
            for (int k = 0; k < ROWS; ++k) {
                G[ROWS * i + k] = 0.0;
                for (int j = 0; j < DOF; ++j) G[ROWS * i + k] += J[i][j] * J[k][j] / mass[j];
            }
        for (int f = 0; f < 4 * CONTACTS; ++f) {
            int c = f / 4, axis = f % 4 / 2;
            long double mu = (f % 2 ? -1.0L : 1.0L) * block[c].mu, along = 0.0L, normal = 0.0L, tangent = 0.0L;
            for (int j = 0; j < DOF; ++j) {
                along += (J[3 * c + 2][j] + mu * J[3 * c + axis][j]) * v[j];
                normal += (long double)J[3 * c + 2][j] * J[3 * c + 2][j] / mass[j];
                tangent += (long double)J[3 * c + axis][j] * J[3 * c + axis][j] / mass[j];
            }
            long double K = s / (4.0L * (normal + mu * mu * tangent));
            for (int j = 0; j < DOF && along < 0.0L; ++j)
                after[j] += (J[3 * c + 2][j] + mu * J[3 * c + axis][j]) * -K * along / mass[j];
        }
        fixture_settings settings = share(s);
        fixture_answer a = fixture_solve(COMFREE, &settings, CONTACTS, block, G, g, NULL, NULL);
        for (int j = 0; j < DOF; ++j) {
            double sum = v[j];
            for (int i = 0; i < ROWS; ++i) sum += J[i][j] * a.lambda[i] / mass[j];
            cr_expect_float_eq(sum, (double)after[j], 1e-12, "trial %d, %d: %.12g, not %.12g", trial, j, sum,
                               (double)after[j]);
        }
    }
}

// What several contacts of a body push adds up: two that take all of an approach send it back as it came.
Test(comfree, pushes_of_several_contacts_add_up_to_a_bounce) {
    const double G[4] = {1, 1, 1, 1}, g[2] = {-0.3, -0.3};
    const ts_block block[2] = {{.set = TS_SET_HALF_LINE, .row = 0, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 1, .rows = 1}};
    fixture_settings settings = share(1.0);
    fixture_answer a = fixture_solve(COMFREE, &settings, 2, block, G, g, NULL, NULL);
    cr_expect_float_eq(a.u[0], 0.3, 1e-15);
    cr_expect_gt(a.residual.created, 0.08, "it makes no energy: %g", a.residual.created);
}

// Every other set by itself, in its interval; R of the problem in place of the share.
Test(comfree, rows_of_other_sets_push_by_themselves) {
    const double G[9] = {2, 1, 0, 1, 4, 0, 0, 0, 1}, g[3] = {-1.0, 2.0, 3.0}, R[3] = {3.0, 0.0, 1.0};
    const ts_block block[3] = {{.set = TS_SET_HALF_LINE, .row = 0, .rows = 1},
                               {.set = TS_SET_BOX, .row = 1, .rows = 1, .low = -0.1, .high = 0.1},
                               {.set = TS_SET_FREE, .row = 2, .rows = 1}};
    fixture_settings settings = share(0.5);
    fixture_answer a = fixture_solve(COMFREE, &settings, 3, block, G, g, R, NULL);
    cr_expect_float_eq(a.lambda[0], 1.0 / 5.0, 1e-16);
    cr_expect_float_eq(a.lambda[1], -0.1, 1e-16);
    cr_expect_float_eq(a.lambda[2], -3.0 / 2.0, 1e-15);
}

// Its own law is its formula: what is off it by x is judged off by x; and the exact law is not met by what slides or rests.
Test(comfree, is_judged_by_its_formula_and_by_the_exact_law) {
    fixture_answer a = push(0.5, 0.5, 1.0, 0.02, 0.0, -0.01);
    cr_expect_lt(a.own.primal + a.own.dual + a.own.complementarity, 1e-16);
    cr_expect_gt(a.residual.natural, 0.1);
    ts_arena arena = {0};
    const int block_row[2] = {0, 3};
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {0.02, 0.0, -0.01};
    const ts_block block = fixture_cone(0, 0.5);
    ts_contact_problem problem = {.block_count = 1,
                                  .row_count = 3,
                                  .block = &block,
                                  .delassus = dense_operator(&arena, 1, block_row, G),
                                  .g = g,
                                  .time_step = TIME_STEP};
    fixture_settings settings = share(0.5);
    a.lambda[1] += 3e-4;
    a.lambda[2] += 4e-4;
    ts_law_residual own = fixture_own_residual(COMFREE, &problem, &settings, a.lambda);
    cr_expect_float_eq(own.primal, 5e-4, 1e-15);
    ts_arena_free(&arena);
}
