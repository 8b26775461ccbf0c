// Dense systems that may be singular: complete orthogonal decomposition.
//
// Problem: min |A x - b|, and among the answers the shortest; and the same for A^T.
// Rule: QR with column pivoting, A P = Q R, cut where what remains is small; then R^T, whose trailing rows are zero, is
// brought to triangular form from the other side. Of full rank R itself is solved with.
// Source: Golub and Van Loan, Matrix Computations, ch. 5.
// Guaranteed: backward stable; the two solves are transposes of each other to rounding. Same input, same bits.
// Known to fail: the rank is judged over all rows at once, so a system of badly scaled parts can lose the weak ones.
#include "contact/operator/linear_orthogonal_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/four.h"

// In four sums that do not wait for each other.
static double dot(const double* a, const double* b, int n) {
    ts_four sums = ts_four_zero();
    int i = 0;
    for (; i + 4 <= n; i += 4) sums = ts_four_plus(sums, ts_four_product(ts_four_load(a + i), ts_four_load(b + i)));
    double sum = ts_four_sum(sums);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double* column_of(double* A, int rows, int k) { return A + (size_t)k * (size_t)rows; }

static const double* const_column_of(const double* A, int rows, int k) { return A + (size_t)k * (size_t)rows; }

// Makes column[0] the only entry of `column` by a reflection 1 - tau v v^T, v[0] = 1; v[1..] takes the place of the rest.
static double reflect_column(double* column, int n) {
    double rest = dot(column + 1, column + 1, n - 1);
    if (!(rest > 0.0)) return 0.0;
    double length = sqrt(column[0] * column[0] + rest);
    double end = column[0] > 0.0 ? -length : length;
    double first = column[0] - end;
    double tau = -first / end;
    for (int i = 1; i < n; ++i) column[i] /= first;
    column[0] = end;
    return tau;
}

static void apply_reflection(const double* v, double tau, int n, double* x) {
    double share = tau * (x[0] + dot(v + 1, x + 1, n - 1));
    int i = 1;
    x[0] -= share;
    for (; i + 4 <= n; i += 4)
        ts_four_store(ts_four_minus(ts_four_load(x + i), ts_four_times(share, ts_four_load(v + i))), x + i);
    for (; i < n; ++i) x[i] -= share * v[i];
}

static void swap_columns(double* A, int rows, int j, int k) {
    double *a = column_of(A, rows, j), *b = column_of(A, rows, k);
    for (int i = 0; i < rows; ++i) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

// The longest remainder, from row k down, of the columns from k on.
static int longest_column(const double* A, int rows, int columns, int k, double* out_length) {
    int best = k;
    double most = -1.0;
    for (int j = k; j < columns; ++j) {
        const double* column = const_column_of(A, rows, j) + k;
        double squared = dot(column, column, rows - k);
        if (squared > most) {
            most = squared;
            best = j;
        }
    }
    *out_length = sqrt(most > 0.0 ? most : 0.0);
    return best;
}

int ts_linear_orthogonalise(double* A, int rows, int columns, int most, double floor, int* pivot, double* tau) {
    double first = 0.0;
    for (int k = 0; k < columns; ++k) {
        if (pivot) {
            double length;
            int best = longest_column(A, rows, columns, k, &length);
            if (k == 0) first = length;
            if (!(length > floor * first) || k == most) return k;
            if (best != k) {
                swap_columns(A, rows, k, best);
                int kept = pivot[k];
                pivot[k] = pivot[best];
                pivot[best] = kept;
            }
        }
        double* column = column_of(A, rows, k) + k;
        tau[k] = reflect_column(column, rows - k);
        for (int j = k + 1; j < columns; ++j) apply_reflection(column, tau[k], rows - k, column_of(A, rows, j) + k);
    }
    return columns;
}

void ts_linear_orthogonal_forward(const double* A, const double* tau, int rows, int count, double* x) {
    for (int k = 0; k < count; ++k) apply_reflection(const_column_of(A, rows, k) + k, tau[k], rows - k, x + k);
}

void ts_linear_orthogonal_backward(const double* A, const double* tau, int rows, int count, double* x) {
    for (int k = count - 1; k >= 0; --k) apply_reflection(const_column_of(A, rows, k) + k, tau[k], rows - k, x + k);
}

int ts_linear_orthogonal_make(int n, ts_arena* arena, ts_linear_orthogonal* f) {
    f->n = n;
    f->rank = 0;
    f->Q = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)n);
    f->Q_tau = TS_ARENA_ARRAY(arena, double, n);
    f->V = NULL;
    f->V_tau = TS_ARENA_ARRAY(arena, double, n);
    f->pivot = TS_ARENA_ARRAY(arena, int, n);
    return f->Q && f->Q_tau && f->V_tau && f->pivot;
}

int ts_linear_orthogonal_factor(ts_linear_orthogonal* f, double floor, ts_arena* arena) {
    int n = f->n;
    for (int i = 0; i < n; ++i) f->pivot[i] = i;
    f->rank = ts_linear_orthogonalise(f->Q, n, n, n, floor, f->pivot, f->Q_tau);
    f->V = NULL;
    if (f->rank == n) return 1;
    f->V = TS_ARENA_ARRAY(arena, double, (size_t)n*(size_t)f->rank);
    if (!f->V) return 0;
    for (int k = 0; k < f->rank; ++k)
        for (int j = 0; j < n; ++j) column_of(f->V, n, k)[j] = j < k ? 0.0 : column_of(f->Q, n, j)[k];
    ts_linear_orthogonalise(f->V, n, f->rank, f->rank, 0.0, NULL, f->V_tau);
    return 1;
}

static double tail(const double* x, int from, int n) { return sqrt(dot(x + from, x + from, n - from)); }

double ts_linear_orthogonal_diagonal(const ts_linear_orthogonal* f, int k) {
    return const_column_of(f->V ? f->V : f->Q, f->n, k)[k];
}

// R x = b and R^T x = b in place, R of full rank.
static void solve_triangle(const ts_linear_orthogonal* f, double* x) {
    for (int k = f->n - 1; k >= 0; --k) {
        const double* R = const_column_of(f->Q, f->n, k);
        x[k] /= R[k];
        for (int i = 0; i < k; ++i) x[i] -= R[i] * x[k];
    }
}

static void solve_triangle_transposed(const ts_linear_orthogonal* f, double* x) {
    for (int k = 0; k < f->n; ++k) {
        const double* R = const_column_of(f->Q, f->n, k);
        x[k] = (x[k] - dot(R, x, k)) / R[k];
    }
}

double ts_linear_orthogonal_solve(const ts_linear_orthogonal* f, double* b, double* work, double* out_x) {
    int n = f->n, rank = f->rank;
    ts_linear_orthogonal_forward(f->Q, f->Q_tau, n, rank, b);
    double missed = tail(b, rank, n);
    for (int i = 0; i < n; ++i) work[i] = i < rank ? b[i] : 0.0;
    if (!f->V) solve_triangle(f, work);
    for (int i = 0; f->V && i < rank; ++i) {
        const double* S = const_column_of(f->V, n, i);
        work[i] = (work[i] - dot(S, work, i)) / S[i];
    }
    if (f->V) ts_linear_orthogonal_backward(f->V, f->V_tau, n, rank, work);
    for (int k = 0; k < n; ++k) out_x[f->pivot[k]] = work[k];
    return missed;
}

static void divide(double* line, int n, double by) {
    double share = 1.0 / by;
    int j = 0;
    for (; j + 4 <= n; j += 4) ts_four_store(ts_four_times(share, ts_four_load(line + j)), line + j);
    for (; j < n; ++j) line[j] *= share;
}

void ts_linear_orthogonal_solve_columns(const ts_linear_orthogonal* f, int columns, double* B, double* out_X) {
    int n = f->n, rank = f->rank;
    size_t ld = (size_t)columns;
    ts_lines_reflect(columns, n, rank, 0, f->Q, f->Q_tau, B);
    for (int i = n - 1; i >= 0 && !f->V; --i) {
        double* line = B + (size_t)i * ld;
        const double* R = f->Q + (size_t)(i + 1) * (size_t)n + (size_t)i;
        if (i + 1 < n) ts_lines_add(columns, n - 1 - i, -1.0, R, n, line + ld, columns, line);
        divide(line, columns, const_column_of(f->Q, n, i)[i]);
    }
    for (int i = 0; f->V && i < rank; ++i) {
        const double* S = const_column_of(f->V, n, i);
        ts_lines_add(columns, i, -1.0, S, 1, B, columns, B + (size_t)i * ld);
        divide(B + (size_t)i * ld, columns, S[i]);
    }
    if (f->V) {
        memset(B + (size_t)rank * ld, 0, (size_t)(n - rank) * ld * sizeof(double));
        ts_lines_reflect(columns, n, rank, 1, f->V, f->V_tau, B);
    }
    for (int k = 0; k < n; ++k) memcpy(out_X + (size_t)f->pivot[k] * ld, B + (size_t)k * ld, ld * sizeof(double));
}

double ts_linear_orthogonal_solve_transposed(const ts_linear_orthogonal* f, const double* c, double* work,
                                             double* out_w) {
    int n = f->n, rank = f->rank;
    for (int k = 0; k < n; ++k) work[k] = c[f->pivot[k]];
    if (f->V) ts_linear_orthogonal_forward(f->V, f->V_tau, n, rank, work);
    double missed = tail(work, rank, n);
    for (int i = 0; i < n; ++i) out_w[i] = i < rank ? work[i] : 0.0;
    if (!f->V) solve_triangle_transposed(f, out_w);
    for (int i = rank - 1; f->V && i >= 0; --i) {
        const double* S = const_column_of(f->V, n, i);
        out_w[i] /= S[i];
        for (int j = 0; j < i; ++j) out_w[j] -= S[j] * out_w[i];
    }
    ts_linear_orthogonal_backward(f->Q, f->Q_tau, n, rank, out_w);
    return missed;
}
