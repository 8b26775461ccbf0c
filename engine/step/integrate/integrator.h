// The ways to integrate, as one table: option `integrator`, `touchstone list integrators`, MJCF's <option integrator>. A way
// is one file in engine/step/integrate/ and one line of integrator_table.c; docs/integrators.md says what each is good for.
#ifndef TS_ENGINE_INTEGRATOR_H
#define TS_ENGINE_INTEGRATOR_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When the force of an actuator acts that depends on its length or its rate.
typedef enum ts_servo_time {
    TS_SERVO_NOW,  // as it is when the step begins
    TS_SERVO_RATE,  // with its derivative by the velocity (with springs_ahead by the length, too) taken ahead, unless it is at a limit
    TS_SERVO_END  // as it will be at the end of the step, limits included: engine/rows/servo.c
} ts_servo_time;

/// A way to get from the state at the beginning of a step to that at its end. All take the impulses of rows at the end of the
/// step, v+ = v_f + M_hat^-1 J^T lambda; they differ in M_hat, in v_f, and in how a tree moves that no row touches.
struct ts_integrator {
    const char* name;     // "midpoint"
    const char* summary;  // one line for people
    int damping_ahead;    // nonzero: dampers act with the velocity at the end of the step, M_hat = M + h D
    int springs_ahead;    // nonzero: springs act with the position at the end of the step, M_hat += h^2 K
    ts_servo_time servos;

    int frees_lone_bodies;  // nonzero: advance finds the velocity of a lone free body without damping and armature from its
                            // forces alone, and nothing is there before

    /// Replaces the velocity of a tree without rows, which is there for a bias at the beginning of the step. Returns 0 where the
    /// equation of the step could not be solved; it then leaves something finite where it can. Mass matrix and factor are as
    /// they were when it returns. Different trees may be worked on at once. NULL: the velocity stays.
    int (*advance)(ts_sim* sim, int tree, ts_arena* scratch);

    /// `advance` of all trees at once, for what pulls at several of them and for activations, whose mean rates it leaves; tree_unsolved is
    /// filled. NULL: trees are advanced one by one, with what joins them held.
    void (*advance_together)(ts_sim* sim, ts_arena* scratch);

    /// Of a way with several stages: goes through them once more and back, calls `visit` in each, when the state, kinematics and forces of the
    /// trees are the stage's, and leaves everything as it was. `weight`: 1, the share of the step that the stage's forces have. Returns 0
    /// when memory is short. NULL: forces are those of the beginning.
    int (*revisit)(ts_sim* sim, ts_arena* scratch, void (*visit)(ts_sim* sim, double weight, void* user), void* user);

    /// Moves a tree that no row touches; out_qpos (nq) holds where the new velocity would take it, and the new velocity may be
    /// changed, too. NULL: that is where it goes.
    void (*coast)(const ts_sim* sim, int tree, double* out_qpos);
};

/// How many ways there are.
int ts_integrator_count(void);

/// Number i of the table, 0 <= i < ts_integrator_count(). The first is the default.
const ts_integrator* ts_integrator_at(int i);

/// The one of that name, capitals or not, or NULL.
const ts_integrator* ts_integrator_find(const char* name);

/// "no integrator ..., there are: ..." as TS_ERROR_VALUE.
ts_code ts_integrator_unknown(const char* name, ts_status* out_status);

#ifdef __cplusplus
}
#endif
#endif
