// Every solver of the table on random problems: what is called converged is certified from outside, answers do not
// depend on frames, units or order, warm starts are used and never harm, and broken input ends in a named status.
#include "tests/contact/contact_fixture.h"

enum { CONTACTS = 5, DOF = 18, ROWS = 3 * CONTACTS };

typedef struct sample {
    ts_block block[CONTACTS];
    double J[ROWS][DOF];
    double inverse_mass[DOF];
    double G[ROWS * ROWS];
    double g[ROWS];
} sample;

static void fill_G(sample* s) {
    for (int i = 0; i < ROWS; ++i)
        for (int k = 0; k < ROWS; ++k) {
            long double sum = 0.0L;
            for (int j = 0; j < DOF; ++j) sum += (long double)s->J[i][j] * s->inverse_mass[j] * s->J[k][j];
            s->G[ROWS * i + k] = (double)sum;
        }
}

// Contacts with random lever arms on three bodies in a row and on the ground; speeds of a step of gravity or of
// sliding. J has more columns than rows and full rank, so some velocity opens every contact and all laws have
// solutions.
static void make_sample(sample* s, ts_rng* rng) {
    memset(s, 0, sizeof(*s));
    for (int j = 0; j < DOF; ++j) s->inverse_mass[j] = j % 6 < 3 ? 1.0 : ts_rng_uniform_in(rng, 5.0, 20.0);
    for (int c = 0; c < CONTACTS; ++c) {
        s->block[c] = fixture_cone(3 * c, ts_rng_uniform_in(rng, 0.1, 0.9));
        for (int side = 0; side < 2; ++side) {
            int body = (c + side) % 3;
            if (side == 1 && c < 2) continue;
            double sign = side ? -1.0 : 1.0, r[3];
            for (int i = 0; i < 3; ++i) r[i] = ts_rng_uniform_in(rng, -0.2, 0.2);
            const double skew[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
            for (int i = 0; i < 3; ++i) {
                s->J[3 * c + i][6 * body + i] = sign;
                for (int j = 0; j < 3; ++j) s->J[3 * c + i][6 * body + 3 + j] = sign * skew[i][j];
            }
        }
        s->g[3 * c] = 0.05 * ts_rng_normal(rng);
        s->g[3 * c + 1] = 0.05 * ts_rng_normal(rng);
        s->g[3 * c + 2] = -0.01 + 0.02 * ts_rng_normal(rng);
    }
    fill_G(s);
}

// The residual of the law that the solver truly solves, from outside: with the compliance it adds, if it does.
static ts_law_residual own_residual(const ts_solver* solver, const void* settings, const sample* s,
                                    const double* lambda) {
    const int block_row[CONTACTS + 1] = {0, 3, 6, 9, 12, 15};
    ts_arena arena = {0};
    double R[ROWS], u[ROWS];
    ts_contact_problem problem = {.block_count = CONTACTS,
                                  .row_count = ROWS,
                                  .block = s->block,
                                  .delassus = dense_operator(&arena, CONTACTS, block_row, s->G),
                                  .g = s->g,
                                  .time_step = TIME_STEP};
    if (solver->compliance) {
        solver->compliance(&problem, settings, R);
        // Anchors soften tangents alone.
        for (int i = 0; i < ROWS; ++i)
            cr_assert(R[i] > 0.0 || (solver->anchors && i % 3 == 2 && R[i] == 0.0), "%s", solver->name);
        problem.R = R;
    }
    ts_contact_problem_velocity(&problem, lambda, u);
    ts_law_residual own = ts_residual_of_law(&problem, solver->law, lambda, u);
    ts_arena_free(&arena);
    return own;
}

// The certificate: converged means that the law's residual, evaluated from scratch, is within the tolerance. Rounding
// of an impulse near 0.1 N s shows as 1e-10 in force units, hence the factor.
Test(solvers, what_is_called_converged_is_certified_from_outside) {
    enum { TRIALS = 60 };
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        ts_rng rng = ts_rng_make(31, 0);
        int converged = 0;
        for (int trial = 0; trial < TRIALS; ++trial) {
            sample s;
            make_sample(&s, &rng);
            fixture_settings settings = fixture_settings_of(solver, 1e-8, 20000);
            fixture_answer a = fixture_solve(solver, &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
            double own = ts_law_residual_in_force_units(own_residual(solver, &settings, &s, a.lambda), TIME_STEP);
            for (int r = 0; r < ROWS; ++r) cr_expect(isfinite(a.lambda[r]));
            if (a.report.status != TS_SOLVE_CONVERGED) continue;
            ++converged;
            cr_expect_leq(own, 1.1e-8, "%s trial %d: %g", solver->name, trial, own);
        }
        // The relaxation is convex, so its solvers have no excuse; the others have no guarantee.
        int least = solver->law == TS_LAW_CCP ? TRIALS : TRIALS / 2;
        cr_expect_geq(converged, least, "%s converged on %d of %d", solver->name, converged, TRIALS);
    }
}

// An answer of the relaxation minimises q over the cones: no admissible neighbour is lower, near or far.
Test(ccp, answer_has_the_least_dual_cost) {
    ts_rng rng = ts_rng_make(32, 0);
    for (int trial = 0; trial < 10; ++trial) {
        sample s;
        make_sample(&s, &rng);
        fixture_settings settings = fixture_settings_of(ts_solver_find("ccp-pgs"), 1e-8, 20000);
        fixture_answer a = fixture_solve(ts_solver_find("ccp-pgs"), &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
        cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
        for (int k = 0; k < 2000; ++k) {
            double size = pow(10.0, ts_rng_uniform_in(&rng, -6.0, 0.0));
            long double change = 0.0L, d[ROWS];
            for (int c = 0; c < CONTACTS; ++c) {
                // A random admissible impulse near the answer: sampled in the cone, not projected by the code under
                // test.
                double n = fmax(0.0, a.lambda[3 * c + 2] + size * ts_rng_normal(&rng));
                double x = a.lambda[3 * c] + size * ts_rng_normal(&rng),
                       y = a.lambda[3 * c + 1] + size * ts_rng_normal(&rng);
                double t = hypot(x, y), bound = s.block[c].mu * n, pull = t > bound ? bound / t : 1.0;
                d[3 * c] = (long double)pull * x - a.lambda[3 * c];
                d[3 * c + 1] = (long double)pull * y - a.lambda[3 * c + 1];
                d[3 * c + 2] = (long double)n - a.lambda[3 * c + 2];
            }
            // q(lambda + d) - q(lambda) = d . u + 1/2 d . G d
            for (int i = 0; i < ROWS; ++i) {
                change += d[i] * a.u[i];
                for (int j = 0; j < ROWS; ++j) change += 0.5L * d[i] * s.G[ROWS * i + j] * d[j];
            }
            cr_expect_geq((double)change, -1e-13, "lower by %Lg at size %g", -change, size);
        }
    }
}

// Rotating the tangent axes of every contact about its normal must rotate the impulses of circular cones with them. The
// pyramid has corners and is allowed to notice.
Test(invariance, circular_cones_do_not_see_the_choice_of_tangents) {
    ts_rng rng = ts_rng_make(33, 0);
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        if (ts_contact_law_facets(solver->law) || solver->law == TS_LAW_EXPLICIT) continue;
        for (int trial = 0; trial < 10; ++trial) {
            sample s, turned;
            make_sample(&s, &rng);
            turned = s;
            double cosine[CONTACTS], sine[CONTACTS];
            for (int c = 0; c < CONTACTS; ++c) {
                double angle = ts_rng_uniform_in(&rng, 0.0, 6.0);
                cosine[c] = cos(angle);
                sine[c] = sin(angle);
                for (int j = 0; j < DOF; ++j) {
                    turned.J[3 * c][j] = cosine[c] * s.J[3 * c][j] + sine[c] * s.J[3 * c + 1][j];
                    turned.J[3 * c + 1][j] = -sine[c] * s.J[3 * c][j] + cosine[c] * s.J[3 * c + 1][j];
                }
                turned.g[3 * c] = cosine[c] * s.g[3 * c] + sine[c] * s.g[3 * c + 1];
                turned.g[3 * c + 1] = -sine[c] * s.g[3 * c] + cosine[c] * s.g[3 * c + 1];
            }
            fill_G(&turned);
            fixture_settings settings = fixture_settings_of(solver, 1e-8, 20000);
            fixture_answer a = fixture_solve(solver, &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
            fixture_answer b = fixture_solve(solver, &settings, CONTACTS, s.block, turned.G, turned.g, NULL, NULL);
            cr_expect_eq(a.report.status, b.report.status, "%s", solver->name);
            if (a.report.status != TS_SOLVE_CONVERGED) continue;
            for (int c = 0; c < CONTACTS; ++c) {
                double x = cosine[c] * a.u[3 * c] + sine[c] * a.u[3 * c + 1];
                double y = -sine[c] * a.u[3 * c] + cosine[c] * a.u[3 * c + 1];
                fixture_expect_vector(b.u + 3 * c, x, y, a.u[3 * c + 2], 1e-8, solver->name);
            }
        }
    }
}

// (g -> s g) scales impulses by s; (G -> a G, R -> a R) scales them by 1 / a. Powers of two, so that the solver's path
// is the same to the last bit when its tolerances do not stop it: a fixed number of sweeps.
Test(invariance, impulses_scale_with_speeds_and_masses) {
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    ts_rng rng = ts_rng_make(34, 0);
    for (int i = 0; i < 3; ++i) {
        sample s, scaled;
        make_sample(&s, &rng);
        double R[ROWS], scaled_R[ROWS];
        scaled = s;
        for (int r = 0; r < ROWS; ++r) {
            R[r] = 0.1;
            scaled_R[r] = 0.4;
            scaled.g[r] = 8.0 * s.g[r];
        }
        for (int k = 0; k < ROWS * ROWS; ++k) scaled.G[k] = 4.0 * s.G[k];
        fixture_settings settings = fixture_settings_of(solvers[i], 0.0, 20);
        fixture_answer a = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, R, NULL);
        fixture_answer b = fixture_solve(solvers[i], &settings, CONTACTS, s.block, scaled.G, scaled.g, scaled_R, NULL);
        for (int r = 0; r < ROWS; ++r)
            cr_expect_float_eq(b.lambda[r], 2.0 * a.lambda[r], 1e-14 * (1.0 + fabs(a.lambda[r])), "%s",
                               solvers[i]->name);
    }
}

// Permuting contacts permutes the velocities of converged answers of the convex law, where they are unique.
Test(invariance, order_of_contacts_does_not_change_velocities) {
    ts_rng rng = ts_rng_make(35, 0);
    const int order[CONTACTS] = {3, 0, 4, 1, 2};
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        if (solver->law != TS_LAW_CCP) continue;
        for (int trial = 0; trial < 10; ++trial) {
            sample s, p;
            make_sample(&s, &rng);
            p = s;
            for (int c = 0; c < CONTACTS; ++c) {
                p.block[c].mu = s.block[order[c]].mu;
                for (int r = 0; r < 3; ++r) {
                    memcpy(p.J[3 * c + r], s.J[3 * order[c] + r], sizeof(p.J[0]));
                    p.g[3 * c + r] = s.g[3 * order[c] + r];
                }
            }
            fill_G(&p);
            fixture_settings settings = fixture_settings_of(solver, 1e-8, 20000);
            fixture_answer a = fixture_solve(solver, &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
            fixture_answer b = fixture_solve(solver, &settings, CONTACTS, p.block, p.G, p.g, NULL, NULL);
            cr_assert_eq(a.report.status, TS_SOLVE_CONVERGED);
            cr_assert_eq(b.report.status, TS_SOLVE_CONVERGED);
            for (int c = 0; c < CONTACTS; ++c)
                fixture_expect_vector(b.u + 3 * c, a.u[3 * order[c]], a.u[3 * order[c] + 1], a.u[3 * order[c] + 2],
                                      1e-8, solver->name);
        }
    }
}

// The tolerance is in force units: impulses and speeds of a step ten times as long, judged with that step, take the
// same iterations and give ten times the impulse.
Test(invariance, force_units_do_not_see_the_time_step) {
    ts_rng rng = ts_rng_make(36, 0);
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        sample s;
        make_sample(&s, &rng);
        const int block_row[CONTACTS + 1] = {0, 3, 6, 9, 12, 15};
        double lambda[2][ROWS] = {{0}}, g[ROWS];
        ts_solve_report report[2];
        for (int k = 0; k < 2; ++k) {
            double longer = k ? 8.0 : 1.0;
            ts_arena arena = {0};
            for (int r = 0; r < ROWS; ++r) g[r] = longer * s.g[r];
            ts_contact_problem problem = {.block_count = CONTACTS,
                                          .row_count = ROWS,
                                          .block = s.block,
                                          .delassus = dense_operator(&arena, CONTACTS, block_row, s.G),
                                          .g = g,
                                          .time_step = longer * TIME_STEP};
            fixture_settings settings = fixture_settings_of(solver, 1e-6, 5000);
            report[k] = solver->solve(&problem, &settings, &arena, lambda[k]);
            ts_arena_free(&arena);
        }
        cr_expect_eq(report[0].status, report[1].status, "%s", solver->name);
        cr_expect_eq(report[0].iterations, report[1].iterations, "%s", solver->name);
        for (int r = 0; r < ROWS; ++r) cr_expect_float_eq(lambda[1][r], 8.0 * lambda[0][r], 1e-12, "%s", solver->name);
    }
}

// The velocity form of the same problem gives the same answer, whatever the operator.
Test(operators, dense_and_velocity_form_give_the_same_answer) {
    double J[12][6], Y[12][6], G[144], g[12];
    fixture_cube(J, Y, G);
    ts_block block[4];
    const int block_row[5] = {0, 3, 6, 9, 12}, start[5] = {0, 1, 2, 3, 4};
    ts_delassus_segment segment[4];
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, 0.4);
        ts_delassus_segment piece = {0, 6, J[3 * c], Y[3 * c]};
        segment[c] = piece;
        g[3 * c] = 0.2;
        g[3 * c + 1] = 1.0;
        g[3 * c + 2] = -GRAVITY * TIME_STEP;
    }
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        fixture_settings settings = fixture_settings_of(solver, 1e-8, 20000);
        fixture_answer dense = fixture_solve(solver, &settings, 4, block, G, g, NULL, NULL);
        ts_arena arena = {0}, scratch = {0};
        ts_delassus* op = ts_delassus_velocity_form(&arena, 6, 4, block_row, start, segment);
        ts_contact_problem problem = {
            .block_count = 4, .row_count = 12, .block = block, .delassus = op, .g = g, .time_step = TIME_STEP};
        double lambda[12] = {0};
        ts_solve_report report = solver->solve(&problem, &settings, &scratch, lambda);
        cr_expect_eq(report.status, dense.report.status, "%s", solver->name);
        for (int r = 0; r < 12; ++r) cr_expect_float_eq(lambda[r], dense.lambda[r], 1e-9, "%s", solver->name);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
}

Test(warm_start, the_answer_itself_is_accepted_at_once) {
    ts_rng rng = ts_rng_make(37, 0);
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i) {
        sample s;
        make_sample(&s, &rng);
        fixture_settings settings = fixture_settings_of(solvers[i], 1e-8, 20000);
        fixture_answer cold = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
        cr_assert_eq(cold.report.status, TS_SOLVE_CONVERGED);
        cr_expect_gt(cold.report.iterations, 1);
        fixture_answer warm = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, NULL, cold.lambda);
        cr_expect_eq(warm.report.status, TS_SOLVE_CONVERGED);
        cr_expect_leq(warm.report.iterations, 1, "%s", solvers[i]->name);
    }
}

// lambda . g and lambda . G lambda.
static void dual_parts(const sample* s, const double* lambda, double* out_asked, double* out_made) {
    *out_asked = *out_made = 0.0;
    for (int r = 0; r < ROWS; ++r) {
        *out_asked += lambda[r] * s->g[r];
        for (int c = 0; c < ROWS; ++c) *out_made += lambda[r] * s->G[r * ROWS + c] * lambda[c];
    }
}

// A start with a higher dual cost than nothing at all is shortened to where the cost along its ray is least; one that asks for nothing, or
// is not finite, is thrown away, and the solve is the cold one, bit for bit.
Test(warm_start, a_harmful_one_is_shortened_or_thrown_away) {
    ts_rng rng = ts_rng_make(38, 0);
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    for (int i = 0; i < 3; ++i) {
        sample s;
        make_sample(&s, &rng);
        // The second contact opens by itself, the others close.
        for (int c = 0; c < CONTACTS; ++c) s.g[3 * c + 2] = c == 1 ? 0.7 : -0.02;
        double asks[ROWS] = {0.0}, idle[ROWS] = {0.0}, broken[ROWS] = {0.0}, asked, made;
        for (int r = 2; r < ROWS; r += 3) asks[r] = s.g[r] < 0.0 ? 1e6 : 0.0;
        idle[5] = 1e6;
        broken[4] = HUGE_VAL;
        fixture_settings none = fixture_settings_of(solvers[i], 1e-8, 0);
        fixture_answer a = fixture_solve(solvers[i], &none, CONTACTS, s.block, s.G, s.g, NULL, asks);
        dual_parts(&s, asks, &asked, &made);
        cr_assert(asked < 0.0 && made > -2.0 * asked);
        for (int r = 0; r < ROWS; ++r)
            cr_expect_float_eq(a.lambda[r], -asked / made * asks[r], 1e-12, "%s: %d", solvers[i]->name, r);
        fixture_settings settings = fixture_settings_of(solvers[i], 1e-8, 20000);
        fixture_answer cold = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
        const double* starts[2] = {idle, broken};
        for (int k = 0; k < 2; ++k) {
            a = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, NULL, starts[k]);
            cr_expect_eq(a.report.iterations, cold.report.iterations, "%s", solvers[i]->name);
            cr_expect_eq(memcmp(a.lambda, cold.lambda, ROWS * sizeof(double)), 0, "%s", solvers[i]->name);
        }
    }
}

// Iterates that stop moving before the tolerance is met are a stall, however small the tolerance was.
Test(status, a_stall_is_not_a_success) {
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    double J[12][6], Y[12][6], G[144], g[12];
    fixture_cube(J, Y, G);
    ts_block block[4];
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, 0.4);
        g[3 * c] = 0.3;
        g[3 * c + 1] = 1.0;
        g[3 * c + 2] = -GRAVITY * TIME_STEP;
    }
    for (int i = 0; i < 3; ++i) {
        fixture_settings settings = fixture_settings_of(solvers[i], 0.0, 100000);
        settings.shared.stall = 1e-12;
        fixture_answer a = fixture_solve(solvers[i], &settings, 4, block, G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_STALLED, "%s: %s", solvers[i]->name,
                     ts_solve_status_name(a.report.status));
        settings = fixture_settings_of(solvers[i], 0.0, 3);
        a = fixture_solve(solvers[i], &settings, 4, block, G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_ITERATION_LIMIT);
        cr_expect_eq(a.report.iterations, 3);
    }
}

// The residual is looked at when it is worth it: a solve goes on for a few sweeps at most after the tolerance is met.
// The fewest sweeps are found by raising the limit, at which the residual is always looked at.
Test(status, a_solve_ends_soon_after_the_tolerance_is_met) {
    const ts_solver* solvers[3] = {ts_solver_find("ncp-pgs"), ts_solver_find("ccp-pgs"), ts_solver_find("lcp-pgs")};
    ts_rng rng = ts_rng_make(40, 0);
    for (int i = 0; i < 3; ++i)
        for (int trial = 0; trial < 5; ++trial) {
            sample s;
            make_sample(&s, &rng);
            int fewest = 0, converged = 0;
            while (!converged && fewest < 3000) {
                fixture_settings limited = fixture_settings_of(solvers[i], 1e-6, ++fewest);
                fixture_answer a = fixture_solve(solvers[i], &limited, CONTACTS, s.block, s.G, s.g, NULL, NULL);
                converged = a.report.status == TS_SOLVE_CONVERGED;
            }
            if (!converged) continue;
            fixture_settings settings = fixture_settings_of(solvers[i], 1e-6, 3000);
            fixture_answer a = fixture_solve(solvers[i], &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
            cr_expect_leq(a.report.iterations, fewest + 3 + fewest / 10, "%s: %d sweeps, %d would do", solvers[i]->name,
                          a.report.iterations, fewest);
        }
}

// What validate would have refused must still end in FAILED with finite impulses, not in a claim or a NaN.
Test(status, numbers_that_are_not_finite_end_in_failure) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        const ts_solver* solver = ts_solver_at(i);
        for (int k = 0; k < 2; ++k) {
            ts_arena arena = {0};
            const int block_row[2] = {0, 3};
            double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {0.1, 0.0, -1.0}, lambda[3] = {0};
            if (k == 0) g[1] = NAN;
            if (k == 1) G[4] = HUGE_VAL;
            const ts_block block = fixture_cone(0, 0.5);
            ts_contact_problem problem = {.block_count = 1,
                                          .row_count = 3,
                                          .block = &block,
                                          .delassus = dense_operator(&arena, 1, block_row, G),
                                          .g = g,
                                          .time_step = TIME_STEP};
            fixture_settings settings = fixture_settings_of(solver, 1e-8, 100);
            ts_solve_report report = solver->solve(&problem, &settings, &arena, lambda);
            cr_expect_neq(report.status, TS_SOLVE_CONVERGED, "%s", solver->name);
            for (int r = 0; r < 3; ++r) cr_expect(isfinite(lambda[r]), "%s", solver->name);
            ts_arena_free(&arena);
        }
    }
}

Test(status, no_blocks_is_a_solved_problem) {
    const int zero[1] = {0};
    double nothing = 0.0;
    for (int i = 0; i < ts_solver_count(); ++i) {
        ts_arena arena = {0};
        ts_contact_problem problem = {
            .delassus = dense_operator(&arena, 0, zero, &nothing), .g = &nothing, .time_step = TIME_STEP};
        fixture_settings settings = fixture_settings_of(ts_solver_at(i), 1e-8, 100);
        ts_solve_report report = ts_solver_at(i)->solve(&problem, &settings, &arena, &nothing);
        cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s", ts_solver_at(i)->name);
        ts_arena_free(&arena);
    }
}

// The same input gives the same bits, run after run.
Test(determinism, two_runs_agree_to_the_last_bit) {
    ts_rng rng = ts_rng_make(39, 0);
    sample s;
    make_sample(&s, &rng);
    for (int i = 0; i < ts_solver_count(); ++i) {
        fixture_settings settings = fixture_settings_of(ts_solver_at(i), 1e-8, 500);
        fixture_answer a = fixture_solve(ts_solver_at(i), &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
        fixture_answer b = fixture_solve(ts_solver_at(i), &settings, CONTACTS, s.block, s.G, s.g, NULL, NULL);
        cr_expect_eq(memcmp(a.lambda, b.lambda, sizeof(a.lambda)), 0, "%s", ts_solver_at(i)->name);
        cr_expect_eq(a.report.iterations, b.report.iterations);
    }
}
