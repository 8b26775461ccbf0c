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
#include "engine/sim_internal.h"
#include "engine/step/integrate_internal.h"
#include "engine/step/judge_internal.h"
#include "engine/step/sleep_internal.h"
#include "engine/step/step.h"
#include "engine/step/yield_internal.h"

void ts_step_take_velocity(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memcpy(storage->new_velocity, ts_delassus_velocity_change(sim->problem.delassus),
           (size_t)model->nv * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t) {
        if (ts_sim_tree_sleeps(sim, t)) continue;
        double* change = storage->new_velocity + model->tree[t].dof_first;
        const double* free_velocity = sim->free_velocity + model->tree[t].dof_first;
        ts_dynamics_unwhiten(sim, t, change);
        for (int d = 0; d < model->tree[t].dof_count; ++d) change[d] += free_velocity[d];
    }
}

// Finds the islands, where there may be several. Returns 0 when memory was short.
static int find_islands(ts_sim* sim) {
    ts_islands* parts = &ts_sim_storage_of(sim)->islands;
    *parts = (ts_islands){1, NULL, NULL};
    if (sim->model->tree_count == 1) return 1;
    // Who sleeps was an island of its own: the others are cut out as they were then, to the bit.
    const ts_bed* bed = ts_sim_storage_of(sim)->bed;
    sim->problem.is_part = bed && bed->row.count > 0;
    if (sim->problem.block_count <= 1 && !sim->problem.is_part) return 1;
    return !ts_islands_find(&sim->problem, &sim->scratch, parts);
}

// Solves by islands. Returns 0 when memory was short.
static int solve(ts_sim* sim) {
    ts_arena* scratch = ts_sim_storage_of(sim)->solve_scratch;
    ts_island_report* islands = &sim->info.islands;
    int workers = ts_task_pool_workers(sim->tasks), enough = 1;
    for (int w = 0; w < workers; ++w) ts_arena_reset(&scratch[w]);
    if (sim->model->tree_count == 1) {
        sim->info.solve = ts_solver_solve(sim->solver, &sim->problem, sim->solver_settings, scratch, sim->impulse);
        islands->islands = 1;
        islands->largest = sim->problem.block_count;
        islands->not_converged = sim->info.solve.status != TS_SOLVE_CONVERGED;
    } else {
        sim->info.solve = ts_island_solve(sim->solver, &sim->problem, &ts_sim_storage_of(sim)->islands,
                                          sim->solver_settings, sim->tasks, scratch, sim->impulse, islands);
    }
    for (int w = 0; w < workers; ++w) enough = enough && !scratch[w].failed;
    return enough;
}

// Solves and judges once more, from nothing. Returns 0 when memory was short.
static int solve_again(ts_sim* sim) {
    memset(sim->impulse, 0, (size_t)sim->problem.row_count * sizeof(double));
    memset(&sim->info.islands, 0, sizeof sim->info.islands);
    return find_islands(sim) && solve(sim) && ts_step_judge(sim);
}

// Where demands contradict each other, solves without them; one fight may hide another, and to ask for a proof costs less than to solve in vain.
// What takes absurd speeds to meet slows down, or gives way, too. Returns 0 when memory was short.
static int solve_what_is_left(ts_sim* sim) {
    enum { FIGHTS = 3, HIDDEN = 8 };
    double excess = ts_step_push_excess(sim);
    for (int i = 0; i < FIGHTS && (sim->info.solve.status != TS_SOLVE_CONVERGED || excess > TS_ABSURD_EXCESS); ++i) {
        int count = excess > TS_ABSURD_EXCESS ? ts_step_yield_excess(sim) : ts_step_yield(sim, 1), more = 1;
        if (count < 0) return 0;
        if (count == 0) break;
        sim->info.blocked += count;
        memset(sim->impulse, 0, (size_t)sim->problem.row_count * sizeof(double));
        for (int k = 0; k < HIDDEN && more > 0; ++k) {
            more = ts_step_yield(sim, 0);
            if (more < 0) return 0;
            sim->info.blocked += more;
        }
        if (!solve_again(sim)) return 0;
        excess = ts_step_push_excess(sim);
    }
    ts_sim_storage_of(sim)->push_excess = excess;
    if (!(excess > 1.0)) return excess >= 0.0;
    int count = ts_step_slow_down(sim, excess);
    if (count < 0) return 0;
    sim->info.blocked += count;
    return solve_again(sim);
}

ts_code ts_step_solve(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memset(&sim->info.solve, 0, sizeof sim->info.solve);
    ts_step_judge_nothing(sim);
    storage->push_excess = 0.0;
    memset(&sim->info.islands, 0, sizeof sim->info.islands);
    if (sim->problem.row_count == 0) {
        sim->info.solve.status = TS_SOLVE_CONVERGED;
        memcpy(storage->new_velocity, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
        return TS_OK;
    }
    if (!find_islands(sim)) return TS_ERROR_MEMORY;
    if (!ts_step_start_holds(sim) && (!solve(sim) || !ts_step_judge(sim))) return TS_ERROR_MEMORY;
    if (!solve_what_is_left(sim)) return TS_ERROR_MEMORY;
    ts_step_take_velocity(sim);
    return sim->scratch.failed ? TS_ERROR_MEMORY : TS_OK;
}
