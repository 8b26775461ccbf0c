// Small linear systems: dense factors.
//
// Problem: (C + E A) x = r or (A + s 1) x = r with up to a hundred unknown rows, or as many as a full matrix has.
// Rule: LU with partial pivoting. Where A is symmetric and only s changes, Cholesky; and where s turns out to change every
// few solves, tridiagonal form once, which serves every shift: at 96 rows a change costs 0.8 us where a Cholesky factor
// costs 28, the form as much as four to six of them, and a solve 7 us where it was 2. (To keep G and refactor the corner
// of a constrained Cholesky is that Cholesky factor: nothing gained.)
// Source: Cholesky, LU: Golub and Van Loan; tridiagonal form for many shifts: base/linear/tridiagonal.c.
// Guaranteed: backward stable; same input, same bits.
// Known to fail: LU lets a matrix that is singular to rounding pass with a tiny pivot.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/linear/dense.h"
#include "base/linear/tridiagonal.h"
#include "contact/operator/linear_ways_internal.h"

enum { MAX = TS_BLOCK_ROWS_MAX };

// From so many shifts on, with fewer than so many solves to each, the tridiagonal form is the cheaper. When a shift is
// still the same after RESTED solves, it is a Cholesky factor again. Trials on the recorded problems.
enum { REDUCE_SHIFTS = 8, REDUCE_SOLVES = 4, RESTED = 12 };

// --- LU --------------------------------------------------------------------------------------------------------------

// Columns of A that lie together in the system too.
typedef struct run {
    int from;
    int to;
    int length;
} run;

typedef struct dense {
    const ts_linear* s;
    int n;
    int ld;
    double* value;  // (n x ld)
    int* pivot;     // (n)
    run* run;
    int runs;
    double* rows;  // (MAX x A->ld) rows of E A, where only some columns are needed
} dense;

static void* analyse(const ts_linear* s, ts_arena* arena, size_t most) {
    const ts_linear_room* room = s->room;
    dense* d = (dense*)ts_arena_alloc_zeroed(arena, 1, sizeof(*d));
    if (!d || (size_t)room->rows * (size_t)room->rows > most) return NULL;
    d->s = s;
    d->n = room->rows;
    d->ld = ts_panel_padded(d->n);
    d->value = TS_ARENA_ARRAY(arena, double, (size_t)d->n*(size_t)d->ld);
    d->pivot = TS_ARENA_ARRAY(arena, int, d->n);
    d->run = TS_ARENA_ARRAY(arena, run, room->count);
    d->rows = TS_ARENA_ARRAY(arena, double, MAX * s->A->ld);
    if (!d->value || !d->pivot || !d->run || !d->rows) return NULL;
    for (int a = 0; a < room->count; ++a) {
        int from = s->A->row[room->list[a]];
        run* last = d->runs > 0 ? &d->run[d->runs - 1] : NULL;
        if (last && last->from + last->length == from)
            last->length += ts_linear_rows_of(s, room->list[a]);
        else
            d->run[d->runs++] = (run){from, room->first[a], ts_linear_rows_of(s, room->list[a])};
    }
    return d;
}

static ts_linear_cost cost_of(const void* analysed) {
    double n = ((const dense*)analysed)->n;
    return (ts_linear_cost){n * n * n / 3.0, n * n, 0.0};
}

// out (rows x A->ld) = E times the rows of A, all columns.
static void multiply_rows(const ts_linear* s, int b, double* out) {
    const ts_linear_matrix* A = s->A;
    const double* from = A->value + (size_t)A->row[b] * (size_t)A->ld;
    const double* E = s->E + s->square[b];
    int rows = ts_linear_rows_of(s, b);
    double minus[MAX * MAX];
    if (rows == 1) {
        for (int j = 0; j < A->ld; ++j) out[j] = E[0] * from[j];
        return;
    }
    for (int i = 0; i < rows * rows; ++i) minus[i] = -E[i];
    memset(out, 0, (size_t)rows * (size_t)A->ld * sizeof(double));
    ts_panel_subtract(rows, A->ld, rows, (ts_panel){minus, rows}, (ts_panel){from, A->ld}, out, A->ld);
}

// Rows of the a-th unknown block, from a dense A.
static void fill_rows(dense* d, int a) {
    const ts_linear* s = d->s;
    int b = s->room->list[a], rows = ts_linear_rows_of(s, b), ld = s->A->ld;
    double* to = d->value + (size_t)s->room->first[a] * (size_t)d->ld;
    if (d->n == s->A->rows) {
        multiply_rows(s, b, to);
    } else {
        multiply_rows(s, b, d->rows);
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < d->runs; ++k)
                memcpy(to + (size_t)i * (size_t)d->ld + d->run[k].to, d->rows + (size_t)i * (size_t)ld + d->run[k].from,
                       (size_t)d->run[k].length * sizeof(double));
    }
    double* square = to + s->room->first[a];
    const double* C = s->C + s->square[b];
    for (int i = 0; i < rows; ++i, square += d->ld)
        for (int j = 0; j < rows; ++j) square[j] += C[i * rows + j];
}

// The system without its shift.
static void fill(dense* d) {
    const ts_linear* s = d->s;
    const ts_linear_matrix* A = s->A;
    if (!A->at && !s->E) {
        memcpy(d->value, A->value, (size_t)d->n * (size_t)d->ld * sizeof(double));
        return;
    }
    if (!A->at) {
        for (int a = 0; a < s->room->count; ++a) fill_rows(d, a);
        return;
    }
    memset(d->value, 0, (size_t)d->n * (size_t)d->ld * sizeof(double));
    for (int a = 0; a < s->room->count; ++a) {
        int b = s->room->list[a];
        double* to = d->value + (size_t)s->room->first[a] * (size_t)d->ld;
        for (int e = A->start[b]; e < A->start[b + 1]; ++e) {
            int other = s->room->place[A->column[e]];
            if (other >= 0) ts_linear_form_entry(s, b, e, to + s->room->first[other], d->ld);
        }
    }
}

static void add_shift(dense* d) {
    for (int i = 0; i < d->n && !d->s->C; ++i) d->value[(size_t)i * (size_t)(d->ld + 1)] += d->s->room->shift;
}

static int change(void* analysed) {
    dense* d = (dense*)analysed;
    fill(d);
    add_shift(d);
    return ts_lu_factor(d->value, d->n, d->ld, d->pivot);
}

static int solve(void* analysed, const double* guess, double accuracy, double* x) {
    const dense* d = (const dense*)analysed;
    (void)guess;
    (void)accuracy;
    ts_lu_solve(d->value, d->n, d->ld, d->pivot, x);
    return 1;
}

const ts_linear_way ts_linear_dense_way = {"dense", 1, analyse, cost_of, change, solve};

// --- Symmetric, for many shifts --------------------------------------------------------------------------------------

typedef struct symmetric {
    dense all;            // `value` holds the factor
    ts_tridiagonal form;  // in the same place
    int reduced;          // nonzero: to that
    int shifts;           // so far
    int solves;           // so far
    int rested;           // solves with the present shift, while reduced
} symmetric;

// But for what scaling rounds differently on both sides.
static int is_symmetric(const double* A, size_t n, size_t ld) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
            if (!(fabs(A[i * ld + j] - A[j * ld + i]) <= 4.0 * DBL_EPSILON * fabs(A[i * ld + j]))) return 0;
    return 1;
}

static void* analyse_symmetric(const ts_linear* s, ts_arena* arena, size_t most) {
    symmetric* q = (symmetric*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    const dense* d = q ? (const dense*)analyse(s, arena, most) : NULL;
    if (!d) return NULL;
    q->all = *d;
    fill(&q->all);
    if (!is_symmetric(d->value, (size_t)d->n, (size_t)d->ld)) return NULL;
    double** vector[] = {&q->form.weight, &q->form.diagonal, &q->form.off, &q->form.pivot, &q->form.lower};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i)
        if (!(*vector[i] = TS_ARENA_ARRAY(arena, double, d->n))) return NULL;
    q->form.n = d->n;
    q->form.ld = d->ld;
    q->form.A = d->value;
    return q;
}

static ts_linear_cost cost_of_symmetric(const void* analysed) {
    const symmetric* q = (const symmetric*)analysed;
    double n = q->all.n;
    return q->reduced ? (ts_linear_cost){3.0 * n, 2.0 * n * n, 0.0} : (ts_linear_cost){n * n * n / 6.0, n * n, 0.0};
}

static int change_symmetric(void* analysed) {
    symmetric* q = (symmetric*)analysed;
    q->rested = 0;
    if (!q->reduced) fill(&q->all);
    if (!q->reduced && ++q->shifts > REDUCE_SHIFTS && q->solves < REDUCE_SOLVES * q->shifts) {
        ts_tridiagonal_reduce(&q->form);
        q->reduced = 1;
    }
    if (q->reduced) return ts_tridiagonal_shift(&q->form, q->all.s->room->shift);
    add_shift(&q->all);
    return ts_cholesky_factor(q->all.value, q->all.n, q->all.ld);
}

static int solve_symmetric(void* analysed, const double* guess, double accuracy, double* x) {
    symmetric* q = (symmetric*)analysed;
    (void)guess;
    (void)accuracy;
    ++q->solves;
    if (q->reduced && ++q->rested > RESTED) {
        q->reduced = q->shifts = q->solves = 0;
        if (!change_symmetric(q)) return 0;
    }
    if (q->reduced)
        ts_tridiagonal_solve(&q->form, x);
    else
        ts_cholesky_solve(q->all.value, q->all.n, q->all.ld, x);
    return 1;
}

const ts_linear_way ts_linear_symmetric_way = {
    "symmetric", 1, analyse_symmetric, cost_of_symmetric, change_symmetric, solve_symmetric};
