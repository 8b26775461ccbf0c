// Newton's linear system with contacts between the same bodies taken together.
//
// Problem: C d + E A d = r by blocks, where A = J M^-1 J^T + T, T diagonal. Contacts between the same two bodies have rows
// of A - T that span no more than six dimensions, however many contacts there are. A dense or recorded matrix does not say
// which contacts these are, but shows it: their rows have the same blocks, and little rank.
// Rule, once per matrix: blocks with the same pattern are a group. A pivoted QR of the group's part of A - T gives an
// orthogonal Q = [null | range] with A - T = N Z N^T, N the range columns of all groups, Z = N^T (A - T) N. One product
// with a vector of no special direction tells whether that holds.
// Rule, per system: in d = Q [n, p] the n of a group meet the group's own rows only. Gaussian elimination with row
// exchanges removes them there and leaves F p + L v = s, v = Z w, w = N^T d = P p, as many rows as the rank. So what is to
// be factorised by sparse LU is F + L Z P. Where only some blocks of a group are active, N loses rows, and a new QR of
// what is left plays the part of Q; where those are no more than the rank, they are p themselves.
// Source: null-space elimination, textbook linear algebra; that contacts of one pair add up to a wrench: mechanics. Their
// combination for recorded problems is ours.
// Guaranteed: a function of the input alone; no pivot is divided by before the largest of its column has been sought.
// Known to fail: rows of different groups are not exchanged, see base/block_lu_factor.c.
#include "contact/solvers/newton_groups_internal.h"

#include <math.h>
#include <string.h>

#include "base/block_lu.h"
#include "base/dense.h"
#include "contact/solvers/scaled_internal.h"

enum {
    GROUP_ROWS = 48,         // in a group at most
    RANK = TS_BLOCK_LU_MAX,  // of a group at most
    LEAST_BLOCKS = 8,        // of a problem for which looking is worth the time
    SAVED_ROWS = 3,          // by a group at least
    DENSE_ROWS = 60,         // up to here one dense factor is quicker than a sparse one
    MAX = TS_BLOCK_ROWS_MAX
};

// Parts of a group's matrix under this share of its largest are rounding.
#define RANK_SHARE 1e-13
// Largest error of N Z N^T, relative to sums of absolute values.
#define GROUP_ERROR 1e-12
// Rows that must go for it to be worth it, as a share of all.
#define WORTHWHILE 0.15

typedef struct group {
    int first;  // of its blocks in ts_newton_groups.member
    int count;
    int rows;
    int rank;   // rows where nothing is saved: Q is then not used, and N is the identity
    double* Q;  // (rows x rows), columns [null | range]
} group;

struct ts_newton_groups {
    int count;
    group* group;
    int* member;  // (blocks) by group
    int* of;      // (blocks) group
    int* within;  // (blocks) first row within the group
    int* start;   // (count + 1) rows of Z's pattern
    int* column;  // groups, ascending
    size_t* at;   // of an entry in Z
    double* Z;    // rank x rank of each entry
};

// A - T of two blocks in an entry, where only diagonal ones have T.
static void entry_of(const ts_newton_matrix* A, int b, int e, double* out) {
    const ts_block* block = A->problem->block;
    int rows = block[b].rows, columns = block[A->G->column[e]].rows;
    memcpy(out, A->value + A->G->at[e], (size_t)(rows * columns) * sizeof(double));
    if (A->G->column[e] != b || !A->row_shift) return;
    for (int r = 0; r < rows; ++r) out[r * columns + r] -= A->row_shift[block[b].row + r];
}

// Reflects column j of M (rows x columns) onto its row j and applies that to the columns behind; adds the reflection to Q
// (rows x rows).
static void reflect(double* M, int rows, int columns, int ld, int j, double* Q) {
    double v[GROUP_ROWS], sum = 0.0;
    for (int i = j; i < rows; ++i) {
        v[i] = M[i * ld + j];
        sum += v[i] * v[i];
    }
    double length = sqrt(sum);
    if (!(length > 0.0)) return;
    double head = v[j] > 0.0 ? -length : length;
    v[j] -= head;
    double scale = 1.0 / (length * (length + fabs(v[j] + head)));
    double dot[GROUP_ROWS + 1] = {0.0};
    for (int i = j; i < rows; ++i)
        for (int c = j + 1; c < columns; ++c) dot[c] += v[i] * M[i * ld + c];
    for (int i = j; i < rows; ++i)
        for (int c = j + 1; c < columns; ++c) M[i * ld + c] -= v[i] * (scale * dot[c]);
    M[j * ld + j] = head;
    for (int i = j + 1; i < rows; ++i) M[i * ld + j] = 0.0;
    for (int i = 0; i < rows; ++i) {
        double along = 0.0;
        for (int c = j; c < rows; ++c) along += Q[i * rows + c] * v[c];
        along *= scale;
        for (int c = j; c < rows; ++c) Q[i * rows + c] -= along * v[c];
    }
}

static void identity(double* Q, int rows) {
    memset(Q, 0, (size_t)(rows * rows) * sizeof(double));
    for (int i = 0; i < rows; ++i) Q[i * rows + i] = 1.0;
}

// Moves the first `rank` columns of Q behind the others.
static void range_last(double* Q, int rows, int rank) {
    for (int i = 0; i < rows; ++i) {
        double head[RANK];
        memcpy(head, Q + i * rows, (size_t)rank * sizeof(double));
        memmove(Q + i * rows, Q + i * rows + rank, (size_t)(rows - rank) * sizeof(double));
        memcpy(Q + i * rows + rows - rank, head, (size_t)rank * sizeof(double));
    }
}

// Finds Q and the rank of a group's matrix M (rows x rows), which is overwritten. Returns the rank, or more than RANK.
static int find_range(double* M, int rows, double* Q) {
    double first = 0.0;
    identity(Q, rows);
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
        reflect(M, rows, rows, rows, j, Q);
    }
    return rows;
}

// A group's own part of A - T.
static void gather(const ts_newton_groups* q, const ts_newton_matrix* A, int g, double* out) {
    const group* own = &q->group[g];
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
    group* g = &q->group[q->count];
    g->first = first;
    g->count = count;
    g->rows = 0;
    g->Q = NULL;
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
    double M[GROUP_ROWS * GROUP_ROWS], Q[GROUP_ROWS * GROUP_ROWS];
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
        group* g = &q->group[q->count - 1];
        memset(M, 0, (size_t)(rows * rows) * sizeof(double));
        gather(q, A, q->count - 1, M);
        int rank = find_range(M, rows, Q);
        if (rank > RANK || rank == 0 || rank > rows - SAVED_ROWS) {
            --q->count;
            for (int k = first; k < listed; ++k) add_group(q, problem, k, 1);
            continue;
        }
        range_last(Q, rows, rank);
        g->rank = rank;
        g->Q = TS_ARENA_ARRAY(arena, double, rows* rows);
        if (!g->Q) return -1;
        memcpy(g->Q, Q, (size_t)(rows * rows) * sizeof(double));
        saved += rows - rank;
    }
    return saved;
}

static void sort_ascending(int* value, int count) {
    for (int i = 1; i < count; ++i) {
        int v = value[i], j = i;
        for (; j > 0 && value[j - 1] > v; --j) value[j] = value[j - 1];
        value[j] = v;
    }
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
        sort_ascending(q->column + q->start[g], entries - q->start[g]);
        for (int e = q->start[g]; e < entries; ++e) {
            q->at[e] = numbers;
            numbers += (size_t)q->group[g].rank * (size_t)q->group[q->column[e]].rank;
        }
    }
    q->start[q->count] = entries;
    q->Z = (double*)ts_arena_alloc_zeroed(arena, numbers, sizeof(double));
    return q->Z != NULL;
}

// C += A B, row-major, A m x k, B k x n.
static void multiply_add(int m, int n, int k, const double* A, int lda, const double* B, int ldb, double* C, int ldc) {
    for (int i = 0; i < m; ++i)
        for (int l = 0; l < k; ++l) {
            double a = A[i * lda + l];
            const double* b = B + l * ldb;
            double* c = C + i * ldc;
            for (int j = 0; j < n; ++j) c[j] += a * b[j];
        }
}

// The rows of N that belong to block b of group g, and how far apart they are; NULL for the identity.
static const double* range_rows(const ts_newton_groups* q, int b, int* out_ld) {
    const group* g = &q->group[q->of[b]];
    *out_ld = g->rows;
    return g->Q ? g->Q + q->within[b] * g->rows + (g->rows - g->rank) : NULL;
}

// Z = N^T (A - T) N, row of blocks by row of blocks. `half` holds (A - T) N of a block for every group in its row.
static int project(ts_newton_groups* q, const ts_newton_matrix* A, ts_arena* scratch) {
    const ts_block* block = A->problem->block;
    double* half = TS_ARENA_ARRAY(scratch, double, (size_t)q->count* MAX* MAX);
    int* place = TS_ARENA_ARRAY(scratch, int, q->count);
    if (!half || !place) return 0;
    for (int b = 0; b < A->problem->block_count; ++b) {
        int g = q->of[b], rows = block[b].rows, ld, width = q->group[g].rank;
        const double* own = range_rows(q, b, &ld);
        int columns = q->start[g + 1] - q->start[g];
        for (int k = 0; k < columns; ++k) place[q->column[q->start[g] + k]] = k;
        memset(half, 0, (size_t)columns * MAX * MAX * sizeof(double));
        for (int e = A->G->start[b]; e < A->G->start[b + 1]; ++e) {
            int c = A->G->column[e], other_ld;
            const double* other = range_rows(q, c, &other_ld);
            double entry[MAX * MAX], *to = half + place[q->of[c]] * MAX * MAX;
            entry_of(A, b, e, entry);
            if (other)
                multiply_add(rows, q->group[q->of[c]].rank, block[c].rows, entry, block[c].rows, other, other_ld, to,
                             MAX);
            else
                for (int r = 0; r < rows; ++r)
                    memcpy(to + r * MAX, entry + r * block[c].rows, (size_t)block[c].rows * sizeof(double));
        }
        for (int k = 0; k < columns; ++k) {
            int rank = q->group[q->column[q->start[g] + k]].rank;
            double* Z = q->Z + q->at[q->start[g] + k];
            const double* from = half + k * MAX * MAX;
            for (int r = 0; r < rows; ++r)
                for (int i = 0; i < width && own; ++i)
                    for (int j = 0; j < rank; ++j) Z[i * rank + j] += own[r * ld + i] * from[r * MAX + j];
            for (int r = 0; r < rows && !own; ++r) memcpy(Z + r * rank, from + r * MAX, (size_t)rank * sizeof(double));
        }
    }
    return 1;
}

// w of every group, RANK numbers apart: v = Z w.
static void apply_Z(const ts_newton_groups* q, const double* w, double* out_v) {
    for (int g = 0; g < q->count; ++g) {
        double sum[RANK] = {0.0};
        int rank = q->group[g].rank;
        for (int e = q->start[g]; e < q->start[g + 1]; ++e) {
            int other = q->group[q->column[e]].rank;
            const double *Z = q->Z + q->at[e], *x = w + q->column[e] * RANK;
            for (int i = 0; i < rank; ++i)
                for (int j = 0; j < other; ++j) sum[i] += Z[i * other + j] * x[j];
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
        int ld, g = q->of[b];
        const double *own = range_rows(q, b, &ld), *from = x + block[b].row;
        for (int r = 0; r < block[b].rows; ++r)
            for (int i = 0; i < q->group[g].rank; ++i)
                w[g * RANK + i] += own ? own[r * ld + i] * from[r] : (i == r ? from[r] : 0.0);
    }
    apply_Z(q, w, v);
    for (int b = 0; b < A->problem->block_count; ++b) {
        int ld, g = q->of[b];
        const double* own = range_rows(q, b, &ld);
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
    q->group = TS_ARENA_ARRAY(arena, group, blocks);
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

// A group at work in one solve.
typedef struct node {
    int group;
    int active;  // rows of active blocks
    int size;    // of p
    int width;   // of M
    double* M;   // (active x width): [C Q | E N | r], the null columns eliminated
    double* F;   // (size x size), rows `width` apart
    double* L;   // (size x rank), likewise
    double* s;   // (size), likewise
    double* Q;   // (active x active), or NULL where p is d
    double* P;   // (rank x size), or NULL for the identity
} node;

typedef struct solving {
    const ts_newton_groups* q;
    const ts_newton_system* system;
    ts_arena* scratch;
    int* offset;  // (blocks) first row in `right` of active ones
    node* node;
    int* node_of;  // (groups) or -1
    int count;
} solving;

// Q and P where only some blocks of a group are active: N holds their rows of it.
static int reduce_range(solving* w, node* n, const double* N) {
    int rank = w->q->group[n->group].rank, rows = n->active;
    double T[GROUP_ROWS * RANK];
    n->P = TS_ARENA_ARRAY(w->scratch, double, rank*(rows < rank ? rows : rank));
    if (!n->P) return 0;
    if (rows <= rank) {
        for (int i = 0; i < rank; ++i)
            for (int r = 0; r < rows; ++r) n->P[i * rows + r] = N[r * rank + i];
        return 1;
    }
    n->Q = TS_ARENA_ARRAY(w->scratch, double, rows* rows);
    if (!n->Q) return 0;
    identity(n->Q, rows);
    memcpy(T, N, (size_t)(rows * rank) * sizeof(double));
    for (int j = 0; j < rank; ++j) reflect(T, rows, rank, rank, j, n->Q);
    range_last(n->Q, rows, rank);
    for (int i = 0; i < rank; ++i)
        for (int j = 0; j < rank; ++j) n->P[i * rank + j] = T[j * rank + i];
    return 1;
}

// Removes the null columns of M. Returns 0 when they depend on each other.
static int eliminate(const node* n) {
    int gone = n->active - n->size, ld = n->width;
    for (int j = 0; j < gone; ++j) {
        double* pivot = n->M + j * ld;
        int best = j;
        for (int i = j + 1; i < n->active; ++i)
            if (fabs(n->M[i * ld + j]) > fabs(n->M[best * ld + j])) best = i;
        for (int c = j; c < ld && best != j; ++c) {
            double x = pivot[c];
            pivot[c] = n->M[best * ld + c];
            n->M[best * ld + c] = x;
        }
        double inverse = 1.0 / pivot[j];
        if (!isfinite(inverse) || inverse == 0.0) return 0;
        for (int i = j + 1; i < n->active; ++i) {
            double* row = n->M + i * ld;
            double l = row[j] * inverse;
            for (int c = j + 1; c < ld; ++c) row[c] -= l * pivot[c];
        }
    }
    return 1;
}

// Brings a group's active rows to the form F p + L v = s.
static int prepare_node(solving* w, node* n, const double* right) {
    const ts_newton_system* s = w->system;
    const group* g = &w->q->group[n->group];
    const ts_block* block = s->A.problem->block;
    double N[GROUP_ROWS * RANK];
    int ld = g->rows, null = g->rows - g->rank, at = 0;
    n->Q = NULL;
    n->P = NULL;
    n->size = n->active < g->rank ? n->active : g->rank;
    n->width = n->active + g->rank + 1;
    n->M = (double*)ts_arena_alloc_zeroed(w->scratch, (size_t)(n->active * n->width), sizeof(double));
    if (!n->M) return 0;
    for (int k = g->first; k < g->first + g->count && g->Q; ++k) {
        int b = w->q->member[k];
        if (s->place[b] < 0) continue;
        for (int r = 0; r < block[b].rows; ++r, ++at)
            memcpy(N + at * g->rank, g->Q + (w->q->within[b] + r) * ld + null, (size_t)g->rank * sizeof(double));
    }
    if (g->Q && n->active == g->rows) n->Q = g->Q;
    if (g->Q && n->active < g->rows && !reduce_range(w, n, N)) return 0;
    at = 0;
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k], rows = block[b].rows;
        if (s->place[b] < 0) continue;
        const double* E = s->E + s->square[b];
        double C[MAX * MAX], *row = n->M + at * n->width;
        memcpy(C, s->C + s->square[b], (size_t)(rows * rows) * sizeof(double));
        for (int i = 0; i < rows * rows && s->A.row_shift; ++i) C[i] += E[i] * s->A.row_shift[block[b].row + i % rows];
        for (int i = 0; i < rows; ++i) {
            if (!n->Q) memcpy(row + i * n->width + at, C + i * rows, (size_t)rows * sizeof(double));
            if (!g->Q) memcpy(row + i * n->width + n->active, E + i * rows, (size_t)rows * sizeof(double));
            row[(i + 1) * n->width - 1] = right[w->offset[b] + i];
        }
        if (n->Q) multiply_add(rows, n->active, rows, C, rows, n->Q + at * n->active, n->active, row, n->width);
        if (g->Q) multiply_add(rows, g->rank, rows, E, rows, N + at * g->rank, g->rank, row + n->active, n->width);
        at += rows;
    }
    int gone = n->active - n->size;
    n->F = n->M + gone * n->width + gone;
    n->L = n->F + n->size;
    n->s = n->L + g->rank;
    return eliminate(n);
}

// F + L Z P of one entry between two nodes, row-major.
static void form_entry(const solving* w, const node* n, const node* other, int e, double* out) {
    int rank = w->q->group[n->group].rank, other_rank = w->q->group[other->group].rank, columns = other->size;
    double ZP[RANK * RANK] = {0.0};
    const double* Z = w->q->Z + w->q->at[e];
    if (other->P) {
        multiply_add(rank, columns, other_rank, Z, other_rank, other->P, columns, ZP, columns);
        Z = ZP;
    }
    for (int i = 0; i < n->size; ++i)
        for (int c = 0; c < columns; ++c) out[i * columns + c] = n == other ? n->F[i * n->width + c] : 0.0;
    multiply_add(n->size, columns, rank, n->L, n->width, Z, columns, out, columns);
}

// Solves F p + L Z P p = s for all nodes; p (nodes x RANK) gets the answers.
static int solve_nodes(const solving* w, double most_work, double* out_p, int* out_dear) {
    const ts_newton_groups* q = w->q;
    int entries = 0, rows = 0;
    size_t numbers = 0;
    int* size = TS_ARENA_ARRAY(w->scratch, int, w->count);
    int* first = TS_ARENA_ARRAY(w->scratch, int, w->count + 1);
    int* start = TS_ARENA_ARRAY(w->scratch, int, w->count + 1);
    int* column = TS_ARENA_ARRAY(w->scratch, int, q->start[q->count]);
    size_t* at = TS_ARENA_ARRAY(w->scratch, size_t, q->start[q->count]);
    if (!size || !first || !start || !column || !at) return 0;
    for (int a = 0; a < w->count; ++a) {
        const node* n = &w->node[a];
        size[a] = n->size;
        first[a] = rows;
        rows += n->size;
        start[a] = entries;
        for (int e = q->start[n->group]; e < q->start[n->group + 1]; ++e) {
            int other = w->node_of[q->column[e]];
            if (other < 0) continue;
            column[entries] = other;
            at[entries++] = numbers;
            numbers += (size_t)n->size * (size_t)w->node[other].size;
        }
    }
    start[w->count] = entries;
    first[w->count] = rows;
    int dense = rows <= DENSE_ROWS;
    double* x = TS_ARENA_ARRAY(w->scratch, double, rows);
    int* pivot = TS_ARENA_ARRAY(w->scratch, int, rows);
    double* value = dense ? (double*)ts_arena_alloc_zeroed(w->scratch, (size_t)(rows * rows), sizeof(double))
                          : TS_ARENA_ARRAY(w->scratch, double, numbers);
    if (!x || !pivot || !value) return 0;
    for (int a = 0, next = 0; a < w->count; ++a) {
        const node* n = &w->node[a];
        for (int i = 0; i < n->size; ++i) x[first[a] + i] = n->s[i * n->width];
        for (int e = q->start[n->group]; e < q->start[n->group + 1]; ++e) {
            int other = w->node_of[q->column[e]];
            double entry[RANK * RANK];
            if (other < 0) continue;
            form_entry(w, n, &w->node[other], e, dense ? entry : value + at[next++]);
            for (int i = 0; i < n->size && dense; ++i)
                memcpy(value + (first[a] + i) * rows + first[other], entry + i * w->node[other].size,
                       (size_t)w->node[other].size * sizeof(double));
        }
    }
    if (dense) {
        if (!ts_lu_factor(value, rows, rows, pivot)) return 0;
        ts_lu_solve(value, rows, rows, pivot, x);
    } else {
        ts_block_lu* lu = ts_block_lu_analyse(w->scratch, w->count, size, start, column, TS_SCALED_LARGEST_FACTOR);
        *out_dear = lu && ts_block_lu_work(lu) > most_work;
        if (!lu || *out_dear || !ts_block_lu_factor(lu, start, column, at, value)) return 0;
        ts_block_lu_solve(lu, x);
    }
    for (int a = 0; a < w->count; ++a) memcpy(out_p + a * RANK, x + first[a], (size_t)size[a] * sizeof(double));
    return 1;
}

// The steps of a node's blocks from p and v.
static void finish_node(const solving* w, const node* n, const double* p, const double* v, double* right) {
    const group* g = &w->q->group[n->group];
    const ts_block* block = w->system->A.problem->block;
    int gone = n->active - n->size, at = 0;
    double z[GROUP_ROWS];
    memcpy(z + gone, p, (size_t)n->size * sizeof(double));
    for (int j = gone - 1; j >= 0; --j) {
        const double* row = n->M + j * n->width;
        double sum = row[n->width - 1];
        for (int i = j + 1; i < n->active; ++i) sum -= row[i] * z[i];
        for (int i = 0; i < g->rank; ++i) sum -= row[n->active + i] * v[i];
        z[j] = sum / row[j];
    }
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k];
        if (w->system->place[b] < 0) continue;
        for (int r = 0; r < block[b].rows; ++r, ++at) {
            double sum = n->Q ? 0.0 : z[at];
            for (int i = 0; i < n->active && n->Q; ++i) sum += n->Q[at * n->active + i] * z[i];
            right[w->offset[b] + r] = sum;
        }
    }
}

static int start_solving(solving* w, const double* right) {
    const ts_newton_system* s = w->system;
    const ts_block* block = s->A.problem->block;
    w->offset = TS_ARENA_ARRAY(w->scratch, int, s->A.problem->block_count);
    w->node = TS_ARENA_ARRAY(w->scratch, node, w->q->count);
    w->node_of = TS_ARENA_ARRAY(w->scratch, int, w->q->count);
    if (!w->offset || !w->node || !w->node_of) return 0;
    for (int a = 0, at = 0; a < s->list_count; ++a) {
        w->offset[s->list[a]] = at;
        at += block[s->list[a]].rows;
    }
    for (int g = 0; g < w->q->count; ++g) {
        const group* own = &w->q->group[g];
        node* n = &w->node[w->count];
        w->node_of[g] = -1;
        n->group = g;
        n->active = 0;
        for (int k = own->first; k < own->first + own->count; ++k)
            if (s->place[w->q->member[k]] >= 0) n->active += block[w->q->member[k]].rows;
        if (n->active == 0) continue;
        if (!prepare_node(w, n, right)) return 0;
        w->node_of[g] = w->count++;
    }
    return 1;
}

int ts_newton_groups_solve(const ts_newton_groups* groups, const ts_newton_system* system, ts_arena* scratch,
                           double most_work, double* right, int* out_dear) {
    solving w = {.q = groups, .system = system, .scratch = scratch};
    int count = groups->count;
    double* p = TS_ARENA_ARRAY(scratch, double, count* RANK);
    double* wrench = (double*)ts_arena_alloc_zeroed(scratch, (size_t)count * RANK, sizeof(double));
    double* v = TS_ARENA_ARRAY(scratch, double, count* RANK);
    if (!p || !wrench || !v || !start_solving(&w, right) || !solve_nodes(&w, most_work, p, out_dear)) return 0;
    for (int a = 0; a < w.count; ++a) {
        const node* n = &w.node[a];
        int rank = groups->group[n->group].rank;
        for (int i = 0; i < rank; ++i) {
            double sum = n->P ? 0.0 : p[a * RANK + i];
            for (int j = 0; j < n->size && n->P; ++j) sum += n->P[i * n->size + j] * p[a * RANK + j];
            wrench[n->group * RANK + i] = sum;
        }
    }
    apply_Z(groups, wrench, v);
    for (int a = 0; a < w.count; ++a) finish_node(&w, &w.node[a], p + a * RANK, v + w.node[a].group * RANK, right);
    return 1;
}
