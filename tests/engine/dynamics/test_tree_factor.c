// The factor along a tree against elimination in long double.
#include "engine/dynamics/crba.h"
#include "engine/dynamics/jacobian.h"
#include "engine/dynamics/tree_factor.h"
#include "tests/engine/engine_fixture.h"

enum { most_dofs = 32, most_rows = 12 };

// X <- A^-1 X for `columns` right-hand sides, by Gauss with the largest pivots.
static void eliminate(long double A[most_dofs][most_dofs], int n, long double X[most_dofs][most_rows], int columns) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
        for (int j = 0; j < n; ++j) {
            long double keep = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = keep;
        }
        for (int j = 0; j < columns; ++j) {
            long double keep = X[k][j];
            X[k][j] = X[best][j];
            X[best][j] = keep;
        }
        for (int i = 0; i < n; ++i) {
            if (i == k) continue;
            long double share = A[i][k] / A[k][k];
            for (int j = 0; j < n; ++j) A[i][j] -= share * A[k][j];
            for (int j = 0; j < columns; ++j) X[i][j] -= share * X[k][j];
        }
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < columns; ++j) X[k][j] /= A[k][k];
}

// Rows of points of bodies of a tree, and the last dof of each row's chain; every fifth row lies across the tree.
static int fill_rows(const ts_model* model, const ts_kinematics* k, int tree, double* rows, int* last) {
    int n = model->tree[tree].dof_count, first = model->tree[tree].dof_first, count = 0;
    double J[3 * 64];
    for (int i = 0; i < model->tree[tree].body_count && count + 3 <= most_rows; ++i) {
        int b = model->tree_body[model->tree[tree].body_first + i];
        ts_jacobian_point(model, k, b, ts_vec3_add(k->body_centre[b], ts_vec3_make(0.1, 0.2, -0.3)), J, NULL);
        for (int r = 0; r < 3; ++r, ++count) {
            last[count] = model->body[b].dof_last - first;
            memcpy(rows + count * n, J + r * model->nv + first, (size_t)n * sizeof(double));
            if (count % 5 != 4) continue;
            for (int d = 0; d < n; ++d) rows[count * n + d] += 0.1 * (d + 1);
            last[count] = -1;
        }
    }
    return count;
}

// Columns whitened are rows whitened, and unwhitened again M^-1 of them.
static void expect_halves(const ts_model* model, int t, const double* L, const double* inverse, int rows,
                          const double* J, const double* Y, const double* solved) {
    double half[most_rows * most_dofs];
    int n = model->tree[t].dof_count;
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < rows; ++r) half[i * rows + r] = J[r * n + i];
    ts_tree_factor_whiten_columns(model, t, L, inverse, rows, half);
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < rows; ++r) cr_assert_float_eq(half[i * rows + r], Y[r * n + i], 1e-11);
    ts_tree_factor_unwhiten_columns(model, t, L, inverse, rows, half);
    for (int k = 0; k < n * rows; ++k) cr_assert_float_eq(half[k], solved[k], 1e-11);
}

Test(tree_factor, inverse_and_delassus_against_elimination) {
    static long double A[most_dofs][most_dofs], X[most_dofs][most_rows];
    for (uint64_t seed = 71; seed <= 80; ++seed) {
        fixture f = fixture_menagerie(seed);
        const ts_model* model = f.model;
        ts_arena arena = {0};
        ts_kinematics k;
        ts_tree_scratch scratch;
        cr_assert(ts_kinematics_create(model, &arena, &k) && ts_tree_scratch_create(model, &arena, &scratch));
        ts_kinematics_update(model, f.sim->qpos, f.sim->qvel, &k);
        for (int t = 0; t < model->tree_count; ++t) {
            int n = model->tree[t].dof_count, last[most_rows];
            double M[most_dofs * most_dofs], L[most_dofs * most_dofs] = {0.0}, inverse[most_dofs],
                                                           J[most_rows * most_dofs], Y[most_rows * most_dofs];
            double solved[most_rows * most_dofs], column[most_rows * most_dofs], G[most_rows * most_rows],
                H[most_rows * most_rows];
            int rows = fill_rows(model, &k, t, J, last);
            ts_crba_tree(model, &k, t, &scratch, M);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) A[i][j] = M[i * n + j];
            for (int i = 0; i < n; ++i)
                for (int r = 0; r < rows; ++r) X[i][r] = J[r * n + i];
            eliminate(A, n, X, rows);
            cr_assert(ts_tree_factor_make(model, t, M, L, inverse));
            memcpy(solved, J, sizeof J);
            memcpy(Y, J, sizeof J);
            for (int i = 0; i < n; ++i)
                for (int r = 0; r < rows; ++r) column[i * rows + r] = J[r * n + i];
            ts_tree_factor_solve(model, t, L, inverse, rows, solved);
            ts_tree_factor_solve_columns(model, t, L, inverse, rows, column);
            ts_tree_factor_whiten(model, t, L, inverse, rows, Y);
            expect_halves(model, t, L, inverse, rows, J, Y, column);
            ts_tree_factor_delassus(model, t, rows, Y, last, G);
            ts_tree_factor_delassus(model, t, rows, Y, NULL, H);
            for (int r = 0; r < rows; ++r) {
                for (int i = 0; i < n; ++i) {
                    cr_assert_float_eq(solved[r * n + i], (double)X[i][r], 1e-11);
                    cr_assert_float_eq(column[i * rows + r], (double)X[i][r], 1e-11);
                }
                for (int s = 0; s < rows; ++s) {
                    long double entry = 0;
                    for (int i = 0; i < n; ++i) entry += J[s * n + i] * X[i][r];
                    cr_assert_float_eq(G[r * rows + s], (double)entry, 1e-11);
                    cr_assert_float_eq(H[r * rows + s], (double)entry, 1e-11);
                }
            }
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}

Test(tree_factor, no_mass_no_factor) {
    fixture f = fixture_menagerie(81);
    for (int t = 0; t < f.model->tree_count; ++t) {
        int n = f.model->tree[t].dof_count;
        double M[most_dofs * most_dofs] = {0.0}, L[most_dofs * most_dofs], inverse[most_dofs];
        cr_assert_not(ts_tree_factor_make(f.model, t, M, L, inverse));
        for (int i = 0; i < n; ++i) M[i * (n + 1)] = 4.0;
        cr_assert(ts_tree_factor_make(f.model, t, M, L, inverse));
        for (int i = 0; i < n; ++i) cr_assert_eq(inverse[i], 0.5);
    }
    fixture_end(&f);
}

// Combs of hinges: every fourth link carries a tooth, links of three. Of all sizes, beyond what is factorised on the stack too.
Test(tree_factor, product_is_the_inertia) {
    static const int sizes[] = {1, 2, 3, 7, 30, 63, 64, 65, 90};
    ts_rng rng = ts_rng_make(12, 0);
    for (int s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); ++s) {
        int n = sizes[s], spine = 0;
        ts_builder* builder = ts_builder_create("comb");
        for (int i = 0, parent = 0; i < n; ++i) {
            int body = fixture_random_body(builder, &rng, parent);
            fixture_joint(builder, &rng, body, TS_JOINT_HINGE);
            if (i % 4 == 0) spine = body;
            parent = i % 4 == 3 ? spine : body;
        }
        fixture f = fixture_start(builder, 1);
        ts_arena arena = {0};
        ts_kinematics k;
        ts_tree_scratch scratch;
        ts_tree_factors factors;
        cr_assert(ts_kinematics_create(f.model, &arena, &k) && ts_tree_scratch_create(f.model, &arena, &scratch));
        cr_assert(ts_tree_factors_create(f.model, &arena, &factors));
        ts_kinematics_update(f.model, f.sim->qpos, f.sim->qvel, &k);
        cr_assert(ts_tree_factors_update(f.model, &k, &scratch, &factors));
        const double *M = factors.M, *L = factors.L;
        for (int i = 0; i < n; ++i) {
            cr_assert_float_eq(L[i * n + i] * factors.inverse[i], 1.0, 1e-15);
            for (int j = 0; j <= i; ++j) {
                // (L^T L)_ij sums over rows below both.
                long double sum = 0;
                for (int r = i; r < n; ++r) sum += (long double)L[r * n + i] * L[r * n + j];
                double scale = sqrt(M[i * n + i] * M[j * n + j]);
                cr_assert_float_eq(M[i * n + j], (double)sum, 1e-14 * scale, "%d: %d %d", n, i, j);
            }
        }
        ts_arena_free(&arena);
        fixture_end(&f);
    }
}
