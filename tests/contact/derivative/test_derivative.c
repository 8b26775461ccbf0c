// T22: derivatives of solved contact problems, against central differences of solves, against the derivative of the
// staggered iteration, and against their own transposes. Closed forms are in test_derivative_known.c.
#include "tests/contact/derivative/derivative_fixture.h"

enum { DOFS = 18, ROWS = 16, BLOCKS = 5 };

#define STEP 1e-6  // of the differences

// A problem by what its G is made of. The sets and bounds are those of `block`, mu is apart so that it can be moved.
typedef struct sample {
    int dofs, rows, blocks;
    ts_block block[BLOCKS];
    double J[ROWS][DOFS];
    double M[DOFS][DOFS];
    double R[ROWS];
    double g[ROWS];
    double mu[BLOCKS];
} sample;

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

// Solves M X = B for `count` columns kept as rows of X, in long double, by elimination without pivots (M is definite).
static void solve_mass(const sample* s, int count, long double X[][DOFS]) {
    long double M[DOFS][DOFS];
    int n = s->dofs;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[i][j] = s->M[i][j];
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            long double f = M[i][k] / M[k][k];
            for (int j = k; j < n; ++j) M[i][j] -= f * M[k][j];
            for (int c = 0; c < count; ++c) X[c][i] -= f * X[c][k];
        }
    for (int c = 0; c < count; ++c)
        for (int i = n - 1; i >= 0; --i) {
            for (int j = i + 1; j < n; ++j) X[c][i] -= M[i][j] * X[c][j];
            X[c][i] /= M[i][i];
        }
}

static void make_G(const sample* s, double* G) {
    long double Y[ROWS][DOFS];
    for (int r = 0; r < s->rows; ++r)
        for (int j = 0; j < s->dofs; ++j) Y[r][j] = s->J[r][j];
    solve_mass(s, s->rows, Y);
    for (int i = 0; i < s->rows; ++i)
        for (int k = 0; k < s->rows; ++k) {
            long double sum = 0.0L;
            for (int j = 0; j < s->dofs; ++j) sum += (long double)s->J[i][j] * Y[k][j];
            G[i * s->rows + k] = (double)sum;
        }
}

// A sample as a contact problem.
typedef struct posed {
    ts_arena arena;
    int block_row[BLOCKS + 1];
    ts_block block[BLOCKS];
    double G[ROWS * ROWS];
    double g[ROWS];
    double R[ROWS];
    ts_contact_problem problem;
} posed;

static void pose(const sample* s, posed* out) {
    memset(out, 0, sizeof(*out));
    make_G(s, out->G);
    memcpy(out->g, s->g, sizeof(out->g));
    memcpy(out->R, s->R, sizeof(out->R));
    for (int b = 0; b < s->blocks; ++b) {
        out->block[b] = s->block[b];
        out->block[b].mu = s->mu[b];
        out->block_row[b + 1] = s->block[b].row + s->block[b].rows;
    }
    out->problem = (ts_contact_problem){.block_count = s->blocks,
                                        .row_count = s->rows,
                                        .block = out->block,
                                        .delassus = dense_operator(&out->arena, s->blocks, out->block_row, out->G),
                                        .g = out->g,
                                        .R = out->R,
                                        .time_step = 1.0};
    ts_status status;
    cr_assert_eq(ts_contact_problem_validate(&out->problem, &status), TS_OK, "%s", status.message);
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

// Fills lambda and u of one block as it would be in a mode, well away from its borders.
static void answer_of(const ts_block* block, double mu, int mode, int convex, ts_rng* rng, double* lambda, double* u) {
    double strength = ts_rng_uniform_in(rng, 0.4, 1.5);
    double speed = ts_rng_uniform_in(rng, 0.3, 1.0);
    for (int r = 0; r < block->rows; ++r) lambda[r] = u[r] = 0.0;
    if (block->set == TS_SET_FREE) {
        for (int r = 0; r < block->rows; ++r) lambda[r] = ts_rng_normal(rng);
    } else if (block->set == TS_SET_BOX) {
        lambda[0] = mode == 0 ? block->low : mode == 2 ? block->high : 0.6 * block->low + 0.4 * block->high;
        u[0] = mode == 0 ? speed : mode == 2 ? -speed : 0.0;
    } else if (block->set == TS_SET_HALF_LINE) {
        *(mode == 0 ? u : lambda) = mode == 0 ? speed : strength;
    } else {
        double t[6], length = 0.0;
        for (int r = 0; r < block->rows; ++r) t[r] = r == 2 ? 0.0 : ts_rng_normal(rng);
        length = ts_block_set_tangent_length(t, block->rows);
        double share = mode == 1 ? ts_rng_uniform_in(rng, 0.0, 0.8) : 1.0;
        for (int r = 0; r < block->rows && mode != 1; ++r) u[r] = speed * t[r] / length;
        for (int r = 0; r < block->rows && mode != 0; ++r) lambda[r] = -share * mu * strength * t[r] / length;
        if (mode != 0) lambda[2] = strength;
        if (mode != 1) u[2] = (convex ? mu * speed : 0.0) + (mode == 0 ? strength : 0.0);
    }
}

// A Gaussian sample in which block b is in mode[b] at `lambda`.
static void make_sample(sample* s, int blocks, const ts_block* block, int dofs, double mu, const int* mode, int convex,
                        ts_rng* rng, double* lambda) {
    memset(s, 0, sizeof(*s));
    s->dofs = dofs;
    s->blocks = blocks;
    for (int b = 0; b < blocks; ++b) {
        s->block[b] = block[b];
        s->mu[b] = block[b].set == TS_SET_CONE ? mu : 0.0;
        s->rows = block[b].row + block[b].rows;
    }
    double X[DOFS][DOFS], G[ROWS * ROWS], u[ROWS];
    for (int i = 0; i < dofs; ++i)
        for (int j = 0; j < dofs; ++j) X[i][j] = ts_rng_normal(rng);
    for (int i = 0; i < dofs; ++i)
        for (int j = 0; j < dofs; ++j) {
            s->M[i][j] = i == j ? 1.0 : 0.0;
            for (int k = 0; k < dofs; ++k) s->M[i][j] += X[i][k] * X[j][k];
        }
    for (int r = 0; r < s->rows; ++r) {
        s->R[r] = ts_rng_uniform_in(rng, 0.01, 0.1);
        for (int j = 0; j < dofs; ++j) s->J[r][j] = ts_rng_normal(rng);
    }
    make_G(s, G);
    for (int b = 0; b < blocks; ++b)
        answer_of(&block[b], s->mu[b], mode[b], convex, rng, lambda + block[b].row, u + block[b].row);
    for (int i = 0; i < s->rows; ++i) {
        s->g[i] = u[i] - s->R[i] * lambda[i];
        for (int k = 0; k < s->rows; ++k) s->g[i] -= G[i * s->rows + k] * lambda[k];
    }
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

// Every kind of block at once: spinning and rolling rows, a joint limit, dry friction, two bilateral rows.
static const ts_block every_kind[BLOCKS] = {
    {TS_SET_CONE, 0, 4, 0, 0, 0},      {TS_SET_CONE, 4, 6, 0, 0, 0},  {TS_SET_HALF_LINE, 10, 1, 0, 0, 0},
    {TS_SET_BOX, 11, 1, 0, -0.3, 0.5}, {TS_SET_FREE, 12, 2, 0, 0, 0},
};

static void mixed_modes(int k, int mode[BLOCKS]) {
    mode[0] = k % 3;
    mode[1] = k / 3 % 3;
    mode[2] = k / 2 % 2;
    mode[3] = (k + k / 9) % 3;
    mode[4] = 1;
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

// Forward and backward are transposes of each other: for made-up answers in all modes, with a G that is not symmetric.
// Multiples of one change side by side, some without any of friction, are multiples of its answer.
static void expect_columns(const ts_contact_derivative* d, const double* du, const double* dmu, const double* dlambda) {
    enum { COLUMNS = 23 };
    static double many_du[ROWS * COLUMNS], many_dmu[BLOCKS * COLUMNS], answer[ROWS * COLUMNS];
    ts_arena scratch = {0};
    double size = 0.0;
    for (int c = 0; c < COLUMNS; ++c) {
        for (int r = 0; r < d->row_count; ++r) many_du[r * COLUMNS + c] = (1.0 + 0.25 * c) * du[r];
        for (int b = 0; b < d->block_count; ++b) many_dmu[b * COLUMNS + c] = (1.0 + 0.25 * c) * dmu[b];
    }
    for (int r = 0; r < d->row_count; ++r) size = fmax(size, fabs(dlambda[r]));
    cr_assert_eq(ts_contact_derivative_forward_columns(d, COLUMNS, many_du, many_dmu, &scratch, answer), TS_OK);
    cr_expect_eq(scratch.used, 0u, "scratch is given back");
    for (int r = 0; r < d->row_count; ++r)
        for (int c = 0; c < COLUMNS; ++c)
            cr_expect_float_eq(answer[r * COLUMNS + c], (1.0 + 0.25 * c) * dlambda[r], 1e-11 * (1.0 + size));
    ts_arena_free(&scratch);
}

// What a change of impulses leaves of its equations is nothing, forward and backward, once what they do to velocities is in it.
static void expect_nothing_left(const ts_contact_derivative* d, const double* G, const double* du, const double* dmu,
                                const double* bar, const double* dlambda, const double* g_bar, const double* mu_bar) {
    double left[2 * ROWS] = {0}, twice[2 * ROWS], change[2 * ROWS], mu[2 * BLOCKS], again[BLOCKS], size = 0.0;
    ts_arena scratch = {0};
    int n = d->row_count;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < 2; ++c) {
            left[2 * r + c] = (c ? -2.0 : 1.0) * du[r];
            for (int k = 0; k < n; ++k) left[2 * r + c] += (c ? -2.0 : 1.0) * G[r * n + k] * dlambda[k];
            twice[2 * r + c] = (c ? -2.0 : 1.0) * dlambda[r];
            size = fmax(size, fabs(dlambda[r]));
        }
    for (int b = 0; b < d->block_count; ++b) mu[2 * b] = dmu[b];
    for (int b = 0; b < d->block_count; ++b) mu[2 * b + 1] = -2.0 * dmu[b];
    ts_contact_derivative_add_law(d, 2, twice, mu, left);
    cr_assert_eq(ts_contact_derivative_forward_columns(d, 2, left, NULL, &scratch, change), TS_OK);
    for (int r = 0; r < 2 * n; ++r) cr_expect_lt(fabs(change[r]), 1e-10 * (1.0 + size), "row %d: %g", r / 2, change[r]);
    size = 0.0;
    for (int r = 0; r < n; ++r) {
        left[r] = bar[r];
        for (int k = 0; k < n; ++k) left[r] += G[k * n + r] * g_bar[k];
        size = fmax(size, fabs(g_bar[r]));
    }
    ts_contact_derivative_add_law(d, 1, g_bar, NULL, left);
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
        expect_columns(&d, du, dmu, dlambda);
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

Test(derivative, backward_is_the_transpose_of_forward) {
    adjoint(TS_LAW_NCP, 0);
    adjoint(TS_LAW_CCP, 0);
    adjoint(TS_LAW_NCP, 1);
}

// The derivative of the staggered iteration: normal impulses at frozen friction, then friction at frozen normal impulses,
// each the derivative of an optimality condition, in turn until they rest. A second way to the same numbers.
// Solves the n x n system A x = b by elimination with row pivots; both are used up, b becomes x.
static void eliminate(int n, long double A[9][9], long double* b) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
        for (int j = 0; j < n; ++j) {
            long double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        long double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (int i = k + 1; i < n; ++i) {
            long double f = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
}

// The answer that the staggered derivative is taken at: three contacts.
typedef struct staggered {
    const posed* p;
    const double* lambda;
    const double* u;
    const int* mode;
    const double* du;
    const double* dmu;
} staggered;

static long double entry(const staggered* s, int i, int k) {
    return (long double)s->p->G[9 * i + k] + (i == k ? s->p->R[i] : 0.0L);
}

// Normal impulses: G_NN dlambda_N = -(du + G_NT dlambda_T) over the contacts that carry.
static void normal_pass(const staggered* s, long double* x) {
    int row[3], n = 0;
    for (int c = 0; c < 3; ++c)
        if (s->mode[c] != 0) row[n++] = 3 * c + 2;
    long double A[9][9], b[9];
    for (int i = 0; i < n; ++i) {
        b[i] = -(long double)s->du[row[i]];
        for (int k = 0; k < 9; ++k)
            if (k % 3 != 2) b[i] -= entry(s, row[i], k) * x[k];
        for (int j = 0; j < n; ++j) A[i][j] = entry(s, row[i], row[j]);
    }
    eliminate(n, A, b);
    for (int i = 0; i < n; ++i) x[row[i]] = b[i];
}

// Friction in discs |lambda_T| <= mu lambda_N with multipliers gamma = |u_T| / (mu lambda_N).
static void friction_pass(const staggered* s, long double* x) {
    int row[6], n = 0, slides = 0;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 2 && s->mode[c] != 0; ++r) row[n++] = 3 * c + r;
    long double A[9][9] = {{0}}, b[9];
    for (int i = 0; i < n; ++i) {
        b[i] = -(long double)s->du[row[i]];
        for (int k = 2; k < 9; k += 3) b[i] -= entry(s, row[i], k) * x[k];
        for (int j = 0; j < n; ++j) A[i][j] = entry(s, row[i], row[j]);
    }
    for (int c = 0; c < 3; ++c) {
        if (s->mode[c] != 2) continue;
        const double* l = s->lambda + 3 * c;
        double mu = s->p->block[c].mu;
        for (int i = 0; i < n; ++i) {
            if (row[i] / 3 != c) continue;
            A[i][i] += hypotl(s->u[3 * c], s->u[3 * c + 1]) / ((long double)mu * l[2]);
            A[i][n + slides] = A[n + slides][i] = l[row[i] % 3];
        }
        b[n + slides] = (long double)mu * mu * l[2] * x[3 * c + 2] + (long double)mu * l[2] * l[2] * s->dmu[c];
        ++slides;
    }
    eliminate(n + slides, A, b);
    for (int i = 0; i < n; ++i) x[row[i]] = b[i];
}

Test(derivative, agrees_with_that_of_the_staggered_iteration) {
    const ts_block block[3] = {fixture_cone(0, 0.6), fixture_cone(3, 0.6), fixture_cone(6, 0.6)};
    int converged = 0, refused = 0, all = 10 * 27;
    for (int k = 0; k < all; ++k) {
        ts_rng rng = ts_rng_make(63, (uint64_t)k);
        const int mode[3] = {k % 3, k / 3 % 3, k / 9 % 3};
        sample s;
        double lambda[ROWS] = {0}, u[ROWS], du[9], dmu[3], dlambda[9];
        make_sample(&s, 3, block, 12, 0.6, mode, 0, &rng, lambda);
        posed p;
        pose(&s, &p);
        ts_arena scratch = {0};
        ts_residual residual;
        ts_residual_evaluate(&p.problem, lambda, &scratch, u, &residual);
        for (int r = 0; r < 9; ++r) du[r] = ts_rng_normal(&rng);
        for (int c = 0; c < 3; ++c) dmu[c] = ts_rng_normal(&rng);
        ts_contact_derivative d;
        cr_assert_eq(ts_contact_derivative_make(&p.problem, TS_LAW_NCP, lambda, &zero, &p.arena, &d, NULL), TS_OK);
        cr_assert_eq(ts_contact_derivative_forward(&d, du, dmu, &scratch, dlambda, NULL), TS_OK);
        const staggered at = {&p, lambda, u, mode, du, dmu};
        long double x[9] = {0}, change = 1.0L, size = 1.0L;
        for (int turn = 0; turn < 400 && change > 1e-17L * size; ++turn) {
            long double before[9];
            memcpy(before, x, sizeof(before));
            normal_pass(&at, x);
            friction_pass(&at, x);
            change = 0.0L;
            size = 1.0L;
            for (int r = 0; r < 9; ++r) {
                change = fmaxl(change, fabsl(x[r] - before[r]));
                size = fmaxl(size, fabsl(x[r]));
            }
        }
        // The library's own is the same iteration: it rests where this one does.
        ts_contact_derivative cascade;
        ts_code code = ts_contact_derivative_cascade(&p.problem, lambda, &zero, &p.arena, &cascade, NULL);
        if (change <= 1e-15L * size) {
            double y[9];
            ++converged;
            cr_expect_eq(code, TS_OK, "problem %d", k);
            if (code == TS_OK) cr_assert_eq(ts_contact_derivative_forward(&cascade, du, dmu, &scratch, y, NULL), TS_OK);
            for (int r = 0; r < 9; ++r)
                cr_expect_float_eq(dlambda[r], (double)x[r], 1e-11 * (double)size, "problem %d row %d: %.15g, %.15Lg",
                                   k, r, dlambda[r], x[r]);
            for (int r = 0; r < 9 && code == TS_OK; ++r)
                cr_expect_float_eq(y[r], (double)x[r], 1e-11 * (double)size, "problem %d row %d: cascade %.15g, %.15Lg",
                                   k, r, y[r], x[r]);
        } else if (change > size * 1e-3L) {
            ++refused;
            cr_expect_eq(code, TS_ERROR_UNSUPPORTED, "problem %d swings", k);
        }
        ts_arena_free(&p.arena);
        ts_arena_free(&scratch);
    }
    cr_log_info("%d of %d converged", converged, all);
    cr_expect_gt(converged, all / 2, "%d of %d", converged, all);
    cr_expect_gt(refused, 0);
}
