// The suite of closed forms: every test names the solvers it is about and what is expected of them. A solver that the
// table does not have yet is left out, unless it is listed here as one that must be there.
#ifndef TS_TESTS_CONTACT_CLOSED_FORM_SUITE_H
#define TS_TESTS_CONTACT_CLOSED_FORM_SUITE_H

#include "tests/contact/contact_fixture.h"

// Solvers the table must have; add a name when its solver is there.
static const char* const suite_required[] = {
    "lcp-pgs",    "lcp-staggered", "ccp-pgs",   "ccp-admm",    "ccp-apgd", "mujoco",           "sap",
    "ncp-pgs",    "ncp-nsgs",      "ncp",       "ncp-admm",    "raisim",   "raisim-corrected", "ncp-staggered",
    "ncp-newton", "lcp-lemke",     "ncp-canal", "ncp-subadmm",
};

#define SUITE_EXACT "ncp-canal ncp-subadmm ncp-pgs ncp-nsgs ncp-staggered ncp-admm ncp-newton ncp raisim-corrected "
#define SUITE_RELAXED "ccp-pgs ccp-admm ccp-apgd "
#define SUITE_BOX "lcp-pgs lcp-staggered lcp-lemke "
// Those that leave no internal forces where the answer lies inside all sets.
#define SUITE_LEAST_NORM "ncp-admm ccp-admm ccp-apgd ncp-staggered lcp-staggered ncp-newton "

// Runs `check` on every solver of a list of names with blanks between.
static inline void suite_each(const char* names, void (*check)(const ts_solver* solver)) {
    int checked = 0;
    for (const char* at = names; *at;) {
        size_t length = strcspn(at, " ");
        char name[64] = {0};
        cr_assert_lt(length, sizeof(name));
        memcpy(name, at, length);
        at += length + strspn(at + length, " ");
        const ts_solver* solver = ts_solver_find(name);
        if (solver) {
            check(solver);
            ++checked;
            continue;
        }
        for (size_t k = 0; k < sizeof(suite_required) / sizeof(suite_required[0]); ++k)
            cr_expect_str_neq(suite_required[k], name, "the table has no %s", name);
    }
    cr_expect_gt(checked, 0, "nobody was checked");
}

// The default settings of this suite: 1e-8 in force units is 1e-14 J at 1 ms.
static inline fixture_settings suite_settings(const ts_solver* solver) {
    return fixture_settings_of(solver, 1e-8, 200000);
}

static inline void suite_set(const ts_solver* solver, fixture_settings* settings, const char* name, double value) {
    ts_status status;
    cr_assert_eq(ts_solver_set(solver, settings, name, value, &status), TS_OK, "%s", status.message);
}

// Solves one contact and expects success.
static inline fixture_answer suite_contact(const ts_solver* solver, double mu, const double G[9], const double g[3],
                                           const double* R) {
    fixture_settings settings = suite_settings(solver);
    fixture_answer a = fixture_solve_contact(solver, &settings, mu, G, g, R);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s, %d iterations, %g", solver->name,
                 ts_solve_status_name(a.report.status), a.report.iterations,
                 ts_law_residual_in_force_units(a.own, TIME_STEP));
    return a;
}

// The cube on its feet (fixture_cube) after a free step from velocity (0, vy, 0) with a force fy at its centre.
static inline fixture_answer suite_cube(const ts_solver* solver, const void* settings, double mu, double vy,
                                        double fy) {
    double J[12][6], Y[12][6], G[144], g[12];
    ts_block block[4];
    fixture_cube(J, Y, G);
    for (int c = 0; c < 4; ++c) {
        block[c] = fixture_cone(3 * c, mu);
        g[3 * c] = 0.0;
        g[3 * c + 1] = vy + fy * TIME_STEP;
        g[3 * c + 2] = -GRAVITY * TIME_STEP;
    }
    fixture_answer a = fixture_solve(solver, settings, 4, block, G, g, NULL, NULL);
    cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED, "%s: %s, %d iterations, %g", solver->name,
                 ts_solve_status_name(a.report.status), a.report.iterations,
                 ts_law_residual_in_force_units(a.own, TIME_STEP));
    return a;
}

static const double suite_identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// A free unit mass: one step of gravity, and of a contact when there is one. `g` is what the contact sees.
static inline fixture_answer suite_particle(const ts_solver* solver, double mu, const double g[3]) {
    return suite_contact(solver, mu, suite_identity, g, NULL);
}

#endif
