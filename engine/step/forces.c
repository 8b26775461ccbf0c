// The generalised forces of a step that is solved and not taken over, told apart.
//
// Problem: M_hat v+ = M_hat v_f + J^T lambda hides what acted: M_hat and v_f hold springs, dampers and servos in part. Rule: rows have
// made J^T lambda / h = M_hat (v+ - v_f) / h, less what servos among them pulled, which is their actuators'. What actuators and the medium did is known;
// inverse dynamics of a = (v+ - v) / h gives the sum of all, and what is left is springs and dampers.
// Guarantee: the parts add up to M a + b to rounding, under every solver and integrator.
#include <string.h>

#include "engine/actuation/actuation_internal.h"
#include "engine/dynamics/dynamics_internal.h"
#include "engine/dynamics/rnea.h"
#include "engine/sim_internal.h"
#include "engine/step/step.h"

// force = M_hat (v+ - v_f) / h.
static void find_rows(const ts_sim* sim, double* out_force) {
    const ts_model* model = sim->model;
    const double* new_velocity = ts_sim_storage_of(sim)->new_velocity;
    for (int t = 0; t < model->tree_count; ++t) {
        int first = model->tree[t].dof_first, n = model->tree[t].dof_count;
        const double* M = sim->mass_matrix + sim->mass_start[t];
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) sum += M[i * n + k] * (new_velocity[first + k] - sim->free_velocity[first + k]);
            out_force[first + i] = sum / sim->options.time_step;
        }
    }
}

// Takes away what rows that are servos have pulled: it is that of actuators, or of tendons' springs.
static void take_servos_away(const ts_sim* sim, double* force) {
    int source = ts_row_source_find("servo");
    for (int b = 0; b < sim->problem.block_count; ++b) {
        if (sim->row_block[b].source != source) continue;
        int drive = (int)sim->row_block[b].key.whole;
        double pull = sim->impulse[sim->problem.block[b].row] / sim->options.time_step;
        ts_lever_pull(ts_actuation_drive(sim, drive)->lever, -pull, 0, force);
    }
}

// `x` NULL: zeros.
static void keep(const double* x, int count, double* out_x) {
    if (!out_x) return;
    if (x)
        memcpy(out_x, x, (size_t)count * sizeof *x);
    else
        memset(out_x, 0, (size_t)count * sizeof *out_x);
}

// Of `x`, NULL where all of it is zero.
static double of(const double* x, int d) { return x ? x[d] : 0.0; }

ts_code ts_step_find_forces(ts_sim* sim, const ts_step_forces* out_forces) {
    const ts_model* model = sim->model;
    ts_sim_storage* storage = ts_sim_storage_of(sim);
    int nv = model->nv;
    double* acceleration = TS_ARENA_ARRAY(&sim->scratch, double, nv);
    double* applied = TS_ARENA_ARRAY(&sim->scratch, double, nv);
    double* constraint = TS_ARENA_ARRAY(&sim->scratch, double, nv);
    double* passive = TS_ARENA_ARRAY(&sim->scratch, double, nv);
    if (sim->scratch.failed) return TS_ERROR_MEMORY;
    if (storage->asleep_count > 0) return TS_ERROR_UNSUPPORTED;
    for (int d = 0; d < nv; ++d) acceleration[d] = (storage->new_velocity[d] - sim->qvel[d]) / sim->options.time_step;
    ts_dynamics_gather_applied(sim, applied);
    find_rows(sim, constraint);
    take_servos_away(sim, constraint);
    ts_dynamics_gather_adhesion(sim, constraint);
    ts_rnea_forces(model, &sim->kinematics, sim->options.gravity, acceleration, &storage->tree_scratch, passive);
    for (int d = 0; d < nv; ++d)
        passive[d] -= applied[d] + of(sim->force_actuator, d) + of(sim->force_fluid, d) + constraint[d];
    keep(acceleration, nv, out_forces->acceleration);
    keep(applied, nv, out_forces->applied);
    keep(sim->force_actuator, nv, out_forces->actuator);
    keep(sim->force_fluid, nv, out_forces->fluid);
    keep(constraint, nv, out_forces->constraint);
    keep(passive, nv, out_forces->passive);
    return TS_OK;
}
