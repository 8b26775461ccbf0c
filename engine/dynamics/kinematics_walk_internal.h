// The walk outwards through a tree.
#ifndef TS_ENGINE_KINEMATICS_WALK_INTERNAL_H
#define TS_ENGINE_KINEMATICS_WALK_INTERNAL_H

#include "engine/dynamics/kinematics.h"

/// Brings a tree's poses, centres, anchors, origin and axes up to `qpos` (nq, the model's), and what of the rest `parts`
/// (ts_kinematics_part) names up to that and to dof_velocity.
void ts_kinematics_walk(const ts_model* model, int tree, const double* qpos, unsigned parts, ts_kinematics* kinematics);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_kinematics_walk_narrow(const ts_model* model, int tree, const double* qpos, unsigned parts,
                               ts_kinematics* kinematics);
void ts_kinematics_walk_wide(const ts_model* model, int tree, const double* qpos, unsigned parts,
                             ts_kinematics* kinematics);

#endif
