// What actuators do in a step: how long their transmissions are, how hard they pull, and how that enters the dynamics.
#ifndef TS_ENGINE_ACTUATION_INTERNAL_H
#define TS_ENGINE_ACTUATION_INTERNAL_H

#include "engine/actuation/lever_internal.h"
#include "engine/step/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the force of an actuator enters a step.
typedef enum ts_drive_mode {
    TS_DRIVE_PLAIN,  // as it is when the step begins
    TS_DRIVE_AHEAD,  // what of it changes with the velocity stands in the mass matrix
    TS_DRIVE_ROW     // as a row of the contact problem (engine/rows/servo.c)
} ts_drive_mode;

/// What a simulation keeps of what pulls: actuators, then tendons with their springs and dampers. Force at the end of a step, limits
/// aside: intercept - ahead (m v+), with m the moment.
typedef struct ts_drive {
    // constant after creation
    ts_lever* lever;
    double low,
        high;      // N or N m: its limits and those of a joint that it alone pulls at; infinite where there are none
    double turn;   // see ts_transmission
    int number;    // of an actuator: the coordinate that its length is the gear times, or -1
    int is_motor;  // nonzero: of an actuator with such a coordinate, no activation and a constant gain

    // of the present step
    ts_drive_mode mode;
    double ahead;      // N s/m or the like
    double intercept;  // N or N m
    double beside;     // N or N m: what acts beside what is taken ahead
    int overran;       // nonzero: taken ahead, it left its limits, and the step is made again with a row
} ts_drive;

/// How many drives there are: drive i is actuator i, those beyond are tendons.
int ts_actuation_drive_count(const ts_model* model);

/// Drive i.
const ts_drive* ts_actuation_drive(const ts_sim* sim, int i);

/// Finds what of the drives follows from the model alone. Returns 0 when memory is short.
int ts_actuation_create(ts_sim* sim);

/// A step begins.
void ts_actuation_begin(ts_sim* sim);

/// Measures tendons and actuators that pull at several trees, or at what the integrator frees itself, and adds their forces to `applied` (nv).
void ts_actuation_across(ts_sim* sim, double* applied);

/// Measures those of one tree for the last kinematics, adds their forces to `force` and what is taken ahead of them to M (both of
/// the tree; M may be NULL where nothing can be). Different trees may be worked on at once.
void ts_actuation_tree(ts_sim* sim, int tree, double* M, double* force);

/// The length of the transmission of actuator i in the present state, for the last kinematics, and its rate. What the step has
/// measured stays.
double ts_actuation_length(const ts_sim* sim, int i, double* out_rate);

/// The force of actuator i in the step that is solved, limits aside, and its slopes by length and rate; `out_gain` has the slopes of all three by its input
/// (activation or control).
void ts_actuation_law(const ts_sim* sim, int i, double out_law[3], double out_gain[3]);

/// Second derivatives of that force: by length twice, by both, by rate twice.
void ts_actuation_law_bend(const ts_sim* sim, int i, double out_bend[3]);

/// The force of a tendon's spring and damper in a step that is solved, but for what is a row, N along the tendon.
double ts_actuation_tendon_force(const ts_sim* sim, int tendon);

/// Adds up sim->force_actuator from sim->actuator_force.
void ts_actuation_total(ts_sim* sim);

/// Once the velocity at the end of the step is known: the forces that have acted. Returns nonzero when some have left their limits:
/// then dynamics, rows and solution are to be found again.
int ts_actuation_overran(ts_sim* sim, const double* velocity);

/// Books the work of all that are no rows in accounts (TS_LEDGER_ACCOUNTS), from velocities (nv) before and after the step.
void ts_actuation_book(const ts_sim* sim, const double* before, const double* after, double* account);

/// Books the impulse `pull` of one, N s along its length, whose rates before and after the step are these.
void ts_actuation_book_drive(const ts_sim* sim, int i, double pull, double before, double after, double* account);

/// How fast the activation of actuator i changes, 1/s.
double ts_actuation_rate(const ts_sim* sim, int i);

/// The activation of actuator i at the end of the step, changing at this rate.
double ts_actuation_next(const ts_sim* sim, int i, double rate);

#ifdef __cplusplus
}
#endif
#endif
