// Elimination of a dense front: what dense LU and block-sparse LU have in common.
//
// Problem: A = L U with partial pivoting, and the Schur complement of A, for a few to a few thousand rows.
// Rule: right-looking by slices of SLICE columns. A slice is factorised among the front's own rows; rows beside take
// part in no exchange and follow in one pass; rows of U behind the slice are finished, and everything else is one
// product (base/linear/panel_simd.c).
// Source: Golub and Van Loan, 3.4; multifrontal method: Duff and Reid 1983.
// Guaranteed: one fixed order of sums, the same bits on any machine with IEEE doubles.
// Known to fail: a matrix that is singular to rounding passes with a tiny pivot; rows beside are never pivots.
#include "base/linear/front_internal.h"

#include <math.h>
#include <stddef.h>

#include "base/linear/panel.h"

// Columns factored before the rest of the front hears of them: as many as a tile is wide, so that all begins aligned.
enum { SLICE = TS_PANEL_LANES };

static void exchange(double* a, double* b, int count) {
    for (int j = 0; j < count; ++j) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

static void exchange_rows(const ts_front* f, int i, int j) {
    exchange(f->tall + (size_t)i * (size_t)f->tall_ld, f->tall + (size_t)j * (size_t)f->tall_ld, f->tall_ld);
    exchange(f->wide + (size_t)i * (size_t)f->wide_ld, f->wide + (size_t)j * (size_t)f->wide_ld, f->wide_ld);
}

// One column of a slice: every row below the pivot's takes its share of the pivot's row, up to `more` columns on, and
// the largest entry of the next column is found on the way. Returns its row.
static inline int eliminate_column(double* row, int ld, int first, int end, const double* pivot, double inverse,
                                   int more) {
    double largest = -1.0;
    int best = first;
    for (int i = first; i < end; ++i, row += ld) {
        double l = row[0] * inverse;
        row[0] = l;
        if (more > 0) row[1] -= l * pivot[1];
        if (more > 1) row[2] -= l * pivot[2];
        if (more > 2) row[3] -= l * pivot[3];
        if (more > 0 && fabs(row[1]) > largest) {
            largest = fabs(row[1]);
            best = i;
        }
    }
    return best;
}

static int largest_of(const double* column, int ld, int first, int end) {
    double largest = -1.0;
    int best = first;
    for (int i = first; i < end; ++i, column += ld)
        if (fabs(*column) > largest) {
            largest = fabs(*column);
            best = i;
        }
    return best;
}

// Rows beside take part in no exchange: all columns of the slice at once.
static void follow(const ts_front* f, int k, int width, const double* inverse) {
    int ld = f->tall_ld;
    const double* U = f->tall + (size_t)k * (size_t)ld + k;
    double* row = f->tall + (size_t)f->own * (size_t)ld + k;
    if (width == SLICE) {
        double u01 = U[1], u02 = U[2], u03 = U[3], u12 = U[ld + 2], u13 = U[ld + 3], u23 = U[2 * ld + 3];
        for (int i = 0; i < f->beside; ++i, row += ld) {
            double l0 = row[0] * inverse[0];
            double l1 = (row[1] - l0 * u01) * inverse[1];
            double l2 = ((row[2] - l0 * u02) - l1 * u12) * inverse[2];
            row[3] = (((row[3] - l0 * u03) - l1 * u13) - l2 * u23) * inverse[3];
            row[0] = l0;
            row[1] = l1;
            row[2] = l2;
        }
        return;
    }
    for (int i = 0; i < f->beside; ++i, row += ld)
        for (int c = 0; c < width; ++c) {
            row[c] *= inverse[c];
            for (int j = c + 1; j < width; ++j) row[j] -= row[c] * U[c * ld + j];
        }
}

// Columns [k, k + width) of the tall panel.
static int factor_slice(const ts_front* f, int k, int width) {
    int ld = f->tall_ld;
    double inverse[SLICE];
    int best = largest_of(f->tall + (size_t)k * (size_t)ld + k, ld, k, f->own);
    for (int c = 0; c < width; ++c) {
        double* pivot = f->tall + (size_t)(k + c) * (size_t)ld + k + c;
        f->swap[k + c] = best;
        if (best != k + c) exchange_rows(f, k + c, best);
        inverse[c] = 1.0 / *pivot;
        if (!isfinite(inverse[c]) || inverse[c] == 0.0) return 0;
        // With a constant at the end each call becomes a loop of its own.
        double* row = pivot + ld;
        switch (width - c) {
        case 1: best = eliminate_column(row, ld, k + c + 1, f->own, pivot, inverse[c], 0); break;
        case 2: best = eliminate_column(row, ld, k + c + 1, f->own, pivot, inverse[c], 1); break;
        case 3: best = eliminate_column(row, ld, k + c + 1, f->own, pivot, inverse[c], 2); break;
        default: best = eliminate_column(row, ld, k + c + 1, f->own, pivot, inverse[c], 3); break;
        }
    }
    follow(f, k, width, inverse);
    return 1;
}

// Rows [k, k + width) of the columns behind the slice: times the inverse of the slice's unit lower triangle.
static void finish_rows(const double* L, int width, int ld, double* row, int row_ld, int columns) {
    for (int r = 1; r < width; ++r)
        ts_panel_subtract(1, columns, r, (ts_panel){L + r * ld, ld}, (ts_panel){row, row_ld},
                          row + (size_t)r * (size_t)row_ld, row_ld);
}

int ts_front_eliminate(const ts_front* f, double* rest) {
    int own = f->own, tld = f->tall_ld, wld = f->wide_ld;
    for (int k = 0; k < own; k += SLICE) {
        int width = own - k < SLICE ? own - k : SLICE, next = k + SLICE;
        if (!factor_slice(f, k, width)) return 0;
        double* slice = f->tall + (size_t)k * (size_t)tld;
        double* wide = f->wide + (size_t)k * (size_t)wld;
        if (wld > 0) finish_rows(slice + k, width, tld, wide, wld, wld);
        if (next >= own) break;
        double* below = f->tall + (size_t)next * (size_t)tld;
        finish_rows(slice + k, width, tld, slice + next, tld, tld - next);
        ts_panel_subtract(own + f->beside - next, tld - next, width, (ts_panel){below + k, tld},
                          (ts_panel){slice + next, tld}, below + next, tld);
        if (wld > 0)
            ts_panel_subtract(own - next, wld, width, (ts_panel){below + k, tld}, (ts_panel){wide, wld},
                              wide + SLICE * wld, wld);
    }
    if (f->beside > 0)
        ts_panel_subtract(f->beside, wld, own, (ts_panel){f->tall + (size_t)own * (size_t)tld, tld},
                          (ts_panel){f->wide, wld}, rest, wld);
    return 1;
}
