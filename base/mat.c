// The eigenproblem of symmetric 3x3 matrices, by cyclic Jacobi rotations.
//
// Jacobi (Golub & Van Loan, Matrix Computations, 8.5): each rotation annihilates one off-diagonal entry of A while an
// accumulated product V keeps A = V diag V^T. Only + - * / sqrt, so the bits do not depend on a math library. Guaranteed:
// converges quadratically (a 3x3 needs 4 to 6 sweeps), eigenvalues good to a few ulp of |A| and eigenvectors orthogonal
// to a few ulp, equal eigenvalues included. The trigonometric closed form was not used because it loses half of the
// digits when the two largest eigenvalues coincide. Small eigenvalues carry the absolute error of the large ones.
#include "base/mat.h"

// Largest |entry|; NaN and infinity survive as a not-finite result.
static double max_abs(const ts_mat3* a) {
    double largest = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (!isfinite(a->m[i][j])) return HUGE_VAL;
            if (fabs(a->m[i][j]) > largest) largest = fabs(a->m[i][j]);
        }
    return largest;
}

// The power of two that brings entries of size `largest` near one; scaling with it is exact.
static double unit_scale(double largest) {
    int exponent = 0;
    (void)frexp(largest, &exponent);
    if (exponent < -1020) exponent = -1020;
    return ldexp(1.0, -exponent);
}

// Zeroes entry (p, q) of the symmetric A by a rotation in the plane of p and q; r is the third index. V follows.
static void jacobi_rotate(ts_mat3* A, ts_mat3* V, int p, int q) {
    int r = 3 - p - q;
    double off = A->m[p][q];
    if (off == 0.0) return;
    double size = fabs(A->m[p][p]) + fabs(A->m[q][q]);
    if (size + fabs(off) * 0.0625 == size) {  // below a sixteenth of the last place of the pair: already diagonal
        A->m[p][q] = A->m[q][p] = 0.0;
        return;
    }
    double theta = (A->m[q][q] - A->m[p][p]) / (2.0 * off);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    A->m[p][p] -= t * off;
    A->m[q][q] += t * off;
    A->m[p][q] = A->m[q][p] = 0.0;
    double rp = A->m[r][p], rq = A->m[r][q];
    A->m[r][p] = A->m[p][r] = c * rp - s * rq;
    A->m[r][q] = A->m[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; ++i) {
        double vp = V->m[i][p], vq = V->m[i][q];
        V->m[i][p] = c * vp - s * vq;
        V->m[i][q] = s * vp + c * vq;
    }
}

// Diagonalises the scaled symmetric part of a; returns the exact scale that was taken out, or NaN for not-finite input.
static double jacobi(const ts_mat3* a, ts_mat3* out_diagonal, ts_mat3* V) {
    double largest = max_abs(a);
    if (!isfinite(largest)) return (double)NAN;
    double scale = largest > 0.0 ? unit_scale(largest) : 1.0;
    ts_mat3 A = ts_mat3_scale(scale, *a);
    // The mean of A and its transpose has the same quadratic form; callers' rounding may have left a trace of asymmetry.
    A = ts_mat3_scale(0.5, ts_mat3_add(A, ts_mat3_transpose(A)));
    for (int sweep = 0; sweep < 32; ++sweep) {
        if (A.m[0][1] == 0.0 && A.m[0][2] == 0.0 && A.m[1][2] == 0.0) break;
        jacobi_rotate(&A, V, 0, 1);
        jacobi_rotate(&A, V, 0, 2);
        jacobi_rotate(&A, V, 1, 2);
    }
    *out_diagonal = A;
    return scale;
}

void ts_mat3_eigen_symmetric(const ts_mat3* a, ts_vec3* out_values, ts_mat3* out_vectors) {
    ts_mat3 V = ts_mat3_identity(), D = ts_mat3_zero();
    double scale = jacobi(a, &D, &V);
    if (isnan(scale)) {
        *out_values = ts_vec3_make((double)NAN, (double)NAN, (double)NAN);
        *out_vectors = ts_mat3_identity();
        return;
    }
    int order[3] = {0, 1, 2};
    int swaps = 0;
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass % 2;  // compare-exchange network for three: (0,1) (1,2) (0,1)
        if (D.m[order[k]][order[k]] > D.m[order[k + 1]][order[k + 1]]) {
            int swapped = order[k];
            order[k] = order[k + 1];
            order[k + 1] = swapped;
            swaps ^= 1;
        }
    }
    // Rotations keep the determinant at one; an odd permutation of the columns is paid for with one sign.
    ts_vec3 first = ts_mat3_column(&V, order[0]);
    *out_vectors = ts_mat3_from_columns(swaps ? ts_vec3_neg(first) : first, ts_mat3_column(&V, order[1]),
                                        ts_mat3_column(&V, order[2]));
    *out_values =
        ts_vec3_make(D.m[order[0]][order[0]] / scale, D.m[order[1]][order[1]] / scale, D.m[order[2]][order[2]] / scale);
}
