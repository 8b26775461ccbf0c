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

Test(mat, inverse_solves_at_every_scale) {
    ts_rng rng = ts_rng_make(15, 0);
    const double scales[] = {1e-300, 1e-120, 1e-61, 1e-10, 1.0, 1e10, 1e61, 1e120, 1e290};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s)
        for (int trial = 0; trial < 100; ++trial) {
            // Singular values between 1/2 and 2, so that the condition number does not blur the check.
            ts_mat3 u = ts_quat_to_mat3(sample_quat(&rng)), v = ts_quat_to_mat3(sample_quat(&rng));
            ts_vec3 sigma = ts_vec3_make(ts_rng_uniform_in(&rng, 0.5, 2.0), ts_rng_uniform_in(&rng, 0.5, 2.0), -1.0);
            ts_mat3 a = ts_mat3_scale(scales[s], ts_mat3_mul(ts_mat3_mul(u, ts_mat3_diagonal(sigma)), v)), inverse;
            cr_assert_eq(ts_mat3_invert(&a, &inverse), 1);
            cr_assert_leq(sample_mat3_gap(ts_mat3_mul(a, inverse), ts_mat3_identity()), 4e-15);
            cr_assert_leq(sample_mat3_gap(ts_mat3_mul(inverse, a), ts_mat3_identity()), 4e-15);
        }
}

Test(mat, inverse_refuses_what_has_none) {
    ts_mat3 keep = ts_mat3_diagonal(ts_vec3_make(3.0, 5.0, 7.0)), out = keep;
    ts_mat3 singular[5] = {ts_mat3_zero(), ts_mat3_diagonal(ts_vec3_make(1.0, 0.0, 2.0)),
                           ts_mat3_outer(ts_vec3_make(1.0, 2.0, 4.0), ts_vec3_make(1.0, -2.0, 0.5)), ts_mat3_identity(),
                           ts_mat3_identity()};
    singular[3].m[1][2] = (double)NAN;
    singular[4].m[2][0] = HUGE_VAL;
    for (int k = 0; k < 5; ++k) {
        cr_assert_eq(ts_mat3_invert(&singular[k], &out), 0, "case %d", k);
        cr_assert_eq(sample_mat3_gap(out, keep), 0.0, "case %d wrote its output", k);
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

// The characteristic polynomial of a symmetric A at x, in long double.
static long double characteristic(const ts_mat3* a, long double x) {
    long double d0 = wide(a->m[0][0]) - x, d1 = wide(a->m[1][1]) - x, d2 = wide(a->m[2][2]) - x;
    long double b = wide(a->m[0][1]), c = wide(a->m[0][2]), d = wide(a->m[1][2]);
    return d0 * (d1 * d2 - d * d) - b * (b * d2 - d * c) + c * (b * d - d1 * c);
}

// The largest eigenvalue by Newton's method from above, which approaches it monotonically; long double throughout.
static long double exact_largest(const ts_mat3* a) {
    long double trace = wide(a->m[0][0]) + wide(a->m[1][1]) + wide(a->m[2][2]);
    long double minors = 0.0L;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) minors += wide(a->m[i][i]) * wide(a->m[j][j]) - wide(a->m[i][j]) * wide(a->m[i][j]);
    long double x = trace;  // at least the largest eigenvalue of a semi-definite matrix
    for (int step = 0; step < 200; ++step) {
        long double slope = -3.0L * x * x + 2.0L * trace * x - minors;
        long double next = slope == 0.0L ? x : x - characteristic(a, x) / slope;
        if (!(next < x)) break;
        x = next;
    }
    return x;
}

Test(mat, largest_eigenvalue_is_never_below_the_truth) {
    ts_rng rng = ts_rng_make(17, 0);
    for (int trial = 0; trial < 5000; ++trial) {
        ts_vec3 w = ts_vec3_make(ts_rng_uniform(&rng), ts_rng_uniform(&rng), 1.0 + ts_rng_uniform(&rng));
        ts_mat3 a = sample_symmetric(&rng, w);
        long double truth = exact_largest(&a);
        double bound = ts_mat3_largest_eigenvalue(&a);
        cr_assert(wide(bound) >= truth, "%.20Lg below %.20Lg", wide(bound), truth);
        cr_assert(wide(bound) <= truth * (1.0L + 1e-12L), "%.20Lg above %.20Lg", wide(bound), truth);
    }
    // Double and triple largest eigenvalues: the Rayleigh quotient in any direction is a lower bound of the truth.
    for (int trial = 0; trial < 2000; ++trial) {
        double low = trial % 2 ? 1.0 : ts_rng_uniform(&rng);
        ts_mat3 a = sample_symmetric(&rng, ts_vec3_make(low, 1.0, 1.0));
        double bound = ts_mat3_largest_eigenvalue(&a);
        cr_assert_leq(bound, 1.0 + 1e-12);
        for (int direction = 0; direction < 20; ++direction) {
            ts_vec3 u = sample_unit(&rng);
            long double quotient = 0.0L, length = 0.0L;
            for (int i = 0; i < 3; ++i) {
                length += wide(ts_vec3_get(u, i)) * wide(ts_vec3_get(u, i));
                for (int j = 0; j < 3; ++j)
                    quotient += wide(ts_vec3_get(u, i)) * wide(a.m[i][j]) * wide(ts_vec3_get(u, j));
            }
            cr_assert(wide(bound) >= quotient / length);
        }
    }
}

Test(mat, largest_eigenvalue_of_extreme_matrices) {
    ts_mat3 zero = ts_mat3_zero(), one = ts_mat3_identity();
    cr_assert_eq(ts_mat3_largest_eigenvalue(&zero), 0.0);
    cr_assert(ts_mat3_largest_eigenvalue(&one) >= 1.0 && ts_mat3_largest_eigenvalue(&one) <= 1.0 + 1e-12);
    const double sizes[] = {1e-310, 1e-200, 1e-30, 1e30, 1e200, 1e307};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        // All entries equal: rank one, largest eigenvalue three times the entry.
        ts_vec3 r = ts_vec3_make(sizes[s], sizes[s], sizes[s]);
        ts_mat3 full = ts_mat3_from_rows(r, r, r);
        double bound = ts_mat3_largest_eigenvalue(&full);
        cr_assert(bound >= 3.0 * sizes[s] && bound <= 3.0 * sizes[s] * (1.0 + 1e-12), "size %g", sizes[s]);
    }
    ts_mat3 undefined = one;
    undefined.m[2][1] = (double)NAN;
    cr_assert(isnan(ts_mat3_largest_eigenvalue(&undefined)));
}
