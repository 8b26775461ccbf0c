// What the columns of parameters share: which of them have equations (step_parameter_known.c), how they are found (step_parameter.c), and what
// activations and controls add (step_activation.c).
#ifndef TS_ENGINE_DERIVATIVE_STEP_PARAMETER_INTERNAL_H
#define TS_ENGINE_DERIVATIVE_STEP_PARAMETER_INTERNAL_H

#include "engine/derivative/step_implicit_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Inertial parameters of a body.
enum { TS_STEP_PARAMETERS = 10 };

/// Whether a column is by a mass or one of the ten parameters.
static inline int ts_step_is_of_mass(ts_step_input_kind kind) {
    return kind == TS_STEP_BY_MASS || kind == TS_STEP_BY_INERTIA;
}

/// The body of such a column.
static inline int ts_step_body_of(ts_step_column c) {
    return c.kind == TS_STEP_BY_INERTIA ? c.index / TS_STEP_PARAMETERS : c.index;
}

/// Whether a column is by a control or an activation.
static inline int ts_step_is_of_drive(ts_step_input_kind kind) {
    return kind == TS_STEP_BY_CONTROL || kind == TS_STEP_BY_ACTIVATION;
}

/// The drive of such a column; -1: nobody has that activation.
int ts_step_drive_of(const ts_model* model, ts_step_column c);

/// Adds h times what drive i of tree t pulls by a column of that kind, in a round that leads to the velocities `next` (n of the tree), to x (n).
void ts_step_add_pull(const ts_sim* sim, int t, int i, ts_step_input_kind kind, const double* next, double* x);

/// Adds what it does to dM_hat y.
void ts_step_add_stiffening(const ts_sim* sim, int t, int i, ts_step_input_kind kind, const double* y, double* x);

/// Adds du and activations to a column (step_frozen.c) by a control, an activation or the time step; to others nothing.
void ts_step_add_activations(const ts_step_task* task, const ts_step_implicit* p, ts_step_column c, double* column);

#ifdef __cplusplus
}
#endif
#endif
