// Newton's linear system with contacts between the same bodies taken together.
//
// Problem: C d + E A d = r by blocks, where A = J M^-1 J^T + T, T diagonal. Contacts between the same two bodies have
// rows of A - T that span no more than six dimensions, however many contacts there are. A dense or recorded matrix does
// not say which contacts these are, but shows it: their rows have the same blocks, and little rank.
// Rule, once per matrix: blocks with the same pattern are a group. A pivoted QR of the group's part of A - T gives an
// orthogonal Q = [null | range] with A - T = N Z N^T, N the range columns of all groups, Z = N^T (A - T) N. One product
// with a vector of no special direction tells whether that holds.
// Rule, per system: newton_groups_solve.c.
// Source: pivoted QR: Golub and Van Loan, 5.4; that contacts of one pair add up to a wrench: mechanics. Their
// combination for recorded problems is ours.
// Guaranteed: a function of the input alone; groups that A does not keep to are not used.
// Known limit: rank is told by a gap of thirteen digits, so contacts whose bodies' masses differ by more may be left
// alone.
#include "contact/solvers/newton/newton_groups_internal.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

enum {
    GROUP_ROWS = TS_NEWTON_GROUP_ROWS,
    RANK = TS_NEWTON_GROUP_RANK,
    LEAST_BLOCKS = 8,              // of a problem for which looking is worth the time
    SAVED_ROWS = 3,                // by a group at least
    HALF = TS_BLOCK_ROWS_MAX * 8,  // numbers of a block's rows of N, padded
    MAX = TS_BLOCK_ROWS_MAX
};

// Parts of a group's matrix under this share of its largest are rounding.
#define RANK_SHARE 1e-13
// Largest error of N Z N^T, relative to sums of absolute values.
#define GROUP_ERROR 1e-12
// Rows that must go for it to be worth it, as a share of all.
#define WORTHWHILE 0.15

// A - T of two blocks in an entry, where only diagonal ones have T.
static void entry_of(const ts_newton_matrix* A, int b, int e, double* out) {
    const ts_block* block = A->problem->block;
    int rows = block[b].rows, columns = block[A->G->column[e]].rows;
    memcpy(out, A->value + A->G->at[e], (size_t)(rows * columns) * sizeof(double));
    if (A->G->column[e] != b || !A->row_shift) return;
    for (int r = 0; r < rows; ++r) out[r * columns + r] -= A->row_shift[block[b].row + r];
}

// Reflects column j of M (rows x columns) onto its row j and applies that to the columns behind; the reflection takes
// the same rows of Qt (rows x rows), the transpose of an orthogonal matrix, along.
static void reflect(double* M, int rows, int columns, int j, double* Qt) {
    double v[GROUP_ROWS] = {0.0}, dot[GROUP_ROWS] = {0.0}, sum = 0.0;
    for (int i = j; i < rows; ++i) {
        v[i] = M[i * columns + j];
        sum += v[i] * v[i];
    }
    double length = sqrt(sum);
    if (!(length > 0.0)) return;
    double head = v[j] > 0.0 ? -length : length, scale = 1.0 / (length * (length + fabs(v[j])));
    v[j] -= head;
    for (int i = j; i < rows; ++i)
        for (int c = j + 1; c < columns; ++c) dot[c] += v[i] * M[i * columns + c];
    for (int i = j; i < rows; ++i)
        for (int c = j + 1; c < columns; ++c) M[i * columns + c] -= v[i] * (scale * dot[c]);
    M[j * columns + j] = head;
    for (int i = j + 1; i < rows; ++i) M[i * columns + j] = 0.0;
    memset(dot, 0, sizeof(dot));
    for (int i = j; i < rows; ++i)
        for (int c = 0; c < rows; ++c) dot[c] += v[i] * Qt[i * rows + c];
    for (int i = j; i < rows; ++i)
        for (int c = 0; c < rows; ++c) Qt[i * rows + c] -= v[i] * (scale * dot[c]);
}

static void identity(double* Q, int rows) {
    memset(Q, 0, (size_t)(rows * rows) * sizeof(double));
    for (int i = 0; i < rows; ++i) Q[i * rows + i] = 1.0;
}

// Q = [null | range] from Qt, whose first `rank` rows are the range.
static void arrange(const double* Qt, int rows, int rank, double* Q) {
    int ld = ts_panel_padded(rows), null = rows - rank;
    memset(Q, 0, (size_t)(rows * ld) * sizeof(double));
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < rows; ++i) Q[i * ld + j] = Qt[(j < null ? j + rank : j - null) * rows + i];
}

void ts_newton_groups_range(double* M, int rows, int columns, double* Q) {
    double Qt[GROUP_ROWS * GROUP_ROWS];
    identity(Qt, rows);
    for (int j = 0; j < columns; ++j) reflect(M, rows, columns, j, Qt);
    arrange(Qt, rows, columns, Q);
}

// Finds the range of a group's matrix M (rows x rows), which is overwritten: the first rows of Qt. Returns the rank, or
// more than RANK.
static int find_range(double* M, int rows, double* Qt) {
    double first = 0.0;
    identity(Qt, rows);
    for (int j = 0; j < rows; ++j) {
        int best = j;
        double largest = -1.0;
        for (int c = j; c < rows; ++c) {
            double sum = 0.0;
            for (int i = j; i < rows; ++i) sum += M[i * rows + c] * M[i * rows + c];
            if (sum > largest) {
                largest = sum;
                best = c;
            }
        }
        if (j == 0) first = largest;
        if (!(largest > RANK_SHARE * RANK_SHARE * first)) return j;
        if (j == RANK) return RANK + 1;
        for (int i = 0; i < rows && best != j; ++i) {
            double x = M[i * rows + j];
            M[i * rows + j] = M[i * rows + best];
            M[i * rows + best] = x;
        }
        reflect(M, rows, rows, j, Qt);
    }
    return rows;
}

// A group's own part of A - T.
static void gather(const ts_newton_groups* q, const ts_newton_matrix* A, int g, double* out) {
    const ts_newton_group* own = &q->group[g];
    for (int k = own->first; k < own->first + own->count; ++k) {
        int b = q->member[k], rows = A->problem->block[b].rows;
        for (int e = A->G->start[b]; e < A->G->start[b + 1]; ++e) {
            int c = A->G->column[e], columns = A->problem->block[c].rows;
            double entry[MAX * MAX];
            if (q->of[c] != g) continue;
            entry_of(A, b, e, entry);
            for (int r = 0; r < rows; ++r)
                memcpy(out + (q->within[b] + r) * own->rows + q->within[c], entry + r * columns,
                       (size_t)columns * sizeof(double));
        }
    }
}

static int same_pattern(const ts_delassus_blocks* G, int a, int b) {
    int count = G->start[a + 1] - G->start[a];
    return G->start[b + 1] - G->start[b] == count &&
           memcmp(G->column + G->start[a], G->column + G->start[b], (size_t)count * sizeof(int)) == 0;
}

// A group of the given members, which follow q->member[first].
static void add_group(ts_newton_groups* q, const ts_contact_problem* problem, int first, int count) {
    ts_newton_group* g = &q->group[q->count];
    g->first = first;
    g->count = count;
    g->rows = 0;
    g->Q = g->N = NULL;
    for (int k = first; k < first + count; ++k) {
        int b = q->member[k];
        q->of[b] = q->count;
        q->within[b] = g->rows;
        g->rows += problem->block[b].rows;
    }
    g->rank = g->rows;
    ++q->count;
}

// Lists groups; those that save nothing are taken apart. Returns the rows saved, or -1 when memory is short.
static int find_groups(ts_newton_groups* q, const ts_newton_matrix* A, ts_arena* arena) {
    const ts_contact_problem* problem = A->problem;
    const ts_delassus_blocks* G = A->G;
    double M[GROUP_ROWS * GROUP_ROWS], Qt[GROUP_ROWS * GROUP_ROWS];
    int saved = 0, listed = 0;
    for (int b = 0; b < problem->block_count; ++b) q->of[b] = -1;
    for (int b = 0; b < problem->block_count; ++b) {
        if (q->of[b] >= 0) continue;
        int first = listed, rows = 0;
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            int c = G->column[e];
            if (c < b || q->of[c] >= 0 || rows + problem->block[c].rows > GROUP_ROWS || !same_pattern(G, b, c))
                continue;
            q->member[listed++] = c;
            rows += problem->block[c].rows;
        }
        add_group(q, problem, first, listed - first);
        if (listed - first == 1) continue;
        ts_newton_group* g = &q->group[q->count - 1];
        memset(M, 0, (size_t)(rows * rows) * sizeof(double));
        gather(q, A, q->count - 1, M);
        int rank = find_range(M, rows, Qt);
        if (rank > RANK || rank == 0 || rank > rows - SAVED_ROWS) {
            --q->count;
            for (int k = first; k < listed; ++k) add_group(q, problem, k, 1);
            continue;
        }
        int ld = ts_panel_padded(rows), padded = ts_panel_padded(rank);
        g->rank = rank;
        g->Q = TS_ARENA_ARRAY(arena, double, rows* ld);
        g->N = (double*)ts_arena_alloc_zeroed(arena, (size_t)rows * (size_t)padded, sizeof(double));
        if (!g->Q || !g->N) return -1;
        arrange(Qt, rows, rank, g->Q);
        for (int i = 0; i < rows; ++i)
            memcpy(g->N + i * padded, g->Q + i * ld + rows - rank, (size_t)rank * sizeof(double));
        saved += rows - rank;
    }
    return saved;
}

// The pattern of Z. All members of a group touch the same blocks, so its first speaks for it.
static int find_pattern(ts_newton_groups* q, const ts_newton_matrix* A, ts_arena* arena) {
    const ts_delassus_blocks* G = A->G;
    int entries = 0, bound = 0;
    size_t numbers = 0;
    for (int g = 0; g < q->count; ++g) {
        int b = q->member[q->group[g].first];
        bound += G->start[b + 1] - G->start[b];
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
        for (int e = G->start[b]; e < G->start[b + 1]; ++e) {
            int h = q->of[G->column[e]];
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
static int project(ts_newton_groups* q, const ts_newton_matrix* A, ts_arena* scratch) {
    const ts_block* block = A->problem->block;
    double* half = TS_ARENA_ARRAY(scratch, double, q->count* HALF);
    int* place = TS_ARENA_ARRAY(scratch, int, q->count);
    if (!half || !place) return 0;
    for (int b = 0; b < A->problem->block_count; ++b) {
        int g = q->of[b], rows = block[b].rows, width = q->group[g].rank, ld = ts_panel_padded(width);
        int columns = q->start[g + 1] - q->start[g];
        const double* own = ts_newton_range_rows(q, b);
        for (int k = 0; k < columns; ++k) place[q->column[q->start[g] + k]] = k;
        memset(half, 0, (size_t)(columns * HALF) * sizeof(double));
        for (int e = A->G->start[b]; e < A->G->start[b + 1]; ++e) {
            int c = A->G->column[e], h = q->of[c], padded = ts_panel_padded(q->group[h].rank);
            const double* other = ts_newton_range_rows(q, c);
            double entry[MAX * MAX], *to = half + place[h] * HALF;
            entry_of(A, b, e, entry);
            if (other) ts_panel_subtract(rows, padded, block[c].rows, entry, block[c].rows, other, padded, to, padded);
            for (int i = 0; i < rows * block[c].rows && !other; ++i)
                to[i / block[c].rows * padded + i % block[c].rows] = -entry[i];
        }
        double transposed[MAX * RANK];
        for (int i = 0; i < rows * width && own; ++i)
            transposed[i % width * rows + i / width] = own[i / width * ld + i % width];
        for (int k = 0; k < columns; ++k) {
            int padded = ts_panel_padded(q->group[q->column[q->start[g] + k]].rank);
            double* Z = q->Z + q->at[q->start[g] + k];
            const double* from = half + k * HALF;
            if (own) ts_panel_subtract(width, padded, rows, transposed, rows, from, padded, Z, padded);
            for (int i = 0; i < rows * padded && !own; ++i) Z[i] = -from[i];
        }
    }
    return 1;
}

void ts_newton_groups_apply(const ts_newton_groups* q, const double* w, double* out_v) {
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
static int holds(const ts_newton_groups* q, const ts_newton_matrix* A, ts_arena* scratch) {
    const ts_block* block = A->problem->block;
    double* x = TS_ARENA_ARRAY(scratch, double, A->problem->row_count);
    double* w = (double*)ts_arena_alloc_zeroed(scratch, (size_t)q->count * RANK, sizeof(double));
    double* v = TS_ARENA_ARRAY(scratch, double, q->count* RANK);
    if (!x || !w || !v) return 0;
    // No special direction: the fractional parts of multiples of an irrational number.
    double angle = 0.0;
    for (int i = 0; i < A->problem->row_count; ++i) {
        angle += 0.6180339887498949;
        if (angle >= 1.0) angle -= 1.0;
        x[i] = 0.5 + angle * (1.0 - angle);
        if (i % 3 == 1) x[i] = -x[i];
    }
    for (int b = 0; b < A->problem->block_count; ++b) {
        int g = q->of[b], ld = ts_panel_padded(q->group[g].rank);
        const double *own = ts_newton_range_rows(q, b), *from = x + block[b].row;
        for (int r = 0; r < block[b].rows; ++r)
            for (int i = 0; i < q->group[g].rank; ++i)
                w[g * RANK + i] += own ? own[r * ld + i] * from[r] : (i == r ? from[r] : 0.0);
    }
    ts_newton_groups_apply(q, w, v);
    for (int b = 0; b < A->problem->block_count; ++b) {
        int g = q->of[b], ld = ts_panel_padded(q->group[g].rank);
        const double* own = ts_newton_range_rows(q, b);
        double sum[MAX] = {0.0}, size = 0.0, error = 0.0;
        for (int e = A->G->start[b]; e < A->G->start[b + 1]; ++e) {
            int c = A->G->column[e];
            double entry[MAX * MAX];
            entry_of(A, b, e, entry);
            for (int i = 0; i < block[b].rows * block[c].rows; ++i) {
                double part = entry[i] * x[block[c].row + i % block[c].rows];
                sum[i / block[c].rows] += part;
                size += fabs(part);
            }
        }
        for (int r = 0; r < block[b].rows; ++r) {
            double other = own ? 0.0 : v[g * RANK + r];
            for (int i = 0; i < q->group[g].rank && own; ++i) other += own[r * ld + i] * v[g * RANK + i];
            error = fmax(error, fabs(sum[r] - other));
        }
        if (!(error <= GROUP_ERROR * size)) return 0;
    }
    return 1;
}

ts_newton_groups* ts_newton_groups_make(const ts_newton_matrix* A, ts_arena* arena) {
    int blocks = A->problem->block_count;
    if (blocks < LEAST_BLOCKS || !A->G || !A->value) return NULL;
    ts_arena_scope all = ts_arena_scope_begin(arena);
    ts_newton_groups* q = (ts_newton_groups*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    if (!q) return NULL;
    q->group = TS_ARENA_ARRAY(arena, ts_newton_group, blocks);
    q->member = TS_ARENA_ARRAY(arena, int, blocks);
    q->of = TS_ARENA_ARRAY(arena, int, blocks);
    q->within = TS_ARENA_ARRAY(arena, int, blocks);
    int made = q->group && q->member && q->of && q->within &&
               find_groups(q, A, arena) >= WORTHWHILE * A->problem->row_count && find_pattern(q, A, arena);
    if (made) {
        ts_arena_scope scope = ts_arena_scope_begin(arena);
        made = project(q, A, arena) && holds(q, A, arena);
        ts_arena_scope_end(arena, scope);
    }
    if (made) return q;
    ts_arena_scope_end(arena, all);
    return NULL;
}
