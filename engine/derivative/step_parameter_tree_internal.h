// What the columns by what a world is made of share: they are found tree by tree (step_parameter_tree.c), and rows add their own (step_parameter.c).
#ifndef TS_ENGINE_STEP_PARAMETER_TREE_INTERNAL_H
#define TS_ENGINE_STEP_PARAMETER_TREE_INTERNAL_H

#include "engine/derivative/step_parameter_internal.h"
#include "engine/dynamics/derivative.h"
#include "engine/sim_internal.h"
#include "engine/step/integrate/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The columns that are to be found.
typedef struct ts_step_parameters {
    const ts_step_task* task;
    ts_step_implicit* p;
    ts_derivative_scratch derivative;
    const ts_step_column* column;
    int count;
    double* numbers;  // (count x frozen.size)
    int midpoint;
    ts_kinematics start;  // of the velocities before the step
    // scratch of a tree
    double* matrix;   // (n x n)
    double* regress;  // (n x 10) of body `body`; -1: none
    int body;
    double *next, *middle, *a, *x;  // (n)
    double* speed;                  // (row_count) J v+
    double* shifted;  // (nv x count) N: what wrenches do whose point moves, held over stages; NULL: there are none
    int time;         // the column by the time step that stages carry
    ts_step_weights weights;  // of masses that the softness of the model goes by; without a simulation: of none
} ts_step_parameters;

/// Column c, as step_frozen.c has it.
static inline double* ts_step_parameter_column(const ts_step_parameters* w, int c) {
    return w->numbers + (size_t)c * (size_t)w->p->frozen.size;
}

/// Of drive i: what of its stiffness is taken ahead by the time step.
static inline double ts_step_stiffness_ahead(const ts_sim* sim, int i) {
    return sim->integrator->springs_ahead ? ts_step_drive_stiffness(sim, i) : 0.0;
}

/// Whether a column moves tree t.
int ts_step_parameter_concerns(const ts_step_parameters* w, ts_step_column c, int t);

/// The change of a body's ten parameters by column c.
void ts_step_parameter_direction(const ts_model* model, ts_step_column c, double out[TS_STEP_PARAMETERS]);

/// X of tree t into all columns that move it. Returns 0 when memory is short.
int ts_step_parameter_tree(ts_step_parameters* w, int t);

/// The same of all trees, under an integrator of stages.
int ts_step_parameter_stages(ts_step_parameters* w);

/// x = dM_hat y of tree t by column c; p->kinematics loses its velocities.
void ts_step_parameter_change_inertia(ts_step_parameters* w, int t, ts_step_column c, const double* y, double* x);

#ifdef __cplusplus
}
#endif
#endif
