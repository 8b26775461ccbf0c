// Linear systems with contacts between the same bodies taken together: analysis, factor, solve.
//
// Problem: C d + E A d = r for the unknown blocks, with A - T = N Z N^T by groups (linear_groups.c).
// Rule: in d = Q [n, p] the n of a group meet the group's own rows only. Gaussian elimination with row exchanges
// removes them there and leaves F p + L v = s, v = Z w, w = N^T d = P p, as many rows as the rank. So what is to be
// factorised by sparse LU is F + L Z P. Where only some blocks of a group are unknown, N loses rows, and a new QR of
// what is left plays the part of Q; where those are no more than the rank, they are p themselves.
// Source: null-space elimination, textbook linear algebra.
// Guaranteed: a function of the input alone; no pivot is divided by before the largest of its column has been sought.
// Known to fail: rows of different groups are not exchanged, see base/linear/block_lu_factor.c.
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "contact/operator/linear_groups_internal.h"

enum {
    GROUP_ROWS = TS_LINEAR_GROUP_ROWS,
    RANK = TS_LINEAR_GROUP_RANK,
    HALF_RANK = RANK + 2,  // the largest rank, padded
    DENSE_ROWS = 48,       // up to here one dense factor is quicker than a sparse one
    MAX = TS_BLOCK_ROWS_MAX
};

// A group at work. M = [C Q | E N], both parts padded with columns of zeros; the null columns eliminated.
typedef struct node {
    int group;
    int unknown;  // rows of unknown blocks
    int size;     // of p
    int gone;     // null columns, the rest of `unknown`
    int width;    // of M, its two parts together
    int v;        // column of M where E N begins
    double* M;    // (unknown x width)
    double* F;    // (size x size) within M
    double* L;    // (size x rank) within M, with the opposite sign
    double* l;    // (gone x unknown) what elimination took from the rows below each pivot
    int* swap;    // (gone) the row that each pivot's changed places with
    double* Q;    // (unknown x ts_panel_padded(unknown)), or NULL where p is d
    double* P;    // (rank x ts_panel_padded(size)), or NULL for the identity
} node;

typedef struct grouped {
    const ts_linear* s;
    const ts_linear_groups* q;
    node* node;
    int* node_of;  // (groups) or -1
    int count;
    // F + L Z P by nodes.
    int rows;
    int* size;   // (nodes)
    int* first;  // (nodes + 1)
    int* start;  // (nodes + 1)
    int* column;
    size_t* at;
    double* value;
    ts_block_lu* lu;  // NULL when dense
    int* pivot;       // (rows) when dense
    double* x;        // (rows)
    double* r;        // (unknown rows) right-hand sides by node, eliminated
    double* wrench;   // (groups x RANK)
    double* v;        // likewise
} grouped;

// --- analysis --------------------------------------------------------------------------------------------------------

// Q and P where only some blocks of a group are unknown: N holds their rows of it, `ld` apart.
static int reduce_range(const ts_linear_groups* q, node* n, const double* N, int ld, ts_arena* arena) {
    int rank = q->group[n->group].rank, rows = n->unknown, padded = ts_panel_padded(n->size);
    double T[RANK * GROUP_ROWS];
    n->P = (double*)ts_arena_alloc_zeroed(arena, (size_t)rank * (size_t)padded, sizeof(double));
    if (!n->P) return 0;
    if (rows <= rank) {
        for (int i = 0; i < rank; ++i)
            for (int r = 0; r < rows; ++r) n->P[i * padded + r] = N[r * ld + i];
        return 1;
    }
    n->Q = TS_ARENA_ARRAY(arena, double, rows* ts_panel_padded(rows));
    if (!n->Q) return 0;
    for (int i = 0; i < rank; ++i)
        for (int r = 0; r < rows; ++r) T[i * rows + r] = N[r * ld + i];
    ts_linear_groups_range(T, rows, rank, n->Q);
    for (int i = 0; i < rank; ++i)
        for (int j = 0; j <= i; ++j) n->P[i * padded + j] = T[i * rows + j];
    return 1;
}

// Sizes, bases and memory of a node whose group and unknown rows are known.
static int analyse_node(const grouped* w, node* n, ts_arena* arena) {
    const ts_linear* s = w->s;
    const ts_linear_group* g = &w->q->group[n->group];
    int rank = ts_panel_padded(g->rank), at = 0;
    n->Q = n->P = NULL;
    n->size = n->unknown < g->rank ? n->unknown : g->rank;
    n->gone = n->unknown - n->size;
    n->v = ts_panel_padded(n->unknown);
    n->width = n->v + rank;
    n->M = TS_ARENA_ARRAY(arena, double, n->unknown * n->width);
    n->l = TS_ARENA_ARRAY(arena, double, n->gone * n->unknown);
    n->swap = TS_ARENA_ARRAY(arena, int, n->gone);
    if (!n->M || !n->l || !n->swap) return 0;
    n->F = n->M + n->gone * n->width + n->gone;
    n->L = n->M + n->gone * n->width + n->v;
    if (!g->Q) return 1;
    if (n->unknown == g->rows) {
        n->Q = g->Q;
        return 1;
    }
    double N[GROUP_ROWS * HALF_RANK] = {0.0};
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k], rows = ts_linear_rows_of(s, b);
        if (s->room->place[b] < 0) continue;
        memcpy(N + at * rank, ts_linear_range_rows(w->q, b), (size_t)(rows * rank) * sizeof(double));
        at += rows;
    }
    return reduce_range(w->q, n, N, rank, arena);
}

static int find_nodes(grouped* w, ts_arena* arena) {
    const ts_linear* s = w->s;
    for (int g = 0; g < w->q->count; ++g) {
        const ts_linear_group* own = &w->q->group[g];
        node* n = &w->node[w->count];
        w->node_of[g] = -1;
        n->group = g;
        n->unknown = 0;
        for (int k = own->first; k < own->first + own->count; ++k)
            if (s->room->place[w->q->member[k]] >= 0) n->unknown += ts_linear_rows_of(s, w->q->member[k]);
        if (n->unknown == 0) continue;
        if (!analyse_node(w, n, arena)) return 0;
        w->node_of[g] = w->count++;
    }
    return 1;
}

// The pattern of F + L Z P, and room for its factor.
static int find_pattern(grouped* w, ts_arena* arena, size_t most) {
    const ts_linear_groups* q = w->q;
    int entries = 0;
    size_t numbers = 0;
    w->size = TS_ARENA_ARRAY(arena, int, w->count);
    w->first = TS_ARENA_ARRAY(arena, int, w->count + 1);
    w->start = TS_ARENA_ARRAY(arena, int, w->count + 1);
    w->column = TS_ARENA_ARRAY(arena, int, q->start[q->count]);
    w->at = TS_ARENA_ARRAY(arena, size_t, q->start[q->count]);
    if (!w->size || !w->first || !w->start || !w->column || !w->at) return 0;
    for (int a = 0; a < w->count; ++a) {
        const node* n = &w->node[a];
        w->size[a] = n->size;
        w->first[a] = w->rows;
        w->rows += n->size;
        w->start[a] = entries;
        for (int e = q->start[n->group]; e < q->start[n->group + 1]; ++e) {
            int other = w->node_of[q->column[e]];
            if (other < 0) continue;
            w->column[entries] = other;
            w->at[entries++] = numbers;
            numbers += (size_t)n->size * (size_t)w->node[other].size;
        }
    }
    w->start[w->count] = entries;
    w->first[w->count] = w->rows;
    w->x = TS_ARENA_ARRAY(arena, double, w->rows);
    if (w->rows <= DENSE_ROWS) {
        w->value = TS_ARENA_ARRAY(arena, double, w->rows* ts_panel_padded(w->rows));
        w->pivot = TS_ARENA_ARRAY(arena, int, w->rows);
        return w->x && w->value && w->pivot;
    }
    w->value = TS_ARENA_ARRAY(arena, double, numbers);
    w->lu = ts_block_lu_analyse(arena, TS_BLOCK_LU_ANY, w->count, w->size, w->start, w->column, most);
    return w->x && w->value && w->lu;
}

static void* analyse(const ts_linear* s, ts_arena* arena, size_t most) {
    const ts_linear_groups* q = s->room->groups;
    grouped* w = (grouped*)ts_arena_alloc_zeroed(arena, 1, sizeof(*w));
    if (!w) return NULL;
    w->s = s;
    w->q = q;
    w->node = TS_ARENA_ARRAY(arena, node, q->count);
    w->node_of = TS_ARENA_ARRAY(arena, int, q->count);
    w->r = TS_ARENA_ARRAY(arena, double, s->room->rows);
    w->wrench = (double*)ts_arena_alloc_zeroed(arena, (size_t)q->count * RANK, sizeof(double));
    w->v = TS_ARENA_ARRAY(arena, double, q->count* RANK);
    if (!w->node || !w->node_of || !w->r || !w->wrench || !w->v) return NULL;
    return find_nodes(w, arena) && find_pattern(w, arena, most) ? w : NULL;
}

static ts_linear_cost cost_of(const void* analysed) {
    const grouped* w = (const grouped*)analysed;
    double n = w->rows;
    if (w->lu) return (ts_linear_cost){ts_block_lu_work(w->lu), (double)ts_block_lu_numbers(w->lu), 0.0};
    return (ts_linear_cost){n * n * n / 3.0, n * n, 0.0};
}

// --- factor ----------------------------------------------------------------------------------------------------------

// Fills the rows of M of block b, the first of them row `at` of the node.
static void fill_rows(const grouped* w, const node* n, int b, int at) {
    const ts_linear* s = w->s;
    const double *E = s->E + s->square[b], *N = ts_linear_range_rows(w->q, b);
    int rows = ts_linear_rows_of(s, b), rank = ts_panel_padded(w->q->group[n->group].rank);
    int padded = ts_panel_padded(n->unknown);
    double C[MAX * MAX], minus[MAX * MAX], *row = n->M + at * n->width;
    memcpy(C, s->C + s->square[b], (size_t)rows * (size_t)rows * sizeof(double));
    for (int i = 0; i < rows * rows && s->A->shift; ++i) C[i] += E[i] * s->A->shift[s->A->row[b] + i % rows];
    for (int i = 0; i < rows; ++i) {
        if (!n->Q) memcpy(row + i * n->width + at, C + i * rows, (size_t)rows * sizeof(double));
        if (!N) memcpy(row + i * n->width + n->v, E + i * rows, (size_t)rows * sizeof(double));
    }
    if (n->Q) {
        for (int i = 0; i < rows * rows; ++i) minus[i] = -C[i];
        ts_panel_subtract(rows, padded, rows, (ts_panel){minus, rows}, (ts_panel){n->Q + at * padded, padded}, row,
                          n->width);
    }
    if (N) {
        for (int i = 0; i < rows * rows; ++i) minus[i] = -E[i];
        ts_panel_subtract(rows, rank, rows, (ts_panel){minus, rows}, (ts_panel){N, rank}, row + n->v, n->width);
    }
}

// Removes the null columns of M. Returns 0 when they depend on each other. What is left of them under the pivots is
// not looked at again.
static int eliminate(const node* n) {
    int ld = n->width;
    for (int j = 0; j < n->gone; ++j) {
        double *pivot = n->M + j * ld, *l = n->l + j * n->unknown;
        int best = j, rows = n->unknown - j - 1, from = j / TS_PANEL_LANES * TS_PANEL_LANES;
        for (int i = j + 1; i < n->unknown; ++i)
            if (fabs(n->M[i * ld + j]) > fabs(n->M[best * ld + j])) best = i;
        n->swap[j] = best;
        for (int c = j; c < ld && best != j; ++c) {
            double x = pivot[c];
            pivot[c] = n->M[best * ld + c];
            n->M[best * ld + c] = x;
        }
        double inverse = 1.0 / pivot[j];
        if (!isfinite(inverse) || inverse == 0.0) return 0;
        for (int i = 0; i < rows; ++i) l[i] = pivot[(i + 1) * ld + j] * inverse;
        ts_panel_subtract(rows, ld - from, 1, (ts_panel){l, 1}, (ts_panel){pivot + from, ld}, pivot + ld + from, ld);
    }
    return 1;
}

// Brings a group's unknown rows to the form F p + L v = s.
static int prepare_node(const grouped* w, const node* n) {
    const ts_linear_group* g = &w->q->group[n->group];
    int at = 0;
    memset(n->M, 0, (size_t)n->unknown * (size_t)n->width * sizeof(double));
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k];
        if (w->s->room->place[b] < 0) continue;
        fill_rows(w, n, b, at);
        at += ts_linear_rows_of(w->s, b);
    }
    if (!eliminate(n)) return 0;
    for (int i = 0; i < n->size; ++i)
        for (int j = 0; j < g->rank; ++j) n->L[i * n->width + j] = -n->L[i * n->width + j];
    return 1;
}

// F + L Z P of one entry between two nodes, row-major, `out_ld` apart.
static void form_entry(const grouped* w, const node* n, const node* other, int e, double* out, int out_ld) {
    int rank = w->q->group[n->group].rank, other_rank = w->q->group[other->group].rank, columns = other->size;
    int ld = ts_panel_padded(columns), other_ld = ts_panel_padded(other_rank);
    double sum[RANK * HALF_RANK] = {0.0}, ZP[RANK * HALF_RANK] = {0.0};
    const double* Z = w->q->Z + w->q->at[e];
    if (other->P) {
        ts_panel_subtract(rank, ld, other_rank, (ts_panel){Z, other_ld}, (ts_panel){other->P, ld}, ZP, ld);
        for (int i = 0; i < rank * ld; ++i) ZP[i] = -ZP[i];
        Z = ZP;
    }
    ts_panel_subtract(n->size, ld, rank, (ts_panel){n->L, n->width}, (ts_panel){Z, ld}, sum, ld);
    for (int i = 0; i < n->size; ++i)
        for (int c = 0; c < columns; ++c)
            out[i * out_ld + c] = sum[i * ld + c] + (n == other ? n->F[i * n->width + c] : 0.0);
}

static int change(void* analysed) {
    grouped* w = (grouped*)analysed;
    const ts_linear_groups* q = w->q;
    int ld = ts_panel_padded(w->rows);
    for (int a = 0; a < w->count; ++a)
        if (!prepare_node(w, &w->node[a])) return 0;
    if (!w->lu) memset(w->value, 0, (size_t)w->rows * (size_t)ld * sizeof(double));
    for (int a = 0, next = 0; a < w->count; ++a) {
        const node* n = &w->node[a];
        for (int e = q->start[n->group]; e < q->start[n->group + 1]; ++e) {
            int other = w->node_of[q->column[e]];
            if (other < 0) continue;
            if (w->lu)
                form_entry(w, n, &w->node[other], e, w->value + w->at[next++], w->node[other].size);
            else
                form_entry(w, n, &w->node[other], e, w->value + w->first[a] * ld + w->first[other], ld);
        }
    }
    if (!w->lu) return ts_lu_factor(w->value, w->rows, ld, w->pivot);
    return ts_block_lu_factor(w->lu, w->start, w->column, w->at, w->value);
}

// --- solve -----------------------------------------------------------------------------------------------------------

// Takes a node's rows of the right-hand side, eliminates what its null columns took part in, and gives s.
static void eliminate_right(const grouped* w, const node* n, const double* right, double* r, double* out_s) {
    const ts_linear_group* g = &w->q->group[n->group];
    const ts_linear_room* room = w->s->room;
    int at = 0;
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k], rows = ts_linear_rows_of(w->s, b);
        if (room->place[b] < 0) continue;
        memcpy(r + at, right + room->first[room->place[b]], (size_t)rows * sizeof(double));
        at += rows;
    }
    for (int j = 0; j < n->gone; ++j) {
        const double* l = n->l + j * n->unknown;
        double x = r[n->swap[j]];
        r[n->swap[j]] = r[j];
        r[j] = x;
        for (int i = j + 1; i < n->unknown; ++i) r[i] -= l[i - j - 1] * x;
    }
    memcpy(out_s, r + n->gone, (size_t)n->size * sizeof(double));
}

// What a node's p does to the world.
static void wrench_of(const grouped* w, const node* n, const double* p) {
    int rank = w->q->group[n->group].rank, ld = ts_panel_padded(n->size);
    for (int i = 0; i < rank; ++i) {
        double sum = n->P ? 0.0 : p[i];
        for (int j = 0; j < n->size && n->P; ++j) sum += n->P[i * ld + j] * p[j];
        w->wrench[n->group * RANK + i] = sum;
    }
}

// The answers of a node's blocks from p, v and r.
static void finish_node(const grouped* w, const node* n, const double* p, const double* v, const double* r,
                        double* right) {
    const ts_linear_group* g = &w->q->group[n->group];
    const ts_linear_room* room = w->s->room;
    int at = 0, ld = ts_panel_padded(n->unknown);
    double z[GROUP_ROWS];
    memcpy(z + n->gone, p, (size_t)n->size * sizeof(double));
    for (int j = n->gone - 1; j >= 0; --j) {
        const double* row = n->M + j * n->width;
        double sum = r[j];
        for (int i = j + 1; i < n->unknown; ++i) sum -= row[i] * z[i];
        for (int i = 0; i < g->rank; ++i) sum -= row[n->v + i] * v[i];
        z[j] = sum / row[j];
    }
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k], rows = ts_linear_rows_of(w->s, b);
        if (room->place[b] < 0) continue;
        for (int i = 0; i < rows; ++i, ++at) {
            double sum = n->Q ? 0.0 : z[at];
            for (int j = 0; j < n->unknown && n->Q; ++j) sum += n->Q[at * ld + j] * z[j];
            right[room->first[room->place[b]] + i] = sum;
        }
    }
}

static int solve(void* analysed, const double* guess, double accuracy, double* right) {
    grouped* w = (grouped*)analysed;
    (void)guess;
    (void)accuracy;
    for (int a = 0, at = 0; a < w->count; at += w->node[a++].unknown)
        eliminate_right(w, &w->node[a], right, w->r + at, w->x + w->first[a]);
    if (w->lu)
        ts_block_lu_solve(w->lu, w->x);
    else
        ts_lu_solve(w->value, w->rows, ts_panel_padded(w->rows), w->pivot, w->x);
    for (int a = 0; a < w->count; ++a) wrench_of(w, &w->node[a], w->x + w->first[a]);
    ts_linear_groups_apply(w->q, w->wrench, w->v);
    for (int a = 0, at = 0; a < w->count; at += w->node[a++].unknown)
        finish_node(w, &w->node[a], w->x + w->first[a], w->v + w->node[a].group * RANK, w->r + at, right);
    return 1;
}

const ts_linear_way ts_linear_groups_way = {"groups", 1, analyse, cost_of, change, solve};
