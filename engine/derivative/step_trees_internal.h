// What the ways to differentiate a tree's step share (step_tree.c).
#ifndef TS_ENGINE_STEP_TREES_INTERNAL_H
#define TS_ENGINE_STEP_TREES_INTERNAL_H

#include "engine/derivative/step_implicit_internal.h"
#include "engine/dynamics/derivative.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the trees of a step share.
typedef struct ts_step_trees {
    const ts_step_task* task;
    ts_step_implicit* p;
    ts_arena* scratch;
    ts_derivative_scratch derivative;
    double medium[108];    // of the present tree, a lone body on which a medium is a force (ts_step_fluid_lone_find)
    int in_medium;         // nonzero: it is one
    int midpoint;          // nonzero: of the integrator
    int forces;            // nonzero: somebody asks for derivatives by forces
    int without_wrenches;  // nonzero: evaluations leave them out
} ts_step_trees;

/// One evaluation of X (step_tree.c) of the state that stands, at the bias of velocities `at_m`, towards the velocity `next`; `a` (n) is scratch. by_m gets -h dID_v; by_q and
/// by_v all else (n x n each). by_m NULL: that is in by_v, too.
void ts_step_evaluate(const ts_step_trees* trees, int tree, const ts_kinematics* at_m, const double* next, double* a,
                      double* by_q, double* by_v, double* by_m);

/// Adds h times the slope of what wrenches from outside do.
void ts_step_wrenches_add(const ts_step_trees* trees, int tree, double* by_q);

/// All plain trees under Runge-Kutta. Returns 0 when memory is short.
int ts_step_rk4_find(ts_step_trees* trees);

/// Columns by what the world is made of, carried through the stages of all plain trees.
typedef struct ts_step_stage_columns {
    int count;
    int time;  // the one by the time step; -1: none
    void* user;
    /// Adds what the columns do to M a of a tree (n x count) at the stage that stands, whose acceleration is `a` (n).
    void (*push)(void* user, int tree, const double* a, double* io_force);
    /// Takes how the velocity after the step without rows, and the position that the stages lead to, answer (n x count each); the state is that of the beginning again.
    void (*arrive)(void* user, int tree, const double* velocity, const double* position);
} ts_step_stage_columns;

/// Carries them. Returns 0 when memory is short.
int ts_step_rk4_carry(const ts_step_task* task, ts_step_implicit* p, ts_arena* scratch,
                      const ts_step_stage_columns* columns);

#ifdef __cplusplus
}
#endif
#endif
