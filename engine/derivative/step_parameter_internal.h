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

/// How the weights of soft rows go with masses (engine/derivative/step_weight.c): the reference pose, and scratch.
typedef struct ts_step_weights {
    const ts_sim* sim;
    ts_kinematics rest;
    const double* L;            // factors of M there
    const double* inverse;      // (nv)
    double *j, *dj, *response;  // (dofs of the largest tree)
} ts_step_weights;

/// Prepares them. Returns 0 when memory is short.
int ts_step_weights_take(ts_sim* sim, ts_arena* scratch, ts_step_weights* out);

/// Whether R of block b, which the softness of the model is in force of, goes with masses in a way that is known.
int ts_step_weight_is_known(const ts_sim* sim, int b);

/// By what part of itself R of such a block changes as `body` gets the inertia of these parameters (per unit), its centre moving by `centre` in its frame.
double ts_step_weight_rate(const ts_step_weights* weights, int b, int body, const double parameter[TS_STEP_PARAMETERS],
                           ts_vec3 centre);

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
