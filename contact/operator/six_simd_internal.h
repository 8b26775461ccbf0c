// Three rows of six columns, the contact of a free body: the arithmetic of a sweep, twice. A scalar version that every
// compiler builds, and one with two-lane vectors in the notation of GCC and Clang: one instruction set is as good as
// another, and where there is none the compiler falls back to scalars. Lane 0 takes the even columns and lane 1 the odd
// ones; the scalar version adds in the same order, so both give the same bits (tests/contact/operator/test_six_simd.c).
//
// Why: a sweep is bound by the number of instructions, and neither compiler finds the lanes by itself. A header rather
// than a source file, because a call costs as much as the rows. Wider vectors would change the order of sums with the
// machine, so two lanes it stays.
#ifndef TS_CONTACT_SIX_SIMD_INTERNAL_H
#define TS_CONTACT_SIX_SIMD_INTERNAL_H

#include <string.h>

/// Three rows J (3 x 6) times V.
static inline void ts_six_read_scalar(const double* J, const double* V, double* out_velocity) {
    for (int r = 0; r < 3; ++r, J += 6) {
        double even = (J[0] * V[0] + J[2] * V[2]) + J[4] * V[4];
        double odd = (J[1] * V[1] + J[3] * V[3]) + J[5] * V[5];
        out_velocity[r] = even + odd;
    }
}

/// J (3 x 6) times V0 plus the 3 x 6 behind it times V1.
static inline void ts_six_read_pair_scalar(const double* J, const double* V0, const double* V1, double* out_velocity) {
    for (int r = 0; r < 3; ++r, J += 6) {
        const double* K = J + 18;
        double even = ((J[0] * V0[0] + J[2] * V0[2]) + J[4] * V0[4]) + ((K[0] * V1[0] + K[2] * V1[2]) + K[4] * V1[4]);
        double odd = ((J[1] * V0[1] + J[3] * V0[3]) + J[5] * V0[5]) + ((K[1] * V1[1] + K[3] * V1[3]) + K[5] * V1[5]);
        out_velocity[r] = even + odd;
    }
}

/// J J^T of three rows (3 x 6), and of as many more behind them where there are two bodies: what reading the rows themselves gives.
static inline void ts_six_square_scalar(const double* J, int bodies, double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) {
            const double *a = J + 6 * i, *b = J + 6 * k;
            double even = (a[0] * b[0] + a[2] * b[2]) + a[4] * b[4], odd = (a[1] * b[1] + a[3] * b[3]) + a[5] * b[5];
            if (bodies > 1) {
                a += 18;
                b += 18;
                even += (a[0] * b[0] + a[2] * b[2]) + a[4] * b[4];
                odd += (a[1] * b[1] + a[3] * b[3]) + a[5] * b[5];
            }
            out[3 * i + k] = out[3 * k + i] = even + odd;
        }
}

/// V += Y^T d, Y (3 x 6). Solvers know the normal part d2 first, so it is added first. By value, so that d stays in
/// registers.
static inline void ts_six_change_scalar(const double* Y, double d0, double d1, double d2, double* V) {
    double sum[6];
    for (int j = 0; j < 6; ++j) sum[j] = (V[j] + Y[12 + j] * d2) + (Y[j] * d0 + Y[6 + j] * d1);
    memcpy(V, sum, sizeof sum);
}

/// W += Y^T K J of three rows of six columns, K (3 x 3): six rows of six, each as ts_six_change_scalar would change it by K J.
static inline void ts_six_product_scalar(const double* Y, const double* K, const double* J, double* W) {
    double KJ[18] = {0.0};
    for (int r = 0; r < 3; ++r) ts_six_change_scalar(J, K[3 * r], K[3 * r + 1], K[3 * r + 2], KJ + 6 * r);
    for (int a = 0; a < 6; ++a) ts_six_change_scalar(KJ, Y[a], Y[6 + a], Y[12 + a], W + 6 * a);
}

#if defined(__GNUC__)

/// Two neighbouring columns.
typedef double ts_six_lanes __attribute__((vector_size(16)));

static inline ts_six_lanes ts_six_load(const double* source) {
    ts_six_lanes v;
    memcpy(&v, source, sizeof v);  // rows need no alignment
    return v;
}

/// Even and odd sums of one row.
static inline ts_six_lanes ts_six_row(const double* J, ts_six_lanes v0, ts_six_lanes v1, ts_six_lanes v2) {
    return (ts_six_load(J) * v0 + ts_six_load(J + 2) * v1) + ts_six_load(J + 4) * v2;
}

/// ts_six_read_scalar with vectors.
static inline void ts_six_read_simd(const double* J, const double* V, double* out_velocity) {
    ts_six_lanes a = ts_six_load(V), b = ts_six_load(V + 2), c = ts_six_load(V + 4);
    ts_six_lanes r0 = ts_six_row(J, a, b, c), r1 = ts_six_row(J + 6, a, b, c), r2 = ts_six_row(J + 12, a, b, c);
    out_velocity[0] = r0[0] + r0[1];
    out_velocity[1] = r1[0] + r1[1];
    out_velocity[2] = r2[0] + r2[1];
}

/// ts_six_read_pair_scalar with vectors.
static inline void ts_six_read_pair_simd(const double* J, const double* V0, const double* V1, double* out_velocity) {
    ts_six_lanes a = ts_six_load(V0), b = ts_six_load(V0 + 2), c = ts_six_load(V0 + 4);
    ts_six_lanes r0 = ts_six_row(J, a, b, c), r1 = ts_six_row(J + 6, a, b, c), r2 = ts_six_row(J + 12, a, b, c);
    a = ts_six_load(V1);
    b = ts_six_load(V1 + 2);
    c = ts_six_load(V1 + 4);
    r0 += ts_six_row(J + 18, a, b, c);
    r1 += ts_six_row(J + 24, a, b, c);
    r2 += ts_six_row(J + 30, a, b, c);
    out_velocity[0] = r0[0] + r0[1];
    out_velocity[1] = r1[0] + r1[1];
    out_velocity[2] = r2[0] + r2[1];
}

/// Even and odd sums of the products of three rows with each other.
typedef struct ts_six_squares {
    ts_six_lanes s00, s10, s11, s20, s21, s22;
} ts_six_squares;

static inline ts_six_squares ts_six_squares_of(const double* J) {
    ts_six_lanes a = ts_six_load(J), b = ts_six_load(J + 2), c = ts_six_load(J + 4);
    ts_six_lanes d = ts_six_load(J + 6), e = ts_six_load(J + 8), f = ts_six_load(J + 10);
    ts_six_lanes g = ts_six_load(J + 12), h = ts_six_load(J + 14), i = ts_six_load(J + 16);
    ts_six_squares out = {(a * a + b * b) + c * c, (d * a + e * b) + f * c, (d * d + e * e) + f * f,
                          (g * a + h * b) + i * c, (g * d + h * e) + i * f, (g * g + h * h) + i * i};
    return out;
}

/// ts_six_square_scalar with vectors.
static inline void ts_six_square_simd(const double* J, int bodies, double out[9]) {
    ts_six_squares s = ts_six_squares_of(J);
    if (bodies > 1) {
        ts_six_squares t = ts_six_squares_of(J + 18);
        s.s00 += t.s00, s.s10 += t.s10, s.s11 += t.s11;
        s.s20 += t.s20, s.s21 += t.s21, s.s22 += t.s22;
    }
    out[0] = s.s00[0] + s.s00[1];
    out[1] = out[3] = s.s10[0] + s.s10[1];
    out[4] = s.s11[0] + s.s11[1];
    out[2] = out[6] = s.s20[0] + s.s20[1];
    out[5] = out[7] = s.s21[0] + s.s21[1];
    out[8] = s.s22[0] + s.s22[1];
}

/// ts_six_change_scalar with vectors. Written out: neither compiler unrolls three rounds at -O2.
static inline void ts_six_change_simd(const double* Y, double d0, double d1, double d2, double* V) {
    ts_six_lanes x = {d0, d0}, y = {d1, d1}, z = {d2, d2};
    ts_six_lanes a = (ts_six_load(V) + ts_six_load(Y + 12) * z) + (ts_six_load(Y) * x + ts_six_load(Y + 6) * y);
    ts_six_lanes b = (ts_six_load(V + 2) + ts_six_load(Y + 14) * z) + (ts_six_load(Y + 2) * x + ts_six_load(Y + 8) * y);
    ts_six_lanes c =
        (ts_six_load(V + 4) + ts_six_load(Y + 16) * z) + (ts_six_load(Y + 4) * x + ts_six_load(Y + 10) * y);
    memcpy(V, &a, sizeof a);
    memcpy(V + 2, &b, sizeof b);
    memcpy(V + 4, &c, sizeof c);
}

/// Columns 2 c and 2 c + 1 of a row of K J. Added to nothing, as the scalar version does.
static inline ts_six_lanes ts_six_mixed(const double* K, const double* J, int c) {
    ts_six_lanes x = {K[0], K[0]}, y = {K[1], K[1]}, z = {K[2], K[2]}, zero = {0.0, 0.0};
    const double* column = J + 2 * c;
    return (zero + ts_six_load(column + 12) * z) + (ts_six_load(column) * x + ts_six_load(column + 6) * y);
}

/// ts_six_product_scalar with vectors; K J stays in registers.
static inline void ts_six_product_simd(const double* Y, const double* K, const double* J, double* W) {
    ts_six_lanes a0 = ts_six_mixed(K, J, 0), a1 = ts_six_mixed(K, J, 1), a2 = ts_six_mixed(K, J, 2);
    ts_six_lanes b0 = ts_six_mixed(K + 3, J, 0), b1 = ts_six_mixed(K + 3, J, 1), b2 = ts_six_mixed(K + 3, J, 2);
    ts_six_lanes c0 = ts_six_mixed(K + 6, J, 0), c1 = ts_six_mixed(K + 6, J, 1), c2 = ts_six_mixed(K + 6, J, 2);
    for (int a = 0; a < 6; ++a, W += 6) {
        ts_six_lanes x = {Y[a], Y[a]}, y = {Y[6 + a], Y[6 + a]}, z = {Y[12 + a], Y[12 + a]};
        ts_six_lanes w0 = (ts_six_load(W) + c0 * z) + (a0 * x + b0 * y);
        ts_six_lanes w1 = (ts_six_load(W + 2) + c1 * z) + (a1 * x + b1 * y);
        ts_six_lanes w2 = (ts_six_load(W + 4) + c2 * z) + (a2 * x + b2 * y);
        memcpy(W, &w0, sizeof w0);
        memcpy(W + 2, &w1, sizeof w1);
        memcpy(W + 4, &w2, sizeof w2);
    }
}

#define TS_SIX(name) ts_six_##name##_simd
#else
#define TS_SIX(name) ts_six_##name##_scalar
#endif

#endif
