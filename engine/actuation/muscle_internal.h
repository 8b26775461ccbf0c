// Muscles: how force follows length, speed and activation, and activation the control.
#ifndef TS_ENGINE_MUSCLE_INTERNAL_H
#define TS_ENGINE_MUSCLE_INTERNAL_H

#include "engine/model/actuator.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Force per unit of activation at this length and rate, and its slopes by length and rate; out_law (3).
void ts_muscle_pull(const ts_muscle* muscle, const double length_range[2], double length, double rate, double* out_law);

/// Force of the muscle at rest, and its slope by length; out_law (3).
void ts_muscle_stretch(const ts_muscle* muscle, const double length_range[2], double length, double* out_law);

/// Second derivatives of ts_muscle_pull: by length twice, by both, by rate twice.
void ts_muscle_pull_bend(const ts_muscle* muscle, const double length_range[2], double length, double rate,
                         double out_bend[3]);

/// That of ts_muscle_stretch by length twice.
double ts_muscle_stretch_bend(const ts_muscle* muscle, const double length_range[2], double length);

/// dw/dt of an activation w under a control; `constant` are the time constants of rising and falling, s, `width` that of the controls
/// over which one becomes the other.
double ts_muscle_activation_rate(const double constant[2], double width, double control, double w);

/// The same, and its slopes by control and activation.
double ts_muscle_activation_slopes(const double constant[2], double width, double control, double w,
                                   double out_slope[2]);

#ifdef __cplusplus
}
#endif
#endif
