// Panel products: against long double, and the vector version against the scalar one bit for bit.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/linear/panel.h"
#include "base/rng.h"

enum { MOST = 40, LD = 44 };

Test(panel, both_versions_agree_to_the_bit_and_with_long_double) {
    ts_rng rng = ts_rng_make(3, 0);
    static double A[MOST * LD], B[MOST * LD], C[MOST * LD], simd[MOST * LD], scalar[MOST * LD];
    for (int trial = 0; trial < 400; ++trial) {
        int m = (int)(MOST * ts_rng_uniform(&rng)), n = 4 * (int)(11 * ts_rng_uniform(&rng));
        int k = (int)(MOST * ts_rng_uniform(&rng));
        for (int i = 0; i < MOST * LD; ++i) {
            A[i] = ts_rng_normal(&rng);
            B[i] = ts_rng_normal(&rng);
            C[i] = ts_rng_normal(&rng);
        }
        memcpy(simd, C, sizeof C);
        memcpy(scalar, C, sizeof C);
        ts_panel_subtract(m, n, k, (ts_panel){A, LD}, (ts_panel){B, LD}, simd, LD);
        ts_panel_subtract_scalar(m, n, k, (ts_panel){A, LD}, (ts_panel){B, LD}, scalar, LD);
        // Everything, also what lies beside the panel and must stay as it was.
        cr_assert_eq(memcmp(simd, scalar, sizeof C), 0, "%d x %d x %d", m, n, k);
        for (int i = 0; i < MOST; ++i)
            for (int j = 0; j < LD; ++j) {
                long double want = C[i * LD + j];
                for (int l = 0; l < k && i < m && j < n; ++l) want -= (long double)A[i * LD + l] * B[l * LD + j];
                cr_assert_float_eq(simd[i * LD + j], (double)want, 1e-13);
            }
    }
}
