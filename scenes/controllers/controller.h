// The one table of controllers: what drives a robot. A controller is one file of this folder and one row of the table; it reads
// time, positions and velocities of a simulation and writes its controls or applied forces, before every step.
#ifndef TS_SCENES_CONTROLLERS_CONTROLLER_H
#define TS_SCENES_CONTROLLERS_CONTROLLER_H

#include "engine/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most settings of a controller.
enum { TS_CONTROLLER_SETTINGS = 8 };

/// A number that people may set.
typedef struct ts_controller_setting {
    const char* name;     // "speed"
    const char* summary;  // with its unit
    double initial;
    double low;
    double high;
} ts_controller_setting;

/// A controller.
typedef struct ts_controller {
    const char* name;     // "trot"
    const char* summary;  // one line
    const ts_controller_setting* setting;
    int setting_count;  // <= TS_CONTROLLER_SETTINGS
    /// Why it cannot drive that model; NULL: it can.
    const char* (*fault)(const ts_model* model);
    /// Writes ctrl or applied forces for the coming step. Depends on time, qpos and qvel only, so that a run that goes on from
    /// a snapshot repeats itself to the bit. `value` holds the settings, in their order.
    void (*act)(ts_sim* sim, const double* value);
} ts_controller;

/// A controller with its settings; without a controller nothing acts.
typedef struct ts_controller_choice {
    const ts_controller* controller;  // borrowed from the table, or NULL
    double value[TS_CONTROLLER_SETTINGS];
} ts_controller_choice;

/// How many controllers there are.
int ts_controller_count(void);

/// Controller number i, or NULL.
const ts_controller* ts_controller_at(int i);

/// The controller of that name, or NULL.
const ts_controller* ts_controller_find(const char* name);

/// A controller, by name, with its settings at their initial values, for a model. "none": nothing acts. TS_ERROR_VALUE for an
/// unknown name, and the message lists the known ones; TS_ERROR_UNSUPPORTED where it cannot drive that model, and why.
ts_code ts_controller_choose(const char* name, const ts_model* model, ts_controller_choice* out_choice,
                             ts_status* out_status);

/// Changes a setting. TS_ERROR_VALUE for an unknown one, or a number outside of its range.
ts_code ts_controller_set(ts_controller_choice* choice, const char* name, double value, ts_status* out_status);

/// Has it act once: what a loop calls before each step.
void ts_controller_act(const ts_controller_choice* choice, ts_sim* sim);

/// Has it act before every step of `sim` by itself (ts_sim_set_control); it must outlive the simulation.
void ts_controller_follow(const ts_controller_choice* choice, ts_sim* sim);

#ifdef __cplusplus
}
#endif
#endif
