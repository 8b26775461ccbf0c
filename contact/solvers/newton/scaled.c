// The scaled system: listing, scaling, products, projections, judgement.
//
// Problem: solvers that factorise want G by blocks, and numbers of one size. Rule: x = lambda / s, G -> s G s + s R s
// per pair of blocks, g -> s g. One factor per block keeps cones round. Guaranteed: judgement happens in the units of
// the problem, on an admissible impulse, by contact/judge/residual.c. Known limit: matrices up to TS_SCALED_LARGEST_MATRIX
// numbers; beyond, products go through the operator where that is the velocity form.
#include "contact/solvers/newton/scaled_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/block_set_internal.h"

// Three rows; sums stay in registers.
static void product_three(const ts_scaled* q, int b, const double* x, double* out) {
    const ts_block* block = q->problem->block;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int e = q->G.start[b]; e < q->G.start[b + 1]; ++e) {
        const ts_block* other = &block[q->G.column[e]];
        const double *A = q->value + q->G.at[e], *y = x + other->row;
        if (other->rows == 3) {
            double y0 = y[0], y1 = y[1], y2 = y[2];
            s0 += A[0] * y0 + A[1] * y1 + A[2] * y2;
            s1 += A[3] * y0 + A[4] * y1 + A[5] * y2;
            s2 += A[6] * y0 + A[7] * y1 + A[8] * y2;
            continue;
        }
        for (int c = 0, n = other->rows; c < n; ++c) {
            s0 += A[c] * y[c];
            s1 += A[n + c] * y[c];
            s2 += A[2 * n + c] * y[c];
        }
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
}

void ts_scaled_product(const ts_scaled* q, int b, const double* x, double* out) {
    const ts_block* block = q->problem->block;
    int rows = block[b].rows;
    if (rows == 3) {
        product_three(q, b, x, out);
        return;
    }
    for (int r = 0; r < rows; ++r) out[r] = 0.0;
    for (int e = q->G.start[b]; e < q->G.start[b + 1]; ++e) {
        const ts_block* other = &block[q->G.column[e]];
        const double *A = q->value + q->G.at[e], *y = x + other->row;
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < other->rows; ++c) out[r] += A[r * other->rows + c] * y[c];
    }
}

// Diagonal compliance of a row, scaled.
static double shift_of(const ts_scaled* q, int row) { return q->row_shift ? q->row_shift[row] : 0.0; }

void ts_scaled_load(const ts_scaled* q, const double* x) {
    if (q->value) return;
    for (int i = 0; i < q->rows; ++i) q->work[i] = q->row_scale[i] * x[i];
    q->problem->delassus->ops->set_impulse(q->problem->delassus, q->work);
}

void ts_scaled_read(const ts_scaled* q, int b, const double* x, double* out_product, double* out_diagonal) {
    ts_delassus* G = q->problem->delassus;
    const ts_block* block = &q->problem->block[b];
    double s = q->scale[b];
    size_t numbers = (size_t)block->rows * (size_t)block->rows;
    if (q->value) {
        int e = q->G.start[b];
        while (q->G.column[e] != b) ++e;
        memcpy(out_diagonal, q->value + q->G.at[e], numbers * sizeof(double));
        ts_scaled_product(q, b, x, out_product);
        return;
    }
    const double* D = G->ops->diagonal(G, b);
    for (size_t i = 0; i < numbers; ++i) out_diagonal[i] = s * s * D[i];
    G->ops->velocity(G, b, out_product);
    for (int r = 0; r < block->rows; ++r) {
        double shift = shift_of(q, block->row + r);
        out_product[r] = s * out_product[r] + shift * x[block->row + r];
        out_diagonal[r * block->rows + r] += shift;
    }
}

void ts_scaled_change(const ts_scaled* q, int b, const double* change) {
    double delta[TS_BLOCK_ROWS_MAX];
    if (q->value) return;
    for (int r = 0; r < q->problem->block[b].rows; ++r) delta[r] = q->scale[b] * change[r];
    q->problem->delassus->ops->add_impulse(q->problem->delassus, b, delta);
}

void ts_scaled_velocity(const ts_scaled* q, const double* x, double* u) {
    if (!q->value) {
        for (int i = 0; i < q->rows; ++i) q->work[i] = q->row_scale[i] * x[i];
        q->problem->delassus->ops->apply(q->problem->delassus, q->work, u);
        for (int i = 0; i < q->rows; ++i) u[i] = q->row_scale[i] * u[i] + shift_of(q, i) * x[i] + q->g[i];
        return;
    }
    for (int b = 0; b < q->blocks; ++b) {
        int row = q->problem->block[b].row;
        ts_scaled_product(q, b, x, u + row);
        for (int r = row; r < row + q->problem->block[b].rows; ++r) u[r] += q->g[r];
    }
}

double ts_scaled_rounding(const ts_scaled* q, const double* x) {
    double sum = 0.0;
    for (int b = 0; b < q->blocks; ++b) {
        const ts_block* block = &q->problem->block[b];
        for (int r = 0; r < block->rows; ++r) {
            double size = fabs(q->g[block->row + r]) + fabs(x[block->row + r]);
            // Without a matrix its part is left out, and less is called rounding.
            for (int e = q->value ? q->G.start[b] : 0; q->value && e < q->G.start[b + 1]; ++e) {
                const ts_block* other = &q->problem->block[q->G.column[e]];
                const double* A = q->value + q->G.at[e] + r * other->rows;
                for (int c = 0; c < other->rows; ++c) size += fabs(A[c] * x[other->row + c]);
            }
            sum += size * size;
        }
    }
    return DBL_EPSILON * sqrt(sum);
}

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

// Everything but the matrix.
static int scale_rows(const ts_contact_problem* problem, ts_arena* arena, ts_scaled* q) {
    int n = problem->row_count, blocks = problem->block_count;
    memset(q, 0, sizeof(*q));
    q->problem = problem;
    q->rows = n;
    q->blocks = blocks;
    q->rest = ts_scaled_rest_impulse(problem);
    q->g = TS_ARENA_ARRAY(arena, double, n);
    q->block = TS_ARENA_ARRAY(arena, ts_block, blocks);
    q->scale = TS_ARENA_ARRAY(arena, double, blocks);
    q->row_scale = TS_ARENA_ARRAY(arena, double, n);
    q->row_shift = problem->R ? TS_ARENA_ARRAY(arena, double, n) : NULL;
    if (!q->g || !q->block || !q->scale || !q->row_scale || (problem->R && !q->row_shift)) return 0;
    for (int b = 0; b < blocks; ++b) {
        const ts_block* block = &problem->block[b];
        double k = ts_contact_problem_stiffness(problem, b), s = k > 0.0 ? 1.0 / sqrt(k) : 0.0;
        if (!isfinite(k)) return 0;
        q->block[b] = ts_block_set_in_units(block, s);
        q->scale[b] = s;
        for (int r = block->row; r < block->row + block->rows; ++r) {
            q->g[r] = s * problem->g[r];
            q->row_scale[r] = s;
            if (problem->R) q->row_shift[r] = problem->R[r] * s * s;
        }
    }
    return 1;
}

// The matrix. Returns 0 when it is too large or memory is short.
static int scale_matrix(ts_arena* arena, ts_scaled* q) {
    const ts_contact_problem* problem = q->problem;
    int blocks = problem->block_count;
    const ts_delassus_ops* ops = problem->delassus->ops;
    if (!(ops->abilities & TS_DELASSUS_BLOCKS)) return 0;
    if (!ops->blocks(problem->delassus, arena, TS_SCALED_LARGEST_MATRIX, &q->G)) return 0;
    size_t numbers = 0;
    for (int b = 0; b < blocks; ++b)
        for (int e = q->G.start[b]; e < q->G.start[b + 1]; ++e)
            numbers += (size_t)problem->block[b].rows * (size_t)problem->block[q->G.column[e]].rows;
    q->value = TS_ARENA_ARRAY(arena, double, numbers);
    if (!q->value) return 0;
    for (int b = 0; b < blocks; ++b) {
        const ts_block* block = &problem->block[b];
        double s = q->scale[b];
        for (int e = q->G.start[b]; e < q->G.start[b + 1]; ++e) {
            int other = q->G.column[e], columns = problem->block[other].rows;
            double* to = q->value + q->G.at[e];
            const double* from = q->G.value + q->G.at[e];
            for (int i = 0; i < block->rows * columns; ++i) to[i] = from[i] * s * q->scale[other];
            for (int r = 0; r < block->rows && other == b && problem->R; ++r)
                to[r * columns + r] += problem->R[block->row + r] * s * s;
        }
    }
    return 1;
}

int ts_scaled_make(const ts_contact_problem* problem, ts_arena* arena, ts_scaled* q) {
    return scale_rows(problem, arena, q) && scale_matrix(arena, q);
}

int ts_scaled_make_products(const ts_contact_problem* problem, ts_arena* arena, ts_scaled* q) {
    if (!scale_rows(problem, arena, q)) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(arena);
    if (scale_matrix(arena, q)) return 1;
    ts_arena_scope_end(arena, scope);
    memset(&q->G, 0, sizeof(q->G));
    q->value = NULL;
    if (arena->failed || !ts_delassus_velocity_change(problem->delassus)) return 0;
    q->work = TS_ARENA_ARRAY(arena, double, q->rows);
    return q->work != NULL;
}

ts_newton_matrix ts_scaled_newton_matrix(const ts_scaled* q) {
    ts_newton_matrix A = {q->problem, q->value ? &q->G : NULL, q->value, q->row_scale, q->row_shift};
    return A;
}
