// Linear systems with a changing shift, solved in steps, without a matrix over contacts.
//
// Problem: (A + s 1) x = r for a velocity form with more rows than degrees of freedom; s changes now and then, r from
// solve to solve only a little. A factor through the bodies (linear_bodies.c) is cheap for walls and columns, and dear
// for heaps, where it fills in.
// Rule: conjugate gradients, preconditioned by the diagonal blocks and started from the guess, stop at the accuracy asked
// for; the condition number is at most 1 + |A| / s. What they cost beyond a solve with the factor is added up, and when
// that is what the factor costs, the factor is made and used until the shift changes (renting or buying skis: never
// more than about twice the better of both).
// Source: Hestenes and Stiefel 1952; skis: Karlin, Manasse, Rudolph and Sleator 1988.
// Guaranteed: memory is linear in rows and columns, as a factor of more than NUMBERS_PER_COLUMN numbers a column is not
// made. Same input, same bits.
// Known to fail: a small shift and a factor that is too large: then STEPS_MOST steps may miss the accuracy, and whoever
// asked, and judges its answer by itself, takes more iterations.
#include <math.h>
#include <string.h>

#include "base/scalar.h"

#include "contact/operator/linear_ways_internal.h"

enum { STEPS_MOST = 200, NUMBERS_PER_COLUMN = 512 };

// 1: multiply-adds of a factorisation take this part of the time of those of a product with the operator.
static const double factor_speed = 0.3;

// The order and the pattern of a factor cost about as much as a product for so many rows, and at most so many products.
static const double analysis_rows = 50.0, analysis_products = 50.0;

// 1: never asked to be more accurate than this, relative to the right-hand side.
static const double rounding = 1e-14;

typedef struct steps {
    const ts_linear* s;
    int analysed;         // whether a factor has been asked for
    void* bodies;         // NULL before, and when it would be too large
    int factorised;       // for the present shift
    double product_work;  // multiply-adds of a product with the operator
    double spent;         // beyond what solving with a factor would have cost, since the shift changed
    double* inverse;      // of the diagonal blocks of A + S, one after another
    double* x;            // (rows)
    double* r;            // (rows) residual
    double* p;            // (rows) direction
    double* product;      // (rows) (A + S) p
} steps;

static size_t factor_most(const ts_velocity_form* form) {
    size_t most = (size_t)NUMBERS_PER_COLUMN * (size_t)form->velocity_count;
    return most < (size_t)TS_LINEAR_LARGEST_FACTOR ? most : (size_t)TS_LINEAR_LARGEST_FACTOR;
}

static void* analyse(const ts_linear* s, ts_arena* arena, size_t most) {
    const ts_velocity_form* form = s->room->form;
    steps* q = (steps*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    (void)most;
    if (!q) return NULL;
    q->s = s;
    q->inverse = TS_ARENA_ARRAY(arena, double, s->square[s->A->blocks]);
    double** vector[] = {&q->x, &q->r, &q->p, &q->product};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i)
        if (!(*vector[i] = TS_ARENA_ARRAY(arena, double, s->A->rows))) return NULL;
    for (int b = 0; b < s->A->blocks; ++b)
        for (int k = form->segment_start[b]; k < form->segment_start[b + 1]; ++k)
            q->product_work += 2.0 * ts_linear_rows_of(s, b) * form->segment[k].count;
    return q->inverse ? q : NULL;
}

static ts_linear_cost cost_of(const void* analysed) {
    const steps* q = (const steps*)analysed;
    return (ts_linear_cost){q->s->A->rows, 2.0 * q->product_work, 0.0};
}

// The inverse of a small symmetric positive definite matrix, in place, by Gauss and Jordan. Returns 0 when it is not.
static int invert(double* A, int n) {
    for (int k = 0; k < n; ++k) {
        double pivot = A[k * n + k];
        if (!(pivot > 0.0) || !isfinite(pivot)) return 0;
        A[k * n + k] = 1.0;
        for (int j = 0; j < n; ++j) A[k * n + j] /= pivot;
        for (int i = 0; i < n; ++i) {
            double l = A[i * n + k];
            if (i == k) continue;
            A[i * n + k] = 0.0;
            for (int j = 0; j < n; ++j) A[i * n + j] -= l * A[k * n + j];
        }
    }
    return 1;
}

static int change(void* analysed) {
    steps* q = (steps*)analysed;
    const ts_linear_matrix* A = q->s->A;
    q->factorised = 0;
    q->spent = 0.0;
    for (int b = 0; b < A->blocks; ++b) {
        int rows = ts_linear_rows_of(q->s, b);
        const double *D = A->G->ops->diagonal(A->G, b), *scale = A->scale + A->row[b];
        double* inverse = q->inverse + q->s->square[b];
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < rows; ++c) inverse[r * rows + c] = D[r * rows + c] * (scale[r] * scale[c]);
            inverse[r * (rows + 1)] += q->s->room->shift + (A->shift ? A->shift[A->row[b] + r] : 0.0);
        }
        if (!invert(inverse, rows)) return 0;
    }
    return 1;
}

// out = (A + S) x.
static void multiply(const steps* q, const double* x, double* out) {
    ts_linear_matrix_apply_shifted(q->s->A, q->s->room->shift, x, out);
}

// z = D^-1 r with the diagonal blocks D; returns r . z.
static double precondition(const steps* q, const double* r, double* z) {
    double sum = 0.0;
    for (int b = 0; b < q->s->A->blocks; ++b) {
        int rows = ts_linear_rows_of(q->s, b), row = q->s->A->row[b];
        const double* inverse = q->inverse + q->s->square[b];
        for (int i = 0; i < rows; ++i) {
            double value = 0.0;
            for (int j = 0; j < rows; ++j) value += inverse[i * rows + j] * r[row + j];
            z[row + i] = value;
            sum += value * r[row + i];
        }
    }
    return sum;
}

// Conjugate gradients from the residual in q->r. Returns the steps taken.
static int conjugate_gradients(steps* q, double accuracy) {
    int n = q->s->A->rows, step = 0;
    double before = precondition(q, q->r, q->p);
    double size = ts_largest(q->r, n);
    while (step < STEPS_MOST && size > accuracy && before > 0.0) {
        double curvature = 0.0;
        multiply(q, q->p, q->product);
        for (int i = 0; i < n; ++i) curvature += q->p[i] * q->product[i];
        ++step;
        if (!(curvature > 0.0) || !isfinite(curvature)) break;
        double along = before / curvature;
        for (int i = 0; i < n; ++i) {
            q->x[i] += along * q->p[i];
            q->r[i] -= along * q->product[i];
        }
        size = ts_largest(q->r, n);
        double next = precondition(q, q->r, q->product), beta = next / before;
        for (int i = 0; i < n; ++i) q->p[i] = q->product[i] + beta * q->p[i];
        before = next;
    }
    return step;
}

// Analyses when more has been spent than that costs, and factorises when it is also more than a factor costs.
static void factorise_when_due(steps* q) {
    const ts_linear_room* room = q->s->room;
    double analysis = fmin(analysis_products, q->s->A->rows / analysis_rows);
    if (!q->analysed && q->spent > analysis * q->product_work) {
        ts_arena_scope scope = ts_arena_scope_begin(room->arena);
        q->analysed = 1;
        q->bodies = ts_linear_bodies_way.analyse(q->s, room->arena, factor_most(room->form));
        if (!q->bodies) ts_arena_scope_end(room->arena, scope);
    }
    if (!q->bodies || q->spent < factor_speed * ts_linear_bodies_way.cost(q->bodies).change) return;
    q->factorised = ts_linear_bodies_way.change(q->bodies);
    if (!q->factorised) q->bodies = NULL;
}

// From the guess in q->x. Returns 0 when the steps ran out; then no price of a factor is too high.
static int solve_in_steps(steps* q, const double* right, double accuracy) {
    multiply(q, q->x, q->r);
    for (int i = 0; i < q->s->A->rows; ++i) q->r[i] = right[i] - q->r[i];
    int taken = conjugate_gradients(q, accuracy);
    double direct = q->bodies ? q->product_work + ts_linear_bodies_way.cost(q->bodies).solve : 0.0;
    q->spent = taken == STEPS_MOST ? HUGE_VAL : q->spent + fmax(0.0, (1.0 + taken) * q->product_work - direct);
    return taken < STEPS_MOST;
}

static int solve(void* analysed, const double* guess, double accuracy, double* x) {
    steps* q = (steps*)analysed;
    size_t bytes = (size_t)q->s->A->rows * sizeof(double);
    if (!q->factorised) factorise_when_due(q);
    if (!q->factorised) {
        accuracy = fmax(accuracy, rounding * ts_largest(x, q->s->A->rows));
        if (guess)
            memcpy(q->x, guess, bytes);
        else
            memset(q->x, 0, bytes);
        if (!solve_in_steps(q, x, accuracy)) factorise_when_due(q);
    }
    if (q->factorised) return ts_linear_bodies_way.solve(q->bodies, NULL, accuracy, x);
    memcpy(x, q->x, bytes);
    return 1;
}

const ts_linear_way ts_linear_steps_way = {"steps", 0, analyse, cost_of, change, solve};
