// Newton's linear system with contacts between the same bodies taken together: one solve.
//
// Problem: C d + E A d = r for the active blocks, with A - T = N Z N^T by groups (newton_groups.c).
// Rule: in d = Q [n, p] the n of a group meet the group's own rows only. Gaussian elimination with row exchanges
// removes them there and leaves F p + L v = s, v = Z w, w = N^T d = P p, as many rows as the rank. So what is to be
// factorised by sparse LU is F + L Z P. Where only some blocks of a group are active, N loses rows, and a new QR of
// what is left plays the part of Q; where those are no more than the rank, they are p themselves.
// Source: null-space elimination, textbook linear algebra.
// Guaranteed: a function of the input alone; no pivot is divided by before the largest of its column has been sought.
// Known to fail: rows of different groups are not exchanged, see base/linear/block_lu_factor.c.
#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "base/linear/dense.h"
#include "contact/solvers/newton/newton_groups_internal.h"
#include "contact/solvers/newton/scaled_internal.h"

enum {
    GROUP_ROWS = TS_NEWTON_GROUP_ROWS,
    RANK = TS_NEWTON_GROUP_RANK,
    HALF_RANK = RANK + 2,  // the largest rank, padded
    DENSE_ROWS = 48,       // up to here one dense factor is quicker than a sparse one
    MAX = TS_BLOCK_ROWS_MAX
};

// A group at work in one solve. M = [C Q | E N | r], each part padded with columns of zeros; the null columns
// eliminated.
typedef struct node {
    int group;
    int active;  // rows of active blocks
    int size;    // of p
    int width;   // of M, its three parts together
    int v;       // column of M where E N begins
    double* M;   // (active x width)
    double* F;   // (size x size) within M
    double* L;   // (size x rank) within M, with the opposite sign
    double* Q;   // (active x ts_panel_padded(active)), or NULL where p is d
    double* P;   // (rank x ts_panel_padded(size)), or NULL for the identity
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

// Q and P where only some blocks of a group are active: N holds their rows of it, `ld` apart.
static int reduce_range(solving* w, node* n, const double* N, int ld) {
    int rank = w->q->group[n->group].rank, rows = n->active, padded = ts_panel_padded(n->size);
    double T[GROUP_ROWS * RANK];
    n->P = (double*)ts_arena_alloc_zeroed(w->scratch, (size_t)rank * (size_t)padded, sizeof(double));
    if (!n->P) return 0;
    if (rows <= rank) {
        for (int i = 0; i < rank; ++i)
            for (int r = 0; r < rows; ++r) n->P[i * padded + r] = N[r * ld + i];
        return 1;
    }
    n->Q = TS_ARENA_ARRAY(w->scratch, double, rows* ts_panel_padded(rows));
    if (!n->Q) return 0;
    for (int r = 0; r < rows; ++r) memcpy(T + r * rank, N + r * ld, (size_t)rank * sizeof(double));
    ts_newton_groups_range(T, rows, rank, n->Q);
    for (int i = 0; i < rank; ++i)
        for (int j = 0; j < rank; ++j) n->P[i * padded + j] = T[j * rank + i];
    return 1;
}

// Removes the null columns of M. Returns 0 when they depend on each other. What is left of them under the pivots is
// not looked at again.
static int eliminate(const node* n) {
    int gone = n->active - n->size, ld = n->width;
    double l[GROUP_ROWS];
    for (int j = 0; j < gone; ++j) {
        double* pivot = n->M + j * ld;
        int best = j, rows = n->active - j - 1, from = j / TS_PANEL_LANES * TS_PANEL_LANES;
        for (int i = j + 1; i < n->active; ++i)
            if (fabs(n->M[i * ld + j]) > fabs(n->M[best * ld + j])) best = i;
        for (int c = j; c < ld && best != j; ++c) {
            double x = pivot[c];
            pivot[c] = n->M[best * ld + c];
            n->M[best * ld + c] = x;
        }
        double inverse = 1.0 / pivot[j];
        if (!isfinite(inverse) || inverse == 0.0) return 0;
        for (int i = 0; i < rows; ++i) l[i] = pivot[(i + 1) * ld + j] * inverse;
        ts_panel_subtract(rows, ld - from, 1, l, 1, pivot + from, ld, pivot + ld + from, ld);
    }
    return 1;
}

// Fills the rows of M of block b, the first of them row `at` of the node. N: E N's rows of N, NULL for the identity.
static void fill_rows(const solving* w, const node* n, int b, int at, const double* N, const double* right) {
    const ts_newton_system* s = w->system;
    const ts_block* block = &s->A.problem->block[b];
    const double* E = s->E + s->square[b];
    int rows = block->rows, rank = ts_panel_padded(w->q->group[n->group].rank);
    double C[MAX * MAX], minus[MAX * MAX], *row = n->M + at * n->width;
    memcpy(C, s->C + s->square[b], (size_t)rows * (size_t)rows * sizeof(double));
    for (int i = 0; i < rows * rows && s->A.row_shift; ++i) C[i] += E[i] * s->A.row_shift[block->row + i % rows];
    for (int i = 0; i < rows; ++i) {
        if (!n->Q) memcpy(row + i * n->width + at, C + i * rows, (size_t)rows * sizeof(double));
        if (!N) memcpy(row + i * n->width + n->v, E + i * rows, (size_t)rows * sizeof(double));
        row[i * n->width + n->v + rank] = right[w->offset[b] + i];
    }
    int padded = ts_panel_padded(n->active);
    if (n->Q) {
        for (int i = 0; i < rows * rows; ++i) minus[i] = -C[i];
        ts_panel_subtract(rows, padded, rows, minus, rows, n->Q + at * padded, padded, row, n->width);
    }
    if (N) {
        for (int i = 0; i < rows * rows; ++i) minus[i] = -E[i];
        ts_panel_subtract(rows, rank, rows, minus, rows, N, rank, row + n->v, n->width);
    }
}

// Brings a group's active rows to the form F p + L v = s.
static int prepare_node(solving* w, node* n, const double* right) {
    const ts_newton_system* s = w->system;
    const ts_newton_group* g = &w->q->group[n->group];
    const ts_block* block = s->A.problem->block;
    int rank = ts_panel_padded(g->rank), at = 0;
    n->Q = NULL;
    n->P = NULL;
    n->size = n->active < g->rank ? n->active : g->rank;
    n->v = ts_panel_padded(n->active);
    n->width = n->v + rank + TS_PANEL_LANES;
    n->M = (double*)ts_arena_alloc_zeroed(w->scratch, (size_t)n->active * (size_t)n->width, sizeof(double));
    if (!n->M) return 0;
    if (g->Q && n->active == g->rows) {
        n->Q = g->Q;
    } else if (g->Q) {
        double N[GROUP_ROWS * HALF_RANK] = {0.0};
        for (int k = g->first; k < g->first + g->count; ++k) {
            int b = w->q->member[k];
            if (s->place[b] < 0) continue;
            memcpy(N + at * rank, ts_newton_range_rows(w->q, b), (size_t)(block[b].rows * rank) * sizeof(double));
            at += block[b].rows;
        }
        if (!reduce_range(w, n, N, rank)) return 0;
        at = 0;
    }
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k];
        if (s->place[b] < 0) continue;
        fill_rows(w, n, b, at, ts_newton_range_rows(w->q, b), right);
        at += block[b].rows;
    }
    int gone = n->active - n->size;
    n->F = n->M + gone * n->width + gone;
    n->L = n->M + gone * n->width + n->v;
    if (!eliminate(n)) return 0;
    for (int i = 0; i < n->size; ++i)
        for (int j = 0; j < g->rank; ++j) n->L[i * n->width + j] = -n->L[i * n->width + j];
    return 1;
}

// F + L Z P of one entry between two nodes, row-major.
static void form_entry(const solving* w, const node* n, const node* other, int e, double* out) {
    int rank = w->q->group[n->group].rank, other_rank = w->q->group[other->group].rank, columns = other->size;
    int ld = ts_panel_padded(columns), other_ld = ts_panel_padded(other_rank);
    double sum[RANK * HALF_RANK] = {0.0}, ZP[RANK * HALF_RANK] = {0.0};
    const double* Z = w->q->Z + w->q->at[e];
    if (other->P) {
        ts_panel_subtract(rank, ld, other_rank, Z, other_ld, other->P, ld, ZP, ld);
        for (int i = 0; i < rank * ld; ++i) ZP[i] = -ZP[i];
        Z = ZP;
    }
    ts_panel_subtract(n->size, ld, rank, n->L, n->width, Z, ld, sum, ld);
    for (int i = 0; i < n->size; ++i)
        for (int c = 0; c < columns; ++c)
            out[i * columns + c] = sum[i * ld + c] + (n == other ? n->F[i * n->width + c] : 0.0);
}

// The column of M where r begins.
static int s_column(const solving* w, const node* n) { return n->v + ts_panel_padded(w->q->group[n->group].rank); }

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
    int dense = rows <= DENSE_ROWS, ld = ts_panel_padded(rows);
    double* x = TS_ARENA_ARRAY(w->scratch, double, rows);
    int* pivot = TS_ARENA_ARRAY(w->scratch, int, rows);
    double* value = dense ? (double*)ts_arena_alloc_zeroed(w->scratch, (size_t)rows * (size_t)ld, sizeof(double))
                          : TS_ARENA_ARRAY(w->scratch, double, numbers);
    if (!x || !pivot || !value) return 0;
    for (int a = 0, next = 0; a < w->count; ++a) {
        const node* n = &w->node[a];
        for (int i = 0; i < n->size; ++i) x[first[a] + i] = n->M[(n->active - n->size + i) * n->width + s_column(w, n)];
        for (int e = q->start[n->group]; e < q->start[n->group + 1]; ++e) {
            int other = w->node_of[q->column[e]];
            double entry[RANK * RANK];
            if (other < 0) continue;
            form_entry(w, n, &w->node[other], e, dense ? entry : value + at[next++]);
            for (int i = 0; i < n->size && dense; ++i)
                memcpy(value + (first[a] + i) * ld + first[other], entry + i * w->node[other].size,
                       (size_t)w->node[other].size * sizeof(double));
        }
    }
    if (dense) {
        if (!ts_lu_factor(value, rows, ld, pivot)) return 0;
        ts_lu_solve(value, rows, ld, pivot, x);
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
    const ts_newton_group* g = &w->q->group[n->group];
    const ts_block* block = w->system->A.problem->block;
    int gone = n->active - n->size, at = 0, ld = ts_panel_padded(n->active);
    double z[GROUP_ROWS];
    memcpy(z + gone, p, (size_t)n->size * sizeof(double));
    for (int j = gone - 1; j >= 0; --j) {
        const double* row = n->M + j * n->width;
        double sum = row[s_column(w, n)];
        for (int i = j + 1; i < n->active; ++i) sum -= row[i] * z[i];
        for (int i = 0; i < g->rank; ++i) sum -= row[n->v + i] * v[i];
        z[j] = sum / row[j];
    }
    for (int k = g->first; k < g->first + g->count; ++k) {
        int b = w->q->member[k];
        if (w->system->place[b] < 0) continue;
        for (int r = 0; r < block[b].rows; ++r, ++at) {
            double sum = n->Q ? 0.0 : z[at];
            for (int i = 0; i < n->active && n->Q; ++i) sum += n->Q[at * ld + i] * z[i];
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
        const ts_newton_group* own = &w->q->group[g];
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
            int ld = ts_panel_padded(n->size);
            for (int j = 0; j < n->size && n->P; ++j) sum += n->P[i * ld + j] * p[a * RANK + j];
            wrench[n->group * RANK + i] = sum;
        }
    }
    ts_newton_groups_apply(groups, wrench, v);
    for (int a = 0; a < w.count; ++a) finish_node(&w, &w.node[a], p + a * RANK, v + w.node[a].group * RANK, right);
    return 1;
}
