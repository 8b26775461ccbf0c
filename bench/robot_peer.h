// One face for every engine that runs robots: the same file, the same start, no control; step it, ask how it stands.
#ifndef TS_BENCH_ROBOT_PEER_H
#define TS_BENCH_ROBOT_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

/// A robot in an engine.
typedef struct ts_bench_robot ts_bench_robot;

/// Numbers of the present state.
typedef struct ts_bench_robot_state {
    int contacts;
    double penetration;  // m, deepest contact
    double natural;      // share of the exact law unmet in the last step; < 0: the engine does not tell
} ts_bench_robot_state;

/// The functions of an engine.
typedef struct ts_bench_robot_engine {
    const char* name;
    /// At the keyframe `home` where there is one; motors off. NULL on failure, with the reason in `error`.
    ts_bench_robot* (*open)(const char* file, char error[200]);
    void (*close)(ts_bench_robot* robot);
    double (*time_step)(const ts_bench_robot* robot);  // s
    int (*dofs)(const ts_bench_robot* robot);
    /// The joint-space inertia of the present pose, armature included: (dofs x dofs), row-major. 0 on failure.
    int (*inertia)(ts_bench_robot* robot, double* out_matrix);
    int (*step)(ts_bench_robot* robot);  // 0 on failure
    ts_bench_robot_state (*state)(const ts_bench_robot* robot);
} ts_bench_robot_engine;

/// Touchstone, with the options of the file.
const ts_bench_robot_engine* ts_bench_robot_touchstone(void);

#ifdef TS_PEER_MUJOCO
/// MuJoCo, with the options of the file.
const ts_bench_robot_engine* ts_bench_robot_mujoco(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
