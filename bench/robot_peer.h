// One face for every engine that runs robots: the same file, the same start, the same controls; step it, ask how it stands.
#ifndef TS_BENCH_ROBOT_PEER_H
#define TS_BENCH_ROBOT_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

/// A robot in an engine.
typedef struct ts_bench_robot ts_bench_robot;

/// The parts of a step, as far as an engine tells them apart.
typedef enum ts_bench_stage {
    TS_BENCH_STAGE_KINEMATICS,
    TS_BENCH_STAGE_BROAD,
    TS_BENCH_STAGE_NARROW,
    TS_BENCH_STAGE_DYNAMICS,
    TS_BENCH_STAGE_ASSEMBLE,
    TS_BENCH_STAGE_SOLVE,
    TS_BENCH_STAGE_INTEGRATE,
    TS_BENCH_STAGES
} ts_bench_stage;

/// Sizes and state, readable between steps; `ctrl` may be written.
typedef struct ts_bench_robot_view {
    int nq;
    int nv;
    int nu;
    int bodies;
    double time_step;     // s
    const double* qpos;   // (nq)
    const double* qvel;   // (nv)
    const double* force;  // (nv) of the actuators, as they have acted in the last step
    double* ctrl;         // (nu)
} ts_bench_robot_view;

/// What a step that was watched has shown.
typedef struct ts_bench_robot_step {
    int contacts;
    int converged;                    // 0: the solver did not get there; 1 where it does not say
    double penetration;               // m, deepest contact
    double natural;                   // share of the exact law unmet by the contacts, see contact/judge/residual.h
    double energy;                    // J, kinetic and potential, when the step began
    double seconds[TS_BENCH_STAGES];  // clocks take time of their own: shares rather than times
} ts_bench_robot_step;

/// The functions of an engine.
typedef struct ts_bench_robot_engine {
    const char* name;
    /// From a file, or from the text of one. NULL on failure, with the reason in `error`.
    ts_bench_robot* (*open)(const char* file, const char* text, char error[200]);
    void (*close)(ts_bench_robot* robot);
    ts_bench_robot_view (*view)(ts_bench_robot* robot);
    /// To the start of the file (keyframe `home` where there is one), or to qpos and qvel where they are given; nothing is
    /// remembered, controls are those of the keyframe.
    void (*reset)(ts_bench_robot* robot, const double* qpos, const double* qvel);
    /// The joint-space inertia of the present pose, armature included: (nv x nv), row-major. 0 on failure.
    int (*inertia)(ts_bench_robot* robot, double* out_matrix);
    /// The joint that control i drives, one number: where it stands in qpos and qvel. 0 where it is none such.
    int (*driven)(const ts_bench_robot* robot, int i, int* out_position, int* out_velocity);
    /// The range of control i; 0 where it has none.
    int (*range)(const ts_bench_robot* robot, int i, double out_range[2]);
    int (*step)(ts_bench_robot* robot);  // 0 on failure
    /// The same, slower, with everything that is to be known of it.
    int (*watch)(ts_bench_robot* robot, ts_bench_robot_step* out_step);
    void (*centres)(ts_bench_robot* robot, double* out_points);  // (3 x bodies) m, where the last step began
    /// Steps `worlds` copies of the robot, each from the file's start, on so many threads. Returns seconds, < 0 where it cannot.
    double (*batch)(ts_bench_robot* robot, int worlds, int steps, int threads);
} ts_bench_robot_engine;

/// Touchstone, with the options of the file and `ncp`.
const ts_bench_robot_engine* ts_bench_robot_touchstone(void);

#ifdef TS_PEER_MUJOCO
/// MuJoCo, with the options of the file.
const ts_bench_robot_engine* ts_bench_robot_mujoco(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
