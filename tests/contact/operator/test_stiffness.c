// The cheap largest eigenvalue against Jacobi's rotations: not below, and close. Its cheaper bound: not below, and not
// more than a third above.
#include "contact/operator/stiffness_internal.h"

#include <criterion/criterion.h>

#include "base/mat.h"
#include "base/rng.h"

// D = V diag(w) V^T with a random rotation, compared with the largest of w.
static void check(ts_rng* rng, ts_vec3 w, double closeness, const char* what) {
    double below = closeness < 1e-9 ? closeness : 1e-9;
    ts_mat3 X = {{{0}}}, V;
    ts_vec3 ignored;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) X.m[i][j] = X.m[j][i] = ts_rng_normal(rng);
    ts_mat3_eigen_symmetric(&X, &ignored, &V);
    ts_mat3 D = ts_mat3_rotate_tensor(V, ts_mat3_diagonal(w));
    double largest = fmax(w.x, fmax(w.y, w.z));
    double found = ts_stiffness_3x3(D.m[0][0], D.m[1][1], D.m[2][2], D.m[0][1], D.m[0][2], D.m[1][2]);
    cr_expect_geq(found, largest * (1.0 - below), "%s (%g %g %g): %.17g", what, w.x, w.y, w.z, found);
    cr_expect_leq(found, largest * (1.0 + closeness), "%s (%g %g %g): %.17g", what, w.x, w.y, w.z, found);
    double bound = ts_stiffness_bound_3x3(D.m[0][0], D.m[1][1], D.m[2][2], D.m[0][1], D.m[0][2], D.m[1][2]);
    cr_expect_geq(bound, largest * (1.0 - 1e-14), "%s (%g %g %g): %.17g", what, w.x, w.y, w.z, bound);
    cr_expect_leq(bound, largest * (4.0 / 3.0 + 1e-14), "%s (%g %g %g): %.17g", what, w.x, w.y, w.z, bound);
    if (w.y == w.z) cr_expect_leq(bound, largest * (1.0 + 1e-14), "%s, two equal: %.17g", what, bound);
}

Test(stiffness, is_the_largest_eigenvalue_from_above) {
    ts_rng rng = ts_rng_make(51, 0);
    for (int k = 0; k < 2000; ++k) {
        double a = ts_rng_uniform(&rng), b = ts_rng_uniform(&rng);
        check(&rng, ts_vec3_make(1.0, 0.9 * a, 0.9 * b), 1e-12, "apart");
        check(&rng, ts_vec3_make(1.0, 1.0, a), 1e-5, "double");
        check(&rng, ts_vec3_make(1.0, a, a), 1e-12, "double below");
        check(&rng, ts_vec3_make(1.0, 1.0 - 1e-7 * a, b), 1e-5, "nearly double");
        check(&rng, ts_vec3_make(1e8 * (1.0 + a), 1e-3 * b, 1.0), 1e-12, "stiff");
        check(&rng, ts_vec3_make(1.0, 1.0, 0.0), 1e-5, "flat");
        check(&rng, ts_vec3_make(0.0, 0.0, 1e-6 * (1.0 + a)), 1e-12, "rank one");
    }
    cr_expect_eq(ts_stiffness_3x3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0);
    cr_expect_eq(ts_stiffness_3x3(3.0, 3.0, 3.0, 0.0, 0.0, 0.0), 3.0);
}
