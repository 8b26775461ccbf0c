// A problem in other units: scaling, products, judgement.
//
// Problem: solvers that factorise want numbers of one size. Rule: x = lambda / s, G -> s G s + s R s per pair of blocks,
// g -> s g. One factor per block keeps cones round. Guaranteed: judgement happens in the units of the problem, on an
// admissible impulse, by contact/judge/residual.c.
#include "contact/solvers/newton/scaled_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"

// --- products --------------------------------------------------------------------------------------------------------

void ts_scaled_load(const ts_scaled* q, const double* x) {
    if (q->A.start) return;
    for (int i = 0; i < q->rows; ++i) q->work[i] = q->A.scale[i] * x[i];
    q->A.G->ops->set_impulse(q->A.G, q->work);
}

void ts_scaled_read(const ts_scaled* q, int b, const double* x, double* out_product, double* out_diagonal) {
    const ts_block* block = &q->problem->block[b];
    double s = q->scale[b];
    int rows = block->rows, ld;
    if (q->A.start) {
        const double* D = ts_linear_matrix_diagonal(&q->A, b, &ld);
        for (int r = 0; r < rows; ++r) memcpy(out_diagonal + r * rows, D + r * ld, (size_t)rows * sizeof(double));
        ts_linear_matrix_rows(&q->A, b, x, out_product);
        return;
    }
    const double* D = q->A.G->ops->diagonal(q->A.G, b);
    for (int i = 0; i < rows * rows; ++i) out_diagonal[i] = s * s * D[i];
    q->A.G->ops->velocity(q->A.G, b, out_product);
    for (int r = 0; r < rows; ++r) {
        double shift = q->A.shift ? q->A.shift[block->row + r] : 0.0;
        out_product[r] = s * out_product[r] + shift * x[block->row + r];
        out_diagonal[r * rows + r] += shift;
    }
}

void ts_scaled_change(const ts_scaled* q, int b, const double* change) {
    double delta[TS_BLOCK_ROWS_MAX];
    if (q->A.start) return;
    for (int r = 0; r < q->problem->block[b].rows; ++r) delta[r] = q->scale[b] * change[r];
    q->A.G->ops->add_impulse(q->A.G, b, delta);
}

void ts_scaled_velocity(const ts_scaled* q, const double* x, double* u) {
    ts_linear_matrix_apply(&q->A, x, u);
    for (int i = 0; i < q->rows; ++i) u[i] += q->g[i];
}

double ts_scaled_rounding(const ts_scaled* q, const double* x) {
    double sum = 0.0;
    // Without numbers their part is left out, and less is called rounding.
    ts_linear_matrix_sizes(&q->A, x, q->work);
    for (int i = 0; i < q->rows; ++i) {
        double size = fabs(q->g[i]) + fabs(x[i]) + q->work[i];
        sum += size * size;
    }
    return DBL_EPSILON * sqrt(sum);
}

// --- judgement -------------------------------------------------------------------------------------------------------

void ts_scaled_judge(const ts_scaled* q, const double* x, double* trial, double* u, double* impulse,
                     ts_residual* out_residual) {
    for (int b = 0; b < q->blocks; ++b) {
        int row = q->problem->block[b].row;
        ts_block_set_project(&q->block[b], x + row, trial + row);
    }
    ts_scaled_velocity(q, trial, u);
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->problem->block[b];
        double s = q->scale[b];
        for (int r = block->row; r < block->row + block->rows; ++r) {
            impulse[r] = s > 0.0 ? s * trial[r] : 0.0;
            u[r] = s > 0.0 ? u[r] / s : q->problem->g[r];
        }
        // Scaling back rounds; an end of an interval is meant exactly.
        if (block->set == TS_SET_BOX) ts_block_set_project(block, impulse + block->row, impulse + block->row);
    }
    ts_residual_from_velocity(q->problem, impulse, u, out_residual);
}

// Internal forces this many times larger than the impulses that the problem asks for are still taken at face value.
#define LARGE_IMPULSE 1e4

double ts_scaled_measure(const ts_contact_problem* problem, const double* impulse, double natural, double rest) {
    double largest = 0.0;
    for (int i = 0; i < problem->row_count; ++i) largest = fmax(largest, fabs(impulse[i]));
    return largest > LARGE_IMPULSE * rest && rest > 0.0 ? natural * (largest / (LARGE_IMPULSE * rest)) : natural;
}

double ts_scaled_rest_impulse(const ts_contact_problem* problem) {
    double largest = 0.0, sum = 0.0;
    int moved = 0;
    for (int i = 0; i < problem->row_count; ++i) largest = fmax(largest, fabs(problem->g[i]));
    for (int b = 0; b < problem->block_count; ++b) {
        double k = ts_contact_problem_stiffness(problem, b);
        if (!(k > 0.0)) continue;
        sum += 1.0 / k;
        ++moved;
    }
    return moved > 0 ? largest * sum / moved : 0.0;
}

// --- scaling ---------------------------------------------------------------------------------------------------------

// The blocks' factors, sets and g, and of every row what the matrix is scaled by and what is added to its diagonal.
static int scale_blocks(ts_scaled* q, ts_scaled_units units, double* row_scale, double* row_shift) {
    const ts_contact_problem* problem = q->problem;
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &problem->block[b];
        double k = ts_contact_problem_stiffness(problem, b), s = k > 0.0 ? 1.0 / sqrt(k) : 0.0;
        if (!isfinite(k)) return 0;
        if (units == TS_SCALED_AS_GIVEN && s > 0.0) s = 1.0;
        q->block[b] = ts_block_set_in_units(block, s > 0.0 ? s : 1.0);
        q->scale[b] = s;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            q->g[r] = s * problem->g[r];
            row_scale[r] = s;
            if (row_shift) row_shift[r] = problem->R[r] * s * s;
        }
    }
    return 1;
}

int ts_scaled_make(const ts_contact_problem* problem, ts_scaled_units units, ts_scaled_need need, ts_arena* arena,
                   ts_scaled* q) {
    int n = problem->row_count;
    memset(q, 0, sizeof(*q));
    q->problem = problem;
    q->rows = n;
    q->blocks = problem->block_count;
    q->rest = ts_scaled_rest_impulse(problem);
    q->g = TS_ARENA_ARRAY(arena, double, n);
    q->work = TS_ARENA_ARRAY(arena, double, n);
    q->block = TS_ARENA_ARRAY(arena, ts_block, q->blocks);
    q->scale = TS_ARENA_ARRAY(arena, double, q->blocks);
    double* row_scale = TS_ARENA_ARRAY(arena, double, n);
    double* row_shift = problem->R ? TS_ARENA_ARRAY(arena, double, n) : NULL;
    if (!q->g || !q->work || !q->block || !q->scale || !row_scale || (problem->R && !row_shift)) return 0;
    if (!scale_blocks(q, units, row_scale, row_shift)) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    if (need != TS_SCALED_PRODUCTS && ts_linear_matrix_make(problem->delassus, row_scale, row_shift, arena, &q->A))
        return 1;
    ts_arena_scope_end(arena, scope);
    if (need == TS_SCALED_NUMBERS || arena->failed) return 0;
    return ts_linear_matrix_make_products(problem->delassus, row_scale, row_shift, arena, &q->A);
}
