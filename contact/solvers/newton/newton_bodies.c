// Newton's linear system through the bodies.
//
// Problem: C_b d_b + E_b (A d)_b = r_b for active blocks b, A = S J Y^T S + T (newton_bodies_internal.h). In a pile the
// matrix over contacts has a dense clique for every body, and one over bodies has six rows for it.
// Rule: with M_b = C_b + E_b T_b, small and regular, and y = Y^T S d over the active blocks,
//     d = M^-1 (r - E S J y),    (1 + Y^T S M^-1 E S J) y = Y^T S M^-1 r,
// known steps moved to r first. The matrix over bodies has small unsymmetric blocks where two bodies share an active
// block, and goes to block LU (base/linear/block_lu.h). Then rounds of refinement with the system as it was asked.
// Source: Woodbury 1950; Hager 1989. That M is regular for the natural map of a cone with any proximal weight: it is
// triangular in the axes of the projection, with the weight or 1 - its eigenvalues on the diagonal.
// Guaranteed: time and memory linear in the blocks beside the factor; same input, same bits; 0 rather than a step that
// leaves more than ACCEPTED of the right-hand side.
// Known to fail: where a contact sticks, M is the proximal weight eps alone, and one solve keeps about eps / 1e-16 of
// the digits. Refinement wins the rest back down to eps of about 1e-13; below, the answer is refused and the caller has
// to go by contacts or to make eps larger.
#include "contact/solvers/newton/newton_bodies_internal.h"

#include <math.h>
#include <string.h>

#include "base/linear/block_lu.h"
#include "contact/operator/body_graph_internal.h"

enum {
    MAX = TS_BLOCK_ROWS_MAX,
    REFINEMENTS = 8,
    WIDE = 6  // columns of a segment that are taken at a time
};

#define ACCEPTED 1e-3  // more than this: no step
#define SLOWEST 0.5    // a round that leaves more than this part was the last

struct ts_newton_bodies {
    const ts_velocity_form* form;
    size_t most;
    double good;  // part of the right-hand side that may be left
    int columns;  // degrees of freedom that blocks use
};

// One solve.
typedef struct work {
    const ts_velocity_form* form;
    const ts_newton_system* system;
    const ts_block* block;
    ts_body_graph graph;
    ts_block_lu* lu;
    double* value;   // matrix over bodies
    double* factor;  // LU of M_b, in the places of C
    int* pivot;      // (rows) of M_b
    double* y;       // (rows over bodies)
    double* asked;   // (active rows) right-hand side without the known steps
    double* left;    // (active rows)
    double* step;    // (active rows)
    double* kept;    // (active rows) step of the round before
    int* at;         // (active blocks) first row in the four above
} work;

ts_newton_bodies* ts_newton_bodies_make(const ts_newton_matrix* A, ts_arena* arena, size_t most, double good) {
    const ts_velocity_form* form = ts_velocity_form_of(A->problem->delassus);
    if (!form) return NULL;
    ts_newton_bodies* bodies = TS_ARENA_ARRAY(arena, ts_newton_bodies, 1);
    if (!bodies) return NULL;
    bodies->form = form;
    bodies->most = most;
    bodies->good = good;
    bodies->columns = 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    unsigned char* used = (unsigned char*)ts_arena_alloc_zeroed(arena, (size_t)form->velocity_count, 1);
    for (int s = 0; used && s < form->segment_start[form->base.block_count]; ++s)
        memset(used + form->segment[s].column, 1, (size_t)form->segment[s].count);
    for (int j = 0; used && j < form->velocity_count; ++j) bodies->columns += used[j];
    ts_arena_scope_end(arena, scope);
    return used ? bodies : NULL;
}

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

static void small_product(const double* a, int n, const double* x, double* out) {
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
        out[i] = sum;
    }
}

// --- between blocks and bodies ---------------------------------------------------------------------------------------

static double shift_of(const ts_newton_matrix* A, int row) { return A->row_shift ? A->row_shift[row] : 0.0; }

// Where a segment's columns begin among the used ones, which lie in the order of the columns themselves.
static int place_of(const work* w, const ts_delassus_segment* segment) {
    int g = w->graph.group_of[segment->column];
    return w->graph.place[g] + (segment->column - w->graph.first[g]);
}

// y += Y_b^T S_b x.
static void spread(const work* w, int b, const double* x, double* y) {
    const ts_block* block = &w->block[b];
    for (int s = w->form->segment_start[b]; s < w->form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &w->form->segment[s];
        double* to = y + place_of(w, segment);
        for (int r = 0; r < block->rows; ++r) {
            const double* Y = segment->Y + (size_t)r * (size_t)segment->count;
            double own = w->system->A.row_scale[block->row + r] * x[r];
            for (int j = 0; j < segment->count; ++j) to[j] += Y[j] * own;
        }
    }
}

// out = S_b J_b y.
static void collect(const work* w, int b, const double* y, double* out) {
    const ts_block* block = &w->block[b];
    for (int r = 0; r < block->rows; ++r) out[r] = 0.0;
    for (int s = w->form->segment_start[b]; s < w->form->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* segment = &w->form->segment[s];
        const double* from = y + place_of(w, segment);
        for (int r = 0; r < block->rows; ++r) {
            const double* J = segment->J + (size_t)r * (size_t)segment->count;
            for (int j = 0; j < segment->count; ++j) out[r] += J[j] * from[j];
        }
    }
    for (int r = 0; r < block->rows; ++r) out[r] *= w->system->A.row_scale[block->row + r];
}

// What the known steps do: the part of y from blocks that are not active, on columns that active ones use.
static void known_motion(const work* w, const double* d) {
    const ts_newton_system* q = w->system;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int b = 0; b < q->A.problem->block_count; ++b) {
        const ts_block* block = &w->block[b];
        if (q->place[b] >= 0) continue;
        for (int s = w->form->segment_start[b]; s < w->form->segment_start[b + 1]; ++s) {
            const ts_delassus_segment* segment = &w->form->segment[s];
            for (int j = 0; j < segment->count; ++j) {
                int g = w->graph.group_of[segment->column + j];
                if (g < 0) continue;
                double sum = 0.0;
                for (int r = 0; r < block->rows; ++r)
                    sum += segment->Y[(size_t)r * (size_t)segment->count + (size_t)j] * q->A.row_scale[block->row + r] *
                           d[block->row + r];
                w->y[w->graph.place[g] + segment->column + j - w->graph.first[g]] += sum;
            }
        }
    }
}

// --- the matrix ------------------------------------------------------------------------------------------------------

// M_b factorised, and K = S M^-1 E S. Returns 0 when M is singular.
static int small_matrices(work* w, int b, double* K) {
    const ts_newton_system* q = w->system;
    int row = w->block[b].row, n = w->block[b].rows;
    const double *C = q->C + q->square[b], *E = q->E + q->square[b];
    double* M = w->factor + q->square[b];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[i * n + j] = C[i * n + j] + E[i * n + j] * shift_of(&q->A, row + j);
    if (!small_factor(M, n, w->pivot + row)) return 0;
    for (int j = 0; j < n; ++j) {
        double column[MAX];
        for (int i = 0; i < n; ++i) column[i] = E[i * n + j];
        small_solve(M, n, w->pivot + row, column);
        for (int i = 0; i < n; ++i) K[i * n + j] = q->A.row_scale[row + i] * column[i] * q->A.row_scale[row + j];
    }
    return 1;
}

// += Y^T K J of one pair of segments, group by group.
static void add_segments(work* w, const ts_delassus_segment* s, const ts_delassus_segment* t, int rows,
                         const double* K) {
    const ts_body_graph* graph = &w->graph;
    for (int k = 0, h; k < t->count; k += graph->size[h]) {
        double KJ[MAX * WIDE];
        h = graph->group_of[t->column + k];
        int columns = graph->size[h];
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c) {
                double sum = 0.0;
                for (int i = 0; i < rows; ++i)
                    sum += K[r * rows + i] * t->J[(size_t)i * (size_t)t->count + (size_t)(k + c)];
                KJ[r * columns + c] = sum;
            }
        for (int i = 0, g; i < s->count; i += graph->size[g]) {
            g = graph->group_of[s->column + i];
            double* W = ts_body_graph_entry(graph, w->value, g, h);
            for (int r = 0; r < rows; ++r) {
                const double* Y = s->Y + (size_t)r * (size_t)s->count + i;
                for (int a = 0; a < graph->size[g]; ++a)
                    for (int c = 0; c < columns; ++c) W[a * columns + c] += Y[a] * KJ[r * columns + c];
            }
        }
    }
}

static int factorise(work* w) {
    const ts_newton_system* q = w->system;
    const ts_body_graph* graph = &w->graph;
    memset(w->value, 0, graph->numbers * sizeof(double));
    for (int g = 0; g < graph->groups; ++g) {
        double* D = ts_body_graph_entry(graph, w->value, g, g);
        for (int a = 0; a < graph->size[g]; ++a) D[a * graph->size[g] + a] = 1.0;
    }
    for (int a = 0; a < q->list_count; ++a) {
        int b = q->list[a];
        double K[MAX * MAX];
        if (!small_matrices(w, b, K)) return 0;
        for (int t = w->form->segment_start[b]; t < w->form->segment_start[b + 1]; ++t)
            for (int s = w->form->segment_start[b]; s < w->form->segment_start[b + 1]; ++s)
                add_segments(w, &w->form->segment[s], &w->form->segment[t], w->block[b].rows, K);
    }
    return ts_block_lu_factor(w->lu, graph->start, graph->column, graph->at, w->value);
}

// --- solving ---------------------------------------------------------------------------------------------------------

// step += the factor's answer for `left`, which is used up.
static void correct(work* w) {
    const ts_newton_system* q = w->system;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int a = 0; a < q->list_count; ++a) {
        int b = q->list[a];
        double* p = w->left + w->at[a];
        small_solve(w->factor + q->square[b], w->block[b].rows, w->pivot + w->block[b].row, p);
        spread(w, b, p, w->y);
    }
    ts_block_lu_solve(w->lu, w->y);
    for (int a = 0; a < q->list_count; ++a) {
        int b = q->list[a], rows = w->block[b].rows;
        double velocity[MAX], moved[MAX];
        collect(w, b, w->y, velocity);
        small_product(q->E + q->square[b], rows, velocity, moved);
        small_solve(w->factor + q->square[b], rows, w->pivot + w->block[b].row, moved);
        for (int r = 0; r < rows; ++r) w->step[w->at[a] + r] += w->left[w->at[a] + r] - moved[r];
    }
}

// left = asked - (C + E A) step; returns its largest entry.
static double look(work* w) {
    const ts_newton_system* q = w->system;
    double largest = 0.0;
    memset(w->y, 0, (size_t)w->graph.place[w->graph.groups] * sizeof(double));
    for (int a = 0; a < q->list_count; ++a) spread(w, q->list[a], w->step + w->at[a], w->y);
    for (int a = 0; a < q->list_count; ++a) {
        int b = q->list[a], rows = w->block[b].rows;
        const double* d = w->step + w->at[a];
        double velocity[MAX], E[MAX], C[MAX];
        collect(w, b, w->y, velocity);
        for (int r = 0; r < rows; ++r) velocity[r] += shift_of(&q->A, w->block[b].row + r) * d[r];
        small_product(q->E + q->square[b], rows, velocity, E);
        small_product(q->C + q->square[b], rows, d, C);
        for (int r = 0; r < rows; ++r) {
            double* left = &w->left[w->at[a] + r];
            *left = w->asked[w->at[a] + r] - (C[r] + E[r]);
            // Not fmax, which would hide a NaN.
            if (!(fabs(*left) <= largest)) largest = fabs(*left);
        }
    }
    return largest;
}

static int analyse(work* w, ts_arena* scratch, size_t most) {
    const ts_newton_system* q = w->system;
    if (!ts_body_graph_make(w->form, q->list_count, q->list, scratch, &w->graph)) return 0;
    const ts_body_graph* graph = &w->graph;
    w->lu = ts_block_lu_analyse(scratch, graph->groups, graph->size, graph->start, graph->column, most);
    return w->lu != NULL;
}

static int take_memory(work* w, ts_arena* scratch) {
    const ts_newton_system* q = w->system;
    size_t rows = (size_t)q->list_rows;
    w->value = TS_ARENA_ARRAY(scratch, double, w->graph.numbers);
    w->factor = TS_ARENA_ARRAY(scratch, double, q->square[q->A.problem->block_count]);
    w->pivot = TS_ARENA_ARRAY(scratch, int, q->A.problem->row_count);
    w->y = TS_ARENA_ARRAY(scratch, double, w->graph.place[w->graph.groups]);
    w->asked = TS_ARENA_ARRAY(scratch, double, rows);
    w->left = TS_ARENA_ARRAY(scratch, double, rows);
    w->step = (double*)ts_arena_alloc_zeroed(scratch, rows, sizeof(double));
    w->kept = TS_ARENA_ARRAY(scratch, double, rows);
    w->at = TS_ARENA_ARRAY(scratch, int, q->list_count);
    return w->value && w->factor && w->pivot && w->y && w->asked && w->left && w->step && w->kept && w->at;
}

// The right-hand side of the active rows without what is known; returns its largest entry.
static double begin(work* w, const double* d) {
    const ts_newton_system* q = w->system;
    double largest = 0.0;
    known_motion(w, d);
    for (int a = 0, at = 0; a < q->list_count; ++a) {
        int b = q->list[a], rows = w->block[b].rows;
        double velocity[MAX], moved[MAX];
        w->at[a] = at;
        collect(w, b, w->y, velocity);
        small_product(q->E + q->square[b], rows, velocity, moved);
        for (int r = 0; r < rows; ++r, ++at) {
            w->asked[at] = w->left[at] = d[w->block[b].row + r] - moved[r];
            if (!(fabs(w->asked[at]) <= largest)) largest = fabs(w->asked[at]);
        }
    }
    return largest;
}

static int solve(work* w, double good, const double* d) {
    size_t bytes = (size_t)w->system->list_rows * sizeof(double);
    double size = begin(w, d), before = HUGE_VAL;
    if (!isfinite(size) || !factorise(w)) return 0;
    for (int round = 0; round <= REFINEMENTS; ++round) {
        memcpy(w->kept, w->step, bytes);
        correct(w);
        double left = look(w);
        if (left <= good * size) return 1;
        if (!(left < before)) {
            memcpy(w->step, w->kept, bytes);
            break;
        }
        int slow = left > SLOWEST * before;
        before = left;
        if (slow) break;
    }
    return before <= ACCEPTED * size;
}

double ts_newton_bodies_work(const ts_newton_bodies* bodies, const ts_newton_system* system, ts_arena* scratch) {
    work w = {.form = bodies->form, .system = system, .block = system->A.problem->block};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    double needed = analyse(&w, scratch, bodies->most) ? ts_block_lu_work(w.lu) : HUGE_VAL;
    ts_arena_scope_end(scratch, scope);
    return needed;
}

int ts_newton_bodies_columns(const ts_newton_bodies* bodies) { return bodies->columns; }

int ts_newton_bodies_solve(const ts_newton_bodies* bodies, const ts_newton_system* system, ts_arena* scratch,
                           double* d) {
    work w = {.form = bodies->form, .system = system, .block = system->A.problem->block};
    ts_arena_scope scope = ts_arena_scope_begin(scratch);
    int solved = analyse(&w, scratch, bodies->most) && take_memory(&w, scratch) && solve(&w, bodies->good, d);
    for (int a = 0; solved && a < system->list_count; ++a) {
        const ts_block* block = &w.block[system->list[a]];
        memcpy(d + block->row, w.step + w.at[a], (size_t)block->rows * sizeof(double));
    }
    ts_arena_scope_end(scratch, scope);
    return solved;
}
