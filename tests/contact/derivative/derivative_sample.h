// Contact problems by what their G is made of, with blocks of every kind in the mode that is asked for.
#ifndef TS_TESTS_DERIVATIVE_SAMPLE_H
#define TS_TESTS_DERIVATIVE_SAMPLE_H

#include "tests/contact/derivative/derivative_fixture.h"

enum { DOFS = 18, ROWS = 16, BLOCKS = 5 };

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

// Solves M X = B for `count` columns kept as rows of X, in long double, by elimination without pivots (M is definite).
static inline void solve_mass(const sample* s, int count, long double X[][DOFS]) {
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

static inline void make_G(const sample* s, double* G) {
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

static inline void pose(const sample* s, posed* out) {
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

// Fills lambda and u of one block as it would be in a mode, well away from its borders.
static inline void answer_of(const ts_block* block, double mu, int mode, int convex, ts_rng* rng, double* lambda,
                             double* u) {
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
static inline void make_sample(sample* s, int blocks, const ts_block* block, int dofs, double mu, const int* mode,
                               int convex, ts_rng* rng, double* lambda) {
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

// Every kind of block at once: spinning and rolling rows, a joint limit, dry friction, two bilateral rows.
static const ts_block every_kind[BLOCKS] = {
    {TS_SET_CONE, 0, 4, 0, 0, 0},      {TS_SET_CONE, 4, 6, 0, 0, 0},  {TS_SET_HALF_LINE, 10, 1, 0, 0, 0},
    {TS_SET_BOX, 11, 1, 0, -0.3, 0.5}, {TS_SET_FREE, 12, 2, 0, 0, 0},
};

static inline void mixed_modes(int k, int mode[BLOCKS]) {
    mode[0] = k % 3;
    mode[1] = k / 3 % 3;
    mode[2] = k / 2 % 2;
    mode[3] = (k + k / 9) % 3;
    mode[4] = 1;
}

#endif
