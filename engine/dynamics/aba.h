// Forward dynamics of kinematic trees: the motion that forces make.
#ifndef TS_ENGINE_ABA_H
#define TS_ENGINE_ABA_H

#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/tree_scratch.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The accelerations a (nv) of the whole model at the state of `kinematics` with M a + b = `force` (nv): what moves when those generalised
/// forces and gravity (m/s^2) act, and nothing else. Returns 0 when a degree of freedom moves no mass; out_acceleration means
/// nothing then.
int ts_aba_acceleration(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, const double* force,
                        ts_tree_scratch* scratch, double* out_acceleration);

/// The same for one tree, whose part of the arrays (nv) is read and written. Different trees may be worked on at once.
int ts_aba_tree(const ts_model* model, const ts_kinematics* kinematics, ts_vec3 gravity, int tree, const double* force,
                ts_tree_scratch* scratch, double* out_acceleration);

#ifdef __cplusplus
}
#endif
#endif
