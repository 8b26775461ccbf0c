// Small functions of numbers that several rooms need.
#ifndef TS_BASE_SCALAR_H
#define TS_BASE_SCALAR_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TS_PI 3.14159265358979323846

/// x, or the nearer end of [low, high].
static inline double ts_clamp(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

/// The larger one; unlike fmax it keeps a NaN.
static inline double ts_worse(double a, double b) { return (b > a || isnan(b)) ? b : a; }

/// part / unit; nothing is no part of anything, not even of nothing.
static inline double ts_share(double part, double unit) { return part == 0.0 ? 0.0 : part / unit; }

/// The sum of a[i] b[i] over n entries, in order.
static inline double ts_dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// The largest |x[i]| of n entries; 0 of none, and not a number where one of them is none.
static inline double ts_largest(const double* x, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= largest) && !isnan(largest)) largest = fabs(x[i]);
    return largest;
}

#ifdef __cplusplus
}
#endif
#endif
