// What a contact problem says of itself: whether it makes sense, velocities from impulses, stiffnesses.
#include "contact/problem.h"

#include <math.h>

#include "contact/operator/stiffness_internal.h"

static ts_code refuse(ts_status* out_status, int b, const char* reason) {
    return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "contact problem, block %d: %s", b, reason);
}

static const char* wrong_numbers(const ts_contact_problem* problem, int b) {
    const ts_block* block = &problem->block[b];
    for (int r = block->row; r < block->row + block->rows; ++r) {
        if (!isfinite(problem->g[r])) return "the free velocity g is not finite";
        if (problem->R && !(isfinite(problem->R[r]) && problem->R[r] >= 0.0))
            return "the compliance R must be finite and not negative";
    }
    if (problem->delassus->ops->abilities & TS_DELASSUS_ROWS) {
        const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
        for (int i = 0; i < block->rows * block->rows; ++i)
            if (!isfinite(D[i])) return "the operator's diagonal block is not finite";
        for (int i = 0; i < block->rows; ++i)
            if (D[i * block->rows + i] < 0.0) return "the operator's diagonal is negative";
    }
    return NULL;
}

ts_code ts_contact_problem_validate(const ts_contact_problem* problem, ts_status* out_status) {
    const ts_delassus* G = problem->delassus;
    if (problem->block_count < 0 || problem->row_count < 0 || !G || (problem->block_count > 0 && !problem->block) ||
        (problem->row_count > 0 && !problem->g))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "contact problem: missing or negative sizes");
    if (!isfinite(problem->time_step) || !(problem->time_step > 0.0))
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "contact problem: the time step must be > 0");
    if (G->block_count != problem->block_count || G->row_count != problem->row_count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0,
                             "contact problem: %d blocks and %d rows, but the operator has %d and %d",
                             problem->block_count, problem->row_count, G->block_count, G->row_count);
    int row = 0;
    for (int b = 0; b < problem->block_count; ++b) {
        const ts_block* block = &problem->block[b];
        const char* reason = ts_block_set_fault(block);
        if (reason) return refuse(out_status, b, reason);
        if (block->row != row || G->block_row[b] != row || G->block_row[b + 1] != row + block->rows)
            return refuse(out_status, b, "its rows do not follow the block before it, or differ from the operator's");
        row += block->rows;
        // The rows are inside the arrays only when they end by row_count; check before reading numbers.
        if (row > problem->row_count) return refuse(out_status, b, "its rows go beyond the problem's");
        reason = wrong_numbers(problem, b);
        if (reason) return refuse(out_status, b, reason);
    }
    if (row != problem->row_count)
        return ts_status_set(out_status, TS_ERROR_VALUE, NULL, 0, "contact problem: blocks cover %d of %d rows", row,
                             problem->row_count);
    return ts_status_ok(out_status);
}

void ts_contact_problem_velocity(const ts_contact_problem* problem, const double* impulse, double* out_u) {
    const double *g = problem->g, *R = problem->R;
    problem->delassus->ops->apply(problem->delassus, impulse, out_u);
    for (int i = 0; i < problem->row_count; ++i) out_u[i] += g[i] + (R ? R[i] * impulse[i] : 0.0);
}

void ts_contact_problem_block_velocity(const ts_contact_problem* problem, int b, const double* impulse, double* out_u) {
    const double *g = problem->g, *R = problem->R;
    int begin = problem->block[b].row, end = begin + problem->block[b].rows;
    problem->delassus->ops->velocity(problem->delassus, b, out_u + begin);
    for (int i = begin; i < end; ++i) out_u[i] += g[i] + (R ? R[i] * impulse[i] : 0.0);
}

double ts_contact_problem_stiffness(const ts_contact_problem* problem, int b) {
    const ts_block* block = &problem->block[b];
    const double* D = problem->delassus->ops->diagonal(problem->delassus, b);
    const double* R = problem->R ? problem->R + block->row : NULL;
    if (block->rows == 1) return fabs(D[0]) + (R ? R[0] : 0.0);
    if (block->rows > 3 && !R && problem->delassus->row_sum) return problem->delassus->row_sum[b];
    return ts_delassus_row_sum(block->rows, D, R);
}
