// Elimination of a dense front that is symmetric and positive definite: half the work of front.c, and no pivots to look for.
//
// Problem: A = U^T U and the Schur complement of A, of which only what lies on and right of the diagonal is read and written.
// Rule: left-looking by strips of four rows. A strip takes off what all rows above leave in it, in tiles of four by eight that stay in
// registers while the rows run; its own four rows are finished column by column; the complement takes off all rows at once.
// Source: Golub and Van Loan, 4.2; multifrontal method: Duff and Reid 1983.
// Guaranteed: backward stable for what is positive definite; lanes lie across columns, so every sum runs over rows upwards whatever the
// machine: the same bits.
// Known to fail: a matrix that is not positive definite is refused, one that is so but for rounding may pass.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/linear/front_internal.h"
#include "base/linear/panel.h"
#include "base/linear/quad_internal.h"

enum { STRIP = TS_PANEL_LANES };

#if defined(__GNUC__)

#define INLINED static inline __attribute__((always_inline))

// Rows of C, four or two, by eight or four columns: C -= A^T B, rows of A and B `ld` apart.
INLINED void four_by_eight(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                           ptrdiff_t ldc) {
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0, x, y;
    for (int l = 0; l < k; ++l, A += lda, B += ldb) {
        TS_QUAD_LOAD(x, B);
        TS_QUAD_LOAD(y, B + 4);
        s0 += A[0] * x;
        t0 += A[0] * y;
        s1 += A[1] * x;
        t1 += A[1] * y;
        s2 += A[2] * x;
        t2 += A[2] * y;
        s3 += A[3] * x;
        t3 += A[3] * y;
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

INLINED void four_by_four(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                          ptrdiff_t ldc) {
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0, x;
    for (int l = 0; l < k; ++l, A += lda, B += ldb) {
        TS_QUAD_LOAD(x, B);
        s0 += A[0] * x;
        s1 += A[1] * x;
        s2 += A[2] * x;
        s3 += A[3] * x;
    }
    TS_QUAD_SUBTRACT(C, s0);
    TS_QUAD_SUBTRACT(C + ldc, s1);
    TS_QUAD_SUBTRACT(C + 2 * ldc, s2);
    TS_QUAD_SUBTRACT(C + 3 * ldc, s3);
}

INLINED void two_by_eight(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                          ptrdiff_t ldc) {
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, t0 = s0, t1 = s0, x, y;
    for (int l = 0; l < k; ++l, A += lda, B += ldb) {
        TS_QUAD_LOAD(x, B);
        TS_QUAD_LOAD(y, B + 4);
        s0 += A[0] * x;
        t0 += A[0] * y;
        s1 += A[1] * x;
        t1 += A[1] * y;
    }
    TS_QUAD_SUBTRACT(C, s0);
    TS_QUAD_SUBTRACT(C + 4, t0);
    TS_QUAD_SUBTRACT(C + ldc, s1);
    TS_QUAD_SUBTRACT(C + ldc + 4, t1);
}

INLINED void two_by_four(int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                         ptrdiff_t ldc) {
    ts_quad s0 = {0.0, 0.0, 0.0, 0.0}, s1 = s0, x;
    for (int l = 0; l < k; ++l, A += lda, B += ldb) {
        TS_QUAD_LOAD(x, B);
        s0 += A[0] * x;
        s1 += A[1] * x;
    }
    TS_QUAD_SUBTRACT(C, s0);
    TS_QUAD_SUBTRACT(C + ldc, s1);
}

INLINED void subtract_four(int columns, int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb,
                           double* C, ptrdiff_t ldc) {
    int j = 0;
    for (; j + 8 <= columns; j += 8) four_by_eight(k, A, lda, B + j, ldb, C + j, ldc);
    if (j < columns) four_by_four(k, A, lda, B + j, ldb, C + j, ldc);
}

INLINED void subtract_two(int columns, int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                          ptrdiff_t ldc) {
    int j = 0;
    for (; j + 8 <= columns; j += 8) two_by_eight(k, A, lda, B + j, ldb, C + j, ldc);
    if (j < columns) two_by_four(k, A, lda, B + j, ldb, C + j, ldc);
}

// Four columns of a strip, once it has its factor: x = U^-T x.
INLINED void finish_columns(const double* U, ptrdiff_t ldu, const double* inverse, int columns, double* x,
                            ptrdiff_t ld) {
    double u01 = U[1], u02 = U[2], u03 = U[3], u12 = U[ldu + 2], u13 = U[ldu + 3], u23 = U[2 * ldu + 3];
    for (int j = 0; j < columns; j += STRIP, x += STRIP) {
        ts_quad x0, x1, x2, x3;
        TS_QUAD_LOAD(x0, x);
        TS_QUAD_LOAD(x1, x + ld);
        TS_QUAD_LOAD(x2, x + 2 * ld);
        TS_QUAD_LOAD(x3, x + 3 * ld);
        x0 = inverse[0] * x0;
        x1 = inverse[1] * (x1 - u01 * x0);
        x2 = inverse[2] * ((x2 - u02 * x0) - u12 * x1);
        x3 = inverse[3] * (((x3 - u03 * x0) - u13 * x1) - u23 * x2);
        memcpy(x, &x0, sizeof x0);
        memcpy(x + ld, &x1, sizeof x1);
        memcpy(x + 2 * ld, &x2, sizeof x2);
        memcpy(x + 3 * ld, &x3, sizeof x3);
    }
}

INLINED void finish_two_columns(const double* U, const double* inverse, int columns, double* x, ptrdiff_t ld) {
    double u01 = U[1];
    for (int j = 0; j < columns; j += STRIP, x += STRIP) {
        ts_quad x0, x1;
        TS_QUAD_LOAD(x0, x);
        TS_QUAD_LOAD(x1, x + ld);
        x0 = inverse[0] * x0;
        x1 = inverse[1] * (x1 - u01 * x0);
        memcpy(x, &x0, sizeof x0);
        memcpy(x + ld, &x1, sizeof x1);
    }
}

#else

#define INLINED static inline

INLINED void subtract_rows(int rows, int columns, int k, ts_panel A, ts_panel B, double* C, ptrdiff_t ldc) {
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (int l = 0; l < k; ++l) sum += A.at[(ptrdiff_t)l * A.ld + i] * B.at[(ptrdiff_t)l * B.ld + j];
            C[i * ldc + j] -= sum;
        }
}

INLINED void subtract_four(int columns, int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb,
                           double* C, ptrdiff_t ldc) {
    subtract_rows(4, columns, k, (ts_panel){A, (int)lda}, (ts_panel){B, (int)ldb}, C, ldc);
}

INLINED void subtract_two(int columns, int k, const double* A, ptrdiff_t lda, const double* B, ptrdiff_t ldb, double* C,
                          ptrdiff_t ldc) {
    subtract_rows(2, columns, k, (ts_panel){A, (int)lda}, (ts_panel){B, (int)ldb}, C, ldc);
}

INLINED void finish_rows(int rows, const double* U, ptrdiff_t ldu, const double* inverse, int columns, double* x,
                         ptrdiff_t ld) {
    for (int j = 0; j < columns; ++j)
        for (int r = 0; r < rows; ++r) {
            double value = x[r * ld + j];
            for (int s = 0; s < r; ++s) value -= U[s * ldu + r] * x[s * ld + j];
            x[r * ld + j] = inverse[r] * value;
        }
}

INLINED void finish_columns(const double* U, ptrdiff_t ldu, const double* inverse, int columns, double* x,
                            ptrdiff_t ld) {
    finish_rows(4, U, ldu, inverse, columns, x, ld);
}

INLINED void finish_two_columns(const double* U, const double* inverse, int columns, double* x, ptrdiff_t ld) {
    finish_rows(2, U, 0, inverse, columns, x, ld);
}

#endif

// The factor of a strip's own `rows` columns: U in place, with the inverse of its diagonal on it and in `inverse`. Returns 0 where a pivot is not
// positive.
INLINED int factor_square(double* U, ptrdiff_t ld, int rows, double* inverse) {
    for (int r = 0; r < rows; ++r) {
        double* row = U + r * ld;
        for (int s = 0; s < r; ++s) {
            double u = U[s * ld + r];
            for (int c = r; c < rows; ++c) row[c] -= u * U[s * ld + c];
        }
        if (!(row[r] > 0.0) || !isfinite(row[r])) return 0;
        row[r] = inverse[r] = 1.0 / sqrt(row[r]);
        for (int c = r + 1; c < rows; ++c) row[c] *= inverse[r];
    }
    return 1;
}

INLINED int eliminate(const ts_front* f, double* rest) {
    ptrdiff_t tld = f->tall_ld, wld = f->wide_ld;
    double inverse[STRIP] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < f->own; i += STRIP) {
        double *strip = f->tall + i * tld, *own = strip + i, *wide = f->wide + i * wld;
        int rows = f->own - i < STRIP ? f->own - i : STRIP, right = f->tall_ld - i;
        if (rows > 2) {
            subtract_four(right, i, f->tall + i, tld, f->tall + i, tld, own, tld);
            subtract_four(f->wide_ld, i, f->tall + i, tld, f->wide, wld, wide, wld);
        } else {
            subtract_two(right, i, f->tall + i, tld, f->tall + i, tld, own, tld);
            subtract_two(f->wide_ld, i, f->tall + i, tld, f->wide, wld, wide, wld);
        }
        if (!factor_square(own, tld, rows, inverse)) return 0;
        // A row that is there for the sake of even numbers stays zero.
        for (int r = rows; r < STRIP; ++r) inverse[r] = 0.0;
        if (rows > 2) {
            finish_columns(own, tld, inverse, right - STRIP, own + STRIP, tld);
            finish_columns(own, tld, inverse, f->wide_ld, wide, wld);
        } else {
            finish_two_columns(own, inverse, f->wide_ld, wide, wld);
        }
    }
    int i = 0;
    for (; i + 2 < f->beside; i += STRIP)
        subtract_four(f->wide_ld - i, f->own, f->wide + i, wld, f->wide + i, wld, rest + i * wld + i, wld);
    if (i < f->beside)
        subtract_two(f->wide_ld - i, f->own, f->wide + i, wld, f->wide + i, wld, rest + i * wld + i, wld);
    return 1;
}

int ts_front_eliminate_definite_narrow(const ts_front* f, double* rest) { return eliminate(f, rest); }

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

__attribute__((target("avx2"))) static int eliminate_wide(const ts_front* f, double* rest) {
    return eliminate(f, rest);
}

int ts_front_eliminate_definite(const ts_front* f, double* rest) {
    return __builtin_cpu_supports("avx2") ? eliminate_wide(f, rest) : ts_front_eliminate_definite_narrow(f, rest);
}

#else

int ts_front_eliminate_definite(const ts_front* f, double* rest) { return ts_front_eliminate_definite_narrow(f, rest); }

#endif
