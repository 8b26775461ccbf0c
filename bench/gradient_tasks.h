// Tasks that gradients of rollouts are for, each with a known answer: what is unknown, what is asked of the motion, and the numbers that come from both.
#ifndef TS_BENCH_GRADIENT_TASKS_H
#define TS_BENCH_GRADIENT_TASKS_H

#include "engine/derivative/rollout.h"
#include "scenes/scene_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most unknowns and most numbers asked for.
enum { TS_TASK_UNKNOWNS = 10, TS_TASK_ASKED = 20 };

/// Something to be found. What of a control acts in steps [from, to); of others these are no matter.
typedef struct ts_task_unknown {
    ts_step_input_kind kind;  // TS_STEP_BY_VELOCITY, _CONTROL, _FRICTION or _MASS
    int index;
    int from;
    int to;
    double answer;  // in its unit
    double low;     // starts are uniform between these
    double high;
} ts_task_unknown;

/// A number that the motion shall have: of dof `dof`, whose qpos has the same number, in state `state`.
typedef struct ts_task_asked {
    int state;
    int is_velocity;
    int dof;
} ts_task_asked;

/// A known force on a dof in steps [from, to).
typedef struct ts_task_push {
    int dof;
    int from;
    int to;
    double force;  // N
} ts_task_push;

/// A task.
typedef struct ts_task {
    const char* name;
    const char* summary;
    const char* scene;  // by its name in the table of scenes
    int steps;
    int unknown_count;
    ts_task_unknown unknown[TS_TASK_UNKNOWNS];
    int asked_count;
    ts_task_asked asked[TS_TASK_ASKED];
    int push_count;
    ts_task_push push[3];
} ts_task;

/// How many tasks there are.
int ts_task_count(void);

/// Task number i.
const ts_task* ts_task_at(int i);

/// A task at work. Zero-initialised; made by ts_task_bench_begin.
typedef struct ts_task_bench {
    const ts_task* task;
    ts_loaded_scene scene;
    const ts_model* model;  // its
    ts_sim* sim;
    ts_snapshot start;
    double moved[TS_TASK_UNKNOWNS];  // of frictions: what was added so far
    double* ctrl;
    double* force;
    double* tangent;  // of start, controls, parameters and state
    double answer[TS_TASK_ASKED];
    double now[TS_TASK_ASKED];
    double J[TS_TASK_ASKED * TS_TASK_UNKNOWNS];
    ts_arena scratch;
    ts_rollout_report report;  // of the last ts_task_differentiate
    long long runs;            // without derivatives
} ts_task_bench;

/// Builds the world and finds the answer's motion.
ts_code ts_task_begin(const ts_task* task, ts_task_bench* out_bench, ts_status* out_status);

/// Distances of what is asked from what it shall be (asked_count), at these unknowns.
ts_code ts_task_run(ts_task_bench* self, const double* x, double* out_residual, ts_status* out_status);

/// The same with their derivatives (asked_count x unknown_count), forward through every step.
ts_code ts_task_differentiate(ts_task_bench* self, const double* x, double* out_residual, double* out_J,
                              ts_status* out_status);

/// Releases it.
void ts_task_end(ts_task_bench* self);

#ifdef __cplusplus
}
#endif
#endif
