// One face for every engine a benchmark times: build it from a Touchstone model, step it, ask where bodies are.
#ifndef TS_BENCH_WORLD_H
#define TS_BENCH_WORLD_H

#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a world is asked to run with.
typedef struct ts_bench_settings {
    double time_step;    // s
    int iterations;      // sweeps a step; 0: as the model says; < 0: until its tolerance is met
    const char* solver;  // Touchstone only; MuJoCo: "newton" or "cg"
    int threads;         // Touchstone only; 0: one
    int substeps;        // Touchstone only; 0: none
    double omega;        // Touchstone only: over-relaxation of sweeps; 0: none
} ts_bench_settings;

/// The parts of a step of free bodies.
typedef enum ts_bench_world_stage {
    TS_BENCH_WORLD_BROAD,
    TS_BENCH_WORLD_NARROW,
    TS_BENCH_WORLD_ASSEMBLE,  // with kinematics and dynamics
    TS_BENCH_WORLD_SOLVE,
    TS_BENCH_WORLD_INTEGRATE,
    TS_BENCH_WORLD_STAGES
} ts_bench_world_stage;

/// Numbers of the present state.
typedef struct ts_bench_state {
    int contacts;                         // contact points that carry or may carry load
    double penetration;                   // m, worst overlap
    double residual;                      // natural map of the exact law; < 0 when the engine has none to tell
    int iterations;                       // of the last step; < 0 when unknown
    double stage[TS_BENCH_WORLD_STAGES];  // s, parts of the last step; all zero where an engine does not tell
} ts_bench_state;

typedef struct ts_bench_world ts_bench_world;

/// The functions of an engine. Bodies are those of the model with a free joint, in model order.
typedef struct ts_bench_engine {
    const char* name;
    ts_bench_world* (*create)(const ts_model* model, const ts_bench_settings* settings);  // NULL on failure
    void (*destroy)(ts_bench_world* world);
    int (*step)(ts_bench_world* world);  // 0 on failure
    void (*centre)(ts_bench_world* world, int body, double out_position[3]);
    ts_bench_state (*state)(ts_bench_world* world);
    void (*tell_stages)(ts_bench_world* world,
                        int tells);  // from now on or no more, as that takes time; NULL: as it comes
} ts_bench_engine;

/// Touchstone itself.
const ts_bench_engine* ts_bench_touchstone(void);

#ifdef TS_PEER_MUJOCO
/// MuJoCo with elliptic cones and its own softness, from what our writer says of the model.
const ts_bench_engine* ts_bench_mujoco_world(void);
#endif

#ifdef TS_PEER_BULLET
/// Bullet in double precision: sequential impulses, sleeping off, split impulse as it comes, friction matched to the
/// model's rule by giving every body the square root (Bullet multiplies).
const ts_bench_engine* ts_bench_bullet(void);
#endif

#ifdef TS_PEER_BOX3D
/// Box3D in single precision: soft contacts, four substeps, sleeping and continuous collision off, friction mixed by
/// the model's rule. Of shapes planes, boxes, spheres and hulls.
const ts_bench_engine* ts_bench_box3d(void);
#endif

#ifdef TS_PEER_JOLT
/// Jolt in single precision: ten velocity and two position sweeps as it comes, sleeping off, friction mixed by the
/// model's rule. Bodies of one plane, box, sphere or hull, one thread.
const ts_bench_engine* ts_bench_jolt(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
