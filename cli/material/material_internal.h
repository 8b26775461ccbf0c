// One contact's material in the parameters of every kind of contact model, what each makes of it, and runs that confirm it.
#ifndef TS_CLI_MATERIAL_INTERNAL_H
#define TS_CLI_MATERIAL_INTERNAL_H

#include "base/status.h"

/// A spring and a damper under a mass, with friction.
typedef struct ts_material {
    double stiffness;    // N/m
    double damping;      // N s/m
    double restitution;  // 1: what it was asked for, or follows from the damper where there is nothing but the spring
    double impact;       // 1: of the hard law, which knows neither: what was asked for, else restitution
    double mu;
    double time_step;  // s
    double mass;       // kg, on one contact
} ts_material;

/// How many ways to say it there are: rows of ts_material_native.
enum { TS_MATERIAL_MODELS = 5 };

/// What one model makes of it.
typedef struct ts_material_native {
    const char* model;     // "mujoco"
    char parameters[200];  // in its own words, ready to be pasted
    char remark[200];      // what it cannot do; "" for nothing
    double compliance;     // 1/kg: R_N, N s of impulse to m/s
    double penetration;    // m, at rest under its own weight
    double creep;          // m/s, where friction holds half of what it could
    double pinch;          // m/s, sinking between two walls that press so that friction holds half of what it could
    double bounce;         // 1: speed after a fall over that before, at that step
    const char* solver;    // of ours, that verifies it; NULL: none does
} ts_material_native;

/// Fills in the damping from the restitution, or the other way round; where both are given the springs have the damper and the hard law the
/// restitution. Negative: not given. TS_ERROR_VALUE for what cannot be.
ts_code ts_material_complete(ts_material* material, ts_status* out_status);

/// The parameters and predictions of all models.
void ts_material_translate(const ts_material* material, ts_material_native out_native[TS_MATERIAL_MODELS]);

/// Runs rest, creep, pinch and fall of model number i under its solver; out_native has what was measured in place of predictions.
ts_code ts_material_verify(const ts_material* material, int i, const ts_material_native* native,
                           ts_material_native* out_measured, ts_status* out_status);

#endif
