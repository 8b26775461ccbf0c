// Many steps in a row, and how a loss over them answers to where they begin, to the controls and forces of every step and to what the world
// is made of: backward, one gradient for the price of a few rollouts, and forward, column by column. docs/gradients.md.
//
// States are numbered 0 (where the simulation is) to `steps` (the end); step k leads from state k to k + 1. Gradients by state are
// tangent, as in engine/derivative/step_derivative.h. Contact problems are solved to the tolerance of the settings, so that the loss is a
// function with those derivatives. ts_sim_set_control's callback is not called. A simulation is put back to where it was, to the bit.
#ifndef TS_ENGINE_ROLLOUT_H
#define TS_ENGINE_ROLLOUT_H

#include "base/task.h"
#include "engine/derivative/step_derivative.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a loss answers to one state, to be filled by ts_rollout_loss; all zero before. By parameters: what does not go through the state.
typedef struct ts_rollout_pull {
    double* qpos;       // (nv) tangent
    double* qvel;       // (nv)
    double* act;        // (act_count)
    double* ctrl;       // (actuator_count) of the step that follows; of the last state no matter
    double* parameter;  // (inputs of all parameters, in their order)
} ts_rollout_pull;

/// What state `state` adds to the loss; kinematics are those of the state, and nothing may be changed. Fills *io_pull unless it is NULL. It is called once
/// for each state from the first to the last, and when gradients are wanted again for each, with io_pull, in any order.
typedef double (*ts_rollout_loss)(void* user, ts_sim* sim, int state, ts_rollout_pull* io_pull);

/// Called with the report of the derivative of each step, from the last to the first (forward: from the first); `sim` has been foreseen.
typedef void (*ts_rollout_seen)(void* user, ts_sim* sim, int step, const ts_step_report* report);

/// What is done, and what is asked. All is the caller's.
typedef struct ts_rollout {
    int steps;
    ts_step_derivative_settings settings;
    const double* ctrl;   // (steps x actuator_count) of each step; NULL: what is in the simulation, throughout
    const double* force;  // (steps x nv) force_applied, likewise
    const ts_step_input*
        parameter;  // (parameter_count) what is the same in all steps: not position, velocity, activation
    int parameter_count;
    ts_rollout_loss loss;     // NULL: none
    ts_rollout_seen seen;     // NULL: nobody looks
    int (*stop)(void* user);  // asked before every step: nonzero ends it with TS_ERROR_INTERRUPTED; NULL: nobody does
    void* user;               // handed to all three
} ts_rollout;

/// What the reports of all steps come to.
typedef struct ts_rollout_report {
    ts_step_verdict verdict;             // the worst
    int step;                            // the first of those that have it
    char reason[200];                    // there
    int count[TS_STEP_UNSUPPORTED + 1];  // steps of each verdict
    double roundings;      // 1: the least of any block of any step to a change of its mode; infinite: none
    int nearest_step;      // where that was; -1: nowhere
    double unmet;          // 1: largest share of a contact problem that stayed unmet
    unsigned differenced;  // ts_step_part bits of all steps
    unsigned char input_verdict[TS_STEP_INPUT_KINDS];  // ts_step_column_verdict: the worst of all steps for each kind
} ts_rollout_report;

/// A loss and its gradients; arrays are the caller's, NULL where not wanted.
typedef struct ts_rollout_gradient {
    double loss;
    double* qpos;       // (nv) by the first state, tangent
    double* qvel;       // (nv)
    double* act;        // (act_count)
    double* ctrl;       // (steps x actuator_count) by the controls of each step
    double* force;      // (steps x nv)
    double* parameter;  // (inputs of all parameters, in their order)
    ts_rollout_report report;
} ts_rollout_gradient;

/// How many inputs the ranges are together.
int ts_rollout_parameters(const ts_step_input* parameter, int parameter_count);

/// The loss alone. What ts_rollout_backward and ts_rollout_forward return.
ts_code ts_rollout_run(ts_sim* sim, const ts_rollout* rollout, double* out_loss, ts_status* out_status);

/// The loss and its gradients, backward from the last step. States are kept at about sqrt(steps) places, and between two of
/// them while that stretch is gone through again: memory of order sqrt(steps), three solves for each step. Scratch is given back.
/// TS_ERROR_VALUE: a parameter that is none; and what steps and their derivatives return, with the step in the message.
ts_code ts_rollout_backward(ts_sim* sim, const ts_rollout* rollout, ts_arena* scratch, ts_rollout_gradient* io_gradient,
                            ts_status* out_status);

/// Columns that are carried forward with the state.
typedef struct ts_rollout_tangents {
    int count;
    const double* start;      // (count x (2 nv + act_count)) change of the first state, each; NULL: zero
    const double* ctrl;       // (count x steps x actuator_count) change of controls; NULL: zero
    const double* parameter;  // (count x inputs of all parameters); NULL: zero
    double* state;            // (count x (2 nv + act_count)) written: change of the last state; never NULL
    double* loss;             // (count) written: change of the loss; NULL: not wanted
    // called with the changes `state` at each state, first and last included; NULL: not wanted
    void (*at)(void* user, ts_sim* sim, int state, const struct ts_rollout_tangents* tangents);
    ts_rollout_report report;
} ts_rollout_tangents;

/// Forward from the first step: how the states and the loss change along given changes, in *io_tangents; *out_loss (may be NULL) the
/// loss. Scratch likewise.
ts_code ts_rollout_forward(ts_sim* sim, const ts_rollout* rollout, ts_arena* scratch, ts_rollout_tangents* io_tangents,
                           double* out_loss, ts_status* out_status);

/// One of many rollouts.
typedef struct ts_rollout_job {
    ts_sim* sim;  // of one worker, and of no other job
    ts_rollout rollout;
    ts_rollout_gradient gradient;
    int value_only;  // nonzero: ts_rollout_run, else ts_rollout_backward
    ts_status status;
} ts_rollout_job;

/// All of them on the workers of a pool (NULL: one after the other): the same bits for any number. Returns how many failed.
int ts_rollout_batch(ts_task_pool* pool, ts_rollout_job* job, int count);

#ifdef __cplusplus
}
#endif
#endif
