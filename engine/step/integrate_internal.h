// The integrator's part of a step, and moving coordinates along a velocity.
#ifndef TS_ENGINE_INTEGRATE_INTERNAL_H
#define TS_ENGINE_INTEGRATE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// From the velocity without rows for forces at the beginning of the step (sim->free_velocity) to that of the integrator.
/// TS_ERROR_MEMORY.
ts_code ts_integrate_velocity(ts_sim* sim);

/// New generalised velocities, from the impulse that the velocity form of the step's problem carries.
void ts_step_take_velocity(ts_sim* sim);

/// Where a step that is solved ends, for its new velocity: out_qpos (nq) and out_act (act_count), which take nothing over. Trees that
/// no row touches may have their new velocity changed, once. Returns 0 when memory is short.
int ts_integrate_end(ts_sim* sim, double* out_qpos, double* out_act);

/// Takes out of io_qpos (nq), where a solved step leads to, what connections and welds are open by there although their rows were met: see
/// close_ties.c. Sets closed_ties. Returns 0 when memory is short.
int ts_step_close_ties(ts_sim* sim, double* io_qpos);

/// out_qpos (nq) = qpos (+) h qvel: positions and angles grow linearly, quaternions turn by exp(h omega) with omega in child
/// axes and are brought back to unit length. out_qpos may be qpos.
void ts_integrate_position(const ts_model* model, const double* qpos, const double* qvel, double h, double* out_qpos);

/// out_qvel (nv) with qpos_b = qpos_a (+) h out_qvel: the inverse of ts_integrate_position for turns below pi.
void ts_integrate_difference(const ts_model* model, const double* qpos_a, const double* qpos_b, double h,
                             double* out_qvel);

#ifdef __cplusplus
}
#endif
#endif
