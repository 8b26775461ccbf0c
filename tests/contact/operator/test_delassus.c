// Both Delassus operators against J M^-1 J^T formed in long double, on bodies with full 6x6 masses and one tree of nine
// degrees of freedom, with every kind of block.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "tests/contact/dense_operator.h"
#include "tests/contact/operator_between.h"

enum { BODY_COUNT = 4, TREE_DOF = 9, DOF = 6 * BODY_COUNT + TREE_DOF, BLOCK_COUNT = 9, ROW_COUNT = 23 };

typedef struct sample {
    int block_row[BLOCK_COUNT + 1];
    int segment_start[BLOCK_COUNT + 1];
    int segment_count;
    ts_delassus_segment segment[2 * BLOCK_COUNT];
    double J[2 * BLOCK_COUNT][6 * TREE_DOF];
    double Y[2 * BLOCK_COUNT][6 * TREE_DOF];
    double J_full[ROW_COUNT][DOF];
    long double inverse_mass[DOF][DOF];
    double G[ROW_COUNT * ROW_COUNT];
} sample;

// Inverts a positive definite n x n matrix by Gauss-Jordan elimination.
static void invert(long double A[TREE_DOF][TREE_DOF], int n, long double out_inverse[TREE_DOF][TREE_DOF]) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) out_inverse[i][j] = i == j ? 1.0L : 0.0L;
    for (int p = 0; p < n; ++p) {
        long double pivot = A[p][p];
        for (int j = 0; j < n; ++j) {
            A[p][j] /= pivot;
            out_inverse[p][j] /= pivot;
        }
        for (int i = 0; i < n; ++i) {
            long double factor = A[i][p];
            for (int j = 0; i != p && j < n; ++j) {
                A[i][j] -= factor * A[p][j];
                out_inverse[i][j] -= factor * out_inverse[p][j];
            }
        }
    }
}

// Places the inverse of a random mass matrix on columns [column, column + n).
static void make_inverse_mass(sample* s, ts_rng* rng, int column, int n) {
    long double A[TREE_DOF][TREE_DOF], X[TREE_DOF][TREE_DOF], inverse[TREE_DOF][TREE_DOF];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) X[i][j] = ts_rng_normal(rng);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            A[i][j] = i == j ? 1.0L : 0.0L;
            for (int k = 0; k < n; ++k) A[i][j] += X[i][k] * X[j][k];
        }
    invert(A, n, inverse);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) s->inverse_mass[column + i][column + j] = inverse[i][j];
}

static void add_segment(sample* s, ts_rng* rng, int b, int column, int count) {
    int rows = s->block_row[b + 1] - s->block_row[b], k = s->segment_count++;
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < count; ++j) {
            s->J[k][r * count + j] = ts_rng_normal(rng);
            s->J_full[s->block_row[b] + r][column + j] = s->J[k][r * count + j];
        }
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < count; ++j) {
            long double sum = 0.0L;
            for (int i = 0; i < count; ++i) sum += s->inverse_mass[column + j][column + i] * s->J[k][r * count + i];
            s->Y[k][r * count + j] = (double)sum;
        }
    ts_delassus_segment segment = {column, count, s->J[k], s->Y[k]};
    s->segment[k] = segment;
}

static void make_sample(sample* s, ts_rng* rng) {
    memset(s, 0, sizeof(*s));
    for (int body = 0; body < BODY_COUNT; ++body) make_inverse_mass(s, rng, 6 * body, 6);
    const int tree = 6 * BODY_COUNT;
    make_inverse_mass(s, rng, tree, TREE_DOF);
    // Rows per block, and the columns of its (at most two) segments; -1 means none.
    const int rows[BLOCK_COUNT] = {3, 3, 3, 1, 3, 6, 1, 3, 0};
    const int column[BLOCK_COUNT][2] = {{0, 6},    {6, -1},  {12, tree}, {tree, -1}, {18, 0},
                                        {tree, 6}, {12, 18}, {-1, -1},   {-1, -1}};
    for (int b = 0; b < BLOCK_COUNT; ++b) {
        s->block_row[b + 1] = s->block_row[b] + rows[b];
        s->segment_start[b] = s->segment_count;
        for (int k = 0; k < 2; ++k)
            if (column[b][k] >= 0) add_segment(s, rng, b, column[b][k], column[b][k] == tree ? TREE_DOF : 6);
    }
    s->segment_start[BLOCK_COUNT] = s->segment_count;
    cr_assert_eq(s->block_row[BLOCK_COUNT], ROW_COUNT);
    for (int i = 0; i < ROW_COUNT; ++i)
        for (int k = 0; k < ROW_COUNT; ++k) {
            long double sum = 0.0L;
            for (int p = 0; p < DOF; ++p)
                for (int q = 0; q < DOF; ++q) sum += s->J_full[i][p] * s->inverse_mass[p][q] * s->J_full[k][q];
            s->G[i * ROW_COUNT + k] = (double)sum;
        }
}

// G x of the long double matrix.
static void multiply(const sample* s, const double* x, double* out_y) {
    for (int i = 0; i < ROW_COUNT; ++i) {
        long double sum = 0.0L;
        for (int j = 0; j < ROW_COUNT; ++j) sum += (long double)s->G[i * ROW_COUNT + j] * x[j];
        out_y[i] = (double)sum;
    }
}

static void expect_velocity(const sample* s, const ts_delassus* G, const double* impulse, const char* what) {
    double expected[ROW_COUNT], u[6];
    multiply(s, impulse, expected);
    for (int b = 0; b < BLOCK_COUNT; ++b) {
        G->ops->velocity(G, b, u);
        for (int r = s->block_row[b]; r < s->block_row[b + 1]; ++r)
            cr_expect_float_eq(u[r - s->block_row[b]], expected[r], 1e-12, "%s %s row %d: %.15g, not %.15g",
                               G->ops->name, what, r, u[r - s->block_row[b]], expected[r]);
    }
}

// Everything an operator with rows and apply promises.
static void check_operator(const sample* s, ts_delassus* G, ts_rng* rng) {
    double impulse[ROW_COUNT], x[ROW_COUNT], y[ROW_COUNT], expected[ROW_COUNT], matrix[ROW_COUNT * ROW_COUNT];
    cr_assert_eq(G->row_count, ROW_COUNT);
    cr_assert_eq(G->block_count, BLOCK_COUNT);
    for (int i = 0; i < ROW_COUNT; ++i) {
        impulse[i] = ts_rng_normal(rng);
        x[i] = ts_rng_normal(rng);
    }
    G->ops->set_impulse(G, impulse);
    expect_velocity(s, G, impulse, "after set");
    for (int round = 0; round < 3; ++round)
        for (int b = 0; b < BLOCK_COUNT; ++b) {
            double delta[6];
            for (int r = s->block_row[b]; r < s->block_row[b + 1]; ++r) {
                delta[r - s->block_row[b]] = round == 1 ? 0.0 : ts_rng_normal(rng);
                impulse[r] += delta[r - s->block_row[b]];
            }
            G->ops->add_impulse(G, b, delta);
        }
    expect_velocity(s, G, impulse, "after add");
    if (G->ops->between) expect_between(G, x);
    G->ops->apply(G, x, y);
    multiply(s, x, expected);
    for (int i = 0; i < ROW_COUNT; ++i) cr_expect_float_eq(y[i], expected[i], 1e-12, "%s apply", G->ops->name);
    expect_velocity(s, G, impulse, "after apply");
    for (int b = 0; b < BLOCK_COUNT; ++b) {
        const double* D = G->ops->diagonal(G, b);
        int first = s->block_row[b], rows = s->block_row[b + 1] - first;
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j)
                cr_expect_float_eq(D[i * rows + j], s->G[(first + i) * ROW_COUNT + first + j], 1e-12);
    }
    ts_arena scratch = {0};
    ts_delassus_blocks blocks;
    memset(matrix, 0, sizeof(matrix));
    cr_assert(G->ops->blocks(G, &scratch, ROW_COUNT * ROW_COUNT, &blocks));
    for (int b = 0; b < BLOCK_COUNT; ++b) {
        int diagonals = 0;
        for (int e = blocks.start[b]; e < blocks.start[b + 1]; ++e) {
            int c = blocks.column[e], columns = s->block_row[c + 1] - s->block_row[c];
            diagonals += c == b;
            cr_expect(e == blocks.start[b] || blocks.column[e - 1] < c, "columns must ascend");
            for (int i = s->block_row[b]; i < s->block_row[b + 1]; ++i)
                for (int k = 0; k < columns; ++k)
                    matrix[i * ROW_COUNT + s->block_row[c] + k] =
                        blocks.value[blocks.at[e] + (size_t)((i - s->block_row[b]) * columns + k)];
        }
        cr_expect_eq(diagonals, 1);
    }
    for (int i = 0; i < ROW_COUNT * ROW_COUNT; ++i) cr_expect_float_eq(matrix[i], s->G[i], 1e-12);
    cr_expect(!G->ops->blocks(G, &scratch, 50, &blocks), "a limit of 50 numbers was not kept");
    dense_operator_matrix(G, &scratch, matrix);
    for (int i = 0; i < ROW_COUNT * ROW_COUNT; ++i) cr_expect_float_eq(matrix[i], s->G[i], 1e-12);
    ts_arena_free(&scratch);
}

Test(delassus, both_forms_agree_with_the_definition) {
    ts_rng rng = ts_rng_make(11, 0);
    for (int k = 0; k < 10; ++k) {
        static sample s;
        make_sample(&s, &rng);
        ts_arena arena = {0};
        ts_delassus* dense = dense_operator(&arena, BLOCK_COUNT, s.block_row, s.G);
        ts_delassus* velocity =
            ts_delassus_velocity_form(&arena, DOF, BLOCK_COUNT, s.block_row, s.segment_start, s.segment);
        cr_assert(dense && velocity);
        check_operator(&s, dense, &rng);
        check_operator(&s, velocity, &rng);
        ts_arena_free(&arena);
    }
}

// Recorded matrices are not symmetric; products and rows must belong to the matrix as it stands.
Test(delassus, a_matrix_that_is_not_symmetric_is_used_as_it_stands) {
    enum { N = 24 };
    ts_rng rng = ts_rng_make(14, 0);
    double G[N * N], x[N], y[N];
    int block_row[N / 3 + 1];
    for (int b3 = 0; b3 <= N / 3; ++b3) block_row[b3] = 3 * b3;
    for (int i = 0; i < N * N; ++i) G[i] = ts_rng_normal(&rng) + (i % (N + 1) == 0 ? 12.0 : 0.0);
    for (int i = 0; i < N; ++i) x[i] = ts_rng_normal(&rng);
    ts_arena arena = {0};
    ts_delassus* dense = dense_operator(&arena, N / 3, block_row, G);
    cr_assert(dense);
    double zero[N] = {0};
    dense->ops->set_impulse(dense, zero);
    for (int k = 0; k < N / 3; ++k) dense->ops->add_impulse(dense, k, x + 3 * k);
    dense->ops->apply(dense, x, y);
    for (int i = 0; i < N; ++i) {
        long double sum = 0.0L;
        for (int j = 0; j < N; ++j) sum += (long double)G[i * N + j] * x[j];
        double u[3];
        dense->ops->velocity(dense, i / 3, u);
        cr_expect_float_eq(y[i], (double)sum, 1e-12);
        cr_expect_float_eq(u[i % 3], (double)sum, 1e-12);
    }
    ts_arena_free(&arena);
}

// V = M^-1 J^T lambda, from the long double inverse mass.
Test(delassus, velocity_form_keeps_the_velocity_change_of_the_bodies) {
    ts_rng rng = ts_rng_make(12, 0);
    static sample s;
    make_sample(&s, &rng);
    ts_arena arena = {0};
    ts_delassus* G = ts_delassus_velocity_form(&arena, DOF, BLOCK_COUNT, s.block_row, s.segment_start, s.segment);
    double impulse[ROW_COUNT];
    for (int i = 0; i < ROW_COUNT; ++i) impulse[i] = ts_rng_normal(&rng);
    G->ops->set_impulse(G, impulse);
    const double* V = ts_delassus_velocity_change(G);
    for (int p = 0; p < DOF; ++p) {
        long double sum = 0.0L;
        for (int q = 0; q < DOF; ++q)
            for (int i = 0; i < ROW_COUNT; ++i) sum += s.inverse_mass[p][q] * s.J_full[i][q] * impulse[i];
        cr_expect_float_eq(V[p], (double)sum, 1e-12);
    }
    cr_expect_null(ts_delassus_velocity_change(dense_operator(&arena, BLOCK_COUNT, s.block_row, s.G)));
    ts_arena_free(&arena);
}

// With unit masses Y is J; the caller may then pass one array twice, and gets the same operator.
Test(delassus, velocity_form_may_share_one_array_for_both_factors) {
    ts_rng rng = ts_rng_make(13, 0);
    double J[4][18], G[36] = {0};
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 18; ++i) J[k][i] = ts_rng_normal(&rng);
    const int block_row[3] = {0, 3, 6}, start[3] = {0, 2, 3};
    const ts_delassus_segment segment[3] = {{0, 6, J[0], J[0]}, {6, 6, J[1], J[1]}, {6, 6, J[2], J[2]}};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 6; ++j) {
                G[6 * i + k] += J[0][6 * i + j] * J[0][6 * k + j] + J[1][6 * i + j] * J[1][6 * k + j];
                G[6 * i + 3 + k] += J[1][6 * i + j] * J[2][6 * k + j];
                G[6 * (3 + k) + i] += J[1][6 * i + j] * J[2][6 * k + j];
                G[6 * (3 + i) + 3 + k] += J[2][6 * i + j] * J[2][6 * k + j];
            }
    ts_arena arena = {0};
    ts_delassus* op = ts_delassus_velocity_form(&arena, 12, 2, block_row, start, segment);
    double matrix[36];
    dense_operator_matrix(op, &arena, matrix);
    for (int i = 0; i < 36; ++i) cr_expect_float_eq(matrix[i], G[i], 1e-13);
    ts_arena_free(&arena);
}

Test(delassus, an_empty_problem_is_an_operator_too) {
    static const int zero[1] = {0};
    ts_arena arena = {0};
    ts_delassus* dense = dense_operator(&arena, 0, zero, NULL);
    ts_delassus* velocity = ts_delassus_velocity_form(&arena, 6, 0, zero, zero, NULL);
    cr_assert(dense && velocity);
    cr_expect_eq(dense->row_count, 0);
    velocity->ops->set_impulse(velocity, NULL);
    for (int j = 0; j < 6; ++j) cr_expect_eq(ts_delassus_velocity_change(velocity)[j], 0.0);
    ts_arena_free(&arena);
}
