// Linear systems through the bodies: where contacts outnumber the bodies' degrees of freedom, a factor in velocities is
// far smaller than one in impulses, and a heavy body's contacts, which all couple, share six columns.
//
// Problem: C_b d_b + E_b (A d)_b = r_b for unknown blocks b, A = S J Y^T S + T with S and T diagonal and Y = J M^-1.
// Rule: with M_b = C_b + E_b T_b, small and regular, and y = Y^T S d over the unknown blocks,
//     d = M^-1 (r - E S J y),    (1 + Y^T S M^-1 E S J) y = Y^T S M^-1 r,
// known d moved to r first. The matrix over bodies is block-sparse over groups of at most six columns, which meet where
// a block has both, and goes to block LU (base/linear/block_lu.h), or to Cholesky where it is symmetric: Y is J, and C + E T is a diagonal, or C
// the identity, E symmetric and T nothing. Then rounds of refinement with the system as it was
// asked. Both orders eliminate from K = [[-M, S J], [Y^T S, 1]]: rows first leaves this matrix, bodies first -(M + A).
// Source: Woodbury 1950; Hager 1989; bodies first: Carpentier, Budhiraja and Mansard 2021. That M is regular for the
// natural map of a cone with any proximal weight: it is triangular in the axes of the projection, with the weight or
// 1 - its eigenvalues on the diagonal.
// Guaranteed: time and memory linear in the blocks beside the factor; same input, same bits; under TS_LINEAR_BLOCKS 0
// rather than an answer that leaves more than `accepted` of the right-hand side.
//     Numbers are compiled again for AVX2 (linear_bodies_wide.c), with the same bits.
// Known to fail: where M is far below the stiffness (a contact that sticks under a small proximal weight, a small shift),
// M^-1 r - M^-1 E S J y is a difference of large numbers, and digits of about the ratio are lost. Refinement wins them
// back until the ratio nears 1e-13; below, the answer is refused.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "contact/operator/body_graph_internal.h"
#include "contact/operator/linear_ways_internal.h"
#include "contact/operator/wide_internal.h"

#if TS_IS_WIDE
#include "base/linear/four.h"
#endif

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    REFINEMENTS = 8,
    WIDE = 6  // columns of a segment that are taken at a time
};

static const double accepted = 1e-3;   // more than this part of the right-hand side left: no answer
static const double slowest = 0.5;     // a round that leaves more than this part was the last
static const double rounding = 1e-14;  // never asked to leave less
static const double lost = 1e-15;      // of the right-hand side in one solve, times the stiffness over the shift

typedef struct bodies {
    const ts_linear* s;
    const ts_velocity_form* form;
    ts_body_graph graph;
    ts_block_lu* lu;
    int definite;   // nonzero: the matrix over bodies is symmetric and positive definite
    double ratio;   // the largest stiffness over M, infinite where that is not known
    double* value;  // matrix over bodies
    double fill;    // multiplications to write it
    double* M;      // LU of M_b at square[b]; under TS_LINEAR_SHIFT (rows) 1 / M
    int* pivot;     // (rows) of M_b
    int* place;     // (segments) where a segment's columns begin among the used ones
    double* y;      // (columns in use)
    double* asked;  // (unknown rows) right-hand side without what is known
    double* left;   // (unknown rows)
    double* step;   // (unknown rows) the answer so far
    double* kept;   // (unknown rows) the answer of the round before
} bodies;

// Whether M is the identity.
static int is_plain(const ts_linear* s) { return s->C && s->is_hessian && !s->A->shift; }

#if !TS_IS_WIDE

// 1: how much longer a multiplication takes that writes the matrix of a robot, in small groups, than one of the factor. Measured: 0.65 and 3 a nanosecond.
static const double fill_speed = 4.0;

// Whether the matrix over bodies is symmetric.
static int is_definite(const ts_linear* s, const ts_velocity_form* form) {
    if (s->C && !is_plain(s)) return 0;
    for (int k = 0; k < form->segment_start[s->A->blocks]; ++k)
        if (form->segment[k].J != form->segment[k].Y) return 0;
    return 1;
}

static void* analyse(const ts_linear* s, ts_arena* arena, size_t most) {
    const ts_linear_room* room = s->room;
    bodies* w = (bodies*)ts_arena_alloc_zeroed(arena, 1, sizeof(*w));
    if (!w) return NULL;
    w->s = s;
    w->form = room->form;
    if (!ts_body_graph_make(w->form, room->count, room->list, arena, &w->graph)) return NULL;
    const ts_body_graph* graph = &w->graph;
    w->definite = is_definite(s, w->form);
    w->lu = ts_block_lu_analyse(arena, w->definite ? TS_BLOCK_LU_DEFINITE : TS_BLOCK_LU_ANY, graph->groups, graph->size,
                                graph->start, graph->column, most);
    if (!w->lu) return NULL;
    int segments = w->form->segment_start[s->A->blocks], squares = s->C ? s->square[s->A->blocks] : s->A->rows;
    w->place = TS_ARENA_ARRAY(arena, int, segments);
    w->value = TS_ARENA_ARRAY(arena, double, graph->numbers);
    w->M = TS_ARENA_ARRAY(arena, double, squares);
    w->pivot = TS_ARENA_ARRAY(arena, int, s->C ? s->A->rows : 0);
    w->y = TS_ARENA_ARRAY(arena, double, graph->place[graph->groups]);
    double** vector[] = {&w->asked, &w->left, &w->step, &w->kept};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i)
        if (!(*vector[i] = TS_ARENA_ARRAY(arena, double, room->rows))) return NULL;
    if (!w->value || !w->M || !w->pivot || !w->y || !w->place) return NULL;
    // Used columns lie in the order of the columns themselves.
    for (int a = 0; a < room->count; ++a) {
        double columns = 0.0;
        for (int k = w->form->segment_start[room->list[a]]; k < w->form->segment_start[room->list[a] + 1]; ++k) {
            int column = w->form->segment[k].column, g = w->form->segment[k].count > 0 ? graph->group_of[column] : 0;
            w->place[k] = graph->groups > 0 ? graph->place[g] + column - graph->first[g] : 0;
            columns += w->form->segment[k].count;
        }
        w->fill += fill_speed * ts_linear_rows_of(s, room->list[a]) * columns * columns;
    }
    return w;
}

static ts_linear_cost cost_of(const void* analysed) {
    const bodies* w = (const bodies*)analysed;
    return (ts_linear_cost){ts_block_lu_work(w->lu), (double)ts_block_lu_numbers(w->lu), w->fill};
}

#endif

// --- small matrices --------------------------------------------------------------------------------------------------

// LU with partial pivoting, in place. Returns 0 when singular or not finite.
static int small_factor(double* a, int n, int* pivot) {
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        pivot[k] = p;
        for (int j = 0; j < n && p != k; ++j) {
            double t = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = t;
        }
        if (!(fabs(a[k * n + k]) > 0.0) || !isfinite(a[k * n + k])) return 0;
        double inverse = 1.0 / a[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            double f = a[i * n + k] *= inverse;
            for (int j = k + 1; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
        }
    }
    return 1;
}

static void small_solve(const double* a, int n, const int* pivot, double* x) {
    for (int k = 0; k < n; ++k) {
        double t = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = t;
    }
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) x[i] -= a[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
}

static double shift_of(const ts_linear_matrix* A, int row) { return A->shift ? A->shift[row] : 0.0; }

// x = M_b^-1 x.
static inline void divide(const bodies* w, int b, double* x) {
    int row = w->s->A->row[b], rows = ts_linear_rows_of(w->s, b);
    if (is_plain(w->s)) return;
    if (w->s->C)
        small_solve(w->M + w->s->square[b], rows, w->pivot + row, x);
    else
        for (int r = 0; r < rows; ++r) x[r] *= w->M[row + r];
}

// x = E_b x.
static inline void multiply(const bodies* w, int b, double* x) {
    int rows = ts_linear_rows_of(w->s, b);
    double from[MAX] = {0.0};
    if (!w->s->E) return;
    const double* E = w->s->E + w->s->square[b];
    memcpy(from, x, (size_t)rows * sizeof(double));
    for (int i = 0; i < rows; ++i) {
        x[i] = 0.0;
        for (int j = 0; j < rows; ++j) x[i] += E[i * rows + j] * from[j];
    }
}

// --- between blocks and bodies ---------------------------------------------------------------------------------------

// y += Y_b^T S_b x.
static void spread(const bodies* w, int b, const double* x, double* y) {
    const double* scale = w->s->A->scale + w->s->A->row[b];
    const ts_velocity_block* block = &w->form->block[b];
    int first = w->form->segment_start[b], rows = block->rows;
    if (block->kernel != TS_VELOCITY_ANY) {
        double d0 = scale[0] * x[0], d1 = scale[1] * x[1], d2 = scale[2] * x[2];
        TS_SIX(change)(block->Y, d0, d1, d2, y + w->place[first]);
        if (block->kernel == TS_VELOCITY_PAIR) TS_SIX(change)(block->Y + 18, d0, d1, d2, y + w->place[first + 1]);
        return;
    }
    for (int s = first; s < w->form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &w->form->segment[s];
        double* to = y + w->place[s];
        for (int r = 0; r < rows; ++r) {
            const double* Y = segment->Y + (size_t)r * (size_t)segment->count;
            double own = scale[r] * x[r];
            for (int j = 0; j < segment->count; ++j) to[j] += Y[j] * own;
        }
    }
}

// out = S_b J_b y.
static void collect(const bodies* w, int b, const double* y, double* out) {
    const double* scale = w->s->A->scale + w->s->A->row[b];
    const ts_velocity_block* block = &w->form->block[b];
    int first = w->form->segment_start[b], rows = ts_linear_rows_of(w->s, b);
    TS_ASSERT(rows == 3 || block->kernel == TS_VELOCITY_ANY);
    if (block->kernel == TS_VELOCITY_PAIR) {
        TS_SIX(read_pair)(block->J, y + w->place[first], y + w->place[first + 1], out);
    } else if (block->kernel == TS_VELOCITY_ONE) {
        TS_SIX(read)(block->J, y + w->place[first], out);
    } else {
        for (int r = 0; r < rows; ++r) out[r] = 0.0;
        for (int s = first; s < w->form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &w->form->segment[s];
            const double* from = y + w->place[s];
            for (int r = 0; r < rows; ++r) {
                const double* J = segment->J + (size_t)r * (size_t)segment->count;
                for (int j = 0; j < segment->count; ++j) out[r] += J[j] * from[j];
            }
        }
    }
    for (int r = 0; r < rows; ++r) out[r] *= scale[r];
}

// What the known blocks do: their part of y on columns that unknown ones use.
static void known_motion(const bodies* w, const double* x) {
    const ts_linear_matrix* A = w->s->A;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int b = 0; b < A->blocks && w->s->room->count < A->blocks; ++b) {
        if (w->s->room->place[b] >= 0) continue;
        for (int s = w->form->segment_start[b]; s < w->form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &w->form->segment[s];
            for (int j = 0; j < segment->count; ++j) {
                int g = w->graph.group_of[segment->column + j];
                if (g < 0) continue;
                double sum = 0.0;
                for (int r = A->row[b]; r < A->row[b + 1]; ++r)
                    sum +=
                        segment->Y[(size_t)(r - A->row[b]) * (size_t)segment->count + (size_t)j] * A->scale[r] * x[r];
                w->y[w->graph.place[g] + segment->column + j - w->graph.first[g]] += sum;
            }
        }
    }
}

// --- the matrix ------------------------------------------------------------------------------------------------------

// M_b factorised, and K = S M^-1 E S. Returns 0 when M is singular.
static int small_matrices(bodies* w, int b, double* K) {
    const ts_linear* s = w->s;
    int row = s->A->row[b], n = ts_linear_rows_of(s, b);
    if (!s->C) {
        memset(K, 0, (size_t)(n * n) * sizeof(double));
        for (int r = 0; r < n; ++r) {
            w->M[row + r] = 1.0 / (s->room->shift + shift_of(s->A, row + r));
            K[r * n + r] = s->A->scale[row + r] * w->M[row + r] * s->A->scale[row + r];
            if (!isfinite(w->M[row + r])) return 0;
        }
        return 1;
    }
    const double *C = s->C + s->square[b], *E = s->E + s->square[b];
    if (is_plain(s)) {
        const double* scale = s->A->scale + row;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) K[i * n + j] = scale[i] * E[i * n + j] * scale[j];
        return 1;
    }
    double* M = w->M + s->square[b];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[i * n + j] = C[i * n + j] + E[i * n + j] * shift_of(s->A, row + j);
    if (!small_factor(M, n, w->pivot + row)) return 0;
    for (int j = 0; j < n; ++j) {
        double column[MAX];
        for (int i = 0; i < n; ++i) column[i] = E[i * n + j];
        small_solve(M, n, w->pivot + row, column);
        for (int i = 0; i < n; ++i) K[i * n + j] = s->A->scale[row + i] * column[i] * s->A->scale[row + j];
    }
    return 1;
}

// W += Y^T KJ for the columns of a segment from i on that are a group, with those that KJ (rows x columns) stands for.
static void add_entry(const double* Y, int stride, int size, const double* KJ, int rows, int columns, double* W) {
    if (rows == 3 && columns == WIDE) {
        for (int a = 0; a < size; ++a) TS_SIX(change)(KJ, Y[a], Y[stride + a], Y[2 * stride + a], W + a * WIDE);
        return;
    }
    for (int r = 0; r < rows; ++r, Y += stride, KJ += columns)
        for (int a = 0; a < size; ++a)
            for (int c = 0; c < columns; ++c) W[a * columns + c] += Y[a] * KJ[c];
}

// Where the entries of two groups are, those of the block before: the points of a manifold follow each other.
typedef struct known_entry {
    int group[2];  // -1: nothing known
    double* at[2][2];
} known_entry;

// Whether all columns of a segment are one group.
static int is_group(const ts_body_graph* graph, const ts_delassus_segment* s) {
    return s->count == WIDE && graph->size[graph->group_of[s->column]] == WIDE;
}

#if TS_IS_WIDE
// W += Y^T K J as ts_six_product_scalar: the same sums, two rows of W at a time.
static inline void add_product(const double* Y, const double* K, const double* J, double* W) {
    ts_four KJ[3][3], zero = ts_four_zero();  // of each row columns 0 to 3, then 4, 5, 0, 1, then 2 to 5
    for (int r = 0; r < 3; ++r, K += 3) {
        for (int side = 0; side < 3; side += 2)
            KJ[r][side] = ts_four_plus(ts_four_plus(zero, ts_four_times(K[2], ts_four_load(J + 12 + side))),
                                       ts_four_plus(ts_four_times(K[0], ts_four_load(J + side)),
                                                    ts_four_times(K[1], ts_four_load(J + 6 + side))));
        KJ[r][1] = __builtin_shufflevector(KJ[r][2], KJ[r][0], 2, 3, 4, 5);
    }
    for (int a = 0; a < 6; a += 2, W += 12) {
        ts_four y[3][3];
        for (int r = 0; r < 3; ++r) {
            y[r][0] = ts_four_all(Y[6 * r + a]);
            y[r][2] = ts_four_all(Y[6 * r + a + 1]);
            y[r][1] = __builtin_shufflevector(y[r][0], y[r][2], 0, 1, 4, 5);
        }
        for (int c = 0; c < 3; ++c) {
            ts_four sum = ts_four_plus(ts_four_load(W + 4 * c), ts_four_product(KJ[2][c], y[2][c]));
            sum =
                ts_four_plus(sum, ts_four_plus(ts_four_product(KJ[0][c], y[0][c]), ts_four_product(KJ[1][c], y[1][c])));
            ts_four_store(sum, W + 4 * c);
        }
    }
}
#else
#define add_product TS_SIX(product)
#endif

// += Y^T K J of a contact of free bodies. Returns 0 when it is none.
static int add_six(bodies* w, int b, const double* K, known_entry* known) {
    const ts_velocity_block* block = &w->form->block[b];
    const ts_delassus_segment* segment = &w->form->segment[w->form->segment_start[b]];
    int count = block->kernel == TS_VELOCITY_PAIR ? 2 : 1, group[2] = {-1, -1};
    if (block->kernel == TS_VELOCITY_ANY) return 0;
    for (int k = 0; k < count; ++k) {
        if (!is_group(&w->graph, &segment[k])) return 0;
        group[k] = w->graph.group_of[segment[k].column];
        TS_ASSERT(group[k] >= 0);
    }
    if (group[0] != known->group[0] || group[1] != known->group[1])
        for (int l = 0; l < count; ++l)
            for (int k = 0; k < count; ++k)
                known->at[l][k] = ts_body_graph_entry(&w->graph, w->value, group[l], group[k]);
    memcpy(known->group, group, sizeof group);
    for (int k = 0; k < count; ++k)
        for (int l = 0; l < count; ++l)
            if (!w->definite || group[l] <= group[k])
                add_product(block->Y + 18 * l, K, block->J + 18 * k, known->at[l][k]);
    return 1;
}

// += Y^T K J of a block, group by group.
static void add_block(bodies* w, int b, const double* K) {
    const ts_body_graph* graph = &w->graph;
    int rows = ts_linear_rows_of(w->s, b), first = w->form->segment_start[b], end = w->form->segment_start[b + 1];
    for (int k = first; k < end; ++k) {
        const ts_delassus_segment* t = &w->form->segment[k];
        for (int j = 0, h; j < t->count; j += graph->size[h]) {
            double KJ[MAX * WIDE];
            h = graph->group_of[t->column + j];
            int columns = graph->size[h];
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c) {
                    double sum = 0.0;
                    for (int i = 0; i < rows; ++i)
                        sum += K[r * rows + i] * t->J[(size_t)i * (size_t)t->count + (size_t)(j + c)];
                    KJ[r * columns + c] = sum;
                }
            for (int l = first; l < end; ++l) {
                const ts_delassus_segment* s = &w->form->segment[l];
                for (int i = 0, g; i < s->count; i += graph->size[g]) {
                    g = graph->group_of[s->column + i];
                    if (w->definite && g > h) continue;
                    add_entry(s->Y + i, s->count, graph->size[g], KJ, rows, columns,
                              ts_body_graph_entry(graph, w->value, g, h));
                }
            }
        }
    }
}

// The largest stiffness over shift, block by block.
static double stiffness_ratio(const bodies* w) {
    const ts_linear_matrix* A = w->s->A;
    double ratio = 0.0;
    for (int b = 0; b < A->blocks; ++b) {
        const double* D = A->G->ops->diagonal(A->G, b);
        int rows = ts_linear_rows_of(w->s, b);
        for (int r = 0; r < rows; ++r) {
            int i = A->row[b] + r;
            double here = A->scale[i] * A->scale[i] * D[r * (rows + 1)] * (w->s->C ? 1.0 : w->M[i]);
            if (!(here <= ratio)) ratio = here;  // a NaN, too
        }
    }
    return ratio;
}

static inline int change_numbers(void* analysed) {
    bodies* w = (bodies*)analysed;
    const ts_linear_room* room = w->s->room;
    const ts_body_graph* graph = &w->graph;
    memset(w->value, 0, graph->numbers * sizeof(double));
    for (int g = 0; g < graph->groups; ++g) {
        double* D = ts_body_graph_entry(graph, w->value, g, g);
        for (int a = 0; a < graph->size[g]; ++a) D[a * graph->size[g] + a] = 1.0;
    }
    known_entry known = {{-1, -1}, {{NULL}}};
    for (int a = 0; a < room->count; ++a) {
        double K[MAX * MAX];
        if (!small_matrices(w, room->list[a], K)) return 0;
        if (!add_six(w, room->list[a], K, &known)) add_block(w, room->list[a], K);
    }
    w->ratio = w->s->C && !is_plain(w->s) ? HUGE_VAL : stiffness_ratio(w);
    return ts_block_lu_factor(w->lu, graph->start, graph->column, graph->at, w->value);
}

// --- solving ---------------------------------------------------------------------------------------------------------

// x (unknown rows) becomes the factor's answer to it.
static void apply_factor(bodies* w, double* x) {
    const ts_linear_room* room = w->s->room;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int a = 0; a < room->count; ++a) {
        divide(w, room->list[a], x + room->first[a]);
        spread(w, room->list[a], x + room->first[a], w->y);
    }
    ts_block_lu_solve(w->lu, w->y);
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a], rows = ts_linear_rows_of(w->s, b);
        double moved[MAX] = {0.0};
        collect(w, b, w->y, moved);
        multiply(w, b, moved);
        divide(w, b, moved);
        for (int r = 0; r < rows; ++r) x[room->first[a] + r] -= moved[r];
    }
}

// left = asked - (C + E A) step; returns its largest entry.
static double look(bodies* w) {
    const ts_linear* s = w->s;
    const ts_linear_room* room = s->room;
    double largest = 0.0;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int a = 0; a < room->count; ++a) spread(w, room->list[a], w->step + room->first[a], w->y);
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a], rows = ts_linear_rows_of(s, b);
        const double *d = w->step + room->first[a], *C = s->C ? s->C + s->square[b] : NULL;
        double moved[MAX] = {0.0};
        collect(w, b, w->y, moved);
        for (int r = 0; r < rows; ++r) moved[r] += shift_of(s->A, s->A->row[b] + r) * d[r];
        multiply(w, b, moved);
        for (int r = 0; r < rows; ++r) {
            double* left = &w->left[room->first[a] + r];
            double own = C ? 0.0 : room->shift * d[r];
            for (int j = 0; j < rows && C; ++j) own += C[r * rows + j] * d[j];
            *left = w->asked[room->first[a] + r] - (own + moved[r]);
            // Not fmax, which would hide a NaN.
            if (!(fabs(*left) <= largest)) largest = fabs(*left);
        }
    }
    return largest;
}

// The right-hand side of the unknown rows without what is known; returns its largest entry.
static double begin(bodies* w, const double* x) {
    const ts_linear_room* room = w->s->room;
    double largest = 0.0;
    int all = room->count == w->s->A->blocks;
    if (!all) known_motion(w, x);
    for (int a = 0; a < room->count; ++a) {
        int b = room->list[a];
        double moved[MAX] = {0.0};
        if (!all) {
            collect(w, b, w->y, moved);
            multiply(w, b, moved);
        }
        for (int r = 0; r < ts_linear_rows_of(w->s, b); ++r) {
            int at = room->first[a] + r;
            w->asked[at] = w->left[at] = x[w->s->A->row[b] + r] - moved[r];
            if (!(fabs(w->asked[at]) <= largest)) largest = fabs(w->asked[at]);
        }
    }
    return largest;
}

// The answer in w->step, from what `begin` has left. Returns 0 when it is none.
static int find_step(bodies* w, double size, double enough) {
    int n = w->s->room->rows;
    double before = HUGE_VAL;
    memset(w->step, 0, (size_t)n * sizeof(double));
    for (int round = 0; round <= REFINEMENTS; ++round) {
        memcpy(w->kept, w->step, (size_t)n * sizeof(double));
        apply_factor(w, w->left);
        for (int i = 0; i < n; ++i) w->step[i] += w->left[i];
        double left = look(w);
        if (left <= enough) return 1;
        if (!(left < before)) {
            memcpy(w->step, w->kept, (size_t)n * sizeof(double));
            break;
        }
        int slow = left > slowest * before;
        before = left;
        if (slow) break;
    }
    return !w->s->C || before <= accepted * size;
}

static inline int solve_numbers(void* analysed, double accuracy, double* x) {
    bodies* w = (bodies*)analysed;
    const ts_linear_room* room = w->s->room;
    double size = 0.0;
    if (!w->s->C) {
        for (int i = 0; i < room->rows; ++i)
            if (!(fabs(x[i]) <= size)) size = fabs(x[i]);
        if (lost * w->ratio * size <= fmax(accuracy, rounding * size)) {
            apply_factor(w, x);
            return 1;
        }
    }
    size = begin(w, x);
    double enough = fmax(accuracy, rounding * size);
    const double* answer = w->step;
    if (!isfinite(size)) return 0;
    if (lost * w->ratio * size <= enough) {
        apply_factor(w, w->left);
        answer = w->left;
    } else if (!find_step(w, size, enough)) {
        return 0;
    }
    for (int a = 0; a < room->count; ++a)
        memcpy(x + w->s->A->row[room->list[a]], answer + room->first[a],
               (size_t)ts_linear_rows_of(w->s, room->list[a]) * sizeof(double));
    return 1;
}

#if TS_IS_WIDE

int ts_linear_bodies_change_wide(void* analysed) { return change_numbers(analysed); }
int ts_linear_bodies_solve_wide(void* analysed, double accuracy, double* x) {
    return solve_numbers(analysed, accuracy, x);
}

#else

int ts_linear_bodies_change_plain(void* analysed) { return change_numbers(analysed); }
int ts_linear_bodies_solve_plain(void* analysed, double accuracy, double* x) {
    return solve_numbers(analysed, accuracy, x);
}

#if defined(TS_HAVE_WIDE)
#define KERNEL(name) (__builtin_cpu_supports("avx2") ? ts_linear_bodies_##name##_wide : ts_linear_bodies_##name##_plain)
#else
#define KERNEL(name) ts_linear_bodies_##name##_plain
#endif

static int change(void* analysed) { return KERNEL(change)(analysed); }

static int solve(void* analysed, const double* guess, double accuracy, double* x) {
    (void)guess;
    return KERNEL(solve)(analysed, accuracy, x);
}

const ts_linear_way ts_linear_bodies_way = {"bodies", 0, analyse, cost_of, change, solve};

#endif
