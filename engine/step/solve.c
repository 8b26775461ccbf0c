// The solve stage: hands the problem to the chosen solver, and turns its answer back into velocities.
//
// Bodies that do not touch, directly or through others, are solved apart (contact/island.h), on all threads at once. Where
// everything moves in one tree there is nothing to take apart, and a small scene is spared the question.
//
// Whatever operator the solver worked on, the new velocity is computed afresh from the returned impulse through the
// velocity form: v+ = v_f + L^-1 w, w = sum of the whitened rows times impulses. So the velocity belongs to the impulse
// that is reported, to rounding, and not to some intermediate iterate.
#include <string.h>

#include "engine/dynamics/dynamics_internal.h"
#include "engine/rows/row_source_internal.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"

// New generalised velocities, from the impulse that the velocity form carries.
static void take_velocity(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memcpy(storage->new_velocity, ts_delassus_velocity_change(sim->problem.delassus),
           (size_t)model->nv * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t) {
        double* change = storage->new_velocity + model->tree[t].dof_first;
        const double* free_velocity = sim->free_velocity + model->tree[t].dof_first;
        ts_dynamics_unwhiten(sim, t, change);
        for (int d = 0; d < model->tree[t].dof_count; ++d) change[d] += free_velocity[d];
    }
}

// Tells the sources what became of their blocks, whose rows have these velocities now.
static void answer_sources(ts_sim* sim, const double* velocity) {
    const ts_row_source* source = NULL;
    for (int b = 0; b < sim->problem.block_count; ++b) {
        // Blocks of a source lie together.
        if (b == 0 || sim->row_block[b].source != sim->row_block[b - 1].source)
            source = ts_row_source_at(sim->row_block[b].source);
        int row = sim->problem.block[b].row;
        if (source->answer) source->answer(sim, b, velocity + row, sim->impulse + row);
    }
}

// Row velocities are wanted by sources, as J v+ = u + c*, and by the residual, as u + R lambda: they are computed once.
// Returns 0 when memory is short.
static int judge(ts_sim* sim) {
    const ts_contact_problem* problem = &sim->problem;
    const double* reference = ts_sim_storage_of(sim)->reference;
    double* u = TS_ARENA_ARRAY(&sim->scratch, double, problem->row_count);
    double* velocity = TS_ARENA_ARRAY(&sim->scratch, double, problem->row_count);
    if (!u || !velocity) return 0;
    ts_delassus* G = problem->delassus;
    G->ops->set_impulse(G, sim->impulse);
    for (int b = 0; b < problem->block_count; ++b) G->ops->velocity(G, b, u + problem->block[b].row);
    for (int i = 0; i < problem->row_count; ++i) {
        u[i] += problem->g[i];
        velocity[i] = u[i] + reference[i];
    }
    answer_sources(sim, velocity);
    for (int i = 0; problem->R && i < problem->row_count; ++i) u[i] += problem->R[i] * sim->impulse[i];
    ts_residual_from_velocity(problem, sim->impulse, u, &sim->info.residual);
    return 1;
}

// Solves by islands. Returns 0 when memory was short.
static int solve(ts_sim* sim) {
    ts_arena* scratch = ts_sim_storage_of(sim)->solve_scratch;
    ts_island_report* islands = &sim->info.islands;
    int workers = ts_task_pool_workers(sim->tasks), enough = 1;
    for (int w = 0; w < workers; ++w) ts_arena_reset(&scratch[w]);
    if (sim->model->tree_count == 1) {
        sim->info.solve = sim->solver->solve(&sim->problem, sim->solver_settings, scratch, sim->impulse);
        islands->islands = 1;
        islands->largest = sim->problem.block_count;
        islands->not_converged = sim->info.solve.status != TS_SOLVE_CONVERGED;
    } else {
        sim->info.solve = ts_island_solve(sim->solver, &sim->problem, sim->solver_settings, sim->tasks, scratch,
                                          sim->impulse, islands);
    }
    for (int w = 0; w < workers; ++w) enough = enough && !scratch[w].failed;
    return enough;
}

ts_code ts_step_solve(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memset(&sim->info.solve, 0, sizeof sim->info.solve);
    memset(&sim->info.residual, 0, sizeof sim->info.residual);
    memset(&sim->info.islands, 0, sizeof sim->info.islands);
    if (sim->problem.row_count == 0) {
        sim->info.solve.status = TS_SOLVE_CONVERGED;
        memcpy(storage->new_velocity, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
        return TS_OK;
    }
    if (!solve(sim)) return TS_ERROR_MEMORY;
    if (!judge(sim)) return TS_ERROR_MEMORY;
    take_velocity(sim);
    return sim->scratch.failed ? TS_ERROR_MEMORY : TS_OK;
}
