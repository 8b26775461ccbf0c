// The two parts of kinematics: poses, and what they alone do not tell: axes about the tree's origin, twists, bias accelerations, inertias.
#ifndef TS_ENGINE_KINEMATICS_WALK_INTERNAL_H
#define TS_ENGINE_KINEMATICS_WALK_INTERNAL_H

#include "engine/dynamics/kinematics.h"

/// Places so many bodies of a list, whose parents come before them or are placed, and their geoms; `qpos` is the model's.
void ts_kinematics_poses(const ts_model* model, const int* list, int count, const double* qpos,
                         ts_kinematics* kinematics);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_kinematics_poses_narrow(const ts_model* model, const int* list, int count, const double* qpos,
                                ts_kinematics* kinematics);
void ts_kinematics_poses_wide(const ts_model* model, const int* list, int count, const double* qpos,
                              ts_kinematics* kinematics);

/// Brings the others of a tree up to its poses, anchors and dof_velocity; axes arrive about their anchors.
void ts_kinematics_walk(const ts_model* model, int tree, ts_kinematics* kinematics);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_kinematics_walk_narrow(const ts_model* model, int tree, ts_kinematics* kinematics);
void ts_kinematics_walk_wide(const ts_model* model, int tree, ts_kinematics* kinematics);

#endif
