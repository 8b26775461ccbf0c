// One time step, and its stages one by one. The stages are called in this order by ts_sim_step; each reads and writes only
// fields of ts_sim, so a user may call any of them alone, or put something of his own between two.
#ifndef TS_ENGINE_STEP_H
#define TS_ENGINE_STEP_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Advances by options.time_step. TS_ERROR_NUMERIC when the state left the finite numbers (the state is then that of the
/// step's beginning), TS_ERROR_MEMORY when memory is short, TS_ERROR_VALUE when the time step
/// was set to nothing that advances. A solver that did not converge is no error: see sim->info.
ts_code ts_sim_step(ts_sim* sim, ts_status* out_status);

/// All of a step but its end: contacts and forces are found, sensors of what happens in a step are measured, state and time stay.
/// TS_ERROR_NUMERIC and TS_ERROR_MEMORY as ts_sim_step.
ts_code ts_sim_foresee(ts_sim* sim, ts_status* out_status);

/// Generalised forces of a step by where they come from, N or N m, each (nv); any may be NULL. Their sum is M a + b, with a the
/// acceleration and b = sim->bias.
typedef struct ts_step_forces {
    double* acceleration;  // m/s^2, rad/s^2: (v+ - v) / h
    double* applied;       // force_applied and wrench_applied
    double* actuator;      // actuators, as they have acted
    double* fluid;         // of the surrounding medium
    double* constraint;    // contacts, limits, dry friction, equalities
    double*
        passive;  // springs and dampers of joints and tendons: what is left; of lone bodies also what their integrator makes of their turning
} ts_step_forces;

/// Finds them after ts_sim_foresee (ts_sim_step has gone on to the next state). TS_ERROR_MEMORY.
ts_code ts_step_find_forces(ts_sim* sim, const ts_step_forces* out_forces);

/// Poses, centres, axes, velocities and inertias from qpos and qvel.
void ts_step_kinematics(ts_sim* sim);

/// Boxes around geoms, and pairs of geoms that may touch: *out_pairs lives in sim->scratch.
ts_code ts_step_broad_phase(ts_sim* sim, ts_pair** out_pairs, int* out_pair_count);

/// Contacts of those pairs into sim->contact, with persistent keys and frames.
ts_code ts_step_narrow_phase(ts_sim* sim, const ts_pair* pairs, int pair_count);

/// Mass matrix and its factor, bias, and the velocity without contacts as the integrator has it. TS_ERROR_NUMERIC when a mass
/// matrix is not positive definite, TS_ERROR_MEMORY.
ts_code ts_step_dynamics(ts_sim* sim);

/// The contact problem (sim->problem) from contacts, limits and dry friction, warm-started impulses in sim->impulse.
ts_code ts_step_assemble(ts_sim* sim);

/// Solves sim->problem; fills sim->impulse, sim->info.solve and .residual, and the contacts' impulses and velocities.
ts_code ts_step_solve(ts_sim* sim);

/// Takes over the new velocity, moves positions with it, and remembers impulses for the next step.
ts_code ts_step_integrate(ts_sim* sim, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
