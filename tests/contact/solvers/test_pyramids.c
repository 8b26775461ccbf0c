// Friction pyramids of eight and sixteen facets: the polygon by brute force, the law by its corners, answers between the square's and the cone's.
#include "tests/contact/contact_fixture.h"

#include "base/rng.h"
#include "base/scalar.h"
#include "contact/block_set_internal.h"

static const char* const names[3] = {"lcp-pgs", "lcp8-pgs", "lcp16-pgs"};
static const int facets[3] = {4, 8, 16};

// The nearest point of the boundary among many, unless all facets have it inside.
Test(pyramids, the_polygon_is_nearest) {
    enum { POINTS = 20000 };
    ts_rng rng = ts_rng_make(3, 0);
    for (int trial = 0; trial < 60; ++trial) {
        int sides = trial % 2 ? 8 : 16, inside = 1;
        double radius = ts_rng_uniform_in(&rng, 0.0, 2.0), x = ts_rng_uniform_in(&rng, -3.0, 3.0),
               y = ts_rng_uniform_in(&rng, -3.0, 3.0), px = x, py = y;
        for (int i = 0; i < sides; ++i)
            inside = inside && x * cos(2.0 * TS_PI * i / sides) + y * sin(2.0 * TS_PI * i / sides) <= radius;
        int moved = ts_block_set_polygon(sides, radius, &px, &py);
        cr_expect_eq(moved, !inside);
        if (inside) {
            cr_expect(px == x && py == y);
            continue;
        }
        double least = HUGE_VAL;
        for (int i = 0; i < POINTS; ++i) {
            double angle = 2.0 * TS_PI * i / POINTS;
            double reach = radius / cos(remainder(angle, 2.0 * TS_PI / sides));
            least = fmin(least, hypot(x - reach * cos(angle), y - reach * sin(angle)));
        }
        double is = hypot(x - px, y - py);
        cr_expect_leq(is, least + 1e-14);
        cr_expect_geq(is, least - 2e-3 * radius, "%g, not %g", is, least);
    }
}

// One contact of any inertia: Signorini; friction within every facet; and no corner that would resist the slip more.
Test(pyramids, answers_obey_the_law_at_every_corner) {
    ts_rng rng = ts_rng_make(4, 0);
    for (int trial = 0; trial < 300; ++trial) {
        double A[9], G[9], g[3], mu = ts_rng_uniform_in(&rng, 0.1, 1.0);
        for (int i = 0; i < 9; ++i) A[i] = ts_rng_uniform_in(&rng, -1.0, 1.0) + (i % 4 == 0 ? 1.5 : 0.0);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                G[3 * i + j] = 0.0;
                for (int k = 0; k < 3; ++k) G[3 * i + j] += A[3 * i + k] * A[3 * j + k];
            }
        for (int i = 0; i < 3; ++i) g[i] = ts_rng_uniform_in(&rng, -1.0, 1.0);
        g[2] = -fabs(g[2]);
        ts_block block = fixture_cone(0, mu);
        for (int p = 0; p < 3; ++p) {
            const ts_solver* solver = ts_solver_find(names[p]);
            fixture_settings settings = fixture_settings_of(solver, 1e-11, 200000);
            fixture_answer a = fixture_solve(solver, &settings, 1, &block, G, g, NULL, NULL);
            cr_expect_eq(ts_contact_law_facets(solver->law), facets[p]);
            cr_expect_geq(a.lambda[2], 0.0);
            if (a.report.status != TS_SOLVE_CONVERGED) continue;
            cr_expect_geq(a.u[2], -1e-9, "%s: %g", names[p], a.u[2]);
            cr_expect_leq(a.lambda[2] * a.u[2], 1e-9, "%s", names[p]);
            for (int i = 0; i < facets[p]; ++i) {
                double normal = 2.0 * TS_PI * i / facets[p], corner = normal + TS_PI / facets[p];
                double reach = mu * a.lambda[2] / cos(TS_PI / facets[p]);
                cr_expect_leq(a.lambda[0] * cos(normal) + a.lambda[1] * sin(normal), mu * a.lambda[2] + 1e-9);
                double more =
                    (a.lambda[0] - reach * cos(corner)) * a.u[0] + (a.lambda[1] - reach * sin(corner)) * a.u[1];
                cr_expect_leq(more, 1e-8, "%s, corner %d: %g", names[p], i, more);
            }
        }
    }
}

// Isotropic inertia, slip along an edge of all of them: friction is mu N / cos(pi / k), the cone's in the limit.
Test(pyramids, friction_along_an_edge_is_too_strong_by_what_geometry_says) {
    const double G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, mu = 0.4;
    for (int p = 0; p < 3; ++p) {
        double edge = TS_PI / facets[p], g[3] = {5.0 * cos(edge), 5.0 * sin(edge), -1.0};
        const ts_solver* solver = ts_solver_find(names[p]);
        fixture_settings settings = fixture_settings_of(solver, 1e-8, 1000);
        ts_block block = fixture_cone(0, mu);
        fixture_answer a = fixture_solve(solver, &settings, 1, &block, G, g, NULL, NULL);
        cr_expect_eq(a.report.status, TS_SOLVE_CONVERGED);
        cr_expect_float_eq(hypot(a.lambda[0], a.lambda[1]), mu / cos(edge), 1e-12, "%s", names[p]);
        cr_expect_float_eq(a.lambda[0] * g[1] - a.lambda[1] * g[0], 0.0, 1e-12, "%s", names[p]);
    }
}
