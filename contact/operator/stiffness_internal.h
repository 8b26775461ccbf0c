// The largest eigenvalue of a contact's 3x3 block, as step sizes need it: cheap, and not too small. And a bound that is
// cheaper still.
#ifndef TS_CONTACT_STIFFNESS_INTERNAL_H
#define TS_CONTACT_STIFFNESS_INTERNAL_H

#include <math.h>

/// The largest row sum of |D| + R, D rows x rows, R a diagonal or NULL; a NaN stays.
static inline double ts_delassus_row_sum(int rows, const double* D, const double* R) {
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) {
        double sum = R ? R[i] : 0.0;
        for (int j = 0; j < rows; ++j) sum += fabs(D[i * rows + j]);
        largest = largest >= sum || isnan(largest) ? largest : sum;
    }
    return largest;
}

/// The largest eigenvalue of the symmetric [[a, d, e], [d, b, f], [e, f, c]], from above but for rounding: to 1e-12 of
/// it where it is well apart, to 1e-5 where it is nearly double (and then at most 1e-9 below). With m a third of the
/// trace it is m + y, y the largest root of y^3 - J y - det B for the rest B without trace, J = |B|^2 / 2. Newton from
/// the bound 2 sqrt(J / 3) comes down monotonically, so that stopping early errs on the safe side. Several times as
/// fast as diagonalising.
static inline double ts_stiffness_3x3(double a, double b, double c, double d, double e, double f) {
    double m = (a + b + c) / 3.0;
    double b0 = a - m, b1 = b - m, b2 = c - m;
    double J = 0.5 * (b0 * b0 + b1 * b1 + b2 * b2) + d * d + e * e + f * f;
    double det = b0 * (b1 * b2 - f * f) - d * (d * b2 - f * e) + e * (d * f - b1 * e);
    double y = 2.0 * sqrt(J / 3.0);
    for (int k = 0; k < 20; ++k) {
        double slope = 3.0 * y * y - J;
        // Flat at a double root, and for a multiple of the identity. There a step would divide rounding by nothing.
        if (!(slope > 1e-6 * J)) break;
        double next = (2.0 * y * y * y + det) / slope;
        double fall = y - next;
        y = next;
        if (!(fall > 1e-13 * (m + y))) break;
    }
    return m + y;
}

/// An upper bound of the same eigenvalue for one square root: the start of Newton above. Exact when the two smaller
/// eigenvalues are equal; at most a third too large for a matrix without negative ones (worst for 1, 1, 0).
static inline double ts_stiffness_bound_3x3(double a, double b, double c, double d, double e, double f) {
    double m = (a + b + c) * (1.0 / 3.0);
    double b0 = a - m, b1 = b - m, b2 = c - m;
    double J = 0.5 * (b0 * b0 + b1 * b1 + b2 * b2) + d * d + e * e + f * f;
    return m + sqrt((4.0 / 3.0) * J);
}

#endif
