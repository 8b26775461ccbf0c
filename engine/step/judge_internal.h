// The judgement of a step, for the solve stage and for certificates.
#ifndef TS_ENGINE_STEP_JUDGE_INTERNAL_H
#define TS_ENGINE_STEP_JUDGE_INTERNAL_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What there is to say of a step without rows.
void ts_step_judge_nothing(ts_sim* sim);

/// Judges sim->impulse as an answer of sim->problem; tells the sources what became of their rows. Fills info.unmet, own and
/// residual, and settles info.solve.status. Returns 0 when memory is short.
int ts_step_judge(ts_sim* sim);

/// Whether the solver would give the start back: where it says how good that must be, and the judge finds it so. It is the answer then, judged as
/// ts_step_judge does. Returns 0, with nothing told to anybody, where the solver has to be asked.
int ts_step_start_holds(ts_sim* sim);

/// The step's problem as if nothing was soft, for a judge: the operator is the problem's own, g may live in `arena`. Returns 0
/// when memory is short.
int ts_step_rigid_problem(const ts_sim* sim, ts_arena* arena, ts_contact_problem* out_problem);

#ifdef __cplusplus
}
#endif
#endif
