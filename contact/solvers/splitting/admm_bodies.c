// The linear system of ADMM solved through the bodies, without a matrix over contacts.
//
// Problem: (A + shift 1) x = b with A = s (G + R) s, G a velocity form with more rows than degrees of freedom; shift
// changes now and then, b from solve to solve only a little. A factor through the bodies (contact/operator/delassus_factor.c) is
// cheap for walls and columns, and dear for heaps, where it fills in.
// Rule: with lambda = s x the system is (G + T) lambda = b / s, T = R + shift / s^2, whose condition number is at most
// 1 + |G| / T: conjugate gradients, preconditioned by the diagonal blocks and started from the guess, stop at the
// accuracy asked for. What they cost beyond a solve with the factor is added up, and when that is what the factor
// costs, the factor is made and used until the shift changes (renting or buying skis: never more than about twice the
// better of both).
// Source: Hestenes and Stiefel 1952; skis: Karlin, Manasse, Rudolph and Sleator 1988.
// Guaranteed: memory is linear in rows and columns, as a factor of more than NUMBERS_PER_COLUMN numbers a column is not
// made. Same input, same bits.
// Known to fail: a small shift and a factor that is too large: then STEPS_MOST steps may miss the accuracy, and ADMM,
// which judges its answer by itself, takes more iterations.
#include <math.h>
#include <string.h>

#include "contact/solvers/splitting/admm_internal.h"

enum { STEPS_MOST = 200, NUMBERS_PER_COLUMN = 512 };

// Multiply-adds of a factorisation take this part of the time of those of a product with the operator.
#define FACTOR_SPEED 0.3

// The order and the pattern of a factor cost about as much as a product for so many rows, and at most so many products.
#define ANALYSIS_ROWS 50.0
#define ANALYSIS_PRODUCTS 50.0

// Never asked to be more accurate than this, relative to the right-hand side.
#define ROUNDING 1e-14

struct ts_admm_bodies {
    const ts_scaled* system;
    ts_arena* arena;
    ts_velocity_form* form;
    int analysed;                // whether a factor has been asked for
    ts_velocity_factor* factor;  // NULL before, and when it would be too large
    int factorised;              // for the present shift
    double product_work;         // multiply-adds of a product with the operator
    double spent;                // beyond what solving with a factor would have cost, since the shift changed
    double* T;                   // (rows)
    double* inverse;             // of the diagonal blocks of G + T, one after another
    double* lambda;              // (rows)
    double* r;                   // (rows) residual
    double* p;                   // (rows) direction
    double* product;             // (rows) (G + T) p
};

static size_t factor_most(const ts_velocity_form* form) {
    size_t most = (size_t)NUMBERS_PER_COLUMN * (size_t)form->velocity_count;
    return most < (size_t)TS_SCALED_LARGEST_FACTOR ? most : (size_t)TS_SCALED_LARGEST_FACTOR;
}

static size_t diagonal_numbers(const ts_contact_problem* problem) {
    size_t numbers = 0;
    for (int b = 0; b < problem->block_count; ++b) numbers += (size_t)(problem->block[b].rows * problem->block[b].rows);
    return numbers;
}

ts_admm_bodies* ts_admm_bodies_make(const ts_scaled* system, ts_arena* arena) {
    const ts_contact_problem* problem = system->problem;
    ts_admm_bodies* q = (ts_admm_bodies*)ts_arena_alloc_zeroed(arena, 1, sizeof(*q));
    ts_velocity_form* form = ts_velocity_form_of(problem->delassus);
    if (!q || !form) return NULL;
    q->system = system;
    q->form = form;
    q->inverse = TS_ARENA_ARRAY(arena, double, diagonal_numbers(problem));
    double** vector[] = {&q->T, &q->lambda, &q->r, &q->p, &q->product};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); ++i) {
        *vector[i] = TS_ARENA_ARRAY(arena, double, system->rows);
        if (!*vector[i] || !q->inverse) return NULL;
    }
    for (int b = 0; b < problem->block_count; ++b)
        for (int s = form->segment_start[b]; s < form->segment_start[b + 1]; ++s)
            q->product_work += 2.0 * problem->block[b].rows * form->segment[s].count;
    q->arena = arena;
    return q;
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

int ts_admm_bodies_shift(ts_admm_bodies* q, double shift) {
    const ts_contact_problem* problem = q->system->problem;
    double* inverse = q->inverse;
    q->factorised = 0;
    q->spent = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        double s = q->system->scale[b];
        int rows = block->rows;
        memcpy(inverse, problem->delassus->ops->diagonal(problem->delassus, b), (size_t)(rows * rows) * sizeof(double));
        for (int r = 0; r < rows; ++r) {
            // Blocks that nothing moves have rows of zeros: any shift does.
            double T = s > 0.0 ? shift / (s * s) + (problem->R ? problem->R[block->row + r] : 0.0) : 1.0;
            q->T[block->row + r] = T;
            inverse[r * rows + r] += T;
        }
        if (!invert(inverse, rows)) return 0;
        inverse += rows * rows;
    }
    return 1;
}

// out = (G + T) x.
static void multiply(ts_admm_bodies* q, const double* x, double* out) {
    ts_delassus* G = &q->form->base;
    G->ops->apply(G, x, out);
    for (int i = 0; i < q->system->rows; ++i) out[i] += q->T[i] * x[i];
}

// The largest residual in the units of the solve.
static double residual_of(const ts_admm_bodies* q, const double* r) {
    const ts_contact_problem* problem = q->system->problem;
    double largest = 0.0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int i = problem->block[b].row; i < problem->block[b].row + problem->block[b].rows; ++i) {
            double size = fabs(r[i]) * q->system->scale[b];
            if (!(size <= largest)) largest = size;
        }
    return largest;
}

// z = D^-1 r with the diagonal blocks D; returns r . z.
static double precondition(const ts_admm_bodies* q, const double* r, double* z) {
    const ts_contact_problem* problem = q->system->problem;
    const double* inverse = q->inverse;
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int rows = problem->block[b].rows, row = problem->block[b].row;
        for (int i = 0; i < rows; ++i) {
            double value = 0.0;
            for (int j = 0; j < rows; ++j) value += inverse[i * rows + j] * r[row + j];
            z[row + i] = value;
            sum += value * r[row + i];
        }
        inverse += rows * rows;
    }
    return sum;
}

// Conjugate gradients on (G + T) lambda = r + (G + T) lambda from the residual in q->r. Returns the steps taken.
static int conjugate_gradients(ts_admm_bodies* q, double accuracy) {
    int n = q->system->rows, step = 0;
    double before = precondition(q, q->r, q->p);
    double size = residual_of(q, q->r);
    while (step < STEPS_MOST && size > accuracy && before > 0.0) {
        double curvature = 0.0;
        multiply(q, q->p, q->product);
        for (int i = 0; i < n; ++i) curvature += q->p[i] * q->product[i];
        ++step;
        if (!(curvature > 0.0) || !isfinite(curvature)) break;
        double along = before / curvature;
        for (int i = 0; i < n; ++i) {
            q->lambda[i] += along * q->p[i];
            q->r[i] -= along * q->product[i];
        }
        size = residual_of(q, q->r);
        double next = precondition(q, q->r, q->product), beta = next / before;
        for (int i = 0; i < n; ++i) q->p[i] = q->product[i] + beta * q->p[i];
        before = next;
    }
    return step;
}

// Analyses when more has been spent than that costs, and factorises when it is also more than a factor costs.
static void factorise_when_due(ts_admm_bodies* q) {
    double analysis = fmin(ANALYSIS_PRODUCTS, q->system->rows / ANALYSIS_ROWS);
    if (!q->analysed && q->spent > analysis * q->product_work) {
        ts_arena_scope scope = ts_arena_scope_begin(q->arena);
        q->analysed = 1;
        q->factor = ts_velocity_factor_make(q->form, q->arena, factor_most(q->form));
        if (!q->factor) ts_arena_scope_end(q->arena, scope);
    }
    if (!q->factor || q->spent < FACTOR_SPEED * ts_velocity_factor_work(q->factor)) return;
    q->factorised = ts_velocity_factor_update(q->factor, q->form, q->T) == TS_OK;
    if (!q->factorised) q->factor = NULL;
}

// From the guess in q->lambda. Returns 0 when the steps ran out; then no price of a factor is too high.
static int solve_in_steps(ts_admm_bodies* q, const double* right, double accuracy) {
    multiply(q, q->lambda, q->r);
    for (int i = 0; i < q->system->rows; ++i) q->r[i] = right[i] - q->r[i];
    int steps = conjugate_gradients(q, accuracy);
    double direct = q->factor ? q->product_work + ts_velocity_factor_solve_work(q->factor) : 0.0;
    q->spent = steps == STEPS_MOST ? HUGE_VAL : q->spent + fmax(0.0, (1.0 + steps) * q->product_work - direct);
    return steps < STEPS_MOST;
}

void ts_admm_bodies_solve(ts_admm_bodies* q, const double* guess, double accuracy, double* x) {
    const ts_contact_problem* problem = q->system->problem;
    const double* scale = q->system->scale;
    int n = q->system->rows;
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(x[i]));
    for (int b = 0; b < problem->block_count; ++b)
        for (int i = problem->block[b].row; i < problem->block[b].row + problem->block[b].rows; ++i) {
            if (scale[b] > 0.0) x[i] /= scale[b];
            q->lambda[i] = scale[b] * guess[i];
        }
    if (!q->factorised) factorise_when_due(q);
    if (!q->factorised && !solve_in_steps(q, x, fmax(accuracy, ROUNDING * size))) factorise_when_due(q);
    if (q->factorised) {
        memcpy(q->lambda, x, (size_t)n * sizeof(double));
        ts_velocity_factor_solve(q->factor, q->form, q->lambda);
    }
    for (int b = 0; b < problem->block_count; ++b)
        for (int i = problem->block[b].row; i < problem->block[b].row + problem->block[b].rows; ++i)
            x[i] = scale[b] > 0.0 ? q->lambda[i] / scale[b] : x[i];
}
