// Lemke's complementary pivoting, dense.
//
// Problem: z >= 0, w = A z + b >= 0, z_j w_j = 0.
// Rule: with an artificial z_0 >= 0 in w = A z + b + z_0 1, z_0 enters for the lowest b_j, so that all w are >= 0; then the
// complement of whatever left last enters, and the row that reaches zero first leaves, until z_0 does. Of several rows that
// reach zero together the lexicographically least leaves, as if b had been b + (eps, eps^2, ...), but z_0 goes before all
// others. The final basis is solved afresh by LU, as rounding has piled up in the tableau; with care, the tableau itself is built
// afresh after every pivot, always by the largest pivot that is left.
// Source: Lemke 1965; Cottle, Pang, Stone, The Linear Complementarity Problem, ch. 4.4 and 4.9 (lexicographic rule).
// Guaranteed (without rounding): ends; for a copositive A it ends in a solution whenever v >= 0, A v >= 0, v . A v = 0
// implies v . b >= 0, else possibly in a secondary ray.
// Known to fail: a ray says nothing about whether a solution exists; the number of pivots can be exponential (in contact
// problems it is a small multiple of the rows); n (n + 2) numbers and n^2 operations a pivot, with care up to n^3. Without care
// hyperstatic contacts between unequal masses (1 kg on 1 g, on four feet each) end in rays, or at vertices that are none, that
// rounding has made.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/linear/dense.h"
#include "base/linear/panel.h"
#include "contact/solvers/pivoting/lemke_internal.h"

// Entries of the tableau under this share of the entering column are rounding: in hyperstatic problems whole columns
// should be zero, and a pivot on what is left of them ruins the tableau.
static const double least_pivot = 1e-9;
// z_0 under this (b is of size 1) is zero: a ray from there is no ray but a solution.
static const double least_artificial = 1e-10;
// Ratios closer than this, relative, are a tie.
static const double tie = 1e-12;
// Of what a sum is made of: what rounding leaves of it where a vertex is judged.
static const double rounding = 1e-13;

// basic_i = T[i][n + 1] + sum_c T[i][c] nonbasic_c. Variables: w_k is k, z_k is n + k, z_0 is 2 n.
typedef struct tableau {
    int n;
    int stride;     // n + 2: n + 1 columns and the constants
    double* T;      // (n x stride)
    int* basic;     // (n) variable of a row
    int* nonbasic;  // (n + 1) variable of a column
    int* w_row;     // (n) row in which w_k is basic, or -1
    int* w_column;  // (n) column of w_k when it is not basic
    int* tied;      // (n) rows of the ratio test
} tableau;

static double* row_of(const tableau* t, int i) { return t->T + (size_t)i * (size_t)t->stride; }

// Row i of the inverse basis, entry k, times -1 over the entering entry: what the perturbation adds to the ratio.
static double perturbation(const tableau* t, int i, int k, int entering) {
    double value = t->w_row[k] >= 0 ? (t->w_row[k] == i ? 1.0 : 0.0) : -row_of(t, i)[t->w_column[k]];
    return -value / row_of(t, i)[entering];
}

// The row that leaves when column `entering` grows, or -1 where none does: a ray.
static int leaving_row(const tableau* t, int entering) {
    int n = t->n, count = 0;
    double largest = 0.0, least = HUGE_VAL;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(row_of(t, i)[entering]));
    for (int i = 0; i < n; ++i) {
        const double* row = row_of(t, i);
        if (row[entering] < -least_pivot * largest) least = fmin(least, -row[n + 1] / row[entering]);
    }
    if (!(least < HUGE_VAL)) return -1;
    for (int i = 0; i < n; ++i) {
        const double* row = row_of(t, i);
        if (!(row[entering] < -least_pivot * largest)) continue;
        if (-row[n + 1] / row[entering] > least + tie * (1.0 + fabs(least))) continue;
        if (t->basic[i] == 2 * n) return i;
        t->tied[count++] = i;
    }
    for (int k = 0; k < n && count > 1; ++k) {
        double low = HUGE_VAL;
        for (int j = 0; j < count; ++j) low = fmin(low, perturbation(t, t->tied[j], k, entering));
        int kept = 0;
        for (int j = 0; j < count; ++j)
            if (perturbation(t, t->tied[j], k, entering) <= low + tie * (1.0 + fabs(low))) t->tied[kept++] = t->tied[j];
        count = kept > 0 ? kept : 1;
    }
    return t->tied[0];
}

static void note_place(tableau* t, int variable, int row, int column) {
    if (variable >= t->n) return;
    t->w_row[variable] = row;
    t->w_column[variable] = column;
}

static void pivot(tableau* t, int row, int column) {
    int n = t->n, width = t->stride;
    double* from = row_of(t, row);
    double inverse = 1.0 / from[column];
    for (int j = 0; j < width; ++j) from[j] *= -inverse;
    from[column] = inverse;
    for (int i = 0; i < n; ++i) {
        double* to = row_of(t, i);
        double factor = to[column];
        if (i == row || factor == 0.0) continue;
        to[column] = 0.0;
        ts_lines_add(width, 1, 1.0, &factor, 1, from, width, to);
    }
    int leaving = t->basic[row], entering = t->nonbasic[column];
    t->basic[row] = entering;
    t->nonbasic[column] = leaving;
    note_place(t, leaving, -1, column);
    note_place(t, entering, row, -1);
}

static int column_of(const tableau* t, int variable) {
    for (int j = 0; j <= t->n; ++j)
        if (t->nonbasic[j] == variable) return j;
    return -1;
}

// The row of least b; of several the last one, which is the lexicographically least of [b | 1].
static int first_row(int n, const double* b) {
    int lowest = 0;
    for (int i = 1; i < n; ++i)
        if (b[i] <= b[lowest]) lowest = i;
    return lowest;
}

static int all_finite(const double* x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) sum += 0.0 * x[i];
    return sum == 0.0;
}

// x (count): z of a basis, A x + b = 0 on the rows `list` whose z is basic. Returns 0 where LU refuses or numbers are not finite.
static int solve_basis(int n, const double* A, const double* b, const int* list, int count, double* M, int* permutation,
                       double* x) {
    int ld = ts_panel_padded(count);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j)
            M[(size_t)i * (size_t)ld + (size_t)j] = A[(size_t)list[i] * (size_t)n + (size_t)list[j]];
        x[i] = -b[list[i]];
    }
    if (!ts_lu_factor(M, count, ld, permutation)) return 0;
    ts_lu_solve(M, count, ld, permutation, x);
    return all_finite(x, (size_t)count);
}

// z of the final basis; the tableau's own numbers where there is none.
static void read_answer(tableau* t, const double* A, const double* b, double* x, int* permutation, double* out_z) {
    int n = t->n, count = 0;
    for (int i = 0; i < n; ++i)
        if (t->basic[i] >= n && t->basic[i] < 2 * n) out_z[t->basic[i] - n] = fmax(0.0, row_of(t, i)[n + 1]);
    int* list = t->tied;
    for (int k = 0; k < n; ++k)
        if (t->w_row[k] < 0) list[count++] = k;
    if (!solve_basis(n, A, b, list, count, t->T, permutation, x)) return;
    for (int i = 0; i < count; ++i) out_z[list[i]] = fmax(0.0, x[i]);
}

// Whether z >= 0, of a vertex on the rows `list`, solves the problem to rounding: w = A z + b is zero there and not negative elsewhere, each by
// what it is a sum of.
static int is_answer(int n, const double* A, const double* b, const int* list, int count, const double* z) {
    for (int i = 0, next = 0; i < n; ++i) {
        const double* row = A + (size_t)i * (size_t)n;
        double w = b[i], size = fabs(b[i]);
        for (int c = 0; c < count; ++c) {
            w += row[list[c]] * z[list[c]];
            size += fabs(row[list[c]] * z[list[c]]);
        }
        int is_basic = next < count && list[next] == i;
        next += is_basic;
        if (!(w >= -rounding * size) || (is_basic && w > rounding * size)) return 0;
    }
    return 1;
}

static void fill(tableau* t, const double* A, const double* b) {
    int n = t->n;
    for (int i = 0; i < n; ++i) {
        double* row = row_of(t, i);
        memcpy(row, A + (size_t)i * (size_t)n, (size_t)n * sizeof(double));
        row[n] = 1.0;
        row[n + 1] = b[i];
        t->basic[i] = i;
        t->nonbasic[i] = n + i;
        t->w_row[i] = i;
        t->w_column[i] = -1;
    }
    t->nonbasic[n] = 2 * n;
}

// What is left of z_0.
static double artificial(const tableau* t) {
    for (int i = 0; i < t->n; ++i)
        if (t->basic[i] == 2 * t->n) return row_of(t, i)[t->n + 1];
    return 0.0;
}

// Builds the tableau of the present basis from that of the start; returns 0 where no pivot is left for it: the basis is singular, or
// not finite. `wanted` (n) and `tied` are scratch.
static int refresh(tableau* t, const double* A, const double* b, int* wanted) {
    int n = t->n, count = 0;
    for (int i = 0; i < n; ++i)
        if (t->basic[i] >= n) wanted[count++] = t->basic[i];
    // Rows to pivot on: those whose w is not basic.
    for (int k = 0; k < n; ++k) t->tied[k] = t->w_row[k] < 0;
    fill(t, A, b);
    for (; count > 0; --count) {
        int row = -1, which = -1;
        double most = 0.0;
        for (int c = 0; c < count; ++c)
            for (int i = 0; i < n; ++i) {
                if (!t->tied[i] || !(fabs(row_of(t, i)[wanted[c] - n]) > most)) continue;
                most = fabs(row_of(t, i)[wanted[c] - n]);
                row = i;
                which = c;
            }
        if (row < 0) return 0;
        pivot(t, row, wanted[which] - n);
        t->tied[row] = 0;
        wanted[which] = wanted[count - 1];
    }
    return 1;
}

// `wanted`: (n) scratch where there is care, else NULL.
static ts_lemke_end iterate(tableau* t, const double* A, const double* b, int pivot_limit, int* wanted, int* pivots) {
    int n = t->n, column = n, row = first_row(n, b);
    for (;;) {
        if (*pivots >= pivot_limit) return TS_LEMKE_END_LIMIT;
        int leaving = t->basic[row];
        pivot(t, row, column);
        *pivots += 1;
        if (leaving == 2 * n) return TS_LEMKE_END_SOLVED;
        if (wanted && !refresh(t, A, b, wanted)) return TS_LEMKE_END_LOST;
        column = column_of(t, leaving < n ? leaving + n : leaving - n);
        // A complement that is basic already would be a basis that is none.
        TS_ASSERT(column >= 0);
        row = leaving_row(t, column);
        if (row < 0) return artificial(t) <= least_artificial ? TS_LEMKE_END_SOLVED : TS_LEMKE_END_RAY;
    }
}

ts_lemke_end ts_lemke_solve(int n, const double* A, const double* b, ts_lemke_care care, int pivot_limit,
                            ts_arena* scratch, double* out_z, int* out_pivots) {
    *out_pivots = 0;
    for (int i = 0; i < n; ++i) out_z[i] = 0.0;
    if (!all_finite(A, (size_t)n * (size_t)n) || !all_finite(b, (size_t)n)) return TS_LEMKE_END_NOT_FINITE;
    if (n == 0 || b[first_row(n, b)] >= 0.0) return TS_LEMKE_END_SOLVED;
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    tableau t = {.n = n, .stride = n + 2};
    t.T = TS_ARENA_ARRAY(scratch, double, (size_t)n*(size_t)ts_panel_padded(n + 2));
    t.nonbasic = TS_ARENA_ARRAY(scratch, int, n + 1);
    t.basic = TS_ARENA_ARRAY(scratch, int, n);
    t.w_row = TS_ARENA_ARRAY(scratch, int, n);
    t.w_column = TS_ARENA_ARRAY(scratch, int, n);
    t.tied = TS_ARENA_ARRAY(scratch, int, n);
    int* permutation = TS_ARENA_ARRAY(scratch, int, n);
    double* x = TS_ARENA_ARRAY(scratch, double, n);
    ts_lemke_end end = TS_LEMKE_END_MEMORY;
    if (t.T && t.nonbasic && t.basic && t.w_row && t.w_column && t.tied && permutation && x) {
        fill(&t, A, b);
        end = iterate(&t, A, b, pivot_limit, care == TS_LEMKE_CAREFUL ? permutation : NULL, out_pivots);
        if (end == TS_LEMKE_END_SOLVED) read_answer(&t, A, b, x, permutation, out_z);
    }
    ts_arena_scope_end(scratch, scope);
    return end;
}

int ts_lemke_vertex(int n, const double* A, const double* b, const int* list, int count, ts_arena* scratch,
                    double* out_z) {
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double* M = TS_ARENA_ARRAY(scratch, double, (size_t)count*(size_t)ts_panel_padded(count));
    double* x = TS_ARENA_ARRAY(scratch, double, count);
    int* permutation = TS_ARENA_ARRAY(scratch, int, count);
    int solved = M && x && permutation && solve_basis(n, A, b, list, count, M, permutation, x);
    memset(out_z, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < count && solved; ++i) out_z[list[i]] = fmax(0.0, x[i]);
    solved = solved && is_answer(n, A, b, list, count, out_z);
    ts_arena_scope_end(scratch, scope);
    return solved;
}
