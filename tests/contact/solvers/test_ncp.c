// The recommended solver: random problems that are known to have solutions, large mass ratios, and honest labels.
#include "base/rng.h"
#include "base/vec.h"
#include "contact/island.h"
#include "tests/contact/contact_fixture.h"

enum { CONTACTS = 200, BODIES = 120 };

// With sanitizers a thousand would take minutes, and they look for other things.
#if defined(__SANITIZE_ADDRESS__)
enum { PROBLEMS = 100 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { PROBLEMS = 100 };
#else
enum { PROBLEMS = 1000 };
#endif
#else
enum { PROBLEMS = 1000 };
#endif

// Bodies in space that touch along the lines between their centres, and the ground below. Velocities that grow from a
// point far under the ground separate all bodies without slip and lift them from the ground almost without, so some
// velocity is strictly inside all dual cones, and the exact law has a solution whatever the friction (the criterion of
// Klarbring and Pang, and of Cadoux).
typedef struct heap {
    int bodies, contacts, rows, segments;
    int block_row[CONTACTS + 1], segment_start[CONTACTS + 1];
    ts_delassus_segment segment[2 * CONTACTS];
    double J[2 * CONTACTS][36], Y[2 * CONTACTS][36];
    ts_block block[CONTACTS];
    double g[6 * CONTACTS], R[6 * CONTACTS];
    double inverse_mass[6 * BODIES], velocity[6 * BODIES];
    ts_vec3 centre[BODIES];
    int compliant;
} heap;

static ts_vec3 random_unit(ts_rng* rng) {
    ts_vec3 v = ts_vec3_make(ts_rng_normal(rng), ts_rng_normal(rng), ts_rng_normal(rng));
    return ts_vec3_unit_or(v, ts_vec3_axis(2));
}

static void make_bodies(heap* h, ts_rng* rng, double spread) {
    for (int i = 0; i < h->bodies; ++i) {
        double mass = pow(10.0, ts_rng_uniform_in(rng, -spread, spread)), size = ts_rng_uniform_in(rng, 0.05, 0.5);
        h->centre[i] =
            ts_vec3_make(3.0 * ts_rng_normal(rng), 3.0 * ts_rng_normal(rng), ts_rng_uniform_in(rng, 0.5, 6.0));
        for (int j = 0; j < 6; ++j) {
            h->inverse_mass[6 * i + j] = 1.0 / (j < 3 ? mass : mass * size * size * ts_rng_uniform_in(rng, 0.2, 0.6));
            h->velocity[6 * i + j] = ts_rng_uniform(rng) < 0.3 ? ts_rng_normal(rng) : 0.0;
        }
        h->velocity[6 * i + 2] -= GRAVITY * TIME_STEP;
    }
}

// One side of a contact: rows of the point at `arm` from the body's centre, with sign +1 or -1.
static void add_side(heap* h, int b, int body, ts_vec3 arm, double sign, const ts_vec3* axis) {
    int k = h->segments++, rows = h->block[b].rows;
    for (int r = 0; r < rows; ++r) {
        ts_vec3 d = axis[rows == 1 ? 2 : r], turn = ts_vec3_cross(arm, d);
        const double row[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
        for (int j = 0; j < 6; ++j) {
            h->J[k][6 * r + j] = sign * row[j];
            h->Y[k][6 * r + j] = sign * row[j] * h->inverse_mass[6 * body + j];
            h->g[h->block[b].row + r] += sign * row[j] * h->velocity[6 * body + j];
        }
    }
    ts_delassus_segment segment = {6 * body, 6, h->J[k], h->Y[k]};
    h->segment[k] = segment;
}

static void choose_set(ts_block* block, ts_rng* rng, int mixed, double friction) {
    double pick = mixed ? ts_rng_uniform(rng) : 1.0;
    block->rows = 1;
    if (pick < 0.1) {
        block->set = TS_SET_HALF_LINE;
    } else if (pick < 0.2) {
        block->set = TS_SET_BOX;
        block->high = 0.01 * ts_rng_uniform(rng);
        block->low = -block->high;
    } else {
        block->set = TS_SET_CONE;
        block->rows = 3;
        block->mu = ts_rng_uniform(rng) < 0.1 ? 0.0 : friction * ts_rng_uniform(rng);
    }
}

// Groups of up to four contacts between the same two bodies with one normal, as boxes make them: rank-deficient.
static void make_heap(heap* h, ts_rng* rng) {
    memset(h, 0, sizeof(*h));
    h->contacts = 1 + (int)(pow((double)CONTACTS, ts_rng_uniform(rng)) - 1e-9);
    h->bodies = 1 + (int)(ts_rng_uniform(rng) * (h->contacts < BODIES ? h->contacts : BODIES - 1));
    h->compliant = ts_rng_uniform(rng) < 0.3;
    double friction = ts_rng_uniform(rng) < 0.5 ? 1.0 : 2.0;
    int mixed = ts_rng_uniform(rng) < 0.4, group = ts_rng_uniform(rng) < 0.5 ? 4 : 1;
    make_bodies(h, rng, 3.0 * ts_rng_uniform(rng));
    int upper = 0, lower = -1;
    ts_vec3 axis[3];
    for (int b = 0; b < h->contacts; ++b) {
        ts_block* block = &h->block[b];
        if (b % group == 0) {
            upper = (int)(ts_rng_uniform(rng) * h->bodies);
            lower = ts_rng_uniform(rng) < 0.3 ? -1 : (int)(ts_rng_uniform(rng) * h->bodies);
            if (lower == upper) lower = -1;
            axis[2] = lower < 0 ? ts_vec3_axis(2)
                                : ts_vec3_unit_or(ts_vec3_sub(h->centre[upper], h->centre[lower]), ts_vec3_axis(2));
            axis[0] = ts_vec3_unit_or(ts_vec3_cross(random_unit(rng), axis[2]), ts_vec3_axis(0));
            axis[1] = ts_vec3_cross(axis[2], axis[0]);
        }
        choose_set(block, rng, mixed, friction);
        block->row = h->rows;
        h->block_row[b] = h->rows;
        h->segment_start[b] = h->segments;
        ts_vec3 arm = ts_vec3_scale(0.3, random_unit(rng));
        add_side(h, b, upper, arm, 1.0, axis);
        if (lower >= 0) add_side(h, b, lower, ts_vec3_scale(0.3, random_unit(rng)), -1.0, axis);
        h->rows += block->rows;
    }
    h->block_row[h->contacts] = h->rows;
    h->segment_start[h->contacts] = h->segments;
    for (int i = 0; i < h->rows && h->compliant; ++i)
        h->R[i] = ts_rng_uniform(rng) < 0.5 ? 0.0 : pow(10.0, ts_rng_uniform_in(rng, -6.0, 0.0));
}

// The parts of the answer that no label may hide.
static void expect_admissible(const heap* h, const double* impulse, int number) {
    for (int b = 0; b < h->contacts; ++b) {
        const ts_block* block = &h->block[b];
        const double* l = impulse + block->row;
        for (int r = 0; r < block->rows; ++r) cr_assert(isfinite(l[r]), "problem %d", number);
        if (block->set == TS_SET_HALF_LINE) cr_assert(l[0] >= 0.0);
        if (block->set == TS_SET_BOX) cr_assert(l[0] >= block->low && l[0] <= block->high);
        if (block->set == TS_SET_CONE)
            cr_assert(l[2] >= 0.0 && hypot(l[0], l[1]) <= block->mu * l[2] * (1.0 + 1e-12), "problem %d", number);
    }
}

Test(ncp, a_thousand_random_problems, .timeout = 600) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_solver_default_settings(solver, settings);
    ts_rng rng = ts_rng_make(41, 0);
    static heap h;
    int reached = 0, largest = 0;
    for (int k = 0; k < PROBLEMS; ++k) {
        make_heap(&h, &rng);
        ts_arena arena = {0}, scratch = {0};
        ts_delassus* G =
            ts_delassus_velocity_form(&arena, 6 * h.bodies, h.contacts, h.block_row, h.segment_start, h.segment);
        ts_contact_problem problem = {h.contacts, h.rows, h.block, G, h.g, h.compliant ? h.R : NULL, TIME_STEP, NULL};
        ts_status status;
        cr_assert_eq(ts_contact_problem_validate(&problem, &status), TS_OK, "%s", status.message);
        static double impulse[6 * CONTACTS];
        memset(impulse, 0, sizeof(impulse));
        ts_solve_report report = ts_island_solve(solver, &problem, settings, NULL, &scratch, impulse, NULL);
        ts_residual residual;
        ts_residual_evaluate(&problem, impulse, &scratch, NULL, &residual);
        expect_admissible(&h, impulse, k);
        reached += residual.natural <= 1e-8;
        if (h.contacts > largest) largest = h.contacts;
        // Converged means the law's residual, found here with the operator of the whole, whose rounding differs.
        double own = ts_law_residual_in_force_units(residual.ncp, TIME_STEP);
        if (report.status == TS_SOLVE_CONVERGED)
            cr_expect_leq(own, 1e-7, "problem %d is called converged at %g", k, own);
        if (residual.natural > 1e-8)
            cr_log_warn("problem %d, %d contacts: %s at %g", k, h.contacts, ts_solve_status_name(report.status),
                        residual.natural);
        ts_arena_free(&arena);
        ts_arena_free(&scratch);
    }
    cr_expect_geq(reached, PROBLEMS - 1, "%d of %d reached 1e-8", reached, PROBLEMS);
    cr_expect_geq(largest, 150);
}

// A tonne on a gram, each a cube on four points (the upper one on the lower one). The normals alone are
// [[1/m1, -1/m1], [-1/m1, 1/m1 + 1/m2]] per point pair: sweeps contract by m2 / (m1 + m2) = 1 - 1e-6.
Test(ncp, a_tonne_on_a_gram) {
    const double light = 1e-3, heavy = 1e3, edge = 0.2, step = TIME_STEP * GRAVITY;
    double J[8][2][18], Y[8][2][18], g[24] = {0}, lambda[24];
    ts_delassus_segment segment[12];
    ts_block block[8];
    int block_row[9], segment_start[9], segments = 0;
    for (int b = 0; b < 8; ++b) {
        ts_vec3 corner = ts_vec3_make((b & 1 ? 0.5 : -0.5) * edge, (b & 2 ? 0.5 : -0.5) * edge, 0.0);
        block[b] = fixture_cone(3 * b, 0.9);
        block_row[b] = 3 * b;
        segment_start[b] = segments;
        // Blocks 0 to 3: ground under the light cube; 4 to 7: heavy cube on the light one.
        for (int side = 0; side < (b < 4 ? 1 : 2); ++side) {
            int body = b < 4 ? 0 : side;
            double mass = body == 0 ? light : heavy, sign = b >= 4 && body == 0 ? -1.0 : 1.0;
            ts_vec3 arm = corner;
            arm.z = b >= 4 && body == 0 ? 0.5 * edge : -0.5 * edge;
            for (int r = 0; r < 3; ++r) {
                ts_vec3 turn = ts_vec3_cross(arm, ts_vec3_axis(r));
                const double row[6] = {r == 0, r == 1, r == 2, turn.x, turn.y, turn.z};
                for (int j = 0; j < 6; ++j) {
                    J[b][side][6 * r + j] = sign * row[j];
                    Y[b][side][6 * r + j] = sign * row[j] / (j < 3 ? mass : mass * edge * edge / 6.0);
                }
            }
            ts_delassus_segment s = {6 * body, 6, J[b][side], Y[b][side]};
            segment[segments++] = s;
        }
        if (b < 4) g[3 * b + 2] = -step;  // both fall alike: only the ground sees an approach
    }
    block_row[8] = 24;
    segment_start[8] = segments;
    ts_arena arena = {0}, scratch = {0};
    ts_delassus* G = ts_delassus_velocity_form(&arena, 12, 8, block_row, segment_start, segment);
    ts_contact_problem problem = {8, 24, block, G, g, NULL, TIME_STEP, NULL};
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_status status;

    const ts_solver* ncp = ts_solver_find("ncp");
    ts_solver_default_settings(ncp, settings);
    // Relative to the load; an absolute 1e-8 N m/s^2 is beyond what doubles can say of 9810 N. Even 1e-9 of it is: the
    // light cube answers 2.5 N s with 2,450 m/s, known to 5e-13, and 2.5 times that over h^2 is 1e-6 for each of eight.
    cr_assert_eq(ts_solver_set(ncp, settings, "natural", 1e-9, &status), TS_OK);
    cr_assert_eq(ts_solver_set(ncp, settings, "tolerance", 1e-8 * heavy * GRAVITY, &status), TS_OK);
    memset(lambda, 0, sizeof(lambda));
    ts_solve_report report = ncp->solve(&problem, settings, &scratch, lambda);
    cr_expect_eq(report.status, TS_SOLVE_CONVERGED);
    cr_expect_lt(report.iterations, 20, "%d iterations", report.iterations);
    ts_residual residual;
    ts_residual_evaluate(&problem, lambda, &scratch, NULL, &residual);
    cr_expect_lt(residual.natural, 1e-14, "natural map %g", residual.natural);
    double ground = 0.0, between = 0.0;
    for (int b = 0; b < 8; ++b) *(b < 4 ? &ground : &between) += lambda[3 * b + 2];
    cr_expect_float_eq(ground, (light + heavy) * step, 1e-9 * heavy * step);
    cr_expect_float_eq(between, heavy * step, 1e-9 * heavy * step);

    const char* sweepers[] = {"ncp-pgs", "ccp-pgs", "lcp-pgs", "ncp-nsgs"};
    for (int i = 0; i < 4; ++i) {
        const ts_solver* solver = ts_solver_find(sweepers[i]);
        ts_solver_default_settings(solver, settings);
        cr_assert_eq(ts_solver_set(solver, settings, "tolerance", 1e-9 * heavy * GRAVITY, &status), TS_OK);
        memset(lambda, 0, sizeof(lambda));
        report = solver->solve(&problem, settings, &scratch, lambda);
        cr_expect(report.status == TS_SOLVE_ITERATION_LIMIT || report.status == TS_SOLVE_STALLED, "%s says %s",
                  sweepers[i], ts_solve_status_name(report.status));
        ground = 0.0;
        for (int b = 0; b < 4; ++b) ground += lambda[3 * b + 2];
        cr_expect_lt(ground, 0.1 * heavy * step, "%s carries the load after all", sweepers[i]);
    }
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
}

Test(ncp, a_start_that_is_not_finite_and_no_iterations_at_all) {
    const ts_solver* solver = ts_solver_find("ncp");
    double settings[TS_SOLVER_SETTINGS_BYTES / 8];
    ts_status status;
    ts_solver_default_settings(solver, settings);
    ts_block block = fixture_cone(0, 0.5);
    const double G[9] = {2, 0, .5, 0, 2, 0, .5, 0, 1}, g[3] = {0, 3, -1};
    const double start[3] = {(double)NAN, (double)INFINITY, -1.0};
    fixture_answer answer = fixture_solve(solver, settings, 1, &block, G, g, NULL, start);
    cr_expect_eq(answer.report.status, TS_SOLVE_CONVERGED);
    fixture_expect_vector(answer.lambda, -0.089620396, -0.514660346, 1.044810198, 1e-8, "coupled block");
    cr_assert_eq(ts_solver_set(solver, settings, "iteration_limit", 0.0, &status), TS_OK);
    answer = fixture_solve(solver, settings, 1, &block, G, g, NULL, NULL);
    cr_expect_eq(answer.report.status, TS_SOLVE_ITERATION_LIMIT);
}
