// Shared by the contact tests: small problems, a cube on its four corner spheres, and solving them.
#ifndef TS_TESTS_CONTACT_FIXTURE_H
#define TS_TESTS_CONTACT_FIXTURE_H

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "contact/solver.h"
#include "tests/contact/dense_operator.h"

#define GRAVITY 9.81
#define TIME_STEP 1e-3

enum { FIXTURE_ROWS = 64, FIXTURE_BLOCKS = 32 };

// An answer with everything the tests look at.
typedef struct fixture_answer {
    ts_solve_report report;
    ts_residual residual;
    ts_law_residual own;  // of the solver's law, from scratch
    double lambda[FIXTURE_ROWS];
    double u[FIXTURE_ROWS];
} fixture_answer;

static inline ts_block fixture_cone(int row, double mu) {
    ts_block block = {.set = TS_SET_CONE, .row = row, .rows = 3, .mu = mu};
    return block;
}

// Any solver's settings; those that all have by their own names, the others by fixture_set.
typedef union fixture_settings {
    ts_solver_settings shared;
    unsigned char bytes[TS_SOLVER_SETTINGS_BYTES];
} fixture_settings;

// A solver's defaults with another limit, and with an absolute tolerance, in force units, in place of the relative one.
static inline fixture_settings fixture_settings_of(const ts_solver* solver, double tolerance, int limit) {
    fixture_settings settings;
    memset(&settings, 0, sizeof(settings));
    ts_solver_default_settings(solver, &settings);
    settings.shared.tolerance = tolerance > 0.0 ? DBL_MAX : 0.0;  // none: never reached
    settings.shared.force = tolerance;
    settings.shared.stall = 1e-15;
    settings.shared.iteration_limit = limit;
    return settings;
}

static inline void fixture_set(const ts_solver* solver, fixture_settings* settings, const char* name, double value) {
    ts_status status;
    cr_assert_eq(ts_solver_set(solver, settings, name, value, &status), TS_OK, "%s", status.message);
}

// The residual of the law that a solver truly solves, with the compliance that it adds.
static inline ts_law_residual fixture_own_residual(const ts_solver* solver, const ts_contact_problem* problem,
                                                   const void* settings, const double* lambda) {
    double R[FIXTURE_ROWS], u[FIXTURE_ROWS];
    ts_contact_problem own = *problem;
    cr_assert_leq(problem->row_count, FIXTURE_ROWS);
    if (solver->compliance) {
        solver->compliance(problem, settings, R);
        own.R = R;
    }
    ts_contact_problem_velocity(&own, lambda, u);
    return ts_residual_of_law(&own, solver->law, lambda, u);
}

// Solves a small dense problem from `start` (zero when NULL). Checks that the solver gives its scratch back.
static inline fixture_answer fixture_solve(const ts_solver* solver, const void* settings, int blocks,
                                           const ts_block* block, const double* G, const double* g, const double* R,
                                           const double* start) {
    fixture_answer out;
    memset(&out, 0, sizeof(out));
    ts_arena arena = {0}, scratch = {0};
    int block_row[FIXTURE_BLOCKS + 1] = {0};
    for (int b = 0; b < blocks; ++b) block_row[b + 1] = block[b].row + block[b].rows;
    int rows = block_row[blocks];
    ts_contact_problem problem = {.block_count = blocks,
                                  .row_count = rows,
                                  .block = block,
                                  .delassus = dense_operator(&arena, blocks, block_row, G),
                                  .g = g,
                                  .R = R,
                                  .time_step = TIME_STEP};
    ts_status status;
    cr_assert_eq(ts_contact_problem_validate(&problem, &status), TS_OK, "%s", status.message);
    for (int i = 0; start && i < rows; ++i) out.lambda[i] = start[i];
    out.report = solver->solve(&problem, settings, &scratch, out.lambda);
    cr_expect_eq(scratch.used, 0u, "%s keeps %zu bytes of scratch", solver->name, scratch.used);
    ts_residual_evaluate(&problem, out.lambda, &scratch, out.u, &out.residual);
    out.own = fixture_own_residual(solver, &problem, settings, out.lambda);
    ts_arena_free(&arena);
    ts_arena_free(&scratch);
    return out;
}

// The same for one frictional contact.
static inline fixture_answer fixture_solve_contact(const ts_solver* solver, const void* settings, double mu,
                                                   const double G[9], const double g[3], const double* R) {
    ts_block block = fixture_cone(0, mu);
    return fixture_solve(solver, settings, 1, &block, G, g, R, NULL);
}

static inline void fixture_expect_vector(const double* actual, double x, double y, double z, double tolerance,
                                         const char* what) {
    cr_expect_float_eq(actual[0], x, tolerance, "%s x: %.12g, not %.12g", what, actual[0], x);
    cr_expect_float_eq(actual[1], y, tolerance, "%s y: %.12g, not %.12g", what, actual[1], y);
    cr_expect_float_eq(actual[2], z, tolerance, "%s z: %.12g, not %.12g", what, actual[2], z);
}

// G = J M^-1 J^T in long double for a cube of edge 0.2 m and 1 kg on four spheres of 4 mm at its lower corners: contact
// points at (+-0.1, +-0.1, -0.104) from the centre, tangents along x and y, inertia m a^2 / 6. Order of contacts:
// rear left, rear right, front left, front right (front is +y). Velocities (vx, vy, vz, wx, wy, wz).
static inline void fixture_cube(double J[12][6], double Y[12][6], double G[144]) {
    const double inverse_mass[6] = {1.0, 1.0, 1.0, 150.0, 150.0, 150.0};
    const double x[4] = {-0.1, 0.1, -0.1, 0.1}, y[4] = {-0.1, -0.1, 0.1, 0.1}, z = -0.104;
    for (int c = 0; c < 4; ++c) {
        // Velocity of the point: v + w x r.
        const double rows[3][6] = {{1, 0, 0, 0, z, -y[c]}, {0, 1, 0, -z, 0, x[c]}, {0, 0, 1, y[c], -x[c], 0}};
        for (int r = 0; r < 3; ++r)
            for (int j = 0; j < 6; ++j) {
                J[3 * c + r][j] = rows[r][j];
                Y[3 * c + r][j] = rows[r][j] * inverse_mass[j];
            }
    }
    for (int i = 0; i < 12; ++i)
        for (int k = 0; k < 12; ++k) {
            long double sum = 0.0L;
            for (int j = 0; j < 6; ++j) sum += (long double)J[i][j] * (long double)Y[k][j];
            G[12 * i + k] = (double)sum;
        }
}

#endif
