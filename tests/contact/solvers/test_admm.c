// ADMM on the relaxed law and on the exact one: closed forms, masses far apart, no internal forces, every form of its
// factor, warm starts, honesty.
#include "contact/solvers/splitting/admm_internal.h"
#include "tests/contact/solvers/solver_cases.h"

#define CCP ts_solver_find("ccp-admm")
#define NCP ts_solver_find("ncp-admm")

// The ways the iteration can be run.
enum { WAYS = 4 };

static fixture_settings settings_of(const ts_solver* solver, double tolerance, int limit, int way) {
    fixture_settings settings = fixture_settings_of(solver, tolerance, limit);
    fixture_set(solver, &settings, "step_rule", way == 1 ? TS_ADMM_STEP_PAPER : TS_ADMM_STEP_SAFE);
    fixture_set(solver, &settings, "over_relaxation", way == 2 ? 1.4 : 1.0);
    fixture_set(solver, &settings, "scaling", way == 3 ? TS_ADMM_SCALING_BLOCK : TS_ADMM_SCALING_NONE);
    return settings;
}

Test(admm, particle_sticks_slides_and_leaves) {
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double g[3][3] = {{0.001962, 0, -0.00981}, {1, 0, -0.00981}, {1, 0, 0.5}};
    const double exact[3][3] = {{-0.001962, 0, 0.00981}, {-0.003924, 0, 0.00981}, {0, 0, 0}};
    const double relaxed[3][3] = {{-0.001962, 0, 0.00981}, {-0.141313793103448, 0, 0.353284482758621}, {0, 0, 0}};
    for (int way = 0; way < WAYS; ++way)
        for (int k = 0; k < 3; ++k) {
            fixture_settings settings = settings_of(NCP, 1e-6, 5000, way);
            fixture_answer a = fixture_solve_contact(NCP, &settings, 0.4, G, g[k], NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "way %d", way);
            fixture_expect_vector(a.lambda, exact[k][0], exact[k][1], exact[k][2], 1e-10, "exact");
            a = fixture_solve_contact(CCP, &settings, 0.4, G, g[k], NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "way %d", way);
            fixture_expect_vector(a.lambda, relaxed[k][0], relaxed[k][1], relaxed[k][2], 1e-10, "relaxed");
        }
}

Test(admm, coupled_contact) {
    for (int way = 0; way < WAYS; ++way) {
        fixture_settings settings = settings_of(NCP, 1e-6, 5000, way);
        fixture_answer a = fixture_solve_contact(NCP, &settings, case_coupled_mu, case_coupled_G, case_coupled_g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -0.089620396, -0.514660346, 1.044810198, 1e-8, "exact");
        a = fixture_solve_contact(CCP, &settings, case_coupled_mu, case_coupled_G, case_coupled_g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -0.257621904, -0.860461088, 1.796398987, 1e-8, "relaxed");
    }
}

// Where sweeps and staggering cycle.
Test(admm, strong_coupling_is_solved) {
    for (int way = 0; way < WAYS; ++way) {
        fixture_settings settings = settings_of(NCP, 1e-6, 5000, way);
        fixture_answer a = fixture_solve_contact(NCP, &settings, case_strong_mu, case_strong_G, case_strong_g, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, 0.3823316, -0.0341343, 0.4265026, 1e-7, "exact");
    }
}

// Three answers hold exactly: take-off, stick, slide. Whichever it is started at, that is what it returns; from rest it
// takes off, as nothing pushes.
Test(admm, one_of_three_solutions) {
    const double G[9] = {1, 0, 0.9, 0, 1, 0, 0.9, 0, 1}, g[3] = {1, 0, 0.1};
    const double answer[3][3] = {{0, 0, 0}, {-4.78947368421053, 0, 4.21052631578947}, {-1.5, 0, 1.25}};
    const ts_block block = fixture_cone(0, 1.2);
    fixture_settings settings = settings_of(NCP, 1e-6, 5000, 0);
    for (int k = 0; k < 3; ++k) {
        fixture_answer a = fixture_solve(NCP, &settings, 1, &block, G, g, NULL, answer[k]);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, answer[k][0], answer[k][1], answer[k][2], 1e-9, "answer");
    }
    fixture_answer a = fixture_solve(NCP, &settings, 1, &block, G, g, NULL, NULL);
    fixture_expect_vector(a.lambda, 0.0, 0.0, 0.0, 1e-12, "cold");
}

// 1000 kg on 1 g: a hundred sweeps of Gauss-Seidel bring a ten-thousandth of the load. Rounding alone is 1e-5 in the
// force units of the residual (10 N s times 1e-12 m/s over h^2).
Test(admm, masses_a_million_apart) {
    const int most[WAYS] = {60, 16, 60, 60};
    const ts_solver* solver[2] = {CCP, NCP};
    for (int i = 0; i < 2; ++i)
        for (int way = 0; way < WAYS; ++way) {
            fixture_settings settings = settings_of(solver[i], 1e-4, 1000, way);
            fixture_answer a = case_stack(solver[i], &settings);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "way %d", way);
            cr_expect_leq(a.report.iterations, most[way], "way %d: %d", way, a.report.iterations);
            double load = (1e3 + 1e-3) * GRAVITY * TIME_STEP;
            cr_expect_float_eq(a.lambda[0], load, 1e-6 * load, "%.12g", a.lambda[0]);
            cr_expect_float_eq(a.lambda[1], 1e3 * GRAVITY * TIME_STEP, 1e-6 * load);
        }
}

Test(admm, cube_at_rest_has_no_internal_forces) {
    const ts_solver* solver[2] = {CCP, NCP};
    for (int i = 0; i < 2; ++i)
        for (int way = 0; way < WAYS; ++way) {
            fixture_settings settings = settings_of(solver[i], 1e-8, 2000, way);
            fixture_answer a = case_cube(solver[i], &settings, 0.9, ts_vec3_zero(), 0.0, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
            cr_expect_lt(case_internal_force(a.lambda), 1e-6);
            for (int c = 0; c < 4; ++c)
                fixture_expect_vector(a.lambda + 3 * c, 0.0, 0.0, 2.4525 * TIME_STEP, 1e-9, solver[i]->name);
        }
}

// Pushed with 5 N and held: where the friction goes is up to the path, the loads and the sum are not.
Test(admm, pushed_cube_holds) {
    const ts_solver* solver[2] = {CCP, NCP};
    for (int i = 0; i < 2; ++i)
        for (int way = 0; way < WAYS; ++way) {
            fixture_settings settings = settings_of(solver[i], 1e-8, 5000, way);
            fixture_answer a = case_cube(solver[i], &settings, 0.9, ts_vec3_zero(), 5.0, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
            double push = 0.0;
            for (int c = 0; c < 4; ++c) {
                double load = (c < 2 ? 1.1525 : 3.7525) * TIME_STEP;
                cr_expect_float_eq(a.lambda[3 * c + 2], load, 1e-9);
                cr_expect_leq(hypot(a.lambda[3 * c], a.lambda[3 * c + 1]), 0.9 * load + 1e-12);
                fixture_expect_vector(a.u + 3 * c, 0.0, 0.0, 0.0, 1e-10, "u");
                push += a.lambda[3 * c + 1];
            }
            cr_expect_float_eq(push, -5.0 * TIME_STEP, 1e-9);
        }
}

Test(admm, sliding_cube) {
    for (int way = 0; way < WAYS; ++way) {
        fixture_settings settings = settings_of(NCP, 1e-8, 5000, way);
        fixture_answer a = case_cube(NCP, &settings, 0.4, ts_vec3_make(0.0, 1.0, 0.0), 0.0, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "way %d", way);
        for (int c = 0; c < 4; ++c) {
            double load = GRAVITY / 4.0 * (1.0 + (c < 2 ? -1.0 : 1.0) * 2.0 * 0.4 * 0.104 / 0.2) * TIME_STEP;
            fixture_expect_vector(a.lambda + 3 * c, 0.0, -0.4 * load, load, 1e-9, "exact");
        }
        a = case_cube(CCP, &settings, 0.4, ts_vec3_make(0.0, 1.0, 0.0), 0.0, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "way %d", way);
        double y = 1.0, z = -GRAVITY * TIME_STEP;
        for (int c = 0; c < 4; ++c) {
            y += a.lambda[3 * c + 1];
            z += a.lambda[3 * c + 2];
            cr_expect_float_eq(a.u[3 * c + 2], 0.4 * hypot(a.u[3 * c], a.u[3 * c + 1]), 1e-10);
        }
        cr_expect_float_eq(y + 0.4 * z, 1.0 - 0.4 * GRAVITY * TIME_STEP, 1e-11);
    }
}

// Two particles on a rod, pushed; a slider at its stop; dry friction in a joint, above and below its limit.
Test(admm, other_sets) {
    const double m1 = 2.0, m2 = 3.0, push = 5.0;
    const ts_block block[4] = {{.set = TS_SET_FREE, .row = 0, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 1, .rows = 1},
                               {.set = TS_SET_BOX, .row = 2, .rows = 1, .low = -1e-3, .high = 1e-3},
                               {.set = TS_SET_BOX, .row = 3, .rows = 1, .low = -1.0, .high = 1.0}};
    double G[16] = {0};
    const double g[4] = {-push * TIME_STEP / m1, -0.3, 0.01, 0.02};
    G[0] = 1.0 / m1 + 1.0 / m2;
    G[5] = 0.5;
    G[10] = G[15] = 0.25;
    const ts_solver* solver[2] = {CCP, NCP};
    for (int i = 0; i < 2; ++i)
        for (int way = 0; way < WAYS; ++way) {
            fixture_settings settings = settings_of(solver[i], 1e-7, 5000, way);
            fixture_answer a = fixture_solve(solver[i], &settings, 4, block, G, g, NULL, NULL);
            cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
            cr_expect_float_eq(a.lambda[0], push * TIME_STEP * m2 / (m1 + m2), 1e-10);
            cr_expect_float_eq(a.lambda[1], 0.6, 1e-9);
            cr_expect_float_eq(a.lambda[2], -1e-3, 1e-15);
            cr_expect_float_eq(a.lambda[3], -0.08, 1e-9);
        }
}

Test(admm, compliance_gives_way) {
    const double m = 2.0, push = 3.0, R[3] = {0.05, 0.05, 0.1}, G[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    const double g[3] = {push * TIME_STEP / m, 0.0, -GRAVITY * TIME_STEP};
    for (int way = 0; way < WAYS; ++way) {
        fixture_settings settings = settings_of(NCP, 1e-7, 5000, way);
        fixture_answer a = fixture_solve_contact(NCP, &settings, 0.9, G, g, R);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -push * TIME_STEP / (1.0 + m * R[0]), 0.0,
                              m * GRAVITY * TIME_STEP / (1.0 + m * R[2]), 1e-10, "lambda");
    }
}

// A block that nothing can move keeps the impulse that its set has nearest to zero, and the others are solved.
Test(admm, unmovable_blocks_are_left_alone) {
    const ts_block block[2] = {fixture_cone(0, 0.5), fixture_cone(3, 0.5)};
    double G[36] = {0}, g[6] = {0.1, 0.0, -1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) G[7 * i] = 1.0;
    for (int way = 0; way < WAYS; ++way) {
        fixture_settings settings = settings_of(NCP, 1e-7, 5000, way);
        fixture_answer a = fixture_solve(NCP, &settings, 2, block, G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        fixture_expect_vector(a.lambda, -0.1, 0.0, 1.0, 1e-9, "moving");
        fixture_expect_vector(a.lambda + 3, 0.0, 0.0, 0.0, 1e-15, "unmovable");
    }
}

Test(admm, warm_start_helps_and_broken_ones_are_ignored) {
    const ts_solver* solver[2] = {CCP, NCP};
    ts_vec3 v = ts_vec3_make(0.0, 1.0, 0.0);
    for (int i = 0; i < 2; ++i) {
        fixture_settings settings = settings_of(solver[i], 1e-8, 5000, 0);
        fixture_answer cold = case_cube(solver[i], &settings, 0.4, v, 0.0, NULL);
        fixture_answer warm = case_cube(solver[i], &settings, 0.4, v, 0.0, cold.lambda);
        cr_expect_eq(warm.report.iterations, 0);
        double broken[12], huge[12];
        for (int k = 0; k < 12; ++k) {
            broken[k] = k == 3 ? (double)NAN : 0.0;
            huge[k] = k % 3 == 2 ? 1e6 : 0.0;
        }
        const double* start[2] = {broken, huge};
        for (int k = 0; k < 2; ++k) {
            fixture_answer a = case_cube(solver[i], &settings, 0.4, v, 0.0, start[k]);
            cr_expect_eq(memcmp(a.lambda, cold.lambda, sizeof(a.lambda)), 0);
            cr_expect_eq(a.report.iterations, cold.report.iterations);
        }
        // The answer at a slightly smaller speed, as from the step before.
        fixture_answer next = case_cube(solver[i], &settings, 0.4, ts_vec3_make(0.0, 0.999, 0.0), 0.0, cold.lambda);
        cr_expect_eq(next.report.status, TS_SOLVE_CONVERGED);
        cr_expect_lt(next.report.iterations, cold.report.iterations, "%s: %d, cold %d", solver[i]->name,
                     next.report.iterations, cold.report.iterations);
    }
}

Test(admm, limits_and_stalls_are_called_so) {
    ts_vec3 v = ts_vec3_make(0.3, 1.0, 0.0);
    for (int limit = 0; limit < 30; limit += 5) {
        fixture_settings settings = settings_of(NCP, 0.0, limit, 0);
        fixture_answer a = case_cube(NCP, &settings, 0.4, v, 0.0, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_ITERATION_LIMIT);
        cr_expect_eq(a.report.iterations, limit);
    }
    fixture_settings settings = settings_of(NCP, 0.0, 1000000, 0);
    settings.shared.stall = 1e-12;
    fixture_answer a = case_cube(NCP, &settings, 0.4, v, 0.0, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_STALLED);
}

// With a bound on the unmet share, impulses that are tiny beside the absolute tolerance are found as well.
Test(admm, relative_and_absolute_tolerance_hold_together) {
    fixture_settings settings = settings_of(NCP, 1.0, 5000, 0);
    cr_expect_leq(ts_solver_get(NCP, NCP->defaults, "tolerance"), 1e-8);
    ts_vec3 v = ts_vec3_make(0.0, 1.0, 0.0);
    fixture_answer loose = case_cube(NCP, &settings, 0.4, v, 0.0, NULL);
    cr_expect_eq(loose.report.status, TS_SOLVE_CONVERGED);
    cr_expect_gt(loose.residual.natural, 1e-10);
    fixture_set(NCP, &settings, "tolerance", 1e-12);
    fixture_answer tight = case_cube(NCP, &settings, 0.4, v, 0.0, NULL);
    cr_expect_eq(tight.report.status, TS_SOLVE_CONVERGED);
    cr_expect_leq(tight.residual.natural, 1.1e-12);
}

// An operator without blocks cannot be factorised: that is FAILED, not a wrong answer.
Test(admm, an_operator_without_blocks_is_refused) {
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {1, 0, -1};
    const int block_row[2] = {0, 3};
    const ts_block block = fixture_cone(0, 0.5);
    ts_arena arena = {0};
    ts_delassus* op = dense_operator(&arena, 1, block_row, G);
    ts_delassus_ops ops = *op->ops;
    ops.abilities = TS_DELASSUS_ROWS | TS_DELASSUS_APPLY;
    op->ops = &ops;
    ts_contact_problem problem = {
        .block_count = 1, .row_count = 3, .block = &block, .delassus = op, .g = g, .time_step = TIME_STEP};
    fixture_settings settings = settings_of(NCP, 1e-8, 100, 0);
    double lambda[3] = {0};
    cr_expect_eq(NCP->solve(&problem, &settings, &arena, lambda).status, TS_SOLVE_FAILED);
    ts_arena_free(&arena);
}

// A chain of contacts long enough for the factor by blocks, in velocity form: bodies on one line, pushed together.
Test(admm, long_chain_in_velocity_form) {
    enum { COUNT = 200 };
    static double J[COUNT][2][3], g[3 * COUNT], lambda[3 * COUNT];
    static ts_block block[COUNT];
    static int block_row[COUNT + 1], start[COUNT + 1];
    static ts_delassus_segment segment[2 * COUNT];
    int segments = 0;
    for (int i = 0; i < COUNT; ++i) {
        // Body i stands on body i - 1 or on the ground; masses 1 and 100 in turn, in coordinates sqrt(m) v.
        double above = i % 2 ? 0.1 : 1.0, below = i % 2 ? 1.0 : 0.1;
        block[i] = fixture_cone(3 * i, 0.5);
        block_row[i + 1] = 3 * (i + 1);
        start[i] = segments;
        J[i][0][2] = above;
        J[i][1][2] = -below;
        segment[segments++] = (ts_delassus_segment){i, 1, J[i][0], J[i][0]};
        if (i > 0) segment[segments++] = (ts_delassus_segment){i - 1, 1, J[i][1], J[i][1]};
        g[3 * i + 2] = i > 0 ? 0.0 : -GRAVITY * TIME_STEP;
    }
    start[COUNT] = segments;
    ts_arena arena = {0}, scratch = {0};
    ts_contact_problem problem = {.block_count = COUNT,
                                  .row_count = 3 * COUNT,
                                  .block = block,
                                  .delassus =
                                      ts_delassus_velocity_form(&arena, COUNT, COUNT, block_row, start, segment),
                                  .g = g,
                                  .time_step = TIME_STEP};
    fixture_settings settings = settings_of(NCP, 1e-3, 20000, 0);
    ts_solve_report report = NCP->solve(&problem, &settings, &scratch, lambda);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    double load = 0.0;
    for (int i = COUNT - 1; i >= 0; --i) {
        load += (i % 2 ? 100.0 : 1.0) * GRAVITY * TIME_STEP;
        cr_expect_float_eq(lambda[3 * i + 2], load, 1e-4 * load, "%d: %g, not %g", i, lambda[3 * i + 2], load);
    }
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}

// Free bodies in a heap, each touching several others, as an operator in velocity form and as a dense one.
enum { BODIES = 14, TOUCHING = 70 };

typedef struct heap {
    double J[2 * TOUCHING][18], g[3 * TOUCHING], R[3 * TOUCHING];
    ts_block block[TOUCHING];
    int block_row[TOUCHING + 1], start[TOUCHING + 1];
    ts_delassus_segment segment[2 * TOUCHING];
    ts_contact_problem through_bodies, dense;
} heap;

static void make_heap(heap* h, ts_arena* arena, double heaviest, double R) {
    ts_rng rng = ts_rng_make(5, 0);
    memset(h, 0, sizeof(*h));
    for (int c = 0, s = 0; c < TOUCHING; ++c) {
        int side[2] = {c % BODIES, (c + 1 + c / BODIES) % BODIES};
        h->block[c] = fixture_cone(3 * c, 0.5);
        h->block_row[c + 1] = 3 * c + 3;
        // Every fifth contact is with the ground.
        for (int k = 0; k < (c % 5 ? 2 : 1); ++k, ++s) {
            double mass = pow(heaviest, (double)side[k] / (BODIES - 1));
            for (int i = 0; i < 18; ++i) h->J[s][i] = ts_rng_normal(&rng) / sqrt(mass);
            h->segment[s] = (ts_delassus_segment){6 * side[k], 6, h->J[s], h->J[s]};
        }
        h->start[c + 1] = s;
        // What some impulse would take away, so that there is an answer.
        for (int r = 0; r < 3; ++r) h->R[3 * c + r] = R * (1.0 + 0.1 * c);
    }
    // Columns that nobody uses do not count.
    int columns = 6 * BODIES + (R > 0.0 ? 3 * TOUCHING : 0);
    ts_delassus* G = ts_delassus_velocity_form(arena, columns, TOUCHING, h->block_row, h->start, h->segment);
    double lambda[3 * TOUCHING] = {0.0};
    for (int c = 0; c < TOUCHING; ++c) lambda[3 * c + 2] = -1e-3 * (1.0 + c % 3);
    G->ops->apply(G, lambda, h->g);
    h->through_bodies = (ts_contact_problem){.block_count = TOUCHING,
                                             .row_count = 3 * TOUCHING,
                                             .block = h->block,
                                             .delassus = G,
                                             .g = h->g,
                                             .R = R > 0.0 ? h->R : NULL,
                                             .time_step = TIME_STEP};
    double* matrix = TS_ARENA_ARRAY(arena, double, 9 * TOUCHING * TOUCHING);
    dense_operator_matrix(G, arena, matrix);
    h->dense = h->through_bodies;
    h->dense.delassus = dense_operator(arena, TOUCHING, h->block_row, matrix);
}

// What the operator is made of does not show in the answer, and no matrix is listed for it.
Test(admm, heap_through_the_bodies) {
    const ts_solver* solver[2] = {CCP, NCP};
    static heap h;
    for (int i = 0; i < 2; ++i)
        for (int scaling = 0; scaling < 2; ++scaling) {
            ts_arena arena = {0}, scratch = {0};
            make_heap(&h, &arena, 100.0, 0.0);
            ts_delassus_ops ops = *h.through_bodies.delassus->ops;
            fixture_settings settings = settings_of(solver[i], 1e-6, 20000, 0);
            fixture_set(solver[i], &settings, "scaling", scaling);
            double answer[2][3 * TOUCHING] = {{0}}, u[2][3 * TOUCHING];
            const ts_contact_problem* problem[2] = {&h.through_bodies, &h.dense};
            for (int k = 0; k < 2; ++k) {
                ts_solve_report report = solver[i]->solve(problem[k], &settings, &scratch, answer[k]);
                cr_expect_eq(report.status, TS_SOLVE_CONVERGED, "%s %d", solver[i]->name, k);
                cr_expect_eq(scratch.used, 0);
                ts_residual residual;
                ts_residual_evaluate(&h.dense, answer[k], &scratch, u[k], &residual);
            }
            cr_expect(ops.abilities & TS_DELASSUS_BLOCKS);
            for (int r = 0; r < 3 * TOUCHING && i == 0; ++r) cr_expect_float_eq(u[0][r], u[1][r], 1e-7, "row %d", r);
            ts_arena_free(&arena);
            ts_arena_free(&scratch);
        }
}

// The penalty is carried over in the memory of a problem, a number for each block: it is left by a solve, and the next one begins
// with it and needs less, from the same cold start. A new block has none, and the others know. Nonsense is given up.
Test(admm, carries_its_penalty_over) {
    const double m1 = 1e-3, m2 = 1.0, push[2] = {0.0, 1e-3};
    const ts_block block[2] = {fixture_cone(0, 0.5), fixture_cone(3, 0.5)};
    const int block_row[3] = {0, 3, 6};
    const ts_solver* solver[2] = {NCP, CCP};
    double G[36] = {0}, g[6] = {0};
    for (int r = 0; r < 3; ++r) {
        G[7 * r] = 1 / m1 + 1 / m2;
        G[6 * r + 3 + r] = G[6 * (3 + r) + r] = -1 / m1;
        G[7 * (3 + r)] = 1 / m1;
    }
    g[0] = push[1];
    g[5] = -GRAVITY * TIME_STEP;
    for (int scaling = 0; scaling < 2; ++scaling)
        for (int i = 0; i < 2; ++i) {
            ts_arena arena = {0}, scratch = {0};
            double memory[2] = {0.0, 0.0}, first[2], lambda[6] = {0};
            fixture_settings settings;
            memset(&settings, 0, sizeof settings);
            ts_solver_default_settings(solver[i], &settings);
            fixture_set(solver[i], &settings, "scaling", scaling);
            ts_contact_problem problem = {.block_count = 2,
                                          .row_count = 6,
                                          .block = block,
                                          .delassus = dense_operator(&arena, 2, block_row, G),
                                          .g = g,
                                          .time_step = TIME_STEP};
            int cold = solver[i]->solve(&problem, &settings, &scratch, lambda).iterations;
            problem.memory = memory;
            memset(lambda, 0, sizeof lambda);
            cr_expect_eq(solver[i]->solve(&problem, &settings, &scratch, lambda).iterations, cold, "nothing to recall");
            cr_expect(memory[0] > 0.0 && memory[1] > 0.0);
            memcpy(first, memory, sizeof first);
            memset(lambda, 0, sizeof lambda);
            int warm = solver[i]->solve(&problem, &settings, &scratch, lambda).iterations;
            cr_expect_lt(warm, cold, "%s: %d iterations, %d without", solver[i]->name, warm, cold);
            // As much where one of the blocks is new.
            memcpy(memory, first, sizeof first);
            memory[0] = 0.0;
            memset(lambda, 0, sizeof lambda);
            cr_expect_eq(solver[i]->solve(&problem, &settings, &scratch, lambda).iterations, warm);
            cr_expect(memory[0] > 0.0);
            // Carried over from elsewhere it costs what it takes to see that, and no more.
            memory[0] = memory[1] = 1e12 * first[1];
            memset(lambda, 0, sizeof lambda);
            ts_solve_report report = solver[i]->solve(&problem, &settings, &scratch, lambda);
            cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
            cr_expect_leq(report.iterations, 20 + cold + 5, "%s: %d", solver[i]->name, report.iterations);
            cr_expect_float_eq(lambda[2], m2 * GRAVITY * TIME_STEP, 1e-5);
            cr_expect_eq(scratch.used, 0u);
            ts_arena_free(&arena);
            ts_arena_free(&scratch);
        }
}
