// The compliance that a solver gives rows by the size of their own G: how it answers to positions.
//
// Problem: `sap` makes no row of a block harder than a share of |G_bb|, the Frobenius norm of the block's own part D of G, and gives friction another share of it
// (contact/solvers/newton/sap.c); D goes with the pose, with masses and with what is taken ahead. Rule: such an R is in proportion to |D|, so with D = C C^T by
// Cholesky
//     dR = R d|D| / |D| = R / |D|^2 sum_ij D_ij dD_ij = R / |D|^2 sum_k c_k^T dD c_k,
// and c_k^T D c_k is G of one row, a combination of the block's: its slopes are those of leverage (step_leverage.c).
// Source: derived here. Guaranteed: exact up to rounding. Not known here: what other solvers give (`mujoco` where the model has no softness), and where the model's softness is in force as well.
#include "engine/derivative/step_softening_internal.h"

#include <math.h>
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/rows/row_plan_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/rows/soft_contact_internal.h"

// D (rows x rows), from whitened rows.
static void own_block(const ts_sim* sim, int b, double D[TS_BLOCK_ROWS_MAX][TS_BLOCK_ROWS_MAX]) {
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    int rows = sim->problem.block[b].rows;
    memset(D, 0, TS_BLOCK_ROWS_MAX * sizeof *D);
    for (int s = plan->segment_start[b]; s < plan->segment_start[b + 1]; ++s) {
        const ts_delassus_segment* g = &plan->segment[s];
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j)
                for (int k = 0; k < g->count; ++k) D[i][j] += g->J[i * g->count + k] * g->J[j * g->count + k];
    }
}

// along[k] = column k of C, of those that are something.
static void split(int rows, double D[TS_BLOCK_ROWS_MAX][TS_BLOCK_ROWS_MAX], ts_step_softening* out) {
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) largest = fmax(largest, D[i][i]);
    for (int k = 0; k < rows; ++k) {
        double pivot = D[k][k];
        if (!(pivot > 1e-14 * largest)) continue;
        double* column = out->along[out->count++];
        memset(column, 0, (size_t)rows * sizeof *column);
        for (int i = k; i < rows; ++i) column[i] = D[i][k] / sqrt(pivot);
        for (int i = k; i < rows; ++i)
            for (int j = k; j < rows; ++j) D[i][j] -= column[i] * column[j];
    }
}

int ts_step_softening_find(const ts_sim* sim, const ts_step_implicit* p, int b, ts_step_softening* out) {
    double D[TS_BLOCK_ROWS_MAX][TS_BLOCK_ROWS_MAX], squared = 0.0;
    const ts_block* block = &sim->problem.block[b];
    out->count = 0;
    memset(out->rate, 0, sizeof out->rate);
    if (!ts_step_block_is_softened(sim, p, b)) return 1;
    if (strcmp(sim->solver->name, "sap") != 0 || ts_soft_contact_kind(sim) == TS_SOFT_CONTACT_MODEL) return 0;
    own_block(sim, b, D);
    for (int i = 0; i < block->rows; ++i)
        for (int j = 0; j < block->rows; ++j) squared += D[i][j] * D[i][j];
    // Nothing moves it: it has the compliance of such rows.
    if (!(squared > 0.0)) return 1;
    for (int r = 0; r < block->rows; ++r) {
        double given = sim->problem.R ? sim->problem.R[block->row + r] : 0.0, own = p->own_R[block->row + r];
        if (own != given) out->rate[r] = own / squared;
    }
    split(block->rows, D, out);
    return 1;
}

// Whether J of a block of one row is the same in every pose.
static int is_constant(const ts_sim* sim, int b) {
    int whole = (int)sim->row_block[b].key.whole;
    if (ts_row_is(sim, b, &ts_row_joint_limit)) return sim->model->joint[whole].type != TS_JOINT_BALL;
    if (ts_row_is(sim, b, &ts_row_tendon_limit) || ts_row_is(sim, b, &ts_row_tendon_friction))
        return ts_step_tendon_is_sum(sim->model, whole);
    return ts_row_is(sim, b, &ts_row_joint_friction) || ts_row_is(sim, b, &ts_row_servo);
}

int ts_step_softening_add(const ts_step_task* task, ts_step_implicit* p, int b, const ts_step_softening* softening) {
    ts_sim* sim = task->sim;
    const ts_model* model = sim->model;
    const ts_row_plan* plan = ts_sim_storage_of(sim)->row_plan;
    ts_step_block_slope* slope = &p->block[b];
    ts_step_leverage l;
    if (!is_constant(sim, b)) return 0;
    int* dof = TS_ARENA_ARRAY(task->arena, int, model->nv);
    double* by = (double*)ts_arena_alloc_zeroed(task->arena, 2 * (size_t)model->nv, sizeof(double));
    if (!dof || !by) return 0;
    ts_arena_scope scope = ts_arena_scope_begin(&sim->scratch);
    int fine =
        ts_step_leverage_take(sim, p, &sim->scratch, &l) && ts_step_leverage_find(sim, p, b, softening->along[0], &l);
    double *by_q = by, *by_v = by + model->nv;
    double weight = softening->rate[0] * sim->impulse[sim->problem.block[b].row];
    int count = 0;
    for (int s = plan->segment_start[b], seen = -1; fine && s < plan->segment_start[b + 1]; ++s) {
        int t = model->dof[plan->segment[s].column].tree, first = model->tree[t].dof_first;
        // Segments of a tree lie together.
        if (t == seen) continue;
        seen = t;
        for (int d = first; d < first + model->tree[t].dof_count; ++d, ++count) {
            dof[count] = d;
            by_q[count] = weight * l.slope[d];
            by_v[count] = weight * l.by_v[d];
            for (int k = 0; k < slope->count; ++k) {
                if (slope->dof[k] != d) continue;
                by_q[count] += slope->by_q[k];
                if (slope->by_v) by_v[count] += slope->by_v[k];
            }
        }
    }
    ts_arena_scope_end(&sim->scratch, scope);
    const ts_block* block = &sim->problem.block[b];
    if (fine) *slope = (ts_step_block_slope){block->row, 1, count, dof, by_q, slope->force, by_v};
    return fine;
}
