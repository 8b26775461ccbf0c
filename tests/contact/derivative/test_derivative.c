// T22: derivatives of solved contact problems against central differences of solves. Closed forms are in test_derivative_known.c.
#include "tests/contact/derivative/derivative_sample.h"

#define STEP 1e-6  // of the differences

// One number of a sample that can be moved.
typedef struct place {
    enum { OF_G_FREE, OF_R, OF_MU, OF_J, OF_M } what;
    int i, j;
} place;

static void move(sample* s, place p, double by) {
    switch (p.what) {
    case OF_G_FREE: s->g[p.i] += by; break;
    case OF_R: s->R[p.i] += by; break;
    case OF_MU: s->mu[p.i] += by; break;
    case OF_J: s->J[p.i][p.j] += by; break;
    case OF_M:
        s->M[p.i][p.j] += by;
        if (p.i != p.j) s->M[p.j][p.i] += by;
        break;
    }
}

// Projection of x on a block's set, in long double.
static void project(const ts_block* block, const long double* x, long double* out_x) {
    if (block->set == TS_SET_BOX) {
        out_x[0] = x[0] < block->low ? block->low : x[0] > block->high ? block->high : x[0];
        return;
    }
    if (block->set == TS_SET_HALF_LINE) {
        out_x[0] = x[0] > 0.0L ? x[0] : 0.0L;
        return;
    }
    long double length = 0.0L, mu = block->mu, keep = 1.0L, normal = x[2];
    for (int r = 0; r < block->rows; ++r)
        if (r != 2) length += x[r] * x[r];
    length = sqrtl(length);
    if (block->set == TS_SET_CONE && length > mu * x[2]) {
        normal = mu * length + x[2] > 0.0L ? (mu * length + x[2]) / (1.0L + mu * mu) : 0.0L;
        keep = normal > 0.0L ? mu * normal / length : 0.0L;
    }
    for (int r = 0; r < block->rows; ++r) out_x[r] = block->set == TS_SET_CONE && r == 2 ? normal : keep * x[r];
}

// Takes what a solver left of its error, which differences divide by 2e-6: lambda = P_K(lambda - r w) iterated in long
// double.
static void polish(const ts_contact_problem* problem, const double* G, ts_contact_law law, double* lambda) {
    int n = problem->row_count;
    long double x[ROWS], next[ROWS], w[ROWS], most = 0.0L;
    for (int i = 0; i < n; ++i) x[i] = lambda[i];
    for (int i = 0; i < n; ++i) {
        long double sum = problem->R[i];
        for (int k = 0; k < n; ++k) sum += fabsl(G[i * n + k]);
        most = fmaxl(most, sum);
    }
    for (int turn = 0; turn < 20000; ++turn) {
        long double change = 0.0L;
        for (int i = 0; i < n; ++i) {
            w[i] = problem->g[i] + problem->R[i] * x[i];
            for (int k = 0; k < n; ++k) w[i] += G[i * n + k] * x[k];
        }
        for (int b = 0; b < problem->block_count; ++b) {
            const ts_block* block = &problem->block[b];
            long double slip = 0.0L, *v = w + block->row;
            for (int r = 0; block->set == TS_SET_CONE && r < block->rows; ++r)
                if (r != 2) slip += v[r] * v[r];
            if (block->set == TS_SET_CONE && law == TS_LAW_NCP) v[2] += block->mu * sqrtl(slip);
            for (int r = 0; r < block->rows; ++r) v[r] = x[block->row + r] - v[r] / most;
            project(block, v, next + block->row);
        }
        for (int i = 0; i < n; ++i) {
            change = fmaxl(change, fabsl(next[i] - x[i]));
            x[i] = next[i];
        }
        if (!(change > 1e-17L)) break;
    }
    for (int i = 0; i < n; ++i) lambda[i] = (double)x[i];
}

// Solves from `lambda`; returns 0 unless it is solved to 1e-13, or to 1e-10 unpolished. Gives the modes.
static int solve(const sample* s, ts_contact_law law, int polished, double* lambda, int* mode) {
    posed p;
    pose(s, &p);
    ts_arena scratch = {0};
    const ts_solver* solver = ts_solver_find(law == TS_LAW_CCP ? "ccp-admm" : "ncp");
    fixture_settings settings = fixture_settings_of(solver, 0.0, 3000);
    settings.shared.tolerance = 1e-13;
    solver->solve(&p.problem, &settings, &scratch, lambda);
    if (polished) polish(&p.problem, p.G, law, lambda);
    double u[ROWS];
    ts_residual residual;
    ts_residual_evaluate(&p.problem, lambda, &scratch, u, &residual);
    for (int b = 0; b < s->blocks; ++b) mode[b] = mode_of(&s->block[b], lambda + s->block[b].row, u + s->block[b].row);
    ts_arena_free(&p.arena);
    ts_arena_free(&scratch);
    double wrong = law == TS_LAW_NCP ? residual.natural : ts_law_residual_in_force_units(residual.ccp, 1.0);
    return wrong <= (polished ? 1e-13 : 1e-10);
}

// dlambda by central differences, from `lambda`. Returns 0 when a mode changes within two steps or a solve fails.
static int differences(const sample* s, ts_contact_law law, const double* lambda, const int* mode, place p,
                       double* out_dlambda) {
    double moved[4][ROWS];
    for (int k = 0; k < 4; ++k) {
        const double by[4] = {-2.0 * STEP, -STEP, STEP, 2.0 * STEP};
        int new_mode[BLOCKS];
        sample other = *s;
        move(&other, p, by[k]);
        memcpy(moved[k], lambda, sizeof(moved[k]));
        if (!solve(&other, law, k == 1 || k == 2, moved[k], new_mode)) return 0;
        for (int b = 0; b < s->blocks; ++b)
            if (new_mode[b] != mode[b]) return 0;
    }
    for (int r = 0; r < s->rows; ++r) out_dlambda[r] = (moved[2][r] - moved[1][r]) / (2.0 * STEP);
    return 1;
}

// Gradients of lambda_bar . lambda with respect to everything.
typedef struct gradient {
    double g[ROWS], mu[BLOCKS], R[ROWS];
    long double J[ROWS][DOFS], M[DOFS][DOFS];
} gradient;

static void gradients(const sample* s, const ts_contact_derivative* d, const double* lambda, const double* lambda_bar,
                      ts_arena* scratch, gradient* out) {
    memset(out, 0, sizeof(*out));
    cr_assert_eq(ts_contact_derivative_reverse(d, lambda_bar, scratch, out->g, out->mu, NULL), TS_OK);
    // Columns M^-1 J^T lambda and M^-1 J^T g_bar.
    long double v[2][DOFS] = {{0}};
    for (int r = 0; r < s->rows; ++r)
        for (int j = 0; j < s->dofs; ++j) {
            v[0][j] += (long double)s->J[r][j] * lambda[r];
            v[1][j] += (long double)s->J[r][j] * out->g[r];
        }
    solve_mass(s, 2, v);
    for (int r = 0; r < s->rows; ++r) {
        out->R[r] = out->g[r] * lambda[r];
        for (int j = 0; j < s->dofs; ++j) out->J[r][j] = out->g[r] * v[0][j] + lambda[r] * v[1][j];
    }
    // dG = -J M^-1 dM M^-1 J^T, for an entry and its mirror image together.
    for (int i = 0; i < s->dofs; ++i)
        for (int j = 0; j < s->dofs; ++j)
            out->M[i][j] = i == j ? -v[1][i] * v[0][i] : -v[1][i] * v[0][j] - v[1][j] * v[0][i];
}

static double gradient_at(const gradient* d, place p) {
    switch (p.what) {
    case OF_G_FREE: return d->g[p.i];
    case OF_R: return d->R[p.i];
    case OF_MU: return d->mu[p.i];
    case OF_J: return (double)d->J[p.i][p.j];
    case OF_M: return (double)d->M[p.i][p.j];
    }
    return 0.0;
}

// u at frozen lambda when one number moves by 1, and dmu.
static void change_of_u(const sample* s, const double* lambda, place p, double* du, double* dmu) {
    long double v[2][DOFS] = {{0}};
    memset(du, 0, ROWS * sizeof(double));
    memset(dmu, 0, BLOCKS * sizeof(double));
    if (p.what == OF_G_FREE) du[p.i] = 1.0;
    if (p.what == OF_R) du[p.i] = lambda[p.i];
    if (p.what == OF_MU) dmu[p.i] = 1.0;
    if (p.what != OF_J && p.what != OF_M) return;
    for (int r = 0; r < s->rows; ++r)
        for (int j = 0; j < s->dofs; ++j) v[0][j] += (long double)s->J[r][j] * lambda[r];
    solve_mass(s, 1, v);
    if (p.what == OF_J) {
        v[1][p.j] = lambda[p.i];
        du[p.i] = (double)v[0][p.j];
    } else {
        v[1][p.i] = -v[0][p.j];
        if (p.i != p.j) v[1][p.j] = -v[0][p.i];
    }
    solve_mass(s, 1, v + 1);
    for (int r = 0; r < s->rows; ++r)
        for (int j = 0; j < s->dofs; ++j) du[r] += (double)(s->J[r][j] * v[1][j]);
}

// Everything that can be moved: all of g, R, mu, and a few entries of J and M.
static int places_of(const sample* s, ts_rng* rng, place* out) {
    int count = 0;
    for (int r = 0; r < s->rows; ++r) {
        out[count++] = (place){OF_G_FREE, r, 0};
        out[count++] = (place){OF_R, r, 0};
    }
    for (int b = 0; b < s->blocks; ++b)
        if (s->block[b].set == TS_SET_CONE) out[count++] = (place){OF_MU, b, 0};
    for (int k = 0; k < 4; ++k) {
        int r = (int)(ts_rng_uniform(rng) * s->rows), i = (int)(ts_rng_uniform(rng) * s->dofs);
        out[count++] = (place){OF_J, r, i};
        out[count++] = (place){OF_M, i, k == 0 ? i : (int)(ts_rng_uniform(rng) * s->dofs)};
    }
    return count;
}

// What was compared.
typedef struct tally {
    int problems;  // solved
    int unsolved;
    int compared;      // numbers moved
    int skipped;       // because a mode changed or a solve failed
    unsigned seen[3];  // bit b of seen[m]: block b was in mode m
    int mix[27];
    double worst;
} tally;

// An answer that is off by a millionth, all of it that may change, is found again to rounding: the law is solved apart, in long double.
static void expect_refined(const sample* s, const posed* p, ts_contact_law law, const ts_contact_derivative* d,
                           const double* lambda, ts_rng* rng, ts_arena* scratch) {
    double off[ROWS], most = 1.0;
    if (d->rank < d->unknowns || d->condition > 1e4) return;
    for (int b = 0; b < s->blocks; ++b) {
        const ts_block* block = &p->block[b];
        double scale = 1.0 + 1e-6 * ts_rng_normal(rng);
        int slides = d->mode[b] == TS_MODE_SLIDE && block->set == TS_SET_CONE;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            most = fmax(most, fabs(lambda[r]));
            off[r] = slides                        ? scale * lambda[r]
                     : d->mode[b] == TS_MODE_STICK ? lambda[r] + 1e-6 * ts_rng_normal(rng)
                                                   : lambda[r];
        }
    }
    for (int k = 0; k < 2; ++k) cr_assert_eq(ts_contact_derivative_refine(d, &p->problem, law, scratch, off), TS_OK);
    cr_expect_eq(scratch->used, 0u, "scratch is given back");
    for (int r = 0; r < s->rows; ++r)
        cr_expect_float_eq(off[r], lambda[r], 1e-11 * most, "row %d: %g off", r, off[r] - lambda[r]);
}

static void compare(const sample* s, ts_contact_law law, double* lambda, ts_rng* rng, tally* t) {
    int mode[BLOCKS];
    if (!solve(s, law, 1, lambda, mode)) {
        ++t->unsolved;
        return;
    }
    ++t->problems;
    ++t->mix[mode[0] + 3 * mode[1] + 9 * mode[2]];
    for (int b = 0; b < s->blocks; ++b) t->seen[mode[b]] |= 1u << b;
    posed p;
    pose(s, &p);
    ts_arena scratch = {0};
    ts_contact_derivative d;
    ts_status status;
    cr_assert_eq(ts_contact_derivative_make(&p.problem, law, lambda, &zero, &p.arena, &d, &status), TS_OK, "%s",
                 status.message);
    expect_refined(s, &p, law, &d, lambda, rng, &scratch);
    double lambda_bar[ROWS];
    for (int r = 0; r < s->rows; ++r) lambda_bar[r] = ts_rng_normal(rng);
    gradient bar;
    gradients(s, &d, lambda, lambda_bar, &scratch, &bar);
    place all[2 * ROWS + BLOCKS + 8];
    int count = places_of(s, rng, all);
    for (int k = 0; k < count; ++k) {
        double expected[ROWS], actual[ROWS], du[ROWS], dmu[BLOCKS], loss = 0.0, size = 1.0;
        if (!differences(s, law, lambda, mode, all[k], expected)) {
            ++t->skipped;
            continue;
        }
        ++t->compared;
        change_of_u(s, lambda, all[k], du, dmu);
        cr_assert_eq(ts_contact_derivative_forward(&d, du, dmu, &scratch, actual, NULL), TS_OK);
        for (int r = 0; r < s->rows; ++r) size = fmax(size, fabs(expected[r]));
        for (int r = 0; r < s->rows; ++r) {
            loss += lambda_bar[r] * expected[r];
            t->worst = fmax(t->worst, fabs(actual[r] - expected[r]) / size);
            cr_expect_float_eq(actual[r], expected[r], ACCURACY * size, "place %d %d %d row %d: %g, not %g",
                               (int)all[k].what, all[k].i, all[k].j, r, actual[r], expected[r]);
        }
        cr_expect_float_eq(gradient_at(&bar, all[k]), loss, s->rows * ACCURACY * size, "gradient %d %d %d",
                           (int)all[k].what, all[k].i, all[k].j);
    }
    ts_arena_free(&p.arena);
    ts_arena_free(&scratch);
}

// Three contacts: all 27 mixes of modes, a few times, then free velocities by chance. From a cold start.
static void three_contacts(ts_contact_law law, tally* t) {
    const ts_block block[3] = {fixture_cone(0, 0.6), fixture_cone(3, 0.6), fixture_cone(6, 0.6)};
    memset(t, 0, sizeof(*t));
    for (int k = 0; k < 3 * 27 + 30; ++k) {
        ts_rng rng = ts_rng_make(22, (uint64_t)k);
        const int mode[3] = {k % 3, k / 3 % 3, k / 9 % 3};
        sample s;
        double lambda[ROWS] = {0};
        make_sample(&s, 3, block, 12, 0.6, mode, law == TS_LAW_CCP, &rng, lambda);
        for (int r = 0; k >= 3 * 27 && r < s.rows; ++r) s.g[r] = ts_rng_normal(&rng) - (r % 3 == 2 ? 1.0 : 0.0);
        memset(lambda, 0, sizeof(lambda));
        compare(&s, law, lambda, &rng, t);
    }
}

static void expect_most(const tally* t) {
    cr_expect_lt(10 * t->unsolved, t->problems, "%d of %d", t->unsolved, t->problems);
    cr_expect_lt(20 * t->skipped, t->compared, "%d skipped, %d compared", t->skipped, t->compared);
    cr_log_info("%d problems, %d unsolved, %d compared, %d skipped, worst %g", t->problems, t->unsolved, t->compared,
                t->skipped, t->worst);
}

Test(derivative, of_the_exact_law_agrees_with_differences_of_solves) {
    tally t;
    three_contacts(TS_LAW_NCP, &t);
    expect_most(&t);
    for (int k = 0; k < 27; ++k) cr_expect_gt(t.mix[k], 0, "no problem of mix %d", k);
}

Test(derivative, of_the_relaxation_agrees_with_differences_of_solves) {
    tally t;
    three_contacts(TS_LAW_CCP, &t);
    expect_most(&t);
    for (int k = 0; k < 27; ++k) cr_expect_gt(t.mix[k], 0, "no problem of mix %d", k);
}

static void mixed(ts_contact_law law) {
    tally t;
    memset(&t, 0, sizeof(t));
    for (int k = 0; k < 36; ++k) {
        ts_rng rng = ts_rng_make(46, (uint64_t)k);
        int mode[BLOCKS];
        mixed_modes(k, mode);
        sample s;
        double lambda[ROWS] = {0};
        make_sample(&s, BLOCKS, every_kind, DOFS, 0.5, mode, law == TS_LAW_CCP, &rng, lambda);
        compare(&s, law, lambda, &rng, &t);
    }
    expect_most(&t);
    cr_expect_eq(t.seen[0], 0xfu);
    cr_expect_eq(t.seen[1], 0x1fu);
    cr_expect_eq(t.seen[2], 0xbu);
}

Test(derivative, with_every_kind_of_block_under_the_exact_law) { mixed(TS_LAW_NCP); }
Test(derivative, with_every_kind_of_block_under_the_relaxation) { mixed(TS_LAW_CCP); }
