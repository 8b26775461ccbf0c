// Linear systems with contacts between the same bodies taken together.
//
// Problem: C d + E A d = r by blocks, where A = J M^-1 J^T + T, T diagonal. Contacts between the same two bodies have
// rows of A - T that span no more than six dimensions, however many contacts there are. A dense or recorded matrix does
// not say which contacts these are, but shows it: their rows have the same blocks, and little rank.
// Rule, once per matrix: blocks with the same pattern are a group. A pivoted QR of the group's part of A - T gives an
// orthogonal Q = [null | range] with A - T = N Z N^T, N the range columns of all groups, Z = N^T (A - T) N. One product
// with a vector of no special direction tells whether that holds.
// Rule, per system: linear_groups_solve.c.
// Source: pivoted QR: Golub and Van Loan, 5.4; that contacts of one pair add up to a wrench: mechanics. Their
// combination for recorded problems is ours.
// Guaranteed: a function of the input alone; groups that A does not keep to are not used.
// Known limit: rank is told by a gap of thirteen digits, so contacts whose bodies' masses differ by more may be left
// alone.
#include "contact/operator/linear_groups_internal.h"
#include "contact/operator/linear_orthogonal_internal.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

enum {
    GROUP_ROWS = TS_LINEAR_GROUP_ROWS,
    RANK = TS_LINEAR_GROUP_RANK,
    LEAST_BLOCKS = 8,              // of a problem for which looking is worth the time
    SAVED_ROWS = 3,                // by a group at least
    HALF = TS_BLOCK_ROWS_MAX * 8,  // numbers of a block's rows of N, padded
    MAX = TS_BLOCK_ROWS_MAX
};

// Parts of a group's matrix under this share of its largest are rounding.
static const double rank_share = 1e-13;
// Largest error of N Z N^T, relative to sums of absolute values.
static const double group_error = 1e-12;
// Rows that must go for it to be worth it, as a share of all.
static const double worthwhile = 0.15;

static int rows_of(const ts_linear_matrix* A, int b) { return A->row[b + 1] - A->row[b]; }

// A - T of two blocks, *out_ld apart: in A where T has no part in it, else in `room`.
static const double* entry_of(const ts_linear_matrix* A, int b, int e, double room[MAX * MAX], int* out_ld) {
    const double* from = ts_linear_matrix_entry(A, b, e, out_ld);
    int rows = rows_of(A, b);
    if (A->column[e] != b || !A->shift) return from;
    for (int r = 0; r < rows; ++r) {
        memcpy(room + r * rows, from + r * *out_ld, (size_t)rows * sizeof(double));
        room[r * (rows + 1)] -= A->shift[A->row[b] + r];
    }
    *out_ld = rows;
    return room;
}

// Q = [null | range] from the factor of a matrix whose range has dimension `rank`.
static void form_basis(const double* M, const double* tau, int rows, int rank, double* Q) {
    int ld = ts_panel_padded(rows), null = rows - rank;
    memset(Q, 0, (size_t)(rows * ld) * sizeof(double));
    for (int j = 0; j < rows; ++j) {
        double x[GROUP_ROWS] = {0.0};
        x[j] = 1.0;
        ts_linear_orthogonal_backward(M, tau, rows, rank, x);
        for (int i = 0; i < rows; ++i) Q[i * ld + (j < rank ? j + null : j - rank)] = x[i];
    }
}

void ts_linear_groups_range(double* M, int rows, int columns, double* Q) {
    double tau[GROUP_ROWS];
    ts_linear_orthogonalise(M, rows, columns, columns, 0.0, NULL, tau);
    form_basis(M, tau, rows, columns, Q);
}

// A group's own part of A - T, by columns.
static void gather(const ts_linear_groups* q, const ts_linear_matrix* A, int g, double* out) {
    const ts_linear_group* own = &q->group[g];
    for (int k = own->first; k < own->first + own->count; ++k) {
        int b = q->member[k], rows = rows_of(A, b);
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int c = A->column[e], columns = rows_of(A, c);
            double room[MAX * MAX];
            int ld;
            // A block that no group has taken yet has no place within one.
            if (q->of[c] != g) continue;
            double* to = out + q->within[c] * own->rows + q->within[b];
            const double* entry = entry_of(A, b, e, room, &ld);
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j) to[j * own->rows + i] = entry[i * ld + j];
        }
    }
}

static int same_pattern(const ts_linear_matrix* A, int a, int b) {
    int count = A->start[a + 1] - A->start[a];
    return A->start[b + 1] - A->start[b] == count &&
           memcmp(A->column + A->start[a], A->column + A->start[b], (size_t)count * sizeof(int)) == 0;
}

// A group of the given members, which follow q->member[first].
static void add_group(ts_linear_groups* q, const ts_linear_matrix* A, int first, int count) {
    ts_linear_group* g = &q->group[q->count];
    g->first = first;
    g->count = count;
    g->rows = 0;
    g->Q = g->N = NULL;
    for (int k = first; k < first + count; ++k) {
        int b = q->member[k];
        q->of[b] = q->count;
        q->within[b] = g->rows;
        g->rows += rows_of(A, b);
    }
    g->rank = g->rows;
    ++q->count;
}

// Lists groups; those that save nothing are taken apart. Returns the rows saved, or -1 when memory is short.
static int find_groups(ts_linear_groups* q, const ts_linear_matrix* A, ts_arena* arena) {
    double M[GROUP_ROWS * GROUP_ROWS], tau[GROUP_ROWS];
    int saved = 0, listed = 0;
    for (int b = 0; b < A->blocks; ++b) q->of[b] = -1;
    for (int b = 0; b < A->blocks; ++b) {
        if (q->of[b] >= 0) continue;
        int first = listed, rows = 0;
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int c = A->column[e];
            if (c < b || q->of[c] >= 0 || rows + rows_of(A, c) > GROUP_ROWS || !same_pattern(A, b, c)) continue;
            q->member[listed++] = c;
            rows += rows_of(A, c);
        }
        add_group(q, A, first, listed - first);
        if (listed - first == 1) continue;
        ts_linear_group* g = &q->group[q->count - 1];
        memset(M, 0, (size_t)(rows * rows) * sizeof(double));
        gather(q, A, q->count - 1, M);
        int pivot[GROUP_ROWS] = {0}, rank = ts_linear_orthogonalise(M, rows, rows, RANK + 1, rank_share, pivot, tau);
        if (rank > RANK || rank == 0 || rank > rows - SAVED_ROWS) {
            --q->count;
            for (int k = first; k < listed; ++k) add_group(q, A, k, 1);
            continue;
        }
        int ld = ts_panel_padded(rows), padded = ts_panel_padded(rank);
        g->rank = rank;
        g->Q = TS_ARENA_ARRAY(arena, double, rows* ld);
        g->N = (double*)ts_arena_alloc_zeroed(arena, (size_t)rows * (size_t)padded, sizeof(double));
        if (!g->Q || !g->N) return -1;
        form_basis(M, tau, rows, rank, g->Q);
        for (int i = 0; i < rows; ++i)
            memcpy(g->N + i * padded, g->Q + i * ld + rows - rank, (size_t)rank * sizeof(double));
        saved += rows - rank;
    }
    return saved;
}

// The pattern of Z. All members of a group touch the same blocks, so its first speaks for it.
static int find_pattern(ts_linear_groups* q, const ts_linear_matrix* A, ts_arena* arena) {
    int entries = 0, bound = 0;
    size_t numbers = 0;
    for (int g = 0; g < q->count; ++g) {
        int b = q->member[q->group[g].first];
        bound += A->start[b + 1] - A->start[b];
    }
    int* mark = TS_ARENA_ARRAY(arena, int, q->count);
    q->start = TS_ARENA_ARRAY(arena, int, q->count + 1);
    q->column = TS_ARENA_ARRAY(arena, int, bound);
    q->at = TS_ARENA_ARRAY(arena, size_t, bound);
    if (!mark || !q->start || !q->column || !q->at) return 0;
    for (int g = 0; g < q->count; ++g) mark[g] = -1;
    for (int g = 0; g < q->count; ++g) {
        int b = q->member[q->group[g].first];
        q->start[g] = entries;
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int h = q->of[A->column[e]];
            if (mark[h] == g) continue;
            mark[h] = g;
            q->column[entries++] = h;
        }
        ts_sort_ints(q->column + q->start[g], entries - q->start[g]);
        for (int e = q->start[g]; e < entries; ++e) {
            q->at[e] = numbers;
            numbers += (size_t)q->group[g].rank * (size_t)ts_panel_padded(q->group[q->column[e]].rank);
        }
    }
    q->start[q->count] = entries;
    q->Z = (double*)ts_arena_alloc_zeroed(arena, numbers, sizeof(double));
    return q->Z != NULL;
}

// Z = N^T (A - T) N, row of blocks by row of blocks. `half` holds minus (A - T) N of a block for every group in its
// row.
static int project(ts_linear_groups* q, const ts_linear_matrix* A, ts_arena* scratch) {
    double* half = TS_ARENA_ARRAY(scratch, double, q->count* HALF);
    int* place = TS_ARENA_ARRAY(scratch, int, q->count);
    if (!half || !place) return 0;
    for (int b = 0; b < A->blocks; ++b) {
        int g = q->of[b], rows = rows_of(A, b), width = q->group[g].rank, ld = ts_panel_padded(width);
        int columns = q->start[g + 1] - q->start[g];
        const double* own = ts_linear_range_rows(q, b);
        for (int k = 0; k < columns; ++k) place[q->column[q->start[g] + k]] = k;
        memset(half, 0, (size_t)(columns * HALF) * sizeof(double));
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int c = A->column[e], h = q->of[c], padded = ts_panel_padded(q->group[h].rank);
            const double* other = ts_linear_range_rows(q, c);
            double room[MAX * MAX], *to = half + place[h] * HALF;
            int ld_entry, own_columns = rows_of(A, c);
            const double* entry = entry_of(A, b, e, room, &ld_entry);
            if (other)
                ts_panel_subtract(rows, padded, own_columns, (ts_panel){entry, ld_entry}, (ts_panel){other, padded}, to,
                                  padded);
            for (int i = 0; i < rows && !other; ++i)
                for (int j = 0; j < own_columns; ++j) to[i * padded + j] = -entry[i * ld_entry + j];
        }
        double transposed[MAX * RANK];
        for (int i = 0; i < rows * width && own; ++i)
            transposed[i % width * rows + i / width] = own[i / width * ld + i % width];
        for (int k = 0; k < columns; ++k) {
            int padded = ts_panel_padded(q->group[q->column[q->start[g] + k]].rank);
            double* Z = q->Z + q->at[q->start[g] + k];
            const double* from = half + k * HALF;
            if (own)
                ts_panel_subtract(width, padded, rows, (ts_panel){transposed, rows}, (ts_panel){from, padded}, Z,
                                  padded);
            for (int i = 0; i < rows * padded && !own; ++i) Z[i] = -from[i];
        }
    }
    return 1;
}

void ts_linear_groups_apply(const ts_linear_groups* q, const double* w, double* out_v) {
    for (int g = 0; g < q->count; ++g) {
        double sum[RANK] = {0.0};
        int rank = q->group[g].rank;
        for (int e = q->start[g]; e < q->start[g + 1]; ++e) {
            int other = q->group[q->column[e]].rank, ld = ts_panel_padded(other);
            const double *Z = q->Z + q->at[e], *x = w + q->column[e] * RANK;
            for (int i = 0; i < rank; ++i) {
                double even = 0.0, odd = 0.0;
                for (int j = 0; j + 1 < other; j += 2) {
                    even += Z[i * ld + j] * x[j];
                    odd += Z[i * ld + j + 1] * x[j + 1];
                }
                if (other % 2 == 1) even += Z[i * ld + other - 1] * x[other - 1];
                sum[i] += even + odd;
            }
        }
        memcpy(out_v + g * RANK, sum, (size_t)rank * sizeof(double));
    }
}

// Whether (A - T) x = N Z N^T x for one x.
static int holds(const ts_linear_groups* q, const ts_linear_matrix* A, ts_arena* scratch) {
    double* x = TS_ARENA_ARRAY(scratch, double, A->rows);
    double* y = TS_ARENA_ARRAY(scratch, double, A->rows);
    double* sizes = TS_ARENA_ARRAY(scratch, double, A->rows);
    double* w = (double*)ts_arena_alloc_zeroed(scratch, (size_t)q->count * RANK, sizeof(double));
    double* v = TS_ARENA_ARRAY(scratch, double, q->count* RANK);
    if (!x || !y || !sizes || !w || !v) return 0;
    // No special direction: the fractional parts of multiples of an irrational number.
    double angle = 0.0;
    for (int i = 0; i < A->rows; ++i) {
        angle += 0.6180339887498949;
        if (angle >= 1.0) angle -= 1.0;
        x[i] = 0.5 + angle * (1.0 - angle);
        if (i % 3 == 1) x[i] = -x[i];
    }
    for (int b = 0; b < A->blocks; ++b) {
        int g = q->of[b], ld = ts_panel_padded(q->group[g].rank);
        const double *own = ts_linear_range_rows(q, b), *from = x + A->row[b];
        for (int r = 0; r < rows_of(A, b); ++r)
            for (int i = 0; i < q->group[g].rank; ++i)
                w[g * RANK + i] += own ? own[r * ld + i] * from[r] : (i == r ? from[r] : 0.0);
    }
    ts_linear_groups_apply(q, w, v);
    ts_linear_matrix_apply(A, x, y);
    ts_linear_matrix_sizes(A, x, sizes);
    for (int b = 0; b < A->blocks; ++b) {
        int g = q->of[b], ld = ts_panel_padded(q->group[g].rank);
        const double* own = ts_linear_range_rows(q, b);
        double size = 0.0, error = 0.0;
        for (int r = 0; r < rows_of(A, b); ++r) {
            int row = A->row[b] + r;
            double ours = y[row] - (A->shift ? A->shift[row] * x[row] : 0.0), theirs = own ? 0.0 : v[g * RANK + r];
            for (int i = 0; i < q->group[g].rank && own; ++i) theirs += own[r * ld + i] * v[g * RANK + i];
            error = fmax(error, fabs(ours - theirs));
            size += sizes[row];
        }
        if (!(error <= group_error * size)) return 0;
    }
    return 1;
}

ts_linear_groups* ts_linear_groups_make(const ts_linear_matrix* A, ts_arena* arena) {
    int blocks = A->blocks;
    if (blocks < LEAST_BLOCKS || !A->start) return NULL;
    ts_arena_scope all = ts_arena_scope_begin(arena);
    ts_linear_groups* q = (ts_linear_groups*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    if (!q) return NULL;
    q->group = TS_ARENA_ARRAY(arena, ts_linear_group, blocks);
    q->member = TS_ARENA_ARRAY(arena, int, blocks);
    q->of = TS_ARENA_ARRAY(arena, int, blocks);
    q->within = TS_ARENA_ARRAY(arena, int, blocks);
    int made = q->group && q->member && q->of && q->within && find_groups(q, A, arena) >= worthwhile * A->rows &&
               find_pattern(q, A, arena);
    if (made) {
        ts_arena_scope scope = ts_arena_scope_begin(arena);
        made = project(q, A, arena) && holds(q, A, arena);
        ts_arena_scope_end(arena, scope);
    }
    if (made) return q;
    ts_arena_scope_end(arena, all);
    return NULL;
}
