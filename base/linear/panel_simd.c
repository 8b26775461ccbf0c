// C -= A B for panels.
//
// Problem: nearly all work of a sparse factorisation is this product with a handful to a few dozen k.
// Rule: a tile of C stays in registers while k runs: four rows by eight columns with four-lane vectors where the
// machine has AVX2, four by four with two-lane vectors else. Lanes lie across columns, so no sum is ever split: every
// entry is added up over k in ascending order whatever the tile, and scalar and vector versions agree to the last bit.
// Known limit: nothing is packed or blocked for the second-level cache; fronts beyond some thousand rows would want it.
#include <stddef.h>
#include <string.h>

#include "base/linear/panel.h"
#include "base/linear/quad_internal.h"

void ts_panel_subtract_scalar(int m, int n, int k, ts_panel A, ts_panel B, double* C, int ldc) {
    for (int i = 0; i < m; ++i) {
        const double* a = A.at + (ptrdiff_t)i * A.ld;
        double* c = C + (ptrdiff_t)i * ldc;
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int l = 0; l < k; ++l) sum += a[l] * B.at[(ptrdiff_t)l * B.ld + j];
            c[j] -= sum;
        }
    }
}

#if defined(__GNUC__)

typedef double two __attribute__((vector_size(16)));

static inline void store_two(double* C, two s, two t) {
    two x, y;
    memcpy(&x, C, sizeof x);
    memcpy(&y, C + 2, sizeof y);
    x -= s;
    y -= t;
    memcpy(C, &x, sizeof x);
    memcpy(C + 2, &y, sizeof y);
}

// One row of four columns, and four of them.
static inline void row_two(int k, const double* A, const double* B, ptrdiff_t ldb, double* C) {
    two s = {0.0, 0.0}, t = s, x, y;
    for (int l = 0; l < k; ++l, B += ldb) {
        two a = {A[l], A[l]};
        memcpy(&x, B, sizeof x);
        memcpy(&y, B + 2, sizeof y);
        s += a * x;
        t += a * y;
    }
    store_two(C, s, t);
}

static inline void rows_two(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                            ptrdiff_t ldc) {
    const double *A1 = A + lda, *A2 = A1 + lda, *A3 = A2 + lda;
    two s0 = {0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (int l = 0; l < k; ++l, B += ldb) {
        two x, y, a = {A[l], A[l]};
        memcpy(&x, B, sizeof x);
        memcpy(&y, B + 2, sizeof y);
        s0 += a * x;
        t0 += a * y;
        a = (two){A1[l], A1[l]};
        s1 += a * x;
        t1 += a * y;
        a = (two){A2[l], A2[l]};
        s2 += a * x;
        t2 += a * y;
        a = (two){A3[l], A3[l]};
        s3 += a * x;
        t3 += a * y;
    }
    store_two(C, s0, t0);
    store_two(C + ldc, s1, t1);
    store_two(C + 2 * ldc, s2, t2);
    store_two(C + 3 * ldc, s3, t3);
}

static void subtract_two(int m, int n, int k, ts_panel A, ts_panel B, double* C, ptrdiff_t ldc) {
    const ptrdiff_t lda = A.ld, ldb = B.ld;
    for (int j = 0; j < n; j += 4) {
        int i = 0;
        for (; i + 4 <= m; i += 4) rows_two(k, A.at + i * lda, lda, B.at + j, ldb, C + i * ldc + j, ldc);
        for (; i < m; ++i) row_two(k, A.at + i * lda, B.at + j, ldb, C + i * ldc + j);
    }
}

#if defined(__x86_64__) || defined(__i386__)

#define AVX2 __attribute__((target("avx2")))

AVX2 static void rows_four_wide(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                                ptrdiff_t ldc) {
    const double *A1 = A + lda, *A2 = A1 + lda, *A3 = A2 + lda;
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (int l = 0; l < k; ++l, B += ldb) {
        ts_quad x, y;
        TS_QUAD_LOAD(x, B);
        TS_QUAD_LOAD(y, B + 4);
        s0 += A[l] * x;
        t0 += A[l] * y;
        s1 += A1[l] * x;
        t1 += A1[l] * y;
        s2 += A2[l] * x;
        t2 += A2[l] * y;
        s3 += A3[l] * x;
        t3 += A3[l] * y;
    }
    TS_QUAD_SUBTRACT(C, s0);
    TS_QUAD_SUBTRACT(C + 4, t0);
    TS_QUAD_SUBTRACT(C + ldc, s1);
    TS_QUAD_SUBTRACT(C + ldc + 4, t1);
    TS_QUAD_SUBTRACT(C + 2 * ldc, s2);
    TS_QUAD_SUBTRACT(C + 2 * ldc + 4, t2);
    TS_QUAD_SUBTRACT(C + 3 * ldc, s3);
    TS_QUAD_SUBTRACT(C + 3 * ldc + 4, t3);
}

AVX2 static void rows_four(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                           ptrdiff_t ldc) {
    const double *A1 = A + lda, *A2 = A1 + lda, *A3 = A2 + lda;
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0, x;
    for (int l = 0; l < k; ++l, B += ldb) {
        TS_QUAD_LOAD(x, B);
        s0 += A[l] * x;
        s1 += A1[l] * x;
        s2 += A2[l] * x;
        s3 += A3[l] * x;
    }
    TS_QUAD_SUBTRACT(C, s0);
    TS_QUAD_SUBTRACT(C + ldc, s1);
    TS_QUAD_SUBTRACT(C + 2 * ldc, s2);
    TS_QUAD_SUBTRACT(C + 3 * ldc, s3);
}

AVX2 static void row_four(int k, const double* A, const double* B, ptrdiff_t ldb, double* C) {
    ts_quad s = {0.0, 0.0, 0.0, 0.0}, x;
    for (int l = 0; l < k; ++l, B += ldb) {
        TS_QUAD_LOAD(x, B);
        s += A[l] * x;
    }
    TS_QUAD_SUBTRACT(C, s);
}

AVX2 static void subtract_four(int m, int n, int k, ts_panel A, ts_panel B, double* C, ptrdiff_t ldc) {
    const ptrdiff_t lda = A.ld, ldb = B.ld;
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        int i = 0;
        for (; i + 4 <= m; i += 4) rows_four_wide(k, A.at + i * lda, lda, B.at + j, ldb, C + i * ldc + j, ldc);
        for (; i < m; ++i) {
            row_four(k, A.at + i * lda, B.at + j, ldb, C + i * ldc + j);
            row_four(k, A.at + i * lda, B.at + j + 4, ldb, C + i * ldc + j + 4);
        }
    }
    if (j == n) return;
    int i = 0;
    for (; i + 4 <= m; i += 4) rows_four(k, A.at + i * lda, lda, B.at + j, ldb, C + i * ldc + j, ldc);
    for (; i < m; ++i) row_four(k, A.at + i * lda, B.at + j, ldb, C + i * ldc + j);
}

#endif
#endif

void ts_panel_subtract(int m, int n, int k, ts_panel A, ts_panel B, double* C, int ldc) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    if (__builtin_cpu_supports("avx2"))
        subtract_four(m, n, k, A, B, C, ldc);
    else
        subtract_two(m, n, k, A, B, C, ldc);
#elif defined(__GNUC__)
    subtract_two(m, n, k, A, B, C, ldc);
#else
    ts_panel_subtract_scalar(m, n, k, A, B, C, ldc);
#endif
}
