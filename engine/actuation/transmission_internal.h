// What an actuator pulls on: a kind of transmission is one file of engine/actuation/ and one line of the table in
// transmission_table.c. It says how long the transmission is and how its length changes with every degree of freedom.
#ifndef TS_ENGINE_TRANSMISSION_INTERNAL_H
#define TS_ENGINE_TRANSMISSION_INTERNAL_H

#include "engine/actuation/lever_internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the target of a transmission is one of.
typedef enum ts_transmission_target {
    TS_TARGET_JOINT,
    TS_TARGET_SITE,
    TS_TARGET_TENDON,
    TS_TARGET_BODY
} ts_transmission_target;

/// A kind.
typedef struct ts_transmission {
    const char* name;

    /// Why this actuator cannot be of this kind, or NULL. Its numbers are finite and its target is there.
    const char* (*fault)(const ts_model* model, const ts_actuator* actuator);

    /// Marks the degrees of freedom that the length may depend on, in any pose; `out_marks` (nv) arrives zero.
    void (*mark)(const ts_model* model, const ts_actuator* actuator, char* out_marks);

    /// The length, m or rad or a mixture, and its derivatives, for the last kinematics, into a lever over the marked degrees of freedom
    /// whose moments arrive zero.
    double (*measure)(const ts_sim* sim, const ts_actuator* actuator, ts_lever* lever);

    /// The length of a full turn where the length is an angle that jumps back after one, else 0. NULL: 0.
    double (*turn)(const ts_model* model, const ts_actuator* actuator);

    ts_transmission_target target;
} ts_transmission;

/// Kind i of the table.
const ts_transmission* ts_transmission_at(int i);

/// The length of a full turn about the axis of three numbers of a gear: 2 pi times their norm.
double ts_transmission_full_turn(const double* gear);

#ifdef __cplusplus
}
#endif
#endif
