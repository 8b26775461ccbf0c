// LU with pivoting against products formed in long double, on matrices that need the pivoting.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/rng.h"

enum { LARGEST = 70, LD = LARGEST + 2 };

// Fills A with normal numbers; a zero diagonal makes elimination without pivoting fail at once.
static void fill(ts_rng* rng, double* A, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < LD; ++j) A[i * LD + j] = i == j ? 0.0 : ts_rng_normal(rng);
}

Test(lu, solves_what_was_multiplied_for_every_size) {
    ts_rng rng = ts_rng_make(11, 0);
    static double A[LARGEST * LD], LU[LARGEST * LD], x[LARGEST], b[LARGEST];
    int pivot[LARGEST];
    for (int n = 2; n <= LARGEST; ++n) {
        fill(&rng, A, n);
        memcpy(LU, A, sizeof(A));
        for (int i = 0; i < n; ++i) x[i] = ts_rng_normal(&rng);
        for (int i = 0; i < n; ++i) {
            long double sum = 0.0L;
            for (int j = 0; j < n; ++j) sum += (long double)A[i * LD + j] * (long double)x[j];
            b[i] = (double)sum;
        }
        cr_assert(ts_lu_factor(LU, n, LD, pivot), "n = %d", n);
        ts_lu_solve(LU, n, LD, pivot, b);
        // Judged by the residual, which does not suffer from the condition of a random matrix.
        double worst = 0.0;
        for (int i = 0; i < n; ++i) {
            long double sum = 0.0L;
            for (int j = 0; j < n; ++j) sum += (long double)A[i * LD + j] * ((long double)b[j] - (long double)x[j]);
            worst = fmax(worst, fabs((double)sum));
        }
        cr_expect(worst < 1e-12 * n, "n = %d: residual %g", n, worst);
        // What lies below the matrix is not touched.
        for (int i = n * LD; i < LARGEST * LD; ++i) cr_assert(LU[i] == A[i]);
    }
}

Test(lu, a_column_of_zeros_and_a_number_that_is_not_finite_are_refused) {
    double A[12] = {1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 5.0, 0.0, 6.0, 0.0};
    int pivot[3];
    cr_expect(!ts_lu_factor(A, 3, 4, pivot));
    double B[8] = {1.0, 2.0, 0.0, 0.0, (double)NAN, 1.0};
    cr_expect(!ts_lu_factor(B, 2, 4, pivot));
    double C[8] = {(double)INFINITY, 2.0, 0.0, 0.0, 3.0, 1.0};
    cr_expect(!ts_lu_factor(C, 2, 4, pivot));
}

Test(lu, nothing_to_do_is_fine) { cr_expect(ts_lu_factor(NULL, 0, 0, NULL)); }
