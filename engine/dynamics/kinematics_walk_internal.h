// The part of kinematics that poses alone do not tell: axes about the tree's origin, twists, bias accelerations, inertias.
#ifndef TS_ENGINE_KINEMATICS_WALK_INTERNAL_H
#define TS_ENGINE_KINEMATICS_WALK_INTERNAL_H

#include "engine/dynamics/kinematics.h"

/// Brings these of a tree up to its poses, anchors and dof_velocity; axes arrive about their anchors.
void ts_kinematics_walk(const ts_model* model, int tree, ts_kinematics* kinematics);

/// The same, whatever the machine, and with AVX2: the same bits.
void ts_kinematics_walk_narrow(const ts_model* model, int tree, ts_kinematics* kinematics);
void ts_kinematics_walk_wide(const ts_model* model, int tree, ts_kinematics* kinematics);

#endif
