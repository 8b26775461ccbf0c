// A contact problem in other units: scaling, products, judgement.
//
// Problem: solvers that factorise want numbers of one size. Rule: x = lambda / s, G -> s G s, R -> s R s, g -> s g, and sets
// in units of s. One factor for the tangent rows of a block keeps cones round, with slope mu s_N / s_T. Guaranteed:
// judgement happens in the units of the problem, on an admissible impulse, by contact/judge/residual.c.
#include "contact/rescaled_problem_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"
#include "contact/trace.h"

// --- scaling ---------------------------------------------------------------------------------------------------------

// s of every row, and what is added to the diagonal of the matrix. Returns 0 when a number is not finite.
static int choose_units(const ts_contact_problem* problem, ts_problem_units units, double* scale, double* shift) {
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        double k = units == TS_UNITS_COMPLIANCE ? 1.0 : ts_contact_problem_stiffness(problem, b);
        double s = k > 0.0 && units == TS_UNITS_STIFFNESS ? 1.0 / sqrt(k) : (k > 0.0 ? 1.0 : 0.0);
        for (int r = block->row; r < block->row + block->rows; ++r) {
            scale[r] = units == TS_UNITS_COMPLIANCE ? 1.0 / sqrt(problem->R[r]) : s;
            if (shift) shift[r] = problem->R[r] * s * s;
            sum += 0.0 * (k + scale[r] * problem->g[r]);
        }
    }
    return sum == 0.0;
}

int ts_rescaled_problem_make(const ts_contact_problem* problem, ts_problem_units units, ts_matrix_need need,
                             ts_arena* arena, ts_rescaled_problem* q) {
    int n = problem->row_count, shifted = problem->R && units != TS_UNITS_COMPLIANCE;
    memset(q, 0, sizeof(*q));
    q->problem = problem;
    q->rows = n;
    q->blocks = problem->block_count;
    q->g = TS_ARENA_ARRAY(arena, double, n);
    q->work = TS_ARENA_ARRAY(arena, double, n);
    q->block = TS_ARENA_ARRAY(arena, ts_block, q->blocks);
    double* scale = TS_ARENA_ARRAY(arena, double, n);
    double* shift = shifted ? TS_ARENA_ARRAY(arena, double, n) : NULL;
    if (!q->g || !q->work || !q->block || !scale || (shifted && !shift)) return 0;
    if (!choose_units(problem, units, scale, shift)) return 0;
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &problem->block[b];
        const double* s = scale + block->row;
        q->block[b] = s[0] > 0.0 ? ts_block_set_in_units(block, s[block->set == TS_SET_CONE ? 2 : 0], s[0]) : *block;
    }
    for (int i = 0; i < n; ++i) q->g[i] = scale[i] * problem->g[i];
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    if (need != TS_MATRIX_PRODUCTS && ts_linear_matrix_make(problem->delassus, scale, shift, arena, &q->A)) return 1;
    ts_arena_scope_end(arena, scope);
    if (need == TS_MATRIX_NUMBERS || arena->failed) return 0;
    return ts_linear_matrix_make_products(problem->delassus, scale, shift, arena, &q->A);
}

void ts_rescaled_problem_enter(const ts_rescaled_problem* q, const double* impulse, double* out_x) {
    const double* s = q->A.scale;
    for (int i = 0; i < q->rows; ++i) out_x[i] = s[i] > 0.0 && isfinite(impulse[i]) ? impulse[i] / s[i] : 0.0;
}

void ts_rescaled_problem_leave(const ts_rescaled_problem* q, const double* x, double* out_impulse) {
    for (int i = 0; i < q->rows; ++i) out_impulse[i] = q->A.scale[i] * x[i];
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->problem->block[b];
        double* impulse = out_impulse + block->row;
        if (!(ts_rescaled_problem_unit(q, b) > 0.0))
            ts_block_set_least(block, impulse);
        else if (block->set == TS_SET_BOX)
            // Scaling back rounds; an end of an interval is meant exactly.
            ts_block_set_project(block, impulse, impulse);
    }
}

// --- products --------------------------------------------------------------------------------------------------------

void ts_rescaled_problem_velocity(const ts_rescaled_problem* q, const double* x, double* u) {
    ts_linear_matrix_apply(&q->A, x, u);
    for (int i = 0; i < q->rows; ++i) u[i] += q->g[i];
}

double ts_rescaled_problem_rounding(const ts_rescaled_problem* q, const double* x) {
    double sum = 0.0;
    // Without numbers their part is left out, and less is called rounding.
    ts_linear_matrix_sizes(&q->A, x, q->work);
    for (int i = 0; i < q->rows; ++i) {
        double size = fabs(q->g[i]) + fabs(x[i]) + q->work[i];
        sum += size * size;
    }
    return DBL_EPSILON * sqrt(sum);
}

void ts_rescaled_problem_admit(const ts_rescaled_problem* q, const double* x, double* trial, double* out_impulse) {
    for (int b = 0; b < q->blocks; ++b) {
        int row = q->block[b].row;
        ts_block_set_project(&q->block[b], x + row, trial + row);
    }
    ts_rescaled_problem_leave(q, trial, out_impulse);
}

double ts_rescaled_problem_judge(const ts_rescaled_problem* q, const ts_yardstick* yardstick, const double* x,
                                 double* trial, double* u, double* out_impulse) {
    const double* s = q->A.scale;
    ts_rescaled_problem_admit(q, x, trial, out_impulse);
    ts_rescaled_problem_velocity(q, trial, u);
    for (int i = 0; i < q->rows; ++i) u[i] = s[i] > 0.0 ? u[i] / s[i] : q->problem->g[i];
    return ts_yardstick_excess(yardstick, out_impulse, u);
}

void ts_rescaled_problem_trace(const ts_rescaled_problem* q, const ts_yardstick* yardstick, int iteration,
                               const double* x) {
    const ts_trace* trace = yardstick->problem->trace;
    if (!trace || !trace->room) return;
    double* impulse = trace->room + q->rows;
    ts_rescaled_problem_admit(q, x, trace->room, impulse);
    ts_trace_note(yardstick, iteration, impulse);
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

void ts_rescaled_problem_load(const ts_rescaled_problem* q, const double* x) {
    if (q->A.start) return;
    for (int i = 0; i < q->rows; ++i) q->work[i] = q->A.scale[i] * x[i];
    q->A.G->ops->set_impulse(q->A.G, q->work);
}

void ts_rescaled_problem_read(const ts_rescaled_problem* q, int b, const double* x, double* out_product,
                              double* out_diagonal) {
    const ts_block* block = &q->block[b];
    const double *scale = q->A.scale + block->row, *shift = q->A.shift ? q->A.shift + block->row : NULL;
    int rows = block->rows, ld;
    if (q->A.start) {
        const double* D = ts_linear_matrix_diagonal(&q->A, b, &ld);
        for (int r = 0; r < rows; ++r) memcpy(out_diagonal + r * rows, D + r * ld, (size_t)rows * sizeof(double));
        ts_linear_matrix_rows(&q->A, b, x, out_product);
        return;
    }
    const double* D = q->A.G->ops->diagonal(q->A.G, b);
    q->A.G->ops->velocity(q->A.G, b, out_product);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < rows; ++c) out_diagonal[r * rows + c] = scale[r] * scale[c] * D[r * rows + c];
        out_diagonal[r * rows + r] += shift ? shift[r] : 0.0;
        out_product[r] = scale[r] * out_product[r] + (shift ? shift[r] * x[block->row + r] : 0.0);
    }
}

void ts_rescaled_problem_change(const ts_rescaled_problem* q, int b, const double* change) {
    const ts_block* block = &q->block[b];
    double delta[TS_BLOCK_ROWS_MAX];
    if (q->A.start) return;
    for (int r = 0; r < block->rows; ++r) delta[r] = q->A.scale[block->row + r] * change[r];
    q->A.G->ops->add_impulse(q->A.G, b, delta);
}
