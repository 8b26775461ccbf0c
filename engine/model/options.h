// What can be tuned about a simulation without changing the world: one struct, and one table that gives every field a
// name, so that a model file, the command line (--set name=value) and a recording all speak of the same things.
#ifndef TS_ENGINE_OPTIONS_H
#define TS_ENGINE_OPTIONS_H

#include "base/status.h"
#include "base/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Simulation options. Plain data; see ts_options_default.
typedef struct ts_options {
    double time_step;          // s
    int substeps;              // of a step: contacts are found once and carried along; 1: none
    ts_vec3 gravity;           // m/s^2
    double density;            // kg/m^3 of the surrounding medium; 0: it does not press
    double viscosity;          // Pa s of that medium
    ts_vec3 wind;              // m/s: its velocity
    ts_vec3 magnetic;          // flux that magnetometers show, world axes, in a unit of the model's choice
    double contact_margin;     // m: contacts are made from this gap on (speculative contacts)
    double baumgarte;          // 1: part of a penetration beyond the slop that is to vanish within a step, 0..1
    double slop;               // m: penetration that is left alone
    double push_out_speed;     // m/s: most a penetration may add to the separation velocity
    double push_out_turn;      // rad/s: most that an angle beyond its limit may add to the speed back
    double restitution_speed;  // m/s: slower ones do not bounce; <= 0: max(2 |gravity| time_step, push_out_speed / 100)
    double compliance_normal;  // kg^-1: R of normal rows
    double compliance_tangent;   // kg^-1: R of tangent rows
    int soft_contacts;           // whether contacts are as soft as the model says: 0 never, 1 under mujoco, 2 always
    double impratio;             // 1: R of the normal over R of friction, of contacts as soft as the model says
    double contact_stiffness;    // N/m of every contact point; 0: contacts are no springs
    double contact_dissipation;  // s: damping of such a spring over its stiffness
    int manifold_points;         // 1..8: most contact points per pair of geoms
    double
        keep_contacts;  // 1: in steps with substeps pairs that have moved by less, a share of the margin, keep their points
    double narrow_tolerance;  // m: where iterations of the narrow phase stop; 0: at rounding
    double sleep;             // s: an island that was quiet for so long sleeps; 0: none does
    double sleep_speed;       // m/s: quiet is what no point of a body moves faster than ...
    double sleep_distance;    // m: ... and what has not moved farther than that since it is
    int warm_start;           // 1: contacts start from the last step's impulses, 0: from zero
    char solver[32];          // name from the solver table
    char accuracy[32];        // "exact", "balanced" or "fast", of solvers that have them
    char integrator[32];      // name from the table of integrators
    double tolerance;         // 1: share of the contact problem that may stay unmet; <= 0: the solver's default
    int least_norm;  // rows of an island up to which forces that move nothing are taken out, by solvers that can
    int iterations;  // iteration limit; <= 0: the solver's default
} ts_options;

/// One option by name.
typedef struct ts_option {
    const char* name;     // "contact_margin"
    const char* unit;     // "m", "" for none
    const char* summary;  // one line
    int count;            // numbers it takes (gravity: 3)
    double low;           // smallest allowed value
    double high;          // largest allowed value
} ts_option;

/// Touchstone's defaults: 2 ms, no substeps, 9.81 downwards, margin 1 mm, baumgarte 0.1, slop 10 um, soft under mujoco only,
/// ncp-pgs, midpoint.
ts_options ts_options_default(void);

/// What a substep goes by: an n-th of the time step and of the share of a penetration that is pushed out, and no substeps of its own.
ts_options ts_options_of_substep(const ts_options* options);

/// How many options can be set by name ("solver" and "integrator" are among them; their values are text).
int ts_option_count(void);

/// Option number i.
const ts_option* ts_option_at(int i);

/// Sets an option from text, e.g. ("gravity", "0 0 -9.81"), ("solver", "ccp-pgs"), ("warm_start", "0"). Names of
/// settings of the chosen solver are not handled here (see ts_sim_set). TS_ERROR_VALUE for an unknown name (the message
/// lists the known ones), text that is not the right numbers, or a value out of range; then nothing changes.
ts_code ts_options_set(ts_options* options, const char* name, const char* value, ts_status* out_status);

/// Nothing wrong with any field, else TS_ERROR_VALUE and which one: for options that were filled by assignment.
ts_code ts_options_check(const ts_options* options, ts_status* out_status);

/// Writes an option's value as text that ts_options_set reads back to the same bits; size >= 128 is always enough.
void ts_options_get(const ts_options* options, int i, char* out_text, unsigned long size);

#ifdef __cplusplus
}
#endif
#endif
