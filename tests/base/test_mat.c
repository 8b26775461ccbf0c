// base/mat.h: algebra against sums written out in long double, the inverse and the eigenproblem against their defining
// equations, also where entries are huge, tiny, repeated or nearly repeated.
#include <criterion/criterion.h>

#include <float.h>

#include "tests/base/sample.h"

static long double wide(double x) { return (long double)x; }

// <row i of a, column j of b> in long double.
static long double exact_entry(const ts_mat3* a, const ts_mat3* b, int i, int j) {
    long double sum = 0.0L;
    for (int k = 0; k < 3; ++k) sum += wide(a->m[i][k]) * wide(b->m[k][j]);
    return sum;
}

Test(mat, constructors_place_entries) {
    ts_vec3 r0 = ts_vec3_make(1, 2, 3), r1 = ts_vec3_make(4, 5, 6), r2 = ts_vec3_make(7, 8, 9);
    ts_mat3 rows = ts_mat3_from_rows(r0, r1, r2), columns = ts_mat3_from_columns(r0, r1, r2);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            cr_assert_eq(rows.m[i][j], 3 * i + j + 1);
            cr_assert_eq(columns.m[j][i], 3 * i + j + 1);
            cr_assert_eq(ts_mat3_identity().m[i][j], i == j ? 1.0 : 0.0);
            cr_assert_eq(ts_mat3_zero().m[i][j], 0.0);
            cr_assert_eq(ts_mat3_diagonal(r0).m[i][j], i == j ? i + 1.0 : 0.0);
            cr_assert_eq(ts_mat3_outer(r1, r2).m[i][j], ts_vec3_get(r1, i) * ts_vec3_get(r2, j));
            cr_assert_eq(ts_mat3_transpose(rows).m[i][j], rows.m[j][i]);
            cr_assert_eq(ts_vec3_get(ts_mat3_row(&rows, i), j), rows.m[i][j]);
            cr_assert_eq(ts_vec3_get(ts_mat3_column(&rows, j), i), rows.m[i][j]);
        }
    cr_assert_eq(ts_mat3_trace(&rows), 15.0);
}

Test(mat, products_match_long_double_sums) {
    ts_rng rng = ts_rng_make(11, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_mat3 a = sample_mat3(&rng, 2.0), b = sample_mat3(&rng, 2.0), at = ts_mat3_transpose(a);
        ts_mat3 bt = ts_mat3_transpose(b);
        ts_vec3 v = sample_vec3(&rng, 2.0);
        ts_mat3 ab = ts_mat3_mul(a, b), atb = ts_mat3_transposed_mul(a, b), abt = ts_mat3_mul_transposed(a, b);
        ts_mat3 sum = ts_mat3_add(a, b), difference = ts_mat3_sub(a, b), scaled = ts_mat3_scale(-1.5, a);
        for (int i = 0; i < 3; ++i) {
            long double av = 0.0L, atv = 0.0L;
            for (int j = 0; j < 3; ++j) {
                cr_assert_float_eq(ab.m[i][j], (double)exact_entry(&a, &b, i, j), 1e-14);
                cr_assert_float_eq(atb.m[i][j], (double)exact_entry(&at, &b, i, j), 1e-14);
                cr_assert_float_eq(abt.m[i][j], (double)exact_entry(&a, &bt, i, j), 1e-14);
                cr_assert_eq(sum.m[i][j], a.m[i][j] + b.m[i][j]);
                cr_assert_eq(difference.m[i][j], a.m[i][j] - b.m[i][j]);
                cr_assert_eq(scaled.m[i][j], -1.5 * a.m[i][j]);
                av += wide(a.m[i][j]) * wide(ts_vec3_get(v, j));
                atv += wide(a.m[j][i]) * wide(ts_vec3_get(v, j));
            }
            cr_assert_float_eq(ts_vec3_get(ts_mat3_mul_vec(&a, v), i), (double)av, 1e-14);
            cr_assert_float_eq(ts_vec3_get(ts_mat3_mul_vec_transposed(&a, v), i), (double)atv, 1e-14);
        }
    }
}

Test(mat, skew_is_the_cross_product) {
    ts_rng rng = ts_rng_make(12, 0);
    for (int trial = 0; trial < 100; ++trial) {
        ts_vec3 a = sample_vec3(&rng, 3.0), b = sample_vec3(&rng, 3.0);
        ts_mat3 s = ts_mat3_skew(a);
        cr_assert_leq(sample_vec3_gap(ts_mat3_mul_vec(&s, b), ts_vec3_cross(a, b)), 1e-14);
        cr_assert_eq(sample_mat3_gap(ts_mat3_transpose(s), ts_mat3_scale(-1.0, s)), 0.0);
    }
}

Test(mat, rotated_tensor_acts_like_the_original) {
    // (R A R^T) (R v) = R (A v)
    ts_rng rng = ts_rng_make(13, 0);
    for (int trial = 0; trial < 200; ++trial) {
        ts_mat3 r = ts_quat_to_mat3(sample_quat(&rng)), a = sample_mat3(&rng, 2.0);
        ts_vec3 v = sample_vec3(&rng, 1.0);
        ts_mat3 rotated = ts_mat3_rotate_tensor(r, a);
        ts_vec3 left = ts_mat3_mul_vec(&rotated, ts_mat3_mul_vec(&r, v));
        cr_assert_leq(sample_vec3_gap(left, ts_mat3_mul_vec(&r, ts_mat3_mul_vec(&a, v))), 2e-14);
    }
}

Test(mat, determinant_is_multiplicative_and_alternating) {
    ts_rng rng = ts_rng_make(14, 0);
    for (int trial = 0; trial < 500; ++trial) {
        ts_mat3 a = sample_mat3(&rng, 2.0), b = sample_mat3(&rng, 2.0);
        double det = ts_mat3_determinant(a);
        cr_assert_float_eq(ts_mat3_determinant(ts_mat3_mul(a, b)), det * ts_mat3_determinant(b), 1e-11);
        ts_mat3 swapped = ts_mat3_from_rows(ts_mat3_row(&a, 1), ts_mat3_row(&a, 0), ts_mat3_row(&a, 2));
        cr_assert_float_eq(ts_mat3_determinant(swapped), -det, 1e-13);
        // Leibniz's formula in long double.
        long double exact = 0.0L;
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            exact += wide(a.m[0][i]) * wide(a.m[1][j]) * wide(a.m[2][k]);
            exact -= wide(a.m[0][k]) * wide(a.m[1][j]) * wide(a.m[2][i]);
        }
        cr_assert_float_eq(det, (double)exact, 1e-13);
    }
}

// |A V - V diag(w)|, |V^T V - I|, order and handedness, all relative to `size`, the size of A.
static void check_eigen(const ts_mat3* a, double size) {
    ts_vec3 w;
    ts_mat3 V;
    ts_mat3_eigen_symmetric(a, &w, &V);
    cr_assert(w.x <= w.y && w.y <= w.z);
    cr_assert_leq(sample_mat3_gap(ts_mat3_transposed_mul(V, V), ts_mat3_identity()), 16.0 * DBL_EPSILON);
    cr_assert_float_eq(ts_mat3_determinant(V), 1.0, 16.0 * DBL_EPSILON);
    ts_mat3 left = ts_mat3_mul(*a, V), right = ts_mat3_mul(V, ts_mat3_diagonal(w));
    cr_assert_leq(sample_mat3_gap(left, right), 32.0 * DBL_EPSILON * size);
}

Test(mat, eigen_satisfies_its_equation) {
    ts_rng rng = ts_rng_make(16, 0);
    for (int trial = 0; trial < 2000; ++trial) {
        ts_vec3 w = sample_vec3(&rng, 1.0);
        ts_mat3 a = sample_symmetric(&rng, w);
        check_eigen(&a, 1.0);
    }
    const double gaps[] = {0.0, 1e-16, 1e-12, 1e-8, 1e-4};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
        for (int trial = 0; trial < 100; ++trial) {
            ts_mat3 low = sample_symmetric(&rng, ts_vec3_make(0.25, 0.25 + gaps[g], 1.0));
            ts_mat3 high = sample_symmetric(&rng, ts_vec3_make(0.25, 1.0, 1.0 + gaps[g]));
            ts_mat3 all = sample_symmetric(&rng, ts_vec3_make(1.0, 1.0 + gaps[g], 1.0 + 2.0 * gaps[g]));
            check_eigen(&low, 1.0);
            check_eigen(&high, 1.0);
            check_eigen(&all, 1.0);
        }
    const double sizes[] = {1e-300, 1e-150, 1e150, 1e300};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        ts_mat3 a = ts_mat3_scale(sizes[s], sample_symmetric(&rng, ts_vec3_make(-1.0, 0.5, 2.0)));
        check_eigen(&a, 2.0 * sizes[s]);
    }
}

Test(mat, eigen_of_known_matrices) {
    ts_vec3 w;
    ts_mat3 V;
    ts_mat3 zero = ts_mat3_zero();
    ts_mat3_eigen_symmetric(&zero, &w, &V);
    cr_assert_eq(ts_vec3_max_abs(w), 0.0);
    // Every order of a diagonal matrix must come out sorted and right-handed.
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double values[3] = {-3.0, 1.0, 8.0};
    for (int o = 0; o < 6; ++o) {
        ts_mat3 d = ts_mat3_diagonal(ts_vec3_make(values[orders[o][0]], values[orders[o][1]], values[orders[o][2]]));
        ts_mat3_eigen_symmetric(&d, &w, &V);
        cr_assert_eq(sample_vec3_gap(w, ts_vec3_load(values)), 0.0);
        check_eigen(&d, 8.0);
    }
    // 2 on the diagonal, -1 beside it: 2 - sqrt 2, 2, 2 + sqrt 2.
    ts_mat3 chain = {{{2.0, -1.0, 0.0}, {-1.0, 2.0, -1.0}, {0.0, -1.0, 2.0}}};
    ts_mat3_eigen_symmetric(&chain, &w, &V);
    cr_assert_leq(sample_vec3_gap(w, ts_vec3_make(2.0 - sqrt(2.0), 2.0, 2.0 + sqrt(2.0))), 4e-15);
    chain.m[0][1] = (double)NAN;
    ts_mat3_eigen_symmetric(&chain, &w, &V);
    cr_assert(isnan(w.x) && isnan(w.y) && isnan(w.z));
}
