// Many changes at once, through what impulses do to bodies: against one change at a time.
#include "base/linear/dense.h"
#include "tests/contact/derivative/derivative_sample.h"

enum { COLUMNS = 71, CHANGES = 9, SPLIT = 9 };

// Rows of blocks over coordinates in which the mass is one, J' = J L^-T with M = L L^T.
typedef struct whitened {
    double J[ROWS][DOFS];
    ts_contact_run run[2 * BLOCKS];
    double part[2 * BLOCKS][ROWS * DOFS];
    ts_contact_runs runs;
} whitened;

static void add_run(whitened* w, const ts_block* block, int column, int count) {
    double* J = w->part[w->runs.count];
    for (int r = 0; r < block->rows; ++r)
        for (int j = 0; j < count; ++j) J[r * count + j] = w->J[block->row + r][column + j];
    w->run[w->runs.count++] = (ts_contact_run){block->row, block->rows, column, count, J};
}

// Two neighbours in two parts each, so that runs that follow each other have the same coordinates or others.
static void whiten(const sample* s, whitened* w) {
    double L[DOFS * DOFS];
    memcpy(L, s->M, sizeof L);
    cr_assert(ts_cholesky_factor(L, DOFS, DOFS));
    for (int r = 0; r < s->rows; ++r)
        for (int j = 0; j < DOFS; ++j) {
            double left = s->J[r][j];
            for (int k = 0; k < j; ++k) left -= L[j * DOFS + k] * w->J[r][k];
            w->J[r][j] = left / L[j * DOFS + j];
        }
    w->runs = (ts_contact_runs){0, w->run};
    for (int b = 0; b < s->blocks; ++b) {
        int whole = b != 2 && b != 3;
        add_run(w, &s->block[b], 0, whole ? DOFS : SPLIT);
        if (!whole) add_run(w, &s->block[b], SPLIT, DOFS - SPLIT);
    }
}

// du of `changes` random changes of a block's rows, each of a column of its own, some of none.
static void ask_block(const ts_contact_derivative* d, const ts_block* block, ts_rng* rng, double du[ROWS][COLUMNS],
                      double* asked) {
    double some[6 * CHANGES];
    int column[CHANGES];
    for (int k = 0; k < CHANGES; ++k) {
        column[k] = k == 4 ? -1 : (7 * k + 11 * block->row) % COLUMNS;
        for (int r = 0; r < block->rows; ++r) {
            some[r * CHANGES + k] = ts_rng_normal(rng);
            if (k != 4) du[block->row + r][column[k]] += some[r * CHANGES + k];
        }
    }
    ts_contact_derivative_ask(d, block->row, CHANGES, some, column, COLUMNS, asked);
}

static void expect_column(const ts_contact_derivative* d, const whitened* w, int c, double du[ROWS][COLUMNS],
                          const double* dmu, const double* before, const double* after) {
    double one[ROWS], mu[BLOCKS], lambda[ROWS];
    ts_arena scratch = {0};
    for (int r = 0; r < d->row_count; ++r) {
        one[r] = du[r][c];
        for (int j = 0; j < DOFS; ++j) one[r] += w->J[r][j] * before[j * COLUMNS + c];
    }
    for (int b = 0; b < d->block_count; ++b) mu[b] = dmu ? dmu[b * COLUMNS + c] : 0.0;
    cr_assert_eq(ts_contact_derivative_forward(d, one, mu, &scratch, lambda, NULL), TS_OK);
    double size = 1.0;
    for (int r = 0; r < d->row_count; ++r) size = fmax(size, fabs(lambda[r]));
    for (int j = 0; j < DOFS; ++j) {
        double wanted = before[j * COLUMNS + c];
        for (int r = 0; r < d->row_count; ++r) wanted += w->J[r][j] * lambda[r];
        cr_expect_float_eq(after[j * COLUMNS + c], wanted, 1e-9 * size, "column %d, %d: %g, not %g", c, j,
                           after[j * COLUMNS + c], wanted);
    }
    ts_arena_free(&scratch);
}

static void push(const ts_contact_derivative* d, const sample* s, const whitened* w, int friction, int rounds,
                 ts_rng* rng) {
    static double du[ROWS][COLUMNS], asked[ROWS * COLUMNS], dmu[BLOCKS * COLUMNS], before[DOFS * COLUMNS],
        after[DOFS * COLUMNS];
    ts_arena scratch = {0};
    memset(du, 0, sizeof du);
    memset(asked, 0, sizeof asked);
    for (int b = 0; b < s->blocks; ++b) ask_block(d, &s->block[b], rng, du, asked);
    for (int i = 0; i < BLOCKS * COLUMNS; ++i) dmu[i] = ts_rng_normal(rng);
    for (int i = 0; i < DOFS * COLUMNS; ++i) after[i] = before[i] = ts_rng_normal(rng);
    ts_code code =
        ts_contact_derivative_push(d, &w->runs, COLUMNS, asked, friction ? dmu : NULL, rounds, &scratch, after);
    cr_assert_eq(code, TS_OK);
    cr_expect_eq(scratch.used, 0u, "scratch is given back");
    for (int c = 0; c < COLUMNS; ++c) expect_column(d, w, c, du, friction ? dmu : NULL, before, after);
    ts_arena_free(&scratch);
}

static void push_all(ts_contact_law law, int cascade) {
    int tried = 0;
    for (int k = 0; k < 36; ++k) {
        ts_rng rng = ts_rng_make(23, (uint64_t)k);
        int mode[BLOCKS];
        static whitened w;
        mixed_modes(k, mode);
        sample s;
        double lambda[ROWS] = {0};
        make_sample(&s, BLOCKS, every_kind, DOFS, k % 4 == 0 ? 0.0 : 0.5, mode, law == TS_LAW_CCP, &rng, lambda);
        posed p;
        pose(&s, &p);
        whiten(&s, &w);
        ts_contact_derivative d;
        ts_code code = cascade ? ts_contact_derivative_cascade(&p.problem, lambda, &zero, &p.arena, &d, NULL)
                               : ts_contact_derivative_make(&p.problem, law, lambda, &zero, &p.arena, &d, NULL);
        if (!code) {
            ++tried;
            push(&d, &s, &w, k % 3 > 0, k % 2, &rng);
        }
        cr_expect(cascade || !code, "sample %d", k);
        ts_arena_free(&p.arena);
    }
    cr_expect_gt(tried, 18, "%d of 36", tried);
}

Test(derivative_columns, are_changes_one_by_one) {
    push_all(TS_LAW_NCP, 0);
    push_all(TS_LAW_CCP, 0);
    push_all(TS_LAW_NCP, 1);
}
