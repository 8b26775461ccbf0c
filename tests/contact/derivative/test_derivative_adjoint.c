// Forward and backward are transposes of each other: for made-up answers in all modes, with a G that is not symmetric.
#include "tests/contact/derivative/derivative_sample.h"

// What a change of impulses leaves of its equations is nothing, forward and backward, once what they do to velocities is in it.
static void expect_nothing_left(const ts_contact_derivative* d, const double* G, const double* du, const double* dmu,
                                const double* bar, const double* dlambda, const double* g_bar, const double* mu_bar) {
    double left[ROWS] = {0}, change[ROWS], again[BLOCKS], size = 0.0;
    ts_arena scratch = {0};
    int n = d->row_count;
    for (int r = 0; r < n; ++r) {
        left[r] = du[r];
        for (int k = 0; k < n; ++k) left[r] += G[r * n + k] * dlambda[k];
        size = fmax(size, fabs(dlambda[r]));
    }
    ts_contact_derivative_add_law(d, dlambda, dmu, left);
    cr_assert_eq(ts_contact_derivative_forward(d, left, NULL, &scratch, change, NULL), TS_OK);
    for (int r = 0; r < n; ++r) cr_expect_lt(fabs(change[r]), 1e-10 * (1.0 + size), "row %d: %g", r, change[r]);
    size = 0.0;
    for (int r = 0; r < n; ++r) {
        left[r] = bar[r];
        for (int k = 0; k < n; ++k) left[r] += G[k * n + r] * g_bar[k];
        size = fmax(size, fabs(g_bar[r]));
    }
    ts_contact_derivative_add_law(d, g_bar, NULL, left);
    cr_assert_eq(ts_contact_derivative_reverse(d, left, &scratch, change, NULL, NULL), TS_OK);
    for (int r = 0; r < n; ++r) cr_expect_lt(fabs(change[r]), 1e-10 * (1.0 + size), "row %d: %g", r, change[r]);
    ts_contact_derivative_friction_bar(d, g_bar, left, again);
    for (int b = 0; b < d->block_count; ++b)
        cr_expect_float_eq(again[b], mu_bar[b], 1e-10 * (1.0 + size), "block %d: %g, not %g", b, again[b], mu_bar[b]);
    ts_arena_free(&scratch);
}

static void adjoint(ts_contact_law law, int cascade) {
    int refused = 0;
    for (int k = 0; k < 72; ++k) {
        ts_rng rng = ts_rng_make(7, (uint64_t)k);
        int mode[BLOCKS];
        mixed_modes(k, mode);
        sample s;
        double lambda[ROWS] = {0};
        make_sample(&s, BLOCKS, every_kind, DOFS, k % 4 == 0 ? 0.0 : 0.5, mode, law == TS_LAW_CCP, &rng, lambda);
        posed p, skew;
        pose(&s, &p);
        pose(&s, &skew);
        for (int i = 0; i < s.rows; ++i)
            for (int j = 0; j < s.rows; ++j) {
                double by = 0.1 * ts_rng_normal(&rng);
                skew.G[i * s.rows + j] += by;
                skew.g[i] -= by * lambda[j];
            }
        skew.problem.delassus = dense_operator(&skew.arena, s.blocks, skew.block_row, skew.G);
        ts_contact_derivative d;
        ts_status status;
        ts_arena scratch = {0};
        ts_code code = cascade
                           ? ts_contact_derivative_cascade(&skew.problem, lambda, &zero, &skew.arena, &d, &status)
                           : ts_contact_derivative_make(&skew.problem, law, lambda, &zero, &skew.arena, &d, &status);
        // Some cascades swing.
        if (cascade && code == TS_ERROR_UNSUPPORTED) {
            ++refused;
            ts_arena_free(&p.arena);
            ts_arena_free(&skew.arena);
            continue;
        }
        cr_assert_eq(code, TS_OK, "%s", status.message);
        cr_expect_eq(d.rank, d.unknowns);
        double du[ROWS], dmu[BLOCKS], dlambda[ROWS], bar[ROWS], g_bar[ROWS], mu_bar[BLOCKS];
        for (int r = 0; r < s.rows; ++r) {
            du[r] = ts_rng_normal(&rng);
            bar[r] = ts_rng_normal(&rng);
        }
        for (int b = 0; b < s.blocks; ++b) dmu[b] = ts_rng_normal(&rng);
        cr_assert_eq(ts_contact_derivative_forward(&d, du, dmu, &scratch, dlambda, NULL), TS_OK);
        cr_assert_eq(ts_contact_derivative_reverse(&d, bar, &scratch, g_bar, mu_bar, NULL), TS_OK);
        if (!cascade) expect_nothing_left(&d, skew.G, du, dmu, bar, dlambda, g_bar, mu_bar);
        cr_expect_eq(scratch.used, 0u, "scratch is given back");
        double forward = 0.0, backward = 0.0, size = 1.0;
        for (int r = 0; r < s.rows; ++r) {
            forward += bar[r] * dlambda[r];
            backward += g_bar[r] * du[r];
            size += fabs(bar[r] * dlambda[r]) + fabs(g_bar[r] * du[r]);
        }
        for (int b = 0; b < s.blocks; ++b) backward += mu_bar[b] * dmu[b];
        cr_expect_float_eq(forward, backward, 1e-12 * size, "%g, %g", forward, backward);
        ts_arena_free(&p.arena);
        ts_arena_free(&skew.arena);
        ts_arena_free(&scratch);
    }
    cr_expect_lt(refused, 36, "%d of 72", refused);
}

Test(derivative_adjoint, backward_is_the_transpose_of_forward) {
    adjoint(TS_LAW_NCP, 0);
    adjoint(TS_LAW_CCP, 0);
    adjoint(TS_LAW_NCP, 1);
}
