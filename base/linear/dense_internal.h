// The inner loops of dense linear algebra. Those of base/linear/dense.c come in two versions that give the same bits: a scalar
// one that every compiler builds and one with two-lane vectors.
#ifndef TS_BASE_DENSE_INTERNAL_H
#define TS_BASE_DENSE_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// Sum of a[k] b[k] with four partial sums, in a fixed order: short enough chains for the pipeline, same bits always.
static inline double ts_dense_dot(const double* a, const double* b, int n) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < n; ++k) s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

/// Inner products of four rows with two others over the first n (even) numbers. Every sum is the sum over even k plus
/// the sum over odd k.
void ts_dense_tile_scalar(const double* const row[4], const double* c0, const double* c1, int n, double out_dot[4][2]);

/// Inner products of four rows with x over the first n (even) numbers, summed as in ts_dense_tile_scalar.
void ts_dense_dots_scalar(const double* const row[4], const double* x, int n, double out_dot[4]);

/// y_k -= (row_0k x_0 + row_1k x_1) + (row_2k x_2 + row_3k x_3) for the first n (even) k.
void ts_dense_subtract_scalar(const double* const row[4], const double x[4], int n, double* y);

#if defined(__GNUC__)
/// ts_dense_tile_scalar with vectors.
void ts_dense_tile_simd(const double* const row[4], const double* c0, const double* c1, int n, double out_dot[4][2]);

/// ts_dense_dots_scalar with vectors.
void ts_dense_dots_simd(const double* const row[4], const double* x, int n, double out_dot[4]);

/// ts_dense_subtract_scalar with vectors.
void ts_dense_subtract_simd(const double* const row[4], const double x[4], int n, double* y);

#define TS_DENSE_KERNEL(name) name##_simd
#else
#define TS_DENSE_KERNEL(name) name##_scalar
#endif

#ifdef __cplusplus
}
#endif
#endif
