// The solve stage: hands the problem to the chosen solver, and turns its answer back into velocities.
//
// Whatever operator the solver worked on, the new velocity is computed afresh from the returned impulse through the
// velocity form: v+ = v_f + L^-1 w, w = sum of the whitened rows times impulses. So the velocity belongs to the impulse
// that is reported, to rounding, and not to some intermediate iterate.
#include <string.h>

#include "engine/dynamics.h"
#include "engine/sim_internal.h"
#include "engine/step.h"

static void take_velocity(ts_sim* sim) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    ts_delassus* form = storage->velocity_form;
    form->ops->set_impulse(form, sim->impulse);
    memcpy(storage->new_velocity, ts_delassus_velocity_change(form), (size_t)model->nv * sizeof(double));
    for (int t = 0; t < model->tree_count; ++t) {
        double* change = storage->new_velocity + model->tree[t].dof_first;
        const double* free_velocity = sim->free_velocity + model->tree[t].dof_first;
        ts_dynamics_unwhiten(sim, t, change);
        for (int d = 0; d < model->tree[t].dof_count; ++d) change[d] += free_velocity[d];
    }
}

// Contact impulses, and velocities J v+ = G lambda + g + c*.
static void fill_contacts(ts_sim* sim) {
    const ts_sim_storage* storage = ts_sim_storage_of(sim);
    const ts_delassus* form = storage->velocity_form;
    for (int i = 0; i < sim->contact_count; ++i) {
        ts_contact* contact = &sim->contact[i];
        int row = sim->problem.block[i].row, rows = sim->problem.block[i].rows;
        double velocity[TS_BLOCK_ROWS_MAX];
        form->ops->velocity(form, i, velocity);
        for (int r = 0; r < rows; ++r) velocity[r] += sim->problem.g[row + r] + storage->reference[row + r];
        if (rows == 3) {
            contact->velocity = ts_vec3_load(velocity);
            contact->impulse = ts_vec3_load(sim->impulse + row);
        } else {
            contact->velocity = ts_vec3_make(0.0, 0.0, velocity[0]);
            contact->impulse = ts_vec3_make(0.0, 0.0, sim->impulse[row]);
        }
    }
}

ts_code ts_step_solve(ts_sim* sim) {
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    memset(&sim->info.solve, 0, sizeof sim->info.solve);
    memset(&sim->info.residual, 0, sizeof sim->info.residual);
    if (sim->problem.row_count == 0) {
        sim->info.solve.status = TS_SOLVE_CONVERGED;
        memcpy(storage->new_velocity, sim->free_velocity, (size_t)sim->model->nv * sizeof(double));
        return TS_OK;
    }
    sim->info.solve = sim->solver->solve(&sim->problem, sim->solver_settings, &sim->scratch, sim->impulse);
    if (sim->scratch.failed) return TS_ERROR_MEMORY;
    ts_residual_evaluate(&sim->problem, sim->impulse, &sim->scratch, NULL, &sim->info.residual);
    take_velocity(sim);
    fill_contacts(sim);
    return sim->scratch.failed ? TS_ERROR_MEMORY : TS_OK;
}
