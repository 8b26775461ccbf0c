// Problems with closed-form answers that several solver tests share, and what they measure on them.
#ifndef TS_TESTS_CONTACT_SOLVER_CASES_H
#define TS_TESTS_CONTACT_SOLVER_CASES_H

#include "base/vec.h"
#include "tests/contact/contact_fixture.h"

// One contact whose normal and tangent are coupled; the answers are worked out by hand from the sliding equations.
static const double case_coupled_G[9] = {2, 0, 0.5, 0, 2, 0, 0.5, 0, 1};
static const double case_coupled_g[3] = {0, 3, -1};
static const double case_coupled_mu = 0.5;

// The same, so strongly that a round of "normal, then friction" multiplies its error by -1.35.
static const double case_strong_G[9] = {3, 0, 1.5, 0, 3, 0, 1.5, 0, 1};
static const double case_strong_g[3] = {-4, 0.3, -1};
static const double case_strong_mu = 0.9;

// A mass of 1000 kg on one of 1 g on the ground, without friction, one step of gravity: the ground carries both.
static inline fixture_answer case_stack(const ts_solver* solver, const void* settings) {
    const double m1 = 1e-3, m2 = 1e3;
    const double G[4] = {1 / m1, -1 / m1, -1 / m1, 1 / m1 + 1 / m2};
    const double g[2] = {-GRAVITY * TIME_STEP, 0.0};
    const ts_block block[2] = {{.set = TS_SET_HALF_LINE, .row = 0, .rows = 1},
                               {.set = TS_SET_HALF_LINE, .row = 1, .rows = 1}};
    return fixture_solve(solver, settings, 2, block, G, g, NULL, NULL);
}

// The cube on its four feet with friction mu after a free step from velocity v (vx, vy, vz) under gravity and a force
// fy at its centre.
static inline fixture_answer case_cube(const ts_solver* solver, const void* settings, double mu, ts_vec3 v, double fy,
                                       const double* start) {
    double J[12][6], Y[12][6], G[144], g[12];
    ts_block block[4];
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, mu);
        g[3 * c] = v.x;
        g[3 * c + 1] = v.y + fy * TIME_STEP;
        g[3 * c + 2] = v.z - GRAVITY * TIME_STEP;
    }
    return fixture_solve(solver, settings, 4, block, G, g, NULL, start);
}

// The part of the cube's impulses that no motion sees, as a force: what is left after taking out the six columns of J.
static inline double case_internal_force(const double* lambda) {
    double J[12][6], Y[12][6], G[144];
    long double column[6][12], rest[12], square = 0.0L;
    fixture_cube(J, Y, G);
    for (int i = 0; i < 12; ++i) rest[i] = (long double)lambda[i];
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 12; ++i) column[j][i] = (long double)J[i][j];
        for (int pass = 0; pass < 2; ++pass)
            for (int k = 0; k < j; ++k) {
                long double dot = 0.0L;
                for (int i = 0; i < 12; ++i) dot += column[k][i] * column[j][i];
                for (int i = 0; i < 12; ++i) column[j][i] -= dot * column[k][i];
            }
        long double length = 0.0L, dot = 0.0L;
        for (int i = 0; i < 12; ++i) length += column[j][i] * column[j][i];
        for (int i = 0; i < 12; ++i) column[j][i] /= sqrtl(length);
        for (int i = 0; i < 12; ++i) dot += column[j][i] * rest[i];
        for (int i = 0; i < 12; ++i) rest[i] -= dot * column[j][i];
    }
    for (int i = 0; i < 12; ++i) square += rest[i] * rest[i];
    return (double)sqrtl(square) / TIME_STEP;
}

#endif
