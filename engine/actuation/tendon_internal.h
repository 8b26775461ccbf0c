// Lengths of tendons.
#ifndef TS_ENGINE_TENDON_INTERNAL_H
#define TS_ENGINE_TENDON_INTERNAL_H

#include "engine/actuation/lever_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why a tendon cannot be, or NULL; its parts name things that are there.
const char* ts_tendon_fault(const ts_model* model, const ts_tendon* tendon);

/// Marks the degrees of freedom that a tendon's length may depend on.
void ts_tendon_mark(const ts_model* model, const ts_tendon* tendon, char* marks);

/// The length of a tendon and, into a lever over what ts_tendon_mark marks, its derivatives, for the last kinematics.
double ts_tendon_measure(const ts_sim* sim, const ts_tendon* tendon, ts_lever* lever);

/// How far its spring is stretched (> 0) or pressed (< 0), m.
double ts_tendon_stretch(const ts_tendon* tendon, double length);

#ifdef __cplusplus
}
#endif
#endif
