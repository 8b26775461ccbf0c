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

/// A point that a way passes through, and what it is fastened to.
typedef struct ts_tendon_hold {
    int body;
    ts_vec3 point;
} ts_tendon_hold;

/// The part of a way between two sites, around something or not.
typedef struct ts_tendon_span {
    ts_tendon_hold from, to;
    const ts_tendon_part* around;  // or NULL
    double share;                  // of its length that counts
    int next;                      // part to go on from
} ts_tendon_span;

/// Before the first span of a tendon through space.
ts_tendon_span ts_tendon_first_span(void);

/// Goes on to the next span, for the last kinematics; returns 0 after the last.
int ts_tendon_next_span(const ts_sim* sim, const ts_tendon* tendon, ts_tendon_span* io_span);

/// The length of a span's curved part and its ends; negative where the span is straight.
double ts_tendon_curve(const ts_sim* sim, const ts_tendon_span* span, ts_vec3 out_touch[2]);

/// How far its spring is stretched (> 0) or pressed (< 0), m.
double ts_tendon_stretch(const ts_tendon* tendon, double length);

#ifdef __cplusplus
}
#endif
#endif
