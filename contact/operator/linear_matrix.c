// The matrix of a linear system: the operator's, scaled by rows and columns, plus a diagonal.
//
// Problem: A = diag(scale) G diag(scale) + diag(shift), as numbers where they are to be factorised, else as products.
// Rule: small matrices are stored densely, where a product is one pass over rows that lie one behind the other; others
// by blocks, in the pattern that the operator lists. What is too large for that goes through the operator.
// Guaranteed: where G is symmetric to the last bit, so is A; one fixed order of sums.
// Known limit: up to TS_LINEAR_LARGEST_MATRIX numbers; a body with ten thousand contacts couples them all.
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/operator/delassus_velocity_internal.h"
#include "contact/operator/linear_ways_internal.h"

static void begin(ts_delassus* G, const double* scale, const double* shift, ts_linear_matrix* A) {
    memset(A, 0, sizeof(*A));
    A->G = G;
    A->rows = G->row_count;
    A->blocks = G->block_count;
    A->row = G->block_row;
    A->scale = scale;
    A->shift = shift;
}

// Copies entry (b, c) of G, scaled. Returns 0 times the sum of its numbers: not zero where one is not finite.
static double copy_entry(const ts_linear_matrix* A, int b, int c, const double* from, double* to, int ld) {
    int rows = A->row[b + 1] - A->row[b], columns = A->row[c + 1] - A->row[c];
    const double *left = A->scale + A->row[b], *right = A->scale + A->row[c];
    double sum = 0.0;
    for (int i = 0; i < rows; ++i, to += ld)
        for (int j = 0; j < columns; ++j) {
            to[j] = *from++ * (left[i] * right[j]);
            if (b == c && i == j && A->shift) to[j] += A->shift[A->row[b] + i];
            sum += 0.0 * to[j];
        }
    return sum;
}

int ts_linear_matrix_make(ts_delassus* G, const double* scale, const double* shift, ts_arena* arena,
                          ts_linear_matrix* A) {
    ts_delassus_blocks listed;
    begin(G, scale, shift, A);
    if (!(G->ops->abilities & TS_DELASSUS_BLOCKS)) return 0;
    if (!G->ops->blocks(G, arena, TS_LINEAR_LARGEST_MATRIX, &listed)) return 0;
    size_t numbers = 0;
    for (int b = 0; b < A->blocks; ++b)
        for (int e = listed.start[b]; e < listed.start[b + 1]; ++e)
            numbers +=
                (size_t)(A->row[b + 1] - A->row[b]) * (size_t)(A->row[listed.column[e] + 1] - A->row[listed.column[e]]);
    int dense = A->rows <= TS_LINEAR_DENSE_ROWS;
    A->start = listed.start;
    A->column = listed.column;
    A->at = dense ? NULL : listed.at;
    A->ld = ts_panel_padded(A->rows);
    A->value = dense ? (double*)ts_arena_alloc_zeroed(arena, (size_t)A->rows * (size_t)A->ld, sizeof(double))
                     : TS_ARENA_ARRAY(arena, double, numbers);
    if (!A->value) return 0;
    double sum = 0.0;
    for (int b = 0; b < A->blocks; ++b)
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int ld;
            double* to = (double*)ts_linear_matrix_entry(A, b, e, &ld);
            sum += copy_entry(A, b, A->column[e], listed.value + listed.at[e], to, ld);
        }
    return sum == 0.0;
}

int ts_linear_matrix_make_products(ts_delassus* G, const double* scale, const double* shift, ts_arena* arena,
                                   ts_linear_matrix* A) {
    begin(G, scale, shift, A);
    A->work = TS_ARENA_ARRAY(arena, double, A->rows);
    return A->work && ts_velocity_form_of(G);
}

// Three rows; sums stay in registers.
static void three_rows(const ts_linear_matrix* A, int b, const double* x, double* out) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
        int c = A->column[e], n = A->row[c + 1] - A->row[c];
        const double *a = A->value + A->at[e], *y = x + A->row[c];
        if (n == 3) {
            double y0 = y[0], y1 = y[1], y2 = y[2];
            s0 += a[0] * y0 + a[1] * y1 + a[2] * y2;
            s1 += a[3] * y0 + a[4] * y1 + a[5] * y2;
            s2 += a[6] * y0 + a[7] * y1 + a[8] * y2;
            continue;
        }
        for (int j = 0; j < n; ++j) {
            s0 += a[j] * y[j];
            s1 += a[n + j] * y[j];
            s2 += a[2 * n + j] * y[j];
        }
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
}

void ts_linear_matrix_rows(const ts_linear_matrix* A, int b, const double* x, double* out) {
    int rows = A->row[b + 1] - A->row[b];
    if (!A->at) {
        ts_dense_apply(A->value + (size_t)A->row[b] * (size_t)A->ld, rows, A->rows, A->ld, x, out);
        return;
    }
    if (rows == 3) {
        three_rows(A, b, x, out);
        return;
    }
    for (int r = 0; r < rows; ++r) out[r] = 0.0;
    for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
        int c = A->column[e], n = A->row[c + 1] - A->row[c];
        const double *a = A->value + A->at[e], *y = x + A->row[c];
        for (int r = 0; r < rows; ++r)
            for (int j = 0; j < n; ++j) out[r] += a[r * n + j] * y[j];
    }
}

void ts_linear_matrix_apply_shifted(const ts_linear_matrix* A, double more, const double* x, double* out) {
    for (int i = 0; i < A->rows; ++i) A->work[i] = A->scale[i] * x[i];
    A->G->ops->apply(A->G, A->work, out);
    for (int i = 0; i < A->rows; ++i) out[i] = A->scale[i] * out[i] + more * x[i];
    for (int i = 0; i < A->rows && A->shift; ++i) out[i] += A->shift[i] * x[i];
}

void ts_linear_matrix_apply(const ts_linear_matrix* A, const double* x, double* out) {
    if (!A->start) {
        ts_linear_matrix_apply_shifted(A, 0.0, x, out);
        return;
    }
    if (!A->at) {
        ts_dense_apply(A->value, A->rows, A->rows, A->ld, x, out);
        return;
    }
    for (int b = 0; b < A->blocks; ++b) ts_linear_matrix_rows(A, b, x, out + A->row[b]);
}

void ts_linear_matrix_sizes(const ts_linear_matrix* A, const double* x, double* out) {
    memset(out, 0, (size_t)A->rows * sizeof(double));
    for (int i = 0; i < A->rows && A->start && !A->at; ++i) {
        const double* row = A->value + (size_t)i * (size_t)A->ld;
        for (int j = 0; j < A->rows; ++j) out[i] += fabs(row[j] * x[j]);
    }
    for (int b = 0; b < A->blocks && A->at; ++b)
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int c = A->column[e], n = A->row[c + 1] - A->row[c];
            const double *a = A->value + A->at[e], *y = x + A->row[c];
            for (int i = A->row[b]; i < A->row[b + 1]; ++i, a += n)
                for (int j = 0; j < n; ++j) out[i] += fabs(a[j] * y[j]);
        }
}
