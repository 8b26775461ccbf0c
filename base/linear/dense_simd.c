// The inner loops of base/linear/dense.c with two-lane vectors, in the vector notation of GCC and Clang: one instruction set is
// as good as another, and where there is none the compiler falls back to scalars. Lane 0 takes the even k and lane 1 the
// odd ones, as base/linear/dense_scalar.c does, so both give the same bits.
//
// Why: neither compiler turns the scalar tile into good vector code at -O2. On 120 rows this halves the time of a
// Cholesky factorisation. Wider vectors would change the order of sums with the machine, so two lanes it stays.
#include "base/linear/dense_internal.h"

#if defined(__GNUC__)

#include <string.h>

typedef double pair __attribute__((vector_size(16)));

static inline pair load(const double* source) {
    pair v;
    memcpy(&v, source, sizeof v);  // rows need no alignment
    return v;
}

void ts_dense_tile_simd(const double* const row[4], const double* c0, const double* c1, int n, double out_dot[4][2]) {
    // Eight sums fit the sixteen registers of the smallest common machine, with room for what is being multiplied.
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    pair a0 = {0.0, 0.0}, a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int k = 0; k < n; k += 2) {
        pair x = load(c0 + k), y = load(c1 + k), v = load(r0 + k);
        a0 += v * x;
        b0 += v * y;
        v = load(r1 + k);
        a1 += v * x;
        b1 += v * y;
        v = load(r2 + k);
        a2 += v * x;
        b2 += v * y;
        v = load(r3 + k);
        a3 += v * x;
        b3 += v * y;
    }
    out_dot[0][0] = a0[0] + a0[1];
    out_dot[1][0] = a1[0] + a1[1];
    out_dot[2][0] = a2[0] + a2[1];
    out_dot[3][0] = a3[0] + a3[1];
    out_dot[0][1] = b0[0] + b0[1];
    out_dot[1][1] = b1[0] + b1[1];
    out_dot[2][1] = b2[0] + b2[1];
    out_dot[3][1] = b3[0] + b3[1];
}

void ts_dense_dots_simd(const double* const row[4], const double* x, int n, double out_dot[4]) {
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    pair s0 = {0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0;
    for (int k = 0; k < n; k += 2) {
        pair v = load(x + k);
        s0 += load(r0 + k) * v;
        s1 += load(r1 + k) * v;
        s2 += load(r2 + k) * v;
        s3 += load(r3 + k) * v;
    }
    out_dot[0] = s0[0] + s0[1];
    out_dot[1] = s1[0] + s1[1];
    out_dot[2] = s2[0] + s2[1];
    out_dot[3] = s3[0] + s3[1];
}

void ts_dense_subtract_simd(const double* const row[4], const double x[4], int n, double* y) {
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    pair x0 = {x[0], x[0]}, x1 = {x[1], x[1]}, x2 = {x[2], x[2]}, x3 = {x[3], x[3]};
    for (int k = 0; k < n; k += 2) {
        pair v = load(y + k) - ((load(r0 + k) * x0 + load(r1 + k) * x1) + (load(r2 + k) * x2 + load(r3 + k) * x3));
        memcpy(y + k, &v, sizeof v);
    }
}

#endif
